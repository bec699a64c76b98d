/*
 * Loops of unknown length side by side: each iteration of the loop around that is not
 * done takes one step of its own, in rounds, until none is left. From `while (low <
 * high)` in each iteration of q:
 *
 *     do {
 *         busy = 0;
 *         for (q = qt; q < qt + 32; q++) {
 *             int low = low_x[q - qt], high = high_x[q - qt];
 *             if (low < high) {
 *                 busy = 1;
 *                 ...
 *                 low_x[q - qt] = low, high_x[q - qt] = high;
 *             }
 *         }
 *     } while (busy);
 *
 * The condition of an iteration that is done is evaluated again, with the same values.
 * Where that is not the same as once, or the loop is left otherwise, more[q - qt] says
 * which are not done, and the loop itself stands there, left behind its first iteration:
 *
 *             if (more[q - qt]) {
 *                 more[q - qt] = 0;
 *                 while (key[at] != next(state)) {
 *                     ...
 *                     more[q - qt] = 1;
 *                     break;
 *                 }
 *                 busy |= more[q - qt];
 *             }
 *
 * Where steps are arithmetic alone, they are done for all iterations, and what they give
 * is taken for those that are not done: compilers make vectors of that.
 */
#include <string.h>

#include "variants/emit/gen.h"
#include "variants/ir/sum.h"
#include "variants/transform/packing.h"

enum { VALUES_MAX = 32 };

struct rounds {
    struct gen *gen;
    struct code *loop;
    struct ir_expr
        *element[VALUES_MAX]; /* of local arrays, which the loop changes or reads */
    struct ir_symbol *local[VALUES_MAX]; /* that it is kept in during one step */
    bool written[VALUES_MAX];
    size_t nr;
    struct ir_symbol *busy;
    struct ir_expr *more; /* more[q - qt] */
};

/* ---- pieces of code ---- */

static struct ir_stmt *expression(struct rounds *at, struct ir_expr *expr)
{
    struct ir_stmt *stmt = ir_stmt_new(at->gen->arena, IR_EXPR, 0);
    stmt->expr = expr;
    return stmt;
}

static struct ir_expr *assign(struct rounds *at, const char *op, struct ir_expr *to,
                              struct ir_expr *value)
{
    return ir_assign(at->gen->arena, op, ir_copy(at->gen->arena, to), value);
}

static struct ir_stmt *assignment(struct rounds *at, const char *op, struct ir_expr *to,
                                  struct ir_expr *value)
{
    return expression(at, assign(at, op, to, value));
}

static struct ir_expr *set_more(struct rounds *at, long long value)
{
    return assign(at, "=", at->more, ir_integer(at->gen->arena, value));
}

static struct ir_stmt *declaration(struct rounds *at, struct ir_symbol *symbol,
                                   struct ir_expr *value)
{
    struct ir_stmt *stmt = ir_stmt_new(at->gen->arena, IR_DECL, 0);
    stmt->symbol = symbol;
    stmt->expr = value;
    return stmt;
}

/* A block that further statements are put into by push. */
static struct ir_stmt *new_block(struct rounds *at, size_t room)
{
    struct ir_stmt *block = ir_stmt_new(at->gen->arena, IR_BLOCK, room);
    block->child_nr = 0;
    return block;
}

static void push(struct ir_stmt *block, struct ir_stmt *stmt)
{
    block->child[block->child_nr++] = stmt;
}

static void put_declaration(struct rounds *at, struct ir_symbol *symbol)
{
    struct code *line = code_statement(at->gen, IR_DECL, NULL);
    line->stmt->symbol = symbol;
    code_insert(at->loop->parent, 0, line);
}

/* ---- values that live from step to step ---- */

/* The iteration's place in its block. */
static struct ir_expr *lane(struct rounds *at)
{
    struct ir_arena *arena = at->gen->arena;
    struct ir_expr *place = ir_binary(arena, "-", ir_name(arena, at->loop->var),
                                      ir_copy(arena, at->loop->lower));
    long long step = at->loop->step;
    return step == 1 ? place : ir_binary(arena, "/", place, ir_integer(arena, step));
}

