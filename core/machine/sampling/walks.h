/*
 * Private to core/machine: what page walks cost a chase. A fully random one and a
 * block-local one, which walks hardly ever, take turns within milliseconds, so that what
 * the memory itself takes at that moment, which neighbours move by half, cancels.
 */
#ifndef CORE_MACHINE_WALKS_H
#define CORE_MACHINE_WALKS_H

#include <stddef.h>

struct chase;
struct region;

enum { WALK_PAIRS_MAX = 32 };

/* One turn: the local chase before, the random one, the local one after; nanoseconds a
 * step, NaN = another process got in between. */
struct walk_turn {
    double before_ns, random_ns, after_ns;
};
/* Median of what the random steps take beyond the local ones around them. NaN: fewer than
 * a third of the turns count, or the first half of them lies far above the second, as
 * long as caches and the hypervisor's page tables do not hold the guest's. */
double walk_extra_ns(const struct walk_turn *turn, size_t nr);

/* Some tenths of a second; `region` holds the random chase. Begins no turns after end_s
 * of clock_s but the first, and NaN where it did not settle. */
double walk_look(const struct region *region, struct chase *random, struct chase *local,
                 double end_s);

#endif
