/*
 * Where a curve cannot be measured: all cores are busy loading, none is left to chase, or
 * there are too few of them to load the memory at all. How latency rises from one load to
 * a higher one is known from machines that were measured (shapes.h): the median over them
 * times our unloaded latency is added to our last measured point.
 *
 * Where on the shape we are follows from the ceiling if it is known, else from how far
 * our own latency has risen: each machine of the shapes gives the load at which its own
 * has risen as much.
 */
#include "core/machine/curves/predict.h"

#include <math.h>

struct prediction {
    const struct shapes *shapes;
    struct machine_curve *curve;
    struct machine_point first, last; /* measured */
    double reach_gbs;                 /* 0 = not known */
    struct quantity ceiling_gbs;      /* what there is to believe of it */
};

static const double highest_load = 0.9; /* beyond, machines differ without measure */
static const double drawn_slack = 1.05; /* scatter of measured bandwidth */
static const double step = 1.02;        /* points nearer than that are one */

/* The spread over machines of what `rise` gives for each of them; unknown without one. */
static struct quantity over_machines(const struct prediction *prediction,
                                     double (*rise)(const struct prediction *,
                                                    const struct shape_machine *, double,
                                                    double),
                                     double gbs, double with)
{
    const struct shapes *shapes = prediction->shapes;
    double each[SHAPE_MACHINES_MAX];
    size_t nr = 0;

    for (size_t i = 0; i < shapes->machine_nr; i++)
        if (shape_serves(shapes, &shapes->machine[i], prediction->curve->read_share))
            each[nr++] = fmax(0, rise(prediction, &shapes->machine[i], gbs, with));
    return nr ? shapes_spread(shapes, each, nr) : quantity_unknown();
}

/* From the last measured point to gbs, over the unloaded latency, where the best
 * bandwidth is `ceiling`. */
static double rise_under(const struct prediction *prediction,
                         const struct shape_machine *machine, double gbs, double ceiling)
{
    double read_share = prediction->curve->read_share;

    return shape_y(machine, read_share, gbs / ceiling) -
           shape_y(machine, read_share, prediction->last.gbs / ceiling);
}

/* The same where at the last measured point latency is y times the unloaded one. */
static double rise_after(const struct prediction *prediction,
                         const struct shape_machine *machine, double gbs, double y)
{
    double u = shape_u(machine, prediction->curve->read_share, y);
    double ceiling = u > 0 ? prediction->last.gbs / u : INFINITY;

    return rise_under(prediction, machine, gbs, fmax(ceiling, prediction->reach_gbs));
}

static bool was_loaded(const struct prediction *prediction)
{
    return prediction->last.gbs > step * prediction->first.gbs;
}

/* Three rises to an interval: the value of one, the low end of another, the high end of
 * the last. */
static struct quantity join(struct quantity value, struct quantity low,
                            struct quantity high)
{
    if (!value.known || !low.known || !high.known)
        return quantity_unknown();
    return quantity_between(value.value, fmin(low.low, value.value),
                            fmax(high.high, value.value), value.runs,
                            PROVENANCE_PREDICTED);
}

static struct quantity rise_by_ceiling(const struct prediction *prediction, double gbs)
{
    struct quantity ceiling = prediction->ceiling_gbs;

    return join(over_machines(prediction, rise_under, gbs, ceiling.value),
                over_machines(prediction, rise_under, gbs, ceiling.high),
                over_machines(prediction, rise_under, gbs, ceiling.low));
}

/* Only for what the cores were seen to draw. Without any load measured nothing is known
 * but that the memory can deliver it. */
static struct quantity rise_by_latency(const struct prediction *prediction, double gbs)
{
    struct quantity y =
        quantity_divide(prediction->last.latency_ns, prediction->first.latency_ns);

    if (!was_loaded(prediction))
        return join(over_machines(prediction, rise_under, gbs, INFINITY),
                    over_machines(prediction, rise_under, gbs, INFINITY),
                    over_machines(prediction, rise_under, gbs, prediction->reach_gbs));
    return join(over_machines(prediction, rise_after, gbs, y.value),
                over_machines(prediction, rise_after, gbs, y.low),
                over_machines(prediction, rise_after, gbs, y.high));
}

