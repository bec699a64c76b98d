/* Programs under the roofs of machines: published kernels and ceilings, and what becomes
 * of profiles that tell less. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/machine/machine.h"
#include "core/metrics/metrics.h"
#include "tests/check.h"

SUITE(metrics_roofline);

#define DATA     INFLIGHT_SOURCE_DIR "/tests/data/metrics/roofline/"
#define EXAMPLES INFLIGHT_SOURCE_DIR "/examples/roofline/"

static bool load_machine(const char *name, struct machine *machine)
{
    char *path = xasprintf(EXAMPLES "%s.json", name);
    struct error err = {0};
    bool loaded = check_ok(machine_load(path, machine, &err), &err);

    free(path);
    return loaded;
}

static void ceilings_of(const char *name, struct roof_ceilings *ceilings)
{
    struct machine machine = {0};
    const struct roof_ask ask = {.read_share = NAN};

    if (load_machine(name, &machine))
        roof_ceilings_of(&machine, &ask, ceilings);
    machine_release(&machine);
}

static struct quantity exactly(double value)
{
    return quantity_exact(value, PROVENANCE_RECORDED);
}

/* ---- published rows ---- */

static const char *text_of(const json_t *row, const char *key)
{
    return json_string_value(json_object_get(row, key));
}

static double number_at(const json_t *row, const char *key, size_t i)
{
    const json_t *number = json_array_get(json_object_get(row, key), i);

    return json_is_number(number) ? json_number_value(number) : NAN;
}

static void read_work(const json_t *row, struct roof_work *work)
{
    *work = (struct roof_work){
        .flops = exactly(json_number_value(json_object_get(row, "flops"))),
        .seconds = exactly(json_number_value(json_object_get(row, "seconds"))),
        .latency_ns = exactly(200),
        .line_bytes = strcmp(text_of(row, "cpu"), "clx") == 0 ? 64 : 256};
    for (int i = 0; i < ROOF_LEVELS; i++)
        work->bytes[i] = quantity_scale(exactly(number_at(row, "gigabytes", i)), 1e9);
}

/* Half of the last digit that is printed. */
static bool rounds_to(struct quantity got, double want, double half)
{
    return isnan(want) ? !got.known : got.known && fabs(got.value - want) <= half * 1.001;
}

static bool levels_agree(const json_t *row, const struct roofline *roofline)
{
    bool agree = true;

    for (int i = 0; i < ROOF_LEVELS; i++) {
        const struct roof_stand *stand = &roofline->level[i];

        agree &= rounds_to(stand->gbs, number_at(row, "gbs", i),
                           i == ROOF_MEMORY ? 0.05 : 0.5);
        agree &= rounds_to(quantity_scale(stand->share, 100),
                           number_at(row, "percent", i), 0.05);
    }
    return agree;
}

/* From the rate and the intensity as they are printed: their digits are few. */
static bool slope_agrees(const json_t *row, const struct roof_ceilings *ceilings)
{
    const json_t *printed = json_object_get(row, "printed");
    double flops = 1e9 * json_number_value(json_object_get(printed, "gflops"));
    double ai = json_number_value(json_object_get(printed, "ai"));
    struct roof_work work = {.flops = exactly(flops), .seconds = exactly(1)};
    struct roofline roofline;
    int level = 0;

    if (!printed)
        return true;
    work.bytes[ROOF_L1] = exactly(flops / ai);
    roofline_of(&work, ceilings, &roofline);
    while (strcmp(roof_level_text(level), text_of(printed, "level")) != 0)
        level++;
    return rounds_to(roofline.level[level].over,
                     json_number_value(json_object_get(printed, "over")), 0.005);
}

static void check_row(const json_t *row, const struct roof_ceilings *ceilings)
{
    struct roof_work work;
    struct roofline roofline;
    char *where = xasprintf(
        "table %lld, %s, %s, %s", json_integer_value(json_object_get(row, "table")),
        text_of(row, "kernel"), text_of(row, "cpu"), text_of(row, "version"));
    double lines = json_number_value(json_object_get(row, "lines_100ns"));

    read_work(row, &work);
    roofline_of(&work, ceilings, &roofline);
    check_str(levels_agree(row, &roofline) ? where : "levels", where);
    check_str(slope_agrees(row, ceilings) ? where : "slope", where);
    check_str(rounds_to(roofline.lines_100ns, lines, 0.005) ? where : "lines", where);
    check_near(roofline.lines.value, 2 * roofline.lines_100ns.value, 1e-9);
    free(where);
}

