/* Which of many that were measured once or a few times is the fastest: comparisons go to
 * those that can still be it. */
#ifndef SEARCH_RACE_H
#define SEARCH_RACE_H

#include "search/session/engine.h"

/* The fastest by all that is known, of what was measured well in the plain environment;
 * the kernel as written is one of them. `after`: the next one behind that, SIZE_MAX = the
 * first; SIZE_MAX when there is none. */
size_t race_leader(struct session *session);
size_t race_next(struct session *session, size_t after);

/* What the next comparison of the two is expected to gain by showing that i is faster
 * than `leader`: 0.02 = 2 %. */
double race_hope(struct session *session, size_t leader, size_t i);

/* Compares a newcomer with the leader, a few times at most, until more of it is not worth
 * it. */
int race_newcomer(struct session *session, size_t i, struct error *err);

/* The winner of the race in place of *best, when it is better by all that is known and
 * right at full size, too; it is explained then. *gain: what that says of it. */
int race_remeasure(struct session *session, double end_s, size_t *best,
                   struct quantity *gain, struct error *err);

#endif
