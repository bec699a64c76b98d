/* Definitions of Intel's CPUs: counts made from a known distribution of slots give it
 * back, and cases of the other models. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/metrics/metrics.h"
#include "core/traffic/counters/perf.h"
#include "tests/check.h"
#include "tests/core/metrics/metric_cases.h"

SUITE(metrics_intel);

/* ---- from slots to counts ---- */

enum leaf {
    FETCH_LATENCY,
    FETCH_BANDWIDTH,
    MISPREDICTS,
    CLEARS,
    MEMORY,
    CORE,
    RETIRING,
    LEAF_NR
};
static const char *const leaf_name[LEAF_NR] = {
    "Fetch_Latency",  "Fetch_Bandwidth", "Branch_Mispredicts",
    "Machine_Clears", "Memory_Bound",    "Core_Bound",
    "Retiring"};

struct slots {
    double cycles, share[LEAF_NR];
};

static void count(struct count_set *counts, const char *event, double value)
{
    count_set_add(counts, event, quantity_exact(value, PROVENANCE_PAPI), 1);
}

static void count_restarts(const struct slots *slots, struct count_set *counts)
{
    count(counts, "BR_MISP_RETIRED:ALL_BRANCHES", 1e6 * slots->share[MISPREDICTS]);
    count(counts, "MACHINE_CLEARS:COUNT", 1e6 * slots->share[CLEARS]);
}

/* The cycles that the back end holds up, MEMORY and CORE of them, as the counters see
 * them: a quarter of the memory's with a full store buffer, half of the core's with two
 * micro-operations executed, of which as many count as slots retire. */
static void count_back_end(const struct slots *slots, struct count_set *counts)
{
    const double memory = slots->share[MEMORY] * slots->cycles;
    const double core = slots->share[CORE] * slots->cycles;
    const double few = core / 4 + slots->share[RETIRING] * core / 2;

    count(counts, "EXE_ACTIVITY:BOUND_ON_STORES", memory / 4);
    count(counts, "CYCLE_ACTIVITY:STALLS_MEM_ANY", memory * 3 / 4);
    count(counts, "EXE_ACTIVITY:1_PORTS_UTIL", core / 4);
    count(counts, "EXE_ACTIVITY:2_PORTS_UTIL", core / 2);
    count(counts, "CYCLE_ACTIVITY:STALLS_TOTAL", memory * 3 / 4 + core - few);
}

/* Of the slots of bad speculation half held micro-operations that did not retire, half
 * passed while the core recovered. */
static void count_skylake(const struct slots *slots, struct count_set *counts)
{
    const double *share = slots->share, all = 4 * slots->cycles;
    const double bad = share[MISPREDICTS] + share[CLEARS];

    count(counts, "IDQ_UOPS_NOT_DELIVERED:CORE",
          (share[FETCH_LATENCY] + share[FETCH_BANDWIDTH]) * all);
    count(counts, "IDQ_UOPS_NOT_DELIVERED:CYCLES_0_UOPS_DELIV_CORE",
          share[FETCH_LATENCY] * slots->cycles);
    count(counts, "UOPS_RETIRED:RETIRE_SLOTS", share[RETIRING] * all);
    count(counts, "UOPS_ISSUED:ANY", (share[RETIRING] + bad / 2) * all);
    count(counts, "INT_MISC:RECOVERY_CYCLES", bad / 2 * slots->cycles);
    count_restarts(slots, counts);
    count_back_end(slots, counts);
}

/* What the newer cores have alike; the front end's counter also counts slots of
 * micro-operations that it dropped. */
static void count_newer(const struct slots *slots, double width, struct count_set *counts)
{
    const double *share = slots->share, all = width * slots->cycles, dropped = all / 1000;

    count(counts, "topdown.slots", all);
    count(counts, "idq_uops_not_delivered.core",
          (share[FETCH_LATENCY] + share[FETCH_BANDWIDTH]) * all + dropped);
    count(counts, "idq_uops_not_delivered.cycles_0_uops_deliv.core",
          (share[FETCH_LATENCY] * all + dropped) / width);
    count(counts, "int_misc.uop_dropping", dropped);
    count(counts, "uops_retired.slots", share[RETIRING] * all);
}

