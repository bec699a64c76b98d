/* Files of rules: bad ones, several together, and a set whose opinions were dealt out
 * anew. */
#include <stdlib.h>
#include <string.h>

#include "bench/search_trial.h"
#include "core/base.h"
#include "rules/rules.h"
#include "tests/cases.h"
#include "tests/check.h"

SUITE(rules_files);

static const char mine[] = INFLIGHT_SOURCE_DIR "/tests/data/rules/mine.json";
static const char more[] = INFLIGHT_SOURCE_DIR "/tests/data/rules/more.json";

static int read_rules(const struct test_case *one, const char *path, struct error *err)
{
    struct rule_set *set = NULL;
    int result = rule_set_load(path, &set, err);

    (void)one;
    check(result == 0 || !set);
    rule_set_free(set);
    return result;
}

TEST("bad files are refused with their place")
{
    check_refused(INFLIGHT_SOURCE_DIR "/tests/data/rules/bad.cases", 44, read_rules);
}

static int read_cases(const struct test_case *one, const char *path, struct error *err)
{
    struct rule_set *set = NULL;
    json_t *result = NULL;
    int judged = -1;

    (void)one;
    if (check_ok(rule_set_load(NULL, &set, err), err)) {
        judged = rule_cases_judge(set, path, &result, err);
        check(judged == 0 || !result);
    }
    json_decref(result);
    rule_set_free(set);
    return judged;
}

TEST("bad cases are refused with their place")
{
    check_refused(INFLIGHT_SOURCE_DIR "/tests/data/rules/bad_cases.cases", 12,
                  read_cases);
}

static struct rule_set *given(const char *first, const char *second)
{
    struct strvec files = {0};
    struct rule_set *set = NULL;
    struct error err = {0};

    if (first)
        strvec_push(&files, first);
    if (second)
        strvec_push(&files, second);
    check_ok(rule_set_load_given(&files, &set, &err), &err);
    strvec_release(&files);
    return set;
}

/* The rule that decides on unroll where the reorder buffer limits. */
static void check_decides(const struct rule_set *set, const char *rule)
{
    struct rule_facts *facts = rule_facts_new();
    struct rule_verdicts verdicts = {0};
    struct error err = {0};

    check_ok(rule_facts_word(facts, "cause", "reorder_buffer", &err), &err);
    check_ok(rule_facts_number(facts, "memory_utilization",
                               quantity_exact(0.1, PROVENANCE_MODEL), &err),
             &err);
    check_ok(rule_set_judge(set, facts, &verdicts, &err), &err);
    check_str(rule_verdicts_deciding(&verdicts, "unroll")->rule, rule);
    rule_verdicts_release(&verdicts);
    rule_facts_free(facts);
}

TEST("files add to the shipped recipe")
{
    char *only = xasprintf("only:%s", mine);
    struct rule_set *shipped = given(NULL, NULL), *one = given(mine, NULL),
                    *two = given(mine, more), *turned = given(more, mine),
                    *alone = given(only, NULL), *both = given(more, only);

    check_eq(rule_set_nr(one), rule_set_nr(shipped) + 1);
    check_eq(rule_set_nr(two), rule_set_nr(shipped) + 2);
    check_eq(rule_set_nr(alone), 1);
    check_eq(rule_set_nr(both), 2);
    check_decides(shipped, "core.unroll");
    check_decides(one, "mine.unroll");
    check_decides(two, "more.unroll");
    check_decides(turned, "mine.unroll");
    check_decides(alone, "mine.unroll");
    rule_set_free(shipped);
    rule_set_free(one);
    rule_set_free(two);
    rule_set_free(turned);
    rule_set_free(alone);
    rule_set_free(both);
    free(only);
}

TEST("files that cannot be taken leave no set")
{
    static const struct {
        const char *given, *want;
        enum status status;
    } cases[] = {{"nowhere.json", "nowhere.json", STATUS_INPUT},
                 {"only:", "'only:' names no file", STATUS_USAGE},
                 {"", "'' names no file", STATUS_USAGE}};

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct strvec files = {0};
        struct rule_set *set = NULL;
        struct error err = {0};

        strvec_push(&files, cases[i].given);
        check_fails(rule_set_load_given(&files, &set, &err), &err, cases[i].status,
                    cases[i].want);
        check(set == NULL);
        strvec_release(&files);
    }
}

static void check_hash(const struct rule_set *a, const struct rule_set *b, bool same)
{
    char *first = rule_set_hash(a), *second = rule_set_hash(b);

    check_eq(strcmp(first, second) == 0, same);
    free(first);
    free(second);
}

static struct rule_set *dealt(uint64_t seed)
{
    struct rule_set *set = NULL;
    struct error err = {0};

    check_ok(trial_shuffled_rules(seed, &set, &err), &err);
    return set;
}

TEST("the hash is of what they say")
{
    struct rule_set *shipped = given(NULL, NULL), *again = given(NULL, NULL),
                    *one = given(mine, NULL), *shuffled = dealt(1);

    check_hash(shipped, again, true);
    check_hash(shipped, one, false);
    check_hash(shipped, shuffled, false);
    rule_set_free(shipped);
    rule_set_free(again);
    rule_set_free(one);
    rule_set_free(shuffled);
}

