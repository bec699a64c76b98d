#include "core/machine/sampling/looks.h"

#include <math.h>

#include "core/machine/sampling/trial.h"

/* `run` is that of profiles made over an hour on a guest whose neighbours load the memory
 * (docs/machine.md, bench/machine_runs). */
const struct repeatability repeat_latency = {.look = 0.04, .run = 0.04};
const struct repeatability repeat_walk = {.look = 0.1, .run = 0.08};
const struct repeatability repeat_rate = {.look = 0.05, .run = 0.07};
const struct repeatability repeat_queue = {.look = 0.05, .run = 0.05};

void looks_add(struct looks *looks, double value)
{
    if (!isnan(value) && looks->nr < LOOKS_MAX)
        looks->value[looks->nr++] = value;
}

struct quantity looks_quantity(const struct looks *looks, double share,
                               const struct repeatability *usual)
{
    /* Of a normal distribution the tenths are 2.56 standard deviations apart. */
    const double tenths = 2.56;
    double value, low, high, error;

    if (!looks->nr)
        return quantity_unknown();
    value = samples_at(looks->value, looks->nr, share);
    low = samples_at(looks->value, looks->nr, 0.1);
    high = samples_at(looks->value, looks->nr, 0.9);
    error = samples_error(value, (high - low) / tenths, looks->nr, usual);
    return quantity_between(value, fmin(low, value - error), fmax(high, value + error),
                            looks->nr, PROVENANCE_PROBE);
}
