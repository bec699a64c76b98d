/* Walking and rewriting the tree once it is read. */
#include "variants/parse/parse_rewrite.h"

#include <ctype.h>
#include <string.h>

/* ---- walking ---- */

struct ir_expr *rewrite_expr(struct ir_expr *expr, rewriter *rewrite, void *data)
{
    if (!expr || expr->kind == IR_RAW)
        return expr;
    for (size_t i = 0; i < expr->arg_nr; i++)
        expr->arg[i] = rewrite_expr(expr->arg[i], rewrite, data);
    return rewrite(expr, data);
}

/* The condition of a loop that counts is made of the same nodes as its bound. */
static void rewrite_bounds(struct ir_stmt *loop, rewriter *rewrite, void *data)
{
    struct ir_expr *before = loop->upper, *cond = loop->cond;
    loop->lower = rewrite_expr(loop->lower, rewrite, data);
    loop->upper = rewrite_expr(loop->upper, rewrite, data);
    for (size_t i = 0; cond && i < cond->arg_nr; i++)
        if (cond->arg[i] == before)
            cond->arg[i] = loop->upper;
}

void rewrite_stmt(struct ir_stmt *stmt, rewriter *rewrite, void *data)
{
    if (!stmt)
        return;
    stmt->expr = rewrite_expr(stmt->expr, rewrite, data);
    for (size_t i = 0; stmt->kind == IR_DECL && i < stmt->symbol->dim_nr; i++)
        stmt->symbol->dim[i] = rewrite_expr(stmt->symbol->dim[i], rewrite, data);
    rewrite_stmt(stmt->init, rewrite, data);
    if (stmt->canonical)
        rewrite_bounds(stmt, rewrite, data);
    else {
        stmt->cond = rewrite_expr(stmt->cond, rewrite, data);
        stmt->increment = rewrite_expr(stmt->increment, rewrite, data);
    }
    for (size_t i = 0; i < stmt->child_nr; i++)
        rewrite_stmt(stmt->child[i], rewrite, data);
}

void visit_stmt(const struct ir_stmt *stmt, visitor *visit, void *data)
{
    if (!stmt)
        return;
    ir_visit(stmt->expr, visit, data);
    for (size_t i = 0; stmt->kind == IR_DECL && i < stmt->symbol->dim_nr; i++)
        ir_visit(stmt->symbol->dim[i], visit, data);
    visit_stmt(stmt->init, visit, data);
    ir_visit(stmt->canonical ? stmt->lower : stmt->cond, visit, data);
    ir_visit(stmt->canonical ? stmt->upper : stmt->increment, visit, data);
    for (size_t i = 0; i < stmt->child_nr; i++)
        visit_stmt(stmt->child[i], visit, data);
}

/* ---- asking ---- */

struct ir_symbol *rewrite_assigned(const struct ir_expr *expr)
{
    bool steps =
        expr->kind == IR_UNARY && (strstr(expr->op, "++") || strstr(expr->op, "--"));
    if ((!steps && expr->kind != IR_ASSIGN) || expr->arg[0]->kind != IR_NAME)
        return NULL;
    return expr->arg[0]->symbol;
}

bool rewrite_mentions(const struct ir_expr *expr, const struct ir_symbol *symbol)
{
    bool found = expr->symbol == symbol;
    for (size_t i = 0; !found && i < expr->arg_nr; i++)
        found = rewrite_mentions(expr->arg[i], symbol);
    return found;
}

bool rewrite_is_simple(const struct ir_stmt *stmt)
{
    return (stmt->kind == IR_EXPR || stmt->kind == IR_DECL) && stmt->expr;
}

bool rewrite_sets(const struct ir_stmt *stmt, const struct ir_symbol *symbol)
{
    if (stmt->kind == IR_DECL)
        return stmt->symbol == symbol && stmt->expr;
    return stmt->kind == IR_EXPR && stmt->expr->kind == IR_ASSIGN &&
           rewrite_assigned(stmt->expr) == symbol && strcmp(stmt->expr->op, "=") == 0;
}

struct mentions {
    const struct ir_symbol *symbol;
    size_t nr;
};

static void count_name(struct ir_expr *expr, void *data)
{
    struct mentions *mentions = data;
    mentions->nr += expr->kind == IR_NAME && expr->symbol == mentions->symbol;
}

size_t rewrite_count(const struct ir_stmt *stmt, const struct ir_symbol *symbol)
{
    struct mentions mentions = {.symbol = symbol};
    visit_stmt(stmt, count_name, &mentions);
    return mentions.nr;
}

static bool has_word(const char *text, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = text; (at = strstr(at, word)); at += length) {
        bool starts = at == text || !(isalnum((unsigned char)at[-1]) || at[-1] == '_');
        bool ends = !(isalnum((unsigned char)at[length]) || at[length] == '_');
        if (starts && ends)
            return true;
    }
    return false;
}

