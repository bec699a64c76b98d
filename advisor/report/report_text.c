/*
 * The report for a terminal. Without --evidence it fits about a screen and a half: what
 * limits the loop, what was gained, what to type next, ranked advice, what is left. With
 * it, every figure that this rests on.
 */
#include <math.h>
#include <string.h>

#include "advisor/report/report.h"
#include "advisor/report/report_view.h"
#include "core/occupancy/occupancy.h"
#include "core/store/store.h"

/* ---- advice ---- */

/* The ranked advice. Without --evidence what is to be tried is told in full as far as it
 * was measured or is most promising; what makes no sense here is named only. */

enum { TRIES_SHOWN = 5, STOPS_SHOWN = 3, INDENT = 8 };

static const char *verdict_colour(const struct view *view, const char *verdict)
{
    if (!view->layout.colour)
        return "";
    return !strcmp(verdict, "try") || !strcmp(verdict, "gains") ? "\033[32m"
           : !strcmp(verdict, "avoid")                          ? "\033[33m"
                                                                : "\033[31m";
}

static bool is_verdict(const json_t *advice, const char *verdict)
{
    return !strcmp(report_verdict(advice), verdict);
}

static bool was_measured(const json_t *advice)
{
    return report_quantity(advice, "measured_speedup") != NULL;
}

static void add_measured(const json_t *advice, struct buf *line)
{
    if (!was_measured(advice))
        return;
    buf_add(line, "measured ");
    add_report_gain(line, report_quantity(advice, "measured_speedup"), "");
    if (report_has(advice, "tried_plan"))
        buf_addf(line, " by %s", report_word(advice, "tried_plan"));
    buf_add(line, "; ");
}

/* "simd: at most 1.30x; measured ... kept. Because ... [rule]" */
static void add_advice(const struct view *view, const json_t *advice, struct buf *line)
{
    buf_addf(line, "%s%s: ", report_word(advice, "transformation"),
             report_true(advice, "undecided") ? " (undecided)" : "");
    if (is_verdict(advice, "try") && report_bound(advice)) {
        add_report_bound(line, report_bound(advice));
        buf_add(line, "; ");
    }
    add_measured(advice, line);
    if (report_has(advice, "outcome"))
        buf_addf(line, "%s. ", report_word(advice, "outcome"));
    else if (line->length > 2 && line->data[line->length - 2] == ';') {
        buf_truncate(line, line->length - 2);
        buf_add(line, ". ");
    }
    if (is_verdict(advice, report_word(advice, "verdict")))
        buf_add(line, report_word(advice, "reason"));
    else
        buf_addf(line, "The rule expected otherwise: %s", report_word(advice, "reason"));
    if (view->evidence)
        buf_addf(line, " [%s]", report_word(advice, "rule"));
}

/* Wrapped without colours, which take no columns. */
static void show_verdict_of(struct view *view, const char *verdict, const char *text)
{
    struct buf wrapped = {0};
    buf_add_repeat(&wrapped, ' ', INDENT);
    buf_add_wrapped(&wrapped, text, INDENT, view->layout.width);
    buf_addf(view->layout.out, "  %s%-6s%s%s\n", verdict_colour(view, verdict), verdict,
             view->layout.colour ? "\033[0m" : "", buf_str(&wrapped) + INDENT);
    buf_release(&wrapped);
}

static void show_one(struct view *view, const json_t *advice)
{
    struct buf line = {0};
    add_advice(view, advice, &line);
    show_verdict_of(view, report_verdict(advice), buf_str(&line));
    buf_release(&line);
}

/* What a reader is told in full: with --evidence all; else what was measured, and the
 * first few of what was not. */
static bool is_shown(const struct view *view, const json_t *advice, int *shown)
{
    if (view->evidence || was_measured(advice) || report_true(advice, "contradicted"))
        return true;
    if (is_verdict(advice, "avoid"))
        return false;
    return (*shown)++ < (is_verdict(advice, "try") ? TRIES_SHOWN : STOPS_SHOWN);
}

