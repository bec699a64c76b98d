/*
 * Sweeps: a series by hand as text, CSV, JSON and
 * picture (golden files in tests/data/advisor/series/), and going on after an end.
 */
#include "advisor/sweep/sweep.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/cli/layout.h"
#include "advisor/sweep/series.h"
#include "core/base.h"
#include "core/store/store.h"
#include "tests/advisor/compare/axes.h"
#include "tests/check.h"

SUITE(advisor_sweep);

/* ---- a series by hand ---- */

static struct quantity around(double value, enum provenance provenance)
{
    return quantity_between(value, 0.9 * value, 1.2 * value, 4, provenance);
}

static void measured_at(struct series_point *point, double n)
{
    point->state = POINT_MEASURED;
    point->figure[FIGURE_TIME] = around(2.5 * n * n, PROVENANCE_CLOCK);
    point->figure[FIGURE_PER_ITERATION] = around(2.5, PROVENANCE_CLOCK);
    point->figure[FIGURE_ARRAYS] = quantity_exact(16 * n * n, PROVENANCE_SOURCE);
    point->figure[FIGURE_BANDWIDTH] = around(n / 100, PROVENANCE_DERIVED);
    point->figure[FIGURE_READ] = quantity_exact(8 * n * n, PROVENANCE_MODEL);
    point->figure[FIGURE_L1_FILLS] = quantity_exact(n * n / 4, PROVENANCE_MODEL);
    point->figure[FIGURE_N] = around(n / 50, PROVENANCE_DERIVED);
    point->figure[FIGURE_L1_QUEUE_N] = around(n / 80, PROVENANCE_DERIVED);
    point->figure[FIGURE_L1_QUEUE_USE] =
        quantity_between(n / 1000, n / 2000, INFINITY, 0, PROVENANCE_DERIVED);
    point->cause = xstrdup("reorder_buffer");
    point->busiest = xstrdup("l1_mshrs");
    point->traffic_from = xstrdup("model");
    point->launches = 4;
    point->samples = 12;
    point->disturbed = 1;
}

/* n = 100, 200, 400 on small and huge pages: one failed, one not measured yet. */
static void make_series(struct series *series)
{
    struct sweep_axes axes = {0};
    struct error err = {0};

    check_ok(read_axes("n=100:400:x2 pages=small,huge", &axes, &err), &err);
    series_start(series, &axes);
    series->title = xstrdup("copy in k.c");
    series->subtitle = xstrdup("Test CPU; 2 copies, one per core; gcc 12\nsmall pages");
    series->head = json_pack("{s:s}", "version", "0");
    series->cache[0].level = 1;
    series->cache[0].bytes = 500000;
    series->cache[1].level = 2;
    series->cache[1].bytes = 1e8;
    series->cache_nr = 2;
    series->l1_mshrs = quantity_exact(10, PROVENANCE_TABLE);
    series->memory_gbs = around(20, PROVENANCE_PROBE);
    measured_at(&series->point[0], 100);
    measured_at(&series->point[1], 100);
    measured_at(&series->point[2], 200);
    point_failed(&series->point[3], "crashed: \"signal 11\", at n = 200");
    measured_at(&series->point[4], 400);
}

static void check_file(const char *name, const char *got)
{
    char *path = xasprintf("%s/tests/data/advisor/series/%s", INFLIGHT_SOURCE_DIR, name);

    check_golden(path, got);
    free(path);
}

static char *text_of(const json_t *document, int columns)
{
    struct buf out = {0};
    struct layout layout = layout_on(&out, false, columns);

    series_text(document, &layout);
    return buf_detach(&out);
}

static void check_width(const char *text, size_t columns)
{
    for (const char *line = text; *line; line += strcspn(line, "\n") + 1)
        check(strcspn(line, "\n") <= columns);
}

TEST("tables")
{
    struct series series;
    json_t *document;
    char *text;

    make_series(&series);
    document = series_to_json(&series);
    text = text_of(document, 80);
    check_file("series.txt", text);
    check_width(text, 80);
    free(text);
    text = text_of(document, 60);
    check_width(text, 60);
    check_contains(text, "one call");
    check(!strstr(text, "busiest"));
    free(text);
    json_decref(document);
    series_release(&series);
}

TEST("CSV")
{
    struct series series;
    struct buf out = {0};
    size_t commas = 0, lines = 0;

    make_series(&series);
    series_csv(&series, &out);
    check_file("series.csv", buf_str(&out));
    check_contains(buf_str(&out),
                   "200,huge,failed,\"crashed: \"\"signal 11\"\", at n = 200\",,,,,,,,");
    check_contains(buf_str(&out), "\r\n400,huge,pending,,,,,,,,");
    for (const char *c = buf_str(&out); *c && *c != '\r'; c++)
        commas += *c == ',';
    check_eq(commas + 1, 2 + 8 + 3 * FIGURE_NR);
    for (const char *c = buf_str(&out); *c; c++)
        lines += *c == '\n';
    check_eq(lines, 7);
    buf_release(&out);
    series_release(&series);
}

TEST("documents")
{
    struct series series;
    json_t *root;
    char *text;

    make_series(&series);
    root = series_to_json(&series);
    text = json_text(root);
    check_file("series.json", text);
    json_decref(root);
    free(text);
    series_release(&series);
}

