/* isl's expressions as ours. */
#include <stdlib.h>
#include <string.h>

#include "variants/emit/gen.h"
#include "variants/ir/sum.h"
#include "variants/model/model_affine.h"
#include "variants/model/tree.h"

enum { FACTOR_MAX = 1 << 16 };

struct ir_expr *gen_call(struct gen *gen, const char *name, struct ir_expr *a,
                         struct ir_expr *b)
{
    struct ir_expr *expr = ir_expr_new(gen->arena, IR_CALL, 2);
    expr->text = name;
    expr->type = a->type;
    expr->arg[0] = a;
    expr->arg[1] = b;
    return expr;
}

bool gen_is_helper(const struct ir_expr *expr, const char *name)
{
    return expr->kind == IR_CALL && !expr->symbol && expr->text &&
           !strcmp(expr->text, name);
}

static struct ir_expr *identifier(struct gen *gen, isl_ast_expr *expr)
{
    isl_id *id = isl_ast_expr_id_get_id(expr);
    const char *name = isl_id_get_name(id);
    struct ir_symbol *symbol = NULL;
    for (size_t i = 0; i < gen->level_nr; i++)
        if (!strcmp(gen->level[i].hidden->name, name))
            symbol = gen->level[i].hidden;
    if (!symbol && !param_of_id(gen->nest, id, &symbol))
        gen->problem = "an expression names something unknown";
    isl_id_free(id);
    gen->wide = gen->wide || (symbol && symbol->type.bytes > 4);
    return symbol ? ir_name(gen->arena, symbol) : ir_integer(gen->arena, 0);
}

static struct ir_expr *operand(struct gen *gen, isl_ast_expr *expr, int index)
{
    return raw_expr(gen, isl_ast_expr_op_get_arg(expr, index));
}

static struct ir_expr *fold(struct gen *gen, isl_ast_expr *expr, const char *name)
{
    int nr = (int)isl_ast_expr_op_get_n_arg(expr);
    struct ir_expr *all = operand(gen, expr, 0);
    for (int i = 1; i < nr; i++)
        all = gen_call(gen, name, all, operand(gen, expr, i));
    return all;
}

static struct ir_expr *binary(struct gen *gen, isl_ast_expr *expr, const char *op)
{
    struct ir_expr *a = operand(gen, expr, 0);
    struct ir_expr *b = operand(gen, expr, 1);
    return ir_binary(gen->arena, op, a, b);
}

static struct ir_expr *choice(struct gen *gen, isl_ast_expr *expr)
{
    struct ir_expr *new = ir_expr_new(gen->arena, IR_COND, 3);
    for (int i = 0; i < 3; i++)
        new->arg[i] = operand(gen, expr, i);
    new->type = new->arg[1]->type;
    return new;
}

static const char *operator_text(enum isl_ast_expr_op_type type)
{
    static const struct {
        enum isl_ast_expr_op_type type;
        const char *text;
    } ops[] = {
        {isl_ast_expr_op_add, "+"},    {isl_ast_expr_op_sub, "-"},
        {isl_ast_expr_op_mul, "*"},    {isl_ast_expr_op_div, "/"},
        {isl_ast_expr_op_pdiv_q, "/"}, {isl_ast_expr_op_pdiv_r, "%"},
        {isl_ast_expr_op_zdiv_r, "%"}, {isl_ast_expr_op_eq, "=="},
        {isl_ast_expr_op_le, "<="},    {isl_ast_expr_op_lt, "<"},
        {isl_ast_expr_op_ge, ">="},    {isl_ast_expr_op_gt, ">"},
        {isl_ast_expr_op_and, "&&"},   {isl_ast_expr_op_and_then, "&&"},
        {isl_ast_expr_op_or, "||"},    {isl_ast_expr_op_or_else, "||"},
    };
    for (size_t i = 0; i < ARRAY_SIZE(ops); i++)
        if (ops[i].type == type)
            return ops[i].text;
    return NULL;
}

