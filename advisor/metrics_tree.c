/* The trees of one column: value, interval, of what, and the way to the largest loss. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/metrics_text.h"

enum {
    NAME_COLUMNS = 31,
    VALUE_COLUMNS = 9,
    UNIT_COLUMNS = 17,
    INTERVAL_COLUMNS = 18,
    WHOLE_COLUMNS = 8,
    BAR_COLUMNS = 14,
    MISSING_SHOWN = 6
};

struct tree {
    const struct metrics_report *report;
    const struct metrics_column *column;
    struct page *page;
    size_t model;
    bool has_whole;  /* some of it is a share of its parent */
    const char *why; /* said last */
};

static const char *colour_of(const struct tree *tree, const struct metric_value *value)
{
    return !tree->page->colour ? "" : value->dominant ? "\033[1;31m" : "";
}

static const char *plain(const struct tree *tree, const struct metric_value *value)
{
    return tree->page->colour && value->dominant ? "\033[0m" : "";
}

/* ---- the parts of a row ---- */

static void add_interval_text(struct buf *out, const struct metric *metric,
                              struct quantity value)
{
    bool share = metrics_is_share(metric);
    struct buf text = {0};
    if (value.known && value.low < value.high) {
        buf_add(&text, "[");
        if (share)
            buf_addf(&text, "%.1f, %.1f", 100 * value.low, 100 * value.high);
        else {
            buf_add_number(&text, value.low);
            buf_add(&text, ", ");
            buf_add_number(&text, value.high);
        }
        buf_add(&text, "]");
    }
    buf_addf(out, " %-*s", INTERVAL_COLUMNS, buf_str(&text));
    buf_release(&text);
}

static void add_bar(struct buf *out, struct quantity share)
{
    if (!share.known)
        return;
    size_t full = (size_t)(fmin(fmax(share.value, 0), 1) * BAR_COLUMNS + 0.5);
    buf_add_repeat(out, '#', full);
    buf_add_repeat(out, '.', BAR_COLUMNS - full);
}

/* What is to be minded about the value. */
static void add_flags(struct buf *out, const struct metric *metric,
                      const struct metric_value *value)
{
    if (value->out_of_range)
        buf_add(out, " ! out of range");
    if (value->value.known && value->share > 0 && value->share < METRIC_SHARE_LEAST)
        buf_addf(out, " ! counted %.0f %% of the time", 100 * value->share);
    if (metric->estimated && value->value.known)
        buf_add(out, " (estimated)");
}

static void add_whole(const struct tree *tree, const struct metric_value *value)
{
    struct buf text = {0};
    if (value->whole.known)
        buf_addf(&text, "%.1f %%", 100 * value->whole.value);
    buf_addf(tree->page->out, "%*s ", WHOLE_COLUMNS, buf_str(&text));
    buf_release(&text);
}

/* "mark name value unit": what every row begins with. */
static void add_start(const struct tree *tree, size_t i)
{
    const struct metric *metric = &tree->column->set->metric[i];
    const struct metric_value *value = &tree->column->result.value[i];
    int indent = 2 * metrics_depth(tree->column->set, (int)i);
    struct buf number = {0}, unit = {0};
    metrics_add_value(&number, metric, value);
    metrics_add_unit(&unit, metric);
    buf_addf(tree->page->out, "%s%s %*s%-*s%*s ", colour_of(tree, value),
             value->dominant ? value->tied ? "~" : ">" : " ", indent, "",
             NAME_COLUMNS - indent, metric->name, VALUE_COLUMNS, buf_str(&number));
    buf_addf(tree->page->out, "%s%-*s", plain(tree, value), UNIT_COLUMNS,
             value->value.known ? buf_str(&unit) : "");
    buf_release(&number);
    buf_release(&unit);
}

static void trim(struct buf *out)
{
    while (out->length && out->data[out->length - 1] == ' ')
        buf_truncate(out, out->length - 1);
}

/* Once, where several lack the same. */
static void add_why(struct tree *tree, const struct metric_value *value)
{
    size_t indent = NAME_COLUMNS + VALUE_COLUMNS + 4;
    bool again = tree->why && value->why && !strcmp(tree->why, value->why);
    trim(tree->page->out);
    buf_add(tree->page->out, "  ");
    buf_add_wrapped(tree->page->out, again ? "likewise" : value->why ? value->why : "",
                    indent, tree->page->width);
    tree->why = value->why;
}

static void show_row(struct tree *tree, size_t i)
{
    const struct metric *metric = &tree->column->set->metric[i];
    const struct metric_value *value = &tree->column->result.value[i];
    struct buf *out = tree->page->out;
    add_start(tree, i);
    if (!value->value.known) {
        add_why(tree, value);
    } else {
        tree->why = NULL;
        add_interval_text(out, metric, value->value);
        if (tree->has_whole)
            add_whole(tree, value);
        if (metrics_is_share(metric) && metric->of)
            add_bar(out, tree->has_whole ? value->whole : value->value);
        add_flags(out, metric, value);
    }
    trim(out);
    buf_add(out, "\n");
}

/* ---- the way down ---- */

