/* A folder with a copy of tests/data/advisor/cli/files and a home of its own, in which
 * the program is run. */
#ifndef TESTS_ADVISOR_PLACE_H
#define TESTS_ADVISOR_PLACE_H

#include <dirent.h>

#include "core/base.h"
#include "tests/check.h"

struct place {
    char *home, *work;
    struct strvec env;
    struct error err;
};

void place_make(struct place *place);
void place_drop(struct place *place);
/* A file of the folder, into the work folder. */
void place_copy(struct place *place, const char *folder, const char *name);

/* The program with these words, as a shell would split them. */
void place_run(struct place *place, const char *args, struct spawn_outcome *outcome);
/* The same, and what must come out; patterns of text_matches. */
void check_run(struct place *place, const char *args, int code, const char *out,
               const char *err);

/*
 * Each case of the file (tests/cases.h) in a place of its own that `make` makes: the
 * program with the words `before` and the case's name. Its first part is "exited N" and
 * what standard error says; "stdout" is a pattern like that, "output" the whole text;
 * without either of them nothing is printed. How many there are.
 */
size_t check_commands(const char *path, const char *before,
                      void (*make)(struct place *place));

/* `*` stands for anything, also for nothing and for several lines. */
bool text_matches(const char *text, const char *pattern);

/* What is visible in the folder, sorted; freed by the caller like scandir's. */
int place_list(const char *dir, struct dirent ***names);

#endif
