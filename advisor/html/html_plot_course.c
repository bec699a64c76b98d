/* The page: the course of the search; bounds against what was measured. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/html/html_figure.h"

/* ---- the course ---- */

/* A source variant that counts for the best so far. */
static bool counts(const struct html *page, size_t i)
{
    const struct html_variant *variant = &page->variant[i];
    return html_ran(variant) && variant->gain.known && !*variant->around;
}

static void add_best_so_far(const struct html *page, struct figure *figure)
{
    double best = 1;
    size_t block = figure_block(figure);
    for (size_t i = 0; i < page->variant_nr; i++) {
        if (counts(page, i))
            best = fmax(best, page->variant[i].gain.value);
        figure_row(figure, 2, (const double[]){(double)i, best});
    }
    figure_end(figure);
    figure_item(figure,
                "$b%zu using 1:2 with steps linewidth 2 linecolor rgb '" COLOUR_WINNER
                "'",
                block);
    figure_legend(figure, "line", COLOUR_WINNER,
                  "the best so far, by the time of its own");
}

static void add_spreads(const struct html *page, struct figure *figure, double top)
{
    size_t block = figure_block(figure), nr = 0;
    for (size_t i = 1; i < page->variant_nr; i++) {
        struct quantity gain = page->variant[i].gain;
        if (!html_ran(&page->variant[i]) || !gain.known)
            continue;
        figure_row(
            figure, 3,
            (const double[]){(double)i, gain.low, fmin(gain.high, 2 * top) - gain.low});
        nr++;
    }
    figure_end(figure);
    if (nr)
        figure_item(
            figure,
            "$b%zu using 1:2:(0):3 with vectors nohead linewidth 1.5 linecolor rgb "
            "'" COLOUR_FAINT "'",
            block);
}

enum mark {
    MARK_STEP,
    MARK_AROUND,
    MARK_STOPPED,
    MARK_FAILED,
    MARK_WRITTEN,
    MARK_WINNER,
    MARK_NR
};

static enum mark mark_of(const struct html *page, size_t i)
{
    const struct html_variant *variant = &page->variant[i];
    if (!html_ran(variant))
        return variant->measurement.outcome == RUN_OUTCOME_STOPPED ? MARK_STOPPED
                                                                   : MARK_FAILED;
    return i == 0             ? MARK_WRITTEN
           : i == page->best  ? MARK_WINNER
           : *variant->around ? MARK_AROUND
                              : MARK_STEP;
}

/* What was stopped is at most that fast; what failed lies on the ground. */
static double height_of(const struct html *page, size_t i)
{
    const struct html_variant *variant = &page->variant[i];
    double at_least = variant->measurement.at_least_s;
    if (html_ran(variant))
        return variant->gain.known ? variant->gain.value : NAN;
    if (variant->measurement.outcome != RUN_OUTCOME_STOPPED)
        return 0;
    return at_least > 0 && html_ran(&page->variant[0])
               ? page->variant[0].measurement.time_s.value / at_least
               : 0;
}

static void add_marks(const struct html *page, struct figure *figure, enum mark mark)
{
    static const struct {
        const char *colour, *look, *text;
        int type;
        double size;
    } looks[] = {
        [MARK_STEP] = {COLOUR_OTHER, "dot", "tried", 7, 0.6},
        [MARK_AROUND] = {COLOUR_L2, "square", "another environment, the same source", 5,
                         0.7},
        [MARK_STOPPED] = {COLOUR_L1, "down", "given up as slow: at most this fast", 11,
                          0.8},
        [MARK_FAILED] = {COLOUR_FAILED, "cross",
                         "failed: wrong results, crash, not built", 2, 0.9},
        [MARK_WRITTEN] = {COLOUR_WRITTEN, "diamond", "the kernel as written", 13, 1.4},
        [MARK_WINNER] = {COLOUR_WINNER, "dot", "the winner", 7, 1.2},
    };
    size_t block = figure_block(figure), nr = 0;
    for (size_t i = 0; i < page->variant_nr; i++) {
        double height = height_of(page, i);
        if (mark_of(page, i) != mark || !isfinite(height))
            continue;
        char *tip = figure_tip_of(page, i);
        figure_tipped(figure, 2, (const double[]){(double)i, height}, tip);
        free(tip);
        nr++;
    }
    figure_end(figure);
    if (!nr)
        return;
    figure_marks(figure, block, looks[mark].type, looks[mark].size, looks[mark].colour);
    figure_legend(figure, looks[mark].look, looks[mark].colour, "%s", looks[mark].text);
}

