/* Definitions of metrics: what is read, what is refused, what comes out of counts. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/metrics/metrics.h"
#include "core/traffic/traffic.h"
#include "tests/cases.h"
#include "tests/check.h"

SUITE(metrics_engine);

#define DATA INFLIGHT_SOURCE_DIR "/tests/data/metrics/engine/"

static struct metric_set *load(const char *path)
{
    struct metric_set *set = NULL;
    struct error err = {0};

    check_ok(metric_set_load(path, NULL, &set, &err), &err);
    return set;
}

/* Of 1000 cycles: 1000 slots front end, 400 bad, 1600 retire, 1000 back end; there 300 of
 * 400 stalls wait for memory, 270 of these beyond L1. */
static const struct {
    const char *event;
    double count;
} counted[] = {{"cycles:u", 1000},      {"front.core", 1000},     {"skx::BAD:SLOTS", 400},
               {"RETIRED_SLOTS", 1600}, {"cpu/stalls.mem/", 300}, {"STALLS:ALL", 400},
               {"STALLS:L1", 270}};

static void count_all(struct count_set *counts)
{
    *counts = (struct count_set){.seconds = quantity_exact(2, PROVENANCE_CLOCK)};
    for (size_t i = 0; i < ARRAY_SIZE(counted); i++)
        count_set_add(counts, counted[i].event,
                      quantity_exact(counted[i].count, PROVENANCE_PAPI), 1);
}

static struct event_count *count_at(struct count_set *counts, size_t i)
{
    return &counts->count[i];
}

static void evaluate(const struct metric_set *set, const struct count_set *counts,
                     struct metric_result *result)
{
    const struct metric_question question = {.set = set, .counts = counts};

    metric_evaluate(&question, result);
}

static const struct metric_value *value_of(const struct metric_set *set,
                                           const struct metric_result *result,
                                           const char *name)
{
    int at = metric_find(set, name);

    check(at != METRIC_NONE);
    return &result->value[at];
}

static bool says(const struct metric_result *result, const char *part)
{
    for (size_t i = 0; i < result->note.nr; i++)
        if (strstr(result->note.v[i], part))
            return true;
    return false;
}

TEST("values stand in their tree")
{
    static const struct {
        const char *name;
        double value, whole;
        bool dominant;
    } want[] = {{"Slots", 4000, NAN, false},   {"Retiring", 0.4, 0.4, false},
                {"Front", 0.25, 0.25, true},   {"Bad", 0.1, 0.1, false},
                {"Back", 0.25, 0.25, false},   {"Memory", 0.75, 0.1875, false},
                {"Core", 0.25, 0.0625, false}, {"L1", 0.9, 0.16875, false},
                {"Rate", 2000, NAN, false},    {"Twice", 4000, NAN, false}};
    struct metric_set *set = load(DATA "tree.json");
    struct count_set counts;
    struct metric_result result;

    if (!set)
        return;
    count_all(&counts);
    evaluate(set, &counts, &result);
    for (size_t i = 0; i < ARRAY_SIZE(want); i++) {
        const struct metric_value *got = value_of(set, &result, want[i].name);

        check_near(got->value.value, want[i].value, 1e-12);
        check(got->whole.known == isfinite(want[i].whole));
        if (isfinite(want[i].whole))
            check_near(got->whole.value, want[i].whole, 1e-12);
        check_eq(got->dominant, want[i].dominant);
        check(!got->out_of_range && !got->absent && !got->why);
    }
    check(value_of(set, &result, "Front")->tied); /* the back end lost as much */
    check(value_of(set, &result, "L3")->absent);
    check_str(value_of(set, &result, "L3")->why, "it has no L3 cache");
    check_eq(result.breach_nr, 0);
    check_eq(result.note.nr, 0);
    check(set->metric[metric_find(set, "Twice")].estimated);
    check(!set->metric[metric_find(set, "Slots")].estimated);
    metric_result_release(&result);
    count_set_release(&counts);
    metric_set_free(set);
}

