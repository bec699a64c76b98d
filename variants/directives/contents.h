/*
 * What an array holds when the kernel is called: `index(m)` with the values of its
 * arguments. The programs fill by the same names (templates/harness/program_contents.c).
 * Private to variants.
 */
#ifndef VARIANTS_CONTENTS_H
#define VARIANTS_CONTENTS_H

#include "variants/directives/pragma.h"

struct buf;

enum { CONTENTS_ARGS_MAX = 2, KERNEL_LEVELS_MAX = 8 };

struct contents_kind;
struct contents { /* {0} is the valid empty one */
    const struct contents_kind *kind;
    double arg[CONTENTS_ARGS_MAX];
    size_t arg_nr;
    char *file; /* file(PATH) and captured(PATH, ...) only */
    struct captured *captured;
};
void contents_release(struct contents *contents);

/*
 * captured(PATH,OFFSET,RECORDS,PLACE,PAGES,HASH[,ROWS...]): bytes of a file as they lay
 * in an application's memory (kernel_inputs.h, captured_word). PATH has %XX for all that
 * is no letter, digit or one of /._-
 */
struct captured {
    unsigned long long offset; /* of the first byte in the file, a multiple of 4096 */
    long long records;         /* that there are: elements, or whole structs */
    unsigned long place;       /* the address in the application modulo 2 MiB */
    bool huge_pages;           /* it lay in huge pages there */
    char hash[40];             /* of the bytes */
    /* Of pointers to rows: elements of each level. Where the rows begin stands before the
     * elements, in whole pages. */
    long long rows[KERNEL_LEVELS_MAX];
    long long spare[KERNEL_LEVELS_MAX]; /* of them, more than the loops use: for functions
                                           that the pointers are handed to */
    size_t row_nr;
    /* of the elements before `ranged`, of the last question; see captured_range */
    long long ranged, low, high;
};
/* Reads the arguments behind the name; sets contents->file and ->captured. */
int captured_read(const struct strvec *args, const char *text, struct contents *contents,
                  struct error *err);
/* As the programs are told it; `rows`: with where they begin. */
void captured_add(struct buf *out, const struct contents *contents, bool rows);

/* How numbers lie in records, as in struct kernel_buffer. */
struct captured_shape {
    char kind;
    size_t bytes, record_bytes, offset, inside, inside_bytes;
};
/* Least and largest of the first `length` numbers; false when the file does not hold them
 * or they are no integers. */
bool captured_range(const struct contents *contents, const struct captured_shape *shape,
                    long long length, long long *low, long long *high);
/* One of the numbers. */
bool captured_number(const struct contents *contents, const struct captured_shape *shape,
                     long long index, long long *value);

/* Are there contents of that name, such as "index"? `text`: all of it, for the message.
 */
int contents_check_name(const char *name, const char *text, struct error *err);
/* `text` as the user wrote it; names in it are looked up. `is_float` is of the element.
 * Overwrites `contents`. */
int contents_eval(const char *text, bool is_float, directive_lookup *lookup, void *data,
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
