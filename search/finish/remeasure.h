/* Which of several first runs to believe: successive halving over measurements. */
#ifndef SEARCH_REMEASURE_H
#define SEARCH_REMEASURE_H

#include "search/session/engine.h"

/*
 * Quick runs of the list; *best (`now`, or what was found before) becomes the fastest of
 * itself and those that are legal and right. Before that, those whose interval does not
 * exclude that they are faster than the fastest by an amount that matters are measured
 * again with it, at most half of them, and at most half of these once more; the budget
 * ends it earlier.
 */
int remeasure_list(struct session *session, const struct choices *list, size_t now,
                   size_t *best, struct error *err);

/* As fast and as slow as measurement i may be: its interval, widened by what differs
 * between launches. Seconds; i was timed. */
double remeasure_optimistic_s(const struct session *session, size_t i);
double remeasure_pessimistic_s(const struct session *session, size_t i);

#endif
