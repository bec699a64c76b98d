/* Private to search/: proposals for functions of several nests. */
#ifndef SEARCH_PROPOSE_NESTS_H
#define SEARCH_PROPOSE_NESTS_H

#include "search/propose/propose.h"

struct buf;

/*
 * What `ask` has for each nest that matters, on top of what about->now says of it:
 * the first of all nests together, the second of all, and so on, then the first of each
 * nest alone. Where all nests get the same steps the plan is one for all. why_not is that
 * of the nest with the most work.
 */
void propose_nests(const struct propose *about, propose_fn ask, struct choices *out,
                   struct buf *why_not);

#endif
