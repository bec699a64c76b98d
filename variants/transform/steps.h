/* What the files of the room offer one another: steps of plans, blocks of iterations, and
 * parts of the check. Private to variants/transform/. */
#ifndef VARIANTS_TRANSFORM_STEPS_H
#define VARIANTS_TRANSFORM_STEPS_H

#include "variants/transform/transform.h"

struct error;
struct model;
struct nest;
struct statement;
struct tree;

/* First or last value of the loop as written, as a statement sees it that may be outside
 * of it; NULL when the bounds name loops that are not around the statement, or when the
 * band is not the loop as written. */
isl_pw_aff *band_edge(struct nest *nest, const struct tree *band,
                      const struct statement *statement, bool last);

/* How the copies of an iteration are arranged. */
enum copies { COPIES_BEHIND, COPIES_JAMMED, COPIES_ACCUMULATE };
int tree_unroll(struct work *work, const char *name, long long factor, enum copies copies,
                struct error *err);
/* The innermost loops that update tables of the work, see tree_tables.c: copies with a
 * table each. Returns the number of loops. */
size_t tree_unroll_tables(struct work *work, long long factor, struct buf *why);
/* The innermost loop only updates the table, if it touches it: *updates. Its elements are
 * noted. `why`, a phrase, is filled where it does something else. */
bool band_updates(const struct nest *nest, const struct tree *band, struct table *table,
                  bool *updates, struct buf *why);
/* The innermost loop has something that several variables may share, see
 * model/recurrence.h; with a `block` of iterations, from 1 on, what a narrower counter
 * holds for so many, see model/increment.h. `why`, a phrase, is filled where it has not.
 * *element: it is an element of an array. */
bool band_accumulates(const struct nest *nest, const struct tree *band, long long block,
                      bool *element, struct buf *why);
/* Instance -> those of its block of `size` iterations of the band; equal in all other
 * loops. */
isl_map *block_partners(const struct tree *band, long long size,
                        const struct statement *statement);
/* Instances of the leaf whose block is not whole within the bands around. */
isl_set *block_incomplete(struct nest *nest, const struct tree *band, long long size,
                          const struct tree *const *above, size_t nr,
                          const struct tree *leaf);
isl_map *equal_at(isl_pw_aff *pa); /* pairs of equal value; takes pa */

/* "it" for a tile loop over i, a number behind it where that is taken. */
const char *tree_tile_name(const struct work *work, const char *loop);
/* One step of a plan on one nest that has what it names: 0; -1 STATUS_ILLEGAL,
 * STATUS_USAGE; STEP_IDLE: nothing to do in this nest, err says why - the plan fails when
 * it is so in all nests. */
enum { STEP_IDLE = 1 };
#define TRANSFORMATION(kind, hook, ...)                                                  \
    int hook(struct work *work, const struct plan_step *step, struct error *err);
#include "variants/plan/transformations.def"
/* Of when steps: what each nest that was changed must test. tree_when.c */
int works_when(struct model *model, const struct plan *plan, struct work *works,
               struct error *err);
/* Makes one work of works whose nests stand side by side, where the step fuses loops at
 * their edges. tree_region.c */
int works_join(struct model *model, const struct plan_step *step, struct work *works,
               struct error *err);

/* tree_interleave.c: of the final tree, may the loops of unknown length that a plan puts
 * side by side be so? STATUS_ILLEGAL with the dependence. */
int tree_rounds(struct work *work, struct error *err);
/* Such a loop uses the private scalar, of which each iteration around then needs one. */
bool cell_goes_in_rounds(const struct work *work, const struct tree *tree, size_t cell);

void packing_release(struct work *work);

/* Frees what the steps of its own left in the work. */
void work_memory_free(struct work *work);

/* Of the dependences (kept), those between different iterations of the band with
 * everything around equal. */
isl_union_map *band_carried(const struct nest *nest, const struct tree *band,
                            const struct tree *const *above, size_t above_nr,
                            isl_union_map *deps);
/* Nothing is between iterations of the band, also of what the user relaxed. -1: `why`
 * says what is, with `so` behind it, or that the check did not finish. */
int band_check_apart(const struct work *work, const struct tree *band,
                     const struct tree *const *above, size_t above_nr, const char *so,
                     struct buf *why);
/* Once more the order, of a tree whose complete tiles were split off. */
int work_check_parts(struct work *work, struct error *err);
int work_simd(struct work *work, const struct plan_step *step,
              struct error *err); /* marks bands that may carry the pragma */
/* Are the same bytes reached under two types below the tree, and written? Compilers take
 * such accesses as independent, also those of one iteration, in a loop that a pragma
 * tells them to vectorise. `why`, a sentence, is filled then. */
bool tree_mixes_types(const struct nest *nest, const struct tree *tree, struct buf *why);
/* The scalar cells' places under a tree: copies written out side by side have their own.
 */
isl_union_map *cell_storage(const struct nest *nest, size_t cell,
                            const struct tree *tree);
/* tree_expand.c: does one iteration of a loop whose iterations have a private scalar each
 * use what another one set? Also of a loop that the plan runs again, with other
 * iterations inside: then a variable of the loop's own is lost in between. */
bool cell_leaves_loop(struct work *work, size_t cell);
/* Every instance is run, once; every dependence (kept) runs forwards. In a
 * tree that is joined, of the leaders. */
bool tree_runs_all(const struct nest *nest, const struct tree *tree);

/* ---- tree_split.c: the parts that unrolling makes of a loop ---- */

struct unroll {
    struct nest *nest;
    const struct tree *band;
    const struct tree *const *above; /* bands around it */
    size_t above_nr;
    long long size;   /* of a block, in the band's values */
    bool accumulates; /* each copy has a variable of its own for sums and the like */
    bool tables;      /* or tables of its own */
    bool from_start;  /* blocks are counted from where the loop begins, not from 0 */
};

/* Complete blocks are FULL; of those with a corner, what comes behind it is AFTER. */
enum part { PART_FULL, PART_CORNER, PART_AFTER, PART_REST, PART_HEAD, PART_NR };
struct leaves {
    const struct tree **leaf;
    isl_set **part[PART_NR];
    size_t nr, alloc;
};

void leaves_find(const struct tree *tree, struct leaves *leaves);
void leaves_release(struct leaves *leaves);
/* tree_unroll.c: a copy of the tree for the instances of the part, none of which is
 * unrolled again where it is not of a complete block; NULL = it has none. */
struct tree *leaves_part(const struct tree *tree, const struct leaves *leaves,
                         enum part part);
/* Those that there are (taken; at least one), one after the other. */
struct tree *trees_in_order(struct tree *const *part, size_t nr);
const struct statement *unroll_statement(const struct unroll *at,
                                         const struct tree *leaf);
/* The block of an instance: the value of its first iteration. */
isl_pw_aff *unroll_block(const struct unroll *at, const struct statement *statement);
/* Fills `leaves` with those of the band and their parts. */
void unroll_split(const struct unroll *at, struct leaves *leaves);
/* Then: of what is complete, all behind a corner of its block is PART_AFTER. */
void unroll_split_after(const struct unroll *at, struct leaves *leaves);

#endif
