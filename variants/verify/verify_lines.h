/* The file of a verifying program (docs/internals/design.md, "Harness protocol"). Private
 * to variants. */
#ifndef VARIANTS_VERIFY_LINES_H
#define VARIANTS_VERIFY_LINES_H

#include <stdbool.h>
#include <stddef.h>

/* {0} is the valid empty one. Texts are of the last set of sizes in the file. */
struct verify_lines {
    size_t case_nr; /* sets of sizes begun */
    /* Those where the original's results change with the last digits of its inputs: their
     * numbers, and the first difference in the first of them. */
    struct {
        size_t *item, nr, alloc;
        char *differ, *index, *want, *got;
    } unstable;
    bool is_unstable;   /* the last one is */
    bool has_reference; /* the untransformed kernel has returned in the last one */
    bool has_sanitizer; /* its reports are in a file beside this one */
    bool is_done;       /* the program says that it went through to its end */
    double relative;    /* largest relative error of all */
    double took_s;      /* a call of the untransformed kernel, the last one; 0 = none */
    char *outside;      /* array that was written beside */
    char *fault;        /* "touches a[100]", and the program ended there */
    char *differ, *index, *want, *got;
    char *odd, *odd_kind, *odd_count; /* array, "NaN" ..., how many */
};
void verify_lines_release(struct verify_lines *lines);

/* A file that is missing or ends early gives what there is. */
void verify_lines_read(const char *path, struct verify_lines *lines);

/* What a sanitizer wrote, as one sentence: kind of error and where in the source. NULL =
 * nothing. Caller frees. verify_report.c */
char *sanitizer_report(const char *path);

#endif
