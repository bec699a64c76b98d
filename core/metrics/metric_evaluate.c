/* Counts in, metrics out: every value, or why there is none, and what to mind of it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/metrics/metric_parts.h"
#include "core/traffic/traffic.h"

struct evaluation {
    const struct metric_question *question;
    struct traffic_memory memory; /* by the formulas of the bandwidth */
    char *why_no_bytes;
    struct strvec negative; /* counts that are below 0, each once */
};

/* ---- what a name is worth ---- */

/* The first that is known, where tools' names make one event stand there twice. */
static const struct event_count *count_of(const struct metric_question *question,
                                          const char *name)
{
    const struct metric_event *event = metric_event_named(question->set, name);
    const struct event_count *unknown = NULL;

    for (size_t i = 0; event && i < question->counts->count_nr; i++) {
        const struct event_count *count = &question->counts->count[i];

        if (!metric_event_is(question->set, event, count->event))
            continue;
        if (count->value.known)
            return count;
        unknown = unknown ? unknown : count;
    }
    return unknown;
}

static struct quantity given_of(const struct evaluation *evaluation, const char *name)
{
    const struct metric_question *question = evaluation->question;

    for (size_t i = 0; i < question->given_nr; i++)
        if (!strcmp(question->given[i].name, name) && question->given[i].value.known)
            return question->given[i].value;
    if (!strcmp(name, "seconds"))
        return question->counts->seconds;
    if (!strcmp(name, "calls") && question->counts->calls > 0)
        return quantity_exact(question->counts->calls, PROVENANCE_RECORDED);
    if (!strcmp(name, "memory_read_bytes"))
        return evaluation->memory.read;
    if (!strcmp(name, "memory_write_bytes"))
        return evaluation->memory.write;
    if (!strcmp(name, "memory_bytes"))
        return evaluation->memory.both;
    return quantity_unknown();
}

static struct quantity value_of_name(void *data, const char *name)
{
    struct evaluation *evaluation = data;
    const struct event_count *count;

    if (metric_is_given(name))
        return given_of(evaluation, name);
    count = count_of(evaluation->question, name);
    if (!count || !count->value.known)
        return quantity_unknown();
    if (count->value.value >= 0)
        return count->value;
    strvec_push_once(&evaluation->negative, count->event);
    return quantity_unknown();
}

static struct quantity value_of_formula(struct evaluation *evaluation,
                                        const struct formula *formula)
{
    return formula_value(formula, value_of_name, evaluation, NULL, NULL);
}

/* ---- why not ---- */

static const struct metric_absent *absent_of(const struct metric_set *set,
                                             const struct metric *metric)
{
    const struct strvec *names = formula_names(metric->flat);

    for (size_t i = 0; i < names->nr; i++) {
        const struct metric_absent *absent = metric_absent_find(set, names->v[i]);
        if (absent)
            return absent;
    }
    return NULL;
}

static void say_name(const struct evaluation *evaluation, const char *name,
                     struct buf *out)
{
    const struct metric_question *question = evaluation->question;
    const struct event_count *count = count_of(question, name);
    const char *word = metric_event_word(question->set, name);

    if (count && count->value.known)
        buf_addf(out, "'%s' is negative (%.10g): a counter that wrapped or was reset",
                 word, count->value.value);
    else if (count)
        buf_addf(out, "'%s' was not counted%s%s", word, count->why ? ": " : "",
                 count->why ? count->why : "");
    else if (metric_is_of_memory(name) && evaluation->why_no_bytes)
        buf_addf(out, "bytes through memory: %s", evaluation->why_no_bytes);
    else if (metric_is_given(name))
        buf_addf(out, "'%s' is not given", name);
    else
        buf_addf(out, "'%s' is not among the counts", word);
}

