/*
 * Counts of perf stat, -x and -j: units, multiplexing, sums, the time covered. Forms: the
 * manual page perf-stat(1), "CSV FORMAT" and "JSON FORMAT", and the output of perf 5 and
 * 6.
 */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base.h"
#include "core/traffic/counts/counts.h"
#include "core/traffic/traffic.h"

/* ---- perf rows ---- */

/* One row as text. NULL = the row does not say it. */
struct perf_row {
    const char *place; /* "CPU0", "S0", a thread */
    const char *value, *unit, *event;
    const char *percent;  /* of the time it counted */
    const char *variance; /* standard error of a mean in percent */
    double interval_s;    /* end of the row's interval; 0 = the whole run */
};
/* {0} and `lines` filled in is the valid empty one. */
struct perf_rows {
    struct csv_lines lines; /* where we are, for messages */
    char separator;         /* of -x; 0 = not seen yet */
    struct count_sums sums;
    struct strvec place, repeated; /* that rows name; events that stand there twice */
    double interval_s, wall_ns, wall_error;
    size_t lines_of_64;
};

/* perf multiplies by these before it prints; here times are nanoseconds again, as the
 * kernel counts them. */
static double unit_factor(const char *unit)
{
    static const struct {
        const char *unit;
        double factor;
    } known[] = {{"msec", 1e6}, {"ms", 1e6}, {"usec", 1e3}, {"us", 1e3}, {"sec", 1e9}};
    for (size_t i = 0; unit && i < ARRAY_SIZE(known); i++)
        if (!strcmp(unit, known[i].unit))
            return known[i].factor;
    return 1;
}

/* Memory controllers count lines of 64 bytes; the kernel's drivers of Intel's name the
 * unit MiB and the factor 6.103515625e-5 for them (uncore_imc/cas_count_read.scale). */
static double lines_factor(const char *unit)
{
    return unit && !strcmp(unit, "MiB") ? 1048576.0 / 64 : 0;
}

static bool is_event(const char *event, const char *name)
{
    size_t length = strlen(name);
    return !strncmp(event, name, length) && (!event[length] || event[length] == ':');
}

static int percent_of(const struct perf_rows *rows, const char *text, const char *what,
                      double *share, struct error *err)
{
    const char *why;
    char *number = xstrndup(text, strcspn(text, "%"));
    enum count_word word = count_number(number, share, &why);
    if (word == COUNT_BAD)
        csv_fail(&rows->lines, err, "%s: '%s' %s", what, text, why);
    *share = word == COUNT_NUMBER ? *share / 100 : 0;
    free(number);
    return word == COUNT_BAD ? -1 : 0;
}

/* The wall time as an event: the same on every CPU and in every interval's own row. */
static void take_wall(struct perf_rows *rows, const struct count_row *row)
{
    rows->wall_ns = fmax(rows->wall_ns, row->value);
    rows->wall_error = row->standard_error;
}

static void take_count(struct perf_rows *rows, const struct perf_row *row,
                       struct count_row *count)
{
    double lines = lines_factor(row->unit);
    count->value *= lines > 0 ? lines : unit_factor(row->unit);
    rows->lines_of_64 += lines > 0;
    if (is_event(row->event, "duration_time")) {
        take_wall(rows, count);
        return;
    }
    for (size_t i = 0; !row->place && row->interval_s <= 0 && i < rows->sums.nr; i++)
        if (!strcmp(rows->sums.item[i].event, row->event))
            strvec_push_once(&rows->repeated, row->event);
    count_sums_add(&rows->sums, count);
}

static int perf_rows_take(struct perf_rows *rows, const struct perf_row *row,
                          struct error *err)
{
    struct count_row count = {.event = row->event};
    const char *why;
    enum count_word word = count_number(row->value, &count.value, &why);
    if (word == COUNT_BAD)
        return csv_fail(&rows->lines, err, "the count '%s' of '%s' %s", row->value,
                        row->event, why);
    if (!*row->event)
        return csv_fail(&rows->lines, err, "the event's name is missing");
    count.why = word == COUNT_NUMBER ? NULL : why;
    count.broken = word == COUNT_BROKEN;
    if ((row->percent &&
         percent_of(rows, row->percent, "share of the time", &count.share, err)) ||
        (row->variance &&
         percent_of(rows, row->variance, "variance", &count.standard_error, err)))
        return -1;
    if (count.share > 1.0005)
        return csv_fail(&rows->lines, err, "share of the time: %s is more than 100 %%",
                        row->percent);
    count.share = fmin(count.share, 1); /* rounded */
    if (row->place)
        strvec_push_once(&rows->place, row->place);
    rows->interval_s = fmax(rows->interval_s, row->interval_s);
    take_count(rows, row, &count);
    return 0;
}

