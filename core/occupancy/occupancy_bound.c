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
    struct quantity least = now->resource[resource].least_s;

    if (least.known && is_floor(now->resource[resource].limit))
        least.value = least.low;
    return least.known ? quantity_min(least, time_s) : least;
}

static struct quantity needed_then(const struct occupancy *now, int resource,
                                   struct quantity time_s,
                                   const struct occupancy_rest left[])
{
    struct quantity least = needed_now(now, resource, time_s);
    const struct occupancy_rest *own = &left[resource], *memory = &left[RESOURCE_MEMORY];
    bool relieved = is_queue(resource) && memory->least < own->least;
    double quicker =
        relieved && now->idle_latency_share > 0 ? fmin(now->idle_latency_share, 1) : 1;

    if (!least.known)
        return least;
    return quantity_between(least.value * own->value, least.low * own->least * quicker,
                            least.high * own->value, least.runs, least.provenance);
}

/* The most time that a resource still needs for certain. */
static struct quantity most_needed(const struct occupancy *now, struct quantity time_s,
                                   const struct occupancy_rest left[])
{
    struct quantity most = quantity_unknown();

    for (int r = 0; r < RESOURCE_NONE; r++)
        if (left[r].value >= 0)
            most = quantity_max(most, needed_then(now, r, time_s, left));
    return most;
}

/* A resource whose work after the plan is unknown is at worst as busy as now. */
static bool could_limit(const struct occupancy_resource *resource, struct quantity most)
{
    return !resource->least_s.known || resource->least_s.value > most.value;
}

/* What may be nothing at all leaves the bound open above. */
static struct quantity speed_up(struct quantity time_s, struct quantity most)
{
    if (!time_s.known || !most.known || !(most.value > 0))
        return quantity_unknown();
    return quantity_between(time_s.value / most.value, time_s.low / most.high,
                            most.low > 0 ? time_s.high / most.low : INFINITY, time_s.runs,
                            PROVENANCE_DERIVED);
}

struct quantity occupancy_bound(const struct occupancy *now, struct quantity time_s,
                                const struct occupancy_rest left[RESOURCE_NR])
{
    struct quantity most = most_needed(now, time_s, left), bound;

    if (now->why == OCCUPANCY_WHY_CACHE_RESIDENT)
        return quantity_unknown();
    for (int r = 0; r < RESOURCE_NONE; r++)
        if (left[r].value < 0 && could_limit(&now->resource[r], most))
            return quantity_unknown();
    bound = speed_up(time_s, most);
    for (int r = 0; r < RESOURCE_NONE; r++)
        if (bound.known && !now->resource[r].least_s.known && left[r].value > 0)
            bound.low = fmin(bound.low, 1 / left[r].value);
    return bound;
}
