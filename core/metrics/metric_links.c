/* What the names in formulas are: events, constants, other metrics, what is given. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/text.h"
#include "core/metrics/metric_parts.h"

const char *const metric_given_names[] = {"seconds",
                                          "calls",
                                          "line_bytes",
                                          "vector_bits",
                                          "cores",
                                          "flops_expected",
                                          "memory_read_bytes",
                                          "memory_write_bytes",
                                          "memory_bytes",
                                          NULL};

bool metric_is_given(const char *name)
{
    for (size_t i = 0; metric_given_names[i]; i++)
        if (!strcmp(metric_given_names[i], name))
            return true;
    return false;
}

bool metric_is_of_memory(const char *name)
{
    return metric_is_given(name) && text_begins(name, "memory_");
}

bool metric_asks_for_memory(const struct metric *metric)
{
    const struct strvec *names = formula_names(metric->flat);

    for (size_t i = 0; i < names->nr; i++)
        if (metric_is_of_memory(names->v[i]))
            return true;
    return false;
}

/* How many things have the name. */
static int owners(const struct metric_set *set, const char *name)
{
    int nr = metric_is_given(name) + (metric_absent_find(set, name) != NULL) +
             (metric_constant_find(set, name) != NULL);

    for (size_t i = 0; i < set->event_nr; i++)
        nr += !strcmp(set->event[i].name, name);
    for (size_t i = 0; i < set->metric_nr; i++)
        nr += !strcmp(set->metric[i].name, name);
    return nr;
}

/* ---- checks ---- */

static const char *nearest(const struct metric_set *set, const char *name)
{
    const char **words = xcalloc(set->metric_nr + set->event_nr + 1, sizeof(*words));
    size_t nr = 0;

    for (size_t i = 0; i < set->metric_nr; i++)
        words[nr++] = set->metric[i].name;
    for (size_t i = 0; i < set->event_nr; i++)
        words[nr++] = set->event[i].name;
    const char *near = nearest_word(name, words, nr);
    free(words);
    return near;
}

static int check_formula(const struct metric_set *set, const char *what,
                         const struct formula *formula, struct error *err)
{
    const struct strvec *names = formula_names(formula);

    for (size_t i = 0; i < names->nr; i++) {
        if (owners(set, names->v[i]))
            continue;
        const char *near = nearest(set, names->v[i]);

        fail(err, STATUS_INPUT,
             "%s: the formula of '%s' asks for '%s', which is not an event, constant, "
             "metric "
             "or given name, and not listed under \"absent\"%s%s%s",
             set->path, what, names->v[i], near ? "; did you mean '" : "",
             near ? near : "", near ? "'?" : "");
        return -1;
    }
    return 0;
}

static int check_once(const struct metric_set *set, const char *name, struct error *err)
{
    if (owners(set, name) == 1)
        return 0;
    return fail(err, STATUS_INPUT, "%s: more than one thing is called '%s'", set->path,
                name);
}

static int check_names(const struct metric_set *set, struct error *err)
{
    for (size_t i = 0; i < set->metric_nr; i++)
        if (check_once(set, set->metric[i].name, err) ||
            check_formula(set, set->metric[i].name, set->metric[i].formula, err))
            return -1;
    for (size_t i = 0; i < set->event_nr; i++)
        if (check_once(set, set->event[i].name, err))
            return -1;
    for (size_t i = 0; i < set->constant_nr; i++)
        if (check_once(set, set->constant[i].name, err))
            return -1;
    for (size_t i = 0; i < set->absent_nr; i++)
        if (check_once(set, set->absent[i].name, err))
            return -1;
    return 0;
}

static int check_checks(const struct metric_set *set, struct error *err)
{
    for (size_t i = 0; i < set->identity_nr; i++)
        if (check_formula(set, set->identity[i].gap.text, set->identity[i].gap.formula,
                          err))
            return -1;
    for (size_t i = 0; i < set->warning_nr; i++) {
        const struct metric_warning *warning = &set->warning[i];

        for (size_t k = 0; k < warning->when_nr; k++)
            if (check_formula(set, warning->when[k].formula.text,
                              warning->when[k].formula.formula, err))
                return -1;
        for (size_t k = 0; k < warning->named.nr; k++)
            if (metric_find(set, warning->named.v[k]) == METRIC_NONE)
                return fail(err, STATUS_INPUT,
                            "%s: the sentence of a warning asks for '{%s}', which is not "
                            "a metric",
                            set->path, warning->named.v[k]);
    }
    return 0;
}

