/*
 * What an array holds when the kernel is called: `index(m)` with the values of its
 * arguments. The programs fill by the same names (templates/harness/program_contents.c).
 * Private to variants.
 */
#ifndef VARIANTS_CONTENTS_H
#define VARIANTS_CONTENTS_H

#include "variants/pragma.h"

enum { CONTENTS_ARGS_MAX = 2 };

struct contents_kind;
struct contents { /* {0} is the valid empty one */
    const struct contents_kind *kind;
    double arg[CONTENTS_ARGS_MAX];
    size_t arg_nr;
    char *file; /* file(PATH) only */
};
void contents_release(struct contents *contents);

/* `text` as the user wrote it; names in it are looked up. `is_float` is of the element.
 * Overwrites `contents`. */
int contents_eval(const char *text, bool is_float, words_lookup *lookup, void *data,
                  struct contents *contents, struct error *err);

/* "index(134217728)": no names, no blanks. */
void contents_add(struct buf *out, const struct contents *contents);

/* Range of the numbers, both ends included, for `length` elements; length < 0 = not known
 * yet. False when it cannot be told. */
bool contents_range(const struct contents *contents, long long length, long long *low,
                    long long *high);

/* For an array of which nothing is said and that is no subscript: "uniform(0.5,1.5)"
 * keeps sums, products and quotients in range. */
const char *contents_default(enum ir_scalar scalar);

#endif
