#include "core/occupancy/occupancy.h"

#include <math.h>
#include <string.h>

#include "core/base/error.h"
#include "core/machine/machine.h"
#include "core/occupancy/occupancy_parts.h"
#include "core/pipeline/pipeline_account.h"

static double full_from(enum resource resource);

/* ---- why as many misses are under way as there are, and not more ---- */

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

/* Fills n_chains, n_window and n_branches. */
static void caps_of(const struct occupancy_case *input, struct occupancy *out)
{
    int window = input->machine->rob_entries;

    out->n_chains = chains_cap(input);
    out->n_window = window > 0 ? quantity_scale(input->l1_misses_per_instruction, window)
                               : quantity_unknown();
    out->n_branches = branches_cap(input);
}

/* `n` comes near to what `cap` allows, and not past it. */
static bool explains(struct quantity n, double min, double max)
{
    return n.known && n.value >= min && n.value <= max;
}

/* Of the caps that explain n, the lowest. */
static enum cause tightest(const struct occupancy *now)
{
    struct quantity n = now->in_flight, chains = now->n_chains;
    const struct {
        enum cause cause;
        struct quantity cap;
        bool explains;
    } cap[] = {
        {CAUSE_DEPENDENT_LOADS, chains,
         explains(n, chains_explain * chains.low, chains.high / chains_explain)},
        {CAUSE_REORDER_BUFFER, now->n_window,
         explains(n, window_explains * now->n_window.value,
                  window_overrun * now->n_window.value)},
        {CAUSE_BRANCHES, now->n_branches,
         explains(n, window_explains * now->n_branches.value,
                  window_overrun * now->n_branches.value)},
    };
    enum cause cause = CAUSE_UNKNOWN;
    double lowest = INFINITY;

    for (size_t i = 0; i < ARRAY_SIZE(cap); i++)
        if (cap[i].cap.known && cap[i].explains && cap[i].cap.value < lowest) {
            cause = cap[i].cause;
            lowest = cap[i].cap.value;
        }
    return cause;
}

bool is_at_limit(const struct occupancy_resource *resource)
{
    return resource->saturation == SATURATED ||
           (resource->saturation == SATURATION_UNDECIDED &&
            resource->utilization.value >= full_from(resource->resource));
}

/* Full speed of scalar or of vector code; slack then says how far vectors could go. */
static bool computes(const struct occupancy_case *input, const struct occupancy *now)
{
    struct quantity rate = now->resource[RESOURCE_ARITHMETIC].rate;
    struct quantity scalar = flops_of(input)->scalar;

    return now->resource[RESOURCE_ARITHMETIC].saturation != SATURATION_IMPOSSIBLE &&
           rate.known && scalar.known && rate.value >= CEILING_FULL * scalar.value;
}

enum resource near_limit(const struct occupancy *now)
{
    return now->slack.known && now->slack.value <= SLACK_LIMITER ? now->busiest
                                                                 : RESOURCE_NONE;
}

/* What the queues, the ceilings and what bounds n say alone, when all else is filled: the
 * reading of the paper. */
static enum cause cause_of_queues(const struct occupancy_case *input,
                                  const struct occupancy *now)
{
    struct quantity n = now->in_flight;
    enum resource near = near_limit(now);

    if (near != RESOURCE_NONE && is_at_limit(&now->resource[near]))
        return cause_of_resource(near);
    if (computes(input, now))
        return CAUSE_ARITHMETIC;
    if (n.known && n.value < hardly_any && n.high < 2 * hardly_any)
        return CAUSE_CORE;
    if (tightest(now) != CAUSE_UNKNOWN)
        return tightest(now);
    if (now->translation_share.known && now->translation_share.value >= walk_stretches)
        return CAUSE_PAGE_WALKS;
    if (input->code_bytes.known && input->code_bytes.low > INSTRUCTION_CACHE_BYTES)
        return CAUSE_FRONT_END;
    if (now->random_share.known && !now->random)
        return CAUSE_PREFETCHER;
    return cause_of_resource(near);
}

/* ---- occupancy ---- */

const char *saturation_word(enum saturation saturation)
{
    static const char *const word[] = {
        [SATURATION_UNKNOWN] = "unknown",       [NOT_SATURATED] = "not full",
        [SATURATION_UNDECIDED] = "undecided",   [SATURATED] = "full",
        [SATURATION_IMPOSSIBLE] = "impossible",
    };

    return word[saturation];
}

