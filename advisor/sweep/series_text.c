/* A series as tables for people, and as CSV for programs. */
#include <stdlib.h>
#include <string.h>

#include "advisor/cli/layout.h"
#include "advisor/sweep/series.h"
#include "core/base.h"

/* ---- the axes as columns ---- */

enum { AXIS_WIDTH_MAX = 14 };

struct columns {
    size_t width[SWEEP_AXES_MAX];
};

/* The name of an axis, "n,m", or its value at a point. Caller frees. */
static char *axis_text(const json_t *axis, const json_t *point)
{
    const json_t *names = json_object_get(axis, "names"), *name;
    size_t i;
    if (point) {
        const char *first = json_string_value(json_array_get(names, 0));
        const json_t *value =
            first ? json_object_get(json_object_get(point, "at"), first) : NULL;
        const char *word = json_string_value(value);
        return json_is_integer(value) ? xasprintf("%lld", json_integer_value(value))
                                      : xstrdup(word ? word : "?");
    }
    struct buf text = {0};
    json_array_foreach(names, i, name) {
        buf_addf(&text, "%s%s", i ? "," : "", json_string_value(name));
    }
    return buf_detach(&text);
}

static const json_t *axis_of(const json_t *series, size_t i)
{
    return i < SWEEP_AXES_MAX ? json_array_get(json_object_get(series, "axes"), i) : NULL;
}

static size_t longest(size_t width, char *text)
{
    size_t length = strlen(text);
    free(text);
    return length > width ? length : width;
}

static struct columns columns_of(const json_t *series)
{
    struct columns columns = {{0}};
    const json_t *axis, *point;
    size_t k;
    for (size_t i = 0; (axis = axis_of(series, i)); i++) {
        size_t width = longest(4, axis_text(axis, NULL));
        json_array_foreach(json_object_get(series, "points"), k, point) {
            width = longest(width, axis_text(axis, point));
        }
        columns.width[i] = width > AXIS_WIDTH_MAX ? AXIS_WIDTH_MAX : width;
    }
    return columns;
}

/* point: NULL = the heading. */
static void add_cells(const json_t *series, const struct columns *columns,
                      const json_t *point, struct buf *out)
{
    const json_t *axis;
    buf_add(out, " ");
    for (size_t i = 0; (axis = axis_of(series, i)); i++) {
        char *text = axis_text(axis, point);
        buf_addf(out, " %*.*s", (int)columns->width[i], (int)columns->width[i], text);
        free(text);
    }
}

/* ---- columns of the tables ---- */

struct column {
    const char *title; /* as wide as the column */
    void (*add)(struct buf *out, const json_t *point, const struct column *column);
    enum figure figure;
    int dropped; /* where the page is narrow: 0 = never, else in this order */
};

static struct quantity figure_of(const json_t *point, const struct column *column)
{
    struct json_at figures = json_top("series", json_object_get(point, "figures"));
    struct quantity quantity = quantity_unknown();
    json_quantity_at(&figures, figure_key(column->figure), &quantity, NULL);
    return quantity;
}

static void add_spread(struct buf *out, const json_t *point, const struct column *column)
{
    struct quantity quantity = figure_of(point, column);
    if (quantity.known && quantity.value > 0)
        buf_addf(out, " %4.0f%%",
                 100 * (quantity.high - quantity.low) / quantity.value / 2);
    else
        buf_add(out, "     ?");
}

static void add_time(struct buf *out, const json_t *point, const struct column *column)
{
    struct quantity ns = figure_of(point, column);
    struct buf cell = {0};
    if (ns.known)
        buf_add_time(&cell, ns.value * 1e-9);
    else
        buf_add(&cell, "?");
    buf_addf(out, "%*s", (int)strlen(column->title), buf_str(&cell));
    buf_release(&cell);
}

static void add_use(struct buf *out, const json_t *point, const struct column *column)
{
    struct quantity use = figure_of(point, column);
    if (use.known)
        buf_addf(out, "%4.0f%%", 100 * use.value);
    else
        buf_add(out, "    ?");
}

static void add_figure(struct buf *out, const json_t *point, const struct column *column)
{
    buf_add_cell(out, figure_of(point, column), 1, (int)strlen(column->title));
}

