/* Parameters, those for which anything is executed, what the language promises of them.
 */
#include "variants/model/poly.h"

void nest_params(struct nest *nest)
{
    struct ir_function *function = nest->model->function;
    nest->params = isl_space_params_alloc(nest->model->ctx, 0);
    for (size_t i = 0; i < function->symbol_nr; i++) {
        struct ir_symbol *symbol = function->symbol[i];
        if (!nest->used[i] || !symbol_is_param(nest, symbol))
            continue;
        char *text = xasprintf("%s_%d", symbol->name, symbol->id);
        nest->params = isl_space_add_param_id(nest->params,
                                              isl_id_alloc(nest->model->ctx, text, NULL));
        free(text);
    }
}

void nest_context(struct nest *nest)
{
    isl_set *any = isl_set_empty(isl_space_copy(nest->params)),
            *all = isl_set_universe(isl_space_copy(nest->params));
    for (size_t i = 0; i < nest->statement_nr; i++) {
        isl_set *params = isl_set_params(isl_set_copy(nest->statement[i].domain));
        any = isl_set_union(any, isl_set_copy(params));
        all = isl_set_intersect(all, params);
    }
    isl_set_free(any);
    nest->context = isl_set_coalesce(isl_set_remove_redundancies(all));
    bool all_run = isl_set_is_empty(nest->context) == isl_bool_false;
    nest_reach(nest, all_run);
    if (!all_run) {
        isl_set_free(nest->context);
        nest->context = isl_set_universe(isl_space_copy(nest->params));
    }
}

void nest_vouched(struct nest *nest)
{
    struct ir_function *function = nest->model->function;
    isl_space *space = isl_space_set_from_params(isl_space_copy(nest->params));
    struct doubts doubts = {0};
    struct affine at = {.nest = nest, .space = space, .doubts = &doubts};
    nest->vouched = isl_set_universe(isl_space_copy(nest->params));
    nest->certain = isl_set_universe(isl_space_copy(nest->params));
    for (size_t i = 0; i < function->param_nr; i++)
        for (size_t k = 0; k < function->symbol[i]->dim_nr; k++) {
            const struct ir_expr *dim = function->symbol[i]->dim[k];
            isl_pw_aff *size = dim ? affine_expr(&at, dim) : NULL;
            if (!doubts_are_idle(nest, &doubts) || !size) {
                isl_pw_aff_free(size);
                continue;
            }
            nest->certain = isl_set_intersect(
                nest->certain,
                isl_set_params(isl_pw_aff_nonneg_set(isl_pw_aff_copy(size))));
            nest->vouched = isl_set_intersect(nest->vouched,
                                              isl_set_params(isl_pw_aff_pos_set(size)));
        }
    for (size_t i = 0; i < function->symbol_nr; i++) {
        struct ir_symbol *symbol = function->symbol[i];
        if (!nest->used[i] || !symbol->type.is_unsigned || !symbol_is_param(nest, symbol))
            continue;
        isl_pw_aff *value = affine_expr(&at, ir_name(nest->model->arena, symbol));
        nest->certain = isl_set_intersect(nest->certain,
                                          isl_set_params(isl_pw_aff_nonneg_set(value)));
    }
    nest->vouched = isl_set_intersect(nest->vouched, isl_set_copy(nest->certain));
    isl_space_free(space);
}
