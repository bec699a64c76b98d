/* Rules from JSON. Whatever is not understood is refused with its place. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base.h"
#include "rules/rule_set.h"

/* A word of one of the short lists. */
static int listed_at(const struct json_at *at, const char *key, const char *what,
                     const char *const *(*list)(size_t *nr), struct error *err)
{
    size_t nr;
    const char *const *words = list(&nr);

    return json_word_at(at, key, what, words, nr, err);
}

static int read_transformation(const struct json_at *here, void *into, struct error *err)
{
    struct rule *rule = into;
    const struct rule_transformation *found;
    size_t nr;
    const char *word;

    if (json_string_here(here, &word, err))
        return -1;
    found = transformation_find(word);
    if (!found)
        return unknown_transformation(here, word, err);
    rule->about |= UINT64_C(1) << (found - rule_transformations(&nr));
    return 0;
}

/* One, or a list of those that the rule says the same of. */
static int read_transformations(const struct json_at *at, struct rule *rule,
                                struct error *err)
{
    struct json_at here;

    if (json_member(at, "transformation", &here, err))
        return -1;
    return json_is_array(here.node) ? json_each(at, "transformation", 1, SIZE_MAX,
                                                read_transformation, rule, err)
                                    : read_transformation(&here, rule, err);
}

static int read_metric(const struct json_at *at, const char *key,
                       const struct rule_metric **metric, struct error *err)
{
    struct json_at here;
    const char *word;

    if (json_member(at, key, &here, err) || json_string_here(&here, &word, err))
        return -1;
    *metric = rule_metric_find(word);
    return *metric ? 0 : unknown_metric(&here, word, err);
}

/* The number or the range, in the metric's own unit. */
static int read_numbers(const struct json_at *at, struct rule_condition *condition,
                        struct error *err)
{
    struct json_at here;
    const char *unit = condition->metric->unit;
    double factor;

    if (json_has(at, "unit") &&
        (json_member(at, "unit", &here, err) || json_string_here(&here, &unit, err)))
        return -1;
    factor = unit_factor(unit, condition->metric);
    if (!(factor > 0))
        return json_fail(&here, err, "the metric \"%s\" is in %s, not in \"%s\"",
                         condition->metric->name, condition->metric->unit, unit);
    return condition_read_numbers(at, factor, &condition->is, err);
}

static int read_words(const struct json_at *at, struct rule_condition *condition,
                      struct error *err)
{
    char *what = xasprintf("the metric \"%s\"", condition->metric->name);
    int result = json_has(at, "unit")
                     ? json_fail(at, err, "%s is a word: it has no unit", what)
                     : condition_read_words(at, what, condition->metric->words,
                                            &condition->is, err);

    free(what);
    return result;
}

static int read_condition(const struct json_at *at, void *into, struct error *err)
{
    struct rule_condition *condition = (struct rule_condition *)into + at->index;

    if (json_only_keys(at, "metric op value unit", err) ||
        read_metric(at, "metric", &condition->metric, err))
        return -1;
    if (rule_metric_is_names(condition->metric))
        return json_fail(at, err, "the metric \"%s\" holds names, for sentences only",
                         condition->metric->name);
    return condition->metric->words ? read_words(at, condition, err)
                                    : read_numbers(at, condition, err);
}

static int read_when(const struct json_at *at, struct rule *rule, struct error *err)
{
    struct json_at when;
    size_t nr;

    if (json_array_at(at, "when", &when, &nr, err))
        return -1;
    if (nr == 0)
        return json_fail(&when, err, "expected at least one condition");
    rule->when = xcalloc(nr, sizeof(*rule->when));
    rule->when_nr = nr;
    return json_each_here(&when, read_condition, rule->when, err);
}

static int read_ratio_metric(const struct json_at *at, const char *key, const char **name,
                             struct error *err)
{
    const struct rule_metric *metric;
    struct json_at here;

    if (read_metric(at, key, &metric, err) || json_member(at, key, &here, err))
        return -1;
    if (metric->words || rule_metric_is_names(metric))
        return json_fail(at, err, "the metric \"%s\" is a %s, not a factor", metric->name,
                         metric->words ? "word" : "list of names");
    *name = metric->name;
    return 0;
}

/* A number up to the factor, or the name of a metric. */
static int read_min(const struct json_at *at, struct rule_work *work, struct error *err)
{
    struct json_at here;

    work->min = work->metric ? -1 : fmax(work->factor, 0);
    if (!json_has(at, "least"))
        return 0;
    if (json_member(at, "least", &here, err))
        return -1;
    if (json_is_string(here.node))
        return read_ratio_metric(at, "least", &work->min_metric, err);
    return json_number_here(&here, 0, work->factor < 0 ? INFINITY : work->factor,
                            &work->min, err);
}

/* {"resource": .., one of "factor": number, "metric": name, "unknown": true, and perhaps
 * "least": number or name} */
static int read_factor(const struct json_at *at, struct rule_work *work,
                       struct error *err)
{
    int given = json_has(at, "factor") + json_has(at, "metric") + json_has(at, "unknown");
    bool unknown = true;

