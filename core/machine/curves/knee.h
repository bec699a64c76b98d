/*
 * Private to core/machine: how many misses a core keeps in flight, from the time in which
 * each of k chases takes a step. Up to the limit more lanes cost (nearly) nothing, beyond
 * it they queue: t(k) is one line up to the limit and a steeper one from there on, with a
 * rounded corner between them. Neither line is told: in the cache the flat part rises, in
 * memory it falls at first (translations that overlap), and the steep one need not point
 * to the origin.
 */
#ifndef CORE_MACHINE_KNEE_H
#define CORE_MACHINE_KNEE_H

#include <stdbool.h>
#include <stddef.h>

enum { KNEE_MAX = 64 };

/* Measured in rounds: sample r of all lanes is one round, so that what slowed a whole
 * round down is seen and divided out. */
struct knee_series {
    int chains[KNEE_MAX];            /* ascending */
    const double *step_ns[KNEE_MAX]; /* of `rounds` samples each; borrowed */
    size_t nr, rounds;
    double residency_ns; /* how long one miss holds its entry: t(1) without translation
                       and without the hit in L1 that follows */
};

struct knee {
    bool found;       /* false: no corner, or too few lanes beyond it, or too noisy */
    double chains;    /* where the two lines meet */
    double low, high; /* 90 % of the resampled rounds */
    double floor; /* residency_ns / best time per lane: what was surely in flight; 0 = not
                     known */
};

struct knee knee_find(const struct knee_series *series);

#endif
