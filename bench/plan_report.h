/* The tables of bench/plans. */
#ifndef BENCH_PLAN_REPORT_H
#define BENCH_PLAN_REPORT_H

#include <stdio.h>

#include "core/base.h"

struct plan_problems {
    size_t plans, problems;
};
/* Of the objects that plan_worker prints: plans tried, and what is not as it should be, a
 * line each to `out` (may be NULL): legal ones that are not good, refused ones whose same
 * results nothing explains, kernels that failed. */
struct plan_problems plan_problems(const json_t *kernels, bool illegal, FILE *out);

/* Prints all that on stdout, and tables. Returns the number of problems. */
size_t plan_report(const json_t *kernels, unsigned long long asked, bool illegal,
                   double seconds);

#endif
