/*
 * The report for a terminal. Without --evidence it fits about a screen and a half: what
 * limits the loop, what was gained, what to type next, ranked advice, what is left. With
 * it, every figure that this rests on.
 */
#include <math.h>
#include <string.h>

#include "advisor/report/report.h"
#include "advisor/report/report_view.h"
#include "core/store/store.h"

/* ---- advice ---- */

/* Without --evidence what gained, what was measured and the first few of what is to be
 * tried are told in full; what makes no sense here is named only. */

enum { TRIES_SHOWN = 5, INDENT = 10 };

static const char *class_colour(const struct view *view, const char *class)
{
    if (!view->layout.colour)
        return "";
    return !strcmp(class, "try") || !strcmp(class, "allow") || !strcmp(class, "gained")
               ? "\033[32m"
           : !strcmp(class, "not recommended") ? "\033[33m"
                                               : "\033[31m";
}

static bool is_class(const json_t *advice, const char *class)
{
    return !strcmp(report_word(advice, "verdict_text"), class);
}

static bool was_measured(const json_t *advice)
{
    return report_quantity(advice, "gain") != NULL;
}

static void add_promise(const json_t *advice, struct buf *line)
{
    const json_t *gain = report_quantity(advice, "gain"),
                 *expected = report_quantity(advice, "expected"),
                 *most = report_quantity(advice, "most");
    const char *sure = report_word(advice, "confidence");
    if (gain) {
        add_report_measured(line, advice);
    } else if (expected) {
        add_report_expected(line, advice);
        buf_addf(line, " expected%s (%s confidence",
                 is_class(advice, "not possible") ? " if it were legal" : "", sure);
        if (most) {
            buf_add(line, ", at most ");
            add_report_rough(line, report_figure(most, "value"));
        }
        buf_add(line, ")");
    }
}

/* "tile(i:32,j:8): about 3.10x expected (medium confidence, at most 8.71x). An outer loop
 * ..." */
static void add_advice(const struct view *view, const json_t *advice, struct buf *line)
{
    const char *name = report_word(advice, "transformation");
    bool rule_was_wrong = report_true(advice, "contradicted");
    buf_add(line, report_has(advice, "plan") ? report_word(advice, "plan") : name);
    buf_add(line, ": ");
    size_t before = line->length;
    add_promise(advice, line);
    if (report_has(advice, "outcome"))
        buf_addf(line, "%s%s", line->length > before ? "; " : "",
                 report_word(advice, "outcome"));
    if (line->length > before)
        buf_add(line, ". ");
    buf_addf(line, "%s%s", rule_was_wrong ? "The rule expected otherwise: " : "",
             report_word(advice, "reason"));
    if (view->evidence)
        buf_addf(line, " [%s%s%s]", name, report_has(advice, "rule") ? ", " : "",
                 report_word(advice, "rule"));
}

/* Wrapped without colours, which take no columns. A class is named where it begins. */
static void show_class(struct view *view, const char *class, const char *text)
{
    struct buf wrapped = {0};
    const char *word = strlen(class) < INDENT - 2 ? class : "";
    if (!*word)
        buf_addf(view->layout.out, "  %s%s%s\n", class_colour(view, class), class,
                 view->layout.colour ? "\033[0m" : "");
    buf_add_repeat(&wrapped, ' ', INDENT);
    buf_add_wrapped(&wrapped, text, INDENT, view->layout.width);
    buf_addf(view->layout.out, "  %s%-*s%s%s\n", *word ? class_colour(view, class) : "",
             INDENT - 2, word, *word && view->layout.colour ? "\033[0m" : "",
             buf_str(&wrapped) + INDENT);
    buf_release(&wrapped);
}

static void show_one(struct view *view, const json_t *advice)
{
    struct buf line = {0};
    add_advice(view, advice, &line);
    show_class(view, report_word(advice, "verdict_text"), buf_str(&line));
    buf_release(&line);
}

/* What a reader is told in full: with --evidence all; else what was measured, each plan
 * once, and the first few of what was not. */
static bool is_shown(const struct view *view, const json_t *advice, const char **plan,
                     int *shown)
{
    bool again = is_class(advice, "gained") && report_has(advice, "plan") &&
                 !strcmp(report_word(advice, "plan"), *plan);
    *plan = report_word(advice, "plan");
    if (view->evidence || (was_measured(advice) && !again) ||
        (is_class(advice, "not possible") && report_is_promising(advice)))
        return true;
    return report_is_untried(advice) && (*shown)++ < TRIES_SHOWN;
}

