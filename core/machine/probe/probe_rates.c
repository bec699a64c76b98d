/* Ceilings: what one core and all cores draw from each cache level and from memory. */
#include <math.h>

#include "core/machine/curves/rate_sets.h"
#include "core/machine/probe/probe.h"
#include "core/process/term.h"

enum {
    STREAMS = (1 << RATE_RANDOM) - 1,
    READ_AND_COPY = 1 << RATE_READ | 1 << RATE_COPY
};

/* A plan for some cores, and which level a set belongs to; level_nr = memory. */
struct stage_plan {
    struct rate_plan plan;
    struct rate_set set[RATE_SETS_MAX];
    int level[RATE_SETS_MAX];
};

static void add_set(struct stage_plan *stage, const struct probe *probe, int level,
                    size_t bytes, unsigned kinds)
{
    if (!bytes || !kinds)
        return;
    stage->level[stage->plan.set_nr] = level;
    stage->set[stage->plan.set_nr++] =
        (struct rate_set){.bytes = bytes,
                          .kinds = kinds,
                          .cached = level < probe->machine->level_nr,
                          .random_bytes = probe->node_bytes};
}

static void note_memory(struct machine *machine, size_t cores)
{
    strvec_pushf(&machine->note,
                 "the memory rates of %zu core%s are unknown: too little free memory to "
                 "get beyond the last cache level",
                 cores, cores == 1 ? "" : "s");
}

/* All sets of all cores together take no more than half of what is free. */
static void plan_stage(struct stage_plan *stage, struct probe *probe, size_t cores,
                       unsigned level_kinds, unsigned memory_kinds)
{
    struct machine *machine = probe->machine;
    double available = memory_available_bytes();
    double room = available > 0 ? available / 4 / (double)cores : INFINITY;
    size_t bytes = rate_memory_bytes(machine, cores, available);

    *stage = (struct stage_plan){
        .plan = {.cores = cores, .set = stage->set, .rounds = probe->quick ? 4 : 25}};
    for (int i = 0; i < machine->level_nr; i++) {
        size_t level_bytes = rate_level_bytes(machine, i);

        if ((double)level_bytes <= room)
            add_set(stage, probe, i, level_bytes, level_kinds);
    }
    add_set(stage, probe, machine->level_nr, bytes, memory_kinds);
    if (!bytes)
        note_memory(machine, cores);
}

/* Random reads of one core come from other stages. */
static void fill(struct machine_rates *to, struct rate_set *set)
{
    for (enum rate_kind kind = 0; kind < RATE_KINDS; kind++)
        if (set->kinds >> kind & 1)
            *rate_of_kind(to, kind) = *rate_of_kind(&set->rates, kind);
}

/* Of memory; what other processes left no windows of its own is no look. */
static void add_looks(struct probe *probe, const struct stage_plan *stage, int choice)
{
    for (size_t i = 0; i < stage->plan.set_nr; i++) {
        struct machine_rates rates = stage->set[i].rates;

        if (stage->level[i] < probe->machine->level_nr)
            continue;
        for (enum rate_kind kind = 0; kind < RATE_RANDOM; kind++) {
            struct quantity rate = *rate_of_kind(&rates, kind);

            if (!rate.known || isinf(rate.high))
                continue;
            looks_add(&probe->rates.look[choice][kind], rate.value);
            probe->rates.winner[choice][kind] = stage->set[i].winner[kind];
        }
    }
}

static void fill_one_core(struct machine *machine, struct stage_plan *stage)
{
    for (size_t i = 0; i < stage->plan.set_nr; i++)
        fill(stage->level[i] < machine->level_nr
                 ? &machine->level[stage->level[i]].one_core
                 : &machine->one_core,
             &stage->set[i]);
}

static void fill_all_cores(struct machine *machine, struct stage_plan *stage)
{
    for (size_t i = 0; i < stage->plan.set_nr; i++)
        fill(stage->level[i] < machine->level_nr
                 ? &machine->level[stage->level[i]].all_cores
                 : &machine->all_cores,
             &stage->set[i]);
}

static void close_gaps(struct machine_rates *all, struct machine_rates *one,
                       unsigned kinds)
{
    for (enum rate_kind kind = 0; kind < RATE_KINDS; kind++)
        if (kinds >> kind & 1)
            *rate_of_kind(all, kind) =
                rate_at_least(*rate_of_kind(all, kind), *rate_of_kind(one, kind));
}

/* At the node a copy moves what it reads, what it writes, and each line written once more
 * where plain stores read it first. */
static void fill_node(struct machine *machine)
{
    struct quantity read = machine->all_cores.read_gbs,
                    copy = quantity_scale(machine->all_cores.copy_gbs,
                                          (2 + machine->store_read_factor) / 2);

    /* Where it is only "at least", a curve may have seen more. */
    if (!machine->node_read_gbs.known || !isinf(read.high))
        machine->node_read_gbs = read;
    if (!machine->node_copy_gbs.known || !isinf(copy.high))
        machine->node_copy_gbs = copy;
}

