/* The answer, before anything else: how much faster, how sure that is, what limits the
 * loop, and what to type next. Each sentence is true of every session, also of one that
 * ended early or gained nothing. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/report/report_view.h"
#include "core/occupancy/occupancy.h"

/* ---- the verdict ---- */

static const json_t *verdict_of(const struct view *view)
{
    return json_object_get(view->report, "verdict");
}

/* "transpose: 3.69x faster with tile(i:64,j:8) (high confidence: 95 % interval ...)" */
static void add_headline(const struct view *view, struct buf *line)
{
    const json_t *verdict = verdict_of(view);
    buf_addf(line, "%s: %s (%s%s confidence",
             report_word(json_object_get(view->report, "kernel"), "function"),
             report_word(verdict, "headline"),
             report_is_advice(view->report) ? "predicted, " : "",
             report_word(verdict, "confidence"));
    if (report_has(verdict, "confidence_reason"))
        buf_addf(line, ": %s", report_word(verdict, "confidence_reason"));
    buf_add(line, ")");
}

static void show_headline(struct view *view)
{
    struct buf line = {0}, wrapped = {0};
    add_headline(view, &line);
    buf_add_wrapped(&wrapped, buf_str(&line), 2, view->layout.width);
    buf_addf(view->layout.out, "%s%s%s\n", view->layout.colour ? "\033[1m" : "",
             buf_str(&wrapped), view->layout.colour ? "\033[0m" : "");
    buf_release(&wrapped);
    buf_release(&line);
}

/* Behind "limited by", "next". */
enum { BEHIND = 13 };

static void verdict_line(struct view *view, const char *label, const char *text)
{
    buf_addf(view->layout.out, "  %-*s", BEHIND - 2, label);
    buf_add_wrapped(view->layout.out, text, BEHIND, view->layout.width);
    buf_add(view->layout.out, "\n");
}

/* "strided access: 'B' in line 19" */
static void show_limit(struct view *view, const json_t *verdict)
{
    const json_t *cause = json_object_get(view->report, "cause");
    double line = report_figure(cause, "line");
    struct buf text = {0};
    buf_add(&text, report_word(verdict, "limit"));
    if (report_has(cause, "array") && line > 0)
        buf_addf(&text, ": '%s' in line %.0f", report_word(cause, "array"), line);
    verdict_line(view, "limited by", buf_str(&text));
    if (report_has(view->report, "limit_line"))
        verdict_line(view, "", report_word(view->report, "limit_line"));
    buf_release(&text);
}

void view_verdict(struct view *view)
{
    const json_t *verdict = verdict_of(view), *next = json_object_get(verdict, "next");
    show_headline(view);
    show_limit(view, verdict);
    if (report_has(verdict, "noise"))
        verdict_line(view, "beware", report_word(verdict, "noise"));
    if (json_array_size(next)) {
        buf_addf(view->layout.out, "  %-*s", BEHIND - 2, "next");
        view_command(view, next, BEHIND);
    }
    buf_add(view->layout.out, "\n");
}

void view_last(struct view *view)
{
    buf_add(view->layout.out, "\n");
    show_headline(view);
}

/* ---- whose report ---- */

static void add_sizes(const json_t *kernel, struct buf *line)
{
    const char *name;
    json_t *value;
    json_object_foreach(json_object_get(kernel, "sizes"), name, value)
        buf_addf(line, ", %s = %.15g", name, json_number_value(value));
    if (json_object_get(kernel, "inputs"))
        buf_addf(line, ", %s", report_word(kernel, "inputs"));
}

/* The title's first `bold` bytes stand out; colours take no columns. */
static void show_title(struct view *view, const char *title, size_t bold)
{
    struct buf wrapped = {0};
    buf_add_wrapped(&wrapped, title, 2, view->layout.width);
    buf_addf(view->layout.out, "%s%.*s%s%s\n", view->layout.colour ? "\033[1m" : "",
             (int)bold, buf_str(&wrapped), view->layout.colour ? "\033[0m" : "",
             buf_str(&wrapped) + bold);
    buf_release(&wrapped);
}

void view_head(struct view *view)
{
    const json_t *kernel = json_object_get(view->report, "kernel"),
                 *machine = json_object_get(view->report, "machine"),
                 *session = json_object_get(view->report, "session");
    struct buf line = {0};
    buf_addf(&line, "%s in %s", report_word(kernel, "function"),
             report_word(kernel, "file"));
    add_sizes(kernel, &line);
    show_title(view, buf_str(&line), strcspn(report_word(kernel, "function"), " \n"));
    buf_reset(&line);
    if (json_integer_value(session))
        buf_addf(&line, "session %lld: ", (long long)json_integer_value(session));
    buf_addf(&line, "%s; %s; %s", report_word(machine, "name"),
             report_word(machine, "load"),
             report_word(json_object_get(view->report, "compiler"), "version"));
    show_title(view, buf_str(&line), 0);
    if (report_has(machine, "note"))
        layout_paragraph(&view->layout, "%s", report_word(machine, "note"));
    if (report_true(view->report, "interrupted"))
        layout_paragraph(&view->layout, "Interrupted: this is what was known by then.");
    buf_release(&line);
}

/* ---- what limits it ---- */

