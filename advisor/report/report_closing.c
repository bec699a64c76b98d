/* The report for a terminal: ties of the winner, environments, the audit, the rules'
 * track record, what was reused, and where the time went. */
#include <stdlib.h>

#include "advisor/report/report_sheet.h"
#include "advisor/report/track_show.h"

static double figure(const json_t *object, const char *key)
{
    return json_number_value(json_object_get(object, key));
}

/* "tile(i:32) simd 0.99x (0.97 to 1.01)" */
static void add_tie(struct buf *out, const json_t *tie)
{
    const json_t *ratio = json_object_get(tie, "time_ratio");
    buf_addf(out, "%s%s %.2fx (%.2f to %.2f)", out->length ? "; " : "",
             report_word(tie, "plan"), figure(ratio, "value"), figure(ratio, "low"),
             figure(ratio, "high"));
}

/* `equal`: those that cannot be told apart from the winner; at least one. */
static void add_choice(const json_t *report, const json_t *ties, const char *equal,
                       struct buf *out)
{
    buf_addf(out, "Cannot be told apart from the fastest found, %s: %s. ",
             report_word(ties, "winner"), equal);
    if (report_true(ties, "written"))
        buf_add(out, "None of them is a smaller change that is surely as good. ");
    else
        buf_addf(out, "%s is the smallest change of them and was taken. ",
                 report_word(json_object_get(report, "best"), "plan"));
}

void sheet_ties(struct sheet *sheet)
{
    const json_t *ties = json_object_get(sheet->report, "ties"), *tie;
    struct buf equal = {0}, other = {0}, line = {0};
    size_t i;
    if (!report_has(json_object_get(sheet->report, "best"), "plan"))
        return; /* nothing was faster in the end */
    json_array_foreach(json_object_get(ties, "compared"), i, tie)
        add_tie(report_true(tie, "tied") ? &equal : &other, tie);
    if (equal.length)
        add_choice(sheet->report, ties, buf_str(&equal), &line);
    if (other.length)
        buf_addf(&line, "Slower or faster beyond the noise: %s.", buf_str(&other));
    if (line.length) {
        page_heading(&sheet->page, "Is there a simpler plan that is as fast?");
        page_paragraph(&sheet->page, "%s", buf_str(&line));
    }
    buf_release(&equal);
    buf_release(&other);
    buf_release(&line);
}

/* Compiler, flags, threads ... that were asked for with --try. */
void sheet_environments(struct sheet *sheet)
{
    const json_t *tried;
    size_t i;
    json_array_foreach(json_object_get(sheet->report, "environments"), i, tried) {
        struct buf line = {0};
        buf_addf(&line, "%s, %s: ", report_word(tried, "environment"),
                 report_has(tried, "plan") ? report_word(tried, "plan") : "as written");
        if (report_quantity(tried, "gain"))
            add_report_gain(&line, report_quantity(tried, "gain"), "");
        buf_addf(&line, "%s%s", report_quantity(tried, "gain") ? "; " : "",
                 report_word(tried, "outcome"));
        page_line(&sheet->page, i ? "" : "environments tried", "%s", buf_str(&line));
        buf_release(&line);
    }
}

static void show_audited(struct sheet *sheet, const json_t *pruned)
{
    struct buf line = {0};
    buf_addf(&line, "%s: ", report_word(pruned, "transformation"));
    add_report_gain(&line, report_quantity(pruned, "gain"), "not compared");
    buf_addf(&line, " by %s [%s]%s", report_word(pruned, "plan"),
             report_word(pruned, "rule"),
             report_true(pruned, "wrong") ? ", wrongly discarded" : "");
    page_paragraph(&sheet->page, "%s", buf_str(&line));
    buf_release(&line);
}

void sheet_audit(struct sheet *sheet)
{
    const json_t *audit = json_object_get(sheet->report, "audit"), *pruned;
    size_t i;
    if (!report_has(audit, "sentence"))
        return;
    page_heading(&sheet->page, "Audit of what the rules discarded");
    page_paragraph(&sheet->page, "%s", report_word(audit, "sentence"));
    json_array_foreach(json_object_get(audit, "pruned"), i, pruned)
        if (report_has(pruned, "plan") &&
            (sheet->evidence || report_true(pruned, "wrong")))
            show_audited(sheet, pruned);
}

void sheet_time(struct sheet *sheet)
{
    const json_t *time = json_object_get(sheet->report, "time");
    if (!(figure(time, "wall_s") > 0))
        return;
    page_heading(&sheet->page, "Where the time went");
    for (int i = 0; i < ACCOUNT_NR; i++) {
        double seconds = figure(time, account_key((enum account)i));
        if (seconds < 0.05)
            continue;
        buf_addf(sheet->page.out, "  %7.1f s  ", seconds);
        buf_add_wrapped(sheet->page.out, account_meaning((enum account)i), 13,
                        sheet->page.width);
        buf_add(sheet->page.out, "\n");
    }
    page_paragraph(&sheet->page,
                   "%.1f %% of %.1f s were neither compiling nor running variants nor "
                   "measuring the machine.",
                   100 * figure(time, "overhead_share"), figure(time, "wall_s"));
}

void sheet_record(struct sheet *sheet)
{
    const json_t *list = json_object_get(sheet->report, "record"), *rule;
    size_t i;
    if (!json_array_size(list))
        return;
    page_heading(&sheet->page, "Track record of these rules");
    json_array_foreach(list, i, rule) {
        struct buf line = {0};
        track_line(rule, &line);
        sheet_item(sheet, buf_str(&line), 6);
        buf_release(&line);
    }
}

void sheet_reused(struct sheet *sheet)
{
    const json_t *reused = json_object_get(sheet->report, "reused");
    struct buf line = {0};
    if (!reused)
        return;
    buf_addf(&line, "Reused from earlier sessions: measurements %.0f, comparisons %.0f",
             figure(reused, "measurements"), figure(reused, "comparisons"));
    if (report_has(reused, "oldest"))
        buf_addf(&line, ", the oldest of %.10s", report_word(reused, "oldest"));
    buf_add(&line, ".");
    page_paragraph(&sheet->page, "%s", buf_str(&line));
    buf_release(&line);
}
