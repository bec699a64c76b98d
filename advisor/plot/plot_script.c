/* A picture as gnuplot's script: for each panel its settings, data blocks, and one plot
 * command. */
#include <math.h>
#include <string.h>

#include "advisor/plot/plot.h"
#include "core/base.h"

struct writer {
    const struct plot *plot;
    struct buf *out;
    struct buf items;     /* of the plot command */
    size_t block, titled; /* series so far, those in the legend */
};

/* ---- pieces of the language ---- */

/* One quoted string: within single quotes gnuplot replaces nothing; control characters,
 * which could end the line, become spaces. */
static void quote(struct buf *out, const char *text, size_t length)
{
    buf_add(out, "'");
    for (; length; text++, length--)
        if ((unsigned char)*text < ' ' || *text == 127)
            buf_add(out, " ");
        else
            buf_add_n(out, *text == '\'' ? "''" : text, *text == '\'' ? 2 : 1);
    buf_add(out, "'");
}

/* Lines of text joined: 'a' . "\n" . 'b' */
static void quote_lines(struct buf *out, const char *text)
{
    for (;; text++) {
        size_t length = strcspn(text, "\n");
        quote(out, text, length);
        text += length;
        if (!*text)
            return;
        buf_add(out, " . \"\\n\" . ");
    }
}

/* "set WHAT 'text'AFTER" */
static void set_text(struct buf *out, const char *what, const char *text,
                     const char *after)
{
    buf_addf(out, "set %s ", what);
    quote_lines(out, text);
    buf_addf(out, "%s\n", after);
}

static void add_number(struct buf *out, double number)
{
    if (isfinite(number))
        buf_addf(out, " %.7g", number);
    else
        buf_add(out, " NaN");
}

/* Panels one above the other. */
static bool is_stacked(const struct plot *plot)
{
    return plot->panel_nr > 1 && plot->kind != PLOT_TERMINAL;
}

/* ---- data ---- */

static bool has_range(const struct plot_axis *axis)
{
    return axis->high > axis->low;
}

/* What is infinite stands at the frame's end; what a logarithm has no place for is a gap.
 */
static double place_of(const struct quantity *at, const struct plot_axis *axis)
{
    bool log = axis->scale != PLOT_LINEAR;
    if (!at->known || (log && !(at->value > 0)))
        return NAN;
    if (isinf(at->value) && has_range(axis))
        return log ? axis->high / 1.12 : axis->high;
    return at->value;
}

/* An end of an interval, not so far off that gnuplot could not draw the rest of it. */
static double end_of(double end, const struct quantity *at, const struct plot_axis *axis)
{
    bool log = axis->scale != PLOT_LINEAR;
    if (!has_range(axis))
        return !isfinite(end) ? at->value : log ? fmax(end, 0.01 * at->value) : end;
    double reach = axis->high - axis->low;
    return fmin(fmax(end, log ? axis->low / 2 : axis->low - reach),
                log ? 2 * axis->high : axis->high + reach);
}

static bool shows_interval(const struct writer *writer, const struct plot_series *series)
{
    return series->interval && writer->plot->kind != PLOT_TERMINAL;
}

/* x y, with intervals x-low x-high y-low y-high. */
static void add_block(struct writer *writer, const struct plot_panel *panel,
                      const struct plot_series *series)
{
    struct buf *out = writer->out;
    buf_addf(out, "$b%zu << EOD\n", writer->block);
    for (size_t i = 0; i < series->point_nr; i++) {
        const struct plot_point *point = &series->point[i];
        add_number(out, place_of(&point->x, &panel->x));
        add_number(out, place_of(&point->y, &panel->y));
        if (shows_interval(writer, series)) {
            add_number(out, end_of(point->x.low, &point->x, &panel->x));
            add_number(out, end_of(point->x.high, &point->x, &panel->x));
            add_number(out, end_of(point->y.low, &point->y, &panel->y));
            add_number(out, end_of(point->y.high, &point->y, &panel->y));
        }
        buf_add(out, "\n");
    }
    buf_add(out, "EOD\n");
}

/* ---- series ---- */

/* "$b3 using 1:2", after what ends the item before it. */
static void begin_item(struct writer *writer, const char *columns)
{
    buf_add(&writer->items, writer->items.length ? ", \\\n  " : "plot ");
    if (columns)
        buf_addf(&writer->items, "$b%zu using %s ", writer->block, columns);
}

