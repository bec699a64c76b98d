/* What a call of a kernel takes from its caller, and where it comes from. */
#ifndef VARIANTS_KERNEL_KERNEL_INPUTS_H
#define VARIANTS_KERNEL_KERNEL_INPUTS_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/array.h"
#include "core/base/error.h"

struct kernel;

/*
 * What a call of the kernel takes from its caller, for whoever records a call: numbers,
 * then arrays, by the names that words know. Of structs every number and array that the
 * function names has an entry of its own.
 */
struct kernel_input {
    const char *name; /* "n", "g->nx", "p" */
    bool is_array;
    char kind;     /* of a number: 'f' floating point, 'i', 'u', 'b'; of an array 'r' = of
                      structs */
    size_t bytes;  /* of a number, or of an element or struct of the array */
    bool in_place; /* the array is a part of the variable, not behind a pointer */
    bool written;  /* by the kernel */
    bool is_size;  /* a number that decides on loops, addresses or extents */
    long long records;       /* elements or structs of the array; -1 = not known (yet) */
    size_t levels;           /* of pointers to the elements; above 1: to rows */
    bool is_handed_on;       /* to functions that may use more of it than the loops do */
    const long long *extent; /* then: elements of each level, where records are known */
};
/* As far as words and captured contents tell. Numbers without a word count as unknown:
 * then no lengths are known. Caller frees the list; it borrows from the kernel. */
size_t kernel_inputs(struct kernel *kernel, struct kernel_input **list);

/* ---- what nobody says ---- */

/* The number that stands for a size that is not chosen yet. */
enum { PROPOSED_SIZE = 1000 };
/* Words for what a call takes and nobody says: "set n=1000", "buffer key = index(m)";
 * with `globals` also for integers of the file that decide on loops. */
void kernel_unsaid(const struct kernel *kernel, bool globals, struct strvec *words);
/*
 * Of a kernel that was opened with such words: puts sizes for a first try in the place of
 * PROPOSED_SIZE. Those that decide how long arrays are get one value, for which all
 * arrays together have about `bytes`, or less where a call would then take more than
 * 1e9 innermost iterations; others 10 where they decide on loops, else 1. Returns the
 * bytes of all arrays; negative with err where that is not enough, and "buffer a length
 * ELEMENTS" added for each array whose length does not follow.
 */
double kernel_propose(struct kernel *kernel, double bytes, struct strvec *words,
                      struct error *err);

/* Why kernel_bind could not supply the arguments, whatever is set; 0 = it could. */
int kernel_supplied(const struct kernel *kernel, struct error *err);
/* Why a loop of its program is better taken out of it: C++ that is not read; 0 = there is
 * none. */
int kernel_is_whole(const struct kernel *kernel, struct error *err);
/* The declaration's types in one line: "void f(double *, int)". Caller frees. */
char *kernel_signature(const struct kernel *kernel);
/* "buffer NAME = captured(...)": a word for kernel_request. `records` from `offset` on of
 * the file; `place`: address modulo 2 MiB at which they shall lie; `hash` of the bytes.
 * Caller frees. */
struct captured_array {
    const char *name, *path;
    unsigned long long offset;
    long long records;
    unsigned long place;
    bool huge_pages;
    const char *hash;
    const long long *spare; /* of them, more than the loops use; NULL = none */
    const long long *rows;  /* elements of each level of pointers to rows */
    size_t row_nr;          /* 0 = no rows */
};
char *captured_word(const struct captured_array *array);

/* The flags that the source is read with, and who says so; NULL = nobody. */
const struct strvec *kernel_read_flags(const struct kernel *kernel);
const char *kernel_flags_from(const struct kernel *kernel);
/* "n and m as main calls it in line 30"; NULL = made up, or said by the user */
const char *kernel_inputs_note(const struct kernel *kernel);
/* Most bytes of the captured arrays lay in huge pages, and so they do here. */
bool kernel_inputs_huge(const struct kernel *kernel);

#endif
