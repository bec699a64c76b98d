/*
 * What no plan can save: the lines that the source's own accesses touch, each moved once,
 * less what caches may hold from the call before. Pure; private to search/ and its tests.
 */
#ifndef SEARCH_LEAST_H
#define SEARCH_LEAST_H

#include "search/nest.h"
#include "search/search.h"

/* Work after over work before that is left for certain, 0 .. 1, whatever is done about
 * order, blocks and copies; NaN = not known. */
struct least_ratios {
    double l1, l2; /* of the time that entries of the miss queues are held */
    double l2_link, memory, walks;
};

/* The nest is the hot one: what other nests touch is not counted, nor what is found by
 * an index. */
void least_ratios(const struct nest *nest, const struct machine *machine,
                  const struct measurement *measurement, struct least_ratios *out);

#endif