static int check_models(const struct metric_set *set, struct error *err)
{
    for (size_t i = 0; i < set->model_nr; i++)
        for (size_t k = 0; k < i; k++)
            if (!strcmp(set->model[i].name, set->model[k].name))
                return fail(err, STATUS_INPUT, "%s: more than one model is called '%s'",
                            set->path, set->model[i].name);
    return 0;
}

/* A count under this name must not be taken for another event's. */
static int check_event_name(const struct metric_set *set, size_t event, const char *name,
                            struct error *err)
{
    int found = metric_event_find(set, name);

    if (found == (int)event)
        return 0;
    return fail(err, STATUS_INPUT,
                "%s: '%s' is a name of two events, '%s' and '%s': what is counted under "
                "it cannot be told apart",
                set->path, name, set->event[found].name, set->event[event].name);
}

static int check_event_names(const struct metric_set *set, struct error *err)
{
    for (size_t i = 0; i < set->event_nr; i++) {
        const struct metric_event *event = &set->event[i];

        if (check_event_name(set, i, event->name, err))
            return -1;
        for (size_t k = 0; k < event->alias.nr; k++)
            if (check_event_name(set, i, event->alias.v[k], err))
                return -1;
    }
    return 0;
}

static int check_event_sets(const struct metric_set *set, struct error *err)
{
    for (size_t i = 0; i < set->event_set_nr; i++)
        for (size_t k = 0; k < set->event_set[i].event.nr; k++)
            if (!metric_event_named(set, set->event_set[i].event.v[k]))
                return fail(err, STATUS_INPUT,
                            "%s: the set '%s' holds '%s', which is none of the events",
                            set->path, set->event_set[i].name,
                            set->event_set[i].event.v[k]);
    return 0;
}

static int check_used(const struct metric_set *set, struct error *err)
{
    for (size_t i = 0; i < set->event_nr; i++) {
        bool used = false;

        for (size_t k = 0; k < set->metric_nr && !used; k++)
            used = strvec_has(formula_names(set->metric[k].formula), set->event[i].name);
        if (!used)
            return fail(err, STATUS_INPUT, "%s: no formula needs the event '%s'",
                        set->path, set->event[i].name);
    }
    return 0;
}

/* ---- formulas put into one another ---- */

struct inliner {
    struct metric_set *set;
    struct formula **constant; /* of each constant, its number */
    bool *open;                /* metrics whose formula is being put together */
    struct error *err;
    int status;
};

static int inline_metric(struct inliner *inliner, int at);

static const struct formula *stands_for(void *data, const char *name)
{
    struct inliner *inliner = data;
    const struct metric_constant *constant = metric_constant_find(inliner->set, name);
    int at = metric_find(inliner->set, name);

    if (constant)
        return inliner->constant[constant - inliner->set->constant];
    if (at == METRIC_NONE || inline_metric(inliner, at))
        return NULL;
    return inliner->set->metric[at].flat;
}

/* By what the formula names; those are put together already. */
static bool rests_on_estimate(const struct metric_set *set, const struct metric *metric)
{
    const struct strvec *names = formula_names(metric->formula);
    bool estimated = false;

    for (size_t i = 0; i < names->nr; i++) {
        int at = metric_find(set, names->v[i]);
        estimated |= at != METRIC_NONE && set->metric[at].estimated;
    }
    return estimated;
}

static int inline_metric(struct inliner *inliner, int at)
{
    struct metric *metric = &inliner->set->metric[at];

    if (metric->flat || inliner->status)
        return inliner->status;
    if (inliner->open[at])
        return inliner->status =
                   fail(inliner->err, STATUS_INPUT, "%s: the metric '%s' rests on itself",
                        inliner->set->path, metric->name);
    inliner->open[at] = true;
    struct formula *flat = formula_inlined(metric->formula, stands_for, inliner);
    inliner->open[at] = false;
    if (inliner->status) {
        formula_free(flat);
        return -1;
    }
    metric->flat = flat;
    metric->estimated |= rests_on_estimate(inliner->set, metric);
    return 0;
}

/* Children that are shares of their parent, not of what it is a share of. */
static bool are_of_parent(const struct metric_set *set, int parent)
{
    for (size_t i = 0; i < set->metric_nr; i++)
        if (set->metric[i].parent == parent && set->metric[i].of)
            return !strcmp(set->metric[i].of, "parent");
    return false;
}

/* Does it belong to the sum of its siblings? What has another unit does not. */
static bool is_summed(const struct metric_set *set, const struct metric *metric,
                      int parent, int model)
{
    if (metric->parent != parent || metric->model != model)
        return false;
    if (parent == METRIC_NONE || are_of_parent(set, parent))
        return metric->of != NULL;
    return !strcmp(metric->unit, set->metric[parent].unit);
}

