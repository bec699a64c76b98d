/* Latency of memory under load: reading a curve, and where n lines in flight settle on
 * it. */
#include <math.h>

#include "core/machine/machine.h"

/* Non-temporal stores are all writes: from a quarter of reads on, other mixes are nearer
 * in kind, whatever their share. */
static double distance(const struct machine_curve *curve, double read_share)
{
    double apart = fabs(curve->read_share - read_share);

    return curve->nontemporal && read_share >= 0.25 ? 1 + apart : apart;
}

const struct machine_curve *machine_curve_near(const struct machine *machine,
                                               double read_share)
{
    const struct machine_curve *best = NULL;

    for (size_t i = 0; i < machine->curve_nr; i++) {
        const struct machine_curve *curve = &machine->curve[i];

        if (curve->point_nr &&
            (!best || distance(curve, read_share) < distance(best, read_share)))
            best = curve;
    }
    return best;
}

bool machine_ceiling_is_bound(const struct machine_curve *curve)
{
    double end = 0;

    for (size_t i = 0; i < curve->point_nr; i++)
        if (curve->point[i].latency_ns.provenance != PROVENANCE_PREDICTED)
            end = curve->point[i].gbs;
    return curve->ceiling_gbs.known && curve->ceiling_gbs.low <= end &&
           curve->ceiling_gbs.high > 1.05 * end;
}

static struct quantity between(const struct machine_point *a,
                               const struct machine_point *b, double gbs)
{
    double share = (gbs - a->gbs) / (b->gbs - a->gbs);
    struct quantity x = a->latency_ns, y = b->latency_ns, both = quantity_add(x, y);

    return quantity_between(
        x.value + share * (y.value - x.value), x.low + share * (y.low - x.low),
        x.high + share * (y.high - x.high), both.runs,
        /* one predicted end makes it predicted */
        x.provenance == PROVENANCE_PREDICTED || y.provenance == PROVENANCE_PREDICTED
            ? PROVENANCE_PREDICTED
            : both.provenance);
}

static struct quantity on_curve(const struct machine_curve *curve, double gbs)
{
    const struct machine_point *point = curve->point;

    if (gbs <= point[0].gbs)
        return point[0].latency_ns;
    for (size_t i = 1; i < curve->point_nr; i++)
        if (gbs <= point[i].gbs)
            return between(&point[i - 1], &point[i], gbs);
    return quantity_unknown();
}

struct quantity machine_latency_ns(const struct machine *machine, double gbs,
                                   double read_share)
{
    const struct machine_curve *curve = machine_curve_near(machine, read_share);

    if (!curve || !(gbs >= 0))
        return quantity_unknown();
    return on_curve(curve, gbs);
}

enum latency_end { LATENCY_VALUE, LATENCY_LOW, LATENCY_HIGH };

static double end_of(struct quantity latency, enum latency_end end)
{
    return end == LATENCY_LOW    ? latency.low
           : end == LATENCY_HIGH ? latency.high
                                 : latency.value;
}

/* The largest gbs with gbs x latency <= in_flight_bytes (GB/s x ns = bytes); NaN when the
 * curve ends before. */
static double settle(const struct machine_curve *curve, double in_flight_bytes,
                     enum latency_end end)
{
    double low = 0, high = curve->point[curve->point_nr - 1].gbs;

    if (high * end_of(on_curve(curve, high), end) < in_flight_bytes)
        return NAN;
    for (int i = 0; i < 100 && high - low > 1e-9 * high; i++) {
        double gbs = (low + high) / 2;

        if (gbs * end_of(on_curve(curve, gbs), end) < in_flight_bytes)
            low = gbs;
        else
            high = gbs;
    }
    return (low + high) / 2;
}

struct quantity machine_bandwidth_of(const struct machine *machine, double n, int cores,
                                     double read_share, double *floor_gbs)
{
    const struct machine_curve *curve = machine_curve_near(machine, read_share);
    double bytes = n * machine_transfer_bytes(machine) * cores, value, low, high;
    struct quantity latency;

    if (floor_gbs)
        *floor_gbs = NAN;
    if (!curve || !(bytes >= 0))
        return quantity_unknown();
    value = settle(curve, bytes, LATENCY_VALUE);
    if (isnan(value)) {
        if (floor_gbs)
            *floor_gbs = curve->point[curve->point_nr - 1].gbs;
        return quantity_unknown();
    }
    latency = on_curve(curve, value);
    low = settle(curve, bytes, LATENCY_HIGH);
    high = settle(curve, bytes, LATENCY_LOW);
    /* An end beyond the curve is open, but at least what value says. */
    return quantity_between(value, fmin(low, value),
                            isnan(high) ? INFINITY : fmax(high, value), latency.runs,
                            latency.provenance);
}
