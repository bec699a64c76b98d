/* What the shown metrics rest on: formulas, counts, sources. */
#include <stdlib.h>
#include <string.h>

#include "advisor/metrics/metrics_text.h"

static void show_formula(const struct metrics_column *column, size_t i, struct page *page)
{
    const struct metric *metric = &column->set->metric[i];
    const struct metric_value *value = &column->result.value[i];
    struct buf line = {0};
    buf_addf(&line, "%s = %s", metric->name, metric->text);
    if (value->value.known) {
        buf_add(&line, " = ");
        metrics_add_value(&line, metric, value);
        buf_add(&line, " ");
        metrics_add_unit(&line, metric);
        buf_addf(&line, " (%s)", provenance_word(value->value.provenance));
    }
    buf_add(page->out, "  ");
    buf_add_wrapped(page->out, buf_str(&line), 6, page->width);
    buf_add(page->out, "\n");
    metrics_add_about(page, metric, 6);
    buf_release(&line);
}

static void show_formulas(const struct metrics_report *report,
                          const struct metrics_column *column, struct page *page)
{
    const struct metric_set *set = column->set;
    page_heading(page, "Formulas");
    for (size_t i = 0; i < set->metric_nr; i++)
        if (set->metric[i].model == METRIC_NONE ||
            metrics_shows(report, column, (size_t)set->metric[i].model))
            show_formula(column, i, page);
    for (size_t i = 0; i < set->constant_nr; i++)
        page_paragraph(page, "%s = %.10g %s (%s)", set->constant[i].name,
                       set->constant[i].value,
                       set->constant[i].unit ? set->constant[i].unit : "",
                       set->constant[i].source ? set->constant[i].source : "no source");
    for (size_t i = 0; i < column->given_nr; i++)
        page_paragraph(page, "%s = %.10g (%s)", column->given[i].name,
                       column->given[i].value.value,
                       provenance_word(column->given[i].value.provenance));
}

static void show_count(const struct metrics_column *column,
                       const struct event_count *count, struct page *page)
{
    const struct metric_set *set = column->set;
    int at = metric_event_find(set, count->event);
    struct buf line = {0};
    buf_addf(&line, "%-44s ", count->event);
    if (count->value.known) {
        buf_add_figure(&line, count->value, 1, "");
        buf_addf(&line, " (%s", provenance_word(count->value.provenance));
        if (count->share > 0 && count->share < 1)
            buf_addf(&line, ", %.0f %% of the time", 100 * count->share);
        buf_add(&line, ")");
    } else {
        buf_addf(&line, "not known: %s", count->why ? count->why : "not counted");
    }
    if (at == METRIC_NONE)
        buf_add(&line, ", not used");
    else if (strcmp(set->event[at].name, count->event) != 0)
        buf_addf(&line, ", as %s", set->event[at].name);
    buf_add(page->out, "  ");
    buf_add_wrapped(page->out, buf_str(&line), 6, page->width);
    buf_add(page->out, "\n");
    buf_release(&line);
}

static void show_sources(const struct metric_set *set, struct page *page)
{
    for (size_t i = 0; i < set->source.nr; i++)
        page_paragraph(page, "%s", set->source.v[i]);
}

void metrics_evidence_text(const struct metrics_report *report, struct page *page)
{
    for (size_t i = 0; i < report->nr; i++) {
        const struct metrics_column *column = &report->column[i];
        bool again = i > 0 && !strcmp(column->set->name, report->column[0].set->name);
        if (!again)
            show_formulas(report, column, page);
        char *title =
            report->nr > 1 ? xasprintf("Counts of %s", column->label) : xstrdup("Counts");
        page_heading(page, title);
        for (size_t k = 0; k < column->counts.count_nr; k++)
            show_count(column, &column->counts.count[k], page);
        free(title);
        if (column->result.identity_nr)
            page_paragraph(page, "%zu of %zu identities between metrics hold",
                           column->result.identity_nr - column->result.identity_broken_nr,
                           column->result.identity_nr);
        if (!again)
            page_heading(page, "Where the definitions are from");
        if (!again)
            show_sources(column->set, page);
    }
}
