#include "core/machine/probe/probe.h"

#include <math.h>
#include <stdlib.h>

#include "core/machine/profile/here.h"
#include "core/machine/profile/peak.h"
#include "core/machine/profile/profile.h"
#include "core/machine/topology/arch.h"
#include "core/process/term.h"

static const double quick_seconds = 12, full_seconds = 110;

/* 1 GiB, but at least four times the last cache, as far as an eighth of the free memory
 * allows; both page sizes need it. More than is needed only costs translations, which
 * blur the knee. */
static size_t memory_set_bytes(const struct machine *machine, double available)
{
    double bytes = 1ull << 30;

    if (machine->level_nr)
        bytes = fmax(bytes, 4 * machine->level[machine->level_nr - 1].claimed_bytes);
    if (available > 0)
        bytes = fmin(bytes, available / 8);
    return (size_t)fmax(bytes, 16 << 20);
}

/* Streaming with the hardware prefetchers, by Little's law with the unloaded latency: at
 * least that many. */
static struct quantity streaming_lines(const struct machine *machine)
{
    struct quantity bytes =
        quantity_multiply(machine->one_core.read_gbs, machine->memory_latency_ns);

    return quantity_scale(bytes, 1.0 / machine_transfer_bytes(machine));
}

static void resolve_limits(const struct probe *probe, const struct cpu *row)
{
    struct machine *machine = probe->machine;
    struct limit_evidence l1 = {.table = limit_of_table(machine, row ? &row->l1 : NULL),
                                .knee = {probe->l3_knee, probe->memory_knee},
                                .floor = quantity_unknown(),
                                .fallback = arch_default_mshrs,
                                .runs = probe->knee_runs};
    /* What L1 misses in memory are misses of L2 too. */
    struct limit_evidence l2 = {
        .table = limit_of_table(machine, row ? &row->l2 : NULL),
        .knee = {{.floor = probe->memory_knee.floor}},
        .floor = quantity_max(streaming_lines(machine), probe->prefetch_lines),
        .runs = probe->knee_runs};
    char *prefetch;

    limit_resolve(&machine->l1_mshrs, &l1);
    limit_resolve(&machine->l2_mshrs, &l2);
    prefetch = limit_prefetch_phrase(probe->prefetch_lines, machine->prefetch_l2_gain,
                                     probe->prefetch_l1_gain);
    limit_add_phrase(&machine->l2_mshrs, prefetch);
    free(prefetch);
}

/* A probe thread never sleeps: what is missing of its processor time, others took. */
static void say_source(const struct probe *probe)
{
    const double busy = 0.05;
    double taken = 1 - probe->stage_cpu_s / probe->stage_wall_s;
    struct machine *machine = probe->machine;

    machine->unstable |= taken > busy;
    machine->source =
        taken > busy ? xasprintf("probed here, while other processes took %.0f %% of the "
                                 "first core: repeat it on a quiet machine",
                                 100 * taken)
                     : xstrdup("probed here");
}

/* Between any two of them the unloaded latency is looked at. */
static int (*const stages[])(struct probe *, struct error *) = {
    probe_core,  probe_capacity, probe_caches,   probe_memory,        probe_queues,
    probe_rates, probe_curves,   probe_memories, probe_capacity_again};

static int measure(struct probe *probe, struct error *err)
{
    if (probe_settle(probe, err))
        return -1;
    for (size_t i = 0; i < ARRAY_SIZE(stages); i++)
        if (stages[i](probe, err) || probe_anchor(probe, err))
            return -1;
    probe_stability(probe);
    return 0;
}

static void set_unknown(struct machine *machine)
{
    struct quantity unknown = quantity_unknown();

    machine->memory_latency_ns = machine->one_core.read_gbs = unknown;
    machine->one_core.random_lines_per_s = machine->node_read_gbs = unknown;
    machine->node_copy_gbs = machine->peak_gbs = unknown;
    machine->prefetch_l2_gain = unknown;
    machine->small_pages = machine->huge_pages =
        (struct machine_pages){.translation_ns = unknown,
                               .random_accesses_per_s = unknown,
                               .walks_per_s = unknown};
    machine->flops_double.scalar = machine->flops_double.fma = unknown;
}

static void prepare(struct probe *probe, const struct machine_probe_opts *opts)
{
    struct machine *machine = probe->machine;

    set_unknown(machine);
    machine_identify(&probe->topology, machine);
    machine->quick = opts->quick;
    machine->store_read_factor =
        1; /* assumed: without counters an evaded read cannot be seen */
    machine->date = date_now();
    probe->progress = opts->progress;
    probe->quick = opts->quick;
    probe->seconds = opts->seconds > 0 ? opts->seconds
                     : opts->quick     ? quick_seconds
                                       : full_seconds;
    probe->end_s = clock_s() + probe->seconds;
    probe->node_bytes = 2 * (size_t)machine->line_bytes;
    if (probe->node_bytes < 128)
        probe->node_bytes = 128;
    probe->available_bytes = memory_available_bytes();
    probe->memory_set_bytes = memory_set_bytes(machine, probe->available_bytes);
}

int machine_probe(const struct machine_probe_opts *opts, struct machine *machine,
                  struct error *err)
{
    struct probe probe = {.machine = machine,
                          .prefetch_lines = quantity_unknown(),
                          .prefetch_l1_gain = quantity_unknown()};
    const struct cpu_table *table;
    struct cpu_identity identity;
    const struct cpu *row;
    int result = -1;

    *machine = (struct machine){0};
    if (cpu_table_get(&table, err) || topology_load(NULL, &probe.topology, err))
        goto out;
    prepare(&probe, opts);
    row = machine_recognise(&probe.topology, table, machine, &identity);
    peak_find(machine, row, &identity, opts->peak_gbs);
    if (machine_find_core(machine, err) || measure(&probe, err))
        goto out;
    say_source(&probe);
    resolve_limits(&probe, row);
    result = 0;
out:
    if (result)
        machine_release(machine);
    region_release(&probe.huge);
    region_release(&probe.small);
    topology_release(&probe.topology);
    return result;
}
