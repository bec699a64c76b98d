/* Rules as JSON and in words. */
#include <stdlib.h>
#include <string.h>

#include "core/base.h"
#include "core/base/text.h"
#include "rules/rule_set.h"

/* "memory_utilization at least 90 % (share: of the reachable memory bandwidth, used)" */
static json_t *condition_phrase(const struct rule_condition *condition)
{
    const struct rule_metric *metric = condition->metric;
    struct buf text = {0};
    json_t *phrase;

    buf_addf(&text, "%s ", metric->name);
    condition_add_text(&condition->is, metric->unit, &text);
    buf_addf(&text, " (%s: %s)", metric->unit, metric->meaning);
    phrase = json_string(buf_str(&text));
    buf_release(&text);
    return phrase;
}

static json_t *condition_json(const struct rule_condition *condition)
{
    const struct condition *is = &condition->is;
    json_t *object = json_pack("{s:s, s:s}", "metric", condition->metric->name, "op",
                               condition_op_word(is->op));

    if (is->word)
        json_object_set_new(object, "value", json_deep_copy(is->word));
    else if (is->op == OP_IN)
        json_object_set_new(object, "value", json_pack("[f, f]", is->low, is->high));
    else
        json_object_set_new(object, "value", json_real(is->low));
    if (!is->word)
        json_object_set_new(object, "unit", json_string(condition->metric->unit));
    return object;
}

/* A number of its own. */
static bool says_min(const struct rule_work *work)
{
    return !work->min_metric && work->min >= 0 &&
           (work->metric || work->min < work->factor);
}

static json_t *work_json(const struct rule_work *work)
{
    json_t *object = json_pack("{s:s}", "resource", work->resource);

    if (work->metric)
        json_object_set_new(object, "metric", json_string(work->metric));
    else if (work->factor < 0)
        json_object_set_new(object, "unknown", json_true());
    else
        json_object_set_new(object, "factor", json_real(work->factor));
    if (work->min_metric)
        json_object_set_new(object, "least", json_string(work->min_metric));
    else if (says_min(work))
        json_object_set_new(object, "least", json_real(work->min));
    return object;
}

/* "memory: tile_traffic_ratio of its work is left, memory_least_ratio at least" */
static json_t *work_phrase(const struct rule_work *work)
{
    struct buf text = {0};
    json_t *phrase;

    buf_addf(&text, "%s: ", work->resource);
    if (work->metric)
        buf_addf(&text, "%s of its work is left", work->metric);
    else if (work->factor < 0)
        buf_add(&text, "how much of its work is left is not known");
    else
        buf_addf(&text, "%.10g of its work is left", work->factor);
    if (work->min_metric)
        buf_addf(&text, ", %s at least", work->min_metric);
    else if (says_min(work))
        buf_addf(&text, ", %.10g at least", work->min);
    phrase = json_string(buf_str(&text));
    buf_release(&text);
    return phrase;
}

static const char *bound_phrase(const struct rule *rule)
{
    if (rule->verdict > VERDICT_ALLOW)
        return "none: what is advised against promises no gain";
    if (rule->work_nr == 0)
        return "the time over the longest of the resources' least times: no resource is "
               "given less work, more of it is done at a time";
    return "the time over the longest of the resources' least times, each times what is "
           "left of its work";
}

static json_t *about_json(const struct rule *rule)
{
    size_t nr;
    const struct rule_transformation *all = rule_transformations(&nr);
    json_t *list = json_array();

    for (size_t i = 0; i < nr; i++)
        if (rule->about & UINT64_C(1) << i)
            json_array_append_new(list, json_string(all[i].name));
    return list;
}

static json_t *rule_json(const struct rule *rule)
{
    json_t *object = json_pack(
        "{s:s, s:o, s:s, s:i, s:[], s:[], s:s, s:s, s:[], s:[], s:s}", "id", rule->id,
        "transformation", about_json(rule), "verdict", verdict_word(rule->verdict),
        "weight", rule->weight, "when", "work", "sentence", rule->sentence, "source",
        rule->source, "conditions", "changes", "bound", bound_phrase(rule));

    for (size_t i = 0; i < rule->when_nr; i++) {
        json_array_append_new(json_object_get(object, "when"),
                              condition_json(&rule->when[i]));
        json_array_append_new(json_object_get(object, "conditions"),
                              condition_phrase(&rule->when[i]));
    }
    for (size_t i = 0; i < rule->work_nr; i++) {
        json_array_append_new(json_object_get(object, "work"), work_json(&rule->work[i]));
        json_array_append_new(json_object_get(object, "changes"),
                              work_phrase(&rule->work[i]));
    }
    return object;
}

json_t *rule_set_to_json(const struct rule_set *set)
{
    json_t *list = json_array();

    for (size_t i = 0; i < set->rule_nr; i++)
        json_array_append_new(list, rule_json(&set->rule[i]));
    return list;
}

const char *rule_set_nearest(const struct rule_set *set, const char *word)
{
    const char *names[NAMES_MAX];
    size_t nr = transformation_names(names, NAMES_MAX);

    for (size_t i = 0; i < set->rule_nr && nr < NAMES_MAX; i++)
        names[nr++] = set->rule[i].id;
    return nearest_word(word, names, nr);
}
