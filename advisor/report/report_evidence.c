/* What the answer rests on, with --evidence: every figure with what it is of. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/report/measure_report.h"
#include "advisor/report/report_sheet.h"

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
        add_report_figure(line, report_figure(bandwidth, "value"));
        buf_add(line, " GB/s through memory");
    }
    if (latency) {
        buf_add(line, " at a latency of ");
        add_report_figure(line, report_figure(latency, "value"));
        buf_add(line, " ns");
    }
    if (occupancy) {
        buf_add(line, ", so on average ");
        add_report_figure(line, report_figure(occupancy, "value"));
        buf_add(line, " lines per core are in flight (bandwidth x latency / line / "
                      "cores, Little's law)");
    }
    if (report_has(baseline, "provenance"))
        buf_addf(line, ". Traffic from %s", traffic_from(baseline));
    buf_add(line, ".");
}

static void add_cell(struct buf *out, const json_t *quantity, int width)
{
    struct buf cell = {0};
    if (quantity)
        add_report_figure(&cell, report_figure(quantity, "value"));
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
    add_percent(&value, report_figure(utilization, "value"));
    buf_addf(&cell, "%3s%% (", buf_str(&value));
    add_percent(&cell, report_figure(utilization, "low"));
    buf_add(&cell, "-");
    add_percent(&cell, report_figure(utilization, "high"));
    buf_add(&cell, ")");
    buf_addf(out, "  %-14s", buf_str(&cell));
    buf_release(&value);
    buf_release(&cell);
}

/* At most 60 columns: a narrow terminal has it whole. */
static void show_queues(struct sheet *sheet, const json_t *measurement)
{
    struct buf *out = sheet->page.out;
    const json_t *queue;
    size_t i;
    buf_add(out, "  resource        in use     limit  utilization  least time\n");
    json_array_foreach(json_object_get(measurement, "queues"), i, queue) {
        const json_t *use = report_quantity(queue, "utilization"),
                     *n = report_quantity(queue, "n"),
                     *least = report_quantity(queue, "least_s");
        if (!use)
            continue;
        buf_addf(out, "  %-13s", report_word(queue, "resource"));
        add_cell(out, n ? n : report_quantity(queue, "rate"), 9);
        add_cell(out, report_quantity(queue, "limit"), 10);
        add_utilization(out, use);
        if (least)
            buf_add_time(out, report_figure(least, "value"));
        else
            buf_add(out, "?");
        buf_add(out, "\n");
    }
    page_paragraph(&sheet->page,
                   "Queues (mshrs, page_walkers): entries taken, of so many; the others: "
                   "a rate, of what is reached at most. Least time: what one call needs "
                   "of that part alone.");
}

static void show_traffic(struct sheet *sheet, const json_t *baseline)
{
    const json_t *node = report_quantity(baseline, "traffic");
    struct traffic traffic = {0};
    struct error ignored = {0};
    struct json_at at = json_top("report", node);
    if (node && !traffic_from_json(&at, &traffic, &ignored))
        traffic_text(&traffic, &sheet->page);
    traffic_release(&traffic);
}

static void show_baseline(struct sheet *sheet)
{
    const json_t *baseline = json_object_get(sheet->report, "baseline");
    struct buf line = {0};
    page_heading(&sheet->page, "Evidence: the kernel as written");
    if (!report_quantity(baseline, "time_ns")) {
        page_paragraph(&sheet->page, "None: it was not measured to the end.");
        return;
    }
    add_call(baseline, &line);
    page_paragraph(&sheet->page, "%s", buf_str(&line));
    if (report_has(baseline, "note"))
        page_paragraph(&sheet->page, "Of the samples: %s.",
                       report_word(baseline, "note"));
    if (json_is_array(json_object_get(baseline, "queues")))
        show_queues(sheet, baseline);
    metrics_facts_text(json_object_get(sheet->report, "counted"), sheet->page.width,
                       sheet->page.out);
    show_traffic(sheet, baseline);
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
static void show_pruned(struct sheet *sheet)
{
    const json_t *list = json_object_get(sheet->report, "pruned");
    struct buf plans = {0};
    bool any = false;
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *pruned = json_array_get(list, i),
                     *next = json_array_get(list, i + 1);
        if (is_advice(sheet->report, pruned))
            continue;
        if (!any)
            page_heading(&sheet->page, "Plans not tried, and why");
        any = true;
        buf_addf(&plans, "%s%s", plans.length ? ", " : "", report_word(pruned, "plan"));
        if (next && same_reason(pruned, next) && !is_advice(sheet->report, next))
            continue;
        buf_addf(&plans, ": %s [%s]", report_word(pruned, "reason"),
                 report_word(pruned, "rule"));
        sheet_item(sheet, buf_str(&plans), 6);
        buf_reset(&plans);
    }
    buf_release(&plans);
}

