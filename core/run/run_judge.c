#include <math.h>
#include <stdlib.h>

#include "core/base/statistics.h"
#include "core/run/run_parts.h"

/*
 * The prior's precision on the mean over the standard deviation. Small favours large
 * effects: with 0.01 three pairs decide on what is 17 standard deviations off (at an
 * error of 1 %), sixteen on 1.4, a hundred on 0.45; with 0.1 three decide nothing.
 */
static const double prior = 0.01;
/* Samples are timed within 0.1 % (min_sample_ns of the harness): pairs that agree
 * better are no more alike than that. */
static const double min_deviation = 1e-3;
/* Fewer have no deviation to speak of. */
enum { pairs_min = 3 };

const double run_equal_within = 0.02;

double run_error_of(double error, size_t k)
{
    return error / ((double)k * (double)(k + 1));
}

/* Log ratios, sorted, and what was taken from the samples of each side. */
struct pairs {
    double *value;
    size_t nr;
    struct witness side[2], both;
};

static bool is_disturbed(const struct run_sample *a, const struct run_sample *b)
{
    return a->disturbed || b->disturbed;
}

/* Disturbed pairs do not count, unless most are. Caller frees the values. */
static struct pairs pairs_of(const struct run_result *a, const struct run_result *b)
{
    size_t nr = a->sample_nr < b->sample_nr ? a->sample_nr : b->sample_nr, disturbed = 0;
    struct pairs pairs = {.value = xcalloc(nr + 1, sizeof(double))};

    for (size_t i = 0; i < nr; i++)
        disturbed += is_disturbed(&a->sample[i], &b->sample[i]);
    for (size_t i = 0; i < nr; i++) {
        if (2 * disturbed <= nr && is_disturbed(&a->sample[i], &b->sample[i]))
            continue;
        pairs.value[pairs.nr++] = log(a->sample[i].seconds / b->sample[i].seconds);
        witness_add(&pairs.side[0], &a->sample[i]);
        witness_add(&pairs.side[1], &b->sample[i]);
        witness_add(&pairs.both, &a->sample[i]);
        witness_add(&pairs.both, &b->sample[i]);
    }
    sort_doubles(pairs.value, pairs.nr);
    return pairs;
}

/* Variance over n. */
static void moments(const struct pairs *pairs, double *mean, double *variance)
{
    double n = (double)pairs->nr;

    *mean = *variance = 0;
    for (size_t i = 0; i < pairs->nr; i++)
        *mean += pairs->value[i] / n;
    for (size_t i = 0; i < pairs->nr; i++)
        *variance += pow(pairs->value[i] - *mean, 2) / n;
    *variance = fmax(*variance, min_deviation * min_deviation);
}

/*
 * By the t-test, around the mean. The mixture's martingale of the values less m, sqrt(c /
 * (n + c)) * ((n + c) V / ((n + c) V - S^2))^(n/2) with S their sum, V that of their
 * squares and c the prior's precision, stays below 1 / error for the true m but for the
 * chance `error`; solved for m.
 */
static struct interval by_mean(const struct pairs *pairs, double error)
{
    double n = (double)pairs->nr, c = prior, mean, variance, k, room, half;

    moments(pairs, &mean, &variance);
    k = exp((log((n + c) / c) - 2 * log(error)) / n);
    room = n + c - k * c; /* 0 and below: no m is excluded */
    if (n < pairs_min || room <= 0)
        return (struct interval){-INFINITY, INFINITY};
    half = sqrt((k - 1) * (n + c) * variance / room);
    return (struct interval){mean - half, mean + half};
}

/*
 * By the sign test, around the median, which some wild values do not move. Of n values K
 * lie above the true median like heads of a fair coin: 2^n B(K + 1, n - K + 1), the
 * mixture over all coins, stays below 1 / error but for the chance `error`.
 */
static struct interval by_signs(const struct pairs *pairs, double error)
{
    double n = (double)pairs->nr;
    size_t below = 0; /* an m with fewer values below it is excluded */

    while (2 * below < pairs->nr && n * log(2) + lgamma(n - (double)below + 1) +
                                            lgamma((double)below + 1) - lgamma(n + 2) >=
                                        -log(error))
        below++;
    if (below == 0)
        return (struct interval){-INFINITY, INFINITY};
    return (struct interval){pairs->value[below - 1], pairs->value[pairs->nr - below]};
}

/* Both hold with half of the error each; where they contradict each other the noise is
 * not what either takes it for. */
static struct interval by_both(const struct pairs *pairs, double error)
{
    struct interval mean = by_mean(pairs, error / 2), signs = by_signs(pairs, error / 2),
                    both = {fmax(mean.low, signs.low), fmin(mean.high, signs.high)};

    if (both.low <= both.high)
        return both;
    return (struct interval){fmin(mean.low, signs.low), fmax(mean.high, signs.high)};
}

/* With room for what waiting has left behind, as every ratio has. */
static struct quantity ratio_of(const struct pairs *pairs, double error)
{
    struct quantity ratio = quantity_unknown();

    if (pairs->nr > 0) {
        struct interval interval = by_both(pairs, error);
        double middle = fmin(
            fmax(median_of_sorted(pairs->value, pairs->nr), interval.low), interval.high);

        ratio = quantity_between(exp(middle), exp(interval.low), exp(interval.high),
                                 pairs->nr, PROVENANCE_CLOCK);
    }
    witness_judge(&pairs->side[0], &ratio);
    witness_judge(&pairs->side[1], &ratio);
    witness_widen(&pairs->both, &ratio);
    return ratio;
}

enum run_verdict run_judge(const struct run_result *a, const struct run_result *b,
                           double error, struct quantity *out)
{
    struct pairs pairs = pairs_of(a, b);
    struct quantity ratio = ratio_of(&pairs, error);

    free(pairs.value);
    if (out)
        *out = ratio;
    if (!ratio.known || ratio.doubted)
        return RUN_VERDICT_UNDECIDED;
    if (ratio.low > 1)
        return RUN_VERDICT_FASTER;
    if (ratio.high < 1)
        return RUN_VERDICT_SLOWER;
    return ratio.low * (1 + run_equal_within) > 1 && ratio.high < 1 + run_equal_within
               ? RUN_VERDICT_EQUAL
               : RUN_VERDICT_UNDECIDED;
}

bool run_is_hopeless(const struct run_result *a, const struct run_result *b, double times)
{
    struct pairs pairs = pairs_of(a, b);
    double mean, variance;
    bool enough = pairs.nr >= pairs_min;

    if (enough)
        moments(&pairs, &mean, &variance);
    free(pairs.value);
    return enough &&
           mean + student_95(pairs.nr - 1) * sqrt(variance / (double)(pairs.nr - 1)) <
               log(times);
}
