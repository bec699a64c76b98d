/* The loop tree: making it, asking it, and as a schedule of isl. */
#ifndef VARIANTS_MODEL_TREE_H
#define VARIANTS_MODEL_TREE_H

#include "variants/model/poly.h"

struct isl_schedule;
struct plan_step;

struct tree *tree_new(enum tree_kind kind);
struct tree *tree_leaf(size_t statement, isl_set *domain); /* takes domain */
struct tree *tree_band(const struct loop *loop,
                       struct tree *child); /* child is taken; f not set */
void tree_add(struct tree *parent, struct tree *child);
struct tree *tree_copy(const struct tree *tree);
void tree_free(struct tree *tree);
void tree_bind(struct nest *nest, struct tree *tree); /* fills f of the original bands */
void tree_flatten(struct tree *tree); /* a SEQ of one child, a SEQ in a SEQ */
const struct tree *tree_find(const struct tree *tree,
                             const char *name); /* outermost; NULL = none */
isl_union_pw_aff *function_add(isl_union_pw_aff *f,
                               isl_pw_aff *value); /* where f has none yet; takes both */
isl_union_set *tree_domain(const struct nest *nest, const struct tree *tree);
/* isl_schedule is isl's; declared where it is used. Bands carry marks whose user pointer
 * is the tree node. */
struct isl_schedule *tree_schedule(const struct nest *nest, const struct tree *tree);
isl_union_map *tree_order(const struct nest *nest,
                          const struct tree *tree); /* NULL on failure */

/* Statements that always run one after the other are one to isl, which saves
 * most of the time where a body has many. */
void tree_join(const struct nest *nest, struct tree *tree);
void tree_part(struct tree *tree); /* undoes it */
bool tree_is_joined(const struct tree *tree, size_t statement);
size_t tree_leader(const struct tree *tree, size_t statement); /* who stands for it */
/* The pairs that remain: those between iterations, and between leaders. Keeps pairs. */
isl_union_map *joined_pairs(const struct nest *nest, const struct tree *tree,
                            isl_union_map *pairs);
size_t *tree_leaders(const struct nest *nest,
                     const struct tree *tree); /* by statement; freed by the caller */
isl_union_set *joined_domain(const struct nest *nest, const struct tree *tree);

bool tree_is_coalesced(const struct tree *tree);

bool tree_is_straight(const struct tree *tree); /* no loop below but copies */
isl_pw_aff *
band_function(const struct tree *band,
              const struct statement *statement); /* NULL = not under this band */
/* What one iteration adds to the band's value: 1, or the step of the source loop where
 * the value is the iterator itself. */
long long band_unit(const struct tree *band);
/* Its iterations run against the direction of the loop as written. */
bool band_is_turned(const struct tree *band);

/* What the user's iterator gains with each value that isl counts. */
long long band_stride(const struct tree *band);
isl_pw_aff *pw_aff_block(isl_pw_aff *pa, long long size); /* size * floor(pa / size) */

bool tree_has(const struct tree *tree, const char *name);
bool tree_has_statement(const struct tree *tree, size_t statement); /* a leaf of it */
/* All names of the step from argument `first` on. */
bool tree_has_all(const struct tree *tree, const struct plan_step *step, size_t first);

#endif
