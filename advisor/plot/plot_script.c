/* The picture of a profile as a gnuplot script: data blocks, then one plot command. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "advisor/plot/gnuplot_text.h"
#include "advisor/plot/plot.h"

struct sheet {
    const struct machine *const *machine;
    size_t nr;
    enum plot_kind kind;
    struct buf *out;
    struct buf items;     /* of the plot command */
    double x_end, y_end;  /* GB/s, ns */
    size_t curve, titles; /* so far */
    bool predicted;       /* some curve has such a part */
};

/* The characters that gnuplot's terminal of text draws lines with, by linetype: curves
 * take 1 to 4. */
enum { DUMB_CURVES = 4, DUMB_L1 = 5, DUMB_L2 = 6, DUMB_UNLOADED = 7 };

/* ---- pieces of the language ---- */

static void add_number(struct buf *out, double number)
{
    buf_addf(out, "%.6g", number);
}

static void add_title(struct sheet *sheet, const char *title)
{
    gnuplot_title(&sheet->items, title, sheet->kind == PLOT_TERMINAL);
    sheet->titles += title != NULL;
}

/* ---- how far the axes go ---- */

static bool is_predicted(const struct machine_point *point)
{
    return point->latency_ns.provenance == PROVENANCE_PREDICTED;
}

static void stretch_to_curve(struct sheet *sheet, const struct machine_curve *curve,
                             double *high)
{
    for (size_t i = 0; i < curve->point_nr; i++) {
        const struct machine_point *point = &curve->point[i];
        sheet->x_end = fmax(sheet->x_end, fmax(point->gbs, point->gbs_high));
        sheet->y_end = fmax(sheet->y_end, point->latency_ns.value);
        if (isfinite(point->latency_ns.high))
            *high = fmax(*high, point->latency_ns.high);
    }
}

/* What would press the curves to the left edge stays outside. */
static void stretch_to_limits(struct sheet *sheet)
{
    const double most = 3 * sheet->x_end;
    for (size_t m = 0; m < sheet->nr; m++) {
        const struct machine *machine = sheet->machine[m];
        if (machine->peak_gbs.known && machine->peak_gbs.value <= most)
            sheet->x_end = fmax(sheet->x_end, machine->peak_gbs.value);
        for (size_t i = 0; i < machine->curve_nr; i++) {
            struct quantity ceiling = machine->curve[i].ceiling_gbs;
            if (ceiling.known && ceiling.value <= most)
                sheet->x_end = fmax(sheet->x_end, ceiling.value);
        }
    }
}

struct quantity plot_in_flight(const struct machine *machine, int level, double cores)
{
    const struct machine_limit *limit =
        level == 1 ? &machine->l1_mshrs : &machine->l2_mshrs;
    int sharing = 1;
    if (limit->scope && strcmp(limit->scope, "core"))
        for (int i = 0; i < machine->level_nr; i++)
            if (machine->level[i].level == level && machine->level[i].cores_sharing > 1)
                sharing = machine->level[i].cores_sharing;
    return quantity_scale(limit->used,
                          (double)machine_transfer_bytes(machine) * cores / sharing);
}

/* 0 = unknown. */
static double bytes_in_flight(const struct machine *machine, int level)
{
    struct quantity bytes = plot_in_flight(machine, level, machine->cores);
    return bytes.known ? bytes.value : 0;
}

/* All points are in, what a wide band leaves room for, and a queue's line that is near.
 */
static void stretch(struct sheet *sheet)
{
    double high = 0, top;
    for (size_t m = 0; m < sheet->nr; m++) {
        const struct machine *machine = sheet->machine[m];
        for (size_t i = 0; i < machine->curve_nr; i++)
            stretch_to_curve(sheet, &machine->curve[i], &high);
        if (machine->memory_latency_ns.known)
            sheet->y_end = fmax(sheet->y_end, machine->memory_latency_ns.value);
    }
    stretch_to_limits(sheet);
    sheet->x_end *= 1.06;
    top = 1.2 * fmin(fmax(high, sheet->y_end), 1.4 * sheet->y_end);
    for (int level = 1; level <= 2 && sheet->nr == 1; level++) {
        const struct machine *machine = sheet->machine[0];
        double bytes = bytes_in_flight(machine, level);
        if (bytes / (0.8 * sheet->x_end) < 1.8 * sheet->y_end)
            top = fmax(top, bytes / (0.8 * sheet->x_end));
    }
    sheet->y_end = top;
}