    work->factor = -1;
    if (given != 1)
        return json_fail(at, err, "expected one of factor, metric, unknown");
    if (json_number_if(at, "factor", 0, INFINITY, &work->factor, err) ||
        json_bool_if(at, "unknown", &unknown, err))
        return -1;
    if (!unknown)
        return json_fail(at, err, "\"unknown\" can only be true");
    if (json_has(at, "metric") && read_ratio_metric(at, "metric", &work->metric, err))
        return -1;
    return read_min(at, work, err);
}

static int read_one_work(const struct json_at *at, void *into, struct error *err)
{
    struct rule_work *work = (struct rule_work *)into + at->index;
    size_t resource_nr;
    const char *const *words = resource_list(&resource_nr);
    int resource;

    if (json_only_keys(at, "resource factor metric unknown least", err))
        return -1;
    resource = listed_at(at, "resource", "resource", resource_list, err);
    if (resource < 0 || read_factor(at, work, err))
        return -1;
    work->resource = words[resource];
    return 0;
}

static int read_work(const struct json_at *at, struct rule_work **work, size_t *work_nr,
                     struct error *err)
{
    *work_nr = json_size_at(at, "work");
    *work = xcalloc(*work_nr + 1, sizeof(**work));
    return json_each_if(at, "work", read_one_work, *work, err);
}

static int read_sentence(const struct json_at *at, struct rule *rule, struct error *err)
{
    struct json_at here;
    struct strvec names = {0};

    if (json_member(at, "sentence", &here, err) ||
        json_string_here(&here, &rule->sentence, err))
        return -1;
    int result = sentence_names(&here, rule->sentence, &names, err);
    for (size_t i = 0; i < names.nr && !result; i++)
        if (!rule_metric_find(names.v[i]))
            result = unknown_metric(&here, names.v[i], err);
    strvec_release(&names);
    return result;
}

static int read_rule(const struct json_at *at, struct rule *rule, struct error *err)
{
    long long weight;
    int verdict;

    if (json_only_keys(
            at, "id transformation when verdict weight realized work sentence source",
            err) ||
        json_string_at(at, "id", &rule->id, err) || read_transformations(at, rule, err) ||
        read_when(at, rule, err))
        return -1;
    verdict = listed_at(at, "verdict", "verdict", verdict_list, err);
    if (verdict < 0 || json_integer_at(at, "weight", 0, 100, &weight, err) ||
        read_work(at, &rule->work, &rule->work_nr, err) || read_sentence(at, rule, err))
        return -1;
    rule->verdict = (enum verdict)verdict;
    rule->weight = (int)weight;
    rule->realized = -1;
    if (json_number_if(at, "realized", 0, 1, &rule->realized, err))
        return -1;
    return json_string_at(at, "source", &rule->source, err);
}

static bool is_taken(const struct rule *rule, size_t nr, const char *id)
{
    for (size_t i = 0; i < nr; i++)
        if (strcmp(rule[i].id, id) == 0)
            return true;
    return false;
}

static void rules_release(struct rule *rule, size_t nr)
{
    for (size_t i = 0; i < nr; i++) {
        free(rule[i].when);
        free(rule[i].work);
    }
    free(rule);
}

/* Reads the file's rules into `fresh`, which has room for all of them. */
static int read_rules(const struct json_at *list, const struct rule_set *set,
                      struct rule *fresh, size_t nr, struct error *err)
{
    for (size_t i = 0; i < nr; i++) {
        struct json_at element = json_element(list, i);

        if (read_rule(&element, &fresh[i], err))
            return -1;
        if (is_taken(fresh, i, fresh[i].id) ||
            is_taken(set->rule, set->rule_nr, fresh[i].id))
            return json_fail(&element, err, "id: \"%s\" is taken by another rule",
                             fresh[i].id);
    }
    return 0;
}

/* ---- pairs that pay together only ---- */

static int read_name(const struct json_at *at, const char *key, const char **name,
                     struct error *err)
{
    const char *word;
    if (json_string_at(at, key, &word, err))
        return -1;
    const struct rule_transformation *found = transformation_find(word);
    if (!found || !found->in_plan)
        return json_fail(at, err, "%s: \"%s\" is not a transformation of a plan", key,
                         word);
    *name = found->name;
    return 0;
}

static int read_pair(const struct json_at *at, void *into, struct error *err)
{
    struct rule_pair *pair = (struct rule_pair *)into + at->index;

    if (json_only_keys(at, "first second reason source", err) ||
        read_name(at, "first", &pair->first, err) ||
        read_name(at, "second", &pair->second, err) ||
        json_string_at(at, "reason", &pair->reason, err) ||
        json_string_at(at, "source", &pair->source, err))
        return -1;
    return strcmp(pair->first, pair->second)
               ? 0
               : json_fail(at, err, "a pair has two different transformations");
}

