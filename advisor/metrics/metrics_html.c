/* Metrics as a page: trees of one column with bars, of several with heat. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/html/html_page.h"
#include "advisor/html/html_text.h"
#include "advisor/metrics/metrics_columns.h"
#include "advisor/metrics/metrics_show.h"

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
    metrics_add_interval(&text, metric, value);
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
    if (value->value.known && value->share > 0 && value->share < METRIC_SHARE_MIN)
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
        buf_add_tenths(&whole, value->whole.value);
    buf_add(&whole, " % of all");
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
    metrics_add_interval(&range, metric, value->value);
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

static void add_trees(const struct metrics_report *report, struct buf *out)
{
    for (size_t i = 0; i < report->nr; i++)
        for (size_t m = 0; m < report->column[i].set->model_nr; m++)
            if (metrics_compares(report, i, m))
                add_model(report, i, m, out);
}

/* ---- who ---- */

static void add_head(const struct metrics_report *report, struct buf *out)
{
    buf_add(out, "<header>\n<p class=\"brand\">inflight</p>\n<h1>");
    for (size_t i = 0; i < report->nr; i++) {
        buf_add(out, i ? " <span class=\"of\">and</span> " : "");
        html_text(out, report->column[i].label);
    }
    buf_add(out, "</h1>\n<p class=\"chips\">");
    for (size_t i = 0; i < report->nr; i++) {
        const struct metrics_column *column = &report->column[i];
        struct buf seconds = {0};
        if (column->counts.seconds.known)
            buf_add_time(&seconds, column->counts.seconds.value);
        html_elementf(out, "span class=\"chip\"", "%s: %s%s%s", column->label,
                      column->set->title, seconds.length ? ", " : "", buf_str(&seconds));
        buf_release(&seconds);
    }
    buf_add(out, "</p>\n</header>\n");
}

/* ---- the answer ---- */

static void add_list(const char *title, const struct strvec *list, struct buf *out)
{
    if (!list->nr)
        return;
    html_element(out, "h3", title);
    buf_add(out, "<ul>\n");
    for (size_t i = 0; i < list->nr; i++)
        html_element(out, "li", list->v[i]);
    buf_add(out, "</ul>\n");
}

static void add_way(const struct metrics_column *column, size_t model, struct buf *out)
{
    struct buf way = {0};
    const char *about = metrics_add_way(&way, column, model, " \xe2\x80\xba ");
    if (way.length) {
        buf_add(out, "<p class=\"lead\"><strong>");
        html_text(out, buf_str(&way));
        buf_add(out, "</strong> ");
        html_elementf(out, "small", "%s, %s", column->label,
                      column->set->model[model].title);
        buf_add(out, "</p>\n");
        html_element(out, "p class=\"how\"", about ? about : "");
    }
    buf_release(&way);
}

static void add_answer(const struct metrics_report *report, struct buf *page)
{
    struct buf ways = {0}, *out = &ways;
    for (size_t i = 0; i < report->nr; i++)
        for (size_t m = 0; m < report->column[i].set->model_nr; m++)
            if (metrics_shows(report, &report->column[i], m))
                add_way(&report->column[i], m, out);
    if (out->length)
        buf_addf(page, "<section id=\"answer\">\n<h2>Largest loss</h2>\n%s</section>\n",
                 buf_str(out));
    buf_release(&ways);
}

/* ---- against the first ---- */

static void add_work(const struct metrics_against *against, struct buf *out)
{
    buf_add(out, "<table class=\"metrics\"><thead><tr><th>Work</th><th>First</th><th>Here"
                 "</th><th>Divided by</th><th>Done at the speed</th></tr></thead>\n"
                 "<tbody>\n");
    for (size_t i = 0; i < against->work_nr; i++) {
        const struct metrics_work *work = &against->work[i];
        const struct quantity cell[] = {work->before, work->after, work->less,
                                        work->faster};
        buf_add(out, "<tr>");
        html_element(out, "th scope=\"row\"", work->name);
        for (size_t k = 0; k < ARRAY_SIZE(cell); k++) {
            struct buf text = {0};
            buf_add_cell(&text, cell[k], 1, 0);
            html_element(out, "td class=\"number\"", buf_str(&text));
            buf_release(&text);
        }
        buf_add(out, "</tr>\n");
    }
    buf_add(out, "</tbody></table>\n");
}

