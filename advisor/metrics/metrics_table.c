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
    CAUTIONS_SHOWN = 4,
    HEAT_STEPS = 6
};

struct table {
    const struct metrics_report *report;
    struct layout *layout;
    size_t first, end; /* columns of this block */
    int name, unit;    /* columns of the names and units */
    bool ratio;        /* of two columns: the second over the first */
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

static void add_times(const struct table *table, const char *mark, double ratio)
{
    struct buf text = {0};
    buf_add(&text, mark);
    buf_add_times(&text, ratio);
    buf_addf(table->layout->out, " %*s", CELL_COLUMNS, buf_str(&text));
    buf_release(&text);
}

static void add_ratio_cell(const struct table *table, const char *name)
{
    const struct metrics_column *column = table->report->column;
    struct quantity ratio = metrics_amount_ratio(&column[1], &column[0], name);
    bool sure = ratio.low > 1 || ratio.high < 1 || ratio.low == ratio.high;
    if (ratio.known)
        add_times(table, sure ? "" : "~", ratio.value);
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
    if (table->ratio)
        add_ratio_cell(table, name);
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
    if (table->ratio) {
        const struct metrics_column *column = table->report->column;
        struct quantity ratio =
            quantity_divide(column[1].counts.seconds, column[0].counts.seconds);
        if (ratio.known)
            add_times(table, "", ratio.value);
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
    buf_addf(table->layout->out, "%s%s\n", table->ratio ? "     ratio" : "",
             table->layout->colour ? "\033[0m" : "");
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
            if (metrics_compares(report, i, m))
                add_model(table, i, m);
    add_little_row(table);
}

/* ---- against the first ---- */

static void show_work(const struct metrics_against *against, struct layout *layout)
{
    buf_add(layout->out,
            "    work                  first      here   divided by  done at the "
            "speed\n");
    for (size_t k = 0; k < against->work_nr; k++) {
        const struct metrics_work *work = &against->work[k];
        buf_addf(layout->out, "    %-18s", work->name);
        buf_add_cell(layout->out, work->before, 1, 9);
        buf_add_cell(layout->out, work->after, 1, 10);
        buf_add_cell(layout->out, work->less, 1, 13);
        buf_add_cell(layout->out, work->faster, 1, 19);
        buf_add(layout->out, "\n");
    }
}

static void show_against(const struct metrics_report *report, struct layout *layout)
{
    if (report->against_nr)
        layout_heading(layout, "Against the first column");
    for (size_t i = 0; i < report->against_nr; i++) {
        const struct metrics_against *against = &report->against[i];
        layout_paragraph(layout, "%s.", against->time_sentence);
        if (against->work_sentence)
            layout_paragraph(layout, "%s", against->work_sentence);
        if (against->work_nr && (report->nr == 2 || report->settings->evidence))
            show_work(against, layout);
    }
}

static void show_cautions(const struct metrics_report *report, struct layout *layout)
{
    struct strvec all = {0};
    bool everything = report->nr == 2 || report->settings->evidence;
    for (size_t i = 0; i < report->against_nr; i++)
        for (size_t k = 0; k < report->against[i].caution.nr; k++)
            strvec_push_once(&all, report->against[i].caution.v[k]);
    if (all.nr)
        layout_heading(layout, "What does not compare");
    for (size_t i = 0; i < all.nr && (i < CAUTIONS_SHOWN || everything); i++)
        layout_paragraph(layout, "- %s", all.v[i]);
    if (all.nr > CAUTIONS_SHOWN && !everything)
        layout_paragraph(layout, "- and so in %zu more cases: --evidence",
                         all.nr - CAUTIONS_SHOWN);
    strvec_release(&all);
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
    int left = (int)table->layout->width - 3 - table->name -
               (CELL_COLUMNS + 1) * (room + table->ratio);
    table->unit = left > UNIT_MAX ? UNIT_MAX : left < UNIT_MIN ? UNIT_MIN : left;
    return (size_t)room;
}

void metrics_table_text(const struct metrics_report *report, struct layout *layout)
{
    struct table table = {
        .report = report, .layout = layout, .ratio = report->against_nr == 1};
    size_t room = lay_out(&table);
    for (; table.first < report->nr; table.first = table.end) {
        table.end = table.first + room < report->nr ? table.first + room : report->nr;
        add_block(&table);
    }
    buf_add(layout->out, "\n");
    layout_paragraph(layout, "%s",
                     "> largest loss of its level, ~ with a tie; ? not known, "
                     "NA not on this CPU, - not defined there, ! out of range");
    if (table.ratio)
        layout_paragraph(layout,
                         "ratio: second over first; of shares the ratio of the amounts, "
                         "share times its total; ~ within the intervals");
    show_against(report, layout);
    show_cautions(report, layout);
}
