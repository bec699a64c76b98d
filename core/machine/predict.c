/*
 * Where a curve cannot be measured: all cores are busy loading, none is left to chase, or
 * there are too few of them to load the memory at all. The shape y(u), latency over
 * unloaded latency against bandwidth over the best bandwidth, is known from other
 * machines: medians over 8 published result sets on 5 CPU types (Mess, MICRO 2024).
 */
#include "core/machine/predict.h"

#include <math.h>

enum { SHAPE_POINTS = 12 };
static const double shape_u[SHAPE_POINTS] = {0,   0.2, 0.3,  0.4, 0.5,  0.6,
                                             0.7, 0.8, 0.85, 0.9, 0.95, 1};
static const struct {
    double read_share, y[SHAPE_POINTS];
} shapes[] = {
    {0.55, {1, 1.06, 1.10, 1.14, 1.21, 1.31, 1.43, 1.64, 1.82, 2.03, 2.36, 3.2}},
    {0.70, {1, 1.06, 1.10, 1.13, 1.18, 1.25, 1.36, 1.52, 1.62, 1.77, 1.94, 2.5}},
    {0.98, {1, 1.04, 1.05, 1.08, 1.12, 1.17, 1.25, 1.36, 1.43, 1.52, 1.66, 2.1}},
};

static const double *shape_for(double read_share)
{
    size_t best = 0;

    for (size_t i = 1; i < ARRAY_SIZE(shapes); i++)
        if (fabs(shapes[i].read_share - read_share) <
            fabs(shapes[best].read_share - read_share))
            best = i;
    return shapes[best].y;
}

/* Piecewise linear through (x, y), held at the ends. */
static double interpolate(const double *x, const double *y, double at)
{
    if (at <= x[0])
        return y[0];
    for (size_t i = 1; i < SHAPE_POINTS; i++)
        if (at <= x[i])
            return y[i - 1] + (at - x[i - 1]) / (x[i] - x[i - 1]) * (y[i] - y[i - 1]);
    return y[SHAPE_POINTS - 1];
}

/* Less is noise; the shapes reach it at u = 0.2. */
static const double least_rise = 1.04, flat_u = 0.2;

/* The load u of the last measured point follows from how far its latency has risen; from
 * there the shape leads on, and the interval reaches from no further rise to twice the
 * predicted one. Without a rise nothing is known but that u is small: flat, and up to
 * what the shape gives if u is as large as it can be. */
static void predict_point(struct machine_curve *curve, double gbs)
{
    const struct machine_point first = curve->point[0],
                               last = curve->point[curve->point_nr - 1];
    const double *y = shape_for(curve->read_share);
    double unloaded = first.latency_ns.value, now = last.latency_ns.value;
    bool rises = now > least_rise * unloaded;
    double u = rises ? interpolate(y, shape_u, now / unloaded) : flat_u;
    double then = fmax(now, unloaded * interpolate(shape_u, y, u * gbs / last.gbs));
    double value = rises ? then : now, high = rises ? 2 * then - now : then;

    if (gbs <= last.gbs * 1.02)
        return;
    GROW(curve->point, curve->point_nr + 1, curve->point_alloc);
    curve->point[curve->point_nr++] = (struct machine_point){
        .gbs = gbs,
        .latency_ns = quantity_between(value, fmin(last.latency_ns.low, value),
                                       fmax(last.latency_ns.high, high),
                                       last.latency_ns.runs, PROVENANCE_PREDICTED)};
}

int curve_predict(struct machine_curve *curve, double reach_gbs, struct error *err)
{
    (void)err;
    if (reach_gbs > 0)
        predict_point(curve, reach_gbs);
    return 0;
}
