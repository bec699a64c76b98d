/* inflight rules: the rules in words, and tests of them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/cli/cli.h"
#include "advisor/commands/rules_text.h"
#include "advisor/exchange/exchanged.h"
#include "advisor/program/commands.h"
#include "advisor/report/track_show.h"
#include "rules/rules.h"
#include "variants/plan/plan.h"

static int print_list(const struct settings *settings, const char *key, json_t *list,
                      void (*say)(const json_t *list, struct buf *out), struct error *err)
{
    struct buf text = {0};
    int status;
    if (settings->json) {
        json_t *document =
            json_pack("{s:s, s:O}", "schema", "inflight.rules-list/1", key, list);
        status = print_json(document, err);
        json_decref(document);
    } else {
        say(list, &text);
        status = print_text(buf_str(&text), err);
    }
    buf_release(&text);
    json_decref(list);
    return status;
}

/* ---- the tables ---- */

static int print_metrics(const struct settings *settings, struct error *err)
{
    size_t nr;
    const struct rule_metric *metric = rule_metrics(&nr);
    json_t *list = json_array();
    for (size_t i = 0; i < nr; i++) {
        json_t *one = json_pack("{s:s, s:s, s:s}", "metric", metric[i].name, "unit",
                                metric[i].unit, "meaning", metric[i].meaning);
        json_t *words = json_array();
        for (const char *const *word = metric[i].words; word && *word; word++)
            json_array_append_new(words, json_string(*word));
        if (json_array_size(words))
            json_object_set(one, "words", words);
        json_decref(words);
        json_array_append_new(list, one);
    }
    return print_list(settings, "metrics", list, rules_say_metrics, err);
}

static int print_transformations(const struct settings *settings, struct error *err)
{
    size_t nr;
    const struct rule_transformation *all = rule_transformations(&nr);
    json_t *list = json_array();
    for (size_t i = 0; i < nr; i++)
        json_array_append_new(list, json_pack("{s:s, s:b, s:s}", "transformation",
                                              all[i].name, "in_plan", all[i].in_plan,
                                              "meaning", all[i].meaning));
    return print_list(settings, "transformations", list, rules_say_transformations, err);
}

/* ---- the rules ---- */

