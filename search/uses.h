/*
 * What the loop model says of loops and arrays that other than this function would have
 * to change, and of the shape of the nest. Pure; private to search/ and its tests. Names
 * are lists for people: "table by idx, count by key".
 */
#ifndef SEARCH_USES_H
#define SEARCH_USES_H

#include "search/nest.h"

/* Three loops inside one another, each array of the innermost one moved by two of them
 * and each loop leaving some array alone: C[i][j] += A[i][k] * B[k][j] and its kin. */
bool is_contraction(const struct nest *nest);
/* Arrays found by the elements of others, with those. Returns how many. */
size_t lookup_names(const struct nest *nest, struct buf *out);
/* Of the line that a look-up fetches, used: the least over the arrays looked up. NaN =
 * none is. */
double lookup_line_share(const struct nest *nest, int line_bytes);
/* Arrays found by the elements of others and changed in place. */
size_t update_names(const struct nest *nest, struct buf *out);
/* Arrays of structs, the fields the nests use and the share of a struct that they are:
 * "p (x, y: 16 of 64 bytes)". *used: of all structs' bytes, the share used; *ratio: of
 * all arrays' bytes those left with an array per field. Returns how many; 0 leaves both
 * as they are. */
size_t record_names(const struct kernel_view *view, struct buf *out, double *used,
                    double *ratio);

#endif