TEST("published kernels stand where they stood")
{
    struct roof_ceilings clx = {0}, a64fx = {0};
    struct error err = {0};
    json_t *root = NULL, *row;
    size_t i;

    ceilings_of("clx-8260", &clx);
    ceilings_of("a64fx-48", &a64fx);
    if (!check_ok(json_read_file(DATA "rows.json", NULL, &root, &err), &err))
        return;
    check_eq(json_array_size(json_object_get(root, "rows")), 60);
    json_array_foreach(json_object_get(root, "rows"), i, row)
        check_row(row, strcmp(text_of(row, "cpu"), "clx") == 0 ? &clx : &a64fx);
    json_decref(root);
}

/* ---- the picture ---- */

TEST("attainable is the lower roof")
{
    static const struct {
        const char *machine;
        double ai, gflops[ROOF_LEVELS], ridge[ROOF_LEVELS]; /* NaN = no such level */
    } cases[] = {
        {"clx-8260", 0.53, {3008, 1935, 482, 109}, {0.242, 0.824, 3.305, 14.680}},
        {"a64fx-48", 0.71, {2080, 1489, NAN, 476}, {0.365, 0.992, NAN, 3.105}},
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct roof_ceilings ceilings = {0};
        struct roofline roofline;
        struct roof_work work = {.flops = exactly(cases[i].ai * 1e9),
                                 .seconds = exactly(1)};

        work.bytes[ROOF_L1] = exactly(1e9);
        ceilings_of(cases[i].machine, &ceilings);
        roofline_of(&work, &ceilings, &roofline);
        for (int k = 0; k < ROOF_LEVELS; k++) {
            const struct roof_stand *stand = &roofline.level[k];

            check(rounds_to(quantity_scale(stand->attainable, 1e-9), cases[i].gflops[k],
                            0.6));
            check(rounds_to(stand->ridge, cases[i].ridge[k], 0.0005));
            check_eq(ceilings.lacks[k], isnan(cases[i].gflops[k]));
        }
    }
}

TEST("intervals go through")
{
    struct roof_ceilings ceilings = {.cores = 2};
    struct roofline roofline;
    struct roof_work work = {.flops = quantity_between(8, 6, 10, 3, PROVENANCE_PAPI),
                             .seconds =
                                 quantity_between(2e-9, 1e-9, 4e-9, 3, PROVENANCE_CLOCK)};

    work.bytes[ROOF_L1] = work.bytes[ROOF_MEMORY] = exactly(16);
    ceilings.gbs[ROOF_L1].value = exactly(100);
    ceilings.node.value = exactly(10);
    ceilings.flops[ROOF_FMA].value = quantity_between(40e9, 30e9, 50e9, 0, 0);
    roofline_of(&work, &ceilings, &roofline);
    check_near(roofline.level[ROOF_MEMORY].gbs.value, 8, 1e-9);
    check_near(roofline.level[ROOF_MEMORY].share.low, 0.4, 1e-9);
    check_near(roofline.level[ROOF_MEMORY].share.high, 1.6, 1e-9); /* not clamped */
    check_near(roofline.level[ROOF_L1].over.high, 0.16, 1e-9); /* flops blur nothing */
    check_near(roofline.level[ROOF_L1].attainable.low, 30e9, 1e-9);
    check_near(roofline.level[ROOF_L1].attainable.high, 50e9, 1e-9);
    check_near(roofline.memory_attainable.value, 5e9, 1e-9);
    check_near(roofline.memory_attainable.high, 6.25e9, 1e-9);
    check_eq(roofline.nearest, ROOF_MEMORY);
    check_eq(roofline.verdict, ROOF_VERDICT_NEAR);
    check(!roofline.sure);
}

/* ---- which roof ---- */