static void add_name(const json_t *advice, struct buf *names)
{
    const json_t *bound = report_bound(advice);
    buf_addf(names, "%s%s%s", names->length ? ", " : "",
             report_word(advice, "transformation"),
             report_true(advice, "undecided") ? " (undecided)" : "");
    if (!bound || !is_verdict(advice, "try"))
        return;
    buf_add(names, " (");
    add_report_bound(names, bound);
    buf_add(names, ")");
}

static void show_names(struct view *view, const char *verdict, const char *names)
{
    static const struct {
        const char *verdict, *before, *after;
    } phrase[] = {{"try", "less promising: ", "."},
                  {"stop", "likewise ", " (--evidence says why)."},
                  {"avoid", "", ": the rules expect no gain (--evidence says why)."}};
    struct buf line = {0};
    for (size_t i = 0; i < ARRAY_SIZE(phrase); i++)
        if (!strcmp(phrase[i].verdict, verdict))
            buf_addf(&line, "%s%s%s", phrase[i].before, names, phrase[i].after);
    show_verdict_of(view, verdict, buf_str(&line));
    buf_release(&line);
}

static void show_verdict(struct view *view, const char *verdict)
{
    const json_t *advice;
    struct buf names = {0};
    int shown = 0;
    size_t i;
    json_array_foreach(json_object_get(view->report, "advice"), i, advice) {
        if (!is_verdict(advice, verdict))
            continue;
        if (is_shown(view, advice, &shown))
            show_one(view, advice);
        else
            add_name(advice, &names);
    }
    if (names.length)
        show_names(view, verdict, buf_str(&names));
    buf_release(&names);
}

static bool any_undecided(const json_t *report)
{
    const json_t *advice;
    size_t i;
    json_array_foreach(json_object_get(report, "advice"), i, advice)
        if (report_true(advice, "undecided"))
            return true;
    return false;
}

/* report_advice.c: what to try, what would gain nothing, what makes no sense here. */
static void view_advice(struct view *view)
{
    layout_heading(&view->layout, "Advice, most promising first");
    if (json_array_size(json_object_get(view->report, "advice")) == 0)
        layout_paragraph(
            &view->layout,
            "None: the rules judge what a complete measurement of the kernel "
            "as written shows.");
    show_verdict(view, "gains");
    show_verdict(view, "try");
    show_verdict(view, "slower");
    show_verdict(view, "stop");
    show_verdict(view, "avoid");
    if (any_undecided(view->report))
        layout_paragraph(&view->layout, "(undecided: the figures' intervals allow the "
                                        "opposite verdict, too)");
}

/* ---- time ---- */

/* The report for a terminal: where the wall time went, and what it was not enough for. */

static double figure(const json_t *object, const char *key)
{
    return json_number_value(json_object_get(object, key));
}

/* What runs for each variant, and in what words; all else is the rest. */
static const struct {
    enum account account;
    const char *words;
} parts[] = {{ACCOUNT_COMPILING, "compiling"},
             {ACCOUNT_VERIFYING, "checking results"},
             {ACCOUNT_TIMING, "timing"},
             {ACCOUNT_TRACING, "tracing"}};

/* In whole per cent, which add up. */
static void add_shares(const json_t *time, double wall_s, struct buf *out)
{
    int rest = 100;

    for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
        int share =
            (int)lround(100 * figure(time, account_key(parts[i].account)) / wall_s);

        rest -= share;
        buf_addf(out, "%s %d %%, ", parts[i].words, share);
    }
    buf_addf(out, "the rest %d %%", rest > 0 ? rest : 0);
}

static void add_wall(const json_t *report, const json_t *time, const json_t *budget,
                     struct buf *line)
{
    double wall_s = figure(time, "wall_s");
    size_t variants = json_array_size(json_object_get(report, "variants"));

    buf_addf(line, "It took %.1f s", wall_s);
    if (figure(budget, "seconds") > 0)
        buf_addf(line, " of %.0f s", figure(budget, "seconds"));
    buf_addf(line, ", %zu variant%s judged: ", variants, variants == 1 ? "" : "s");
    add_shares(time, wall_s, line);
    buf_add(line, ".");
}

