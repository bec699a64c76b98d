/* The roofline as a picture: slopes of every level, flat roofs of arithmetic, their ridge
 * points, and for each variant a filled mark at the intensity of L1's bytes, an open one
 * at that of memory's, in boxes of their intervals. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/html/html_figure.h"
#include "advisor/metrics/metrics_roof.h"
#include "advisor/plot/gnuplot_text.h"
#include "advisor/plot/plot.h"

/* Filled marks of gnuplot; the open one has the number before. */
static const int mark[] = {7, 5, 9, 13, 11};
static const char *const colour_of_mark[] = {COLOUR_WRITTEN, COLOUR_WINNER,
                                             COLOUR_FAILED};
static const char *const colour_of_level[] = {
    [ROOF_L1] = COLOUR_L1,
    [ROOF_L2] = COLOUR_L2,
    [ROOF_L3] = COLOUR_OTHER,
    [ROOF_MEMORY] = COLOUR_MEMORY,
};

/* A mark that stands this far right of all else, since next to nothing goes through
 * memory, would only squeeze the picture. */
enum { BEYOND = 10 };

struct sheet {
    struct metrics_roof *roof; /* all under the same roofs, all with a place */
    size_t nr, left_out;
    enum plot_kind kind;
    bool in_page;
    struct buf head, items; /* data blocks; of the plot command */
    size_t titles, longest; /* of the key */
    size_t blocks;
    double x[2], y[2]; /* the frame: flop/B, GFLOP/s */
};

static void sheet_release(struct sheet *sheet)
{
    free(sheet->roof);
    buf_release(&sheet->head);
    buf_release(&sheet->items);
}

/* ---- what is drawn ---- */

static bool has_place(const struct roofline *roofline)
{
    return roofline->flops_per_s.known && roofline->flops_per_s.value > 0 &&
           roofline->peak.known && (roofline->ai.known || roofline->ai_memory.known);
}

static void find_roofs(const struct metrics_report *report, struct sheet *sheet)
{
    sheet->roof = xcalloc(report->nr + 1, sizeof(*sheet->roof));
    for (size_t i = 0; i < report->nr; i++) {
        struct metrics_roof *roof = &sheet->roof[sheet->nr];
        bool drawn = metrics_roof_of(&report->column[i], roof) &&
                     has_place(&roof->roofline) &&
                     (!sheet->nr || metrics_roof_same(&sheet->roof[0], roof));
        sheet->nr += drawn;
        sheet->left_out += !drawn;
    }
}

static void take_in(double range[2], struct quantity value, double scale)
{
    roof_take_in(range, value.known ? value.value * scale : NAN);
}

static void find_frame(struct sheet *sheet)
{
    sheet->x[0] = sheet->y[0] = INFINITY;
    sheet->x[1] = sheet->y[1] = 0;
    for (size_t i = 0; i < sheet->nr; i++) {
        const struct roofline *roofline = &sheet->roof[i].roofline;
        take_in(sheet->x, roofline->ai, 1);
        take_in(sheet->y, roofline->flops_per_s, 1e-9);
        take_in(sheet->y, roofline->peak, 1e-9);
        for (int k = 0; k < ROOF_LEVELS; k++)
            take_in(sheet->x, roofline->level[k].ridge, 1);
    }
    double right = sheet->x[1] > 0 ? BEYOND * sheet->x[1] : INFINITY;
    for (size_t i = 0; i < sheet->nr; i++)
        if (sheet->roof[i].roofline.ai_memory.value < right)
            take_in(sheet->x, sheet->roof[i].roofline.ai_memory, 1);
    roof_give_room(sheet->x, sheet->y);
}

/* ---- pieces ---- */

/* NULL = not in the key. */
static void end_item(struct sheet *sheet, const char *title)
{
    gnuplot_title(&sheet->items, title, sheet->kind == PLOT_TERMINAL);
    sheet->titles += title != NULL;
    if (title && strlen(title) > sheet->longest)
        sheet->longest = strlen(title);
}

static void add_line(struct sheet *sheet, const double x[2], const double y[2],
                     const char *colour, const char *style, const char *title)
{
    buf_addf(&sheet->head, "$b%zu << EOD\n%.6g %.6g\n%.6g %.6g\nEOD\n", sheet->blocks,
             x[0], y[0], x[1], y[1]);
    gnuplot_begin_item(&sheet->items);
    buf_addf(&sheet->items, "$b%zu using 1:2 with lines ", sheet->blocks++);
    if (sheet->kind == PLOT_TERMINAL)
        buf_addf(&sheet->items, "linetype %zu", 1 + sheet->titles % 7);
    else
        buf_addf(&sheet->items, "%s linecolor rgb '%s'", style, colour);
    end_item(sheet, title);
}

