/* Sums and products whose terms may be taken in another order. */
#include <string.h>

#include "variants/ir/sum.h"
#include "variants/model/poly.h"

static const struct ir_symbol *root(const struct ir_expr *expr)
{
    while (expr->kind == IR_INDEX || expr->kind == IR_MEMBER)
        expr = expr->arg[0];
    return expr->kind == IR_NAME ? expr->symbol : NULL;
}

struct mention {
    const struct ir_symbol *symbol;
    size_t times;
};

static void count_mention(struct ir_expr *expr, void *data)
{
    struct mention *mention = data;
    mention->times += expr->kind == IR_NAME && expr->symbol == mention->symbol;
}

/* What is added: e of x += e, x -= e, x *= e, x = x + e, x = e * x, with x not in e; NULL
 * = it is none of these. *op: '+', '-' or '*'. */
static const struct ir_expr *term_of(struct ir_expr *expr, char *op)
{
    struct mention mention = {.symbol = root(expr->arg[0])};
    struct ir_expr *right = expr->arg[1];
    if (!mention.symbol)
        return NULL;
    ir_visit(right, count_mention, &mention);
    *op = expr->op[0];
    if (!strcmp(expr->op, "+=") || !strcmp(expr->op, "*=") || !strcmp(expr->op, "-="))
        return mention.times ? NULL : right;
    if (strcmp(expr->op, "=") || right->kind != IR_BINARY ||
        (strcmp(right->op, "+") && strcmp(right->op, "*")) || mention.times != 1)
        return NULL;
    *op = right->op[0];
    for (size_t i = 0; i < 2; i++)
        if (expr_equal(expr->arg[0], right->arg[i]))
            return right->arg[!i];
    return NULL;
}

/* The value lies within 2 to the power of so many bits, on either side of 0. */
static size_t bits_of(const struct ir_expr *expr)
{
    const struct ir_type *type = &expr->type;
    size_t most = type->bytes * 8 - !type->is_unsigned, a, b;
    if (expr->kind != IR_BINARY || expr->op[1] || !strchr("+-*", expr->op[0]) ||
        type->is_unsigned)
        return most;
    a = bits_of(expr->arg[0]);
    b = bits_of(expr->arg[1]);
    size_t made = expr->op[0] == '*' ? a + b : (a > b ? a : b) + 1;
    return made < most ? made : most;
}

/* Integers: every order gives the same only where nothing but the low bits of each step
 * is kept, and no step can overflow that did not before: an unsigned sum that is made in
 * an unsigned type, or in a signed one that is wide enough for any two such values. */
static bool is_modular(const struct ir_expr *sum, const struct ir_expr *term,
                       const struct ir_type *made, char op)
{
    size_t a = bits_of(sum), b = bits_of(term), room = made->bytes * 8 - 2;
    if (sum->type.scalar != IR_INT || !sum->type.is_unsigned || made->scalar != IR_INT)
        return false;
    if (made->is_unsigned)
        return made->bytes >= sum->type.bytes;
    return op == '*' ? a + b <= room : a < room && b < room;
}

enum accumulation accumulation_of(struct ir_arena *arena, const struct ir_expr *expr)
{
    char op;
    struct ir_expr *sum = expr->arg[0];
    const struct ir_expr *term = term_of((struct ir_expr *)expr, &op);
    if (!term)
        return ACCUMULATES_NOT;
    const struct ir_type made =
        ir_binary(arena, op == '*' ? "*" : "+", sum, (struct ir_expr *)term)->type;
    if (is_modular(sum, term, &made, op))
        return ACCUMULATES_EXACTLY;
    return sum->type.scalar == IR_FLOAT && made.scalar == IR_FLOAT ? ACCUMULATES_ROUNDED
                                                                   : ACCUMULATES_IN_ORDER;
}