/* ---- curves ---- */

static void add_point(struct buf *out, const struct machine_point *point, double y_end)
{
    bool spread = point->gbs_high > 0;
    const double column[] = {point->gbs,
                             point->latency_ns.value,
                             spread ? point->gbs_low : point->gbs,
                             spread ? point->gbs_high : point->gbs,
                             point->latency_ns.low,
                             fmin(point->latency_ns.high, 2 * y_end)};
    for (size_t i = 0; i < ARRAY_SIZE(column); i++) {
        buf_add(out, i ? " " : "");
        add_number(out, column[i]);
    }
    buf_add(out, "\n");
}

static void add_block(struct sheet *sheet, const char *prefix,
                      const struct machine_curve *curve, size_t from, size_t to)
{
    buf_addf(sheet->out, "$%s%zu << EOD\n", prefix, sheet->curve);
    for (size_t i = from; i < to; i++)
        add_point(sheet->out, &curve->point[i], sheet->y_end);
    buf_add(sheet->out, "EOD\n");
}

static void name_curve(const struct sheet *sheet, const struct machine *machine,
                       const struct machine_curve *curve, struct buf *name)
{
    if (sheet->nr > 1)
        buf_addf(name, "%s: ", machine->name);
    buf_addf(name, "%.0f %% reads", 100 * curve->read_share);
    if (curve->nontemporal)
        buf_add(name, ", non-temporal stores");
    if (curve->ceiling_gbs.known) {
        bool bound = machine_ceiling_is_bound(curve);
        buf_add(name, bound ? ", ceiling at most " : ", ceiling ");
        buf_add_number(name, bound ? curve->ceiling_gbs.high : curve->ceiling_gbs.value);
        buf_add(name, " GB/s");
    }
}

static void plot_measured(struct sheet *sheet, const char *colour, const char *title)
{
    size_t curve = sheet->curve;
    int mark = 5 + 2 * (int)(curve % 5); /* filled ones */
    if (sheet->kind != PLOT_TERMINAL) {
        gnuplot_begin_item(&sheet->items);
        buf_addf(&sheet->items,
                 "$m%zu using 1:2:3:4:5:6 with xyerrorbars pointtype -1 linewidth 1 "
                 "linecolor rgb '%s' notitle",
                 curve, colour);
    }
    gnuplot_begin_item(&sheet->items);
    if (sheet->kind == PLOT_TERMINAL)
        buf_addf(&sheet->items,
                 "$m%zu using 1:2 with linespoints linetype %zu pointtype '%c'", curve,
                 1 + curve % DUMB_CURVES, (char)('A' + curve % 26));
    else
        buf_addf(
            &sheet->items,
            "$m%zu using 1:2 with linespoints linewidth 2 pointtype %d pointsize 0.8 "
            "linecolor rgb '%s'",
            curve, mark, colour);
    add_title(sheet, title);
}

static void plot_predicted(struct sheet *sheet, const char *colour, const char *title)
{
    size_t curve = sheet->curve;
    sheet->predicted = true;
    if (sheet->kind == PLOT_TERMINAL) {
        gnuplot_begin_item(&sheet->items);
        buf_addf(&sheet->items,
                 "$p%zu using 1:2 with linespoints linetype %zu pointtype '?'", curve,
                 1 + curve % DUMB_CURVES);
        add_title(sheet, title);
        return;
    }
    gnuplot_begin_item(&sheet->items);
    buf_addf(&sheet->items,
             "$p%zu using 1:5:6 with filledcurves fillstyle transparent solid 0.15 "
             "noborder linecolor rgb '%s' notitle",
             curve, colour);
    gnuplot_begin_item(&sheet->items);
    buf_addf(&sheet->items,
             "$p%zu using 1:2 with lines linewidth 2 dashtype 2 linecolor rgb '%s'",
             curve, colour);
    add_title(sheet, title);
}