/* The pairs of a file go before those there are; none is added when it fails. */
static int read_pairs(const struct json_at *top, struct rule_set *set, struct error *err)
{
    size_t nr = json_size_at(top, "pairs");
    struct rule_pair *pair = xcalloc(set->pair_nr + nr + 1, sizeof(*pair));
    if (json_each_if(top, "pairs", read_pair, pair, err)) {
        free(pair);
        return -1;
    }
    if (set->pair_nr)
        memcpy(pair + nr, set->pair, set->pair_nr * sizeof(*pair));
    free(set->pair);
    set->pair = pair;
    set->pair_nr += nr;
    return 0;
}

/* ---- what no rule speaks of ---- */

static int read_rest(const struct json_at *at, void *into, struct error *err)
{
    struct rule_rest *rest = (struct rule_rest *)into + at->index;
    const char *word, *source;

    if (json_only_keys(at, "transformation work realized source", err) ||
        json_string_at(at, "transformation", &word, err) ||
        json_string_at(at, "source", &source, err))
        return -1;
    const struct rule_transformation *found = transformation_find(word);
    if (!found)
        return json_fail(at, err, "transformation: \"%s\" is none", word);
    rest->transformation = found->name;
    rest->realized = -1;
    if (json_number_if(at, "realized", 0, 1, &rest->realized, err))
        return -1;
    return read_work(at, &rest->work, &rest->work_nr, err);
}

static void rests_release(struct rule_rest *rest, size_t nr)
{
    for (size_t i = 0; i < nr; i++)
        free(rest[i].work);
    free(rest);
}

/* Those of a file go before those there are. */
static int read_rests(const struct json_at *top, struct rule_set *set, struct error *err)
{
    size_t nr = json_size_at(top, "unless_said");
    struct rule_rest *rest = xcalloc(set->rest_nr + nr + 1, sizeof(*rest));
    if (json_each_if(top, "unless_said", read_rest, rest, err)) {
        rests_release(rest, nr);
        return -1;
    }
    if (set->rest_nr)
        memcpy(rest + nr, set->rest, set->rest_nr * sizeof(*rest));
    free(set->rest);
    set->rest = rest;
    set->rest_nr += nr;
    return 0;
}

/* ---- files ---- */

/* The new rules go before the old ones. */
static void put_first(struct rule_set *set, struct rule *fresh, size_t nr, json_t *root)
{
    fresh = xrealloc(fresh, nr + set->rule_nr + 1, sizeof(*fresh));
    if (set->rule_nr)
        memcpy(fresh + nr, set->rule, set->rule_nr * sizeof(*fresh));
    free(set->rule);
    set->rule = fresh;
    set->rule_nr += nr;
    set->root = xrealloc(set->root, set->root_nr + 1, sizeof(json_t *));
    set->root[set->root_nr++] = root;
}

static int add_file(struct rule_set *set, const char *path, struct error *err)
{
    struct json_at top, list;
    struct rule *fresh = NULL;
    json_t *root = NULL;
    size_t nr = 0;

    if (json_read_file(path, "inflight.rules/1", &root, err))
        return -1;
    top = json_top(path, root);
    if (json_only_keys(&top, "schema about rules pairs unless_said", err) ||
        json_array_at(&top, "rules", &list, &nr, err))
        goto failed;
    fresh = xcalloc(nr ? nr : 1, sizeof(*fresh));
    if (read_rules(&list, set, fresh, nr, err) || read_pairs(&top, set, err) ||
        read_rests(&top, set, err))
        goto failed;
    put_first(set, fresh, nr, root);
    return 0;
failed:
    if (fresh)
        rules_release(fresh, nr);
    json_decref(root);
    return -1;
}

int rule_set_load(const char *path, struct rule_set **set, struct error *err)
{
    struct rule_set *into = *set ? *set : xcalloc(1, sizeof(*into));
    char *shipped = NULL;
    int result = -1;

    if (path || shipped_path("rules/recipe.json", &shipped, err) == 0)
        result = add_file(into, path ? path : shipped, err);
    free(shipped);
    if (result == 0)
        *set = into;
    else if (!*set)
        rule_set_free(into);
    return result;
}

void rule_set_free(struct rule_set *set)
{
    if (!set)
        return;
    rules_release(set->rule, set->rule_nr);
    rests_release(set->rest, set->rest_nr);
    for (size_t i = 0; i < set->root_nr; i++)
        json_decref(set->root[i]);
    free(set->root);
    free(set->pair);
    free(set);
}

size_t rule_set_nr(const struct rule_set *set)
{
    return set->rule_nr;
}

double rule_set_realized(const struct rule_set *set, const char *transformation)
{
    /* That of the 38 advices of bench/data/spaces and bench/data/unseen together. */
    const double of_all = 0.6;
    for (size_t i = 0; i < set->rest_nr; i++)
        if (!strcmp(set->rest[i].transformation, transformation) &&
            set->rest[i].realized >= 0)
            return set->rest[i].realized;
    return of_all;
}

const struct rule_pair *rule_set_pairs(const struct rule_set *set, size_t *nr)
{
    *nr = set->pair_nr;
    return set->pair;
}
