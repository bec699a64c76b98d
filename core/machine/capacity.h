/*
 * Private to core/machine: where the latency of a chase leaves that of a cache level,
 * looked for by bisection. One search asks for few footprints; several searches, spread
 * over time, tell how far disturbances moved the answer. Measures nothing.
 */
#ifndef CORE_MACHINE_CAPACITY_H
#define CORE_MACHINE_CAPACITY_H

#include "core/base/base.h"

struct capacity_search {
    double from_bytes, to_bytes; /* nothing is asked outside of them */
    double start_bytes;          /* the first footprint asked for */
    double bar_ns;               /* what is slower is beyond the level */
    /* The largest footprint found inside of the level and the smallest one beyond it; 0:
     * none yet. */
    double inside_bytes, beyond_bytes;
    double inside_ns, beyond_ns;
};

/* The footprint to look at next; 0 = the end is known as well as it will be. */
double capacity_next(const struct capacity_search *search);
void capacity_add(struct capacity_search *search, double bytes, double ns);

/* What is slower than this is beyond the level, which takes `level_ns` itself. Memory's
 * latency keeps the bar where the level's own was disturbed; 0 = not known. NAN: the
 * level cannot be told from memory. */
double capacity_bar_ns(double level_ns, double memory_ns);

/* What a core gets by all searches, at least one. Unknown when none looked at anything;
 * open above where no end was seen; the high end alone where even the least footprint was
 * beyond the level: then the low one is `least_bytes`. */
struct quantity capacity_of(const struct capacity_search *search, size_t nr,
                            double least_bytes);

#endif
