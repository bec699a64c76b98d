/*
 * A machine and a loop made by hand for the suites of core/occupancy: 8 cores, 64-byte
 * lines, latencies 2, 5, 25 and 100 ns, miss queues of 16 and 48, 100 GB/s of reads.
 */
#ifndef TESTS_CORE_OCCUPANCY_LOOP_BY_HAND_H
#define TESTS_CORE_OCCUPANCY_LOOP_BY_HAND_H

#include "core/machine/machine.h"
#include "core/occupancy/occupancy.h"
#include "tests/check.h"

#define POINT(load, ns)                                                                  \
    {                                                                                    \
        .gbs = (load), .latency_ns = { true, ns, ns, ns, 0, PROVENANCE_PROBE, 0, false } \
    }

static inline struct quantity exact(double value)
{
    return quantity_exact(value, PROVENANCE_PROBE);
}

static inline struct quantity around(double value, double low, double high)
{
    return quantity_between(value, low, high, 20, PROVENANCE_CLOCK);
}

static inline struct machine_limit limit_of(double entries)
{
    return (struct machine_limit){
        .table = exact(entries), .probe = quantity_unknown(), .used = exact(entries)};
}

static inline struct machine_level level_made(int level, double ns, double gbs)
{
    return (struct machine_level){.level = level,
                                  .cores_sharing = 1,
                                  .latency_ns = exact(ns),
                                  .one_core.read_gbs = exact(gbs),
                                  .one_core.random_lines_per_s = quantity_unknown()};
}

/* Random accesses on small pages one in 27 ns, on huge ones one in 17 ns. */
static inline struct machine_pages pages_made(double translation_ns, double random_ns)
{
    return (struct machine_pages){.translation_ns = exact(translation_ns),
                                  .random_accesses_per_s = exact(1e9 / random_ns),
                                  .walks_per_s = quantity_unknown()};
}

static inline struct machine machine_made(void)
{
    static struct machine_point point[] = {POINT(0, 100),  POINT(40, 108),
                                           POINT(60, 117), POINT(80, 136),
                                           POINT(90, 152), POINT(100, 210)};
    static struct machine_curve curve = {.read_share = 1, .point = point, .point_nr = 6};

    return (struct machine){
        .cores = 8,
        .line_bytes = 64,
        .rob_entries = 512,
        .level = {level_made(1, 2, 200), level_made(2, 5, 60), level_made(3, 25, 25)},
        .level_nr = 3,
        .memory_latency_ns = exact(100),
        .one_core.read_gbs = exact(16),
        .one_core.random_lines_per_s = exact(16 / 100e-9),
        .node_read_gbs = around(100, 97, 103),
        .node_copy_gbs = around(90, 88, 92),
        .peak_gbs = quantity_unknown(),
        .small_pages = pages_made(80, 27),
        .huge_pages = pages_made(40, 17),
        .huge_pages_available = true,
        .l1_mshrs = limit_of(16),
        .l2_mshrs = limit_of(48),
        .flops_double.scalar = exact(6e9),
        .flops_double.fma = exact(48e9),
        .curve = &curve,
        .curve_nr = 1,
    };
}

/* Nothing happens in it, for certain. */
static inline struct occupancy_work no_work(void)
{
    struct occupancy_work work = {.level_nr = 3};
    struct quantity none = exact(0);

    for (int k = 0; k < OCCUPANCY_LEVELS_MAX; k++)
        work.l1_fill_from[k] = work.l1_covered_from[k] = none;
    work.l2_fill_from_l3 = work.l2_fill_from_memory = none;
    work.memory_read_bytes = work.memory_write_bytes = none;
    work.page_walks = work.flops = none;
    work.instructions = quantity_unknown();
    return work;
}

/* So many lines from memory; `covered` of them were in L2 in time. */
static inline struct occupancy_work memory_work(double lines, double covered)
{
    struct occupancy_work work = no_work();

    work.l1_fill_from[2] = work.l2_fill_from_memory = exact(lines);
    work.l1_covered_from[2] = exact(covered);
    work.memory_read_bytes = exact(64 * lines);
    return work;
}

static inline struct occupancy_case case_of(const struct machine *machine,
                                            struct occupancy_work work, double time_s,
                                            int cores)
{
    return (struct occupancy_case){.machine = machine,
                                   .work = work,
                                   .time_s = exact(time_s),
                                   .cores = cores,
                                   .chains = quantity_unknown(),
                                   .l1_misses_per_instruction = quantity_unknown()};
}

static inline struct occupancy computed(const struct occupancy_case *input)
{
    struct error err = {0};
    struct occupancy out;

    check_ok(occupancy_compute(input, &out, &err), &err);
    return out;
}

static inline bool check_between(struct quantity got, double value, double low,
                                 double high, double relative)
{
    return check(got.known) && check_near(got.value, value, relative) &&
           check_near(got.low, low, relative) && check_near(got.high, high, relative);
}

#endif
