/* Private to search/: blocks in time, joined and split loops, stores past the caches.
 * Contract as propose(). */
#ifndef SEARCH_PROPOSE_STEPS_H
#define SEARCH_PROPOSE_STEPS_H

#include "search/propose/propose.h"

void propose_skew(const struct propose *about, struct choices *out, struct buf *why_not);
void propose_fuse(const struct propose *about, struct choices *out, struct buf *why_not);
void propose_distribute(const struct propose *about, struct choices *out,
                        struct buf *why_not);
void propose_pack(const struct propose *about, struct choices *out, struct buf *why_not);
void propose_nontemporal(const struct propose *about, struct choices *out,
                         struct buf *why_not);

/* Appends plans that run a chain of the innermost loop in several rows at once. Nothing
 * when no array is both stored to and read at other places. */
void add_wavefronts(const struct propose *about, struct choices *out);

/* The outermost loop goes over the same data again and again: it moves no access of its
 * nest, and some array is both read and written. */
bool has_time_loop(const struct nest *nest);

#endif
