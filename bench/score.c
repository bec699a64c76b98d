#include "bench/score.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/array.h"
#include "core/base/statistics.h"

/* As the authors' program has them since their paper. */
static const double CUTOFF = 0.95, START = 0.01;

/* ---- the space ---- */

/* Worst first; what cannot be told apart from the optimum is the optimum. */
static void fill_values(struct score_space *space)
{
    for (size_t i = 0; i < space->nr; i++) {
        double value = space->sorted[space->nr - 1 - i];
        space->value[i] =
            value <= space->optimum * (1 + space->noise) ? space->optimum : value;
    }
}

/* The first place of `value` that is no worse than `bound`. */
static size_t first_within(const struct score_space *space, double bound)
{
    size_t i = 0;
    while (i < space->nr && space->value[i] > bound)
        i++;
    return i;
}

static void fill_levels(struct score_space *space, const double *objective)
{
    for (size_t i = 0; i < space->nr; i++) {
        double value = objective[i];
        space->level[i] = first_within(
            space, value <= space->optimum * (1 + space->noise) ? space->optimum : value);
    }
}

static double target_of(const struct score_space *space, double cutoff)
{
    return space->optimum + (space->median - space->optimum) * (1 - cutoff);
}

/* i / (N + 1 - i): where the expected place M (N + 1) / (M + 1) of the best of M draws
 * comes to the i-th. */
static size_t budget_of(const struct score_space *space, double cutoff)
{
    size_t i = first_within(space, target_of(space, cutoff));
    return (size_t)ceil((double)i / (double)(space->nr + 1 - i));
}

void score_space_open(const double *objective, size_t nr, double noise,
                      struct score_space *space)
{
    *space = (struct score_space){.nr = nr,
                                  .noise = fmax(0, noise),
                                  .value = xcalloc(nr, sizeof(*space->value)),
                                  .level = xcalloc(nr, sizeof(*space->level)),
                                  .sorted = xcalloc(nr, sizeof(*space->sorted))};
    for (size_t i = 0; i < nr; i++)
        space->sorted[i] = objective[i];
    space->median = median_sorting(space->sorted, nr);
    space->optimum = space->sorted[0];
    fill_values(space);
    fill_levels(space, objective);
    space->target = target_of(space, CUTOFF);
    space->budget = budget_of(space, CUTOFF);
    space->start = budget_of(space, START);
    if (space->start < 1)
        space->start = 1;
    if (space->start > space->budget)
        space->start = space->budget;
    space->flat =
        space->budget == 0 || space->median <= space->optimum * (1 + space->noise);
    space->small = space->budget < SCORE_BUDGET_MIN;
}

void score_space_release(struct score_space *space)
{
    free(space->value);
    free(space->level);
    free(space->sorted);
    *space = (struct score_space){0};
}

/* ---- random search, computed ---- */

static size_t level_at(const struct score_space *space, size_t i)
{
    while (i > 0 && space->value[i - 1] <= space->value[i])
        i--;
    return i;
}

/* `below`: the chance that all draws are among the first i places, C(i, M) / C(N, M). */
double score_random_level(const struct score_space *space, size_t draws)
{
    double below = 1, expected = 0, m = (double)draws;
    size_t level = 0;
    for (size_t i = space->nr; i > 0 && below > 0; i--) {
        double next = (double)i > m ? below * ((double)i - m) / (double)i : 0;
        if (i == space->nr || i - 1 < level)
            level = level_at(space, i - 1);
        expected += (below - next) * (double)level;
        below = next;
    }
    return expected;
}

double score_value(const struct score_space *space, double level)
{
    size_t at = (size_t)fmax(0, floor(level)), next;
    at = level_at(space, at < space->nr ? at : space->nr - 1);
    next = at + 1;
    while (next < space->nr && space->value[next] >= space->value[at])
        next++;
    if (next >= space->nr)
        return space->value[at];
    double share = fmax(0, level - (double)at) / (double)(next - at);
    return space->value[at] + share * (space->value[next] - space->value[at]);
}

/* ---- PCHIP: slopes after F. N. Fritsch and J. Butland, SIAM J. Sci. Stat. Comput. 5
 * (1984) ---- */

/* Weighted harmonic mean of the secants on both sides; 0 at a turning point. */
static double inner_slope(double headroom_width, double right_width, double left,
                          double right)
{
    double a = 2 * right_width + headroom_width, b = right_width + 2 * headroom_width;
    return left * right <= 0 ? 0 : (a + b) / (a / left + b / right);
}

/* One-sided three-point formula, kept monotone. */
static double end_slope(double near_width, double far_width, double near, double far)
{
    double slope = ((2 * near_width + far_width) * near - near_width * far) /
                   (near_width + far_width);
    if (slope * near <= 0)
        return 0;
    return near * far <= 0 && fabs(slope) > 3 * fabs(near) ? 3 * near : slope;
}

static double secant(const double *x, const double *y, size_t i)
{
    return (y[i + 1] - y[i]) / (x[i + 1] - x[i]);
}

