#include <math.h>
#include <stdlib.h>

#include "core/machine/machine.h"
#include "core/machine/probe/probe.h"
#include "core/machine/profile/profile.h"
#include "core/machine/sampling/load.h"
#include "tests/check.h"

SUITE(machine_curve);

static struct quantity around(double value)
{
    return quantity_between(value, 0.9 * value, 1.1 * value, 9, PROVENANCE_PROBE);
}

static struct machine_point reads[] = {{.gbs = 1}, {.gbs = 50}, {.gbs = 100}};
static struct machine_point copies[] = {{.gbs = 1}, {.gbs = 80}};
static struct machine_curve curves[] = {
    {.read_share = 1, .point = reads, .point_nr = 3},
    {.read_share = 0.5, .point = copies, .point_nr = 2},
};

static struct machine machine_here(void)
{
    reads[0].latency_ns = around(100);
    reads[1].latency_ns = around(120);
    reads[2].latency_ns = around(200);
    copies[0].latency_ns = around(100);
    copies[1].latency_ns = around(300);
    return (struct machine){.line_bytes = 64, .curve = curves, .curve_nr = 2};
}

TEST("latency is interpolated")
{
    static const struct {
        double gbs, read_share, want;
    } cases[] = {{0, 1, 100},  {1, 1, 100},   {25.5, 1, 110},   {50, 1, 120},
                 {75, 1, 160}, {100, 1, 200}, {40.5, 0.6, 200}, {80, 0, 300}};
    struct machine machine = machine_here();

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct quantity got =
            machine_latency_ns(&machine, cases[i].gbs, cases[i].read_share);

        check(got.known);
        check_near(got.value, cases[i].want, 1e-9);
        check_near(got.low, 0.9 * cases[i].want, 1e-9);
        check_eq(got.provenance, PROVENANCE_PROBE);
    }
}

/* Reads, a 1:1 mix of plain stores, non-temporal stores. */
TEST("non-temporal stores are far from other mixes")
{
    static struct machine_point point[] = {{.gbs = 1}, {.gbs = 1}, {.gbs = 1}};
    struct machine_curve curve[] = {
        {.read_share = 1, .point = &point[0], .point_nr = 1},
        {.read_share = 0, .nontemporal = true, .point = &point[1], .point_nr = 1},
        {.read_share = 0.5, .point = &point[2], .point_nr = 1}};
    static const struct {
        size_t curve_nr;
        double read_share, want;
    } cases[] = {{3, 1, 1}, {3, 0.5, 0.5}, {3, 0.25, 0.5}, {3, 0.24, 0},
                 {3, 0, 0}, {2, 0.3, 1},   {2, 0.2, 0},    {2, 0.5, 1}};

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct machine machine = {.curve = curve, .curve_nr = cases[i].curve_nr};

        check_near(machine_curve_near(&machine, cases[i].read_share)->read_share,
                   cases[i].want, 0);
    }
    check(machine_curve_near(&(struct machine){.curve = &curve[1], .curve_nr = 1}, 1) ==
          &curve[1]);
    check(!machine_curve_near(&(struct machine){0}, 1));
}

TEST("mixes have their share of reads")
{
    static const struct {
        enum load_mix mix;
        double store_read_factor, lines, share;
    } cases[] = {{LOAD_READ, 1, 1, 1},
                 {LOAD_COPY, 1, 3, 2. / 3},
                 {LOAD_WRITE, 1, 2, 0.5},
                 {LOAD_NONTEMPORAL, 1, 1, 0},
                 {LOAD_COPY, 0, 2, 0.5},
                 {LOAD_WRITE, 0, 1, 0},
                 {LOAD_COPY, 0.5, 2.5, 1.5 / 2.5}};

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        check_near(load_node_lines(cases[i].mix, cases[i].store_read_factor),
                   cases[i].lines, 1e-12);
        check_near(load_read_share(cases[i].mix, cases[i].store_read_factor),
                   cases[i].share, 1e-12);
    }
}

TEST("nothing beyond the end")
{
    struct machine machine = machine_here(), empty = {.line_bytes = 64};

    check(!machine_latency_ns(&machine, 100.1, 1).known);
    check(!machine_latency_ns(&machine, 80.1, 0.5).known);
    check(!machine_latency_ns(&machine, NAN, 1).known);
    check(!machine_latency_ns(&empty, 1, 1).known);
}

TEST("predicted ends are marked")
{
    struct machine machine = machine_here();

    reads[2].latency_ns.provenance = PROVENANCE_PREDICTED;
    check_eq(machine_latency_ns(&machine, 75, 1).provenance, PROVENANCE_PREDICTED);
    check_eq(machine_latency_ns(&machine, 25, 1).provenance, PROVENANCE_PROBE);
}

TEST("bandwidth is a fixed point")
{
    struct machine machine = machine_here();
    double floor;

    for (double n = 1; n < 40; n += 1.5) {
        struct quantity gbs = machine_bandwidth_of(&machine, n, 4, 1, &floor);

        check(gbs.known);
        check(isnan(floor));
        check_near(gbs.value * machine_latency_ns(&machine, gbs.value, 1).value,
                   n * 64 * 4, 1e-6);
        check(gbs.low < gbs.value && gbs.value < gbs.high);
    }
}

TEST("bandwidth ends with the curve")
{
    struct machine machine = machine_here();
    double floor;

    check(!machine_bandwidth_of(&machine, 79, 4, 1, &floor).known);
    check_near(floor, 100, 0);
    check(!machine_bandwidth_of(&machine, 1000, 4, 1, NULL).known);
    check(isinf(machine_bandwidth_of(&machine, 75, 4, 1, NULL).high));
    check(!machine_bandwidth_of(&(struct machine){.line_bytes = 64}, 1, 1, 1, &floor)
               .known);
    check(isnan(floor));
}

TEST("the paper's latencies are reproduced")
{
    char *path = path_join(INFLIGHT_SOURCE_DIR, "tests/data/paper/rows.json");
    struct error err = {0};
    struct json_at top, rows;
    json_t *root = NULL;
    size_t nr = 0, checked = 0;

    if (!check_ok(json_read_file(path, NULL, &root, &err), &err))
        goto out;
    top = json_top(path, root);
    check_ok(json_array_at(&top, "rows", &rows, &nr, &err), &err);
    for (size_t i = 0; i < nr; i++) {
        struct json_at row = json_element(&rows, i);
        struct machine machine;
        const char *name;
        double gbs, latency;

        if (!check_ok(json_string_at(&row, "machine", &name, &err), &err) ||
            !check_ok(json_number_at(&row, "bandwidth_gbs", 0, 1e4, &gbs, &err), &err) ||
            !check_ok(json_number_at(&row, "latency_ns", 0, 1e4, &latency, &err), &err) ||
            !check_ok(machine_load(name, &machine, &err), &err))
            continue;
        check_near(machine_latency_ns(&machine, gbs, 1).value, latency, 0.08);
        machine_release(&machine);
        checked++;
    }
    check_eq(checked, 47);
out:
    json_decref(root);
    free(path);
}