static struct ir_expr *operation(struct gen *gen, isl_ast_expr *expr)
{
    enum isl_ast_expr_op_type type = isl_ast_expr_op_get_type(expr);
    const char *op = operator_text(type);
    if (op)
        return binary(gen, expr, op);
    switch (type) {
    case isl_ast_expr_op_max:
        return fold(gen, expr, "max");
    case isl_ast_expr_op_min:
        return fold(gen, expr, "min");
    case isl_ast_expr_op_minus:
        return ir_binary(gen->arena, "-", ir_integer(gen->arena, 0),
                         operand(gen, expr, 0));
    case isl_ast_expr_op_fdiv_q:
        return fold(gen, expr, "floord");
    case isl_ast_expr_op_cond:
    case isl_ast_expr_op_select:
        return choice(gen, expr);
    default:
        gen->problem = "a loop bound of the result cannot be written in C";
        return ir_integer(gen->arena, 0);
    }
}

static struct ir_expr *number(struct gen *gen, isl_ast_expr *expr)
{
    isl_val *val = isl_ast_expr_int_get_val(expr);
    struct ir_expr *new = ir_integer(gen->arena, isl_val_get_num_si(val));
    isl_val_free(val);
    return new;
}

struct ir_expr *raw_expr(struct gen *gen, isl_ast_expr *expr)
{
    struct ir_expr *new = NULL;
    switch (isl_ast_expr_get_type(expr)) {
    case isl_ast_expr_op:
        new = operation(gen, expr);
        break;
    case isl_ast_expr_id:
        new = identifier(gen, expr);
        break;
    case isl_ast_expr_int:
        new = number(gen, expr);
        break;
    default:
        gen->problem = "the loops could not be generated";
        new = ir_integer(gen->arena, 0);
    }
    isl_ast_expr_free(expr);
    return new;
}

struct ir_expr *raw_floor(struct gen *gen, struct ir_expr *raw, long long size)
{
    return gen_call(gen, "floord", raw, ir_integer(gen->arena, size));
}

struct ir_expr *raw_map(struct gen *gen, struct ir_expr *raw, struct ir_expr *base,
                        long long step)
{
    bool min = gen_is_helper(raw, "min"), max = gen_is_helper(raw, "max");
    if (min || max) {
        struct ir_expr *a = raw_map(gen, raw->arg[0], base, step),
                       *b = raw_map(gen, raw->arg[1], base, step);
        return gen_call(gen, min == (step > 0) ? "min" : "max", a, b);
    }
    struct sum value = sum_of_expr(gen->arena, raw), origin = sum_constant(0);
    if (base)
        origin = sum_of_expr(gen->arena, base);
    value = sum_add(&origin, &value, step);
    return sum_expr(gen->arena, &value);
}

/* e / d with a positive number d, rounded down: for values that are at least 0 C's own
 * division does. */
static bool is_quotient(const struct ir_expr *expr, long long divisor)
{
    bool divides = gen_is_helper(expr, "floord") ||
                   (expr->kind == IR_BINARY && !strcmp(expr->op, "/"));
    return divides && expr->arg[1]->has_value && expr->arg[1]->value == divisor;
}

/* c <= floor(e / s) + k and c multiples of 1: s * c <= e + k * s, so that the variable
 * needs no division: base + s * c <= base + e + k * s. */
static bool without_division(struct gen *gen, const struct sum *limit,
                             struct ir_expr *base, long long step, struct sum *out)
{
    long long size = step < 0 ? -step : step, sign = step < 0 ? -1 : 1;
    struct sum origin = sum_constant(0);
    if (size == 1 || limit->nr != 1 || limit->term[0].coefficient != 1 ||
        !is_quotient(limit->term[0].atom, size))
        return false;
    if (base)
        origin = sum_of_expr(gen->arena, base);
    struct sum reach = sum_of_expr(gen->arena, limit->term[0].atom->arg[0]);
    reach.constant += limit->constant * size;
    *out = sum_add(&origin, &reach, sign);
    out->constant += sign; /* exclusive */
    return true;
}

/* Of a bound that is the larger of two: t < max(l, 1), for a loop that runs once where l
 * is 0, rather than max(l, 32), so that it is seen to reach no further than l. */
static struct ir_expr *bound_arm(struct gen *gen, struct ir_expr *raw, bool inclusive,
                                 struct ir_expr *base, long long step)
{
    struct sum last = sum_of_expr(gen->arena, raw);
    last.constant -= !inclusive;
    if (last.nr)
        return raw_bound(gen, raw, inclusive, base, step);
    struct ir_expr *reached = raw_map(gen, sum_expr(gen->arena, &last), base, step);
    return expr_plus(gen->arena, reached, step < 0 ? -1 : 1);
}