/* ---- roofs ---- */

/* Up to the highest roof of arithmetic, where its ridge point is. */
static void add_slope(struct sheet *sheet, double gbs, const char *colour,
                      const char *style, const char *name)
{
    double top = 1e-9 * sheet->roof[0].roofline.peak.value;
    struct buf title = {0};
    buf_addf(&title, "%s, ", name);
    buf_add_number(&title, gbs);
    buf_add(&title, " GB/s, ridge ");
    buf_add_number(&title, top / gbs);
    add_line(sheet, (const double[]){sheet->x[0], top / gbs},
             (const double[]){sheet->x[0] * gbs, top}, colour, style, buf_str(&title));
    buf_release(&title);
    if (sheet->kind != PLOT_TERMINAL) {
        buf_addf(&sheet->head, "$b%zu << EOD\n%.6g %.6g\nEOD\n", sheet->blocks, top / gbs,
                 top);
        gnuplot_begin_item(&sheet->items);
        buf_addf(&sheet->items,
                 "$b%zu using 1:2 with points pointtype 7 pointsize 0.5 linecolor rgb "
                 "'%s'",
                 sheet->blocks++, colour);
        end_item(sheet, NULL);
    }
}

static void add_slopes(struct sheet *sheet)
{
    const struct roof_ceilings *ceilings = &sheet->roof[0].ceilings;
    struct quantity node = ceilings->node.value, slope = ceilings->gbs[ROOF_MEMORY].value;
    for (int i = 0; i < ROOF_LEVELS; i++)
        if (ceilings->gbs[i].value.known)
            add_slope(sheet, ceilings->gbs[i].value.value, colour_of_level[i],
                      "linewidth 2", roof_level_text(i));
    if (node.known && !(slope.known && slope.value == node.value))
        add_slope(sheet, node.value, COLOUR_MEMORY, "linewidth 1.5 dashtype 2",
                  "memory, all its bytes");
}

/* From the steepest slope on. */
static double left_end(const struct sheet *sheet, double gflops)
{
    double steepest = 0;
    for (int i = 0; i < ROOF_LEVELS; i++)
        if (sheet->roof[0].ceilings.gbs[i].value.known)
            steepest = fmax(steepest, sheet->roof[0].ceilings.gbs[i].value.value);
    return steepest > 0 ? fmax(gflops / steepest, sheet->x[0]) : sheet->x[0];
}

static void add_flats(struct sheet *sheet)
{
    static const char *const style[] = {[ROOF_SCALAR] = "linewidth 1.5 dashtype 3",
                                        [ROOF_SIMD] = "linewidth 1.5 dashtype 2",
                                        [ROOF_FMA] = "linewidth 2"};
    for (int i = 0; i < ROOF_FLOPS; i++) {
        struct quantity roof = sheet->roof[0].ceilings.flops[i].value;
        if (!roof.known)
            continue;
        double gflops = 1e-9 * roof.value;
        struct buf title = {0};
        buf_addf(&title, "%s, ", roof_flops_text(i));
        buf_add_number(&title, gflops);
        buf_add(&title, " GFLOP/s");
        add_line(sheet, (const double[]){left_end(sheet, gflops), sheet->x[1]},
                 (const double[]){gflops, gflops}, COLOUR_COMPUTE, style[i],
                 buf_str(&title));
        buf_release(&title);
    }
}

/* ---- variants ---- */

static double within(double value, const double range[2])
{
    return fmin(fmax(value, range[0]), range[1]);
}

static void add_box(struct sheet *sheet, struct quantity x, struct quantity y,
                    const char *colour)
{
    if (sheet->kind == PLOT_TERMINAL || (x.low == x.high && y.low == y.high))
        return;
    buf_addf(&sheet->head, "$b%zu << EOD\n%.6g %.6g %.6g %.6g %.6g %.6g\nEOD\n",
             sheet->blocks, x.value, y.value, within(x.low, sheet->x),
             within(x.high, sheet->x), within(y.low, sheet->y), within(y.high, sheet->y));
    gnuplot_begin_item(&sheet->items);
    buf_addf(&sheet->items,
             "$b%zu using 1:2:3:4:5:6 with boxxyerror fillstyle transparent solid 0.2 "
             "border linewidth 1 linecolor rgb '%s'",
             sheet->blocks++, colour);
    end_item(sheet, NULL);
}

