/*
 * The inside of the loop model: nests, statements, accesses as isl objects, and the loop
 * tree that plans edit. Shared by model*.c, deps*.c, tree*.c, legal.c, gen*.c and
 * counts.c only; no other file sees isl.
 */
#ifndef VARIANTS_POLY_H
#define VARIANTS_POLY_H

#include <isl/aff.h>
#include <isl/ctx.h>
#include <isl/id.h>
#include <isl/ilp.h>
#include <isl/map.h>
#include <isl/options.h>
#include <isl/set.h>
#include <isl/space.h>
#include <isl/union_map.h>
#include <isl/union_set.h>
#include <isl/val.h>

#include "variants/ir/ir.h"
#include "variants/model/model.h"
#include "variants/model/poly_model.h"
#include "variants/plan/plan.h"

enum { DEPTH_MAX = 12, SUBSCRIPTS_MAX = 8 };

/* ---- what a nest consists of ---- */

struct loop {
    const struct ir_stmt *stmt;
    struct loop *parent;
    size_t index; /* in nest.loop */
    int depth;
    int view; /* index in model.view_loop */
};

/* Something in memory: an array, a scalar that the nest writes, either of them private to
 * one iteration of the outer `depth` loops. Each field of an array of structs is a cell:
 * p[i].x and p[i].y never meet. Where bytes are shared (unions, bit-fields, structs also
 * copied whole) the record is the cell. */
struct cell {
    struct ir_symbol *symbol;
    const char *path;    /* ".pos.x"; "" without fields */
    const char *name;    /* "p.pos.x": as plans and views call it */
    struct ir_type type; /* of one element */
    size_t symbol_dims;  /* subscripts of the symbol; further ones belong to the path */
    long long offset;    /* of the path in the record, bytes */
    bool is_private;
    size_t depth;  /* private: enclosing loops that index it */
    size_t dims;   /* of the relation's range, without the private ones */
    bool indirect; /* some access is over-approximated */
    /* elements that one step of a dimension is apart; NULL = rows as declared */
    struct ir_expr *stride[SUBSCRIPTS_MAX];
};

struct access {
    size_t cell, statement;
    bool write, must, exact;
    enum accumulation accumulates; /* of the left side of x op= e */
    const struct ir_expr *expr;    /* as written */
    struct ir_expr *subscript[SUBSCRIPTS_MAX];
    long long scale[SUBSCRIPTS_MAX]; /* bytes that one more moves; 0 = not constant */
    size_t subscript_nr;
    struct ir_expr *dim[SUBSCRIPTS_MAX]; /* a linear subscript taken apart; dim_nr = 0
                                            when it is not */
    size_t dim_nr;
    bool collapsed; /* inside a collapsed statement */
    int line;
    isl_map *map; /* instance -> element, restricted to the domain */
};

struct statement {
    const struct ir_stmt *stmt;
    bool collapsed;
    const char *why; /* collapsed: the reason */
    struct loop *loop[DEPTH_MAX];
    size_t depth;
    isl_set *domain;
    size_t access_begin, access_end;
};

/* The loop tree: one band per loop, with a function from statement instances to the value
 * of the loop. */
enum tree_kind { TREE_LEAF, TREE_SEQ, TREE_BAND };
enum band_role { BAND_LOOP, BAND_TILE, BAND_BLOCK, BAND_COPY, BAND_ELEMENT };
struct tree {
    enum tree_kind kind;
    struct tree **child;
    size_t child_nr, child_alloc;
    /* band: value c; the user's iterator is base + step * c */
    isl_union_pw_aff *f;
    const char *name;
    const struct loop *loop; /* the source loop it stems from */
    enum band_role role;
    long long size;       /* tile size, unroll factor */
    long long scale;      /* all values of f are multiples of it, 0 = not known; isl is
                             given f / scale, which spares it the strides */
    struct ir_expr *base; /* NULL = 0 */
    long long step;
    bool simd, reduces; /* reduces: only sums that may be reordered are carried */
    bool rest;          /* what unrolling left over; not unrolled again */
    bool parallel;      /* its iterations are shared out among threads */
    int schedule;       /* parallel: enum step_schedule, 0 = the runtime's */
    long long chunk;    /* parallel: iterations handed out at once, 0 = the runtime's */
    const char *pragma; /* the user's own OpenMP pragma stays on it; or clauses of it */
    const char *kept;   /* the user's other pragmas of the loop, which is untouched */
    bool clauses;       /* `pragma` holds clauses for our directive only */
    long long width, interleave; /* simd: hints, 0 = none */
    bool skewed;                 /* the value is more than the user's iterator */
    bool shifted;                /* not all statements run in their own iteration of it */
    bool separate;   /* loops of their own where not all statements below run */
    long long lanes; /* iterations that are one operation on vectors; 0 = none */
    /* leaf; statements from nest.statement_nr on are work.copy[] */
    size_t statement;
    bool joined; /* runs right after the leaf before it, in the same iterations: that one
                    stands for it in the schedule */
    isl_set *domain; /* band of copies: of the statement that stands for them all, NULL =
                        each is one of isl's */
    isl_set *padded; /* with the iterations that fill incomplete tiles; NULL = none */
};