static void add_looks(const json_t *looks, struct buf *line)
{
    double nr = figure(looks, "nr");

    if (nr > 0)
        buf_addf(
            line,
            " First looks and comparisons in passing took %.2f s in the mean (%.0f of "
            "them); all their answers together are right with a chance of %.0f %%.",
            figure(looks, "seconds") / nr, nr, 100 * (1 - figure(looks, "error")));
}

static void add_left_out(const json_t *budget, struct buf *line)
{
    const json_t *what;
    size_t i;

    json_array_foreach(json_object_get(budget, "left_out"), i, what)
        buf_addf(line, "%s%s", i ? "; " : " No time was left for: ",
                 json_is_string(what) ? json_string_value(what) : "?");
    if (i)
        buf_add(line, ".");
    if (report_has(budget, "shortage"))
        buf_addf(line, " The budget: %s.", report_word(budget, "shortage"));
}

/* report_time.c: shares of the wall time, how many variants were judged, and what no time
 * was left for. */
static void view_effort(struct view *view)
{
    const json_t *time = json_object_get(view->report, "time"),
                 *budget = json_object_get(view->report, "budget");
    struct buf line = {0};

    if (!(figure(time, "wall_s") > 0) || !budget)
        return;
    add_wall(view->report, time, budget, &line);
    add_looks(json_object_get(budget, "looks"), &line);
    add_left_out(budget, &line);
    layout_paragraph(&view->layout, "%s", buf_str(&line));
    buf_release(&line);
}

/* ---- report text ---- */

void view_item(struct view *view, const char *text, size_t indent)
{
    buf_add(view->layout.out, "  ");
    buf_add_wrapped(view->layout.out, text, indent, view->layout.width);
    buf_add(view->layout.out, "\n");
}

static void show_confirm(struct view *view)
{
    const json_t *confirm = json_object_get(view->report, "confirm");
    if (!report_has(confirm, "sentence"))
        return;
    layout_heading(&view->layout, "Is that so? A counter-experiment");
    layout_paragraph(&view->layout, "%s", report_word(confirm, "sentence"));
}

/* As documents of earlier versions have it, without a sentence. */
static void add_headroom_bound(const json_t *left, struct buf *line)
{
    enum resource resource = resource_from_word(report_word(left, "resource"));
    buf_add(line, "With the same work, the counted resources would allow ");
    add_report_bound(line, report_quantity(left, "bound"));
    buf_addf(line, " more; %s would set that limit.",
             resource_phrase(resource == RESOURCE_NR ? RESOURCE_NONE : resource));
}

static void add_stop(const json_t *report, struct buf *line)
{
    size_t variants = json_array_size(json_object_get(report, "variants"));
    double seconds = report_figure(report, "seconds");
    bool given = report_has(report, "stop") &&
                 strcmp(report_word(report, "command"), "advise") != 0;
    if (!given)
        return;
    buf_addf(line, "The search ended because %s, after ", report_word(report, "stop"));
    if (!isnan(seconds))
        buf_addf(line, "%.0f s and ", seconds);
    buf_addf(line, "%zu variant%s. ", variants, variants == 1 ? "" : "s");
}

static void show_headroom(struct view *view)
{
    const json_t *left = json_object_get(view->report, "left");
    struct buf line = {0};
    layout_heading(&view->layout, "What is left to gain");
    add_stop(view->report, &line);
    if (report_has(left, "sentence"))
        buf_add(&line, report_word(left, "sentence"));
    else if (report_quantity(left, "bound"))
        add_headroom_bound(left, &line);
    else
        buf_add(&line, "The evidence gives no bound on what is left.");
    layout_paragraph(&view->layout, "%s", buf_str(&line));
    buf_release(&line);
}

void report_text(const json_t *report, bool colour, bool evidence, int columns,
                 const char *database, struct buf *out)
{
    struct view view = {report, layout_on(out, colour, columns), evidence, database};
    view_head(&view);
    view_limit(&view);
    show_confirm(&view);
    view_gained(&view);
    view_in_app(&view);
    view_advice(&view);
    view_audit(&view);
    show_headroom(&view);
    view_effort(&view);
    if (evidence)
        view_evidence(&view);
    view_next(&view);
}