static void add_mark(struct sheet *sheet, size_t i, struct quantity x, bool filled,
                     const char *title)
{
    struct quantity y = quantity_scale(sheet->roof[i].roofline.flops_per_s, 1e-9);
    const char *colour = colour_of_mark[i % ARRAY_SIZE(colour_of_mark)];
    if (!x.known || !(x.value > 0))
        return;
    add_box(sheet, x, y, colour);
    buf_addf(&sheet->head, "$b%zu << EOD\n%.6g %.6g\nEOD\n", sheet->blocks, x.value,
             y.value);
    gnuplot_begin_item(&sheet->items);
    buf_addf(&sheet->items, "$b%zu using 1:2 with points ", sheet->blocks++);
    if (sheet->kind == PLOT_TERMINAL)
        buf_addf(&sheet->items, "pointtype '%c'", (char)((filled ? 'A' : 'a') + i % 26));
    else
        buf_addf(&sheet->items,
                 "pointtype %d pointsize 1.3 linewidth 1.5 linecolor rgb "
                 "'%s'",
                 mark[i % ARRAY_SIZE(mark)] - !filled, colour);
    end_item(sheet, title);
}

static void add_variants(struct sheet *sheet)
{
    for (size_t i = 0; i < sheet->nr; i++) {
        const struct metrics_roof *roof = &sheet->roof[i];
        char *l1 = xasprintf("%s, by L1's bytes", roof->column->label),
             *memory = xasprintf("%s, by memory's%s", roof->column->label,
                                 roof->roofline.ai_memory.value > sheet->x[1]
                                     ? ", off the right edge"
                                     : "");
        add_mark(sheet, i, roof->roofline.ai, true, l1);
        add_mark(sheet, i, roof->roofline.ai_memory, false, memory);
        free(l1);
        free(memory);
    }
}

/* ---- the sheet ---- */

static void add_axis(struct buf *out, const char *axis, const double range[2])
{
    struct figure figure = {0};
    figure_log_axis(&figure, axis, "", range[0], range[1]);
    buf_add(out, buf_str(&figure.head));
    figure_release(&figure);
}

static void add_title(const struct sheet *sheet, struct buf *out)
{
    struct buf title = {0};
    const struct metrics_roof *roof = &sheet->roof[0];
    buf_addf(&title, "Roofs of %s, %d cores", roof->column->machine.name,
             roof->ceilings.cores);
    if (sheet->left_out)
        buf_addf(&title, "\n%zu left out: without flop/s and bytes, or under other roofs",
                 sheet->left_out);
    buf_add(out, "set title ");
    gnuplot_quote_lines(out, buf_str(&title));
    buf_add(out, " noenhanced\n");
    buf_release(&title);
}

/* gnuplot leaves out entries of a key that is too wide: long names stand in one column.
 */
static size_t key_columns(const struct sheet *sheet)
{
    enum { LONGEST = 36 };
    return sheet->longest > LONGEST ? 1 : 2;
}

static void add_key(const struct sheet *sheet, size_t rows, struct buf *out)
{
    if (sheet->kind == PLOT_TERMINAL)
        buf_add(out, "set key below left vertical maxcols 1 Left reverse\n");
    else
        buf_addf(out,
                 "set bmargin %.6g\nset key at screen 0.5, screen 0.01 center bottom "
                 "vertical maxcols %zu maxrows %zu Left reverse\n",
                 4.5 + 1.15 * (double)rows, key_columns(sheet), rows);
}

