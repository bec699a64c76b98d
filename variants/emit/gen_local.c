/* Scalars that belong to one iteration: a variable per copy, declared where it is first
 * set. */
#include <stdlib.h>
#include <string.h>

#include "variants/emit/gen.h"
#include "variants/ir/sum.h"

struct ir_symbol *gen_local_symbol(struct gen *gen, size_t cell, const char *suffix)
{
    const struct ir_symbol *old = gen->nest->cell[cell].symbol;
    for (size_t i = 0; i < gen->local_nr; i++)
        if (gen->local[i].cell == cell && !strcmp(gen->local[i].suffix, suffix))
            return gen->local[i].symbol;
    struct ir_symbol *symbol = ir_alloc(gen->arena, sizeof(*symbol));
    *symbol = *old;
    symbol->id = -1;
    symbol->role = IR_LOCAL;
    if (*suffix)
        symbol->name =
            gen_name(gen, ir_textf(gen->arena, "%s%s", old->name, suffix), false);
    GROW(gen->local, gen->local_nr + 1, gen->local_alloc);
    gen->local[gen->local_nr++] =
        (struct local){.cell = cell, .suffix = suffix, .symbol = symbol};
    return symbol;
}

/* ---- copies of statements ---- */

struct ir_stmt *stmt_substitute(struct ir_arena *arena, const struct ir_stmt *stmt,
                                struct ir_symbol *const *symbol,
                                struct ir_expr *const *by, size_t nr)
{
    struct ir_stmt *copy = ir_alloc(arena, sizeof(*copy));
    struct ir_expr **part[] = {&copy->expr, &copy->cond, &copy->lower, &copy->upper,
                               &copy->increment};
    *copy = *stmt;
    for (size_t i = 0; i < ARRAY_SIZE(part); i++)
        if (*part[i])
            *part[i] = ir_substitute(arena, *part[i], symbol, by, nr);
    for (size_t i = 0; copy->symbol && i < nr; i++)
        if (symbol[i] == copy->symbol && by[i]->kind == IR_NAME)
            copy->symbol = by[i]->symbol;
    if (stmt->init)
        copy->init = stmt_substitute(arena, stmt->init, symbol, by, nr);
    copy->child = ir_alloc(arena, (stmt->child_nr + 1) * sizeof(*copy->child));
    for (size_t i = 0; i < stmt->child_nr; i++)
        copy->child[i] = stmt->child[i]
                             ? stmt_substitute(arena, stmt->child[i], symbol, by, nr)
                             : NULL;
    return copy;
}

/* ---- where it is declared ---- */

/* The innermost block that holds every mention. */
static struct code *holder(struct code *code, const struct ir_symbol *symbol)
{
    struct code *only = code_only_user(code, symbol);
    return only ? holder(only, symbol) : code;
}

/* A loop whose iterations have a variable each. */
static bool is_own_loop(const struct code *code, const struct cell *cell)
{
    return code->kind == CODE_FOR && band_owns(code->band, cell);
}

/* Loops inside the iteration that the scalar belongs to stay inside its scope; that of
 * the iteration itself does not, nor a loop shared out among threads: they need their
 * own. */
static struct code *scope_of(struct code *code, const struct cell *cell)
{
    for (struct code *at = code;
         at && !(at->kind == CODE_FOR && at->parallel) && !is_own_loop(at, cell);
         at = at->parent)
        if (at->kind == CODE_FOR && (size_t)at->band->loop->depth >= cell->depth)
            code = at->parent;
    while (code->kind != CODE_BLOCK)
        code = code->parent;
    return code;
}

/* x = e, or T x = e, for this very variable. */
static struct ir_expr *sets(const struct code *code, const struct ir_symbol *symbol)
{
    const struct ir_stmt *stmt = code->kind == CODE_STMT ? code->stmt : NULL;
    if (stmt && stmt->kind == IR_DECL && stmt->symbol == symbol)
        return stmt->expr;
    if (stmt && stmt->kind == IR_EXPR && stmt->expr->kind == IR_ASSIGN &&
        !strcmp(stmt->expr->op, "=") && stmt->expr->arg[0]->kind == IR_NAME &&
        stmt->expr->arg[0]->symbol == symbol)
        return stmt->expr->arg[1];
    return NULL;
}

