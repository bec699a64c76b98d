/* From definitions to values on hardware that a script plays: events are planned into
 * runs, counted in programs to come, combined and evaluated. The counts are those of a
 * case of tests/data/metrics/intel.json. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/metrics/metrics.h"
#include "core/traffic/counters/papi_source.h"
#include "tests/check.h"
#include "tests/core/metrics/metric_cases.h"

SUITE(metrics_counted);

enum { descriptors_max = 64, events_max = 128, set_max = 64 };

/* The machine: what its events count, how many at once. */
static struct {
    const struct metric_set *set;
    double count[events_max]; /* per event of the definitions */
    size_t counters;
    bool by_turns;                 /* half of the time */
    size_t event[descriptors_max]; /* that a descriptor counts */
} machine;

/*
 * libpfm4 and the kernel. A code is the place of the event in the definitions.
 */

static int k_encode(const char *event, struct perf_code *code, struct error *err)
{
    int at = metric_event_find(machine.set, event);

    if (at == METRIC_NONE)
        return fail(err, STATUS_MISSING, "no event '%s'", event);
    *code = (struct perf_code){.type = 4, .config = {(uint64_t)at}};
    return 0;
}

static int k_open(const struct perf_code *code, const struct perf_core_who *who)
{
    int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

    check(who->ahead && fd >= 0 && fd < descriptors_max);
    machine.event[fd] = code->config[0];
    return fd;
}

static int k_read(int fd, uint64_t got[3])
{
    double count = machine.count[machine.event[fd]];

    got[0] = (uint64_t)(machine.by_turns ? count / 2 : count);
    got[1] = 1000000000;
    got[2] = machine.by_turns ? 500000000 : 1000000000;
    return 0;
}

static const struct perf_core_calls kernel = {k_encode, k_open, k_read};

/*
 * PAPI, for trials.
 */

static size_t set_size;
static bool set_by_turns;

static enum papi_refusal p_start(void)
{
    return PAPI_DONE;
}

static enum papi_refusal p_find(const char *event, int *component)
{
    *component = 0;
    return metric_event_find(machine.set, event) == METRIC_NONE ? PAPI_NO_EVENT
                                                                : PAPI_DONE;
}

static enum papi_refusal p_create(int component, struct papi_place place,
                                  bool multiplexed, int *set)
{
    (void)component;
    (void)place;
    set_size = 0;
    set_by_turns = multiplexed;
    *set = 1;
    return PAPI_DONE;
}

static enum papi_refusal p_add(int set, const char *event)
{
    (void)set;
    (void)event;
    return ++set_size > machine.counters && !set_by_turns ? PAPI_NO_TOGETHER : PAPI_DONE;
}

static enum papi_refusal p_run(int set)
{
    (void)set;
    return PAPI_DONE;
}

static enum papi_refusal p_stop(int set, long long *value)
{
    (void)set;
    memset(value, 0, set_size * sizeof(*value));
    return PAPI_DONE;
}

static void p_destroy(int set)
{
    (void)set;
}

static const char *p_text(void)
{
    return "no";
}

static const char *p_name(int component)
{
    (void)component;
    return "perf_event";
}

static int p_counters(int component)
{
    (void)component;
    return (int)machine.counters;
}

static const char *p_disabled(const char *component)
{
    (void)component;
    return NULL;
}

static void p_describe(const char *event, struct papi_described *described)
{
    (void)event;
    *described = (struct papi_described){0};
}

static const struct papi_calls papi = {.start = p_start,
                                       .find = p_find,
                                       .create = p_create,
                                       .add = p_add,
                                       .run = p_run,
                                       .stop = p_stop,
                                       .destroy = p_destroy,
                                       .text = p_text,
                                       .component_name = p_name,
                                       .counters = p_counters,
                                       .disabled = p_disabled,
                                       .describe = p_describe};
static const struct papi_seam seam = {&papi, &kernel, "/nowhere", {true, 2, false}};
static const struct papi_counter_opts ahead = {.ahead = true};

static int fits(void *data, const struct strvec *event, bool *at_once, struct error *err)
{
    (void)data;
    return papi_events_fit_with(&seam, event, &ahead, at_once, err);
}

