/* The counter-experiments as they run here. */
#include "advisor/session/confirm_live.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/cli/settings.h"
#include "core/base.h"
#include "search/finish/confirm.h"
#include "search/live/live.h"
#include "search/session/measured.h"
#include "search/session/session.h"
#include "search/session/subject.h"
#include "variants/kernel/kernel.h"
#include "variants/kernel/kernel_view.h"

struct confirm_live {
    struct context *bench;
    struct candidate candidate;
    double footprint_bytes; /* that is aimed at */
    struct quantity time_s; /* of one innermost iteration, of what was measured last */
    char *why;              /* it is not known */
};

static void excuse(struct confirm_live *run, const char *why)
{
    free(run->why);
    run->why = xstrdup(why);
}

/* As the live runner is bound now. */
static int time_iteration(struct confirm_live *run, struct error *err)
{
    const struct search_runner *runner = &run->bench->live_runner;
    struct kernel_counts counts = kernel_counts(run->bench->kernel);
    struct measurement measurement = {0};
    run->time_s = quantity_unknown();
    if (runner->measure(runner->data, &run->candidate, MEASURE_FULL, 0, &measurement,
                        err))
        return -1;
    if (measurement.outcome == RUN_OUTCOME_OK && counts.iterations.value > 0)
        run->time_s = quantity_scale(measurement.time_s, 1 / counts.iterations.value);
    else
        excuse(run, measurement.detail ? measurement.detail
                                       : run_outcome_word(measurement.outcome));
    measurement_release(&measurement);
    return 0;
}

static int bind_again(struct confirm_live *run, size_t copies, struct error *err)
{
    return live_rebind(run->bench->live, copies, err);
}

/* ---- the changes ---- */

static int time_small(struct kernel *kernel, void *data, struct error *err)
{
    struct confirm_live *run = data;
    size_t copies = live_copies(run->bench->live);
    if (kernel_counts(kernel).footprint_bytes > run->footprint_bytes)
        return 0;
    return bind_again(run, copies, err) || time_iteration(run, err) ? -1 : 0;
}

/* The largest sizes, by halves, whose data fit. */
static int time_smaller(struct confirm_live *run, struct error *err)
{
    struct kernel *kernel = run->bench->kernel;
    struct error why = {0};
    run->time_s = quantity_unknown();
    for (long long size = kernel_largest(kernel) / 2; size >= 8 && !run->time_s.known;
         size /= 2) {
        error_clear(&why);
        if (kernel_at_size(kernel, size, time_small, run, &why) &&
            why.status != STATUS_INPUT)
            return fail(err, why.status, "%s", why.text);
        if (spawn_interrupted() || (!run->time_s.known && run->why))
            break;
    }
    if (!run->time_s.known && !run->why)
        excuse(run, *why.text ? why.text : "no smaller size of its data fits L2");
    return 0;
}

static int time_changed(struct confirm_live *run, const struct confirm_setup *setup,
                        struct error *err)
{
    switch (setup->kind) {
    case CONFIRM_HALF_COPIES:
        return bind_again(run, (size_t)setup->copies, err) || time_iteration(run, err)
                   ? -1
                   : 0;
    case CONFIRM_ORDERED:
        if (live_order(run->bench->live))
            return time_iteration(run, err);
        excuse(run, "no array of indices is filled at random");
        return 0;
    default:
        run->footprint_bytes = setup->footprint_bytes;
        return time_smaller(run, err);
    }
}

/* ---- the runner ---- */

/* The setting as it is, the change, and the setting again: what drifts shows as an
 * interval. */
static int compare_in_turn(struct confirm_live *run, const struct confirm_setup *setup,
                           struct quantity *ratio, struct error *err)
{
    struct quantity before, changed, after;
    if (time_iteration(run, err))
        return -1;
    before = run->time_s;
    if (!before.known || spawn_interrupted())
        return 0;
    int status = time_changed(run, setup, err);
    changed = run->time_s;
    if (bind_again(run, 0, status ? NULL : err))
        status = -1;
    if (status || !changed.known || spawn_interrupted())
        return status;
    if (time_iteration(run, err))
        return -1;
    after = run->time_s;
    if (after.known)
        *ratio = quantity_divide(
            quantity_between(sqrt(before.value * after.value),
                             fmin(before.low, after.low), fmax(before.high, after.high),
                             before.runs + after.runs, before.provenance),
            changed);
    return 0;
}

static int compare_pages(struct confirm_live *run, struct quantity *ratio,
                         struct error *err)
{
    const struct search_runner *runner = &run->bench->live_runner;
    struct candidate huge = run->candidate;
    huge.environment.huge_pages = true;
    return runner->compare(runner->data, &run->candidate, &huge,
                           search_closing_s(run->bench->budget.seconds), ratio, err);
}

static int compare(void *data, const struct confirm_setup *setup, struct quantity *ratio,
                   char **why, struct error *err)
{
    struct confirm_live *run = data;
    *ratio = quantity_unknown();
    run->time_s = quantity_unknown();
    progress_say(&run->bench->progress, "counter-experiment: %s",
                 confirm_word(setup->kind));
    int status = setup->kind == CONFIRM_HUGE_PAGES
                     ? compare_pages(run, ratio, err)
                     : compare_in_turn(run, setup, ratio, err);
    *why = run->why;
    run->why = NULL;
    return status;
}

/* Without a diagnosis there is nothing to confirm: that is said, too. */
static int without_case(struct confirm_result *result, struct error *why)
{
    *result = (struct confirm_result){.kind = CONFIRM_NONE,
                                      .predicted = quantity_unknown(),
                                      .rival = quantity_unknown(),
                                      .observed = quantity_unknown(),
                                      .sentence = xstrdup(why->text)};
    return 0;
}

int confirm_live(struct context *bench, const struct measurement *of,
                 struct confirm_result *result, struct error *err)
{
    struct confirm_case about;
    struct error why = {0};
    struct confirm_live run = {.bench = bench, .candidate = {of->plan, of->environment}};
    struct confirm_runner runner = {&run, compare};
    *result = (struct confirm_result){.kind = CONFIRM_NONE};
    if (!bench->settings->confirm || spawn_interrupted())
        return 0;
    if (confirm_case_of(of, &bench->subject, &about, &why))
        return without_case(result, &why);
    int status = confirm_run(&about, &runner, result, err);
    if (!status && spawn_interrupted() && !result->observed.known)
        confirm_release(result);
    return status;
}
