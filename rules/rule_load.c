/* Rules from JSON. Whatever is not understood is refused with its place. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "rules/rule_set.h"

static const char *const op_words[] = {
#define X(name, word) [OP_##name] = word,
    CONDITION_OP_MAP(X)
#undef X
};

const char *condition_op_word(enum condition_op op)
{
    return op_words[op];
}

static const char *const verdict_words[] = {
    [VERDICT_TRY] = "try",
    [VERDICT_AVOID] = "avoid",
    [VERDICT_STOP] = "stop",
};

/* The words of core/occupancy's RESOURCE_MAP, which this folder does not see; a test
 * holds them together. */
static const char *const resource_words[] = {
    "l1_mshrs", "l2_mshrs", "page_walkers", "memory", "l2_link", "l3_link", "arithmetic",
};

static const struct rule_transformation transformations[] = {
    {"simd", true, "vector instructions for the innermost loop"},
    {"interchange", true, "another order of the loops"},
    {"tile", true, "work on blocks that a cache holds until they are used up"},
    {"skew", true, "slant the loops so that they can be tiled"},
    {"unroll_jam", true,
     "several iterations of an outer loop at a time, reuse in registers"},
    {"unroll", true, "several iterations of the innermost loop at a time"},
    {"scalar_replace", true, "keep array elements in registers"},
    {"prefetch_l1", true, "software prefetch into L1"},
    {"prefetch_l2", true, "software prefetch into L2 only"},
    {"nontemporal", true, "stores past the caches"},
    {"fuse", true, "make one loop of neighbouring ones"},
    {"distribute", true, "make several loops of one"},
    {"pack", true, "copy a block to consecutive memory before it is used"},
    {"pad", true, "lengthen rows so that they do not collide in a cache"},
    {"parallel", true, "share the loop among cores"},
    {"soa", false, "an array for each field in place of an array of structs"},
    {"sort", false, "look-ups in the order of the places they go to"},
    {"scalar_temporaries", false, "variables in place of arrays that live an iteration"},
    {"collapse", false, "one long loop in place of short nested ones"},
    {"privatize", false, "a copy of what is updated for every thread or vector lane"},
    {"smt", false, "more hardware threads per core"},
    {"hugepages", false, "huge pages for the buffers"},
};

const struct rule_transformation *rule_transformations(size_t *nr)
{
    *nr = ARRAY_SIZE(transformations);
    return transformations;
}

const char *verdict_word(enum verdict verdict)
{
    return verdict_words[verdict];
}

/* The index of `key`'s string in `words`; -1 and a message that lists them. */
static int word_at(const struct json_at *at, const char *key, const char *what,
                   const char *const *words, size_t nr, struct error *err)
{
    struct json_at here;
    struct buf known = {0};
    const char *word;

    if (json_member(at, key, &here, err) || json_string_here(&here, &word, err))
        return -1;
    for (size_t i = 0; i < nr; i++)
        if (strcmp(words[i], word) == 0)
            return (int)i;
    for (size_t i = 0; i < nr; i++)
        buf_addf(&known, "%s%s", i ? ", " : "", words[i]);
    json_fail(&here, err, "unknown %s \"%s\"; known are: %s", what, word,
              buf_str(&known));
    buf_release(&known);
    return -1;
}

static int read_transformation(const struct json_at *at, struct rule *rule,
                               struct error *err)
{
    const char *names[ARRAY_SIZE(transformations)];
    int found;

    for (size_t i = 0; i < ARRAY_SIZE(transformations); i++)
        names[i] = transformations[i].name;
    found =
        word_at(at, "transformation", "transformation", names, ARRAY_SIZE(names), err);
    if (found < 0)
        return -1;
    rule->transformation = names[found];
    return 0;
}

static int read_metric(const struct json_at *at, const struct rule_metric **metric,
                       struct error *err)
{
    struct json_at here;
    const char *name;

    if (json_member(at, "metric", &here, err) || json_string_here(&here, &name, err))
        return -1;
    *metric = metric_find(name);
    return *metric ? 0 : json_fail(&here, err, "unknown metric \"%s\"", name);
}

static int read_word(const struct json_at *here, const struct condition *condition,
                     struct error *err)
{
    struct buf known = {0};
    const char *word;

    if (json_string_here(here, &word, err))
        return -1;
    if (metric_word(condition->metric, word))
        return 0;
    metric_list_words(condition->metric, &known);
    json_fail(here, err, "the metric \"%s\" has no word \"%s\"; known are: %s",
              condition->metric->name, word, buf_str(&known));
    buf_release(&known);
    return -1;
}

static int read_words(const struct json_at *at, struct condition *condition,
                      struct error *err)
{
    struct json_at value;
    size_t nr;

    if (condition->op != OP_EQUAL && condition->op != OP_NOT_EQUAL &&
        condition->op != OP_IN)
        return json_fail(at, err, "the metric \"%s\" is a word: op can be ==, != or in",
                         condition->metric->name);
    if (condition->op != OP_IN) {
        if (json_member(at, "value", &value, err) || read_word(&value, condition, err))
            return -1;
        condition->word = value.node;
        return 0;
    }
    if (json_array_at(at, "value", &value, &nr, err))
        return -1;
    for (size_t i = 0; i < nr; i++) {
        struct json_at element = json_element(&value, i);

        if (read_word(&element, condition, err))
            return -1;
    }
    condition->word = value.node;
    return nr ? 0 : json_fail(&value, err, "names no word");
}

static int read_range(const struct json_at *at, struct condition *condition,
                      struct error *err)
{
    struct json_at value, low, high;
    size_t nr;

