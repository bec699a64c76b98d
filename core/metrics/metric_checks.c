/* What must hold between values, and what a reader should know of them: identities and
 * warnings of the definition files. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/metrics/metric_parts.h"

/* What binary fractions cannot hold, of both sides. */
static const double rounding = 1e-9;

/* ---- reading ---- */

static int formula_at(const struct json_at *at, const char *key,
                      struct metric_formula *out, struct error *err)
{
    if (metric_text_at(at, key, &out->text, err))
        return -1;
    if (formula_parse(out->text, &out->formula, err) == 0)
        return 0;
    return fail_in(err, "%s: \"%s\"", at->file, key);
}

int metric_identity_read(const struct json_at *at, struct metric_set *set,
                         struct error *err)
{
    struct metric_identity *identity;

    GROW(set->identity, set->identity_nr + 1, set->identity_alloc);
    identity = &set->identity[set->identity_nr++];
    *identity = (struct metric_identity){0};
    if (json_only_keys(at, "left right about", err) ||
        formula_at(at, "left", &identity->left, err) ||
        formula_at(at, "right", &identity->right, err) ||
        metric_text_at(at, "about", &identity->about, err))
        return -1;
    identity->gap.text =
        xasprintf("(%s) - (%s)", identity->left.text, identity->right.text);
    return formula_parse(identity->gap.text, &identity->gap.formula, err);
}

static int read_condition(const struct json_at *at, struct metric_condition *condition,
                          struct error *err)
{
    return json_only_keys(at, "formula op value", err) ||
                   formula_at(at, "formula", &condition->formula, err) ||
                   condition_read_numbers(at, 1, &condition->is, err)
               ? -1
               : 0;
}

int metric_warning_read(const struct json_at *at, struct metric_set *set,
                        struct error *err)
{
    struct metric_warning *warning;
    struct json_at list, here;
    size_t nr;

    GROW(set->warning, set->warning_nr + 1, set->warning_alloc);
    warning = &set->warning[set->warning_nr++];
    *warning = (struct metric_warning){0};
    if (json_only_keys(at, "when sentence", err) ||
        metric_text_at(at, "sentence", &warning->sentence, err) ||
        json_member(at, "sentence", &here, err) ||
        sentence_names(&here, warning->sentence, &warning->named, err) ||
        json_array_at(at, "when", &list, &nr, err))
        return -1;
    if (nr == 0)
        return json_fail(at, err, "a warning without conditions");
    warning->when = xcalloc(nr, sizeof(*warning->when));
    for (; warning->when_nr < nr; warning->when_nr++) {
        struct json_at item = json_element(&list, warning->when_nr);
        struct metric_condition *condition = &warning->when[warning->when_nr];

        if (read_condition(&item, condition, err)) {
            warning->when_nr++; /* what there is of it is released, too */
            return -1;
        }
    }
    return 0;
}

/* ---- links ---- */

int metric_checks_names(const struct metric_set *set, struct error *err)
{
    for (size_t i = 0; i < set->identity_nr; i++)
        if (metric_names_check(set, set->identity[i].gap.text,
                               set->identity[i].gap.formula, err))
            return -1;
    for (size_t i = 0; i < set->warning_nr; i++) {
        const struct metric_warning *warning = &set->warning[i];

        for (size_t k = 0; k < warning->when_nr; k++)
            if (metric_names_check(set, warning->when[k].formula.text,
                                   warning->when[k].formula.formula, err))
                return -1;
        for (size_t k = 0; k < warning->named.nr; k++)
            if (metric_find(set, warning->named.v[k]) == METRIC_NONE)
                return fail(err, STATUS_INPUT,
                            "%s: the sentence of a warning asks for '{%s}', which is no "
                            "metric",
                            set->path, warning->named.v[k]);
    }
    return 0;
}

void metric_checks_inline(struct metric_set *set,
                          const struct formula *(*stands_for)(void *data,
                                                              const char *name),
                          void *data)
{
    for (size_t i = 0; i < set->identity_nr; i++) {
        struct metric_formula *all[] = {&set->identity[i].left, &set->identity[i].right,
                                        &set->identity[i].gap};

        for (size_t k = 0; k < ARRAY_SIZE(all); k++)
            all[k]->flat = formula_inlined(all[k]->formula, stands_for, data);
    }
    for (size_t i = 0; i < set->warning_nr; i++)
        for (size_t k = 0; k < set->warning[i].when_nr; k++) {
            struct metric_formula *one = &set->warning[i].when[k].formula;

            one->flat = formula_inlined(one->formula, stands_for, data);
        }
}

/* ---- what they say ---- */

struct judge {
    const struct metric_set *set;
    struct quantity (*value_of)(void *data, const struct formula *formula);
    void *data;
    struct metric_result *result;
};

static void judge_identity(const struct judge *judge,
                           const struct metric_identity *identity)
{
    struct quantity left = judge->value_of(judge->data, identity->left.flat);
    struct quantity right = judge->value_of(judge->data, identity->right.flat);
    struct quantity gap = judge->value_of(judge->data, identity->gap.flat);
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
        struct quantity value = judge->value_of(judge->data, condition->formula.flat);

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

void metric_checks_judge(const struct metric_set *set,
                         struct quantity (*value_of)(void *data,
                                                     const struct formula *formula),
                         void *data, struct metric_result *result)
{
    const struct judge judge = {set, value_of, data, result};

    for (size_t i = 0; i < set->identity_nr; i++)
        judge_identity(&judge, &set->identity[i]);
    for (size_t i = 0; i < set->warning_nr; i++)
        judge_warning(&judge, &set->warning[i]);
}

/* ---- ownership ---- */

static void release_formula(struct metric_formula *formula)
{
    free(formula->text);
    formula_free(formula->formula);
    formula_free(formula->flat);
}

void metric_identity_release(struct metric_identity *identity)
{
    release_formula(&identity->left);
    release_formula(&identity->right);
    release_formula(&identity->gap);
    free(identity->about);
}

void metric_warning_release(struct metric_warning *warning)
{
    for (size_t i = 0; i < warning->when_nr; i++)
        release_formula(&warning->when[i].formula);
    free(warning->when);
    free(warning->sentence);
    strvec_release(&warning->named);
}
