#include "advisor/metrics_text.h"

#include <stdlib.h>
#include <string.h>

#include "advisor/metrics_roof.h"
#include "core/base/near.h"

enum { CPU_SHOWN = 60 };

/* As core/metrics says it of an event. */
static const char not_counted[] = " is not among the counts";

/* ---- what the parts share ---- */

bool metrics_shows(const struct metrics_report *report,
                   const struct metrics_column *column, size_t model, bool *computed)
{
    const struct metric_set *set = column->set;
    const char *wanted = report->settings->model;
    *computed = false;
    for (size_t i = 0; i < set->metric_nr; i++)
        *computed |=
            set->metric[i].model == (int)model && column->result.value[i].value.known;
    return wanted ? !letters_between(wanted, set->model[model].name) : *computed;
}

int metrics_depth(const struct metric_set *set, int metric)
{
    int depth = 0;
    for (int at = set->metric[metric].parent; at != METRIC_NONE;
         at = set->metric[at].parent)
        depth++;
    return depth;
}

bool metrics_is_share(const struct metric *metric)
{
    return !strcmp(metric->unit, "share");
}

bool metrics_is_heated(const struct metric_set *set, int metric)
{
    const struct metric *one = &set->metric[metric];
    return metrics_is_share(one) && one->of && one->model != METRIC_NONE &&
           set->model[one->model].losses;
}

void metrics_add_value(struct buf *out, const struct metric *metric,
                       const struct metric_value *value)
{
    if (!value->value.known)
        buf_add(out, value->absent ? "NA" : "?");
    else if (metrics_is_share(metric))
        buf_addf(out, "%.1f", 100 * value->value.value);
    else
        buf_add_number(out, value->value.value);
}

void metrics_add_unit(struct buf *out, const struct metric *metric)
{
    if (metrics_is_share(metric))
        buf_addf(out, "%%%s%s", metric->of ? " of " : "", metric->of ? metric->of : "");
    else
        buf_add(out, metric->unit);
}

/* The parts between "; ", each once. */
static void split_why(const char *why, struct strvec *out)
{
    while (*why) {
        const char *end = strstr(why, "; ");
        size_t length = end ? (size_t)(end - why) : strlen(why);
        char *part = xstrndup(why, length);
        strvec_push_once(out, part);
        free(part);
        why += end ? length + 2 : length;
    }
}

void metrics_add_why(struct buf *out, const char *why)
{
    struct strvec part = {0};
    size_t missing = 0;
    split_why(why, &part);
    for (size_t i = 0; i < part.nr; i++) {
        size_t length = strlen(part.v[i]), tail = strlen(not_counted);
        bool ends = length > tail && !strcmp(part.v[i] + length - tail, not_counted);
        if (ends)
            part.v[i][length - tail] = '\0';
        else if (missing)
            buf_addf(out, " %s not among the counts", missing > 1 ? "are" : "is");
        buf_addf(out, "%s%s", !i ? "" : ends && missing ? ", " : "; ", part.v[i]);
        missing = ends ? missing + 1 : 0;
    }
    if (missing)
        buf_addf(out, " %s not among the counts", missing > 1 ? "are" : "is");
    strvec_release(&part);
}

static bool is_counted(const struct metrics_column *column, const char *event)
{
    const struct metric_set *set = column->set;
    int wanted = metric_event_find(set, event);
    for (size_t i = 0; i < column->counts.count_nr; i++)
        if (column->counts.count[i].value.known && wanted != METRIC_NONE &&
            metric_event_find(set, column->counts.count[i].event) == wanted)
            return true;
    return false;
}

void metrics_missing(const struct metrics_column *column, size_t model,
                     struct strvec *out)
{
    const struct metric_set *set = column->set;
    struct strvec events = {0};
    for (size_t i = 0; i < set->metric_nr; i++)
        if (set->metric[i].model == (int)model && !column->result.value[i].absent)
            metric_events_of(set, (int)i, &events);
    for (size_t i = 0; i < events.nr; i++)
        if (!is_counted(column, events.v[i]))
            strvec_push_once(out, events.v[i]);
    strvec_release(&events);
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
        add_notes(report, column->label, &column->note, &notes);
        add_notes(report, column->label, &column->counts.note, &notes);
        add_notes(report, column->label, &column->result.note, &notes);
    }
    if (notes.nr)
        page_heading(page, "Notes");
    for (size_t i = 0; i < notes.nr; i++) {
        buf_add(page->out, "  - ");
        buf_add_wrapped(page->out, notes.v[i], 4, page->width);
        buf_add(page->out, "\n");
    }
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
