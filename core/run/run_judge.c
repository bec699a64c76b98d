#include <math.h>

#include "core/run/run.h"

/*
 * The prior's precision on the mean over the standard deviation. Small favours large
 * effects: with 0.01 three pairs decide on what is 17 standard deviations off (at an
 * error of 1 %), sixteen on 1.4, a hundred on 0.45; with 0.1 three decide nothing.
 */
static const double prior = 0.01;
/* Samples are timed within 0.1 % (least_sample_ns of the harness): pairs that agree
 * better are no more alike than that. */
static const double least_deviation = 1e-3;
/* Fewer have no deviation to speak of. */
enum { pairs_least = 3 };

const double run_equal_within = 0.02;

const char *run_verdict_word(enum run_verdict verdict)
{
    static const char *const word[] = {
#define X(name, word) [RUN_VERDICT_##name] = word,
        RUN_VERDICT_MAP(X)
#undef X
    };

    return word[verdict];
}

double run_error_of(double error, size_t k)
{
    return error / ((double)k * (double)(k + 1));
}

/* Log ratios. */
struct sums {
    double nr, mean, squares; /* squares: of the distances from the mean */
};

static void add(struct sums *sums, double value)
{
    double off = value - sums->mean;

    sums->nr++;
    sums->mean += off / sums->nr;
    sums->squares += off * (value - sums->mean);
}

static bool is_disturbed(const struct run_sample *a, const struct run_sample *b)
{
    return a->disturbed || b->disturbed;
}

/* Disturbed pairs do not count, unless most are. */
static struct sums sums_of(const struct run_result *a, const struct run_result *b)
{
    size_t nr = a->sample_nr < b->sample_nr ? a->sample_nr : b->sample_nr, disturbed = 0;
    struct sums sums = {0};

    for (size_t i = 0; i < nr; i++)
        disturbed += is_disturbed(&a->sample[i], &b->sample[i]);
    for (size_t i = 0; i < nr; i++)
        if (2 * disturbed > nr || !is_disturbed(&a->sample[i], &b->sample[i]))
            add(&sums, log(a->sample[i].seconds / b->sample[i].seconds));
    return sums;
}

/*
 * Half the width, in logarithms. The mixture's martingale of the values less m,
 * sqrt(c / (n + c)) * ((n + c) V / ((n + c) V - S^2))^(n/2) with S their sum, V that of
 * their squares and c the prior's precision, stays below 1 / error for the true m but for
 * the chance `error`; solved for m.
 */
static double half_width(const struct sums *sums, double error)
{
    double n = sums->nr, c = prior,
           variance = fmax(sums->squares / n, least_deviation * least_deviation),
           k = exp((log((n + c) / c) - 2 * log(error)) / n),
           room = n + c - k * c; /* 0 and below: no m is excluded */

    if (n < pairs_least || room <= 0)
        return INFINITY;
    return sqrt((k - 1) * (n + c) * variance / room);
}

enum run_verdict run_judge(const struct run_result *a, const struct run_result *b,
                           double error, struct quantity *ratio)
{
    struct sums sums = sums_of(a, b);
    double half = half_width(&sums, error), low = sums.mean - half,
           high = sums.mean + half, margin = log1p(run_equal_within);

    if (ratio)
        *ratio = sums.nr < 1 ? quantity_unknown()
                             : quantity_between(exp(sums.mean), exp(low), exp(high),
                                                (size_t)sums.nr, PROVENANCE_CLOCK);
    if (low > 0)
        return RUN_VERDICT_FASTER;
    if (high < 0)
        return RUN_VERDICT_SLOWER;
    return low > -margin && high < margin ? RUN_VERDICT_EQUAL : RUN_VERDICT_UNDECIDED;
}
