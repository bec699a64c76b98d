/* Deciding while one measures: simulated pairs, the same in every run. */
#include <math.h>
#include <stdlib.h>

#include "core/base/array.h"
#include "core/base/random.h"
#include "core/run/run.h"
#include "tests/check.h"

SUITE(run_judge);

static double normal(uint64_t *seed)
{
    double one = ((double)(random_next(seed) >> 11) + 0.5) * 0x1p-53,
           other = ((double)(random_next(seed) >> 11) + 0.5) * 0x1p-53;

    return sqrt(-2 * log(one)) * cos(2 * acos(-1) * other);
}

/* A fifth of it is ten times as wild. */
static double wild(uint64_t *seed)
{
    return normal(seed) * (random_next(seed) % 5 ? 1 : 10);
}

/* A pair more; b is `gain` times as fast as a but for a deviation. */
static void add_pair(struct run_result result[2], double gain, double off)
{
    for (int side = 0; side < 2; side++) {
        GROW(result[side].sample, result[side].sample_nr + 1, result[side].sample_alloc);
        result[side].together = true;
        result[side].sample[result[side].sample_nr++] =
            (struct run_sample){.seconds = side ? exp(-off) / gain : 1};
    }
}

static void release(struct run_result result[2])
{
    run_result_release(&result[0]);
    run_result_release(&result[1]);
}

/* Until it is decided, asking after each pair. Returns how many it took. */
static size_t decide(uint64_t *seed, double gain, double (*noise)(uint64_t *seed),
                     double deviation, double error, size_t max,
                     enum run_verdict *verdict)
{
    struct run_result result[2] = {{0}, {0}};
    size_t nr = 0;

    do {
        add_pair(result, gain, deviation * noise(seed));
        *verdict = run_judge(&result[0], &result[1], error, NULL);
        nr++;
    } while (*verdict == RUN_VERDICT_UNDECIDED && nr < max);
    release(result);
    return nr;
}

/* However often one looks, the wrong answers are no more than was said; how many pairs it
 * takes at most in half of the cases. */
TEST("answers are as sure as said")
{
    static const struct {
        double gain;
        double (*noise)(uint64_t *seed);
        double deviation, error;
        enum run_verdict right;
        size_t pairs;
    } cases[] = {
        {1, normal, 0.01, 0.05, RUN_VERDICT_EQUAL, 25},
        {1, normal, 0.03, 0.05, RUN_VERDICT_EQUAL, 100},
        {1.03, normal, 0.01, 0.05, RUN_VERDICT_FASTER, 10},
        {1.03, normal, 0.03, 0.05, RUN_VERDICT_FASTER, 40},
        {0.97, normal, 0.02, 0.01, RUN_VERDICT_SLOWER, 30},
        {1.5, normal, 0.02, 0.001, RUN_VERDICT_FASTER, 5},
        {0.5, normal, 0.05, 0.0001, RUN_VERDICT_SLOWER, 7},
        {1, wild, 0.01, 0.05, RUN_VERDICT_EQUAL, 70},
        {1.05, wild, 0.02, 0.01, RUN_VERDICT_FASTER, 60},
        {0.8, wild, 0.02, 0.01, RUN_VERDICT_SLOWER, 20},
    };
    enum { times = 2000 };
    uint64_t seed = 7;

    for (size_t k = 0; k < ARRAY_SIZE(cases); k++) {
        size_t wrong = 0, right = 0, took[times], quick = 0;

        for (size_t i = 0; i < times; i++) {
            enum run_verdict verdict;

            took[i] = decide(&seed, cases[k].gain, cases[k].noise, cases[k].deviation,
                             cases[k].error, 400, &verdict);
            right += verdict == cases[k].right;
            wrong += verdict != cases[k].right && verdict != RUN_VERDICT_UNDECIDED;
            quick += took[i] <= cases[k].pairs;
        }
        /* three standard deviations of the binomial */
        if (!check((double)wrong <=
                   times * cases[k].error + 3 * sqrt(times * cases[k].error)) ||
            !check(2 * quick >= times) || !check(right > times * 0.9))
            fprintf(stderr, "    (case %zu: %zu wrong, %zu right, %zu within %zu)\n", k,
                    wrong, right, quick, cases[k].pairs);
    }
}