/* ---- the time covered ---- */

static struct quantity seconds_of(const struct perf_rows *rows)
{
    if (rows->interval_s > 0)
        return quantity_exact(rows->interval_s, PROVENANCE_RECORDED);
    return rows->wall_ns > 0 ? count_quantity(rows->wall_ns * 1e-9, 0, rows->wall_error)
                             : quantity_unknown();
}

/* ---- notes ---- */

static void note_places(const struct strvec *place, struct count_set *set)
{
    struct buf names = {0};
    for (size_t i = 0; i < place->nr && i < 4; i++)
        buf_addf(&names, "%s%s", i ? ", " : "", place->v[i]);
    if (place->nr > 1)
        strvec_pushf(&set->note, "counts are the sum over %zu places: %s%s", place->nr,
                     buf_str(&names), place->nr > 4 ? " ..." : "");
    buf_release(&names);
}

static void note_shares(const struct perf_rows *rows, struct count_set *set)
{
    const struct count_sum *min = NULL;
    for (size_t i = 0; i < rows->sums.nr; i++) {
        const struct count_sum *sum = &rows->sums.item[i];
        if (sum->value.known && sum->share > 0 && sum->share < 0.9995 &&
            (!min || sum->share < min->share))
            min = sum;
    }
    if (min)
        strvec_pushf(&set->note,
                     "the counters were multiplexed: %s counted %.0f %% of the time, and "
                     "the rest is assumed to be alike",
                     min->event, 100 * min->share);
}

static void perf_rows_release(struct perf_rows *rows)
{
    count_sums_release(&rows->sums);
    strvec_release(&rows->place);
    strvec_release(&rows->repeated);
    buf_release(&rows->lines.line);
}

/* Into the set, with notes and the time covered; releases `rows`. */
static void perf_rows_finish(struct perf_rows *rows, struct count_set *set)
{
    set->source = xstrdup("perf stat");
    set->seconds = seconds_of(rows);
    note_places(&rows->place, set);
    note_shares(rows, set);
    for (size_t i = 0; i < rows->repeated.nr; i++)
        strvec_pushf(&set->note, "%s stands in several rows: their sum is taken",
                     rows->repeated.v[i]);
    if (rows->lines_of_64)
        strvec_push(&set->note,
                    "counts in MiB are converted back to lines of 64 bytes, as "
                    "the memory controllers count");
    count_sums_move(&rows->sums, set);
    perf_rows_release(rows);
}

/* ---- perf stat -x ---- */

/* [interval,][place,[members,]]value,unit,event,[group,][variance%,]running
 * time,percent,[metric,unit] */

/* Also one with a decimal comma: it is refused later, with the remedy. */
static bool is_value(const char *text)
{
    return *text == '<' ||
           (isdigit((unsigned char)*text) && !text[strspn(text, "0123456789.,eE+-")]);
}

/* "CPU0", "S0-D0-C1", "N1", a thread "name-123". */
static bool is_place(const char *text)
{
    size_t length = strlen(text), digits = 0;
    while (digits < length && isdigit((unsigned char)text[length - 1 - digits]))
        digits++;
    bool thread = digits && digits < length && text[length - 1 - digits] == '-';
    return thread || (length > 1 && strchr("CSND", *text) && digits);
}

/* Seconds with nine digits behind the point, as -I writes them. */
static bool is_interval(const char *text)
{
    const char *dot = strchr(text, '.');
    size_t whole = strspn(text, "0123456789");
    return dot && whole && text + whole == dot && strlen(dot + 1) == 9 &&
           strspn(dot + 1, "0123456789") == 9;
}

struct columns {
    const struct strvec *field;
    size_t at;
};

static const char *field_at(const struct columns *columns, size_t ahead)
{
    size_t i = columns->at + ahead;
    return i < columns->field->nr ? columns->field->v[i] : "";
}

