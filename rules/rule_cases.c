/* Situations with the verdicts that are expected in them. */
#include <math.h>
#include <string.h>

#include "rules/rule_set.h"

/* What rule_facts_* refuse gets its place. */
static int placed(const struct json_at *at, const struct error *why, struct error *err)
{
    return json_fail(at, err, "%s", why->text);
}

static int read_interval(const struct json_at *at, struct quantity *out,
                         struct error *err)
{
    double value, low, high;

    if (json_only_keys(at, "value low high", err) ||
        json_number_at(at, "value", -INFINITY, INFINITY, &value, err))
        return -1;
    low = high = value;
    if (json_number_if(at, "low", -INFINITY, value, &low, err) ||
        json_number_if(at, "high", value, INFINITY, &high, err))
        return -1;
    *out = quantity_between(value, low, high, 0, PROVENANCE_DECLARED);
    return 0;
}

/* A word or names, a number, or a number with its interval. */
static int read_fact(const struct json_at *at, const char *name, struct rule_facts *facts,
                     struct error *err)
{
    const struct rule_metric *metric = rule_metric_find(name);
    struct quantity number;
    struct error why = {0};
    const char *text;
    double value;
    int status;

    if (json_is_string(at->node)) {
        if (json_string_here(at, &text, err))
            return -1;
        status = metric && rule_metric_is_names(metric)
                     ? rule_facts_names(facts, name, text, &why)
                     : rule_facts_word(facts, name, text, &why);
        return status ? placed(at, &why, err) : 0;
    }
    if (json_is_object(at->node)) {
        if (read_interval(at, &number, err))
            return -1;
    } else {
        if (json_number_here(at, -INFINITY, INFINITY, &value, err))
            return -1;
        number = quantity_exact(value, PROVENANCE_DECLARED);
    }
    return rule_facts_number(facts, name, number, &why) ? placed(at, &why, err) : 0;
}

static int read_facts(const struct json_at *at, struct rule_facts *facts,
                      struct error *err)
{
    struct json_at metrics, here;
    const char *name;
    json_t *value;

    if (json_object_at(at, "metrics", &metrics, err))
        return -1;
    json_object_foreach((json_t *)metrics.node, name, value) {
        if (!rule_metric_find(name))
            return unknown_metric(&metrics, name, err);
        if (json_member(&metrics, name, &here, err) || read_fact(&here, name, facts, err))
            return -1;
    }
    return 0;
}

static int check_want(const struct json_at *here, const char *want, struct error *err)
{
    size_t nr;
    const char *const *words = verdict_list(&nr);
    struct strvec known = {0};
    struct buf text = {0};

    for (size_t i = 0; i < nr; i++)
        strvec_push(&known, words[i]);
    strvec_push(&known, "none");
    bool found = strvec_has(&known, want);
    buf_add_known(&text, want, (const char *const *)known.v, known.nr);
    int status =
        found ? 0
              : json_fail(here, err, "unknown verdict \"%s\"%s", want, buf_str(&text));
    strvec_release(&known);
    buf_release(&text);
    return status;
}

static json_t *compared(const struct rule_verdict *verdict, const char *transformation,
                        const char *want)
{
    const char *got = verdict ? verdict_word(verdict->verdict) : "none";

    return json_pack("{s:s, s:s, s:s, s:s?, s:s?, s:b, s:b}", "transformation",
                     transformation, "want", want, "got", got, "rule",
                     verdict ? verdict->rule : NULL, "reason",
                     verdict ? verdict->reason : NULL, "undecided",
                     verdict && verdict->undecided, "agrees", strcmp(got, want) == 0);
}

static int compare_all(const struct json_at *at, const struct rule_verdicts *verdicts,
                       json_t *list, struct error *err)
{
    struct json_at expect, here;
    const char *name, *want;
    json_t *value;

    if (json_object_at(at, "expect", &expect, err))
        return -1;
    if (json_object_size(expect.node) == 0)
        return json_fail(&expect, err, "expects nothing");
    json_object_foreach((json_t *)expect.node, name, value) {
        if (!transformation_find(name))
            return unknown_transformation(&expect, name, err);
        if (json_member(&expect, name, &here, err) ||
            json_string_here(&here, &want, err) || check_want(&here, want, err))
            return -1;
        json_array_append_new(
            list, compared(rule_verdicts_deciding(verdicts, name), name, want));
    }
    return 0;
}

static int judge_case(const struct rule_set *set, const struct json_at *at, json_t *cases,
                      struct error *err)
{
    struct rule_facts *facts = rule_facts_new();
    struct rule_verdicts verdicts = {0};
    json_t *list = json_array();
    const char *name = "";
    int status = json_only_keys(at, "name about metrics expect", err) ||
                         json_string_at(at, "name", &name, err) ||
                         read_facts(at, facts, err) ||
                         rule_set_judge(set, facts, &verdicts, err) ||
                         compare_all(at, &verdicts, list, err)
                     ? -1
                     : 0;

    if (!status)
        json_array_append_new(cases,
                              json_pack("{s:s, s:O}", "name", name, "expected", list));
    json_decref(list);
    rule_verdicts_release(&verdicts);
    rule_facts_free(facts);
    return status;
}

static json_t *counted(json_t *cases)
{
    size_t all = 0, off = 0, i, k;
    json_t *one, *expected;

    json_array_foreach(cases, i, one)
        json_array_foreach(json_object_get(one, "expected"), k, expected) {
            all++;
            off += !json_is_true(json_object_get(expected, "agrees"));
        }
    return json_pack("{s:O, s:I, s:I}", "cases", cases, "expectations", (json_int_t)all,
                     "disagreements", (json_int_t)off);
}

int rule_cases_judge(const struct rule_set *set, const char *path, json_t **out,
                     struct error *err)
{
    struct json_at top, list;
    json_t *root = NULL, *cases = json_array();
    size_t nr = 0;
    int status = json_read_file(path, "inflight.rules-test/1", &root, err);

    top = json_top(path, root);
    if (!status && (json_only_keys(&top, "schema about cases", err) ||
                    json_array_at(&top, "cases", &list, &nr, err)))
        status = -1;
    if (!status && nr == 0)
        status = json_fail(&list, err, "expected at least one case");
    for (size_t i = 0; i < nr && !status; i++) {
        struct json_at element = json_element(&list, i);

        status = judge_case(set, &element, cases, err);
    }
    *out = status ? NULL : counted(cases);
    json_decref(cases);
    json_decref(root);
    return status;
}
