/* The page: who it is about, what limits the loop, what was gained, what is advised. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/html/html_parts.h"
#include "advisor/metrics/metrics_facts.h"
#include "advisor/report/report_verdict.h"
#include "advisor/report/report_view.h"
#include "advisor/session/code_diffs.h"

void html_open(struct html *page, const char *id, const char *title)
{
    buf_addf(page->out, "<section id=\"%s\" aria-labelledby=\"%s-title\">\n", id, id);
    buf_addf(page->out, "<h2 id=\"%s-title\">%s</h2>\n", id, title);
}

void html_close(struct html *page)
{
    buf_add(page->out, "</section>\n");
}

/* ---- who ---- */

static void add_sizes(struct html *page, const json_t *kernel)
{
    const json_t *sizes = json_object_get(kernel, "sizes"), *value;
    const char *name;
    struct buf line = {0};
    json_object_foreach((json_t *)sizes, name, value)
        buf_addf(&line, "%s%s = %.15g", line.length ? ", " : "", name,
                 json_number_value(value));
    if (line.length)
        html_element(page->out, "span class=\"chip\"", buf_str(&line));
    if (json_object_get(kernel, "inputs"))
        html_element(page->out, "span class=\"chip\"", report_word(kernel, "inputs"));
    buf_release(&line);
}

static void add_chip(struct html *page, const char *text)
{
    if (*text)
        html_element(page->out, "span class=\"chip\"", text);
}

void html_add_head(struct html *page)
{
    const json_t *kernel = json_object_get(page->report, "kernel"),
                 *machine = json_object_get(page->report, "machine");
    bool named = report_has(kernel, "function");
    buf_add(page->out, "<header>\n<p class=\"brand\">inflight</p>\n<h1>");
    html_element(page->out, "code", named ? report_word(kernel, "function") : "a loop");
    if (report_has(kernel, "file")) {
        buf_add(page->out, " <span class=\"of\">in ");
        html_element(page->out, "span class=\"path\"", report_word(kernel, "file"));
        buf_add(page->out, "</span>");
    }
    buf_add(page->out, "</h1>\n<p class=\"chips\">");
    add_sizes(page, kernel);
    add_chip(page, report_word(machine, "name"));
    add_chip(page, report_word(machine, "load"));
    add_chip(page, report_word(json_object_get(page->report, "compiler"), "version"));
    if (report_figure(page->report, "session") > 0)
        html_elementf(page->out, "span class=\"chip\"", "session %.0f",
                      report_figure(page->report, "session"));
    if (report_has(page->report, "date"))
        html_elementf(page->out, "span class=\"chip\"", "%.10s",
                      report_word(page->report, "date"));
    buf_add(page->out, "</p>\n");
    if (report_has(machine, "note"))
        html_element(page->out, "p class=\"note\"", report_word(machine, "note"));
    if (report_true(page->report, "interrupted"))
        html_element(page->out, "p class=\"note\"",
                     "Interrupted: this is what was known by then. The same command "
                     "continues the session.");
    buf_add(page->out, "</header>\n");
}

/* ---- what limits it ---- */

/* Of a utilization: value and both ends as a bar. */
static void add_bar(struct html *page, struct quantity share)
{
    double value = fmin(fmax(share.value, 0), 1);
    buf_addf(
        page->out,
        "<span class=\"bar\" aria-hidden=\"true\"><span style=\"width:%.1f%%\"></span>"
        "</span>",
        100 * value);
}

static void add_use_share(struct html *page, struct quantity share)
{
    struct buf text = {0};
    buf_add_share(&text, share);
    html_element(page->out, "span", buf_str(&text));
    buf_release(&text);
}

static const char *unit_of(enum resource resource)
{
    return resource == RESOURCE_MEMORY                                    ? "GB/s"
           : resource == RESOURCE_L2_LINK || resource == RESOURCE_L3_LINK ? "GB/s a core"
           : resource == RESOURCE_ARITHMETIC   ? "FLOP/s a core"
           : resource == RESOURCE_PAGE_WALKERS ? "walks/s"
                                               : "lines a core";
}

static void add_queue(struct html *page, const json_t *queue)
{
    struct quantity use = doc_quantity(queue, "utilization"),
                    n = doc_quantity(queue, "n"), limit = doc_quantity(queue, "limit"),
                    min = doc_quantity(queue, "least_s");
    enum resource resource = resource_from_word(report_word(queue, "resource"));
    struct buf text = {0};
    if (!use.known || resource >= RESOURCE_NONE)
        return;
    bool counted = resource != RESOURCE_PAGE_WALKERS && n.known;
    buf_add(page->out, "<tr>");
    html_element(page->out, "th scope=\"row\"", resource_phrase(resource));
    buf_add_figure(&text, counted ? n : doc_quantity(queue, "rate"), 1, "");
    html_element(page->out, "td class=\"number\" data-label=\"In use\"", buf_str(&text));
    buf_reset(&text);
    if (isinf(limit.high))
        buf_add(&text, "at least ");
    buf_add_number(&text, limit.value);
    buf_addf(&text, " %s", unit_of(resource));
    html_element(page->out, "td class=\"number\" data-label=\"Limit\"", buf_str(&text));
    buf_reset(&text);
    buf_add(page->out, "<td class=\"use\" data-label=\"Share\">");
    add_bar(page, use);
    add_use_share(page, use);
    buf_add(page->out, "</td>");
    if (min.known)
        buf_add_time(&text, min.value);
    else
        buf_add(&text, "unknown");
    html_element(page->out, "td class=\"number\" data-label=\"Least time\"",
                 buf_str(&text));
    buf_add(page->out, "</tr>\n");
    buf_release(&text);
}