static void find_in_text(struct ir_expr *expr, void *data)
{
    struct mentions *mentions = data;
    if (expr->kind == IR_RAW)
        for (size_t i = 0; i < expr->arg_nr; i++)
            mentions->nr += expr->arg[i]->symbol == mentions->symbol;
    if (expr->kind == IR_CALL && !expr->symbol)
        mentions->nr += has_word(expr->text, mentions->symbol->name);
}

bool rewrite_in_text(const struct ir_stmt *stmt, const struct ir_symbol *symbol)
{
    struct mentions mentions = {.symbol = symbol};
    visit_stmt(stmt, find_in_text, &mentions);
    return mentions.nr > 0;
}

struct hidden {
    const struct ir_symbol *declared;
    bool found;
};

static void find_namesake(struct ir_expr *expr, void *data)
{
    struct hidden *hidden = data;
    const struct ir_symbol *symbol = expr->kind == IR_NAME ? expr->symbol : NULL;
    if (symbol && symbol->role == IR_FIELD)
        symbol = symbol->base;
    hidden->found = hidden->found || (symbol && symbol != hidden->declared &&
                                      !strcmp(symbol->name, hidden->declared->name));
}

bool rewrite_is_hidden(const struct ir_stmt *stmt, const struct ir_expr *expr)
{
    struct hidden hidden = {0};
    if (!stmt)
        return false;
    if (stmt->kind == IR_DECL)
        hidden.declared = stmt->symbol;
    else if (stmt->kind == IR_FOR && stmt->canonical && stmt->declares_iterator)
        hidden.declared = stmt->iterator;
    if (hidden.declared)
        ir_visit((struct ir_expr *)expr, find_namesake, &hidden);
    hidden.found = hidden.found || rewrite_is_hidden(stmt->init, expr);
    for (size_t i = 0; !hidden.found && i < stmt->child_nr; i++)
        hidden.found = rewrite_is_hidden(stmt->child[i], expr);
    return hidden.found;
}

static void find_effect(struct ir_expr *expr, void *data)
{
    bool *found = data;
    bool assigns =
        expr->kind == IR_ASSIGN ||
        (expr->kind == IR_UNARY && (strstr(expr->op, "++") || strstr(expr->op, "--")));
    bool calls = expr->kind == IR_CALL && !(expr->symbol && expr->symbol->is_pure) &&
                 !expr_is_math(expr);
    *found = *found || assigns || calls || expr->kind == IR_RAW || expr->type.is_volatile;
}

bool rewrite_has_effects(const struct ir_expr *expr)
{
    bool found = false;
    ir_visit((struct ir_expr *)expr, find_effect, &found);
    return found;
}

/* ---- putting ---- */

static bool is_unary(const struct ir_expr *expr, const char *op)
{
    return expr->kind == IR_UNARY && strcmp(expr->op, op) == 0;
}

bool rewrite_is_zero(const struct ir_expr *expr)
{
    return expr->has_value && expr->value == 0;
}

/* Elements of one type, const or not: the cast changes no address. */
static bool is_harmless_cast(const struct ir_expr *expr)
{
    if (expr->kind != IR_CAST)
        return false;
    const struct ir_type *to = &expr->type, *from = &expr->arg[0]->type;
    return to->pointers == 1 && from->pointers == 1 && to->scalar == from->scalar &&
           to->bytes == from->bytes && to->is_unsigned == from->is_unsigned &&
           !to->is_volatile && !from->is_volatile && to->scalar != IR_VOID &&
           to->scalar != IR_RECORD;
}

/* Pointers are added without wrapping around; the sum of the subscripts must be, too. */
static bool may_be_added(const struct ir_expr *a, const struct ir_expr *b)
{
    bool wide = a->type.bytes == 8 || b->type.bytes == 8;
    return wide || (!a->type.is_unsigned && !b->type.is_unsigned);
}

static struct ir_expr *index_of(struct ir_arena *arena, const struct ir_expr *base,
                                const struct ir_expr *subscript,
                                const struct ir_expr *like)
{
    struct ir_expr *expr = ir_expr_new(arena, IR_INDEX, 2);
    expr->type = like->type;
    expr->line = like->line;
    expr->column = like->column;
    expr->by_pointer = true;
    expr->arg[0] = ir_copy(arena, base);
    expr->arg[1] = ir_copy(arena, subscript);
    return expr;
}

static struct ir_expr *sum_of(struct ir_arena *arena, const struct ir_expr *a,
                              const struct ir_expr *b)
{
    if (rewrite_is_zero(a) || rewrite_is_zero(b))
        return ir_copy(arena, rewrite_is_zero(a) ? b : a);
    return ir_binary(arena, "+", ir_copy(arena, a), ir_copy(arena, b));
}

