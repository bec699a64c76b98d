/* Several columns: a row per metric, a column per variant. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/metrics/metrics_columns.h"
#include "advisor/metrics/metrics_show.h"
#include "core/base.h"

enum {
    NAME_MIN = 16,
    UNIT_MIN = 11,
    UNIT_MAX = 24,
    CELL_COLUMNS = 9,
    LABEL_LONGEST = 9,
    HEAT_STEPS = 6
};

struct table {
    const struct metrics_report *report;
    struct layout *layout;
    size_t first, end; /* columns of this block */
    int name, unit;    /* columns of the names and units */
};

/* ---- cells ---- */

/* Backgrounds of 256 colours, from 0 to 1: losses get red, time well spent green. */
static const int heat_of_loss[HEAT_STEPS] = {0, 52, 88, 124, 160, 196},
                 heat_of_use[HEAT_STEPS] = {0, 22, 28, 34, 40, 46};

static int heat(const struct table *table, const struct metric_set *set, int at,
                const struct metric_value *value)
{
    const struct metric *metric = &set->metric[at];
    if (!table->layout->colour || !metrics_is_heated(set, at) || !value->value.known)
        return 0;
    double share = fmin(fmax(value->value.value, 0), 1);
    int step = (int)(share * (HEAT_STEPS - 1) + 0.5);
    return metric->useful ? heat_of_use[step] : heat_of_loss[step];
}

static void add_cell(const struct table *table, const struct metrics_column *column,
                     const char *name)
{
    struct buf text = {0};
    int at = metric_find(column->set, name), colour = 0;
    if (at == METRIC_NONE) {
        buf_add(&text, "-");
    } else {
        const struct metric_value *value = &column->result.value[at];
        if (value->dominant)
            buf_add(&text, value->tied ? "~" : ">");
        metrics_add_value(&text, &column->set->metric[at], value);
        buf_add(&text, value->out_of_range ? "!" : "");
        colour = heat(table, column->set, at, value);
    }
    int pad = CELL_COLUMNS - (int)text.length;
    buf_addf(table->layout->out, " %*s", pad > 0 ? pad : 0, "");
    if (colour)
        buf_addf(table->layout->out, "\033[97;48;5;%dm%s\033[0m", colour, buf_str(&text));
    else
        buf_add(table->layout->out, buf_str(&text));
    buf_release(&text);
}

/* The first column that has the metric says name, unit and depth. */
static void add_row(const struct table *table, const char *name)
{
    const struct metrics_report *report = table->report;
    const struct metric_set *set = NULL;
    int at = METRIC_NONE;
    for (size_t i = 0; at == METRIC_NONE && i < report->nr; i++) {
        set = report->column[i].set;
        at = metric_find(set, name);
    }
    if (at == METRIC_NONE)
        return;
    struct buf unit = {0};
    int indent = 2 * metrics_depth(set, at);
    metrics_add_unit(&unit, &set->metric[at]);
    buf_addf(table->layout->out, "  %*s%-*s %-*.*s", indent, "", table->name - indent,
             name, table->unit, table->unit, buf_str(&unit));
    for (size_t i = table->first; i < table->end; i++)
        add_cell(table, &report->column[i], name);
    while (table->layout->out->data[table->layout->out->length - 1] == ' ')
        buf_truncate(table->layout->out, table->layout->out->length - 1);
    buf_add(table->layout->out, "\n");
    buf_release(&unit);
}

/* ---- rows above the trees ---- */

/* What stands above all trees. */
static const char *const overall[] = {"cycles", "instructions", "IPC", "Time"};

static bool is_overall(const char *name)
{
    for (size_t i = 0; i < ARRAY_SIZE(overall); i++)
        if (!strcmp(overall[i], name))
            return true;
    return false;
}

static void add_time_row(const struct table *table)
{
    buf_addf(table->layout->out, "  %-*s %-*s", table->name, "Time", table->unit, "s");
    for (size_t i = table->first; i < table->end; i++) {
        buf_add(table->layout->out, " ");
        buf_add_cell(table->layout->out, table->report->column[i].counts.seconds, 1,
                     CELL_COLUMNS);
    }
    buf_add(table->layout->out, "\n");
}

/* What complements every tree: work and speed. */
static void add_overall(const struct table *table)
{
    add_time_row(table);
    for (size_t i = 0; i < ARRAY_SIZE(overall); i++)
        if (metrics_known_in_any(table->report, overall[i]) &&
            strcmp(overall[i], "Time") != 0)
            add_row(table, overall[i]);
    buf_add(table->layout->out, "  ");
    buf_add_repeat(table->layout->out, '.', (size_t)(table->name + table->unit + 1));
    buf_add(table->layout->out, "\n");
}

