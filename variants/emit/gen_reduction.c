/* simd loops that sum, where the user lets sums be reordered: every variable that is
 * summed up must stand in a clause. */
#include "variants/emit/gen.h"

#include <string.h>

static bool is_declared(const struct code *block, const struct ir_symbol *symbol)
{
    for (size_t i = 0; i < block->child_nr; i++) {
        const struct ir_stmt *stmt =
            block->child[i]->kind == CODE_STMT ? block->child[i]->stmt : NULL;
        if (stmt && stmt->kind == IR_DECL && stmt->symbol == symbol)
            return true;
    }
    return false;
}

/* False when the loop carries something that no clause can say. */
static bool add_sum(struct code *loop, const struct ir_expr *expr)
{
    const struct ir_expr *target = expr->kind == IR_ASSIGN ? expr->arg[0] : NULL;
    if (!target)
        return false;
    if (target->kind != IR_NAME)
        return expr_mentions(target, loop->var);
    if (is_declared(loop->child[0], target->symbol))
        return true;
    const char *op = strcmp(expr->op, "=") ? expr->op
                     : expr->arg[1]->op    ? expr->arg[1]->op
                                           : "";
    if (!strchr("+-*", op[0]) || !op[0])
        return false;
    strvec_push_once(op[0] == '*' ? &loop->products : &loop->sums, target->symbol->name);
    return true;
}

void gen_reductions(struct code *code)
{
    const struct code *block = code->kind == CODE_FOR ? code->child[0] : NULL;
    for (size_t i = 0; code->kind == CODE_FOR && code->simd && code->band->reduces &&
                       i < block->child_nr;
         i++) {
        const struct ir_stmt *stmt =
            block->child[i]->kind == CODE_STMT ? block->child[i]->stmt : NULL;
        if (!stmt || (stmt->kind != IR_DECL &&
                      (stmt->kind != IR_EXPR || !add_sum(code, stmt->expr))))
            code->simd = false;
    }
    for (size_t i = 0; i < code->child_nr; i++)
        gen_reductions(code->child[i]);
}
