#include <math.h>
#include <stdio.h>
#include <string.h>

#include "advisor/report.h"
#include "advisor/report_parts.h"

struct page {
    const json_t *report;
    struct buf *out;
    bool colour;
    size_t width;
};

/* ---- reading our own document ---- */

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

static bool has_text(const json_t *object, const char *key)
{
    return *text_of(object, key) != 0;
}

static double number_of(const json_t *object, const char *key)
{
    const json_t *node = json_object_get(object, key);
    return json_is_number(node) ? json_number_value(node) : NAN;
}

static const json_t *quantity_in(const json_t *object, const char *key)
{
    const json_t *node = json_object_get(object, key);
    return json_is_object(node) ? node : NULL;
}

/* ---- pieces ---- */

static void heading(struct page *page, const char *text)
{
    buf_addf(page->out, "\n%s%s%s\n", page->colour ? "\033[1m" : "", text,
             page->colour ? "\033[0m" : "");
}

static void paragraph(struct page *page, const char *text)
{
    buf_add(page->out, "  ");
    buf_add_wrapped(page->out, text, 2, page->width);
    buf_add(page->out, "\n");
}

static void add_figure(struct buf *out, double value)
{
    if (isnan(value))
        buf_add(out, "?");
    else if (value >= 1000)
        buf_addf(out, "%.4g", value);
    else
        buf_addf(out, value >= 100 ? "%.0f" : value >= 10 ? "%.1f" : "%.2f", value);
}

/* "1.85x (1.80 to 1.91)" or the word for absence. */
static void add_gain(struct buf *out, const json_t *quantity, const char *absent)
{
    if (!quantity) {
        buf_add(out, absent);
        return;
    }
    add_figure(out, number_of(quantity, "value"));
    buf_add(out, "x");
    double low = number_of(quantity, "low"), high = number_of(quantity, "high");
    if (low == high)
        return;
    buf_add(out, " (");
    add_figure(out, low);
    buf_add(out, " to ");
    add_figure(out, high);
    buf_add(out, low <= 1 && high >= 1 ? "), not beyond the noise" : ")");
}

static void add_time_ns(struct buf *out, const json_t *measurement)
{
    const json_t *time = quantity_in(measurement, "time_ns");
    if (!time) {
        buf_addf(out, "%s", text_of(measurement, "outcome"));
        return;
    }
    buf_add_time(out, number_of(time, "median") * 1e-9);
    double spread = (number_of(time, "high") - number_of(time, "low")) /
                    number_of(time, "median") / 2;
    buf_addf(out, " +-%.0f%%", 100 * spread);
}

/* ---- the sections, in the order of the design ---- */

static void show_head(struct page *page)
{
    const json_t *kernel = json_object_get(page->report, "kernel"),
                 *sizes = json_object_get(kernel, "sizes"), *value;
    const json_t *machine = json_object_get(page->report, "machine");
    const char *name;
    buf_addf(page->out, "%s%s%s in %s", page->colour ? "\033[1m" : "",
             text_of(kernel, "function"), page->colour ? "\033[0m" : "",
             text_of(kernel, "file"));
    json_object_foreach((json_t *)sizes, name, value)
        buf_addf(page->out, ", %s = %.15g", name, json_number_value(value));
    buf_addf(page->out, "\n%s; %s; %s", text_of(machine, "name"),
             text_of(machine, "load"),
             text_of(json_object_get(page->report, "compiler"), "version"));
    if (json_integer_value(json_object_get(page->report, "session")))
        buf_addf(page->out, "; session %lld",
                 (long long)json_integer_value(json_object_get(page->report, "session")));
    buf_add(page->out, "\n");
    if (has_text(machine, "note"))
        paragraph(page, text_of(machine, "note"));
    if (json_is_true(json_object_get(page->report, "interrupted")))
        paragraph(page, "Interrupted: this is what was known by then. The same command "
                        "continues the session.");
}

static void show_diagnosis(struct page *page)
{
    heading(page, "What limits it");
    if (!has_text(page->report, "limiter_sentence")) {
        paragraph(page, quantity_in(json_object_get(page->report, "baseline"), "time_ns")
                            ? "Not known: how much the kernel moves was not found out."
                            : "Not known: the kernel was not measured to the end.");
        return;
    }
    paragraph(page, text_of(page->report, "limiter_sentence"));
    paragraph(page, text_of(page->report, "why_sentence"));
}