static bool expr_holds(struct ir_expr *expr, const struct ir_symbol *symbol)
{
    return expr_mentions(expr, symbol);
}

/* Declarations that are not the first mention become assignments. */
static void assign_instead(struct gen *gen, struct code *code,
                           const struct ir_symbol *symbol, const struct code *first)
{
    struct ir_expr *value = code != first ? sets(code, symbol) : NULL;
    if (value && code->stmt->kind == IR_DECL) {
        struct ir_expr *name = ir_name(gen->arena, (struct ir_symbol *)symbol);
        code->stmt->kind = IR_EXPR;
        code->stmt->expr = ir_assign(gen->arena, "=", name, value);
        code->stmt->symbol = NULL;
    }
    for (size_t i = 0; i < code->child_nr; i++)
        assign_instead(gen, code->child[i], symbol, first);
}

static size_t count_settings(const struct code *code, const struct ir_symbol *symbol)
{
    size_t nr = code->kind == CODE_STMT && sets(code, symbol) ? 1 : 0;
    for (size_t i = 0; i < code->child_nr; i++)
        nr += count_settings(code->child[i], symbol);
    return nr;
}

/* ---- names ---- */

struct meeting {
    const struct gen *gen;
    const struct ir_symbol *symbol;
    const struct ir_symbol
        *inner; /* declared in a block that the symbol is not used in */
    bool met;
};

/* Those that are declared later give way themselves. */
static bool comes_later(const struct gen *gen, const struct ir_symbol *other,
                        const struct ir_symbol *symbol)
{
    size_t i = 0;
    while (i < gen->local_nr && gen->local[i].symbol != symbol)
        i++;
    while (i < gen->local_nr && gen->local[i].symbol != other)
        i++;
    return i < gen->local_nr;
}

static void look_at_name(struct ir_expr *expr, void *data)
{
    struct meeting *at = data;
    const struct ir_symbol *other = expr->kind == IR_NAME ? expr->symbol : NULL;
    at->met = at->met || (other && other != at->symbol && other != at->inner &&
                          !strcmp(other->name, at->symbol->name) &&
                          !comes_later(at->gen, other, at->symbol));
}

/* By its name, in a block that does not use it: there it may be hidden. */
static const struct ir_symbol *hiding(const struct code *code,
                                      const struct ir_symbol *symbol)
{
    if (code->kind != CODE_BLOCK || code_mentions(code, symbol))
        return NULL;
    for (size_t i = 0; i < code->child_nr; i++) {
        const struct ir_stmt *stmt = code->child[i]->stmt;
        if (stmt && stmt->kind == IR_DECL && !strcmp(stmt->symbol->name, symbol->name))
            return stmt->symbol;
    }
    return NULL;
}

static void meet(struct meeting *at, const struct code *code)
{
    struct ir_expr *const expr[] = {code->lower, code->upper, code->cond};
    const struct ir_symbol *around = at->inner, *own = hiding(code, at->symbol);
    at->inner = own ? own : around;
    for (size_t i = 0; i < ARRAY_SIZE(expr); i++)
        if (expr[i])
            ir_visit(expr[i], look_at_name, at);
    if (code->stmt)
        stmt_exprs(code->stmt, look_at_name, at);
    for (size_t i = 0; !at->met && i < code->child_nr; i++)
        meet(at, code->child[i]);
    at->inner = around;
}

/* Does another variable by its name stand where it is visible? In the file each had a
 * block of its own: `{ double t = a[i]; ... } { double t = b[i]; ... } c[i] = t;`. */
static bool meets_name(const struct gen *gen, const struct code *scope,
                       const struct ir_symbol *symbol)
{
    struct meeting at = {.gen = gen, .symbol = symbol};
    meet(&at, scope);
    return at.met;
}

