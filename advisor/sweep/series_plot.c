/*
 * The picture of a series as a gnuplot script: one block of data per curve, then panels
 * one above the other that share the size axis: time per iteration (of a call
 * where iterations are not known), bandwidth, lines in flight. The terminal gets the
 * first only.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/plot/gnuplot_text.h"
#include "advisor/sweep/series.h"

enum x_axis { X_BYTES, X_VALUE, X_INDEX };

/* `limit`: of struct series; NULL = none. */
struct line {
    enum figure figure;
    const char *name; /* in the key; NULL = the curve's name alone */
    size_t limit_at;  /* offset of the limit in struct series; 0 = none */
    const char *limit_name;
};

struct panel {
    const char *label;
    struct line line[2];
    size_t line_nr;
};

static const struct panel panels[] = {
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

/* The figures of a block, each with its interval, behind the column of x. */
static const enum figure drawn[] = {FIGURE_PER_ITERATION, FIGURE_TIME, FIGURE_BANDWIDTH,
                                    FIGURE_L1_QUEUE_N, FIGURE_L2_QUEUE_N};

struct drawing {
    const struct series *series;
    enum plot_kind kind;
    struct buf *out;
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

/* ---- data ---- */

static void add_number(struct buf *out, bool known, double number)
{
    if (known && isfinite(number))
        buf_addf(out, " %.6g", number);
    else
        buf_add(out, " NaN");
}

static void add_block(struct drawing *drawing, size_t curve)
{
    const struct series *series = drawing->series;
    buf_addf(drawing->out, "$c%zu << EOD\n", curve);
    for (size_t i = 0; i < series->point_nr; i++) {
        const struct series_point *point = &series->point[i];
        if (point->state != POINT_MEASURED ||
            !same_curve(drawing, drawing->first[curve], i))
            continue;
        double x = x_of(drawing, point);
        drawing->x_low = fmin(drawing->x_low, x);
        drawing->x_high = fmax(drawing->x_high, x);
        buf_addf(drawing->out, "%.6g", x);
        for (size_t f = 0; f < ARRAY_SIZE(drawn); f++) {
            struct quantity q = point->figure[drawn[f]];
            /* ends that a logarithm has no place for */
            double high = isfinite(q.high) ? q.high : q.value;
            double low = fmax(q.low, 0.01 * q.value);
            add_number(drawing->out, q.known && q.value > 0, q.value);
            add_number(drawing->out, q.known, low);
            add_number(drawing->out, q.known, high);
        }
        buf_add(drawing->out, "\n");
    }
    buf_add(drawing->out, "EOD\n");
}

static size_t column_of(enum figure figure)
{
    size_t f = 0;
    while (f < ARRAY_SIZE(drawn) && drawn[f] != figure)
        f++;
    return 2 + 3 * f;
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

static void add_title(const struct drawing *drawing, struct buf *items, const char *curve,
                      const char *line)
{
    struct buf title = {0};
    buf_addf(&title, "%s%s%s", line ? line : "", line && *curve ? ", " : "", curve);
    if (title.length) {
        buf_add(items, drawing->kind == PLOT_TERMINAL ? " title ' ' . " : " title ");
        gnuplot_quote(items, buf_str(&title));
    } else {
        buf_add(items, " notitle");
    }
    buf_release(&title);
}

static void draw_line(struct drawing *drawing, const struct line *line, size_t curve,
                      size_t colour, struct buf *items)
{
    size_t column = column_of(line->figure);
    char *name = curve_name(drawing, curve);
    if (drawing->kind == PLOT_TERMINAL) {
        gnuplot_begin_item(items);
        buf_addf(items, "$c%zu using 1:%zu with linespoints linetype %zu pointtype '%c'",
                 curve, column, 1 + curve % 4, (char)('A' + curve % 26));
        add_title(drawing, items, name, line->name);
        free(name);
        return;
    }
    const char *rgb = gnuplot_colour(colour);
    gnuplot_begin_item(items);
    buf_addf(items,
             "$c%zu using 1:%zu:%zu:%zu with yerrorbars pointtype -1 linewidth 1 "
             "linecolor rgb '%s' notitle",
             curve, column, column + 1, column + 2, rgb);
    gnuplot_begin_item(items);
    buf_addf(items,
             "$c%zu using 1:%zu with %s linewidth 2 pointtype %zu pointsize 0.8 "
             "linecolor rgb '%s'",
             curve, column, drawing->x_axis == X_INDEX ? "points" : "linespoints",
             5 + 2 * (colour % 5), rgb);
    add_title(drawing, items, name, line->name);
    free(name);
}

static void draw_limit(const struct drawing *drawing, const struct line *line,
                       size_t colour, struct buf *items)
{
    const struct quantity *limit =
        (const struct quantity *)(const void *)((const char *)drawing->series +
                                                line->limit_at);
    if (!line->limit_at || !limit->known || !isfinite(limit->value) || limit->value <= 0)
        return;
    gnuplot_begin_item(items);
    buf_addf(items, "%.6g with lines linewidth 1 dashtype 2 linecolor rgb '%s'",
             limit->value, gnuplot_colour(colour));
    add_title(drawing, items, "", line->limit_name);
}

static void draw_panel(struct drawing *drawing, const struct panel *panel, bool last)
{
    struct buf items = {0};
    for (size_t k = 0; k < panel->line_nr; k++)
        for (size_t c = 0; c < drawing->curve_nr; c++)
            if (is_known(drawing->series, panel->line[k].figure))
                draw_line(drawing, &panel->line[k], c, c * panel->line_nr + k, &items);
    for (size_t k = 0; k < panel->line_nr; k++)
        if (is_known(drawing->series, panel->line[k].figure))
            draw_limit(drawing, &panel->line[k], k, &items);
    buf_addf(drawing->out, "set ylabel '%s'\n", panel->label);
    if (!last)
        buf_add(drawing->out, "set format x ''\nunset xlabel\n");
    buf_addf(drawing->out, "%s\n", buf_str(&items));
    buf_release(&items);
}

/* ---- the frame ---- */

static void add_terminal(struct drawing *drawing, size_t panel_nr)
{
    static const char fonts[] = "font 'sans,10'";
    struct buf *out = drawing->out;
    size_t height = 160 + 250 * panel_nr;
    switch (drawing->kind) {
    case PLOT_TERMINAL:
        buf_add(out, "set terminal dumb size 79,28\n");
        break;
    case PLOT_SVG:
        buf_addf(out, "set terminal svg size 800,%zu dynamic background '#ffffff' %s\n",
                 height, fonts);
        break;
    case PLOT_PNG:
        buf_addf(out, "set terminal pngcairo size 1000,%zu %s\n", height * 5 / 4,
                 "font 'sans,12'");
        break;
    }
    buf_add(out, "set output 'picture'\nset encoding utf8\n");
}

static void add_caches(struct drawing *drawing)
{
    const struct series *series = drawing->series;
    for (size_t i = 0; i < series->cache_nr; i++) {
        double bytes = series->cache[i].bytes;
        if (bytes <= drawing->x_low || bytes >= drawing->x_high)
            continue;
        buf_addf(drawing->out,
                 "set arrow from first %.6g, graph 0 to first %.6g, graph 1 nohead "
                 "linewidth 1 dashtype 2 linecolor rgb '#555555'\n"
                 "set label 'L%d' at first %.6g, graph 0.06 offset character 0.4,0\n",
                 bytes, bytes, series->cache[i].level, bytes);
    }
}

static void add_x(struct drawing *drawing)
{
    const struct sweep_axis *axis = &drawing->series->axes.axis[drawing->x];
    char *name = sweep_axis_name(axis);
    struct buf label = {0};
    double wide = drawing->x_axis == X_INDEX ? 0.5 : 0;
    if (drawing->x_axis == X_BYTES)
        buf_addf(&label, "bytes of all arrays of a copy (%s = %lld to %lld)", name,
                 axis->value[0], axis->value[axis->value_nr - 1]);
    else
        buf_add(&label, name);
    buf_add(drawing->out, "set xlabel ");
    gnuplot_quote(drawing->out, buf_str(&label));
    buf_addf(drawing->out, "\nset xrange [%.6g:%.6g]\n",
             wide > 0 ? drawing->x_low - wide : drawing->x_low * 0.9,
             wide > 0 ? drawing->x_high + wide : drawing->x_high * 1.1);
    if (drawing->x_axis == X_INDEX) {
        for (size_t i = 0; i < axis->value_nr; i++) {
            char *text = sweep_value_text(axis, axis->value[i]);
            buf_add(drawing->out, i ? ", " : "set xtics (");
            gnuplot_quote(drawing->out, text);
            buf_addf(drawing->out, " %zu", i + 1);
            free(text);
        }
        buf_add(drawing->out, ")\n");
    } else {
        buf_add(drawing->out,
                drawing->x_axis == X_BYTES ? "set logscale x 2\n" : "set logscale x\n");
    }
    buf_release(&label);
    free(name);
}

/* Before each panel: the one above may have taken them away. */
static void restore_x(struct drawing *drawing)
{
    buf_addf(drawing->out, "set format x '%s'\n",
             drawing->x_axis == X_BYTES ? "%.0b%BB" : "%g");
    add_x(drawing);
}

static void draw_panels(struct drawing *drawing, const struct panel **panel, size_t nr)
{
    struct buf *out = drawing->out;
    struct buf title = {0};
    buf_add(&title, drawing->series->title ? drawing->series->title : "");
    buf_add(out, drawing->kind == PLOT_TERMINAL ? "set title " : "");
    if (drawing->kind != PLOT_TERMINAL)
        buf_addf(out, "set multiplot layout %zu,1 title ", nr);
    gnuplot_quote(out, buf_str(&title));
    buf_add(out, drawing->kind == PLOT_TERMINAL ? "\n" : " noenhanced\n");
    buf_add(out, "set logscale y\nset grid\nset key outside above noenhanced\n"
                 "set lmargin 12\nset rmargin 4\n");
    for (size_t i = 0; i < nr; i++) {
        restore_x(drawing);
        if (i == 0 && drawing->x_axis == X_BYTES)
            add_caches(drawing);
        draw_panel(drawing, panel[i], i + 1 == nr);
    }
    buf_add(out, drawing->kind == PLOT_TERMINAL ? "" : "unset multiplot\n");
    buf_release(&title);
}

int series_plot_script(const struct series *series, enum plot_kind kind,
                       struct buf *script, struct error *err)
{
    struct drawing drawing = {
        .series = series, .kind = kind, .out = script, .x_low = INFINITY};
    const struct panel *panel[ARRAY_SIZE(panels)];
    size_t nr = 0;
    bool iterations = is_known(series, FIGURE_PER_ITERATION);
    for (size_t i = 0; i < ARRAY_SIZE(panels); i++)
        if (is_known(series, panels[i].line[0].figure) &&
            !(iterations && panels[i].line[0].figure == FIGURE_TIME) &&
            (kind != PLOT_TERMINAL || nr == 0))
            panel[nr++] = &panels[i];
    if (!nr)
        return fail(err, STATUS_FAILED,
                    "--plot: no point was measured that could be "
                    "drawn");
    choose_x(&drawing);
    add_terminal(&drawing, nr);
    for (size_t c = 0; c < drawing.curve_nr; c++)
        add_block(&drawing, c);
    draw_panels(&drawing, panel, nr);
    free(drawing.first);
    return 0;
}
