#include "core/machine/curves/curve_fit.h"

#include <math.h>
#include <stdlib.h>

/* Within this share of the best bandwidth all bandwidths are the same: the medians of the
 * rounds scatter by 1 to 3 %. */
static const double same = 0.03;
static const double saturated_rise = 1.5, saturated_load = 1.5;

void isotonic(double *value, const double *weight, size_t nr)
{
    struct block {
        double value, weight;
        size_t nr;
    } *block = xcalloc(nr, sizeof(*block));
    size_t block_nr = 0, at = 0;

    for (size_t i = 0; i < nr; i++) {
        struct block last = {value[i], weight[i], 1};

        for (; block_nr && block[block_nr - 1].value > last.value; block_nr--) {
            const struct block *before = &block[block_nr - 1];
            double both = before->weight + last.weight;

            last.value =
                (before->value * before->weight + last.value * last.weight) / both;
            last.weight = both;
            last.nr += before->nr;
        }
        block[block_nr++] = last;
    }
    for (size_t b = 0; b < block_nr; b++)
        for (size_t i = 0; i < block[b].nr; i++)
            value[at++] = block[b].value;
    free(block);
}

static const struct fit_point *best_of(const struct fit_point *measured, size_t nr)
{
    const struct fit_point *best = measured;

    for (size_t i = 1; i < nr; i++)
        if (measured[i].gbs.value > best->gbs.value)
            best = &measured[i];
    return best;
}

/* More load for less bandwidth and more latency. */
static bool lies_beyond(const struct fit_point *point, const struct fit_point *best)
{
    return point->gbs.value < (1 - same) * best->gbs.value && point->load > best->load &&
           point->latency_ns.value > best->latency_ns.value;
}

static int compare(double x, double y)
{
    return (x > y) - (x < y);
}

static int by_gbs(const void *a, const void *b)
{
    const struct fit_point *x = a, *y = b;

    if (!x->load || !y->load) /* the unloaded one first */
        return compare(x->load, y->load);
    return compare(x->gbs.value, y->gbs.value);
}

static int by_latency(const void *a, const void *b)
{
    const struct fit_point *x = a, *y = b;

    return compare(x->latency_ns.value, y->latency_ns.value);
}

/* Takes out what lies beyond the end; returns how many stay. */
static size_t keep_function(struct fit_point *measured, size_t nr, double *beyond_ns)
{
    struct fit_point best = *best_of(measured, nr);
    size_t kept = 0;

    *beyond_ns = 0;
    for (size_t i = 0; i < nr; i++) {
        if (lies_beyond(&measured[i], &best))
            *beyond_ns = fmax(*beyond_ns, measured[i].latency_ns.high);
        else
            measured[kept++] = measured[i];
    }
    return kept;
}

/* Along the sweep: where bandwidth still rises it tells the order, where it no longer
 * does the latency tells it. */
static void sort_along(struct fit_point *measured, size_t nr)
{
    double plateau = (1 - same) * best_of(measured, nr)->gbs.value;
    size_t rising = 0;

    qsort(measured, nr, sizeof(*measured), by_gbs);
    while (rising < nr &&
           (!measured[rising].load || measured[rising].gbs.value < plateau))
        rising++;
    qsort(measured + rising, nr - rising, sizeof(*measured), by_latency);
}

/* Value and both ends each get their own fit: it keeps their order. */
static void fit_quantities(struct quantity *(*of)(struct fit_point *),
                           struct fit_point *point, size_t nr)
{
    double *all = xcalloc(4 * nr, sizeof(*all));
    double *value = all, *low = all + nr, *high = all + 2 * nr, *weight = all + 3 * nr;

    for (size_t i = 0; i < nr; i++) {
        const struct quantity *from = of(&point[i]);

        value[i] = from->value;
        low[i] = from->low;
        high[i] = from->high;
        weight[i] = from->runs ? (double)from->runs : 1;
    }
    isotonic(value, weight, nr);
    isotonic(low, weight, nr);
    isotonic(high, weight, nr);
    for (size_t i = 0; i < nr; i++) {
        struct quantity *to = of(&point[i]);

        *to = quantity_between(value[i], fmin(low[i], value[i]), fmax(high[i], value[i]),
                               to->runs, to->provenance);
    }
    free(all);
}

static struct quantity *gbs_of(struct fit_point *point)
{
    return &point->gbs;
}

static struct quantity *latency_of(struct fit_point *point)
{
    return &point->latency_ns;
}

/* Bandwidths that the fit made equal are one point: its latency is the one at which the
 * bandwidth is first reached, its interval covers the others. */
static void push(struct machine_curve *curve, const struct fit_point *from)
{
    struct machine_point *last =
        curve->point_nr ? &curve->point[curve->point_nr - 1] : NULL;

    if (last && from->gbs.value <= last->gbs * (1 + 1e-6)) {
        last->latency_ns.high = fmax(last->latency_ns.high, from->latency_ns.high);
        return;
    }
    GROW(curve->point, curve->point_nr + 1, curve->point_alloc);
    curve->point[curve->point_nr++] =
        (struct machine_point){.gbs = from->gbs.value,
                               .gbs_low = fmax(from->gbs.low, 0), /* it is a rate */
                               .gbs_high = from->gbs.high,
                               .latency_ns = from->latency_ns};
}

struct quantity saturation_gbs(const struct fit_point *measured, size_t nr)
{
    const struct fit_point *best = best_of(measured, nr), *max = measured,
                           *min = measured, *enough = best;
    double gbs = best->gbs.value;

    for (size_t i = 0; i < nr; i++) {
        const struct fit_point *point = &measured[i];

        if (point->load > max->load)
            max = point;
        if (point->load < min->load)
            min = point;
        if (point->gbs.value * (1 + same) >= gbs && point->load < enough->load)
            enough = point;
    }
    if (max->latency_ns.value < saturated_rise * min->latency_ns.value ||
        max->load < saturated_load * enough->load)
        return quantity_unknown();
    return quantity_between(gbs, best->gbs.low, fmax(best->gbs.high, (1 + same) * gbs),
                            best->gbs.runs, best->gbs.provenance);
}

void curve_fit(struct fit_point *measured, size_t nr, struct machine_curve *curve)
{
    struct machine_point *last;
    double beyond_ns;

    curve->ceiling_gbs = saturation_gbs(measured, nr);
    nr = keep_function(measured, nr, &beyond_ns);
    sort_along(measured, nr);
    fit_quantities(gbs_of, measured, nr);
    fit_quantities(latency_of, measured, nr);
    for (size_t i = 0; i < nr; i++)
        push(curve, &measured[i]);
    last = &curve->point[curve->point_nr - 1];
    last->latency_ns.high = fmax(last->latency_ns.high, beyond_ns);
}