static bool is_sibling(const struct metric_set *set, size_t a, size_t b)
{
    return a != b && set->metric[a].model == set->metric[b].model &&
           set->metric[a].parent == set->metric[b].parent && !set->metric[b].useful;
}

/* Of the last one that is marked: what it means; of those that are tied, with whom. */
static void show_way(struct tree *tree)
{
    const struct metric_set *set = tree->column->set;
    const struct metric_value *value = tree->column->result.value;
    struct buf way = {0}, ties = {0};
    const char *about = NULL;
    for (size_t i = 0; i < set->metric_nr; i++) {
        if (set->metric[i].model != (int)tree->model || !value[i].dominant)
            continue;
        buf_addf(&way, "%s%s", way.length ? " > " : "", set->metric[i].name);
        about = set->metric[i].about;
        for (size_t k = 0; value[i].tied && k < set->metric_nr; k++)
            if (is_sibling(set, i, k) && value[k].value.known &&
                value[k].value.high >= value[i].value.low)
                buf_addf(&ties, " '%s' may be as large as '%s' within their intervals.",
                         set->metric[k].name, set->metric[i].name);
    }
    if (way.length)
        page_paragraph(tree->page, "Largest loss: %s.%s%s%s", buf_str(&way),
                       about ? " " : "", about ? about : "", buf_str(&ties));
    buf_release(&way);
    buf_release(&ties);
}

static void show_model(struct tree *tree)
{
    const struct metric_set *set = tree->column->set;
    const char *group = NULL;
    tree->has_whole = false;
    tree->why = NULL;
    for (size_t i = 0; i < set->metric_nr; i++)
        tree->has_whole |= set->metric[i].model == (int)tree->model &&
                           set->metric[i].of && !strcmp(set->metric[i].of, "parent");
    page_heading(tree->page, set->model[tree->model].title);
    if (tree->has_whole)
        buf_addf(tree->page->out, "%*sof all\n",
                 2 + NAME_COLUMNS + VALUE_COLUMNS + 1 + UNIT_COLUMNS + 1 +
                     INTERVAL_COLUMNS + WHOLE_COLUMNS - 6,
                 "");
    for (size_t i = 0; i < set->metric_nr; i++) {
        const struct metric *metric = &set->metric[i];
        if (metric->model != (int)tree->model)
            continue;
        if (metric->group && (!group || strcmp(group, metric->group) != 0))
            buf_addf(tree->page->out, "  %s\n", metric->group);
        group = metric->group;
        show_row(tree, i);
    }
    show_way(tree);
}

/* ---- what is beside the trees ---- */

static void show_little(const struct tree *tree)
{
    const struct metrics_column *column = tree->column;
    struct quantity counted = metrics_value(column, "L1_in_flight_all");
    if (!counted.known)
        counted = metrics_value(column, "L1_in_flight");
    if (!column->little.known && !counted.known)
        return;
    page_heading(tree->page, "Lines in flight, by Little's law beside the counted ones");
    page_quantity(tree->page, "by Little's law", column->little, 1, "lines per core",
                  column->little.known ? "from bandwidth and loaded latency"
                                       : column->little_why);
    page_quantity(tree->page, "loaded latency", column->latency_ns, 1, "ns",
                  column->latency_ns.known ? column->machine.name : "");
    page_quantity(tree->page, "counted", counted, 1, "lines", "misses of L1 under way");
}

/* "title: needs A, B and 3 more". */
static void show_not_computed(struct tree *tree)
{
    const struct metric_set *set = tree->column->set;
    bool begun = false, computed;
    for (size_t m = 0; !tree->report->settings->model && m < set->model_nr; m++) {
        struct strvec missing = {0};
        struct buf line = {0};
        if (metrics_shows(tree->report, tree->column, m, &computed))
            continue;
        metrics_missing(tree->column, m, &missing);
        buf_addf(&line, "%s: ", set->model[m].title);
        for (size_t i = 0; i < missing.nr && i < MISSING_SHOWN; i++)
            buf_addf(&line, "%s%s", i ? ", " : "none of it without ", missing.v[i]);
        if (missing.nr > MISSING_SHOWN)
            buf_addf(&line, " and %zu more events", missing.nr - MISSING_SHOWN);
        if (!begun)
            page_heading(tree->page, "Not computed from these counts");
        begun = true;
        page_paragraph(tree->page, "%s%s", buf_str(&line),
                       missing.nr ? "" : "see --model for why");
        buf_release(&line);
        strvec_release(&missing);
    }
}

void metrics_tree_text(const struct metrics_report *report, struct page *page)
{
    struct tree tree = {.report = report, .column = &report->column[0], .page = page};
    bool computed, occupancy = !report->settings->model;
    for (tree.model = 0; tree.model < tree.column->set->model_nr; tree.model++) {
        if (!metrics_shows(report, tree.column, tree.model, &computed))
            continue;
        occupancy |= !strcmp(tree.column->set->model[tree.model].name, "occupancy");
        show_model(&tree);
    }
    if (occupancy)
        show_little(&tree);
    show_not_computed(&tree);
}
