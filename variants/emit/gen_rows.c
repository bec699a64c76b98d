/*
 * Prefetches in loops inside of statements that the model does not take apart, such as
 * the rows of a sparse matrix. No index array is read where the loop does not read it.
 */
#include "variants/emit/gen.h"

#include <stdlib.h>
#include <string.h>

enum { INNER_FETCHES_MAX = 16 };

struct inner {
    struct gen *gen;
    struct code *code; /* the statement */
    const struct ir_stmt *loop, *above[DEPTH_MAX];
    size_t above_nr;
    struct ir_stmt *into;
    const struct ir_expr *source[INNER_FETCHES_MAX]; /* elements, as they are now */
    size_t source_nr;
    size_t *done;
};

/* It has now the value that it has when the iteration fetched for comes. */
static bool holds_still(const struct inner *at, const struct ir_expr *expr)
{
    bool still = expr->kind != IR_CALL && expr->kind != IR_ASSIGN && expr->kind != IR_RAW;
    if (expr->kind == IR_NAME && expr->symbol != at->loop->iterator)
        still = !stmt_find(at->loop->child[0], ahead_sets, expr->symbol);
    for (size_t i = 0; still && i < expr->arg_nr; i++)
        still = holds_still(at, expr->arg[i]);
    return still;
}

/* The loop of the source around the statement when that runs in each of its iterations.
 */
static const struct loop *row_loop(const struct inner *at)
{
    const struct statement *statement = &at->gen->nest->statement[at->code->statement];
    if (!statement->depth || at->above_nr)
        return NULL;
    const struct loop *loop = statement->loop[statement->depth - 1];
    const struct ir_stmt *body = loop->stmt->child[0];
    bool direct = body == statement->stmt;
    for (size_t i = 0; body->kind == IR_BLOCK && i < body->child_nr; i++)
        direct = direct || body->child[i] == statement->stmt;
    return direct && loop->stmt->step == 1 && statement->stmt->kind == IR_FOR ? loop
                                                                              : NULL;
}

/* for (k = p[i]; k < p[i + 1]; k++) in all iterations of i: one row follows the other, so
 * that any k below the last row's end belongs to some row. That end, or NULL. */
static struct ir_expr *rows_end(const struct inner *at)
{
    struct gen *gen = at->gen;
    const struct loop *row = row_loop(at);
    const struct ir_stmt *loop = row ? at->loop : NULL;
    if (!loop || loop->step != 1 || strcmp(loop->cmp, "<") ||
        loop->lower->kind != IR_INDEX || !at->code->iterator_nr)
        return NULL;
    const struct statement *statement = &gen->nest->statement[at->code->statement];
    const struct ir_stmt *source = statement->stmt;
    struct ir_symbol *iterator = row->stmt->iterator;
    struct ir_expr *next = expr_plus(gen->arena, ir_name(gen->arena, iterator), 1);
    struct ir_expr *after = ir_substitute(gen->arena, source->lower, &iterator, &next, 1);
    struct buf a = {0}, b = {0};
    ir_print_expr(&a, expr_simplify(gen->arena, after));
    ir_print_expr(&b, expr_simplify(gen->arena, source->upper));
    bool rows = !strcmp(buf_str(&a), buf_str(&b)) && holds_still(at, loop->lower) &&
                !fetch_may_change(gen->nest, fetch_root(loop->lower));
    buf_release(&a);
    buf_release(&b);
    if (!rows)
        return NULL;
    struct ir_symbol *symbol[DEPTH_MAX];
    struct ir_expr *by[DEPTH_MAX];
    for (size_t i = 0; i < statement->depth; i++) {
        symbol[i] = statement->loop[i]->stmt->iterator;
        by[i] = at->code->iterator[i];
    }
    struct ir_expr *last = ir_substitute(gen->arena, loop_last(gen, row->stmt), symbol,
                                         by, statement->depth);
    by[statement->depth - 1] = last;
    return ir_substitute(gen->arena, source->upper, symbol, by, statement->depth);
}

/* k + d < end ? k + d : k */
static struct ir_expr *within(struct gen *gen, struct ir_expr *now, struct ir_expr *end,
                              long long distance)
{
    struct ir_expr *expr = ir_expr_new(gen->arena, IR_COND, 3);
    struct ir_expr *ahead = expr_plus(gen->arena, now, distance);
    expr->type = now->type;
    expr->arg[0] = ir_binary(gen->arena, "<", ahead, end);
    expr->arg[1] = ahead;
    expr->arg[2] = now;
    return expr;
}

