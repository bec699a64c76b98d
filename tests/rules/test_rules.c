#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/machine/machine.h"
#include "core/occupancy/occupancy.h"
#include "rules/rules.h"
#include "tests/check.h"

SUITE(rules);

/* Writes `rules` (the array's inside) as a file and loads it into *set. */
static int load_text(const char *rules, struct rule_set **set, struct error *err)
{
    char *dir = NULL, *path, *text;
    int result;

    if (scratch_make(&dir, err))
        return -1;
    path = path_join(dir, "rules.json");
    text = xasprintf("{\"schema\": \"inflight.rules/1\", \"rules\": [%s]}", rules);
    result = file_write(path, text, strlen(text), err);
    if (result == 0)
        result = rule_set_load(path, set, err);
    free(text);
    free(path);
    scratch_remove(dir);
    return result;
}

#define RULE(id, transformation, when, verdict, sentence)                                \
    "{\"id\": \"" id "\", \"transformation\": \"" transformation "\", \"when\": [" when  \
    "], \"verdict\": \"" verdict                                                         \
    "\", \"weight\": 5, \"work\": [], \"sentence\": \"" sentence                         \
    "\", \"source\": \"test\"}"
#define WHEN(metric, op, value)                                                          \
    "{\"metric\": \"" metric "\", \"op\": \"" op "\", \"value\": " value "}"

static struct rule_set *loaded(const char *rules)
{
    struct rule_set *set = NULL;
    struct error err = {0};

    check_ok(load_text(rules, &set, &err), &err);
    return set;
}

static void set_between(struct rule_facts *facts, const char *metric, double value,
                        double low, double high)
{
    struct error err = {0};

    check_ok(rule_facts_number(facts, metric,
                               quantity_between(value, low, high, 0, PROVENANCE_MODEL),
                               &err),
             &err);
}

static void set_number(struct rule_facts *facts, const char *metric, double value)
{
    set_between(facts, metric, value, value, value);
}

static void set_word(struct rule_facts *facts, const char *metric, const char *word)
{
    struct error err = {0};

    check_ok(rule_facts_word(facts, metric, word, &err), &err);
}

static struct rule_verdicts judged(const struct rule_set *set,
                                   const struct rule_facts *facts)
{
    struct rule_verdicts verdicts = {0};
    struct error err = {0};

    check_ok(rule_set_judge(set, facts, &verdicts, &err), &err);
    return verdicts;
}

TEST("conditions compare")
{
    static const struct {
        const char *op, *value;
        double low, got, high;
        bool holds, undecided;
    } cases[] = {
        {"<", "2", 1, 1, 1, true, false},       {"<", "2", 2, 2, 2, false, false},
        {"<", "2", 1, 1, 3, true, true},        {"<=", "2", 2, 2, 2, true, false},
        {">", "2", 2, 2, 2, false, false},      {">", "2", 1, 3, 3, true, true},
        {">=", "2", 2, 2, 2, true, false},      {"==", "2", 2, 2, 2, true, false},
        {"==", "2", 1, 2, 3, true, true},       {"==", "2", 3, 4, 5, false, false},
        {"!=", "2", 2, 2, 2, false, false},     {"!=", "2", 1, 3, 3, true, true},
        {"!=", "2", 3, 4, 5, true, false},      {"in", "[1, 2]", 3, 4, 5, false, false},
        {"in", "[1, 2]", 1, 1, 2, true, false}, {"in", "[1, 2]", 0, 1, 2, true, true},
        {"in", "[1, 2]", 3, 3, 4, false, false}};

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        char *rule = xasprintf(RULE("a", "tile", WHEN("slack", "%s", "%s"), "try", "s"),
                               cases[i].op, cases[i].value);
        struct rule_set *set = loaded(rule);
        struct rule_facts *facts = rule_facts_new();
        struct rule_verdicts verdicts;

        set_between(facts, "slack", cases[i].got, cases[i].low, cases[i].high);
        verdicts = judged(set, facts);
        check_eq(verdicts.nr, cases[i].holds);
        if (verdicts.nr)
            check_eq(verdicts.item[0].undecided, cases[i].undecided);
        rule_verdicts_release(&verdicts);
        rule_facts_free(facts);
        rule_set_free(set);
        free(rule);
    }
}

