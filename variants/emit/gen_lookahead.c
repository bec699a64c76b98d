/*
 * What an access will be in a later iteration of a loop: its element and the conditions
 * under which it is reached, found by walking the body from its beginning. Scalars set on
 * the way are replaced by what they are set to, inner loops and `while` are entered once.
 * In that iteration the loop reads the very elements that conditions and subscripts hold,
 * in this order, so reading them ahead is as safe as the loop itself: nothing that the
 * nest writes is read ahead.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "variants/emit/gen_fetch.h"

enum { VALUES_MAX = 32, LOADS_MAX = 8 };
enum found { PASSED, FOUND, LOST };

struct value {
    const struct ir_symbol *symbol;
    struct ir_expr *expr; /* NULL = not known ahead */
};

struct walk {
    struct gen *gen;
    const struct lookahead_request *request;
    struct lookahead *out;
    struct value value[VALUES_MAX];
    size_t nr;
    bool overflow;
};

static enum found walk(struct walk *at, const struct ir_stmt *stmt);
static struct ir_expr *resolve(struct walk *at, const struct ir_expr *expr);

/* The reason given is the first one. */
__attribute__((format(printf, 2, 3))) static void *lose(struct walk *at,
                                                        const char *format, ...)
{
    va_list args;
    if (*at->out->why)
        return NULL;
    va_start(args, format);
    vsnprintf(at->out->why, sizeof(at->out->why), format, args);
    va_end(args);
    return NULL;
}

/* ---- looking for the access ---- */

struct wanted {
    const struct ir_expr *expr;
    bool found;
};

static void compare(struct ir_expr *expr, void *data)
{
    struct wanted *wanted = data;
    wanted->found = wanted->found || expr == wanted->expr;
}

static bool in_expr(const struct walk *at, const struct ir_expr *expr)
{
    struct wanted wanted = {.expr = at->request->wanted};
    if (expr)
        ir_visit((struct ir_expr *)expr, compare, &wanted);
    return wanted.found;
}

static bool in_stmt(const struct walk *at, const struct ir_stmt *stmt)
{
    struct wanted wanted = {.expr = at->request->wanted};
    if (stmt)
        stmt_exprs(stmt, compare, &wanted);
    return wanted.found;
}

/* ---- values of scalars ---- */

static void set_value(struct walk *at, const struct ir_symbol *symbol,
                      struct ir_expr *expr)
{
    size_t i = 0;
    while (i < at->nr && at->value[i].symbol != symbol)
        i++;
    if (i == VALUES_MAX) {
        at->overflow = true;
        return;
    }
    at->nr += i == at->nr;
    at->value[i] = (struct value){symbol, expr};
}

static void forget_name(struct ir_expr *expr, void *data)
{
    if ((expr->kind == IR_ASSIGN || expr_is_step(expr)) && expr->arg[0]->kind == IR_NAME)
        set_value(data, expr->arg[0]->symbol, NULL);
}

static void forget(struct walk *at, const struct ir_stmt *stmt)
{
    if (!stmt)
        return;
    if (stmt->kind == IR_FOR && stmt->iterator)
        set_value(at, stmt->iterator, NULL);
    stmt_exprs(stmt, forget_name, at);
    for (size_t i = 0; i < stmt->child_nr; i++)
        forget(at, stmt->child[i]);
}

static struct ir_expr *converted(struct walk *at, struct ir_expr *expr,
                                 const struct ir_type *type)
{
    if (expr->type.text && type->text && !strcmp(expr->type.text, type->text))
        return expr;
    struct ir_expr *cast = ir_expr_new(at->gen->arena, IR_CAST, 1);
    cast->type = *type;
    cast->type.is_const = false;
    cast->arg[0] = expr;
    return cast;
}

static void define(struct walk *at, const struct ir_symbol *symbol,
                   const struct ir_expr *expr)
{
    struct ir_expr *value = NULL;
    char kept[sizeof(at->out->why)];
    bool plain = symbol->type.scalar == IR_INT && !symbol->type.pointers &&
                 !symbol->dim_nr && !symbol->type.is_volatile && !symbol->address_taken;
    memcpy(kept, at->out->why, sizeof(kept)); /* nobody may ask for it */
    if (plain && expr)
        value = resolve(at, expr);
    memcpy(at->out->why, kept, sizeof(kept));
    set_value(at, symbol, value ? converted(at, value, &symbol->type) : NULL);
}

