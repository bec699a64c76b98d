#include "core/machine/curves/knee.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base.h"
#include "core/base/random.h"
#include "core/machine/sampling/pointer_chase.h"

enum { LANES_MIN = 16, CHAINS_BEYOND = 8, ROUNDS_MIN = 3, RESAMPLES = 60 };

static const double noise_max =
    0.15; /* of quartiles over the rounds; 0.02-0.06 is usual */
/* What a corner must be at least: so much steeper beyond it than before it, so steep in
 * itself (1 = c k, pure queueing; less where the flat part rises), and so much better
 * than one straight line in squared residuals (noise alone gives 0.8 to 1). */
static const double steeper_min = 1.3, steep_min = 0.4, misfit_max = 0.5;
/* Half widths of the rounded corner that are tried, in parts of its place. */
static const double rounding[] = {0.02, 0.15};

/* t(k), one value per number of lanes. */
struct points {
    double chains[KNEE_MAX], ns[KNEE_MAX], weight[KNEE_MAX];
    size_t nr;
};

/* t(k) = level + slope (k - at) + bend * ramp(k - at). */
struct corner {
    double at, half_width, level, slope, bend, misfit;
};

/* 0, then a piece of a parabola, then x. */
static double ramp(double x, double half_width)
{
    if (x <= -half_width)
        return 0;
    return x >= half_width ? x : (x + half_width) * (x + half_width) / (4 * half_width);
}

static double corner_ns(const struct corner *corner, double chains)
{
    double x = chains - corner->at;

    return corner->level + corner->slope * x + corner->bend * ramp(x, corner->half_width);
}

/* Gauss elimination of a positive definite system; false if it is singular. */
static bool solve3(double m[3][4])
{
    for (int i = 0; i < 3; i++) {
        if (fabs(m[i][i]) < 1e-12)
            return false;
        for (int row = 0; row < 3; row++) {
            double factor = m[row][i] / m[i][i];

            for (int column = i; column < 4 && row != i; column++)
                m[row][column] -= factor * m[i][column];
        }
    }
    return true;
}

/* The least squares of the relative residuals, for a corner of this place and width. */
static bool fit_lines(const struct points *points, struct corner *corner)
{
    double m[3][4] = {{0}};

    for (size_t i = 0; i < points->nr; i++) {
        double x = points->chains[i] - corner->at;
        double term[4] = {1, x, ramp(x, corner->half_width), points->ns[i]};
        double weight = points->weight[i] / (points->ns[i] * points->ns[i]);

        for (int row = 0; row < 3; row++)
            for (int column = 0; column < 4; column++)
                m[row][column] += weight * term[row] * term[column];
    }
    if (!solve3(m))
        return false;
    corner->level = m[0][3] / m[0][0];
    corner->slope = m[1][3] / m[1][1];
    corner->bend = m[2][3] / m[2][2];
    corner->misfit = 0;
    for (size_t i = 0; i < points->nr; i++) {
        double off = corner_ns(corner, points->chains[i]) / points->ns[i] - 1;

        corner->misfit += points->weight[i] * off * off;
    }
    return true;
}

/* Lanes queue beyond it. Where overlapping translations stop to help there is a corner
 * too, but the line beyond is flat. */
static bool queues(const struct corner *corner)
{
    double beyond = corner->slope + corner->bend;

    return corner->bend > 0 && beyond >= steeper_min * corner->slope &&
           beyond * corner->at >= steep_min * corner->level;
}

/* The best corner with at least three points on either side. */
static struct corner fit_corner(const struct points *points, double step)
{
    struct corner best = {.misfit = INFINITY};

    for (double at = points->chains[2]; at <= points->chains[points->nr - 3]; at += step)
        for (size_t i = 0; i < ARRAY_SIZE(rounding); i++) {
            struct corner corner = {.at = at, .half_width = rounding[i] * at};

            if (fit_lines(points, &corner) && queues(&corner) &&
                corner.misfit < best.misfit)
                best = corner;
        }
    return best;
}

