/* Integer expressions as sums: constant + coefficient * atom ..., so that what is emitted
 * is simple. */
#ifndef VARIANTS_SUM_H
#define VARIANTS_SUM_H

#include "variants/ir/ir.h"

enum { SUM_TERMS = 16 };

struct sum {
    long long constant;
    struct {
        long long coefficient;
        struct ir_expr *atom; /* anything that is neither a sum nor a constant multiple */
    } term[SUM_TERMS];
    size_t nr;
};

bool expr_equal(const struct ir_expr *a, const struct ir_expr *b); /* same text */
/* Of the subscripts of an element: some is no constant. */
bool expr_any_varies(struct ir_expr *const *expr, size_t nr);
bool expr_mentions(const struct ir_expr *expr, const struct ir_symbol *symbol);
bool stmt_mentions(const struct ir_stmt *stmt, const struct ir_symbol *symbol);
struct sum sum_constant(long long value);
struct sum sum_of_expr(struct ir_arena *arena, struct ir_expr *expr);
struct sum sum_add(const struct sum *a, const struct sum *b,
                   long long factor); /* a + factor * b */
struct sum sum_scaled(const struct sum *a, long long factor);
struct ir_expr *sum_expr(struct ir_arena *arena, const struct sum *sum);
struct ir_expr *expr_simplify(struct ir_arena *arena, struct ir_expr *expr);
struct ir_expr *expr_plus(struct ir_arena *arena, struct ir_expr *expr, long long value);

/* The constant factor of the symbol; false when it is multiplied by something that is no
 * number. */
bool expr_coefficient(const struct ir_expr *expr, const struct ir_symbol *symbol,
                      long long *coefficient);

#endif
