/* What the answer rests on, with --evidence: every figure with what it is of. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/report/measure_report.h"
#include "advisor/report/report_view.h"

/* ---- the kernel as written ---- */

static const char *traffic_from(const json_t *measurement)
{
    const char *provenance = report_word(measurement, "provenance");
    return !strcmp(provenance, "model") ? "the cache model on traced accesses"
                                        : provenance;
}

static void add_call(const json_t *baseline, struct buf *line)
{
    const json_t *bandwidth = report_quantity(baseline, "bandwidth_gbs"),
                 *latency = report_quantity(baseline, "latency_ns"),
                 *occupancy = report_quantity(baseline, "occupancy");
    buf_add(line, "One call takes ");
    add_report_time(line, baseline);
    if (bandwidth) {
        buf_add(line, "; ");
        buf_add_value(line, report_value(bandwidth), 1, "GB/s through memory");
    }
    if (latency) {
        buf_add(line, " at a latency of ");
        buf_add_value(line, report_value(latency), 1, "ns");
    }
    if (occupancy) {
        buf_add(line, ", so on average ");
        buf_add_value(line, report_value(occupancy), 1,
                      "lines per core are in flight (bandwidth x latency / line / "
                      "cores, Little's law)");
    }
    if (report_has(baseline, "provenance"))
        buf_addf(line, ". Traffic from %s", traffic_from(baseline));
    buf_add(line, ".");
}

/* At most 61 columns: a narrow terminal has it whole. */
static void show_queues(struct view *view, const json_t *measurement)
{
    struct buf *out = view->layout.out;
    const json_t *queue;
    size_t i;
    buf_add(out, "  resource        in use     limit    utilization  least time\n");
    json_array_foreach(json_object_get(measurement, "queues"), i, queue) {
        const json_t *use = report_quantity(queue, "utilization"),
                     *n = report_quantity(queue, "n"),
                     *min = report_quantity(queue, "least_s");
        if (!use)
            continue;
        buf_addf(out, "  %-13s", report_word(queue, "resource"));
        buf_add_cell(out, report_value(n ? n : report_quantity(queue, "rate")), 1, 9);
        buf_add_cell(out, report_value(report_quantity(queue, "limit")), 1, 10);
        buf_add_share_cell(out, report_value(use), 15);
        buf_add(out, "  ");
        if (min)
            buf_add_time(out, report_figure(min, "value"));
        else
            buf_add(out, "?");
        buf_add(out, "\n");
    }
    layout_paragraph(&view->layout,
                     "Queues (mshrs, page_walkers): entries in use, and how many there "
                     "are; the others: a rate, and the highest that is reached. Least "
                     "time: what one call needs on that part alone.");
}

static void show_traffic(struct view *view, const json_t *baseline)
{
    const json_t *node = report_quantity(baseline, "traffic");
    struct traffic traffic = {0};
    struct error ignored = {0};
    struct json_at at = json_top("report", node);
    if (node && !traffic_from_json(&at, &traffic, &ignored))
        traffic_text(&traffic, &view->layout);
    traffic_release(&traffic);
}

static void show_flags(struct view *view)
{
    const json_t *kernel = json_object_get(view->report, "kernel"), *flag;
    struct strvec flags = {0};
    struct buf text = {0};
    size_t i;
    if (!report_has(kernel, "cflags_from"))
        return;
    json_array_foreach(json_object_get(kernel, "cflags"), i, flag)
        strvec_push(&flags, json_string_value(flag));
    buf_add_shell_words(&text, (const char *const *)flags.v);
    layout_paragraph(&view->layout, "Read with the flags of %s: %s.",
                     report_word(kernel, "cflags_from"), buf_str(&text));
    strvec_release(&flags);
    buf_release(&text);
}

static void show_baseline(struct view *view)
{
    const json_t *baseline = json_object_get(view->report, "baseline");
    struct buf line = {0};
    layout_heading(&view->layout, "Evidence: the kernel as written");
    show_flags(view);
    if (!report_quantity(baseline, "time_ns")) {
        layout_paragraph(&view->layout, "None: it was not measured to the end.");
        return;
    }
    add_call(baseline, &line);
    layout_paragraph(&view->layout, "%s", buf_str(&line));
    if (report_has(baseline, "note"))
        layout_paragraph(&view->layout, "Of the samples: %s.",
                         report_word(baseline, "note"));
    if (json_is_array(json_object_get(baseline, "queues")))
        show_queues(view, baseline);
    metrics_facts_text(json_object_get(view->report, "counted"), view->layout.width,
                       view->layout.out);
    show_traffic(view, baseline);
    buf_release(&line);
}

/* ---- what was not tried, what was ---- */

/* The advice says it already. */
static bool is_advice(const json_t *report, const json_t *pruned)
{
    const json_t *advice;
    size_t i;
    json_array_foreach(json_object_get(report, "advice"), i, advice)
        if (!strcmp(report_word(advice, "transformation"), report_word(pruned, "plan")) &&
            !strcmp(report_word(advice, "rule"), report_word(pruned, "rule")))
            return true;
    return false;
}

static bool same_reason(const json_t *a, const json_t *b)
{
    return !strcmp(report_word(a, "rule"), report_word(b, "rule")) &&
           !strcmp(report_word(a, "reason"), report_word(b, "reason"));
}

