/*
 * Integers that are set again and again to what does not change (`L2 = nx - 1;` before
 * each loop up to L2): where they are used stands what they are set to. A variable that
 * no use is left of is not set any more either. So the loops do not rest on what other
 * statements of their nest write.
 */
#include <string.h>

#include "variants/parse/parse_rewrite.h"

struct settled {
    struct parse *p;
    struct ir_symbol *symbol;
    struct ir_expr *value; /* where the walk is; NULL = not known */
    size_t left;           /* uses that stay */
    bool put;              /* the second walk; the first one counts */
};

/* ---- which variables, which values ---- */

static bool is_candidate(const struct ir_symbol *symbol)
{
    return (symbol->role == IR_LOCAL || symbol->role == IR_PARAM) && symbol->is_written &&
           !symbol->address_taken && !symbol->is_static && !symbol->is_reference &&
           !symbol->type.pointers && !symbol->dim_nr && !symbol->type.is_volatile &&
           symbol->type.scalar == IR_INT;
}

struct looks {
    bool fixed, outside; /* outside: a global variable, or a field */
};

static void look(struct ir_expr *expr, void *data)
{
    struct looks *looks = data;
    const struct ir_symbol *symbol = expr->kind == IR_NAME ? expr->symbol : NULL;
    bool kind = expr->kind == IR_LITERAL || expr->kind == IR_NAME ||
                (expr->kind == IR_BINARY && strchr("+-*/%", expr->op[0]) && !expr->op[1]);
    if (symbol && symbol->role == IR_FIELD && symbol->base->is_written)
        kind = false;
    if (symbol && (symbol->is_written || symbol->type.is_volatile || symbol->in_loop ||
                   symbol->role == IR_FUNCTION))
        kind = false;
    if (expr->type.scalar != IR_INT || expr->type.pointers)
        kind = false;
    looks->fixed = looks->fixed && (kind || expr->has_value);
    looks->outside = looks->outside ||
                     (symbol && (symbol->role == IR_GLOBAL || symbol->role == IR_FIELD));
}

static struct looks looks_of(struct ir_expr *value)
{
    struct looks looks = {.fixed = true};
    ir_visit(value, look, &looks);
    return looks;
}

static bool same_type(const struct ir_type *a, const struct ir_type *b)
{
    return a->scalar == b->scalar && a->bytes == b->bytes &&
           a->is_unsigned == b->is_unsigned;
}

/* What `x = e;` sets the variable to, if that may be written where x stands. */
static struct ir_expr *value_set(const struct settled *at, const struct ir_stmt *stmt)
{
    struct ir_expr *expr = stmt->expr,
                   *value = expr && expr->arg_nr > 1 ? expr->arg[1] : NULL;
    bool sets = stmt->kind == IR_EXPR && expr && expr->kind == IR_ASSIGN &&
                !strcmp(expr->op, "=") && expr->arg[0]->kind == IR_NAME &&
                expr->arg[0]->symbol == at->symbol;
    if (!sets || !looks_of(value).fixed || !same_type(&value->type, &at->symbol->type) ||
        rewrite_is_hidden(at->p->function->body, value))
        return NULL;
    return value;
}

/* ---- what changes the variable, or what it was set to ---- */

struct change {
    const struct settled *at;
    bool sets, reaches; /* reaches: memory outside of the function, in any way */
};

static void find_change(struct ir_expr *expr, void *data)
{
    struct change *change = data;
    const struct ir_expr *target = expr->arg_nr ? expr->arg[0] : NULL;
    bool writes =
        expr->kind == IR_ASSIGN ||
        (expr->kind == IR_UNARY && (strstr(expr->op, "++") || strstr(expr->op, "--")));
    bool harmless =
        target && (target->kind == IR_NAME ||
                   (target->type.scalar == IR_FLOAT && !target->type.pointers &&
                    !change->at->p->function->types_alias));
    change->sets = change->sets || rewrite_assigned(expr) == change->at->symbol;
    if ((writes && !harmless) || (expr->kind == IR_CALL && rewrite_has_effects(expr)) ||
        expr->kind == IR_RAW)
        change->reaches = true;
}

