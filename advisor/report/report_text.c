/*
 * The report for a terminal. Without --evidence it fits about a screen and a half: what
 * limits the loop, what was gained, what to type next, ranked advice, what is left. With
 * it, every figure that this rests on.
 */
#include <math.h>
#include <string.h>

#include "advisor/report/report.h"
#include "advisor/report/report_sheet.h"
#include "core/occupancy/occupancy.h"

/* ---- advice ---- */

/* The ranked advice. Without --evidence what is to be tried is told in full as far as it
 * was measured or is most promising; what makes no sense here is named only. */

enum { TRIES_SHOWN = 5, STOPS_SHOWN = 3, INDENT = 8 };

static const char *verdict_colour(const struct sheet *sheet, const char *verdict)
{
    if (!sheet->page.colour)
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
static void add_advice(const struct sheet *sheet, const json_t *advice, struct buf *line)
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
    if (sheet->evidence)
        buf_addf(line, " [%s]", report_word(advice, "rule"));
}

/* Wrapped without colours, which take no columns. */
static void show_verdict_of(struct sheet *sheet, const char *verdict, const char *text)
{
    struct buf wrapped = {0};
    buf_add_repeat(&wrapped, ' ', INDENT);
    buf_add_wrapped(&wrapped, text, INDENT, sheet->page.width);
    buf_addf(sheet->page.out, "  %s%-6s%s%s\n", verdict_colour(sheet, verdict), verdict,
             sheet->page.colour ? "\033[0m" : "", buf_str(&wrapped) + INDENT);
    buf_release(&wrapped);
}

static void show_one(struct sheet *sheet, const json_t *advice)
{
    struct buf line = {0};
    add_advice(sheet, advice, &line);
    show_verdict_of(sheet, report_verdict(advice), buf_str(&line));
    buf_release(&line);
}

/* What a reader is told in full: with --evidence all; else what was measured, and the
 * first few of what was not. */
static bool is_shown(const struct sheet *sheet, const json_t *advice, int *shown)
{
    if (sheet->evidence || was_measured(advice) || report_true(advice, "contradicted"))
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

static void show_names(struct sheet *sheet, const char *verdict, const char *names)
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
    show_verdict_of(sheet, verdict, buf_str(&line));
    buf_release(&line);
}

static void show_verdict(struct sheet *sheet, const char *verdict)
{
    const json_t *advice;
    struct buf names = {0};
    int shown = 0;
    size_t i;
    json_array_foreach(json_object_get(sheet->report, "advice"), i, advice) {
        if (!is_verdict(advice, verdict))
            continue;
        if (is_shown(sheet, advice, &shown))
            show_one(sheet, advice);
        else
            add_name(advice, &names);
    }
    if (names.length)
        show_names(sheet, verdict, buf_str(&names));
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
static void sheet_advice(struct sheet *sheet)
{
    page_heading(&sheet->page, "Advice, most promising first");
    if (json_array_size(json_object_get(sheet->report, "advice")) == 0)
        page_paragraph(&sheet->page,
                       "None: the rules judge what a complete measurement of the kernel "
                       "as written shows.");
    show_verdict(sheet, "gains");
    show_verdict(sheet, "try");
    show_verdict(sheet, "slower");
    show_verdict(sheet, "stop");
    show_verdict(sheet, "avoid");
    if (any_undecided(sheet->report))
        page_paragraph(&sheet->page, "(undecided: the figures' intervals allow the "
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
static void sheet_effort(struct sheet *sheet)
{
    const json_t *time = json_object_get(sheet->report, "time"),
                 *budget = json_object_get(sheet->report, "budget");
    struct buf line = {0};

    if (!(figure(time, "wall_s") > 0) || !budget)
        return;
    add_wall(sheet->report, time, budget, &line);
    add_looks(json_object_get(budget, "looks"), &line);
    add_left_out(budget, &line);
    page_paragraph(&sheet->page, "%s", buf_str(&line));
    buf_release(&line);
}

/* ---- report text ---- */

void sheet_item(struct sheet *sheet, const char *text, size_t indent)
{
    buf_add(sheet->page.out, "  ");
    buf_add_wrapped(sheet->page.out, text, indent, sheet->page.width);
    buf_add(sheet->page.out, "\n");
}

static void show_confirm(struct sheet *sheet)
{
    const json_t *confirm = json_object_get(sheet->report, "confirm");
    if (!report_has(confirm, "sentence"))
        return;
    page_heading(&sheet->page, "Is that so? A counter-experiment");
    page_paragraph(&sheet->page, "%s", report_word(confirm, "sentence"));
}

/* As documents of earlier versions have it, without a sentence. */
static void add_left_bound(const json_t *left, struct buf *line)
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
    bool told = report_has(report, "stop") &&
                strcmp(report_word(report, "command"), "advise") != 0;
    if (!told)
        return;
    buf_addf(line, "The search ended because %s, after ", report_word(report, "stop"));
    if (!isnan(seconds))
        buf_addf(line, "%.0f s and ", seconds);
    buf_addf(line, "%zu variant%s. ", variants, variants == 1 ? "" : "s");
}

static void show_left(struct sheet *sheet)
{
    const json_t *left = json_object_get(sheet->report, "left");
    struct buf line = {0};
    page_heading(&sheet->page, "What is left to gain");
    add_stop(sheet->report, &line);
    if (report_has(left, "sentence"))
        buf_add(&line, report_word(left, "sentence"));
    else if (report_quantity(left, "bound"))
        add_left_bound(left, &line);
    else
        buf_add(&line, "The evidence gives no bound on what is left.");
    page_paragraph(&sheet->page, "%s", buf_str(&line));
    buf_release(&line);
}

void report_text(const json_t *report, bool colour, bool evidence, int columns,
                 const char *database, struct buf *out)
{
    struct sheet sheet = {report, page_on(out, colour, columns), evidence, database};
    sheet_head(&sheet);
    sheet_limit(&sheet);
    show_confirm(&sheet);
    sheet_gained(&sheet);
    sheet_in_app(&sheet);
    sheet_advice(&sheet);
    sheet_audit(&sheet);
    show_left(&sheet);
    sheet_effort(&sheet);
    if (evidence)
        sheet_evidence(&sheet);
    sheet_next(&sheet);
}