static void add_queues(struct html *page, const json_t *measurement, const char *caption)
{
    const json_t *queue;
    size_t i;
    if (json_array_size(json_object_get(measurement, "queues")) == 0)
        return;
    buf_add(page->out, "<table class=\"cards queues\">\n");
    html_element(page->out, "caption", caption);
    buf_add(page->out,
            "<thead><tr><th scope=\"col\">Resource</th><th scope=\"col\">In use</th><th "
            "scope=\"col\">Limit</th><th scope=\"col\">Share of the limit</th><th "
            "scope=\"col\">Least time for this work</th></tr></thead>\n<tbody>\n");
    json_array_foreach(json_object_get(measurement, "queues"), i, queue)
        add_queue(page, queue);
    buf_add(page->out, "</tbody></table>\n");
}

/* The other witness: what counters of the CPU say. */
static void add_counted(struct html *page, const json_t *counted)
{
    const json_t *fact;
    size_t i;
    if (!json_is_object(counted))
        return;
    buf_add(page->out, "<table class=\"cards\">\n");
    html_elementf(page->out, "caption", "Counters beside it, by the definitions of %s",
                  report_word(counted, "definitions"));
    buf_add(page->out, "<thead><tr><th scope=\"col\">Metric</th><th "
                       "scope=\"col\">Counted</th></tr></thead>\n<tbody>\n");
    json_array_foreach(json_object_get(counted, "metrics"), i, fact) {
        char *text = metrics_fact_text(fact);
        if (!text)
            continue;
        buf_add(page->out, "<tr>");
        html_element(page->out, "th scope=\"row\"", report_word(fact, "name"));
        html_element(page->out, "td data-label=\"Counted\"", text);
        buf_add(page->out, "</tr>\n");
        free(text);
    }
    buf_add(page->out, "</tbody></table>\n");
}

static void add_words(struct html *page)
{
    buf_add(
        page->out,
        "<details class=\"words\"><summary>What these words mean</summary>\n<dl>\n"
        "<dt>Cache miss, line</dt><dd>Data travels between memory and core in lines, "
        "mostly "
        "64 bytes. When a line is not in a cache, that is a miss, and it has to be "
        "fetched "
        "from further away.</dd>\n"
        "<dt>Miss queue (MSHRs)</dt><dd>Each core can wait for a limited number of "
        "missing "
        "lines at a time; the registers that keep track of them are called miss status "
        "handling registers. L1 has one such queue (about 10 to 16 entries), L2 a longer "
        "one.</dd>\n"
        "<dt>Latency</dt><dd>How long one line takes to arrive. It grows when memory is "
        "busy.</dd>\n"
        "<dt>In flight</dt><dd>Lines being waited for at one moment: bandwidth times "
        "latency "
        "over the bytes of a line (Little's law). When as many are in flight as a queue "
        "has "
        "entries, that queue is full, and only fewer or cheaper misses help. When fewer "
        "are, "
        "more could be asked for at a time.</dd>\n"
        "<dt>Interval</dt><dd>The true value lies between both ends with 95 % "
        "confidence, as "
        "far as repeated measurements can tell.</dd>\n</dl></details>\n");
}

static void add_evidence(struct html *page, const json_t *baseline)
{
    struct quantity gbs = doc_quantity(baseline, "bandwidth_gbs"),
                    latency = doc_quantity(baseline, "latency_ns"),
                    lines = doc_quantity(baseline, "occupancy");
    struct buf text = {0};
    if (page->variant_nr == 0 || !html_ran(&page->variant[0]))
        return;
    buf_add(&text, "One call takes ");
    buf_add_time(&text, page->variant[0].measurement.time_s.value);
    if (gbs.known) {
        buf_add(&text, " and draws ");
        buf_add_figure(&text, gbs, 1, "GB/s");
        buf_add(&text, " through memory");
    }
    if (latency.known) {
        buf_add(&text, ", where a line takes ");
        buf_add_figure(&text, latency, 1, "ns");
        buf_add(&text, " to arrive");
    }
    if (lines.known) {
        buf_add(&text, "; so ");
        buf_add_figure(&text, lines, 1, "");
        buf_add(&text, " lines per core are in flight on average");
    }
    buf_add(&text, ".");
    html_element(page->out, "p", buf_str(&text));
    buf_release(&text);
}

