/* The stop certificate, from its parts. Private to search/ and its tests. */
#ifndef SEARCH_HEADROOM_H
#define SEARCH_HEADROOM_H

#include "search/session/engine.h"

struct machine;

/*
 * Bytes through memory that no plan can do without, of one copy: for each array no more
 * than it holds and no more than moves today, read only if it is read, written only if it
 * is written. The low end is 0 of what is found by an index (not each line may be met),
 * and leaves out what may stay in `cache_bytes` from call to call.
 */
struct quantity headroom_needed_bytes(const struct kernel_view *view,
                                      const struct traffic *traffic, double cache_bytes);
/* For occupancy_headroom; `of` is explained. */
struct occupancy_need headroom_need(const struct kernel_view *view,
                                    const struct measurement *of,
                                    const struct machine *machine, int cores);
enum headroom_verdict headroom_judge(const struct occupancy_headroom *bound);
/* That what limits the kernel is at its limit says nothing of plans with less work: are
 * they excluded, too? Only then nothing can help. */
bool headroom_is_firm(const struct occupancy_headroom *bound);
/* Caller frees. */
char *headroom_text(const struct search_headroom *left);
void headroom_release(struct search_headroom *left);

/* Fills result->left for the best, which is explained first where it was not. */
int session_headroom(struct session *session, struct error *err);
/*
 * Does the evidence say that nothing is left for measurement i (explained)? Either every
 * bound ends within the noise, or its limit is reached, no plan with less work can be
 * worth having either, and HEADROOM_TRIES plans gained nothing over it. NULL = no; else
 * why, one sentence. Caller frees.
 */
char *session_no_headroom(const struct session *session, size_t i);
/* Its limit is reached as far as can be told, HEADROOM_TRIES plans gained nothing over
 * it, and the bound of the most promising transformation still to be tried (`promised`,
 * unknown = none) may be nothing, too: what rules advise is worth no more than what they
 * do not. */
bool session_reached(const struct session *session, size_t i, struct quantity promised);
/* Either of them in the midst of tries on measurement i, none of which looks faster. */
bool session_enough(const struct session *session, size_t i);

#endif