/* The statement does so: alone is itself, or itself without what is below. */
static bool changes(const struct settled *at, const struct ir_stmt *alone)
{
    struct change change = {.at = at};
    visit_stmt(alone, find_change, &change);
    return change.sets || (change.reaches && at->value && looks_of(at->value).outside);
}

/* ---- the walk ---- */

static struct ir_expr *put(struct ir_expr *expr, void *data)
{
    struct settled *at = data;
    if (expr->kind != IR_NAME || expr->symbol != at->symbol)
        return expr;
    at->left += !at->value;
    return at->value && at->put ? ir_copy(at->p->arena, at->value) : expr;
}

static void walk(struct settled *at, struct ir_stmt *stmt);

static void walk_block(struct settled *at, struct ir_stmt *block)
{
    size_t kept = 0;
    for (size_t i = 0; i < block->child_nr; i++) {
        struct ir_stmt *stmt = block->child[i];
        struct ir_expr *value = value_set(at, stmt);
        if (!value)
            walk(at, stmt);
        else
            at->value = value;
        if (!value || !at->put || at->left)
            block->child[kept++] = stmt;
    }
    block->child_nr = kept;
}

/* What the statement holds without its parts. */
static void put_in_head(struct settled *at, struct ir_stmt *stmt)
{
    struct ir_stmt head = *stmt;
    head.init = NULL;
    head.child_nr = 0;
    rewrite_stmt(&head, put, at);
    stmt->expr = head.expr;
    stmt->cond = head.cond;
    stmt->lower = head.lower;
    stmt->upper = head.upper;
    stmt->increment = head.increment;
}

/* A loop begins again with what its end has left. Loops that are kept as text keep their
 * names. */
static void walk_loop(struct settled *at, struct ir_stmt *loop)
{
    struct ir_expr *before = at->value;
    bool same = !changes(at, loop);
    if (!same || loop->kind == IR_WHILE)
        at->value = NULL;
    walk(at, loop->init);
    put_in_head(at, loop);
    walk(at, loop->child[0]);
    at->value = same ? before : NULL;
}

static void walk_if(struct settled *at, struct ir_stmt *stmt)
{
    struct ir_expr *begin = at->value;
    walk(at, stmt->child[0]);
    struct ir_expr *yes = at->value;
    at->value = begin;
    walk(at, stmt->child_nr > 1 ? stmt->child[1] : NULL);
    at->value = at->value == yes ? yes : NULL;
}

static void walk(struct settled *at, struct ir_stmt *stmt)
{
    if (!stmt)
        return;
    struct ir_stmt head = *stmt;
    head.child_nr = 0;
    switch (stmt->kind) {
    case IR_BLOCK:
        walk_block(at, stmt);
        return;
    case IR_FOR:
    case IR_WHILE:
        walk_loop(at, stmt);
        return;
    default:
        if (changes(at, &head))
            at->value = NULL;
        put_in_head(at, stmt);
        if (stmt->kind == IR_IF)
            walk_if(at, stmt);
    }
}

/* ---- all of them ---- */

static bool is_unsure(const struct ir_stmt *stmt, const void *data)
{
    const struct ir_symbol *symbol = data;
    return stmt->kind == IR_OPAQUE ||
           (stmt->kind == IR_JUMP && !strncmp(stmt->text, "goto", 4)) ||
           (stmt->kind == IR_FOR && stmt->canonical && stmt->iterator == symbol) ||
           (stmt->kind == IR_DECL && stmt->symbol == symbol && stmt->expr);
}

static bool is_loop_setting(const struct ir_stmt *stmt, const void *data)
{
    struct change change = {.at = data};
    if (stmt->kind == IR_FOR)
        visit_stmt(stmt, find_change, &change);
    return change.sets;
}

void parse_settle(struct parse *p)
{
    struct ir_stmt *body = p->function->body;
    for (size_t i = 0; i < p->function->symbol_nr; i++) {
        struct settled at = {.p = p, .symbol = p->function->symbol[i]};
        if (!is_candidate(at.symbol) || !stmt_find(body, is_loop_setting, &at) ||
            stmt_find(body, is_unsure, at.symbol) || rewrite_in_text(body, at.symbol))
            continue;
        walk(&at, body);
        at.value = NULL;
        at.put = true;
        walk(&at, body);
    }
}
