#include "core/machine/curves/burst_step.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/random.h"
#include "core/base/statistics.h"
#include "core/machine/sampling/trial.h"

enum { MAX = 128, ROUNDS_MIN = 3, RESAMPLES = 60, NEAR = 5 };

/* What one miss more than there are entries waits for is the first to come: a good part
 * of one miss. The rise before it, of the slowest of ever more misses, is some percent of
 * one with each miss from the fourth on. */
static const double step_min = 0.35;
/* Two loops that do the same had their step at 44 and at 46 on one Zen 5. */
static const double loops_differ = 0.05;

static double middle(const double *ns, size_t from)
{
    double near[NEAR];

    memcpy(near, ns + from, sizeof(near));
    return median_sorting(near, NEAR);
}

/* Of the sizes beyond n over those up to n; ns[0] is of one miss. */
static double rise(const double *ns, size_t n)
{
    return middle(ns, n) - middle(ns, n - NEAR);
}

static double jump(const double *ns, size_t n)
{
    return ns[n] - ns[n - 1];
}

/* Where the rise is a step for the first time and the largest around; there the first
 * size whose next one takes longer by about as much as any. 0 = none. */
static size_t first_step(const double *ns, size_t max)
{
    const double about = 0.6;
    double most = 0;
    size_t at = 0, first = 0, from, to;

    for (size_t n = NEAR; n + NEAR <= max; n++) {
        if (first && n > first + NEAR)
            break;
        if (rise(ns, n) > fmax(most, step_min * ns[0])) {
            most = rise(ns, n);
            at = n;
            first = first ? first : n;
        }
    }
    if (!at)
        return 0;
    from = at - NEAR + 1;
    to = at + NEAR < max ? at + NEAR : max;
    most = 0;
    for (size_t n = from; n < to; n++)
        most = fmax(most, jump(ns, n));
    for (size_t n = from; n < to; n++)
        if (jump(ns, n) >= about * most)
            return n;
    return 0;
}

/* Medians over the rounds that `pick` names. */
static void over_rounds(double *const *burst_ns, size_t max, const size_t *pick,
                        size_t rounds, double *ns)
{
    double *sample = xcalloc(rounds, sizeof(*sample));

    for (size_t i = 0; i < max; i++) {
        for (size_t r = 0; r < rounds; r++)
            sample[r] = burst_ns[i][pick[r]];
        ns[i] = median_sorting(sample, rounds);
    }
    free(sample);
}

struct quantity burst_step(double *const *burst_ns, size_t max, size_t rounds)
{
    double ns[MAX], found[RESAMPLES];
    size_t *pick = xcalloc(rounds + 1, sizeof(*pick)), nr = 0;
    uint64_t state = 1; /* the same every time */
    double value, low, high, error;

    if (rounds < ROUNDS_MIN || max > MAX)
        goto none;
    for (size_t i = 0; i < RESAMPLES; i++) {
        size_t step;

        for (size_t r = 0; r < rounds; r++)
            pick[r] = (size_t)(random_next(&state) % rounds);
        over_rounds(burst_ns, max, pick, rounds, ns);
        step = first_step(ns, max);
        if (step)
            found[nr++] = (double)step;
    }
    if (nr < 0.9 * RESAMPLES)
        goto none;
    value = samples_at(found, nr, 0.5);
    error = fmax(1, loops_differ * value);
    low = fmin(samples_at(found, nr, 0.05), value - error);
    high = fmax(samples_at(found, nr, 0.95), value + error);
    free(pick);
    return quantity_between(round(value), fmin(low, round(value)),
                            fmax(high, round(value)), rounds, PROVENANCE_PROBE);
none:
    free(pick);
    return quantity_unknown();
}
