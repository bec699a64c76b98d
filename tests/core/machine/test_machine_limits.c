#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/machine/probe/probe.h"
#include "core/machine/profile/limit.h"
#include "core/machine/profile/profile.h"
#include "tests/check.h"

SUITE(machine_limits);

static struct knee knee_of(double chains, double half, double floor)
{
    return (struct knee){.found = true,
                         .chains = chains,
                         .low = chains - half,
                         .high = chains + half,
                         .floor = floor};
}

static struct cpu_limit table_between(double value, double low, double high,
                                      char confidence, const char *source)
{
    return (struct cpu_limit){quantity_between(value, low, high, 0, PROVENANCE_TABLE),
                              confidence, source, "core"};
}

static struct cpu_limit table_of(double value, char confidence, const char *source)
{
    return table_between(value, value, value, confidence, source);
}

static struct cpu_limit nothing(void)
{
    return (struct cpu_limit){.entries = quantity_unknown(), .scope = "core"};
}

static void drop(struct machine_limit *limit)
{
    free(limit->source);
    free(limit->scope);
}

/* What a profile keeps gives the same again, and what a corrected table says is the same
 * as if it had been there when it was probed. */
static void check_again(const struct machine_limit *limit,
                        const struct limit_evidence *evidence,
                        const struct machine_limit *from)
{
    struct machine_limit again = *from;

    again.source = xstrdup(from->source);
    again.scope = NULL;
    limit_resolve_again(&again, evidence->table);
    check_str(again.source, limit->source);
    check_near(again.used.value, limit->used.value, 0);
    check_near(again.used.low, limit->used.low, 0);
    check_eq(again.used.high == limit->used.high, true);
    check_eq(again.used.provenance, limit->used.provenance);
    check_eq(again.table.known, evidence->table.entries.known);
    drop(&again);
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
    check_again(&limit, evidence, &limit);
    drop(&limit);
}

TEST("a tight knee rules")
{
    struct limit_evidence evidence = {
        .table = table_of(16, 'V', "vendor"),
        .knee = {knee_of(15, 0.5, 10.9), knee_of(14.6, 0.4, 10.7)},
        .floor = quantity_unknown(),
        .step = quantity_unknown()};
    struct machine_limit limit = {0};

    /* the vendor's value is within the error */
    check_used(&evidence, 16, PROVENANCE_PROBE, "CPU table: 16 (V, vendor)");
    evidence.table = table_of(16, 'S', "somebody");
    check_used(&evidence, 15, PROVENANCE_PROBE, "CPU table: 16 (S, somebody)");
    limit_resolve(&limit, &evidence);
    check_near(limit.used.high, 16, 1e-9);
    check_near(limit.probe.low, 14.2, 1e-9);
    check_near(limit.probe.high, 15.5, 1e-9);
    check(!limit.probe_is_floor);
    drop(&limit);
}

/* Chases of an Emerald Rapids guest: 122.6 ns unloaded, 8.8 ns for each beyond the corner
 * at 20, which says 13.9 to 20. */
TEST("a knee that the vendor's value can make does not refute it")
{
    struct limit_evidence evidence = {
        .table = table_of(16, 'V', "vendor"),
        .knee = {knee_of(19.8, 0.5, 13.9), knee_of(20.1, 0.4, 13.9)},
        .floor = quantity_unknown(),
        .step = quantity_unknown()};

    check_used(&evidence, 16, PROVENANCE_PROBE, "knee of k chases");
    evidence.table = table_of(12, 'V', "vendor"); /* 13.9 were surely in flight */
    check_used(&evidence, 20, PROVENANCE_PROBE, "knee of k chases");
}

TEST("bursts count the entries")
{
    struct limit_evidence evidence = {
        .table = table_of(124, 'S', "a comment"),
        .knee = {knee_of(25, 0.5, 16.7), knee_of(26, 0.4, 16.7)},
        .floor = quantity_unknown(),
        .step = quantity_between(44, 43, 45, 20, PROVENANCE_PROBE)};

    check_used(&evidence, 44, PROVENANCE_PROBE, "bursts of misses fill it");
    evidence.table = table_of(45, 'V', "vendor");
    check_used(&evidence, 45, PROVENANCE_PROBE, "CPU table: 45 (V, vendor)");
    evidence.table = table_of(48, 'V', "vendor"); /* excluded */
    check_used(&evidence, 44, PROVENANCE_PROBE, "CPU table: 48 (V, vendor)");
    evidence.table = nothing();
    check_used(&evidence, 44, PROVENANCE_PROBE, "the CPU table has no value");
}

