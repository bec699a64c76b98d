/* Conditions against facts, and the verdicts that follow. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "rules/rule_set.h"

static bool compare(enum condition_op op, double value, double bound)
{
    switch (op) {
    case OP_LESS:
        return value < bound;
    case OP_AT_MOST:
        return value <= bound;
    case OP_MORE:
        return value > bound;
    default:
        return value >= bound;
    }
}

/* `==` is a range of one number. */
static struct truth within(const struct condition *condition,
                           const struct quantity *number)
{
    bool outside = number->high < condition->low || number->low > condition->high;
    bool inside = number->low >= condition->low && number->high <= condition->high;

    return (struct truth){
        .holds = number->value >= condition->low && number->value <= condition->high,
        .straddles = !outside && !inside,
    };
}

static struct truth number_truth(const struct condition *condition,
                                 const struct quantity *number)
{
    struct truth truth;

    if (!number->known)
        return (struct truth){0};
    if (condition->op >= OP_EQUAL) {
        truth = within(condition, number);
        truth.holds ^= condition->op == OP_NOT_EQUAL;
        return truth;
    }
    truth.holds = compare(condition->op, number->value, condition->low);
    truth.straddles = compare(condition->op, number->low, condition->low) !=
                      compare(condition->op, number->high, condition->low);
    return truth;
}

static bool is_listed(const json_t *words, const char *word)
{
    for (size_t i = 0; i < json_array_size(words); i++)
        if (strcmp(json_string_value(json_array_get(words, i)), word) == 0)
            return true;
    return false;
}

static struct truth word_truth(const struct condition *condition, const char *word)
{
    struct truth truth = {0};

    if (!word)
        return truth;
    if (condition->op == OP_IN)
        truth.holds = is_listed(condition->word, word);
    else
        truth.holds = (strcmp(json_string_value(condition->word), word) == 0) ==
                      (condition->op == OP_EQUAL);
    return truth;
}

struct truth condition_truth(const struct condition *condition, const struct fact *fact)
{
    return condition->metric->words ? word_truth(condition, fact->word)
                                    : number_truth(condition, &fact->number);
}

/* All conditions together: `straddles` when other values of the intervals would turn the
 * rule over. */
static struct truth rule_truth(const struct rule *rule, const struct rule_facts *facts)
{
    struct truth all = {.holds = true};

    for (size_t i = 0; i < rule->when_nr; i++) {
        const struct condition *condition = &rule->when[i];
        struct truth one = condition_truth(condition, fact_of(facts, condition->metric));

        if (!one.holds && !one.straddles)
            return (struct truth){0};
        all.holds = all.holds && one.holds;
        all.straddles = all.straddles || one.straddles;
    }
    return all;
}

static char *fill_sentence(const struct rule *rule, const struct rule_facts *facts)
{
    struct buf out = {0};
    const char *text = rule->sentence;
    size_t length = 0;

    for (const char *name = placeholder_next(text, &length); name;
         name = placeholder_next(text, &length)) {
        char *metric = xstrndup(name, length);
        const struct rule_metric *found = rule_metric_find(metric);

        buf_add_n(&out, text, (size_t)(name - 1 - text));
        fact_print(found, fact_of(facts, found), &out);
        free(metric);
        text = name + length + 1;
    }
    buf_add(&out, text);
    return buf_detach(&out);
}

/* What is left for certain, and at a guess; both NaN = not known. */
struct least {
    double value, guess;
};

static struct least least_of(const struct rule_work *work, const struct rule_facts *facts)
{
    const struct fact *fact;

    if (!work->least_metric)
        return (struct least){work->least, work->least};
    fact = fact_of(facts, rule_metric_find(work->least_metric));
    return fact->number.known ? (struct least){fact->number.low, fact->number.value}
                              : (struct least){NAN, NAN};
}

static void settle_work(struct rule_work *work, const struct rule_facts *facts)
{
    struct least least = least_of(work, facts);

    if (work->metric) {
        const struct fact *fact = fact_of(facts, rule_metric_find(work->metric));

        work->factor = fact->number.known   ? fact->number.value
                       : isnan(least.guess) ? -1
                                            : least.guess;
        if (least.value < 0)
            least.value = least.guess = fact->number.known ? fact->number.low : 0;
    }
    work->least = isnan(least.value) ? 0 : least.value;
    if (work->factor >= 0)
        work->factor = fmax(work->factor, isnan(least.guess) ? 0 : least.guess);
    work->least = fmin(work->least, fmax(work->factor, 0));
}

static struct rule_work *fill_work(const struct rule *rule,
                                   const struct rule_facts *facts)
{
    struct rule_work *work = xcalloc(rule->work_nr ? rule->work_nr : 1, sizeof(*work));

    for (size_t i = 0; i < rule->work_nr; i++) {
        work[i] = rule->work[i];
        settle_work(&work[i], facts);
    }
    return work;
}

/* An earlier rule of another verdict would hold for other values of the intervals. */
static bool is_contested(const struct rule_set *set, const struct rule *rule,
                         const struct rule_facts *facts)
{
    for (const struct rule *other = set->rule; other < rule; other++) {
        struct truth truth = {0};

        if (strcmp(other->transformation, rule->transformation) == 0 &&
            other->verdict != rule->verdict)
            truth = rule_truth(other, facts);
        if (truth.straddles && !truth.holds)
            return true;
    }
    return false;
}

static void add_verdict(const struct rule_set *set, const struct rule *rule,
                        const struct rule_facts *facts, bool straddles,
                        struct rule_verdicts *out)
{
    GROW(out->item, out->nr + 1, out->alloc);
    out->item[out->nr++] = (struct rule_verdict){
        .rule = rule->id,
        .transformation = rule->transformation,
        .verdict = rule->verdict,
        .weight = rule->weight,
        .reason = fill_sentence(rule, facts),
        .source = rule->source,
        .work = fill_work(rule, facts),
        .work_nr = rule->work_nr,
        .undecided = straddles || is_contested(set, rule, facts),
    };
}

int rule_set_judge(const struct rule_set *set, const struct rule_facts *facts,
                   struct rule_verdicts *out, struct error *err)
{
    (void)err; /* nothing can fail yet; callers need not change when something can */
    for (size_t i = 0; i < set->rule_nr; i++) {
        struct truth truth = rule_truth(&set->rule[i], facts);

        if (truth.holds)
            add_verdict(set, &set->rule[i], facts, truth.straddles, out);
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
