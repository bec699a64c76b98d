/* A series as tables for people, and as CSV for programs. */
#include <stdlib.h>
#include <string.h>

#include "advisor/series.h"

/* ---- the axes as columns ---- */

enum { AXIS_WIDTH_MOST = 14 };

struct columns {
    size_t width[SWEEP_AXES_MAX];
};

static size_t longest(size_t width, char *text)
{
    size_t length = strlen(text);
    free(text);
    return length > width ? length : width;
}

static struct columns columns_of(const struct sweep_axes *axes)
{
    struct columns columns = {{0}};
    for (size_t i = 0; i < axes->nr; i++) {
        const struct sweep_axis *axis = &axes->axis[i];
        size_t width = longest(4, sweep_axis_name(axis));
        for (size_t k = 0; k < axis->value_nr; k++)
            width = longest(width, sweep_value_text(axis, axis->value[k]));
        columns.width[i] = width > AXIS_WIDTH_MOST ? AXIS_WIDTH_MOST : width;
    }
    return columns;
}

static void add_cells(const struct series *series, const struct columns *columns,
                      const struct series_point *point, struct buf *out)
{
    buf_add(out, " ");
    for (size_t i = 0; i < series->axes.nr; i++) {
        const struct sweep_axis *axis = &series->axes.axis[i];
        char *text =
            point ? sweep_value_text(axis, point->value[i]) : sweep_axis_name(axis);
        buf_addf(out, " %*.*s", (int)columns->width[i], (int)columns->width[i], text);
        free(text);
    }
}

/* ---- the tables ---- */

static void add_spread(struct buf *out, struct quantity quantity)
{
    if (quantity.known && quantity.value > 0)
        buf_addf(out, " %4.0f%%",
                 100 * (quantity.high - quantity.low) / quantity.value / 2);
    else
        buf_add(out, "    ?");
}

static void add_time_cell(struct buf *out, struct quantity ns, int width)
{
    struct buf cell = {0};
    if (ns.known)
        buf_add_time(&cell, ns.value * 1e-9);
    else
        buf_add(&cell, "?");
    buf_addf(out, "%*s", width, buf_str(&cell));
    buf_release(&cell);
}

static void add_use(struct buf *out, struct quantity use)
{
    if (use.known)
        buf_addf(out, "%5.0f%%", 100 * use.value);
    else
        buf_add(out, "     ?");
}

static void add_state(const struct series_point *point, struct page *page)
{
    size_t indent = page->out->length;
    const char *text = point->state == POINT_PENDING ? "not measured yet"
                       : point->reason               ? point->reason
                                                     : "failed";
    while (indent > 0 && page->out->data[indent - 1] != '\n')
        indent--;
    buf_add(page->out, "  ");
    buf_add_wrapped(page->out, text, page->out->length - indent, page->width);
}

static void show_times(const struct series *series, const struct columns *columns,
                       struct page *page)
{
    page_heading(page, "Time, and what is busy");
    add_cells(series, columns, NULL, page->out);
    buf_add(page->out,
            "    one call  +-    per it.   GB/s     n   L1q   L2q  walk   mem  "
            "limiter\n");
    for (size_t i = 0; i < series->point_nr; i++) {
        const struct series_point *point = &series->point[i];
        add_cells(series, columns, point, page->out);
        if (point->state != POINT_MEASURED) {
            add_state(point, page);
            buf_add(page->out, "\n");
            continue;
        }
        add_time_cell(page->out, point->figure[FIGURE_TIME], 10);
        add_spread(page->out, point->figure[FIGURE_TIME]);
        add_time_cell(page->out, point->figure[FIGURE_PER_ITERATION], 9);
        add_column(page->out, point->figure[FIGURE_BANDWIDTH], 1, 7);
        add_column(page->out, point->figure[FIGURE_N], 1, 6);
        add_use(page->out, point->figure[FIGURE_L1_QUEUE_USE]);
        add_use(page->out, point->figure[FIGURE_L2_QUEUE_USE]);
        add_use(page->out, point->figure[FIGURE_WALKERS_USE]);
        add_use(page->out, point->figure[FIGURE_MEMORY_USE]);
        buf_addf(page->out, "  %s\n", point->limiter ? point->limiter : "?");
    }
    page_paragraph(page,
                   "one call: median, half of its 95 %% interval; n: lines in flight per "
                   "core by bandwidth and latency; then how full the L1 queue, the L2 "
                   "queue, the page walkers and memory's bandwidth are.");
}

