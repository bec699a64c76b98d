/* What bench/claims takes for the truth: a measurement of its own, that shares nothing
 * with the product's. */
#ifndef BENCH_CLAIMS_QUIET_H
#define BENCH_CLAIMS_QUIET_H

#include "core/base.h"

/* A function claim(n, m, y[n], a[m][n], x[m]) in two C files; `define` goes before both
 * texts. */
struct quiet_pair {
    const char *source[2];
    const char *define; /* "-DPASSES=3", NULL = none */
    long n, m;
};

/*
 * time(first) / time(second) on an otherwise quiet machine: `rounds` times, a copy on
 * each of the cpus calls the two in turn for `seconds`, all copies beginning each turn
 * together. Of each round the median, into ratio[]. Runs `compiler` -O3 -march=native.
 */
int quiet_ratios(const struct quiet_pair *pair, const int *cpu, size_t cpu_nr,
                 size_t rounds, double seconds, const char *compiler, const char *scratch,
                 double *ratio, double call_s[2], struct error *err);

/* `nr` processes that do nothing but calculate, on no cpu in particular. They end when
 * told to, and with us. */
int neighbours_start(pid_t *pid, size_t nr, struct error *err);
void neighbours_end(const pid_t *pid, size_t nr);

#endif