/* x = e, x += e, x++ */
static void apply(struct walk *at, struct ir_expr *expr)
{
    struct ir_arena *arena = at->gen->arena;
    bool step = expr_is_step(expr);
    if ((expr->kind != IR_ASSIGN && !step) || expr->arg[0]->kind != IR_NAME) {
        ir_visit(expr, forget_name, at);
        return;
    }
    struct ir_symbol *symbol = expr->arg[0]->symbol;
    struct ir_expr *by = step ? ir_integer(arena, 1) : expr->arg[1];
    const char *op = step ? (strstr(expr->op, "++") ? "+=" : "-=") : expr->op;
    if (strcmp(op, "="))
        by = ir_binary(arena, ir_textf(arena, "%.*s", (int)strlen(op) - 1, op),
                       expr->arg[0], by);
    define(at, symbol, by);
    if (!step)
        ir_visit(expr->arg[1], forget_name, at);
}

/* ---- expressions, ahead ---- */

static struct ir_expr *resolve_initial(struct walk *at, const struct ir_symbol *symbol)
{
    struct nest *nest = at->gen->nest;
    const struct ir_expr *init =
        nest->declared[symbol->id] ? at->gen->model->init[symbol->id] : NULL;
    size_t nr = at->nr;
    if (!init)
        return lose(at, "'%s' is computed in iterations before", symbol->name);
    at->nr = 0; /* it was set outside of the loop */
    struct ir_expr *expr = resolve(at, init);
    at->nr = nr;
    return expr ? converted(at, expr, &symbol->type) : NULL;
}

bool ahead_is_fixed(const struct nest *nest, const struct ir_symbol *symbol)
{
    if (symbol->role == IR_FIELD && !ahead_is_fixed(nest, symbol->base))
        return false;
    return symbol->id >= 0 && symbol->role != IR_FUNCTION && !symbol->type.is_volatile &&
           !nest->written[symbol->id] && !nest->declared[symbol->id];
}

static struct ir_expr *resolve_name(struct walk *at, const struct ir_expr *expr)
{
    const struct ir_symbol *symbol = expr->symbol;
    for (size_t i = 0; i < at->nr; i++)
        if (at->value[i].symbol == symbol)
            return at->value[i].expr ? at->value[i].expr
                                     : lose(at, "'%s' is not known ahead", symbol->name);
    bool array = symbol->type.pointers || symbol->dim_nr;
    if (array && symbol->type.pointers > 1 && !symbol->dim_nr)
        return lose(at, "'%s' holds pointers", symbol->name);
    bool known = array ? ahead_is_fixed(at->gen->nest, symbol)
                       : at->request->known(symbol, at->request->data);
    if (known)
        return (struct ir_expr *)expr;
    if (array || symbol->id < 0)
        return lose(at, "'%s' changes in the nest", symbol->name);
    return resolve_initial(at, symbol);
}

static struct ir_expr *with_args(struct walk *at, const struct ir_expr *expr,
                                 bool place) /* the address only */
{
    struct ir_expr *copy = ir_expr_new(at->gen->arena, expr->kind, expr->arg_nr),
                   **arg = copy->arg;
    *copy = *expr;
    copy->arg = arg;
    for (size_t i = 0; i < expr->arg_nr; i++) {
        const struct ir_expr *child = expr->arg[i];
        bool more =
            place && i == 0 && (child->kind == IR_INDEX || child->kind == IR_MEMBER);
        copy->arg[i] = more ? with_args(at, child, true) : resolve(at, child);
        if (!copy->arg[i])
            return NULL;
    }
    return copy;
}

static struct ir_expr *resolve_load(struct walk *at, const struct ir_expr *expr)
{
    const struct ir_symbol *root = expr_root(expr);
    for (const struct ir_expr *part = expr; part->arg_nr; part = part->arg[0])
        if (part->kind == IR_MEMBER && part->is_arrow)
            return lose(at, "it goes through a pointer in memory");
    if (!root || root->type.is_volatile || fetch_may_change(at->gen->nest, root))
        return lose(at, "'%s', which decides on it, may be written in the nest",
                    root ? root->name : "a pointer");
    return with_args(at, expr, true);
}

