/*
 * Pointers into an array that are set once in a loop, `double *row = A + i * m;`: what
 * is done through them is done with A[...] itself.
 */
#include <stdlib.h>
#include <string.h>

#include "variants/parse/parse_rewrite.h"

struct row {
    struct parse *p;
    struct ir_symbol *symbol;
    struct ir_stmt *block; /* that holds the statement that sets it */
    size_t at;             /* its index there */
    struct ir_expr *value;
    bool fine, loads; /* loads: its value depends on memory */
};

/* ---- what it points into ---- */

static bool is_unary(const struct ir_expr *expr, const char *op)
{
    return expr->kind == IR_UNARY && strcmp(expr->op, op) == 0;
}

static bool is_constness_cast(const struct ir_expr *expr)
{
    const struct ir_type *to = &expr->type, *from = &expr->arg[0]->type;
    return to->pointers == from->pointers && to->scalar == from->scalar &&
           to->bytes == from->bytes && to->is_unsigned == from->is_unsigned &&
           to->scalar != IR_VOID && to->scalar != IR_OTHER;
}

/* A, A + e, &A[e], A[e] of an array of arrays or of pointers to rows, rows of these. */
static bool is_place(const struct ir_expr *expr)
{
    const struct ir_expr *base = expr->arg_nr ? expr->arg[0] : NULL;
    switch (expr->kind) {
    case IR_NAME:
        return expr->type.pointers > 0 && !expr->symbol->is_written;
    case IR_BINARY:
        if (strcmp(expr->op, "+") != 0)
            return false;
        return is_place(expr->arg[expr->arg[1]->type.pointers > 0]);
    case IR_UNARY:
        return is_unary(expr, "&") && base->kind == IR_INDEX && is_place(base->arg[0]);
    case IR_CAST:
        return is_constness_cast(expr) && is_place(base);
    case IR_INDEX: {
        size_t nr = 0;
        for (base = expr; base->kind == IR_INDEX; base = base->arg[0])
            nr++;
        return base->kind == IR_NAME && symbol_levels(base->symbol) > nr;
    }
    default:
        return false;
    }
}

/* ---- does its value stay the same where it is used? ---- */

static bool is_iterator(const struct ir_stmt *stmt, const struct ir_symbol *symbol)
{
    if (!stmt)
        return false;
    if (stmt->kind == IR_FOR && stmt->canonical && stmt->iterator == symbol)
        return true;
    for (size_t i = 0; i < stmt->child_nr; i++)
        if (is_iterator(stmt->child[i], symbol))
            return true;
    return false;
}

static void count_written(struct ir_expr *expr, void *data)
{
    struct row *row = data;
    struct ir_symbol *written = rewrite_assigned(expr);
    if (written && written == row->symbol)
        row->at++;
}

/* An iterator of a loop around the block keeps its value in it; one of a loop inside
 * does not. */
static bool is_kept(const struct row *row, struct ir_symbol *symbol)
{
    struct row writes = {.symbol = symbol};
    if (!symbol->is_written)
        return !symbol->address_taken;
    if (symbol->address_taken || symbol->role == IR_GLOBAL || symbol->role == IR_FIELD ||
        is_iterator(row->block, symbol))
        return false;
    visit_stmt(row->block, count_written, &writes);
    return writes.at == 0;
}

static void check_value(struct ir_expr *expr, void *data)
{
    struct row *row = data;
    bool known = expr->kind != IR_CALL && expr->kind != IR_ASSIGN &&
                 expr->kind != IR_RAW && expr->kind != IR_COND &&
                 !expr->type.is_volatile && !is_unary(expr, "++") &&
                 !is_unary(expr, "--");
    bool steps = expr->kind == IR_UNARY && strncmp(expr->op, "post", 4) == 0;
    bool name = expr->kind == IR_NAME;
    row->fine = row->fine && known && !steps && (!name || is_kept(row, expr->symbol));
    bool memory = name &&
                  (expr->symbol->role == IR_GLOBAL || expr->symbol->role == IR_FIELD) &&
                  expr->symbol->dim_nr == 0;
    bool element =
        (expr->kind == IR_INDEX || expr->kind == IR_MEMBER || is_unary(expr, "*")) &&
        expr->type.pointers == 0 && expr->type.scalar != IR_RECORD;
    row->loads = row->loads || memory || element;
}

/* Stores in the block and calls that may store; in `fine`: none that could change a
 * number of the kind that subscripts are made of. */
static void check_stores(struct ir_expr *expr, void *data)
{
    struct row *row = data;
    const struct ir_expr *target = expr->arg_nr ? expr->arg[0] : NULL;
    bool writes =
        expr->kind == IR_ASSIGN ||
        (expr->kind == IR_UNARY && (strstr(expr->op, "++") || strstr(expr->op, "--")));
    if (writes && target->kind != IR_NAME)
        row->fine = row->fine && target->type.scalar == IR_FLOAT &&
                    !target->type.pointers && !row->p->function->types_alias;
    if (writes && target->kind == IR_NAME &&
        (target->symbol->role == IR_GLOBAL || target->symbol->role == IR_FIELD))
        row->fine = false;
    if (expr->kind == IR_CALL && !expr_is_math(expr))
        row->fine = row->fine && expr->symbol && expr->symbol->is_pure;
    if (expr->kind == IR_RAW)
        row->fine = false;
}