static void show_confirm(struct page *page)
{
    const json_t *confirm = json_object_get(page->report, "confirm");
    if (!has_text(confirm, "sentence"))
        return;
    heading(page, "Counter-experiment");
    paragraph(page, text_of(confirm, "sentence"));
}

static void add_cell(struct buf *out, const json_t *quantity, int width)
{
    struct buf cell = {0};
    if (quantity)
        add_figure(&cell, number_of(quantity, "value"));
    else
        buf_add(&cell, "?");
    buf_addf(out, "%*s", width, buf_str(&cell));
    buf_release(&cell);
}

static void add_percent(struct buf *out, double share)
{
    if (isnan(share))
        buf_add(out, "?");
    else
        buf_addf(out, "%.0f", 100 * share);
}

/* "21% (19-23)"; an end that is open is a question mark. */
static void add_utilization(struct buf *out, const json_t *utilization)
{
    struct buf cell = {0}, value = {0};
    add_percent(&value, number_of(utilization, "value"));
    buf_addf(&cell, "%3s%% (", buf_str(&value));
    add_percent(&cell, number_of(utilization, "low"));
    buf_add(&cell, "-");
    add_percent(&cell, number_of(utilization, "high"));
    buf_add(&cell, ")");
    buf_addf(out, "   %-14s", buf_str(&cell));
    buf_release(&value);
    buf_release(&cell);
}

static void show_queues(struct page *page, const json_t *measurement)
{
    const json_t *queue;
    size_t i;
    buf_add(page->out, "  resource        in use     limit   utilization   least time\n");
    json_array_foreach(json_object_get(measurement, "queues"), i, queue)
    {
        const json_t *use = quantity_in(queue, "utilization");
        const json_t *n = quantity_in(queue, "n");
        if (!use)
            continue;
        buf_addf(page->out, "  %-13s", text_of(queue, "resource"));
        add_cell(page->out, n ? n : quantity_in(queue, "rate"), 9);
        add_cell(page->out, quantity_in(queue, "limit"), 10);
        add_utilization(page->out, use);
        const json_t *least = quantity_in(queue, "least_s");
        if (least)
            buf_add_time(page->out, number_of(least, "value"));
        else
            buf_add(page->out, "?");
        buf_add(page->out, "\n");
    }
}

static void show_evidence(struct page *page)
{
    const json_t *baseline = json_object_get(page->report, "baseline");
    const json_t *occupancy = quantity_in(baseline, "occupancy"),
                 *bandwidth = quantity_in(baseline, "bandwidth_gbs");
    struct buf line = {0};
    heading(page, "Evidence (the kernel as written)");
    if (!quantity_in(baseline, "time_ns")) {
        paragraph(page, "none");
        return;
    }
    buf_add(&line, "One call takes ");
    add_time_ns(&line, baseline);
    if (bandwidth) {
        buf_add(&line, "; ");
        add_figure(&line, number_of(bandwidth, "value"));
        buf_add(&line, " GB/s through memory");
    }
    if (quantity_in(baseline, "latency_ns")) {
        buf_add(&line, " at a latency of ");
        add_figure(&line, number_of(quantity_in(baseline, "latency_ns"), "value"));
        buf_add(&line, " ns");
    }
    if (occupancy) {
        buf_add(&line, ", so on average ");
        add_figure(&line, number_of(occupancy, "value"));
        buf_add(&line,
                " lines per core are in flight (bandwidth x latency / line / cores)");
    }
    if (has_text(baseline, "provenance"))
        buf_addf(&line, ". Traffic from %s",
                 !strcmp(text_of(baseline, "provenance"), "model")
                     ? "the cache model on traced accesses"
                     : text_of(baseline, "provenance"));
    buf_add(&line, ".");
    paragraph(page, buf_str(&line));
    if (json_is_array(json_object_get(baseline, "queues")))
        show_queues(page, baseline);
    buf_release(&line);
}

static const char *verdict_colour(const struct page *page, const char *verdict)
{
    if (!page->colour)
        return "";
    return !strcmp(verdict, "try")     ? "\033[32m"
           : !strcmp(verdict, "avoid") ? "\033[33m"
                                       : "\033[31m";
}

