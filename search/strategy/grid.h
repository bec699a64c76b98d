/*
 * The grid of plans that knows nothing of the rules, so that strategies can be judged on
 * it: a full factorial of a few values for each kind of step, as many of them as make at
 * most GRID_MAX plans. Private to search/.
 */
#ifndef SEARCH_GRID_H
#define SEARCH_GRID_H

#include "search/propose/nest.h"

/* So many are measured in some five minutes. */
enum { GRID_MAX = 300 };

/* May it be a plan by itself? 0 = yes. */
struct grid_check {
    int (*check)(void *data, const struct choice *choice);
    void *data;
};

/*
 * All plans of the grid, the one without steps first. Values that are not legal by
 * themselves are left out before the grid is laid; their combinations are not checked.
 * Names are borrowed from the nest's view.
 */
void grid_make(const struct nest *nest, const struct grid_check *check,
               struct choices *out);

/* Each value of each kind of step, as a plan of that step alone. */
void grid_steps(const struct nest *nest, const struct grid_check *check,
                struct choices *out);

#endif
