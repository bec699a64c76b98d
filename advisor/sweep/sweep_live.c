/* inflight measure --sweep: the points measured on this machine, and the results handed
 * out. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/cli/cli.h"
#include "advisor/cli/settings.h"
#include "advisor/report/measure_report.h"
#include "advisor/report/report_parts.h"
#include "advisor/sweep/series.h"
#include "advisor/sweep/sweep.h"
#include "core/base.h"
#include "core/store/store.h"
#include "search/live/live.h"
#include "search/session/measured.h"
#include "variants/kernel/kernel.h"
#include "variants/kernel/kernel_view.h"

static const double default_budget_s = 600;

/* ---- one point ---- */

struct situation {
    struct environment environment;
    size_t copies; /* 0 = as told to all */
};

/* Sizes one after another: only together they must make sense. */
static int set_sizes(struct kernel *kernel, const struct sweep_axes *axes,
                     const long long *value, struct error *err)
{
    for (size_t i = 0; i < axes->nr; i++)
        for (size_t k = 0; axes->axis[i].kind == AXIS_SIZE && k < axes->axis[i].name.nr;
             k++)
            kernel_set(kernel, axes->axis[i].name.v[k], value[i], NULL);
    return kernel_bind(kernel, err);
}

static struct situation situation_of(const struct context *bench,
                                     const struct sweep_axes *axes,
                                     const long long *value)
{
    struct situation now = {context_environment(bench), 0};
    for (size_t i = 0; i < axes->nr; i++)
        switch (axes->axis[i].kind) {
        case AXIS_PAGES:
            now.environment.huge_pages = value[i] == 1;
            break;
        case AXIS_CORES:
            now.copies = (size_t)value[i];
            break;
        case AXIS_START:
            now.environment.start = (enum run_start)value[i];
            break;
        case AXIS_BACKGROUND:
            now.environment.background = (enum run_background)value[i];
            break;
        case AXIS_SIZE:
            break;
        }
    return now;
}

static int measure_point(void *data, const struct sweep_axes *axes,
                         struct series_point *point, struct error *err)
{
    struct context *bench = data;
    struct situation now = situation_of(bench, axes, point->value);
    struct candidate candidate = {bench->plan, now.environment};
    struct measurement measurement = {0};
    if (set_sizes(bench->kernel, axes, point->value, err) ||
        live_rebind(bench->live, now.copies, err) ||
        bench->live_runner.measure(bench->live_runner.data, &candidate, MEASURE_EXPLAIN,
                                   0, &measurement, err))
        return -1;
    bool cut_short = spawn_interrupted() && !measurement.has_occupancy;
    if (measurement.outcome != RUN_OUTCOME_INTERRUPTED && !cut_short) {
        struct kernel_counts counts = kernel_counts(bench->kernel);
        point_take(point, &measurement, &counts);
    }
    measurement_release(&measurement);
    return 0;
}

struct sweep_runner sweep_live(struct context *bench)
{
    return (struct sweep_runner){bench, measure_point};
}

/* ---- the head of the series ---- */

static void take_caches(const struct context *bench, struct series *series)
{
    const struct traffic_geometry *given = &bench->geometry;
    if (given->level_nr) {
        for (int i = 0; i < given->level_nr; i++, series->cache_nr++) {
            series->cache[i].level = i + 1;
            series->cache[i].bytes = given->level[i].bytes;
        }
        return;
    }
    for (int i = 0; i < bench->machine.level_nr; i++) {
        struct quantity share = machine_share_bytes(&bench->machine, i);
        if (!share.known || isinf(share.high)) /* nobody knows where it ends */
            continue;
        series->cache[series->cache_nr].level = bench->machine.level[i].level;
        series->cache[series->cache_nr++].bytes = share.value;
    }
}

