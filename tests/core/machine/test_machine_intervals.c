/* What a profile says of its own errors: nothing that was measured is exact, and what is
 * stated holds what another run finds. */
#include <math.h>
#include <stdlib.h>

#include "core/base/array.h"
#include "core/base/random.h"
#include "core/base/statistics.h"
#include "core/machine/curves/curve_fit.h"
#include "core/machine/curves/curve_sweep.h"
#include "core/machine/probe/probe.h"
#include "core/machine/profile/limit.h"
#include "core/machine/sampling/looks.h"
#include "core/machine/sampling/trial.h"
#include "core/machine/sampling/walks.h"
#include "core/machine/sampling/windows.h"
#include "tests/check.h"

SUITE(machine_intervals);

enum { SAMPLES = 25 };

static double uniform(uint64_t *state)
{
    return (double)(random_next(state) >> 11) * 0x1p-53;
}

static double normal(uint64_t *state)
{
    return sqrt(-2 * log(uniform(state) + 1e-300)) *
           cos(2 * 3.14159265358979 * uniform(state));
}

static bool has_width(struct quantity quantity)
{
    return !quantity.known ||
           (quantity.low < quantity.value && quantity.high > quantity.value);
}

static struct quantity of_trials(const double *sample, size_t nr, bool rate)
{
    struct trials trials = {0};
    size_t index = trials_add(&trials, &(struct trial){.variant = 1});
    struct trial *trial = &trials.trial[index];
    struct quantity result;

    for (size_t i = 0; i < nr; i++) {
        GROW(trial->sample_ns, trial->sample_nr + 1, trial->sample_alloc);
        trial->sample_ns[trial->sample_nr++] = sample[i];
    }
    result = rate ? best_rate(&trials, &index, 1) : trial_ns(&trials, index);
    trials_release(&trials);
    return result;
}

static struct quantity of_looks(const double *sample, size_t nr)
{
    struct anchor anchor[SAMPLES];

    for (size_t i = 0; i < nr; i++)
        anchor[i] = (struct anchor){.at_s = (double)i, .ns = sample[i]};
    return stability_of(anchor, nr, false).latency_ns;
}

static struct quantity of_windows(const double *sample, size_t nr)
{
    struct windows windows = {0};
    struct quantity result;

    windows_add(&windows, &(struct window_job){.best = sample[0]});
    for (size_t i = 0; i < nr; i++) {
        struct window_job *job = &windows.job[0];

        GROW(job->sample, job->sample_nr + 1, job->sample_alloc);
        job->sample[job->sample_nr++] = sample[i];
    }
    result = windows_rate(&windows, 0, NULL);
    windows_release(&windows);
    return isinf(result.high) ? quantity_unknown() : result;
}

static struct quantity of_knees(const double *sample, size_t nr)
{
    struct machine_limit limit = {0};
    struct limit_evidence evidence = {.table = {quantity_unknown(), 'V', NULL, "core"},
                                      .floor = quantity_unknown(),
                                      .step = quantity_unknown()};

    for (size_t i = 0; i < nr && i < ARRAY_SIZE(evidence.knee); i++) {
        double chains = 2 + fmod(sample[i], 60);

        evidence.knee[i] =
            (struct knee){.found = true, .chains = chains, .low = chains, .high = chains};
    }
    limit_resolve(&limit, &evidence);
    free(limit.source);
    free(limit.scope);
    return limit.used;
}

static struct quantity of_searches(const double *sample, size_t nr)
{
    struct capacity_search search[SAMPLES] = {{0}};

    for (size_t i = 0; i < nr; i++)
        search[i] = (struct capacity_search){.bar_ns = 50,
                                             .inside_bytes = sample[i],
                                             .inside_ns = 30,
                                             .beyond_bytes = 1.2 * sample[i],
                                             .beyond_ns = 90};
    return capacity_of(search, nr, 1);
}

static struct quantity of_some_looks(const double *sample, size_t nr)
{
    struct looks looks = {0};

    for (size_t i = 0; i < nr; i++)
        looks_add(&looks, sample[i]);
    return looks_quantity(&looks, 0.75, repeatability_of(FIGURE_RATE, false));
}

/* All that a profile makes of samples. */
static void check_all(const double *sample, size_t nr)
{
    double sorted[SAMPLES];

    for (size_t i = 0; i < nr; i++)
        sorted[i] = sample[i];
    median_sorting(sorted, nr);
    check(has_width(samples_quantity(sample, nr)));
    check(has_width(of_trials(sample, nr, false)));
    check(has_width(of_trials(sample, nr, true)));
    check(has_width(of_looks(sorted, nr)));
    check(has_width(of_windows(sample, nr)));
    check(has_width(of_knees(sample, nr)));
    check(has_width(of_searches(sample, nr)));
    check(has_width(of_some_looks(sample, nr)));
}

TEST("nothing that was measured is exact")
{
    double sample[SAMPLES];
    uint64_t state = 7;

    for (int turn = 0; turn < 200; turn++) {
        size_t nr = 1 + random_next(&state) % 6;
        double value = exp(10 * uniform(&state));
        bool equal = turn % 2;

        for (size_t i = 0; i < nr; i++)
            sample[i] = equal ? value : value * exp(0.05 * normal(&state));
        check_all(sample, nr);
    }
}

TEST("samples give median and quartiles")
{
    static const double sample[] = {5, 1, 4, 2, 3};
    struct quantity q = samples_quantity(sample, 5);

    check_near(q.value, 3, 0);
    check(q.low <= 2 && q.high >= 4);
    check_eq(q.runs, 5);
    check(!samples_quantity(sample, 0).known);
    check_near(samples_at(sample, 5, 0.75), 4, 0);
}

