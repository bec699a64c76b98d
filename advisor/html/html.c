/* The report as a page: the shipped page, style and script with the sections in between.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/html/html_page.h"
#include "advisor/html/html_parts.h"
#include "advisor/report/report.h"
#include "advisor/session/code_diffs.h"

static void html_add_in_app(struct html *page);

/* ---- gains ---- */

/* The page: what was gained by the source, by the environment, by both; the winner. */

static void add_tile(struct html *page, const char *title, struct quantity gain,
                     const char *absent, const char *what)
{
    struct buf text = {0};
    bool noise = gain.known && !gain.doubted && gain.low < gain.high &&
                 report_is_noise(gain.low, gain.high);
    buf_addf(page->out, "<div class=\"tile%s\">",
             gain.known && !gain.doubted && !noise && gain.value > 1 ? " good" : "");
    html_element(page->out, "h3", title);
    if (gain.doubted) {
        html_element(page->out, "p class=\"big none\"", "not believed");
        add_report_doubt(&text, gain.disturbed);
        html_element(page->out, "p class=\"interval\"",
                     buf_str(&text) + strlen("not believed: "));
    } else if (gain.known) {
        buf_add_ratio_value(&text, gain);
        html_element(page->out, "p class=\"big\"", buf_str(&text));
        buf_reset(&text);
        buf_add_ratio_range(&text, gain);
        const char *interval = text.length ? "95 %: " : "";
        buf_add(&text, noise ? ", not beyond the noise" : "");
        add_report_disturbed(&text, gain.disturbed);
        html_elementf(page->out, "p class=\"interval\"", "%s%s", interval,
                      buf_str(&text));
    } else {
        html_element(page->out, "p class=\"big none\"", absent);
    }
    html_element(page->out, "p class=\"what\"", what);
    buf_add(page->out, "</div>\n");
    buf_release(&text);
}

static char *source_text(const json_t *report)
{
    struct buf text = {0};
    buf_add(&text, "The best plan over the kernel as written, timed in turn");
    buf_add(&text, doc_quantity(report, "emitted_gain").known
                       ? " from the written file alone."
                       : ".");
    return buf_detach(&text);
}

static void add_tiles(struct html *page)
{
    const json_t *report = page->report;
    struct quantity source = doc_quantity(report, "source_gain");
    bool none = page->best == 0;
    char *what = source_text(report);
    buf_add(page->out, "<div class=\"tiles\">\n");
    add_tile(page, "Source",
             none && !source.doubted ? quantity_exact(1, PROVENANCE_CLOCK) : source,
             "not measured", none ? "No plan was faster beyond the noise." : what);
    add_tile(
        page, "Environment", doc_quantity(report, "environment_gain"), "not tried",
        "Huge pages under the kernel as written. A source cannot set them; its caller "
        "can.");
    add_tile(
        page, "Both together", doc_quantity(report, "total_gain"), "not measured",
        "The best plan in the best environment over the kernel as written in its own.");
    buf_add(page->out, "</div>\n");
    free(what);
}

/* ---- the winner ---- */

static void add_plan(struct html *page, const char *plan)
{
    buf_add(page->out, "<p class=\"plan\">");
    html_element(page->out, "code", plan);
    buf_add(page->out, " <button type=\"button\" class=\"copy\" data-copy=\"");
    html_text(page->out, plan);
    buf_add(page->out, "\">Copy plan</button></p>\n");
}

static const char *class_of(const char *line)
{
    return !strncmp(line, "+++", 3) || !strncmp(line, "---", 3) ? "meta"
           : *line == '+'                                       ? "add"
           : *line == '-'                                       ? "del"
           : *line == '@' || *line == '\\'                      ? "meta"
                                                                : NULL;
}

static void add_diff(struct html *page, const char *diff)
{
    buf_add(page->out, "<pre class=\"diff\">");
    while (*diff) {
        size_t length = strcspn(diff, "\n");
        char *line = xstrndup(diff, length);
        const char *class = class_of(line);
        if (class)
            html_elementf(page->out,
                          class[0] == 'a'   ? "span class=\"add\""
                          : class[0] == 'd' ? "span class=\"del\""
                                            : "span class=\"meta\"",
                          "%s", line);
        else
            html_text(page->out, line);
        buf_add(page->out, "\n");
        free(line);
        diff += length + (diff[length] == '\n');
    }
    buf_add(page->out, "</pre>\n");
}

