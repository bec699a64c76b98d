/*
 * What the loop model says of data that is used more than once: by the loops of one nest,
 * and by neighbouring nests. Pure; private to search/ and its tests.
 */
#ifndef SEARCH_REUSE_H
#define SEARCH_REUSE_H

#include "search/propose/nest.h"

enum answer { ANSWER_UNKNOWN, ANSWER_NO, ANSWER_YES };

/* Some loop of the nest stores to the same places again, or a later nest reads what is
 * stored while a cache of `cache_bytes` still has it. */
enum answer stores_reused(const struct nest *nest, struct quantity cache_bytes);
/* The innermost loop loads what it stored a few iterations before, by the dependences'
 * distances; YES only for stores that move with it. NO where no array of the nest is both
 * stored and read but at one and the same moving place, else unknown. */
enum answer store_forwarding(const struct nest *nest);
/* Two nests, one behind the other, use an array both. UNKNOWN with less than two. */
enum answer shares_arrays(const struct kernel_view *view);
/* One loop made of two neighbouring nests would load what it stored some iterations
 * before: the later one loads at another place what the one before it stores. UNKNOWN
 * with less than two nests. */
enum answer fusion_forwards(const struct kernel_view *view);
/* Of the bytes that nests of arrays too large for a cache move, those that are left when
 * neighbours that share arrays are one. NaN when an extent is unknown. */
double fuse_ratio(const struct kernel_view *view);
/* Groups that the innermost loop could be split in, as far as it is certain: 1 when it
 * stores to one array at most; NaN = not known. */
double statement_groups(const struct nest *nest);
/* The most bytes that some loop comes back to: of each array what lies inside the loop
 * that does not move it. 0 = no loop comes back; NaN = not known. */
double reused_bytes(const struct nest *nest, int line_bytes);

#endif
