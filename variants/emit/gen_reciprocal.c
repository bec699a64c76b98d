/*
 * Divisions and remainders by what a loop leaves alone, as a multiplication by a
 * reciprocal that is computed before it.
 *
 * Of integers of at most 32 bits the quotient is exact. With r = (2^40 + 1) / (2^40 d),
 * rounded, and p = x r, rounded, |p| = |x / d| (1 + 2^-40) (1 + e), |e| < 2^-50 in every
 * rounding mode and also where compilers may divide less exactly. So |p| is not below
 * |x / d|, nor therefore below its whole part; and above |x / d| by less than
 * |x| 2^-39 / |d| < 1 / |d|, as |x| < 2^39, which is no more than lacks to the next whole
 * number. The conversion cuts off what is behind the point, as C's division does. All of
 * x, d, 2^40 + 1 and 2^40 d are exact in double. Where d is 0 nothing is divided, lest a
 * loop without iterations raise an exception.
 */
#include <string.h>

#include "variants/emit/gen.h"

enum { RECIPROCALS_MAX = 16 };
#define RAISED_TO 1099511627776 /* 2^40 */

static const struct ir_type int_type = {.text = "int", .scalar = IR_INT, .bytes = 4},
                            unsigned_type = {.text = "unsigned",
                                             .scalar = IR_INT,
                                             .is_unsigned = true,
                                             .bytes = 4},
                            double_type = {
                                .text = "double", .scalar = IR_FLOAT, .bytes = 8};

struct reciprocal {
    const struct ir_symbol *divisor;
    struct ir_type type; /* that the division is made in */
    struct ir_symbol *symbol;
};

struct dividing {
    struct gen *gen;
    struct code *loop;
    const struct ir_expr *always; /* in every iteration, of the statement that is looked
                                     at; NULL = nothing is known to be */
    struct reciprocal item[RECIPROCALS_MAX];
    size_t nr;
};

/* ---- which divisions ---- */

static bool is_division(const struct ir_expr *expr)
{
    return (expr->kind == IR_BINARY || expr->kind == IR_ASSIGN) && !expr->is_ours &&
           strchr("/%", expr->op[0]) && !expr->arg[1]->has_value;
}

/* It can be read before the loop, and is the same all the time. What a pointer leads to
 * is there where every iteration divides by it, and there is one. */
static bool is_left_alone(const struct dividing *at, const struct ir_expr *division)
{
    const struct ir_symbol *symbol = division->arg[1]->symbol;
    const struct memory memory = {
        .symbol = (struct ir_symbol *)symbol, .type = symbol->type, .itself = true};
    bool pointed = symbol->role == IR_FIELD && symbol->base && strstr(symbol->path, "->");
    if (symbol->type.is_volatile ||
        (symbol->role == IR_FIELD && symbol->base && code_sets(at->loop, symbol->base)) ||
        (pointed && !(at->always && expr_evaluates(at->always, division) &&
                      loop_runs(at->gen, at->loop))))
        return false;
    bool elsewhere =
        symbol->id < 0 ? symbol->address_taken : nest_may_write(at->gen->nest, &memory);
    return !elsewhere && !code_sets(at->loop, symbol);
}

/* NULL = it can be a multiplication. */
static const char *why_not(const struct dividing *at, const struct ir_expr *expr,
                           const struct ir_type *type)
{
    const struct ir_expr *divisor = expr->arg[1];
    bool whole = type->scalar == IR_INT, twice = expr->op[0] == '%' || expr->op[1];
    if (type->pointers || (!whole && type->scalar != IR_FLOAT) || type->bytes > 8)
        return "it is of a type for which there is no other arithmetic";
    if (whole && type->bytes > 4)
        return "it is of 64 bits, and only quotients of 32 bits are exact in double";
    if (divisor->kind != IR_NAME || divisor->type.pointers || !is_left_alone(at, expr))
        return "it is by what may change in the loop, or may not be read before it";
    if (twice && expr_has_effect(expr->arg[0]))
        return "it has a left side that cannot be evaluated twice";
    if (!whole && !at->gen->model->request.reassociate)
        return "it is made in floating point, which its reciprocal would round "
               "otherwise; "
               "with --reassociate it may";
    return NULL;
}

/* ---- the new arithmetic ---- */

/* The operand as C converts it for the division. */
static struct ir_expr *converted(struct dividing *at, const struct ir_type *type,
                                 struct ir_expr *expr)
{
    bool wraps = type->scalar == IR_INT && type->is_unsigned && !expr->type.is_unsigned;
    return wraps ? gen_cast(at->gen, &unsigned_type, expr) : expr;
}

static struct ir_expr *reciprocal_value(struct dividing *at, const struct ir_type *type,
                                        struct ir_expr *divisor)
{
    struct ir_arena *arena = at->gen->arena;
    if (type->scalar == IR_FLOAT) {
        bool exact =
            divisor->type.scalar == IR_FLOAT && divisor->type.bytes == type->bytes;
        return gen_plain(at->gen, "/", ir_integer(arena, 1),
                         exact ? divisor : gen_cast(at->gen, type, divisor));
    }
    struct ir_expr *scaled = gen_plain(
        at->gen, "*", gen_cast(at->gen, &double_type, converted(at, type, divisor)),
        ir_integer(arena, RAISED_TO));
    struct ir_expr *value = ir_expr_new(arena, IR_COND, 3);
    value->type = double_type;
    value->arg[0] = ir_copy(arena, divisor);
    value->arg[1] = gen_plain(at->gen, "/", ir_integer(arena, RAISED_TO + 1), scaled);
    value->arg[2] = ir_integer(arena, 0);
    return value;
}

