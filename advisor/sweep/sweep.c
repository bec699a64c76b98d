#include "advisor/sweep/sweep.h"

#include <stdlib.h>
#include <string.h>

#include "advisor/sweep/series.h"
#include "core/base.h"
#include "core/store/store.h"

/* ---- what is there already ---- */

struct loading {
    struct series *series;
    size_t nr;
};

static struct series_point *find_point(struct series *series, const char *name)
{
    for (size_t i = 0; i < series->point_nr; i++) {
        char *text = sweep_point_text(&series->axes, series->point[i].value);
        bool same = !strcmp(text, name);
        free(text);
        if (same)
            return &series->point[i];
    }
    return NULL;
}

static int load_point(void *data, const char *variant, const char *text)
{
    struct loading *loading = data;
    struct series_point *point = find_point(loading->series, variant);
    json_t *document = NULL;
    if (!point || point->state != POINT_PENDING ||
        json_read_text(text, "session database", "inflight.point/1", &document, NULL))
        return 0;
    struct json_at at = json_top("session database", document);
    if (point_from_json(&at, point, NULL))
        point->state = POINT_PENDING;
    loading->nr += point->state != POINT_PENDING;
    json_decref(document);
    return 0;
}

int series_load(struct series *series, struct store *store, long long session, size_t *nr,
                struct error *err)
{
    struct loading loading = {.series = series};
    int status = store_measurement_each(store, session, load_point, &loading, err);
    *nr = loading.nr;
    return status;
}

/* ---- measuring ---- */

static int save_point(const struct series *series, const struct series_point *point,
                      struct store *store, long long session, struct error *err)
{
    json_t *document = point_to_json(point, &series->axes);
    char *text = json_text(document),
         *name = sweep_point_text(&series->axes, point->value);
    int status = store_measurement_add(store, session, name, text, err);
    free(name);
    free(text);
    json_decref(document);
    return status;
}

static void say_point(const struct series *series, const struct series_point *point,
                      double left_s, struct progress *progress)
{
    char *name = sweep_point_text(&series->axes, point->value);
    char *doing = xasprintf("point %zu of %zu: %s", series_done(series) + 1,
                            series->point_nr, name);
    progress_show(progress, &(struct progress_status){.doing = doing, .left_s = left_s});
    free(doing);
    free(name);
}

static int run_point(struct series *series, struct series_point *point,
                     const struct sweep_runner *runner, struct store *store,
                     long long session, struct error *err)
{
    struct error why = {0};
    int failed = runner->measure(runner->data, &series->axes, point, &why);
    if (spawn_interrupted() && (failed || point->state != POINT_MEASURED)) {
        point->state = POINT_PENDING;
        return 0;
    }
    if (failed)
        point_failed(point, why.text);
    if (point->state == POINT_PENDING)
        return 0;
    return save_point(series, point, store, session, err);
}

int series_measure(struct series *series, const struct sweep_runner *runner,
                   struct store *store, long long session, double budget_s,
                   struct progress *progress, struct error *err)
{
    double deadline_s = clock_s() + budget_s;
    for (size_t i = 0; i < series->point_nr; i++) {
        struct series_point *point = &series->point[i];
        if (point->state != POINT_PENDING)
            continue;
        if (spawn_interrupted() || clock_s() >= deadline_s)
            break;
        say_point(series, point, deadline_s - clock_s(), progress);
        if (run_point(series, point, runner, store, session, err))
            return -1;
    }
    series->interrupted = spawn_interrupted() != 0;
    return 0;
}
