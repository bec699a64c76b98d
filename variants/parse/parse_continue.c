/* `if (c) continue; rest` in the body of a loop is `if (!c) { rest }`: conditions can be
 * modelled, jumps cannot. Loops in the rest are better off as they are where the
 * condition reads memory: below such a condition they would be part of one statement. */
#include <string.h>

#include "variants/parse/parse.h"

static bool is_continue(const struct ir_stmt *stmt)
{
    return stmt->kind == IR_JUMP && strcmp(stmt->text, "continue") == 0;
}

/* The statements before the `continue` that ends `stmt`; NULL when it ends otherwise. */
static struct ir_stmt *before_continue(struct ir_arena *arena, const struct ir_stmt *stmt)
{
    if (stmt && is_continue(stmt))
        return ir_stmt_new(arena, IR_BLOCK, 0);
    if (!stmt || stmt->kind != IR_BLOCK || stmt->child_nr == 0 ||
        !is_continue(stmt->child[stmt->child_nr - 1]))
        return NULL;
    struct ir_stmt *block = ir_alloc(arena, sizeof(*block));
    *block = *stmt;
    block->child_nr--;
    return block;
}

static bool compares_integers(const struct ir_expr *cond)
{
    for (size_t i = 0; i < 2; i++)
        if (cond->arg[i]->type.pointers || cond->arg[i]->type.scalar != IR_INT)
            return false;
    return true;
}

/* Of numbers in general only == and != have an exact opposite: comparisons with NaN are
 * false. */
static const char *opposite_op(const struct ir_expr *cond)
{
    static const char *const op[][2] = {{"==", "!="}, {"!=", "=="}, {"<", ">="},
                                        {">=", "<"},  {">", "<="},  {"<=", ">"}};
    for (size_t i = 0; cond->kind == IR_BINARY && i < ARRAY_SIZE(op); i++)
        if (strcmp(cond->op, op[i][0]) == 0)
            return i < 2 || compares_integers(cond) ? op[i][1] : NULL;
    return NULL;
}

static struct ir_expr *opposite(struct ir_arena *arena, struct ir_expr *cond)
{
    const char *op = opposite_op(cond);
    if (op) {
        cond->op = op;
        cond->has_value = false;
        return cond;
    }
    if (cond->kind == IR_UNARY && strcmp(cond->op, "!") == 0)
        return cond->arg[0];
    struct ir_expr *negated = ir_expr_new(arena, IR_UNARY, 1);
    negated->op = "!";
    negated->type = (struct ir_type){.text = "int", .scalar = IR_INT, .bytes = 4};
    negated->line = cond->line;
    negated->arg[0] = cond;
    return negated;
}

static void find_memory(struct ir_expr *expr, void *data)
{
    bool *found = data, pointer = expr->kind == IR_UNARY && strcmp(expr->op, "*") == 0;
    *found = *found || pointer || expr->kind == IR_INDEX || expr->kind == IR_MEMBER ||
             expr->kind == IR_CALL || expr->kind == IR_RAW;
}

static bool has_loop(const struct ir_stmt *stmt)
{
    bool found = stmt && (stmt->kind == IR_FOR || stmt->kind == IR_WHILE);
    for (size_t i = 0; stmt && !found && i < stmt->child_nr; i++)
        found = has_loop(stmt->child[i]);
    return found;
}

static bool pays(const struct ir_stmt *body, size_t jump)
{
    bool reads = false, loops = false;
    ir_visit(body->child[jump]->cond, find_memory, &reads);
    for (size_t i = jump; reads && !loops && i < body->child_nr; i++)
        loops = has_loop(body->child[i]);
    return !loops;
}

static void set_span(struct ir_stmt *stmt, const struct ir_stmt *first,
                     const struct ir_stmt *last)
{
    stmt->line = first->line;
    stmt->begin = first->begin;
    stmt->end_line = last->end_line;
    stmt->end = last->end;
}

/* The children of `block` behind the first `nr`. */
static struct ir_stmt *rest_of(struct ir_arena *arena, const struct ir_stmt *block,
                               size_t nr)
{
    struct ir_stmt *rest = ir_stmt_new(arena, IR_BLOCK, block->child_nr - nr);
    for (size_t i = nr; i < block->child_nr; i++)
        rest->child[i - nr] = block->child[i];
    set_span(rest, block->child[nr], block->child[block->child_nr - 1]);
    return rest;
}

void parse_continues(struct ir_arena *arena, struct ir_stmt *body)
{
    for (size_t i = 0; body->kind == IR_BLOCK && i + 1 < body->child_nr; i++) {
        struct ir_stmt *stmt = body->child[i], *before = NULL;
        if (stmt->kind == IR_IF && !stmt->child[1])
            before = before_continue(arena, stmt->child[0]);
        if (!before || !pays(body, i))
            continue;
        struct ir_stmt *rest = rest_of(arena, body, i + 1);
        parse_continues(arena, rest);
        set_span(stmt, stmt, rest);
        stmt->child[before->child_nr > 0] = rest;
        if (before->child_nr > 0)
            stmt->child[0] = before;
        else
            stmt->cond = opposite(arena, stmt->cond);
        body->child_nr = i + 1;
    }
}
