/*
 * Which numbers the expressions of the new code may have, so that none overflows that the
 * original does not have: counters get a type that holds them, sums and products that may
 * leave `int` are made in `long`, and 64-bit numbers that no loop could count to are left
 * to the original (see gen_guard.c).
 */
#include <limits.h>
#include <string.h>

#include "variants/emit/gen.h"
#include "variants/ir/sum.h"
#include "variants/model/model_affine.h"

enum { LEAD_MAX = 63 };

static struct range of_type(const struct ir_type *type)
{
    size_t bits = type->bytes && type->bytes < 8 ? type->bytes * 8 : 64;
    gen_number one = 1;
    if (type->scalar == IR_BOOL)
        return (struct range){0, 1};
    if (type->is_unsigned)
        return (struct range){0, (one << bits) - 1};
    return (struct range){-(one << (bits - 1)), (one << (bits - 1)) - 1};
}

static bool holds(const struct ir_type *type, struct range range)
{
    struct range all = of_type(type);
    return range.low >= all.low && range.high <= all.high;
}

static struct range both(struct range a, struct range b)
{
    return (struct range){a.low < b.low ? a.low : b.low,
                          a.high > b.high ? a.high : b.high};
}

static struct range within(struct range a, struct range b)
{
    return (struct range){a.low > b.low ? a.low : b.low,
                          a.high < b.high ? a.high : b.high};
}

void gen_set_range(struct gen *gen, const struct ir_symbol *symbol, struct range range)
{
    size_t i = 0;
    while (i < gen->range_nr && gen->range[i].symbol != symbol)
        i++;
    if (i == gen->range_nr) {
        GROW(gen->range, gen->range_nr + 1, gen->range_alloc);
        gen->range_nr++;
    }
    gen->range[i].symbol = symbol;
    gen->range[i].value = range;
}

/* ---- parameters ---- */

static struct range param_range(struct gen *gen, const struct ir_symbol *symbol)
{
    struct range range = of_type(&symbol->type);
    long long smallest, largest;
    if (!gen->known || !symbol_is_param(gen->nest, symbol))
        return range;
    nest_param_range(gen->nest, gen->known, symbol, &smallest, &largest);
    if (smallest > LLONG_MIN && smallest > range.low)
        range.low = smallest;
    if (largest < LLONG_MAX && largest < range.high)
        range.high = largest;
    return range;
}

static struct range symbol_range(struct gen *gen, const struct ir_symbol *symbol)
{
    for (size_t i = 0; i < gen->range_nr; i++)
        if (gen->range[i].symbol == symbol)
            return gen->range[i].value;
    struct range range = param_range(gen, symbol);
    gen_set_range(gen, symbol, range);
    return range;
}

/* ---- expressions ---- */

static bool is_any_helper(const struct ir_expr *expr)
{
    return gen_is_helper(expr, "min") || gen_is_helper(expr, "max") ||
           gen_is_helper(expr, "floord");
}

/* Of numbers: the difference of two pointers is long as it is. */
static bool is_arithmetic(const struct ir_expr *expr)
{
    return expr->kind == IR_BINARY && !expr->op[1] && strchr("+-*/%", expr->op[0]) &&
           !expr->arg[0]->type.pointers && !expr->arg[1]->type.pointers;
}

/* Is it made in a type that is wider than int? */
static bool is_wide(const struct ir_expr *expr)
{
    bool operands = is_arithmetic(expr) || is_any_helper(expr);
    if (operands || expr->kind == IR_COND)
        return is_wide(expr->arg[expr->arg_nr - 1]) ||
               is_wide(expr->arg[expr->arg_nr - 2]);
    return (expr->kind == IR_NAME ? expr->symbol->type : expr->type).bytes > 4;
}

/* An operand is made long, the first that is no number. */
static void widen(struct gen *gen, struct ir_expr **at)
{
    struct ir_expr *expr = *at;
    if (is_wide(expr))
        return;
    if (is_arithmetic(expr) || is_any_helper(expr)) {
        widen(gen, &expr->arg[expr->arg[0]->has_value]);
        return;
    }
    *at = ir_to_long(gen->arena, expr);
}

static gen_number quotient(gen_number a, gen_number b)
{
    return a / b - (a % b < 0);
}

static struct range product(struct range a, struct range b)
{
    gen_number corner[] = {a.low * b.low, a.low * b.high, a.high * b.low,
                           a.high * b.high};
    struct range range = {corner[0], corner[0]};
    for (size_t i = 1; i < ARRAY_SIZE(corner); i++)
        range = both(range, (struct range){corner[i], corner[i]});
    return range;
}

/* By a number above 0; others are not what is emitted. */
static struct range divided(const struct ir_expr *expr, struct range a)
{
    gen_number by = expr->arg[1]->has_value ? expr->arg[1]->value : 0;
    if (by <= 0)
        return of_type(&ir_long);
    if (*expr->op == '/')
        return (struct range){a.low / by, a.high / by};
    struct range rest = {a.low < 0 ? 1 - by : 0, a.high > 0 ? by - 1 : 0};
    return a.low >= 0 && a.high < by ? a : rest;
}