static void draw_ceiling(struct sheet *sheet, const char *colour, double gbs)
{
    buf_addf(sheet->out,
             "set arrow from first %.6g, graph 0 to first %.6g, graph 1 nohead linewidth "
             "1 dashtype 4 linecolor rgb '%s'\n",
             gbs, gbs, colour);
}

/* The predicted part starts at the last measured point. */
static void draw_curve(struct sheet *sheet, const struct machine *machine,
                       const struct machine_curve *curve)
{
    const char *colour = gnuplot_colour(sheet->curve);
    struct buf name = {0};
    size_t measured = 0;
    while (measured < curve->point_nr && !is_predicted(&curve->point[measured]))
        measured++;
    name_curve(sheet, machine, curve, &name);
    if (measured) {
        add_block(sheet, "m", curve, 0, measured);
        plot_measured(sheet, colour, buf_str(&name));
    }
    if (measured < curve->point_nr) {
        add_block(sheet, "p", curve, measured ? measured - 1 : 0, curve->point_nr);
        if (sheet->kind == PLOT_TERMINAL)
            buf_add(&name, " (predicted)");
        plot_predicted(sheet, colour,
                       measured && sheet->kind != PLOT_TERMINAL ? NULL : buf_str(&name));
    }
    if (curve->ceiling_gbs.known && curve->ceiling_gbs.value <= sheet->x_end &&
        sheet->kind != PLOT_TERMINAL)
        draw_ceiling(sheet, colour, curve->ceiling_gbs.value);
    sheet->curve++;
    buf_release(&name);
}

/* ---- what the machine sets ---- */

/* `colour`: of the machine's first curve where several machines are drawn. */
static void draw_unloaded(struct sheet *sheet, const struct machine *machine,
                          const char *colour)
{
    struct buf text = {0};
    if (!machine->memory_latency_ns.known)
        return;
    if (sheet->nr > 1)
        buf_addf(&text, "%s: ", machine->name);
    buf_addf(&text, "unloaded, %.0f ns", machine->memory_latency_ns.value);
    gnuplot_begin_item(&sheet->items);
    buf_addf(&sheet->items, "%.6g with lines ", machine->memory_latency_ns.value);
    if (sheet->kind == PLOT_TERMINAL)
        buf_addf(&sheet->items, "linetype %d", DUMB_UNLOADED);
    else
        buf_addf(&sheet->items, "linewidth 1 dashtype 3 linecolor rgb '%s'", colour);
    add_title(sheet, buf_str(&text));
    buf_release(&text);
}

static void draw_peak(struct sheet *sheet, const struct machine *machine,
                      const char *colour)
{
    struct buf text = {0};
    double x = machine->peak_gbs.value;
    if (!machine->peak_gbs.known)
        return;
    if (sheet->nr > 1)
        buf_addf(&text, "%s: ", machine->name);
    buf_add(&text, machine->peak_gbs.low > 0 ? "peak " : "peak at most ");
    buf_add_number(&text, x);
    buf_add(&text, " GB/s");
    if (x > sheet->x_end) {
        buf_add(&text, ", right of what is shown");
        gnuplot_begin_item(&sheet->items);
        buf_add(&sheet->items, "NaN with lines linecolor rgb '#ffffff'");
        add_title(sheet, buf_str(&text));
        buf_release(&text);
        return;
    }
    buf_addf(sheet->out,
             "set arrow from first %.6g, graph 0 to first %.6g, graph 1 nohead", x, x);
    if (sheet->kind != PLOT_TERMINAL)
        buf_addf(sheet->out, " linewidth 1.5 dashtype 5 linecolor rgb '%s'", colour);
    buf_add(sheet->out, "\nset label ");
    gnuplot_quote(sheet->out, buf_str(&text));
    buf_addf(sheet->out, " at first %.6g, graph %s\n", x,
             sheet->kind == PLOT_TERMINAL
                 ? "0.06 right offset -1,0"
                 : "0.02 rotate by 90 left offset -1.4,0 textcolor rgb '#555555'");
    buf_release(&text);
}