static void add_winner_code(struct html *page, const char *plan)
{
    const json_t *code = json_object_get(page->report, "code");
    struct buf diff = {0};
    if (code_diffs_text(code, plan, &diff)) {
        buf_add(page->out,
                "<details class=\"code\" open><summary>Its C, as a diff against "
                "the original</summary>\n");
        add_diff(page, buf_str(&diff));
        buf_add(page->out, "</details>\n");
    } else {
        html_element(
            page->out, "p class=\"how\"",
            "Its C is not in this session's record; 'inflight apply FILE.c --plan' "
            "with this plan writes it.");
    }
    buf_release(&diff);
}

static void add_written(struct html *page)
{
    const json_t *report = page->report, *best = json_object_get(report, "best");
    if (report_has(best, "verified_sizes"))
        html_elementf(page->out, "p",
                      "Results equal those of the kernel as written at %s.",
                      report_word(best, "verified_sizes"));
    if (report_has(report, "output"))
        html_elementf(page->out, "p", "Written to %s.", report_word(report, "output"));
}

static void add_winner(struct html *page)
{
    const struct html_variant *best = &page->variant[page->best];
    struct buf times = {0};
    html_element(page->out, "h3", "The winner");
    add_plan(page, best->measurement.plan);
    html_element(page->out, "p", best->why);
    if (html_ran(best) && html_ran(&page->variant[0])) {
        buf_add(&times, "One call: ");
        buf_add_time(&times, page->variant[0].measurement.time_s.value);
        buf_add(&times, " as written, ");
        buf_add_time(&times, best->measurement.time_s.value);
        buf_add(&times, " with this plan.");
        html_element(page->out, "p", buf_str(&times));
    }
    add_written(page);
    add_winner_code(page, best->measurement.plan);
    buf_release(&times);
}

/* Compiler, flags, threads ... that were asked for with --try. */
static void add_environments(struct html *page)
{
    const json_t *list = json_object_get(page->report, "environments"), *tried;
    size_t i;
    if (json_array_size(list) == 0)
        return;
    html_element(page->out, "h3", "Environments tried");
    buf_add(page->out, "<ul>\n");
    json_array_foreach(list, i, tried) {
        struct quantity gain = doc_quantity(tried, "gain");
        struct buf line = {0};
        buf_addf(&line, "%s, %s: ", report_word(tried, "environment"),
                 report_has(tried, "plan") ? report_word(tried, "plan") : "as written");
        if (gain.known) {
            buf_add_ratio_value(&line, gain);
            buf_add(&line, " (");
            buf_add_ratio_range(&line, gain);
            buf_add(&line, "); ");
        }
        buf_addf(&line, "%s.", report_word(tried, "outcome"));
        html_element(page->out, "li", buf_str(&line));
        buf_release(&line);
    }
    buf_add(page->out, "</ul>\n");
}

static void html_add_gains(struct html *page)
{
    html_open(page, "gains", "What was gained");
    if (!strcmp(report_word(page->report, "command"), "tune"))
        add_tiles(page);
    else
        html_element(
            page->out, "p",
            "Not searched: 'inflight tune' with the same words tries the advice.");
    if (page->best)
        add_winner(page);
    else if (report_true(page->report, "interrupted"))
        html_element(page->out, "p", "No plan was found faster by then.");
    html_add_in_app(page);
    add_environments(page);
    html_close(page);
}

/* ---- in app ---- */

/* The page: the gain in the application beside that of the kernel alone. */

static void add_row(struct html *page, const char *what, struct quantity gain,
                    const char *absent)
{
    struct buf text = {0}, range = {0};
    buf_add(page->out, "<tr>");
    html_element(page->out, "th scope=\"row\"", what);
    buf_add_ratio_value(&text, gain);
    buf_add_ratio_range(&range, gain);
    html_element(page->out, "td class=\"number\"", gain.known ? buf_str(&text) : absent);
    html_elementf(page->out, "td", "%s%s", buf_str(&range),
                  gain.known && !gain.doubted && report_is_noise(gain.low, gain.high)
                      ? ", not beyond the noise"
                      : "");
    buf_add(page->out, "</tr>\n");
    buf_release(&text);
    buf_release(&range);
}

static void add_rows(struct html *page, const json_t *in_app)
{
    buf_add(page->out,
            "<div class=\"scroll\"><table><thead><tr><th scope=\"col\">What</th><th "
            "scope=\"col\">Gain</th><th scope=\"col\">95 %</th></tr></thead>\n<tbody>\n");
    add_row(page, "The kernel alone", doc_quantity(in_app, "isolated_gain"),
            "not measured");
    add_row(page, "The routine in the application", doc_quantity(in_app, "routine_gain"),
            "not known");
    add_row(page, "The whole program", doc_quantity(in_app, "program_gain"), "not known");
    add_row(page, "Expected of the program, from the routine's share and gain",
            doc_quantity(in_app, "expected_gain"), "not known");
    buf_add(page->out, "</tbody></table></div>\n");
}

