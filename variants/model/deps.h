/* Dependences of a nest, and as sentences. */
#ifndef VARIANTS_MODEL_DEPS_H
#define VARIANTS_MODEL_DEPS_H

#include "variants/model/poly.h"

struct buf;
struct error;

/* Before the relations of accesses: statements that stand together, see struct
 * dependences. */
void nest_group(struct nest *nest);
int deps_build(struct nest *nest, struct error *err);
void deps_free(struct nest *nest);
/* Of statements that are one in the source and in the tree, as it is joined now; or as it
 * could be joined. Kept by the nest until the next call; its parts are NULL when isl ran
 * out of operations. */
const struct dependences *deps_among(struct nest *nest, const struct tree *tree);
const struct dependences *deps_between(struct nest *nest, const struct tree *tree);
/* { a -> b : the source runs a before b }, of leaders. */
isl_union_map *deps_before(const struct nest *nest, const size_t *leader);
/* Instances of leaders that touch the same element of the cell, one of them writing. */
isl_union_map *cell_meetings(const struct nest *nest, const size_t *leader, size_t cell);
/* How many loops around all uses (*shared) do values not live on in? *depth 0: some read
 * has no write before it. -1: isl failed. */
int deps_lifetime(const struct nest *nest, size_t cell, size_t *depth, size_t *shared);
/* Value-based flow through one cell. `storage` (kept, may be NULL) says where a private
 * scalar lives; *live_in: some read has no write before it. NULL on failure. */
isl_union_map *cell_flow(const struct nest *nest, size_t cell, isl_union_map *order,
                         isl_union_map *storage, bool *live_in);
size_t common_loops(const struct statement *a, const struct statement *b);
size_t statement_of_tuple(const char *name);
void deps_describe(struct nest *nest, struct strvec *sentences);
/* One of the pairs, of leaders, as a sentence that ends in `verdict`; pairs is kept. */
void deps_explain(struct nest *nest, const size_t *leader, isl_union_map *pairs,
                  const char *verdict, struct buf *out);

#endif
