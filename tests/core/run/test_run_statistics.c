#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/run/run.h"
#include "core/run/run_parts.h"
#include "tests/check.h"

SUITE(run_statistics);

enum { samples_per_launch = 3 };

/* A result with one sample per value, `per_launch` of them to a launch. */
static struct run_result result_of(const double *seconds, size_t nr, size_t per_launch)
{
    struct run_result result = {0};

    GROW(result.sample, nr, result.sample_alloc);
    for (size_t i = 0; i < nr; i++)
        result.sample[i] = (struct run_sample){.seconds = seconds[i],
                                               .launch = (unsigned)(i / per_launch)};
    result.sample_nr = nr;
    return result;
}

static void check_quantity(struct quantity got, double value, double low, double high,
                           size_t runs)
{
    check(got.known);
    check_near(got.value, value, 1e-9);
    check_near(got.low, low, 1e-3);
    check_near(got.high, high, 1e-3);
    check_eq(got.runs, runs);
}

/* Below 8 values, by hand: median * exp(+-t s / sqrt(n)), s the deviation of the
 * logarithms. */
TEST("few numbers")
{
    static const double value[] = {2, 1, 4};
    struct quantity got;

    check(!run_statistics(value, 0, PROVENANCE_CLOCK).known);
    check_quantity(run_statistics(value, 1, PROVENANCE_CLOCK), 2, 2, 2, 1);
    check_quantity(run_statistics(value, 2, PROVENANCE_CLOCK), 1.5, 1, 2, 2);
    /* s = ln 2, t = 4.303: 2^(4.303 / sqrt(3)) = 2^2.48434 = 5.5961 */
    got = run_statistics(value, 3, PROVENANCE_MODEL);
    check_quantity(got, 2, 2 / 5.5961, 2 * 5.5961, 3);
    check_eq(got.provenance, PROVENANCE_MODEL);
}

TEST("numbers of any sign")
{
    static const double value[] = {0, -1, 1};
    static const double odd[] = {1, NAN, 2}, endless[] = {1, INFINITY, 2};

    /* s = 1, half = 4.303 / sqrt(3) */
    check_quantity(run_statistics(value, 3, PROVENANCE_CLOCK), 0, -2.48434, 2.48434, 3);
    check(!run_statistics(odd, 3, PROVENANCE_CLOCK).known);
    check(!run_statistics(endless, 3, PROVENANCE_CLOCK).known);
}

/*
 * 1 .. 9: ranks 2 and 8 hold the median with 1 - 2 (1 + 9) / 512 = 0.96094, ranks 3 and 7
 * with 1 - 2 (1 + 9 + 36) / 512 = 0.82031. To 0.95: share 0.01094 / 0.14063 = 0.07778,
 * weight 7 * 0.07778 / (2 + 5 * 0.07778) = 0.22791.
 */
TEST("many numbers")
{
    static const double value[] = {9, 1, 5, 3, 7, 2, 8, 4, 6};

    check_quantity(run_statistics(value, 9, PROVENANCE_CLOCK), 5, 2.22791, 7.77209, 9);
}

/* Six: 1 - 2 / 64 = 0.96875 for the range, 1 - 2 * 7 / 64 = 0.78125 for the next: share
 * 0.1, weight 5 * 0.1 / (1 + 4 * 0.1) = 0.35714. */
TEST("the fewest numbers for ranks")
{
    static const double value[] = {6, 1, 5, 3, 2, 4};

    check_quantity(run_statistics(value, 6, PROVENANCE_CLOCK), 3.5, 1.35714, 5.64286, 6);
}

TEST("one outlier among many does not matter")
{
    static const double value[] = {1.00, 1.01, 0.99, 1.02, 0.98, 1.00, 1.01, 0.99, 50};
    struct quantity got = run_statistics(value, 9, PROVENANCE_CLOCK);

    check_near(got.value, 1.0, 0);
    check(got.high < 1.05);
}

TEST("times are medians of launch medians")
{
    /* launch medians 2, 4, 2 */
    static const double seconds[] = {1, 2, 9, 4, 4, 4, 2, 2, 3};
    struct run_result result = result_of(seconds, 9, 3);
    struct quantity time = run_time_s(&result);

    /* s = ln 2 / sqrt(3), half = 4.303 ln 2 / 3: 2^1.43433 = 2.70257 */
    check_quantity(time, 2, 2 / 2.70257, 2 * 2.70257, 3);
    check_eq(time.provenance, PROVENANCE_CLOCK);
    run_result_release(&result);
}