static struct ir_expr *own_array(struct rounds *at, const char *stem,
                                 const struct ir_type *type)
{
    struct ir_arena *arena = at->gen->arena;
    struct ir_type of = *type;
    of.is_const = false;
    struct ir_expr *element = ir_expr_new(arena, IR_INDEX, 2);
    element->type = of;
    struct ir_symbol *array =
        gen_array(at->gen, gen_name(at->gen, stem, false), &of, at->loop->band->rounds);
    put_declaration(at, array);
    element->arg[0] = ir_name(arena, array);
    element->arg[1] = lane(at);
    return element;
}

/* The scalar in whose local array this is an element; NULL = in none. */
static const struct ir_symbol *scalar_of(const struct rounds *at,
                                         const struct ir_expr *expr)
{
    const struct gen *gen = at->gen;
    while (expr->kind == IR_INDEX)
        expr = expr->arg[0];
    for (size_t i = 0; gen->buffer && expr->kind == IR_NAME && i < gen->work->box_nr; i++)
        if (gen->work->box[i].is_scalar && gen->buffer[i] == expr->symbol)
            return gen->nest->cell[gen->work->box[i].cell].symbol;
    return NULL;
}

static size_t value_of(struct rounds *at, struct ir_expr *element, const char *stem)
{
    size_t i = 0;
    while (i < at->nr && !expr_equal(at->element[i], element))
        i++;
    if (i < at->nr || i == VALUES_MAX) {
        at->gen->problem = i < VALUES_MAX ? at->gen->problem
                                          : "a loop has too many values that live from "
                                            "one of its iterations to the next";
        return i < VALUES_MAX ? i : 0;
    }
    struct ir_type type = element->type;
    type.is_const = false;
    at->element[at->nr] = element;
    at->local[at->nr] = gen_symbol(at->gen, gen_name(at->gen, stem, true), &type);
    return at->nr++;
}

/* Elements become the variables that hold them during a step. */
static void keep_in_local(struct ir_expr *expr, void *data)
{
    struct rounds *at = data;
    const struct ir_symbol *scalar = expr->kind == IR_INDEX ? scalar_of(at, expr) : NULL;
    if (expr_sets(expr) && scalar_of(at, expr->arg[0])) {
        keep_in_local(expr->arg[0], data);
        for (size_t i = 0; i < at->nr; i++)
            at->written[i] = at->written[i] || at->local[i] == expr->arg[0]->symbol;
    }
    if (!scalar)
        return;
    size_t i = value_of(at, ir_copy(at->gen->arena, expr), scalar->name);
    *expr = *ir_name(at->gen->arena, at->local[i]);
}

static void push_loads(struct rounds *at, struct ir_stmt *block)
{
    for (size_t i = 0; i < at->nr; i++)
        push(block,
             declaration(at, at->local[i], ir_copy(at->gen->arena, at->element[i])));
}

static void push_stores(struct rounds *at, struct ir_stmt *block)
{
    for (size_t i = 0; i < at->nr; i++)
        if (at->written[i])
            push(block, assignment(at, "=", at->element[i],
                                   ir_name(at->gen->arena, at->local[i])));
}

/* ---- steps that are arithmetic alone ---- */

static bool is_signed(const struct ir_expr *expr)
{
    return expr->type.scalar == IR_INT && !expr->type.is_unsigned &&
           expr->type.bytes >= sizeof(int);
}

/* It may be evaluated where the source does not: no memory, no trap, no call. */
static bool is_harmless(const struct ir_expr *expr)
{
    static const char *const op[] = {"+",  "-", "*", "<", ">",  "<=", ">=", "==",
                                     "!=", "&", "|", "^", "&&", "||", "!",  "~"};
    bool known = expr->kind == IR_LITERAL || expr->kind == IR_COND ||
                 (expr->kind == IR_NAME && !expr->type.is_volatile);
    bool number = !expr->type.pointers &&
                  (expr->type.scalar == IR_INT || expr->type.scalar == IR_FLOAT);
    for (size_t i = 0; i < ARRAY_SIZE(op) && expr->op; i++)
        known = known || ((expr->kind == IR_BINARY || expr->kind == IR_UNARY) &&
                          !strcmp(expr->op, op[i]));
    if (expr->kind == IR_UNARY && *expr->op == '-')
        known = known && !is_signed(expr); /* of the least number it is none */
    if (expr->kind == IR_CAST) /* a number that an integer cannot hold is no integer */
        known = expr->type.scalar == IR_FLOAT || expr->arg[0]->type.scalar == IR_INT;
    for (size_t i = 0; known && i < expr->arg_nr; i++)
        known = is_harmless(expr->arg[i]);
    return known && number;
}

