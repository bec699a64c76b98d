/*
 * A file of cases:
 *
 *     what comes before the first case is a comment
 *
 *     == name of a case
 *     its text, of any number of lines
 *     -- part: a text of one line, without its line break
 *     -- part
 *     a text of any number of lines
 *
 * An empty line before "==" belongs to no text.
 *
 * Where the first case is called "good", it is a JSON document, and the text of another
 * case is what it changes in it: null takes a member away, an object given for a list
 * changes each of its elements. A text that is no JSON object stands for itself.
 */
#ifndef TESTS_CASES_H
#define TESTS_CASES_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/error.h"

struct test_case {
    char *name, *text;
    struct case_part {
        char *name, *text;
        bool one_line;
    } * part;
    size_t part_nr;
};

struct cases {
    char *path, *comment;
    struct test_case *v;
    size_t nr;
    bool changed;
};

/* A file that cannot be read, and one with fewer cases than `least`, is a failed check.
 */
bool cases_read(const char *path, size_t min, struct cases *cases);
/* Rewrites the file where a text was changed. */
void cases_release(struct cases *cases);

/* NULL where there is none. */
struct test_case *cases_find(const struct cases *cases, const char *name);
const char *case_part(const struct test_case *one, const char *part);
/* `got` is what the part says; with UPDATE_GOLDEN in the environment it will say so. */
bool check_case(struct cases *cases, struct test_case *one, const char *part,
                const char *got);
/* The text as a file of the case's name in the folder. Caller frees its path. */
char *case_file(const struct test_case *one, const char *dir);

/* What reads a file: 0, or -1 and the reason. */
typedef int case_reader(const struct test_case *one, const char *path, struct error *err);
/*
 * Each case as a file, called like the case (".json" where that has no ending), in a
 * folder of its own: a part whose name has an ending is a file beside it. All but "good"
 * must be refused with STATUS_INPUT (or the number of the part "status") and just the
 * text of the part "error", in which the folder is left out.
 */
void check_refused(const char *path, size_t min, case_reader *read);

#endif
