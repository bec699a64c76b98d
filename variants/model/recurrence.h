/* A variable that each iteration of a loop makes from its value of the iteration before,
 * in such a way that several variables could share the work: sums, products, the least
 * and the greatest, and s = s * m + t. */
#ifndef VARIANTS_MODEL_RECURRENCE_H
#define VARIANTS_MODEL_RECURRENCE_H

#include <stdbool.h>
#include <stddef.h>

#include "variants/ir/ir.h"

enum recurrence_kind {
    RECURRENCE_NONE,
    RECURRENCE_SUM,
    RECURRENCE_PRODUCT,
    RECURRENCE_AND,
    RECURRENCE_OR,
    RECURRENCE_XOR,
    RECURRENCE_SELECT, /* the least or the greatest */
    RECURRENCE_LINEAR  /* s * factor + rest, once in an iteration, unconditionally */
};

struct recurrence {
    enum recurrence_kind kind;
    const struct ir_expr *target; /* s: a name, or an element */
    /* SELECT: v is taken where `v op s`, or what the call of fmin, fmax makes of the two
     */
    const char *op;
    const struct ir_expr *call;
    struct ir_expr *factor, *rest; /* LINEAR; rest NULL = 0 */
    const char *why; /* NONE: what else is done with it; a phrase behind its name */
    int line;        /* of that */
};

/* What the statements, which are one iteration, do to the target. Expressions that are
 * made belong to the arena. `varies` tells whether a name may change in the loop. */
struct recurrence recurrence_of(struct ir_arena *arena, const struct ir_stmt *const *stmt,
                                size_t nr, const struct ir_expr *target,
                                bool (*varies)(const struct ir_symbol *, const void *),
                                const void *data);
/* Made in floating point: another order rounds otherwise. */
bool recurrence_rounds(const struct recurrence *recurrence);
/* Partial results may overflow where the whole does not: they are made unsigned. */
bool recurrence_overflows(const struct recurrence *recurrence);
/* The target is an element, by subscripts without its array, and several tables of zeros
 * may share what is done to it, put together in the same way: sums, or, xor. */
bool recurrence_of_tables(const struct recurrence *recurrence);
/* "sum", "product" ... */
const char *recurrence_word(enum recurrence_kind kind);

#endif
