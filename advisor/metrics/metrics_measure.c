/* What is counted of a program, of a kernel, and in how many runs. */
#include "advisor/metrics/metrics_measure.h"

#include <stdlib.h>
#include <string.h>

#include "advisor/metrics/metrics_columns.h"
#include "advisor/session/context.h"
#include "core/base.h"
#include "core/machine/machine.h"
#include "core/store/store.h"
#include "observe/observe.h"
#include "search/live/live.h"
#include "search/session/measured.h"
#include "variants/kernel/kernel_view.h"

struct metrics_request metrics_request_of(const struct settings *settings)
{
    return (struct metrics_request){.settings = settings,
                                    .cpu = settings->cpu,
                                    .model = settings->model,
                                    .runs =
                                        settings->runs > 0 ? (size_t)settings->runs : 0};
}

/* ---- definitions ---- */

/* The file of the CPU; NULL, with a note, where nobody named one and none is of this. */
static int load_cpu(const struct metrics_request *request,
                    struct metrics_measured *measured, struct error *err)
{
    struct error why = {0};
    if (request->cpu)
        return metric_set_load(request->cpu, NULL, &measured->set, err);
    if (!metrics_set_here(&measured->set, &why))
        return 0;
    if (why.status != STATUS_MISSING)
        return fail(err, why.status, "%s", why.text);
    strvec_push(&measured->note, why.text);
    return 0;
}

/* Adds a shipped file to what is there. */
static int add_file(const char *name, struct metrics_measured *measured,
                    struct error *err)
{
    struct metric_set *more = NULL;
    if (metric_set_load(name, NULL, &more, err))
        return -1;
    if (measured->set)
        return metric_set_merge(measured->set, more, err);
    measured->set = more;
    return 0;
}

/* ---- planning ---- */

/* Of these events those that counters count: not the software-defined ones. */
static void hardware_of(const struct strvec *event, struct strvec *out)
{
    for (size_t i = 0; i < event->nr; i++)
        if (!text_begins(event->v[i], "sde:::"))
            strvec_push(out, event->v[i]);
}

/* The system tells these of a region, without counters. */
static bool is_told_of_regions(const char *event)
{
    static const char *const reported[] = {"perf::PAGE-FAULTS", "perf::MINOR-FAULTS",
                                           "perf::MAJOR-FAULTS",
                                           "perf::CONTEXT-SWITCHES"};
    for (size_t i = 0; i < ARRAY_SIZE(reported); i++)
        if (!strcmp(event, reported[i]))
            return true;
    return false;
}

void metrics_counted_inside(const struct strvec *event, struct strvec *out)
{
    for (size_t i = 0; i < event->nr; i++)
        if (!is_told_of_regions(event->v[i]))
            strvec_push(out, event->v[i]);
}

/* Codes are for the kernel, in whose words they may not count anyway. */
static int check_inside(const char *name, const struct metrics_plan *plan,
                        struct error *err)
{
    struct strvec one = {0};
    bool at_once;
    int status = 0;
    if (text_begins(name, "sde:::") || text_begins(name, "perf::"))
        return fail(err, STATUS_MISSING, "'%s' cannot be counted in regions", name);
    if (strlen(name) > REGION_EVENT_LETTERS)
        return fail(err, STATUS_MISSING,
                    "'%s' is not counted in regions: it has more than %d letters", name,
                    REGION_EVENT_LETTERS);
    if (!strchr(name, '/') && !strchr(name, ','))
        return 0;
    strvec_push(&one, name);
    status = papi_events_fit(&one, &plan->opts, &at_once, err);
    strvec_release(&one);
    return status ? -1
                  : fail(err, STATUS_MISSING,
                         "'%s' is not counted in regions: their markers ask PAPI, which "
                         "has no name for it",
                         name);
}

/* Events of threads by PAPI, all of them all the time. */
static int fits_inside(const struct metrics_plan *plan, const struct strvec *event,
                       bool *at_once, struct error *err)
{
    struct strvec counted = {0};
    metrics_counted_inside(event, &counted);
    int status = 0;
    *at_once = counted.nr <= REGION_EVENTS_MAX;
    for (size_t i = 0; !status && i < counted.nr; i++)
        status = check_inside(counted.v[i], plan, err);
    if (!status && counted.nr && *at_once)
        status = papi_events_fit(&counted, &plan->opts, at_once, err);
    strvec_release(&counted);
    return status;
}

