/*
 * Small kernels of the kinds that were once made into wrong code, with the calls that
 * showed it: counters and bounds at the ends of their types, aliases, sums of mixed
 * types, clauses of OpenMP, macros with names of ours. Reproducible by seed.
 */
#ifndef BENCH_KERNEL_RANDOM_H
#define BENCH_KERNEL_RANDOM_H

#include "core/base.h"

enum kernel_class {
    CLASS_SUMS,      /* of mixed types */
    CLASS_COUNTERS,  /* narrow, and at the ends of their ranges */
    CLASS_GLOBALS,   /* that are passed as arrays too */
    CLASS_WRAPS,     /* unsigned bounds that wrap around */
    CLASS_CLAUSES,   /* of OpenMP */
    CLASS_FUNCTIONS, /* named as those of <math.h> are */
    CLASS_TYPES,     /* different ones in the same memory */
    CLASS_MACROS,    /* with the names that we would give */
    CLASS_OVERLAPS,  /* of parameters */
    KERNEL_CLASS_NR
};
const char *kernel_class_word(enum kernel_class kernel_class);

struct kernel_random {
    enum kernel_class kernel_class;
    const char *flags; /* that it must be compiled with, "" = none */
    bool reassociate;  /* has no floating-point sum: the option must change nothing */
    char *text;        /* caller frees */
};
/* Kernel `number` of a seed: of class number % KERNEL_CLASS_NR. */
struct kernel_random kernel_random_make(unsigned long long seed,
                                        unsigned long long number);

#endif