static void add_word(struct buf *out, const json_t *point, const struct column *column)
{
    const char *busiest = json_string_value(json_object_get(point, "busiest"));
    (void)column;
    buf_addf(out, "  %-12s", busiest ? busiest : "?");
}

static const struct column times[] = {
    {"  one call", add_time, FIGURE_TIME, 0},
    {"   +- ", add_spread, FIGURE_TIME, 5},
    {"   per it.", add_time, FIGURE_PER_ITERATION, 6},
    {"    GB/s", add_figure, FIGURE_BANDWIDTH, 0},
    {"       n", add_figure, FIGURE_N, 0},
    {"  L1q", add_use, FIGURE_L1_QUEUE_USE, 0},
    {"  L2q", add_use, FIGURE_L2_QUEUE_USE, 0},
    {" walk", add_use, FIGURE_WALKERS_USE, 3},
    {"  mem", add_use, FIGURE_MEMORY_USE, 4},
    {"  busiest     ", add_word, FIGURE_NR, 7},
};

static const struct column traffics[] = {
    {"    arrays", add_figure, FIGURE_ARRAYS, 0},
    {"  L1 fills", add_figure, FIGURE_L1_FILLS, 0},
    {"  L2 fills", add_figure, FIGURE_L2_FILLS, 0},
    {"  L3 fills", add_figure, FIGURE_L3_FILLS, 2},
    {"  mem.read", add_figure, FIGURE_READ, 0},
    {"  mem.writ", add_figure, FIGURE_WRITTEN, 3},
    {"     walks", add_figure, FIGURE_WALKS, 1},
};

/* Columns dropped up to this rank let the rest stand within the page. */
static int rank_for(const struct column *column, size_t nr, size_t axes_width,
                    size_t width)
{
    for (int rank = 0; rank < 8; rank++) {
        size_t need = axes_width;
        for (size_t i = 0; i < nr; i++)
            if (column[i].dropped == 0 || column[i].dropped > rank)
                need += strlen(column[i].title);
        if (need <= width)
            return rank;
    }
    return 8;
}

static bool is_shown(const struct column *column, int rank)
{
    return column->dropped == 0 || column->dropped > rank;
}

/* ---- the tables ---- */

static bool has_state(const json_t *point, enum point_state state)
{
    const char *word = json_string_value(json_object_get(point, "state"));
    return word && !strcmp(word, point_state_word(state));
}

static void add_state(const json_t *point, struct layout *layout)
{
    const char *reason = json_string_value(json_object_get(point, "reason"));
    size_t indent = layout->out->length;
    while (indent > 0 && layout->out->data[indent - 1] != '\n')
        indent--;
    buf_add(layout->out, "  ");
    buf_add_wrapped(layout->out,
                    has_state(point, POINT_PENDING) ? "not measured yet"
                    : reason                        ? reason
                                                    : "failed",
                    layout->out->length - indent, layout->width);
}

static void end_line(struct buf *out)
{
    while (out->length && out->data[out->length - 1] == ' ')
        buf_truncate(out, out->length - 1);
    buf_add(out, "\n");
}

static void show_table(const json_t *series, const struct columns *columns,
                       const struct column *column, size_t nr, bool all,
                       struct layout *layout)
{
    const json_t *point;
    struct buf axes = {0};
    size_t i;
    add_cells(series, columns, NULL, &axes);
    int rank = rank_for(column, nr, axes.length, layout->width);
    buf_add(layout->out, buf_str(&axes));
    for (size_t k = 0; k < nr; k++)
        if (is_shown(&column[k], rank))
            buf_add(layout->out, column[k].title);
    end_line(layout->out);
    json_array_foreach(json_object_get(series, "points"), i, point) {
        bool measured = has_state(point, POINT_MEASURED);
        if (!measured && !all)
            continue;
        add_cells(series, columns, point, layout->out);
        for (size_t k = 0; k < nr && measured; k++)
            if (is_shown(&column[k], rank))
                column[k].add(layout->out, point, &column[k]);
        if (!measured)
            add_state(point, layout);
        end_line(layout->out);
    }
    buf_release(&axes);
}

