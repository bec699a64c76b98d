/* Walking statements and expressions of the front end's tree. */
#include <string.h>

#include "variants/ir/ir.h"

const struct ir_stmt *stmt_find(const struct ir_stmt *stmt,
                                bool (*is)(const struct ir_stmt *, const void *),
                                const void *data)
{
    const struct ir_stmt *found = NULL;
    if (!stmt || is(stmt, data))
        return stmt;
    for (size_t i = 0; !found && i < stmt->child_nr; i++)
        found = stmt_find(stmt->child[i], is, data);
    return found ? found : stmt_find(stmt->init, is, data);
}

static void visit_one(struct ir_expr *expr,
                      void (*visit)(struct ir_expr *expr, void *data), void *data)
{
    if (expr)
        ir_visit(expr, visit, data);
}

void stmt_exprs(const struct ir_stmt *stmt,
                void (*visit)(struct ir_expr *expr, void *data), void *data)
{
    if (!stmt)
        return;
    visit_one(stmt->expr, visit, data);
    stmt_exprs(stmt->init, visit, data);
    if (stmt->kind == IR_FOR && stmt->canonical) {
        visit_one(stmt->lower, visit, data);
        visit_one(stmt->upper, visit, data);
    } else {
        visit_one(stmt->cond, visit, data);
        visit_one(stmt->increment, visit, data);
    }
    for (size_t i = 0; i < stmt->child_nr; i++)
        stmt_exprs(stmt->child[i], visit, data);
}

/* break and continue that belong to a loop inside do not count; inner loops take both. */
static bool breaks_out(const struct ir_stmt *stmt)
{
    if (!stmt || stmt->kind == IR_FOR || stmt->kind == IR_WHILE)
        return false;
    if (stmt->kind == IR_JUMP)
        return !strncmp(stmt->text, "break", 5) || !strncmp(stmt->text, "continue", 8);
    for (size_t i = 0; i < stmt->child_nr; i++)
        if (breaks_out(stmt->child[i]))
            return true;
    return false;
}

bool stmt_breaks_out(const struct ir_stmt *body)
{
    return breaks_out(body);
}
