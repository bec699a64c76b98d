/* Metrics for a terminal, a column after the other: who was counted, trees, notes,
 * evidence. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/metrics/metrics_show.h"
#include "core/base.h"

enum { CPU_SHOWN = 60 };

void metrics_add_marked(struct layout *layout, const char *mark, const char *text)
{
    buf_addf(layout->out, "  %s ", mark);
    buf_add_wrapped(layout->out, text, 4, layout->width);
    buf_add(layout->out, "\n");
}

void metrics_add_about(struct layout *layout, const struct metric *metric, int indent)
{
    const char *const line[] = {metric->about, metric->source};
    for (size_t i = 0; i < ARRAY_SIZE(line); i++) {
        const char *mark = i ? "from: " : "";
        if (!line[i])
            continue;
        buf_addf(layout->out, "%*s%s", indent, "", mark);
        buf_add_wrapped(layout->out, line[i], (size_t)indent + strlen(mark),
                        layout->width);
        buf_add(layout->out, "\n");
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

static void show_head(const struct metrics_report *report,
                      const struct metrics_column *column, struct layout *layout)
{
    bool several = report->nr > 1;
    struct buf line = {0};
    add_runs(column, &line);
    buf_addf(layout->out, "%s%s%s%s%s%s metrics of '%s'\n",
             layout->colour ? "\033[1m" : "", several ? column->label : "",
             several ? ": " : "", column->set->title, layout->colour ? "\033[0m" : "",
             several ? "," : ":", column->set->name);
    layout_paragraph(layout, "%s", buf_str(&line));
    buf_release(&line);
}

/* ---- notes ---- */

static void show_notes(const struct metrics_column *column, struct layout *layout)
{
    struct strvec all = {0}, notes = {0};
    metrics_notes(column, &all);
    for (size_t i = 0; i < all.nr; i++)
        strvec_push_once(&notes, all.v[i]);
    if (notes.nr)
        layout_heading(layout, "Notes");
    for (size_t i = 0; i < notes.nr; i++)
        metrics_add_marked(layout, "-", notes.v[i]);
    strvec_release(&all);
    strvec_release(&notes);
}

enum {
    NAME_MIN = 20,
    VALUE_COLUMNS = 8,
    UNIT_COLUMNS = 12,
    UNIT_LONG = 24, /* where no bar follows */
    INTERVAL_COLUMNS = 17,
    WHOLE_COLUMNS = 8,
    BAR_MIN = 6,
    BAR_MAX = 20,
    MISSING_SHOWN = 6,
    REASONS_SHOWN = 4
};

/* As core/metrics says why something is not known. */
static const char no_event[] = "is not among the counts", by_zero[] = "division by 0";

struct tree {
    const struct metrics_report *report;
    const struct metrics_column *column;
    struct layout *layout;
    size_t model;
    int name;       /* columns of the names */
    int unit;       /* and of the units */
    int interval;   /* and of the intervals; 0 = there are none */
    int bar;        /* and of the bars; 0 = none */
    bool has_whole; /* some of it is a share of its parent */
};

static const char *colour_of(const struct tree *tree, const struct metric_value *value)
{
    return !tree->layout->colour ? "" : value->dominant ? "\033[1;31m" : "";
}

static const char *plain(const struct tree *tree, const struct metric_value *value)
{
    return tree->layout->colour && value->dominant ? "\033[0m" : "";
}

/* ---- the parts of a row ---- */

static void add_interval_text(const struct tree *tree, const struct metric *metric,
                              struct quantity value)
{
    struct buf text = {0};
    metrics_add_interval(&text, metric, value);
    buf_addf(tree->layout->out, " %-*s", tree->interval, buf_str(&text));
    buf_release(&text);
}

static void add_bar(const struct tree *tree, struct quantity share)
{
    if (!share.known || !tree->bar)
        return;
    size_t full = (size_t)(fmin(fmax(share.value, 0), 1) * tree->bar + 0.5);
    buf_add_repeat(tree->layout->out, '#', full);
    buf_add_repeat(tree->layout->out, '.', (size_t)tree->bar - full);
}

