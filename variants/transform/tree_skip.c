/*
 * skip_blocks(i:1024): of an innermost loop that does something in few of its iterations,
 * `for (i) if (C) B`, blocks in which C never holds are left out. Of each block C is
 * asked first, in all iterations and with what B left before the block: if it holds in
 * none, B would not have run there, and C is the same in the whole block. Else the block
 * runs as it is written. What asks alone changes nothing, so that compilers make vectors
 * of it: the greatest element and its place, `if (a[i] > best) { best = a[i]; at = i; }`.
 */
#include <string.h>

#include "core/base/error.h"
#include "variants/ir/ir.h"
#include "variants/ir/sum.h"
#include "variants/model/tree.h"
#include "variants/plan/plan.h"
#include "variants/transform/steps.h"

/* ---- may the condition be asked ahead? ---- */

struct changed {
    const struct ir_symbol *symbol[32];
    size_t nr;
    bool too_many;
};

static void note_changed(struct ir_expr *expr, void *data)
{
    struct changed *at = data;
    if (!expr_sets(expr) || expr->arg[0]->kind != IR_NAME)
        return;
    at->too_many = at->too_many || at->nr == ARRAY_SIZE(at->symbol);
    if (!at->too_many)
        at->symbol[at->nr++] = expr->arg[0]->symbol;
}

static bool mentions_changed(const struct ir_expr *expr, const struct changed *changed)
{
    bool found = changed->too_many;
    for (size_t i = 0; !found && i < changed->nr; i++)
        found = expr_mentions(expr, changed->symbol[i]);
    return found;
}

static bool is_plain_operand(const struct ir_expr *expr, const struct changed *changed)
{
    while (expr->kind == IR_CAST)
        expr = expr->arg[0];
    return expr->kind == IR_NAME || !mentions_changed(expr, changed);
}

/* What B changes is compared with, by the last comparison alone: else an element would be
 * read that the source, with the later value, does not come to. */
static bool can_be_asked(const struct ir_expr *cond, const struct changed *changed)
{
    if (cond->kind == IR_BINARY && !strcmp(cond->op, "&&"))
        return !mentions_changed(cond->arg[0], changed) &&
               can_be_asked(cond->arg[1], changed);
    if (cond->kind == IR_BINARY && expr_is_truth(cond) && strcmp(cond->op, "||"))
        return is_plain_operand(cond->arg[0], changed) &&
               is_plain_operand(cond->arg[1], changed);
    return !mentions_changed(cond, changed);
}

/* NULL, or why it cannot: a phrase. */
static const char *problem_of(const struct ir_stmt *stmt)
{
    struct changed changed = {.nr = 0};
    if (stmt->kind != IR_IF || (stmt->child_nr > 1 && stmt->child[1]))
        return "its body is not one if without else";
    if (!expr_is_repeatable(stmt->cond) || stmt->pragma)
        return "its condition does something, or calls what is not known";
    stmt_exprs(stmt->child[0], note_changed, &changed);
    if (!can_be_asked(stmt->cond, &changed))
        return "what its body changes decides in its condition what is read";
    return NULL;
}

/* ---- the step ---- */

struct marking {
    const struct work *work;
    const char *name;
    size_t done;
    const char *why;
};

static void mark(struct marking *at, struct tree *tree)
{
    const struct tree *only = tree->child_nr == 1 ? tree->child[0] : NULL;
    bool named = tree->kind == TREE_BAND && tree->role == BAND_LOOP && !tree->rest &&
                 !strcmp(tree->name, at->name);
    if (named && only && only->kind == TREE_LEAF) {
        const char *why = problem_of(at->work->nest->statement[only->statement].stmt);
        tree->asks_first = !why;
        at->done += !why;
        at->why = why ? why : at->why;
    }
    for (size_t i = 0; i < tree->child_nr; i++)
        mark(at, tree->child[i]);
}

int tree_skip_blocks(struct work *work, const struct plan_step *step, struct error *err)
{
    struct marking at = {.work = work,
                         .name = step->arg[0].name,
                         .why = "it is not an innermost loop of one statement"};
    int line = tree_find(work->tree, at.name)->loop->stmt->line;
    bool reordered = work->reorders;
    if (tree_tile(work, step, err))
        return -1;
    work->reorders = reordered; /* tiles of one loop run as it does */
    mark(&at, work->tree);
    if (at.done)
        return 0;
    fail(err, STATUS_ILLEGAL, "skip_blocks(%s): the loop over %s at line %d: %s", at.name,
         at.name, line, at.why);
    return STEP_IDLE;
}
