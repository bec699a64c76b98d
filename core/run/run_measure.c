#include "core/run/run.h"

#include <math.h>
#include <stdlib.h>

#include "core/run/run_parts.h"

void run_result_release(struct run_result *result)
{
    free(result->detail);
    free(result->sample);
    free(result->denormal);
    free(result->note);
    *result = (struct run_result){0};
}

/* The least launches shall fit into the budget, and a launch must end before it is
 * killed. */
static double sampling_limit(const struct run_opts *full)
{
    const double min_s = 0.001; /* one sample is taken whatever it takes */
    size_t planned = full->launches_planned ? full->launches_planned : full->launches_min;
    double each_s = full->budget_s / (double)planned - full->launch_own_s;
    return fmin(fmax(each_s, min_s), full->launch_limit_s / 2);
}

/* What disturbed one of a pair disturbed the pair. */
static unsigned disturbed_at(const struct launch *launch, size_t copy, size_t at)
{
    return launch->copy[copy].sample[at].disturbed |
           (launch->second ? launch->second[copy].sample[at].disturbed : 0);
}

/* One sample of all copies; `copy`: those of the side that the result is of. */
static void add_sample(struct run_result *result, const struct launch *launch,
                       const struct copy_results *copy, size_t at, unsigned number)
{
    struct run_sample sample = {.launch = number};

    for (size_t i = 0; i < launch->copies; i++) {
        double seconds = copy[i].sample[at].seconds;

        sample.seconds += seconds / (double)launch->copies;
        sample.slowest_s = fmax(sample.slowest_s, seconds);
        sample.disturbed |= disturbed_at(launch, i, at);
        sample.waited_s += copy[i].sample[at].waited_s / (double)launch->copies;
        sample.waits_inside |= copy[i].sample[at].waits_inside;
    }
    GROW(result->sample, result->sample_nr + 1, result->sample_alloc);
    result->sample[result->sample_nr++] = sample;
}

/* One more value of a mean of `nr`; a negative one means unknown, and stays so. */
static double next_mean(double mean, double value, double nr)
{
    if (mean < 0 || value < 0)
        return -1;
    return mean + (value - mean) / nr;
}

static void add_copy(struct run_result *result, const struct copy_results *copy,
                     const struct launch *launch, size_t index)
{
    double nr = (double)(result->launches * launch->copies + index + 1);

    for (size_t i = 0; i < copy->sample_nr; i++)
        result->calls += copy->sample[i].calls / (double)launch->copies;
    result->warm_s = next_mean(result->warm_s, copy->warm_s, nr);
    result->huge_bytes = next_mean(result->huge_bytes, copy->huge_bytes, nr);
    result->buffer_bytes = copy->buffer_bytes;
    if (copy->denormal && !result->denormal)
        result->denormal = xstrdup(copy->denormal);
}

static void add_usage(struct run_result *result, const struct launch *launch)
{
    if (launch->max_rss_kib > result->max_rss_kib)
        result->max_rss_kib = launch->max_rss_kib;
    result->involuntary_switches += launch->involuntary_switches;
    result->major_faults += launch->major_faults;
    result->wall_s += launch->wall_s;
    result->starting_s = fmax(result->starting_s, launch->starting_s);
}

static size_t min_samples(const struct copy_results *copy, size_t copies, size_t min)
{
    for (size_t i = 0; i < copies; i++)
        if (copy[i].sample_nr < min)
            min = copy[i].sample_nr;
    return min;
}

/* The samples that all copies have, of a pair on both sides. */
static size_t common_samples(const struct launch *launch)
{
    size_t common = min_samples(launch->copy, launch->copies, SIZE_MAX);

    return launch->second ? min_samples(launch->second, launch->copies, common) : common;
}

