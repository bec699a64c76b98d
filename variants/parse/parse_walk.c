/*
 * Pointers that walk with loops that count, `*p++`: p[i] instead. All that is done with
 * the pointer stands in the body of one loop, so that whichever nest is rewritten holds
 * all of it or nothing.
 */
#include <stdlib.h>
#include <string.h>

#include "variants/parse/parse_rewrite.h"

enum { DEPTH_MAX = 12 };

/* The way from the function's body to a statement. */
struct path {
    struct ir_stmt *at[64];
    size_t nr;
};

struct walk {
    struct parse *p;
    struct ir_symbol *symbol;
    struct ir_stmt *loop[DEPTH_MAX]; /* that it moves with, outermost first */
    size_t loop_nr;
    struct ir_stmt *body;   /* of the innermost */
    struct ir_expr *moved;  /* since the iteration began; NULL = 0 */
    struct ir_expr *stride; /* per iteration */
};

/* ---- steps ---- */

static bool is_pointer(const struct ir_expr *expr, const struct ir_symbol *symbol)
{
    return expr->kind == IR_NAME && expr->symbol == symbol;
}

/* A product does not overflow where the pointer did not. */
static struct ir_expr *wide(struct ir_arena *arena, struct ir_expr *expr)
{
    return expr->type.bytes >= 8 || expr->has_value ? expr : ir_to_long(arena, expr);
}

/* What is subtracted from may be less. */
static struct ir_expr *with_sign(struct ir_arena *arena, struct ir_expr *expr)
{
    return expr->type.is_unsigned && !expr->has_value ? ir_to_long(arena, expr) : expr;
}

/* What `p++`, `p--`, `p += e`, `p -= e` add; NULL when it is none of these. */
static struct ir_expr *step_of(struct ir_arena *arena, const struct ir_expr *expr,
                               const struct ir_symbol *symbol)
{
    if (expr->arg_nr == 0 || !is_pointer(expr->arg[0], symbol))
        return NULL;
    if (expr->kind == IR_UNARY && strstr(expr->op, "++"))
        return ir_integer(arena, 1);
    if (expr->kind == IR_UNARY && strstr(expr->op, "--"))
        return ir_integer(arena, -1);
    if (expr->kind != IR_ASSIGN ||
        (strcmp(expr->op, "+=") != 0 && strcmp(expr->op, "-=") != 0))
        return NULL;
    struct ir_expr *by = ir_copy(arena, expr->arg[1]);
    if (expr->op[0] == '+')
        return by;
    if (by->has_value)
        return ir_integer(arena, -by->value);
    return ir_binary(arena, "-", ir_integer(arena, 0), with_sign(arena, by));
}

static struct ir_expr *plus(struct ir_arena *arena, struct ir_expr *a, struct ir_expr *b)
{
    if (!a || !b)
        return a ? a : b;
    if (a->has_value && b->has_value)
        return ir_integer(arena, a->value + b->value);
    if (a->has_value && a->value == 0)
        return b;
    return b->has_value && b->value == 0 ? a : ir_binary(arena, "+", a, b);
}

static struct ir_expr *times(struct ir_arena *arena, struct ir_expr *a, struct ir_expr *b)
{
    if (a->has_value && b->has_value)
        return ir_integer(arena, a->value * b->value);
    if (a->has_value && a->value == 1)
        return b;
    return b->has_value && b->value == 1 ? a : ir_binary(arena, "*", a, b);
}

/* ---- what may be written where it stands ---- */

struct steady {
    const struct walk *walk;
    bool iterators; /* those of the loops are fine */
    bool fine;
};

static void find_unsteady(struct ir_expr *expr, void *data)
{
    struct steady *steady = data;
    bool iterator = false;
    for (size_t i = 0; expr->kind == IR_NAME && i < steady->walk->loop_nr; i++)
        iterator = iterator || steady->walk->loop[i]->iterator == expr->symbol;
    bool kind = expr->kind == IR_LITERAL || expr->kind == IR_BINARY ||
                expr->kind == IR_CAST || expr->kind == IR_UNARY || expr->kind == IR_NAME;
    bool type = expr->type.pointers == 0 && expr->type.scalar == IR_INT &&
                !expr->type.is_volatile;
    bool changes = false;
    if (expr->kind == IR_NAME && iterator)
        changes = !steady->iterators;
    else if (expr->kind == IR_NAME)
        changes = expr->symbol->in_loop || expr->symbol->role == IR_GLOBAL ||
                  (expr->symbol->is_written &&
                   (!parse_is_own(expr->symbol) ||
                    parse_changes(steady->walk->loop[0], expr->symbol)));
    steady->fine = steady->fine && kind && type && !changes;
}