struct nest {
    struct model *model;
    const struct ir_stmt *stmt;
    int index;     /* from 0 */
    char *refusal; /* not modelled: why, and what to do */
    struct loop **loop;
    size_t loop_nr, loop_alloc;
    struct statement *statement;
    size_t statement_nr, statement_alloc;
    struct cell *cell;
    size_t cell_nr, cell_alloc;
    struct access *access;
    size_t access_nr, access_alloc;
    bool *written, *declared, *used; /* by symbol id: inside the nest */
    bool *rests;     /* by symbol id: bounds, subscripts or conditions are made of it */
    int *decl_depth; /* by symbol id: loops around the declaration, -1 = not declared here
                        or inside a collapsed statement */
    isl_space *params; /* space of parameters, ids "name_<symbol id>" */
    isl_set *context;  /* parameters for which something is executed */
    isl_set *assumed; /* conditions that the model rests on and that the emitted code must
                         test; context excluded */
    isl_set *vouched; /* what the C language promises: sizes of variable arrays are
                         positive. Callers break it with sizes of zero, and what the loops
                         do then is part of what they compute. */
    isl_set *certain; /* of it, what code may rest on untested: no size is negative */
    isl_set *ranges;  /* of the parameters, by their types */
    isl_set *reach;   /* of it, where the loops run: those that they could count to */
    long long *far;   /* by symbol id: of 64 bits, to be tested to be no farther from 0 */
    struct strvec assumption;
    struct tree *tree;     /* the original order */
    isl_union_map *deps;   /* memory-based, from earlier to later instance; what the user
                              relaxed is left out */
    isl_union_map *strict; /* the same with nothing relaxed by `reassociate` */
    isl_union_map *order;  /* instance -> schedule, original */
    isl_union_map *before; /* { a -> b : the source runs a before b } */
};

struct region {
    size_t first, nr; /* in model.nest */
    struct nest *nest;
};

struct model {
    struct model_request request;
    bool forced; /* emitting with request.force: what is not legal passes all the same */
    struct ir_function *function;
    struct ir_arena *arena;
    isl_ctx *ctx;
    struct ir_expr *
        *init; /* by symbol id: the initialiser of a local that is never assigned again */
    struct nest **nest;
    size_t nest_nr, nest_alloc;
    struct region *region; /* adjacent nests as one, made when a plan fuses them */
    size_t region_nr, region_alloc;
    struct strvec independent; /* iterators */
    struct strvec
        noalias; /* names; all of one call follow one another, "" between calls */
    struct kernel_loop *loop;
    const struct ir_stmt **loop_stmt;
    size_t loop_nr, loop_alloc;
    struct model_array *array;
    size_t array_nr, array_alloc;
    struct kernel_access *access;
    const struct ir_expr **access_expr;
    size_t access_nr, access_alloc;
    struct kernel_record *record;
    size_t record_nr, record_alloc;
    struct strvec assumption, dependence, refusal, temporary;
    bool have_dependences;
    struct kept_plans *kept; /* the emission's, with what frees it; NULL = no plan was
                                asked for yet */
    void (*kept_free)(struct kept_plans *plans);
};

/* gen.c: legality, what the plan rests on, and the text. */
int model_prepare(struct model *model, const struct plan *plan, struct buf *assumptions,
                  struct buf *out, struct error *err);

/* ---- tree.c, tree_schedule.c, tree_plan.c ---- */

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

/* tree_join.c: statements that always run one after the other are one to isl, which saves
 * most of the time where a body has many. */