/* Above the frame: the wall time at which so many had been tried. */
static void add_clock(const struct html *page, struct figure *figure)
{
    size_t nr = page->variant_nr, every = nr / 5 + 1;
    double spent_s = 0;
    struct buf tics = {0};
    for (size_t i = 0; i < nr; i++) {
        if (!(page->variant[i].measurement.cost_s > 0)) {
            buf_release(&tics);
            return;
        }
        if (i % every == 0 && i)
            buf_addf(&tics, "%s'%.0f s' %zu", tics.length ? ", " : "", spent_s, i);
        spent_s += page->variant[i].measurement.cost_s;
    }
    if (tics.length) {
        figure_set(figure, "x2tics (%s) nomirror textcolor rgb '#000000'",
                   buf_str(&tics));
        figure_set(figure, "x2range [-0.5:%.6g]", (double)nr - 0.5);
        figure_set(figure, "x2label 'time spent on building, checking and running'");
    }
    buf_release(&tics);
}

static size_t first_closing(const struct html *page)
{
    size_t i = 0;
    while (i < page->variant_nr && !page->variant[i].closing)
        i++;
    return i;
}

static void add_course_words(const struct html *page, struct figure *figure, double top)
{
    size_t pruned = json_array_size(json_object_get(page->report, "pruned"));
    size_t closing = first_closing(page);
    if (closing < page->variant_nr && closing)
        figure_line(figure, (double)closing - 0.5, 0, (double)closing - 0.5, 2 * top,
                    "linewidth 1 dashtype 3 linecolor rgb '" COLOUR_FAINT "'");
    figure_how(
        figure,
        "<b>How to read it.</b> One mark for each try, in order, by how many times as "
        "fast "
        "as written it ran; the line is the best so far. Long level stretches mean "
        "that further tries bought nothing.");
    if (closing < page->variant_nr && closing)
        figure_how(figure,
                   " Right of the dotted line are closing measurements, when the search "
                   "had ended.");
    if (pruned)
        figure_how(figure,
                   " Besides, %zu candidate%s pruned without being built; <a "
                   "href=\"#pruned\">their reasons are listed below</a>.",
                   pruned, pruned == 1 ? " was" : "s were");
    buf_addf(&figure->label,
             "Speed-up of each of %zu tries over the kernel as written, in the "
             "order in which they were tried, with the best so far.",
             page->variant_nr);
}

void figure_course(const struct html *page, struct figure *figure)
{
    double top = 1;
    if (page->variant_nr < 2 || !html_ran(&page->variant[0])) {
        buf_add(&figure->why_not,
                "Only the kernel as written was measured: there was no search.");
        return;
    }
    for (size_t i = 0; i < page->variant_nr; i++)
        if (page->variant[i].gain.known)
            top = fmax(top, page->variant[i].gain.value);
    top *= 1.12;
    figure_set(figure, "xlabel 'try'");
    figure_set(figure, "ylabel 'times as fast as written'");
    figure_set(figure, "xrange [-0.5:%.6g]", (double)page->variant_nr - 0.5);
    figure_set(figure, "yrange [%.6g:%.6g]", -0.05 * top, top);
    if (page->variant_nr <= 12)
        figure_set(figure, "xtics 1");
    add_clock(page, figure);
    figure_line(figure, -0.5, 1, (double)page->variant_nr, 1,
                "linewidth 1 dashtype 3 linecolor rgb '" COLOUR_WRITTEN "'");
    add_course_words(page, figure, top);
    add_spreads(page, figure, top);
    add_best_so_far(page, figure);
    for (int mark = 0; mark < MARK_NR; mark++)
        add_marks(page, figure, (enum mark)mark);
}

