/* From what moved and how long it took to how many misses were in flight. */
#include "core/base.h"
#include "core/machine/machine.h"
#include "rules/rules.h"
#include "search/session/measured.h"
#include "variants/kernel/kernel_view.h"

/* Lines that edge k brought up but edge k + 1 did not: they came from the cache below. */
static struct quantity difference(struct quantity upper, struct quantity lower)
{
    struct quantity d = quantity_subtract(upper, lower);
    if (d.known && d.value < 0)
        d = quantity_exact(0, d.provenance);
    if (d.known && d.low < 0)
        d.low = 0;
    return d;
}

/*
 * Lines filled into L1, by the level they come from: as the source of the traffic says,
 * or else by differences. A software prefetch that stops at L2 fills L2 and not L1: its
 * demand load later is an L1 fill from L2, so what L2 fetched for prefetches beyond L1's
 * own counts as covered for L1.
 */
static void fill_l1(const struct traffic *traffic, struct occupancy_work *work)
{
    int last = traffic->level_nr - 1;
    if (traffic->l1_from[last].known) {
        for (int k = 0; k <= last; k++) {
            work->l1_fill_from[k] = traffic->l1_from[k];
            work->l1_covered_from[k] = traffic->l1_covered_from[k];
        }
        return;
    }
    for (int k = 0; k <= last; k++) {
        struct quantity here = traffic->edge[k].fills;
        struct quantity below =
            k < last ? traffic->edge[k + 1].fills : quantity_exact(0, here.provenance);
        work->l1_fill_from[k] = difference(here, below);
    }
    for (int k = 1; k <= last; k++) {
        struct quantity here = traffic->edge[k].covered;
        struct quantity below =
            k < last ? traffic->edge[k + 1].covered : quantity_exact(0, here.provenance);
        struct quantity early =
            difference(traffic->edge[k].software, traffic->edge[0].software);
        work->l1_covered_from[k] = k == last
                                       ? quantity_add(difference(here, below), early)
                                       : difference(here, below);
    }
    work->l1_covered_from[0] = quantity_exact(0, traffic->provenance);
}

/* A counter before the source, and the source before what small calls are scaled to. */
static struct quantity best_flops(const struct traffic *traffic,
                                  const struct kernel_counts *counts)
{
    bool scaled = traffic->flops.provenance == PROVENANCE_STEPPED;
    return traffic->flops.known && !(scaled && counts->flops.known) ? traffic->flops
                                                                    : counts->flops;
}

static void fill_work(const struct traffic *traffic, const struct kernel_counts *counts,
                      const struct environment *environment, struct occupancy_work *work)
{
    int last = traffic->level_nr - 1;
    *work = (struct occupancy_work){.level_nr = traffic->level_nr,
                                    .huge_pages = environment->huge_pages,
                                    .footprint_bytes = counts->footprint_bytes,
                                    .single_precision = counts->single_precision};
    if (traffic_is_beginning(traffic)) {
        work->flops = counts->flops;
        return;
    }
    fill_l1(traffic, work);
    work->l2_fill_from_memory = traffic->edge[last].fills;
    work->l2_fill_from_l3 =
        last >= 2 ? difference(traffic->edge[1].fills, traffic->edge[last].fills)
                  : quantity_exact(0, traffic->provenance);
    work->memory_read_bytes = traffic_read_bytes(traffic);
    work->memory_write_bytes = traffic_write_bytes(traffic);
    work->page_walks = traffic->page_walks;
    work->flops = best_flops(traffic, counts);
    work->instructions = traffic->instructions;
}

/*
 * Instructions of one call without a counter: between what fused arithmetic and vector
 * loads allow and one instruction an access, a FLOP and three of loop control an
 * iteration. Good for the window, which needs no better than a factor of two.
 */
static struct quantity estimate_instructions(const struct kernel_counts *counts)
{
    if (!counts->accesses.known || !counts->flops.known || !counts->iterations.known)
        return quantity_unknown();
    double max =
        counts->accesses.value + counts->flops.value + 3 * counts->iterations.value;
    double min = counts->accesses.value + 0.5 * counts->flops.value;
    return quantity_between(0.75 * max, min < 0.75 * max ? min : 0.75 * max, max, 0,
                            PROVENANCE_SOURCE);
}