struct ir_expr *raw_bound(struct gen *gen, struct ir_expr *raw, bool inclusive,
                          struct ir_expr *base, long long step)
{
    struct sum limit = sum_of_expr(gen->arena, raw), out;
    struct ir_expr *only =
        limit.nr == 1 && limit.term[0].coefficient == 1 ? limit.term[0].atom : NULL;
    bool min = only && gen_is_helper(only, "min"),
         max = only && gen_is_helper(only, "max");
    if (max || (min && !limit.constant)) {
        struct ir_expr *arm[2];
        for (size_t i = 0; i < 2; i++) {
            arm[i] = expr_plus(gen->arena, only->arg[i], limit.constant);
            arm[i] = min ? raw_bound(gen, arm[i], inclusive, base, step)
                         : bound_arm(gen, arm[i], inclusive, base, step);
        }
        bool swap = max && only->arg[0]->has_value; /* the number behind */
        return gen_call(gen, min == (step > 0) ? "min" : "max", arm[swap], arm[!swap]);
    }
    limit.constant -= !inclusive;
    if (without_division(gen, &limit, base, step, &out))
        return sum_expr(gen->arena, &out);
    limit.constant += 1;
    return raw_map(gen, sum_expr(gen->arena, &limit), base, step);
}

/* ---- finishing ---- */

static const struct level *level_of(const struct gen *gen, const struct ir_expr *atom)
{
    for (size_t i = 0; atom->kind == IR_NAME && i < gen->level_nr; i++)
        if (gen->level[i].hidden == atom->symbol)
            return &gen->level[i];
    return NULL;
}

static long long greatest_divisor(long long a, long long b)
{
    while (b) {
        long long rest = a % b;
        a = b;
        b = rest;
    }
    return a < 0 ? -a : a;
}

/* coefficient * c, with c = (var - base) / step; what can be cancelled is. */
static struct sum level_sum(struct gen *gen, const struct level *level,
                            long long coefficient)
{
    const struct tree *band = level->band;
    struct sum var = sum_of_expr(gen->arena, ir_name(gen->arena, level->var)),
               base = sum_constant(0);
    if (band->base)
        base = sum_of_expr(gen->arena, raw_finish(gen, band->base));
    struct sum offset = sum_add(&var, &base, -1);
    long long stride = band_stride(band), common = greatest_divisor(coefficient, stride);
    if (stride < 0)
        common = -common;
    if (stride == common)
        return sum_scaled(&offset, coefficient / stride);
    struct ir_expr *count = ir_binary(gen->arena, "/", sum_expr(gen->arena, &offset),
                                      ir_integer(gen->arena, stride / common));
    struct sum sum = sum_of_expr(gen->arena, count);
    return sum_scaled(&sum, coefficient / common);
}

static struct ir_expr *signed_name(struct gen *gen, struct ir_expr *name)
{
    if (name->kind != IR_NAME || !name->type.is_unsigned || name->type.bytes < 4)
        return name;
    gen->wide = true;
    return ir_to_long(gen->arena, name);
}

static void note_helper(struct gen *gen, const struct ir_expr *expr)
{
    gen->need_min = gen->need_min || gen_is_helper(expr, "min");
    gen->need_max = gen->need_max || gen_is_helper(expr, "max");
    gen->need_floord = gen->need_floord || gen_is_helper(expr, "floord");
}

static struct ir_expr *finish_atom(struct gen *gen, struct ir_expr *atom)
{
    if (!atom->arg_nr)
        return signed_name(gen, atom);
    struct ir_expr *copy = ir_expr_new(gen->arena, atom->kind, atom->arg_nr);
    struct ir_expr **arg = copy->arg;
    *copy = *atom;
    copy->arg = arg;
    for (size_t i = 0; i < atom->arg_nr; i++)
        copy->arg[i] = raw_finish(gen, atom->arg[i]);
    note_helper(gen, copy);
    if ((gen_is_helper(copy, "min") || gen_is_helper(copy, "max")) &&
        expr_equal(copy->arg[0], copy->arg[1]))
        return copy->arg[0];
    if (gen_is_helper(copy, "max") && gen_is_helper(copy->arg[0], "max") &&
        (expr_equal(copy->arg[0]->arg[0], copy->arg[1]) ||
         expr_equal(copy->arg[0]->arg[1], copy->arg[1])))
        return copy->arg[0];
    return copy;
}