static void show_traffic(const struct series *series, const struct columns *columns,
                         struct page *page)
{
    static const enum figure shown[] = {FIGURE_ARRAYS,   FIGURE_L1_FILLS, FIGURE_L2_FILLS,
                                        FIGURE_L3_FILLS, FIGURE_READ,     FIGURE_WRITTEN,
                                        FIGURE_WALKS};
    page_heading(page, "What one call moves, per core");
    add_cells(series, columns, NULL, page->out);
    buf_add(page->out,
            "   arrays  L1 fills  L2 fills  L3 fills  mem.read  mem.writ  walks\n");
    for (size_t i = 0; i < series->point_nr; i++) {
        const struct series_point *point = &series->point[i];
        if (point->state != POINT_MEASURED)
            continue;
        add_cells(series, columns, point, page->out);
        for (size_t k = 0; k < ARRAY_SIZE(shown); k++)
            add_column(page->out, point->figure[shown[k]], 1, k == 0 ? 9 : 10);
        buf_add(page->out, "\n");
    }
    page_paragraph(page, "arrays, read and written in bytes; fills in lines.");
}

static void show_failures(const struct series *series, struct page *page)
{
    size_t failed = 0, pending = series->point_nr - series_done(series);
    for (size_t i = 0; i < series->point_nr; i++)
        failed += series->point[i].state == POINT_FAILED;
    if (failed)
        page_paragraph(page, "%zu of %zu points could not be measured.", failed,
                       series->point_nr);
    if (pending)
        page_paragraph(page,
                       "%zu of %zu points are not measured yet: the same command "
                       "continues.",
                       pending, series->point_nr);
}

void series_text(const struct series *series, struct page *page)
{
    struct columns columns = columns_of(&series->axes);
    buf_addf(page->out, "%s%s%s\n", page->colour ? "\033[1m" : "",
             series->title ? series->title : "", page->colour ? "\033[0m" : "");
    if (series->subtitle)
        buf_addf(page->out, "%s\n", series->subtitle);
    show_times(series, &columns, page);
    show_traffic(series, &columns, page);
    show_failures(series, page);
}

/* ---- CSV ---- */

/* RFC 4180: quoted where a comma, a quote or a line's end is in it. */
static void add_field(struct buf *out, const char *text)
{
    if (!strpbrk(text, ",\"\r\n")) {
        buf_add(out, text);
        return;
    }
    buf_add(out, "\"");
    for (; *text; text++)
        buf_add_n(out, *text == '"' ? "\"\"" : text, *text == '"' ? 2 : 1);
    buf_add(out, "\"");
}

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
    static const char *const words[] = {"state",     "reason",      "limiter",
                                        "why",       "launches",    "samples",
                                        "disturbed", "traffic_from"};
    for (size_t i = 0; i < series->axes.nr; i++)
        for (size_t k = 0; k < series->axes.axis[i].name.nr; k++) {
            buf_add(out, i || k ? "," : "");
            add_field(out, series->axes.axis[i].name.v[k]);
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
    static const char *const state[] = {"pending", "measured", "failed"};
    const char *const words[] = {state[point->state], point->reason, point->limiter,
                                 point->why};
    for (size_t i = 0; i < series->axes.nr; i++) {
        const struct sweep_axis *axis = &series->axes.axis[i];
        char *text = sweep_value_text(axis, point->value[i]);
        for (size_t k = 0; k < axis->name.nr; k++) {
            buf_add(out, i || k ? "," : "");
            add_field(out, text);
        }
        free(text);
    }
    for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
        buf_add(out, ",");
        add_field(out, words[i] ? words[i] : "");
    }
    if (point->state == POINT_MEASURED)
        buf_addf(out, ",%zu,%zu,%zu,", point->launches, point->samples, point->disturbed);
    else
        buf_add(out, ",,,,");
    add_field(out, point->traffic_from ? point->traffic_from : "");
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
