#include "core/machine/knee.h"

#include <math.h>
#include <stdlib.h>

enum { KNEE_TAIL = 8, KNEE_LEAST = 16, KNEE_MOST = 64 };

static const double noise_max = 0.1; /* of quartiles; 0.02-0.05 is usual */

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Median of t(k) / k over the KNEE_TAIL values that end at k = last. */
static double per_lane(const double *step_ns, size_t last)
{
    double tail[KNEE_TAIL];

    for (size_t i = 0; i < KNEE_TAIL; i++)
        tail[i] = step_ns[last - 1 - i] / (double)(last - i);
    qsort(tail, KNEE_TAIL, sizeof(*tail), compare_doubles);
    return (tail[KNEE_TAIL / 2 - 1] + tail[KNEE_TAIL / 2]) / 2;
}

/* The best sustained time per lane: with very many lanes it rises again a little. */
static double plateau(const double *step_ns, size_t nr)
{
    double least = INFINITY;

    for (size_t last = KNEE_TAIL; last <= nr; last++)
        least = fmin(least, per_lane(step_ns, last));
    return least;
}

/* t(k) / k, the median of it and its neighbours: one low outlier is no knee. */
static double smooth_per_lane(const double *step_ns, size_t nr, size_t k)
{
    double here = step_ns[k - 1] / (double)k;
    double before = k > 1 ? step_ns[k - 2] / (double)(k - 1) : INFINITY;
    double after = k < nr ? step_ns[k] / (double)(k + 1) : -INFINITY;

    return fmax(fmin(before, here), fmin(fmax(before, here), after));
}

static double first_within(const double *step_ns, size_t nr, double asymptote)
{
    for (size_t k = 1; k < nr; k++)
        if (smooth_per_lane(step_ns, nr, k) <= 1.02 * asymptote)
            return (double)k;
    return (double)nr;
}

/* a and b of the least squares line a + b k through k = 1 .. nr. */
static void line_through(const double *step_ns, size_t nr, double *a, double *b)
{
    double n = (double)nr, k = 0, kk = 0, t = 0, kt = 0;

    for (size_t i = 0; i < nr; i++) {
        double x = (double)(i + 1);

        k += x;
        kk += x * x;
        t += step_ns[i];
        kt += x * step_ns[i];
    }
    *b = (n * kt - k * t) / (n * kk - k * k);
    *a = (t - *b * k) / n;
}

/* Squared relative residuals of: the line up to k = split, c k beyond. */
static double misfit(const double *step_ns, size_t nr, size_t split, double a, double b,
                     double c)
{
    double sum = 0;

    for (size_t k = 1; k <= nr; k++) {
        double model = k <= split ? a + b * (double)k : c * (double)k;
        double off = model / step_ns[k - 1] - 1;

        sum += off * off;
    }
    return sum;
}

/* Where the flat part crosses c k, for the split that fits best; `otherwise` if the flat
 * part falls: then translations that overlap more and more stand in it. */
static double crossing(const double *step_ns, size_t nr, double c, double otherwise)
{
    double best = INFINITY, at = otherwise;

    for (size_t split = 4; split + KNEE_TAIL <= nr; split++) {
        double a, b, off;

        line_through(step_ns, split, &a, &b);
        off = misfit(step_ns, nr, split, a, b, c);
        if (off < best) {
            best = off;
            at = b >= 0 && b < c ? a / (c - b) : otherwise;
        }
    }
    return at;
}

/* Median of (high - low) / value: a machine that somebody else is using as well shows
 * here. */
static double noise(const struct quantity *step_ns, size_t nr)
{
    double spread[KNEE_MOST];

    for (size_t i = 0; i < nr; i++)
        spread[i] = (step_ns[i].high - step_ns[i].low) / step_ns[i].value;
    qsort(spread, nr, sizeof(*spread), compare_doubles);
    return spread[nr / 2];
}

static bool usable(const struct quantity *step_ns, size_t nr)
{
    for (size_t i = 0; i < nr; i++)
        if (!step_ns[i].known || step_ns[i].value <= 0)
            return false;
    return nr >= KNEE_LEAST && nr <= KNEE_MOST;
}

struct knee knee_find(const struct quantity *step_ns, size_t nr, double hold_ns)
{
    struct knee knee = {0};
    double t[KNEE_MOST], asymptote;