static bool is_steady(const struct walk *walk, struct ir_expr *expr, bool iterators)
{
    struct steady steady = {walk, iterators, true};
    ir_visit(expr, find_unsteady, &steady);
    return steady.fine;
}

/* ---- the body of the innermost loop ---- */

struct uses {
    const struct ir_symbol *symbol;
    size_t mentions, steps, maybe;
    struct ir_expr *step;
};

static void count_uses(struct ir_expr *expr, struct uses *uses, bool maybe)
{
    bool steps = rewrite_assigned(expr) == uses->symbol;
    bool half = expr->kind == IR_COND ||
                (expr->kind == IR_BINARY &&
                 (strcmp(expr->op, "&&") == 0 || strcmp(expr->op, "||") == 0));
    uses->mentions += is_pointer(expr, uses->symbol);
    uses->steps += steps;
    uses->maybe += steps && maybe;
    if (steps)
        uses->step = expr;
    for (size_t i = 0; i < expr->arg_nr; i++)
        count_uses(expr->arg[i], uses, maybe || half);
}

static struct ir_expr *moved_pointer(const struct walk *walk, struct ir_expr *offset)
{
    struct ir_arena *arena = walk->p->arena;
    struct ir_expr *sum = ir_expr_new(arena, IR_BINARY, 2);
    sum->op = "+";
    sum->type = walk->symbol->type;
    sum->arg[0] = ir_name(arena, walk->symbol);
    sum->arg[1] = offset;
    return sum;
}

/* How often the loop has run when its iterator has this value; less than 0 if `down`. */
static struct ir_expr *runs(struct ir_arena *arena, const struct ir_stmt *loop, bool down)
{
    struct ir_expr *i = ir_name(arena, loop->iterator);
    struct ir_expr *low = ir_copy(arena, loop->lower);
    if (down) {
        i = with_sign(arena, i);
        low = with_sign(arena, low);
    }
    if ((loop->step < 0) != down)
        i = ir_binary(arena, "-", low, i);
    else if (!low->has_value || low->value != 0)
        i = ir_binary(arena, "-", i, low);
    long long size = loop->step < 0 ? -loop->step : loop->step;
    return size == 1 ? i : ir_binary(arena, "/", i, ir_integer(arena, size));
}

/* How often it runs in all, if at all. */
static struct ir_expr *trips(struct ir_arena *arena, const struct ir_stmt *loop)
{
    struct ir_expr *low = ir_copy(arena, loop->lower);
    struct ir_expr *high = ir_copy(arena, loop->upper);
    if (loop->step != 1 && loop->step != -1)
        return NULL;
    struct ir_expr *nr = loop->step > 0 ? high : low, *from = loop->step > 0 ? low : high;
    if (from->has_value && from->value == 0)
        from = NULL;
    if (from)
        nr = ir_binary(arena, "-", nr, from);
    return strchr(loop->cmp, '=') && loop->cmp[0] != '!'
               ? plus(arena, nr, ir_integer(arena, 1))
               : nr;
}

/* How far it has moved when an iteration begins; NULL when that cannot be said. */
static struct ir_expr *distance(const struct walk *walk)
{
    struct ir_arena *arena = walk->p->arena;
    struct ir_expr *sum = NULL, *stride = ir_copy(arena, walk->stride);
    for (size_t i = walk->loop_nr; i-- > 0;) {
        struct ir_stmt *loop = walk->loop[i];
        bool down = stride->has_value && stride->value == -1;
        struct ir_expr *nr = runs(arena, loop, down);
        bool factor = !stride->has_value || (stride->value != 1 && !down);
        if (factor)
            nr = times(arena, wide(arena, nr), ir_copy(arena, stride));
        sum = plus(arena, nr, sum);
        if (!is_steady(walk, loop->lower, true))
            return NULL;
        if (i == 0)
            break;
        struct ir_expr *all = trips(arena, loop);
        if (!all || !is_steady(walk, all, false))
            return NULL;
        stride = times(arena, all, stride);
    }
    return sum;
}