/* The largest loss is followed down to its last level. */
TEST("the path to the largest loss")
{
    struct metric_set *set = load(DATA "tree.json");
    struct count_set counts;
    struct metric_result result;

    if (!set)
        return;
    count_all(&counts);
    count_at(&counts, 1)->value = quantity_exact(500, PROVENANCE_PAPI);
    evaluate(set, &counts, &result);
    check(value_of(set, &result, "Back")->dominant);
    check(!value_of(set, &result, "Back")->tied);
    check(value_of(set, &result, "Memory")->dominant);
    check(value_of(set, &result, "L1")->dominant);
    check(!value_of(set, &result, "Core")->dominant);
    check(!value_of(set, &result, "Retiring")->dominant);
    metric_result_release(&result);
    count_set_release(&counts);
    metric_set_free(set);
}

/* Front moves Back the other way, and the slots both alike: nothing is counted twice. */
TEST("uncertainty is that of the events")
{
    struct metric_set *set = load(DATA "tree.json");
    struct count_set counts;
    struct metric_result result;

    if (!set)
        return;
    count_all(&counts);
    count_at(&counts, 1)->value = quantity_between(1000, 800, 1200, 3, PROVENANCE_PAPI);
    evaluate(set, &counts, &result);
    const struct quantity back = value_of(set, &result, "Back")->value;
    check_near(back.low, 0.2, 1e-12);
    check_near(back.high, 0.3, 1e-12);
    check_eq(result.breach_nr, 0); /* the sum is 1 for sure all the same */
    metric_result_release(&result);

    count_at(&counts, 0)->value = quantity_between(1000, 900, 1100, 3, PROVENANCE_PAPI);
    count_at(&counts, 1)->value = quantity_exact(0, PROVENANCE_PAPI);
    evaluate(set, &counts, &result);
    const struct quantity retiring = value_of(set, &result, "Retiring")->value;
    check_near(retiring.low, 1600 / 4400.0, 1e-12);
    check_near(retiring.high, 1600 / 3600.0, 1e-12);
    check_near(value_of(set, &result, "Front")->value.high, 0, 0);
    metric_result_release(&result);
    count_set_release(&counts);
    metric_set_free(set);
}

TEST("what is wrong is named and the rest is there")
{
    static const struct {
        size_t event;
        double count; /* NaN = not counted */
        double share;
        const char *bad, *why, *note, *good;
    } cases[] = {
        {2, NAN, 0, "Bad", "'BAD:SLOTS' was not counted: no room", NULL, "Front"},
        {0, 0, 1, "Front", "division by 0", NULL, "Memory"},
        {4, -5, 1, "Memory", "'STALLS:MEM' is negative (-5)",
         "'cpu/stalls.mem/' is negative", "Back"},
        {5, 0, 1, "Memory", "formula 'STALLS:MEM / STALLS:ALL', column 12", NULL, "L1"},
        {3, 1600, 0.15, NULL, NULL,
         "'RETIRED_SLOTS' counted only 15 % of the time: what rests on it is a "
         "sample, not to be trusted: 'Retiring', 'Back'",
         "Retiring"},
        {4, 500, 1, NULL, NULL, "'Memory' is 1.25, and cannot be above 1", "Memory"},
        {3, 9000, 1, NULL, NULL, "'Back' is -1.6, and cannot be below 0", "Back"},
    };
    struct metric_set *set = load(DATA "tree.json");

    for (size_t i = 0; set && i < ARRAY_SIZE(cases); i++) {
        struct count_set counts;
        struct metric_result result;

        count_all(&counts);
        struct event_count *count = count_at(&counts, cases[i].event);
        count->share = cases[i].share;
        count->value = isnan(cases[i].count)
                           ? quantity_unknown()
                           : quantity_exact(cases[i].count, PROVENANCE_PAPI);
        count->why = isnan(cases[i].count) ? xstrdup("no room") : NULL;
        evaluate(set, &counts, &result);
        if (cases[i].bad) {
            check(!value_of(set, &result, cases[i].bad)->value.known);
            check_contains(value_of(set, &result, cases[i].bad)->why, cases[i].why);
        }
        if (cases[i].note) {
            check(says(&result, cases[i].note));
            check(says(&result, "engine/tree.json"));
        }
        check(value_of(set, &result, cases[i].good)->value.known);
        metric_result_release(&result);
        count_set_release(&counts);
    }
    metric_set_free(set);
}

