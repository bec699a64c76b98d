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
    const char *op;

    if (json_only_keys(at, "formula op value", err) ||
        formula_at(at, "formula", &condition->formula, err) ||
        json_string_at(at, "op", &op, err) ||
        json_number_at(at, "value", -1e300, 1e300, &condition->value, err))
        return -1;
    condition->above = !strcmp(op, ">");
    if (!condition->above && strcmp(op, "<"))
        return json_fail(at, err, "\"op\" is > or <, not '%s'", op);
    return 0;
}

int metric_warning_read(const struct json_at *at, struct metric_set *set,
                        struct error *err)
{
    struct metric_warning *warning;
    struct json_at list;
    size_t nr;

    GROW(set->warning, set->warning_nr + 1, set->warning_alloc);
    warning = &set->warning[set->warning_nr++];
    *warning = (struct metric_warning){0};
    if (json_only_keys(at, "when sentence", err) ||
        metric_text_at(at, "sentence", &warning->sentence, err) ||
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
    for (size_t i = 0; i < set->warning_nr; i++)
        for (size_t k = 0; k < set->warning[i].when_nr; k++) {
            const struct metric_formula *formula = &set->warning[i].when[k].formula;

            if (metric_names_check(set, formula->text, formula->formula, err))
                return -1;
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

static bool holds(const struct metric_condition *condition, struct quantity value)
{
    if (!value.known)
        return false;
    return condition->above ? value.low > condition->value
                            : value.high < condition->value;
}

static void judge_warning(const struct judge *judge, const struct metric_warning *warning)
{
    struct buf why = {0};
    bool all = true;

    for (size_t i = 0; i < warning->when_nr && all; i++) {
        const struct metric_condition *condition = &warning->when[i];
        struct quantity value = judge->value_of(judge->data, condition->formula.flat);

        all = holds(condition, value);
        buf_addf(&why, "%s%s is %.4g (%s %.4g)", i ? " and " : "",
                 condition->formula.text, value.value,
                 condition->above ? "above" : "below", condition->value);
    }
    if (all)
        strvec_pushf(&judge->result->note, "%s: %s: %s", judge->set->path, buf_str(&why),
                     warning->sentence);
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
}
