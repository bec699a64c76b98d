/* The page: latency of memory over bandwidth, with every variant on it, and where the
 * queues would be full. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/html/html_figure.h"
#include "advisor/plot/plot.h"

struct sheet {
    const struct html *page;
    struct figure *figure;
    const struct machine_curve *curve; /* that variants are read from */
    double read_share, x_end, y_end;   /* GB/s, ns */
    size_t assumed_nr,
        beyond_nr; /* drawn with another's bytes; not drawn for want of a curve */
};

static double read_share_of(const struct html *page)
{
    const json_t *baseline = json_object_get(page->report, "baseline");
    struct quantity share =
        doc_quantity(json_object_get(baseline, "analysis"), "read_share");
    return share.known ? share.value : 1;
}

/* Where the variant stands; false = nowhere. */
static bool place(struct sheet *sheet, size_t i, struct quantity *gbs,
                  struct quantity *latency_ns, bool *counted)
{
    const struct html *page = sheet->page;
    if (!html_ran(&page->variant[i]))
        return false;
    *gbs = figure_gbs(page, i, counted);
    *latency_ns = *counted ? page->variant[i].latency_ns : quantity_unknown();
    if (gbs->known && !*counted)
        *latency_ns = machine_latency_ns(&page->machine, gbs->value, sheet->read_share);
    return gbs->known && latency_ns->known;
}

static void find_ends(struct sheet *sheet)
{
    const struct machine_curve *curve = sheet->curve;
    double latency = 0;
    for (size_t i = 0; i < curve->point_nr; i++) {
        sheet->x_end = fmax(sheet->x_end, curve->point[i].gbs);
        latency = fmax(latency, curve->point[i].latency_ns.value);
    }
    for (size_t i = 0; i < sheet->page->variant_nr; i++) {
        struct quantity gbs, latency_ns;
        bool counted;
        if (!place(sheet, i, &gbs, &latency_ns, &counted))
            continue;
        sheet->x_end = fmax(sheet->x_end, gbs.value);
        latency = fmax(latency, latency_ns.value);
    }
    if (curve->ceiling_gbs.known && curve->ceiling_gbs.value < 3 * sheet->x_end)
        sheet->x_end = fmax(sheet->x_end, curve->ceiling_gbs.value);
    sheet->x_end *= 1.06;
    sheet->y_end = 1.25 * latency;
}

/* ---- what the machine sets ---- */

static void add_curve(struct sheet *sheet)
{
    const struct machine_curve *curve = sheet->curve;
    struct figure *figure = sheet->figure;
    size_t measured = 0, block;
    while (measured < curve->point_nr &&
           curve->point[measured].latency_ns.provenance != PROVENANCE_PREDICTED)
        measured++;
    block = figure_block(figure);
    for (size_t i = 0; i < curve->point_nr; i++) {
        const struct machine_point *point = &curve->point[i];
        figure_row(figure, 4,
                   (const double[]){point->gbs, point->latency_ns.value,
                                    point->latency_ns.low,
                                    fmin(point->latency_ns.high, 2 * sheet->y_end)});
    }
    figure_end(figure);
    figure_item(figure,
                "$b%zu using 1:3:4 with filledcurves fillstyle transparent solid 0.15 "
                "noborder linecolor rgb '" COLOUR_MEMORY "'",
                block);
    figure_item(figure,
                "$b%zu every ::0::%zu using 1:2 with lines linewidth 2 linecolor rgb "
                "'" COLOUR_MEMORY "'",
                block, measured ? measured - 1 : 0);
    figure_legend(figure, "line", COLOUR_MEMORY,
                  "latency of memory at that load (%.0f %% reads), with its interval",
                  100 * curve->read_share);
    if (measured == curve->point_nr)
        return;
    figure_item(
        figure,
        "$b%zu every ::%zu using 1:2 with lines linewidth 2 dashtype 2 linecolor rgb "
        "'" COLOUR_MEMORY "'",
        block, measured ? measured - 1 : 0);
    figure_legend(figure, "dash", COLOUR_MEMORY, "the same, predicted");
}