TEST("words compare")
{
    static const struct {
        const char *op, *value;
        bool holds;
    } cases[] = {{"==", "\"l1_mshrs\"", true},
                 {"==", "\"core\"", false},
                 {"!=", "\"l1_mshrs\"", false},
                 {"!=", "\"core\"", true},
                 {"in", "[\"core\", \"l1_mshrs\"]", true},
                 {"in", "[\"core\", \"reorder_buffer\"]", false}};

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        char *rule = xasprintf(RULE("a", "tile", WHEN("cause", "%s", "%s"), "try", "s"),
                               cases[i].op, cases[i].value);
        struct rule_set *set = loaded(rule);
        struct rule_facts *facts = rule_facts_new();
        struct rule_verdicts verdicts;

        set_word(facts, "cause", "l1_mshrs");
        verdicts = judged(set, facts);
        check_eq(verdicts.nr, cases[i].holds);
        rule_verdicts_release(&verdicts);
        rule_facts_free(facts);
        rule_set_free(set);
        free(rule);
    }
}

/* Neither a condition nor its opposite holds on what is not known. */
TEST("unknown metrics give no opinion")
{
    struct rule_set *set =
        loaded(RULE("a", "tile", WHEN("slack", "<", "2"), "try", "s") "," RULE(
            "b", "tile", WHEN("slack", ">=", "2"), "avoid",
            "s") "," RULE("c", "simd", WHEN("cause", "!=", "\"l1_mshrs\""), "try",
                          "s") "," RULE("d", "simd", WHEN("in_flight", "!=", "1"), "try",
                                        "s"));
    struct rule_facts *facts = rule_facts_new();
    struct rule_verdicts verdicts = judged(set, facts);

    check_eq(verdicts.nr, 0);
    check(rule_verdicts_deciding(&verdicts, "tile") == NULL);
    rule_verdicts_release(&verdicts);
    set_number(facts, "slack", 3);
    verdicts = judged(set, facts);
    check_eq(verdicts.nr, 1);
    rule_verdicts_release(&verdicts);
    check_eq(rule_facts_number(facts, "slack", quantity_unknown(), NULL), 0);
    verdicts = judged(set, facts);
    check_eq(verdicts.nr, 0);
    rule_verdicts_release(&verdicts);
    rule_facts_free(facts);
    rule_set_free(set);
}

TEST("the first rule decides")
{
    struct rule_set *set =
        loaded(RULE("a", "tile", WHEN("slack", ">", "9"), "stop", "s") "," RULE(
            "b", "tile", WHEN("slack", ">", "2"), "avoid",
            "s") "," RULE("c", "tile",
                          WHEN("slack", ">", "1") "," WHEN("cause", "==", "\"l1_mshrs\""),
                          "try", "s"));
    struct rule_facts *facts = rule_facts_new();
    struct rule_verdicts verdicts;

    set_number(facts, "slack", 3);
    set_word(facts, "cause", "l1_mshrs");
    verdicts = judged(set, facts);
    check_eq(verdicts.nr, 2);
    check_str(rule_verdicts_deciding(&verdicts, "tile")->rule, "b");
    check_eq(rule_verdicts_deciding(&verdicts, "tile")->verdict, VERDICT_AVOID);
    check_eq(rule_verdicts_deciding(&verdicts, "tile")->undecided, false);
    rule_verdicts_release(&verdicts);
    set_between(facts, "slack", 3, 2.5, 10); /* rule a could be right */
    verdicts = judged(set, facts);
    check_str(rule_verdicts_deciding(&verdicts, "tile")->rule, "b");
    check_eq(rule_verdicts_deciding(&verdicts, "tile")->undecided, true);
    rule_verdicts_release(&verdicts);
    rule_facts_free(facts);
    rule_set_free(set);
}