static void show_one_advice(struct page *page, const json_t *advice)
{
    const char *verdict = text_of(advice, "verdict");
    struct buf line = {0}, plain = {0};
    if (quantity_in(advice, "bound_speedup") && !strcmp(verdict, "try")) {
        buf_add(&line, "at most ");
        add_figure(&line, number_of(quantity_in(advice, "bound_speedup"), "value"));
        buf_add(&line, "x; ");
    }
    if (quantity_in(advice, "measured_speedup")) {
        buf_add(&line, "measured ");
        add_gain(&line, quantity_in(advice, "measured_speedup"), "");
        if (has_text(advice, "tried_plan"))
            buf_addf(&line, " by %s", text_of(advice, "tried_plan"));
        buf_add(&line, "; ");
    }
    if (has_text(advice, "outcome"))
        buf_addf(&line, "%s. ", text_of(advice, "outcome"));
    buf_addf(&line, "%s [%s%s]", text_of(advice, "reason"), text_of(advice, "rule"),
             json_is_true(json_object_get(advice, "undecided")) ? ", undecided" : "");
    /* wrapped without colours, which take no columns */
    buf_addf(&plain, "        %-13s ", text_of(advice, "transformation"));
    buf_add_wrapped(&plain, buf_str(&line), 22, page->width);
    buf_addf(page->out, "  %s%-6s%s%s\n", verdict_colour(page, verdict), verdict,
             page->colour ? "\033[0m" : "", buf_str(&plain) + 8);
    buf_release(&line);
    buf_release(&plain);
}

static void show_advice(struct page *page)
{
    const json_t *advice;
    size_t i;
    heading(page, "Advice, most promising first");
    json_array_foreach(json_object_get(page->report, "advice"), i, advice)
        show_one_advice(page, advice);
    if (json_array_size(json_object_get(page->report, "advice")) == 0)
        paragraph(page, "none");
}

static void show_gain(struct page *page, const char *label, const char *key,
                      const char *absent)
{
    buf_addf(page->out, "  %-24s", label);
    add_gain(page->out, quantity_in(page->report, key), absent);
    buf_add(page->out, "\n");
}

/* Compiler, flags, threads ... that were asked for with --try. */
static void show_environments(struct page *page)
{
    const json_t *tried;
    size_t i;
    json_array_foreach(json_object_get(page->report, "environments"), i, tried)
    {
        struct buf line = {0};
        buf_addf(&line, "%s, %s: ", text_of(tried, "environment"),
                 has_text(tried, "plan") ? text_of(tried, "plan") : "as written");
        if (quantity_in(tried, "gain"))
            add_gain(&line, quantity_in(tried, "gain"), "");
        buf_addf(&line, "%s%s", quantity_in(tried, "gain") ? "; " : "",
                 text_of(tried, "outcome"));
        buf_add(page->out, i ? "  " : "  environments tried\n  ");
        buf_add_wrapped(page->out, buf_str(&line), 4, page->width);
        buf_add(page->out, "\n");
        buf_release(&line);
    }
}

static void show_best(struct page *page)
{
    const json_t *best = json_object_get(page->report, "best");
    bool none = !has_text(best, "plan");
    heading(page, "Best variant");
    if (!strcmp(text_of(page->report, "command"), "advise")) {
        paragraph(page,
                  "Not searched: 'inflight tune' with the same words tries the advice.");
        return;
    }
    paragraph(page, !none ? text_of(best, "plan")
                    : json_is_true(json_object_get(page->report, "interrupted"))
                        ? "The kernel as written: no plan was found faster by then."
                        : "The kernel as written: no plan was faster beyond the noise.");
    if (!none)
        show_gain(page, "source gain", "source_gain", "not measured");
    if (!none && quantity_in(page->report, "emitted_gain"))
        show_gain(page, "from the written file", "emitted_gain", "");
    show_gain(page, "environment: huge pages", "environment_gain", "not tried");
    if (!none && quantity_in(page->report, "total_gain"))
        show_gain(page, "both together", "total_gain", "");
    report_add_ties(page->report, page->width, page->out);
    show_environments(page);
    if (has_text(best, "verified_sizes"))
        buf_addf(page->out, "  %-24s", "results equal for"),
            buf_add_wrapped(page->out, text_of(best, "verified_sizes"), 26, page->width),
            buf_add(page->out, "\n");
    if (has_text(page->report, "output"))
        buf_addf(page->out, "  %-24s%s\n", "written to", text_of(page->report, "output"));
}