/* An interval that holds 0 divides nothing: less than one in the whole call is none. */
static struct quantity some_missed(const struct traffic *traffic)
{
    struct quantity missed = traffic->branches_missed;
    if (missed.known && missed.value >= 1 && missed.low < 1)
        missed.low = 1;
    return missed;
}

void measurement_case(const struct measurement *measurement,
                      const struct machine *machine, int cores,
                      const struct kernel_counts *counts, struct occupancy_case *out)
{
    *out = (struct occupancy_case){
        .machine = machine,
        .time_s = measurement->time_s,
        .cores = cores,
        .chains = counts->chains,
        .code_bytes = measurement->traffic.code_bytes,
        .streams = counts->streams,
        .run_bytes = counts->run_bytes,
        .account = measurement->account,
    };
    fill_work(&measurement->traffic, counts, &measurement->environment, &out->work);
    if (!out->work.instructions.known)
        out->work.instructions = estimate_instructions(counts);
    if (!traffic_is_beginning(&measurement->traffic))
        out->l1_misses_per_instruction =
            quantity_divide(measurement->traffic.edge[0].fills, out->work.instructions);
    out->instructions_per_branch_miss = quantity_divide(
        measurement->traffic.instructions, some_missed(&measurement->traffic));
}

int measurement_explain(struct measurement *measurement, const struct machine *machine,
                        int cores, const struct kernel_counts *counts, struct error *err)
{
    struct occupancy_case input;
    if (!measurement->has_traffic)
        return fail(err, STATUS_FAILED, "no traffic is known for '%s'",
                    measurement->plan);
    if (measurement->has_occupancy)
        occupancy_release(&measurement->occupancy);
    measurement->has_occupancy = false;
    measurement_case(measurement, machine, cores, counts, &input);
    if (occupancy_compute(&input, &measurement->occupancy, err))
        return -1;
    measurement->has_occupancy = true;
    measurement->memory_latency_ns =
        machine->memory_latency_ns.known ? machine->memory_latency_ns.value : 0;
    return 0;
}

/* The least that is left of the core's work bounds a plan that leaves less of it,
 * whatever the cause. */
static struct quantity core_bound(const struct rule_verdict *verdict)
{
    for (size_t i = 0; i < verdict->work_nr; i++) {
        const struct rule_work *work = &verdict->work[i];
        if (resource_from_word(work->resource) == RESOURCE_CORE && work->factor > 0 &&
            work->factor < 1 && work->min > 0)
            return quantity_between(1 / work->min, 1, 1 / work->min, 0,
                                    PROVENANCE_DERIVED);
    }
    return quantity_unknown();
}

/* What leaves each core the same part of all its work, as sharing it out does, is as many
 * times faster at most; memory is one for all of them. */
static struct quantity shared_bound(const struct occupancy_rest left[RESOURCE_NR])
{
    double part = left[RESOURCE_CORE].value;
    bool shared = part > 0 && part < 1;
    for (int r = 0; r < RESOURCE_NR; r++)
        shared &= r == RESOURCE_NONE || r == RESOURCE_MEMORY || left[r].value == part;
    return shared ? quantity_exact(1 / part, PROVENANCE_DERIVED) : quantity_unknown();
}

struct quantity verdict_bound(const struct rule_verdict *verdict,
                              const struct occupancy *occupancy, struct quantity time_s)
{
    struct occupancy_rest left[RESOURCE_NR];
    for (size_t r = 0; r < RESOURCE_NR; r++)
        left[r] = r < RESOURCE_NONE ? (struct occupancy_rest){1, 1}
                                    : (struct occupancy_rest){0, 0};
    for (size_t i = 0; i < verdict->work_nr; i++) {
        const struct rule_work *work = &verdict->work[i];
        enum resource resource = resource_from_word(work->resource);
        if (resource != RESOURCE_NR)
            left[resource] = (struct occupancy_rest){work->factor, work->min};
    }
    struct quantity bound = occupancy_bound(occupancy, time_s, left),
                    shared = shared_bound(left),
                    without = quantity_max(occupancy_cause_gain(occupancy),
                                           core_bound(verdict));
    if (shared.known)
        return quantity_min(bound, shared);
    /* where the resources' least times bound nothing, the time without the cause does */
    return bound.known || !verdict->of_cause ? bound : without;
}