TEST("the table rules over wide knees")
{
    struct limit_evidence evidence = {.table = table_of(16, 'V', "vendor"),
                                      .knee = {knee_of(11, 1, 9), knee_of(24, 1, 10)},
                                      .floor = quantity_unknown(),
                                      .step = quantity_unknown()};

    check_used(&evidence, 16, PROVENANCE_TABLE, "CPU table");
    evidence.table = nothing();
    check_used(&evidence, 18, PROVENANCE_PROBE, "wide spread");
}

/* One set alone has no second opinion. */
TEST("the table rules over one knee")
{
    struct limit_evidence evidence = {.table = table_of(24, 'I', "inferred"),
                                      .knee = {knee_of(35, 1, 9)},
                                      .floor = quantity_unknown(),
                                      .step = quantity_unknown()};

    check_used(&evidence, 24, PROVENANCE_TABLE, "CPU table");
    evidence.table = nothing();
    check_used(&evidence, 35, PROVENANCE_PROBE, "one set only");
}

/* The disturbed set says less. */
TEST("the sharper knee weighs more")
{
    struct limit_evidence evidence = {.table = nothing(),
                                      .knee = {knee_of(24, 3, 9), knee_of(21, 0.5, 10)},
                                      .floor = quantity_unknown(),
                                      .step = quantity_unknown()};

    check_used(&evidence, 21, PROVENANCE_PROBE, "knee of k chases");
}

TEST("a measured floor refutes the table")
{
    struct limit_evidence evidence = {.table = table_of(16, 'I', "a guess"),
                                      .floor = quantity_exact(43, PROVENANCE_PROBE)};

    check_used(&evidence, 43, PROVENANCE_PROBE, "refutes the CPU table: 16");
    evidence.table = table_of(64, 'I', "a guess");
    check_used(&evidence, 64, PROVENANCE_TABLE, "CPU table: 64");
    evidence.table = table_of(43, 'I', "a guess"); /* entries are whole */
    evidence.floor = quantity_exact(43.6, PROVENANCE_PROBE);
    check_used(&evidence, 43, PROVENANCE_TABLE, "CPU table: 43");
}

TEST("a floor within the table's interval raises its low end")
{
    struct limit_evidence evidence = {.table = table_between(10, 10, 12, 'P', "a paper"),
                                      .floor = quantity_exact(11.4, PROVENANCE_PROBE)};

    check_used(&evidence, 11, PROVENANCE_DERIVED,
               "CPU table: 10 (P, a paper); at least 11 measured here");
    evidence.table = table_between(20, 16, 64, 'P', "a paper");
    evidence.floor = quantity_exact(18, PROVENANCE_PROBE);
    check_used(&evidence, 20, PROVENANCE_DERIVED, "at least 18 measured here");
    /* "at least 20" is not refuted by 43 */
    evidence.table = table_between(20, 20, INFINITY, 'P', "a paper");
    evidence.floor = quantity_exact(43, PROVENANCE_PROBE);
    check_used(&evidence, 43, PROVENANCE_DERIVED, "CPU table: 20");
}

TEST("no evidence gives a hint or nothing")
{
    struct limit_evidence evidence = {
        .table = nothing(), .floor = quantity_unknown(), .step = quantity_unknown()};
    struct machine_limit limit = {0};

    limit_resolve(&limit, &evidence);
    check(!limit.used.known);
    evidence.fallback = 12;
    limit_resolve(&limit, &evidence);
    check_near(limit.used.value, 12, 0);
    check(isinf(limit.used.high));
    check_eq(limit.used.provenance, PROVENANCE_PREDICTED);
    drop(&limit);
}

/* Today's table after a probe with yesterday's. */
TEST("a corrected table rules")
{
    struct limit_evidence cases[] = {
        {.table = table_of(16, 'V', "vendor"),
         .knee = {knee_of(15, 0.5, 10), knee_of(14.6, 0.4, 10)}},
        {.table = table_of(16, 'V', "vendor"), .knee = {knee_of(35, 1, 0)}},
        {.table = table_of(16, 'I', "a guess"),
         .floor = quantity_exact(43, PROVENANCE_PROBE)},
        {.table = nothing(), .floor = quantity_exact(20.5, PROVENANCE_PROBE)},
        {.table = nothing(), .fallback = 12},
    };
    const struct cpu_limit today[] = {table_of(14, 'M', "another"), nothing(),
                                      table_between(40, 40, INFINITY, 'S', "a text")};

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
        for (size_t k = 0; k < ARRAY_SIZE(today); k++) {
            struct machine_limit before = {0}, now = {0};

            limit_resolve(&before, &cases[i]);
            limit_add_phrase(&before, "software prefetch to L2 gains here: 1.4 times");
            struct limit_evidence evidence = cases[i];
            evidence.table = today[k];
            limit_resolve(&now, &evidence);
            limit_add_phrase(&now, "software prefetch to L2 gains here: 1.4 times");
            check_again(&now, &evidence, &before);
            drop(&before);
            drop(&now);
        }
}

