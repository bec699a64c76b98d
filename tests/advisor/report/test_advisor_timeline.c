/* Time lines as text, JSON and pictures; occupancy over time; all from recorded ones. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/machine/machine.h"
#include "observe/report/timeline_show.h"
#include "tests/advisor/place.h"

SUITE(advisor_timeline);

#define RECORDED INFLIGHT_SOURCE_DIR "/bench/data/timelines/invented.csv"
#define DATA     INFLIGHT_SOURCE_DIR "/tests/data/advisor/timeline/"

static bool load(struct timeline *timeline)
{
    struct error err = {0};

    return check_ok(timeline_csv_read(RECORDED, timeline, &err), &err);
}

/* A machine that is not here: latency 100 ns up to 20 GB/s, 200 ns at 60 GB/s. */
static void make_machine(struct machine *machine)
{
    struct machine_curve *curve = xcalloc(1, sizeof(*curve));

    *machine = (struct machine){.line_bytes = 64, .cores = 4};
    curve->read_share = 1;
    curve->point = xcalloc(2, sizeof(*curve->point));
    curve->point_nr = 2;
    curve->point[0].gbs = 20;
    curve->point[0].latency_ns = quantity_exact(100, PROVENANCE_PROBE);
    curve->point[1].gbs = 60;
    curve->point[1].latency_ns = quantity_exact(200, PROVENANCE_PROBE);
    machine->curve = curve;
    machine->curve_nr = 1;
}

static void golden(const char *name, const char *text)
{
    char *path = path_join(DATA, name);

    check_golden(path, text);
    free(path);
}

/* 16 GB/s read + 4 written, two cores: 20 GB/s x 100 ns / 64 / 2. */
TEST("occupancy over time")
{
    struct timeline timeline;
    struct machine machine;
    const struct timeline_event *in_flight;

    if (!load(&timeline))
        return;
    make_machine(&machine);
    timeline_add_occupancy(&timeline, &machine);
    in_flight = timeline_find(&timeline, "occupancy:::in_flight");
    if (check(in_flight != NULL)) {
        check_near(in_flight->value[0], 20.0 * 100 / 64 / 2, 1e-9);
        check_near(in_flight->value[8], 40.0 * 150 / 64 / 4, 1e-9);
        check(isnan(in_flight->value[4]));  /* nobody busy */
        check(isnan(in_flight->value[12])); /* beyond the curve's end */
    }
    machine_release(&machine);
    timeline_release(&timeline);
}

TEST("text of a machine with counters")
{
    struct timeline timeline;
    struct timeline_phases phases;
    struct machine machine;
    struct buf wide = {0}, plain = {0};

    if (!load(&timeline))
        return;
    make_machine(&machine);
    timeline_add_occupancy(&timeline, &machine);
    timeline_find_phases(&timeline, &phases);
    timeline_text(&timeline, &phases, true, &wide);
    timeline_text(&timeline, &phases, false, &plain);
    golden("memory.txt", buf_str(&wide));
    golden("memory_ascii.txt", buf_str(&plain));
    for (const char *at = buf_str(&plain); *at; at++)
        check(!((unsigned char)*at & 0x80));
    for (const char *at = buf_str(&plain); *at; at += strcspn(at, "\n"), at += *at != 0)
        check(strcspn(at, "\n") <= 80);
    timeline_phases_release(&phases);
    machine_release(&machine);
    timeline_release(&timeline);
    buf_release(&wide);
    buf_release(&plain);
}

TEST("pictures")
{
    struct timeline timeline;
    struct timeline_phases phases;
    struct plot plot = {.kind = PLOT_SVG};
    struct buf script = {0};
    struct error err = {0};

    if (!load(&timeline))
        return;
    timeline_find_phases(&timeline, &phases);
    if (check_ok(timeline_plot(&timeline, &phases, &plot, &err), &err))
        plot_script(&plot, &script);
    golden("memory.gnuplot", buf_str(&script));
    plot_release(&plot);
    for (size_t i = 0; i < timeline.event_nr; i++)
        for (size_t k = 0; k < timeline.bin_nr; k++)
            timeline.event[i].value[k] = 0;
    check_fails(timeline_plot(&timeline, &phases, &plot, &err), &err, STATUS_FAILED,
                "nothing was read");
    plot_release(&plot);
    timeline_phases_release(&phases);
    timeline_release(&timeline);
    buf_release(&script);
}

TEST("documents")
{
    struct timeline timeline;
    struct timeline_phases phases;
    json_t *document;
    char *text;

    if (!load(&timeline))
        return;
    timeline_find_phases(&timeline, &phases);
    document = timeline_json(&timeline, &phases);
    text = json_text(document);
    golden("memory.json", text);
    free(text);
    json_decref(document);
    timeline_phases_release(&phases);
    timeline_release(&timeline);
}

/* ---- the command ---- */

static const struct {
    const char *args, *part;
    int code;
} wrong[] = {
    {"profile --timeline 10ms", "takes a program", 2},
    {"profile --timeline 0.1ms -- true", "the interval must be 1ms to 1h", 2},
    {"profile --timeline 2h -- true", "the interval must be 1ms to 1h", 2},
    {"profile --timeline 10ms --from x.csv -- true", "a program is not run", 2},
    {"profile --from missing.csv", "cannot read 'missing.csv'", 3},
    {"profile --from transpose.c", "not a time line", 3},
    {"profile --timeline 10ms --csv /nowhere/x.csv -- true",
     "the folder '/nowhere' of the output does not exist", 2},
    {"profile --timeline 10ms --plot x.gif -- true", "must end in .svg or .png", 2},
    {"profile --timeline 10ms --events no::EVENT -- true", "'no::EVENT'", 6},
    {"profile --timeline 10ms -- ./missing", "'./missing' cannot be started", 6},
    {"profile --timeline 10ms --csv - --json -- true", "only one of --json", 2},
    {"profile --csv x.csv -- true", "give --timeline 10ms, too", 2},
    {"profile --timeline 0 -- true", "--timeline must be above 0", 2},
    {"profile --timeline 10ms --regions . -- true", "leave --timeline out", 2},
    {"profile --timeline 10ms -- false", "the program failed (exit status 1)", 1},
};

TEST("wrong use")
{
    struct place place;

    place_make(&place);
    for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
        struct spawn_outcome outcome = {0};

        place_run(&place, wrong[i].args, &outcome);
        check_contains(buf_str(&outcome.err), wrong[i].part);
        check_eq(outcome.code, wrong[i].code);
        spawn_outcome_release(&outcome);
    }
    place_drop(&place);
}

/* What is recorded here is shown again, the same. */
TEST("recorded and shown again")
{
    struct place place;
    struct spawn_outcome first = {0}, again = {0};

    place_make(&place);
    place_run(&place,
              "profile --timeline 10ms --csv kept.csv -- sh -c 'sleep 0.3; exit 0'",
              &first);
    place_run(&place, "profile --from kept.csv", &again);
    check_eq(first.code, 0);
    check_eq(again.code, 0);
    check_str(buf_str(&again.out), buf_str(&first.out));
    check_contains(buf_str(&first.out), "exit status 0");
    spawn_outcome_release(&again);
    place_run(&place, "profile --timeline 10ms --csv - -- echo said", &again);
    check(strncmp(buf_str(&again.out), "# {", 3) == 0);
    check_str(buf_str(&again.err), "said\n");
    spawn_outcome_release(&first);
    spawn_outcome_release(&again);
    place_drop(&place);
}