/* Shares of different things have no sum. */
static int check_alike(const struct metric_set *set, const struct metric *metric,
                       const struct metric *other, struct error *err)
{
    if (!other || !metric->of || !strcmp(metric->of, other->of))
        return 0;
    return fail(err, STATUS_INPUT,
                "%s: '%s' is a share of %s and '%s' of %s: their sum means nothing; say "
                "\"overlap\" where it is neither part nor whole",
                set->path, metric->name, metric->of, other->name, other->of);
}

/* "0 + A + B - whole" of the children, with everything put in; none without children. */
static int make_rest(struct inliner *inliner, int parent, int model,
                     struct formula **rest)
{
    const struct metric_set *set = inliner->set;
    struct buf text = {0};
    struct formula *formula = NULL;
    const struct metric *whole =
        parent == METRIC_NONE || are_of_parent(set, parent) ? NULL : &set->metric[parent];
    const struct metric *other = whole;
    size_t summed = 0;
    int result = 0;

    buf_add(&text, "0");
    for (size_t i = 0; i < set->metric_nr && !result; i++)
        if (is_summed(set, &set->metric[i], parent, model)) {
            result = check_alike(set, &set->metric[i], other, inliner->err);
            other = &set->metric[i];
            buf_addf(&text, " + \"%s\"", other->name);
            summed++;
        }
    if (whole)
        buf_addf(&text, " - \"%s\"", whole->name);
    else
        buf_add(&text, " - 1");
    if (summed && !result)
        result = formula_parse(buf_str(&text), &formula, inliner->err);
    if (formula)
        *rest = formula_inlined(formula, stands_for, inliner);
    formula_free(formula);
    buf_release(&text);
    return result;
}

static int make_rests(struct inliner *inliner)
{
    struct metric_set *set = inliner->set;

    for (size_t i = 0; i < set->model_nr; i++)
        if (set->model[i].roots != METRIC_SUM_OVERLAP &&
            make_rest(inliner, METRIC_NONE, (int)i, &set->model[i].rest))
            return -1;
    for (size_t i = 0; i < set->metric_nr; i++) {
        struct metric *metric = &set->metric[i];

        if (metric->children != METRIC_SUM_OVERLAP && metric->model != METRIC_NONE &&
            make_rest(inliner, (int)i, metric->model, &metric->rest))
            return -1;
    }
    return 0;
}

static void inline_checks(struct inliner *inliner)
{
    struct metric_set *set = inliner->set;

    for (size_t i = 0; i < set->identity_nr; i++) {
        struct metric_formula *all[] = {&set->identity[i].left, &set->identity[i].right,
                                        &set->identity[i].gap};

        for (size_t k = 0; k < ARRAY_SIZE(all); k++)
            all[k]->flat = formula_inlined(all[k]->formula, stands_for, inliner);
    }
    for (size_t i = 0; i < set->warning_nr; i++)
        for (size_t k = 0; k < set->warning[i].when_nr; k++) {
            struct metric_formula *one = &set->warning[i].when[k].formula;

            one->flat = formula_inlined(one->formula, stands_for, inliner);
        }
}

static int inline_all(struct inliner *inliner)
{
    struct metric_set *set = inliner->set;

    for (size_t i = 0; i < set->constant_nr; i++) {
        char *text = xasprintf("(%.17g)", set->constant[i].value);
        int result = formula_parse(text, &inliner->constant[i], inliner->err);

        free(text);
        if (result)
            return -1;
    }
    for (size_t i = 0; i < set->metric_nr; i++)
        if (inline_metric(inliner, (int)i))
            return -1;
    inline_checks(inliner);
    return make_rests(inliner);
}

int metric_links_make(struct metric_set *set, struct error *err)
{
    struct inliner inliner = {.set = set, .err = err};
    int result;

    if (check_names(set, err) || check_models(set, err) || check_event_names(set, err) ||
        check_checks(set, err) || check_event_sets(set, err) || check_used(set, err))
        return -1;
    inliner.constant = xcalloc(set->constant_nr + 1, sizeof(*inliner.constant));
    inliner.open = xcalloc(set->metric_nr + 1, sizeof(*inliner.open));
    result = inline_all(&inliner);
    for (size_t i = 0; i < set->constant_nr; i++)
        formula_free(inliner.constant[i]);
    free(inliner.constant);
    free(inliner.open);
    return result;
}