void tree_join(const struct nest *nest, struct tree *tree);
void tree_part(struct tree *tree); /* undoes it */
bool tree_is_joined(const struct tree *tree, size_t statement);
size_t tree_leader(const struct tree *tree, size_t statement); /* who stands for it */
/* The pairs that remain: those between iterations, and between leaders. Keeps pairs. */
isl_union_map *joined_pairs(const struct nest *nest, const struct tree *tree,
                            isl_union_map *pairs);
isl_union_set *joined_domain(const struct nest *nest, const struct tree *tree);

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
struct packing; /* packing.h */
struct lanes_wanted;
struct box;
struct copy;
struct work {
    struct nest *nest;
    struct tree *tree;
    size_t span; /* > 1: `nest` is a region of so many nests of the model, and the works
                    of the others have no tree */
    bool touched, reorders, unrolled;
    bool simd_wanted, simd_found;
    struct buf simd_reason;
    struct prefetch *prefetch;
    size_t prefetch_nr, prefetch_alloc, fetched; /* fetched: places in the new code */
    const char *not_fetched; /* why something to be prefetched was not; NULL = unknown */
    const struct plan_step **parallel; /* steps; decided when the tree is final */
    size_t parallel_nr, parallel_alloc;
    struct padding *padding;
    size_t padding_nr, padding_alloc;
    struct streamed *streamed;
    size_t streamed_nr, streamed_alloc;
    struct strvec said; /* what the user must be told of the new code */
    struct packing *packing;
    size_t packing_nr, packing_alloc;
    const struct plan_step **filling; /* steps full() */
    size_t filling_nr, filling_alloc;
    struct lanes_wanted *vec;
    size_t vec_nr, vec_alloc;
    size_t *expanding; /* private scalars that one variable does not hold */
    size_t expanding_nr, expanding_alloc;
    struct box *box;
    size_t box_nr, box_alloc;
    struct copy *copy;
    size_t copy_nr, copy_alloc;
};
/* tree_gather.c: copies side by side are one to isl, where it can be shown that one
 * stands for all. Of the final tree, before the code is made. */
void tree_gather(struct work *work);
bool tree_is_gathered(const struct tree *tree);
long long copy_number_of(const struct tree *band); /* how many copies */
long long copy_distance(const struct tree *band);  /* between them, in the iterator */

/* One work per modelled nest (works[nest_nr], unmodelled ones stay empty). STATUS_USAGE,
 * STATUS_ILLEGAL. */
int plan_apply(struct model *model, const struct plan *plan, struct work *works,
               struct error *err);
void works_free(struct model *model, struct work *works);
bool tree_is_straight(const struct tree *tree); /* no loop below but copies */
isl_pw_aff *
band_function(const struct tree *band,
              const struct statement *statement); /* NULL = not under this band */
/* What one iteration adds to the band's value: 1, or the step of the source loop where
 * the value is the iterator itself. */
long long band_unit(const struct tree *band);
/* First or last value of the loop as written, as a statement sees it that may be outside
 * of it; NULL when the bounds name loops that are not around the statement, or when the
 * band is not the loop as written. */
isl_pw_aff *band_edge(struct nest *nest, const struct tree *band,
                      const struct statement *statement, bool last);
/* What the user's iterator gains with each value that isl counts. */
long long band_stride(const struct tree *band);
isl_pw_aff *pw_aff_block(isl_pw_aff *pa, long long size); /* size * floor(pa / size) */
int tree_unroll(struct work *work, const char *name, long long factor, bool jam,
                struct error *err); /* tree_unroll.c */
/* Instance -> those of its block of `size` iterations of the band; equal in all other
 * loops. */
isl_map *block_partners(const struct tree *band, long long size,
                        const struct statement *statement);
/* Instances of the leaf whose block is not whole within the bands around. */
isl_set *block_incomplete(struct nest *nest, const struct tree *band, long long size,
                          const struct tree *const *above, size_t nr,
                          const struct tree *leaf);
isl_map *equal_at(isl_pw_aff *pa); /* pairs of equal value; takes pa */
bool tree_has(const struct tree *tree, const char *name);
/* All names of the step from argument `first` on. */
bool tree_has_all(const struct tree *tree, const struct plan_step *step, size_t first);
/* "it" for a tile loop over i, a number behind it where that is taken. */
const char *tree_tile_name(const struct work *work, const char *loop);
/* One step of a plan on one nest that has what it names: 0; -1 STATUS_ILLEGAL,
 * STATUS_USAGE; STEP_IDLE: nothing to do in this nest, err says why - the plan fails when
 * it is so in all nests. */