/* An earlier rule that holds has decided; those behind it are as sure as they are. */
TEST("a rule that holds contests nothing")
{
    struct rule_set *set =
        loaded(RULE("a", "tile", WHEN("slack", ">", "2"), "try",
                    "s") "," RULE("b", "tile", WHEN("slack", ">", "1"), "avoid", "s"));
    struct rule_facts *facts = rule_facts_new();
    struct rule_verdicts verdicts;

    set_between(facts, "slack", 3, 1.5, 10);
    verdicts = judged(set, facts);
    check_eq(verdicts.nr, 2);
    check_eq(verdicts.item[0].undecided, true);
    check_eq(verdicts.item[1].undecided, false);
    rule_verdicts_release(&verdicts);
    rule_facts_free(facts);
    rule_set_free(set);
}

TEST("an earlier rule of the same verdict contests nothing")
{
    struct rule_set *set =
        loaded(RULE("a", "tile", WHEN("slack", ">", "9"), "avoid",
                    "s") "," RULE("b", "tile", WHEN("slack", ">", "2"), "avoid", "s"));
    struct rule_facts *facts = rule_facts_new();
    struct rule_verdicts verdicts;

    set_between(facts, "slack", 3, 2.5, 10);
    verdicts = judged(set, facts);
    check_eq(verdicts.item[0].undecided, false);
    rule_verdicts_release(&verdicts);
    rule_facts_free(facts);
    rule_set_free(set);
}

TEST("sentences name values with units")
{
    struct rule_set *set = loaded(RULE("a", "tile", WHEN("slack", ">", "2"), "try",
                                       "{slack} and {l1_utilization}, {bandwidth_gbs}, "
                                       "{latency_ns}, {cause}: {l2_limit}"));
    struct rule_facts *facts = rule_facts_new();
    struct rule_verdicts verdicts;

    set_number(facts, "slack", 2.5);
    set_number(facts, "l1_utilization", 0.853);
    set_number(facts, "bandwidth_gbs", 106.9);
    set_number(facts, "latency_ns", 145);
    set_word(facts, "cause", "reorder_buffer");
    verdicts = judged(set, facts);
    check_str(verdicts.item[0].reason,
              "2.5 and 85 %, 107 GB/s, 145 ns, reorder_buffer: unknown");
    check_str(verdicts.item[0].source, "test");
    rule_verdicts_release(&verdicts);
    rule_facts_free(facts);
    rule_set_free(set);
}

TEST("work takes factors from metrics")
{
    struct rule_set *set =
        loaded("{\"id\": \"a\", \"transformation\": \"tile\", \"when\": [" WHEN(
            "slack", ">", "2") "], \"verdict\": \"try\", \"weight\": 5, \"work\": ["
                               "{\"resource\": \"memory_bandwidth\", \"metric\": "
                               "\"tile_traffic_ratio\"},"
                               "{\"resource\": \"l2_mshrs\", \"factor\": 0.5},"
                               "{\"resource\": \"l1_mshrs\", \"unknown\": true}],"
                               "\"sentence\": \"s\", \"source\": \"test\"}");
    struct rule_facts *facts = rule_facts_new();
    struct rule_verdicts verdicts;

    set_number(facts, "slack", 3);
    verdicts = judged(set, facts);
    check_eq(verdicts.item[0].work_nr, 3);
    check(verdicts.item[0].work[0].factor < 0);
    rule_verdicts_release(&verdicts);
    set_number(facts, "tile_traffic_ratio", 0.125);
    verdicts = judged(set, facts);
    check_str(verdicts.item[0].work[0].resource, "memory_bandwidth");
    check_near(verdicts.item[0].work[0].factor, 0.125, 0);
    check_near(verdicts.item[0].work[1].factor, 0.5, 0);
    check(verdicts.item[0].work[2].factor < 0);
    rule_verdicts_release(&verdicts);
    rule_facts_free(facts);
    rule_set_free(set);
}