double occupancy_paper_n(double gbs, double latency_ns, int transfer_bytes, int cores)
{
    return gbs * latency_ns / transfer_bytes / cores; /* GB/s x ns = bytes */
}

void occupancy_release(struct occupancy *occupancy)
{
    diagnosis_release(&occupancy->diagnosis);
    *occupancy = (struct occupancy){0};
}

static int check_case(const struct occupancy_case *input, struct error *err)
{
    int levels = input->work.level_nr;

    if (input->cores < 1)
        return fail(err, STATUS_INPUT, "occupancy needs at least one loaded core, got %d",
                    input->cores);
    if (input->machine->line_bytes < 1)
        return fail(err, STATUS_INPUT, "the machine profile gives no cache line size");
    if (levels < 2 || levels > OCCUPANCY_LEVELS_MAX)
        return fail(err, STATUS_INPUT, "occupancy needs 2 to %d cache levels, got %d",
                    OCCUPANCY_LEVELS_MAX, levels);
    if (input->time_s.known && !(input->time_s.low > 0))
        return fail(err, STATUS_INPUT, "the time of a call must be above 0, got %.3g s",
                    input->time_s.low);
    return 0;
}

/* The utilization from which this resource is full. */
static double full_from(enum resource resource)
{
    bool queue = resource == RESOURCE_L1_QUEUE || resource == RESOURCE_L2_QUEUE;

    return queue ? QUEUE_FULL : CEILING_FULL;
}

static enum saturation saturation_of(const struct occupancy_resource *resource)
{
    double full = full_from(resource->resource);

    if (!resource->utilization.known)
        return SATURATION_UNKNOWN;
    if (is_impossible(resource))
        return SATURATION_IMPOSSIBLE;
    if (resource->utilization.low >= full)
        return SATURATED;
    return resource->utilization.high < full ? NOT_SATURATED : SATURATION_UNDECIDED;
}

static struct occupancy_resource nothing_known(enum resource resource)
{
    const struct quantity unknown = quantity_unknown();

    return (struct occupancy_resource){.resource = resource,
                                       .rate = unknown,
                                       .residency_ns = unknown,
                                       .n = unknown,
                                       .limit = unknown,
                                       .utilization = unknown,
                                       .min_s = unknown,
                                       .carries_gbs = unknown};
}

/* What the core needs with everything at hand, by its model: that is off by as much as it
 * differs from the clock, and by a quarter for what it leaves out. */
static struct quantity modelled_s(const struct occupancy_case *input, double share)
{
    const double left_out = 1.25;
    double model_s = input->account->call_s, time_s = input->time_s.value, need_s;

    if (!input->time_s.known || !(share > 0))
        return quantity_unknown();
    if (!(model_s > 0))
        model_s = time_s;
    need_s = share * fmin(model_s, time_s);
    return quantity_between(need_s, need_s / left_out,
                            fmin(fmax(share * fmax(model_s, time_s), need_s) * left_out,
                                 fmax(time_s, need_s)),
                            0, PROVENANCE_DERIVED);
}

static void fill_resources(const struct occupancy_case *input, const struct node *node,
                           struct occupancy *out)
{
    struct occupancy_resource *at = out->resource;
    struct queue_work l1 = queue_work_l1(input), l2 = queue_work_l2(input);

    for (int r = 0; r < RESOURCE_NR; r++)
        at[r] = nothing_known(r);
    queue_solve(input, node, &l1, limit_l1(input), &at[RESOURCE_L1_QUEUE]);
    queue_solve(input, node, &l2, limit_l2(input), &at[RESOURCE_L2_QUEUE]);
    ceiling_walkers(input, &at[RESOURCE_PAGE_WALKERS]);
    ceiling_memory(input, node, &at[RESOURCE_MEMORY]);
    ceiling_l2_link(input, &at[RESOURCE_L2_LINK]);
    ceiling_l3_link(input, &at[RESOURCE_L3_LINK]);
    ceiling_arithmetic(input, &at[RESOURCE_ARITHMETIC]);
    if (input->account) {
        at[RESOURCE_CORE].min_s = modelled_s(input, input->account->core_alone);
        at[RESOURCE_RECURRENCE].min_s =
            modelled_s(input, input->account->recurrence_alone);
    }
    for (int r = 0; r < RESOURCE_NR; r++) {
        at[r].saturation = saturation_of(&at[r]);
        if (at[r].saturation == SATURATION_IMPOSSIBLE)
            at[r].min_s = quantity_unknown();
        else if (at[r].utilization.known) /* no more is in use than there is */
            at[r].utilization =
                quantity_min(at[r].utilization, quantity_exact(1, PROVENANCE_DERIVED));
    }
}

