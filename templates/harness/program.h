/*
 * The programs that are built around one kernel: program_time.c measures it,
 * program_trace.c counts its accesses, program_verify.c compares it with its
 * untransformed self. The command line and the files they write are in docs/design.md,
 * "Harness protocol".
 *
 * A program is one translation unit of these files, all static, since every other name
 * may be one of the user's file. Beside it are linked: a table of the kernel's
 * parameters, and the kernel's own file (twice for verifying), each with two functions at
 * its end that call it.
 */
#ifndef PROGRAM_H
#define PROGRAM_H

#include <stddef.h>

struct inflight_scalar {
    const char *name;
    char kind; /* 'i' integer, 'f' floating point */
};
struct inflight_array {
    const char *name;
    char kind;      /* 'i' signed, 'u' unsigned, 'b' bool, 'f' floating point */
    unsigned bytes; /* of an element */
    char is_written, is_global;
};
struct inflight_table {
    const char *kernel;
    const struct inflight_scalar *scalar;
    size_t scalar_nr;
    const struct inflight_array *array;
    size_t array_nr;
    char result; /* kind; 'v' = none */
};
extern const struct inflight_table inflight_table;

/* What the kernel returned. */
struct inflight_result {
    long long integer;
    double real;
};

/* Scalars and arrays in the order of the table; global arrays are not passed. */
void inflight_variant_call(void *const *array, const long long *integer,
                           const double *real, struct inflight_result *result);
void inflight_reference_call(void *const *array, const long long *integer,
                             const double *real, struct inflight_result *result);
/* The same way to a function that does nothing, with the variant's arguments. */
void inflight_variant_empty_call(void *const *array, const long long *integer,
                                 const double *real, struct inflight_result *result);
/* The address of array i of the table if it is a global one of that file, else 0. */
void *inflight_variant_global(int i);
void *inflight_reference_global(int i);

/* Sizes around which the variant may behave differently: "64 256". */
extern const char inflight_variant_sizes[];

#endif
