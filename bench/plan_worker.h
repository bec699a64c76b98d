/* The plans of one kernel. */
#ifndef BENCH_PLAN_WORKER_H
#define BENCH_PLAN_WORKER_H

#include "core/base.h"

struct plan_job {
    const char *kernel; /* "triad_stream" of tests/kernels, a FILE.c with a main under
                           -DTEST, or "random-SEED-NUMBER" of kernel_random.h */
    const char *plan;   /* for plan_worker_single */
    const char *flags;  /* of a FILE.c */
    unsigned long long seed, count;
    bool illegal, reassociate; /* reassociate: of a FILE.c */
};

/* Draws plans until `count` legal ones (or, `illegal`, refused ones) were tried or too
 * many were drawn, and prints what became of them as one line of JSON. What is being
 * worked on goes to stderr. */
int plan_worker(const struct plan_job *job, struct error *err);

/* One plan, the verdicts and the emitted file on stdout. -1 when it is not good, or
 * `illegal`, when it is. */
int plan_worker_single(const struct plan_job *job, struct error *err);

#endif