static const char *text_of(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

static bool is_about(const json_t *rule, const char *transformation)
{
    const json_t *list = json_object_get(rule, "transformation");
    bool found = false;
    for (size_t i = 0; i < json_array_size(list); i++)
        found =
            found || !strcmp(json_string_value(json_array_get(list, i)), transformation);
    return found;
}

/* Those of that id, or of that transformation. */
static json_t *picked(const json_t *all, const char *word)
{
    json_t *list = json_array();
    for (size_t i = 0; i < json_array_size(all); i++) {
        json_t *rule = json_array_get(all, i);
        if (!strcmp(text_of(rule, "id"), word) || is_about(rule, word))
            json_array_append(list, rule);
    }
    return list;
}

/* unroll-and-jam is unroll_jam here; what no plan knows stays. */
static const char *rule_word(const char *word)
{
    size_t variant;
    enum step_kind kind = step_kind_named(word, &variant);
    const char *known =
        kind < STEP_KIND_NR ? transformation_of(kind)->rule[variant].word : NULL;
    return known ? known : word;
}

static int explain(const struct settings *settings, const struct rule_set *set,
                   const json_t *all, struct error *err)
{
    json_t *list = picked(all, rule_word(settings->rule));
    const char *near = rule_set_nearest(set, settings->rule);
    if (json_array_size(list))
        return print_list(settings, "rules", list, rules_say_one_by_one, err);
    json_decref(list);
    return near ? fail(err, STATUS_USAGE,
                       "there is no rule or transformation '%s'; did you mean '%s'?",
                       settings->rule, near)
                : fail(err, STATUS_USAGE,
                       "there is no rule or transformation '%s'; 'inflight rules' lists "
                       "them",
                       settings->rule);
}

static int print_rules(const struct settings *settings, const struct rule_set *set,
                       struct error *err)
{
    json_t *all = rule_set_to_json(set);
    int status = settings->rule ? explain(settings, set, all, err)
                                : print_list(settings, "rules", json_incref(all),
                                             rules_say_table, err);
    json_decref(all);
    return status;
}

/* ---- tests ---- */

static int test_cases(const struct settings *settings, const struct rule_set *set,
                      struct error *err)
{
    struct buf text = {0};
    json_t *result = NULL;
    int status = rule_cases_judge(set, settings->rule_test, &result, err);
    if (status)
        return -1;
    json_object_set_new(result, "schema", json_string("inflight.rules-result/1"));
    rules_say_result(result, &text);
    status = settings->json ? print_json(result, err) : print_text(buf_str(&text), err);
    long long off = json_integer_value(json_object_get(result, "disagreements")),
              all = json_integer_value(json_object_get(result, "expectations"));
    if (!status && off)
        status = fail(err, STATUS_FAILED, "%lld of %lld verdicts are not as expected",
                      off, all);
    buf_release(&text);
    json_decref(result);
    return status;
}

static json_t *verdict_json(const struct answer *answer,
                            const struct rule_verdict *verdict)
{
    return json_pack(
        "{s:s, s:s, s:s, s:s, s:b, s:o}", "transformation", verdict->transformation,
        "verdict", verdict_word(verdict->verdict), "rule", verdict->rule, "reason",
        verdict->reason, "undecided", verdict->undecided, "bound_speedup",
        verdict->verdict == VERDICT_TRY ? json_quantity(answer_bound(answer, verdict))
                                        : json_null());
}

static json_t *verdicts_json(const struct answer *answer)
{
    json_t *list = json_array();
    for (size_t i = 0; i < answer->verdicts.nr; i++) {
        const struct rule_verdict *verdict = &answer->verdicts.item[i];
        if (rule_verdicts_deciding(&answer->verdicts, verdict->transformation) == verdict)
            json_array_append_new(list, verdict_json(answer, verdict));
    }
    return list;
}

static int test_measurement(const struct settings *settings, const struct rule_set *set,
                            struct error *err)
{
    struct settings replay = *settings;
    struct answer answer = {0};
    struct given given = {0};
    replay.measurement = settings->rule_test;
    int status = replayed_answer(&replay, set, &given, &answer, err);
    if (!status)
        status = print_list(settings, "verdicts", verdicts_json(&answer),
                            rules_say_verdicts, err);
    answer_release(&answer);
    given_release(&given);
    return status;
}

/* Which of both the file is, it says itself. */
static int test_file(const struct settings *settings, const struct rule_set *set,
                     struct error *err)
{
    json_t *root = NULL;
    if (json_read_file(settings->rule_test, NULL, &root, err))
        return -1;
    const char *schema = text_of(root, "schema");
    bool measured = schema && !strncmp(schema, "inflight.measurement/", 21);
    json_decref(root);
    return measured ? test_measurement(settings, set, err)
                    : test_cases(settings, set, err);
}

static int check_form(const struct settings *settings, struct error *err)
{
    const struct {
        bool given;
        const char *name;
    } form[] = {{settings->record, "--record"},
                {settings->metrics, "--metrics"},
                {settings->transformations, "--transformations"},
                {settings->rule_test != NULL, "--test"},
                {settings->rule != NULL, "a rule"}};
    const char *first = NULL;
    for (size_t i = 0; i < ARRAY_SIZE(form); i++) {
        if (form[i].given && first)
            return fail(err, STATUS_USAGE, "%s and %s do not go together: one at a time",
                        first, form[i].name);
        first = form[i].given ? form[i].name : first;
    }
    return settings->machine && !settings->rule_test
               ? fail(err, STATUS_USAGE, "--machine goes with --test of a measurement")
               : 0;
}

int rules_command(const struct settings *settings, struct error *err)
{
    struct rule_set *set = NULL;
    if (check_form(settings, err))
        return -1;
    if (settings->record)
        return track_command(settings, err);
    if (settings->metrics)
        return print_metrics(settings, err);
    if (settings->transformations)
        return print_transformations(settings, err);
    int status = rule_set_load_given(&settings->rules, &set, err);
    if (!status)
        status = settings->rule_test ? test_file(settings, set, err)
                                     : print_rules(settings, set, err);
    rule_set_free(set);
    return status;
}