/* Above the frame, where the line leaves it: covers nothing. The first ends there, the
 * second begins there or ends at the frame, one row higher where they could meet. */
static void label_queue(struct sheet *sheet, const char *text, int level, double bytes)
{
    double at = bytes / sheet->y_end / sheet->x_end;
    bool first = level == 1, early = at<0.3, late = at> 0.7;
    buf_add(sheet->out, "set label ");
    gnuplot_quote(sheet->out, text);
    buf_addf(
        sheet->out, " at graph %.6g, graph 1 %s offset 0,%s textcolor rgb '#333333'\n",
        !first && late ? 1 : at, (first && !early) || (!first && late) ? "right" : "left",
        first ? "0.7" : "1.7");
}

static void draw_queue(struct sheet *sheet, const struct machine *machine,
                       const struct machine_limit *limit, int level)
{
    struct buf text = {0};
    double bytes = bytes_in_flight(machine, level);
    bool inside = bytes < sheet->x_end * sheet->y_end;
    bool terminal = sheet->kind == PLOT_TERMINAL;
    if (!(bytes > 0))
        return;
    buf_addf(&text, "L%d queue full: ", level);
    buf_add_number(&text, limit->used.value);
    buf_addf(&text, " lines per %s%s%s", limit->scope ? limit->scope : "core",
             isinf(limit->used.high) ? " or more" : "",
             inside ? "" : " (beyond this picture)");
    gnuplot_begin_item(&sheet->items);
    if (inside)
        buf_addf(&sheet->items, "%.6g / x", bytes);
    else
        buf_add(&sheet->items, "NaN");
    if (terminal)
        buf_addf(&sheet->items, " with lines linetype %d",
                 level == 1 ? DUMB_L1 : DUMB_L2);
    else
        buf_add(&sheet->items, " with lines linewidth 1.5 linecolor rgb '#333333'");
    if (inside && !terminal)
        label_queue(sheet, buf_str(&text), level, bytes);
    add_title(sheet, terminal || !inside ? buf_str(&text) : NULL);
    buf_release(&text);
}

static void draw_limits(struct sheet *sheet, const struct machine *machine,
                        size_t first_curve)
{
    const char *colour = sheet->nr > 1 ? gnuplot_colour(first_curve) : "#555555";
    draw_unloaded(sheet, machine, colour);
    draw_peak(sheet, machine, colour);
    if (sheet->nr > 1)
        return;
    draw_queue(sheet, machine, &machine->l1_mshrs, 1);
    draw_queue(sheet, machine, &machine->l2_mshrs, 2);
}

/* ---- the sheet ---- */

static size_t newlines(const char *text)
{
    size_t nr = 0;
    while ((text = strchr(text, '\n'))) {
        text++;
        nr++;
    }
    return nr;
}

static void add_heading(struct sheet *sheet)
{
    struct buf title = {0};
    for (size_t m = 0; m < sheet->nr; m++) {
        const struct machine *machine = sheet->machine[m];
        const char *model = machine->cpu_model ? machine->cpu_model : "";
        bool named = !strncmp(model, machine->name, strlen(machine->name));
        buf_addf(&title, "%s%s%s%s", m ? "\n" : "", named ? "" : machine->name,
                 named || !*model ? "" : ": ", model);
        if (sheet->kind == PLOT_TERMINAL || !machine->source)
            continue;
        buf_add(&title, "\n");
        buf_add_wrapped(&title, machine->source, 0, 110);
    }
    buf_add(sheet->out, "set title ");
    gnuplot_quote_lines(sheet->out, buf_str(&title));
    buf_add(sheet->out, " noenhanced");
    if (sheet->kind != PLOT_TERMINAL && sheet->nr == 1) /* room for label_queue's rows */
        buf_addf(sheet->out, " offset 0,1.8\nset tmargin %.6g",
                 4.5 + 1.2 * (double)newlines(buf_str(&title)));
    buf_add(sheet->out, "\n");
    buf_release(&title);
}

