#include <CUnit/CUnit.h>
#include <math.h>
#include <stdlib.h>

#include "core/machine/knee.h"
#include "core/machine/pointer_chase.h"
#include "core/machine/probe_pages.h"
#include "core/machine/trial.h"
#include "tests/check.h"

enum { LANES = 40 };

/* t(k) = max(a + b k, c k) with c such that the two meet at `knee`; noise in parts of the
 * value, the same every time. */
static void series(struct quantity *t, double knee, double noise)
{
    const double a = 100, b = 0.4;
    const double c = a / knee + b;
    uint64_t state = 7;

    for (int i = 0; i < LANES; i++) {
        double k = i + 1, value = fmax(a + b * k, c * k);

        value *= 1 + noise * ((double)(random_next(&state) >> 11) * 0x1p-52 - 1);
        t[i] = quantity_between(value, value * (1 - noise), value * (1 + noise), 20,
                                PROVENANCE_PROBE);
    }
}

static void knee_is_found(void)
{
    static const struct {
        double knee, noise, within;
    } cases[] = {{10, 0, 0.5},  {16, 0, 0.5},  {24, 0, 0.5},
                 {10, 0.01, 1}, {16, 0.01, 1}, {24, 0.01, 1.5}};

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct quantity t[LANES];
        struct knee knee;

        series(t, cases[i].knee, cases[i].noise);
        knee = knee_find(t, LANES, 100);
        check(knee.found);
        check(fabs(knee.first - cases[i].knee) <= cases[i].within);
        check(fabs(knee.fit - cases[i].knee) <= cases[i].within);
        check(knee.floor <= cases[i].knee + 0.5);
    }
}

/* As measured on a Zen 4 guest, 1 GiB fully random on huge pages: the flat part falls,
 * the end rises a little. */
static void falling_start_leaves_the_first(void)
{
    static const double per_lane[LANES] = {
        267.4, 122.8, 79.6, 58.3, 44.8, 36.0, 29.9, 24.8, 21.2, 18.7,
        16.5,  14.8,  13.4, 12.4, 11.3, 10.5, 9.87, 9.22, 8.80, 8.41,
        8.26,  7.92,  7.87, 7.83, 7.90, 7.81, 7.94, 7.94, 7.89, 7.83,
        7.94,  8.00,  8.05, 8.02, 8.13, 8.19, 8.32, 8.25, 8.08, 8.19};
    struct quantity t[LANES];
    struct knee knee;

    for (int i = 0; i < LANES; i++)
        t[i] = quantity_exact(per_lane[i] * (i + 1), PROVENANCE_PROBE);
    knee = knee_find(t, LANES, 138);
    check(knee.found);
    check_near(knee.first, 22, 0.01);
    check_near(knee.fit, 22, 0.01);
    check_near(knee.floor, 17.5, 0.02);
}

static void no_plateau_is_no_knee(void)
{
    struct quantity t[LANES];
    struct knee knee;

    series(t, 124, 0);
    knee = knee_find(t, LANES, 100);
    check(!knee.found);
    check(knee.floor > 30 && knee.floor < 41);
    check(!knee_find(t, 10, 100).found);
}

static void noise_is_no_knee(void)
{
    struct quantity t[LANES];

    series(t, 16, 0);
    for (int i = 0; i < LANES; i++) {
        t[i].low *= 0.9;
        t[i].high *= 1.1;
    }
    check(!knee_find(t, LANES, 100).found);
    series(t, 16, 0);
    t[3] = quantity_unknown();
    check(!knee_find(t, LANES, 100).found);
}

static struct knee knee_of(double first, double fit, double floor)
{
    return (struct knee){.found = true, .first = first, .fit = fit, .floor = floor};
}

static struct quantity table_of(double value)
{
    return quantity_exact(value, PROVENANCE_TABLE);
}

static void check_used(const struct limit_evidence *evidence, double used,
                       enum provenance provenance, const char *source)
{
    struct machine_limit limit = {0};

    limit_resolve(&limit, evidence);
    check_near(limit.used.value, used, 1e-6);
    check_eq(limit.used.provenance, provenance);
    check_contains(limit.source, source);
    check(limit.used.low <= limit.used.value && limit.used.value <= limit.used.high);
    free(limit.source);
}

static void tight_knee_rules(void)
{
    struct limit_evidence evidence = {
        .table = table_of(16),
        .confidence = 'V',
        .table_source = "vendor",
        .knee = {knee_of(15, 14.5, 10.9), knee_of(15, 15, 10.7)},
        .floor = quantity_unknown()};
    struct machine_limit limit = {0};

    check_used(&evidence, 15, PROVENANCE_PROBE, "CPU table: 16 (V, vendor)");
    limit_resolve(&limit, &evidence);
    check_near(limit.used.high, 16, 1e-9); /* the table is within the error */
    check_near(limit.probe.high, 15, 1e-9);
    check(!limit.probe_is_floor);
    free(limit.source);
}

static void table_rules_over_wide_knees(void)
{
    struct limit_evidence evidence = {.table = table_of(16),
                                      .confidence = 'V',
                                      .table_source = "vendor",
                                      .knee = {knee_of(11, 11, 9), knee_of(28, 20, 10)},
                                      .floor = quantity_unknown()};

    check_used(&evidence, 16, PROVENANCE_TABLE, "CPU table");
    evidence.table = quantity_unknown();
    check_used(&evidence, 18, PROVENANCE_PROBE, "wide spread");
}