static void make_head(const struct context *bench, struct series *series)
{
    char *date = date_now(), *environment = environment_text(bench->settings);
    series->title = xasprintf("%s in %s%s%s", kernel_name(bench->kernel),
                              path_base(kernel_path(bench->kernel)),
                              *bench->plan ? ", " : "", bench->plan);
    series->subtitle =
        xasprintf("%s; %s; %s\n%s", bench->machine.name, live_note(bench->live),
                  bench->toolchain.version, environment);
    series->head = json_pack(
        "{s:s, s:s, s:o, s:o, s:o, s:o, s:s}", "version", INFLIGHT_VERSION, "date", date,
        "kernel", report_kernel_json(bench->kernel), "machine",
        report_machine_json(bench), "compiler", report_compiler_json(&bench->toolchain),
        "environment", environment_json(bench->settings), "plan", bench->plan);
    series->l1_mshrs = bench->machine.l1_mshrs.used;
    series->l2_mshrs = bench->machine.l2_mshrs.used;
    series->memory_gbs = bench->machine.node_read_gbs;
    take_caches(bench, series);
    free(date);
    free(environment);
}

/* ---- what comes out ---- */

static int write_csv(const struct context *bench, const struct series *series,
                     struct error *err)
{
    const char *path = bench->settings->csv;
    struct buf text = {0};
    if (!path)
        return 0;
    series_csv(series, &text);
    int status = file_write(path, buf_str(&text), text.length, err);
    buf_release(&text);
    return status;
}

static int print_series(const struct context *bench, const json_t *document,
                        struct error *err)
{
    struct buf text = {0};
    if (bench->settings->json)
        return print_json(document, err);
    struct layout layout = layout_on(&text, term_colour(stdout, bench->settings->colour),
                                     term_columns(stdout));
    series_text(document, &layout);
    int status = print_text(buf_str(&text), err);
    buf_release(&text);
    return status;
}

static int hand_out(struct context *bench, const struct series *series, struct error *err)
{
    json_t *document = series_to_json(series);
    progress_clear(&bench->progress);
    int status = print_series(bench, document, err);
    if (!status)
        status = write_csv(bench, series, err);
    if (!status && series_done(series) == series->point_nr) {
        char *text = json_text(document);
        status = store_session_finish(bench->store, bench->session, text, err);
        free(text);
    }
    json_decref(document);
    return status;
}

/* ---- the command ---- */

static int sweep(struct context *bench, struct series *series, struct error *err)
{
    const struct settings *settings = bench->settings;
    struct sweep_runner runner = sweep_live(bench);
    bool continued = false;
    size_t there = 0;
    make_head(bench, series);
    if (context_store(bench, &continued, err) ||
        (continued && series_load(series, bench->store, bench->session, &there, err)))
        return -1;
    if (continued)
        progress_note(&bench->progress,
                      "continuing session %lld: %zu of %zu points are there (--fresh "
                      "starts anew)",
                      bench->session, there, series->point_nr);
    if (series_measure(series, &runner, bench->store, bench->session,
                       settings->budget_s > 0 ? settings->budget_s : default_budget_s,
                       &bench->progress, err))
        return -1;
    return hand_out(bench, series, err);
}

/* The kernel needs some size to begin with: the first that works. */
static int begin_somewhere(struct context *bench, const struct sweep_axes *axes,
                           struct error *err)
{
    struct error why = {0};
    for (size_t i = 0; i < sweep_axes_points(axes); i++) {
        long long value[SWEEP_AXES_MAX];
        sweep_axes_at(axes, i, value);
        error_clear(&why);
        if (set_sizes(bench->kernel, axes, value, &why) == 0)
            return 0;
    }
    return fail(err, why.status, "%s", why.text);
}

int sweep_command(struct context *bench, struct error *err)
{
    const struct settings *settings = bench->settings;
    struct sweep_axes axes = {0};
    struct series series = {0};
    if (context_kernel(bench, false, err))
        return -1;
    struct kernel_view view = kernel_view(bench->kernel);
    int status = sweep_axes_read(&settings->sweep, &view, &axes, err);
    if (!status && settings->csv)
        status = file_check_writable(settings->csv, err);
    if (!status)
        status = begin_somewhere(bench, &axes, err);
    if (!status)
        status = context_live(bench, err);
    if (!status) {
        series_start(&series, &axes);
        status = sweep(bench, &series, err);
    }
    sweep_axes_release(&axes);
    series_release(&series);
    return status;
}