/* What is to be minded about the value. */
static bool is_flagged(const struct metric_value *value)
{
    return value->out_of_range ||
           (value->value.known && value->share > 0 && value->share < METRIC_SHARE_MIN);
}

static void add_flags(struct buf *out, const struct metric *metric,
                      const struct metric_value *value)
{
    if (value->out_of_range)
        buf_add(out, " ! out of range");
    else if (is_flagged(value))
        buf_addf(out, " ! in %.0f %% of time", 100 * value->share);
    if (metric->estimated && value->value.known)
        buf_add(out, " (estimated)");
}

static void add_whole(const struct tree *tree, const struct metric_value *value)
{
    struct buf text = {0};
    if (value->whole.known)
        buf_add_tenths(&text, value->whole.value);
    buf_add(&text, " %");
    buf_addf(tree->layout->out, "%*s ", WHOLE_COLUMNS, buf_str(&text));
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
    buf_addf(tree->layout->out, "%s%s %*s%-*s%*s ", colour_of(tree, value),
             value->dominant ? value->tied ? "~" : ">" : " ", indent, "",
             tree->name - indent, metric->name, VALUE_COLUMNS, buf_str(&number));
    buf_addf(tree->layout->out, "%s%-*s", plain(tree, value), tree->unit,
             value->value.known ? buf_str(&unit) : "");
    buf_release(&number);
    buf_release(&unit);
}

static void trim(struct buf *out)
{
    while (out->length && out->data[out->length - 1] == ' ')
        buf_truncate(out, out->length - 1);
}