/* All fills beyond L2 of which the share of random ones is least or most. Where more
 * lines may be covered than filled, further fills would be covered, too: they lower the
 * share.
 */
static double fills_beyond_l2(const struct occupancy_case *input, enum end e)
{
    double all = 0;

    for (int k = 1; k < input->work.level_nr; k++) {
        struct quantity fills = input->work.l1_fill_from[k];
        double covered = end_of(input->work.l1_covered_from[k], end_other(e));
        double lines = end_of(fills, e);

        all += e == END_LOW && covered > lines ? fmin(covered, fills.high) : lines;
    }
    return all;
}

/* The share among the fills beyond L2 that no prefetcher brought ahead. Uncovered lines
 * are a part of the fills: both vary together. */
static struct quantity random_share(const struct occupancy_case *input)
{
    struct quantity random = uncovered_lines(input);
    double share[END_NR];

    if (!random.known)
        return random;
    for (int e = 0; e < END_NR; e++) {
        double all = fills_beyond_l2(input, e);

        share[e] = all > 0 ? fmin(end_of(random, e) / all, 1) : NAN;
    }
    return quantity_between(share[END_VALUE], share[END_LOW], share[END_HIGH], 0,
                            random.provenance);
}

/* w x t_walk / (t_mem + w x t_walk), w walks for every miss that waits for memory */
static struct quantity translation_share(const struct occupancy_case *input,
                                         struct quantity latency_ns)
{
    struct quantity misses = uncovered_lines(input), walks = walks_on_path(input);
    struct quantity one = quantity_exact(1, PROVENANCE_DERIVED), walk_ns, share;

    if (misses.known && misses.high == 0)
        return quantity_exact(0, misses.provenance);
    walk_ns = quantity_multiply(walks, walk_price(input));
    if (walk_ns.known && walk_ns.high == 0)
        return quantity_exact(0, walk_ns.provenance);
    if (!walk_ns.known || !misses.known || !latency_ns.known)
        return quantity_unknown();
    share = quantity_divide(quantity_multiply(misses, latency_ns), walk_ns);
    return quantity_divide(one, quantity_add(one, share));
}

/* Misses under way, from their start to their data: the longer of the two views, L1's
 * with walks, L2's with prefetches. */
static struct quantity in_flight(const struct occupancy_case *input,
                                 const struct occupancy *now)
{
    struct quantity l1 = now->resource[RESOURCE_L1_QUEUE].n, walks, per_call;

    if (now->resource[RESOURCE_L1_QUEUE].saturation == SATURATION_IMPOSSIBLE ||
        now->resource[RESOURCE_L2_QUEUE].saturation == SATURATION_IMPOSSIBLE)
        return quantity_unknown();
    per_call = quantity_multiply(walks_on_path(input), walk_price(input));
    walks = quantity_scale(quantity_divide(per_call, input->time_s), 1e-9);
    if (l1.known && walks.known)
        l1 = quantity_between(l1.value + walks.value, l1.low + walks.low,
                              fmax(l1.high, l1.value + walks.value), l1.runs,
                              l1.provenance);
    return quantity_max(l1, now->resource[RESOURCE_L2_QUEUE].n);
}

static struct quantity hugepages_walk_ratio(const struct occupancy_case *input)
{
    const struct machine *machine = input->machine;

    if (input->work.huge_pages || !machine->huge_pages_available)
        return quantity_unknown();
    return quantity_divide(walk_capacity(machine, &machine->small_pages),
                           walk_capacity(machine, &machine->huge_pages));
}