/* 55 % is 0.55; us are ns. */
TEST("numbers may be in other units")
{
    static const struct {
        const char *metric, *value, *unit;
        double at;
    } cases[] = {{"memory_utilization", "55", "%", 0.55},
                 {"memory_utilization", "0.55", "share", 0.55},
                 {"bandwidth_gbs", "1500", "MB/s", 1.5},
                 {"latency_ns", "0.2", "us", 200},
                 {"inner_trips", "12", "count", 12}};

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        char *when = xasprintf("{\"metric\": \"%s\", \"op\": \">\", \"value\": %s, "
                               "\"unit\": \"%s\"}",
                               cases[i].metric, cases[i].value, cases[i].unit);
        char *rule = xasprintf(RULE("a", "tile", "%s", "try", "s"), when);
        struct rule_set *set = loaded(rule);
        struct rule_facts *facts = rule_facts_new();

        for (int above = 0; above < 2; above++) {
            struct rule_verdicts verdicts;

            set_number(facts, cases[i].metric, cases[i].at * (above ? 1.01 : 0.99));
            verdicts = judged(set, facts);
            check_eq(verdicts.nr, above);
            rule_verdicts_release(&verdicts);
        }
        rule_facts_free(facts);
        rule_set_free(set);
        free(rule);
        free(when);
    }
}

/* What is left at least: a metric, a number, or the low end of what is left. */
TEST("work knows what is left at least")
{
    struct rule_set *set =
        loaded("{\"id\": \"a\", \"transformation\": \"tile\", \"when\": [" WHEN(
            "slack", ">",
            "2") "], \"verdict\": \"try\", \"weight\": 5, \"work\": ["
                 "{\"resource\": \"memory_bandwidth\", \"metric\": "
                 "\"tile_traffic_ratio\", "
                 "\"least\": \"memory_least_ratio\"},"
                 "{\"resource\": \"l2_mshrs\", \"factor\": 0.5, \"least\": 0.25},"
                 "{\"resource\": \"l1_mshrs\", \"metric\": \"tile_traffic_ratio\"},"
                 "{\"resource\": \"l3_bandwidth\", \"metric\": \"tile_traffic_ratio\", "
                 "\"least\": 0},"
                 "{\"resource\": \"page_walks\", \"unknown\": true, "
                 "\"least\": 0.25}],"
                 "\"sentence\": \"s\", \"source\": \"test\"}");
    static const struct {
        double ratio, low, min; /* negative = not known */
        double factor[4], at_least[4];
    } cases[] = {
        {0.5, 0.4, 0.125, {0.5, 0.5, 0.5, 0.5}, {0.125, 0.25, 0.4, 0}},
        {0.5, 0.4, 0.75, {0.75, 0.5, 0.5, 0.5}, {0.75, 0.25, 0.4, 0}},
        {0.5, 0.4, -1, {0.5, 0.5, 0.5, 0.5}, {0, 0.25, 0.4, 0}},
        {-1, -1, 0.125, {0.125, 0.5, -1, 0}, {0.125, 0.25, 0, 0}},
        {-1, -1, -1, {-1, 0.5, -1, 0}, {0, 0.25, 0, 0}},
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct rule_facts *facts = rule_facts_new();
        struct rule_verdicts verdicts;

        set_number(facts, "slack", 3);
        if (cases[i].ratio >= 0)
            set_between(facts, "tile_traffic_ratio", cases[i].ratio, cases[i].low, 1);
        if (cases[i].min >= 0)
            set_number(facts, "memory_least_ratio", cases[i].min);
        verdicts = judged(set, facts);
        check_near(verdicts.item[0].work[4].factor, -1, 0); /* then nothing is sure */
        check_near(verdicts.item[0].work[4].min, 0, 0);
        for (size_t k = 0; k < 4; k++) {
            check_near(verdicts.item[0].work[k].factor, cases[i].factor[k], 1e-12);
            check_near(verdicts.item[0].work[k].min, cases[i].at_least[k], 1e-12);
        }
        rule_verdicts_release(&verdicts);
        rule_facts_free(facts);
    }
    rule_set_free(set);
}