/*
 * Counting.
 */

static void count_run(const struct strvec *event, struct count_set *counts)
{
    struct papi_counter *counter = NULL;
    struct error err = {0};

    if (check_ok(papi_counter_make(&seam, (const char *const *)event->v, event->nr,
                                   &ahead, &counter, &err),
                 &err) &&
        check_ok(papi_counter_begin(counter, NULL, 0, &err), &err))
        check_ok(papi_counter_end(counter, counts, &err), &err);
    counts->seconds = quantity_exact(1, PROVENANCE_CLOCK);
    papi_counter_free(counter);
}

static void count_plan(const struct metric_plan *plan, struct count_set *all)
{
    struct count_set *run = xcalloc(plan->run_nr + 1, sizeof(*run));
    struct error err = {0};
    double variation = 1;

    for (size_t i = 0; i < plan->run_nr; i++)
        count_run(&plan->run[i], &run[i]);
    check_ok(metric_runs_combine(run, plan->run_nr, all, &variation, &err), &err);
    check_near(variation, 0, 0);
    for (size_t i = 0; i < plan->run_nr; i++)
        count_set_release(&run[i]);
    free(run);
}

/* What the case says must come out. */
static void check_values(const struct count_set *counts, const json_t *values,
                         double share)
{
    struct metric_result result = {0};
    const char *name;
    const json_t *value;

    metric_evaluate(&(struct metric_question){.set = machine.set, .counts = counts},
                    &result);
    json_object_foreach((json_t *)(uintptr_t)values, name, value) {
        int at = metric_find(machine.set, name);

        if (!check(at != METRIC_NONE) || machine.set->metric[at].model == METRIC_NONE ||
            strcmp(machine.set->model[machine.set->metric[at].model].name, "topdown"))
            continue;
        check_near(result.value[at].value.value, json_number_value(value), 1e-12);
        check_near(result.value[at].share, share, 1e-12);
        check((result.value[at].value.high > result.value[at].value.low) == (share < 1));
    }
    check_eq(result.breach_nr, 0);
    metric_result_release(&result);
}

/* The machine that the case is of. */
static struct metric_set *make_machine(size_t counters, json_t **root)
{
    struct metric_set *set = NULL;
    struct error err = {0};
    const char *name;
    json_t *value, *cases = metric_cases_read("intel");

    memset(&machine, 0, sizeof(machine));
    *root = json_incref(json_object_get(cases, "topdown_skx"));
    json_decref(cases);
    if (!check_ok(metric_set_load("skylake-sp", NULL, &set, &err), &err) ||
        !check(*root && set->event_nr <= events_max))
        return set;
    machine.set = set;
    machine.counters = counters;
    json_object_foreach(json_object_get(json_object_get(*root, "counts"), "events"), name,
                        value) {
        int at = metric_event_find(set, name);

        if (check(at != METRIC_NONE))
            machine.count[at] = json_number_value(value);
    }
    return set;
}

static void check_counted(size_t counters, size_t runs_max, size_t want_runs,
                          double share)
{
    json_t *root;
    struct metric_set *set = make_machine(counters, &root);
    struct metric_plan plan = {0};
    struct count_set counts = {0};

    if (root) {
        metric_plan_make(
            &(struct metric_plan_request){
                .set = set, .model = "topdown", .runs_max = runs_max, .fits = fits},
            &plan);
        check_eq(plan.run_nr, want_runs);
        check_eq(plan.note.nr, 0);
        check_eq(plan.by_turns, share < 1);
        machine.by_turns = plan.by_turns;
        count_plan(&plan, &counts);
        check_values(&counts, json_object_get(root, "values"), share);
    }
    count_set_release(&counts);
    metric_plan_release(&plan);
    metric_set_free(set);
    json_decref(root);
}

TEST("in one run")
{
    check_counted(20, 0, 1, 1);
}

/* Too many for nine counters. */
TEST("in two runs")
{
    check_counted(9, 0, 2, 1);
}

TEST("by turns")
{
    check_counted(9, 1, 1, 0.5);
}