/* Plans of one size after the other often have one reason. */
static void show_pruned(struct view *view)
{
    const json_t *list = json_object_get(view->report, "pruned");
    struct buf plans = {0};
    bool any = false;
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *pruned = json_array_get(list, i),
                     *next = json_array_get(list, i + 1);
        if (is_advice(view->report, pruned))
            continue;
        if (!any)
            layout_heading(&view->layout, "Plans not tried, and why");
        any = true;
        buf_addf(&plans, "%s%s", plans.length ? ", " : "", report_word(pruned, "plan"));
        if (next && same_reason(pruned, next) && !is_advice(view->report, next))
            continue;
        buf_addf(&plans, ": %s [%s]", report_word(pruned, "reason"),
                 report_word(pruned, "rule"));
        view_item(view, buf_str(&plans), 6);
        buf_reset(&plans);
    }
    buf_release(&plans);
}

static void show_variants(struct view *view)
{
    const json_t *variant, *list = json_object_get(view->report, "variants");
    size_t i;
    if (json_array_size(list) == 0)
        return;
    layout_heading(&view->layout, "Every variant measured: time of one call");
    json_array_foreach(list, i, variant) {
        const json_t *around = json_object_get(variant, "environment");
        struct buf time = {0}, line = {0};
        add_report_time(&time, variant);
        buf_addf(
            &line, "%s%s%s%s",
            report_has(variant, "plan") ? report_word(variant, "plan") : "as written",
            !strcmp(report_word(around, "pages"), "huge") ? ", huge pages" : "",
            report_has(variant, "detail") ? ": " : "", report_word(variant, "detail"));
        buf_addf(view->layout.out, "  %-16s  ", buf_str(&time));
        buf_add_wrapped(view->layout.out, buf_str(&line), 20, view->layout.width);
        buf_add(view->layout.out, "\n");
        buf_release(&time);
        buf_release(&line);
    }
}

/* ---- where all that comes from ---- */

static void limit_line(struct view *view, const char *label, const json_t *limit)
{
    const json_t *used = report_quantity(limit, "used");
    struct buf line = {0};
    if (!used)
        return;
    buf_add_value(&line, report_value(used), 1, "");
    buf_addf(&line, "%s (%s) %s; %s",
             report_true(limit, "probe_is_floor") ? " or more" : "",
             report_word(used, "provenance"),
             !strcmp(report_word(limit, "scope"), "core") ? "a core"
                                                          : report_word(limit, "scope"),
             report_word(limit, "source"));
    layout_line(&view->layout, label, "%s", buf_str(&line));
    buf_release(&line);
}

static void quantity_line(struct view *view, const char *label, const json_t *object,
                          const char *key, const char *unit)
{
    const json_t *quantity = report_quantity(object, key);
    struct buf line = {0};
    if (!quantity)
        return;
    buf_add_value(&line, report_value(quantity), 1, unit);
    layout_line(&view->layout, label, "%s (%s)", buf_str(&line),
                report_word(quantity, "provenance"));
    buf_release(&line);
}

static void words_line(struct view *view, const char *label, const json_t *list)
{
    struct buf line = {0};
    const json_t *word;
    size_t i;
    json_array_foreach(list, i, word)
        buf_addf(&line, "%s%s", i ? " " : "",
                 json_is_string(word) ? json_string_value(word) : "?");
    if (line.length)
        layout_line(&view->layout, label, "%s", buf_str(&line));
    buf_release(&line);
}

static void word_line(struct view *view, const char *label, const json_t *object,
                      const char *key)
{
    if (report_has(object, key))
        layout_line(&view->layout, label, "%s", report_word(object, key));
}

static void show_provenance(struct view *view)
{
    const json_t *machine = json_object_get(view->report, "machine"),
                 *compiler = json_object_get(view->report, "compiler"),
                 *kernel = json_object_get(view->report, "kernel");
    layout_heading(&view->layout, "Where all this comes from");
    word_line(view, "processor", machine, "microarchitecture");
    word_line(view, "recognised by", machine, "recognition");
    limit_line(view, "L1 miss queue", json_object_get(machine, "l1_mshrs"));
    limit_line(view, "L2 miss queue", json_object_get(machine, "l2_mshrs"));
    quantity_line(view, "memory latency", machine, "memory_latency_ns", "ns, unloaded");
    quantity_line(view, "memory bandwidth", machine, "node_read_gbs",
                  "GB/s, all cores reading");
    if (report_true(machine, "quick_profile"))
        layout_line(&view->layout, "profile",
                    "a quick one; 'inflight machine' makes a "
                    "better one");
    words_line(view, "compiler flags", json_object_get(compiler, "flags"));
    words_line(view, "you vouched for", json_object_get(kernel, "assumptions"));
    word_line(view, "kernel's hash", kernel, "hash");
    word_line(view, "inflight", view->report, "version");
    word_line(view, "date", view->report, "date");
}

void view_evidence(struct view *view)
{
    show_baseline(view);
    show_pruned(view);
    show_variants(view);
    view_ties(view);
    view_record(view);
    view_reused(view);
    view_time(view);
    show_provenance(view);
}
