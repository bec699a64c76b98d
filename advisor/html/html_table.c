/* The page: the table of all variants, the list of pruned candidates, and the data that
 * the page's script opens diffs from. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/html/html_parts.h"

/* ---- which diff belongs to which variant ---- */

/* The place of the plan among the document's diffs; -1 = none. */
static long diff_of(const struct html *page, const char *plan)
{
    const json_t *diffs = json_object_get(json_object_get(page->report, "code"), "diffs"),
                 *value;
    const char *key;
    long at = 0;
    if (!json_object_get(diffs, plan))
        return -1;
    json_object_foreach((json_t *)diffs, key, value) {
        if (!strcmp(key, plan))
            return at;
        at++;
    }
    return -1;
}

void html_add_data(struct html *page)
{
    const json_t *code = json_object_get(page->report, "code"), *value;
    json_t *lines = json_object_get(code, "lines"), *list = json_array();
    const char *key;
    json_object_foreach(json_object_get(code, "diffs"), key, value)
        json_array_append(list, (json_t *)value);
    json_t *data = json_pack("{s:o, s:o}", "lines",
                             json_is_array(lines) ? json_incref(lines) : json_array(),
                             "diffs", list);
    html_script_json(page->out, data);
    json_decref(data);
}

/* ---- the table of variants ---- */

/* What rows are filtered and coloured by. */
static const char *kind_of(const struct html *page, size_t i)
{
    const struct html_variant *variant = &page->variant[i];
    if (i == 0)
        return "written";
    if (i == page->best)
        return "winner";
    if (!html_ran(variant))
        return variant->measurement.outcome == RUN_OUTCOME_STOPPED ? "stopped" : "failed";
    if (*variant->around)
        return "environment";
    return variant->gain.known && variant->gain.low > 1    ? "faster"
           : variant->gain.known && variant->gain.high < 1 ? "slower"
                                                           : "same";
}

static void add_key(struct html *page, const char *name, double value)
{
    if (isfinite(value))
        buf_addf(page->out, " data-%s=\"%.6g\"", name, value);
}

static void add_time_cell(struct html *page, const struct html_variant *variant)
{
    struct quantity time = variant->measurement.time_s;
    struct buf text = {0};
    buf_add(page->out, "<td class=\"number\" data-label=\"One call\">");
    if (html_ran(variant)) {
        buf_add_time(&text, time.value);
        html_element(page->out, "b", buf_str(&text));
        if (time.high > time.low)
            html_elementf(page->out, "small", " \xc2\xb1%.2g %%",
                          50 * (time.high - time.low) / time.value);
    } else {
        html_element(page->out, "span class=\"none\"",
                     run_outcome_word(variant->measurement.outcome));
    }
    buf_add(page->out, "</td>");
    buf_release(&text);
}

static void add_gain_cell(struct html *page, const struct html_variant *variant)
{
    struct buf text = {0};
    buf_add(page->out, "<td class=\"number\" data-label=\"Speed-up\">");
    if (variant->gain.known) {
        add_gain_text(&text, variant->gain);
        html_element(page->out, "b", buf_str(&text));
        buf_reset(&text);
        add_range_text(&text, variant->gain, 1);
        if (text.length)
            html_elementf(page->out, "small", " %s", buf_str(&text));
    } else {
        buf_add(page->out, "<span class=\"none\">none</span>");
    }
    buf_add(page->out, "</td>");
    buf_release(&text);
}

static void add_plan_cell(struct html *page, size_t i)
{
    const struct html_variant *variant = &page->variant[i];
    const char *plan = variant->measurement.plan;
    long diff = diff_of(page, plan);
    buf_add(page->out, "<td class=\"plan\" data-label=\"Plan\">");
    if (*plan)
        html_element(page->out, "code", plan);
    else
        buf_add(page->out, "as written");
    if (*variant->around)
        html_elementf(page->out, "span class=\"chip\"", "%s", variant->around);
    if (*plan) {
        buf_add(page->out, "<span class=\"tools\"><button type=\"button\" "
                           "class=\"copy\">Copy plan</button>");
        if (diff >= 0)
            buf_addf(page->out,
                     "<button type=\"button\" class=\"open\" aria-expanded=\"false\" "
                     "data-diff=\"%ld\">Show C</button>",
                     diff);
        buf_add(page->out, "</span>");
    }
    buf_add(page->out, "</td>");
}