/* latency = lines in flight x bytes / bandwidth */
static void add_queue(struct sheet *sheet, int level)
{
    const struct machine *machine = &sheet->page->machine;
    const struct machine_limit *limit =
        level == 1 ? &machine->l1_mshrs : &machine->l2_mshrs;
    const char *colour = level == 1 ? COLOUR_L1 : COLOUR_L2;
    struct quantity bytes = plot_in_flight(machine, level, (double)sheet->page->copies);
    struct figure *figure = sheet->figure;
    if (!bytes.known || !(bytes.value > 0))
        return;
    bool inside = bytes.value < sheet->x_end * sheet->y_end;
    if (inside)
        figure_item(
            figure,
            "[%.6g:%.6g] %.6g / x with lines linewidth 2 dashtype 4 linecolor rgb '%s'",
            bytes.value / sheet->y_end, sheet->x_end, bytes.value, colour);
    figure_legend(figure, "dash", colour, "L%d queue full: %.3g lines per %s%s%s", level,
                  limit->used.value, limit->scope ? limit->scope : "core",
                  isinf(limit->used.high) ? " or more" : "",
                  inside ? "" : " (beyond this picture)");
}

static void add_ceiling(struct sheet *sheet)
{
    struct quantity ceiling = sheet->curve->ceiling_gbs;
    if (!ceiling.known || ceiling.value > sheet->x_end)
        return;
    figure_line(sheet->figure, ceiling.value, 0, ceiling.value, sheet->y_end,
                "linewidth 1 dashtype 3 linecolor rgb '" COLOUR_MEMORY "'");
    figure_legend(sheet->figure, "dash", COLOUR_MEMORY,
                  "most that memory gives: %.3g GB/s%s", ceiling.value,
                  machine_ceiling_is_bound(sheet->curve) ? " or less" : "");
}

/* ---- variants ---- */

static void add_bars(struct sheet *sheet)
{
    struct figure *figure = sheet->figure;
    size_t block = figure_block(figure), nr = 0;
    for (size_t i = 0; i < sheet->page->variant_nr; i++) {
        struct quantity gbs, latency_ns;
        bool counted;
        if (!place(sheet, i, &gbs, &latency_ns, &counted) || !counted)
            continue;
        figure_row(figure, 6,
                   (const double[]){gbs.value, latency_ns.value, fmax(gbs.low, 0),
                                    fmin(gbs.high, 2 * sheet->x_end),
                                    fmax(latency_ns.low, 0),
                                    fmin(latency_ns.high, 2 * sheet->y_end)});
        nr++;
    }
    figure_end(figure);
    if (nr)
        figure_item(figure,
                    "$b%zu using 1:2:3:4:5:6 with xyerrorbars pointtype -1 linewidth 1 "
                    "linecolor rgb '" COLOUR_OTHER "'",
                    block);
}

enum group { GROUP_ASSUMED, GROUP_COUNTED, GROUP_WRITTEN, GROUP_WINNER, GROUP_NR };

static enum group group_of(const struct html *page, size_t i, bool counted)
{
    return i == 0            ? GROUP_WRITTEN
           : i == page->best ? GROUP_WINNER
           : counted         ? GROUP_COUNTED
                             : GROUP_ASSUMED;
}

static size_t add_group_rows(struct sheet *sheet, enum group group)
{
    size_t nr = 0;
    for (size_t i = 0; i < sheet->page->variant_nr; i++) {
        struct quantity gbs, latency_ns;
        bool counted;
        if (!place(sheet, i, &gbs, &latency_ns, &counted) ||
            group_of(sheet->page, i, counted) != group)
            continue;
        char *tip = figure_tip_of(sheet->page, i),
             *full = xasprintf("%s; %s%.3g GB/s at %.3g ns", tip, counted ? "" : "about ",
                               gbs.value, latency_ns.value);
        figure_tipped(sheet->figure, 2, (const double[]){gbs.value, latency_ns.value},
                      full);
        free(full);
        free(tip);
        nr++;
    }
    return nr;
}