static const char *mirrored(const char *op)
{
    static const char *const pairs[][2] = {
        {"<", ">"}, {"<=", ">="}, {">", "<"}, {">=", "<="}};
    for (size_t i = 0; i < ARRAY_SIZE(pairs); i++)
        if (!strcmp(op, pairs[i][0]))
            return pairs[i][1];
    return op;
}

static bool is_relation(const struct ir_expr *expr)
{
    static const char *const words[] = {"<", "<=", ">", ">=", "==", "!="};
    for (size_t i = 0; expr->kind == IR_BINARY && i < ARRAY_SIZE(words); i++)
        if (!strcmp(expr->op, words[i]))
            return true;
    return false;
}

/* By what both sides are multiplied so that no loop variable has to be divided; 1 when it
 * would have to be large. */
static long long whole_factor(struct gen *gen, const struct sum *a, const struct sum *b)
{
    const struct sum *side[] = {a, b};
    long long factor = 1;
    for (size_t k = 0; k < 2; k++)
        for (size_t i = 0; i < side[k]->nr; i++) {
            const struct level *level = level_of(gen, side[k]->term[i].atom);
            long long stride = level ? llabs(band_stride(level->band)) : 1;
            long long needed =
                stride / greatest_divisor(side[k]->term[i].coefficient, stride);
            factor = factor / greatest_divisor(factor, needed) * needed;
            if (factor > FACTOR_MAX)
                return 1;
        }
    return factor;
}

/* a >= b + 1 as a > b */
static const char *strictly(const char *op, struct sum *a, struct sum *b)
{
    struct sum *more = !strcmp(op, ">=") ? b : !strcmp(op, "<=") ? a : NULL;
    if (!more || !a->nr || !b->nr || more->constant != 1)
        return op;
    more->constant = 0;
    return more == b ? ">" : "<";
}

/* n + 6 - i >= n as 6 >= i: what is added on one side, what is subtracted on the other.
 */
static struct ir_expr *finish_relation(struct gen *gen, const struct ir_expr *raw)
{
    struct sum a = sum_of_expr(gen->arena, raw->arg[0]),
               b = sum_of_expr(gen->arena, raw->arg[1]);
    long long factor = whole_factor(gen, &a, &b);
    a = sum_scaled(&a, factor);
    b = sum_scaled(&b, factor);
    a = sum_of_expr(gen->arena, raw_finish(gen, sum_expr(gen->arena, &a)));
    b = sum_of_expr(gen->arena, raw_finish(gen, sum_expr(gen->arena, &b)));
    struct sum difference = sum_add(&a, &b, -1), left = sum_constant(0),
               right = sum_constant(0);
    left.constant = difference.constant > 0 ? difference.constant : 0;
    right.constant = difference.constant < 0 ? -difference.constant : 0;
    for (size_t i = 0; i < difference.nr; i++) {
        struct sum term = {.term = {{1, difference.term[i].atom}}, .nr = 1};
        long long coefficient = difference.term[i].coefficient;
        struct sum *side = coefficient > 0 ? &left : &right;
        *side = sum_add(side, &term, coefficient > 0 ? coefficient : -coefficient);
    }
    const char *op = strictly(raw->op, &left, &right);
    if (left.nr || !right.nr)
        return ir_binary(gen->arena, op, sum_expr(gen->arena, &left),
                         sum_expr(gen->arena, &right));
    return ir_binary(gen->arena, mirrored(op), sum_expr(gen->arena, &right),
                     sum_expr(gen->arena, &left));
}

struct ir_expr *raw_finish(struct gen *gen, struct ir_expr *raw)
{
    if (is_relation(raw))
        return finish_relation(gen, raw);
    struct sum sum = sum_of_expr(gen->arena, raw), out = sum_constant(sum.constant);
    for (size_t i = 0; i < sum.nr; i++) {
        const struct level *level = level_of(gen, sum.term[i].atom);
        struct sum term;
        if (level)
            term = level_sum(gen, level, sum.term[i].coefficient);
        else {
            struct sum atom = {.term = {{1, finish_atom(gen, sum.term[i].atom)}},
                               .nr = 1};
            term = sum_scaled(&atom, sum.term[i].coefficient);
        }
        out = sum_add(&out, &term, 1);
    }
    return sum_expr(gen->arena, &out);
}