static void show_row(const struct tree *tree, size_t i)
{
    const struct metric *metric = &tree->column->set->metric[i];
    const struct metric_value *value = &tree->column->result.value[i];
    struct buf *out = tree->layout->out;
    add_start(tree, i);
    if (value->value.known) {
        add_interval_text(tree, metric, value->value);
        if (tree->has_whole)
            add_whole(tree, value);
        if (metrics_is_share(metric) && metric->of && !is_flagged(value))
            add_bar(tree, tree->has_whole ? value->whole : value->value);
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

/* With whom those that are tied are. */
static void show_way(struct tree *tree)
{
    const struct metric_set *set = tree->column->set;
    const struct metric_value *value = tree->column->result.value;
    struct buf way = {0}, ties = {0};
    const char *about = metrics_add_way(&way, tree->column, tree->model, " > ");
    for (size_t i = 0; i < set->metric_nr; i++)
        for (size_t k = 0; set->metric[i].model == (int)tree->model && value[i].tied &&
                           k < set->metric_nr;
             k++)
            if (is_sibling(set, i, k) && value[k].value.known &&
                value[k].value.high >= value[i].value.low)
                buf_addf(&ties, " '%s' may be as large as '%s' within their intervals.",
                         set->metric[k].name, set->metric[i].name);
    if (way.length)
        layout_paragraph(tree->layout, "Largest loss: %s.%s%s%s", buf_str(&way),
                         about ? " " : "", about ? about : "", buf_str(&ties));
    buf_release(&way);
    buf_release(&ties);
}

/* ---- what is not known ---- */

static bool has_children(const struct metric_set *set, size_t parent)
{
    for (size_t i = parent + 1; i < set->metric_nr; i++)
        if (set->metric[i].parent == (int)parent)
            return true;
    return false;
}

static bool is_known_below(const struct tree *tree, size_t parent)
{
    const struct metric_set *set = tree->column->set;
    for (size_t i = parent + 1; i < set->metric_nr; i++)
        if (set->metric[i].parent == (int)parent &&
            (tree->column->result.value[i].value.known || is_known_below(tree, i)))
            return true;
    return false;
}

/* Of what is not known, a place in a tree is shown, but nothing below it that is as
 * unknown. */
static bool has_row(const struct tree *tree, size_t i)
{
    const struct metric_set *set = tree->column->set;
    const struct metric_value *value = tree->column->result.value;
    int parent = set->metric[i].parent;
    if (set->metric[i].model != (int)tree->model)
        return false;
    if (value[i].value.known || is_known_below(tree, i))
        return true;
    return parent == METRIC_NONE ? has_children(set, i) : value[parent].value.known;
}

/* Metrics of the model of which `part` says why they are not known, and whether there are
 * too many different reasons to read. */
static bool gather(const struct tree *tree, const char *part, struct strvec *names)
{
    const struct metric_set *set = tree->column->set;
    struct strvec reasons = {0};
    for (size_t i = 0; i < set->metric_nr; i++) {
        const char *why = tree->column->result.value[i].why;
        if (set->metric[i].model != (int)tree->model || !why || !strstr(why, part))
            continue;
        strvec_push_once(&reasons, why);
        strvec_push(names, set->metric[i].name);
    }
    bool many = reasons.nr > REASONS_SHOWN && !tree->report->settings->evidence;
    strvec_release(&reasons);
    return many;
}

/* The events of the model that were not counted. */
static char *lacking_events(const struct tree *tree)
{
    struct strvec missing = {0}, words = {0};
    metrics_missing(tree->column, tree->model, &missing);
    for (size_t i = 0; i < missing.nr; i++)
        strvec_push(&words, metric_event_word(tree->column->set, missing.v[i]));
    char *all = strvec_join(&words, ", ");
    strvec_release(&missing);
    strvec_release(&words);
    return all;
}

/* The names, and the events that would be needed. */
static bool show_lacking(const struct tree *tree)
{
    struct strvec names = {0};
    bool many = gather(tree, no_event, &names) && !tree->report->settings->model;
    if (many) {
        char *all = strvec_join(&names, ", "), *events = lacking_events(tree);
        char *line = xasprintf("%s: not among the counts are %s; --model %s says which "
                               "lacks which",
                               all, events, tree->column->set->model[tree->model].name);
        metrics_add_marked(tree->layout, "?", line);
        free(all);
        free(events);
        free(line);
    }
    strvec_release(&names);
    return many;
}

/* Mostly children of what is 0. */
static bool show_divided(const struct tree *tree)
{
    struct strvec names = {0};
    bool many = gather(tree, by_zero, &names);
    if (many) {
        char *all = strvec_join(&names, ", ");
        char *line = xasprintf("%s: division by 0, --evidence has the formulas", all);
        metrics_add_marked(tree->layout, "?", line);
        free(all);
        free(line);
    }
    strvec_release(&names);
    return many;
}

/* "L1_full, L2_full: why", a reason once. */
static void show_unknown(const struct tree *tree, bool absent)
{
    const struct metric_set *set = tree->column->set;
    const struct metric_value *value = tree->column->result.value;
    struct strvec reported = {0};
    bool lacking = !absent && show_lacking(tree), divided = !absent && show_divided(tree);
    for (size_t i = 0; i < set->metric_nr; i++) {
        struct buf names = {0};
        if (set->metric[i].model != (int)tree->model || value[i].value.known ||
            value[i].absent != absent || !value[i].why ||
            strvec_has(&reported, value[i].why) ||
            (lacking && strstr(value[i].why, no_event)) ||
            (divided && strstr(value[i].why, by_zero)))
            continue;
        for (size_t k = i; k < set->metric_nr; k++)
            if (set->metric[k].model == (int)tree->model && value[k].absent == absent &&
                value[k].why && !strcmp(value[k].why, value[i].why))
                buf_addf(&names, "%s%s", names.length ? ", " : "", set->metric[k].name);
        strvec_push(&reported, value[i].why);
        buf_add(&names, ": ");
        metrics_add_why(&names, value[i].why);
        metrics_add_marked(tree->layout, absent ? "NA" : "?", buf_str(&names));
        buf_release(&names);
    }
    strvec_release(&reported);
}

/* ---- a tree ---- */

/* Columns that suit its names, and what is left for bars. */
static void lay_out(struct tree *tree)
{
    const struct metric_set *set = tree->column->set;
    bool shares = false;
    tree->has_whole = false;
    tree->interval = 0;
    tree->name = NAME_MIN;
    for (size_t i = 0; i < set->metric_nr; i++) {
        const struct metric *metric = &set->metric[i];
        if (!has_row(tree, i))
            continue;
        int length = (int)strlen(metric->name) + 2 * metrics_depth(set, (int)i);
        tree->name = length > tree->name ? length : tree->name;
        struct buf interval = {0};
        metrics_add_interval(&interval, metric, tree->column->result.value[i].value);
        tree->interval = interval.length ? INTERVAL_COLUMNS : tree->interval;
        buf_release(&interval);
        tree->has_whole |= metrics_is_of_parent(metric);
        shares |= metric->of && metric->parent != METRIC_NONE;
    }
    tree->unit = shares ? UNIT_COLUMNS : UNIT_LONG;
    tree->bar = (int)tree->layout->width - 5 - tree->name - VALUE_COLUMNS - tree->unit -
                tree->interval - (tree->has_whole ? WHOLE_COLUMNS + 1 : 0);
    tree->bar = tree->bar < BAR_MIN ? 0 : tree->bar > BAR_MAX ? BAR_MAX : tree->bar;
}

static void show_model(struct tree *tree)
{
    const struct metric_set *set = tree->column->set;
    const char *group = NULL;
    lay_out(tree);
    layout_heading(tree->layout, set->model[tree->model].title);
    if (tree->has_whole)
        buf_addf(tree->layout->out, "%*sof all\n",
                 2 + tree->name + VALUE_COLUMNS + 1 + tree->unit + 1 + tree->interval +
                     WHOLE_COLUMNS - 6,
                 "");
    for (size_t i = 0; i < set->metric_nr; i++) {
        const struct metric *metric = &set->metric[i];
        if (!has_row(tree, i))
            continue;
        if (metric->group && (!group || strcmp(group, metric->group) != 0))
            buf_addf(tree->layout->out, "  %s\n", metric->group);
        group = metric->group;
        show_row(tree, i);
    }
    show_way(tree);
    show_unknown(tree, true);
    show_unknown(tree, false);
}

/* ---- what is beside the trees ---- */

static void show_little(const struct tree *tree)
{
    const struct metrics_column *column = tree->column;
    const char *name = "L1_in_flight_all";
    if (!metrics_value(column, name).known)
        name = "L1_in_flight";
    struct quantity counted = metrics_value(column, name);
    int at = metric_find(column->set, name);
    bool estimated = at != METRIC_NONE && column->set->metric[at].estimated;
    if (!column->little.known && !counted.known)
        return;
    char *why = column->little.known ? xstrdup("from bandwidth and loaded latency")
                                     : xasprintf("(%s)", column->little_why);
    layout_heading(tree->layout,
                   "Lines in flight, by Little's law beside the counted ones");
    layout_quantity(tree->layout, "by Little's law", column->little, 1, "lines per core",
                    why);
    free(why);
    if (column->latency_ns.known)
        layout_quantity(tree->layout, "loaded latency", column->latency_ns, 1, "ns",
                        column->machine.name);
    layout_quantity(tree->layout, "counted", counted, 1, "lines",
                    !counted.known ? "(not known from these counts)"
                    : estimated    ? "misses of L1 under way (estimated)"
                                   : "misses of L1 under way");
}

/* A reason that is no lack of events, with its metric; NULL = there is none. */
static char *other_reason(const struct tree *tree, size_t model)
{
    const struct metric_set *set = tree->column->set;
    for (size_t i = 0; i < set->metric_nr; i++) {
        const char *why = tree->column->result.value[i].why;
        if (set->metric[i].model == (int)model && why && !strstr(why, no_event))
            return xasprintf("%s: %s", set->metric[i].name, why);
    }
    return NULL;
}

static void add_missing(const struct tree *tree, size_t model, struct buf *line)
{
    struct strvec missing = {0};
    char *why = other_reason(tree, model);
    metrics_missing(tree->column, model, &missing);
    for (size_t i = 0; !why && i < missing.nr && i < MISSING_SHOWN; i++)
        buf_addf(line, "%s%s", i ? ", " : "none of it without ",
                 metric_event_word(tree->column->set, missing.v[i]));
    if (!why && missing.nr > MISSING_SHOWN)
        buf_addf(line, " and %zu more event%s", missing.nr - MISSING_SHOWN,
                 missing.nr - MISSING_SHOWN == 1 ? "" : "s");
    if (why)
        buf_add(line, why);
    free(why);
    strvec_release(&missing);
}

/* "title: none of it without A, B and 3 more events". */
static void show_not_computed(struct tree *tree)
{
    const struct metric_set *set = tree->column->set;
    bool begun = false;
    for (size_t m = 0; !tree->report->settings->model && m < set->model_nr; m++) {
        struct buf line = {0};
        if (metrics_shows(tree->report, tree->column, m))
            continue;
        buf_addf(&line, "%s: ", set->model[m].title);
        add_missing(tree, m, &line);
        if (!begun)
            layout_heading(tree->layout, "Not computed from these counts");
        begun = true;
        layout_paragraph(tree->layout, "%s", buf_str(&line));
        buf_release(&line);
    }
}

static void tree_text(const struct metrics_report *report,
                      const struct metrics_column *column, struct layout *layout)
{
    struct tree tree = {.report = report, .column = column, .layout = layout};
    bool occupancy = !report->settings->model;
    for (tree.model = 0; tree.model < tree.column->set->model_nr; tree.model++) {
        if (!metrics_shows(report, tree.column, tree.model))
            continue;
        occupancy |= !strcmp(tree.column->set->model[tree.model].name, "occupancy");
        show_model(&tree);
    }
    if (occupancy)
        show_little(&tree);
    show_not_computed(&tree);
}

static void show_formula(const struct metrics_column *column, size_t i,
                         struct layout *layout)
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
    buf_add(layout->out, "  ");
    buf_add_wrapped(layout->out, buf_str(&line), 6, layout->width);
    buf_add(layout->out, "\n");
    metrics_add_about(layout, metric, 6);
    buf_release(&line);
}

static void show_formulas(const struct metrics_report *report,
                          const struct metrics_column *column, struct layout *layout)
{
    const struct metric_set *set = column->set;
    layout_heading(layout, "Formulas");
    for (size_t i = 0; i < set->metric_nr; i++)
        if (set->metric[i].model == METRIC_NONE ||
            metrics_shows(report, column, (size_t)set->metric[i].model))
            show_formula(column, i, layout);
    for (size_t i = 0; i < set->constant_nr; i++)
        layout_paragraph(layout, "%s = %.10g %s (%s)", set->constant[i].name,
                         set->constant[i].value,
                         set->constant[i].unit ? set->constant[i].unit : "",
                         set->constant[i].source ? set->constant[i].source : "no source");
    for (size_t i = 0; i < column->given_nr; i++)
        layout_paragraph(layout, "%s = %.10g (%s)", column->given[i].name,
                         column->given[i].value.value,
                         provenance_word(column->given[i].value.provenance));
}

static void show_count(const struct metrics_column *column,
                       const struct event_count *count, struct layout *layout)
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
    buf_add(layout->out, "  ");
    buf_add_wrapped(layout->out, buf_str(&line), 6, layout->width);
    buf_add(layout->out, "\n");
    buf_release(&line);
}

static void evidence_text(const struct metrics_report *report,
                          const struct metrics_column *column, struct layout *layout)
{
    show_formulas(report, column, layout);
    layout_heading(layout, "Counts");
    for (size_t i = 0; i < column->counts.count_nr; i++)
        show_count(column, &column->counts.count[i], layout);
    if (column->result.identity_nr)
        layout_paragraph(layout, "%zu of %zu identities between metrics hold",
                         column->result.identity_nr - column->result.identity_broken_nr,
                         column->result.identity_nr);
    layout_heading(layout, "Where the definitions come from");
    for (size_t i = 0; i < column->set->source.nr; i++)
        layout_paragraph(layout, "%s", column->set->source.v[i]);
}

/* ---- all of it ---- */

void metrics_text(const struct metrics_report *report, struct layout *layout)
{
    for (size_t i = 0; i < report->nr; i++) {
        const struct metrics_column *column = &report->column[i];
        if (i)
            buf_add(layout->out, "\n");
        show_head(report, column, layout);
        tree_text(report, column, layout);
        metrics_roof_text(report, column, layout);
        show_notes(column, layout);
        if (report->settings->evidence)
            evidence_text(report, column, layout);
    }
}
