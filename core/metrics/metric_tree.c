/* What the values are within their trees: ranges, sums, the way to the largest loss. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/metrics/metric_parts.h"

struct judge {
    const struct metric_set *set;
    struct quantity (*value_of)(void *data, const struct formula *formula);
    void *data;
    struct metric_result *result;
};

/* What binary fractions cannot hold, of numbers around 1. */
static const double rounding = 1e-9;

static double off(double end)
{
    return rounding * fmax(1, fabs(end));
}

static void judge_range(const struct judge *judge, size_t at)
{
    const struct metric *metric = &judge->set->metric[at];
    struct metric_value *value = &judge->result->value[at];
    const struct quantity got = value->value;
    bool below, above;

    if (!got.known)
        return;
    below = got.high < metric->low - (isfinite(metric->low) ? off(metric->low) : 0);
    above = got.low > metric->high + (isfinite(metric->high) ? off(metric->high) : 0);
    value->out_of_range = below || above;
    if (value->out_of_range)
        strvec_pushf(&judge->result->note,
                     "%s: '%s' is %.4g, and cannot be %s %g: the counts do not fit "
                     "together, or the formula does not fit this CPU (%s)",
                     judge->set->path, metric->name, got.value, below ? "below" : "above",
                     below ? metric->low : metric->high, metric->text);
}

/* A share of the parent times what the parent is of the whole. */
static void find_whole(const struct judge *judge, size_t at)
{
    const struct metric *metric = &judge->set->metric[at];
    struct metric_value *value = judge->result->value;

    if (!metric->of || metric->model == METRIC_NONE)
        return;
    value[at].whole =
        strcmp(metric->of, "parent")
            ? value[at].value
            : quantity_multiply(value[at].value, value[metric->parent].whole);
}

/* ---- sums ---- */

static void add_breach(const struct judge *judge, int parent, int model,
                       struct quantity rest)
{
    struct metric_result *result = judge->result;
    const struct metric_set *set = judge->set;

    GROW(result->breach, result->breach_nr + 1, result->breach_alloc);
    result->breach[result->breach_nr++] = (struct metric_sum_breach){parent, model, rest};
    strvec_pushf(&result->note, "%s: what %s%s%s is made of sums to %.4g %s than %s",
                 set->path, parent == METRIC_NONE ? "the model '" : "'",
                 parent == METRIC_NONE ? set->model[model].name
                                       : set->metric[parent].name,
                 "'", fabs(rest.value), rest.value < 0 ? "less" : "more",
                 parent == METRIC_NONE ? "1" : "it should");
}

static void judge_sum(const struct judge *judge, const struct formula *formula,
                      enum metric_sum kind, int parent, int model)
{
    double scale = 1;
    struct quantity rest;

    if (!formula)
        return;
    rest = judge->value_of(judge->data, formula);
    if (parent != METRIC_NONE && !judge->set->metric[parent].of &&
        judge->result->value[parent].value.known)
        scale = fabs(judge->result->value[parent].value.value);
    if (rest.known &&
        (rest.low > METRIC_SUM_SLACK * scale ||
         (kind == METRIC_SUM_WHOLE && rest.high < -METRIC_SUM_SLACK * scale)))
        add_breach(judge, parent, model, rest);
}

static void judge_sums(const struct judge *judge)
{
    const struct metric_set *set = judge->set;

    for (size_t i = 0; i < set->model_nr; i++)
        judge_sum(judge, set->model[i].rest, set->model[i].roots, METRIC_NONE, (int)i);
    for (size_t i = 0; i < set->metric_nr; i++)
        judge_sum(judge, set->metric[i].rest, set->metric[i].children, (int)i,
                  set->metric[i].model);
}

/* ---- the largest loss ---- */

static bool is_loss(const struct judge *judge, size_t at, int parent, int model)
{
    const struct metric *metric = &judge->set->metric[at];
    const struct quantity whole = judge->result->value[at].whole;

    return metric->parent == parent && metric->model == model && !metric->useful &&
           metric->of && whole.known && whole.value > 0;
}

static int largest(const struct judge *judge, int parent, int model)
{
    int best = METRIC_NONE;

    for (size_t i = 0; i < judge->set->metric_nr; i++)
        if (is_loss(judge, i, parent, model) &&
            (best == METRIC_NONE || judge->result->value[i].whole.value >
                                        judge->result->value[best].whole.value))
            best = (int)i;
    return best;
}

static void mark_path(const struct judge *judge, int model)
{
    struct metric_value *value = judge->result->value;

    for (int at = largest(judge, METRIC_NONE, model), parent = METRIC_NONE;
         at != METRIC_NONE; parent = at, at = largest(judge, at, model)) {
        value[at].dominant = true;
        for (size_t i = 0; i < judge->set->metric_nr; i++)
            if ((int)i != at && is_loss(judge, i, parent, model) &&
                value[i].whole.high >= value[at].whole.low)
                value[at].tied = true;
    }
}

void metric_tree_judge(const struct metric_set *set,
                       struct quantity (*value_of)(void *data,
                                                   const struct formula *formula),
                       void *data, struct metric_result *result)
{
    const struct judge judge = {set, value_of, data, result};

    for (size_t i = 0; i < set->metric_nr; i++) {
        judge_range(&judge, i);
        find_whole(&judge, i); /* parents stand before their children */
    }
    judge_sums(&judge);
    for (size_t i = 0; i < set->model_nr; i++)
        if (set->model[i].losses)
            mark_path(&judge, (int)i);
}