static char *limit_title(const json_t *report)
{
    const json_t *cause = json_object_get(report, "cause");
    char *phrase = report_limit_phrase(report),
         *title = xasprintf("What limits the loop: %s", phrase);
    if (report_has(cause, "sentence")) {
        char *sure =
            xasprintf("%s (%s confidence)", title, report_word(cause, "confidence"));
        free(title);
        title = sure;
    }
    free(phrase);
    return title;
}

/* Said once, behind the first sentences that use the words. */
static void explain_words(struct view *view, const json_t *cause)
{
    double bytes = report_figure(json_object_get(view->report, "machine"), "line_bytes");
    struct buf both = {0};
    buf_addf(&both, "%s %s", report_word(cause, "sentence"),
             report_word(cause, "reason"));
    if (strstr(buf_str(&both), "miss") || strstr(buf_str(&both), "MSHR"))
        layout_paragraph(&view->layout,
                         "(A miss is an access whose data is not in the core's cache. "
                         "Each takes an entry of a short queue, an MSHR, until its cache "
                         "line%s has arrived; that queue, not only bandwidth, bounds how "
                         "many misses can be outstanding at a time.)",
                         bytes == 64 ? " of 64 bytes" : "");
    buf_release(&both);
}

void view_limit(struct view *view)
{
    const json_t *baseline = json_object_get(view->report, "baseline"),
                 *cause = json_object_get(view->report, "cause");
    char *title = limit_title(view->report);
    layout_heading(&view->layout, title);
    free(title);
    if (report_has(cause, "sentence")) {
        layout_paragraph(&view->layout, "%s %s", report_word(cause, "sentence"),
                         report_word(cause, "reason"));
        explain_words(view, cause);
        return;
    }
    layout_paragraph(&view->layout, report_quantity(baseline, "time_ns")
                                        ? "The kernel's traffic was not measured."
                                        : "The kernel was not measured to the end.");
}

/* ---- what came of it ---- */

static const char *best_plan(const struct view *view)
{
    return report_word(json_object_get(view->report, "best"), "plan");
}

static void gain_line(struct view *view, const char *label, const json_t *gain,
                      const char *more)
{
    struct buf line = {0};
    add_report_gain(&line, gain, "not tried");
    if (gain)
        add_report_disturbed(&line, report_figure(gain, "disturbed"));
    buf_addf(&line, "%s", gain ? more : "");
    layout_line(&view->layout, label, "%s", buf_str(&line));
    buf_release(&line);
}

static bool pages_help(const struct view *view)
{
    const json_t *gain = report_quantity(view->report, "environment_gain");
    return gain && report_figure(gain, "low") > 1;
}

static void show_gains(struct view *view)
{
    const json_t *total = report_quantity(view->report, "total_gain");
    if (*best_plan(view)) {
        layout_line(&view->layout, "plan", "%s", best_plan(view));
        gain_line(view, "gain", report_gain(view->report),
                  ", over the kernel as written");
    }
    gain_line(view, "huge pages", report_quantity(view->report, "environment_gain"),
              pages_help(view) ? ", for the kernel as written; not part of the file: the "
                                 "caller must allocate with huge pages"
                               : ", for the kernel as written");
    if (*best_plan(view) && total)
        gain_line(view, "both together", total, ", over the kernel as written");
}

static void show_output(struct view *view)
{
    const json_t *best = json_object_get(view->report, "best");
    if (report_has(view->report, "output"))
        layout_line(&view->layout, "written to", "%s%s",
                    report_word(view->report, "output"),
                    *best_plan(view) ? "" : ", the kernel as written");
    if (!*best_plan(view) ||
        !(report_true(best, "verified") || report_true(view->report, "emitted_verified")))
        return;
    const char *sizes = report_word(best, "verified_sizes");
    bool any_left_out = strstr(sizes, " left out: ");
    layout_line(&view->layout, "results",
                (view->evidence || any_left_out) && *sizes
                    ? "equal those of the original for %s"
                    : "equal those of the original at all sizes tried",
                sizes);
}

void view_results(struct view *view)
{
    if (report_is_advice(view->report))
        return;
    layout_heading(&view->layout, "Results");
    show_gains(view);
    view_in_app_answer(view);
    view_environments(view);
    show_output(view);
}

/* ---- what to type next ---- */

void view_command(struct view *view, const json_t *words, size_t indent)
{
    struct buf *out = view->layout.out;
    size_t column = indent, i;
    const json_t *text;
    json_array_foreach(words, i, text) {
        struct buf word = {0};
        buf_add_shell_word(&word, json_string_value(text));
        if (i && column + 1 + word.length + 2 > view->layout.width) {
            buf_add(out, " \\\n");
            buf_add_repeat(out, ' ', indent + 4);
            column = indent + 4;
        } else if (i) {
            buf_add(out, " ");
            column++;
        }
        buf_add(out, buf_str(&word));
        column += word.length;
        buf_release(&word);
    }
    buf_add(out, "\n");
}

void view_next(struct view *view)
{
    const json_t *next;
    size_t i;
    layout_heading(&view->layout, "Next");
    json_array_foreach(json_object_get(view->report, "next"), i, next) {
        const json_t *command = json_object_get(next, "command");
        bool is_evidence = strstr(report_word(next, "sentence"), "behind all this");
        if (view->evidence && is_evidence)
            continue;
        layout_paragraph(&view->layout, "%s", report_word(next, "sentence"));
        if (!json_array_size(command))
            continue;
        buf_add(view->layout.out, "    ");
        view_command(view, command, 4);
    }
}
