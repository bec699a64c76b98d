/*
 * The inside of the loop model: nests, statements, accesses as isl objects, and the loop
 * tree that plans edit. For the rooms model, transform and emit; no other file sees isl.
 */
#ifndef VARIANTS_MODEL_POLY_H
#define VARIANTS_MODEL_POLY_H

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

#include "core/base/array.h"
#include "variants/ir/ir.h"
#include "variants/model/loop_view.h"
#include "variants/model/model.h"

struct kernel_access;
struct kernel_loop;
struct kernel_record;

struct ir_arena;
struct plan_cache;

/* x += e, x *= e, x = x + e, with x not in e. */
enum accumulation {
    ACCUMULATES_NOT,      /* it is none of these */
    ACCUMULATES_IN_ORDER, /* another order may give another result, or overflow */
    ACCUMULATES_ROUNDED,  /* it is made in floating point: another order rounds otherwise
                           */
    ACCUMULATES_EXACTLY   /* every order gives the same */
};

enum { DEPTH_MAX = 12, SUBSCRIPTS_MAX = 8 };

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
    /* its linear subscripts are unsigned numbers of 32 bits, of which C keeps the low
     * bits: that they are below NARROW_END is tested at run time */
    bool narrow;
};

#define NARROW_END (1LL << 32)

struct access {
    size_t cell, statement;
    bool write, must, exact;
    enum accumulation accumulates; /* of the left side of x op= e */
    const struct ir_expr *expr;    /* as written */
    struct ir_expr *subscript[SUBSCRIPTS_MAX];
    long long scale[SUBSCRIPTS_MAX]; /* bytes that one more moves; 0 = not constant */
    long long size[SUBSCRIPTS_MAX];  /* of a field's dimension; 0 = another one's */
    size_t subscript_nr;
    bool walks;      /* by a pointer that arithmetic may take out of a row */
    bool respelt;    /* the source spells it by the pointer, new code by subscripts */
    bool leaves_row; /* it may be any element */
    struct ir_expr *dim[SUBSCRIPTS_MAX]; /* a linear subscript taken apart; dim_nr = 0
                                            when it is not */
    size_t dim_nr;
    bool collapsed; /* inside a collapsed statement, or by a function that is called */
    bool in_call;   /* by that */
    int line;
    isl_map *map; /* instance -> element, restricted to the domain */
    size_t shape; /* the same for statements of one group that touch the same elements */
};

struct statement {
    const struct ir_stmt *stmt;
    bool collapsed;
    const char *why; /* collapsed: the reason */
    bool calls;      /* functions that are given arrays */
    bool ends;       /* may end the program */
    bool
        own_parts; /* collapsed: a variable of its own of which parts are reached: members
                      of a union, bit-fields, elements of which no constant says which */
    struct loop *loop[DEPTH_MAX];
    size_t depth;
    isl_set *domain;
    isl_set *looped; /* the same with what the ifs around it leave out; NULL = there are
                        none */
    const struct ir_expr **cond; /* of these, outermost first */
    size_t cond_nr;
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
    bool split; /* of several loops made of one, each for the iterations at which borders
                   say the same: what is decided there is put in */
    bool parallel;      /* its iterations are shared out among threads */
    int schedule;       /* parallel: enum step_schedule, 0 = the runtime's */
    long long chunk;    /* parallel: iterations handed out at once, 0 = the runtime's */
    const char *pragma; /* the user's own OpenMP pragma stays on it; or clauses of it */
    const char *kept;   /* the user's other pragmas of the loop, which is untouched */
    bool clauses;       /* `pragma` holds clauses for our directive only */
    bool in_team;       /* that shares the loop out among threads that are there */
    long long width, interleave; /* simd: hints, 0 = none */
    bool skewed;                 /* the value is more than the user's iterator */
    bool shifted;                /* not all statements run in their own iteration of it */
    bool separate;          /* loops of their own where not all statements below run */
    long long accumulators; /* block: so many variables share each of its recurrences; 0 =
                               those of the source */
    long long tables;  /* block: so many tables share each of its updates; 0 = those of
                          the source */
    long long counted; /* tile: so many iterations of the innermost loop, at most, for
                          which narrow variables count; 0 = those of the source */
    long long lanes;   /* iterations that are one operation on vectors; 0 = none */
    bool asks_first;   /* what it does hangs on a condition, which is asked in the
                          whole block before: see tree_skip.c */
    long long rounds;  /* the one loop below, of unknown length, takes a step for each
                          of up to so many iterations in turn; 0 = none */
    /* leaf; statements from nest.statement_nr on are work.copy[] */
    size_t statement;
    bool joined; /* runs right after the leaf before it, in the same iterations: that one
                    stands for it in the schedule */
    isl_set *domain; /* band of copies: of the statement that stands for them all, NULL =
                        each is one of isl's */
    isl_set *padded; /* with the iterations that fill incomplete tiles; NULL = none */
};

/* Memory-based, between statements that each stand for those behind them up to the next
 * one: these run in the same iterations, in the order of the text, so that only what
 * crosses iterations is a dependence of theirs on each other. */
struct dependences {
    size_t *leader;      /* by statement */
    isl_union_map *deps; /* from earlier to later instance; what the user relaxed is left
                            out */
    isl_union_map *strict; /* the same with nothing relaxed by `reassociate` */
};

struct nest {
    struct model *model;
    const struct ir_stmt *stmt;
    const struct ir_stmt *source; /* the same as the function has it: of a loop whose
                                     bounds are read from memory `stmt` has their names */
    const struct nest *around;    /* whose statement it is in, for the rows of a sparse
                                     matrix; NULL = none */
    int index;                    /* from 0 */
    char *refusal;                /* not modelled: why, and what to do */
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
    isl_set *guaranteed; /* what the C language promises: sizes of variable arrays are
                         positive. Callers break it with sizes of zero, and what the loops
                         do then is part of what they compute. */
    isl_set *proven;     /* of it, what code may rest on untested: no size is negative */
    isl_set *ranges;     /* of the parameters, by their types */
    isl_set *reach;      /* of it, where the loops run: those that they could count to */
    long long *far; /* by symbol id: of 64 bits, to be tested to be no farther from 0 */
    struct strvec assumption;
    struct ir_expr *left; /* the assignment that new code ends with: of an iterator that
                             is used behind the nest; NULL = none */
    struct tree *tree;    /* the original order */
    isl_union_map *order; /* instance -> schedule, original */
    struct shape *shape;
    size_t shape_nr, shape_alloc;
    struct dependences groups, regrouped; /* of the source; of the last tree that parts
                                             what is one there */
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
    struct kernel_found *found;
    size_t found_nr;
    bool have_dependences;
    struct plan_cache *cache; /* the emission's, with what frees it; NULL = no plan was
                                asked for yet */
    void (*cache_free)(struct plan_cache *plans);
};

#endif
