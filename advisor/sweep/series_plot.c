/*
 * The picture of a series: panels one above the other that share the size axis: time per
 * iteration (of a call where iterations are not known), bandwidth, lines in flight.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "advisor/plot/plot.h"
#include "advisor/sweep/series.h"
#include "core/base/buf.h"
#include "core/base/error.h"

enum x_axis { X_BYTES, X_VALUE, X_INDEX };

/* `limit`: of struct series; NULL = none. */
struct line {
    enum figure figure;
    const char *name; /* in the key; NULL = the curve's name alone */
    size_t limit_at;  /* offset of the limit in struct series; 0 = none */
    const char *limit_name;
};

static const struct content {
    const char *label;
    struct line line[2];
    size_t line_nr;
} contents[] = {
    {"time per iteration, ns", {{FIGURE_PER_ITERATION, NULL, 0, NULL}}, 1},
    {"time of one call, ns", {{FIGURE_TIME, NULL, 0, NULL}}, 1},
    {"memory, GB/s",
     {{FIGURE_BANDWIDTH, NULL, offsetof(struct series, memory_gbs), "memory at most"}},
     1},
    {"lines in flight per core",
     {{FIGURE_L1_QUEUE_N, "L1 queue", offsetof(struct series, l1_mshrs), "L1 queue full"},
      {FIGURE_L2_QUEUE_N, "L2 queue", offsetof(struct series, l2_mshrs),
       "L2 queue full"}},
     2},
};

struct drawing {
    const struct series *series;
    size_t x; /* the axis along x */
    enum x_axis x_axis;
    size_t *first; /* of each curve, a point */
    size_t curve_nr;
    double x_low, x_high;
};

/* ---- curves ---- */

/* On one curve: equal along all axes but that of x. */
static bool same_curve(const struct drawing *drawing, size_t a, size_t b)
{
    const struct series *series = drawing->series;
    for (size_t i = 0; i < series->axes.nr; i++)
        if (i != drawing->x && series->point[a].value[i] != series->point[b].value[i])
            return false;
    return true;
}

static void find_curves(struct drawing *drawing)
{
    const struct series *series = drawing->series;
    drawing->first = xcalloc(series->point_nr + 1, sizeof(*drawing->first));
    for (size_t i = 0; i < series->point_nr; i++) {
        bool known = series->point[i].state != POINT_MEASURED;
        for (size_t c = 0; !known && c < drawing->curve_nr; c++)
            known = same_curve(drawing, drawing->first[c], i);
        if (!known)
            drawing->first[drawing->curve_nr++] = i;
    }
}

static char *curve_name(const struct drawing *drawing, size_t curve)
{
    const struct series *series = drawing->series;
    struct buf name = {0};
    for (size_t i = 0; i < series->axes.nr; i++) {
        if (i == drawing->x)
            continue;
        char *axis = sweep_axis_name(&series->axes.axis[i]);
        char *value = sweep_value_text(&series->axes.axis[i],
                                       series->point[drawing->first[curve]].value[i]);
        buf_addf(&name, "%s%s=%s", name.length ? " " : "", axis, value);
        free(axis);
        free(value);
    }
    return buf_detach(&name);
}

/* ---- the size axis ---- */

/* The bytes of all arrays grow along it: then caches can be drawn into the picture. */
static bool bytes_follow(const struct drawing *drawing)
{
    const struct series *series = drawing->series;
    for (size_t c = 0; c < drawing->curve_nr; c++) {
        double last = 0;
        for (size_t i = 0; i < series->point_nr; i++) {
            struct quantity bytes = series->point[i].figure[FIGURE_ARRAYS];
            if (series->point[i].state != POINT_MEASURED ||
                !same_curve(drawing, drawing->first[c], i))
                continue;
            if (!bytes.known || bytes.value <= last)
                return false;
            last = bytes.value;
        }
    }
    return true;
}

static void choose_x(struct drawing *drawing)
{
    const struct series *series = drawing->series;
    size_t x = 0;
    while (x < series->axes.nr && series->axes.axis[x].kind != AXIS_SIZE)
        x++;
    drawing->x = x < series->axes.nr ? x : 0;
    find_curves(drawing);
    const struct sweep_axis *axis = &series->axes.axis[drawing->x];
    bool positive = axis->kind == AXIS_SIZE || axis->kind == AXIS_CORES;
    for (size_t i = 0; i < axis->value_nr; i++)
        positive = positive && axis->value[i] > 0;
    drawing->x_axis = axis->kind == AXIS_SIZE && bytes_follow(drawing) ? X_BYTES
                      : positive                                       ? X_VALUE
                                                                       : X_INDEX;
}

static double x_of(const struct drawing *drawing, const struct series_point *point)
{
    const struct sweep_axis *axis = &drawing->series->axes.axis[drawing->x];
    size_t index = 0;
    if (drawing->x_axis == X_BYTES)
        return point->figure[FIGURE_ARRAYS].value;
    if (drawing->x_axis == X_VALUE)
        return (double)point->value[drawing->x];
    while (index < axis->value_nr && axis->value[index] != point->value[drawing->x])
        index++;
    return (double)index + 1;
}

static bool is_known(const struct series *series, enum figure figure)
{
    for (size_t i = 0; i < series->point_nr; i++)
        if (series->point[i].figure[figure].known &&
            series->point[i].figure[figure].value > 0)
            return true;
    return false;
}

/* ---- panels ---- */

