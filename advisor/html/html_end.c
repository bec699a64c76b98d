/* The page: what is left, where the time went, and what it all rests on. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/html/html_parts.h"
#include "advisor/report/track_show.h"

/* ---- what is left ---- */

static void add_stop(struct html *page)
{
    const json_t *report = page->report;
    double seconds = report_figure(report, "seconds");
    if (!report_has(report, "stop"))
        return;
    if (isfinite(seconds))
        html_elementf(page->out, "p",
                      "The search ended because %s, after %.0f s and %zu variant%s.",
                      report_word(report, "stop"), seconds, page->variant_nr,
                      page->variant_nr == 1 ? "" : "s");
    else
        html_elementf(page->out, "p", "The search ended because %s.",
                      report_word(report, "stop"));
}

static void add_certificate(struct html *page)
{
    const json_t *left = json_object_get(page->report, "left");
    struct quantity bound = doc_quantity(left, "bound"),
                    min = doc_quantity(left, "least_work_bound");
    struct buf text = {0};
    if (report_has(left, "sentence"))
        html_element(page->out, "p class=\"lead\"", report_word(left, "sentence"));
    else if (!bound.known)
        html_element(page->out, "p", "The evidence gives no bound on what is left.");
    if (report_has(left, "sentence"))
        return;
    buf_add(page->out, "<ul>\n");
    if (bound.known) {
        buf_add_figure(&text, bound, 1, "times");
        html_elementf(page->out, "li",
                      "With the same work, at most faster by %s (limit: %s).",
                      buf_str(&text), report_word(left, "resource"));
    }
    buf_reset(&text);
    if (min.known) {
        buf_add_figure(&text, min, 1, "times");
        html_elementf(
            page->out, "li",
            "With the least work that gives the same result, at most faster by %s "
            "(limit: %s).",
            buf_str(&text), report_word(left, "least_work_resource"));
    }
    buf_add(page->out, "</ul>\n");
    buf_release(&text);
}

static void add_audit(struct html *page)
{
    const json_t *audit = json_object_get(page->report, "audit"), *item;
    size_t i;
    if (!report_has(audit, "sentence"))
        return;
    html_element(page->out, "h3", "Audit of what the rules discarded");
    html_element(page->out, "p", report_word(audit, "sentence"));
    buf_add(page->out, "<ul>\n");
    json_array_foreach(json_object_get(audit, "pruned"), i, item) {
        struct buf gain = {0};
        if (!report_has(item, "plan"))
            continue;
        buf_add_figure(&gain, doc_quantity(item, "gain"), 1, "x");
        html_elementf(page->out, "li", "%s by %s: %s (rule %s)%s",
                      report_word(item, "transformation"), report_word(item, "plan"),
                      buf_str(&gain), report_word(item, "rule"),
                      report_true(item, "wrong") ? ", wrongly discarded" : "");
        buf_release(&gain);
    }
    buf_add(page->out, "</ul>\n");
}

static void add_record(struct html *page)
{
    const json_t *list = json_object_get(page->report, "record"), *rule;
    size_t i;
    if (json_array_size(list) == 0)
        return;
    html_element(page->out, "h3", "Track record of these rules on this machine");
    buf_add(page->out, "<ul>\n");
    json_array_foreach(list, i, rule) {
        struct buf line = {0};
        track_line(rule, &line);
        html_element(page->out, "li", buf_str(&line));
        buf_release(&line);
    }
    buf_add(page->out, "</ul>\n");
}

void html_add_headroom(struct html *page)
{
    const json_t *reused = json_object_get(page->report, "reused");
    html_open(page, "left", "What is left");
    add_certificate(page);
    add_stop(page);
    if (reused)
        html_elementf(
            page->out, "p",
            "Reused from earlier sessions: %.0f measurements, %.0f comparisons%s%.10s.",
            report_figure(reused, "measurements"), report_figure(reused, "comparisons"),
            report_has(reused, "oldest") ? ", the oldest of " : "",
            report_word(reused, "oldest"));
    add_audit(page);
    add_record(page);
    html_close(page);
}

/* ---- where the time went ---- */

static void add_account(struct html *page, const json_t *time, enum account account,
                        double wall_s)
{
    double seconds = report_figure(time, account_key(account));
    if (!(seconds >= 0.05))
        return;
    buf_add(page->out, "<tr>");
    html_element(page->out, "th scope=\"row\"", account_meaning(account));
    html_elementf(page->out, "td class=\"number\"", "%.1f s", seconds);
    buf_addf(page->out,
             "<td class=\"use\"><span class=\"bar\" aria-hidden=\"true\"><span "
             "style=\"width:%.1f%%\"></span></span>%.0f %%</td></tr>\n",
             fmin(100, 100 * seconds / wall_s), 100 * seconds / wall_s);
}

void html_add_time(struct html *page)
{
    const json_t *time = json_object_get(page->report, "time");
    double wall_s = report_figure(time, "wall_s");
    html_open(page, "time", "Where the time went");
    if (wall_s > 0) {
        buf_add(page->out,
                "<div class=\"scroll\"><table><thead><tr><th scope=\"col\">What</th><th "
                "scope=\"col\">Time</th><th "
                "scope=\"col\">Share</th></tr></thead>\n<tbody>\n");
        for (int i = 0; i < ACCOUNT_NR; i++)
            add_account(page, time, (enum account)i, wall_s);
        buf_add(page->out, "</tbody></table></div>\n");
        html_elementf(page->out, "p", "%.1f s in all.", wall_s);
    } else {
        html_element(page->out, "p", "Not recorded in this session.");
    }
    html_close(page);
}

/* ---- what it rests on ---- */