/* The counter of back-end slots misses a cycle's worth at each restart. */
static void count_icelake(const struct slots *slots, struct count_set *counts)
{
    const double back = (slots->share[MEMORY] + slots->share[CORE]) * slots->cycles;

    count_newer(slots, 5, counts);
    count(counts, "int_misc.clears_count", back / 100);
    count(counts, "topdown.backend_bound_slots", 5 * (back - back / 100));
    count_restarts(slots, counts);
    count_back_end(slots, counts);
}

static void count_sapphire(const struct slots *slots, struct count_set *counts)
{
    const double *share = slots->share, all = 6 * slots->cycles;

    count_newer(slots, 6, counts);
    count(counts, "topdown.backend_bound_slots", (share[MEMORY] + share[CORE]) * all);
    count(counts, "topdown.memory_bound_slots", share[MEMORY] * all);
    count(counts, "topdown.br_mispredict_slots", share[MISPREDICTS] * all);
}

static const struct cpu {
    const char *definitions;
    void (*count)(const struct slots *slots, struct count_set *counts);
    bool divided; /* the second level is a fraction of the first, by counts of something
                     else: of nothing there is no fraction */
} cpus[] = {{"skylake-sp", count_skylake, true},
            {"skylake", count_skylake, true},
            {"icelake-sp", count_icelake, true},
            {"sapphire-rapids", count_sapphire, false}};

/* ---- and back ---- */

static const struct {
    const char *name;
    enum leaf first, last; /* it is the sum of these */
} parents[] = {{"Frontend_Bound", FETCH_LATENCY, FETCH_BANDWIDTH},
               {"Bad_Speculation", MISPREDICTS, CLEARS},
               {"Backend_Bound", MEMORY, CORE}};

static double share_of(const struct slots *slots, enum leaf first, enum leaf last)
{
    double sum = 0;

    for (enum leaf i = first; i <= last; i++)
        sum += slots->share[i];
    return sum;
}

static bool is_undefined(const struct slots *slots, const struct cpu *cpu, enum leaf leaf)
{
    if (!cpu->divided || leaf < MISPREDICTS || leaf > CORE)
        return false;
    return leaf <= CLEARS ? share_of(slots, MISPREDICTS, CLEARS) == 0
                          : share_of(slots, MEMORY, CORE) == 0;
}

static const struct metric_value *value_of(const struct metric_set *set,
                                           const struct metric_result *result,
                                           const char *name)
{
    int at = metric_find(set, name);

    check(at != METRIC_NONE);
    return &result->value[at];
}

/* To the rounding of numbers around 1. */
static void check_share(const struct metric_value *value, const char *what, double want)
{
    if (!check(value->value.known))
        check_str(value->why, what);
    if (fabs(value->value.value - want) > 1e-13) {
        check_str(what, "its share of the slots");
        check_near(value->value.value, want, 0);
    }
}

static void check_result(const struct slots *slots, const struct cpu *cpu,
                         const struct metric_set *set, const struct metric_result *result)
{
    double sum = value_of(set, result, "Retiring")->value.value;

    for (enum leaf i = 0; i < LEAF_NR; i++) {
        const struct metric_value *value = value_of(set, result, leaf_name[i]);

        if (!is_undefined(slots, cpu, i))
            check_share(value, leaf_name[i], slots->share[i]);
        else if (check(!value->value.known))
            check_contains(value->why, "0");
    }
    for (size_t i = 0; i < ARRAY_SIZE(parents); i++) {
        const struct metric_value *value = value_of(set, result, parents[i].name);

        check_share(value, parents[i].name,
                    share_of(slots, parents[i].first, parents[i].last));
        sum += value->value.value;
    }
    check_near(sum, 1, 1e-13);
    check_eq(result->breach_nr, 0);
    for (size_t i = 0; i < result->value_nr; i++)
        check(!result->value[i].out_of_range);
}

/* What is marked is the largest of the losses, never the work itself. */
static void check_marked(const struct slots *slots, const struct metric_set *set,
                         const struct metric_result *result)
{
    double largest = 0;

    for (size_t i = 0; i < ARRAY_SIZE(parents); i++)
        largest = fmax(largest, share_of(slots, parents[i].first, parents[i].last));
    for (size_t i = 0; i < ARRAY_SIZE(parents); i++)
        check_eq(value_of(set, result, parents[i].name)->dominant,
                 largest > 0 &&
                     share_of(slots, parents[i].first, parents[i].last) == largest);
    check(!value_of(set, result, "Retiring")->dominant);
}