static struct ir_expr *resolve(struct walk *at, const struct ir_expr *expr)
{
    switch (expr->kind) {
    case IR_LITERAL:
        return (struct ir_expr *)expr;
    case IR_NAME:
        return resolve_name(at, expr);
    case IR_INDEX:
    case IR_MEMBER:
        return resolve_load(at, expr);
    case IR_UNARY:
        if (!expr_is_step(expr) && *expr->op != '*' && *expr->op != '&')
            return with_args(at, expr, false);
        break;
    case IR_CALL:
        if ((expr->symbol && expr->symbol->is_pure) || expr_is_math(expr))
            return with_args(at, expr, false);
        return lose(at, "it depends on a call of %s()", expr->text ? expr->text : "");
    case IR_BINARY:
    case IR_COND:
    case IR_CAST:
        return with_args(at, expr, false);
    default:
        break;
    }
    return lose(at, "it depends on an expression that does more than read");
}

/* ---- the way to it ---- */

static enum found guard(struct walk *at, const struct ir_expr *cond, bool holds)
{
    struct ir_expr *now = resolve(at, cond);
    if (!now)
        return LOST;
    now = holds ? now : lookahead_negated(at->gen->arena, now);
    if (lookahead_says(at->out->cond, now))
        return PASSED;
    at->out->cond =
        at->out->cond ? ir_binary(at->gen->arena, "&&", at->out->cond, now) : now;
    return PASSED;
}

static void note_change(struct ir_expr *expr, void *data)
{
    bool *found = data;
    *found = *found || ((expr->kind == IR_ASSIGN || expr_is_step(expr)) &&
                        expr->arg[0]->kind == IR_NAME);
}

/* The expression holds the access. */
static enum found enter(struct walk *at, struct ir_expr *expr)
{
    bool changes = false;
    if (expr == at->request->wanted) {
        at->out->element = with_args(at, expr, true);
        return at->out->element ? FOUND : LOST;
    }
    for (size_t i = 0; i < expr->arg_nr; i++)
        ir_visit(expr->arg[i], note_change, &changes);
    if (changes) {
        lose(at, "a variable changes in the same expression");
        return LOST;
    }
    bool either = expr->kind == IR_BINARY && !strcmp(expr->op, "||");
    bool decides = expr->kind == IR_COND || either ||
                   (expr->kind == IR_BINARY && !strcmp(expr->op, "&&"));
    for (size_t i = 0; i < expr->arg_nr; i++) {
        if (!in_expr(at, expr->arg[i]))
            continue;
        bool holds = !either && !(expr->kind == IR_COND && i == 2);
        if (decides && i > 0 && guard(at, expr->arg[0], holds) == LOST)
            return LOST;
        return enter(at, expr->arg[i]);
    }
    return LOST;
}

/* What stands before the access: it runs to its end, or the access is not reached. */
static enum found pass(struct walk *at, const struct ir_stmt *stmt)
{
    bool loop = stmt->kind == IR_FOR || stmt->kind == IR_WHILE;
    if (stmt->kind == IR_DECL) {
        define(at, stmt->symbol, stmt->expr);
        return PASSED;
    }
    if (stmt->kind == IR_EXPR) {
        apply(at, stmt->expr);
        return PASSED;
    }
    bool skips = stmt->kind == IR_IF && lookahead_ends_in_jump(stmt->child[0]) &&
                 (stmt->child_nr < 2 || !stmt->child[1]);
    if (skips)
        return guard(at, stmt->cond, false);
    if (stmt_find(stmt, lookahead_leaves, loop ? at : NULL)) {
        lose(at, "the iteration may end before it, at line %d", stmt->line);
        return LOST;
    }
    forget(at, stmt);
    return PASSED;
}

static bool certainly(const struct ir_expr *a, const char *cmp, const struct ir_expr *b)
{
    bool less = *cmp == '<', same = cmp[1] == '=' && *cmp != '!';
    if (!a->has_value || !b->has_value)
        return false;
    return *cmp == '!' ? a->value != b->value
                       : (same && a->value == b->value) ||
                             (less ? a->value < b->value : a->value > b->value);
}

