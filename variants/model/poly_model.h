/*
 * What the files of the model offer one another and the generator: functions on nests.
 * Goes with poly.h, which holds the structures.
 */
#ifndef VARIANTS_POLY_MODEL_H
#define VARIANTS_POLY_MODEL_H

#include <isl/aff.h>
#include <isl/set.h>
#include <isl/union_map.h>

#include "variants/ir/ir.h"
#include "variants/model/model.h"

struct nest;
struct loop;
struct cell;
struct access;
struct statement;

/* ---- model_affine.c ---- */

/* What an expression takes for granted, such as that an unsigned difference does not wrap
 * around: the points of `space` at which it does not hold. */
struct doubt {
    isl_set *set;
    char *text;
};
struct doubts {
    struct doubt *item;
    size_t nr, alloc;
    const char *never; /* settled: what it rests on that cannot be; NULL = nothing */
};
/* Where an expression is read: iterators of `loop` are the dimensions of `space`. With
 * `values`, parameters are numbers. */
struct affine {
    struct nest *nest;
    isl_space *space;
    struct loop *const *loop;
    size_t depth;
    const struct model_values *values;
    struct doubts *doubts; /* NULL: nobody asks */
};
/* Those that a point of the domain (kept) cannot rule out become assumptions of the nest,
 * and conditions on its parameters; false when they never hold. Empties at->doubts. */
bool nest_settle(const struct affine *at, isl_set *domain);
/* No parameters make any of them true. Empties them. */
bool doubts_are_idle(const struct nest *nest, struct doubts *doubts);
/* set is taken */
void affine_doubt(const struct affine *at, isl_set *set, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* NULL when it is not affine (no isl error is left behind). */
isl_pw_aff *affine_expr(const struct affine *at, const struct ir_expr *expr);
isl_set *affine_cond(const struct affine *at, const struct ir_expr *cond);
/* i in [lower, upper) with the stride, on at->space; pos = the loop's dimension. */
isl_set *affine_loop(const struct affine *at, const struct loop *loop, size_t pos);
bool param_of_id(const struct nest *nest, isl_id *id,
                 struct ir_symbol **symbol); /* id is kept */
bool symbol_is_param(const struct nest *nest, const struct ir_symbol *symbol);
bool value_of(const struct model_values *values, const struct ir_symbol *symbol,
              long long *value);

/* ---- model_range.c ---- */

/* Within this of 0, what is made of numbers of 64 bits does not overflow; nothing counts
 * so far. */
#define MODEL_FAR (1LL << 60)
/* Nor does what constants below 2^19 make of it, within this; more elements of 16 bytes
 * than addresses of 48 bits reach. */
#define MODEL_NEAR (1LL << 44)
void nest_ranges(struct nest *nest);              /* fills nest.ranges */
void nest_reach(struct nest *nest, bool all_run); /* and nest.reach */
/* The points at which a number is in the range of the type; takes value. */
isl_set *set_of_type(isl_pw_aff *value, const struct ir_type *type);
/* Of the domain (taken), the points that the loops around can get to. */
isl_set *affine_near(const struct affine *at, isl_set *domain);
/* LLONG_MIN, LLONG_MAX: no bound that is known, or a huge one. */
void nest_param_range(const struct nest *nest, isl_set *known,
                      const struct ir_symbol *symbol, long long *low, long long *high);
/* Is what is wrong (kept) so only where some number of 64 bits is farther from 0? Then
 * those that are concerned are tested. */
bool nest_box(struct nest *nest, isl_set *wrong, long long far);
bool set_is_writable(isl_set *set); /* long holds its constants */

/* ---- model_nest.c ---- */

struct nest *nest_build(struct model *model, const struct ir_stmt *stmt, int index);
void nest_free(struct nest *nest);
int nest_refuse(struct nest *nest, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4))); /* -1 */
void nest_assume(struct nest *nest, const char *format, ...)
    __attribute__((format(printf, 2, 3))); /* once each */
/* ---- model_sum.c ---- */

/* x += e, x *= e, x = x + e, with x not in e. */
enum accumulation {
    ACCUMULATES_NOT,      /* it is none of these */
    ACCUMULATES_IN_ORDER, /* another order may give another result, or overflow */
    ACCUMULATES_ROUNDED,  /* it is made in floating point: another order rounds otherwise
                           */
    ACCUMULATES_EXACTLY   /* every order gives the same */
};

/* ---- model_access.c, model_linear.c ---- */

int nest_collect(struct nest *nest,
                 size_t statement); /* fills nest.access of one statement, without maps */
int nest_relations(struct nest *nest);
/* Of arrays that are written: elements of one row are taken for those of no other. What
 * the sizes do not show is said. */
void nest_say_rows(struct nest *nest, struct strvec *out);
/* On the statement's domain; `exact` says whether every subscript is affine. */
isl_map *access_relation(struct nest *nest, const struct access *access, bool *exact);
struct affine affine_of(struct nest *nest,
                        const struct statement *statement); /* caller frees .space */

/* ---- model_context.c ---- */

/* ---- model_cells.c ---- */

/* ---- model_private.c ---- */

int nest_privatize(struct nest *nest);
/* An array whose values never leave the iteration that sets them. */
bool cell_is_temporary(const struct nest *nest, size_t cell);

/* ---- deps.c, deps_text.c ---- */

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
bool access_must(const struct access *access), access_may(const struct access *access);
size_t common_loops(const struct statement *a, const struct statement *b);
size_t statement_of_tuple(const char *name);
void deps_describe(struct nest *nest, struct strvec *sentences);
/* One of the pairs as a sentence that ends in `verdict`; pairs is kept. */
void deps_explain(struct nest *nest, isl_union_map *pairs, const char *verdict,
                  struct buf *out);

/* ---- model_view.c, model_extent.c ---- */

void view_build(struct model *model);

int view_array(const struct model *model,
               const struct ir_symbol *symbol); /* -1 = no buffer; the first of fields */
int view_place(const struct model *model, const struct ir_expr *place);
bool expr_is_place(const struct ir_expr *expr); /* a[i], p->x, *p */
/* Integer expressions at given parameters. counts.c */
bool count_value(struct model *model, const struct model_values *values,
                 const struct ir_expr *expr, long long *out);
const char *
extent_text(struct model *model,
            const struct model_array *array); /* NULL = not in terms of parameters */
/* Least or greatest value of a subscript in terms of parameters, taken as positive; NULL
 * when it cannot be said. */
struct ir_expr *access_bound(struct nest *nest, const struct access *access,
                             size_t subscript, bool upper);
/* Sign of what multiplies the symbol in a polynomial: 1, -1, 0 = absent; false when it is
 * mixed or no polynomial. */
bool expr_sign(const struct nest *nest, const struct ir_expr *expr,
               const struct ir_symbol *symbol, int *sign);

#endif
