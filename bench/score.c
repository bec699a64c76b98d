#include "bench/score.h"

#include <math.h>
#include <stdlib.h>

#include "bench/pchip.h"
#include "core/base/array.h"
#include "core/base/statistics.h"

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

static double mean(const double *value, size_t nr)
{
    double sum = 0;
    for (size_t i = 0; i < nr; i++)
        sum += value[i];
    return sum / (double)nr;
}

static void fill_costs(struct score_space *space, const struct score_configurations *all)
{
    space->mean_cost_s = space->budget_s = space->start_s = NAN;
    if (!all->cost)
        return;
    double median = median_of(all->cost, all->nr);
    space->mean_cost_s =
        mean(all->cost, all->nr) + all->invalid_share * all->invalid_cost_s;
    space->budget_s = (double)space->budget * median;
    space->start_s = (double)space->start * median;
}

void score_space_open(const struct score_configurations *all,
                      const struct score_opts *opts, struct score_space *space)
{
    double cutoff = opts->cutoff > 0 ? opts->cutoff : 0.95,
           start = opts->start > 0 ? opts->start : 0.01;
    *space = (struct score_space){.nr = all->nr,
                                  .noise = fmax(0, opts->noise),
                                  .value = xcalloc(all->nr, sizeof(*space->value)),
                                  .level = xcalloc(all->nr, sizeof(*space->level)),
                                  .sorted = xcalloc(all->nr, sizeof(*space->sorted))};
    for (size_t i = 0; i < all->nr; i++)
        space->sorted[i] = all->objective[i];
    space->median = median_sorting(space->sorted, all->nr);
    space->optimum = space->sorted[0];
    fill_values(space);
    fill_levels(space, all->objective);
    space->target = target_of(space, cutoff);
    space->budget = budget_of(space, cutoff);
    space->start = budget_of(space, start);
    if (space->start < 1)
        space->start = 1;
    if (space->start > space->budget)
        space->start = space->budget;
    space->flat =
        space->budget == 0 || space->median <= space->optimum * (1 + space->noise);
    space->small = space->budget < SCORE_BUDGET_LEAST;
    fill_costs(space, all);
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

/* Between two ends of evaluations on the line, as the published regression is read. */
static double level_at_time(const struct score_space *space, const struct score_run *run,
                            double seconds)
{
    size_t done = 0;
    while (done < run->nr && run->spent_s[done] <= seconds)
        done++;
    double level = (double)level_after(space, run, done > 0 ? done : 1);
    if (done == 0 || done == run->nr)
        return level;
    double from = run->spent_s[done - 1], width = run->spent_s[done] - from,
           next = (double)level_after(space, run, done + 1);
    return level + (seconds - from) / width * (next - level);
}

void score_time_curve(const struct score_space *space, const struct score_run *run,
                      size_t run_nr, double *curve)
{
    struct knots random;
    size_t draws = (size_t)ceil(space->budget_s / space->mean_cost_s);
    random_knots(space, 1, draws > 0 ? draws : 1, &random);
    for (size_t i = 0; i < SCORE_POINTS; i++) {
        double at = point_at(space->start_s, space->budget_s, i), sum = 0;
        for (size_t r = 0; r < run_nr; r++)
            sum += level_at_time(space, &run[r], at);
        curve[i] = performance(space, score_value(space, sum / (double)run_nr),
                               knots_at(&random, at / space->mean_cost_s));
    }
    knots_release(&random);
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