static void add_causes(struct html *page, const json_t *in_app)
{
    const json_t *cause;
    size_t i;
    html_element(page->out, "p", report_word(in_app, "why"));
    buf_add(page->out, "<ul>\n");
    json_array_foreach(json_object_get(in_app, "causes"), i, cause)
        html_elementf(page->out, "li", "%s: %s", report_word(cause, "cause"),
                      report_word(cause, "sentence"));
    buf_add(page->out, "</ul>\n");
}

/* html_in_app.c: a part of the gains; nothing without --in-app. */
static void html_add_in_app(struct html *page)
{
    const json_t *in_app = json_object_get(page->report, "in_app");
    if (!json_is_object(in_app))
        return;
    html_element(page->out, "h3", "In the application");
    if (report_has(in_app, "sentence")) {
        html_elementf(page->out, "p", "Nothing is claimed: %s.",
                      report_word(in_app, "sentence"));
        return;
    }
    html_elementf(page->out, "p", "%s && %s, by %.0f pairs of runs.",
                  report_word(in_app, "build"), report_word(in_app, "run"),
                  report_figure(in_app, "pairs"));
    add_rows(page, in_app);
    if (report_has(in_app, "no_routine"))
        html_elementf(page->out, "p", "The routine's gain is not known: %s.",
                      report_word(in_app, "no_routine"));
    if (report_has(in_app, "why"))
        add_causes(page, in_app);
}

/* ---- html ---- */

static void add_title(struct html *page)
{
    const json_t *kernel = json_object_get(page->report, "kernel");
    html_text(page->out, report_has(kernel, "function") ? report_word(kernel, "function")
                                                        : "a loop");
    buf_add(page->out, " \xc2\xb7 inflight");
}

static void add_sections(struct html *page, char **why_none)
{
    html_add_head(page);
    buf_add(page->out,
            "<nav aria-label=\"Sections\"><a href=\"#limits\">Limit</a><a "
            "href=\"#gains\">Gain</a><a href=\"#advice\">Advice</a><a "
            "href=\"#plots\">Pictures</a><a href=\"#variants\">Variants</a><a "
            "href=\"#pruned\">Not tried</a><a href=\"#left\">What is left</a><a "
            "href=\"#time\">Time</a><a href=\"#about\">Machine</a></nav>\n<main>\n");
    html_add_limits(page);
    html_add_gains(page);
    html_add_advice(page);
    html_add_plots(page, why_none);
    html_add_variants(page);
    html_add_pruned(page);
    html_add_headroom(page);
    html_add_time(page);
    html_add_about(page);
    buf_add(page->out, "</main>\n");
}

int report_html(const json_t *report, struct buf *out, char **why_none, struct error *err)
{
    struct html page;
    struct buf title = {0}, sections = {0}, data = {0};
    *why_none = NULL;
    html_read(&page, report, &title);
    add_title(&page);
    page.out = &sections;
    add_sections(&page, why_none);
    page.out = &data;
    html_add_data(&page);
    int status = html_page(&(struct html_page){.title = buf_str(&title),
                                               .sections = buf_str(&sections),
                                               .data = buf_str(&data)},
                           out, err);
    html_release(&page);
    buf_release(&title);
    buf_release(&sections);
    buf_release(&data);
    return status;
}

/* ---- files ---- */

static int check_kind(const json_t *report, struct error *err)
{
    const char *schema = report_word(report, "schema");
    if (!strcmp(schema, "inflight.report/1") &&
        json_is_object(json_object_get(report, "kernel")))
        return 0;
    return fail(err, STATUS_USAGE,
                "--html shows what tune and advise found; this session is '%s'%s", schema,
                !strcmp(schema, "inflight.series/1") ? ", which 'measure --plot' draws"
                                                     : "");
}

int report_html_write(const json_t *report, const char *path, struct error *err)
{
    struct buf out = {0};
    char *why_none = NULL;
    int status = check_kind(report, err);
    if (!status)
        status = report_html(report, &out, &why_none, err);
    if (!status && why_none)
        fprintf(stderr, "the page has no pictures: %s\n", why_none);
    if (!status)
        status = html_page_write(&out, path, err);
    buf_release(&out);
    free(why_none);
    return status;
}