/* base[subscript], of the type of `like`. */
static struct ir_expr *element(struct ir_arena *arena, const struct ir_expr *base,
                               const struct ir_expr *subscript,
                               const struct ir_expr *like)
{
    const struct ir_expr *inner = base->arg_nr ? base->arg[0] : NULL;
    if (is_harmless_cast(base))
        return element(arena, inner, subscript, like);
    if (is_unary(base, "&") && inner->kind == IR_INDEX &&
        (rewrite_is_zero(subscript) || may_be_added(inner->arg[1], subscript)))
        return element(arena, inner->arg[0], sum_of(arena, inner->arg[1], subscript),
                       like);
    if (is_unary(base, "&") && rewrite_is_zero(subscript))
        return ir_copy(arena, inner);
    if (base->kind == IR_BINARY && strcmp(base->op, "+") == 0) {
        bool right = base->arg[1]->type.pointers > 0;
        const struct ir_expr *pointer = base->arg[right], *by = base->arg[!right];
        if (rewrite_is_zero(subscript) || may_be_added(by, subscript))
            return element(arena, pointer, sum_of(arena, by, subscript), like);
    }
    return index_of(arena, base, subscript, like);
}

static struct ir_expr *put_member(struct ir_arena *arena, const struct ir_expr *expr,
                                  const struct ir_expr *by)
{
    struct ir_expr *member = ir_expr_new(arena, IR_MEMBER, 1);
    struct ir_expr **arg = member->arg;
    *member = *expr;
    member->arg = arg;
    bool element_known =
        is_unary(by, "&") || (by->kind == IR_BINARY && strcmp(by->op, "+") == 0);
    struct ir_expr like = *by;
    like.type.pointers--;
    member->is_arrow = !element_known;
    arg[0] = element_known ? element(arena, by, ir_integer(arena, 0), &like)
                           : ir_copy(arena, by);
    return member;
}

/* p + e, e + p */
static bool is_sum_with(const struct ir_expr *expr, const struct ir_symbol *symbol)
{
    if (expr->kind != IR_BINARY || strcmp(expr->op, "+") != 0)
        return false;
    const struct ir_expr *pointer = expr->arg[expr->arg[1]->type.pointers > 0];
    return pointer->kind == IR_NAME && pointer->symbol == symbol;
}

struct ir_expr *rewrite_put(struct ir_arena *arena, const struct ir_expr *expr,
                            const struct ir_symbol *symbol, const struct ir_expr *by)
{
    const struct ir_expr *base = expr->arg_nr ? expr->arg[0] : NULL;
    bool direct = base && base->kind == IR_NAME && base->symbol == symbol;
    if (expr->kind == IR_NAME && expr->symbol == symbol)
        return ir_copy(arena, by);
    if (expr->kind == IR_RAW)
        return ir_copy(arena, expr);
    if (direct && by->type.pointers && expr->kind == IR_INDEX)
        return element(arena, by, rewrite_put(arena, expr->arg[1], symbol, by), expr);
    if (direct && by->type.pointers && is_unary(expr, "*"))
        return element(arena, by, ir_integer(arena, 0), expr);
    if (direct && expr->kind == IR_MEMBER && expr->is_arrow)
        return put_member(arena, expr, by);
    if (is_unary(expr, "*") && by->type.pointers && is_sum_with(base, symbol))
        return element(
            arena, by,
            rewrite_put(arena, base->arg[base->arg[1]->type.pointers == 0], symbol, by),
            expr);
    struct ir_expr *copy = ir_expr_new(arena, expr->kind, expr->arg_nr);
    struct ir_expr **arg = copy->arg;
    *copy = *expr;
    copy->arg = arg;
    for (size_t i = 0; i < expr->arg_nr; i++)
        arg[i] = rewrite_put(arena, expr->arg[i], symbol, by);
    return copy;
}

static void put_in(struct ir_arena *arena, struct ir_expr **expr,
                   const struct ir_symbol *symbol, const struct ir_expr *by)
{
    if (*expr)
        *expr = rewrite_put(arena, *expr, symbol, by);
}

void rewrite_put_stmt(struct ir_arena *arena, struct ir_stmt *stmt,
                      const struct ir_symbol *symbol, const struct ir_expr *by)
{
    if (!stmt)
        return;
    struct ir_expr *before = stmt->upper;
    put_in(arena, &stmt->expr, symbol, by);
    put_in(arena, &stmt->lower, symbol, by);
    put_in(arena, &stmt->upper, symbol, by);
    for (size_t i = 0; before && stmt->cond && i < stmt->cond->arg_nr; i++)
        if (stmt->cond->arg[i] == before)
            stmt->cond->arg[i] = stmt->upper;
    if (!before)
        put_in(arena, &stmt->cond, symbol, by);
    put_in(arena, &stmt->increment, symbol, by);
    rewrite_put_stmt(arena, stmt->init, symbol, by);
    for (size_t i = 0; i < stmt->child_nr; i++)
        rewrite_put_stmt(arena, stmt->child[i], symbol, by);
}

bool rewrite_is_name_taken(const struct ir_function *function, const char *name)
{
    for (size_t i = 0; i < function->symbol_nr; i++)
        if (strcmp(function->symbol[i]->name, name) == 0)
            return true;
    return ir_has_name(&function->macros, name) || ir_has_name(&function->declared, name);
}