/* ---- models ---- */

static void add_model(const struct table *table, size_t column, size_t model)
{
    const struct metric_set *set = table->report->column[column].set;
    const char *group = NULL;
    int total = metrics_total_of_model(set, model);
    buf_addf(table->layout->out, "%s%s%s\n", table->layout->colour ? "\033[1m" : "",
             set->model[model].title, table->layout->colour ? "\033[0m" : "");
    if (total != METRIC_NONE && !is_overall(set->metric[total].name))
        add_row(table, set->metric[total].name);
    for (size_t i = 0; i < set->metric_nr; i++) {
        const struct metric *metric = &set->metric[i];
        if (metric->model != (int)model || is_overall(metric->name) ||
            metrics_in_earlier(table->report, column, metric->name) ||
            !(metrics_known_in_any(table->report, metric->name) ||
              table->report->settings->model))
            continue;
        if (metric->group && (!group || strcmp(group, metric->group) != 0))
            buf_addf(table->layout->out, " %s\n", metric->group);
        group = metric->group;
        add_row(table, metric->name);
    }
}

static void add_heading(const struct table *table)
{
    buf_addf(table->layout->out, "\n%s%*s", table->layout->colour ? "\033[1m" : "",
             3 + table->name + table->unit, "");
    for (size_t i = table->first; i < table->end; i++) {
        const char *label = table->report->column[i].label;
        char *number = xasprintf("(%zu)", i + 1);
        buf_addf(table->layout->out, " %*s", CELL_COLUMNS,
                 strlen(label) <= LABEL_LONGEST ? label : number);
        free(number);
    }
    buf_addf(table->layout->out, "%s\n", table->layout->colour ? "\033[0m" : "");
}

/* Beside what counters say of lines in flight. */
static void add_little_row(const struct table *table)
{
    const struct metrics_column *column = table->report->column;
    bool any = false;
    for (size_t i = 0; i < table->report->nr; i++)
        any |= column[i].little.known;
    if (!any || table->report->settings->model)
        return;
    buf_addf(table->layout->out, "%sLines in flight, by Little's law%s\n  %-*s %-*.*s",
             table->layout->colour ? "\033[1m" : "",
             table->layout->colour ? "\033[0m" : "", table->name, "bandwidth x latency",
             table->unit, table->unit, "lines per core");
    for (size_t i = table->first; i < table->end; i++) {
        buf_add(table->layout->out, " ");
        buf_add_cell(table->layout->out, column[i].little, 1, CELL_COLUMNS);
    }
    buf_add(table->layout->out, "\n");
}

static void add_block(const struct table *table)
{
    const struct metrics_report *report = table->report;
    add_heading(table);
    add_overall(table);
    for (size_t i = 0; i < report->nr; i++)
        for (size_t m = 0; m < report->column[i].set->model_nr; m++)
            if (metrics_adds_rows(report, i, m))
                add_model(table, i, m);
    add_little_row(table);
}

/* Columns for names, units and as many cells as go beside them. */
static size_t lay_out(struct table *table)
{
    const struct metrics_report *report = table->report;
    table->name = NAME_MIN;
    for (size_t i = 0; i < report->nr; i++) {
        const struct metric_set *set = report->column[i].set;
        for (size_t k = 0; k < set->metric_nr; k++) {
            int length =
                (int)strlen(set->metric[k].name) + 2 * metrics_depth(set, (int)k);
            if (length > table->name && set->metric[k].model != METRIC_NONE &&
                metrics_shows(report, &report->column[i], (size_t)set->metric[k].model))
                table->name = length;
        }
    }
    int room =
        ((int)table->layout->width - 3 - table->name - UNIT_MIN) / (CELL_COLUMNS + 1);
    room = room < 1 ? 1 : room > (int)report->nr ? (int)report->nr : room;
    int left = (int)table->layout->width - 3 - table->name - (CELL_COLUMNS + 1) * room;
    table->unit = left > UNIT_MAX ? UNIT_MAX : left < UNIT_MIN ? UNIT_MIN : left;
    return (size_t)room;
}

void metrics_table_text(const struct metrics_report *report, struct layout *layout)
{
    struct table table = {.report = report, .layout = layout};
    size_t room = lay_out(&table);
    for (; table.first < report->nr; table.first = table.end) {
        table.end = table.first + room < report->nr ? table.first + room : report->nr;
        add_block(&table);
    }
    buf_add(layout->out, "\n");
    layout_paragraph(layout, "%s",
                     "> largest loss of its level, ~ with a tie; ? not known, "
                     "NA not on this CPU, - not defined there, ! out of range");
}