/* Every iteration of an inner loop: what they set is not known before they set it. */
static enum found walk_all(struct walk *at, const struct ir_stmt *stmt)
{
    struct lookahead *out = at->out;
    if (in_expr(at, stmt->lower) || in_expr(at, stmt->upper))
        return enter(at, in_expr(at, stmt->lower) ? stmt->lower : stmt->upper);
    struct lookahead_loop loop = {.stmt = stmt, .cond = out->cond};
    if (out->loop_nr == DEPTH_MAX) {
        lose(at, "too many loops are nested");
        return LOST;
    }
    if (lookahead_ends_early(stmt->child[0])) {
        lose(at, "the loop at line %d may end early", stmt->line);
        return LOST;
    }
    if (stmt_find(stmt->child[0], lookahead_sets, stmt->iterator)) {
        lose(at, "the loop at line %d sets its iterator", stmt->line);
        return LOST;
    }
    if (lookahead_wraps(stmt)) {
        lose(at, "the loop at line %d counts down without a sign", stmt->line);
        return LOST;
    }
    loop.lower = resolve(at, stmt->lower);
    forget(at, stmt); /* the limit is looked at once more after each iteration */
    loop.upper = loop.lower ? resolve(at, stmt->upper) : NULL;
    if (!loop.upper)
        return LOST;
    loop.var = lookahead_name(at->gen, at->request->all, stmt);
    if (!loop.var) {
        lose(at, "too many loops are inside it");
        return LOST;
    }
    out->cond = NULL;
    out->loop[out->loop_nr++] = loop;
    set_value(at, stmt->iterator, ir_name(at->gen->arena, loop.var));
    return walk(at, stmt->child[0]);
}

/* The first iteration of an inner loop. */
static enum found walk_for(struct walk *at, const struct ir_stmt *stmt)
{
    if (!stmt->canonical) {
        enum found found = stmt->init ? walk(at, stmt->init) : PASSED;
        if (found != PASSED || in_expr(at, stmt->cond))
            return found != PASSED ? found : enter(at, stmt->cond);
        if (stmt->cond && guard(at, stmt->cond, true) == LOST)
            return LOST;
        return walk(at, stmt->child[0]);
    }
    if (at->request->all)
        return walk_all(at, stmt);
    if (in_expr(at, stmt->lower))
        return enter(at, stmt->lower);
    define(at, stmt->iterator, stmt->lower);
    if (in_expr(at, stmt->upper))
        return enter(at, stmt->upper);
    struct ir_expr *cond =
        ir_binary(at->gen->arena, stmt->cmp, ir_name(at->gen->arena, stmt->iterator),
                  ir_copy(at->gen->arena, stmt->upper));
    if (!certainly(stmt->lower, stmt->cmp, stmt->upper) && guard(at, cond, true) == LOST)
        return LOST;
    return walk(at, stmt->child[0]);
}

static enum found walk_while(struct walk *at, const struct ir_stmt *stmt)
{
    bool in_cond = in_expr(at, stmt->cond);
    if (stmt->is_do) {
        enum found found = walk(at, stmt->child[0]);
        return found != PASSED ? found : enter(at, stmt->cond);
    }
    if (in_cond)
        return enter(at, stmt->cond);
    return guard(at, stmt->cond, true) == LOST ? LOST : walk(at, stmt->child[0]);
}

static enum found walk_if(struct walk *at, const struct ir_stmt *stmt)
{
    if (in_expr(at, stmt->cond))
        return enter(at, stmt->cond);
    bool then = in_stmt(at, stmt->child[0]);
    if (guard(at, stmt->cond, then) == LOST)
        return LOST;
    return walk(at, stmt->child[then ? 0 : 1]);
}

static enum found walk(struct walk *at, const struct ir_stmt *stmt)
{
    enum found found = PASSED;
    if (stmt->kind == IR_BLOCK) {
        for (size_t i = 0; found == PASSED && i < stmt->child_nr; i++)
            found = walk(at, stmt->child[i]);
        return found;
    }
    if (!in_stmt(at, stmt))
        return pass(at, stmt);
    switch (stmt->kind) {
    case IR_FOR:
        return walk_for(at, stmt);
    case IR_WHILE:
        return walk_while(at, stmt);
    case IR_IF:
        return walk_if(at, stmt);
    case IR_DECL:
    case IR_EXPR:
        return enter(at, stmt->expr);
    default:
        lose(at, "line %d is not taken apart", stmt->line);
        return LOST;
    }
}

bool lookahead_find(struct gen *gen, const struct lookahead_request *request,
                    struct lookahead *out)
{
    struct walk *at = xcalloc(1, sizeof(*at));
    *out = (struct lookahead){0};
    *at = (struct walk){.gen = gen, .request = request, .out = out};
    bool found = walk(at, request->body) == FOUND;
    if (found && at->overflow)
        found = lose(at, "too many variables are set before it");
    size_t loads = found ? lookahead_loads(out) : 0;
    if (loads > LOADS_MAX)
        found = lose(at, "its address and conditions take %zu loads, more than %d", loads,
                     LOADS_MAX);
    free(at);
    return found;
}
