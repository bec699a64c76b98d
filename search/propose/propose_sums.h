/*
 * Private to search/: plans for loops that add up into what an inner loop leaves alone: a
 * strip of results in L1, a block of them in registers. The results may be elements or a
 * scalar of each iteration, of which the plan then makes a local array.
 */
#ifndef SEARCH_PROPOSE_SUMS_H
#define SEARCH_PROPOSE_SUMS_H

#include "search/propose/propose.h"

/*
 * Loops of a block: what each moves is used again by the other or, with lanes, what
 * `along` moves by `across`; and all loops inside of the two leave what is stored alone.
 */
struct sum_block {
    size_t along, across; /* depths, next to each other */
    /* Without lanes the two are no triangle: the corners of its blocks are long code for
     * little. */
    bool lanes;  /* each access follows `along` element by element or is left alone */
    bool around; /* the loops that add up stand around the two, as in a filter that goes
                    over the picture once for each of its points; there what the block
                    saves are the results alone */
    const char *result; /* array stored to in the innermost loop; NULL = a scalar */
    size_t element_bytes;
};
/* Of the loops from depth `first` on, one begins or ends where another one stands. */
bool is_triangle(const struct nest *nest, size_t first);
/* false: the nest has no such loops. */
bool sum_block_find(const struct nest *nest, struct sum_block *block);

/* Estimated time for lines with a block, as nest_cost_ns. */
double sum_block_cost_ns(const struct propose *about, const struct sum_block *block);

/* Appends the plan of a block, with half of the vector registers: operands and
 * intermediate results need the others. Nothing when the loops are too short. */
void add_block(const struct propose *about, const struct sum_block *block,
               struct choices *out);

/*
 * Appends what brings the innermost loop of `order` inside through a strip of results
 * with a constant length, when the other loops stay in their order: of use where the loop
 * around the sum holds more than the sum, so that the loops alone cannot change places.
 */
void add_strips(const struct propose *about, const struct choice *order,
                struct choices *out);

/*
 * Vectors of a loop around one whose iterations wait for each other: a block of `length`
 * of its iterations, side by side in the innermost place, each with what it makes in an
 * element of a local array. The plan's text, caller frees; NULL = there is no such loop,
 * or neighbouring iterations of it are far apart in memory, or it is too short.
 */
char *lanes_plan(const struct nest *nest, long length);
/* Appends those that are legal, the best length first. */
void add_lanes(const struct propose *about, struct choices *out);

#endif
