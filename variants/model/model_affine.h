/* Expressions of the source as affine functions of iterators and parameters, and the
 * ranges of those. */
#ifndef VARIANTS_MODEL_MODEL_AFFINE_H
#define VARIANTS_MODEL_MODEL_AFFINE_H

#include "variants/model/poly.h"

/* What an expression takes for granted, such as that an unsigned difference does not wrap
 * around: the points of `space` at which it does not hold. */
struct precondition {
    isl_set *set;
    char *text;
};
struct doubts {
    struct precondition *item;
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

#endif
