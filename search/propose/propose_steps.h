/* Private to search/: rows at once, loops over time. */
#ifndef SEARCH_PROPOSE_STEPS_H
#define SEARCH_PROPOSE_STEPS_H

#include "search/propose/propose.h"

/* Appends plans that run a chain of the innermost loop in several rows at once. Nothing
 * when no array is both stored to and read at other places. */
void add_wavefronts(const struct propose *about, struct choices *out);

/* The outermost loop goes over the same data again and again: it moves no access of its
 * nest, and some array is both read and written. */
bool has_time_loop(const struct nest *nest);

#endif
