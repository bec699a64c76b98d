#include <CUnit/CUnit.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/machine/probe/probe.h"
#include "core/machine/profile/limit.h"
#include "tests/check.h"

static struct knee knee_of(double lanes, double half, double floor)
{
    return (struct knee){.found = true,
                         .lanes = lanes,
                         .low = lanes - half,
                         .high = lanes + half,
                         .floor = floor};
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
        .knee = {knee_of(15, 0.5, 10.9), knee_of(14.6, 0.4, 10.7)},
        .floor = quantity_unknown()};
    struct machine_limit limit = {0};

    check_used(&evidence, 15, PROVENANCE_PROBE, "CPU table: 16 (V, vendor)");
    limit_resolve(&limit, &evidence);
    check_near(limit.used.high, 16, 1e-9); /* the table is within the error */
    check_near(limit.probe.low, 14.2, 1e-9);
    check_near(limit.probe.high, 15.5, 1e-9);
    check(!limit.probe_is_floor);
    free(limit.source);
}

static void table_rules_over_wide_knees(void)
{
    struct limit_evidence evidence = {.table = table_of(16),
                                      .confidence = 'V',
                                      .table_source = "vendor",
                                      .knee = {knee_of(11, 1, 9), knee_of(24, 1, 10)},
                                      .floor = quantity_unknown()};

    check_used(&evidence, 16, PROVENANCE_TABLE, "CPU table");
    evidence.table = quantity_unknown();
    check_used(&evidence, 18, PROVENANCE_PROBE, "wide spread");
}

/* One set alone has no second opinion. */
static void table_rules_over_one_knee(void)
{
    struct limit_evidence evidence = {.table = table_of(24),
                                      .confidence = 'I',
                                      .table_source = "inferred",
                                      .knee = {knee_of(35, 1, 9)},
                                      .floor = quantity_unknown()};

    check_used(&evidence, 24, PROVENANCE_TABLE, "CPU table");
    evidence.table = quantity_unknown();
    check_used(&evidence, 35, PROVENANCE_PROBE, "one set only");
}

/* The disturbed set says less. */
static void sharper_knee_weighs_more(void)
{
    struct limit_evidence evidence = {.table = quantity_unknown(),
                                      .knee = {knee_of(24, 3, 9), knee_of(21, 0.5, 10)},
                                      .floor = quantity_unknown()};

    check_used(&evidence, 21, PROVENANCE_PROBE, "knee of k chases");
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
    evidence.table = table_of(43); /* entries are whole */
    evidence.floor = quantity_exact(43.6, PROVENANCE_PROBE);
    check_used(&evidence, 43, PROVENANCE_TABLE, "CPU table: 43");
}

static void floor_within_the_table_raises_its_low_end(void)
{
    struct limit_evidence evidence = {
        .table = quantity_between(10, 10, 12, 0, PROVENANCE_TABLE),
        .confidence = 'P',
        .table_source = "a paper",
        .floor = quantity_exact(11.4, PROVENANCE_PROBE)};

    check_used(&evidence, 11, PROVENANCE_DERIVED,
               "CPU table: 10 (P, a paper); at least 11 measured here");
    evidence.table = quantity_between(20, 16, 64, 0, PROVENANCE_TABLE);
    evidence.floor = quantity_exact(18, PROVENANCE_PROBE);
    check_used(&evidence, 20, PROVENANCE_DERIVED, "at least 18 measured here");
    /* "at least 20" is not refuted by 43 */
    evidence.table = quantity_between(20, 20, INFINITY, 0, PROVENANCE_TABLE);
    evidence.floor = quantity_exact(43, PROVENANCE_PROBE);
    check_used(&evidence, 43, PROVENANCE_DERIVED, "CPU table: 20");
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

static void prefetch_is_judged(void)
{
    struct quantity lines = quantity_exact(16, PROVENANCE_PROBE),
                    gain = quantity_exact(1.07, PROVENANCE_PROBE);
    char *text = limit_prefetch_phrase(lines, gain, gain);

    check_contains(text, "gains nothing here: 1.07 times");
    free(text);
    /* however many lines are in flight: the gain is the fact */
    text = limit_prefetch_phrase(quantity_exact(30, PROVENANCE_PROBE), gain, gain);
    check_contains(text, "gains nothing here: 1.07 times");
    free(text);
    gain = quantity_exact(1.4, PROVENANCE_PROBE);
    text = limit_prefetch_phrase(lines, gain, gain);
    check_contains(text, "gains here: 1.40 times");
    free(text);
    check(!limit_prefetch_phrase(quantity_unknown(), gain, gain));
}

static void stability_is_the_lower_quartile(void)
{
    struct anchor calm[] = {{0, 140}, {1, 141}, {2, 142}, {3, 143}, {4, 144},
                            {5, 145}, {6, 146}, {7, 147}, {8, 148}, {9, 400}};
    struct stability stability = stability_of(calm, 10);

    check_near(stability.latency_ns.value, 142, 0);
    check_near(stability.latency_ns.high, 148, 0);
    check(!stability.unstable); /* one look decides nothing */
    calm[8].ns = 200;
    check(stability_of(calm, 10).unstable);
    check_near(stability_of(calm, 1).latency_ns.value, 140, 0);
}

CU_TestInfo machine_limits_tests[] = {
    {"a tight knee rules", tight_knee_rules},
    {"the table rules over wide knees", table_rules_over_wide_knees},
    {"the table rules over one knee", table_rules_over_one_knee},
    {"the sharper knee weighs more", sharper_knee_weighs_more},
    {"a measured floor refutes the table", floor_refutes_the_table},
    {"a floor within the table's interval raises its low end",
     floor_within_the_table_raises_its_low_end},
    {"no evidence gives a hint or nothing", nothing_gives_a_hint_or_nothing},
    {"prefetch to L2 is judged", prefetch_is_judged},
    {"the latency is the lower quartile of the looks", stability_is_the_lower_quartile},
    CU_TEST_INFO_NULL,
};
