/*
 * What a whole session says of how fast its variants are beside each other: every time
 * that was measured and every comparison, those of other pairs too, each with the weight
 * of its interval. Ties are decided by it, not by the last comparison.
 */
#ifndef SEARCH_EVIDENCE_H
#define SEARCH_EVIDENCE_H

#include "core/base.h"

/* Variants are numbers: places in result->measurement. */
struct evidence {
    struct evidence_time {
        double weight, sum; /* of the logarithms of its times; 0 = it has none */
        size_t runs;
    } * time;
    size_t time_nr, time_alloc;
    struct evidence_pair {
        size_t a, b;
        double log_ratio, weight;
    } * pair;
    size_t pair_nr, pair_alloc;
    /* Solved for those that were compared; out of date when anything came in since. */
    size_t *node;   /* place of variant i among them, node_nr = it is none */
    double *factor; /* of Cholesky, node_nr rows */
    double *log_s;
    size_t node_nr, node_of_nr;
    double usual, usual_weight; /* logarithm, and how much each is like all others */
    bool is_solved;
};
void evidence_release(struct evidence *evidence);

/* One more run of variant i. `whole`: the time tells of the earlier runs, too; of so many
 * launches in all. */
void evidence_add_time(struct evidence *evidence, size_t i, struct quantity time_s,
                       unsigned launches, bool whole);
/* It runs no more: what is known of it counts no longer. */
void evidence_drop(struct evidence *evidence, size_t i);
/* time(a) / time(b) */
void evidence_add_ratio(struct evidence *evidence, size_t a, size_t b,
                        struct quantity ratio);

bool evidence_has(const struct evidence *evidence, size_t i);
/* The likeliest time of i, which has some. What was measured badly is likely to be as all
 * others are: the fastest of many owes it to luck in part (C. Stein, Third Berkeley
 * Symposium, 1956). */
double evidence_s(struct evidence *evidence, size_t i);
/* time(a) / time(b) with an interval of 95 %, by the same; unknown when one of them has
 * no time. */
struct quantity evidence_ratio(struct evidence *evidence, size_t a, size_t b);
/* Variance of the logarithm of the ratio that one more comparison of the two has, by what
 * single runs of them have. */
double evidence_next_variance(const struct evidence *evidence, size_t a, size_t b);

/* Ratios of the same two that do not depend on each other as one. Who looks at it after
 * each of them finds it beyond 1 by chance no more often than with one: the interval is
 * wider than that of a number of them decided beforehand (S. J. Pocock, Biometrika 64,
 * 1977). */
struct quantity evidence_join(const struct quantity *ratio, size_t nr);

#endif
