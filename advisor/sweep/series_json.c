#include <stdlib.h>
#include <string.h>

#include "advisor/sweep/series.h"
#include "core/run/run_words.h"

static const char *const state_word[] = {[POINT_PENDING] = "pending",
                                         [POINT_MEASURED] = "measured",
                                         [POINT_FAILED] = "failed"};

/* ---- writing ---- */

static json_t *at_json(const struct series_point *point, const struct sweep_axes *axes)
{
    json_t *at = json_object();
    for (size_t i = 0; i < axes->nr; i++) {
        const struct sweep_axis *axis = &axes->axis[i];
        bool number = axis->kind == AXIS_SIZE || axis->kind == AXIS_CORES;
        char *text = sweep_value_text(axis, point->value[i]);
        for (size_t k = 0; k < axis->name.nr; k++)
            json_object_set_new(at, axis->name.v[k],
                                number ? json_integer((json_int_t)point->value[i])
                                       : json_string(text));
        free(text);
    }
    return at;
}

json_t *point_to_json(const struct series_point *point, const struct sweep_axes *axes)
{
    json_t *figures = json_object();
    for (int f = 0; f < FIGURE_NR; f++)
        json_object_set_new(figures, figure_key((enum figure)f),
                            json_quantity(point->figure[f]));
    return json_pack("{s:s, s:o, s:s, s:o, s:s?, s:s?, s:s?, s:I, s:I, s:I, s:o}",
                     "schema", "inflight.point/1", "at", at_json(point, axes), "state",
                     state_word[point->state], "reason", text_json(point->reason),
                     "cause", point->cause, "busiest", point->busiest, "traffic_from",
                     point->traffic_from, "launches", (json_int_t)point->launches,
                     "samples", (json_int_t)point->samples, "disturbed",
                     (json_int_t)point->disturbed, "figures", figures);
}

static json_t *axes_json(const struct sweep_axes *axes)
{
    json_t *list = json_array();
    for (size_t i = 0; i < axes->nr; i++) {
        const struct sweep_axis *axis = &axes->axis[i];
        json_t *names = json_array(), *values = json_array();
        for (size_t k = 0; k < axis->name.nr; k++)
            json_array_append_new(names, json_string(axis->name.v[k]));
        for (size_t k = 0; k < axis->value_nr; k++)
            json_array_append_new(values, json_integer((json_int_t)axis->value[k]));
        json_array_append_new(list, json_pack("{s:i, s:o, s:o}", "kind", (int)axis->kind,
                                              "names", names, "values", values));
    }
    return list;
}

static json_t *caches_json(const struct series *series)
{
    json_t *list = json_array();
    for (size_t i = 0; i < series->cache_nr; i++)
        json_array_append_new(list,
                              json_pack("{s:i, s:f}", "level", series->cache[i].level,
                                        "bytes", series->cache[i].bytes));
    return list;
}

json_t *series_to_json(const struct series *series)
{
    json_t *points = json_array();
    json_t *root = json_pack(
        "{s:s, s:s?, s:s?, s:b, s:O?, s:o, s:o, s:{s:o, s:o, s:o}}", "schema",
        "inflight.series/1", "title", series->title, "subtitle", series->subtitle,
        "interrupted", (int)series->interrupted, "about", series->head, "axes",
        axes_json(&series->axes), "caches", caches_json(series), "limits", "l1_mshrs",
        json_quantity(series->l1_mshrs), "l2_mshrs", json_quantity(series->l2_mshrs),
        "memory_gbs", json_quantity(series->memory_gbs));
    for (size_t i = 0; i < series->point_nr; i++)
        json_array_append_new(points, point_to_json(&series->point[i], &series->axes));
    json_object_set_new(root, "points", points);
    return root;
}

/* ---- reading ---- */

static int read_word(const struct json_at *at, const char *key, char **out,
                     struct error *err)
{
    const char *text = NULL;
    if (json_has(at, key) && json_string_at(at, key, &text, err))
        return -1;
    free(*out);
    *out = xstrdup(text);
    return 0;
}

static int read_count(const struct json_at *at, const char *key, size_t *out,
                      struct error *err)
{
    long long count = 0;
    if (json_integer_at(at, key, 0, 1000000000, &count, err))
        return -1;
    *out = (size_t)count;
    return 0;
}

static int read_state(const struct json_at *at, enum point_state *state,
                      struct error *err)
{
    const char *word = NULL;
    if (json_string_at(at, "state", &word, err))
        return -1;
    for (size_t i = 0; i < ARRAY_SIZE(state_word); i++)
        if (!strcmp(word, state_word[i])) {
            *state = (enum point_state)i;
            return 0;
        }
    return json_fail(at, err, "state: unknown word \"%s\"", word);
}

int point_from_json(const struct json_at *at, struct series_point *point,
                    struct error *err)
{
    struct json_at figures = {0};
    if (read_state(at, &point->state, err) ||
        read_word(at, "reason", &point->reason, err) ||
        read_word(at, "cause", &point->cause, err) ||
        read_word(at, "busiest", &point->busiest, err) ||
        read_word(at, "traffic_from", &point->traffic_from, err) ||
        read_count(at, "launches", &point->launches, err) ||
        read_count(at, "samples", &point->samples, err) ||
        read_count(at, "disturbed", &point->disturbed, err) ||
        json_object_at(at, "figures", &figures, err))
        return -1;
    for (int f = 0; f < FIGURE_NR; f++)
        if (json_quantity_at(&figures, figure_key((enum figure)f), &point->figure[f],
                             err))
            return -1;
    return 0;
}