static void show_pruned(struct page *page, bool all)
{
    const json_t *list = json_object_get(page->report, "pruned"), *pruned;
    size_t i, shown = 0, nr = json_array_size(list), most = all ? nr : 6;
    if (nr == 0)
        return;
    heading(page, "Not tried, and why");
    json_array_foreach(list, i, pruned)
    {
        struct buf line = {0};
        if (shown++ == most)
            break;
        buf_addf(&line, "%s: %s [%s]", text_of(pruned, "plan"), text_of(pruned, "reason"),
                 text_of(pruned, "rule"));
        buf_add(page->out, "  ");
        buf_add_wrapped(page->out, buf_str(&line), 6, page->width);
        buf_add(page->out, "\n");
        buf_release(&line);
    }
    if (nr > most)
        buf_addf(page->out, "  ... and %zu more (--evidence shows all)\n", nr - most);
}

static void show_variants(struct page *page)
{
    const json_t *variant;
    size_t i;
    if (json_array_size(json_object_get(page->report, "variants")) == 0)
        return;
    heading(page, "Every variant measured");
    json_array_foreach(json_object_get(page->report, "variants"), i, variant)
    {
        struct buf time = {0};
        add_time_ns(&time, variant);
        buf_addf(
            page->out, "  %-18s%s%s", buf_str(&time),
            has_text(variant, "plan") ? text_of(variant, "plan") : "as written",
            !strcmp(text_of(json_object_get(variant, "environment"), "pages"), "huge")
                ? ", huge pages"
                : "");
        if (has_text(variant, "detail")) {
            buf_add(page->out, ": ");
            buf_add_wrapped(page->out, text_of(variant, "detail"), 22, page->width);
        }
        buf_add(page->out, "\n");
        buf_release(&time);
    }
}

static void show_audit(struct page *page)
{
    const json_t *audit = json_object_get(page->report, "audit"), *pruned;
    size_t i;
    if (!has_text(audit, "sentence"))
        return;
    heading(page, "Audit of what the rules discarded");
    paragraph(page, text_of(audit, "sentence"));
    json_array_foreach(json_object_get(audit, "pruned"), i, pruned)
    {
        struct buf line = {0};
        if (!has_text(pruned, "plan"))
            continue;
        buf_addf(&line, "%s: ", text_of(pruned, "transformation"));
        add_gain(&line, quantity_in(pruned, "gain"), "not compared");
        buf_addf(&line, " by %s [%s]%s", text_of(pruned, "plan"), text_of(pruned, "rule"),
                 json_is_true(json_object_get(pruned, "wrong")) ? ", wrongly discarded"
                                                                : "");
        paragraph(page, buf_str(&line));
        buf_release(&line);
    }
}

static void show_left(struct page *page)
{
    const json_t *left = json_object_get(page->report, "left"),
                 *bound = quantity_in(left, "bound");
    size_t variants = json_array_size(json_object_get(page->report, "variants"));
    enum resource resource = resource_from_word(text_of(left, "resource"));
    struct buf line = {0};
    heading(page, "What is left");
    if (has_text(page->report, "stop"))
        buf_addf(&line, "Ended because %s, after %.0f s and %zu variant%s. ",
                 text_of(page->report, "stop"), number_of(page->report, "seconds"),
                 variants, variants == 1 ? "" : "s");
    if (has_text(left, "sentence")) {
        buf_add(&line, text_of(left, "sentence"));
    } else if (bound) { /* as documents of earlier versions have it */
        buf_add(&line, "With the same work, the counted resources would allow at most ");
        add_figure(&line, number_of(bound, "value"));
        buf_addf(&line, "x more; %s would set that limit.",
                 resource_phrase(resource == RESOURCE_NR ? RESOURCE_NONE : resource));
    } else {
        buf_add(&line, "The evidence gives no bound on what is left.");
    }
    paragraph(page, buf_str(&line));
    buf_release(&line);
}

void report_text(const json_t *report, bool colour, bool evidence, int columns,
                 struct buf *out)
{
    struct page page = {report, out, colour,
                        columns < 60    ? 60
                        : columns > 100 ? 100
                                        : (size_t)columns};
    show_head(&page);
    show_diagnosis(&page);
    show_confirm(&page);
    show_evidence(&page);
    show_advice(&page);
    show_best(&page);
    show_pruned(&page, evidence);
    if (evidence)
        show_variants(&page);
    show_audit(&page);
    report_add_record(report, colour, page.width, out);
    show_left(&page);
    report_add_reused(report, page.width, out);
    if (evidence)
        report_add_time(report, colour, page.width, out);
}