/* Points far off the corner count less from now on. */
static void weigh(struct points *points, const struct corner *corner)
{
    double off[KNEE_MAX], usual;

    for (size_t i = 0; i < points->nr; i++)
        off[i] = fabs(corner_ns(corner, points->chains[i]) / points->ns[i] - 1);
    usual = fmax(1.5 * median_sorting(off, points->nr), 1e-6);
    for (size_t i = 0; i < points->nr; i++) {
        double far =
            (corner_ns(corner, points->chains[i]) / points->ns[i] - 1) / (2 * usual);

        points->weight[i] = 1 / (1 + far * far);
    }
}

static struct corner fit_robustly(struct points *points, double step)
{
    const int again = 3; /* the first fits still lean towards what is far off */
    struct corner corner;

    for (size_t i = 0; i < points->nr; i++)
        points->weight[i] = 1;
    corner = fit_corner(points, step);
    for (int i = 0; i < again && !isinf(corner.misfit); i++) {
        weigh(points, &corner);
        corner = fit_corner(points, step);
    }
    return corner;
}

/* The same residuals for one straight line: a corner far beyond the end. */
static double straight_misfit(const struct points *points)
{
    double n = 0, x = 0, xx = 0, t = 0, xt = 0, slope, level, misfit = 0;

    for (size_t i = 0; i < points->nr; i++) {
        double weight = points->weight[i] / (points->ns[i] * points->ns[i]);

        n += weight;
        x += weight * points->chains[i];
        xx += weight * points->chains[i] * points->chains[i];
        t += weight * points->ns[i];
        xt += weight * points->chains[i] * points->ns[i];
    }
    slope = (n * xt - x * t) / (n * xx - x * x);
    level = (t - slope * x) / n;
    for (size_t i = 0; i < points->nr; i++) {
        double off = (level + slope * points->chains[i]) / points->ns[i] - 1;

        misfit += points->weight[i] * off * off;
    }
    return misfit;
}

static struct points between(const struct points *points, double low, double high)
{
    struct points part = {0};

    for (size_t i = 0; i < points->nr; i++)
        if (points->chains[i] >= low && points->chains[i] <= high) {
            part.chains[part.nr] = points->chains[i];
            part.ns[part.nr++] = points->ns[i];
        }
    return part;
}

/* The least t(k) / k that three neighbours reach. */
static double best_per_chain(const struct points *points, size_t *where)
{
    double best = INFINITY;

    for (size_t i = 1; i + 1 < points->nr; i++) {
        double three[3];

        for (size_t j = 0; j < 3; j++)
            three[j] = points->ns[i + j - 1] / points->chains[i + j - 1];
        if (median_sorting(three, 3) < best) {
            best = median_sorting(three, 3);
            *where = i;
        }
    }
    return best;
}

/* With very many lanes translations and bank conflicts make each lane slower again: the
 * end where that is more than 20 % is another regime. */
static struct points without_end(const struct points *points)
{
    size_t best = 0;
    double min = best_per_chain(points, &best), last = points->chains[points->nr - 1];

    for (size_t i = points->nr; i-- > best + 1;) {
        if (points->ns[i] / points->chains[i] <= 1.2 * min)
            break;
        last = points->chains[i - 1];
    }
    return between(points, 0, last);
}

/* The neighbourhood of the corner: far from it neither line is straight. */
static struct points around(const struct points *points, double at)
{
    return between(points, fmin(0.5 * at, at - 4), fmax(2 * at, at + CHAINS_BEYOND));
}

/* Each sample over the scale of its round, which is the median over the lanes of the
 * sample over the lane's usual. Caller frees; [lane * rounds + round]. */
static double *level_rounds(const struct knee_series *series)
{
    size_t rounds = series->rounds, nr = series->nr;
    double *leveled = xcalloc(nr * rounds, sizeof(*leveled));
    double *sorted = xcalloc(rounds, sizeof(*sorted)), usual[KNEE_MAX];

    for (size_t i = 0; i < nr; i++) {
        memcpy(sorted, series->step_ns[i], rounds * sizeof(*sorted));
        usual[i] = median_sorting(sorted, rounds);
    }
    for (size_t round = 0; round < rounds; round++) {
        double ratio[KNEE_MAX], scale;

        for (size_t i = 0; i < nr; i++)
            ratio[i] = series->step_ns[i][round] / usual[i];
        scale = median_sorting(ratio, nr);
        for (size_t i = 0; i < nr; i++)
            leveled[i * rounds + round] = series->step_ns[i][round] / scale;
    }
    free(sorted);
    return leveled;
}