TEST("prefetch to L2 is judged")
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

TEST("the latency is the lower quartile of the looks")
{
    struct anchor calm[] = {{0, 140}, {1, 141}, {2, 142}, {3, 143}, {4, 144},
                            {5, 145}, {6, 146}, {7, 147}, {8, 148}, {9, 400}};
    struct stability stability = stability_of(calm, 10, false);

    check_near(stability.latency_ns.value, 142.25, 0);
    check(stability.latency_ns.high >= 148 && stability.latency_ns.high < 250);
    check(!stability.unstable); /* one look decides nothing */
    calm[8].ns = 200;
    check(stability_of(calm, 10, false).unstable);
    check_near(stability_of(calm, 1, false).latency_ns.value, 140, 0);
}

static void put_cpu_file(const char *data, const char *name, const char *text)
{
    char *dir = path_join(data, "machines/cpus"), *file = path_join(dir, name);
    struct error err = {0};

    check_ok(dir_make_all(dir, &err), &err);
    check_ok(file_write(file, text, strlen(text), &err), &err);
    free(dir);
    free(file);
}

/* What every data folder has. */
static void put_generic_cpu(const char *data)
{
    char *path = path_join(INFLIGHT_SOURCE_DIR, "machines/cpus/generic.json");
    struct buf text = {0};
    struct error err = {0};

    if (check_ok(file_read(path, &text, &err), &err))
        put_cpu_file(data, "generic.json", buf_str(&text));
    buf_release(&text);
    free(path);
}

/* What the probe saw is kept; what was documented is read when a profile is loaded. */
TEST("limits follow the file of the CPU")
{
    static const char corrected[] =
        "{\"schema\": \"inflight.cpu/1\", \"name\": \"Zen 4 / 4c\", \"recognise\": "
        "{\"vendor\": \"amd\", \"family\": \"19\", \"models\": \"11\"}, \"l1_mshrs\": "
        "{\"value\": 21, \"confidence\": \"V\", \"source\": \"a correction\"}, "
        "\"l2_mshrs\": {\"value\": 80, \"confidence\": \"V\", \"source\": \"a "
        "correction\", "
        "\"scope\": \"cluster\"}}";
    char *kept = xstrdup(getenv("INFLIGHT_DATA")), *scratch = NULL, *damaged, *copy,
         *path = path_join(INFLIGHT_SOURCE_DIR, "tests/data/machine/earlier_probed.json");
    struct machine machine = {0};
    struct error err = {0};
    json_t *root = NULL;

    if (!check_ok(scratch_make(&scratch, &err), &err))
        return;
    damaged = path_join(scratch, "damaged");
    copy = path_join(scratch, "copy.json");
    put_generic_cpu(scratch);
    put_cpu_file(scratch, "zen4.json", corrected);
    put_cpu_file(damaged, "zen4.json", "{}");
    /* once as it is, once as of a CPU that had no file yet */
    for (int unknown = 0; unknown < 2; unknown++) {
        check_ok(json_read_file(path, MACHINE_SCHEMA, &root, &err), &err);
        if (unknown) {
            json_object_set_new(root, "microarchitecture", json_null());
            json_object_set_new(root, "recognition", json_null());
        }
        check_ok(json_write_file(copy, root, &err), &err);
        json_decref(root);
        setenv("INFLIGHT_DATA", scratch, 1);
        if (check_ok(machine_load(copy, &machine, &err), &err)) {
            check_str(machine.microarchitecture, "Zen 4 / 4c");
            check_near(machine.l1_mshrs.probe.value, 24, 0); /* measured */
            check_near(machine.l1_mshrs.table.value, 21, 0);
            check_near(machine.l1_mshrs.used.value, 24, 0);
            check_str(machine.l1_mshrs.source, "knee of k chases measured here; "
                                               "CPU table: 21 (V, a correction)");
            check_near(machine.l2_mshrs.used.value, 80, 0);
            check_contains(machine.l2_mshrs.source, "CPU table: 80 (V, a correction)");
            check_str(machine.l2_mshrs.scope, "cluster");
        }
        machine_release(&machine);
        setenv("INFLIGHT_DATA", damaged, 1);
        check_fails(machine_load(copy, &machine, &err), &err, STATUS_INPUT, "zen4.json");
        if (kept)
            setenv("INFLIGHT_DATA", kept, 1);
        else
            unsetenv("INFLIGHT_DATA");
    }
    scratch_remove(scratch);
    free(kept);
    free(damaged);
    free(copy);
    free(path);
}
