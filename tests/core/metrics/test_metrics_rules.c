/*
 * What counters tell the rules: which facts follow from counts, and that the rules on
 * them stand beside occupancy and do not overrule it.
 */
#include <stdlib.h>
#include <string.h>

#include "advisor/metrics/metrics_columns.h"
#include "advisor/metrics/metrics_facts.h"
#include "core/base/buf.h"
#include "core/occupancy/diagnosis.h"
#include "rules/rules.h"
#include "tests/check.h"

SUITE(metrics_rules);

#define DATA INFLIGHT_SOURCE_DIR "/tests/data/"

/* ---- the rules ---- */

static struct rule_set *recipe(void)
{
    struct rule_set *set = NULL;
    struct error err = {0};

    check_ok(rule_set_load(NULL, &set, &err), &err);
    return set;
}

static const char *const counted[] = {"frontend_bound",
                                      "bad_speculation",
                                      "backend_bound",
                                      "retiring",
                                      "memory_bound",
                                      "core_bound",
                                      "store_bound",
                                      "division_bound",
                                      "l1_full_share",
                                      "l2_full_share",
                                      NULL};

static bool is_counted(const char *metric)
{
    for (size_t i = 0; counted[i]; i++)
        if (!strcmp(counted[i], metric))
            return true;
    return false;
}

static bool asks_counters(const json_t *rule)
{
    const json_t *condition;
    size_t i;

    json_array_foreach(json_object_get(rule, "when"), i, condition)
        if (is_counted(json_string_value(json_object_get(condition, "metric"))))
            return true;
    return false;
}

/* About one transformation, at least. */
static bool share_one(const json_t *a, const json_t *b)
{
    const json_t *left, *right;
    size_t i, k;

    json_array_foreach(json_object_get(a, "transformation"), i, left)
        json_array_foreach(json_object_get(b, "transformation"), k, right)
            if (json_equal(left, right))
                return true;
    return false;
}

static bool says_stop(const json_t *rule)
{
    return !strcmp(json_string_value(json_object_get(rule, "verdict")), "stop");
}

/* A full queue stops what a full queue stops, whatever the counters say: a rule that asks
 * them stands behind every stop of its transformation, or stops, too. */
TEST("counters do not overrule a stop")
{
    struct rule_set *set = recipe();
    json_t *rules = rule_set_to_json(set);
    const json_t *rule, *later;
    size_t i, k, seen = 0;

    json_array_foreach(rules, i, rule) {
        seen += asks_counters(rule);
        if (!asks_counters(rule) || says_stop(rule))
            continue;
        json_array_foreach(rules, k, later)
            if (k > i && share_one(rule, later) && says_stop(later))
                check_str(json_string_value(json_object_get(later, "id")),
                          json_string_value(json_object_get(rule, "id")));
    }
    check(seen > 1);
    json_decref(rules);
    rule_set_free(set);
}

static bool any_rule_asks(const json_t *rules, const char *metric)
{
    const json_t *rule, *condition;
    size_t i, k;

    json_array_foreach(rules, i, rule)
        json_array_foreach(json_object_get(rule, "when"), k, condition)
            if (!strcmp(json_string_value(json_object_get(condition, "metric")), metric))
                return true;
    return false;
}

/* Of the cause, or in a rule of its own. */
TEST("each fact decides something")
{
    struct rule_set *set = recipe();
    struct counted heard;
    json_t *rules = rule_set_to_json(set);

    for (size_t i = 0; counted[i]; i++)
        if (!check(counted_put(&heard, counted[i], quantity_unknown()) ||
                   any_rule_asks(rules, counted[i])))
            check_str(counted[i], "asked by a rule, or by the diagnosis");
    json_decref(rules);
    rule_set_free(set);
}

/* ---- from counts to facts ---- */

struct taken {
    struct buf text;
};

static void take(void *context, const char *fact, struct quantity value)
{
    struct taken *taken = context;

    buf_addf(&taken->text, "%s=%.4g ", fact, value.value);
}

struct counts {
    const char *event;
    double value, share; /* share 0 = all of the time; value < 0 = not counted */
};

