#include "core/machine/capacity.h"

#include <math.h>
#include <stdlib.h>

#include "core/machine/trial.h"

/* The next level is more than twice as slow as the one before. */
static const double leaves = 1.6;
/* Footprints nearer to each other than this tell no more: others move the end by more. */
static const double near_enough = 1.2;

double capacity_bar_ns(double level_ns, double memory_ns)
{
    double bar = leaves * level_ns;

    if (!(memory_ns > 0))
        return bar;
    return memory_ns > bar ? fmin(bar, sqrt(level_ns * memory_ns)) : NAN;
}

double capacity_next(const struct capacity_search *search)
{
    double inside = search->inside_bytes, beyond = search->beyond_bytes;

    if (!inside && !beyond)
        return search->start_bytes;
    if (!beyond)
        return inside < search->to_bytes ? fmin(2 * inside, search->to_bytes) : 0;
    if (!inside)
        return beyond > search->from_bytes ? fmax(beyond / 2, search->from_bytes) : 0;
    return beyond > near_enough * inside ? sqrt(inside * beyond) : 0;
}

void capacity_add(struct capacity_search *search, double bytes, double ns)
{
    if (ns <= search->bar_ns) {
        search->inside_bytes = bytes;
        search->inside_ns = ns;
    } else {
        search->beyond_bytes = bytes;
        search->beyond_ns = ns;
    }
}

/* Where the latency crosses the bar between both. */
static double end_bytes(const struct capacity_search *search)
{
    double inside = search->inside_bytes, beyond = search->beyond_bytes, share;

    if (!inside || !beyond)
        return inside ? inside : beyond;
    share =
        (search->bar_ns - search->inside_ns) / (search->beyond_ns - search->inside_ns);
    return inside * pow(beyond / inside, share);
}

/* Disturbances only take from the level: of several searches those that found much. The
 * interval holds what each of them left open. */
struct quantity capacity_of(const struct capacity_search *search, size_t nr,
                            double least_bytes)
{
    double *bytes = xcalloc(3 * nr + 1, sizeof(*bytes)), *low = bytes + nr,
           *high = low + nr, value;
    size_t told = 0, floors = 0;
    struct quantity result = quantity_unknown();

    for (size_t i = 0; i < nr; i++) {
        const struct capacity_search *one = &search[i];

        if (!one->inside_bytes && !one->beyond_bytes)
            continue;
        bytes[told] = end_bytes(one);
        low[told] = one->inside_bytes ? one->inside_bytes : least_bytes;
        high[told++] = one->beyond_bytes ? one->beyond_bytes : one->inside_bytes;
        floors += !one->beyond_bytes;
    }
    if (told) {
        value = samples_quantity(bytes, told).high;
        result = quantity_between(value, fmin(samples_quantity(low, told).low, value),
                                  2 * floors >= told
                                      ? INFINITY
                                      : fmax(samples_quantity(high, told).high, value),
                                  told, PROVENANCE_PROBE);
        if (isinf(result.high)) /* a floor is what is proven */
            result.value = result.low;
    }
    free(bytes);
    return result;
}