static void put_inner(struct inner *at, struct ir_stmt *stmt)
{
    at->into->child[at->into->child_nr++] = stmt;
}

/* The element as it is now says what is fetched already. */
static bool is_new_inner(struct inner *at, const struct ir_expr *source, bool near)
{
    for (size_t i = 0; i < at->source_nr; i++)
        if (expr_equal(at->source[i], source) ||
            (near && ahead_is_near(at->gen, at->source[i], source)))
            return false;
    if (at->source_nr == INNER_FETCHES_MAX)
        return false;
    at->source[at->source_nr++] = source;
    ++*at->done;
    return true;
}

static bool is_held(const struct ir_symbol *symbol, const void *data)
{
    const struct inner *at = data;
    return symbol == at->loop->iterator ||
           !stmt_find(at->loop->child[0], ahead_sets, symbol);
}

/* The same in all rows: what the row's loop sets has other values there. */
static bool is_of_any_row(const struct inner *at, const struct ir_expr *expr)
{
    const struct statement *statement = &at->gen->nest->statement[at->code->statement];
    const struct ir_symbol *symbol = expr->kind == IR_NAME ? expr->symbol : NULL;
    bool any = !symbol || symbol == at->loop->iterator || symbol->type.pointers ||
               symbol->dim_nr || symbol_is_param(at->gen->nest, symbol);
    for (size_t i = 0; !any && i + 1 < statement->depth; i++)
        any = statement->loop[i]->stmt->iterator == symbol;
    for (size_t i = 0; any && i < expr->arg_nr; i++)
        any = is_of_any_row(at, expr->arg[i]);
    return any;
}

/* What is loaded on the way to the element. */
static bool loads_of_any_row(const struct inner *at, const struct ir_expr *expr)
{
    bool any = true;
    for (; any && expr->kind == IR_INDEX; expr = expr->arg[0])
        any = !expr_loads(expr->arg[1]) || is_of_any_row(at, expr->arg[1]);
    return any;
}

static bool ends_early(const struct ir_stmt *stmt, const void *data)
{
    (void)data;
    return stmt->kind == IR_RETURN || stmt->kind == IR_OPAQUE ||
           (stmt->kind == IR_JUMP && !strncmp(stmt->text, "goto", 4));
}

static struct ir_expr *inner_ahead(const struct inner *at, const struct ir_expr *element,
                                   const struct ir_expr *cond,
                                   const struct prefetch *prefetch)
{
    struct gen *gen = at->gen;
    struct ir_symbol *iterator = at->loop->iterator;
    struct ir_expr *now = ir_name(gen->arena, iterator), *end = rows_end(at);
    size_t index = (size_t)(prefetch - gen->work->prefetch);
    bool far = end && loads_of_any_row(at, element) && (!cond || is_of_any_row(at, cond));
    if (!far)
        return fetch_clamped(gen, at->loop, now, loop_last(gen, at->loop),
                             prefetch->distance);
    at->code->followed |= index < 64 ? 1ULL << index : 0;
    return within(gen, now, end, prefetch->distance);
}

/* const int later = ...; its name. */
static struct ir_expr *named_later(struct inner *at, struct ir_expr *value)
{
    struct gen *gen = at->gen;
    for (size_t i = 0; i < at->into->child_nr; i++)
        if (at->into->child[i]->kind == IR_DECL &&
            expr_equal(at->into->child[i]->expr, value))
            return ir_name(gen->arena, at->into->child[i]->symbol);
    struct ir_stmt *stmt = ir_stmt_new(gen->arena, IR_DECL, 0);
    stmt->symbol = fetch_later(gen, at->loop->iterator);
    stmt->expr = value;
    put_inner(at, stmt);
    return ir_name(gen->arena, stmt->symbol);
}

