/* Time lines as text, JSON and pictures; occupancy over time; all from recorded ones. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/machine/machine.h"
#include "observe/report/timeline_show.h"
#include "tests/advisor/place.h"

SUITE(advisor_timeline);

#define RECORDED INFLIGHT_SOURCE_DIR "/tests/data/advisor/timeline/invented.json"
#define DATA     INFLIGHT_SOURCE_DIR "/tests/data/advisor/timeline/"

static const char *word(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

static double number(const json_t *object, const char *key, size_t place)
{
    const json_t *value = json_array_get(json_object_get(object, key), place);

    return json_is_number(value) ? json_number_value(value) : NAN;
}

/* The document as the time line that it was made of. */
static bool load(struct timeline *timeline)
{
    struct error err = {0};
    json_t *root = NULL, *event;
    size_t i;

    if (!check_ok(json_read_file(RECORDED, "inflight.timeline/1", &root, &err), &err))
        return false;
    const json_t *bins = json_object_get(root, "bins");
    *timeline = (struct timeline){
        .program = xstrdup(word(root, "program")),
        .end = xstrdup(word(root, "end")),
        .interval_s = json_number_value(json_object_get(root, "interval_s")),
        .own_cpu_s = json_number_value(json_object_get(root, "own_cpu_s")),
        .bin_nr = json_array_size(json_object_get(bins, "from_s"))};
    json_array_foreach(json_object_get(root, "notes"), i, event)
        strvec_push(&timeline->note, json_string_value(event));
    timeline->bin_alloc = timeline->bin_nr;
    timeline->bin = xcalloc(timeline->bin_nr + 1, sizeof(*timeline->bin));
    for (size_t k = 0; k < timeline->bin_nr; k++)
        timeline->bin[k] =
            (struct timeline_bin){number(bins, "from_s", k), number(bins, "to_s", k),
                                  (size_t)number(bins, "missed", k)};
    json_array_foreach(json_object_get(root, "events"), i, event) {
        const char *kind = word(event, "kind");
        struct timeline_event one = {.name = (char *)(uintptr_t)word(event, "name"),
                                     .label = (char *)(uintptr_t)word(event, "label"),
                                     .unit = (char *)(uintptr_t)word(event, "unit"),
                                     .source = (char *)(uintptr_t)word(event, "source"),
                                     .kind = strcmp(kind, "level") ? TIMELINE_COUNT
                                                                   : TIMELINE_LEVEL,
                                     .factor = 1};
        const json_t *values = json_array_get(json_object_get(bins, "values"), i);
        size_t place = timeline_add_event(timeline, &one);
        for (size_t k = 0; k < timeline->bin_nr; k++) {
            const json_t *value = json_array_get(values, k);
            timeline->event[place].value[k] =
                json_is_number(value) ? json_number_value(value) : NAN;
        }
    }
    json_decref(root);
    return true;
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
    struct machine machine;
    struct buf wide = {0}, plain = {0};

    if (!load(&timeline))
        return;
    make_machine(&machine);
    timeline_add_occupancy(&timeline, &machine);
    timeline_text(&timeline, true, &wide);
    timeline_text(&timeline, false, &plain);
    golden("memory.txt", buf_str(&wide));
    golden("memory_ascii.txt", buf_str(&plain));
    for (const char *at = buf_str(&plain); *at; at++)
        check(!((unsigned char)*at & 0x80));
    for (const char *at = buf_str(&plain); *at; at += strcspn(at, "\n"), at += *at != 0)
        check(strcspn(at, "\n") <= 80);
    machine_release(&machine);
    timeline_release(&timeline);
    buf_release(&wide);
    buf_release(&plain);
}

TEST("documents")
{
    struct timeline timeline;
    json_t *document;
    char *text;

    if (!load(&timeline))
        return;
    document = timeline_json(&timeline);
    text = json_text(document);
    golden("memory.json", text);
    free(text);
    json_decref(document);
    timeline_release(&timeline);
}

/* What is not known is null; shares are told of what was multiplexed alone. */
TEST("documents keep gaps and shares")
{
    struct timeline timeline = {.interval_s = 1,
                                .program = xstrdup("./a \"b\", c\nd"),
                                .end = xstrdup("exit status 0")};
    struct timeline_event event = {.name = (char[]){"uncore/event=1,umask=2/"},
                                   .label = (char[]){"say \"it\""},
                                   .unit = (char[]){"/s"},
                                   .source = (char[]){"test"},
                                   .kind = TIMELINE_LEVEL,
                                   .factor = 1};
    const struct timeline_reading none = {.share = 1}, all = {true, 3, 1},
                                  half = {true, 9, 0.5};
    timeline_add_event(&timeline, &event);
    event.name = (char[]){"other"};
    timeline_add_event(&timeline, &event);
    timeline_take(&timeline, 0, 0, (struct timeline_reading[]){none, all});
    timeline_take(&timeline, 1, 0, (struct timeline_reading[]){none, all});
    timeline_take(&timeline, 2, 1, (struct timeline_reading[]){half, all});
    json_t *document = timeline_json(&timeline);
    const json_t *bins = json_object_get(document, "bins"),
                 *value = json_array_get(json_object_get(bins, "values"), 0),
                 *share = json_object_get(bins, "shares");
    check_str(word(document, "program"), "./a \"b\", c\nd");
    check(json_is_null(json_array_get(value, 0)));
    check_near(json_number_value(json_array_get(value, 1)), 9, 0);
    check_near(json_number_value(json_array_get(json_array_get(share, 0), 1)), 0.5, 0);
    check(json_is_null(json_array_get(share, 1)));
    check_near(number(bins, "missed", 1), 1, 0);
    json_decref(document);
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
    {"profile --from x.csv", "unknown option '--from'", 2},
    {"profile --timeline 10ms --plot x.svg -- true", "| inflight-plot - -o FILE.svg'", 2},
    {"profile --timeline 10ms --events no::EVENT -- true", "'no::EVENT'", 6},
    {"profile --timeline 10ms -- ./missing", "'./missing' cannot be started", 6},
    {"profile --timeline 10ms --csv x.csv -- true", "the same columns in --json", 2},
    {"profile --timeline 0 -- true", "--timeline must be above 0", 2},
    {"profile --timeline 10ms --regions . -- true", "leave --timeline out", 2},
    {"profile --timeline 10ms -- false", "the program failed (exit status 1)", 1},
};

TEST("wrong use")
{
    struct place place = {0};

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

TEST("the program's output and ours are apart")
{
    struct place place;
    struct spawn_outcome outcome = {0};

    place_make(&place);
    place_run(&place, "profile --timeline 10ms --json -- echo said", &outcome);
    check(*buf_str(&outcome.out) == '{');
    check_str(buf_str(&outcome.err), "said\n");
    spawn_outcome_release(&outcome);
    place_drop(&place);
}