/* Of all that the reorder buffer speaks for: as many rules, in the same words, of other
 * opinions.
 */
static struct rule_verdicts of_window(const struct rule_set *set)
{
    struct rule_facts *facts = rule_facts_new();
    struct rule_verdicts verdicts = {0};
    struct error err = {0};
    struct quantity little = quantity_exact(0.1, PROVENANCE_MODEL);

    check_ok(rule_facts_word(facts, "cause", "reorder_buffer", &err), &err);
    check_ok(rule_facts_number(facts, "queue_utilization", little, &err), &err);
    check_ok(
        rule_facts_number(facts, "loop_depth", quantity_exact(3, PROVENANCE_MODEL), &err),
        &err);
    check_ok(rule_facts_number(facts, "random_share", quantity_exact(1, PROVENANCE_MODEL),
                               &err),
             &err);
    check_ok(rule_set_judge(set, facts, &verdicts, &err), &err);
    rule_facts_free(facts);
    return verdicts;
}

static size_t moved(const struct rule_set *a, const struct rule_set *b)
{
    struct rule_verdicts first = of_window(a), second = of_window(b);
    size_t nr = 0;

    check(first.nr > 3);
    check_eq(first.nr, second.nr);
    for (size_t i = 0; i < first.nr && i < second.nr; i++) {
        check_str(second.item[i].rule, first.item[i].rule);
        check_str(second.item[i].reason, first.item[i].reason);
        nr += first.item[i].weight != second.item[i].weight ||
              first.item[i].verdict != second.item[i].verdict;
    }
    rule_verdicts_release(&first);
    rule_verdicts_release(&second);
    return nr;
}

TEST("shuffling deals opinions anew")
{
    struct rule_set *shipped = given(NULL, NULL), *one = dealt(1), *same = dealt(1),
                    *other = dealt(2);

    check_eq(rule_set_nr(one), rule_set_nr(shipped));
    check(moved(shipped, one) > 1);
    check(moved(shipped, other) > 1);
    check(moved(one, other) > 1);
    check_eq(moved(one, same), 0);
    rule_set_free(shipped);
    rule_set_free(one);
    rule_set_free(same);
    rule_set_free(other);
}

TEST("pairs have reasons and add up")
{
    static const char file[] =
        "{\"schema\": \"inflight.rules/1\", \"rules\": [], \"pairs\": [{\"first\": "
        "\"tile\", \"second\": \"nontemporal\", \"reason\": \"Ours.\", \"source\": "
        "\"us\"}]}";
    struct rule_set *set = NULL;
    struct error err = {0};
    char *folder = NULL;
    size_t shipped, nr;

    check_ok(rule_set_load(NULL, &set, &err), &err);
    const struct rule_pair *pair = rule_set_pairs(set, &shipped);
    check(shipped > 3);
    for (size_t i = 0; i < shipped; i++)
        check(*pair[i].reason && *pair[i].source);
    check_ok(scratch_make(&folder, &err), &err);
    char *path = path_join(folder, "pairs.json");
    check_ok(file_write(path, file, strlen(file), &err), &err);
    check_ok(rule_set_load(path, &set, &err), &err);
    pair = rule_set_pairs(set, &nr);
    check_eq(nr, shipped + 1);
    check_str(pair[0].second, "nontemporal");
    check_str(pair[0].reason, "Ours.");
    rule_set_free(set);
    scratch_remove(folder);
    free(path);
}

TEST("shares realized: a user's before the shipped one, 0.6 where nobody says one")
{
    static const char file[] =
        "{\"schema\": \"inflight.rules/1\", \"rules\": [], \"unless_said\": ["
        "{\"transformation\": \"hugepages\", \"work\": [], \"realized\": 0.9, "
        "\"source\": \"us\"}, {\"transformation\": \"tile\", \"work\": [], "
        "\"source\": \"us\"}]}";
    static const char beyond[] =
        "{\"schema\": \"inflight.rules/1\", \"rules\": [], \"unless_said\": ["
        "{\"transformation\": \"pad\", \"work\": [], \"realized\": 1.5, "
        "\"source\": \"us\"}]}";
    struct rule_set *set = NULL;
    struct error err = {0};
    char *folder = NULL;

    check_ok(rule_set_load(NULL, &set, &err), &err);
    double pages = rule_set_realized(set, "hugepages"),
           tile = rule_set_realized(set, "tile");
    check(pages > 0 && pages < 0.6 && tile < 0.6);
    check_near(rule_set_realized(set, "skew"), 0.6, 1e-9);
    check_ok(scratch_make(&folder, &err), &err);
    char *path = path_join(folder, "shares.json");
    check_ok(file_write(path, file, strlen(file), &err), &err);
    check_ok(rule_set_load(path, &set, &err), &err);
    check_near(rule_set_realized(set, "hugepages"), 0.9, 1e-9);
    check_near(rule_set_realized(set, "tile"), tile, 1e-9);
    check_ok(file_write(path, beyond, strlen(beyond), &err), &err);
    check(rule_set_load(path, &set, &err) == -1);
    check(strstr(err.text, "realized") != NULL);
    rule_set_free(set);
    scratch_remove(folder);
    free(path);
}
