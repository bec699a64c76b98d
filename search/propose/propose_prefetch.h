/* Private to search/: software prefetches of the hot nest. Contract as propose(). */
#ifndef SEARCH_PROPOSE_PREFETCH_H
#define SEARCH_PROPOSE_PREFETCH_H

#include "search/propose/propose.h"

void propose_prefetch_l1(const struct propose *about, struct choices *out,
                         struct buf *why_not);
void propose_prefetch_l2(const struct propose *about, struct choices *out,
                         struct buf *why_not);

#endif
