/*
 * Linear memory that is given rows: with `double (*B)[m] = (void *)b;` B[i][j] is
 * b[i * m + j]. The rest of the program knows that memory as b alone.
 */
#include <stdlib.h>
#include <string.h>

#include "variants/parse/parse_rewrite.h"

struct matrix {
    struct parse *p;
    struct ir_symbol *symbol; /* B */
    struct ir_symbol *memory; /* b */
    size_t whole;             /* uses with all subscripts */
};

static bool is_settled(const struct ir_symbol *symbol)
{
    return !symbol->is_written && !symbol->address_taken && symbol->role != IR_GLOBAL;
}

static void find_change(struct ir_expr *expr, void *data)
{
    bool *found = data;
    bool kind = expr->kind == IR_LITERAL || expr->kind == IR_BINARY ||
                expr->kind == IR_CAST || expr->kind == IR_NAME;
    *found = *found || !kind || expr->type.pointers > 0 ||
             (expr->kind == IR_NAME && !is_settled(expr->symbol));
}

/* The dimensions are known and stay what they are. */
static bool has_dims(const struct ir_symbol *symbol)
{
    bool found = symbol->dim_nr < 2 || symbol->dim_nr != (size_t)symbol->type.pointers;
    for (size_t i = 1; !found && i < symbol->dim_nr; i++) {
        found = !symbol->dim[i];
        ir_visit(symbol->dim[i], find_change, &found);
    }
    return !found;
}

/* b of `(void *)b`, `(double (*)[m])b`; NULL when it is something else. */
static struct ir_symbol *memory_of(const struct ir_symbol *symbol,
                                   const struct ir_expr *init)
{
    while (init->kind == IR_CAST)
        init = init->arg[0];
    if (init->kind != IR_NAME || init->type.pointers != 1)
        return NULL;
    const struct ir_type *from = &init->type, *to = &symbol->type;
    bool same = from->scalar == to->scalar && from->bytes == to->bytes &&
                from->is_unsigned == to->is_unsigned && !from->is_volatile;
    return same && is_settled(init->symbol) ? init->symbol : NULL;
}

/* ---- uses ---- */

static size_t subscripts(const struct matrix *matrix, const struct ir_expr *expr)
{
    size_t nr = 0;
    for (; expr->kind == IR_INDEX; expr = expr->arg[0])
        nr++;
    bool own = expr->kind == IR_NAME && expr->symbol == matrix->symbol;
    return own ? nr : 0;
}

static void count_whole(struct ir_expr *expr, void *data)
{
    struct matrix *matrix = data;
    matrix->whole += subscripts(matrix, expr) == matrix->symbol->dim_nr;
}

/* A matrix may have more elements than an int counts. */
static struct ir_expr *wide(struct ir_arena *arena, struct ir_expr *expr)
{
    return expr->type.bytes >= 8 || expr->has_value ? expr : ir_to_long(arena, expr);
}

static struct ir_expr *flatten(struct ir_expr *expr, void *data)
{
    struct matrix *matrix = data;
    struct ir_arena *arena = matrix->p->arena;
    size_t nr = matrix->symbol->dim_nr;
    if (subscripts(matrix, expr) != nr)
        return expr;
    struct ir_expr *subscript[16] = {0}, *at = expr;
    for (size_t i = nr; i-- > 0; at = at->arg[0])
        subscript[i] = at->arg[1];
    struct ir_expr *sum = wide(arena, subscript[0]);
    for (size_t i = 1; i < nr; i++) {
        sum = ir_binary(arena, "*", sum, ir_copy(arena, matrix->symbol->dim[i]));
        sum = ir_binary(arena, "+", sum, subscript[i]);
    }
    expr->arg[0] = ir_name(arena, matrix->memory);
    expr->arg[1] = sum;
    return expr;
}

/* ---- declarations ---- */

static struct ir_stmt *declaration(struct ir_stmt *stmt, const struct ir_symbol *symbol)
{
    if (!stmt || (stmt->kind == IR_DECL && stmt->symbol == symbol))
        return stmt;
    struct ir_stmt *found = NULL;
    for (size_t i = 0; !found && i < stmt->child_nr; i++)
        found = declaration(stmt->child[i], symbol);
    return found;
}

/* In a loop the declaration goes, before it stays as it is in the file. */
static void drop(struct ir_stmt *stmt, const struct ir_stmt *decl)
{
    size_t kept = 0;
    for (size_t i = 0; i < stmt->child_nr; i++) {
        if (stmt->child[i])
            drop(stmt->child[i], decl);
        if (stmt->child[i] != decl)
            stmt->child[kept++] = stmt->child[i];
    }
    if (stmt->kind == IR_BLOCK)
        stmt->child_nr = kept;
}

static void follow(struct parse *p, struct ir_symbol *symbol)
{
    struct ir_stmt *body = p->function->body, *decl = declaration(body, symbol);
    struct matrix matrix = {.p = p, .symbol = symbol};
    if (!decl || !decl->expr || symbol->dim_nr > 16 || !has_dims(symbol))
        return;
    matrix.memory = memory_of(symbol, decl->expr);
    visit_stmt(body, count_whole, &matrix);
    if (!matrix.memory || matrix.whole != rewrite_count(body, symbol) ||
        rewrite_in_text(body, symbol) ||
        rewrite_is_hidden(body, ir_name(p->arena, matrix.memory)))
        return;
    for (size_t i = 1; i < symbol->dim_nr; i++)
        if (rewrite_is_hidden(body, symbol->dim[i]))
            return;
    rewrite_stmt(body, flatten, &matrix);
    symbol->is_replaced = true;
    drop(body, decl);
}

void parse_follow_matrices(struct parse *p)
{
    for (size_t i = 0; i < p->function->symbol_nr; i++) {
        struct ir_symbol *symbol = p->function->symbol[i];
        if (symbol->role == IR_LOCAL && symbol->pointer_to_array && is_settled(symbol) &&
            !symbol->type.is_volatile && !symbol->is_static)
            follow(p, symbol);
    }
}