static bool is_local(const struct rounds *at, struct ir_stmt *const *part, size_t nr,
                     const struct ir_symbol *symbol)
{
    bool found = false;
    for (size_t i = 0; i < at->nr; i++)
        found = found || at->local[i] == symbol;
    for (size_t i = 0; i < nr; i++)
        found = found || (part[i]->kind == IR_DECL && part[i]->symbol == symbol);
    return found;
}

static bool is_plain(const struct rounds *at, struct ir_stmt *const *part, size_t nr,
                     const struct ir_stmt *stmt)
{
    const struct ir_expr *expr = stmt->expr;
    if (stmt->kind == IR_DECL)
        return !stmt->symbol->dim_nr && !stmt->symbol->is_static && expr &&
               (stmt->symbol->type.scalar == IR_FLOAT || expr->type.scalar == IR_INT) &&
               is_harmless(expr);
    if (stmt->kind != IR_EXPR || !expr_sets(expr) || expr->arg[0]->kind != IR_NAME ||
        !is_local(at, part, nr, expr->arg[0]->symbol) || expr->type.bytes < sizeof(int))
        return false;
    if (expr->kind == IR_UNARY)
        return true;
    bool known = !expr->op[1] || (expr->op[1] == '=' && strchr("+-*&|^", expr->op[0]));
    bool same = !expr->op[1] || (expr->arg[1]->type.scalar == expr->type.scalar &&
                                 expr->arg[1]->type.bytes <= expr->type.bytes);
    bool fits = expr->type.scalar == IR_FLOAT || expr->arg[1]->type.scalar == IR_INT;
    return known && same && fits && is_harmless(expr->arg[1]);
}

static bool is_arithmetic(const struct rounds *at, const struct ir_stmt *stmt)
{
    struct ir_stmt *const *part = stmt->child[0]->child;
    size_t nr = stmt->child[0]->kind == IR_BLOCK ? stmt->child[0]->child_nr : 0;
    bool all = stmt->kind == IR_WHILE && nr && is_harmless(stmt->cond);
    for (size_t i = 0; all && i < nr; i++)
        all = is_plain(at, part, nr, part[i]);
    return all;
}

/* Signed sums and products as unsigned ones, which do not overflow where the source does
 * not make them. */
static struct ir_expr *wrapping(struct rounds *at, struct ir_expr *expr)
{
    for (size_t i = 0; i < expr->arg_nr; i++)
        expr->arg[i] = wrapping(at, expr->arg[i]);
    if (!expr_is_polynomial(expr) || !is_signed(expr))
        return expr;
    struct ir_type type = ir_unsigned(&expr->type);
    struct ir_expr *a = gen_cast(at->gen, &type, expr->arg[0]),
                   *b = gen_cast(at->gen, &type, expr->arg[1]);
    return gen_cast(at->gen, &expr->type, gen_plain(at->gen, expr->op, a, b));
}

/* x += e and x++ as x = x + e. */
static struct ir_stmt *plain(struct rounds *at, struct ir_stmt *stmt)
{
    struct ir_arena *arena = at->gen->arena;
    struct ir_expr *expr = stmt->expr;
    if (stmt->kind == IR_DECL)
        return declaration(at, stmt->symbol, wrapping(at, expr));
    if (!strcmp(expr->op, "="))
        return assignment(at, "=", expr->arg[0], wrapping(at, expr->arg[1]));
    bool counts = expr->kind == IR_UNARY;
    char sign = counts ? (strstr(expr->op, "++") ? '+' : '-') : *expr->op;
    struct ir_expr *by = counts ? ir_integer(arena, 1) : expr->arg[1];
    struct ir_expr *value =
        gen_plain(at->gen, ir_textf(arena, "%c", sign), ir_copy(arena, expr->arg[0]), by);
    value->type = expr->type;
    return assignment(at, "=", expr->arg[0], wrapping(at, value));
}

