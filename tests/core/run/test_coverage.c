/*
 * How often intervals of ratios hold the true ratio: simulated launches of pairs under
 * several kinds of noise, with and without an effect of the launch, ended as
 * run_measure_together ends. Its own random numbers: the same in every run.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/base/array.h"
#include "core/run/run.h"
#include "tests/check.h"

SUITE(run_coverage);

enum noise { NORMAL, SPIKES, TWO_SPEEDS, DRIFTING, WANDERING, NOISES };
static const char *const noise_name[] = {"normal", "spikes", "two speeds", "drifting",
                                         "wandering"};

struct setting {
    size_t launches_min, launches_max, pairs;
    double target;
};

static uint64_t state;
static double wander, speed;

static double uniform(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return ((double)(state >> 11) + 0.5) * 0x1p-53;
}

static double normal(void)
{
    return sqrt(-2 * log(uniform())) * cos(6.283185307179586 * uniform());
}

/* The logarithm of what one sample takes too long; `at` of the launch is over. */
static double noise_of(enum noise noise, double at)
{
    switch (noise) {
    case NORMAL:
        return 0.01 * normal();
    case SPIKES: /* one in seven is late, by 10 % in the mean */
        return 0.005 * normal() + (uniform() < 0.15 ? -0.1 * log(uniform()) : 0);
    case TWO_SPEEDS: /* 15 % apart, kept for ten samples in the mean */
        if (uniform() < 0.1)
            speed = uniform() < 0.5 ? 0 : 0.15;
        return speed + 0.004 * normal();
    case DRIFTING: /* by 30 % in a launch */
        return 0.005 * normal() + 0.3 * at;
    default: /* a neighbour who comes and goes */
        wander = 0.95 * wander + 0.02 * normal();
        return wander + 0.005 * normal();
    }
}

static void add(struct run_result *result, unsigned launch, double seconds)
{
    GROW(result->sample, result->sample_nr + 1, result->sample_alloc);
    result->sample[result->sample_nr++] =
        (struct run_sample){.seconds = seconds, .launch = launch};
}

/* `apart`: deviation of the launches' true ratios. */
static void add_launch(struct run_result result[2], unsigned launch, size_t pairs,
                       enum noise noise, double gain, double apart)
{
    double effect[2] = {log(gain) + apart * normal(), 0}, base = 0.05 * normal();
    size_t nr = 0;

    wander = 0.06 * normal();
    speed = uniform() < 0.5 ? 0 : 0.15;
    for (size_t i = 0; i < pairs; i++) {
        double seconds[2];

        for (size_t k = 0; k < 2; k++, nr++)
            seconds[(i + k) % 2] =
                1e-3 * exp(base + effect[(i + k) % 2] +
                           noise_of(noise, (double)nr / (2 * (double)pairs)));
        add(&result[0], launch, seconds[0]);
        add(&result[1], launch, seconds[1]);
    }
}

static struct quantity simulate(const struct setting *setting, enum noise noise,
                                double gain, double apart)
{
    struct run_result result[2] = {{.together = true}, {.together = true}};
    struct quantity ratio;
    unsigned launches = 0;

    do {
        add_launch(result, launches++, setting->pairs, noise, gain, apart);
        ratio = run_ratio(&result[0], &result[1]);
    } while (launches < setting->launches_min ||
             (launches < setting->launches_max &&
              (ratio.high - ratio.low) / ratio.value >= setting->target));
    run_result_release(&result[0]);
    run_result_release(&result[1]);
    return ratio;
}

static double share_holding_one(const struct setting *setting, enum noise noise,
                                double gain, double apart)
{
    enum { trials = 400 };
    int hits = 0;

    state = 42;
    for (int i = 0; i < trials; i++) {
        struct quantity ratio = simulate(setting, noise, gain, apart);

        hits += ratio.low <= 1 && 1 <= ratio.high;
    }
    return (double)hits / trials;
}

/* As search/live/live_pair.c compares; a fixed number of launches; the least of all. */
static const struct setting settings[] = {
    {4, 12, 24, 0.01}, {3, 12, 24, 0.01}, {3, 3, 24, 0}, {10, 10, 12, 0}, {2, 2, 12, 0}};

/* Without an effect of the launch the intervals are those of 99 %; 400 trials of 0.98
 * stay above 0.96 but for one in a hundred. */
TEST("equals are rarely told apart")
{
    for (size_t i = 0; i < ARRAY_SIZE(settings); i++) {
        for (enum noise noise = 0; noise < NOISES; noise++) {
            double share = share_holding_one(&settings[i], noise, 1, 0);

            if (!check(share > 0.97))
                fprintf(stderr, "    (setting %zu, %s: %g)\n", i, noise_name[noise],
                        share);
        }
    }
}

/* With one of any size 95 % are promised from three launches on, 93 % with two; 400
 * trials of that stay above 0.92 and 0.895. */
TEST("launches that differ are covered")
{
    static const double apart[] = {0.0005, 0.001, 0.002, 0.004, 0.01, 0.05};

    for (size_t i = 0; i < ARRAY_SIZE(settings); i++) {
        double min = settings[i].launches_min > 2 ? 0.92 : 0.895;

        for (size_t k = 0; k < ARRAY_SIZE(apart) * NOISES; k++) {
            enum noise noise = (enum noise)(k % NOISES);
            double share = share_holding_one(&settings[i], noise, 1, apart[k / NOISES]);

            if (!check(share > min))
                fprintf(stderr, "    (setting %zu, %s, %g apart: %g)\n", i,
                        noise_name[noise], apart[k / NOISES], share);
        }
    }
}

TEST("three percent are found")
{
    for (enum noise noise = 0; noise < NOISES; noise++) {
        double share = share_holding_one(&settings[0], noise, 1.03, 0);

        if (!check(share < 0.1))
            fprintf(stderr, "    (%s: %g)\n", noise_name[noise], share);
    }
}
