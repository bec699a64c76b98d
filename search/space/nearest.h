/*
 * A search that may only try what is in a given space: what it would try becomes the
 * nearest plan that there is. Private to search/.
 */
#ifndef SEARCH_NEAREST_H
#define SEARCH_NEAREST_H

#include "search/space/choice.h"

/* Each becomes the member of the space with the same steps whose parameters are nearest,
 * in factors of two; those without one, and those that another became, go. */
void nearest_list(const struct choices *space, struct choices *list);

/* Appends the next smaller and the next larger member in each parameter of the
 * transformation, all else as in `best`. */
void nearest_neighbours(const struct choices *space, const char *transformation,
                        const struct choice *best, struct choices *out);

#endif
