/* Which of many that were measured once or a few times is the fastest: comparisons go to
 * those that can still be it. */
#ifndef SEARCH_RACE_H
#define SEARCH_RACE_H

#include "search/session.h"

/* The fastest by all that is known, of what was measured well in the plain environment;
 * the kernel as written is one of them. `after`: the next one behind that, SIZE_MAX = the
 * first; SIZE_MAX when there is none. */
size_t race_leader(struct session *session);
size_t race_next(struct session *session, size_t after);

/* How much faster than `leader` variant i is expected to turn out, counting only the case
 * that it is faster: 0.02 = 2 %. */
double race_hope(struct session *session, size_t leader, size_t i);

/* Compares a newcomer with the leader, a few times at most, until more of it is not worth
 * it. *leader becomes the one that leads then. */
int race_newcomer(struct session *session, size_t i, size_t *leader, struct error *err);

/*
 * Compares the leader with whoever has most hope of being faster, again and again, until
 * nobody has any that matters, or until `end_s` of session_now_s. The fewer seconds, the
 * fewer contenders are looked at. Returns the leader in *leader.
 */
int race_run(struct session *session, double end_s, size_t *leader, struct error *err);

#endif
