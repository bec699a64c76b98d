/* The variants of a space as points: one dimension for each thing in which they differ.
 * Private to search/. */
#ifndef SEARCH_DIMENSIONS_H
#define SEARCH_DIMENSIONS_H

#include "search/space/choice.h"

/* Values of one dimension are numbered from 0; ordered ones (sizes, constants) ascend. */
struct dimension {
    int step;     /* enum step_kind: tile of i and tile of j are of one; else the shape */
    bool ordered; /* near numbers are near values */
    size_t values; /* at least 2 */
};

struct dimensions {
    struct dimension *item;
    size_t nr;
    size_t variant_nr;
    unsigned *value; /* variant_nr rows of nr */
};

/* `get` gives the plan of each of the variants. */
void dimensions_find(const struct kernel_view *view,
                     struct choice (*get)(void *data, size_t variant), void *data,
                     size_t variant_nr, struct dimensions *out);
void dimensions_release(struct dimensions *dimensions);

/* The variant's row. */
const unsigned *dimensions_row(const struct dimensions *dimensions, size_t variant);

/* How many dimensions differ. */
size_t dimensions_apart(const struct dimensions *dimensions, size_t a, size_t b);
/* How many steps differ. */
size_t dimensions_steps_apart(const struct dimensions *dimensions, size_t a, size_t b);

/* How far a row (of any values) is from a variant: by the dimensions that differ, among
 * equals by how far the ordered ones do. */
double dimensions_distance(const struct dimensions *dimensions, const unsigned *row,
                           size_t variant);

#endif