/* Skips what stands before the value; false if there is no value. */
static bool find_value(struct columns *columns, struct perf_row *row)
{
    if (is_interval(field_at(columns, 0)) &&
        (is_value(field_at(columns, 1)) || is_place(field_at(columns, 1))))
        row->interval_s = strtod(columns->field->v[columns->at++], NULL);
    if (!is_value(field_at(columns, 0)) && is_place(field_at(columns, 0)))
        row->place = columns->field->v[columns->at++];
    if (row->place && is_value(field_at(columns, 0)) && is_value(field_at(columns, 1)))
        columns->at++;
    return is_value(field_at(columns, 0));
}

bool counts_is_perf_row(const struct strvec *field)
{
    struct columns columns = {field, 0};
    struct perf_row row = {0};
    return field->nr >= 4 && find_value(&columns, &row);
}

/* "imc/event=0x4,umask=0x3/" holds the separator: its pieces are put together again. */
static char *event_of(struct columns *columns, char separator)
{
    struct buf event = {0};
    const char *slash = strchr(field_at(columns, 0), '/');
    buf_add(&event, field_at(columns, 0));
    bool open = slash && !strchr(slash + 1, '/');
    for (columns->at++; open && columns->at < columns->field->nr; columns->at++) {
        buf_addf(&event, "%c%s", separator, field_at(columns, 0));
        open = !strchr(field_at(columns, 0), '/');
    }
    return buf_detach(&event);
}

/* Behind the event: a control group, a variance, running time and percent. */
static void take_rest(struct columns *columns, struct perf_row *row)
{
    size_t nr = columns->field->nr;
    for (; columns->at < nr; columns->at++) {
        const char *text = field_at(columns, 0);
        if (strchr(text, '%'))
            row->variance = text;
        else if (is_value(text))
            break;
    }
    if (columns->at + 1 < nr)
        row->percent = field_at(columns, 1);
}

/* Rows of a metric alone have neither value nor event. */
static bool is_metric_row(const struct strvec *field)
{
    size_t empty = 0;
    while (empty < field->nr && (!*field->v[empty] || is_interval(field->v[empty]) ||
                                 is_place(field->v[empty])))
        empty++;
    return empty >= 3;
}

static int take_fields(struct perf_rows *rows, const struct strvec *field,
                       struct error *err)
{
    struct columns columns = {field, 0};
    struct perf_row row = {0};
    if (is_metric_row(field))
        return 0;
    if (field->nr < 4 || !find_value(&columns, &row))
        return csv_fail(&rows->lines, err,
                        "expected a row of 'perf stat -x%c' (value, unit, "
                        "event, ...), got '%s'",
                        rows->separator, buf_str(&rows->lines.line));
    row.value = field_at(&columns, 0);
    row.unit = field_at(&columns, 1);
    if (!row.interval_s && *row.unit && is_value(row.unit))
        return csv_fail(&rows->lines, err,
                        "the numbers have decimal commas; run perf with LC_ALL=C "
                        "and -x,");
    columns.at += 2;
    char *event = event_of(&columns, rows->separator);
    row.event = event;
    take_rest(&columns, &row);
    int status = perf_rows_take(rows, &row, err);
    free(event);
    return status;
}

static int take_line(struct perf_rows *rows, struct error *err)
{
    const char *line = buf_str(&rows->lines.line);
    struct strvec field = {0};
    if (!rows->separator)
        rows->separator = csv_separator(line);
    csv_fields(line, rows->separator, &field);
    int status = take_fields(rows, &field, err);
    strvec_release(&field);
    return status;
}

/* ---- perf stat -j ---- */

/* An object a line. */

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
                           .place = place_of(object, &text),
                           .interval_s = json_number_value(interval)};
    int status = 0;
    if (row.value && row.event)
        status = perf_rows_take(rows, &row, err);
    else if (!json_object_get(object, "metric-value"))
        status = csv_fail(&rows->lines, err,
                          "expected \"counter-value\" and \"event\", as 'perf "
                          "stat -j' writes them");
    strvec_release(&text);
    return status;
}

static int take_line_json(struct perf_rows *rows, struct error *err)
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

/* ---- a text ---- */

int counts_read_perf(const char *name, const char *text, bool json, struct count_set *set,
                     struct error *err)
{
    struct perf_rows rows = {.lines = {.file = name, .rest = text}};
    int status = 0;
    while (!status && csv_next(&rows.lines)) {
        const char *line = buf_str(&rows.lines.line);
        if (!csv_is_blank(line) && *line != '#')
            status = json ? take_line_json(&rows, err) : take_line(&rows, err);
    }
    if (status)
        perf_rows_release(&rows);
    else
        perf_rows_finish(&rows, set);
    return status;
}
