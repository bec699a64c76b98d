/* The sizes at which plans are tried, and one run at all of them. */
#ifndef BENCH_PLAN_CASES_H
#define BENCH_PLAN_CASES_H

#include "bench/plan_try.h"

/* Fills bench->item: sizes 0 (where arrays may be empty), 1, 2, 3, around block sizes,
 * primes, all alike and unlike; parameters that decide on no extent (time steps) from 0
 * to 3. Those at which the untransformed kernel is not clean or does much work are left
 * out. `program`: the verifying one of each compiler. */
int plan_cases_make(struct plan_bench *bench, char *const *program, struct error *err);

/* Runs variant number `variant` at all sizes and notes the verdict unless it is worse
 * already. */
int plan_case_run_all(struct plan_bench *bench, const char *program, size_t variant,
                      size_t compiler, struct error *err);
/* Runs a verifying program under a sanitizer at all sizes. *report: what was found in the
 * variant, or how its results differ; NULL = nothing. Caller frees. */
int plan_case_report(const struct plan_bench *bench, const char *program, char **report,
                     struct error *err);

#endif
