/* A machine by hand, every figure of a profile known, and one of which hardly anything
 * is. */
#ifndef TESTS_CORE_MACHINE_MACHINE_BY_HAND_H
#define TESTS_CORE_MACHINE_MACHINE_BY_HAND_H

#include <math.h>

#include "core/machine/machine.h"

static inline struct quantity probed(double value)
{
    return quantity_between(value, 0.95 * value, 1.05 * value, 21, PROVENANCE_PROBE);
}

static inline struct machine_rates fixture_rates(double gbs)
{
    return (struct machine_rates){.read_gbs = probed(gbs),
                                  .write_gbs = probed(gbs / 2),
                                  .copy_gbs = probed(gbs * 0.7),
                                  .triad_gbs = probed(gbs * 0.75),
                                  .nontemporal_gbs = quantity_unknown(),
                                  .random_lines_per_s = probed(gbs * 1e7)};
}

static inline struct machine_flops fixture_flops(double gflops)
{
    return (struct machine_flops){.scalar = probed(gflops * 1e9),
                                  .simd = probed(gflops * 4e9),
                                  .fma = probed(gflops * 8e9)};
}

static inline struct machine_pages fixture_pages(double translation_ns)
{
    return (struct machine_pages){.translation_ns = probed(translation_ns),
                                  .random_accesses_per_s = probed(7e7),
                                  .walks_per_s = probed(2.5e8),
                                  .walks_is_floor = translation_ns > 100,
                                  .tlb_entries = 2048};
}

/* `nr` points from 100 ns on, the last of them predicted. */
static inline struct machine_curve fixture_curve(double read_share, double gbs, size_t nr)
{
    struct machine_curve curve = {.read_share = read_share,
                                  .ceiling_gbs = probed(gbs),
                                  .point = xcalloc(nr, sizeof(struct machine_point)),
                                  .point_nr = nr,
                                  .point_alloc = nr};

    for (size_t i = 0; i < nr; i++) {
        double share = (double)(i + 1) / (double)nr;
        struct quantity latency = probed(100 + 80 * share * share);

        latency.provenance = i + 1 == nr ? PROVENANCE_PREDICTED : PROVENANCE_PROBE;
        curve.point[i] = (struct machine_point){.gbs = gbs * share,
                                                .gbs_low = gbs * share * 0.98,
                                                .gbs_high = gbs * share * 1.02,
                                                .latency_ns = latency};
    }
    return curve;
}

static inline void fixture_levels(struct machine *machine)
{
    for (int i = 0; i < 3; i++)
        machine->level[i] =
            (struct machine_level){.level = i + 1,
                                   .claimed_bytes = 32768 << (5 * i),
                                   .effective_bytes = 30000 << (5 * i),
                                   .ways = 8,
                                   .cores_sharing = i == 2 ? 4 : 1,
                                   .latency_ns = probed(i == 0 ? 1.2 : i * 5),
                                   .one_core = fixture_rates(200.0 / (i + 1)),
                                   .all_cores = fixture_rates(800.0 / (i + 1))};
    machine->level_nr = 3;
}

static inline void fixture_queues(struct machine *machine)
{
    machine->l1_mshrs =
        (struct machine_limit){.table = quantity_exact(16, PROVENANCE_TABLE),
                               .probe = probed(15),
                               .used = quantity_exact(16, PROVENANCE_TABLE),
                               .scope = xstrdup("core"),
                               .source = xstrdup("a table")};
    machine->l2_mshrs = (struct machine_limit){
        .table = quantity_unknown(),
        .probe = quantity_between(40, 40, INFINITY, 9, PROVENANCE_PROBE),
        .used = quantity_between(40, 40, INFINITY, 9, PROVENANCE_PROBE),
        .probe_is_floor = true,
        .scope = xstrdup("core"),
        .source = xstrdup("at least, measured here")};
    machine->prefetch_l2_gain = probed(1.02);
}

