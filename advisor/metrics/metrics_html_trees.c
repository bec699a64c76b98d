/* The trees of a page of metrics: of one column with bars, of several with heat. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/metrics/metrics_html_parts.h"

/* ---- cells ---- */

static void add_text_cell(struct buf *out, const char *tag, const struct buf *text)
{
    html_element(out, tag, buf_str(text));
}

static void add_name(struct buf *out, const struct metric_set *set, size_t i,
                     bool dominant)
{
    buf_addf(out, "<th scope=\"row\" style=\"padding-left:%.1frem\">",
             1.1 * metrics_depth(set, (int)i));
    buf_add(out, dominant ? "\xe2\x96\xb8 " : "");
    html_text(out, set->metric[i].name);
    buf_add(out, "</th>");
}

static void add_interval_cell(struct buf *out, const struct metric *metric,
                              struct quantity value)
{
    struct buf text = {0};
    metrics_add_range(&text, metric, value, " to ");
    buf_add(out, "<td>");
    html_element(out, "small", buf_str(&text));
    buf_add(out, "</td>");
    buf_release(&text);
}

static void add_bar_cell(struct buf *out, struct quantity share)
{
    buf_add(out, "<td>");
    if (share.known)
        buf_addf(out,
                 "<span class=\"bar\" aria-hidden=\"true\"><span style=\"width:%.1f%%\">"
                 "</span></span>",
                 100 * fmin(fmax(share.value, 0), 1));
    buf_add(out, "</td>");
}

/* What is to be minded, or why it is not known. */
static void add_remark(struct buf *out, const struct metric *metric,
                       const struct metric_value *value)
{
    struct buf text = {0};
    if (value->why)
        metrics_add_why(&text, value->why);
    if (value->tied)
        buf_add(&text, "tied within its interval; ");
    if (value->out_of_range)
        buf_add(&text, "out of range; ");
    if (value->value.known && value->share > 0 && value->share < METRIC_SHARE_LEAST)
        buf_addf(&text, "counted %.0f %% of the time; ", 100 * value->share);
    if (metric->estimated && value->value.known)
        buf_add(&text, "estimated; ");
    if (text.length > 2 && text.data[text.length - 2] == ';')
        buf_truncate(&text, text.length - 2);
    html_element(out, "td class=\"mind\"", buf_str(&text));
    buf_release(&text);
}

/* ---- one column ---- */

static void add_row(const struct metrics_column *column, size_t i, struct buf *out)
{
    const struct metric *metric = &column->set->metric[i];
    const struct metric_value *value = &column->result.value[i];
    struct buf number = {0}, unit = {0}, whole = {0};
    metrics_add_value(&number, metric, value);
    metrics_add_unit(&unit, metric);
    if (value->whole.known)
        buf_addf(&whole, "%.1f %% of all", 100 * value->whole.value);
    buf_add(out, value->dominant ? "<tr class=\"dominant\">" : "<tr>");
    add_name(out, column->set, i, value->dominant);
    add_text_cell(out, "td class=\"number\"", &number);
    add_text_cell(out, "td class=\"unit\"", &unit);
    add_interval_cell(out, metric, value->value);
    if (metrics_is_share(metric) && metric->of)
        add_bar_cell(out, value->whole.known ? value->whole : value->value);
    else
        buf_add(out, "<td></td>");
    html_element(out, "td", metrics_is_of_parent(metric) ? buf_str(&whole) : "");
    add_remark(out, metric, value);
    buf_add(out, "</tr>\n");
    buf_release(&number);
    buf_release(&unit);
    buf_release(&whole);
}

/* A heading over the columns where a group begins. */
static void add_group(const struct metric *metric, const char **group, size_t columns,
                      struct buf *out)
{
    bool begins = metric->group && (!*group || strcmp(*group, metric->group) != 0);
    *group = metric->group;
    if (!begins)
        return;
    buf_addf(out, "<tr class=\"group\"><th colspan=\"%zu\">", columns);
    html_text(out, metric->group);
    buf_add(out, "</th></tr>\n");
}

static void add_rows(const struct metrics_column *column, size_t model, struct buf *out)
{
    enum { COLUMNS = 7 };
    const struct metric_set *set = column->set;
    const char *group = NULL;
    for (size_t i = 0; i < set->metric_nr; i++) {
        if (set->metric[i].model != (int)model)
            continue;
        add_group(&set->metric[i], &group, COLUMNS, out);
        add_row(column, i, out);
    }
}

