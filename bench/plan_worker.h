/* The plans of one kernel of tests/kernels. */
#ifndef BENCH_PLAN_WORKER_H
#define BENCH_PLAN_WORKER_H

#include "core/base/base.h"

/* Draws plans until `count` legal ones (or, `illegal`, refused ones) were tried or too
 * many were drawn, and prints what became of them as one line of JSON. What is being
 * worked on goes to stderr. */
int plan_worker(const char *kernel, unsigned long long seed, unsigned long long count,
                bool illegal, struct error *err);

/* One plan, the verdicts and the emitted file on stdout. -1 when it is not good, or with
 * `forced`, when it is. */
int plan_worker_single(const char *kernel, const char *plan, bool forced,
                       struct error *err);

#endif
