/*
 * Private to core/machine: how many misses a core keeps in flight, from the throughput of
 * k chases. Up to the limit more lanes cost (nearly) nothing, beyond it they queue: t(k)
 * = max(a + b k, c k).
 */
#ifndef CORE_MACHINE_KNEE_H
#define CORE_MACHINE_KNEE_H

#include <stdbool.h>
#include <stddef.h>

#include "core/machine/machine.h"

struct knee {
    bool found;   /* false: t(k) / k still falls at the end, or the series is too short or
                     too noisy */
    double first; /* first k with t(k) / k, smoothed, within 2 % of its asymptote */
    double fit;   /* crossing of the two segments fitted to t(k) */
    double floor; /* hold_ns / asymptote: what was surely in flight */
};

/* step_ns[k - 1]: time in which each of k lanes takes one step. hold_ns: how long one
 * miss holds its entry, that is t(1) without translation. */
struct knee knee_find(const struct quantity *step_ns, size_t nr, double hold_ns);

/* What decides the limit of one queue. */
struct limit_evidence {
    struct quantity table; /* of the CPU table; high = infinity: "at least" */
    char confidence;       /* its letter, see data/cpus.json */
    const char *table_source;
    struct knee knee[2];   /* L3-resident and memory set; not found = not measured */
    struct quantity floor; /* L2: lines in flight while streaming */
    double fallback;       /* 0 = none is defensible */
    size_t runs;
};

/* Fills table, probe, used and source: measured knee with tight spread > table > measured
 * floor > fallback; a measured floor above the table's value refutes the table. */
void limit_resolve(struct machine_limit *limit, const struct limit_evidence *evidence);

#endif