static void add_row(struct html *page, size_t i)
{
    const struct html_variant *variant = &page->variant[i];
    const char *kind = kind_of(page, i);
    buf_addf(page->out, "<tbody id=\"v%zu\" class=\"%s\" data-order=\"%zu\"", i, kind, i);
    if (html_ran(variant))
        add_key(page, "time", variant->measurement.time_s.value);
    if (variant->gain.known)
        add_key(page, "gain", variant->gain.value);
    buf_add(page->out, "><tr>");
    html_elementf(page->out, "th scope=\"row\" class=\"number\"", "%zu", i);
    add_time_cell(page, variant);
    add_gain_cell(page, variant);
    add_plan_cell(page, i);
    buf_add(page->out, "<td class=\"why\" data-label=\"Why\">");
    if (i == page->best && i)
        buf_add(page->out, "<span class=\"verdict try\">winner</span> ");
    html_text(page->out, variant->why);
    buf_add(page->out, "</td></tr></tbody>\n");
}

static void add_sort(struct html *page, const char *key, const char *title)
{
    buf_addf(page->out,
             "<th scope=\"col\" data-title=\"%s\"><button type=\"button\" class=\"sort\" "
             "data-sort=\"%s\">%s</button></th>",
             title, key, title);
}

static void add_filters(struct html *page)
{
    static const char *const kinds[][2] = {{"winner", "winner"},
                                           {"faster", "faster"},
                                           {"same", "no difference"},
                                           {"slower", "slower"},
                                           {"stopped", "stopped"},
                                           {"failed", "failed"},
                                           {"environment", "other environments"}};
    buf_add(page->out,
            "<p class=\"filters\" hidden><label>Search <input type=\"search\" "
            "id=\"find\" autocomplete=\"off\" placeholder=\"plan or reason\"></label>");
    for (size_t k = 0; k < ARRAY_SIZE(kinds); k++) {
        size_t nr = 0;
        for (size_t i = 0; i < page->variant_nr; i++)
            nr += !strcmp(kind_of(page, i), kinds[k][0]);
        if (nr)
            buf_addf(page->out,
                     "<button type=\"button\" class=\"filter\" aria-pressed=\"false\" "
                     "data-filter=\"%s\">%s <small>%zu</small></button>",
                     kinds[k][0], kinds[k][1], nr);
    }
    buf_add(page->out, " <span id=\"shown\" role=\"status\"></span></p>\n");
}

struct rank {
    double gain; /* -1 = none */
    size_t variant;
};

static int by_gain(const void *a, const void *b)
{
    const struct rank *left = a, *right = b;
    if (left->gain != right->gain)
        return left->gain > right->gain ? -1 : 1;
    return left->variant < right->variant ? -1 : left->variant > right->variant;
}

/* The fastest first, what did not run last. */
static void add_rows(struct html *page)
{
    struct rank *rank = xcalloc(page->variant_nr + 1, sizeof(*rank));
    for (size_t i = 0; i < page->variant_nr; i++) {
        struct quantity gain = page->variant[i].gain;
        rank[i] = (struct rank){gain.known ? gain.value : -1, i};
    }
    qsort(rank, page->variant_nr, sizeof(*rank), by_gain);
    for (size_t i = 0; i < page->variant_nr; i++)
        add_row(page, rank[i].variant);
    free(rank);
}

static void add_table(struct html *page)
{
    buf_add(page->out,
            "<table class=\"cards variants\" id=\"table\"><caption class=\"unseen\">All "
            "measured variants, the fastest first</caption>\n"
            "<thead><tr>");
    add_sort(page, "order", "Try");
    add_sort(page, "time", "One call");
    add_sort(page, "gain", "Speed-up");
    add_sort(page, "plan", "Plan");
    buf_add(page->out, "<th scope=\"col\">Why it won or lost</th></tr></thead>\n");
    add_rows(page);
    buf_add(page->out, "</table>\n");
}