/* Our own software-defined events are what a trace says; those of a program are inside
 * it. */
static int fits(void *data, const struct strvec *event, bool *at_once, struct error *err)
{
    const struct metrics_plan *plan = data;
    struct strvec counted = {0};
    int status = 0;
    if (plan->of_regions)
        return fits_inside(plan, event, at_once, err);
    hardware_of(event, &counted);
    *at_once = true;
    if (counted.nr < event->nr && plan->opts.ahead)
        status = fail(err, STATUS_MISSING,
                      "the event '%s' is counted inside a program, where only a tool "
                      "that is preloaded into it can read",
                      event->v[0]);
    else if (counted.nr)
        status = papi_events_fit(&counted, &plan->opts, at_once, err);
    strvec_release(&counted);
    return status;
}

static void make_plan(const struct metrics_request *request,
                      const struct metrics_measured *measured, struct metrics_plan *plan)
{
    const struct metric_plan_request wanted = {.set = measured->set,
                                               .model = request->model,
                                               .facts = request->facts,
                                               .memory = &plan->memory,
                                               .runs_max =
                                                   plan->of_regions ? 0 : request->runs,
                                               .fits = fits,
                                               .data = plan};
    metric_plan_release(&plan->plan);
    metric_plan_make(&wanted, &plan->plan);
}

/* Memory is counted by whoever counts it, whatever the definitions are of. */
static void find_memory(struct metrics_plan *plan)
{
    struct papi_bandwidth bandwidth = {0};
    if (!(plan->of_regions ? papi_bandwidth_thread_events(&bandwidth, NULL)
                           : papi_bandwidth_events(&bandwidth, NULL)))
        strvec_push_all(&plan->memory, &bandwidth.event);
    papi_bandwidth_release(&bandwidth);
}

/* The hardware is silent: its definitions go, the reason stays. */
static int take_instead(const struct metrics_request *request, const char *instead,
                        struct metrics_measured *measured, struct metrics_plan *plan,
                        struct error *err)
{
    bool defined = measured->set && request->model &&
                   metrics_has_model(measured->set, request->model);
    strvec_push_all(&measured->note, &plan->plan.note);
    metric_set_free(measured->set);
    measured->set = NULL;
    if ((instead && add_file(instead, measured, err)) ||
        add_file(metrics_software, measured, err))
        return -1;
    if (defined && !metrics_has_model(measured->set, request->model))
        return fail(err, STATUS_MISSING, "the model '%s' cannot be counted: %s",
                    request->model,
                    measured->note.nr ? measured->note.v[0] : "nothing counts here");
    make_plan(request, measured, plan);
    return 0;
}

static int prepare(const struct metrics_request *request, const char *instead,
                   struct metrics_measured *measured, struct metrics_plan *plan,
                   struct error *err)
{
    if (measured->set) {
        find_memory(plan);
        if (strcmp(measured->set->name, metrics_software) &&
            add_file(metrics_software, measured, err))
            return -1;
        make_plan(request, measured, plan);
    }
    bool some = request->model && plan->plan.run_nr;
    return request->cpu || plan->plan.hardware || some
               ? 0
               : take_instead(request, instead, measured, plan, err);
}

int metrics_prepare(const struct metrics_request *request, const char *instead,
                    struct metrics_measured *measured, struct metrics_plan *plan,
                    struct error *err)
{
    if (load_cpu(request, measured, err) ||
        prepare(request, instead, measured, plan, err) ||
        metrics_check_model(measured->set, request->model, err))
        return -1;
    strvec_push_all(&measured->note, &plan->plan.note);
    if (plan->plan.by_turns)
        strvec_pushf(&measured->note,
                     "the events take turns in the counters: without --runs %zu they "
                     "would be counted in more runs, each all the time",
                     request->runs);
    return 0;
}

void metrics_plan_done(struct metrics_plan *plan)
{
    metric_plan_release(&plan->plan);
    strvec_release(&plan->memory);
}

size_t metrics_runs(const struct metrics_request *request,
                    const struct metrics_plan *plan)
{
    return request->runs > plan->plan.run_nr ? request->runs : plan->plan.run_nr;
}

