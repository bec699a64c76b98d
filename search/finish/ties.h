/* What cannot be told apart from the winner, and which of it is the smallest change. */
#ifndef SEARCH_TIES_H
#define SEARCH_TIES_H

#include "search/session/engine.h"

/* How much a plan changes: steps, then numbers and names in them, then its length. */
struct change_size {
    size_t steps, parameters, length;
};
struct change_size change_size_of(const char *plan);
/* < 0: a is the smaller change; 0: equal. */
int change_size_order(struct change_size a, struct change_size b);

/* The plans that do without one step of `choice`, last step first; none that changes
 * nothing at all. Not asked for legality. */
void ties_shortened(const struct choice *choice, struct choices *out);

/* At most so many are compared with the winner. */
enum { TIES_MAX = 4 };

/*
 * For result->best other than 0, in at most what a closing comparison may take
 * (search_closing_s), though what has begun is ended:
 * plans with one step less are measured once (not where the number of variants is used
 * up); then the candidates are compared with the winner, interleaved. One that is faster
 * beyond doubt takes its place, once, and is compared with the others anew: what is said
 * of a tie is from a comparison with the winner itself and all else that is known of the
 * two. Of those that cannot be told apart, are not likely to be slower, and whose
 * interval excludes that they are a twentieth slower, the smallest change becomes
 * result->best, once its results were right at full size. Fills tie..., tie_winner of the
 * result.
 */
int ties_remeasure(struct session *session, struct error *err);

#endif
