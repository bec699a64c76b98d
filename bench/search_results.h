/* All strategies over one space, many times, and what comes of it over all spaces. */
#ifndef BENCH_SEARCH_RESULTS_H
#define BENCH_SEARCH_RESULTS_H

#include "bench/search_judge.h"

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
    double spent_s;  /* of the replay's clock */
};

/* Repetitions of one strategy on one space. Medians over the repetitions. */
struct strategy_result {
    double within_5, within_1; /* evaluations until within 5 %, 1 % of the best; the size
                                  of the space where never */
    double above_12; /* the best of 12 evaluations over the best there is, minus 1 */
    double *curve, *paper,
        *time;    /* P; NULL where there is none: flat spaces, and without costs */
    double score; /* mean of curve; NaN without */
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

/* Something is to be found in it: 1.05x at least. */
bool space_result_gains(const struct space_result *result);

/* ---- over all spaces ---- */

struct results {
    struct space_result *space;
    size_t nr, alloc;
};
void results_release(struct results *results);

enum results_axis { RESULTS_SCORE, RESULTS_PAPER, RESULTS_TIME };
/* Where the kernel as written is as good as the best, every strategy begins at the end:
 * such spaces are counted in RESULTS_ALL alone. RESULTS_LARGE: with a gain, and a budget
 * large enough to say much. */
enum results_which { RESULTS_GAINS, RESULTS_LARGE, RESULTS_ALL };
struct score results_score(const struct results *results, size_t strategy,
                           enum results_axis axis, enum results_which which);
/* Median over the spaces (`all`, or those with a gain) of within_5, and of that over what
 * random search is expected to need; NaN for none. */
double results_within(const struct results *results, size_t strategy, bool all);
double results_of_random(const struct results *results, size_t strategy, bool all);

/* Over the spaces with a gain, or all: the median of medians, the mean of means and the
 * shares of all repetitions. NaN where nothing was run to its end. */
struct kept_figures {
    double median, mean, never, within, above, variants, again;
};
struct kept_figures results_kept(const struct results *results, size_t strategy,
                                 bool all);
/* Of one space. */
struct kept_figures space_kept(const struct space_result *result, size_t strategy);

struct figure {
    const char *what, *asked;
    char *reached;
    bool known, ok;
    double value; /* NaN = not known */
};
enum { FIGURES_MAX = 16 };
/* Returns their number; figures_release frees. */
size_t results_figures(const struct results *results, struct figure *out);
void figures_release(struct figure *figure, size_t nr);

/* Markdown. */
void results_print(const struct results *results, struct buf *out);
/* inflight.search-score/1. Caller owns. */
json_t *results_json(const struct results *results);

#endif