const struct strvec *metrics_run(const struct metrics_plan *plan, size_t i)
{
    return &plan->plan.run[i % plan->plan.run_nr];
}

/* ---- results ---- */

/* Room for the counts of a further run. */
static struct count_set *add_run(struct metrics_measured *measured)
{
    GROW(measured->run, measured->run_nr + 1, measured->run_alloc);
    struct count_set *run = &measured->run[measured->run_nr++];
    *run = (struct count_set){.cpu = machine_cpu_model()};
    return run;
}

/* Fails: there is no run, and why. */
static int nothing(const struct metrics_measured *measured, struct error *err)
{
    return fail(err, STATUS_MISSING, "nothing can be counted here: %s",
                measured->note.nr ? measured->note.v[0] : "no metric asks for it");
}

static size_t give(struct metric_given *given, size_t nr, const char *name, double value)
{
    if (value <= 0)
        return nr;
    given[nr] = (struct metric_given){name, quantity_exact(value, PROVENANCE_PROBE)};
    return nr + 1;
}

size_t metrics_given_here(struct metric_given given[METRICS_GIVEN_HERE])
{
    struct machine_processor processor = {0};
    size_t nr = give(given, 0, "line_bytes", machine_line_bytes());
    machine_processor_here(&processor);
    nr = give(given, nr, "vector_bits", machine_vector_bits(&processor));
    machine_processor_release(&processor);
    return nr;
}

void metrics_measured_release(struct metrics_measured *measured)
{
    metric_set_free(measured->set);
    for (size_t i = 0; i < measured->run_nr; i++)
        count_set_release(&measured->run[i]);
    free(measured->run);
    strvec_release(&measured->note);
    free(measured->ended);
    *measured = (struct metrics_measured){0};
}

static int not_started(const struct settings *settings,
                       const struct spawn_outcome *outcome, struct error *err)
{
    return fail(err, STATUS_INPUT, "cannot start '%s': %s", settings->program.v[0],
                strerror(outcome->code));
}

/* As its user starts it. */
static int run(const struct settings *settings, struct spawn_outcome *outcome,
               struct error *err)
{
    struct spawn_request request = {.argv = (const char *const *)settings->program.v,
                                    .attached = true,
                                    .out_to_err = settings->json};
    if (spawn_run(&request, outcome, err))
        return -1;
    return outcome->end == SPAWN_NOT_STARTED ? not_started(settings, outcome, err) : 0;
}

/* "was interrupted" is no doing of the program's. */
char *metrics_end_text(const struct spawn_outcome *outcome)
{
    if (outcome->end == SPAWN_INTERRUPTED || spawn_interrupted())
        return xstrdup("was interrupted");
    return spawn_end_phrase(outcome->end, outcome->code);
}

static int count(const struct settings *settings, struct papi_counter *counter,
                 struct metrics_measured *measured, struct error *err)
{
    struct spawn_outcome outcome = {0};
    if (papi_counter_begin(counter, NULL, 0, err))
        return -1;
    int status = run(settings, &outcome, err);
    if (!status) {
        struct count_set *counts = add_run(measured);
        status = papi_counter_end(counter, counts, err);
        counts->seconds = quantity_exact(outcome.wall_s, PROVENANCE_CLOCK);
        measured->ended = metrics_end_text(&outcome);
    }
    spawn_outcome_release(&outcome);
    return status;
}

static int count_run(const struct settings *settings, const struct metrics_plan *plan,
                     size_t i, struct metrics_measured *measured, struct error *err)
{
    const struct strvec *event = metrics_run(plan, i);
    struct papi_counter *counter = NULL;
    if (papi_counter_new((const char *const *)event->v, event->nr, &plan->opts, &counter,
                         err))
        return -1;
    int status = count(settings, counter, measured, err);
    papi_counter_free(counter);
    return status;
}

static void note_runs(const struct metrics_plan *plan, size_t wanted,
                      struct metrics_measured *measured)
{
    if (measured->run_nr < wanted)
        strvec_pushf(&measured->note,
                     "it ran %zu time%s of %zu: what the others would have counted is "
                     "not known",
                     measured->run_nr, measured->run_nr == 1 ? "" : "s", wanted);
    else if (plan->plan.run_nr > 1)
        strvec_pushf(&measured->note,
                     "it ran %zu times, with %zu sets of events that do not fit into the "
                     "counters together",
                     wanted, plan->plan.run_nr);
}

