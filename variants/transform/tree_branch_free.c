/* Which loops hold branches on data: gen_branch.c does without them. */
#include "core/base/error.h"
#include "variants/model/tree.h"
#include "variants/plan/plan.h"
#include "variants/transform/steps.h"

static bool is_branch(const struct ir_stmt *stmt, const void *unused)
{
    (void)unused;
    return stmt->kind == IR_IF;
}

static bool has_branch(const struct nest *nest, const struct tree *tree)
{
    bool found = tree->kind == TREE_LEAF && tree->statement < nest->statement_nr &&
                 stmt_find(nest->statement[tree->statement].stmt, is_branch, NULL);
    for (size_t i = 0; !found && i < tree->child_nr; i++)
        found = has_branch(nest, tree->child[i]);
    return found;
}

int tree_branch_free(struct work *work, const struct plan_step *step, struct error *err)
{
    bool found = false;
    for (size_t i = 0; i < step->arg_nr; i++)
        found = found || has_branch(work->nest, tree_find(work->tree, step->arg[i].name));
    if (!found) {
        fail(err, STATUS_ILLEGAL, "no branch in the nest at line %d depends on data",
             work->nest->stmt->line);
        return STEP_IDLE;
    }
    for (size_t i = 0; i < step->arg_nr; i++)
        strvec_push_once(&work->branching.loops, step->arg[i].name);
    work->reorders = true; /* stores come later: arrays must not overlap */
    return 0;
}