/* What somebody may have written into the database is not taken for a figure. */
TEST("damaged documents")
{
    static const struct {
        const char *key, *value, *says;
    } cases[] = {
        {"axes", "[]", "one call"},
        {"axes", "[1, {\"names\": []}, {\"names\": [\"pages\", 7, \"p\"]}]", "?"},
        {"title", "3", "Time, and what is busy"},
        {"points", "7", "one call"},
        {"points", "[1, {}, {\"state\": \"measured\", \"figures\": {\"time_ns\": 1}}]",
         "?"},
    };
    struct series series;

    make_series(&series);
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        json_t *root = series_to_json(&series);
        char *text;

        json_object_set_new(root, cases[i].key,
                            json_loads(cases[i].value, JSON_DECODE_ANY, NULL));
        text = text_of(root, 80);
        check_contains(text, cases[i].says);
        free(text);
        json_decref(root);
    }
    series_release(&series);
}

/* ---- going on ---- */

struct script {
    struct buf asked;
    size_t left; /* points until it acts as if it were cut short */
};

/* n = 200 fails, all others are measured. */
static int scripted(void *data, const struct sweep_axes *axes, struct series_point *point,
                    struct error *err)
{
    struct script *script = data;
    char *text = sweep_point_text(axes, point->value);

    buf_addf(&script->asked, "%s;", text);
    free(text);
    if (script->left-- == 0)
        return 0;
    if (point->value[0] == 200)
        return fail(err, STATUS_MISSING, "too large for this machine");
    measured_at(point, (double)point->value[0]);
    return 0;
}

struct shelf {
    struct store *store;
    char *dir, *path;
    struct error err;
};

static void shelf_make(struct shelf *shelf)
{
    check_ok(scratch_make(&shelf->dir, &shelf->err), &shelf->err);
    shelf->path = path_join(shelf->dir, "sessions.db");
    check_ok(store_open(shelf->path, &shelf->store, &shelf->err), &shelf->err);
}

static void shelf_drop(struct shelf *shelf)
{
    store_close(shelf->store);
    free(shelf->path);
    scratch_remove(shelf->dir);
}

static void begin(struct series *series)
{
    struct sweep_axes axes = {0};
    struct error err = {0};

    check_ok(read_axes("n=100:800:x2", &axes, &err), &err);
    series_start(series, &axes);
}

static void run(struct series *series, struct shelf *shelf, long long session,
                struct script *script, double budget_s)
{
    struct sweep_runner runner = {script, scripted};
    struct progress progress;

    progress_start(&progress, true, false);
    check_ok(series_measure(series, &runner, shelf->store, session, budget_s, &progress,
                            &shelf->err),
             &shelf->err);
}

/* The second run asks only for what the first did not get; figures come back as they
 * were. */
TEST("an interrupted sweep goes on")
{
    struct shelf shelf = {0};
    struct series first, second;
    struct script cut = {.left = 2}, whole = {.left = 99};
    long long session = 0;
    size_t there = 0;

    shelf_make(&shelf);
    check_ok(
        store_session_new(shelf.store, "key", "measure", "k", NULL, &session, &shelf.err),
        &shelf.err);
    begin(&first);
    run(&first, &shelf, session, &cut, 100);
    check_str(buf_str(&cut.asked), "n=100;n=200;n=400;n=800;");
    check_eq(first.point[2].state, POINT_PENDING);
    begin(&second);
    check_ok(series_load(&second, shelf.store, session, &there, &shelf.err), &shelf.err);
    check_eq(there, 3);
    check_eq(series_done(&second), 3);
    check_eq(second.point[1].state, POINT_FAILED);
    check_str(second.point[1].reason, "too large for this machine");
    check_near(second.point[0].figure[FIGURE_TIME].high, 1.2 * 2.5e4, 1e-9);
    check_eq(second.point[0].figure[FIGURE_TIME].provenance, PROVENANCE_CLOCK);
    check(!second.point[0].figure[FIGURE_SLACK].known);
    check(isinf(second.point[0].figure[FIGURE_L1_QUEUE_USE].high));
    check_str(second.point[0].cause, "reorder_buffer");
    check_eq(second.point[0].disturbed, 1);
    run(&second, &shelf, session, &whole, 100);
    check_str(buf_str(&whole.asked), "n=400;");
    check_eq(series_done(&second), 4);
    buf_release(&cut.asked);
    buf_release(&whole.asked);
    series_release(&first);
    series_release(&second);
    shelf_drop(&shelf);
}

TEST("what cannot be read is measured again")
{
    static const char *const stored[][2] = {
        {"n=100", "{\"schema\": \"inflight.point/1\"}"},
        {"n=200", "nonsense"},
        {"n=300", "{\"schema\": \"inflight.point/1\"}"},
        {"n=400", "{\"schema\": \"inflight.measurement/1\"}"}};
    struct shelf shelf = {0};
    struct series series;
    long long session = 0;
    size_t there = 9;

    shelf_make(&shelf);
    check_ok(
        store_session_new(shelf.store, "key", "measure", "k", NULL, &session, &shelf.err),
        &shelf.err);
    for (size_t i = 0; i < ARRAY_SIZE(stored); i++)
        check_ok(store_measurement_add(shelf.store, session, stored[i][0], stored[i][1],
                                       &shelf.err),
                 &shelf.err);
    begin(&series);
    check_ok(series_load(&series, shelf.store, session, &there, &shelf.err), &shelf.err);
    check_eq(there, 0);
    check_eq(series_done(&series), 0);
    series_release(&series);
    shelf_drop(&shelf);
}

TEST("a spent budget ends it")
{
    struct shelf shelf = {0};
    struct series series;
    struct script script = {.left = 99};

    shelf_make(&shelf);
    begin(&series);
    run(&series, &shelf, 1, &script, 0);
    check_str(buf_str(&script.asked), "");
    check_eq(series_done(&series), 0);
    check(!series.interrupted);
    series_release(&series);
    shelf_drop(&shelf);
}
