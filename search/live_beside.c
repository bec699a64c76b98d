/* The live runner: first runs of plans, beside what is known best. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "search/environment.h"
#include "search/live.h"

/* Four quadruples A B B A of a launch: the fewest whose median has an interval that says
 * something (Student's with three degrees of freedom). */
enum { BESIDE_PAIRS = 8 };
static const double beside_s = 2; /* of sampling, in one launch */

void live_remember(struct live *live, const struct built *built,
                   const struct measurement *measurement)
{
    const struct environment plain = {0};
    if (built->source || measurement->outcome != RUN_OUTCOME_OK ||
        !measurement->time_s.known ||
        !environments_equal(&measurement->environment, &plain))
        return;
    free(live->reference.plan);
    live->reference.plan = xstrdup(built->plan);
    live->reference.time_s = measurement->time_s;
}

void live_forget(struct live *live)
{
    free(live->reference.plan);
    live->reference.plan = NULL;
}

static const struct built *reference_of(const struct live *live)
{
    for (size_t i = 0; i < live->built_nr; i++)
        if (live->built[i].toolchain == live->opts.toolchain && live->built[i].parsed &&
            !strcmp(live->built[i].plan, live->reference.plan))
            return &live->built[i];
    return NULL;
}

static struct run_opts beside_opts(const struct live *live, double stop_at_s)
{
    struct run_opts opts = live_run_opts(live);
    double limit_s = 2 * live->launch_s + 2 + beside_s + 4 * stop_at_s +
                     4 * live->reference.time_s.value;
    opts.launches_min = opts.launches_max = 1;
    opts.samples_per_launch = live->opts.pairs ? live->opts.pairs : BESIDE_PAIRS;
    opts.budget_s = beside_s;
    if (stop_at_s > 0 && live->launch_s > 0 &&
        (opts.launch_limit_s <= 0 || limit_s < opts.launch_limit_s))
        opts.launch_limit_s = limit_s;
    opts.stop_ratio = fmax(stop_at_s, 0) / live->reference.time_s.value;
    return opts;
}

/* Fewer than two quadruples have no interval: a fifth to either side then, as far as two
 * samples of a busy machine lie apart. */
static struct quantity doubt_few(struct quantity ratio, size_t pairs)
{
    const double doubt = 1.2;
    if (pairs >= 4)
        return ratio;
    return quantity_between(ratio.value, fmin(ratio.low, ratio.value / doubt),
                            fmax(ratio.high, ratio.value * doubt), ratio.runs,
                            ratio.provenance);
}

/* The reference's time by the ratio. Its own interval is left out: it is the same for all
 * that are compared with it, and with each other. */
static struct quantity time_by(struct quantity reference_s, struct quantity ratio)
{
    return quantity_between(reference_s.value / ratio.value,
                            reference_s.value / ratio.high, reference_s.value / ratio.low,
                            ratio.runs, PROVENANCE_CLOCK);
}

static void take_pair(const struct live *live, struct run_result result[2],
                      struct measurement *out)
{
    struct quantity ratio = run_ratio(&result[0], &result[1]);
    double ratio_least = result[1].at_least_ratio;
    live_take_run(&result[1], out);
    out->time_s = quantity_unknown();
    if (out->outcome == RUN_OUTCOME_OK && ratio.known && ratio.low > 0)
        out->time_s = time_by(live->reference.time_s, doubt_few(ratio, out->sample_nr));
    if (out->outcome == RUN_OUTCOME_STOPPED)
        out->at_least_s = live->reference.time_s.value * ratio_least;
}

const struct built *live_beside(struct live *live, const struct built *built,
                                const struct environment *environment)
{
    const struct environment plain = {0};
    if (!live->reference.plan || !built->parsed || !*built->plan ||
        !environments_equal(environment, &plain) ||
        !strcmp(built->plan, live->reference.plan))
        return NULL;
    return reference_of(live);
}

int live_time_beside(struct live *live, const struct built *built, double stop_at_s,
                     struct measurement *out, bool *done, struct error *err)
{
    const struct environment plain = {0};
    struct run_result result[2] = {{0}, {0}};
    struct run_place place = {0};
    char *path = NULL;
    *done = false;
    const struct built *reference = live_beside(live, built, &out->environment);
    if (!reference)
        return 0;
    const struct variant_side side[2] = {{.plan = reference->parsed},
                                         {.plan = built->parsed}};
    if (live_place(live, &plain, &place, err) ||
        live_build_pair(live, side, &plain, &path, err))
        return -1;
    if (!path)
        return 0;
    struct run_program program = {path, &live->args, false, &place};
    struct run_opts opts = beside_opts(live, stop_at_s);
    int status = run_measure_together(&program, &opts, result, err);
    if (!status && result[0].outcome == RUN_OUTCOME_OK) {
        take_pair(live, result, out);
        live_note_stopped(live, &opts, stop_at_s, out);
        *done = true;
    }
    run_result_release(&result[0]);
    run_result_release(&result[1]);
    free(path);
    return status;
}