static void add_settings(struct sheet *sheet)
{
    static const char *const terminal[] = {
        [PLOT_TERMINAL] = "dumb size 79, 32 noenhanced",
        [PLOT_SVG] = "svg size 960, 680 noenhanced font 'DejaVu Sans,13' background "
                     "'#ffffff'",
        [PLOT_PNG] = "pngcairo size 960, 680 noenhanced font 'DejaVu Sans,10' background "
                     "'#ffffff'",
    };
    char cores[64] = "all cores";
    if (sheet->nr == 1)
        snprintf(cores, sizeof(cores), "all %d cores", sheet->machine[0]->cores);
    buf_addf(sheet->out, "set encoding utf8\nset terminal %s\nset output 'picture'\n",
             terminal[sheet->kind]);
    add_heading(sheet);
    buf_addf(sheet->out,
             "set xlabel 'bandwidth through memory, %s together (GB/s)'\n"
             "set ylabel 'latency of memory (ns)'\n"
             "set xrange [0:%.6g]\nset yrange [0:%.6g]\nset samples 1000\n",
             cores, sheet->x_end, sheet->y_end);
    buf_add(sheet->out, "set tics nomirror\n");
    if (sheet->kind != PLOT_TERMINAL)
        buf_add(sheet->out,
                "set bars 0.5\nset grid linetype 1 linewidth 0.5 linecolor rgb "
                "'#dddddd'\n");
}

/* Below the axis, in two columns; the margin grows with it. */
static void add_key(const struct sheet *sheet)
{
    size_t rows = (sheet->titles + 1) / 2;
    if (sheet->kind == PLOT_TERMINAL)
        buf_add(sheet->out, "set key below left vertical maxcols 1 Left reverse\n");
    else
        buf_addf(sheet->out,
                 "set bmargin %.6g\nset key at screen 0.5, screen 0.01 center bottom "
                 "vertical maxcols 2 maxrows %zu Left reverse\n",
                 4.5 + 1.3 * (double)rows, rows);
}

static int check_curves(const struct machine *const *machine, size_t nr,
                        struct error *err)
{
    for (size_t m = 0; m < nr; m++)
        for (size_t i = 0; i < machine[m]->curve_nr; i++)
            if (machine[m]->curve[i].point_nr)
                return 0;
    return fail(err, STATUS_INPUT,
                "--plot: the profile '%s' holds no curve of latency under load",
                machine[0]->name);
}

int plot_script(const struct machine *const *machine, size_t nr, enum plot_kind kind,
                struct buf *script, struct error *err)
{
    struct sheet sheet = {.machine = machine, .nr = nr, .kind = kind, .out = script};
    if (check_curves(machine, nr, err))
        return -1;
    stretch(&sheet);
    add_settings(&sheet);
    for (size_t m = 0; m < nr; m++) {
        size_t first = sheet.curve;
        for (size_t i = 0; i < machine[m]->curve_nr; i++)
            draw_curve(&sheet, machine[m], &machine[m]->curve[i]);
        draw_limits(&sheet, machine[m], first);
    }
    if (sheet.predicted && kind != PLOT_TERMINAL) {
        gnuplot_begin_item(&sheet.items);
        buf_add(&sheet.items,
                "NaN with lines linewidth 2 dashtype 2 linecolor rgb '#555555'");
        add_title(&sheet, "dashed, shaded: predicted");
    }
    add_key(&sheet);
    buf_addf(script, "%s\n", buf_str(&sheet.items));
    buf_release(&sheet.items);
    return 0;
}
