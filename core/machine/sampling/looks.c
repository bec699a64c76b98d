#include "core/machine/sampling/looks.h"

#include <math.h>

#include "core/machine/sampling/trial.h"

/*
 * Of a guest: taken from profiles of a Zen 5 one within 33 minutes, whose neighbours load
 * the memory (bench/machine_runs; docs/internals/figures-archive.md has them), so that
 * nine in ten would have held their median. Of a machine of one's own it is assumed that
 * profiles repeat as medians of rounds do (trial.h); nobody has measured it.
 */
static const struct repeatability usual[FIGURE_KINDS][2] = {
    [FIGURE_LATENCY] = {{.look = 0.04, .run = 0.02}, {.look = 0.04, .run = 0.06}},
    [FIGURE_WALK] = {{.look = 0.1, .run = 0.05}, {.look = 0.1, .run = 0.2}},
    [FIGURE_RATE] = {{.look = 0.04, .run = 0.02}, {.look = 0.05, .run = 0.3}},
    [FIGURE_QUEUE] = {{.look = 0.05, .run = 0.05}, {.look = 0.05, .run = 0.25}},
};

const struct repeatability *repeatability_of(enum figure_kind kind, bool guest)
{
    return &usual[kind][guest];
}

void looks_add(struct looks *looks, double value)
{
    if (!isnan(value) && looks->nr < LOOKS_MAX)
        looks->value[looks->nr++] = value;
}

struct quantity looks_quantity(const struct looks *looks, double share,
                               const struct repeatability *repeats)
{
    /* Of a normal distribution the tenths are 2.56 standard deviations apart. */
    const double tenths = 2.56;
    double value, low, high, error;

    if (!looks->nr)
        return quantity_unknown();
    value = samples_at(looks->value, looks->nr, share);
    low = samples_at(looks->value, looks->nr, 0.1);
    high = samples_at(looks->value, looks->nr, 0.9);
    error = samples_error(value, (high - low) / tenths, looks->nr, repeats);
    return quantity_between(value, fmin(low, value - error), fmax(high, value + error),
                            looks->nr, PROVENANCE_PROBE);
}
