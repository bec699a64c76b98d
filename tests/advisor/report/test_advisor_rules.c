/* inflight rules: what it prints, and the example of docs/reference/rules.md. */
#include <stdlib.h>
#include <string.h>

#include "advisor/commands/rules_text.h"
#include "rules/rules.h"
#include "tests/check.h"

SUITE(advisor_rules);

static const char page[] = INFLIGHT_SOURCE_DIR "/docs/reference/rules.md";

/* The nth named block of JSON of the page becomes a file of the folder. Caller frees its
 * path.
 */
static char *example(const char *text, int nth, const char *dir, const char *name)
{
    const char *from = text, *end = NULL;
    char *path = path_join(dir, name);
    struct error err = {0};

    for (int i = 0; i <= nth && from; i++) {
        from = strstr(end ? end + 3 : from, "```json ");
        from = from ? strchr(from, '\n') : NULL;
        from += from != NULL;
        end = from ? strstr(from, "```") : NULL;
    }
    if (check(from && end))
        check_ok(file_write(path, from, (size_t)(end - from), &err), &err);
    return path;
}

/* The cases under these rules: so many disagree, and the page shows what is printed. */
static void check_shown(const char *layout_text, const struct strvec *rules,
                        const char *cases, long long disagree)
{
    struct rule_set *set = NULL;
    struct buf output = {0};
    struct error err = {0};
    json_t *result = NULL;

    check_ok(rule_set_load_given(rules, &set, &err), &err);
    if (set && check_ok(rule_cases_judge(set, cases, &result, &err), &err)) {
        check_eq(json_integer_value(json_object_get(result, "disagreements")), disagree);
        rules_say_result(result, &output);
        check_contains(layout_text, buf_str(&output));
    }
    json_decref(result);
    rule_set_free(set);
    buf_release(&output);
}

TEST("the page's example works")
{
    struct buf text = {0};
    struct strvec none = {0}, own = {0};
    struct error err = {0};
    char *dir = NULL, *rules, *cases;

    if (!check_ok(file_read(page, &text, &err), &err) ||
        !check_ok(scratch_make(&dir, &err), &err))
        return;
    rules = example(buf_str(&text), 0, dir, "mine.json");
    cases = example(buf_str(&text), 1, dir, "cases.json");
    strvec_push(&own, rules);
    check_shown(buf_str(&text), &own, cases, 0);
    check_shown(buf_str(&text), &none, cases, 2);
    strvec_release(&own);
    free(rules);
    free(cases);
    scratch_remove(dir);
    buf_release(&text);
}

/* Every rule is explained without a gap, every metric has its line. */
TEST("all is said")
{
    struct rule_set *set = NULL;
    struct buf text = {0};
    struct error err = {0};
    json_t *rules;

    if (!check_ok(rule_set_load(NULL, &set, &err), &err))
        return;
    rules = rule_set_to_json(set);
    rules_say_one_by_one(rules, &text);
    for (size_t i = 0; i < json_array_size(rules); i++) {
        const json_t *rule = json_array_get(rules, i);

        check_contains(buf_str(&text), json_string_value(json_object_get(rule, "id")));
        check(json_array_size(json_object_get(rule, "conditions")) > 0);
        check_eq(json_array_size(json_object_get(rule, "changes")),
                 json_array_size(json_object_get(rule, "work")));
    }
    check(strstr(buf_str(&text), "(null)") == NULL);
    buf_release(&text);
    json_decref(rules);
    rule_set_free(set);
}