static void end_item(struct writer *writer, const char *title)
{
    if (!title) {
        buf_add(&writer->items, " notitle");
        return;
    }
    buf_add(&writer->items,
            writer->plot->kind == PLOT_TERMINAL ? " title ' ' . " : " title ");
    quote(&writer->items, title, strlen(title));
    writer->titled++;
}

static bool is_wide(const struct plot_series *series)
{
    for (size_t i = 0; i < series->point_nr; i++)
        if (series->point[i].x.low < series->point[i].x.high)
            return true;
    return false;
}

static void add_intervals(struct writer *writer, const struct plot_series *series)
{
    bool wide = is_wide(series);
    const char *columns = "1:2:3:4:5:6";
    struct buf look = {0};
    switch (series->interval) {
    case PLOT_BARS:
        columns = wide ? columns : "1:2:5:6";
        buf_addf(&look, "%serrorbars pointtype -1 linewidth 1", wide ? "xy" : "y");
        break;
    case PLOT_BAND:
        columns = "1:5:6";
        buf_add(&look, "filledcurves fillstyle transparent solid 0.15 noborder");
        break;
    default:
        buf_add(&look, "boxxyerror fillstyle transparent solid 0.25 border linewidth 1");
    }
    begin_item(writer, columns);
    buf_addf(&writer->items, "with %s linecolor rgb '%s'", buf_str(&look),
             series->colour);
    end_item(writer, NULL);
    buf_release(&look);
}

/* The terminal tells curves apart by the characters that it draws them with. */
static void add_look(struct writer *writer, const struct plot_series *series)
{
    size_t number = writer->titled - (!series->title && writer->titled);
    char letter = series->letter ? series->letter : (char)('A' + number % 26);
    struct buf *items = &writer->items;
    bool line = series->line != PLOT_NO_LINE;
    buf_addf(items, "with %s",
             series->line == PLOT_STEPS ? "steps"
             : line && series->mark     ? "linespoints"
             : line                     ? "lines"
                                        : "points");
    if (writer->plot->kind == PLOT_TERMINAL) {
        if (line)
            buf_addf(items, " linetype %zu", 1 + number % 7);
        if (series->mark)
            buf_addf(items, " pointtype '%c'", letter);
        return;
    }
    buf_addf(items, " linewidth %g", series->width > 0 ? series->width : line ? 2 : 1.5);
    if (series->dash)
        buf_addf(items, " dashtype %d", series->dash);
    if (series->mark)
        buf_addf(items, " pointtype %d pointsize %g", series->mark,
                 series->size > 0 ? series->size : 0.8);
    buf_addf(items, " linecolor rgb '%s'", series->colour);
}

/* gnuplot puts what it has no curve for before the plot command. */
static void add_objects(struct writer *writer, const struct plot_series *series)
{
    struct buf *out = writer->out;
    for (size_t i = 0; i < series->point_nr; i++) {
        const struct plot_point *point = &series->point[i];
        double x = point->x.value;
        if (series->line == PLOT_VERTICAL) {
            buf_addf(out,
                     "set arrow from first %.7g, graph 0 to first %.7g, graph 1 "
                     "nohead",
                     x, x);
            if (writer->plot->kind != PLOT_TERMINAL)
                buf_addf(out, " linewidth %g dashtype %d linecolor rgb '%s'",
                         series->width > 0 ? series->width : 1,
                         series->dash ? series->dash : 1, series->colour);
            buf_add(out, "\n");
        } else {
            set_text(out, "label", point->tip, "");
            buf_truncate(out, out->length - 1);
            buf_addf(out, " at first %.7g, %s %.7g offset character %s\n", x,
                     series->line == PLOT_TEXT ? "first" : "graph", point->y.value,
                     series->line == PLOT_TEXT ? "1,0.6" : "0.8,0");
        }
    }
}

static bool is_object(const struct plot_series *series)
{
    return series->line >= PLOT_VERTICAL && series->line != PLOT_HYPERBOLA;
}

/* What stands before the marks and lines of all series: data, and intervals, which cover
 * none of them. */
static void add_ground(struct writer *writer, const struct plot_panel *panel,
                       const struct plot_series *series)
{
    if (is_object(series)) {
        add_objects(writer, series);
    } else if (series->point_nr && series->line != PLOT_HYPERBOLA) {
        add_block(writer, panel, series);
        if (shows_interval(writer, series))
            add_intervals(writer, series);
    }
}