static void fill_ratios(const struct occupancy_case *input, const struct node *node,
                        struct occupancy *out)
{
    out->bandwidth_gbs = node->gbs;
    out->read_share = node->read_share;
    out->latency_ns = loaded_latency(input->machine, node->gbs, node);
    out->paper_n = quantity_scale(
        quantity_multiply(out->bandwidth_gbs, out->latency_ns),
        occupancy_paper_n(1, 1, machine_transfer_bytes(input->machine), input->cores));
    out->random_share = random_share(input);
    out->random = out->random_share.known && out->random_share.value > 0.5;
    out->in_flight = in_flight(input, out);
    out->translation_share = translation_share(input, out->latency_ns);
    out->l2_residency_ratio = quantity_divide(
        latency_of(input->machine, 2), out->resource[RESOURCE_L1_QUEUE].residency_ns);
    out->hugepages_walk_ratio = hugepages_walk_ratio(input);
    if (input->machine->memory_latency_ns.known && out->latency_ns.known)
        out->idle_latency_share =
            input->machine->memory_latency_ns.value / out->latency_ns.value;
}

/* Resources that there are, though nothing is known of what they need. */
static bool may_hide(const struct occupancy_resource *resource, int level_nr)
{
    if (resource->resource == RESOURCE_NONE || resource->min_s.known)
        return false;
    return resource->resource != RESOURCE_L3_LINK || level_nr > 2;
}

/* What is only known from below may need all the time that its floor says. */
static void lower_by_floors(const struct occupancy_case *input, struct occupancy *out)
{
    for (int r = 0; r < RESOURCE_NONE; r++) {
        const struct occupancy_resource *resource = &out->resource[r];
        struct quantity slack = quantity_divide(input->time_s, resource->min_s);

        if (is_floor(resource->limit) && slack.known && out->slack.known)
            out->slack.low = fmin(out->slack.low, fmax(slack.low, 1));
    }
}

static void find_busiest(const struct occupancy_case *input, struct occupancy *out)
{
    struct quantity max = quantity_unknown();

    out->busiest = RESOURCE_NONE;
    for (int r = 0; r < RESOURCE_NONE; r++) {
        struct quantity min = out->resource[r].min_s;

        if (is_floor(out->resource[r].limit))
            continue;
        if (min.value > (max.known ? max.value : 0))
            out->busiest = r;
        max = quantity_max(max, min);
    }
    out->slack = quantity_divide(input->time_s, max);
    for (int r = 0; r < RESOURCE_NONE; r++)
        if (out->slack.known && may_hide(&out->resource[r], input->work.level_nr))
            out->slack.low = fmin(out->slack.low, 1);
    lower_by_floors(input, out);
}

/* What was done was done in that time. Whose need is the longest is known by now. */
static void keep_within_time(const struct occupancy_case *input, struct occupancy *out)
{
    for (int r = 0; r < RESOURCE_NR && input->time_s.known; r++)
        if (out->resource[r].min_s.known)
            out->resource[r].min_s = quantity_min(out->resource[r].min_s, input->time_s);
}

/*
 * Little's law needs the latency of this very run, which drifts from that of the profile
 * with what neighbours do. Where dependent loads set the pace, how many misses are under
 * way follows from how the chains hang together, whatever a miss takes: there the model's
 * count goes first. Both stay within the interval.
 */
static void take_structure(const struct occupancy_case *input, struct occupancy *out)
{
    const double mostly = 0.5, model_spread = 0.05;
    struct quantity counted = out->in_flight;
    double n = input->account ? input->account->n_in_flight : 0;

    if (out->diagnosis.cause != CAUSE_DEPENDENT_LOADS || out->diagnosis.share < mostly ||
        !counted.known || !(n > 0))
        return;
    out->in_flight = quantity_between(n, fmin(counted.low, n * (1 - model_spread)),
                                      fmax(counted.high, n * (1 + model_spread)),
                                      counted.runs, PROVENANCE_DERIVED);
}

int occupancy_compute(const struct occupancy_case *input, struct occupancy *out,
                      struct error *err)
{
    struct node node;

    *out = (struct occupancy){0};
    if (check_case(input, err))
        return -1;
    node = node_of(input);
    fill_resources(input, &node, out);
    fill_ratios(input, &node, out);
    find_busiest(input, out);
    keep_within_time(input, out);
    caps_of(input, out);
    out->by_queues = cause_of_queues(input, out);
    diagnosis_make(input, out, &out->diagnosis);
    if (out->by_queues == CAUSE_CORE)
        out->slack = quantity_unknown();
    take_structure(input, out);
    return 0;
}