TEST("missing events are all named")
{
    struct metric_set *set = load(DATA "tree.json");
    struct count_set counts = {.seconds = quantity_unknown()};
    struct metric_result result;

    if (!set)
        return;
    evaluate(set, &counts, &result);
    check_str(value_of(set, &result, "Front")->why,
              "'FRONT:CORE' is not among the counts; 'CLK:THREAD' is not among the "
              "counts");
    check_contains(value_of(set, &result, "Rate")->why, "'seconds' is not given");
    metric_result_release(&result);
    metric_set_free(set);
}

/* What a CPU counts of its memory is not always all. */
TEST("bytes through memory say what lacks")
{
    static const struct {
        const char *cpu, *event[2], *known, *other, *why;
    } cases[] = {
        {"intel 6 94 3",
         {"unc_arb_trk_requests.all", "unc_arb_coh_trk_requests.all"},
         "Both",
         "Read",
         "bytes through memory: reads and writes are counted as one"},
        {"intel 6 85 4",
         {"LLC-misses", "cycles"},
         "Read",
         "Both",
         "bytes through memory: what is written is not counted"},
    };
    struct metric_set *set = load(DATA "memory.json");

    for (size_t i = 0; set && i < ARRAY_SIZE(cases); i++) {
        struct count_set counts = {.seconds = quantity_unknown(),
                                   .cpu = xstrdup(cases[i].cpu)};
        struct metric_result result;

        for (size_t k = 0; k < 2; k++)
            count_set_add(&counts, cases[i].event[k], quantity_exact(5, PROVENANCE_PAPI),
                          1);
        evaluate(set, &counts, &result);
        check(value_of(set, &result, cases[i].known)->value.known);
        check(!value_of(set, &result, cases[i].other)->value.known);
        check_str(value_of(set, &result, cases[i].other)->why, cases[i].why);
        metric_result_release(&result);
        count_set_release(&counts);
    }
    metric_set_free(set);
}

/* perf names an event twice, and had no counter for one of the two. */
TEST("counted under two names")
{
    struct metric_set *set = load(DATA "tree.json");
    struct count_set counts = {.seconds = quantity_unknown()};
    struct metric_result result;

    if (!set)
        return;
    count_set_add_unknown(&counts, "cycles", "no room");
    count_set_add(&counts, "CLK:THREAD", quantity_exact(10, PROVENANCE_PAPI), 1);
    evaluate(set, &counts, &result);
    check_near(value_of(set, &result, "Slots")->value.value, 40, 1e-12);
    metric_result_release(&result);
    count_set_release(&counts);
    metric_set_free(set);
}

/* Children that do not add up: the definitions' file says they are all of it. */
TEST("sums are compared")
{
    struct metric_set *set = load(DATA "sums.json");
    struct count_set counts = {.seconds = quantity_unknown()};
    struct metric_result result;

    if (!set)
        return;
    count_set_add(&counts, "ALL", quantity_exact(100, PROVENANCE_PAPI), 1);
    count_set_add(&counts, "ONE", quantity_exact(60, PROVENANCE_PAPI), 1);
    count_set_add(&counts, "TWO", quantity_exact(30, PROVENANCE_PAPI), 1);
    evaluate(set, &counts, &result);
    check_eq(result.breach_nr, 2); /* 90 of 100; and 0.9 of the model's 1 */
    check(says(&result, "what the model 'shares' is made of sums to 0.1 less than 1"));
    check(says(&result, "what 'all' is made of sums to 10 less than it should"));
    metric_result_release(&result);

    /* unsure enough to fit */
    counts.count[2].value = quantity_between(30, 15, 45, 2, PROVENANCE_PAPI);
    evaluate(set, &counts, &result);
    check_eq(result.breach_nr, 0);
    metric_result_release(&result);

    /* more than all, where they may be less */
    counts.count[2].value = quantity_exact(50, PROVENANCE_PAPI);
    evaluate(set, &counts, &result);
    check_eq(result.breach_nr, 3);
    check(says(&result, "what 'some' is made of sums to 0.1 more than it should"));
    metric_result_release(&result);
    count_set_release(&counts);
    metric_set_free(set);
}