static char *say_missing(const struct evaluation *evaluation,
                         const struct strvec *missing, const struct error *error)
{
    struct buf out = {0};
    bool bytes = false; /* said already */

    for (size_t i = 0; i < missing->nr; i++) {
        bool of_bytes = evaluation->why_no_bytes && metric_is_of_memory(missing->v[i]);

        if (of_bytes && bytes)
            continue;
        bytes |= of_bytes;
        buf_add(&out, i ? "; " : "");
        say_name(evaluation, missing->v[i], &out);
    }
    if (!missing->nr)
        buf_add(&out, error->text);
    return buf_detach(&out);
}

/* ---- one metric ---- */

/* Of the counted events that it rests on, the least share of the time. */
static double min_share(const struct evaluation *evaluation, const struct metric *metric)
{
    const struct strvec *names = formula_names(metric->flat);
    double min = 0;

    for (size_t i = 0; i < names->nr; i++) {
        const struct event_count *count = count_of(evaluation->question, names->v[i]);

        if (count && count->share > 0 && (min <= 0 || count->share < min))
            min = count->share;
    }
    return min;
}

static void evaluate_one(struct evaluation *evaluation, size_t at,
                         struct metric_result *result)
{
    const struct metric_set *set = evaluation->question->set;
    const struct metric *metric = &set->metric[at];
    const struct metric_absent *absent = absent_of(set, metric);
    struct metric_value *value = &result->value[at];
    struct strvec missing = {0};
    struct error error = {0};

    value->value = value->whole = quantity_unknown();
    if (absent) {
        value->absent = true;
        value->why = xstrdup(absent->why);
        return;
    }
    value->value =
        formula_value(metric->flat, value_of_name, evaluation, &missing, &error);
    if (!value->value.known)
        value->why = say_missing(evaluation, &missing, &error);
    strvec_release(&missing);
    value->share = min_share(evaluation, metric);
}

/* ---- what is beside the metrics ---- */

static bool needs_bytes(const struct metric_set *set)
{
    for (size_t i = 0; i < set->metric_nr; i++)
        if (metric_asks_for_memory(&set->metric[i]))
            return true;
    return false;
}

/* And why, where not all of them are known. */
static void find_bytes(struct evaluation *evaluation)
{
    const struct count_set *counts = evaluation->question->counts;
    struct traffic_memory *memory = &evaluation->memory;
    struct error error = {0};

    memory->read = memory->write = memory->both = quantity_unknown();
    if (!needs_bytes(evaluation->question->set))
        return;
    if (traffic_memory_from_counts(counts->cpu, counts, memory, &error))
        evaluation->why_no_bytes = xstrdup(error.text);
    else if (!memory->both.known)
        evaluation->why_no_bytes = xstrdup("what is written is not counted");
    else if (!memory->read.known)
        evaluation->why_no_bytes = xstrdup("reads and writes are counted as one");
}

/* One note for an event that counted too little, whatever rests on it. */
static void note_samples(const struct evaluation *evaluation,
                         struct metric_result *result)
{
    const struct metric_set *set = evaluation->question->set;

    for (size_t i = 0; i < set->event_nr; i++) {
        const struct event_count *count =
            count_of(evaluation->question, set->event[i].name);
        struct buf names = {0};

        for (size_t k = 0; count && count->share > 0 && count->share < METRIC_SHARE_MIN &&
                           k < set->metric_nr;
             k++)
            if (set->metric[k].model != METRIC_NONE && result->value[k].value.known &&
                strvec_has(formula_names(set->metric[k].flat), set->event[i].name))
                buf_addf(&names, "%s'%s'", names.length ? ", " : "", set->metric[k].name);
        if (names.length)
            strvec_pushf(&result->note,
                         "%s: '%s' counted only %.0f %% of the time: what rests on it "
                         "is a sample, not to be trusted: %s",
                         set->path, count->event, 100 * count->share, buf_str(&names));
        buf_release(&names);
    }
}

/* ---- what the values are within their trees: ranges, sums, the way to the largest
 * loss ---- */

