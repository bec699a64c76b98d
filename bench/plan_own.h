/*
 * Plans of a file that has a `main` of its own (under -DTEST), compiled by gcc and clang
 * with sanitizers and without: what it prints and how it ends must stay the same.
 */
#ifndef BENCH_PLAN_OWN_H
#define BENCH_PLAN_OWN_H

#include "bench/plan_try.h"

struct plan_file {
    const char *path, *flags;       /* flags: that it is compiled with */
    bool reassociate, is_generated; /* generated: its main is that of kernel_call.h */
};

/* As plan_bench_open; a bench->item is a call at which the original is clean and the same
 * in all builds. `file` must outlive the bench. */
int plan_own_open(struct plan_bench *bench, const struct plan_file *file, bool force,
                  struct error *err);
/* What plan_bench_add and plan_bench_run do with such a file. */
void plan_own_compile(struct plan_bench *bench, size_t number, const char *source);
int plan_own_run(struct plan_bench *bench, struct error *err);

#endif