static void show_variants(struct sheet *sheet)
{
    const json_t *variant, *list = json_object_get(sheet->report, "variants");
    size_t i;
    if (json_array_size(list) == 0)
        return;
    page_heading(&sheet->page, "Every variant measured: time of one call");
    json_array_foreach(list, i, variant) {
        const json_t *around = json_object_get(variant, "environment");
        struct buf time = {0}, line = {0};
        add_report_time(&time, variant);
        buf_addf(
            &line, "%s%s%s%s",
            report_has(variant, "plan") ? report_word(variant, "plan") : "as written",
            !strcmp(report_word(around, "pages"), "huge") ? ", huge pages" : "",
            report_has(variant, "detail") ? ": " : "", report_word(variant, "detail"));
        buf_addf(sheet->page.out, "  %-16s  ", buf_str(&time));
        buf_add_wrapped(sheet->page.out, buf_str(&line), 20, sheet->page.width);
        buf_add(sheet->page.out, "\n");
        buf_release(&time);
        buf_release(&line);
    }
}

/* ---- where all that comes from ---- */

static void limit_line(struct sheet *sheet, const char *label, const json_t *limit)
{
    const json_t *used = report_quantity(limit, "used");
    struct buf line = {0};
    if (!used)
        return;
    add_report_figure(&line, report_figure(used, "value"));
    buf_addf(&line, "%s (%s) %s; %s",
             report_true(limit, "probe_is_floor") ? " or more" : "",
             report_word(used, "provenance"),
             !strcmp(report_word(limit, "scope"), "core") ? "a core"
                                                          : report_word(limit, "scope"),
             report_word(limit, "source"));
    page_line(&sheet->page, label, "%s", buf_str(&line));
    buf_release(&line);
}

static void quantity_line(struct sheet *sheet, const char *label, const json_t *object,
                          const char *key, const char *unit)
{
    const json_t *quantity = report_quantity(object, key);
    struct buf line = {0};
    if (!quantity)
        return;
    add_report_figure(&line, report_figure(quantity, "value"));
    page_line(&sheet->page, label, "%s %s (%s)", buf_str(&line), unit,
              report_word(quantity, "provenance"));
    buf_release(&line);
}

static void words_line(struct sheet *sheet, const char *label, const json_t *list)
{
    struct buf line = {0};
    const json_t *word;
    size_t i;
    json_array_foreach(list, i, word)
        buf_addf(&line, "%s%s", i ? " " : "",
                 json_is_string(word) ? json_string_value(word) : "?");
    if (line.length)
        page_line(&sheet->page, label, "%s", buf_str(&line));
    buf_release(&line);
}

static void word_line(struct sheet *sheet, const char *label, const json_t *object,
                      const char *key)
{
    if (report_has(object, key))
        page_line(&sheet->page, label, "%s", report_word(object, key));
}

static void show_provenance(struct sheet *sheet)
{
    const json_t *machine = json_object_get(sheet->report, "machine"),
                 *compiler = json_object_get(sheet->report, "compiler"),
                 *kernel = json_object_get(sheet->report, "kernel");
    page_heading(&sheet->page, "Where all this comes from");
    word_line(sheet, "processor", machine, "microarchitecture");
    word_line(sheet, "recognised by", machine, "recognition");
    limit_line(sheet, "L1 miss queue", json_object_get(machine, "l1_mshrs"));
    limit_line(sheet, "L2 miss queue", json_object_get(machine, "l2_mshrs"));
    quantity_line(sheet, "memory latency", machine, "memory_latency_ns", "ns, unloaded");
    quantity_line(sheet, "memory bandwidth", machine, "node_read_gbs",
                  "GB/s, all cores reading");
    if (report_true(machine, "quick_profile"))
        page_line(&sheet->page, "profile",
                  "a quick one; 'inflight machine' makes a "
                  "better one");
    words_line(sheet, "compiler flags", json_object_get(compiler, "flags"));
    words_line(sheet, "you vouched for", json_object_get(kernel, "assumptions"));
    word_line(sheet, "kernel's hash", kernel, "hash");
    word_line(sheet, "inflight", sheet->report, "version");
    word_line(sheet, "date", sheet->report, "date");
}

void sheet_evidence(struct sheet *sheet)
{
    show_baseline(sheet);
    show_pruned(sheet);
    show_variants(sheet);
    sheet_ties(sheet);
    sheet_record(sheet);
    sheet_reused(sheet);
    sheet_time(sheet);
    show_provenance(sheet);
}
