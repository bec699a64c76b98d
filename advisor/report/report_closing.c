/* The report for a terminal: ties of the winner, environments, the audit, the rules'
 * track record, what was reused, and where the time went. */
#include <stdlib.h>

#include "advisor/report/report_view.h"
#include "advisor/report/track_show.h"

static double figure(const json_t *object, const char *key)
{
    return json_number_value(json_object_get(object, key));
}

/* "tile(i:32) simd 0.99x (0.97 to 1.01)" */
static void add_tie(struct buf *out, const json_t *tie)
{
    buf_addf(out, "%s%s ", out->length ? "; " : "", report_word(tie, "plan"));
    buf_add_ratio(out, report_value(json_object_get(tie, "time_ratio")));
}

/* `equal`: those that cannot be told apart from the winner; at least one. */
static void add_choice(const json_t *report, const json_t *ties, const char *equal,
                       struct buf *out)
{
    buf_addf(out, "Not distinguishable from the fastest found, %s: %s. ",
             report_word(ties, "winner"), equal);
    if (report_true(ties, "written"))
        buf_add(out, "None of them is a smaller change that is certainly as good. ");
    else
        buf_addf(out, "%s is the smallest change of them and was taken. ",
                 report_word(json_object_get(report, "best"), "plan"));
}

void view_ties(struct view *view)
{
    const json_t *ties = json_object_get(view->report, "ties"), *tie;
    struct buf equal = {0}, other = {0}, line = {0};
    size_t i;
    if (!report_has(json_object_get(view->report, "best"), "plan"))
        return; /* nothing was faster in the end */
    json_array_foreach(json_object_get(ties, "compared"), i, tie)
        add_tie(report_true(tie, "tied") ? &equal : &other, tie);
    if (equal.length)
        add_choice(view->report, ties, buf_str(&equal), &line);
    if (other.length)
        buf_addf(&line, "Slower or faster beyond the noise: %s.", buf_str(&other));
    if (line.length) {
        layout_heading(&view->layout, "Is there a simpler plan that is as fast?");
        layout_paragraph(&view->layout, "%s", buf_str(&line));
    }
    buf_release(&equal);
    buf_release(&other);
    buf_release(&line);
}

/* Compiler, flags, threads ... that were asked for with --try. */
void view_environments(struct view *view)
{
    const json_t *tried;
    size_t i;
    json_array_foreach(json_object_get(view->report, "environments"), i, tried) {
        struct buf line = {0};
        buf_addf(&line, "%s, %s: ", report_word(tried, "environment"),
                 report_has(tried, "plan") ? report_word(tried, "plan") : "as written");
        if (report_quantity(tried, "gain"))
            add_report_gain(&line, report_quantity(tried, "gain"), "");
        buf_addf(&line, "%s%s", report_quantity(tried, "gain") ? "; " : "",
                 report_word(tried, "outcome"));
        layout_line(&view->layout, i ? "" : "environments tried", "%s", buf_str(&line));
        buf_release(&line);
    }
}

static void show_audited(struct view *view, const json_t *pruned)
{
    struct buf line = {0};
    buf_addf(&line, "%s: ", report_word(pruned, "transformation"));
    add_report_gain(&line, report_quantity(pruned, "gain"), "not compared");
    buf_addf(&line, " by %s [%s]%s", report_word(pruned, "plan"),
             report_word(pruned, "rule"),
             report_true(pruned, "wrong") ? ", wrongly discarded" : "");
    layout_paragraph(&view->layout, "%s", buf_str(&line));
    buf_release(&line);
}

void view_audit(struct view *view)
{
    const json_t *audit = json_object_get(view->report, "audit"), *pruned;
    size_t i;
    if (!report_has(audit, "sentence"))
        return;
    layout_heading(&view->layout, "Audit of what the rules discarded");
    layout_paragraph(&view->layout, "%s", report_word(audit, "sentence"));
    json_array_foreach(json_object_get(audit, "pruned"), i, pruned)
        if (report_has(pruned, "plan") &&
            (view->evidence || report_true(pruned, "wrong")))
            show_audited(view, pruned);
}

void view_time(struct view *view)
{
    const json_t *time = json_object_get(view->report, "time");
    if (!(figure(time, "wall_s") > 0))
        return;
    layout_heading(&view->layout, "Where the time went");
    for (int i = 1; i <= ACCOUNT_NR; i++) {
        enum account account = (enum account)(i % ACCOUNT_NR); /* all else is last */
        double seconds = figure(time, account_key(account));
        if (seconds < 0.05)
            continue;
        buf_addf(view->layout.out, "  %7.1f s  ", seconds);
        buf_add_wrapped(view->layout.out, account_meaning(account), 13,
                        view->layout.width);
        buf_add(view->layout.out, "\n");
    }
    layout_paragraph(&view->layout,
                     "%.1f %% of %.1f s were neither compiling nor running variants nor "
                     "measuring the machine.",
                     100 * figure(time, "overhead_share"), figure(time, "wall_s"));
}

void view_record(struct view *view)
{
    const json_t *list = json_object_get(view->report, "record"), *rule;
    size_t i;
    if (!json_array_size(list))
        return;
    layout_heading(&view->layout, "Track record of these rules");
    json_array_foreach(list, i, rule) {
        struct buf line = {0};
        track_line(rule, &line);
        view_item(view, buf_str(&line), 6);
        buf_release(&line);
    }
}

void view_reused(struct view *view)
{
    const json_t *reused = json_object_get(view->report, "reused");
    struct buf line = {0};
    if (!reused)
        return;
    buf_addf(&line, "Reused from earlier sessions: measurements %.0f, comparisons %.0f",
             figure(reused, "measurements"), figure(reused, "comparisons"));
    if (report_has(reused, "oldest"))
        buf_addf(&line, ", the oldest of %.10s", report_word(reused, "oldest"));
    buf_add(&line, ".");
    layout_paragraph(&view->layout, "%s", buf_str(&line));
    buf_release(&line);
}