/* ---- the statements of the body ---- */

static void count_steps(struct ir_expr *expr, void *data)
{
    struct uses *uses = data;
    uses->steps += rewrite_assigned(expr) == uses->symbol;
}

/* Adds to the stride what the statement moves the pointer by. */
static bool scan_statement(struct walk *walk, struct ir_stmt *stmt)
{
    struct uses uses = {.symbol = walk->symbol};
    if (!rewrite_is_simple(stmt)) {
        visit_stmt(stmt, count_steps, &uses);
        return uses.steps == 0;
    }
    count_uses(stmt->expr, &uses, false);
    if (uses.steps == 0)
        return true;
    struct ir_expr *by = step_of(walk->p->arena, uses.step, walk->symbol);
    bool whole = stmt->expr == uses.step;
    if (uses.steps > 1 || uses.maybe || uses.mentions > 1 || !by ||
        !is_steady(walk, by, false) || (uses.step->kind == IR_ASSIGN && !whole))
        return false;
    walk->stride = plus(walk->p->arena, walk->stride, by);
    return true;
}

static bool scan_body(struct walk *walk)
{
    for (size_t i = 0; i < walk->body->child_nr; i++)
        if (!scan_statement(walk, walk->body->child[i]))
            return false;
    return walk->stride != NULL;
}

static void put_offset(const struct walk *walk, struct ir_stmt *stmt,
                       struct ir_expr *from, struct ir_expr *moved)
{
    struct ir_arena *arena = walk->p->arena;
    struct ir_expr *offset = plus(arena, ir_copy(arena, from), moved);
    rewrite_put_stmt(arena, stmt, walk->symbol, moved_pointer(walk, offset));
}

/* False when the statement did nothing but move the pointer. */
static bool rewrite_statement(struct walk *walk, struct ir_stmt *stmt,
                              struct ir_expr *from)
{
    struct uses uses = {.symbol = walk->symbol};
    struct ir_arena *arena = walk->p->arena;
    if (rewrite_is_simple(stmt))
        count_uses(stmt->expr, &uses, false);
    if (uses.steps == 0) {
        put_offset(walk, stmt, from, walk->moved);
        return true;
    }
    struct ir_expr *before = walk->moved;
    walk->moved = plus(arena, before, step_of(arena, uses.step, walk->symbol));
    if (stmt->expr == uses.step)
        return false;
    bool after = strncmp(uses.step->op, "post", 4) != 0;
    *uses.step = *uses.step->arg[0];
    put_offset(walk, stmt, from, after ? walk->moved : before);
    return true;
}

static void rewrite_body(struct walk *walk, struct ir_expr *from)
{
    struct ir_stmt *body = walk->body;
    size_t kept = 0;
    for (size_t i = 0; i < body->child_nr; i++)
        if (rewrite_statement(walk, body->child[i], from))
            body->child[kept++] = body->child[i];
    body->child_nr = kept;
}

/* ---- where it moves, where it is set ---- */

static bool has_step(const struct ir_stmt *stmt, struct ir_symbol *symbol,
                     struct ir_arena *arena)
{
    struct uses uses = {.symbol = symbol};
    if (rewrite_is_simple(stmt))
        count_uses(stmt->expr, &uses, false);
    return uses.steps > 0 && step_of(arena, uses.step, symbol);
}

/* The way to the first statement that moves it. */
static bool find_step(struct ir_stmt *stmt, struct ir_symbol *symbol,
                      struct ir_arena *arena, struct path *path)
{
    if (path->nr == ARRAY_SIZE(path->at))
        return false;
    path->at[path->nr++] = stmt;
    if (has_step(stmt, symbol, arena))
        return true;
    for (size_t i = 0; i < stmt->child_nr; i++)
        if (stmt->child[i] && find_step(stmt->child[i], symbol, arena, path))
            return true;
    path->nr--;
    return false;
}

