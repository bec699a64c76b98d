/* Plans that reach an order of loops. */
#ifndef SEARCH_PROPOSE_ORDERS_H
#define SEARCH_PROPOSE_ORDERS_H

#include "search/propose.h"

/*
 * Appends `order` (all loops of the nest named) and, marked as fallbacks, what reaches
 * the same innermost loops where the nest is not perfect: the moved loops alone, and
 * statements beside inner loops given loops of their own first. The grid has the order
 * alone.
 */
void add_order(const struct propose *about, const struct choice *order,
               struct choices *out);

#endif
