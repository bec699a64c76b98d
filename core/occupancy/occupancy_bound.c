/* How much faster a plan could make the loop at most. */
#include <math.h>

#include "core/occupancy/occupancy_parts.h"

/* The most time that a resource still needs for certain. A factor that is not known
 * leaves nothing certain. */
static struct quantity most_needed(const struct occupancy *now, const double factor[])
{
    struct quantity most = quantity_unknown();

    for (int r = 0; r < RESOURCE_NONE; r++)
        if (factor[r] >= 0)
            most =
                quantity_max(most, quantity_scale(now->resource[r].least_s, factor[r]));
    return most;
}

/* A resource whose work after the plan is unknown is at worst as busy as now. */
static bool could_limit(const struct occupancy_resource *resource, struct quantity most)
{
    return !resource->least_s.known || resource->least_s.value > most.value;
}

struct quantity occupancy_bound(const struct occupancy *now, struct quantity time_s,
                                const double factor[RESOURCE_NR])
{
    struct quantity most = most_needed(now, factor), bound;

    if (now->why == OCCUPANCY_WHY_CACHE_RESIDENT)
        return quantity_unknown();
    for (int r = 0; r < RESOURCE_NONE; r++)
        if (factor[r] < 0 && could_limit(&now->resource[r], most))
            return quantity_unknown();
    bound = quantity_divide(time_s, most);
    for (int r = 0; r < RESOURCE_NONE; r++)
        if (bound.known && !now->resource[r].least_s.known && factor[r] > 0)
            bound.low = fmin(bound.low, 1 / factor[r]);
    return bound;
}