/* Facts by the definitions made up for it. */
static char *facts_of(const struct counts *counts, size_t nr, struct metrics_facts *facts)
{
    struct count_set set = {.seconds = quantity_exact(1, PROVENANCE_CLOCK)};
    struct taken taken = {{0}};
    struct error err = {0};

    *facts = (struct metrics_facts){0};
    for (size_t i = 0; i < nr; i++)
        if (counts[i].value >= 0)
            count_set_add(&set, counts[i].event,
                          quantity_exact(counts[i].value, PROVENANCE_PAPI),
                          counts[i].share > 0 ? counts[i].share : 1);
    if (check_ok(
            metric_set_load(DATA "metrics/facts/made-up.json", NULL, &facts->set, &err),
            &err)) {
        metric_evaluate(&(struct metric_question){.set = facts->set, .counts = &set},
                        &facts->result);
        metrics_facts_tell(facts, take, &taken);
    }
    count_set_release(&set);
    return buf_detach(&taken.text);
}

static void check_facts(const struct counts *counts, size_t nr, const char *want)
{
    struct metrics_facts facts;
    char *got = facts_of(counts, nr, &facts);

    check_str(got, want);
    free(got);
    metrics_facts_release(&facts);
}

/* Half of the back end's 40 % is memory's: 20 % of the whole. */
TEST("shares are told of the whole")
{
    static const struct counts counts[] = {
        {"CYCLES", 1000, 0},  {"FRONT", 100, 0},  {"BACK", 400, 0},     {"DONE", 450, 0},
        {"BAD", 50, 0},       {"MEMORY", 200, 0}, {"PENDING", 3500, 0}, {"FULL", 120, 0},
        {"FULL_LESS", 90, 0}, {"DIVIDES", 10, 0}};

    check_facts(counts, ARRAY_SIZE(counts),
                "frontend_bound=0.1 bad_speculation=0.05 backend_bound=0.4 "
                "memory_bound=0.2 core_bound=0.2 retiring=0.45 counted_l1_occupancy=3.5 "
                "l1_full_share=0.12 division_bound=0.01 ");
}

/* Not counted; a sum that does not fit; a share above 1; counted too little. */
TEST("what is not to be trusted is not told")
{
    static const struct counts counts[] = {
        {"CYCLES", 1000, 0},  {"FRONT", 300, 0},   {"BACK", 400, 0},   {"DONE", 450, 0},
        {"BAD", 50, 0},       {"MEMORY", 200, 0},  {"PENDING", -1, 0}, {"FULL", 120, 0.1},
        {"FULL_LESS", 90, 0}, {"DIVIDES", 2000, 0}};

    check_facts(counts, ARRAY_SIZE(counts),
                "memory_bound=0.2 core_bound=0.2 l1_full_share=0.09 ");
}

TEST("reasons are given")
{
    static const struct counts counts[] = {
        {"CYCLES", 1000, 0}, {"FULL", 120, 0.1}, {"DIVIDES", 2000, 0}};
    struct metrics_facts facts;
    char *given = facts_of(counts, ARRAY_SIZE(counts), &facts);
    json_t *json = metrics_facts_json(&facts, NULL);
    struct buf text = {0};

    metrics_facts_text(json, 79, &text);
    check_str(given, "");
    check_str(buf_str(&text),
              "  Counters beside it, by the definitions of made-up:\n"
              "    Full               not passed to the rules: its events were counted "
              "only 10\n"
              "                       % of the time\n"
              "    Divides            not passed to the rules: 2 cannot be\n");
    buf_release(&text);
    json_decref(json);
    free(given);
    metrics_facts_release(&facts);
}

