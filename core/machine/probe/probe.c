#include "core/machine/probe/probe.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/buf.h"
#include "core/machine/profile/here.h"
#include "core/machine/profile/peak.h"
#include "core/machine/profile/profile.h"
#include "core/machine/topology/arch.h"
#include "core/machine/topology/team.h"
#include "core/process/term.h"

/* What the stages share, and when all must be over: on a quiet machine mapping and
 * linking the memory takes the difference. */
static const struct {
    double seconds, all_s;
} quick = {10, 18.5}, full = {104, 114};

/* 1 GiB, but at least four times what the last cache is said to have, as far as an eighth
 * of the free memory allows; both page sizes need it. A quick look has no time for more
 * than hypervisors' claims cost. */
static size_t memory_set_bytes(const struct machine *machine, double available)
{
    double bytes = PROBE_RANDOM_BYTES;

    if (machine->level_nr && !machine->quick)
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
                                .step = probe->burst_step,
                                .floor = quantity_unknown(),
                                .fallback = arch_default_mshrs,
                                .runs = probe->knee_runs};
    /* What L1 misses in memory are misses of L2 too. */
    struct limit_evidence l2 = {
        .table = limit_of_table(machine, row ? &row->l2 : NULL),
        .knee = {{.floor = probe->memory_knee.floor}},
        .step = quantity_unknown(),
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

/* From a twentieth on the figures are worse than their intervals say. */
static void say_source(struct machine *machine, struct team_time before)
{
    const double busy = 0.05;
    struct team_time now = team_time();
    double taken = 1 - (now.cpu_s - before.cpu_s) / (now.wall_s - before.wall_s);

    machine->busy = taken > busy;
    machine->unstable |= machine->busy;
    machine->source =
        machine->busy
            ? xasprintf("probed here, while other processes took %.0f %% of the "
                        "cores: repeat it on a quiet machine",
                        100 * taken)
            : xstrdup("probed here");
}

/* Between any two of them the unloaded latency is looked at. `share`: of the time that
 * the stages share, with what mapping and linking their memory takes on a quiet machine.
 */
static const struct {
    int (*run)(struct probe *, struct error *);
    double share;
    const char *what; /* that is not measured without; NULL = it was before */
} stages[] = {{probe_core, 0.06, "clock and arithmetic"},
              {probe_capacity, 0.2, "the sizes of the caches"},
              {probe_caches, 0.15, "the latency of the caches"},
              {probe_rates, 0.2, "bandwidths"},
              {probe_memory, 0.5, "address translation"},
              {probe_rates_again, 0.05, NULL},
              {probe_queues, 0.09, "prefetch to L2"},
              {probe_curves, 0.2, "the latency of memory under load"},
              {probe_rates_again, 0.05, NULL},
              {probe_memories, 0.0, "the other memories"},
              {probe_capacity_again, 0.04, "the last cache once more"},
              {probe_rates_again, 0.05, NULL}};

/* Where other processes have made the stages before longer, those that are left share
 * what is left. */
static void share_time(struct probe *probe, size_t from)
{
    double shares = 0;

    for (size_t i = from; i < ARRAY_SIZE(stages); i++)
        shares += stages[i].share;
    probe->seconds = fmin(probe->seconds, (probe->end_s - clock_s()) / shares);
}

/* What other processes leave no time for is said, and not waited for. */
static int measure(struct probe *probe, struct error *err)
{
    struct buf left_out = {0};
    int status = probe_settle(probe, err);

    for (size_t i = 0; i < ARRAY_SIZE(stages) && !status; i++) {
        share_time(probe, i);
        if (clock_s() >= probe->end_s) {
            if (stages[i].what)
                buf_addf(&left_out, "%s%s", left_out.length ? ", " : "", stages[i].what);
        } else if (stages[i].run(probe, err) || probe_look(probe, err)) {
            status = -1;
        }
    }
    if (left_out.length)
        probe_note(probe, "no time was left to measure %s: repeat it on a quiet machine",
                   buf_str(&left_out));
    buf_release(&left_out);
    if (!status)
        probe_note_size(probe);
    probe_stability(probe);
    probe_end_queue(probe);
    probe_end_walks(probe);
    return status;
}

/* Of all processors; where others take as much, mapping and linking take a multiple of
 * the time. */
static const double crowded = 0.3;
static const size_t crowded_bytes = 256u << 20;

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
                     : opts->quick     ? quick.seconds
                                       : full.seconds;
    probe->end_s = clock_s() + (opts->seconds > 0 ? opts->seconds
                                : opts->quick     ? quick.all_s
                                                  : full.all_s);
    probe->node_bytes = 2 * (size_t)machine->line_bytes;
    if (probe->node_bytes < 128)
        probe->node_bytes = 128;
    probe->available_bytes = memory_available_bytes();
    probe->crowded = opts->quick && machine_busy_now() > crowded;
    probe->memory_set_bytes = probe->crowded
                                  ? crowded_bytes
                                  : memory_set_bytes(machine, probe->available_bytes);
}

int machine_probe(const struct machine_probe_opts *opts, struct machine *machine,
                  struct error *err)
{
    struct probe probe = {.machine = machine,
                          .prefetch_lines = quantity_unknown(),
                          .burst_step = quantity_unknown(),
                          .prefetch_l1_gain = quantity_unknown()};
    const struct cpu_table *table;
    struct team_time before = team_time();
    struct cpu_identity identity;
    const struct cpu *row;
    int result = -1;

    *machine = (struct machine){0};
    if (cpu_table_get(&table, err) || topology_load(NULL, &probe.topology, err))
        goto out;
    prepare(&probe, opts);
    row = machine_recognise(&probe.topology, table, machine, &identity);
    probe.guest = identity.guest;
    peak_find(machine, row, &identity, opts->peak_gbs);
    if (machine_find_core(machine, err) || measure(&probe, err))
        goto out;
    say_source(machine, before);
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
