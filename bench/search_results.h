/* All strategies over one space, many times, and what came true of the guided searches,
 * judged by the space that was measured whole. */
#ifndef BENCH_SEARCH_RESULTS_H
#define BENCH_SEARCH_RESULTS_H

#include "bench/search_trial.h"

/* ---- one guided search ---- */

/* Transformations of a plan: bit i = rule_transformations()[i]. */
unsigned long long judge_transformations(const char *plan);

#define EXPECTED_NEAR 1.5 /* an expected gain is near by less than this factor */

struct judgement {
    bool best_pruned; /* the best variant holds what a rule advised against, first and
                         last, and that was never tried */
    bool all_pruned;  /* so does every one within 2 % of it */
    bool tied_pruned; /* so does every one whose interval reaches into that of the best */
    bool advised;    /* what was tried first was advised without a doubt: "try" by figures
                        whose intervals all say so */
    bool first_gain; /* what was tried first was a gain beyond the noise */
    char first[32];  /* "" = nothing was tried */
    size_t bounds, exceeded, unbounded; /* advices tried: with a bound; of these exceeded;
                                           without one or with an open one */
    size_t expected, expected_near;     /* advised and tried; of these as was expected */
    double expected_sum; /* of log(measured / expected), measured at least 1 */
    double
        bound_ratio; /* where memory limits the kernel as written: largest bound on what
                        was advised first of all over the best there is; NaN = none */
    size_t ruled;  /* variants tried beside the kernel as written, before the rules had no
                      more to try */
    bool gives_up; /* keeps the kernel as written, and names the resource */
};

/* `advice`: of the kernel as written alone; `run`: of the same seed. */
void judge_search(const struct trial_space *space, const struct search_result *advice,
                  const struct trial_run *run, struct judgement *out);

/* ---- what is kept ---- */

/*
 * The plan that a search keeps in the end, judged by the recorded times alone: no margin
 * for their noise.
 */
struct kept_result {
    bool within;  /* at most 5 % slower than the best of the space */
    double tries; /* different variants measured, the kernel as written too, until the one
                     that is kept, or another within 5 %, was; the size of the space where
                     what is kept is not */
    double above; /* over the best, minus 1 */
    double variants; /* different ones measured in all */
    double again;    /* further measurements of the same, and comparisons */
};

/* Over the repetitions; NaN where nothing was run to its end. */
struct kept_figures {
    double median, mean, never, within, above, variants, again;
};

/* ---- all strategies ---- */

/* Repetitions of one strategy on one space. */
struct strategy_result {
    double within_5; /* evaluations until within 5 % of the best, median; the size of the
                        space where never */
    double *curve;   /* P; NULL where there is none: flat spaces */
    double score;    /* mean of curve; NaN without */
    struct kept_result *kept; /* of each repetition; NULL = it was not run to its end */
    size_t kept_nr;
};

struct space_result {
    struct trial_space space;
    struct strategy_result strategy[TRIAL_STRATEGIES];
    struct judgement *judgement; /* of the guided repetitions */
    size_t repetitions;
};

/* Takes the space over. */
int space_result_make(struct trial_space *space, const struct rule_set *rules,
                      size_t repetitions, struct space_result *out, struct error *err);
void space_result_release(struct space_result *result);
struct kept_figures space_kept(const struct space_result *result, size_t strategy);

#endif