struct judge {
    const struct metric_set *set;
    struct evaluation *evaluation;
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
    rest = value_of_formula(judge->evaluation, formula);
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

static void judge_tree(const struct judge *judge)
{
    for (size_t i = 0; i < judge->set->metric_nr; i++) {
        judge_range(judge, i);
        find_whole(judge, i); /* parents stand before their children */
    }
    judge_sums(judge);
    for (size_t i = 0; i < judge->set->model_nr; i++)
        if (judge->set->model[i].losses)
            mark_path(judge, (int)i);
}

/* ---- what must hold between them ---- */

static void judge_identity(const struct judge *judge,
                           const struct metric_identity *identity)
{
    struct quantity left = value_of_formula(judge->evaluation, identity->left.flat);
    struct quantity right = value_of_formula(judge->evaluation, identity->right.flat);
    struct quantity gap = value_of_formula(judge->evaluation, identity->gap.flat);
    double off;

    if (!left.known || !right.known || !gap.known)
        return;
    judge->result->identity_nr++;
    off = rounding * fmax(fabs(left.value), fabs(right.value));
    if (gap.low <= off && gap.high >= -off)
        return;
    judge->result->identity_broken_nr++;
    strvec_pushf(&judge->result->note,
                 "%s: '%s' is %.6g, '%s' is %.6g, and they must be the same: %s",
                 judge->set->path, identity->left.text, left.value, identity->right.text,
                 right.value, identity->about);
}

static void add_metric(void *data, const char *name, struct buf *out)
{
    const struct judge *judge = data;
    int at = metric_find(judge->set, name);

    sentence_add_value(judge->result->value[at].value, judge->set->metric[at].unit, out);
}

/* Only what is certain is said. */
static void judge_warning(const struct judge *judge, const struct metric_warning *warning)
{
    struct condition_truth all = {.holds = true};
    struct buf why = {0};

    for (size_t i = 0; i < warning->when_nr; i++) {
        const struct metric_condition *condition = &warning->when[i];
        struct quantity value =
            value_of_formula(judge->evaluation, condition->formula.flat);

        all = truth_both(all, condition_of_number(&condition->is, value));
        buf_addf(&why, "%s%s is %.4g (", i ? " and " : "", condition->formula.text,
                 value.value);
        condition_add_text(&condition->is, "", &why);
        buf_add(&why, ")");
    }
    if (all.holds && !all.straddles) {
        char *sentence = sentence_fill(warning->sentence, add_metric, (void *)judge);

        strvec_pushf(&judge->result->note, "%s: %s: %s", judge->set->path, buf_str(&why),
                     sentence);
        free(sentence);
    }
    buf_release(&why);
}

/* ---- all of it ---- */

void metric_evaluate(const struct metric_question *question, struct metric_result *result)
{
    struct evaluation evaluation = {.question = question};
    const struct metric_set *set = question->set;
    const struct judge judge = {set, &evaluation, result};

    *result = (struct metric_result){.value_nr = set->metric_nr};
    result->value = xcalloc(set->metric_nr + 1, sizeof(*result->value));
    find_bytes(&evaluation);
    for (size_t i = 0; i < set->metric_nr; i++)
        evaluate_one(&evaluation, i, result);
    note_samples(&evaluation, result);
    judge_tree(&judge);
    for (size_t i = 0; i < set->identity_nr; i++)
        judge_identity(&judge, &set->identity[i]);
    for (size_t i = 0; i < set->warning_nr; i++)
        judge_warning(&judge, &set->warning[i]);
    for (size_t i = 0; i < evaluation.negative.nr; i++)
        strvec_pushf(&result->note,
                     "%s: '%s' is negative: a counter that wrapped or was reset; what "
                     "rests on it is left out",
                     set->path, evaluation.negative.v[i]);
    strvec_release(&evaluation.negative);
    free(evaluation.why_no_bytes);
}

void metric_result_release(struct metric_result *result)
{
    for (size_t i = 0; i < result->value_nr; i++)
        free(result->value[i].why);
    free(result->value);
    free(result->breach);
    strvec_release(&result->note);
    *result = (struct metric_result){0};
}