void pchip_slopes(const double *x, const double *y, size_t nr, double *slope)
{
    if (nr < 3) {
        for (size_t i = 0; i < nr; i++)
            slope[i] = nr == 2 ? secant(x, y, 0) : 0;
        return;
    }
    for (size_t i = 1; i + 1 < nr; i++)
        slope[i] = inner_slope(x[i] - x[i - 1], x[i + 1] - x[i], secant(x, y, i - 1),
                               secant(x, y, i));
    size_t last = nr - 1;
    slope[0] = end_slope(x[1] - x[0], x[2] - x[1], secant(x, y, 0), secant(x, y, 1));
    slope[last] = end_slope(x[last] - x[last - 1], x[last - 1] - x[last - 2],
                            secant(x, y, last - 1), secant(x, y, last - 2));
}

double pchip_at(const double *x, const double *y, const double *slope, size_t nr,
                double at)
{
    size_t i = 0;
    if (at <= x[0])
        return y[0];
    if (at >= x[nr - 1])
        return y[nr - 1];
    while (at > x[i + 1])
        i++;
    double width = x[i + 1] - x[i], t = (at - x[i]) / width, s = 1 - t;
    return s * s * (1 + 2 * t) * y[i] + t * t * (1 + 2 * s) * y[i + 1] +
           width * t * s * (s * slope[i] - t * slope[i + 1]);
}

/* ---- curves ---- */

/* Knots at whole evaluations `first` .. first + nr - 1. */
struct knots {
    size_t nr;
    double *x, *y, *slope;
};

static void knots_open(struct knots *knots, size_t first, size_t nr)
{
    *knots = (struct knots){nr, xcalloc(nr, sizeof(double)), xcalloc(nr, sizeof(double)),
                            xcalloc(nr, sizeof(double))};
    for (size_t i = 0; i < nr; i++)
        knots->x[i] = (double)(first + i);
}

static void knots_smooth(struct knots *knots)
{
    pchip_slopes(knots->x, knots->y, knots->nr, knots->slope);
}

static double knots_at(const struct knots *knots, double at)
{
    return pchip_at(knots->x, knots->y, knots->slope, knots->nr, at);
}

static void knots_release(struct knots *knots)
{
    free(knots->x);
    free(knots->y);
    free(knots->slope);
}

static void random_knots(const struct score_space *space, size_t first, size_t nr,
                         struct knots *out)
{
    knots_open(out, first, nr);
    for (size_t i = 0; i < nr; i++) {
        size_t draws = first + i < space->nr ? first + i : space->nr;
        out->y[i] = score_value(space, score_random_level(space, draws));
    }
    knots_smooth(out);
}

/* Level of the best of the first `nr` evaluations; the worst while none was valid. */
static size_t level_after(const struct score_space *space, const struct score_run *run,
                          size_t nr)
{
    size_t best = 0;
    for (size_t i = 0; i < nr && i < run->nr; i++)
        if (run->place[i] != SCORE_INVALID && space->level[run->place[i]] > best)
            best = space->level[run->place[i]];
    return best;
}

static void run_knots(const struct score_space *space, const struct score_run *run,
                      size_t run_nr, struct knots *out)
{
    knots_open(out, space->start, space->budget - space->start + 1);
    for (size_t i = 0; i < out->nr; i++) {
        double sum = 0;
        for (size_t r = 0; r < run_nr; r++)
            sum += (double)level_after(space, &run[r], space->start + i);
        out->y[i] = score_value(space, sum / (double)run_nr);
    }
    knots_smooth(out);
}

static double performance(const struct score_space *space, double found, double random)
{
    double way = space->optimum - random;
    return way < 0 ? (found - random) / way : found <= space->optimum;
}

static double point_at(double first, double last, size_t i)
{
    return first + (last - first) * (double)i / (SCORE_POINTS - 1);
}

void score_curve(const struct score_space *space, const struct score_run *run,
                 size_t run_nr, double *curve)
{
    struct knots random, found;
    random_knots(space, space->start, space->budget - space->start + 1, &random);
    run_knots(space, run, run_nr, &found);
    for (size_t i = 0; i < SCORE_POINTS; i++) {
        double at = point_at((double)space->start, (double)space->budget, i);
        curve[i] = performance(space, knots_at(&found, at), knots_at(&random, at));
    }
    knots_release(&random);
    knots_release(&found);
}

struct score score_of(const double *const *curve, size_t nr)
{
    double sum = 0, squares = 0;
    if (nr == 0)
        return (struct score){NAN, NAN, 0};
    for (size_t i = 0; i < SCORE_POINTS; i++) {
        double at = 0;
        for (size_t s = 0; s < nr; s++)
            at += curve[s][i] / (double)nr;
        sum += at;
        squares += at * at;
    }
    double mean = sum / SCORE_POINTS;
    return (struct score){mean, sqrt(fmax(0, squares / SCORE_POINTS - mean * mean)), nr};
}

/* ---- evaluations until within a margin ---- */

static double bound_of(const struct score_space *space, double margin)
{
    return space->optimum * (1 + fmax(margin, space->noise));
}

size_t score_inside(const struct score_space *space, double margin)
{
    size_t nr = 0;
    while (nr < space->nr && space->sorted[nr] <= bound_of(space, margin))
        nr++;
    return nr;
}

double score_random_draws(const struct score_space *space, double margin)
{
    return ((double)space->nr + 1) / ((double)score_inside(space, margin) + 1);
}

size_t score_evaluations(const struct score_space *space, const double *objective,
                         const struct score_run *run, double margin)
{
    for (size_t i = 0; i < run->nr; i++)
        if (run->place[i] != SCORE_INVALID &&
            objective[run->place[i]] <= bound_of(space, margin))
            return i + 1;
    return space->nr;
}
