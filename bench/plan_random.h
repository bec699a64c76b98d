/* Random plans of one kernel, from all steps of transformations(); reproducible by seed.
 */
#ifndef BENCH_PLAN_RANDOM_H
#define BENCH_PLAN_RANDOM_H

#include "variants/kernel/kernel.h"

struct plan_random {
    uint64_t state;
    const struct kernel *kernel;
};

/* The same plans for the same seed and kernel name, whatever else was drawn. */
struct plan_random plan_random_begin(const struct kernel *kernel, uint64_t seed);
/* A plan of one to four steps, in the grammar, legal or not. Caller frees. */
char *plan_random_next(struct plan_random *random);
/* Whether steps of this name are ever drawn: a new transformation must be added. */
bool plan_random_knows(const char *transformation);

#endif