/* Comparisons joined without a branch. */
static struct ir_expr *joined(struct rounds *at, struct ir_expr *cond)
{
    bool binary = cond->kind == IR_BINARY;
    if (binary &&
        (strchr("<>", *cond->op) || !strcmp(cond->op, "==") || !strcmp(cond->op, "!=")))
        return cond;
    if (!binary || (strcmp(cond->op, "&&") && strcmp(cond->op, "||")))
        return ir_binary(at->gen->arena, "!=", cond, ir_integer(at->gen->arena, 0));
    return ir_binary(at->gen->arena, ir_textf(at->gen->arena, "%.1s", cond->op),
                     joined(at, cond->arg[0]), joined(at, cond->arg[1]));
}

/* All iterations take the step; what it gives is kept for those that are not done. */
static struct ir_stmt *masked_step(struct rounds *at, const struct ir_stmt *stmt)
{
    struct ir_arena *arena = at->gen->arena;
    struct ir_symbol *on = gen_symbol(at->gen, gen_name(at->gen, "on", false), &ir_int);
    struct ir_stmt *const *part = stmt->child[0]->child;
    size_t nr = stmt->child[0]->child_nr;
    struct ir_stmt *block = new_block(at, 2 * at->nr + nr + 4);
    push_loads(at, block);
    struct ir_expr *cond = joined(at, wrapping(at, stmt->cond));
    push(block, declaration(at, on, stmt->is_do ? ir_copy(arena, at->more) : cond));
    for (size_t i = 0; i < nr; i++)
        push(block, plain(at, part[i]));
    for (size_t i = 0; i < at->nr; i++) {
        struct ir_expr *kept = ir_expr_new(arena, IR_COND, 3);
        if (!at->written[i])
            continue;
        kept->type = at->element[i]->type;
        kept->arg[0] = ir_name(arena, on);
        kept->arg[1] = ir_name(arena, at->local[i]);
        kept->arg[2] = ir_copy(arena, at->element[i]);
        push(block, assignment(at, "=", at->element[i], kept));
    }
    if (stmt->is_do) {
        push(block, assignment(at, "&=", ir_name(arena, on), cond));
        push(block, assignment(at, "=", at->more, ir_name(arena, on)));
    }
    push(block, assignment(at, "|=", ir_name(arena, at->busy), ir_name(arena, on)));
    return block;
}

/* ---- other steps ---- */

/* With what the head of a `for` does behind it. */
static void push_body(struct rounds *at, const struct ir_stmt *loop,
                      struct ir_stmt *block)
{
    const struct ir_stmt *body = loop->child[0];
    for (size_t i = 0; body->kind == IR_BLOCK && i < body->child_nr; i++)
        push(block, body->child[i]);
    if (body->kind != IR_BLOCK && body->kind != IR_EMPTY)
        push(block, loop->child[0]);
    if (loop->increment)
        push(block, expression(at, loop->increment));
}

static size_t parts(const struct ir_stmt *loop)
{
    return loop->child[0]->child_nr + 2;
}

/* Evaluating the condition once more is the same as once, and only it ends the loop. */
static bool ends_by_condition(const struct ir_stmt *loop)
{
    return loop->cond && !loop->is_do && expr_is_repeatable(loop->cond) &&
           !stmt_breaks_out(loop->child[0]);
}

static struct ir_stmt *conditional_step(struct rounds *at, const struct ir_stmt *loop)
{
    struct ir_arena *arena = at->gen->arena;
    struct ir_stmt *block = new_block(at, at->nr + 1),
                   *step = new_block(at, at->nr + parts(loop) + 1),
                   *test = ir_stmt_new(arena, IR_IF, 1);
    push_loads(at, block);
    push(step, assignment(at, "=", ir_name(arena, at->busy), ir_integer(arena, 1)));
    push_body(at, loop, step);
    push_stores(at, step);
    test->cond = loop->cond;
    test->child[0] = step;
    push(block, test);
    return block;
}

/* The loop as it is, left behind its first iteration. */
static struct ir_stmt *one_iteration(struct rounds *at, const struct ir_stmt *loop)
{
    struct ir_arena *arena = at->gen->arena;
    struct ir_stmt *body = new_block(at, parts(loop) + 2), *once, *end;
    once = ir_stmt_new(arena, IR_WHILE, 1);
    once->is_do = loop->is_do;
    once->cond =
        !loop->is_do && loop->cond ? loop->cond : ir_integer(arena, !loop->is_do);
    once->child[0] = body;
    push_body(at, loop, body);
    if (loop->is_do) {
        struct ir_expr *goes_on =
            ir_binary(arena, "!=", loop->cond, ir_integer(arena, 0));
        push(body, assignment(at, "=", at->more, goes_on));
        return once;
    }
    end = ir_stmt_new(arena, IR_JUMP, 0);
    end->text = "break";
    push(body, expression(at, set_more(at, 1)));
    push(body, end);
    return once;
}