static inline void fixture_memories(struct machine *machine)
{
    machine->curve = xcalloc(2, sizeof(*machine->curve));
    machine->curve[0] = fixture_curve(1, 100, 9);
    machine->curve[1] = fixture_curve(0.5, 80, 4);
    machine->curve[1].nontemporal = true;
    machine->curve_nr = machine->curve_alloc = 2;
    machine->memory = xcalloc(1, sizeof(*machine->memory));
    machine->memory[0] = (struct machine_memory){.name = xstrdup("HBM 2"),
                                                 .kind = xstrdup("HBM"),
                                                 .node = 2,
                                                 .local = true,
                                                 .cores = 4,
                                                 .bytes = 17179869184,
                                                 .latency_ns = probed(130),
                                                 .node_read_gbs = probed(400),
                                                 .node_copy_gbs = probed(380)};
    machine->memory[0].curve = xcalloc(1, sizeof(*machine->curve));
    machine->memory[0].curve[0] = fixture_curve(1, 400, 3);
    machine->memory[0].curve_nr = machine->memory[0].curve_alloc = 1;
    machine->memory_nr = machine->memory_alloc = 1;
}

static inline void fixture_words(struct machine *machine)
{
    machine->name = xstrdup("Whole 'CPU'_4");
    machine->cpu_model = xstrdup("Whole 'CPU'_4, family 6 `id`");
    machine->microarchitecture = xstrdup("Whole Lake");
    machine->recognition = xstrdup("the family says Whole Lake, and its caches agree");
    machine->source = xstrdup("probed here");
    machine->date = xstrdup("2026-01-02T03:04:05Z");
    machine->stability = xstrdup("the unloaded latency moved by 3 % while this was made");
    machine->peak_source = xstrdup("told by the user");
    machine->store_read_source = xstrdup("a write stream drew two bytes for each");
    strvec_push(&machine->note, "huge pages were not to be had for the last set");
}

/* Caller releases. */
static inline struct machine fixture_whole(void)
{
    struct machine machine = {.cores = 4,
                              .threads_per_core = 2,
                              .sockets = 1,
                              .numa_nodes = 2,
                              .memory_bytes = 34359738368,
                              .ghz = 3.2,
                              .line_bytes = 128,
                              .transfer_bytes = 64,
                              .rob_entries = 512,
                              .simd_bytes = 32,
                              .huge_pages_available = true,
                              .store_read_factor = 1};

    machine.memory_latency_ns = probed(98);
    machine.one_core = fixture_rates(30);
    machine.all_cores = fixture_rates(95);
    machine.node_read_gbs = probed(95);
    machine.node_copy_gbs = probed(90);
    machine.peak_gbs = quantity_exact(120, PROVENANCE_DECLARED);
    machine.small_pages = fixture_pages(150);
    machine.huge_pages = fixture_pages(20);
    machine.flops_double = fixture_flops(6);
    machine.flops_single = fixture_flops(12);
    machine.all_flops_double = fixture_flops(24);
    machine.all_flops_single = fixture_flops(48);
    fixture_levels(&machine);
    fixture_queues(&machine);
    fixture_memories(&machine);
    fixture_words(&machine);
    return machine;
}

/* As the least profile that can be read. */
static inline struct machine fixture_bare(void)
{
    struct quantity unknown = quantity_unknown();
    struct machine machine = {.name = xstrdup("bare"),
                              .source = xstrdup("nobody knows"),
                              .cores = 1,
                              .threads_per_core = 1,
                              .sockets = 1,
                              .numa_nodes = 1,
                              .line_bytes = 64,
                              .store_read_factor = 1,
                              .level_nr = 1};
    struct machine_limit none = {.table = unknown, .probe = unknown, .used = unknown};

    /* {0} of a quantity is an unknown one as well */
    machine.level[0] = (struct machine_level){.level = 1, .cores_sharing = 1};
    machine.l1_mshrs = machine.l2_mshrs = none;
    return machine;
}

#endif
