/* What came true of a guided search, judged by the space that was measured whole. */
#ifndef BENCH_SEARCH_JUDGE_H
#define BENCH_SEARCH_JUDGE_H

#include "bench/search_trial.h"

/* Transformations of a plan: bit i = rule_transformations()[i]. */
unsigned long long judge_transformations(const char *plan);

struct judgement {
    bool best_pruned; /* the best variant holds what a rule advised against, first and
                         last, and that was never tried */
    bool all_pruned;  /* so does every one within 2 % of it */
    bool tied_pruned; /* so does every one whose interval reaches into that of the best */
    bool advised;    /* what was tried first was advised without a doubt: "try" by figures
                        whose intervals all say so */
    bool first_gain; /* what was tried first was a gain beyond the noise */
    char first[32];  /* "" = nothing was tried */
    struct quantity first_speedup;
    size_t bounds, exceeded, unbounded; /* advices tried: with a bound; of these exceeded;
                                           without one or with an open one */
    bool memory_limited;                /* limiter of the kernel as written */
    double bound_ratio; /* of those: largest bound on what was advised first of all over
                           the best there is; NaN = none */
    size_t tries;       /* variants beside the kernel as written, closing ones apart */
    size_t ruled;       /* of these, before the rules had no more to try */
    const char *left;   /* resource that is said to set the limit in the end; static */
    bool gives_up;      /* keeps the kernel as written, and names the resource */
    double above;       /* the found over the best, as recorded, minus 1 */
};

/* `advice`: of the kernel as written alone; `run`: of the same seed. */
void judge_search(const struct trial_space *space, const struct search_result *advice,
                  const struct trial_run *run, struct judgement *out);

#endif
