/* The resources that may limit a loop, and how much faster it can be until one does. */
#ifndef CORE_OCCUPANCY_BOUND_H
#define CORE_OCCUPANCY_BOUND_H

#include "core/base/quantity.h"
#include "core/cause/cause.h"

struct occupancy;

/* The least that any plan could give the resources: what a call cannot do without. */
struct occupancy_need {
    /* Through memory, all copies: each line of the data once. Unknown = not told, a low
     * end of 0 = perhaps nothing. */
    struct quantity memory_bytes;
    struct quantity memory_gbs; /* the most that memory reaches, at any mix */
    /* FLOP/s of the loop's elements over those of doubles: 2 for floats; 0 = 1 */
    double flop_ratio;
};

/*
 * How much faster than `time_s` at most. `same`: with the work as it is, T / max T_r, so
 * for plans that only do more at a time. `least`: with only what is needed, T /
 * max(needed bytes / memory, FLOP / vector rate), so for every plan that computes the
 * same. Where chains of addresses explain n, both end where the chains are full (n_chains
 * / in_flight): no plan takes the order of a chain apart. Never below 1. Unknown = the
 * evidence gives none; open above where what is needed may be nothing. `least` is never
 * below `same`.
 */
struct occupancy_headroom {
    struct quantity same, min;
    enum resource same_by, min_by; /* NONE with unknown bounds and chains */
    bool same_by_chains, min_by_chains;
    /* what sets `same` is at its limit as far as can be told: its utilization may be, or
     * the chains are full */
    bool reached;
};
struct occupancy_headroom occupancy_headroom(const struct occupancy *now,
                                             struct quantity time_s,
                                             const struct occupancy_need *need);

#endif