static void declare(struct gen *gen, struct code *scope, struct ir_symbol *symbol)
{
    if (meets_name(gen, scope, symbol))
        symbol->name = gen_name(gen, symbol->name, false);
    size_t at = 0;
    while (at < scope->child_nr && !code_mentions(scope->child[at], symbol))
        at++;
    if (at == scope->child_nr)
        return;
    struct code *first = scope->child[at];
    struct ir_expr *value = sets(first, symbol);
    symbol->type.is_const =
        symbol->type.is_const && value && count_settings(scope, symbol) == 1;
    if (value && !expr_holds(value, symbol)) {
        assign_instead(gen, scope, symbol, first);
        first->stmt->kind = IR_DECL;
        first->stmt->symbol = symbol;
        first->stmt->expr = value;
        return;
    }
    assign_instead(gen, scope, symbol, NULL);
    struct code *new = code_new(CODE_STMT);
    new->stmt = ir_stmt_new(gen->arena, IR_DECL, 0);
    new->stmt->symbol = symbol;
    if (code_fills_at_times(scope, symbol) && !symbol->type.pointers)
        new->stmt->expr = ir_integer(gen->arena, 0);
    new->statement = SIZE_MAX;
    code_insert(scope, at, new);
}

static bool is_in_own_loop(const struct code *code, const struct cell *cell)
{
    for (; code; code = code->parent)
        if (is_own_loop(code, cell))
            return true;
    return false;
}

/* All mentions below are inside of such loops. */
static bool has_own_loops(const struct code *code, const struct cell *cell,
                          const struct ir_symbol *symbol)
{
    if (is_own_loop(code, cell))
        return true;
    if (code->kind == CODE_STMT)
        return false;
    bool all = true;
    for (size_t i = 0; all && i < code->child_nr; i++)
        all = !code_mentions(code->child[i], symbol) ||
              has_own_loops(code->child[i], cell, symbol);
    return all;
}

/* Each of several loops that a plan made of one declares its own. */
static void declare_below(struct gen *gen, struct code *code, const struct cell *cell,
                          struct ir_symbol *symbol)
{
    struct code *block = holder(code, symbol);
    if (is_in_own_loop(block, cell) || !has_own_loops(block, cell, symbol)) {
        declare(gen, scope_of(block, cell), symbol);
        return;
    }
    for (size_t i = block->child_nr; i-- > 0;) /* declarations are put before it */
        if (code_mentions(block->child[i], symbol))
            declare_below(gen, block->child[i], cell, symbol);
}

/* ---- counters ---- */

static bool is_declared_at(const struct code *code, const struct ir_symbol *symbol)
{
    for (; code; code = code->parent)
        for (size_t i = 0; code->kind == CODE_BLOCK && i < code->child_nr; i++)
            if (code->child[i]->kind == CODE_STMT &&
                code->child[i]->stmt->kind == IR_DECL &&
                code->child[i]->stmt->symbol == symbol)
                return true;
    return false;
}

/* Of loops that are a part of a statement, the counters that the nest declares in front
 * of them. */
static void declare_counters(struct gen *gen, struct code *block, size_t at,
                             const struct ir_stmt *stmt)
{
    struct ir_symbol *counter =
        stmt->kind == IR_FOR && !stmt->declares_iterator ? stmt->iterator : NULL;
    if (counter && gen->nest->decl_depth[counter->id] >= 0 &&
        !is_declared_at(block, counter)) {
        struct code *new = code_new(CODE_STMT);
        new->stmt = ir_stmt_new(gen->arena, IR_DECL, 0);
        new->stmt->symbol = counter;
        new->statement = SIZE_MAX;
        code_insert(block, at, new);
    }
    for (size_t i = 0; i < stmt->child_nr; i++)
        if (stmt->child[i])
            declare_counters(gen, block, at, stmt->child[i]);
}

static void find_counters(struct gen *gen, struct code *code)
{
    for (size_t i = 0; i < code->child_nr; i++) {
        struct code *child = code->child[i];
        if (code->kind == CODE_BLOCK && child->kind == CODE_STMT)
            declare_counters(gen, code, i, child->stmt);
        find_counters(gen, child);
    }
}

void gen_locals(struct gen *gen, struct code *code)
{
    for (size_t i = 0; i < gen->local_nr; i++)
        declare_below(gen, code, &gen->nest->cell[gen->local[i].cell],
                      gen->local[i].symbol);
    find_counters(gen, code);
}