/* ---- several ---- */

/* "> 57.0 !": as the table for a terminal marks it; then the interval. */
static void add_compared_value(const struct metric *metric,
                               const struct metric_value *value, struct buf *out)
{
    struct buf text = {0}, range = {0};
    buf_add(&text, !value->dominant ? "" : value->tied ? "~ " : "\xe2\x96\xb8 ");
    metrics_add_value(&text, metric, value);
    buf_add(&text, value->out_of_range ? " !" : "");
    html_text(out, buf_str(&text));
    metrics_add_range(&range, metric, value->value, " to ");
    if (range.length) {
        buf_add(out, "<br>");
        html_element(out, "small", buf_str(&range));
    }
    buf_release(&text);
    buf_release(&range);
}

static void add_heat_cell(const struct metrics_column *column, const char *name,
                          struct buf *out)
{
    int at = metric_find(column->set, name);
    double share = 0;
    if (at == METRIC_NONE) {
        html_element(out, "td class=\"number\"", "-");
        return;
    }
    const struct metric *metric = &column->set->metric[at];
    const struct metric_value *value = &column->result.value[at];
    if (metrics_is_heated(column->set, at) && value->value.known)
        share = fmin(fmax(value->value.value, 0), 1);
    buf_addf(out, "<td class=\"number heat\" style=\"background:rgba(%s,%.2f)\" title=\"",
             metric->useful ? "20,150,90" : "205,50,60", 0.55 * share);
    html_text(out, value->why ? value->why : "");
    buf_add(out, "\">");
    add_compared_value(metric, value, out);
    buf_add(out, "</td>");
}

static void add_compared_row(const struct metrics_report *report, size_t column, size_t i,
                             struct buf *out)
{
    const struct metric_set *set = report->column[column].set;
    struct buf unit = {0};
    metrics_add_unit(&unit, &set->metric[i]);
    buf_add(out, "<tr>");
    add_name(out, set, i, false);
    html_element(out, "td", buf_str(&unit));
    for (size_t k = 0; k < report->nr; k++)
        add_heat_cell(&report->column[k], set->metric[i].name, out);
    buf_add(out, "</tr>\n");
    buf_release(&unit);
}

static void add_compared(const struct metrics_report *report, size_t column, size_t model,
                         struct buf *out)
{
    const struct metric_set *set = report->column[column].set;
    buf_add(out, "<thead><tr><th scope=\"col\">Metric</th><th scope=\"col\">Unit</th>");
    for (size_t i = 0; i < report->nr; i++)
        html_element(out, "th scope=\"col\"", report->column[i].label);
    buf_add(out, "</tr></thead>\n<tbody>\n");
    int total = metrics_total_of_model(set, model);
    const char *group = NULL;
    if (total != METRIC_NONE)
        add_compared_row(report, column, (size_t)total, out);
    for (size_t i = 0; i < set->metric_nr; i++) {
        const struct metric *metric = &set->metric[i];
        if (metric->model != (int)model ||
            metrics_in_earlier(report, column, metric->name) ||
            !metrics_known_in_any(report, metric->name))
            continue;
        add_group(metric, &group, 2 + report->nr, out);
        add_compared_row(report, column, i, out);
    }
}

/* ---- all models ---- */

static void add_model(const struct metrics_report *report, size_t column, size_t model,
                      struct buf *out)
{
    const struct metric_set *set = report->column[column].set;
    buf_addf(out, "<section id=\"model%zu-%zu\">\n", column, model);
    html_element(out, "h2", set->model[model].title);
    if (set->model[model].about)
        html_element(out, "p class=\"how\"", set->model[model].about);
    buf_add(out, "<div class=\"scroll\"><table class=\"metrics\">\n");
    if (report->nr > 1) {
        add_compared(report, column, model, out);
    } else {
        buf_add(out, "<tbody>\n");
        add_rows(&report->column[0], model, out);
    }
    buf_add(out, "</tbody></table></div>\n</section>\n");
}

void metrics_html_trees(const struct metrics_report *report, struct buf *out)
{
    for (size_t i = 0; i < report->nr; i++)
        for (size_t m = 0; m < report->column[i].set->model_nr; m++)
            if (metrics_compares(report, i, m))
                add_model(report, i, m, out);
}
