/* Plans that reach an order of loops. */
#ifndef SEARCH_PROPOSE_ORDERS_H
#define SEARCH_PROPOSE_ORDERS_H

#include "search/propose/propose.h"

/*
 * Appends `order` (all loops of the nest named) and, marked as fallbacks, what reaches
 * the same innermost loops where the nest is not perfect: the moved loops alone, and
 * statements beside inner loops given loops of their own first.
 */
void add_order(const struct propose *about, const struct choice *order,
               struct choices *out);

/* Statements between the loops keep a nest together: blocks of all its loops may be
 * better once these have loops of their own. Appends that for out->item[first], the best
 * of the tiles, where the nest is not perfect. */
void add_split_blocks(const struct propose *about, size_t first, struct choices *out);

#endif
