/* Which loops have divisions by what stays the same in them: gen_reciprocal.c makes those
 * multiplications. */
#include <string.h>

#include "core/base/error.h"
#include "variants/model/tree.h"
#include "variants/plan/plan.h"
#include "variants/transform/steps.h"

struct divisors {
    bool any, loaded; /* some is no number; is read from memory */
};

static void look_load(struct ir_expr *expr, void *data)
{
    struct divisors *found = data;
    found->loaded = found->loaded || expr->kind == IR_INDEX || expr->kind == IR_MEMBER;
}

static void look_divisor(struct ir_expr *expr, void *data)
{
    struct divisors *found = data;
    bool divides = (expr->kind == IR_BINARY || expr->kind == IR_ASSIGN) &&
                   strchr("/%", expr->op[0]) && !expr->arg[1]->has_value;
    if (!divides)
        return;
    found->any = true;
    ir_visit(expr->arg[1], look_load, found);
}

static void look_below(const struct nest *nest, const struct tree *tree,
                       struct divisors *found)
{
    if (tree->kind == TREE_LEAF && tree->statement < nest->statement_nr)
        stmt_exprs(nest->statement[tree->statement].stmt, look_divisor, found);
    for (size_t i = 0; i < tree->child_nr; i++)
        look_below(nest, tree->child[i], found);
}

int tree_reciprocal(struct work *work, const struct plan_step *step, struct error *err)
{
    struct divisors found = {0};
    for (size_t i = 0; i < step->arg_nr; i++)
        look_below(work->nest, tree_find(work->tree, step->arg[i].name), &found);
    if (!found.any) {
        fail(err, STATUS_ILLEGAL, "no division in the nest at line %d is by a variable",
             work->nest->stmt->line);
        return STEP_IDLE;
    }
    for (size_t i = 0; i < step->arg_nr; i++)
        strvec_push_once(&work->dividing.loops, step->arg[i].name);
    /* read before the loop, which stores must not change */
    work->reorders = work->reorders || found.loaded;
    return 0;
}