static int measure_one_core(struct probe *probe, struct error *err)
{
    struct stage_plan stage;

    probe_say(probe, "measuring the bandwidth of one core");
    plan_stage(&stage, probe, 1, probe->quick ? READ_AND_COPY : STREAMS, STREAMS);
    stage.plan.seconds = probe_until(probe, probe->quick ? 0.1 : 0.08) - clock_s();
    stage.plan.stop_s = probe_stop(probe, probe->quick ? 0.1 : 0.08);
    if (rates_measure(&probe->topology, &stage.plan, err))
        return -1;
    fill_one_core(probe->machine, &stage);
    add_looks(probe, &stage, ONE_CORE);
    return 0;
}

/* A single core is all cores. */
static void copy_one_core(struct machine *machine)
{
    for (int i = 0; i < machine->level_nr; i++)
        machine->level[i].all_cores = machine->level[i].one_core;
    machine->all_cores = machine->one_core;
}

static int measure_all_cores(struct probe *probe, struct error *err)
{
    struct machine *machine = probe->machine;
    size_t cores = probe->topology.cpus.cpu_nr;
    unsigned random = probe->quick ? 0 : 1 << RATE_RANDOM;
    unsigned level_kinds = probe->quick ? 0 : STREAMS | random;
    struct stage_plan stage;

    if (cores == 1) {
        copy_one_core(machine);
        return 0;
    }
    probe_say(probe, "measuring the bandwidth of %zu cores together", cores);
    plan_stage(&stage, probe, cores, level_kinds, STREAMS | random);
    stage.plan.seconds = probe_until(probe, probe->quick ? 0.08 : 0.1) - clock_s();
    stage.plan.stop_s = probe_stop(probe, probe->quick ? 0.08 : 0.1);
    if (rates_measure(&probe->topology, &stage.plan, err))
        return -1;
    fill_all_cores(machine, &stage);
    add_looks(probe, &stage, ALL_CORES);
    for (int i = 0; i < machine->level_nr; i++)
        close_gaps(&machine->level[i].all_cores, &machine->level[i].one_core,
                   level_kinds);
    close_gaps(&machine->all_cores, &machine->one_core, STREAMS | random);
    return 0;
}

/* Disturbances only take, and last for seconds: the upper quartile, as the latency is the
 * lower one. */
static void fill_looks(const struct probe *probe, int choice, struct machine_rates *to)
{
    const double reached = 0.75;
    const struct looks *look = probe->rates.look[choice];

    for (enum rate_kind kind = 0; kind < RATE_RANDOM; kind++)
        if (look[kind].nr)
            *rate_of_kind(to, kind) = looks_quantity(
                &look[kind], reached, repeatability_of(FIGURE_RATE, probe->guest));
}

static void fill_memory(struct probe *probe)
{
    struct machine *machine = probe->machine;

    fill_looks(probe, ONE_CORE, &machine->one_core);
    fill_looks(probe, machine->cores > 1 ? ALL_CORES : ONE_CORE, &machine->all_cores);
    fill_node(machine);
}

int probe_rates(struct probe *probe, struct error *err)
{
    if (measure_one_core(probe, err) || measure_all_cores(probe, err))
        return -1;
    fill_memory(probe);
    return 0;
}

/* Only the loops that were best, and only where there was one. */
static int look_again(struct probe *probe, int choice, size_t cores, struct error *err)
{
    const struct rates_seen *seen = &probe->rates;
    const double share = 0.02;
    unsigned kinds = 0;
    struct stage_plan stage;

    for (enum rate_kind kind = 0; kind < RATE_RANDOM; kind++)
        if (seen->winner[choice][kind])
            kinds |= 1 << kind;
    if (!kinds)
        return 0;
    plan_stage(&stage, probe, cores, 0, kinds);
    if (!stage.plan.set_nr)
        return 0;
    stage.set[0].only = seen->winner[choice];
    stage.plan.rounds = 5;
    stage.plan.seconds = probe_until(probe, share) - clock_s();
    stage.plan.stop_s = probe_stop(probe, share);
    if (rates_measure(&probe->topology, &stage.plan, err))
        return -1;
    add_looks(probe, &stage, choice);
    return 0;
}

int probe_rates_again(struct probe *probe, struct error *err)
{
    size_t cores = probe->topology.cpus.cpu_nr;

    probe_say(probe, "measuring the bandwidth of memory once more");
    if (look_again(probe, ONE_CORE, 1, err) ||
        (cores > 1 && look_again(probe, ALL_CORES, cores, err)))
        return -1;
    fill_memory(probe);
    return 0;
}