/* ---- promised and found ---- */

static bool is_pair(const json_t *advice)
{
    return doc_quantity(advice, "bound_speedup").known &&
           doc_quantity(advice, "measured_speedup").known;
}

/* Both axes alike, so that the diagonal is one. */
static double find_top(const json_t *list, double *least)
{
    double top = 1.2;
    const json_t *advice;
    size_t i;
    *least = 0.9;
    json_array_foreach(list, i, advice) {
        if (!is_pair(advice))
            continue;
        struct quantity bound = doc_quantity(advice, "bound_speedup"),
                        measured = doc_quantity(advice, "measured_speedup");
        top = fmax(top, fmax(bound.value, measured.value));
        *least = fmin(*least, fmin(bound.value, measured.value));
    }
    *least *= 0.9;
    return 1.25 * top;
}

static void add_pair(struct figure *figure, const json_t *advice, size_t nr, double top,
                     double least)
{
    struct quantity bound = doc_quantity(advice, "bound_speedup"),
                    measured = doc_quantity(advice, "measured_speedup");
    size_t block = figure_block(figure);
    struct buf tip = {0};
    figure_row(figure, 6,
               (const double[]){bound.value, measured.value, fmax(bound.low, least / 2),
                                fmin(bound.high, 2 * top), fmax(measured.low, least / 2),
                                fmin(measured.high, 2 * top)});
    figure_end(figure);
    figure_item(
        figure,
        "$b%zu using 1:2:3:4:5:6 with xyerrorbars pointtype -1 linewidth 1 linecolor rgb "
        "'" COLOUR_OTHER "'",
        block);
    block = figure_block(figure);
    buf_addf(&tip, "%c: %s, at most %.2fx, measured %.2fx", (char)('A' + nr % 26),
             report_word(advice, "transformation"), bound.value, measured.value);
    figure_tipped(figure, 2, (const double[]){bound.value, measured.value},
                  buf_str(&tip));
    figure_end(figure);
    figure_marks(figure, block, 7, 0.9, COLOUR_MEMORY);
    figure_item(figure, "$b%zu using 1:2:('%c') with labels offset character 1,0.6",
                block, (char)('A' + nr % 26));
    figure_legend(figure, "dot", COLOUR_MEMORY, "%s", buf_str(&tip));
    buf_release(&tip);
}

void figure_predicted(const struct html *page, struct figure *figure)
{
    const json_t *list = json_object_get(page->report, "advice"), *advice;
    double least, top = find_top(list, &least);
    size_t i, nr = 0;
    figure_log_axis(figure, "x", "x", least, top);
    figure_log_axis(figure, "y", "x", least, top);
    figure_set(figure, "xlabel 'bound: at most so many times as fast'");
    figure_set(figure, "ylabel 'measured: so many times as fast'");
    json_array_foreach(list, i, advice) {
        if (is_pair(advice))
            add_pair(figure, advice, nr++, top, least);
    }
    if (!nr) {
        buf_add(&figure->why_not, "No advice has both a bound and a measured gain.");
        return;
    }
    figure_line(figure, least, least, top, top,
                "linewidth 1 linecolor rgb '" COLOUR_FAINT "'");
    figure_how(
        figure,
        "<b>How to read it.</b> One mark for each advice that was tried: right, how "
        "much its rule said it could gain at most; up, what the best tried plan "
        "gained. Marks should lie on the diagonal or below it. One above it says "
        "that the bound was wrong; one far below that something else than the "
        "counted resource held it back.");
    buf_addf(&figure->label,
             "Measured speed-up over the bound of the rule, for %zu pieces of "
             "advice, with the diagonal.",
             nr);
}