/* Of intervals, too, at all looks together. */
TEST("intervals hold at all looks")
{
    enum { times = 1000, looks = 60 };
    uint64_t seed = 11;
    size_t missed = 0;

    for (size_t i = 0; i < times; i++) {
        struct run_result result[2] = {{0}, {0}};
        bool held = true;

        for (size_t k = 0; k < looks; k++) {
            struct quantity ratio;

            add_pair(result, 1.2, 0.02 * normal(&seed));
            run_judge(&result[0], &result[1], 0.05, &ratio);
            held = held && ratio.low <= 1.2 && 1.2 <= ratio.high;
        }
        missed += !held;
        release(result);
    }
    check(missed <= 50);
}

TEST("little decides nothing")
{
    struct run_result result[2] = {{0}, {0}};
    struct quantity ratio;

    check_eq(run_judge(&result[0], &result[1], 0.05, &ratio), RUN_VERDICT_UNDECIDED);
    check(!ratio.known);
    for (int i = 0; i < 2; i++) {
        add_pair(result, 100, 0);
        check_eq(run_judge(&result[0], &result[1], 0.05, &ratio), RUN_VERDICT_UNDECIDED);
        check_near(ratio.value, 100, 1e-9);
        check(ratio.low <= 0 && isinf(ratio.high));
    }
    add_pair(result, 100, 0);
    check_eq(run_judge(&result[0], &result[1], 0.05, &ratio), RUN_VERDICT_FASTER);
    release(result);
}

/* Those that something disturbed are left out; where most are, all count, and what
 * cannot be taken out of their times is not believed. */
TEST("disturbed pairs decide nothing")
{
    struct run_result result[2] = {{0}, {0}};
    struct quantity ratio;

    for (int i = 0; i < 12; i++) {
        add_pair(result, i % 3 ? 1 : 2, 0.001 * (i % 2));
        result[i % 2].sample[i].disturbed = i % 3 ? 0 : RUN_DISTURBED_SWITCHED;
    }
    check_eq(run_judge(&result[0], &result[1], 0.05, &ratio), RUN_VERDICT_EQUAL);
    check_eq(ratio.runs, 8);
    for (int i = 0; i < 12; i++) {
        result[0].sample[i].disturbed = RUN_DISTURBED_STOLEN;
        result[1].sample[i].seconds = 0.5 + 0.001 * (i % 2);
    }
    check_eq(run_judge(&result[0], &result[1], 0.05, &ratio), RUN_VERDICT_UNDECIDED);
    check(ratio.doubted);
    check_eq(ratio.runs, 12);
    release(result);
}

TEST("shares of the error sum to it")
{
    double sum = 0;

    for (size_t k = 1; k <= 100000; k++)
        sum += run_error_of(0.05, k);
    check_near(sum, 0.05, 1e-5);
    check_near(run_error_of(0.05, 1), 0.025, 1e-12);
}

/* One tenth slower is hopeless after three pairs, and so is what is sure to be equal; not
 * what scatters, what two pairs say, or pairs that do not count. */
TEST("what is hopeless ends")
{
    static const double off[] = {0.01, -0.01, 0, 0.005};
    static const struct {
        double gain, scale;
        size_t pairs;
        bool disturbed, hopeless;
    } cases[] = {{0.9, 1, 3, false, true},   {0.9, 1, 2, false, false},
                 {0.9, 30, 4, false, false}, {1, 1, 4, false, true},
                 {1, 3, 4, false, false},    {1.1, 1, 4, false, false},
                 {0.9, 1, 3, true, false}};

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct run_result result[2] = {{0}, {0}};

        for (size_t k = 0; k < cases[i].pairs; k++)
            add_pair(result, cases[i].gain, off[k] * cases[i].scale);
        result[0].sample[0].disturbed = cases[i].disturbed ? RUN_DISTURBED_STOLEN : 0;
        check_eq(run_is_hopeless(&result[0], &result[1], 1.02), cases[i].hopeless);
        release(result);
    }
}