/* Medians over the rounds that `pick` names. */
static struct points over_rounds(const struct knee_series *series, const double *leveled,
                                 const size_t *pick)
{
    struct points points = {.nr = series->nr};
    double *sample = xcalloc(series->rounds, sizeof(*sample));

    for (size_t i = 0; i < series->nr; i++) {
        for (size_t round = 0; round < series->rounds; round++)
            sample[round] = leveled[i * series->rounds + pick[round]];
        points.chains[i] = series->chains[i];
        points.ns[i] = median_sorting(sample, series->rounds);
    }
    free(sample);
    return points;
}

/* Median over the lanes of the distance of the quartiles, relative. */
static double noise(const struct knee_series *series, const double *leveled)
{
    double spread[KNEE_MAX];
    size_t rounds = series->rounds;
    double *sample = xcalloc(rounds, sizeof(*sample));

    for (size_t i = 0; i < series->nr; i++) {
        memcpy(sample, leveled + i * rounds, rounds * sizeof(*sample));
        sort_doubles(sample, rounds);
        spread[i] = (sample[(rounds - 1) * 3 / 4] - sample[(rounds - 1) / 4]) /
                    sample[rounds / 2];
    }
    free(sample);
    return median_sorting(spread, series->nr);
}

static bool usable(const struct knee_series *series)
{
    if (series->nr < LANES_MIN || series->nr > KNEE_MAX || series->rounds < ROUNDS_MIN)
        return false;
    for (size_t i = 0; i < series->nr; i++)
        for (size_t round = 0; round < series->rounds; round++)
            if (!(series->step_ns[i][round] > 0))
                return false;
    return true;
}

/* Is this a corner with enough lanes beyond it to be sure of? */
static bool is_corner(const struct points *points, const struct corner *corner,
                      double last)
{
    return !isinf(corner->misfit) && corner->at + CHAINS_BEYOND <= last &&
           corner->misfit <= misfit_max * straight_misfit(points);
}

/* The same fit for rounds drawn with replacement; their median is steadier than the fit
 * of all rounds. */
static void resample(const struct knee_series *series, const double *leveled, double at,
                     struct knee *knee)
{
    double place[RESAMPLES];
    size_t *pick = xcalloc(series->rounds, sizeof(*pick)), nr = 0;
    uint64_t state = 1; /* the same every time */

    for (size_t i = 0; i < RESAMPLES; i++) {
        struct points all, part;
        struct corner corner;

        for (size_t round = 0; round < series->rounds; round++)
            pick[round] = (size_t)(random_next(&state) % series->rounds);
        all = over_rounds(series, leveled, pick);
        part = around(&all, at);
        corner = fit_robustly(&part, 0.25);
        if (!isinf(corner.misfit))
            place[nr++] = corner.at;
    }
    free(pick);
    knee->found = nr >= RESAMPLES / 2;
    if (!knee->found)
        return;
    knee->chains = median_sorting(place, nr);
    knee->low = place[nr / 20];
    knee->high = place[nr - 1 - nr / 20];
}

static void find(const struct knee_series *series, const double *leveled,
                 struct knee *knee)
{
    size_t *pick = xcalloc(series->rounds, sizeof(*pick)), best = 0;
    struct points all, part;
    struct corner corner;
    double last;

    for (size_t round = 0; round < series->rounds; round++)
        pick[round] = round;
    all = over_rounds(series, leveled, pick);
    free(pick);
    knee->floor = series->residency_ns / best_per_chain(&all, &best);
    if (noise(series, leveled) > noise_max)
        return;
    part = without_end(&all);
    if (part.nr < LANES_MIN)
        return;
    corner = fit_robustly(&part, 0.5);
    if (isinf(corner.misfit))
        return;
    last = part.chains[part.nr - 1];
    part = around(&part, corner.at);
    corner = fit_robustly(&part, 0.25);
    if (is_corner(&part, &corner, last))
        resample(series, leveled, corner.at, knee);
}

struct knee knee_find(const struct knee_series *series)
{
    struct knee knee = {0};
    double *leveled;

    if (!usable(series))
        return knee;
    leveled = level_rounds(series);
    find(series, leveled, &knee);
    free(leveled);
    return knee;
}