static struct range of_operation(const struct ir_expr *expr, struct range a,
                                 struct range b)
{
    switch (expr->op[0]) {
    case '+':
        return (struct range){a.low + b.low, a.high + b.high};
    case '-':
        return (struct range){a.low - b.high, a.high - b.low};
    case '*':
        return product(a, b);
    default:
        return divided(expr, a);
    }
}

static struct range fit(struct gen *gen, struct ir_expr **at);

/* What stands for an iterator may be narrower than that: the source's `i * n` in long is
 * ours as `3 * n`. */
static bool is_as_written(const struct ir_expr *expr)
{
    return !expr->is_ours && (expr->type.bytes <= 4 || is_wide(expr));
}

/* What C makes of it is what is meant, in long if need be. The source's own is, as it
 * is. */
static struct range made(struct gen *gen, struct ir_expr **at, struct range range)
{
    static const struct ir_type int_type = {.scalar = IR_INT, .bytes = 4};
    const struct ir_type *type = (*at)->type.is_unsigned ? &(*at)->type : &int_type;
    if (is_as_written(*at))
        return within(range, of_type(&(*at)->type));
    if (!is_wide(*at) && !holds(type, range))
        widen(gen, at);
    if (!holds(&ir_long, range)) {
        gen->needs_box = true;
        range = within(range, of_type(&ir_long));
    }
    return range;
}

/* Where the first whole line begins: see gen_stream.c. */
static bool is_lead(const struct ir_expr *expr)
{
    return gen_is_helper(expr, "lead");
}

static struct range fit_helper(struct gen *gen, struct ir_expr **at)
{
    struct ir_expr *expr = *at;
    struct range a = fit(gen, &expr->arg[0]), b = fit(gen, &expr->arg[1]);
    if (gen_is_helper(expr, "floord")) {
        gen_number by = b.low > 0 ? b.low : 1;
        made(gen, &expr->arg[0], (struct range){a.low, by - 1 - a.low}); /* see gen.c */
        a = (struct range){quotient(a.low, by), quotient(a.high, by)};
    } else {
        bool min = gen_is_helper(expr, "min");
        a = (struct range){(min ? a.low < b.low : a.low > b.low) ? a.low : b.low,
                           (min ? a.high < b.high : a.high > b.high) ? a.high : b.high};
    }
    gen->wide = gen->wide || is_wide(expr);
    return a;
}

static struct range fit_cast(struct gen *gen, struct ir_expr *expr)
{
    struct range range = fit(gen, &expr->arg[0]);
    return holds(&expr->type, range) || expr->type.bytes > 4 ? range
                                                             : of_type(&expr->type);
}

/* k + 9 < e ? k + 9 : k: where it is taken it is below e, and so in the type of e. */
static bool is_below(const struct ir_expr *cond, const struct ir_expr *taken)
{
    return cond->kind == IR_BINARY && !strcmp(cond->op, "<") && !is_wide(cond->arg[1]) &&
           is_arithmetic(taken) && *taken->op == '+' && taken->arg[0]->kind == IR_NAME &&
           taken->arg[1]->has_value && expr_equal(cond->arg[0], taken);
}

static struct range fit_choice(struct gen *gen, struct ir_expr *expr)
{
    bool below = is_below(expr->arg[0], expr->arg[1]);
    fit(gen, &expr->arg[0]);
    struct range a = below ? of_type(&expr->arg[1]->type) : fit(gen, &expr->arg[1]);
    return both(a, fit(gen, &expr->arg[2]));
}

/* x & 7 */
static struct range fit_mask(struct gen *gen, struct ir_expr *expr)
{
    struct range a = fit(gen, &expr->arg[0]), b = fit(gen, &expr->arg[1]);
    struct range mask = b.low >= 0 && (a.low < 0 || b.high < a.high) ? b : a;
    return mask.low >= 0 ? (struct range){0, mask.high} : of_type(&expr->type);
}

static struct range fit_all(struct gen *gen, struct ir_expr *expr)
{
    for (size_t i = 0; i < expr->arg_nr; i++)
        if (expr->arg[i])
            fit(gen, &expr->arg[i]);
    return of_type(&expr->type);
}

static struct range fit_arithmetic(struct gen *gen, struct ir_expr **at)
{
    struct ir_expr *expr = *at;
    struct range a = fit(gen, &expr->arg[0]), b = fit(gen, &expr->arg[1]);
    return made(gen, at, of_operation(expr, a, b));
}

static struct range fit(struct gen *gen, struct ir_expr **at)
{
    struct ir_expr *expr = *at;
    bool whole = expr->type.scalar == IR_INT && !expr->type.pointers;
    if (expr->has_value)
        return (struct range){expr->value, expr->value};
    if (expr->kind == IR_NAME)
        return symbol_range(gen, expr->symbol);
    if (expr->kind == IR_CAST && whole)
        return fit_cast(gen, expr);
    if (is_any_helper(expr))
        return fit_helper(gen, at);
    if (is_lead(expr)) {
        fit_all(gen, expr);
        return (struct range){0, LEAD_MAX};
    }
    if (expr->kind == IR_COND && whole)
        return fit_choice(gen, expr);
    if (expr->kind == IR_BINARY && !strcmp(expr->op, "&"))
        return fit_mask(gen, expr);
    bool may_wrap = expr->type.is_unsigned && !expr->is_ours;
    if (is_arithmetic(expr) && whole && !may_wrap)
        return fit_arithmetic(gen, at);
    return fit_all(gen, expr);
}

