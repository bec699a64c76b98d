#include "advisor/metrics/metrics_rows.h"

#include <stdlib.h>
#include <string.h>

/* As core/metrics says it of an event. */
static const char not_counted[] = " is not among the counts";

bool metrics_computed(const struct metrics_column *column, size_t model)
{
    for (size_t i = 0; i < column->set->metric_nr; i++)
        if (column->set->metric[i].model == (int)model &&
            column->result.value[i].value.known)
            return true;
    return false;
}

bool metrics_shows(const struct metrics_report *report,
                   const struct metrics_column *column, size_t model)
{
    const char *wanted = report->settings->model;
    return wanted ? !strcmp(wanted, column->set->model[model].name)
                  : metrics_computed(column, model);
}

bool metrics_known_in_any(const struct metrics_report *report, const char *name)
{
    for (size_t i = 0; i < report->nr; i++)
        if (metrics_value(&report->column[i], name).known)
            return true;
    return false;
}

bool metrics_in_earlier(const struct metrics_report *report, size_t column,
                        const char *name)
{
    for (size_t i = 0; i < column; i++)
        if (metric_find(report->column[i].set, name) != METRIC_NONE)
            return true;
    return false;
}

static bool shown_in_any(const struct metrics_report *report, const char *name)
{
    for (size_t i = 0; i < report->nr; i++) {
        const struct metric_set *set = report->column[i].set;
        for (size_t m = 0; m < set->model_nr; m++)
            if (!strcmp(set->model[m].name, name) &&
                metrics_shows(report, &report->column[i], m))
                return true;
    }
    return false;
}

bool metrics_compares(const struct metrics_report *report, size_t column, size_t model)
{
    const struct metric_set *set = report->column[column].set;
    bool own = false;
    for (size_t i = 0; i < set->metric_nr; i++)
        own |= set->metric[i].model == (int)model &&
               !metrics_in_earlier(report, column, set->metric[i].name);
    return own && shown_in_any(report, set->model[model].name);
}

int metrics_total_of_model(const struct metric_set *set, size_t model)
{
    int total = METRIC_NONE;
    for (size_t i = 0; i < set->metric_nr; i++) {
        if (set->metric[i].model != (int)model || set->metric[i].parent != METRIC_NONE)
            continue;
        int here = metrics_total_of(set, (int)i);
        if (total != METRIC_NONE && here != total)
            return METRIC_NONE;
        total = here;
    }
    return total;
}

void metrics_notes(const struct metrics_column *column, struct strvec *out)
{
    strvec_push_all(out, &column->note);
    strvec_push_all(out, &column->counts.note);
    strvec_push_all(out, &column->result.note);
}

int metrics_depth(const struct metric_set *set, int metric)
{
    int depth = 0;
    for (int at = set->metric[metric].parent; at != METRIC_NONE;
         at = set->metric[at].parent)
        depth++;
    return depth;
}

bool metrics_is_of_parent(const struct metric *metric)
{
    return metric->of && !strcmp(metric->of, "parent");
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

static void add_end(struct buf *out, bool share, double end)
{
    if (share)
        buf_addf(out, "%.1f", 100 * end);
    else
        buf_add_number(out, end);
}

void metrics_add_value(struct buf *out, const struct metric *metric,
                       const struct metric_value *value)
{
    if (!value->value.known)
        buf_add(out, value->absent ? "NA" : "?");
    else
        add_end(out, metrics_is_share(metric), value->value.value);
}

void metrics_add_range(struct buf *out, const struct metric *metric,
                       struct quantity value, const char *between)
{
    bool share = metrics_is_share(metric);
    struct buf low = {0}, high = {0};
    if (value.known && value.low < value.high) {
        add_end(&low, share, value.low);
        add_end(&high, share, value.high);
    }
    if (strcmp(buf_str(&low), buf_str(&high)) != 0)
        buf_addf(out, "%s%s%s", buf_str(&low), between, buf_str(&high));
    buf_release(&low);
    buf_release(&high);
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
