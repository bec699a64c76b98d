/* One kernel of bench/suite: searched, then measured against the baselines. */
#ifndef BENCH_SUITE_KERNEL_H
#define BENCH_SUITE_KERNEL_H

#include "core/machine/machine.h"
#include "variants/variants.h"

enum suite_compiler { SUITE_GCC, SUITE_CLANG, SUITE_POLLY, SUITE_COMPILER_NR };

struct suite { /* {0} is the valid empty one */
    struct toolchain toolchain[SUITE_COMPILER_NR];
    bool has[SUITE_COMPILER_NR]; /* Polly may not be in this clang */
    const struct machine_cpus *cpus;
    const char *budget; /* of a search, as on the command line */
    double seconds;     /* of a comparison */
    char *scratch;
};

/* Finds the compilers; gcc and clang must be there. `cpus` is kept. */
int suite_open(struct suite *suite, const struct machine_cpus *cpus, const char *budget,
               double seconds, struct error *err);
void suite_close(struct suite *suite);

/*
 * An object: base and compiler (of the untransformed kernel and of the winner), plan,
 * claimed (source gain of the search), ratio (time of the base over that of the winner)
 * and polly_ratio, quantities as in reports, absent where there is none. NULL when the
 * kernel cannot be built, run or searched. Caller json_decref's.
 */
json_t *suite_kernel(const struct suite *suite, const char *path, const char *name,
                     struct error *err);

#endif