/* That takes so much longer, and may have effects. */
void metrics_announce(const struct settings *settings, size_t runs)
{
    struct progress progress;
    if (runs < 2)
        return;
    progress_start(&progress, settings->quiet, settings->verbose);
    progress_note(
        &progress,
        "'%s' will run %zu times, each with other events; --model NAME asks for "
        "fewer, --runs 1 has them take turns",
        settings->program.v[0], runs);
}

/* What does not end well is not tried again. */
static int count_all(const struct metrics_request *request,
                     const struct metrics_plan *plan, struct metrics_measured *measured,
                     struct error *err)
{
    size_t runs = metrics_runs(request, plan);
    if (!plan->plan.run_nr)
        return nothing(measured, err);
    metrics_announce(request->settings, plan->plan.run_nr > 1 ? runs : 0);
    for (size_t i = 0; i < runs && !measured->ended; i++)
        if (count_run(request->settings, plan, i, measured, err))
            return -1;
    note_runs(plan, runs, measured);
    return 0;
}

int metrics_of_program(const struct metrics_request *request,
                       struct metrics_measured *measured, struct error *err)
{
    struct metrics_plan plan = {.opts = {.ahead = true}};
    *measured = (struct metrics_measured){0};
    spawn_catch_interrupt();
    measured->given_nr = metrics_given_here(measured->given);
    int status = metrics_prepare(request, NULL, measured, &plan, err);
    if (!status)
        status = count_all(request, &plan, measured, err);
    metrics_plan_done(&plan);
    return status;
}

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

static int launch(struct context *bench, const struct strvec *event,
                  struct metrics_measured *measured, struct error *err)
{
    struct candidate candidate = {bench->plan, context_environment(bench)};
    struct counting counting = {NULL, add_run(measured)};
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
static void take_traffic(const struct context *bench,
                         const struct measurement *measurement,
                         struct metrics_measured *measured)
{
    double launched = measured->run_nr ? measured->run[0].calls : 0;
    struct count_set *counts = add_run(measured);
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

static int trace(struct context *bench, struct metrics_measured *measured,
                 struct error *err)
{
    struct candidate candidate = {bench->plan, context_environment(bench)};
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

static int count_launches(struct context *bench, const struct metrics_request *request,
                          const struct metrics_plan *plan,
                          struct metrics_measured *measured, struct error *err)
{
    size_t runs = metrics_runs(request, plan), complete = 0;
    for (size_t i = 0; plan->plan.run_nr && i < runs; i++) {
        struct strvec event = {0};
        hardware_of(metrics_run(plan, i), &event);
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
static void take_given(const struct context *bench, struct metrics_measured *measured)
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
static void take_expected(const struct context *bench, struct metrics_measured *measured)
{
    struct quantity flops = kernel_counts(bench->kernel).flops;
    if (flops.known && measured->run_nr && measured->run[0].calls > 0)
        measured->given[measured->given_nr++] = (struct metric_given){
            "flops_expected", quantity_scale(flops, measured->run[0].calls)};
}

static int count_kernel(struct context *bench, const struct metrics_request *request,
                        const char *instead, struct metrics_measured *measured,
                        struct error *err)
{
    struct metrics_plan plan = {0};
    take_given(bench, measured);
    int status = metrics_prepare(request, instead, measured, &plan, err);
    if (!status)
        status = count_launches(bench, request, &plan, measured, err);
    if (!status)
        take_expected(bench, measured);
    metrics_plan_done(&plan);
    return status;
}

int metrics_of_bench(struct context *bench, const struct metrics_request *request,
                     struct metrics_measured *measured, struct error *err)
{
    *measured = (struct metrics_measured){0};
    return count_kernel(bench, request, NULL, measured, err);
}

int metrics_of_kernel(const struct metrics_request *request,
                      struct metrics_measured *measured, struct error *err)
{
    struct context bench;
    *measured = (struct metrics_measured){0};
    spawn_catch_interrupt();
    context_start(&bench, request->settings);
    int status = context_live(&bench, err);
    if (!status)
        status = count_kernel(&bench, request, "traced", measured, err);
    if (!status && !measured->run_nr)
        status = nothing(measured, err);
    context_release(&bench);
    return status;
}
