/* The shipped recipe: well-formed, and of the right opinion in situations one can tell.
 */
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "rules/rules.h"
#include "tests/check.h"

SUITE(rules_recipe);

static struct rule_set *recipe(void)
{
    struct rule_set *set = NULL;
    struct error err = {0};

    check_ok(rule_set_load(NULL, &set, &err), &err);
    return set;
}

static json_t *recipe_json(struct json_at *rules, size_t *nr)
{
    static const char path[] = INFLIGHT_SOURCE_DIR "/rules/recipe.json";
    struct error err = {0};
    struct json_at top;
    json_t *root = NULL;

    *nr = 0;
    if (!check_ok(json_read_file(path, NULL, &root, &err), &err))
        return NULL;
    top = json_top(path, root);
    check_ok(json_array_at(&top, "rules", rules, nr, &err), &err);
    rules->parent = NULL;
    return root;
}

/* "page_walks.hugepages": what it rests on first, a word of its own behind it. */
static bool rests_on_something(const char *id)
{
    const char *dot = strchr(id, '.');

    return dot && dot > id && dot[1] && !strchr(dot + 1, '.') &&
           strspn(id, "abcdefghijklmnopqrstuvwxyz0123456789_.") == strlen(id);
}

/* The id says what the rule rests on; a sentence is one, and says nothing of MSHRs
 * unexplained. */
TEST("rules are written alike")
{
    struct json_at rules;
    size_t nr;
    json_t *root = recipe_json(&rules, &nr);

    for (size_t i = 0; i < nr; i++) {
        struct json_at rule = json_element(&rules, i);
        const char *id = "", *sentence = "", *source = "";

        json_string_at(&rule, "id", &id, NULL);
        json_string_at(&rule, "sentence", &sentence, NULL);
        json_string_at(&rule, "source", &source, NULL);
        if (!check(rests_on_something(id)))
            check_str(id, "begins with what the rule rests on");
        check(sentence[0] != '\0' && sentence[strlen(sentence) - 1] == '.');
        check(strstr(sentence, "MSHR") == NULL);
        check(source[0] != '\0');
    }
    json_decref(root);
}

TEST("every metric is told once")
{
    size_t nr;
    const struct rule_metric *metric = rule_metrics(&nr);

    for (size_t i = 0; i < nr; i++) {
        check(metric[i].unit[0] != '\0' && metric[i].meaning[0] != '\0');
        check_eq(strcmp(metric[i].unit, "word") == 0, metric[i].words != NULL);
        for (size_t k = 0; k < i; k++)
            check(strcmp(metric[i].name, metric[k].name) != 0);
    }
}

/* What the recipe says of the situations in a file for `inflight rules --test`. A
 * sentence rests on what is known. */
static size_t check_situations(const struct rule_set *set, const char *path)
{
    struct error err = {0};
    json_t *judged = NULL, *one, *expected;
    size_t i, k, nr = 0;

    check_ok(rule_cases_judge(set, path, &judged, &err), &err);
    json_array_foreach(json_object_get(judged, "cases"), i, one) {
        const char *name = json_string_value(json_object_get(one, "name"));

        json_array_foreach(json_object_get(one, "expected"), k, expected) {
            const char *reason = json_string_value(json_object_get(expected, "reason"));

            check_str_at(json_string_value(json_object_get(expected, "got")),
                         json_string_value(json_object_get(expected, "want")), name,
                         HERE);
            check(!reason || !strstr(reason, "unknown"));
            nr++;
        }
    }
    json_decref(judged);
    return nr;
}

/* Those that one can tell without counters, and with them. */
TEST("situations get the right opinion")
{
    struct rule_set *set = recipe();

    check(set && check_situations(set, INFLIGHT_SOURCE_DIR
                                  "/tests/data/rules/situations.json") >= 89);
    check(set && check_situations(set, INFLIGHT_SOURCE_DIR
                                  "/tests/data/rules/counters.json") > 80);
    rule_set_free(set);
}

TEST("nothing known means no opinion")
{
    struct rule_set *set = recipe();
    struct rule_facts *facts = rule_facts_new();
    struct rule_verdicts verdicts = {0};

    check_eq(rule_set_judge(set, facts, &verdicts, NULL), 0);
    check_eq(verdicts.nr, 0);
    rule_facts_free(facts);
    rule_set_free(set);
}

static bool has_verdict(const json_t *rules, const char *transformation,
                        const char *verdict)
{
    for (size_t i = 0; i < json_array_size(rules); i++) {
        const json_t *rule = json_array_get(rules, i);
        const json_t *of = json_object_get(rule, "transformation");
        const char *says = json_string_value(json_object_get(rule, "verdict"));

        for (size_t k = 0; k < json_array_size(of); k++)
            if (!strcmp(json_string_value(json_array_get(of, k)), transformation) &&
                !strcmp(says, verdict))
                return true;
    }
    return false;
}

/* Each transformation the recipe speaks of is both advised and advised against somewhere.
 */
TEST("the recipe knows both sides")
{
    static const char *const wanted[] = {
        "simd",        "interchange", "tile",      "unroll_jam", "prefetch_l1",
        "prefetch_l2", "smt",         "hugepages", "fuse",       "distribute",
        "nontemporal", "parallel",    "unroll",
    };
    struct rule_set *set = recipe();
    json_t *rules = rule_set_to_json(set);

    for (size_t i = 0; i < ARRAY_SIZE(wanted); i++)
        if (!check(has_verdict(rules, wanted[i], "try") &&
                   (has_verdict(rules, wanted[i], "avoid") ||
                    has_verdict(rules, wanted[i], "stop"))))
            check_str(wanted[i], "advised and advised against");
    json_decref(rules);
    rule_set_free(set);
}

/* What a number is measured in stands beside it. */
TEST("numbers carry their unit")
{
    struct json_at rules, when;
    size_t nr, when_nr = 0, seen = 0;
    json_t *root = recipe_json(&rules, &nr);

    for (size_t i = 0; i < nr; i++) {
        struct json_at rule = json_element(&rules, i);

        json_array_at(&rule, "when", &when, &when_nr, NULL);
        for (size_t k = 0; k < when_nr; k++) {
            const json_t *one = json_array_get(when.node, k);
            bool number = json_is_number(json_object_get(one, "value"));

            seen += number;
            check_eq(json_is_string(json_object_get(one, "unit")), number);
        }
    }
    check(seen > 50);
    json_decref(root);
}