/* `side`: LAUNCH_FIRST or LAUNCH_SECOND. */
static void add_launch(struct run_result *result, const struct launch *launch,
                       unsigned side, unsigned number, size_t minimum_of)
{
    const struct copy_results *copy =
        side == LAUNCH_SECOND ? launch->second : launch->copy;
    size_t common, from = result->sample_nr;

    add_usage(result, launch);
    if (launch->verdict.outcome != RUN_OUTCOME_OK) {
        if (launch->blame & side) {
            result->outcome = launch->verdict.outcome;
            result->detail = xstrdup(launch->verdict.detail);
        }
        return;
    }
    common = common_samples(launch);
    for (size_t i = 0; i < launch->copies; i++)
        add_copy(result, &copy[i], launch, i);
    for (size_t at = 0; at < common; at++)
        add_sample(result, launch, copy, at, number);
    samples_take_least(result, from, minimum_of);
    samples_add_facts(result, launch);
    result->launches++;
}

static bool was_stopped(const struct copy_results *copy, size_t copies)
{
    for (size_t i = 0; copy && i < copies; i++)
        if (copy[i].stopped)
            return true;
    return false;
}

static double extreme_sample(const struct run_result *result, bool longest)
{
    double extreme = result->sample_nr ? result->sample[0].seconds : 0;

    for (size_t i = 1; i < result->sample_nr; i++)
        if ((result->sample[i].seconds > extreme) == longest)
            extreme = result->sample[i].seconds;
    return extreme;
}

/* By its first call, where that was all. */
static double min_warm_s(const struct copy_results *copy, size_t copies)
{
    double min = copy[0].warm_s;

    for (size_t i = 1; i < copies; i++)
        min = fmin(min, copy[i].warm_s);
    return min;
}

/* `beside`: what it ran together with; NULL = nothing. */
static void note_stopped(struct run_result *result, const struct copy_results *copy,
                         size_t copies, const struct run_result *beside)
{
    double min_s = result->sample_nr ? extreme_sample(result, false)
                                     : min_warm_s(copy, copies),
           other_s = beside ? extreme_sample(beside, true) : 0;

    result->outcome = RUN_OUTCOME_STOPPED;
    result->at_least_s = min_s;
    result->at_least_ratio = other_s > 0 ? min_s / other_s : 0;
}

static bool is_steady(const struct run_result *result, size_t nr, double target_spread)
{
    struct quantity steady = nr == 1 ? run_time_s(result) : run_ratio(result, result + 1);

    return steady.known && (steady.high - steady.low) / steady.value < target_spread;
}

static void note_original(struct run_result *result, const struct copy_results *copy,
                          size_t copies)
{
    bool all = copies > 0;

    for (size_t i = 0; i < copies; i++)
        all = all && copy[i].original;
    if (!all)
        return;
    result->outcome = RUN_OUTCOME_NOT_RUN;
    free(result->detail);
    result->detail = xstrdup("what it tests at run time does not hold in the timed call, "
                             "so that the original loop ran");
}

/* One launch of each program, the first one first in every other round. */
static int launch_round(const struct run_program *program, size_t nr,
                        const struct run_opts *full, unsigned number,
                        struct run_result *result, struct error *err)
{
    for (size_t i = 0; i < nr; i++) {
        size_t which = number % 2 == 0 ? i : nr - 1 - i;
        struct run_opts opts = launch_placed(&program[which], full);
        struct launch launch;

        if (launch_run(&program[which], &opts, sampling_limit(full), &launch, err))
            return -1;
        add_launch(&result[which], &launch, LAUNCH_FIRST, number, full->minimum_of);
        if (was_stopped(launch.copy, launch.copies) &&
            result[which].outcome == RUN_OUTCOME_OK)
            note_stopped(&result[which], launch.copy, launch.copies, NULL);
        note_original(&result[which], launch.copy, launch.copies);
        launch_release(&launch);
    }
    return 0;
}

