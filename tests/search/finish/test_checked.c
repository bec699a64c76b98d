/* Gains that are told are of variants whose results were compared at the full size. */
#include "search/session/measured.h"
#include "tests/search/scripted_trial.h"

SUITE(search_checked);

/* Faster, but for the leading one wrong where only the full size shows it. */
static const struct space_entry entries[] = {
    {.plan = "simd", .seconds = 0.9, .full = RUN_OUTCOME_WRONG_RESULT},
    {.plan = "tile(i:32,j:32)", .seconds = 0.4},
    {.plan = "tile(*", .seconds = 0.6, .full = RUN_OUTCOME_WRONG_RESULT},
    {.plan = NULL}};

static bool is_gain(const struct search_result *result, size_t i)
{
    return session_is_gain(result->gain[i]);
}

TEST("what is wrong at the full size has no gain")
{
    struct trial trial = {0};
    size_t wrong = 0, right = 0;

    trial_start(&trial, entries);
    trial_run(&trial);
    for (size_t i = 1; i < trial.result.measurement_nr; i++) {
        const struct measurement *measurement = &trial.result.measurement[i];

        if (is_gain(&trial.result, i))
            check(measurement->checked && measurement->outcome == RUN_OUTCOME_OK);
        wrong += measurement->outcome == RUN_OUTCOME_WRONG_RESULT;
        right += is_gain(&trial.result, i);
        if (measurement->outcome == RUN_OUTCOME_WRONG_RESULT) {
            check(!trial.result.gain[i].known && !measurement->time_s.known);
            check(space_count(&trial.space.saved, measurement->plan) == 2);
        }
    }
    check(wrong > 3);
    check(right > 0);
    check_str(trial.result.measurement[trial.result.best].plan, "tile(i:32,j:32)");
    trial_release(&trial);
}

TEST("advice says what a wrong plan computes")
{
    struct trial trial = {0};
    const struct advice *simd;

    trial_start(&trial, entries);
    trial_run(&trial);
    simd = space_advice(&trial.result, "simd");
    if (check(simd != NULL)) {
        check(!simd->measured_speedup.known);
        check_contains(simd->outcome, "it computes something else (first difference: ");
    }
    trial_release(&trial);
}

/* ---- no time ---- */

static double now_s;

static double fake_clock(void)
{
    return now_s;
}

static void spend_all(void *data)
{
    (void)data;
    now_s += 1e6;
}

TEST("what there was no time to compare has no gain")
{
    struct trial trial = {
        .opts = {
            .budget_s = 1e5, .began_s = 1, .budget_variants = 80, .clock = fake_clock}};
    size_t timed = 0, told = 0;

    now_s = 1;
    trial_start(&trial, NULL);
    trial.space.time_s = space_valley;
    trial.space.runner.no_more = spend_all;
    trial_run(&trial);
    for (size_t i = 1; i < trial.result.measurement_nr; i++) {
        timed += trial.result.measurement[i].time_s.known;
        told += is_gain(&trial.result, i);
        if (is_gain(&trial.result, i) && i != trial.result.best)
            check(trial.result.measurement[i].checked);
    }
    check(timed > 20 && told < timed / 2);
    trial_release(&trial);
}