    if (json_array_at(at, "value", &value, &nr, err))
        return -1;
    if (nr != 2)
        return json_fail(&value, err, "expected two numbers, the ends of a range");
    low = json_element(&value, 0);
    high = json_element(&value, 1);
    if (json_number_here(&low, -INFINITY, INFINITY, &condition->low, err))
        return -1;
    return json_number_here(&high, condition->low, INFINITY, &condition->high, err);
}

static int read_condition(const struct json_at *at, struct condition *condition,
                          struct error *err)
{
    int op;

    if (json_only_keys(at, "metric op value", err) ||
        read_metric(at, &condition->metric, err))
        return -1;
    op = word_at(at, "op", "operator", op_words, ARRAY_SIZE(op_words), err);
    if (op < 0)
        return -1;
    condition->op = (enum condition_op)op;
    if (metric_is_names(condition->metric))
        return json_fail(at, err, "the metric \"%s\" holds names, for sentences only",
                         condition->metric->name);
    if (condition->metric->words)
        return read_words(at, condition, err);
    if (condition->op == OP_IN)
        return read_range(at, condition, err);
    if (json_number_at(at, "value", -INFINITY, INFINITY, &condition->low, err))
        return -1;
    condition->high = condition->low;
    return 0;
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
    for (size_t i = 0; i < nr; i++) {
        struct json_at element = json_element(&when, i);

        if (read_condition(&element, &rule->when[i], err))
            return -1;
    }
    return 0;
}

/* {"resource": .., and one of "factor": number, "metric": name, "unknown": true} */
static int read_factor(const struct json_at *at, struct rule_work *work,
                       struct error *err)
{
    const struct rule_metric *metric;
    int given = json_has(at, "factor") + json_has(at, "metric") + json_has(at, "unknown");
    bool unknown;

    work->factor = -1;
    if (given != 1)
        return json_fail(at, err, "expected one of factor, metric, unknown");
    if (json_has(at, "factor"))
        return json_number_at(at, "factor", 0, INFINITY, &work->factor, err);
    if (json_has(at, "unknown")) {
        if (json_bool_at(at, "unknown", &unknown, err))
            return -1;
        return unknown ? 0 : json_fail(at, err, "\"unknown\" can only be true");
    }
    if (read_metric(at, &metric, err))
        return -1;
    if (metric->words || metric_is_names(metric))
        return json_fail(at, err, "the metric \"%s\" is a %s, not a factor", metric->name,
                         metric->words ? "word" : "list of names");
    work->metric = metric->name;
    return 0;
}

static int read_work(const struct json_at *at, struct rule *rule, struct error *err)
{
    struct json_at list;
    size_t nr;

    if (json_array_at(at, "work", &list, &nr, err))
        return -1;
    rule->work = xcalloc(nr ? nr : 1, sizeof(*rule->work));
    rule->work_nr = nr;
    for (size_t i = 0; i < nr; i++) {
        struct json_at element = json_element(&list, i);
        int resource;

        if (json_only_keys(&element, "resource factor metric unknown", err))
            return -1;
        resource = word_at(&element, "resource", "resource", resource_words,
                           ARRAY_SIZE(resource_words), err);
        if (resource < 0 || read_factor(&element, &rule->work[i], err))
            return -1;
        rule->work[i].resource = resource_words[resource];
    }
    return 0;
}

const char *placeholder_next(const char *text, size_t *name_length)
{
    const char *open = strchr(text, '{');

    if (!open)
        return NULL;
    *name_length = strcspn(open + 1, "{}");
    return open + 1;
}

static int read_sentence(const struct json_at *at, struct rule *rule, struct error *err)
{
    struct json_at here;
    size_t length = 0;
    int result = 0;

    if (json_member(at, "sentence", &here, err) ||
        json_string_here(&here, &rule->sentence, err))
        return -1;
    for (const char *name = placeholder_next(rule->sentence, &length); name && !result;
         name = placeholder_next(name + length, &length)) {
        char *metric = xstrndup(name, length);

        if (name[length] != '}')
            result = json_fail(&here, err, "\"{%s\" lacks its closing brace", metric);
        else if (!metric_find(metric))
            result = json_fail(&here, err, "unknown metric \"%s\"", metric);
        free(metric);
    }
    return result;
}

static int read_rule(const struct json_at *at, struct rule *rule, struct error *err)
{
    long long weight;
    int verdict;

    if (json_only_keys(at, "id transformation when verdict weight work sentence source",
                       err) ||
        json_string_at(at, "id", &rule->id, err) || read_transformation(at, rule, err) ||
        read_when(at, rule, err))
        return -1;
    verdict =
        word_at(at, "verdict", "verdict", verdict_words, ARRAY_SIZE(verdict_words), err);
    if (verdict < 0 || json_integer_at(at, "weight", 0, 100, &weight, err) ||
        read_work(at, rule, err) || read_sentence(at, rule, err))
        return -1;
    rule->verdict = (enum verdict)verdict;
    rule->weight = (int)weight;
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
    if (json_only_keys(&top, "schema about rules", err) ||
        json_array_at(&top, "rules", &list, &nr, err))
        goto failed;
    fresh = xcalloc(nr ? nr : 1, sizeof(*fresh));
    if (read_rules(&list, set, fresh, nr, err))
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
    for (size_t i = 0; i < set->root_nr; i++)
        json_decref(set->root[i]);
    free(set->root);
    free(set);
}

size_t rule_set_nr(const struct rule_set *set)
{
    return set->rule_nr;
}