TEST("the nearest roof is told")
{
    static const struct {
        double gbs[ROOF_LEVELS], gflops; /* of roofs of 100 each; NaN = unknown */
        int nearest;
        enum roof_verdict verdict;
    } cases[] = {
        {{10, 20, 30, 95}, 5, ROOF_MEMORY, ROOF_VERDICT_AT},
        {{10, 92, 30, 80}, 5, ROOF_L2, ROOF_VERDICT_AT},
        {{10, 20, 75, 60}, 5, ROOF_L3, ROOF_VERDICT_NEAR},
        {{10, 20, 30, 40}, 97, ROOF_LEVELS, ROOF_VERDICT_AT},
        {{8, 4, NAN, 9}, 15, ROOF_LEVELS, ROOF_VERDICT_FAR},
        {{NAN, NAN, NAN, 91}, NAN, ROOF_MEMORY, ROOF_VERDICT_AT},
        {{NAN, NAN, NAN, NAN}, NAN, 0, ROOF_VERDICT_UNKNOWN},
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct roof_ceilings ceilings = {.cores = 1};
        struct roof_work work = {.flops = exactly(cases[i].gflops * 1e9),
                                 .seconds = exactly(1)};
        struct roofline roofline;

        for (int k = 0; k < ROOF_LEVELS; k++) {
            ceilings.gbs[k].value = exactly(100);
            work.bytes[k] = exactly(cases[i].gbs[k] * 1e9);
        }
        ceilings.node.value = exactly(100);
        ceilings.flops[ROOF_SCALAR].value = exactly(20e9);
        ceilings.flops[ROOF_FMA].value = exactly(100e9);
        roofline_of(&work, &ceilings, &roofline);
        check_eq(roofline.verdict, cases[i].verdict);
        check_eq(roofline.nearest, cases[i].nearest);
        check_eq(roofline.sure, cases[i].verdict != ROOF_VERDICT_UNKNOWN);
    }
}

/* ---- roofs of a profile ---- */

/* Four cores; a copy reads 2 of 3 bytes, since stores read their lines. */
static void fill_machine(struct machine *machine)
{
    *machine = (struct machine){.cores = 4, .level_nr = 1, .store_read_factor = 1};
    machine->level[0] = (struct machine_level){.level = 1};
    machine->level[0].one_core.triad_gbs = exactly(50);
    machine->level[0].all_cores.triad_gbs = exactly(190);
    machine->one_core.triad_gbs = machine->one_core.copy_gbs = exactly(10);
    machine->one_core.read_gbs = exactly(12);
    machine->all_cores.triad_gbs = machine->all_cores.copy_gbs = exactly(20);
    machine->node_read_gbs = exactly(36);
    machine->node_copy_gbs = exactly(30);
    machine->flops_double.fma = exactly(32e9);
    machine->all_flops_double.fma = exactly(100e9);
    machine->flops_single.fma = exactly(64e9);
    machine->all_flops_single.fma = exactly(200e9);
}

TEST("fewer cores have lower roofs")
{
    static const struct {
        int cores;
        double l1, memory, memory_low, node, gflops; /* NaN = unknown */
    } cases[] = {
        {0, 190, 20, 20, 30, 100}, {4, 190, 20, 20, 30, 100},
        {1, 50, 10, 10, 15, 32},   {2, 100, 20, 10, 30, 64},
        {3, 150, 20, 15, 30, 96},  {5, NAN, NAN, NAN, NAN, NAN},
    };
    struct machine machine;

    fill_machine(&machine);
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        const struct roof_ask ask = {.cores = cases[i].cores, .read_share = 0.6};
        struct roof_ceilings ceilings;

        roof_ceilings_of(&machine, &ask, &ceilings);
        check(rounds_to(ceilings.gbs[ROOF_L1].value, cases[i].l1, 1e-9));
        check(rounds_to(ceilings.gbs[ROOF_MEMORY].value, cases[i].memory, 1e-9));
        check(rounds_to(ceilings.node.value, cases[i].node, 1e-9));
        check(rounds_to(quantity_scale(ceilings.flops[ROOF_FMA].value, 1e-9),
                        cases[i].gflops, 1e-9));
        if (ceilings.gbs[ROOF_MEMORY].value.known)
            check_near(ceilings.gbs[ROOF_MEMORY].value.low, cases[i].memory_low, 1e-9);
        check(ceilings.lacks[ROOF_L2] && !ceilings.gbs[ROOF_L2].value.known);
        check(!ceilings.flops[ROOF_SCALAR].value.known);
        for (int k = 0; k < ROOF_LEVELS; k++)
            check(ceilings.gbs[k].from && *ceilings.gbs[k].from);
    }
}

