/*
 * Bounds of loops that are read from memory, `k = row[i]; k < row[i + 1]`, and those that
 * say how far pointers are apart: names for what they are while the loop runs. The model
 * of the loop has them for parameters, code that it is changed to declares them.
 */
#include "core/base/text.h"
#include "variants/parse/parse_rewrite.h"

static void find_load(struct ir_expr *expr, void *data)
{
    bool *found = data;
    *found = *found || expr->kind == IR_INDEX || expr->kind == IR_MEMBER ||
             (expr->kind == IR_NAME && expr->type.pointers) ||
             (expr->kind == IR_UNARY && expr->op[0] == '*');
}

static bool is_read(struct ir_expr *bound)
{
    bool found = false;
    if (!bound->has_value && bound->type.scalar == IR_INT && !bound->type.pointers)
        ir_visit(bound, find_load, &found);
    return found;
}

static bool is_known(const struct ir_function *function, const char *name)
{
    return text_has_word(function->source, name) ||
           ir_has_name(&function->macros, name) || ir_has_name(&function->declared, name);
}

static struct ir_symbol *name_of(struct parse *p, const struct ir_stmt *loop,
                                 struct ir_expr *bound, const char *which)
{
    if (!is_read(bound))
        return NULL;
    struct ir_symbol *symbol = parse_add_symbol(p, NULL);
    const char *stem = ir_textf(p->arena, "%s_%s", loop->iterator->name, which);
    symbol->name = stem;
    for (int i = 1; is_known(p->function, symbol->name); i++)
        symbol->name = ir_textf(p->arena, "%s_%d", stem, i);
    symbol->role = IR_LOCAL;
    symbol->type = bound->type;
    symbol->type.is_const = true;
    symbol->in_loop = true;
    symbol->line = loop->line;
    return symbol;
}

static void name_bounds(struct parse *p, struct ir_stmt *stmt)
{
    if (!stmt)
        return;
    if (stmt->kind == IR_FOR && stmt->canonical) {
        stmt->lower_name = name_of(p, stmt, stmt->lower, "begin");
        stmt->upper_name = name_of(p, stmt, stmt->upper, "end");
    }
    for (size_t i = 0; i < stmt->child_nr; i++)
        name_bounds(p, stmt->child[i]);
}

void parse_name_bounds(struct parse *p)
{
    name_bounds(p, p->function->body);
}