/* What the loop reads under conditions, or computes the address of. */
static void fetch_inner_later(struct inner *at, const struct ir_expr *wanted,
                              const struct prefetch *prefetch)
{
    struct ahead_request request = {
        .body = at->loop->child[0], .wanted = wanted, .known = is_held, .data = at};
    struct ir_symbol *iterator = at->loop->iterator;
    struct ahead ahead;
    if (stmt_breaks_out(at->loop->child[0]) ||
        stmt_find(at->loop->child[0], ends_early, NULL) ||
        !ahead_find(at->gen, &request, &ahead) || !expr_mentions(ahead.element, iterator))
        return;
    if (!is_new_inner(at, ahead.element, true))
        return;
    struct ir_arena *arena = at->gen->arena;
    struct ir_expr *by = inner_ahead(at, ahead.element, ahead.cond, prefetch);
    if (ahead.cond) {
        by = named_later(at, by);
        ahead.cond = ir_substitute(arena, ahead.cond, &iterator, &by, 1);
    }
    put_inner(at,
              fetch_stmt(at->gen, ir_substitute(arena, ahead.element, &iterator, &by, 1),
                         ahead.cond, false, prefetch->level));
}

static void fetch_inner(struct inner *at, struct ir_expr *wanted, bool maybe)
{
    struct gen *gen = at->gen;
    bool element = (wanted->kind == IR_INDEX || wanted->kind == IR_MEMBER) &&
                   !wanted->type.pointers && wanted->type.scalar != IR_RECORD;
    const struct prefetch *prefetch = element ? fetch_wanted(gen, wanted) : NULL;
    struct ir_symbol *iterator = at->loop->iterator;
    if (!prefetch)
        return;
    struct ir_expr *expr = fetch_resolved(gen, wanted);
    if (holds_still(at, expr) && !expr_mentions(expr, iterator))
        return;
    if (!holds_still(at, expr) || !fetch_is_safe(gen, expr) ||
        (maybe && fetch_loads(expr))) {
        fetch_inner_later(at, wanted, prefetch);
        return;
    }
    if (!is_new_inner(at, expr, false))
        return;
    struct ir_expr *by = inner_ahead(at, expr, NULL, prefetch);
    put_inner(at, fetch_stmt(gen, ir_substitute(gen->arena, expr, &iterator, &by, 1),
                             NULL, false, prefetch->level));
}

/* `maybe`: not in every iteration. */
static void find_inner(struct inner *at, struct ir_expr *expr, bool maybe)
{
    if (!expr)
        return;
    bool decides =
        expr->kind == IR_COND ||
        (expr->kind == IR_BINARY && (!strcmp(expr->op, "&&") || !strcmp(expr->op, "||")));
    fetch_inner(at, expr, maybe);
    for (size_t i = 0; i < expr->arg_nr; i++)
        find_inner(at, expr->arg[i], maybe || (decides && i > 0));
}

/* Loops inside have prefetches of their own. */
static void find_in_stmt(struct inner *at, const struct ir_stmt *stmt, bool maybe)
{
    if (!stmt || (stmt->kind == IR_FOR && stmt->canonical))
        return;
    bool inside =
        maybe || stmt->kind == IR_IF || stmt->kind == IR_WHILE || stmt->kind == IR_FOR;
    find_inner(at, stmt->expr, maybe);
    find_inner(at, stmt->cond, maybe);
    for (size_t i = 0; i < stmt->child_nr; i++)
        find_in_stmt(at, stmt->child[i], inside);
}

static void fetch_in_loop(struct inner *at, struct ir_stmt *stmt)
{
    struct ir_stmt *old = stmt->child[0];
    bool block = old->kind == IR_BLOCK;
    size_t nr = block ? old->child_nr : 1;
    struct ir_stmt *body =
        ir_stmt_new(at->gen->arena, IR_BLOCK, 2 * INNER_FETCHES_MAX + nr);
    struct inner here = *at;
    here.loop = stmt;
    here.into = body;
    body->child_nr = 0;
    find_in_stmt(&here, old, stmt_breaks_out(old));
    if (!body->child_nr)
        return;
    for (size_t i = 0; i < nr; i++)
        put_inner(&here, block ? old->child[i] : old);
    stmt->child[0] = body;
}

static void fetch_in_stmt(struct inner *at, struct ir_stmt *stmt)
{
    if (!stmt)
        return;
    bool loop = stmt->kind == IR_FOR && stmt->canonical;
    if (loop)
        fetch_in_loop(at, stmt);
    if (loop && at->above_nr < DEPTH_MAX)
        at->above[at->above_nr++] = stmt;
    for (size_t i = 0; i < stmt->child_nr; i++)
        fetch_in_stmt(at, stmt->child[i]);
    at->above_nr -= loop && at->above_nr;
}

size_t fetch_collapsed(struct gen *gen, struct code *code)
{
    size_t done = 0;
    struct inner at = {.gen = gen, .code = code, .done = &done};
    fetch_in_stmt(&at, code->stmt);
    return done;
}