static void floor_refutes_the_table(void)
{
    struct limit_evidence evidence = {.table = table_of(16),
                                      .confidence = 'I',
                                      .table_source = "a guess",
                                      .floor = quantity_exact(43, PROVENANCE_PROBE)};

    check_used(&evidence, 43, PROVENANCE_PROBE, "refutes the CPU table: 16");
    evidence.table = table_of(64);
    check_used(&evidence, 64, PROVENANCE_TABLE, "CPU table: 64");
    /* "at least 20" is not refuted by 43 */
    evidence.table = quantity_between(20, 20, INFINITY, 0, PROVENANCE_TABLE);
    check_used(&evidence, 20, PROVENANCE_TABLE, "CPU table: 20");
}

static void nothing_gives_a_hint_or_nothing(void)
{
    struct limit_evidence evidence = {.table = quantity_unknown(),
                                      .floor = quantity_unknown()};
    struct machine_limit limit = {0};

    limit_resolve(&limit, &evidence);
    check(!limit.used.known);
    evidence.fallback = 12;
    limit_resolve(&limit, &evidence);
    check_near(limit.used.value, 12, 0);
    check(isinf(limit.used.high));
    check_eq(limit.used.provenance, PROVENANCE_PREDICTED);
    free(limit.source);
}

static void tlb_reach_is_the_step(void)
{
    static const size_t pages[] = {128, 256, 512, 1024, 2048, 4096, 8192, 16384};
    static const double step[] = {1.5, 1.6, 1.5, 1.7, 2.0, 9.0, 11.0, 11.5};
    static const double flat[] = {1.5, 1.6, 1.5, 1.7, 2.0, 2.1, 2.0, 2.1};

    check(tlb_reach(pages, step, ARRAY_SIZE(pages)) > 2048);
    check(tlb_reach(pages, step, ARRAY_SIZE(pages)) < 4096);
    check_near(tlb_reach(pages, flat, ARRAY_SIZE(pages)), 0, 0);
}

static void samples_give_median_and_quartiles(void)
{
    static const double sample[] = {5, 1, 4, 2, 3};
    struct quantity q = samples_quantity(sample, 5);

    check_near(q.value, 3, 0);
    check_near(q.low, 2, 0);
    check_near(q.high, 4, 0);
    check_eq(q.runs, 5);
    check(!samples_quantity(sample, 0).known);
}

/* Steps until the lane is back where it started, at most `most`. */
static size_t cycle_length(struct chase *chase, size_t most)
{
    void *start = chase->at[0];
    size_t steps = 0;

    do {
        chase_run(chase, 1, 1);
        steps++;
    } while (chase->at[0] != start && steps <= most);
    return steps;
}

static void chase_is_one_cycle(void)
{
    const size_t line = 64,
                 nodes = 3 * 16384 + 17; /* blocks of 16384 nodes, the last one short */
    char *memory = aligned_alloc(4096, (nodes * 128 + 4095) / 4096 * 4096);
    struct chase_plan plan = {
        .base = memory, .bytes = nodes * 128, .spacing = 128, .seed = 3};
    struct chase chase;

    for (enum chase_order order = CHASE_BLOCK_LOCAL; order <= CHASE_RANDOM; order++) {
        plan.order = order;
        chase_build(&chase, &plan);
        check_eq(chase.node_nr, nodes);
        check_eq(cycle_length(&chase, nodes), nodes);
    }
    plan = (struct chase_plan){.base = memory,
                               .bytes = 1024 * 4096,
                               .spacing = 4096,
                               .offset = 16,
                               .line = line,
                               .order = CHASE_PAGES,
                               .seed = 3};
    chase_build(&chase, &plan);
    check_eq(cycle_length(&chase, 1024), 1024);
    for (int i = 0; i < CHASE_LANES_MAX; i++)
        check_eq((size_t)((char *)chase.at[i] - memory) % line, 16);
    free(memory);
}

static void chase_lanes_step_alike(void)
{
    enum { NODES = 1000 };
    static char memory[NODES * 128] __attribute__((aligned(128)));
    struct chase chase;
    void *want[CHASE_LANES_MAX];

    for (int lanes = 1; lanes <= CHASE_LANES_MAX; lanes++) {
        chase_build(&chase, &(struct chase_plan){.base = memory,
                                                 .bytes = sizeof(memory),
                                                 .spacing = 128,
                                                 .order = CHASE_RANDOM,
                                                 .seed = 9});
        for (int i = 0; i < CHASE_LANES_MAX; i++)
            want[i] = chase.at[i];
        for (int i = 0; i < lanes; i++)
            for (int step = 0; step < 3; step++)
                want[i * CHASE_LANES_MAX / lanes] =
                    *(void **)want[i * CHASE_LANES_MAX / lanes];
        chase_run(&chase, lanes, 3);
        for (int i = 0; i < CHASE_LANES_MAX; i++)
            check(chase.at[i] == want[i]);
    }
}

CU_TestInfo machine_knee_tests[] = {
    {"a knee is found, clean and noisy", knee_is_found},
    {"a falling start leaves the first k", falling_start_leaves_the_first},
    {"no plateau is no knee", no_plateau_is_no_knee},
    {"noise is no knee", noise_is_no_knee},
    {"a tight knee rules", tight_knee_rules},
    {"the table rules over wide knees", table_rules_over_wide_knees},
    {"a measured floor refutes the table", floor_refutes_the_table},
    {"no evidence gives a hint or nothing", nothing_gives_a_hint_or_nothing},
    {"the TLBs reach as far as the step", tlb_reach_is_the_step},
    {"samples give median and quartiles", samples_give_median_and_quartiles},
    {"a chase is one cycle through all nodes", chase_is_one_cycle},
    {"all lanes of a chase step alike", chase_lanes_step_alike},
    CU_TEST_INFO_NULL,
};
