#include "advisor/metrics/metrics_html.h"

#include <stdlib.h>
#include <string.h>

#include "advisor/html/html_page.h"
#include "advisor/metrics/metrics_against.h"
#include "advisor/metrics/metrics_html_parts.h"
#include "advisor/metrics/metrics_roof.h"

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
    const struct metric_set *set = column->set;
    struct buf way = {0};
    const char *about = NULL;
    for (size_t i = 0; i < set->metric_nr; i++) {
        if (set->metric[i].model != (int)model || !column->result.value[i].dominant)
            continue;
        buf_addf(&way, "%s%s", way.length ? " \xe2\x80\xba " : "", set->metric[i].name);
        about = set->metric[i].about;
    }
    if (way.length) {
        buf_add(out, "<p class=\"lead\"><strong>");
        html_text(out, buf_str(&way));
        buf_add(out, "</strong> ");
        html_elementf(out, "small", "%s, %s", column->label, set->model[model].title);
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
    add_list("What that says", &report->said, out);
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
        add_list("What that says", &against->said, out);
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
    metrics_html_trees(report, out);
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
