/* Conditions against facts, and the verdicts that follow. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base.h"
#include "core/base/text.h"
#include "rules/rule_set.h"

static struct condition_truth truth_of(const struct rule_condition *condition,
                                       const struct fact *fact)
{
    return condition->metric->words ? condition_of_word(&condition->is, fact->word)
                                    : condition_of_number(&condition->is, fact->number);
}

/* All conditions together: `straddles` when other values of the intervals would turn the
 * rule over. */
static struct condition_truth rule_truth(const struct rule *rule,
                                         const struct rule_facts *facts)
{
    struct condition_truth all = {.holds = true};

    for (size_t i = 0; i < rule->when_nr; i++)
        all = truth_both(all,
                         truth_of(&rule->when[i], fact_of(facts, rule->when[i].metric)));
    return all;
}

static void add_fact(void *facts, const char *name, struct buf *out)
{
    const struct rule_metric *metric = rule_metric_find(name);

    fact_print(metric, fact_of(facts, metric), out);
}

/* What is left for certain, and at a guess; both NaN = not known. */
struct min {
    double value, guess;
};

static struct min min_of(const struct rule_work *work, const struct rule_facts *facts)
{
    const struct fact *fact;

    if (!work->min_metric)
        return (struct min){work->min, work->min};
    fact = fact_of(facts, rule_metric_find(work->min_metric));
    return fact->number.known ? (struct min){fact->number.low, fact->number.value}
                              : (struct min){NAN, NAN};
}

static void settle_work(struct rule_work *work, const struct rule_facts *facts)
{
    struct min min = min_of(work, facts);

    if (work->metric) {
        const struct fact *fact = fact_of(facts, rule_metric_find(work->metric));

        work->factor = fact->number.known ? fact->number.value
                       : isnan(min.guess) ? -1
                                          : min.guess;
        if (min.value < 0)
            min.value = min.guess = fact->number.known ? fact->number.low : 0;
    }
    work->min = isnan(min.value) ? 0 : min.value;
    if (work->factor >= 0)
        work->factor = fmax(work->factor, isnan(min.guess) ? 0 : min.guess);
    work->min = fmin(work->min, fmax(work->factor, 0));
}

static bool speaks_of(const struct rule *rule, const char *resource)
{
    for (size_t i = 0; i < rule->work_nr; i++)
        if (strcmp(rule->work[i].resource, resource) == 0)
            return true;
    return false;
}

static const struct rule_rest *rest_of(const struct rule_set *set,
                                       const char *transformation)
{
    static const struct rule_rest none;

    for (size_t i = 0; i < set->rest_nr; i++)
        if (strcmp(set->rest[i].transformation, transformation) == 0)
            return &set->rest[i];
    return &none;
}

/* What the rule says, and of what it does not speak of, what is said of its
 * transformation. */
static struct rule_work *fill_work(const struct rule_set *set, const struct rule *rule,
                                   const char *transformation,
                                   const struct rule_facts *facts, size_t *nr)
{
    const struct rule_rest *rest = rest_of(set, transformation);
    struct rule_work *work = xcalloc(rule->work_nr + rest->work_nr + 1, sizeof(*work));

    *nr = 0;
    for (size_t i = 0; i < rule->work_nr; i++)
        work[(*nr)++] = rule->work[i];
    for (size_t i = 0; i < rest->work_nr; i++)
        if (!speaks_of(rule, rest->work[i].resource))
            work[(*nr)++] = rest->work[i];
    for (size_t i = 0; i < *nr; i++)
        settle_work(&work[i], facts);
    return work;
}

/* An earlier rule of another verdict on the same would hold for other values of the
 * intervals. */
static bool is_contested(const struct rule_set *set, const struct rule *rule,
                         uint64_t about, const struct rule_facts *facts)
{
    for (const struct rule *other = set->rule; other < rule; other++) {
        struct condition_truth truth = {0};

        if ((other->about & about) && other->verdict != rule->verdict)
            truth = rule_truth(other, facts);
        if (truth.straddles && !truth.holds)
            return true;
    }
    return false;
}

static bool asks_for_cause(const struct rule *rule)
{
    bool asks = false;

    for (size_t i = 0; i < rule->when_nr; i++)
        asks = asks || text_begins(rule->when[i].metric->name, "cause");
    return asks;
}

static void add_verdict(const struct rule_set *set, const struct rule *rule, size_t of,
                        const struct rule_facts *facts, bool straddles,
                        struct rule_verdicts *out)
{
    size_t work_nr, nr;
    const char *transformation = rule_transformations(&nr)[of].name;
    struct rule_work *work = fill_work(set, rule, transformation, facts, &work_nr);

    GROW(out->item, out->nr + 1, out->alloc);
    out->item[out->nr++] = (struct rule_verdict){
        .rule = rule->id,
        .transformation = transformation,
        .verdict = rule->verdict,
        .weight = rule->weight,
        .realized =
            rule->realized >= 0 ? rule->realized : rule_set_realized(set, transformation),
        .reason = sentence_fill(rule->sentence, add_fact, (void *)facts),
        .source = rule->source,
        .work = work,
        .work_nr = work_nr,
        .of_cause = asks_for_cause(rule),
        .undecided = straddles || is_contested(set, rule, UINT64_C(1) << of, facts),
    };
}

int rule_set_judge(const struct rule_set *set, const struct rule_facts *facts,
                   struct rule_verdicts *out, struct error *err)
{
    size_t nr;

    (void)err; /* nothing can fail yet; callers need not change when something can */
    (void)rule_transformations(&nr);
    for (size_t i = 0; i < set->rule_nr; i++) {
        struct condition_truth truth = rule_truth(&set->rule[i], facts);

        for (size_t of = 0; truth.holds && of < nr; of++)
            if (set->rule[i].about & UINT64_C(1) << of)
                add_verdict(set, &set->rule[i], of, facts, truth.straddles, out);
    }
    return 0;
}

const struct rule_verdict *rule_verdicts_deciding(const struct rule_verdicts *verdicts,
                                                  const char *transformation)
{
    for (size_t i = 0; i < verdicts->nr; i++)
        if (strcmp(verdicts->item[i].transformation, transformation) == 0)
            return &verdicts->item[i];
    return NULL;
}

void rule_verdicts_release(struct rule_verdicts *verdicts)
{
    for (size_t i = 0; i < verdicts->nr; i++) {
        free(verdicts->item[i].reason);
        free(verdicts->item[i].work);
    }
    free(verdicts->item);
    *verdicts = (struct rule_verdicts){0};
}