static void add_series(struct writer *writer, const struct plot_panel *panel,
                       const struct plot_series *series)
{
    if (is_object(series) || !series->point_nr) { /* the legend only */
        if (series->title) {
            begin_item(writer, NULL);
            buf_add(&writer->items, "NaN ");
            add_look(writer, series);
            end_item(writer, series->title);
        }
        return;
    }
    if (series->line == PLOT_HYPERBOLA) {
        begin_item(writer, NULL);
        buf_addf(&writer->items, "[%.7g:%.7g] %.7g / x ", series->point->x.value,
                 panel->x.high, series->point->y.value * series->point->x.value);
        add_look(writer, series);
        end_item(writer, series->title);
        return;
    }
    if (series->line || series->mark) {
        begin_item(writer, "1:2");
        add_look(writer, series);
        end_item(writer, series->title);
    }
}

/* ---- axes ---- */

/* 1, 2 and 5 of each decade where there are few decades, else powers of ten. */
static void add_decades(struct buf *out, const struct plot_axis *axis, bool labels)
{
    static const double factor[] = {1, 2, 5};
    size_t each = axis->high < 300 * axis->low ? 3 : 1;
    const char *before = "";
    for (int decade = (int)floor(log10(axis->low));
         decade <= (int)ceil(log10(axis->high)); decade++)
        for (size_t i = 0; i < each; i++) {
            double at = factor[i] * pow(10, decade);
            if (at < axis->low || at > axis->high)
                continue;
            if (labels)
                buf_addf(out, "%s'%g' %.6g", before, at, at);
            else
                buf_addf(out, "%s'' %.6g", before, at);
            before = ", ";
        }
}

/* `labels`: texts and numbers are shown, too. */
static void add_axis(struct writer *writer, const char *name,
                     const struct plot_axis *axis, bool labels)
{
    struct buf *out = writer->out;
    char *label = xasprintf("%slabel", name);
    bool log = axis->scale != PLOT_LINEAR;
    if (axis->label && labels)
        set_text(out, label, axis->label, "");
    else
        buf_addf(out, "unset %s\n", label);
    free(label);
    if (log)
        buf_addf(out, "set logscale %s%s\n", name, axis->scale == PLOT_BYTES ? " 2" : "");
    if (has_range(axis))
        buf_addf(out, "set %srange [%.7g:%.7g]\n", name, axis->low, axis->high);
    else
        buf_addf(out, "set %srange [%s:*]\n", name, log ? "*" : "*<0");
    buf_addf(out, "set format %s '%s'\nset %stics ", name,
             !labels                     ? ""
             : axis->scale == PLOT_BYTES ? "%.0b%BB"
                                         : "%g",
             name);
    if (axis->tic_nr || (axis->scale == PLOT_LOG && has_range(axis))) {
        buf_add(out, "(");
        for (size_t i = 0; i < axis->tic_nr; i++) {
            const char *text = labels ? axis->tic[i].text : "";
            buf_add(out, i ? ", " : "");
            quote(out, text, strlen(text));
            buf_addf(out, " %.7g", axis->tic[i].at);
        }
        if (!axis->tic_nr)
            add_decades(out, axis, labels);
        buf_add(out, ") ");
    }
    buf_addf(out, "nomirror textcolor rgb '#000000'%s\n",
             is_stacked(writer->plot) && writer->plot->height < 150 ? " font ',8'" : "");
}

/* ---- the frame ---- */

struct legend {
    size_t columns, rows;
};

/* gnuplot leaves out entries of a legend that is too wide: long ones stand in one column.
 */
static struct legend legend_of(const struct plot *plot, const struct plot_panel *panel)
{
    enum { LONGEST = 48 };
    size_t nr = 0, longest = 0;
    for (size_t i = 0; i < panel->series_nr; i++)
        if (panel->series[i].title) {
            size_t length = strlen(panel->series[i].title);
            longest = length > longest ? length : longest;
            nr++;
        }
    size_t columns = longest > LONGEST || plot->kind == PLOT_TERMINAL ? 1 : 2;
    return (struct legend){columns, (nr + columns - 1) / columns};
}

enum { ROW = 20, WIDTH = 960 }; /* pixels */

/* Above each panel of a stack: its title or legend. */
static size_t gap_of(const struct plot *plot)
{
    size_t rows = 1;
    for (size_t i = 0; i < plot->panel_nr; i++) {
        size_t own = legend_of(plot, &plot->panel[i]).rows;
        rows = own > rows ? own : rows;
    }
    return 18 + ROW * rows;
}

