#include "variants/ir/sum.h"

#include <string.h>

#include "core/base/buf.h"

bool expr_equal(const struct ir_expr *a, const struct ir_expr *b)
{
    struct buf first = {0}, second = {0};
    ir_print_expr(&first, a);
    ir_print_expr(&second, b);
    bool same = !strcmp(buf_str(&first), buf_str(&second));
    buf_release(&first);
    buf_release(&second);
    return same;
}

bool expr_any_varies(struct ir_expr *const *expr, size_t nr)
{
    bool found = false;
    for (size_t i = 0; i < nr; i++)
        found = found || !expr[i]->has_value;
    return found;
}

bool expr_mentions(const struct ir_expr *expr, const struct ir_symbol *symbol)
{
    if (expr->kind == IR_NAME && expr->symbol == symbol)
        return true;
    for (size_t i = 0; i < expr->arg_nr; i++)
        if (expr_mentions(expr->arg[i], symbol))
            return true;
    return false;
}

struct mention {
    const struct ir_symbol *symbol;
    bool found;
};

static void find_mention(struct ir_expr *expr, void *data)
{
    struct mention *mention = data;
    mention->found =
        mention->found || (expr->kind == IR_NAME && expr->symbol == mention->symbol);
}

bool stmt_mentions(const struct ir_stmt *stmt, const struct ir_symbol *symbol)
{
    struct mention mention = {.symbol = symbol};
    stmt_exprs(stmt, find_mention, &mention);
    return mention.found;
}

struct sum sum_constant(long long value)
{
    return (struct sum){.constant = value};
}

static void add_atom(struct sum *sum, long long coefficient, struct ir_expr *atom)
{
    for (size_t i = 0; i < sum->nr; i++) {
        if (!expr_equal(sum->term[i].atom, atom))
            continue;
        sum->term[i].coefficient += coefficient;
        if (!sum->term[i].coefficient)
            sum->term[i] = sum->term[--sum->nr];
        return;
    }
    if (sum->nr < SUM_TERMS) {
        sum->term[sum->nr].coefficient = coefficient;
        sum->term[sum->nr++].atom = atom;
    }
}

struct sum sum_add(const struct sum *a, const struct sum *b, long long factor)
{
    struct sum sum = *a;
    sum.constant += factor * b->constant;
    for (size_t i = 0; factor && i < b->nr; i++)
        add_atom(&sum, factor * b->term[i].coefficient, b->term[i].atom);
    return sum;
}

struct sum sum_scaled(const struct sum *a, long long factor)
{
    struct sum zero = sum_constant(0);
    return sum_add(&zero, a, factor);
}

static struct sum atom_sum(struct ir_expr *expr)
{
    struct sum sum = {0};
    add_atom(&sum, 1, expr);
    return sum;
}

/* Expressions that do not fit are kept whole. */
static bool fits(const struct sum *a, const struct sum *b)
{
    return a->nr + b->nr <= SUM_TERMS;
}

static struct sum product(struct ir_arena *arena, struct ir_expr *expr)
{
    struct sum a = sum_of_expr(arena, expr->arg[0]), b = sum_of_expr(arena, expr->arg[1]);
    if (!a.nr)
        return sum_scaled(&b, a.constant);
    if (!b.nr)
        return sum_scaled(&a, b.constant);
    return atom_sum(ir_binary(arena, "*", sum_expr(arena, &a), sum_expr(arena, &b)));
}

struct sum sum_of_expr(struct ir_arena *arena, struct ir_expr *expr)
{
    if (expr->kind == IR_LITERAL && expr->has_value)
        return sum_constant(expr->value);
    if (expr->kind == IR_UNARY && !strcmp(expr->op, "-")) {
        struct sum inner = sum_of_expr(arena, expr->arg[0]);
        return sum_scaled(&inner, -1);
    }
    if (expr->kind != IR_BINARY || expr->op[1])
        return atom_sum(expr);
    if (expr->op[0] == '*')
        return product(arena, expr);
    if (expr->op[0] != '+' && expr->op[0] != '-')
        return atom_sum(expr);
    struct sum a = sum_of_expr(arena, expr->arg[0]), b = sum_of_expr(arena, expr->arg[1]);
    return fits(&a, &b) ? sum_add(&a, &b, expr->op[0] == '+' ? 1 : -1) : atom_sum(expr);
}

static struct ir_expr *scaled_atom(struct ir_arena *arena, long long coefficient,
                                   struct ir_expr *atom)
{
    return coefficient == 1 ? atom
                            : ir_binary(arena, "*", ir_integer(arena, coefficient), atom);
}

struct ir_expr *sum_expr(struct ir_arena *arena, const struct sum *sum)
{
    struct ir_expr *expr = NULL;
    for (size_t i = 0; i < sum->nr; i++) {
        if (sum->term[i].coefficient < 0)
            continue;
        struct ir_expr *term =
            scaled_atom(arena, sum->term[i].coefficient, sum->term[i].atom);
        expr = expr ? ir_binary(arena, "+", expr, term) : term;
    }
    if (!expr)
        expr = ir_integer(arena, sum->constant);
    else if (sum->constant > 0)
        expr = ir_binary(arena, "+", expr, ir_integer(arena, sum->constant));
    else if (sum->constant < 0)
        expr = ir_binary(arena, "-", expr, ir_integer(arena, -sum->constant));
    for (size_t i = 0; i < sum->nr; i++)
        if (sum->term[i].coefficient < 0)
            expr = ir_binary(
                arena, "-", expr,
                scaled_atom(arena, -sum->term[i].coefficient, sum->term[i].atom));
    return expr;
}

struct ir_expr *expr_simplify(struct ir_arena *arena, struct ir_expr *expr)
{
    struct sum sum = sum_of_expr(arena, expr);
    return sum_expr(arena, &sum);
}

struct ir_expr *expr_plus(struct ir_arena *arena, struct ir_expr *expr, long long value)
{
    struct sum sum = sum_of_expr(arena, expr);
    sum.constant += value;
    return sum_expr(arena, &sum);
}

static bool coefficient_of_product(const struct ir_expr *expr,
                                   const struct ir_symbol *symbol, long long *coefficient)
{
    const struct ir_expr *number = expr->arg[0]->has_value ? expr->arg[0] : expr->arg[1];
    const struct ir_expr *other = number == expr->arg[0] ? expr->arg[1] : expr->arg[0];
    if (!number->has_value || !expr_coefficient(other, symbol, coefficient))
        return false;
    *coefficient *= number->value;
    return true;
}

bool expr_coefficient(const struct ir_expr *expr, const struct ir_symbol *symbol,
                      long long *coefficient)
{
    long long a, b;
    *coefficient = expr->kind == IR_NAME && expr->symbol == symbol;
    if (*coefficient || !expr_mentions(expr, symbol))
        return true;
    if (expr->kind == IR_CAST)
        return expr_coefficient(expr->arg[0], symbol, coefficient);
    if (expr->kind != IR_BINARY || expr->op[1])
        return false;
    if (expr->op[0] == '*')
        return coefficient_of_product(expr, symbol, coefficient);
    if ((expr->op[0] != '+' && expr->op[0] != '-') ||
        !expr_coefficient(expr->arg[0], symbol, &a) ||
        !expr_coefficient(expr->arg[1], symbol, &b))
        return false;
    *coefficient = expr->op[0] == '+' ? a + b : a - b;
    return true;
}