static void add_against(const struct metrics_report *report, struct buf *out)
{
    if (!report->against_nr)
        return;
    buf_add(out, "<section id=\"against\">\n<h2>Against the first</h2>\n");
    for (size_t i = 0; i < report->against_nr; i++) {
        const struct metrics_against *against = &report->against[i];
        html_element(out, "p class=\"lead\"", against->time_sentence);
        if (against->work_sentence)
            html_element(out, "p", against->work_sentence);
        if (against->work_nr)
            add_work(against, out);
        add_list("What does not compare", &against->caution, out);
    }
    buf_add(out, "</section>\n");
}

/* ---- what is beside ---- */

static void add_little(const struct metrics_report *report, struct buf *out)
{
    for (size_t i = 0; i < report->nr; i++) {
        const struct metrics_column *column = &report->column[i];
        struct quantity counted = metrics_value(column, "L1_in_flight_all");
        struct buf text = {0};
        if (!column->little.known)
            continue;
        buf_addf(&text, "%s: by Little's law ", column->label);
        buf_add_figure(&text, column->little, 1, "lines per core are in flight");
        if (counted.known) {
            buf_add(&text, "; counted: ");
            buf_add_figure(&text, counted, 1, "");
        }
        html_element(out, "p class=\"note\"", buf_str(&text));
        buf_release(&text);
    }
}

static void add_notes(const struct metrics_report *report, struct buf *out)
{
    buf_add(out, "<section id=\"notes\">\n<h2>Notes</h2>\n");
    for (size_t i = 0; i < report->nr; i++) {
        const struct metrics_column *column = &report->column[i];
        struct strvec all = {0};
        metrics_notes(column, &all);
        add_list(column->label, &all, out);
        strvec_release(&all);
    }
    add_little(report, out);
    buf_add(out, "</section>\n");
}

static void add_formula(const struct metric *metric, struct buf *out)
{
    buf_add(out, "<dt class=\"formula\">");
    html_elementf(out, "code", "%s = %s", metric->name, metric->text);
    buf_add(out, "</dt><dd>");
    html_text(out, metric->about ? metric->about : "");
    if (metric->source)
        html_elementf(out, "small", " From: %s", metric->source);
    buf_add(out, "</dd>\n");
}

static void add_formulas(const struct metrics_report *report, struct buf *out)
{
    buf_add(out, "<section id=\"formulas\">\n<h2>Formulas</h2>\n");
    for (size_t i = 0; i < report->nr; i++) {
        const struct metric_set *set = report->column[i].set;
        if (i > 0 && !strcmp(set->name, report->column[i - 1].set->name))
            continue;
        buf_add(out, "<details class=\"words\"><summary>");
        html_text(out, set->title);
        buf_add(out, "</summary>\n<dl>\n");
        for (size_t k = 0; k < set->metric_nr; k++)
            add_formula(&set->metric[k], out);
        buf_add(out, "</dl>\n");
        add_list("Sources", &set->source, out);
        buf_add(out, "</details>\n");
    }
    buf_add(out, "</section>\n");
}

/* ---- the page ---- */

static void add_sections(const struct metrics_report *report, struct buf *out)
{
    struct buf answer = {0}, roofs = {0};
    add_answer(report, &answer);
    metrics_roof_html(report, &roofs);
    add_head(report, out);
    buf_addf(out,
             "<nav aria-label=\"Sections\">%s%s%s<a href=\"#notes\">Notes</a><a "
             "href=\"#formulas\">Formulas</a></nav>\n<main>\n",
             answer.length ? "<a href=\"#answer\">Largest loss</a>" : "",
             report->against_nr ? "<a href=\"#against\">Against the first</a>" : "",
             roofs.length ? "<a href=\"#roofline\">Roofline</a>" : "");
    buf_add(out, buf_str(&answer));
    add_against(report, out);
    buf_add(out, buf_str(&roofs));
    add_trees(report, out);
    add_notes(report, out);
    add_formulas(report, out);
    buf_add(out, "</main>\n");
    buf_release(&answer);
    buf_release(&roofs);
}

static int make_page(const struct metrics_report *report, struct buf *out,
                     struct error *err)
{
    struct buf title = {0}, sections = {0};
    html_text(&title, report->column[0].label);
    buf_add(&title, " \xc2\xb7 inflight metrics");
    add_sections(report, &sections);
    int status = html_page(
        &(struct html_page){.title = buf_str(&title), .sections = buf_str(&sections)},
        out, err);
    buf_release(&title);
    buf_release(&sections);
    return status;
}

int metrics_html_write(const struct metrics_report *report, const char *path,
                       struct error *err)
{
    struct buf out = {0};
    int status = make_page(report, &out, err);
    if (!status)
        status = html_page_write(&out, path, err);
    buf_release(&out);
    return status;
}
