#include "advisor/metrics/metrics_text.h"

#include <stdlib.h>
#include <string.h>

#include "advisor/metrics/metrics_roof.h"

enum { CPU_SHOWN = 60 };

void metrics_add_marked(struct page *page, const char *mark, const char *text)
{
    buf_addf(page->out, "  %s ", mark);
    buf_add_wrapped(page->out, text, 4, page->width);
    buf_add(page->out, "\n");
}

void metrics_add_about(struct page *page, const struct metric *metric, int indent)
{
    const char *const line[] = {metric->about, metric->source};
    for (size_t i = 0; i < ARRAY_SIZE(line); i++) {
        const char *mark = i ? "from: " : "";
        if (!line[i])
            continue;
        buf_addf(page->out, "%*s%s", indent, "", mark);
        buf_add_wrapped(page->out, line[i], (size_t)indent + strlen(mark), page->width);
        buf_add(page->out, "\n");
    }
}

/* ---- who ---- */

/* A name, or the text of /proc/cpuinfo: on one line, its beginning. */
static void add_cpu(const char *cpu, struct buf *out)
{
    struct strvec words = {0};
    if (!cpu)
        return;
    strvec_split(&words, cpu);
    char *line = strvec_join(&words, " ");
    bool cut = strlen(line) > CPU_SHOWN;
    buf_addf(out, ", on '%.*s%s'", CPU_SHOWN, line, cut ? " ..." : "");
    free(line);
    strvec_release(&words);
}

static void add_runs(const struct metrics_column *column, struct buf *out)
{
    const struct count_set *counts = &column->counts;
    buf_add(out, column->origin);
    if (counts->source && !strstr(column->origin, counts->source))
        buf_addf(out, ", counted by %s", counts->source);
    if (column->run_nr > 1)
        buf_addf(out, ", %zu runs", column->run_nr);
    if (counts->seconds.known) {
        buf_add(out, ", ");
        buf_add_time(out, counts->seconds.value);
    }
    if (counts->cores > 0)
        buf_addf(out, ", %d core%s", counts->cores, counts->cores == 1 ? "" : "s");
    add_cpu(counts->cpu, out);
}

static bool same_sets(const struct metrics_report *report)
{
    for (size_t i = 1; i < report->nr; i++)
        if (strcmp(report->column[i].set->name, report->column[0].set->name) != 0)
            return false;
    return true;
}

static void show_heads(const struct metrics_report *report, struct page *page)
{
    bool several = report->nr > 1, same = same_sets(report);
    if (same)
        buf_addf(page->out, "%s%s%s: metrics of '%s'\n", page->colour ? "\033[1m" : "",
                 report->column[0].set->title, page->colour ? "\033[0m" : "",
                 report->column[0].set->name);
    for (size_t i = 0; i < report->nr; i++) {
        const struct metrics_column *column = &report->column[i];
        struct buf line = {0};
        add_runs(column, &line);
        if (!same)
            buf_addf(&line, "; %s, metrics of '%s'", column->set->title,
                     column->set->name);
        if (several)
            page_paragraph(page, "(%zu) %s: %s", i + 1, column->label, buf_str(&line));
        else
            page_paragraph(page, "%s", buf_str(&line));
        buf_release(&line);
    }
}

/* ---- notes ---- */

static bool all_say(const struct metrics_report *report, const char *note)
{
    for (size_t i = 0; i < report->nr; i++)
        if (!strvec_has(&report->column[i].note, note))
            return false;
    return true;
}

/* With the column's label, unless it is said of all of them. */
static void add_notes(const struct metrics_report *report, const char *label,
                      const struct strvec *list, struct strvec *out)
{
    for (size_t i = 0; i < list->nr; i++) {
        const char *who = all_say(report, list->v[i]) ? "all" : label;
        char *text =
            report->nr > 1 ? xasprintf("%s: %s", who, list->v[i]) : xstrdup(list->v[i]);
        strvec_push_once(out, text);
        free(text);
    }
}

static void show_notes(const struct metrics_report *report, struct page *page)
{
    struct strvec notes = {0};
    for (size_t i = 0; i < report->nr; i++) {
        const struct metrics_column *column = &report->column[i];
        struct strvec own = {0};
        metrics_notes(column, &own);
        add_notes(report, column->label, &own, &notes);
        strvec_release(&own);
    }
    if (notes.nr)
        page_heading(page, "Notes");
    for (size_t i = 0; i < notes.nr; i++)
        metrics_add_marked(page, "-", notes.v[i]);
    strvec_release(&notes);
}

void metrics_text(const struct metrics_report *report, struct page *page)
{
    show_heads(report, page);
    if (report->nr > 1)
        metrics_table_text(report, page);
    else
        metrics_tree_text(report, page);
    metrics_roof_text(report, page);
    show_notes(report, page);
    if (report->settings->evidence)
        metrics_evidence_text(report, page);
}