enum { STEP_IDLE = 1 };
int tree_tile(struct work *work, const struct plan_step *step,
              struct error *err); /* tree_tile.c */
int tree_interchange(struct work *work, const struct plan_step *step, struct error *err);
/* Makes one work of works whose nests stand side by side, where the step fuses loops at
 * their edges. tree_region.c */
int works_join(struct model *model, const struct plan_step *step, struct work *works,
               struct error *err);
int tree_fuse(struct work *work, const struct plan_step *step,
              struct error *err); /* tree_fuse.c */
int tree_distribute(struct work *work, const struct plan_step *step, struct error *err);
int tree_skew(struct work *work, const struct plan_step *step,
              struct error *err); /* tree_skew.c */
int tree_skew_tile(struct work *work, const struct plan_step *step, struct error *err);
int tree_full(struct work *work, const struct plan_step *step,
              struct error *err); /* tree_pack.c */
int tree_pack(struct work *work, const struct plan_step *step, struct error *err);
int tree_vec(struct work *work, const struct plan_step *step, struct error *err);
/* What these three asked for: after work_check, which sees the plain order; every later
 * change adds only accesses to local buffers. STATUS_ILLEGAL with the reason. */
int tree_finish(struct work *work, struct error *err);
void packing_release(struct work *work);
int tree_pad(struct work *work, const struct plan_step *step,
             struct error *err); /* tree_memory.c */
int tree_nontemporal(struct work *work, const struct plan_step *step, struct error *err);
int tree_parallel(struct work *work, const struct plan_step *step,
                  struct error *err); /* tree_parallel.c */
/* Of the final tree: which bands carry `omp parallel for`, and whether they may. */
int work_parallel(struct work *work, struct error *err);
/* Of simd steps; nest: the work's place among those of the plan. */
void work_hints(struct work *work, size_t nest, const struct plan *plan);
void work_pragmas(struct work *work); /* tree_pragma.c: the user's, of the final tree */
/* tree_memory.c: frees what the steps of its own left in the work. */
void work_memory_free(struct work *work);

/* ---- legal.c ---- */

int work_check(struct work *work, const struct plan *plan, struct error *err);
/* Of the dependences (kept), those between different iterations of the band with
 * everything around equal. */
isl_union_map *band_carried(const struct nest *nest, const struct tree *band,
                            const struct tree *const *above, size_t above_nr,
                            isl_union_map *deps);
/* Once more the order, of a tree whose complete tiles were split off. */
int work_check_parts(struct work *work, struct error *err);
int work_simd(struct work *work, const struct plan_step *step,
              struct error *err); /* marks bands that may carry the pragma */
/* The scalar cells' places under a tree: copies written out side by side have their own.
 */
isl_union_map *cell_storage(const struct nest *nest, size_t cell,
                            const struct tree *tree);
/* legal_order.c: every instance is run, once; every dependence (kept) runs forwards. In a
 * tree that is joined, of the leaders. */
bool tree_runs_all(const struct nest *nest, const struct tree *tree);
/* budget.c: so many operations of isl, and as many numbers made by it, from here on; 0 =
 * no limit, for what is no analysis. One model at a time. */
void isl_budget(struct model *model, unsigned long operations);
bool isl_ran_out(const struct model *model); /* since isl_budget */
/* Fails when the operations ran out or isl reported an error since isl_budget; puts the
 * context in order again. */
int isl_check(struct model *model, bool null, struct error *err);

/* ---- model_overlap.c ---- */

/* The elements that a nest accesses of an array; or the variable itself, a number or a
 * pointer, where it stands. */
struct memory {
    struct ir_symbol *symbol;
    struct ir_type type; /* of what is accessed */
    bool itself, written;
};
struct overlap {
    struct memory a, b;
};
struct overlaps {
    struct overlap *pair; /* might overlap and must not */
    size_t nr, alloc;
    struct strvec types; /* "int and float": pairs that only C's rule for types keeps
                            apart */
};
/* `reorders`: of a plan that changes the order; of others what their loops are made of
 * must not be written. */
struct overlaps nest_overlaps(const struct nest *nest, bool reorders);
void overlaps_release(struct overlaps *list);

#endif