static void add_group(struct sheet *sheet, enum group group)
{
    static const struct {
        const char *colour, *mark, *text;
        int type;
        double size;
    } look[] = {
        [GROUP_ASSUMED] =
            {COLOUR_OTHER, "ring",
             "variants of which only the time is known: drawn as if they moved "
             "the bytes of the counted variant with most steps in common",
             6, 0.6},
        [GROUP_COUNTED] = {COLOUR_OTHER, "dot", "variants whose traffic was counted", 7,
                           0.8},
        [GROUP_WRITTEN] = {COLOUR_WRITTEN, "diamond", "the kernel as written", 13, 1.4},
        [GROUP_WINNER] = {COLOUR_WINNER, "dot", "the winner", 7, 1.2},
    };
    struct figure *figure = sheet->figure;
    size_t block = figure_block(figure), nr = add_group_rows(sheet, group);
    figure_end(figure);
    if (group == GROUP_ASSUMED)
        sheet->assumed_nr = nr;
    if (!nr)
        return;
    figure_marks(figure, block, look[group].type, look[group].size, look[group].colour);
    figure_legend(figure, look[group].mark, look[group].colour, "%s", look[group].text);
}

static void count_beyond(struct sheet *sheet)
{
    for (size_t i = 0; i < sheet->page->variant_nr; i++) {
        struct quantity gbs, latency_ns;
        bool counted;
        sheet->beyond_nr += html_ran(&sheet->page->variant[i]) &&
                            !place(sheet, i, &gbs, &latency_ns, &counted) && gbs.known;
    }
}

/* ---- the figure ---- */

static void add_words(struct sheet *sheet)
{
    struct figure *figure = sheet->figure;
    figure_how(
        figure,
        "<b>How to read it.</b> Each mark is a variant: the further right, the more it "
        "draws from memory; memory answers later the busier it is, so marks lie along "
        "the curve. Where a dashed line is met, that queue is full: a variant cannot "
        "pass it without fewer misses, or with misses that wait in another queue. A "
        "mark well below the line has room: more misses could be under way at a "
        "time.");
    if (sheet->beyond_nr)
        figure_how(
            figure,
            " %zu variant%s not drawn: with the bytes taken over, memory would have to "
            "give more than was ever seen of it, so %s fewer.",
            sheet->beyond_nr, sheet->beyond_nr == 1 ? " is" : "s are",
            sheet->beyond_nr == 1 ? "it moves" : "they move");
    buf_addf(&figure->label,
             "Latency of memory in nanoseconds over bandwidth in GB/s, from 0 to %.3g "
             "GB/s, with "
             "the variants as marks and the L1 and L2 queue limits as falling lines.",
             sheet->x_end);
}

static bool can_draw(struct sheet *sheet)
{
    const struct html *page = sheet->page;
    if (!page->has_machine) {
        buf_add(&sheet->figure->why_not, "This session was made by a version of inflight "
                                         "that did not keep the machine's "
                                         "profile, so its curve cannot be drawn.");
        return false;
    }
    sheet->curve = machine_curve_near(&page->machine, sheet->read_share);
    if (sheet->curve && sheet->curve->point_nr)
        return true;
    buf_add(
        &sheet->figure->why_not,
        "The machine's profile holds no curve of latency under load; 'inflight machine' "
        "measures one.");
    return false;
}

void figure_memory(const struct html *page, struct figure *figure)
{
    struct sheet sheet = {
        .page = page, .figure = figure, .read_share = read_share_of(page)};
    if (!can_draw(&sheet))
        return;
    find_ends(&sheet);
    figure_set(figure, "xlabel 'bandwidth through memory, loaded cores together (GB/s)'");
    figure_set(figure, "ylabel 'latency of memory (ns)'");
    figure_set(figure, "xrange [%.6g:%.6g]", -0.02 * sheet.x_end, sheet.x_end);
    figure_set(figure, "yrange [0:%.6g]", sheet.y_end);
    add_curve(&sheet);
    add_ceiling(&sheet);
    add_queue(&sheet, 1);
    add_queue(&sheet, 2);
    add_bars(&sheet);
    for (int group = 0; group < GROUP_NR; group++)
        add_group(&sheet, (enum group)group);
    count_beyond(&sheet);
    add_words(&sheet);
}