void html_add_limits(struct html *page)
{
    const json_t *report = page->report, *baseline = json_object_get(report, "baseline"),
                 *confirm = json_object_get(report, "confirm");
    char *title = report_limit_phrase(report);
    html_open(page, "limits", title);
    free(title);
    if (report_has(report, "limiter_sentence")) {
        html_element(page->out, "p class=\"lead\"",
                     report_word(report, "limiter_sentence"));
        html_element(page->out, "p class=\"lead\"", report_word(report, "why_sentence"));
    } else {
        html_element(page->out, "p class=\"lead\"",
                     page->variant_nr && html_ran(&page->variant[0])
                         ? "Not known: how much the kernel moves was not found out."
                         : "Not known: the kernel was not measured to the end.");
    }
    add_evidence(page, baseline);
    if (report_has(confirm, "sentence")) {
        buf_add(page->out, "<p><strong>Counter-experiment.</strong> ");
        html_text(page->out, report_word(confirm, "sentence"));
        buf_add(page->out, "</p>\n");
    }
    add_queues(page, baseline, "The kernel as written");
    if (page->best)
        add_queues(page, page->variant[page->best].json, "The winner");
    add_counted(page, json_object_get(report, "counted"));
    add_words(page);
    html_close(page);
}

/* ---- advice ---- */

static void add_bounds(struct html *page, const json_t *advice)
{
    struct quantity bound = doc_quantity(advice, "most"),
                    measured = doc_quantity(advice, "gain");
    struct buf text = {0};
    buf_add(page->out, "<td class=\"number\" data-label=\"At most\">");
    if (bound.known) {
        buf_add_ratio_value(&text, bound);
        html_text(page->out, buf_str(&text));
    } else {
        buf_add(page->out, "<span class=\"none\">no bound</span>");
    }
    buf_add(page->out, "</td><td class=\"number\" data-label=\"Measured\">");
    buf_reset(&text);
    if (measured.known) {
        buf_add_ratio_value(&text, measured);
        html_element(page->out, "b", buf_str(&text));
        buf_reset(&text);
        buf_add_ratio_range(&text, measured);
        if (text.length)
            html_elementf(page->out, "small", " %s", buf_str(&text));
    } else {
        buf_add(page->out, "<span class=\"none\">not tried</span>");
    }
    buf_add(page->out, "</td>");
    buf_release(&text);
}

static void add_advice(struct html *page, const json_t *advice)
{
    const char *verdict = report_word(advice, "verdict_text");
    bool known =
        !strcmp(verdict, "try") || !strcmp(verdict, "avoid") || !strcmp(verdict, "stop");
    buf_add(page->out, "<tr><td data-label=\"Advice\">");
    buf_addf(page->out, "<span class=\"verdict %s\">", known ? verdict : "other");
    html_text(page->out, verdict);
    buf_add(page->out, "</span></td>");
    html_element(page->out, "th scope=\"row\"", report_word(advice, "transformation"));
    add_bounds(page, advice);
    buf_add(page->out, "<td data-label=\"Why\">");
    html_text(page->out, report_word(advice, "reason"));
    if (report_true(advice, "undecided"))
        buf_add(page->out, " <em>Undecided: the figures' intervals allow the opposite, "
                           "too.</em>");
    buf_add(page->out, "<br>");
    if (report_has(advice, "tried_plan")) {
        buf_add(page->out, "<span class=\"tried\">Tried: ");
        html_element(page->out, "code", report_word(advice, "tried_plan"));
        buf_add(page->out, "</span> ");
    }
    if (report_has(advice, "outcome"))
        html_elementf(page->out, "span class=\"tried\"", "%s. ",
                      report_word(advice, "outcome"));
    html_elementf(page->out, "span class=\"rule\"", "rule %s",
                  report_word(advice, "rule"));
    buf_add(page->out, "</td></tr>\n");
}

void html_add_advice(struct html *page)
{
    const json_t *list = json_object_get(page->report, "advice"), *advice;
    size_t i;
    html_open(page, "advice", "Advice, most promising first");
    buf_add(page->out,
            "<p class=\"how\">\xe2\x80\x9c"
            "At most\xe2\x80\x9d is a bound from the counts: no plan of this kind "
            "can gain more, and most gain less. \xe2\x80\x9cMeasured\xe2\x80\x9d is what "
            "the best tried plan "
            "really gave over the plan before it, with its interval.</p>\n");
    if (json_array_size(list) == 0) {
        html_element(page->out, "p", "None.");
        html_close(page);
        return;
    }
    buf_add(page->out,
            "<table class=\"cards advice\"><thead><tr><th scope=\"col\">Advice</th><th "
            "scope=\"col\">What</th><th scope=\"col\">At most</th><th "
            "scope=\"col\">Measured</th><th scope=\"col\">Why, and what came of "
            "it</th></tr></thead>\n<tbody>\n");
    json_array_foreach(list, i, advice)
        add_advice(page, advice);
    buf_add(page->out, "</tbody></table>\n");
    html_close(page);
}
