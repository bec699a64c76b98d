/* Counters as narrow as what is counted: blocks of the innermost loop, so short that they
 * do not overflow. What counts there is found in the new code: see emit/gen_accumulate.c.
 */
#include <string.h>

#include "core/base/buf.h"
#include "core/base/error.h"
#include "variants/model/tree.h"
#include "variants/plan/plan.h"
#include "variants/transform/steps.h"

struct search {
    struct work *work;
    const struct step_arg *arg;
    bool any, element;
    struct buf why;
};

static void find_counters(struct search *at, const struct tree *tree)
{
    if (tree->kind == TREE_BAND && tree->role == BAND_LOOP && !tree->rest &&
        !strcmp(tree->name, at->arg->name) &&
        band_accumulates(at->work->nest, tree, at->arg->value, &at->element, &at->why))
        at->any = true;
    for (size_t i = 0; i < tree->child_nr; i++)
        find_counters(at, tree->child[i]);
}

static void mark(struct tree *tree, const char *name, long long block)
{
    if (tree->kind == TREE_BAND && tree->role == BAND_TILE && !strcmp(tree->name, name))
        tree->counted = block;
    for (size_t i = 0; i < tree->child_nr; i++)
        mark(tree->child[i], name, block);
}

int tree_narrow_counters(struct work *work, const struct plan_step *step,
                         struct error *err)
{
    struct search search = {.work = work, .arg = &step->arg[0]};
    bool reorders = work->reorders;
    if (step->arg_nr > 1)
        return fail(err, STATUS_USAGE, "narrow_counters names one loop");
    find_counters(&search, work->tree);
    if (!search.any)
        fail(err, STATUS_ILLEGAL,
             "the loop over %s counts nothing in a wide variable: %s", search.arg->name,
             search.why.length ? buf_str(&search.why)
                               : "no loop of the source, in one piece, has this name");
    buf_release(&search.why);
    if (!search.any)
        return STEP_IDLE;
    const char *name = tree_tile_name(work, search.arg->name);
    tree_tile(work, step, err);
    mark(work->tree, name, search.arg->value);
    work->reorders = reorders || search.element; /* blocks alone leave the order */
    work->counts = true;
    return 0;
}
