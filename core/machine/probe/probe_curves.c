/* Latency of memory against the load on it, all cores with memory of their own: the
 * curves of the mixes, and what follows from them and from the rates of all cores
 * together. */
#include <math.h>
#include <stdlib.h>

#include "core/machine/curves/curve_source.h"
#include "core/machine/curves/predict.h"
#include "core/machine/profile/peak.h"
#include "core/machine/sampling/load.h"
#include "core/process/term.h"

/* Best bandwidth over theoretical peak by read share, DDR4 and DDR5: the range over the
 * processed results that Mess (MICRO 2024) publishes for 4 CPU types. There are none
 * below half reads. */
static const struct {
    double min_share, low, high;
} reachable[] = {{0.95, 0.73, 0.86}, {0.65, 0.65, 0.79}, {0.45, 0.62, 0.76}};

static struct quantity reachable_over_peak(double read_share)
{
    for (size_t i = 0; i < ARRAY_SIZE(reachable); i++)
        if (read_share >= reachable[i].min_share)
            return quantity_between((reachable[i].low + reachable[i].high) / 2,
                                    reachable[i].low, reachable[i].high, 0,
                                    PROVENANCE_PREDICTED);
    return quantity_unknown();
}

static double end_gbs(const struct machine_curve *curve)
{
    return curve->point[curve->point_nr - 1].gbs;
}

/* From the theoretical peak where no saturation was measured. What was measured above it
 * shows that the peak is another memory's. */
static void guess_ceiling(struct machine_curve *curve, struct quantity peak_gbs)
{
    struct quantity guess =
        quantity_multiply(peak_gbs, reachable_over_peak(curve->read_share));
    double end = end_gbs(curve);

    if (curve->ceiling_gbs.known || !guess.known || guess.high < end)
        return;
    curve->ceiling_gbs = quantity_between(fmax(guess.value, end), fmax(guess.low, end),
                                          guess.high, guess.runs, guess.provenance);
}

/* The end of a curve and what all cores draw complete each other: where the latter is
 * open
 * ("at least"), the curve may have seen more. */
static void join(const struct machine_curve *curve, struct quantity *node_gbs)
{
    double end = end_gbs(curve);

    if (node_gbs->known && isinf(node_gbs->high) && end > node_gbs->value)
        node_gbs->value = node_gbs->low = end;
}

/* What all cores together draw of a mix, at the node; not known = 0. Rates of loops are
 * in the program's own bytes. */
static double reach_gbs(const struct machine *machine, enum load_mix mix)
{
    struct quantity reach[LOAD_MIXES] = {
        [LOAD_READ] = machine->node_read_gbs,
        [LOAD_COPY] = machine->node_copy_gbs,
        [LOAD_WRITE] =
            quantity_scale(machine->all_cores.write_gbs,
                           load_node_lines(LOAD_WRITE, machine->store_read_factor)),
        [LOAD_NONTEMPORAL] = machine->all_cores.nontemporal_gbs,
    };

    return reach[mix].known ? reach[mix].value : 0;
}

/* The curves stand in the order of the mixes. */
static int finish(struct machine *machine, struct error *err)
{
    for (size_t i = 0; i < machine->curve_nr; i++) {
        struct machine_curve *curve = &machine->curve[i];
        enum load_mix mix = (enum load_mix)i;

        if (mix == LOAD_READ)
            join(curve, &machine->node_read_gbs);
        if (mix == LOAD_COPY)
            join(curve, &machine->node_copy_gbs);
        guess_ceiling(curve, machine->peak_gbs);
        if (curve_predict(curve, reach_gbs(machine, mix), err))
            return -1;
    }
    return 0;
}

/* No quiet window at all: what the chase alone has measured. */
static void push_unloaded(struct machine *machine)
{
    struct quantity latency_ns = machine->memory_latency_ns;
    struct machine_curve *curve;

    if (!latency_ns.known || latency_ns.value <= 0)
        return;
    GROW(machine->curve, machine->curve_nr + 1, machine->curve_alloc);
    curve = &machine->curve[machine->curve_nr++];
    *curve = (struct machine_curve){.read_share = 1, .ceiling_gbs = quantity_unknown()};
    GROW(curve->point, 1, curve->point_alloc);
    curve->point[curve->point_nr++] =
        (struct machine_point){.gbs = machine_transfer_bytes(machine) / latency_ns.value,
                               .latency_ns = latency_ns};
}

/* What neighbours and other processes took away. */
static void note_losses(struct machine *machine, const struct sweep *sweep)
{
    bool *kept = xcalloc(sweep->round_nr + 1, sizeof(*kept));
    size_t dropped = sweep->round_nr - sweep_rounds(sweep, kept), few = 0;

    for (size_t i = 0; i < sweep->series_nr; i++)
        few += sweep->series[i].sample_nr < SWEEP_RUNS_MIN;
    if (5 * dropped > sweep->round_nr)
        strvec_pushf(&machine->note,
                     "latency under load: %zu of %zu rounds do not count, others were "
                     "using the memory or the cores; repeat it on a quiet machine",
                     dropped, sweep->round_nr);
    if (few)
        strvec_pushf(&machine->note,
                     "latency under load: %zu of %zu loads are missing, other processes "
                     "ran on the cores; repeat it on a quiet machine",
                     few, sweep->series_nr);
    free(kept);
}

int probe_curves(struct probe *probe, struct error *err)
{
    const double share = 0.2; /* of all stages: some 3 s quick, 22 s full */
    const struct machine_cpus *cpus = &probe->topology.cpus;
    struct machine *machine = probe->machine;
    struct load_site site = {.cpu = cpus->cpu,
                             .cpu_nr = cpus->cpu_nr,
                             .node = -1,
                             .chaser = &probe->chaser,
                             .buffer_bytes = load_buffer_bytes(probe)};
    struct sweep_plan plan =
        load_plan(probe, cpus->cpu_nr, probe_until(probe, share) - clock_s());
    struct sweep sweep = {0};
    int result = -1;

    probe_say(probe, "measuring the latency of memory under load");
    peak_check(machine);
    if (load_sweep(probe, &site, &plan, &sweep, err))
        goto out;
    load_curves(&sweep, &plan, machine->store_read_factor, &machine->curve,
                &machine->curve_nr, &machine->curve_alloc);
    note_losses(machine, &sweep);
    if (!machine->curve_nr)
        push_unloaded(machine);
    result = finish(machine, err);
out:
    sweep_release(&sweep);
    return result;
}
