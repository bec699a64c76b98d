/* Counting a program from outside. */
#include <stdlib.h>
#include <string.h>

#include "advisor/metrics/metrics_parts.h"

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
        struct count_set *counts = metrics_add_run(measured);
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
        "'%s' will run %zu times, with other events each; --model NAME asks for "
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
        return metrics_nothing(measured, err);
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