static struct ir_stmt *guarded_step(struct rounds *at, const struct ir_stmt *loop)
{
    struct ir_arena *arena = at->gen->arena;
    struct ir_stmt *block = new_block(at, 1), *step = new_block(at, 2 * at->nr + 3),
                   *test = ir_stmt_new(arena, IR_IF, 1);
    push_loads(at, step);
    push(step, expression(at, set_more(at, 0)));
    push(step, one_iteration(at, loop));
    push_stores(at, step);
    push(step, assignment(at, "|=", ir_name(arena, at->busy), ir_copy(arena, at->more)));
    test->cond = ir_copy(arena, at->more);
    test->child[0] = step;
    push(block, test);
    return block;
}

/* ---- one loop ---- */

/* What the head of a `for` does before its first iteration, and a variable of its own. */
static void take_head(struct rounds *at, struct ir_stmt *stmt)
{
    struct ir_stmt *init = stmt->init;
    if (!init)
        return;
    if (init->kind == IR_DECL) {
        struct ir_symbol *own = init->symbol;
        struct ir_expr *element = own_array(at, own->name, &own->type),
                       *by = ir_copy(at->gen->arena, element);
        size_t i = value_of(at, element, own->name);
        at->written[i] = true;
        gen_repeat(at->gen, at->loop, assign(at, "=", element, init->expr));
        by = ir_name(at->gen->arena, at->local[i]);
        *stmt = *stmt_substitute(at->gen->arena, stmt, &own, &by, 1);
    } else
        gen_repeat(at->gen, at->loop, init->expr);
    stmt->init = NULL;
}

/* The loop of unknown length; what stands before it are declarations. NULL = there is
 * more. */
static struct code *only_loop(const struct code *block)
{
    struct code *last = block->child[block->child_nr - 1];
    bool only = last->kind == CODE_STMT && last->statement != SIZE_MAX;
    for (size_t i = 0; only && i + 1 < block->child_nr; i++) {
        const struct ir_stmt *stmt = block->child[i]->stmt;
        only = stmt && stmt->kind == IR_DECL && !stmt->expr;
    }
    return only ? last : NULL;
}

static void put_in_rounds(struct gen *gen, struct code *loop)
{
    struct code *only = only_loop(loop->child[0]);
    struct rounds at = {.gen = gen, .loop = loop};
    if (!only || loop->parallel) {
        gen->problem = "a loop whose iterations run in rounds can be neither divided nor "
                       "shared out";
        return;
    }
    struct ir_stmt *stmt = ir_alloc(gen->arena, sizeof(*stmt));
    *stmt = *only->stmt;
    take_head(&at, stmt);
    stmt_exprs(stmt, keep_in_local, &at);
    at.busy = gen_symbol(gen, gen_name(gen, "busy", false), &ir_int);
    put_declaration(&at, at.busy);
    bool masked = is_arithmetic(&at, stmt), by_condition = ends_by_condition(stmt);
    if (!by_condition) {
        at.more = own_array(&at, "more", &ir_int);
        gen_repeat(gen, loop, set_more(&at, 1));
    }
    const struct ir_stmt *block = masked         ? masked_step(&at, stmt)
                                  : by_condition ? conditional_step(&at, stmt)
                                                 : guarded_step(&at, stmt);
    loop->busy = at.busy;
    only->stmt = block->child[0];
    for (size_t i = 1; i < block->child_nr; i++) {
        struct code *line = code_new(CODE_STMT);
        line->statement = only->statement;
        line->stmt = block->child[i];
        code_add(loop->child[0], line);
    }
}

void gen_rounds(struct gen *gen, struct code *code)
{
    if (code->kind == CODE_FOR && code->band->rounds) {
        put_in_rounds(gen, code);
        return;
    }
    for (size_t i = 0; i < code->child_nr && !gen->problem; i++) {
        struct code *child = code->child[i];
        gen_rounds(gen, child);
        i = code_index(child); /* what is put before a loop shifts it */
    }
}
