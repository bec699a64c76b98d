/*
 * The programs that are built around one kernel: program_time.c measures it,
 * program_trace.c counts its accesses, program_verify.c compares it with its
 * untransformed self. The command line and the files they write are in
 * docs/internals/design.md, "Harness protocol".
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
/* An array of numbers, or one field of an array of structs ("p.x"). Element e lies in
 * record e / inside, at offset + e % inside * inside_bytes. */
struct inflight_array {
    const char *name;
    /* 'i' signed, 'u' unsigned, 'b' bool, 'f' floating point; 'r' whole structs: only
     * their memory, what is in it are the fields' entries */
    char kind;
    unsigned bytes;      /* of an element */
    size_t record_bytes; /* from one record to the next; = bytes without structs */
    size_t offset, inside, inside_bytes;
    size_t
        memory; /* the entry whose memory it lies in: the first one of the same array */
    char is_written;
    char is_changed; /* its memory is read and written: a call finds what the one before
                        it left */
    char is_global;  /* part of a variable of the kernel's file */
    unsigned levels; /* of pointers; above 1: the kernel is given pointers to rows, which
                        all lie in this memory */
};
enum { LEVELS_MAX = 8 };
/* A number that the kernel leaves in a field or a global variable. */
struct inflight_output {
    const char *name;
    char kind;
    unsigned bytes;
};
struct inflight_table {
    const char *kernel;
    const struct inflight_scalar *scalar;
    size_t scalar_nr;
    const struct inflight_array *array;
    size_t array_nr;
    const struct inflight_output *output;
    size_t output_nr;
    char result; /* kind; 'v' = none */
    unsigned result_bytes;
};
extern const struct inflight_table inflight_table;

/* What the kernel returned. */
struct inflight_result {
    long long integer;
    double real;
};

/* Scalars and arrays in the order of the table; global arrays are not passed. The arrays
 * are memories: fields of one array of structs get the same one. Fields of structs and
 * global variables are set before each call. */
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

/* The address of output i. */
void *inflight_variant_output(int i);
void *inflight_reference_output(int i);

/* Some of the variant's own code ran, in place of the loops as they were: from the
 * beginning, where it needs no test at run time. Not of the arena. */
extern char inflight_variant_ran;

/* Sizes around which the variant may behave differently: "64 256". */
extern const char inflight_variant_sizes[];

#endif
