/* The stop certificate, from its parts. Private to search/ and its tests. */
#ifndef SEARCH_LEFT_H
#define SEARCH_LEFT_H

#include "search/session/session.h"

/*
 * Bytes through memory that no plan can do without, of one copy: for each array no more
 * than it holds and no more than moves today, read only if it is read, written only if it
 * is written. The low end is 0 of what is found by an index (not each line may be met),
 * and leaves out what may stay in `cache_bytes` from call to call.
 */
struct quantity left_needed_bytes(const struct kernel_view *view,
                                  const struct traffic *traffic, double cache_bytes);
/* For occupancy_left; `of` is explained. */
struct occupancy_need left_need(const struct kernel_view *view,
                                const struct measurement *of,
                                const struct machine *machine, int cores);
enum left_verdict left_judge(const struct occupancy_left *bound);
/* Bounds, verdict and reason for an explained measurement. */
void left_of(const struct kernel_view *view, const struct measurement *of,
             const struct machine *machine, int cores, struct search_left *left);
/* Caller frees. */
char *left_text(const struct search_left *left);
void left_release(struct search_left *left);

#endif