static void add_name(const json_t *advice, struct buf *names)
{
    buf_addf(names, "%s%s", names->length ? ", " : "",
             report_word(advice, "transformation"));
}

static void show_names(struct view *view, const char *class, struct buf *names)
{
    if (!names->length)
        return;
    struct buf line = {0};
    buf_addf(&line, "%s%s.",
             !strcmp(class, "gained")                           ? "as steps of it: "
             : !strcmp(class, "try") || !strcmp(class, "allow") ? "less promising: "
                                                                : "",
             buf_str(names));
    show_class(view, class, buf_str(&line));
    buf_release(&line);
    buf_reset(names);
}

/* report_advice.c: what to try, what would gain nothing, what makes no sense here. */
static void view_advice(struct view *view)
{
    const json_t *list = json_object_get(view->report, "advice"), *advice;
    struct buf names = {0};
    const char *class = "", *plan = "";
    int shown = 0;
    size_t i;
    layout_heading(&view->layout,
                   "Advice, most promising first (gains over the kernel as written)");
    json_array_foreach(list, i, advice) {
        if (!is_class(advice, class))
            show_names(view, class, &names);
        class = report_word(advice, "verdict_text");
        if (is_shown(view, advice, &plan, &shown))
            show_one(view, advice);
        else
            add_name(advice, &names);
    }
    show_names(view, class, &names);
    buf_release(&names);
    if (!i)
        layout_paragraph(
            &view->layout,
            "None: the rules need a complete measurement of the kernel as written.");
    else if (!view->evidence)
        layout_paragraph(&view->layout, "(Each plan can be typed after --plan; "
                                        "--evidence gives every reason.)");
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
    double before_s = figure(budget, "before_s"),
           wall_s = figure(time, "wall_s") - before_s;
    size_t variants = json_array_size(json_object_get(report, "variants"));

    buf_addf(line, "It took %.1f s", wall_s);
    if (figure(budget, "seconds") > 0)
        buf_addf(line, " of %.0f s", figure(budget, "seconds"));
    if (before_s >= 1)
        buf_addf(line, " (and %.1f s before, for the machine's profile or a node)",
                 before_s);
    buf_addf(line, ", %zu variant%s judged", variants, variants == 1 ? "" : "s");
    if (json_is_object(json_object_get(report, "campaign"))) {
        buf_add(line, ", by nodes.");
        return;
    }
    buf_add(line, ": ");
    add_shares(time, wall_s, line);
    buf_add(line, ".");
}

static void add_looks(const json_t *looks, struct buf *line)
{
    double nr = figure(looks, "nr");

    if (nr > 0)
        buf_addf(line,
                 " First measurements and comparisons along the way took %.2f s on "
                 "average (%.0f of them); all their answers together are right with a "
                 "probability of %.0f %%.",
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
    if (view->evidence)
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

static void add_stop(const json_t *report, struct buf *line)
{
    size_t variants = json_array_size(json_object_get(report, "variants"));
    double seconds = report_figure(report, "seconds");
    bool given = report_has(report, "stop") && !report_is_advice(report);
    if (!given)
        return;
    buf_addf(line, "The search ended because %s, after ", report_word(report, "stop"));
    if (!isnan(seconds))
        buf_addf(line, "%.0f s and ", seconds);
    buf_addf(line, "%zu variant%s. ", variants, variants == 1 ? "" : "s");
}

/* What bounds the rest says little as long as something is to be tried. */
static bool tells_headroom(const struct view *view, const json_t *left)
{
    const char *verdict = report_word(left, "verdict");
    return view->evidence || !strcmp(verdict, "nothing") || !strcmp(verdict, "reached");
}

static void show_headroom(struct view *view)
{
    const json_t *left = json_object_get(view->report, "left");
    struct buf line = {0};
    if (report_is_advice(view->report) && !view->evidence)
        return;
    layout_heading(&view->layout, "How far the search went");
    add_stop(view->report, &line);
    if (tells_headroom(view, left))
        buf_add(&line, report_word(left, "sentence"));
    if (line.length)
        layout_paragraph(&view->layout, "%s", buf_str(&line));
    view_effort(view);
    buf_release(&line);
}

void report_text(const json_t *report, bool colour, bool evidence, int columns,
                 struct buf *out)
{
    struct view view = {report, layout_on(out, colour, columns), evidence};
    view_verdict(&view);
    view_head(&view);
    view_nodes(&view);
    view_limit(&view);
    view_results(&view);
    view_change(&view);
    view_in_app(&view);
    view_advice(&view);
    view_audit(&view);
    show_headroom(&view);
    if (evidence)
        view_evidence(&view);
    view_next(&view);
    view_last(&view);
}