/* The last block on the way that sets it before the way goes on; its index in the path,
 * path->nr when there is none. */
static size_t find_setting(const struct path *path, const struct ir_symbol *symbol,
                           bool *assigned)
{
    size_t found = path->nr;
    *assigned = false;
    for (size_t k = 0; k + 1 < path->nr; k++)
        for (size_t i = 0; path->at[k]->kind == IR_BLOCK && i < path->at[k]->child_nr &&
                           path->at[k]->child[i] != path->at[k + 1];
             i++)
            if (rewrite_sets(path->at[k]->child[i], symbol) &&
                (path->at[k]->child[i]->kind == IR_DECL ||
                 path->at[k]->child[i]->expr->arg[1]->kind != IR_ASSIGN)) {
                found = k;
                *assigned = path->at[k]->child[i]->kind == IR_EXPR;
            }
    return found == path->nr && symbol->role == IR_PARAM ? 0 : found;
}

static bool leaves(const struct ir_stmt *stmt)
{
    if (!stmt)
        return false;
    bool found =
        stmt->kind == IR_JUMP || stmt->kind == IR_RETURN || stmt->kind == IR_OPAQUE;
    for (size_t i = 0; !found && i < stmt->child_nr; i++)
        found = leaves(stmt->child[i]);
    return found;
}

/* The loops below path->at[from]: all count, nothing else decides between them. */
static bool take_loops(struct walk *walk, const struct path *path, size_t from)
{
    for (size_t k = from + 1; k + 1 < path->nr; k++) {
        struct ir_stmt *stmt = path->at[k];
        if (stmt->kind == IR_FOR) {
            if (!stmt->canonical || walk->loop_nr == DEPTH_MAX)
                return false;
            walk->loop[walk->loop_nr++] = stmt;
        } else if (stmt->kind != IR_BLOCK && (stmt->kind != IR_IF || walk->loop_nr))
            return false;
    }
    if (walk->loop_nr == 0 || leaves(walk->loop[0]))
        return false;
    walk->body = path->at[path->nr - 2];
    return true;
}

/* The statement that moves it is the loop's whole body, or stands in the block that is.
 * A body without braces gets them. */
static bool take_body(struct walk *walk)
{
    struct ir_stmt *loop = walk->loop[walk->loop_nr - 1];
    if (walk->body == loop) {
        struct ir_stmt *block = ir_stmt_new(walk->p->arena, IR_BLOCK, 1);
        struct ir_stmt **child = block->child;
        *block = *loop->child[0];
        block->kind = IR_BLOCK;
        block->expr = NULL;
        block->child = child;
        block->child_nr = 1;
        block->pragma = NULL;
        child[0] = loop->child[0];
        walk->body = block;
        return true;
    }
    return loop->child[0] == walk->body;
}

static void follow(struct parse *p, struct ir_symbol *symbol)
{
    struct ir_stmt *body = p->function->body;
    struct path path = {.nr = 0};
    struct walk walk = {.p = p, .symbol = symbol};
    bool assigned;
    if (!find_step(body, symbol, p->arena, &path) || path.nr < 2 ||
        rewrite_in_text(body, symbol))
        return;
    size_t from = find_setting(&path, symbol, &assigned);
    if (from == path.nr || !take_loops(&walk, &path, from) || !take_body(&walk) ||
        rewrite_count(body, symbol) - rewrite_count(walk.body, symbol) !=
            (size_t)assigned ||
        !scan_body(&walk))
        return;
    struct ir_expr *start = distance(&walk);
    if (!start || rewrite_is_hidden(walk.loop[0], moved_pointer(&walk, start)))
        return;
    rewrite_body(&walk, start);
    symbol->is_written = assigned;
}

void parse_follow_walks(struct parse *p)
{
    for (size_t i = 0; i < p->function->symbol_nr; i++) {
        struct ir_symbol *symbol = p->function->symbol[i];
        bool own = symbol->role == IR_PARAM || symbol->role == IR_LOCAL;
        if (own && symbol->type.pointers > 0 && symbol->dim_nr == 0 &&
            symbol->is_written && !symbol->address_taken && !symbol->is_static &&
            !symbol->type.is_volatile)
            follow(p, symbol);
    }
}