static void add_turns(struct run_result result[2], const struct launch *launch,
                      unsigned number, size_t minimum_of)
{
    add_launch(&result[0], launch, LAUNCH_FIRST, number, minimum_of);
    add_launch(&result[1], launch, LAUNCH_SECOND, number, minimum_of);
    result[0].together = result[1].together = true;
    if (was_stopped(launch->second, launch->copies) &&
        result[1].outcome == RUN_OUTCOME_OK)
        note_stopped(&result[1], launch->second, launch->copies, &result[0]);
    note_original(&result[0], launch->copy, launch->copies);
    note_original(&result[1], launch->second, launch->copies);
}

/* A B is followed by B A, also from one round to the next. */
static bool is_odd(const struct run_result *result, unsigned launch)
{
    bool odd = false;

    for (size_t i = 0; i < result->sample_nr; i++)
        odd ^= result->sample[i].launch == launch;
    return odd;
}

int run_arena_turns(struct run_arena *arena, const char *const library[2],
                    const struct run_turns *how, struct run_result result[2],
                    struct error *err)
{
    struct run_turns now = *how;
    struct launch launch;

    now.first ^= is_odd(&result[0], run_arena_starts(arena));
    if (arena_turns(arena, library, &now, &launch, err))
        return -1;
    add_turns(result, &launch, run_arena_starts(arena), 1);
    launch_release(&launch);
    return 0;
}

/* An arena of its own: in every other one the second comes first. */
static int launch_together(const struct run_program *program,
                           const char *const library[2], const struct run_opts *full,
                           unsigned number, struct run_result result[2],
                           struct error *err)
{
    const struct run_turns how = {.pairs = full->samples_per_launch * full->minimum_of,
                                  .sample_min_s = full->sample_min_s,
                                  .limit_s = sampling_limit(full),
                                  .stop_ratio = full->stop_ratio,
                                  .first = number % 2 != 0};
    struct run_arena *arena;
    struct launch launch;

    if (run_arena_open(program, full, &arena, err))
        return -1;
    int status = arena_turns(arena, library, &how, &launch, err);
    if (!status) {
        arena_stop(arena, &launch);
        add_turns(result, &launch, number, full->minimum_of);
        launch_release(&launch);
    }
    run_arena_close(arena);
    return status;
}

static bool is_over(const struct run_opts *full, const struct run_result *result,
                    size_t nr, size_t launches, double elapsed_s)
{
    for (size_t i = 0; i < nr; i++)
        if (result[i].outcome != RUN_OUTCOME_OK)
            return true;
    if (launches < full->launches_min)
        return false;
    return launches >= full->launches_max || elapsed_s >= full->budget_s ||
           is_steady(result, nr, full->target_spread);
}

/* `library`: of two in one arena; NULL = each program has a launch of its own. */
static int measure(const struct run_program *program, size_t nr,
                   const char *const *library, const struct run_opts *opts,
                   struct run_result *result, struct error *err)
{
    struct run_opts full = launch_defaults(opts);
    double started = clock_s();
    unsigned launches = 0;

    for (size_t i = 0; i < nr; i++)
        result[i] = (struct run_result){.together = library != NULL};
    do {
        if (library ? launch_together(program, library, &full, launches, result, err)
                    : launch_round(program, nr, &full, launches, result, err)) {
            for (size_t i = 0; i < nr; i++)
                run_result_release(&result[i]);
            return -1;
        }
        launches++;
    } while (!is_over(&full, result, nr, launches, clock_s() - started));
    for (size_t i = 0; i < nr; i++)
        samples_note(&result[i], &full);
    return 0;
}

int run_measure(const struct run_program *program, const struct run_opts *opts,
                struct run_result *result, struct error *err)
{
    return measure(program, 1, NULL, opts, result, err);
}

int run_measure_pair(const struct run_program program[2], const struct run_opts *opts,
                     struct run_result result[2], struct error *err)
{
    return measure(program, 2, NULL, opts, result, err);
}

int run_measure_together(const struct run_program *program, const char *const library[2],
                         const struct run_opts *opts, struct run_result result[2],
                         struct error *err)
{
    return measure(program, 2, library, opts, result, err);
}