static bool has_plans(const struct html *page)
{
    size_t i = 0;
    while (i < page->variant_nr && !*page->variant[i].measurement.plan)
        i++;
    return i < page->variant_nr;
}

void html_add_variants(struct html *page)
{
    bool code = json_object_get(page->report, "code") || !has_plans(page);
    html_open(page, "variants", "Every variant measured");
    if (page->unread_nr)
        html_elementf(
            page->out, "p class=\"note\"",
            "%zu entries of the session's record cannot be read and are left out.",
            page->unread_nr);
    if (page->variant_nr == 0) {
        html_element(page->out, "p", "None.");
        html_close(page);
        return;
    }
    buf_add(
        page->out,
        "<p class=\"how\">Speed-up is the time as written over the variant's time, with "
        "the "
        "range that both intervals allow; what was timed in turn with the winner is said "
        "under \xe2\x80\x9cwhy\xe2\x80\x9d and is more exact. A copied plan goes behind "
        "<code>inflight apply FILE.c --plan</code>.</p>\n");
    if (!code)
        html_element(
            page->out, "p class=\"how\"",
            "This session was made by a version of inflight that did not keep the C of "
            "its variants; 'inflight apply' writes it from a plan.");
    buf_add(page->out,
            "<noscript><p class=\"note\">Without JavaScript the table cannot be "
            "sorted, and only the winner's C is shown.</p></noscript>\n");
    add_filters(page);
    add_table(page);
    html_close(page);
}

/* ---- pruned ---- */

struct rule_count {
    const char *rule;
    size_t nr;
};

static int by_count(const void *a, const void *b)
{
    const struct rule_count *left = a, *right = b;
    return left->nr < right->nr   ? 1
           : left->nr > right->nr ? -1
                                  : strcmp(left->rule, right->rule);
}

static void add_counts(struct html *page, const json_t *list)
{
    struct rule_count *count = xcalloc(json_array_size(list) + 1, sizeof(*count));
    size_t nr = 0, i, k;
    const json_t *pruned;
    struct buf line = {0};
    json_array_foreach(list, i, pruned) {
        for (k = 0; k < nr && strcmp(count[k].rule, report_word(pruned, "rule")); k++)
            ;
        count[k].rule = report_word(pruned, "rule");
        count[k].nr++;
        nr += k == nr;
    }
    qsort(count, nr, sizeof(*count), by_count);
    for (k = 0; k < nr; k++)
        buf_addf(&line, "%s%s %zu", k ? ", " : "",
                 *count[k].rule ? count[k].rule : "no rule", count[k].nr);
    html_elementf(page->out, "p", "%zu candidates were never built, by rule: %s.",
                  json_array_size(list), buf_str(&line));
    buf_release(&line);
    free(count);
}

void html_add_pruned(struct html *page)
{
    const json_t *list = json_object_get(page->report, "pruned"), *pruned;
    size_t i;
    html_open(page, "pruned", "Not tried, and why");
    if (json_array_size(list) == 0) {
        html_element(page->out, "p", "Nothing was pruned.");
        html_close(page);
        return;
    }
    add_counts(page, list);
    buf_addf(page->out,
             "<details class=\"long\"%s><summary>All %zu with their reasons</summary>\n",
             json_array_size(list) <= 12 ? " open" : "", json_array_size(list));
    buf_add(
        page->out,
        "<table class=\"cards pruned\"><thead><tr><th scope=\"col\">Candidate</th><th "
        "scope=\"col\">Rule</th><th scope=\"col\">Reason</th></tr></thead>\n<tbody>\n");
    json_array_foreach(list, i, pruned) {
        buf_add(page->out, "<tr><td data-label=\"Candidate\">");
        html_element(page->out, "code", report_word(pruned, "plan"));
        buf_add(page->out, "</td><td data-label=\"Rule\">");
        html_element(page->out, "span class=\"rule\"", report_word(pruned, "rule"));
        buf_add(page->out, "</td><td data-label=\"Reason\">");
        html_text(page->out, report_word(pruned, "reason"));
        buf_add(page->out, "</td></tr>\n");
    }
    buf_add(page->out, "</tbody></table></details>\n");
    html_close(page);
}
