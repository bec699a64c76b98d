/* The page: the course of the search; bounds against what was measured. */
#include <math.h>
#include <stdio.h>
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

static void add_best_so_far(const struct html *page, struct plot_panel *panel)
{
    double best = 1;
    struct plot_series *line =
        plot_add(panel, (struct plot_series){.line = PLOT_STEPS, .colour = COLOUR_WINNER},
                 "the best so far, by the time of its own");
    for (size_t i = 0; i < page->variant_nr; i++) {
        if (counts(page, i))
            best = fmax(best, page->variant[i].gain.value);
        plot_at(line, (double)i, best);
    }
}

static void add_spreads(const struct html *page, struct plot_panel *panel)
{
    struct plot_series *series = plot_add(
        panel, (struct plot_series){.interval = PLOT_SPANS, .colour = COLOUR_FAINT},
        NULL);
    for (size_t i = 1; i < page->variant_nr; i++)
        if (html_ran(&page->variant[i]) && page->variant[i].gain.known)
            plot_point(series, quantity_exact((double)i, PROVENANCE_DERIVED),
                       page->variant[i].gain, NULL);
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

static void add_marks(const struct html *page, struct plot_panel *panel, enum mark mark)
{
    static const struct {
        const char *colour, *text;
        enum plot_mark mark;
        double size;
    } looks[] = {
        [MARK_STEP] = {COLOUR_OTHER, "tried", PLOT_DOT, 0.6},
        [MARK_AROUND] = {COLOUR_L2, "another environment, the same source", PLOT_SQUARE,
                         0.7},
        [MARK_STOPPED] = {COLOUR_L1, "given up as slow: at most this fast", PLOT_DOWN,
                          0.8},
        [MARK_FAILED] = {COLOUR_FAILED, "failed: wrong results, crash, not built",
                         PLOT_CROSS, 0.9},
        [MARK_WRITTEN] = {COLOUR_WRITTEN, "the kernel as written", PLOT_DIAMOND, 1.4},
        [MARK_WINNER] = {COLOUR_WINNER, "the winner", PLOT_DOT, 1.2},
    };
    struct plot_series *series = NULL;
    for (size_t i = 0; i < page->variant_nr; i++) {
        double height = height_of(page, i);
        if (mark_of(page, i) != mark || !isfinite(height))
            continue;
        if (!series)
            series = plot_add(panel,
                              (struct plot_series){.mark = looks[mark].mark,
                                                   .size = looks[mark].size,
                                                   .colour = looks[mark].colour},
                              "%s", looks[mark].text);
        char *tip = figure_tip_of(page, i);
        plot_point(series, quantity_exact((double)i, PROVENANCE_DERIVED),
                   quantity_exact(height, PROVENANCE_DERIVED), tip);
        free(tip);
    }
}

/* Above the frame: the wall time at which so many had been tried. */
static void add_clock(const struct html *page, struct plot_panel *panel)
{
    size_t nr = page->variant_nr, every = nr / 5 + 1;
    double spent_s = 0;
    for (size_t i = 0; i < nr; i++)
        if (!(page->variant[i].measurement.cost_s > 0))
            return;
    for (size_t i = 0; i < nr; i++) {
        char *text = xasprintf("%.0f s", spent_s);
        if (i % every == 0 && i)
            plot_add_tic(&panel->top, (double)i, text);
        free(text);
        spent_s += page->variant[i].measurement.cost_s;
    }
    panel->top.low = panel->x.low;
    panel->top.high = panel->x.high;
    panel->top.label = xstrdup("time spent on building, checking and running");
}

static size_t first_closing(const struct html *page)
{
    size_t i = 0;
    while (i < page->variant_nr && !page->variant[i].closing)
        i++;
    return i;
}

static void add_course_words(const struct html *page, struct figure *figure,
                             size_t closing)
{
    size_t pruned = json_array_size(json_object_get(page->report, "pruned"));
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
    struct plot_panel *panel = plot_add_panel(&figure->plot);
    size_t closing = first_closing(page), nr = page->variant_nr;
    panel->x = (struct plot_axis){
        .label = xstrdup("try"), .low = -0.5, .high = (double)nr - 0.5};
    panel->y = (struct plot_axis){
        .label = xstrdup("times as fast as written"), .low = -0.05 * top, .high = top};
    for (size_t i = 0; i < nr && nr <= 12; i++) {
        char number[24];
        snprintf(number, sizeof(number), "%zu", i);
        plot_add_tic(&panel->x, (double)i, number);
    }
    add_clock(page, panel);
    plot_line(plot_add(panel,
                       (struct plot_series){.line = PLOT_LINE,
                                            .width = 1,
                                            .dash = PLOT_DOTTED,
                                            .colour = COLOUR_WRITTEN},
                       NULL),
              -0.5, 1, (double)nr, 1);
    if (closing < nr && closing)
        plot_at(plot_add(panel,
                         (struct plot_series){.line = PLOT_VERTICAL,
                                              .dash = PLOT_DOTTED,
                                              .colour = COLOUR_FAINT},
                         NULL),
                (double)closing - 0.5, 0);
    add_course_words(page, figure, closing);
    add_spreads(page, panel);
    add_best_so_far(page, panel);
    for (int mark = 0; mark < MARK_NR; mark++)
        add_marks(page, panel, (enum mark)mark);
}

/* ---- promised and found ---- */

static bool is_pair(const json_t *advice)
{
    return doc_quantity(advice, "bound_speedup").known &&
           doc_quantity(advice, "measured_speedup").known;
}

/* Both axes alike, so that the diagonal is one. */
static double find_top(const json_t *list, double *min)
{
    double top = 1.2;
    const json_t *advice;
    size_t i;
    *min = 0.9;
    json_array_foreach(list, i, advice) {
        if (!is_pair(advice))
            continue;
        struct quantity bound = doc_quantity(advice, "bound_speedup"),
                        measured = doc_quantity(advice, "measured_speedup");
        top = fmax(top, fmax(bound.value, measured.value));
        *min = fmin(*min, fmin(bound.value, measured.value));
    }
    *min *= 0.9;
    return 1.25 * top;
}

static void add_pair(struct plot_panel *panel, const json_t *advice, size_t nr)
{
    struct quantity bound = doc_quantity(advice, "bound_speedup"),
                    measured = doc_quantity(advice, "measured_speedup");
    const char letter[] = {(char)('A' + nr % 26), 0};
    char *tip =
        xasprintf("%s: %s, at most %.2fx, measured %.2fx", letter,
                  report_word(advice, "transformation"), bound.value, measured.value);
    plot_point(plot_add(panel, (struct plot_series){.line = PLOT_TEXT}, NULL), bound,
               measured, letter);
    plot_point(plot_add(panel,
                        (struct plot_series){.interval = PLOT_BARS,
                                             .interval_colour = COLOUR_OTHER,
                                             .mark = PLOT_DOT,
                                             .size = 0.9,
                                             .colour = COLOUR_MEMORY},
                        "%s", tip),
               bound, measured, tip);
    free(tip);
}

void figure_predicted(const struct html *page, struct figure *figure)
{
    const json_t *list = json_object_get(page->report, "advice"), *advice;
    double min, top = find_top(list, &min);
    size_t i, nr = 0;
    json_array_foreach(list, i, advice)
        nr += is_pair(advice);
    if (!nr) {
        buf_add(&figure->why_not, "No advice has both a bound and a measured gain.");
        return;
    }
    struct plot_panel *panel = plot_add_panel(&figure->plot);
    const struct plot_axis axis = {
        .scale = PLOT_LOG, .low = min, .high = top, .unit = "x"};
    panel->x = panel->y = axis;
    panel->x.label = xstrdup("bound: at most so many times as fast");
    panel->y.label = xstrdup("measured: so many times as fast");
    plot_line(plot_add(panel,
                       (struct plot_series){
                           .line = PLOT_LINE, .width = 1, .colour = COLOUR_FAINT},
                       NULL),
              min, min, top, top);
    nr = 0;
    json_array_foreach(list, i, advice) {
        if (is_pair(advice))
            add_pair(panel, advice, nr++);
    }
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
