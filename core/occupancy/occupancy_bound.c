/* How much faster a plan could make the loop at most. */
#include <math.h>

#include "core/occupancy/occupancy_parts.h"

static bool is_queue(int resource)
{
    return resource == RESOURCE_L1_QUEUE || resource == RESOURCE_L2_QUEUE;
}

/* What the resource needs for its work of today: what was done was done in that time. Of
 * a limit that is only known from below nothing follows that is certainly needed. */
static struct quantity needed_now(const struct occupancy *now, int resource,
                                  struct quantity time_s)
{
    struct quantity min = now->resource[resource].min_s;

    if (min.known && is_floor(now->resource[resource].limit))
        min.value = min.low;
    return min.known ? quantity_min(min, time_s) : min;
}

static struct quantity needed_then(const struct occupancy *now, int resource,
                                   struct quantity time_s,
                                   const struct occupancy_rest left[])
{
    struct quantity min = needed_now(now, resource, time_s);
    const struct occupancy_rest *own = &left[resource], *memory = &left[RESOURCE_MEMORY];
    bool relieved = is_queue(resource) && memory->min < own->min;
    double quicker =
        relieved && now->idle_latency_share > 0 ? fmin(now->idle_latency_share, 1) : 1;

    if (!min.known)
        return min;
    return quantity_between(min.value * own->value, min.low * own->min * quicker,
                            min.high * own->value, min.runs, min.provenance);
}

/* The most time that a resource still needs for certain. */
static struct quantity most_needed(const struct occupancy *now, struct quantity time_s,
                                   const struct occupancy_rest left[])
{
    struct quantity max = quantity_unknown();

    for (int r = 0; r < RESOURCE_NR; r++)
        if (r != RESOURCE_NONE && left[r].value >= 0)
            max = quantity_max(max, needed_then(now, r, time_s, left));
    return max;
}

/* A resource whose work after the plan is unknown is at worst as busy as now. */
static bool could_limit(const struct occupancy_resource *resource, struct quantity max)
{
    return !resource->min_s.known || resource->min_s.value > max.value;
}

/* What may be nothing at all leaves the bound open above. */
static struct quantity speed_up(struct quantity time_s, struct quantity max)
{
    if (!time_s.known || !max.known || !(max.value > 0))
        return quantity_unknown();
    return quantity_between(time_s.value / max.value, time_s.low / max.high,
                            max.low > 0 ? time_s.high / max.low : INFINITY, time_s.runs,
                            PROVENANCE_DERIVED);
}

struct quantity occupancy_bound(const struct occupancy *now, struct quantity time_s,
                                const struct occupancy_rest left[RESOURCE_NR])
{
    struct quantity max = most_needed(now, time_s, left), bound;

    if (now->by_queues == CAUSE_CORE)
        return quantity_unknown();
    for (int r = 0; r < RESOURCE_NONE; r++)
        if (left[r].value < 0 && could_limit(&now->resource[r], max))
            return quantity_unknown();
    bound = speed_up(time_s, max);
    for (int r = 0; r < RESOURCE_NONE; r++)
        if (bound.known && !now->resource[r].min_s.known && left[r].value > 0)
            bound.low = fmin(bound.low, 1 / left[r].value);
    return bound;
}

/* What is left to gain: with the work as it is, and with the least work there can be. */
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
    if (now->diagnosis.cause != CAUSE_DEPENDENT_LOADS)
        return quantity_unknown();
    return quantity_divide(now->n_chains, now->in_flight);
}

static bool is_tighter(struct quantity bound, struct quantity than)
{
    return bound.known && (!than.known || bound.value < than.value);
}

static bool may_be_full(const struct occupancy *now, enum resource by)
{
    return near_limit(now) == by && by != RESOURCE_NONE &&
           (now->resource[by].saturation == SATURATED ||
            now->resource[by].saturation == SATURATION_UNDECIDED);
}

static void find_same(const struct occupancy *now, struct occupancy_headroom *left)
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

static void find_min(const struct occupancy *now, struct quantity time_s,
                     const struct occupancy_need *need, struct occupancy_headroom *left)
{
    double ratio = need->flop_ratio > 0 ? need->flop_ratio : 1;
    struct quantity memory_s =
        quantity_divide(quantity_scale(need->memory_bytes, 1e-9), need->memory_gbs);
    struct quantity flops_s =
        quantity_scale(now->resource[RESOURCE_ARITHMETIC].min_s, 1 / ratio);
    struct quantity chains = chains_bound(now);
    if (need->memory_gbs.known && isinf(need->memory_gbs.high)) /* it may give more */
        memory_s = quantity_unknown();
    if (now->by_queues == CAUSE_CORE) /* what it moves is not its need */
        memory_s = quantity_unknown();
    bool computes = flops_s.known && (!memory_s.known || flops_s.value > memory_s.value);

    left->min = over(time_s, quantity_max(memory_s, flops_s));
    left->min_by = !left->min.known ? RESOURCE_NONE
                   : computes       ? RESOURCE_ARITHMETIC
                                    : RESOURCE_MEMORY;
    if (!is_tighter(chains, left->min))
        return;
    left->min = chains;
    left->min_by = RESOURCE_NONE;
    left->min_by_chains = true;
}

struct occupancy_headroom occupancy_headroom(const struct occupancy *now,
                                             struct quantity time_s,
                                             const struct occupancy_need *need)
{
    struct occupancy_headroom left = {0};

    find_same(now, &left);
    find_min(now, time_s, need, &left);
    left.same = at_least_one(left.same);
    left.min = at_least_one(left.min);
    if (is_tighter(left.min, left.same) && left.same.known) {
        left.min = left.same;
        left.min_by = left.same_by;
        left.min_by_chains = left.same_by_chains;
    }
    return left;
}