static int read_metrics(const struct test_case *one, const char *path, struct error *err)
{
    struct metric_set *set = NULL;
    int result = metric_set_load(path, NULL, &set, err);

    (void)one;
    check(result == 0 || !set);
    metric_set_free(set);
    return result;
}

TEST("bad definitions are refused")
{
    check_refused(DATA "bad.cases", 28, read_metrics);
}

TEST("cpus are told apart")
{
    struct metric_set *set = load(DATA "tree.json");
    struct error err = {0};

    if (!set)
        return;
    check_eq(metric_set_cpu(set, "intel 6 85 4"), METRIC_CPU_SAME);
    check_eq(metric_set_cpu(set, "GenuineIntel-6-55-7"), METRIC_CPU_SAME);
    check_eq(metric_set_cpu(set, "intel 6 143 4"), METRIC_CPU_OTHER);
    check_eq(metric_set_cpu(set, "AuthenticAMD-25-11-1"), METRIC_CPU_OTHER);
    check_eq(metric_set_cpu(set, "some machine"), METRIC_CPU_NOT_GIVEN);
    check_eq(metric_set_cpu(set, "AMD EPYC 7742 64-Core Processor"),
             METRIC_CPU_NOT_GIVEN);
    check_eq(metric_set_cpu(set, "Intel Xeon 8160 2 GHz"), METRIC_CPU_NOT_GIVEN);
    check_eq(metric_set_cpu(set, "intel 6"), METRIC_CPU_NOT_GIVEN);
    check_eq(metric_set_cpu(set, NULL), METRIC_CPU_NOT_GIVEN);
    metric_set_free(set);
    check_fails(metric_set_load("no-such-cpu-at-all", NULL, &set, &err), &err,
                STATUS_INPUT, "there are no metrics of 'no-such-cpu-at-all'");
    check_fails(metric_set_load(NULL, "nothing", &set, &err), &err, STATUS_MISSING,
                "the CPU cannot be identified");
    check_fails(metric_set_load(NULL, "intel 6 1 1", &set, &err), &err, STATUS_MISSING,
                "no metrics are defined for this CPU");
}

/* Both forms of the schema, which the table of CPUs has, too. */
TEST("steppings are a range or several")
{
    static const struct {
        const char *cpu;
        enum metric_cpu want;
    } cases[] = {{"intel 6 85 4", METRIC_CPU_SAME},
                 {"intel 6 85 5", METRIC_CPU_OTHER},
                 {"intel 6 143 8", METRIC_CPU_SAME},
                 {"intel 6 143 9", METRIC_CPU_OTHER}};
    struct metric_set *set = load(DATA "steppings.json");

    for (size_t i = 0; set && i < ARRAY_SIZE(cases); i++)
        check_eq(metric_set_cpu(set, cases[i].cpu), cases[i].want);
    metric_set_free(set);
}

TEST("files are merged")
{
    struct metric_set *set = load(DATA "tree.json"), *more = load(DATA "sums.json");
    struct error err = {0};

    if (!set || !more)
        return;
    size_t nr = set->metric_nr + more->metric_nr;
    check_ok(metric_set_merge(set, more, &err), &err);
    check_eq(set->metric_nr, nr);
    int one = metric_find(set, "one");
    check_str(set->metric[set->metric[one].parent].name, "all");
    check_str(set->model[set->metric[one].model].name, "counts");
    check_fails(metric_set_merge(set, load(DATA "sums.json"), &err), &err, STATUS_INPUT,
                "both define the metric 'all'");
    metric_set_free(set);
}

/* What counted too little is said once. */
TEST("an event of two files is one")
{
    struct metric_set *set = load(DATA "tree.json"), *more = load(DATA "same_event.json");
    struct count_set counts;
    struct metric_result result;
    struct error err = {0};

    if (!set || !more)
        return;
    size_t nr = set->event_nr;
    check_ok(metric_set_merge(set, more, &err), &err);
    check_eq(set->event_nr, nr);
    count_all(&counts);
    count_at(&counts, 0)->share = 0.1;
    evaluate(set, &counts, &result);
    check_eq(result.note.nr, 1);
    check_near(value_of(set, &result, "Cycles_again")->value.value, 1000, 1e-12);
    metric_result_release(&result);
    count_set_release(&counts);
    metric_set_free(set);
}
