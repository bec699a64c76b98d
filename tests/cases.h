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
 */
#ifndef TESTS_CASES_H
#define TESTS_CASES_H

#include <stdbool.h>
#include <stddef.h>

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
bool cases_read(const char *path, size_t least, struct cases *cases);
/* Rewrites the file where a text was changed. */
void cases_release(struct cases *cases);

/* NULL where there is none. */
struct test_case *cases_find(const struct cases *cases, const char *name);
const char *case_part(const struct test_case *one, const char *part);
/* `got` is what the part says; with UPDATE_GOLDEN in the environment it will say so. */
bool check_case(struct cases *cases, struct test_case *one, const char *part,
                const char *got);
/* The text as a file in the folder. Caller frees its path. */
char *case_file(const struct test_case *one, const char *dir, const char *name);

#endif