static void add_terminal(struct writer *writer)
{
    const struct plot *plot = writer->plot;
    size_t rows = legend_of(plot, &plot->panel[0]).rows;
    size_t nr = is_stacked(plot) ? plot->panel_nr : 1;
    size_t height = (size_t)plot->height * nr + ROW * rows + 4 * ROW;
    if (is_stacked(plot))
        height = ((size_t)plot->height + gap_of(plot)) * nr + 5 * ROW;
    buf_addf(writer->out, "reset\nset encoding utf8\nset terminal ");
    if (plot->kind == PLOT_TERMINAL)
        buf_addf(writer->out, "dumb size 79, %zu noenhanced\nset output 'picture'\n",
                 25 + rows);
    else
        buf_addf(writer->out,
                 "%s size %d, %zu noenhanced font 'DejaVu Sans,%d' background '#ffffff'\n"
                 "set output 'picture'\n",
                 plot->kind == PLOT_SVG ? "svg" : "pngcairo", WIDTH, height,
                 plot->kind == PLOT_SVG ? 13 : 10);
    if (plot->kind != PLOT_TERMINAL)
        buf_add(writer->out,
                "set bars 0.5\nset samples 400\nset grid linetype 1 linewidth 0.5 "
                "linecolor rgb '#dddddd'\n");
    if (is_stacked(plot))
        buf_addf(writer->out,
                 "set multiplot layout %zu,1 margins screen 0.09, screen 0.97, screen "
                 "%.4f, screen %.4f spacing screen 0, screen %.4f",
                 nr, 50.0 / (double)height,
                 1 - (30.0 + (double)gap_of(plot)) / (double)height,
                 (double)gap_of(plot) / (double)height);
    if (plot->panel_nr > 1 && plot->kind != PLOT_TERMINAL) {
        if (plot->title) {
            buf_add(writer->out, " title ");
            quote_lines(writer->out, plot->title);
        }
        buf_add(writer->out, "\n");
    } else if (plot->title) {
        set_text(writer->out, "title", plot->title, "");
    }
}

/* Below the axis, or above a panel of a stack. */
static void add_legend(struct writer *writer, const struct plot_panel *panel)
{
    const struct plot *plot = writer->plot;
    struct legend legend = legend_of(plot, panel);
    if (!legend.rows)
        return;
    if (plot->kind == PLOT_TERMINAL)
        buf_add(writer->out, "set key below left vertical maxcols 1 Left reverse\n");
    else if (is_stacked(plot))
        buf_addf(writer->out,
                 "set key at graph 1, graph 1 right bottom vertical maxcols %zu maxrows "
                 "%zu Left reverse\n",
                 legend.columns, legend.rows);
    else
        buf_addf(writer->out,
                 "set bmargin %.6g\nset key at screen 0.5, screen 0.01 center bottom "
                 "vertical maxcols %zu maxrows %zu Left reverse\n",
                 4.5 + 1.2 * (double)legend.rows, legend.columns, legend.rows);
}

static void add_panel(struct writer *writer, const struct plot_panel *panel, bool first,
                      bool last)
{
    if (!first)
        buf_add(writer->out, "unset logscale\nunset arrow\nunset label\nunset object\n");
    if (panel->title)
        set_text(writer->out, "title", panel->title, " offset 0,-0.6");
    add_axis(writer, "x", &panel->x, last || !is_stacked(writer->plot));
    add_axis(writer, "y", &panel->y, true);
    add_legend(writer, panel);
    const size_t block = writer->block;
    for (size_t i = 0; i < panel->series_nr; i++, writer->block++)
        add_ground(writer, panel, &panel->series[i]);
    writer->block = block;
    for (size_t i = 0; i < panel->series_nr; i++, writer->block++)
        add_series(writer, panel, &panel->series[i]);
    buf_addf(writer->out, "%s\n", buf_str(&writer->items));
    buf_reset(&writer->items);
}

void plot_script(const struct plot *plot, struct buf *script)
{
    struct writer writer = {.plot = plot, .out = script};
    size_t nr = plot->kind == PLOT_TERMINAL ? 1 : plot->panel_nr;
    add_terminal(&writer);
    for (size_t i = 0; i < nr; i++)
        add_panel(&writer, &plot->panel[i], i == 0, i + 1 == nr);
    buf_addf(script, "%sunset output\n", nr > 1 ? "unset multiplot\n" : "");
    buf_release(&writer.items);
}
