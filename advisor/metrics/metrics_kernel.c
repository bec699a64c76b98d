/* Counting a kernel: what its measuring program does between the gates, or, without
 * hardware that counts, what the cache model says of a traced call. */
#include <stdlib.h>
#include <string.h>

#include "advisor/metrics/metrics_parts.h"
#include "advisor/session/workbench.h"

struct counting {
    struct papi_counter *counter;
    struct count_set *counts;
};

static int count_copies(void *data, bool begin, const pid_t *pids, size_t nr,
                        struct error *err)
{
    struct counting *counting = data;
    return begin ? papi_counter_begin(counting->counter, pids, nr, err)
                 : papi_counter_end(counting->counter, counting->counts, err);
}

static int launch(struct workbench *bench, const struct strvec *event,
                  struct metrics_measured *measured, struct error *err)
{
    struct candidate candidate = {bench->plan, workbench_environment(bench)};
    struct counting counting = {NULL, metrics_add_run(measured)};
    struct live_gate gate = {count_copies, &counting};
    double calls = 0;
    if (papi_counter_new((const char *const *)event->v, event->nr, NULL,
                         &counting.counter, err))
        return -1;
    int status = live_launch(bench->live, &candidate, &gate, &calls, err);
    papi_counter_free(counting.counter);
    counting.counts->calls = calls;
    strvec_pushf(&counting.counts->note,
                 "counted and timed between the gates of a launch: %.0f calls of %zu "
                 "cop%s together",
                 calls, live_copies(bench->live),
                 live_copies(bench->live) == 1 ? "y" : "ies");
    counting.counts->cores = (int)live_copies(bench->live);
    return status;
}

/* ---- the trace ---- */

static bool is_traced(const struct metrics_measured *measured)
{
    for (size_t i = 0; i < measured->set->event_nr; i++)
        if (text_begins(measured->set->event[i].name, "sde:::inflight::"))
            return true;
    return false;
}

/* What a model counted is of no CPU. */
static void forget_cpu(struct metrics_measured *measured)
{
    for (size_t i = 0; i < measured->run_nr; i++) {
        free(measured->run[i].cpu);
        measured->run[i].cpu = NULL;
    }
}

/* As if so many calls had been traced; a line is as long as before. */
static void repeat(struct count_set *counts, double calls)
{
    for (size_t i = 0; i < counts->count_nr; i++)
        if (count_adds_up(counts->count[i].event))
            counts->count[i].value = quantity_scale(counts->count[i].value, calls);
    counts->calls = calls;
}

/* Where launches were counted they say how many calls, and the time. */
static void take_traffic(const struct workbench *bench,
                         const struct measurement *measurement,
                         struct metrics_measured *measured)
{
    double launched = measured->run_nr ? measured->run[0].calls : 0;
    struct count_set *counts = metrics_add_run(measured);
    traffic_to_counts(&measurement->traffic, counts);
    repeat(counts, launched > 0 ? launched : 1);
    counts->cores = (int)live_copies(bench->live);
    if (launched <= 0)
        counts->seconds =
            quantity_scale(measurement->time_s, 1 / (double)live_copies(bench->live));
    forget_cpu(measured);
    if (measurement->traffic.note)
        strvec_push(&measured->note, measurement->traffic.note);
}

static int trace(struct workbench *bench, struct metrics_measured *measured,
                 struct error *err)
{
    struct candidate candidate = {bench->plan, workbench_environment(bench)};
    struct measurement measurement = {0};
    if (bench->live_runner.measure(bench->live_runner.data, &candidate, MEASURE_EXPLAIN,
                                   0, &measurement, err))
        return -1;
    int status = 0;
    if (measurement.has_traffic)
        take_traffic(bench, &measurement, measured);
    else
        status = fail(err, STATUS_FAILED, "the variant was not traced: %s",
                      measurement.detail ? measurement.detail
                                         : run_outcome_word(measurement.outcome));
    measurement_release(&measurement);
    return status;
}

/* ---- all of it ---- */

/* What was counted before Ctrl-C is shown. */
static int interrupted(struct metrics_measured *measured, size_t complete)
{
    while (measured->run_nr > complete)
        count_set_release(&measured->run[--measured->run_nr]);
    if (!spawn_interrupted() || !complete)
        return -1;
    measured->ended = xstrdup("was interrupted");
    return 0;
}

static int count_all(struct workbench *bench, const struct metrics_request *request,
                     const struct metrics_plan *plan, struct metrics_measured *measured,
                     struct error *err)
{
    size_t runs = metrics_runs(request, plan), complete = 0;
    for (size_t i = 0; plan->plan.run_nr && i < runs; i++) {
        struct strvec event = {0};
        metrics_counted(metrics_run(plan, i), &event);
        progress_say(&bench->progress, "counting, launch %zu of %zu", i + 1, runs);
        int status = event.nr ? launch(bench, &event, measured, err) : 0;
        strvec_release(&event);
        if (status)
            return interrupted(measured, complete);
        complete = measured->run_nr;
    }
    if (!is_traced(measured))
        return 0;
    progress_say(&bench->progress, "measuring and tracing");
    return trace(bench, measured, err) ? interrupted(measured, complete) : 0;
}

/* The profile's machine is the one that is traced. */
static void take_given(const struct workbench *bench, struct metrics_measured *measured)
{
    measured->given_nr = metrics_given_here(measured->given);
    for (size_t i = 0; i < measured->given_nr; i++) {
        struct metric_given *given = &measured->given[i];
        if (strcmp(given->name, "line_bytes") == 0 && bench->machine.line_bytes > 0)
            given->value = quantity_exact(bench->machine.line_bytes, PROVENANCE_PROBE);
    }
    measured->given[measured->given_nr++] = (struct metric_given){
        "cores", quantity_exact((double)live_copies(bench->live), PROVENANCE_PROBE)};
}

/* What the source needs, of all calls of a run. */
static void take_expected(const struct workbench *bench,
                          struct metrics_measured *measured)
{
    struct quantity flops = kernel_counts(bench->kernel).flops;
    if (flops.known && measured->run_nr && measured->run[0].calls > 0)
        measured->given[measured->given_nr++] = (struct metric_given){
            "flops_expected", quantity_scale(flops, measured->run[0].calls)};
}

static int count_kernel(struct workbench *bench, const struct metrics_request *request,
                        const char *instead, struct metrics_measured *measured,
                        struct error *err)
{
    struct metrics_plan plan = {0};
    take_given(bench, measured);
    int status = metrics_prepare(request, instead, measured, &plan, err);
    if (!status)
        status = count_all(bench, request, &plan, measured, err);
    if (!status)
        take_expected(bench, measured);
    metrics_plan_done(&plan);
    return status;
}

int metrics_of_bench(struct workbench *bench, const struct metrics_request *request,
                     struct metrics_measured *measured, struct error *err)
{
    *measured = (struct metrics_measured){0};
    return count_kernel(bench, request, NULL, measured, err);
}

int metrics_of_kernel(const struct metrics_request *request,
                      struct metrics_measured *measured, struct error *err)
{
    struct workbench bench;
    *measured = (struct metrics_measured){0};
    spawn_catch_interrupt();
    workbench_start(&bench, request->settings);
    int status = workbench_live(&bench, err);
    if (!status)
        status = count_kernel(&bench, request, "traced", measured, err);
    if (!status && !measured->run_nr)
        status = metrics_nothing(measured, err);
    workbench_release(&bench);
    return status;
}