/* A page sets its own background. The frame keeps its height, the key comes to it. */
static void add_settings(const struct sheet *sheet, struct buf *out)
{
    size_t columns = key_columns(sheet), rows = (sheet->titles + columns - 1) / columns;
    size_t height = 500 + 20 * rows;
    buf_add(out, "set encoding utf8\nset terminal ");
    if (sheet->kind == PLOT_TERMINAL)
        buf_addf(out, "dumb size 79, %zu noenhanced", 26 + sheet->titles);
    else if (sheet->in_page)
        buf_addf(out, "svg size 760, %zu noenhanced font 'sans,14' name 'roofline'",
                 height);
    else
        buf_addf(out,
                 "%s size 900, %zu noenhanced font 'DejaVu Sans,%d' background "
                 "'#ffffff'",
                 sheet->kind == PLOT_SVG ? "svg" : "pngcairo", height,
                 sheet->kind == PLOT_SVG ? 13 : 10);
    buf_addf(out, "\nset output 'picture%s'\n", sheet->in_page ? "0" : "");
    add_title(sheet, out);
    buf_add(out, "set xlabel 'arithmetic intensity (flop/B)'\nset ylabel 'GFLOP/s'\n");
    add_axis(out, "x", sheet->x);
    add_axis(out, "y", sheet->y);
    buf_add(out, "set tics nomirror\n");
    if (sheet->kind != PLOT_TERMINAL)
        buf_addf(out, "set grid linetype 1 linewidth 0.5 linecolor rgb '%s'\n",
                 sheet->in_page ? COLOUR_FAINT : "#dddddd");
    add_key(sheet, rows, out);
}

static bool make_script(const struct metrics_report *report, struct sheet *sheet,
                        struct buf *script)
{
    find_roofs(report, sheet);
    if (!sheet->nr)
        return false;
    find_frame(sheet);
    add_slopes(sheet);
    add_flats(sheet);
    add_variants(sheet);
    add_settings(sheet, script);
    buf_addf(script, "%s%s\nunset output\n", buf_str(&sheet->head),
             buf_str(&sheet->items));
    return true;
}

int metrics_roof_plot(const struct metrics_report *report, const char *path,
                      struct error *err)
{
    struct sheet sheet = {0};
    struct buf script = {0};
    int status = plot_kind_of(path, &sheet.kind, err);
    if (!status && !make_script(report, &sheet, &script))
        status = fail(err, STATUS_MISSING,
                      "--plot: there is nothing to draw: no column has flops, bytes and "
                      "time under roofs that are known; --machine names the profile of "
                      "the machine of the counts");
    if (!status)
        status = plot_picture(&script, path, err);
    sheet_release(&sheet);
    buf_release(&script);
    return status;
}

/* ---- in a page ---- */

static void add_caption(struct buf *out)
{
    buf_add(out,
            "<figcaption>\n<p><b>How to read it.</b> Right: more arithmetic for each "
            "byte. Up: more of it per second. Filled marks stand at the bytes that "
            "load and store instructions ask of L1, open ones at those through "
            "memory. How much of a level is used, the words below say, not the "
            "distance to its slope.</p>\n</figcaption>\n");
}

static void add_words(const struct sheet *sheet, struct buf *out)
{
    struct strvec notes = {0};
    metrics_roof_notes(&sheet->roof[0], &notes);
    buf_add(out, "<ul>\n");
    for (size_t i = 0; i < sheet->nr; i++) {
        char *sentence = metrics_roof_sentence(&sheet->roof[i]);
        html_elementf(out, "li", "%s: %s.", sheet->roof[i].column->label, sentence);
        free(sentence);
    }
    buf_add(out, "</ul>\n<details class=\"words\"><summary>What the roofs are"
                 "</summary>\n<ul>\n");
    for (size_t i = 0; i < notes.nr; i++)
        html_element(out, "li", notes.v[i]);
    buf_add(out, "</ul></details>\n");
    strvec_release(&notes);
}

void metrics_roof_html(const struct metrics_report *report, struct buf *out)
{
    struct sheet sheet = {.kind = PLOT_SVG, .in_page = true};
    struct buf script = {0}, picture = {0};
    struct strvec tips = {0};
    struct error err = {0};
    if (make_script(report, &sheet, &script)) {
        bool drawn = !plot_pictures(&script, "--html", &picture, 1, &err);
        buf_add(out, "<section id=\"roofline\">\n<h2>Roofline</h2>\n<figure "
                     "id=\"figure-roofline\">\n<div class=\"picture\">");
        if (!drawn || !html_svg(buf_str(&picture), "roofline",
                                "Roofline: GFLOP/s over flop per byte, both logarithmic",
                                &tips, out))
            html_elementf(out, "p class=\"note\"", "Not drawn: %s", err.text);
        buf_add(out, "</div>\n");
        add_caption(out);
        buf_add(out, "</figure>\n");
        add_words(&sheet, out);
        buf_add(out, "</section>\n");
    }
    sheet_release(&sheet);
    buf_release(&script);
    buf_release(&picture);
}
