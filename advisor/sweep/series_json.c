#include <stdlib.h>
#include <string.h>

#include "advisor/sweep/series.h"

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

static int read_count(const struct json_at *at, const char *key, size_t *out,
                      struct error *err)
{
    long long count = 0;
    if (json_integer_at(at, key, 0, 1000000000, &count, err))
        return -1;
    *out = (size_t)count;
    return 0;
}

const char *point_state_word(enum point_state state)
{
    return state_word[state];
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
        json_copy_if(at, "reason", &point->reason, err) ||
        json_copy_if(at, "cause", &point->cause, err) ||
        json_copy_if(at, "busiest", &point->busiest, err) ||
        json_copy_if(at, "traffic_from", &point->traffic_from, err) ||
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
