/* What is left to gain: with the work as it is, and with the least work there can be. */
#include <math.h>

#include "core/occupancy/occupancy_parts.h"

/* A gain below 1 is none, and a bound below it says only that. */
static struct quantity at_least_one(struct quantity bound)
{
    if (!bound.known)
        return bound;
    bound.value = fmax(bound.value, 1);
    bound.low = fmax(bound.low, 1);
    bound.high = fmax(bound.high, 1);
    return bound;
}

/* time / needed, open above where nothing may be needed. */
static struct quantity over(struct quantity time_s, struct quantity needed_s)
{
    if (!time_s.known || !needed_s.known || !(needed_s.value > 0))
        return quantity_unknown();
    return quantity_between(time_s.value / needed_s.value, time_s.low / needed_s.high,
                            needed_s.low > 0 ? time_s.high / needed_s.low : INFINITY, 0,
                            PROVENANCE_DERIVED);
}

/* What is in flight now over what the chains allow. */
static struct quantity chains_bound(const struct occupancy *now)
{
    if (now->why != OCCUPANCY_WHY_CHAINS)
        return quantity_unknown();
    return quantity_divide(now->n_chains, now->in_flight);
}

static bool is_tighter(struct quantity bound, struct quantity than)
{
    return bound.known && (!than.known || bound.value < than.value);
}

static bool may_be_full(const struct occupancy *now, enum resource by)
{
    return now->limiter == by && by != RESOURCE_NONE &&
           (now->resource[by].fullness == FULLNESS_FULL ||
            now->resource[by].fullness == FULLNESS_UNDECIDED);
}

static void find_same(const struct occupancy *now, struct occupancy_left *left)
{
    struct quantity chains = chains_bound(now);

    left->same = now->slack;
    left->same_by = now->slack.known ? now->busiest : RESOURCE_NONE;
    left->reached = now->slack.known && may_be_full(now, now->busiest);
    if (!is_tighter(chains, left->same))
        return;
    left->same = chains;
    left->same_by = RESOURCE_NONE;
    left->same_by_chains = left->reached = true;
}

static void find_least(const struct occupancy *now, struct quantity time_s,
                       const struct occupancy_need *need, struct occupancy_left *left)
{
    double ratio = need->flop_ratio > 0 ? need->flop_ratio : 1;
    struct quantity memory_s =
        quantity_divide(quantity_scale(need->memory_bytes, 1e-9), need->memory_gbs);
    struct quantity flops_s =
        quantity_scale(now->resource[RESOURCE_ARITHMETIC].least_s, 1 / ratio);
    struct quantity chains = chains_bound(now);
    if (need->memory_gbs.known && isinf(need->memory_gbs.high)) /* it may give more */
        memory_s = quantity_unknown();
    if (now->why == OCCUPANCY_WHY_CACHE_RESIDENT) /* what it moves is not its need */
        memory_s = quantity_unknown();
    bool computes = flops_s.known && (!memory_s.known || flops_s.value > memory_s.value);

    left->least = over(time_s, quantity_max(memory_s, flops_s));
    left->least_by = !left->least.known ? RESOURCE_NONE
                     : computes         ? RESOURCE_ARITHMETIC
                                        : RESOURCE_MEMORY;
    if (!is_tighter(chains, left->least))
        return;
    left->least = chains;
    left->least_by = RESOURCE_NONE;
    left->least_by_chains = true;
}

struct occupancy_left occupancy_left(const struct occupancy *now, struct quantity time_s,
                                     const struct occupancy_need *need)
{
    struct occupancy_left left = {0};

    find_same(now, &left);
    find_least(now, time_s, need, &left);
    left.same = at_least_one(left.same);
    left.least = at_least_one(left.least);
    if (is_tighter(left.least, left.same) && left.same.known) {
        left.least = left.same;
        left.least_by = left.same_by;
        left.least_by_chains = left.same_by_chains;
    }
    return left;
}
