/* The tables of bench/plans. */
#ifndef BENCH_PLAN_REPORT_H
#define BENCH_PLAN_REPORT_H

#include "core/base/base.h"

/* From the objects that plan_worker prints. Returns how many plans are not as they should
 * be: legal ones that are not good, or kernels that failed. */
int plan_report(const json_t *kernels, unsigned long long asked, bool illegal,
                double seconds);

#endif