    if (!usable(step_ns, nr))
        return knee;
    for (size_t i = 0; i < nr; i++)
        t[i] = step_ns[i].value;
    if (noise(step_ns, nr) > noise_max)
        return knee;
    asymptote = plateau(t, nr);
    knee.floor = hold_ns / asymptote;
    knee.first = first_within(t, nr, asymptote);
    knee.fit = crossing(t, nr, asymptote, knee.first);
    /* A first k near the end is no plateau: each further lane still helps. */
    knee.found = knee.first + KNEE_TAIL <= (double)nr;
    return knee;
}

/* The estimate of one set: the first k overshoots where the knee is round, the crossing
 * undershoots. */
static double middle(const struct knee *knee)
{
    return (knee->first + knee->fit) / 2;
}

static bool is_tight(const struct quantity *probe)
{
    return probe->known && probe->high - probe->low <= fmax(4, 0.25 * probe->value);
}

static void add_knee(struct quantity *probe, const struct knee *knee, size_t runs)
{
    double low = fmin(knee->first, knee->fit), high = fmax(knee->first, knee->fit);

    if (!knee->found)
        return;
    *probe =
        probe->known
            ? quantity_between(round((probe->value + middle(knee)) / 2),
                               fmin(probe->low, low), fmax(probe->high, high), runs,
                               PROVENANCE_PROBE)
            : quantity_between(round(middle(knee)), fmin(low, round(middle(knee))),
                               fmax(high, round(middle(knee))), runs, PROVENANCE_PROBE);
}

static double measured_floor(const struct limit_evidence *evidence)
{
    double floor = evidence->floor.known ? evidence->floor.low : 0;

    for (size_t i = 0; i < ARRAY_SIZE(evidence->knee); i++)
        floor = fmax(floor, evidence->knee[i].floor);
    return floor;
}

static struct quantity at_least(double value, size_t runs, enum provenance provenance)
{
    return quantity_between(value, value, INFINITY, runs, provenance);
}

static void use(struct machine_limit *limit, struct quantity used, char *source)
{
    limit->used = used;
    free(limit->source);
    limit->source = source;
}

static char *table_phrase(const struct limit_evidence *evidence)
{
    return xasprintf("CPU table: %g (%c, %s)", evidence->table.value,
                     evidence->confidence, evidence->table_source);
}

static void use_knee(struct machine_limit *limit, const struct limit_evidence *evidence)
{
    struct quantity used = limit->probe;
    char *table = evidence->table.known ? table_phrase(evidence) : NULL;

    /* Within the probe's usual error both can be right. */
    if (table && fabs(evidence->table.value - used.value) <= fmax(2, 0.1 * used.value)) {
        used.low = fmin(used.low, evidence->table.value);
        used.high = fmax(used.high, evidence->table.value);
    }
    use(limit, used,
        table ? xasprintf("knee of k chases measured here; %s", table)
              : xasprintf("knee of k chases measured here; the CPU table has no value"));
    free(table);
}

static void use_table(struct machine_limit *limit, const struct limit_evidence *evidence,
                      double floor)
{
    char *table = table_phrase(evidence);

    if (floor > evidence->table.value && isfinite(evidence->table.high))
        use(limit, at_least(floor, evidence->runs, PROVENANCE_PROBE),
            xasprintf("at least, measured here: refutes the %s", table));
    else
        use(limit, evidence->table, xstrdup(table));
    free(table);
}

static void use_fallback(struct machine_limit *limit,
                         const struct limit_evidence *evidence)
{
    if (evidence->fallback > 0)
        use(limit,
            quantity_between(evidence->fallback, evidence->fallback / 2, INFINITY, 0,
                             PROVENANCE_PREDICTED),
            xstrdup("heuristic: no source and no probe, good for hints only"));
    else
        use(limit, quantity_unknown(), xstrdup("unknown: no source and no probe"));
}

void limit_resolve(struct machine_limit *limit, const struct limit_evidence *evidence)
{
    double floor = measured_floor(evidence);

    limit->table = evidence->table;
    limit->probe = quantity_unknown();
    for (size_t i = 0; i < ARRAY_SIZE(evidence->knee); i++)
        add_knee(&limit->probe, &evidence->knee[i], evidence->runs);
    limit->probe_is_floor = !limit->probe.known && floor > 0;
    if (limit->probe_is_floor)
        limit->probe = at_least(floor, evidence->runs, PROVENANCE_PROBE);
    if (!limit->probe_is_floor && is_tight(&limit->probe))
        use_knee(limit, evidence);
    else if (evidence->table.known)
        use_table(limit, evidence, floor);
    else if (limit->probe.known)
        use(limit, limit->probe,
            xstrdup(limit->probe_is_floor
                        ? "at least, measured here; the CPU table has no value"
                        : "knee of k chases with a wide spread, measured here"));
    else
        use_fallback(limit, evidence);
}
