/*
 * What the loop model says of loops and arrays that other than this function would have
 * to change, and of the shape of the nest. Pure; private to search/ and its tests. Names
 * are lists for people: "table by idx, count by key".
 */
#ifndef SEARCH_USES_H
#define SEARCH_USES_H

#include "search/propose/nest.h"

struct buf;

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
/* Arrays of structs of the nest with the fields it uses: "p: x, y; q: w". *used: of the
 * structs' bytes, the share that these fields are. Returns how many; 0 leaves *used. */
size_t record_names(const struct nest *nest, struct buf *out, double *used);
/* Of the bytes of all arrays with whole structs counted, those left with an array for
 * each field. NaN = sizes are not known. */
double record_ratio(const struct nest *nest);
/* Arrays of the function's own of which a scalar for one element would do. */
size_t temporary_names(const struct nest *nest, struct buf *out);

#endif
