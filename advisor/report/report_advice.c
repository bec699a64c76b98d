/* The ranked advice. Without --evidence what is to be tried is told in full as far as it
 * was measured or is most promising; what makes no sense here is named only. */
#include <math.h>
#include <string.h>

#include "advisor/report/report_sheet.h"

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
    json_array_foreach(json_object_get(sheet->report, "advice"), i, advice)
    {
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
    json_array_foreach(json_object_get(report, "advice"), i,
                       advice) if (report_true(advice, "undecided")) return true;
    return false;
}

void sheet_advice(struct sheet *sheet)
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
