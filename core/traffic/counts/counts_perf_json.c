/* perf stat -j: an object a line. */
#include <stdlib.h>
#include <string.h>

#include "core/traffic/counts/counts_perf.h"

/* Numbers are texts in some versions and numbers in others. Owned by `out`. */
static const char *text_of(const json_t *object, const char *key, struct strvec *out)
{
    const json_t *value = json_object_get(object, key);
    if (json_is_string(value))
        strvec_push(out, json_string_value(value));
    else if (json_is_number(value))
        strvec_pushf(out, "%.6f", json_number_value(value)); /* as perf writes them */
    else
        return NULL;
    return out->v[out->nr - 1];
}

static const char *place_of(const json_t *object, struct strvec *out)
{
    static const char *const key[] = {"cpu",  "socket", "die",  "cluster",
                                      "core", "cache",  "node", "thread"};
    const char *place = NULL;
    for (size_t i = 0; !place && i < ARRAY_SIZE(key); i++)
        if ((place = text_of(object, key[i], out)))
            strvec_pushf(out, "%s%s", i == 0 ? "CPU" : "", place);
    return place ? out->v[out->nr - 1] : NULL;
}

static int take_object(struct perf_rows *rows, const json_t *object, struct error *err)
{
    struct strvec text = {0};
    const json_t *interval = json_object_get(object, "interval");
    struct perf_row row = {.value = text_of(object, "counter-value", &text),
                           .unit = text_of(object, "unit", &text),
                           .event = text_of(object, "event", &text),
                           .percent = text_of(object, "pcnt-running", &text),
                           .variance = text_of(object, "variance", &text),
                           .metric = text_of(object, "metric-value", &text),
                           .measure = text_of(object, "metric-unit", &text),
                           .place = place_of(object, &text),
                           .interval_s = json_number_value(interval)};
    int status = 0;
    if (row.value && row.event)
        status = perf_rows_take(rows, &row, err);
    else if (!row.metric)
        status = csv_fail(&rows->lines, err,
                          "expected \"counter-value\" and \"event\", as 'perf "
                          "stat -j' writes them");
    strvec_release(&text);
    return status;
}

static int take_line(struct perf_rows *rows, struct error *err)
{
    json_error_t where;
    const char *line = buf_str(&rows->lines.line);
    json_t *object = json_loads(line, JSON_REJECT_DUPLICATES, &where);
    if (!object)
        return csv_fail(&rows->lines, err,
                        "column %d: %s (an object a line is expected, as 'perf "
                        "stat -j' writes them with LC_ALL=C)",
                        where.column, where.text);
    int status = take_object(rows, object, err);
    json_decref(object);
    return status;
}

int counts_read_perf_json(const char *name, const char *text, struct count_set *set,
                          struct error *err)
{
    struct perf_rows rows = {.lines = {.file = name, .rest = text}};
    int status = 0;
    while (!status && csv_next(&rows.lines)) {
        const char *line = buf_str(&rows.lines.line);
        if (!csv_is_blank(line) && *line != '#')
            status = take_line(&rows, err);
    }
    if (status)
        perf_rows_release(&rows);
    else
        perf_rows_finish(&rows, set);
    return status;
}