struct range gen_fit(struct gen *gen, struct ir_expr **at)
{
    *at = ir_copy(gen->arena, *at);
    return fit(gen, at);
}

void gen_fit_subscript(struct ir_expr *expr, void *gen)
{
    if (expr->kind == IR_INDEX)
        gen_fit(gen, &expr->arg[1]);
}

/* ---- loops ---- */

/* The end of a loop down is printed as the last value: see gen_code.c. */
static struct range fit_end(struct gen *gen, struct code *loop)
{
    if (loop->step > 0 || loop->upper->kind == IR_CALL)
        return gen_fit(gen, &loop->upper);
    struct ir_expr *last = expr_plus(gen->arena, loop->upper, 1);
    struct range range = gen_fit(gen, &last);
    loop->upper = expr_plus(gen->arena, last, -1);
    return (struct range){range.low - 1, range.high - 1};
}

struct range gen_loop_range(struct gen *gen, struct code *loop)
{
    struct range first = gen_fit(gen, &loop->lower), end;
    if (loop->kind != CODE_FOR)
        return first;
    end = fit_end(gen, loop);
    return loop->step > 0 ? (struct range){first.low, end.high - 1}
                          : (struct range){end.low + 1, first.high};
}

/* The end, too: OpenMP converts it to the type of the counter. */
bool gen_holds(struct gen *gen, const struct ir_type *type, struct code *loop,
               struct range range)
{
    struct range last = range;
    if (loop->kind == CODE_FOR && !holds(type, fit_end(gen, loop)))
        return false;
    if (loop->kind == CODE_FOR && loop->step > 0)
        last.high += loop->step;
    else if (loop->kind == CODE_FOR)
        last.low += loop->step;
    return holds(type, last);
}

/* ---- all of the new code, when it is there ---- */

/* What a loop of prefetches counts with. */
static void fit_counter(struct gen *gen, struct ir_stmt *loop)
{
    struct range first = gen_fit(gen, &loop->lower), end = gen_fit(gen, &loop->upper);
    struct range all = loop->step > 0
                           ? (struct range){first.low, end.high + loop->step - 1}
                           : (struct range){end.low + loop->step + 1, first.high};
    if (loop->iterator->type.bytes < 8 && !holds(&loop->iterator->type, all))
        loop->iterator->type = ir_long;
    gen_set_range(gen, loop->iterator, both(first, end));
}

static void fit_stmt(struct gen *gen, struct ir_stmt *stmt)
{
    if (!stmt)
        return;
    if (stmt->kind == IR_FOR && stmt->canonical && stmt->iterator->id < 0)
        fit_counter(gen, stmt);
    struct ir_expr **part[] = {&stmt->expr, &stmt->cond, &stmt->lower, &stmt->upper};
    for (size_t i = 0; i < ARRAY_SIZE(part); i++)
        if (*part[i])
            gen_fit(gen, part[i]);
    for (size_t i = 0; i < stmt->child_nr; i++)
        fit_stmt(gen, stmt->child[i]);
}

/* Numbers that are set, and conditions, of a statement that may hold vectors. */
static void fit_numbers(struct gen *gen, struct ir_stmt *stmt)
{
    if (!stmt)
        return;
    bool sets = stmt->kind == IR_DECL && stmt->expr &&
                stmt->symbol->type.scalar == IR_INT && !stmt->symbol->type.pointers;
    if (sets)
        gen_fit(gen, &stmt->expr);
    if (stmt->kind == IR_IF)
        gen_fit(gen, &stmt->cond);
    for (size_t i = 0; i < stmt->child_nr; i++)
        fit_numbers(gen, stmt->child[i]);
}

/* Passes copied counters to loops with other bounds. */
static void fit_loop(struct gen *gen, struct code *loop)
{
    struct range range = gen_loop_range(gen, loop);
    if (loop->declares && !gen_holds(gen, &loop->var->type, loop, range))
        loop->var->type = ir_long;
    gen_set_range(gen, loop->var, within(range, of_type(&loop->var->type)));
}

void gen_fit_code(struct gen *gen, struct code *code)
{
    if (code->kind == CODE_FOR || code->kind == CODE_LET)
        fit_loop(gen, code);
    if (code->cond)
        gen_fit(gen, &code->cond);
    if (code->vector) { /* what else there is has lanes */
        stmt_exprs(code->stmt, gen_fit_subscript, gen);
        fit_numbers(gen, code->stmt);
    } else
        fit_stmt(gen, code->stmt);
    for (size_t i = 0; i < code->child_nr; i++)
        gen_fit_code(gen, code->child[i]);
}