static void show_tables(const json_t *series, struct layout *layout)
{
    struct columns columns = columns_of(series);
    layout_heading(layout, "Time, and what is busy");
    show_table(series, &columns, times, ARRAY_SIZE(times), true, layout);
    layout_paragraph(
        layout, "one call: median, and half of its 95 %% interval; GB/s through "
                "memory, all cores; n: lines in flight per core (bandwidth x latency "
                "/ line / cores); how full the L1 queue, the L2 queue, the page "
                "walkers and memory's bandwidth are.");
    layout_heading(layout, "What one call moves, per core");
    show_table(series, &columns, traffics, ARRAY_SIZE(traffics), false, layout);
    layout_paragraph(layout, "arrays, read and written in bytes; fills in lines.");
}

static void show_failures(const json_t *series, struct layout *layout)
{
    const json_t *points = json_object_get(series, "points"), *point;
    size_t failed = 0, pending = 0, i;
    json_array_foreach(points, i, point) {
        failed += has_state(point, POINT_FAILED);
        pending += has_state(point, POINT_PENDING);
    }
    if (failed)
        layout_paragraph(layout, "%zu of %zu points could not be measured.", failed,
                         json_array_size(points));
    if (pending)
        layout_paragraph(layout,
                         "%zu of %zu points are not measured yet: the same command "
                         "continues.",
                         pending, json_array_size(points));
}

void series_text(const json_t *series, struct layout *layout)
{
    const char *title = json_string_value(json_object_get(series, "title")),
               *subtitle = json_string_value(json_object_get(series, "subtitle"));
    buf_addf(layout->out, "%s%s%s\n", layout->colour ? "\033[1m" : "", title ? title : "",
             layout->colour ? "\033[0m" : "");
    if (subtitle)
        buf_addf(layout->out, "%s\n", subtitle);
    show_tables(series, layout);
    show_failures(series, layout);
}

/* ---- CSV ---- */

static void add_csv_figure(struct buf *out, struct quantity quantity)
{
    const double number[] = {quantity.value, quantity.low, quantity.high};
    for (size_t i = 0; i < ARRAY_SIZE(number); i++)
        if (quantity.known && number[i] - number[i] == 0) /* finite */
            buf_addf(out, ",%.10g", number[i]);
        else
            buf_add(out, ",");
}

static void add_header(const struct series *series, struct buf *out)
{
    static const char *const words[] = {"state",     "reason",      "cause",
                                        "busiest",   "launches",    "samples",
                                        "disturbed", "traffic_from"};
    for (size_t i = 0; i < series->axes.nr; i++)
        for (size_t k = 0; k < series->axes.axis[i].name.nr; k++) {
            buf_add(out, i || k ? "," : "");
            csv_add(out, series->axes.axis[i].name.v[k]);
        }
    for (size_t i = 0; i < ARRAY_SIZE(words); i++)
        buf_addf(out, ",%s", words[i]);
    for (int f = 0; f < FIGURE_NR; f++)
        buf_addf(out, ",%s,%s_low,%s_high", figure_key((enum figure)f),
                 figure_key((enum figure)f), figure_key((enum figure)f));
    buf_add(out, "\r\n");
}

static void add_row(const struct series *series, const struct series_point *point,
                    struct buf *out)
{
    const char *const words[] = {point_state_word(point->state), point->reason,
                                 point->cause, point->busiest};
    for (size_t i = 0; i < series->axes.nr; i++) {
        const struct sweep_axis *axis = &series->axes.axis[i];
        char *text = sweep_value_text(axis, point->value[i]);
        for (size_t k = 0; k < axis->name.nr; k++) {
            buf_add(out, i || k ? "," : "");
            csv_add(out, text);
        }
        free(text);
    }
    for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
        buf_add(out, ",");
        csv_add(out, words[i] ? words[i] : "");
    }
    if (point->state == POINT_MEASURED)
        buf_addf(out, ",%zu,%zu,%zu,", point->launches, point->samples, point->disturbed);
    else
        buf_add(out, ",,,,");
    csv_add(out, point->traffic_from ? point->traffic_from : "");
    for (int f = 0; f < FIGURE_NR; f++)
        add_csv_figure(out, point->figure[f]);
    buf_add(out, "\r\n");
}

void series_csv(const struct series *series, struct buf *out)
{
    add_header(series, out);
    for (size_t i = 0; i < series->point_nr; i++)
        add_row(series, &series->point[i], out);
}
