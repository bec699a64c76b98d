/* The live runner: one launch that others count. */
#include "core/base/error.h"
#include "search/live/live_parts.h"

/* Long samples, so that what the harness does between them is little of what is counted.
 */
static const double sample_s = 0.05;
enum { samples = 5 };

static int build(struct live *live, const struct candidate *candidate,
                 struct built **built, struct error *err)
{
    if (live_built_get(live, candidate, built, err) ||
        live_verify(live, *built, false, err))
        return -1;
    if ((*built)->refused == RUN_OUTCOME_OK &&
        live_build(live, *built, VARIANT_TIME, err))
        return -1;
    return (*built)->refused == RUN_OUTCOME_OK
               ? 0
               : fail(err, STATUS_FAILED, "the variant was not counted: %s: %s",
                      run_outcome_word((*built)->refused), (*built)->why);
}

static int launch(struct live *live, const struct built *built,
                  const struct environment *environment, const struct live_gate *gate,
                  double *calls, struct error *err)
{
    struct run_opts opts = live_run_opts(live);
    struct run_place place = {0};
    struct run_program program = {built->program[VARIANT_TIME], &live->args,
                                  environment->huge_pages, &place};
    struct run_result result = {0};
    if (live_place(live, environment, &place, err))
        return -1;
    opts.launches_min = opts.launches_max = 1;
    opts.samples_per_launch = samples;
    opts.sample_min_s = sample_s;
    opts.at_gate = gate->at_gate;
    opts.gate_data = gate->data;
    live_set_environment(environment, &opts);
    if (run_measure(&program, &opts, &result, err))
        return -1;
    *calls = result.calls * (double)place.copies;
    int status = result.outcome == RUN_OUTCOME_OK
                     ? 0
                     : fail(err, STATUS_FAILED, "the variant was not counted: %s: %s",
                            run_outcome_word(result.outcome), result.detail);
    run_result_release(&result);
    return status;
}

int live_launch(struct live *live, const struct candidate *candidate,
                const struct live_gate *gate, double *calls, struct error *err)
{
    struct built *built = NULL;
    return build(live, candidate, &built, err) ||
                   launch(live, built, &candidate->environment, gate, calls, err)
               ? -1
               : 0;
}