/* Samples of one run share a drift of 1 %, and scatter by so much. */
static double run_of(double scatter, size_t nr, uint64_t *state, double *sample)
{
    double level = 100 * (1 + 0.01 * normal(state));

    for (size_t i = 0; i < nr; i++)
        sample[i] = level * (1 + scatter * normal(state));
    return samples_quantity(sample, nr).value;
}

TEST("an interval holds the median of other runs")
{
    static const size_t few[] = {1, 2, 3, 5, 9, 25};
    uint64_t state = 3;

    for (size_t i = 0; i < ARRAY_SIZE(few); i++)
        for (double scatter = 0.01; scatter < 0.05; scatter += 0.015) {
            const int turns = 400;
            int held = 0;

            for (int turn = 0; turn < turns; turn++) {
                double sample[SAMPLES], other[10];
                struct quantity stated;

                run_of(scatter, few[i], &state, sample);
                stated = samples_quantity(sample, few[i]);
                for (size_t j = 0; j < ARRAY_SIZE(other); j++)
                    other[j] = run_of(scatter, few[i], &state, sample);
                double median = median_sorting(other, ARRAY_SIZE(other));
                held += stated.low <= median && median <= stated.high;
            }
            if (!check(held >= 0.9 * turns))
                fprintf(stderr, "%zu samples, scatter %g: %d of %d\n", few[i], scatter,
                        held, turns);
        }
}

/* Turns of a local chase that takes 150 ns, and of a random one that takes so much more,
 * while neighbours move both by half within the turns. */
static size_t make_turns(double extra_ns, uint64_t *state, struct walk_turn *turn)
{
    for (size_t i = 0; i < WALK_PAIRS_MAX; i++) {
        double drift = 0.25 * sin(0.4 * (double)i);

        turn[i] = (struct walk_turn){
            .before_ns = 150 * (1 + drift) * (1 + 0.01 * normal(state)),
            .random_ns = 150 * (1 + drift) + extra_ns * (1 + 0.05 * normal(state)),
            .after_ns = 150 * (1 + drift) * (1 + 0.01 * normal(state))};
    }
    return WALK_PAIRS_MAX;
}

TEST("drift cancels from what a walk costs")
{
    static const double extra_ns[] = {0, 40, 270};
    uint64_t state = 11;

    for (size_t i = 0; i < ARRAY_SIZE(extra_ns); i++) {
        struct walk_turn turn[WALK_PAIRS_MAX];
        size_t nr = make_turns(extra_ns[i], &state, turn);

        check(fabs(walk_extra_ns(turn, nr) - extra_ns[i]) <= 5);
        for (size_t j = 0; j < nr; j += 4) /* the hypervisor's page tables had a gap */
            turn[j].random_ns += 5000;
        check(fabs(walk_extra_ns(turn, nr) - extra_ns[i]) <= 10);
        for (size_t j = 1; j < nr; j += 2)
            turn[j].before_ns = NAN;
        check(!isnan(walk_extra_ns(turn, nr)));
    }
}

TEST("a walk's cost that does not stay, or was disturbed, is none")
{
    struct walk_turn turn[WALK_PAIRS_MAX];
    uint64_t state = 12;
    size_t nr = make_turns(270, &state, turn);

    for (size_t i = 0; i < nr; i++)
        turn[i].random_ns += 10000 * exp(-0.2 * (double)i);
    check(isnan(walk_extra_ns(turn, nr)));
    nr = make_turns(270, &state, turn);
    for (size_t i = 0; i < nr; i += 4)
        turn[i].before_ns = turn[i + 1].random_ns = turn[i + 2].after_ns = NAN;
    check(isnan(walk_extra_ns(turn, nr)));
}

/* Ten looks of one run, some of which others disturbed, and the same on other days. */
TEST("looks at a figure hold the median of other runs")
{
    static const struct {
        enum figure_kind kind;
        bool guest;
        double share, disturbed; /* one look in five is moved by that much */
    } kinds[] = {{FIGURE_LATENCY, true, 0.25, 0.4},
                 {FIGURE_WALK, false, 0.5, 1},
                 {FIGURE_RATE, true, 0.75, -0.3},
                 {FIGURE_QUEUE, false, 0.75, -0.4}};
    uint64_t state = 13;

    for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
        struct quantity stated[200];
        double value[ARRAY_SIZE(stated)], middle;
        const struct repeatability *usual =
            repeatability_of(kinds[i].kind, kinds[i].guest);
        int held = 0;

        for (size_t run = 0; run < ARRAY_SIZE(stated); run++) {
            double level = 100 * (1 + 0.5 * usual->run * normal(&state));
            struct looks looks = {0};

            for (int look = 0; look < 10; look++)
                looks_add(&looks,
                          level * (1 + 0.3 * usual->look * normal(&state)) *
                              (uniform(&state) < 0.2 ? 1 + kinds[i].disturbed : 1));
            looks_add(&looks, NAN);
            stated[run] = looks_quantity(&looks, kinds[i].share, usual);
            check_eq(stated[run].runs, 10);
            value[run] = stated[run].value;
        }
        middle = median_sorting(value, ARRAY_SIZE(value));
        for (size_t run = 0; run < ARRAY_SIZE(stated); run++)
            held += stated[run].low <= middle && middle <= stated[run].high;
        if (!check(held >= 180 && fabs(middle - 100) < 5))
            fprintf(stderr, "kind %zu: %d of 200 around %g\n", i, held, middle);
    }
    check(!looks_quantity(&(struct looks){0}, 0.5, repeatability_of(FIGURE_WALK, true))
               .known);
}
