/*
 * How good a search was on a space that was measured fully. After F.-J. Willemsen et al.,
 * "A methodology for comparing optimization algorithms for auto-tuning", Future
 * Generation Computer Systems 159 (2024), doi 10.1016/j.future.2024.05.021;
 * docs/internals/search.md says where it is read more strictly. Pure: numbers in, numbers
 * out. Smaller objectives are better.
 */
#ifndef BENCH_SCORE_H
#define BENCH_SCORE_H

#include <stdbool.h>
#include <stddef.h>

enum {
    SCORE_BUDGET_MIN = 20, /* a budget of fewer evaluations says little */
    SCORE_POINTS = 1000    /* of a curve, as published */
};

struct score_space {
    size_t nr;
    double *value; /* worst first; those within the noise of the best equal it */
    size_t *
        level; /* of configuration i: its place in `value`; equal ones share the lowest */
    double *sorted; /* best first, as measured */
    double optimum, median;
    double noise;
    double target; /* 0.95 of the way from the median to the optimum */
    size_t budget; /* evaluations until random search is expected there */
    size_t start;  /* the same for where the curve begins, 0.01 of the way; at least 1 */
    bool flat; /* half of the space is optimal within the noise: nothing to find, no score
                */
    bool small; /* budget < SCORE_BUDGET_MIN */
};

/* Of the `nr` >= 1 valid configurations; objective[i] > 0. noise, relative: objectives
 * this near to the optimum count as optimal. The space owns what it points to. */
void score_space_open(const double *objective, size_t nr, double noise,
                      struct score_space *space);
void score_space_release(struct score_space *space);

/* Random search without replacement, computed: the expected level of the best of `draws`
 * (1 .. nr). Without equal values draws * (N + 1) / (draws + 1) - 1. */
double score_random_level(const struct score_space *space, size_t draws);

/* The objective at a level that is no whole number: on the line between those of the
 * next levels on both sides.
 */
double score_value(const struct score_space *space, double level);

#define SCORE_INVALID ((size_t)-1)

/* One search: which configurations it evaluated, in order. */
struct score_run {
    const size_t *place; /* index of the configuration; SCORE_INVALID = it failed */
    size_t nr;
};

/* P at SCORE_POINTS equidistant evaluations from `start` to `budget`, from the mean level
 * of all runs: 0 = as random search, 1 = the optimum in all runs, no lower bound. Not for
 * a flat space. */
void score_curve(const struct score_space *space, const struct score_run *run,
                 size_t run_nr, double *curve);
struct score {
    double mean, error; /* standard deviation over the points; NaN without a space */
    size_t spaces;
};
/* Over the mean of the spaces' curves. */
struct score score_of(const double *const *curve, size_t nr);

/* Configurations whose objective is within `margin` (relative, at least the noise) of the
 * best. */
size_t score_inside(const struct score_space *space, double margin);
/* Expected draws of random search until the first of these, without replacement: (N + 1)
 * / (K + 1). */
double score_random_draws(const struct score_space *space, double margin);
/* Evaluations of the run until it had one of these; N when it never had. */
size_t score_evaluations(const struct score_space *space, const double *objective,
                         const struct score_run *run, double margin);

/* Monotone piecewise cubic interpolation, without overshoot between the knots (x[i],
 * y[i]); x ascending, nr >= 1. */
void pchip_slopes(const double *x, const double *y, size_t nr, double *slope);
/* The curve at `at`; outside of the knots the value of the nearest one. */
double pchip_at(const double *x, const double *y, const double *slope, size_t nr,
                double at);

#endif