TEST("bytes of memory have the roof of their mix")
{
    struct machine machine;
    struct roof_ceilings ceilings;

    fill_machine(&machine);
    roof_ceilings_of(&machine, &(struct roof_ask){.read_share = 0.95}, &ceilings);
    check_near(ceilings.node.value.value, 36, 1e-9);
    check_str(ceilings.node.from, "reads alone");
    roof_ceilings_of(&machine, &(struct roof_ask){.read_share = NAN}, &ceilings);
    check_near(ceilings.node.value.value, 30, 1e-9);
    machine.node_copy_gbs = machine.one_core.copy_gbs = quantity_unknown();
    roof_ceilings_of(&machine, &(struct roof_ask){.read_share = 0.5}, &ceilings);
    check_near(ceilings.node.value.value, 20 * 4 / 3.0, 1e-9); /* 32 of 24 bytes */
    check_contains(ceilings.node.from, "triad");
    roof_ceilings_of(&machine, &(struct roof_ask){.cores = 1}, &ceilings);
    check_near(ceilings.node.value.value, 10 * 4 / 3.0, 1e-9);
}

TEST("all cores say nothing of some")
{
    struct machine machine;
    struct roof_ceilings ceilings;

    fill_machine(&machine);
    machine.level[0].one_core.triad_gbs = quantity_unknown();
    roof_ceilings_of(&machine, &(struct roof_ask){.cores = 3}, &ceilings);
    check(!ceilings.gbs[ROOF_L1].value.known);
    check_contains(ceilings.gbs[ROOF_L1].from, "for all cores only");
    check_contains(ceilings.flops[ROOF_SIMD].from, "does not give");
}

TEST("precisions mix by time")
{
    struct machine machine;
    struct roof_ceilings ceilings;

    fill_machine(&machine);
    roof_ceilings_of(&machine, &(struct roof_ask){.single_share = 1}, &ceilings);
    check_near(ceilings.flops[ROOF_FMA].value.value, 200e9, 1e-9);
    roof_ceilings_of(&machine, &(struct roof_ask){.single_share = 0.5}, &ceilings);
    check_near(ceilings.flops[ROOF_FMA].value.value, 400e9 / 3, 1e-9);
}

TEST("a copy stands in for a triad")
{
    struct machine machine;
    struct roof_ceilings ceilings;

    fill_machine(&machine);
    machine.one_core.triad_gbs = machine.all_cores.triad_gbs = quantity_unknown();
    machine.all_cores.copy_gbs = exactly(18);
    roof_ceilings_of(&machine, &(struct roof_ask){0}, &ceilings);
    check_near(ceilings.gbs[ROOF_MEMORY].value.value, 18, 1e-9);
    check_contains(ceilings.gbs[ROOF_MEMORY].from, "copy");
}

/* Gravelle 2022, tables 3 and 4: fused scalar and SIMD rates. */
TEST("a scalar roof is checked")
{
    static const struct {
        double scalar, fma, single;
        int simd_bytes;
        bool drawn;
    } cases[] = {{1780e9, 2973e9, 0, 64, false}, {150e9, 2080e9, 0, 64, true},
                 {10e9, 40e9, 0, 64, true}, /* in halves */
                 {10e9, 40e9, 1, 64, false},     {10e9, 19e9, 0, 16, true},
                 {10e9, 12e9, 0, 0, true}}; /* not told */

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct machine machine = {.cores = 2, .simd_bytes = cases[i].simd_bytes};
        struct roof_ceilings ceilings;

        machine.all_flops_double.scalar = machine.all_flops_single.scalar =
            exactly(cases[i].scalar);
        machine.all_flops_double.fma = machine.all_flops_single.fma =
            exactly(cases[i].fma);
        roof_ceilings_of(&machine, &(struct roof_ask){.single_share = cases[i].single},
                         &ceilings);
        check_eq(ceilings.flops[ROOF_SCALAR].value.known, cases[i].drawn);
        check(cases[i].drawn || strstr(ceilings.flops[ROOF_SCALAR].from, "hardly"));
    }
}
