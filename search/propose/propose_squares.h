/* Private to search/: tiles for arrays that are crossed in two directions. */
#ifndef SEARCH_PROPOSE_SQUARES_H
#define SEARCH_PROPOSE_SQUARES_H

#include "search/propose/propose.h"

/* Appends tiles of equal sides, as many elements as L1 holds (of nests with more than two
 * loops, a quarter of L2), and of half that side, where one access runs along its lines
 * in a loop that takes another from line to line, and the other way round in a second
 * loop (a transposition). */
void add_squares(const struct propose *about, struct choices *out);

#endif
