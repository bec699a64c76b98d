#include "variants/model/borders.h"

#include <string.h>

#include "variants/model/model_affine.h"
#include "variants/model/model_nest.h"

bool border_compares(const struct ir_expr *expr)
{
    return expr->kind == IR_BINARY && expr_is_truth(expr) && strcmp(expr->op, "&&") &&
           strcmp(expr->op, "||");
}

bool border_divides(const struct ir_expr *expr)
{
    return expr->kind == IR_BINARY && !strcmp(expr->op, "%") &&
           expr->type.scalar == IR_INT;
}

/* Takes set; only where nothing is taken for granted on the domain. */
static isl_set *without_doubt(const struct affine *at, isl_set *domain, isl_set *set)
{
    struct doubts *doubts = at->doubts;
    for (size_t i = 0; i < doubts->nr; i++)
        doubts->item[i].set =
            isl_set_intersect(doubts->item[i].set, isl_set_copy(domain));
    if (!doubts_are_idle(at->nest, doubts))
        set = isl_set_free(set);
    return set ? isl_set_intersect(set, isl_set_copy(domain)) : NULL;
}

isl_set *border_holds(struct nest *nest, const struct statement *statement,
                      isl_set *domain, const struct ir_expr *cond)
{
    struct doubts doubts = {0};
    struct affine at = affine_of(nest, statement);
    at.doubts = &doubts;
    isl_set *set = without_doubt(&at, domain, affine_cond(&at, cond));
    isl_space_free(at.space);
    return set;
}

isl_set *border_wraps(struct nest *nest, const struct statement *statement,
                      isl_set *domain, const struct ir_expr *rest, long times)
{
    struct doubts doubts = {0};
    struct affine at = affine_of(nest, statement);
    at.doubts = &doubts;
    isl_pw_aff *value = affine_expr(&at, rest->arg[0]),
               *by = value ? affine_expr(&at, rest->arg[1]) : NULL;
    isl_set *set = NULL;
    if (by) {
        isl_val *factor = isl_val_int_from_si(nest->model->ctx, times);
        isl_pw_aff *off = isl_pw_aff_scale_val(isl_pw_aff_copy(by), factor);
        value = isl_pw_aff_sub(value, off);
        set = isl_pw_aff_nonneg_set(isl_pw_aff_copy(value));
        set = isl_set_intersect(set, isl_pw_aff_lt_set(value, by));
    } else
        isl_pw_aff_free(value);
    set = without_doubt(&at, domain, set);
    isl_space_free(at.space);
    return set;
}
