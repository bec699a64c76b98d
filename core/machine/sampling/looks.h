/*
 * Private to core/machine: figures that are looked at several times over the whole probe,
 * each look some tenths of a second. Neighbours on the host load the memory for seconds,
 * move this guest to other cores, and let the hypervisor build its page tables anew: what
 * is taken in one moment is a figure of that moment.
 */
#ifndef CORE_MACHINE_LOOKS_H
#define CORE_MACHINE_LOOKS_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/quantity.h"

enum { LOOKS_MAX = 64 };
struct looks {
    double value[LOOKS_MAX];
    size_t nr;
};

/* What a kind of figure repeats within, in parts of its value. */
struct repeatability {
    double look; /* standard deviation of one look, believed beforehand */
    double run;  /* 95 % of whole profiles, beside what the looks of one of them show */
};
enum figure_kind { FIGURE_LATENCY, FIGURE_WALK, FIGURE_RATE, FIGURE_QUEUE, FIGURE_KINDS };
/* `guest`: under a hypervisor, beside neighbours. */
const struct repeatability *repeatability_of(enum figure_kind kind, bool guest);

/* NaN is no look. */
void looks_add(struct looks *looks, double value);
/* The value below which this share of the looks lies: 0.5 the median; less where
 * disturbances only add, more where they only take. The interval holds the tenths of the
 * looks and what the figure repeats within. Provenance probe; unknown without looks. */
struct quantity looks_quantity(const struct looks *looks, double share,
                               const struct repeatability *repeats);

#endif
