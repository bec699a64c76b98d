/* Why as many misses are under way as there are, and not more. */
#include "core/occupancy/occupancy_parts.h"

/* Below half a miss under way on average, more than half of the time nothing is waited
 * for. */
static const double hardly_any = 0.5;
/* k chases keep k misses under way; pauses between them cost little. */
static const double chains_explain = 0.75;
/* The window is full of older work part of the time, and its count of misses is a mean.
 */
static const double window_explains = 0.5, window_overrun = 1.5;
/* From a third of its time on, a walk stretches a miss by half or more. */
static const double walk_stretches = 1.0 / 3;

struct quantity window_of(const struct occupancy_case *input)
{
    if (input->machine->rob_entries < 1)
        return quantity_unknown();
    return quantity_scale(input->l1_misses_per_instruction, input->machine->rob_entries);
}

/* `n` comes near to what `cap` allows, and not past it. */
static bool explains(struct quantity n, struct quantity cap, double least, double most)
{
    return n.known && cap.known && n.value >= least * cap.value &&
           n.value <= most * cap.value;
}

static bool at_its_limit(const struct occupancy_resource *resource)
{
    return resource->fullness == FULLNESS_FULL ||
           (resource->fullness == FULLNESS_UNDECIDED &&
            resource->utilization.value >= full_from(resource->resource));
}

/* Full speed of scalar or of vector code; slack then says how far vectors could go. */
static bool computes(const struct occupancy_case *input, const struct occupancy *now)
{
    struct quantity rate = now->resource[RESOURCE_ARITHMETIC].rate;
    struct quantity scalar = input->machine->flops_double.scalar;

    return rate.known && scalar.known && rate.value >= CEILING_FULL * scalar.value;
}

static enum occupancy_why why_full(enum resource limiter)
{
    if (limiter == RESOURCE_WALKERS)
        return OCCUPANCY_WHY_TRANSLATION;
    return limiter == RESOURCE_ARITHMETIC ? OCCUPANCY_WHY_COMPUTE : OCCUPANCY_WHY_FULL;
}

enum occupancy_why why_of(const struct occupancy_case *input, const struct occupancy *now)
{
    struct quantity n = now->in_flight;

    if (now->limiter != RESOURCE_NONE && at_its_limit(&now->resource[now->limiter]))
        return why_full(now->limiter);
    if (computes(input, now))
        return OCCUPANCY_WHY_COMPUTE;
    if (n.known && n.value < hardly_any && n.high < 2 * hardly_any)
        return OCCUPANCY_WHY_CACHE_RESIDENT;
    if (explains(n, input->chains, chains_explain, 1 / chains_explain))
        return OCCUPANCY_WHY_CHAINS;
    if (explains(n, window_of(input), window_explains, window_overrun))
        return OCCUPANCY_WHY_WINDOW;
    if (now->translation_share.known && now->translation_share.value >= walk_stretches)
        return OCCUPANCY_WHY_TRANSLATION;
    if (now->random_share.known && !now->random)
        return OCCUPANCY_WHY_PREFETCHER;
    return OCCUPANCY_WHY_UNKNOWN;
}
