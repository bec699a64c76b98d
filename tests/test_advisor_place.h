/* A folder with a copy of tests/data/advisor/cli/files and a home of its own, in which
 * the program is run. */
#ifndef TESTS_TEST_ADVISOR_PLACE_H
#define TESTS_TEST_ADVISOR_PLACE_H

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

/* `*` stands for anything, also for nothing and for several lines. */
bool text_matches(const char *text, const char *pattern);

/* What is visible in the folder, sorted; freed by the caller like scandir's. */
int place_list(const char *dir, struct dirent ***names);

#endif
