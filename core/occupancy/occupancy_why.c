/* Why as many misses are under way as there are, and not more. */
#include <math.h>

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

/* Chains that other misses run beside of bound nothing, and neither do none. */
static struct quantity chains_cap(const struct occupancy_case *input)
{
    struct quantity chains = input->chains;

    return chains.known && chains.value > 0 && isfinite(chains.high) ? chains
                                                                     : quantity_unknown();
}

/* What is begun behind a branch that goes the other way is thrown away: from one to the
 * next there is room for the miss that decides it at least. */
static struct quantity branches_cap(const struct occupancy_case *input)
{
    struct quantity cap = quantity_multiply(input->instructions_per_branch_miss,
                                            input->l1_misses_per_instruction);

    return cap.known ? quantity_max(cap, quantity_exact(1, cap.provenance)) : cap;
}

void caps_of(const struct occupancy_case *input, struct occupancy *out)
{
    int window = input->machine->rob_entries;

    out->n_chains = chains_cap(input);
    out->n_window = window > 0 ? quantity_scale(input->l1_misses_per_instruction, window)
                               : quantity_unknown();
    out->n_branches = branches_cap(input);
}

/* `n` comes near to what `cap` allows, and not past it. */
static bool explains(struct quantity n, double least, double most)
{
    return n.known && n.value >= least && n.value <= most;
}

/* Of the caps that explain n, the lowest. */
static enum occupancy_why tightest(const struct occupancy *now)
{
    struct quantity n = now->in_flight, chains = now->n_chains;
    const struct {
        enum occupancy_why why;
        struct quantity cap;
        bool explains;
    } cap[] = {
        {OCCUPANCY_WHY_CHAINS, chains,
         explains(n, chains_explain * chains.low, chains.high / chains_explain)},
        {OCCUPANCY_WHY_WINDOW, now->n_window,
         explains(n, window_explains * now->n_window.value,
                  window_overrun * now->n_window.value)},
        {OCCUPANCY_WHY_BRANCHES, now->n_branches,
         explains(n, window_explains * now->n_branches.value,
                  window_overrun * now->n_branches.value)},
    };
    enum occupancy_why why = OCCUPANCY_WHY_UNKNOWN;
    double lowest = INFINITY;

    for (size_t i = 0; i < ARRAY_SIZE(cap); i++)
        if (cap[i].cap.known && cap[i].explains && cap[i].cap.value < lowest) {
            why = cap[i].why;
            lowest = cap[i].cap.value;
        }
    return why;
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
    struct quantity scalar = flops_of(input)->scalar;

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
    if (tightest(now) != OCCUPANCY_WHY_UNKNOWN)
        return tightest(now);
    if (now->translation_share.known && now->translation_share.value >= walk_stretches)
        return OCCUPANCY_WHY_TRANSLATION;
    if (input->code_bytes.known && input->code_bytes.low > INSTRUCTION_CACHE_BYTES)
        return OCCUPANCY_WHY_FRONT_END;
    if (now->random_share.known && !now->random)
        return OCCUPANCY_WHY_PREFETCHER;
    return OCCUPANCY_WHY_UNKNOWN;
}
