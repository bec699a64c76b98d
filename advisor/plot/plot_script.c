/* A picture as gnuplot's script: for each panel its settings, data blocks, and one plot
 * command. */
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/plot/plot.h"
#include "core/base.h"

const char *plot_colour(size_t curve)
{
    static const char *const colours[] = {COLOUR_MEMORY, COLOUR_WRITTEN, COLOUR_WINNER,
                                          COLOUR_FAILED, COLOUR_L1,      COLOUR_L2,
                                          "#000000"};
    return colours[curve % ARRAY_SIZE(colours)];
}

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

/* "BEFORE'text'AFTER", lines of text joined: 'a' . "\n" . 'b' */
static void add_text(struct buf *out, const char *before, const char *text,
                     const char *after)
{
    buf_add(out, before);
    for (;; text++) {
        size_t length = strcspn(text, "\n");
        quote(out, text, length);
        text += length;
        if (!*text)
            break;
        buf_add(out, " . \"\\n\" . ");
    }
    buf_add(out, after);
}

static void add_number(struct buf *out, double number)
{
    if (isfinite(number))
        buf_addf(out, " %.7g", number);
    else
        buf_add(out, " NaN");
}

static void add_step(struct buf *out, const char *step)
{
    buf_addf(out, "step = '%s'\nload 'picture.gnuplot'\n", step);
}

/* ---- points ---- */

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

static bool shows_interval(const struct plot *plot)
{
    return plot->look.interval && plot->kind != PLOT_TERMINAL;
}

/* x y, with intervals x-low x-high y-low y-high. */
void plot_point(struct plot *plot, struct quantity x, struct quantity y)
{
    add_number(&plot->points, place_of(&x, &plot->x));
    add_number(&plot->points, place_of(&y, &plot->y));
    if (shows_interval(plot)) {
        add_number(&plot->points, end_of(x.low, &x, &plot->x));
        add_number(&plot->points, end_of(x.high, &x, &plot->x));
        add_number(&plot->points, end_of(y.low, &y, &plot->y));
        add_number(&plot->points, end_of(y.high, &y, &plot->y));
    }
    buf_add(&plot->points, "\n");
    plot->wide |= x.low < x.high;
}

void plot_at(struct plot *plot, double x, double y)
{
    plot_point(plot, quantity_exact(x, PROVENANCE_DERIVED),
               quantity_exact(y, PROVENANCE_DERIVED));
}

void plot_line(struct plot *plot, double x0, double y0, double x1, double y1)
{
    plot_at(plot, x0, y0);
    plot_at(plot, x1, y1);
}

/* gnuplot draws it before the plot command. */
void plot_vertical(struct plot *plot, struct plot_look look, double x, const char *text)
{
    buf_addf(&plot->data,
             "set arrow from first %.7g, graph 0 to first %.7g, graph 1 nohead linewidth "
             "%g dashtype %d linecolor rgb '%s'\n",
             x, x, look.width > 0 ? look.width : 1, look.dash ? look.dash : PLOT_SOLID,
             look.colour);
    if (!text)
        return;
    add_text(&plot->data, "set label ", text, "");
    buf_addf(&plot->data, " at first %.7g, graph 0.06 offset character 0.8,0\n", x);
}

/* ---- series ---- */

static void add_item(struct buf *items, const struct plot *plot, const char *columns)
{
    buf_add(items, items->length ? ", \\\n  " : "");
    if (plot->points.length)
        buf_addf(items, "$b%zu using %s ", plot->series_nr, columns);
    else
        buf_add(items, "NaN ");
}

static void add_intervals(struct plot *plot)
{
    const char *columns = plot->wide ? "1:2:3:4:5:6" : "1:2:5:6",
               *look = plot->wide ? "xyerrorbars pointtype -1 linewidth 1"
                                  : "yerrorbars pointtype -1 linewidth 1";
    if (plot->look.interval == PLOT_BAND) {
        columns = "1:5:6";
        look = "filledcurves fillstyle transparent solid 0.15 noborder";
    } else if (plot->look.interval == PLOT_BOXES) {
        columns = "1:2:3:4:5:6";
        look = "boxxyerror fillstyle transparent solid 0.25 border linewidth 1";
    }
    add_item(&plot->intervals, plot, columns);
    buf_addf(&plot->intervals, "with %s linecolor rgb '%s' notitle", look,
             plot->look.colour);
}

/* The terminal tells curves apart by the characters that it draws them with. */
static void add_line(struct plot *plot)
{
    const struct plot_look *look = &plot->look;
    size_t number = plot->entry_nr - (!plot->name && plot->entry_nr);
    char letter = look->letter ? look->letter : (char)('A' + number % 26);
    struct buf *out = &plot->lines;
    add_item(out, plot, "1:2");
    buf_addf(out, "with %s",
             look->line == PLOT_STEPS   ? "steps"
             : look->line && look->mark ? "linespoints"
             : look->line               ? "lines"
                                        : "points");
    if (plot->kind == PLOT_TERMINAL) {
        buf_addf(out, " linetype %zu", 1 + number % 7);
        if (look->mark)
            buf_addf(out, " pointtype '%c'", letter);
    } else {
        buf_addf(out, " linewidth %g dashtype %d linecolor rgb '%s'",
                 look->width > 0 ? look->width
                 : look->line    ? 2
                                 : 1.5,
                 look->dash ? look->dash : PLOT_SOLID, look->colour);
        if (look->mark)
            buf_addf(out, " pointtype %d pointsize %g", look->mark,
                     look->size > 0 ? look->size : 0.8);
    }
    if (!plot->name) {
        buf_add(out, " notitle");
        return;
    }
    buf_add(out, plot->kind == PLOT_TERMINAL ? " title ' ' . " : " title ");
    quote(out, plot->name, strlen(plot->name));
    plot->longest =
        strlen(plot->name) > plot->longest ? strlen(plot->name) : plot->longest;
    plot->entry_nr++;
}

