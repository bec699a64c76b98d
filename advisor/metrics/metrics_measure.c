#include "advisor/metrics/metrics_measure.h"

#include <stdlib.h>
#include <string.h>

#include "advisor/metrics/metrics_cpu.h"
#include "advisor/metrics/metrics_parts.h"
#include "core/machine/machine.h"
#include "observe/observe.h"

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

/* The system tells these of a region, without counters. */
static bool is_told_of_regions(const char *event)
{
    static const char *const told[] = {"perf::PAGE-FAULTS", "perf::MINOR-FAULTS",
                                       "perf::MAJOR-FAULTS", "perf::CONTEXT-SWITCHES"};
    for (size_t i = 0; i < ARRAY_SIZE(told); i++)
        if (!strcmp(event, told[i]))
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
        return fail(err, STATUS_MISSING, "'%s' is not told of regions", name);
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
    metrics_counted(event, &counted);
    *at_once = true;
    if (counted.nr < event->nr && plan->opts.ahead)
        status = fail(err, STATUS_MISSING,
                      "the event '%s' is counted inside a program: 'inflight profile "
                      "--timeline' reads such events",
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
                                               .runs_most =
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

void metrics_counted(const struct strvec *event, struct strvec *out)
{
    for (size_t i = 0; i < event->nr; i++)
        if (!text_begins(event->v[i], "sde:::"))
            strvec_push(out, event->v[i]);
}

const struct strvec *metrics_run(const struct metrics_plan *plan, size_t i)
{
    return &plan->plan.run[i % plan->plan.run_nr];
}

/* ---- results ---- */

struct count_set *metrics_add_run(struct metrics_measured *measured)
{
    GROW(measured->run, measured->run_nr + 1, measured->run_alloc);
    struct count_set *run = &measured->run[measured->run_nr++];
    *run = (struct count_set){.cpu = machine_cpu_model()};
    return run;
}

int metrics_nothing(const struct metrics_measured *measured, struct error *err)
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
