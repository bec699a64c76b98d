/* Why a plan that was refused, and forced, gave the same results. */
#ifndef BENCH_PLAN_EXPLAIN_H
#define BENCH_PLAN_EXPLAIN_H

#include "bench/plan_try.h"

#define PLAN_UNEXPLAINED "unexplained"
#define PLAN_PROMISE     "an untrue `simd`, which gcc at -O3 makes no use of"

/* All that plan_explain says; *nr of them. */
const char *const *plan_explanations(size_t *nr);
/* One of them, from the refusal and the kernel. */
const char *plan_explain(const struct kernel *kernel, const struct plan_try *try);

#endif