static void end_series(struct plot *plot)
{
    if (plot->open && plot->points.length) {
        buf_addf(&plot->data, "$b%zu << EOD\n%sEOD\n", plot->series_nr,
                 buf_str(&plot->points));
        if (shows_interval(plot))
            add_intervals(plot);
    }
    if (plot->open &&
        (plot->points.length ? plot->look.line || plot->look.mark : plot->name != NULL))
        add_line(plot);
    plot->series_nr += plot->open;
    buf_reset(&plot->points);
    free(plot->name);
    plot->name = NULL;
    plot->open = plot->wide = false;
}

void plot_series(struct plot *plot, struct plot_look look, const char *name, ...)
{
    struct buf text = {0};
    va_list args;
    end_series(plot);
    plot->open = true;
    plot->look = look;
    if (!name)
        return;
    va_start(args, name);
    buf_addf_va(&text, name, args);
    va_end(args);
    plot->name = buf_detach(&text);
}

/* ---- panels ---- */

static void add_axis(struct buf *out, const char *name, const struct plot_axis *axis)
{
    buf_addf(out, "axis = '%s'\n", name);
    add_text(out, "label = ", axis->label, "\n");
    buf_addf(out, "scale = %d\nlow = %.7g\nhigh = %.7g\nwords = %d\n", axis->scale,
             axis->low, axis->high, axis->words != NULL);
    add_step(out, "axis");
    for (size_t i = 0; axis->words && i < axis->words->nr; i++) {
        add_text(out, "word = shown ? ", axis->words->v[i], " : ''\n");
        buf_addf(out, "set %stics add (word %zu)\n", name, i + 1);
    }
}

/* gnuplot leaves out entries of a legend that is too wide: long ones stand in one column.
 */
static void end_panel(struct plot *plot)
{
    enum { LONGEST = 48 };
    end_series(plot);
    size_t columns = plot->longest > LONGEST || plot->kind == PLOT_TERMINAL ? 1 : 2,
           rows = (plot->entry_nr + columns - 1) / columns;
    bool both = plot->intervals.length && plot->lines.length;
    if (plot->panel_nr == 1 || (plot->panel_nr && plot->kind != PLOT_TERMINAL)) {
        plot->rows = rows > plot->rows ? rows : plot->rows;
        buf_addf(&plot->panels, "%sentries = %zu\ncolumns = %zu\n", buf_str(&plot->head),
                 plot->entry_nr, columns);
        add_step(&plot->panels, "legend");
        buf_addf(&plot->panels, "%splot %s%s%s\n", buf_str(&plot->data),
                 buf_str(&plot->intervals), both ? ", \\\n  " : "",
                 buf_str(&plot->lines));
    }
    plot->entry_nr = plot->longest = 0;
    buf_reset(&plot->head);
    buf_reset(&plot->data);
    buf_reset(&plot->intervals);
    buf_reset(&plot->lines);
}

void plot_panel(struct plot *plot, const char *title, const struct plot_axis *x,
                const struct plot_axis *y)
{
    end_panel(plot);
    plot->panel_nr++;
    plot->x = *x;
    plot->y = *y;
    plot->x.label = plot->y.label = NULL;
    plot->x.words = plot->y.words = NULL;
    if (title)
        add_text(&plot->head, "set title ", title, " offset 0,-0.6\n");
    add_axis(&plot->head, "x", x);
    add_axis(&plot->head, "y", y);
}

void plot_script(struct plot *plot, struct buf *script)
{
    static const char *const terminal[] = {
        [PLOT_TERMINAL] = "dumb", [PLOT_SVG] = "svg", [PLOT_PNG] = "pngcairo"};
    end_panel(plot);
    buf_addf(script, "kind = '%s'\npanels = %zu\nheight = %d\nrows = %zu\n",
             terminal[plot->kind], plot->panel_nr, plot->height, plot->rows);
    add_text(script, "title = ", plot->title ? plot->title : "", "\n");
    add_step(script, "begin");
    buf_add(script, buf_str(&plot->panels));
    add_step(script, "end");
}

void plot_release(struct plot *plot)
{
    free(plot->title);
    free(plot->name);
    buf_release(&plot->panels);
    buf_release(&plot->head);
    buf_release(&plot->data);
    buf_release(&plot->intervals);
    buf_release(&plot->lines);
    buf_release(&plot->points);
    *plot = (struct plot){0};
}