/* Counts that only tell the bandwidth say nothing more. */
TEST("nothing counted is nothing said")
{
    struct count_set set = {0};
    char name[] = "Skylake-SP", other[] = "Skylak";
    struct machine machine = {.microarchitecture = other};
    struct metrics_facts_question question = {&set, &machine, 1, NULL};
    struct error err = {0};
    struct strvec note = {0};
    struct metrics_facts facts;

    count_set_add(&set, "read_bytes", quantity_exact(1e9, PROVENANCE_RECORDED), 1);
    check_ok(metrics_facts_of(&question, &facts, &note, &err), &err);
    check(facts.set == NULL);
    json_t *json = metrics_facts_json(&facts, NULL);
    check(json_is_null(json));
    json_decref(json);
    count_set_add(&set, "CPU_CLK_UNHALTED:THREAD_P", quantity_exact(1e9, PROVENANCE_PAPI),
                  1);
    count_set_add(&set, "UOPS_RETIRED:RETIRE_SLOTS", quantity_exact(3e9, PROVENANCE_PAPI),
                  1);
    check_ok(metrics_facts_of(&question, &facts, &note, &err), &err);
    check(facts.set == NULL);
    machine.microarchitecture = name;
    check_ok(metrics_facts_of(&question, &facts, &note, &err), &err);
    if (check(facts.set != NULL))
        check_str(facts.set->name, "skylake-sp");
    metrics_facts_release(&facts);
    check_eq(note.nr, 0);
    question.definitions = "zen4";
    check_ok(metrics_facts_of(&question, &facts, &note, &err), &err);
    check(facts.set == NULL);
    if (check_eq(note.nr, 1))
        check_contains(note.v[0],
                       "no metric of 'zen4', which --cpu names, can be computed");
    count_set_release(&set);
    strvec_release(&note);
}

/* The table of CPUs, and who defines their metrics; NULL = nobody. */
TEST("profiles find their definitions")
{
    static const char *const pair[][2] = {
        {"Skylake-SP", "skylake-sp"},
        {"Cascade Lake / Cooper Lake", "skylake-sp"},
        {"Sapphire / Emerald Rapids (Golden / Raptor Cove)", "sapphire-rapids"},
        {"Ice Lake-SP", "icelake-sp"},
        {"A64FX", "a64fx"},
        {"Zen 2", "zen2"},
        {"Zen 4 / 4c", "zen4"},
        {"POWER9", "power9"},
        {"Neoverse V2", "neoverse-v2"},
        {"Knights Landing / Knights Mill", NULL}};
    struct metric_file *file = NULL;
    struct error err = {0};
    size_t nr = 0;

    check_ok(metric_files(&file, &nr, &err), &err);
    for (size_t i = 0; i < nr; i++) {
        struct metric_set *set = NULL;

        if (!file[i].common)
            check_ok(metric_set_load(file[i].name, NULL, &set, &err), &err);
        for (size_t k = 0; set && k < ARRAY_SIZE(pair); k++)
            if (strvec_has(&set->microarchitecture, pair[k][0]) !=
                (pair[k][1] && !strcmp(pair[k][1], file[i].name)))
                check_str(file[i].name, pair[k][0]);
        metric_set_free(set);
    }
    metric_files_release(file, nr);
}

/* ---- what has to be counted for them ---- */

/* Four counters beside cycles and instructions. */
static int four_fit(void *data, const struct strvec *event, bool *at_once,
                    struct error *err)
{
    size_t others = 0;

    (void)data;
    (void)err;
    for (size_t i = 0; i < event->nr; i++)
        others += !strstr(event->v[i], "UNHALTED:THREAD") &&
                  !strstr(event->v[i], "INST_RETIRED:ANY");
    *at_once = others <= 4;
    return 0;
}

static size_t runs_of(const struct metric_set *set, bool facts, size_t *missing)
{
    struct metric_plan_request request = {.set = set, .facts = facts, .fits = four_fit};
    struct metric_plan plan = {0};

    metric_plan_make(&request, &plan);
    *missing = 0;
    for (size_t i = 0; i < set->metric_nr; i++) {
        struct strvec event = {0};

        metric_events_of(set, (int)i, &event);
        for (size_t k = 0; set->metric[i].fact && k < event.nr; k++) {
            bool planned = false;

            for (size_t run = 0; run < plan.run_nr; run++)
                planned = planned || strvec_has(&plan.run[run], event.v[k]);
            *missing += !planned;
        }
        strvec_release(&event);
    }
    size_t nr = plan.run_nr;
    metric_plan_release(&plan);
    return nr;
}

/* A search starts with them: they are to cost little. */
TEST("facts need few runs")
{
    struct metric_set *set = NULL;
    struct error err = {0};
    size_t missing = 0;

    check_ok(metric_set_load("skylake-sp", NULL, &set, &err), &err);
    check(runs_of(set, true, &missing) <= 5);
    check_eq(missing, 0);
    check(runs_of(set, false, &missing) > 10);
    check_eq(missing, 0);
    metric_set_free(set);
}