static void give_back(const struct slots *slots, const struct cpu *cpu)
{
    struct count_set counts = {0};
    struct metric_result result = {0};
    struct metric_set *set = NULL;
    struct error err = {0};

    if (!check_ok(metric_set_load(cpu->definitions, NULL, &set, &err), &err))
        return;
    count(&counts, "cycles", slots->cycles);
    cpu->count(slots, &counts);
    const struct metric_question question = {.set = set, .counts = &counts};
    metric_evaluate(&question, &result);
    check_result(slots, cpu, set, &result);
    check_marked(slots, set, &result);
    metric_result_release(&result);
    count_set_release(&counts);
    metric_set_free(set);
}

static int read_slots(const char *name, json_t *node, struct slots *slots,
                      struct error *err)
{
    struct json_at top = json_top(name, node), shares;
    int result = json_number_at(&top, "cycles", 1, 1e18, &slots->cycles, err) ||
                 json_object_at(&top, "slots", &shares, err);

    for (enum leaf i = 0; i < LEAF_NR && !result; i++)
        result = json_number_at(&shares, leaf_name[i], 0, 1, &slots->share[i], err);
    return result ? -1 : 0;
}

TEST("every known distribution of slots comes back exactly")
{
    json_t *cases = metric_cases_read("intel_slots"), *node;
    const char *name;

    check(json_object_size(cases) >= 10);
    json_object_foreach(cases, name, node) {
        struct slots slots = {0};
        struct error err = {0};

        if (check_ok(read_slots(name, node, &slots, &err), &err)) {
            check_near(share_of(&slots, 0, RETIRING), 1, 1e-13);
            for (size_t k = 0; k < ARRAY_SIZE(cpus); k++)
                give_back(&slots, &cpus[k]);
        }
    }
    json_decref(cases);
}

/* ---- the other models ---- */

TEST("worked cases of the other models hold, and there is one of each metric")
{
    struct strvec covered = {0};

    metric_cases_run("intel", &covered);
    for (size_t i = 0; i < ARRAY_SIZE(cpus); i++)
        metric_cases_cover(cpus[i].definitions, "portable occupancy prefetch stalls mix",
                           &covered);
    strvec_release(&covered);
}

TEST("each CPU gets its own definitions")
{
    static const struct {
        const char *cpu, *definitions;
    } cases[] = {{"intel 6 85 4", "skylake-sp"},
                 {"GenuineIntel-6-55-7", "skylake-sp"},
                 {"GenuineIntel-6-9E-A", "skylake"},
                 {"intel 6 106 6", "icelake-sp"},
                 {"GenuineIntel-6-8C-1", "icelake-sp"},
                 {"intel 6 143 8", "sapphire-rapids"},
                 {"GenuineIntel-6-CF-2", "sapphire-rapids"},
                 {"intel 6 173 1", "sapphire-rapids"}};

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct metric_set *set = NULL;
        struct error err = {0};

        if (check_ok(metric_set_load(NULL, cases[i].cpu, &set, &err), &err))
            check_str(set->name, cases[i].definitions);
        metric_set_free(set);
    }
}

/* Event 0 stands for the fixed counters: libpfm4 gives it to some of the topdown events,
 * which would count cycles or nothing. */
static void check_codes(const struct metric_set *set, const char *pmu)
{
    for (size_t i = 0; i < set->event_nr; i++) {
        char *name = xasprintf("%s::%s", pmu, set->event[i].name);
        struct perf_code code = {0};
        struct error err = {0};

        if (!set->event[i].note && check_ok(pfm_event_code(name, &code, &err), &err) &&
            !check((code.config[0] & 0xff) != 0))
            check_str(name, "an event of the core");
        free(name);
    }
}

TEST("no event is encoded as a fixed counter")
{
    setenv("LIBPFM_ENCODE_INACTIVE", "1", 1);
    for (size_t i = 0; i < ARRAY_SIZE(cpus); i++) {
        struct metric_set *set = NULL;
        struct error err = {0};

        if (!check_ok(metric_set_load(cpus[i].definitions, NULL, &set, &err), &err))
            continue;
        for (size_t k = 0; k < set->pmu.nr; k++)
            if (pfm_pmu_known(set->pmu.v[k]))
                check_codes(set, set->pmu.v[k]);
        metric_set_free(set);
    }
}
