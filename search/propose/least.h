/*
 * What no plan can save: the lines that the source's own accesses touch, each moved once.
 * Pure; private to search/ and its tests.
 */
#ifndef SEARCH_MIN_H
#define SEARCH_MIN_H

#include "search/propose/nest.h"

struct environment;
struct occupancy;
struct traffic;

/*
 * Work after over work before that is left whatever is done about order, blocks and
 * copies, 0 .. 1. The low end is certain: what caches may hold from the call before is
 * taken off, and what is found by an index may all hit. The value is the best guess: data
 * larger than a cache comes anew with each call, and look-ups miss as they do now.
 * What is given is of the kernel as it runs now.
 */
struct min_ratios {
    struct quantity l1, l2; /* of the time that entries of the miss queues are held */
    struct quantity l2_link, memory, walks;
};

/* The nest is the hot one: what other nests touch is not counted. */
void min_ratios(const struct nest *nest, const struct machine *machine,
                const struct traffic *traffic, const struct occupancy *occupancy,
                const struct environment *environment, struct min_ratios *out);

#endif