static void add_term(struct html *page, const char *term, const char *text)
{
    if (!*text)
        return;
    html_element(page->out, "dt", term);
    html_element(page->out, "dd", text);
}

static void add_quantity_term(struct html *page, const char *term,
                              struct quantity quantity, const char *unit)
{
    struct buf text = {0};
    buf_add_figure(&text, quantity, 1, unit);
    if (quantity.known)
        buf_addf(&text, " [%s]", provenance_word(quantity.provenance));
    add_term(page, term, buf_str(&text));
    buf_release(&text);
}

static void add_limit(struct html *page, const json_t *machine, const char *key,
                      const char *term)
{
    const json_t *limit = json_object_get(machine, key);
    struct buf text = {0};
    buf_add_figure(&text, doc_quantity(limit, "used"), 1, "lines");
    if (report_has(limit, "scope"))
        buf_addf(&text, " per %s", report_word(limit, "scope"));
    if (report_has(limit, "source"))
        buf_addf(&text, ", from: %s", report_word(limit, "source"));
    add_term(page, term, buf_str(&text));
    buf_release(&text);
}

static void add_machine(struct html *page)
{
    const json_t *machine = json_object_get(page->report, "machine"),
                 *profile = json_object_get(page->report, "profile");
    html_element(page->out, "h3", "Machine");
    buf_add(page->out, "<dl class=\"facts\">\n");
    add_term(page, "Name", report_word(machine, "name"));
    add_term(page, "Recognised as", report_word(machine, "microarchitecture"));
    add_term(page, "How", report_word(machine, "recognition"));
    add_term(page, "Load while timing", report_word(machine, "load"));
    add_limit(page, machine, "l1_mshrs", "L1 miss queue (MSHRs)");
    add_limit(page, machine, "l2_mshrs", "L2 miss queue (MSHRs)");
    add_quantity_term(page, "Latency of memory, unloaded",
                      doc_quantity(machine, "memory_latency_ns"), "ns");
    add_quantity_term(page, "Reads of all cores together",
                      doc_quantity(machine, "node_read_gbs"), "GB/s");
    add_term(page, "Profile", report_word(profile, "source"));
    add_term(page, "Profile of", report_word(profile, "date"));
    if (report_true(machine, "quick_profile"))
        add_term(page, "Note", "The profile was made quickly: its figures are rougher.");
    buf_add(page->out, "</dl>\n");
}

static void add_compiler(struct html *page)
{
    const json_t *compiler = json_object_get(page->report, "compiler"), *flag;
    struct buf flags = {0};
    size_t i;
    json_array_foreach(json_object_get(compiler, "flags"), i, flag)
        buf_addf(&flags, "%s%s", i ? " " : "",
                 json_string_value(flag) ? json_string_value(flag) : "");
    html_element(page->out, "h3", "Compiler");
    buf_add(page->out, "<dl class=\"facts\">\n");
    add_term(page, "Program", report_word(compiler, "name"));
    add_term(page, "Version", report_word(compiler, "version"));
    add_term(page, "Flags", buf_str(&flags));
    buf_add(page->out, "</dl>\n");
    buf_release(&flags);
}

static void add_assumptions(struct html *page)
{
    const json_t *list = json_object_get(json_object_get(page->report, "kernel"),
                                         "assumptions"),
                 *one;
    size_t i;
    if (json_array_size(list) == 0)
        return;
    html_element(page->out, "h3", "What the proofs rest on");
    buf_add(page->out, "<ul>\n");
    json_array_foreach(list, i, one)
        html_element(page->out, "li",
                     json_string_value(one) ? json_string_value(one) : "");
    buf_add(page->out, "</ul>\n");
}

static void add_provenance(struct html *page)
{
    static const char *const meaning[][2] = {
        {"clock", "timed here"},
        {"model", "cache model on traced accesses"},
        {"papi", "hardware counters"},
        {"probe", "probed on this machine"},
        {"table", "from the table of CPUs or a published profile"},
        {"source", "counted in the source's loop model"},
        {"stepped", "counted by stepping through a smaller call, scaled"},
        {"predicted", "from shapes common to measured machines"},
        {"derived", "computed from figures of several of these"},
        {"declared", "said by the user"},
        {"recorded", "read from a recorded measurement"}};
    const json_t *traffic =
        json_object_get(json_object_get(page->report, "baseline"), "traffic");
    html_element(page->out, "h3", "Where the figures come from");
    html_elementf(
        page->out, "p",
        "Times and gains: timed here, intervals are 95 %% over launches. Traffic of the "
        "kernel as written: %s%s%s.",
        report_has(traffic, "provenance") ? report_word(traffic, "provenance")
                                          : "not counted",
        report_has(traffic, "note") ? "; " : "", report_word(traffic, "note"));
    buf_add(page->out, "<dl class=\"facts\">\n");
    for (size_t i = 0; i < ARRAY_SIZE(meaning); i++)
        add_term(page, meaning[i][0], meaning[i][1]);
    buf_add(page->out, "</dl>\n");
}

void html_add_about(struct html *page)
{
    html_open(page, "about", "Machine, compiler, and where the figures come from");
    buf_add(page->out, "<div class=\"columns\"><div>\n");
    add_machine(page);
    buf_add(page->out, "</div><div>\n");
    add_compiler(page);
    add_assumptions(page);
    add_provenance(page);
    buf_add(page->out, "</div></div>\n");
    html_elementf(
        page->out, "p class=\"how\"",
        "Made by inflight %s. This page needs no network and no other file; 'inflight "
        "report%s%.0f --json' prints the same as data.",
        report_has(page->report, "version") ? report_word(page->report, "version")
                                            : "of an "
                                              "unknown version",
        " ", fmax(0, report_figure(page->report, "session")));
    html_close(page);
}