static int read_axis(const struct json_at *at, struct sweep_axis *axis, struct error *err)
{
    struct json_at values = {0};
    size_t value_nr = 0;
    long long kind = 0;
    if (json_integer_at(at, "kind", 0, AXIS_BACKGROUND, &kind, err) ||
        json_strings_at(at, "names", &axis->name, err) ||
        json_array_at(at, "values", &values, &value_nr, err))
        return -1;
    axis->kind = (enum axis_kind)kind;
    GROW(axis->value, value_nr + 1, axis->value_alloc);
    for (size_t i = 0; i < value_nr; i++) {
        struct json_at one = json_element(&values, i);
        double value = 0;
        if (json_number_here(&one, -9e15, 9e15, &value, err))
            return -1;
        axis->value[axis->value_nr++] = (long long)value;
    }
    return axis->name.nr && value_nr
               ? 0
               : json_fail(at, err, "an axis without name or value");
}

/* Words are indices into tables: what lies outside is not drawn, but refused. */
static int check_axis(const struct json_at *at, const struct sweep_axis *axis,
                      struct error *err)
{
    static const int max[] = {[AXIS_PAGES] = 1,
                              [AXIS_START] = RUN_START_NR - 1,
                              [AXIS_BACKGROUND] = RUN_BACKGROUND_NR - 1};
    if (axis->kind == AXIS_SIZE || axis->kind == AXIS_CORES)
        return 0;
    for (size_t i = 0; i < axis->value_nr; i++)
        if (axis->value[i] < 0 || axis->value[i] > max[axis->kind])
            return json_fail(at, err, "there is no value %lld on this axis",
                             axis->value[i]);
    return 0;
}

static int read_axes(const struct json_at *top, struct sweep_axes *axes,
                     struct error *err)
{
    struct json_at list = {0};
    size_t nr = 0;
    if (json_array_at(top, "axes", &list, &nr, err))
        return -1;
    if (!nr || nr > SWEEP_AXES_MAX)
        return json_fail(&list, err, "expected 1 to %d axes, got %zu", SWEEP_AXES_MAX,
                         nr);
    for (size_t i = 0; i < nr; i++) {
        struct json_at one = json_element(&list, i);
        axes->nr++;
        if (read_axis(&one, &axes->axis[i], err) || check_axis(&one, &axes->axis[i], err))
            return -1;
    }
    return 0;
}

static int read_caches(const struct json_at *top, struct series *series,
                       struct error *err)
{
    struct json_at list = {0};
    size_t nr = 0;
    if (json_array_at(top, "caches", &list, &nr, err))
        return -1;
    for (size_t i = 0; i < nr && i < MACHINE_LEVELS_MAX; i++) {
        struct json_at one = json_element(&list, i);
        long long level = 0;
        if (json_integer_at(&one, "level", 1, MACHINE_LEVELS_MAX, &level, err) ||
            json_number_at(&one, "bytes", 0, 1e15, &series->cache[i].bytes, err))
            return -1;
        series->cache[i].level = (int)level;
        series->cache_nr++;
    }
    return 0;
}

static int read_rest(const struct json_at *top, struct series *series, struct error *err)
{
    struct json_at limits = {0}, list = {0};
    size_t nr = 0;
    if (read_caches(top, series, err) || read_word(top, "title", &series->title, err) ||
        read_word(top, "subtitle", &series->subtitle, err) ||
        json_bool_at(top, "interrupted", &series->interrupted, err) ||
        json_object_at(top, "limits", &limits, err) ||
        json_quantity_at(&limits, "l1_mshrs", &series->l1_mshrs, err) ||
        json_quantity_at(&limits, "l2_mshrs", &series->l2_mshrs, err) ||
        json_quantity_at(&limits, "memory_gbs", &series->memory_gbs, err) ||
        json_array_at(top, "points", &list, &nr, err))
        return -1;
    if (nr != series->point_nr)
        return json_fail(&list, err, "expected %zu points, got %zu", series->point_nr,
                         nr);
    for (size_t i = 0; i < nr; i++) {
        struct json_at one = json_element(&list, i);
        if (point_from_json(&one, &series->point[i], err))
            return -1;
    }
    return 0;
}

int series_from_json(const json_t *root, const char *name, struct series *series,
                     struct error *err)
{
    struct json_at top = json_top(name, root);
    struct sweep_axes axes = {0};
    *series = (struct series){0};
    if (read_axes(&top, &axes, err)) {
        sweep_axes_release(&axes);
        return -1;
    }
    if (sweep_axes_points(&axes) > SWEEP_POINTS_MAX) {
        sweep_axes_release(&axes);
        return json_fail(&top, err, "more than %d points", SWEEP_POINTS_MAX);
    }
    series_start(series, &axes);
    series->head = json_incref(json_object_get(root, "about"));
    if (read_rest(&top, series, err)) {
        series_release(series);
        return -1;
    }
    return 0;
}
