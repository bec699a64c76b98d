/* Loops that run the other way. */
#include <stdlib.h>
#include <string.h>

#include "core/base/error.h"
#include "variants/ir/sum.h"
#include "variants/model/model_affine.h"
#include "variants/model/model_nest.h"
#include "variants/model/tree.h"
#include "variants/plan/plan.h"
#include "variants/transform/steps.h"

/* The last value of the iterator, where that is one for all runs of the loop; NULL = it
 * is not, or hard to say. */
static struct ir_expr *last_value(struct nest *nest, const struct tree *band)
{
    const struct ir_stmt *stmt = band->loop->stmt;
    bool inclusive = strchr(stmt->cmp, '=') != NULL && strcmp(stmt->cmp, "!=");
    if (band->skewed || band->shifted || band_is_turned(band) || llabs(stmt->step) != 1 ||
        stmt->upper->type.is_unsigned)
        return NULL;
    isl_space *space = isl_space_set_from_params(isl_space_copy(nest->params));
    struct affine outermost = {.nest = nest, .space = space};
    isl_pw_aff *upper = affine_expr(&outermost, stmt->upper);
    bool is_one = upper != NULL;
    isl_pw_aff_free(upper);
    isl_space_free(space);
    struct ir_arena *arena = nest->model->arena;
    return is_one ? expr_plus(arena, ir_copy(arena, stmt->upper),
                              inclusive ? 0 : -stmt->step)
                  : NULL;
}

/* From the first iteration to the last one. */
static void add_span(struct nest *nest, const struct tree *band,
                     const struct ir_expr *last, const struct tree *below,
                     isl_union_pw_aff **span)
{
    if (below->kind == TREE_LEAF) {
        struct affine at = affine_of(nest, &nest->statement[below->statement]);
        isl_pw_aff *value = affine_expr(&at, last);
        if (band->base)
            value = isl_pw_aff_sub(value, affine_expr(&at, band->base));
        *span = function_add(*span, band->step < 0 ? isl_pw_aff_neg(value) : value);
        isl_space_free(at.space);
        return;
    }
    for (size_t i = 0; i < below->child_nr; i++)
        add_span(nest, band, last, below->child[i], span);
}

/* The value counts from the last iteration on where that is known, so that blocks begin
 * there; the iterator goes the other way with it. */
static void turn(struct nest *nest, struct tree *band)
{
    struct ir_expr *last = last_value(nest, band);
    band->f = isl_union_pw_aff_neg(band->f);
    if (last) {
        isl_union_pw_aff *span = isl_union_pw_aff_empty(isl_space_copy(nest->params));
        add_span(nest, band, last, band, &span);
        band->f = isl_union_pw_aff_add(band->f, span);
        band->base = last->has_value && !last->value ? NULL : last;
    }
    band->step = -band->step;
}

static size_t turn_below(struct nest *nest, struct tree *tree, const char *name)
{
    size_t done = 0;
    if (tree->kind == TREE_BAND && tree->role == BAND_LOOP && !tree->rest &&
        !strcmp(tree->name, name)) {
        turn(nest, tree);
        done++;
    }
    for (size_t i = 0; i < tree->child_nr; i++)
        done += turn_below(nest, tree->child[i], name);
    return done;
}

int tree_reverse(struct work *work, const struct plan_step *step, struct error *err)
{
    work->reorders = true;
    for (size_t i = 0; i < step->arg_nr; i++)
        if (!turn_below(work->nest, work->tree, step->arg[i].name)) {
            fail(err, STATUS_USAGE,
                 "the loop over %s is made of blocks by another step; reverse stands "
                 "before tile and unroll and names loops of the source",
                 step->arg[i].name);
            return STEP_IDLE;
        }
    return 0;
}