static void add_line(const struct drawing *drawing, const struct line *line, size_t curve,
                     size_t colour, struct plot *plot)
{
    const struct series *series = drawing->series;
    char *name = curve_name(drawing, curve);
    plot_series(
        plot,
        (struct plot_look){.line = drawing->x_axis == X_INDEX ? PLOT_NO_LINE : PLOT_LINE,
                           .interval = PLOT_BARS,
                           .mark = PLOT_SQUARE + 2 * (int)(colour % 5),
                           .colour = plot_colour(colour)},
        line->name || *name ? "%s%s%s" : NULL, line->name ? line->name : "",
        line->name && *name ? ", " : "", name);
    for (size_t i = 0; i < series->point_nr; i++)
        if (series->point[i].state == POINT_MEASURED &&
            same_curve(drawing, drawing->first[curve], i))
            plot_point(
                plot,
                quantity_exact(x_of(drawing, &series->point[i]), PROVENANCE_DERIVED),
                series->point[i].figure[line->figure]);
    free(name);
}

static void add_limit(const struct drawing *drawing, const struct line *line,
                      size_t colour, struct plot *plot)
{
    const struct quantity *limit =
        (const struct quantity *)(const void *)((const char *)drawing->series +
                                                line->limit_at);
    if (!line->limit_at || !limit->known || isinf(limit->value) || !(limit->value > 0))
        return;
    plot_series(plot,
                (struct plot_look){.line = PLOT_LINE,
                                   .width = 1,
                                   .dash = PLOT_DASHED,
                                   .colour = plot_colour(colour)},
                "%s", line->limit_name);
    plot_line(plot, plot->x.low, limit->value, plot->x.high, limit->value);
}

static void add_caches(const struct drawing *drawing, struct plot *plot)
{
    const struct series *series = drawing->series;
    for (size_t i = 0; i < series->cache_nr; i++) {
        double bytes = series->cache[i].bytes;
        char name[16];
        if (bytes <= drawing->x_low || bytes >= drawing->x_high)
            continue;
        snprintf(name, sizeof(name), "L%d", series->cache[i].level);
        plot_vertical(plot,
                      (struct plot_look){.dash = PLOT_DASHED, .colour = COLOUR_OTHER},
                      bytes, name);
    }
}

static void begin_panel(const struct drawing *drawing, const char *label,
                        struct plot *plot)
{
    const struct sweep_axis *axis = &drawing->series->axes.axis[drawing->x];
    const enum plot_scale scale[] = {
        [X_BYTES] = PLOT_BYTES, [X_VALUE] = PLOT_LOG, [X_INDEX] = PLOT_LINEAR};
    bool index = drawing->x_axis == X_INDEX;
    struct strvec words = {0};
    char *name = sweep_axis_name(axis);
    for (size_t i = 0; i < axis->value_nr && index; i++) {
        char *text = sweep_value_text(axis, axis->value[i]);
        strvec_push(&words, text);
        free(text);
    }
    char *x_label = drawing->x_axis == X_BYTES
                        ? xasprintf("bytes of all arrays of a copy (%s = %lld to %lld)",
                                    name, axis->value[0], axis->value[axis->value_nr - 1])
                        : xstrdup(name);
    plot_panel(
        plot, NULL,
        &(struct plot_axis){.label = x_label,
                            .scale = scale[drawing->x_axis],
                            .low = index ? drawing->x_low - 0.5 : drawing->x_low * 0.9,
                            .high = index ? drawing->x_high + 0.5 : drawing->x_high * 1.1,
                            .words = index ? &words : NULL},
        &(struct plot_axis){.label = label, .scale = PLOT_LOG});
    strvec_release(&words);
    free(x_label);
    free(name);
}

static void add_panel(const struct drawing *drawing, const struct content *content,
                      struct plot *plot)
{
    begin_panel(drawing, content->label, plot);
    if (drawing->x_axis == X_BYTES)
        add_caches(drawing, plot);
    for (size_t k = 0; k < content->line_nr; k++)
        for (size_t c = 0; c < drawing->curve_nr; c++)
            if (is_known(drawing->series, content->line[k].figure))
                add_line(drawing, &content->line[k], c, c * content->line_nr + k, plot);
    for (size_t k = 0; k < content->line_nr; k++)
        if (is_known(drawing->series, content->line[k].figure))
            add_limit(drawing, &content->line[k], k, plot);
}

int series_plot(const struct series *series, struct plot *plot, struct error *err)
{
    struct drawing drawing = {.series = series, .x_low = INFINITY};
    bool iterations = is_known(series, FIGURE_PER_ITERATION);
    choose_x(&drawing);
    for (size_t i = 0; i < series->point_nr; i++)
        if (series->point[i].state == POINT_MEASURED) {
            double x = x_of(&drawing, &series->point[i]);
            drawing.x_low = fmin(drawing.x_low, x);
            drawing.x_high = fmax(drawing.x_high, x);
        }
    plot->title = xstrdup(series->title);
    plot->height = 230;
    for (size_t i = 0; i < ARRAY_SIZE(contents); i++)
        if (is_known(series, contents[i].line[0].figure) &&
            !(iterations && contents[i].line[0].figure == FIGURE_TIME))
            add_panel(&drawing, &contents[i], plot);
    free(drawing.first);
    return plot->panel_nr ? 0
                          : fail(err, STATUS_FAILED,
                                 "--plot: no point was measured that could be drawn");
}