/* A user's rules go before the shipped ones; a file that is refused leaves the set alone.
 */
TEST("a second file goes first")
{
    struct rule_set *set = loaded(RULE("a", "tile", WHEN("slack", ">", "2"), "try", "s"));
    struct rule_facts *facts = rule_facts_new();
    struct rule_verdicts verdicts;
    struct error err = {0};

    set_number(facts, "slack", 3);
    check_ok(load_text(RULE("mine", "tile", WHEN("slack", ">", "1"), "avoid", "s"), &set,
                       &err),
             &err);
    check_fails(
        load_text(RULE("a", "tile", WHEN("slack", ">", "1"), "avoid", "s"), &set, &err),
        &err, STATUS_INPUT, "\"a\" is taken");
    check_eq(rule_set_nr(set), 2);
    verdicts = judged(set, facts);
    check_str(verdicts.item[0].rule, "mine");
    check_str(verdicts.item[1].rule, "a");
    rule_verdicts_release(&verdicts);
    rule_facts_free(facts);
    rule_set_free(set);
}

TEST("facts take only what there is")
{
    struct rule_facts *facts = rule_facts_new();
    struct error err = {0};

    check_fails(
        rule_facts_number(facts, "slak", quantity_exact(1, PROVENANCE_MODEL), &err), &err,
        STATUS_INPUT, "no metric 'slak'");
    check_fails(
        rule_facts_number(facts, "cause", quantity_exact(1, PROVENANCE_MODEL), &err),
        &err, STATUS_INPUT, "'cause' is a word");
    check_fails(rule_facts_word(facts, "slack", "full", &err), &err, STATUS_INPUT,
                "'slack' is a number");
    check_fails(rule_facts_names(facts, "slack", "a, b", &err), &err, STATUS_INPUT,
                "'slack' is a number");
    check_fails(rule_facts_word(facts, "lookup_names", "full", &err), &err, STATUS_INPUT,
                "'lookup_names' is a list of names");
    check_fails(rule_facts_word(facts, "cause", "tired", &err), &err, STATUS_INPUT,
                "no word 'tired'; known are: unknown, dependent_loads");
    rule_facts_free(facts);
}

TEST("what helps follows from the cause")
{
    struct rule_facts *facts = rule_facts_new();
    struct error err = {0};

    for (int c = 0; c < CAUSE_NR; c++) {
        json_t *all;
        check_ok(rule_facts_word(facts, "cause", cause_word(c), &err), &err);
        all = rule_facts_to_json(facts);
        check_str(json_string_value(json_object_get(all, "cause_kind")),
                  cause_kind_word(cause_kind(c)));
        json_decref(all);
    }
    rule_facts_free(facts);
}

TEST("a rule may be about several transformations")
{
    struct rule_set *set = loaded(
        "{\"id\": \"a\", \"transformation\": [\"tile\", \"fuse\"], \"when\": [" WHEN(
            "slack", ">", "2") "], \"verdict\": \"stop\", \"weight\": 5, "
                               "\"sentence\": \"s\", \"source\": \"test\"}");
    struct rule_facts *facts = rule_facts_new();
    struct rule_verdicts verdicts = {0};
    struct error err = {0};

    check_ok(
        rule_facts_number(facts, "slack", quantity_exact(3, PROVENANCE_DECLARED), &err),
        &err);
    check_ok(rule_set_judge(set, facts, &verdicts, &err), &err);
    check_eq(verdicts.nr, 2);
    check(rule_verdicts_deciding(&verdicts, "tile") != NULL);
    check(rule_verdicts_deciding(&verdicts, "fuse") != NULL);
    check(rule_verdicts_deciding(&verdicts, "simd") == NULL);
    rule_verdicts_release(&verdicts);
    rule_facts_free(facts);
    rule_set_free(set);
}