/* The address-of in &A[idx[i]] loads no element of A. */
static void check_place(struct row *row, struct ir_expr *expr)
{
    bool loads = row->loads || (expr->kind == IR_NAME && symbol_has_rows(expr->symbol));
    if (expr->kind == IR_UNARY || expr->kind == IR_INDEX || expr->kind == IR_CAST ||
        expr->kind == IR_BINARY) {
        struct ir_expr *inner = is_unary(expr, "&") ? expr->arg[0] : expr;
        for (size_t i = 0; i < inner->arg_nr; i++) {
            if (inner->arg[i]->type.pointers > 0)
                check_place(row, inner->arg[i]);
            else
                ir_visit(inner->arg[i], check_value, row);
        }
        return;
    }
    ir_visit(expr, check_value, row);
    row->loads = loads || (expr->kind == IR_NAME && expr->symbol->role == IR_FIELD);
}

static bool is_same_all_along(struct row *row)
{
    row->fine = true;
    check_place(row, row->value);
    if (row->fine && row->loads)
        visit_stmt(row->block, check_stores, row);
    return row->fine;
}

/* ---- where it is set and used ---- */

static struct ir_expr *set_by(const struct ir_stmt *stmt, const struct ir_symbol *symbol)
{
    if (stmt->kind == IR_DECL)
        return stmt->symbol == symbol ? stmt->expr : NULL;
    bool sets = stmt->kind == IR_EXPR && stmt->expr->kind == IR_ASSIGN &&
                strcmp(stmt->expr->op, "=") == 0 && stmt->expr->arg[0]->kind == IR_NAME &&
                stmt->expr->arg[0]->symbol == symbol;
    return sets ? stmt->expr->arg[1] : NULL;
}

/* The first statement in a loop that sets it. */
static bool find_setting(struct row *row, struct ir_stmt *stmt, bool in_loop)
{
    if (!stmt)
        return false;
    for (size_t i = 0; in_loop && stmt->kind == IR_BLOCK && i < stmt->child_nr; i++) {
        row->value = set_by(stmt->child[i], row->symbol);
        row->block = stmt;
        row->at = i;
        if (row->value)
            return true;
    }
    bool loop = in_loop || stmt->kind == IR_FOR || stmt->kind == IR_WHILE;
    for (size_t i = 0; i < stmt->child_nr; i++)
        if (find_setting(row, stmt->child[i], loop))
            return true;
    return false;
}

/* All uses are behind it in its block. */
static bool is_used_behind_only(const struct row *row)
{
    size_t behind = 0, own = rewrite_count(row->block->child[row->at], row->symbol);
    for (size_t i = row->at + 1; i < row->block->child_nr; i++)
        behind += rewrite_count(row->block->child[i], row->symbol);
    return own + behind == rewrite_count(row->p->function->body, row->symbol) &&
           own == (row->block->child[row->at]->kind == IR_EXPR);
}

static bool is_set_behind(const struct row *row)
{
    struct row writes = {.symbol = row->symbol};
    for (size_t i = row->at + 1; i < row->block->child_nr; i++)
        visit_stmt(row->block->child[i], count_written, &writes);
    return writes.at > 0;
}

static void drop_setting(struct row *row)
{
    struct ir_stmt *block = row->block;
    for (size_t i = row->at + 1; i < block->child_nr; i++)
        block->child[i - 1] = block->child[i];
    block->child_nr--;
}

static void follow(struct parse *p, struct ir_symbol *symbol)
{
    struct row row = {.p = p, .symbol = symbol};
    struct ir_stmt *body = p->function->body;
    if (!find_setting(&row, body, false) || !is_used_behind_only(&row) ||
        is_set_behind(&row) || rewrite_in_text(body, symbol) || !is_place(row.value) ||
        rewrite_is_hidden(row.block, row.value) || !is_same_all_along(&row))
        return;
    for (size_t i = row.at + 1; i < row.block->child_nr; i++)
        rewrite_put_stmt(p->arena, row.block->child[i], symbol, row.value);
    drop_setting(&row);
    symbol->is_replaced = true;
}

void parse_follow_rows(struct parse *p)
{
    for (size_t i = 0; i < p->function->symbol_nr; i++) {
        struct ir_symbol *symbol = p->function->symbol[i];
        if (symbol->role == IR_LOCAL && symbol->type.pointers > 0 &&
            (symbol->dim_nr == 0 || symbol->pointer_to_array) && !symbol->address_taken &&
            !symbol->is_static && !symbol->type.is_volatile)
            follow(p, symbol);
    }
}