/* Where both are known, the value follows the ceiling, and neither's end is passed. */
static struct quantity rise_to(const struct prediction *prediction, double gbs)
{
    struct quantity given = quantity_unknown(), seen = quantity_unknown();
    double low, high;

    if (prediction->ceiling_gbs.known)
        given = rise_by_ceiling(prediction, gbs);
    if (gbs <= prediction->reach_gbs)
        seen = rise_by_latency(prediction, gbs);
    if (!given.known || !seen.known)
        return given.known ? given : seen;
    low = fmax(given.low, seen.low);
    high = fmax(low, fmin(given.high, seen.high));
    return quantity_between(fmin(high, fmax(low, given.value)), low, high, given.runs,
                            PROVENANCE_PREDICTED);
}

static void add_point(const struct prediction *prediction, double gbs)
{
    struct machine_curve *curve = prediction->curve;
    struct quantity before = curve->point[curve->point_nr - 1].latency_ns;
    struct quantity rise = rise_to(prediction, gbs);
    struct quantity base = prediction->last.latency_ns,
                    unloaded = prediction->first.latency_ns;

    if (!rise.known || gbs <= step * curve->point[curve->point_nr - 1].gbs)
        return;
    GROW(curve->point, curve->point_nr + 1, curve->point_alloc);
    curve->point[curve->point_nr++] = (struct machine_point){
        .gbs = gbs,
        .latency_ns =
            quantity_between(fmax(before.value, base.value + unloaded.value * rise.value),
                             fmax(before.low, base.low + unloaded.low * rise.low),
                             fmax(before.high, base.high + unloaded.high * rise.high),
                             prediction->last.latency_ns.runs, PROVENANCE_PREDICTED)};
}

/* A ceiling is at least what was drawn. One below that is another memory's; and under one
 * that is too high no machine's latency would have risen as far as ours has: neither is
 * believed. */
static struct quantity believed(const struct prediction *prediction)
{
    struct quantity ceiling = prediction->curve->ceiling_gbs, start;
    double drawn = fmax(prediction->last.gbs, prediction->reach_gbs);
    struct prediction unloaded = *prediction;

    if (!ceiling.known || drawn <= 0)
        return ceiling;
    if (drawn > drawn_slack * ceiling.high)
        return quantity_unknown();
    ceiling =
        quantity_between(fmax(drawn, ceiling.value), fmax(drawn, ceiling.low),
                         fmax(drawn, ceiling.high), ceiling.runs, ceiling.provenance);
    unloaded.last.gbs = 0;
    start = over_machines(&unloaded, rise_under, prediction->last.gbs, ceiling.low);
    if (start.known && prediction->last.latency_ns.low >
                           prediction->first.latency_ns.high * (1 + start.high))
        return quantity_unknown();
    return ceiling;
}

void curve_predict_from(const struct shapes *shapes, struct machine_curve *curve,
                        double reach_gbs)
{
    enum { STEPS = 9 };
    struct prediction prediction = {.shapes = shapes,
                                    .curve = curve,
                                    .first = curve->point[0],
                                    .last = curve->point[curve->point_nr - 1],
                                    .reach_gbs = reach_gbs};
    struct quantity ceiling = prediction.ceiling_gbs = believed(&prediction);

    for (int i = 1; i <= STEPS && ceiling.known; i++)
        add_point(&prediction, ceiling.low * highest_load * i / STEPS);
    if (!ceiling.known || reach_gbs <= highest_load * ceiling.value)
        add_point(&prediction, reach_gbs);
}

int curve_predict(struct machine_curve *curve, double reach_gbs, struct error *err)
{
    struct shapes shapes;

    if (shapes_load(NULL, &shapes, err))
        return -1;
    curve_predict_from(&shapes, curve, reach_gbs);
    shapes_release(&shapes);
    return 0;
}
