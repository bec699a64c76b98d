/* Dependences of a nest, and as sentences. */
#ifndef VARIANTS_MODEL_DEPS_H
#define VARIANTS_MODEL_DEPS_H

#include "variants/model/poly.h"

struct buf;
struct error;

int deps_build(struct nest *nest, struct error *err);
/* Value-based flow through one cell. `storage` (kept, may be NULL) says where a private
 * scalar lives; *live_in: some read has no write before it. NULL on failure. */
isl_union_map *cell_flow(const struct nest *nest, size_t cell, isl_union_map *order,
                         isl_union_map *storage, bool *live_in);
isl_union_map *
access_flow(const struct nest *nest,
            const struct access *read); /* what one read gets, in the source's order */
isl_union_map *cell_accesses(const struct nest *nest, size_t cell,
                             bool (*wanted)(const struct access *));
bool access_writes(const struct access *access),
    access_reads(const struct access *access);
size_t common_loops(const struct statement *a, const struct statement *b);
size_t statement_of_tuple(const char *name);
void deps_describe(struct nest *nest, struct strvec *sentences);
/* One of the pairs as a sentence that ends in `verdict`; pairs is kept. */
void deps_explain(struct nest *nest, isl_union_map *pairs, const char *verdict,
                  struct buf *out);

#endif
