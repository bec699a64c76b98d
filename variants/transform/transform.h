/* A plan applied to the loop trees of a model: what each nest becomes, and whether it
 * may. */
#ifndef VARIANTS_TRANSFORM_TRANSFORM_H
#define VARIANTS_TRANSFORM_TRANSFORM_H

#include "core/base/array.h"
#include "core/base/buf.h"
#include "variants/ir/clauses.h"

struct error;
struct ir_pragma;
struct ir_stmt;
struct ir_symbol;
struct model;
struct nest;
struct tree;

struct box;
struct copy;
struct lanes_wanted;
struct packing;
struct plan;
struct plan_step;

/* The new code runs where the parameter is at least this. */
struct threshold {
    struct ir_symbol *symbol;
    long long least;
};

/* What a plan makes of one nest. */
struct padding {
    struct ir_symbol *array;
    long long elements;
};
struct streamed {
    size_t cell;   /* whose stores go past the caches */
    size_t places; /* in the new code */
};
struct prefetch {
    const char *name; /* as the plan says: "p.x" */
    const struct ir_symbol *array;
    long long distance;
    int level;
    const char *at;      /* distance in iterations of this loop, all that it touches: see
                            gen_later.c; NULL = of the innermost one */
    size_t places;       /* with `at`: in the new code */
    const char *why_not; /* with `at`: why there are none */
};

/* Of which each copy of an iteration has one, added up behind the loop. */
struct table {
    struct ir_symbol *array;
    long long elements; /* that one has: those declared, or all that an index may name */
    long long room;     /* for so many there is */
};

/* Statements that become others, in the new code. */
struct rewriting {
    struct strvec loops; /* in these */
    size_t done;
    const char *why_not; /* of one that did not, in words behind "it: "; its line */
    int line;
};

struct work {
    struct nest *nest;
    const struct plan *plan; /* for messages */
    struct tree *tree;
    size_t span; /* > 1: `nest` is a region of so many nests of the model, and the works
                    of the others have no tree */
    bool touched, reorders, unrolled;
    bool guarded; /* found: the original loop stands behind a test, beside the new code */
    bool counts;  /* bands are marked `counted` */
    bool placed;  /* what it has become stands in the new code of the nest around it */
    bool simd_wanted, simd_found;
    struct buf simd_reason;
    struct prefetch *prefetch;
    size_t prefetch_nr, prefetch_alloc, fetched; /* fetched: places in the new code */
    const char *not_fetched; /* why something to be prefetched was not; NULL = unknown */
    struct rewriting dividing, branching; /* reciprocal, branch_free */
    struct strvec told; /* what new code rests on that only its making shows */
    const struct plan_step **parallel; /* steps; decided when the tree is final */
    size_t parallel_nr, parallel_alloc;
    struct padding *padding;
    size_t padding_nr, padding_alloc;
    struct table *table;
    size_t table_nr, table_alloc;
    struct streamed *streamed;
    size_t streamed_nr, streamed_alloc;
    struct threshold *when; /* all of them; filled when the tree is final */
    size_t when_nr, when_alloc;
    struct strvec reported; /* what the user must be told of the new code */
    struct packing *packing;
    size_t packing_nr, packing_alloc;
    const struct plan_step **filling; /* steps full() */
    size_t filling_nr, filling_alloc;
    struct lanes_wanted *vec;
    size_t vec_nr, vec_alloc;
    bool rounds;       /* bands that go in rounds are there: tree_interleave.c */
    size_t *expanding; /* private scalars that one variable does not hold */
    size_t expanding_nr, expanding_alloc;
    struct box *box;
    size_t box_nr, box_alloc;
    struct copy *copy;
    size_t copy_nr, copy_alloc;
};
/* Copies side by side are one to isl, where it can be shown that one
 * stands for all. Of the final tree, before the code is made. */
void tree_coalesce(struct work *work);

/* tree_expand.c: a loop whose iterations have a variable each for the private scalar: it
 * is declared there, and legality sees that no value leaves it. */
bool band_owns(const struct tree *band, const struct cell *cell);

long long copy_number_of(const struct tree *band); /* how many copies */
long long copy_distance(const struct tree *band);  /* between them, in the iterator */

/* One work per modelled nest (works[nest_nr], unmodelled ones stay empty). STATUS_USAGE,
 * STATUS_ILLEGAL. */
int plan_apply(struct model *model, const struct plan *plan, struct work *works,
               struct error *err);
void works_free(struct model *model, struct work *works);

/* What full, pack and vec asked for: after work_check, which sees the plain order; every
 * later change adds only accesses to local buffers. STATUS_ILLEGAL with the reason. */
int tree_finish(struct work *work, struct error *err);

/* Of the final tree: which bands carry `omp parallel for`, and whether they may. */
int work_parallel(struct work *work, struct error *err);
/* Of simd steps; nest: the work's place among those of the plan. */
void work_hints(struct work *work, size_t nest, const struct plan *plan);
/* tree_pragma.c: the user's, of the final tree. */
int work_pragmas(struct work *work, struct error *err);
/* Does the user's pragma allow the change of its loop? STATUS_ILLEGAL, with its clause
 * and the plan's step. */
int pragma_allows(const struct work *work, const struct ir_pragma *pragma,
                  enum loop_change change, struct error *err);
/* The pragma that shares the loop out; NULL = none. */
const struct ir_pragma *shared_pragma(const struct ir_stmt *loop);

int work_check(struct work *work, const struct plan *plan, struct error *err);

#endif