TEST("few launches give the range")
{
    static const double seconds[] = {3, 1, 2, 6, 4, 5};
    struct run_result one = result_of(seconds, 3, 3), two = result_of(seconds, 6, 3);
    struct run_result none = {0};

    check(!run_time_s(&none).known);
    check_quantity(run_time_s(&one), 2, 1, 3, 1);
    check_quantity(run_time_s(&two), 3.5, 1, 6, 2);
    check(!run_ratio(&none, &one).known);
    check_quantity(run_ratio(&two, &one), 1, 1.0 / 3, 3, 1); /* the launch both have */
    run_result_release(&one);
    run_result_release(&two);
}

TEST("ratios pair by launch")
{
    static const double a[] = {2, 4, 8, 16}, b[] = {1, 2, 4, 16};
    struct run_result slow = result_of(a, 4, 1), fast = result_of(b, 4, 1);
    struct quantity ratio;

    /* Pairs 2, 2, 2, 1: s = ln 2 / 2, half = 3.182 ln 2 / 4: 2^0.7955 = 1.7357 */
    ratio = run_ratio(&slow, &fast);
    check_quantity(ratio, 2, 1, 2 * 1.7357, 4);

    fast.sample[3].launch = 7; /* has no partner: 2, 2, 2 is left */
    check_quantity(run_ratio(&slow, &fast), 2, 2, 2, 3);

    fast.sample[0].seconds = 0; /* no time at all is no number to divide by */
    check(!run_ratio(&slow, &fast).known);
    run_result_release(&slow);
    run_result_release(&fast);
}

TEST("failed results have no time")
{
    static const double seconds[] = {1, 1, 1};
    struct run_result good = result_of(seconds, 3, 1), bad = result_of(seconds, 3, 1);

    bad.outcome = RUN_OUTCOME_WRONG_RESULT;
    check(!run_time_s(&bad).known);
    check(!run_ratio(&good, &bad).known);
    check(!run_ratio(&bad, &good).known);
    bad.outcome = RUN_OUTCOME_INTERRUPTED;
    check(run_time_s(&bad).known && run_ratio(&good, &bad).known);
    run_result_release(&good);
    run_result_release(&bad);
}

static uint64_t state = 42;

static double uniform(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return ((double)(state >> 11) + 0.5) * 0x1p-53;
}

static double normal(void)
{
    return sqrt(-2 * log(uniform())) * cos(6.283185307179586 * uniform());
}

/* Pairs as they come: drift that both share, placement per launch, noise per sample. */
static void noisy_pair(struct run_result result[2], size_t launches, double gain)
{
    double seconds[2][64];

    for (size_t i = 0; i < launches; i++) {
        double drift = 1 + 0.1 * sin((double)i);

        for (int which = 0; which < 2; which++) {
            double launch = drift * exp(0.02 * normal()) * (which ? 1 : gain);

            for (size_t k = 0; k < samples_per_launch; k++)
                seconds[which][i * samples_per_launch + k] =
                    1e-3 * launch * exp(0.005 * normal());
        }
    }
    for (int which = 0; which < 2; which++)
        result[which] =
            result_of(seconds[which], launches * samples_per_launch, samples_per_launch);
}

static double share_containing_one(size_t launches, double gain)
{
    enum { trials = 600 };
    int hits = 0;

    for (int i = 0; i < trials; i++) {
        struct run_result result[2];
        struct quantity ratio;

        noisy_pair(result, launches, gain);
        ratio = run_ratio(&result[0], &result[1]);
        hits += ratio.low <= 1 && 1 <= ratio.high;
        run_result_release(&result[0]);
        run_result_release(&result[1]);
    }
    return (double)hits / trials;
}

TEST("equal programs look equal")
{
    for (size_t launches = 3; launches <= 12; launches++) {
        double share = share_containing_one(launches, 1);

        if (!check(share > 0.9 && share < 0.985))
            fprintf(stderr, "    (%zu launches: %g)\n", launches, share);
    }
}

TEST("different programs are told apart")
{
    check(share_containing_one(12, 1.10) < 0.02);
    check(share_containing_one(12, 0.90) < 0.02);
    check(share_containing_one(5, 1.20) < 0.05);
}

/* By ranks, corrected for values that are equal: against the median of chi square, 0.4549
 * for two groups. */
TEST("groups differ by their ranks")
{
    static const unsigned group[] = {0, 0, 0, 0, 1, 1, 1, 1};
    static const struct {
        double value[8];
        bool differ;
    } cases[] = {
        {{1, 2, 3, 4, 5, 6, 7, 8}, true},  /* 5.33 */
        {{1, 4, 5, 8, 2, 3, 6, 7}, false}, /* 0 */
        {{1, 3, 5, 6, 2, 4, 7, 8}, true},  /* 0.75 */
        {{1, 1, 1, 1, 1, 1, 1, 2}, true},  /* 0.33, and 1 with seven of eight equal */
        {{1, 1, 1, 1, 1, 1, 1, 1}, false}, /* nothing can be told */
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
        check_eq(groups_differ(cases[i].value, group, ARRAY_SIZE(group), 2),
                 cases[i].differ);
}