static struct ir_type plain(const struct ir_type *type)
{
    if (type->scalar == IR_INT)
        return type->is_unsigned ? unsigned_type : int_type;
    return (struct ir_type){.text = type->bytes == 8 ? "double" : "float",
                            .scalar = IR_FLOAT,
                            .bytes = type->bytes};
}

/* NULL: there are too many. */
static struct ir_symbol *reciprocal_of(struct dividing *at, const struct ir_type *type,
                                       struct ir_expr *divisor)
{
    for (size_t i = 0; i < at->nr; i++)
        if (at->item[i].divisor == divisor->symbol && at->item[i].type.text == type->text)
            return at->item[i].symbol;
    if (at->nr == RECIPROCALS_MAX)
        return NULL;
    struct gen *gen = at->gen;
    struct ir_type held = type->scalar == IR_INT ? double_type : *type;
    held.is_const = true;
    const char *stem = ir_textf(gen->arena, "%s_reciprocal", divisor->symbol->name);
    struct ir_symbol *symbol = gen_symbol(gen, gen_name(gen, stem, false), &held);
    struct code *line = code_statement(
        gen, IR_DECL, reciprocal_value(at, type, ir_copy(gen->arena, divisor)));
    line->stmt->symbol = symbol;
    code_insert(at->loop->parent, code_index(at->loop), line);
    at->item[at->nr++] = (struct reciprocal){divisor->symbol, *type, symbol};
    return symbol;
}

static struct ir_expr *quotient(struct dividing *at, const struct ir_type *type,
                                struct ir_expr *value, struct ir_symbol *reciprocal)
{
    struct ir_expr *product = gen_plain(at->gen, "*", converted(at, type, value),
                                        ir_name(at->gen->arena, reciprocal));
    return type->scalar == IR_INT ? gen_cast(at->gen, type, product) : product;
}

static void become(struct ir_expr *expr, const struct ir_expr *other)
{
    int line = expr->line, column = expr->column;
    *expr = *other;
    expr->line = line;
    expr->column = column;
}

/* Parents come first, so that what stands left of the sign is looked at behind. */
static void divide(struct ir_expr *expr, void *data)
{
    struct dividing *at = data;
    struct gen *gen = at->gen;
    if (!is_division(expr))
        return;
    bool remainder = expr->op[0] == '%', assigns = expr->kind == IR_ASSIGN;
    struct ir_expr *value = ir_copy(gen->arena, expr->arg[0]), *divisor = expr->arg[1];
    struct ir_expr *made = gen_plain(at->gen, remainder ? "%" : "/", value, divisor);
    struct ir_type type = assigns ? made->type : expr->type;
    const char *why = why_not(at, expr, &type);
    type = plain(&type);
    struct ir_symbol *symbol = why ? NULL : reciprocal_of(at, &type, divisor);
    if (!symbol) {
        gen->work->dividing.why_not = why ? why : "it is one of too many";
        gen->work->dividing.line = expr->line;
        return;
    }
    made = quotient(at, &type, value, symbol);
    if (remainder)
        made = gen_plain(at->gen, "-", ir_copy(gen->arena, converted(at, &type, value)),
                         gen_plain(at->gen, "*", made, converted(at, &type, divisor)));
    become(expr, assigns ? ir_assign(gen->arena, "=", expr->arg[0], made) : made);
    gen->work->dividing.done++;
}

static void divide_stmt(struct dividing *at, struct ir_stmt *stmt)
{
    struct ir_expr *part[] = {stmt->expr, stmt->cond, stmt->lower, stmt->upper,
                              stmt->increment};
    for (size_t i = 0; i < ARRAY_SIZE(part); i++)
        ir_visit(part[i], divide, at);
    if (stmt->init)
        divide_stmt(at, stmt->init);
    for (size_t i = 0; i < stmt->child_nr; i++)
        if (stmt->child[i])
            divide_stmt(at, stmt->child[i]);
}

/* ---- loops ---- */

/* A statement before the division may end the program. */
static bool may_end(const struct nest *nest)
{
    bool ends = false;
    for (size_t i = 0; i < nest->statement_nr; i++)
        ends = ends || nest->statement[i].ends;
    return ends;
}

static void divide_code(struct dividing *at, struct code *code)
{
    if (code->kind == CODE_STMT && !code->vector) {
        bool direct = code->parent == at->loop->child[0] && !may_end(at->gen->nest);
        code->stmt = stmt_substitute(at->gen->arena, code->stmt, NULL, NULL, 0);
        at->always = direct && code->stmt->kind == IR_EXPR
                         ? ir_copy(at->gen->arena, code->stmt->expr)
                         : NULL;
        divide_stmt(at, code->stmt);
    }
    for (size_t i = 0; i < code->child_nr; i++)
        divide_code(at, code->child[i]);
}

void gen_reciprocals(struct gen *gen, struct code *code)
{
    if (code->kind == CODE_FOR &&
        strvec_has(&gen->work->dividing.loops, code->band->name)) {
        struct dividing at = {.gen = gen, .loop = code};
        divide_code(&at, code);
        return;
    }
    for (size_t i = 0; i < code->child_nr; i++) {
        struct code *child = code->child[i];
        gen_reciprocals(gen, child);
        i = code_index(child); /* declarations put before a loop shift it */
    }
}
