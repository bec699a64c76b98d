/* Which values the types of parameters allow, and how far loops can count at all. */
#include <isl/constraint.h>
#include <limits.h>

#include "variants/model/model_affine.h"

/* No loop runs so often, with a step of 256 at most: it would take weeks. */
enum { STEP_MAX = 256 };

static isl_pw_aff *value_of_param(const struct nest *nest, isl_space *space, unsigned pos)
{
    isl_id *id = isl_space_get_dim_id(nest->params, isl_dim_param, pos);
    return isl_pw_aff_from_aff(
        isl_aff_param_on_domain_space_id(isl_space_copy(space), id));
}

/* The points at which the value lies in [low, high]. */
static isl_set *between(isl_pw_aff *value, isl_val *low, isl_val *high)
{
    isl_pw_aff *above =
                   isl_pw_aff_add_constant_val(isl_pw_aff_copy(value), isl_val_neg(low)),
               *below = isl_pw_aff_add_constant_val(isl_pw_aff_neg(value), high);
    return isl_set_intersect(isl_pw_aff_nonneg_set(above), isl_pw_aff_nonneg_set(below));
}

isl_set *set_of_type(isl_pw_aff *value, const struct ir_type *type)
{
    isl_ctx *ctx = isl_pw_aff_get_ctx(value);
    size_t bits = type->scalar == IR_BOOL ? 1 : type->bytes * 8 - !type->is_unsigned;
    isl_val *size = isl_val_2exp(isl_val_int_from_ui(ctx, bits));
    isl_val *low =
        type->is_unsigned ? isl_val_zero(ctx) : isl_val_neg(isl_val_copy(size));
    return between(value, low, isl_val_sub_ui(size, 1));
}

static isl_set *near_zero(isl_pw_aff *value, long long far)
{
    isl_ctx *ctx = isl_pw_aff_get_ctx(value);
    return between(value, isl_val_int_from_si(ctx, -far), isl_val_int_from_si(ctx, far));
}

static const struct ir_symbol *param_at(const struct nest *nest, unsigned pos)
{
    isl_id *id = isl_space_get_dim_id(nest->params, isl_dim_param, pos);
    struct ir_symbol *symbol = NULL;
    param_of_id(nest, id, &symbol);
    isl_id_free(id);
    return symbol;
}

void nest_ranges(struct nest *nest)
{
    isl_space *space = isl_space_set_from_params(isl_space_copy(nest->params));
    nest->ranges = isl_set_universe(isl_space_copy(nest->params));
    for (unsigned i = 0; i < (unsigned)isl_space_dim(nest->params, isl_dim_param); i++)
        nest->ranges = isl_set_intersect(
            nest->ranges, isl_set_params(set_of_type(value_of_param(nest, space, i),
                                                     &param_at(nest, i)->type)));
    isl_space_free(space);
}

/* ---- what loops can count to ---- */

static bool counts_far(const struct ir_stmt *stmt)
{
    return stmt->step <= STEP_MAX && stmt->step >= -STEP_MAX;
}

isl_set *affine_near(const struct affine *at, isl_set *domain)
{
    for (size_t i = 0; i < at->depth; i++) {
        const struct ir_stmt *stmt = at->loop[i]->stmt;
        isl_local_space *space = isl_local_space_from_space(isl_space_copy(at->space));
        struct affine plain = *at;
        plain.doubts = NULL;
        isl_pw_aff *it =
            isl_pw_aff_from_aff(isl_aff_var_on_domain(space, isl_dim_set, (unsigned)i));
        isl_pw_aff *lower = counts_far(stmt) ? affine_expr(&plain, stmt->lower) : NULL;
        domain = isl_set_intersect(
            domain, set_of_type(isl_pw_aff_copy(it), &stmt->iterator->type));
        if (lower)
            domain = isl_set_intersect(
                domain, near_zero(isl_pw_aff_sub(isl_pw_aff_copy(it), lower), MODEL_FAR));
        isl_pw_aff_free(it);
    }
    return domain;
}

/* The parameters with which a loop whose bounds are parameters ends some day. */
static isl_set *ends(struct nest *nest, const struct ir_stmt *stmt)
{
    isl_space *space = isl_space_set_from_params(isl_space_copy(nest->params));
    struct affine at = {.nest = nest, .space = space};
    bool inclusive = stmt->cmp[1] == '=' && stmt->cmp[0] != '!';
    isl_pw_aff *lower = affine_expr(&at, stmt->lower),
               *upper = affine_expr(&at, stmt->upper);
    isl_space_free(space);
    if (!lower || !upper || !counts_far(stmt)) {
        isl_pw_aff_free(lower);
        isl_pw_aff_free(upper);
        return isl_set_universe(isl_space_copy(nest->params));
    }
    isl_pw_aff *last = isl_pw_aff_copy(upper);
    if (inclusive) /* the counter gets past it */
        last = isl_pw_aff_add_constant_val(
            last, isl_val_int_from_si(nest->model->ctx, stmt->step > 0 ? 1 : -1));
    isl_set *set = near_zero(isl_pw_aff_sub(upper, lower), MODEL_FAR);
    if (stmt->step > 0 || !stmt->iterator->type.is_unsigned)
        set = isl_set_intersect(set, set_of_type(last, &stmt->iterator->type));
    else
        isl_pw_aff_free(last);
    return isl_set_params(set);
}

void nest_reach(struct nest *nest, bool all_run)
{
    nest->reach = isl_set_copy(nest->ranges);
    for (size_t i = 0; all_run && i < nest->loop_nr; i++)
        nest->reach = isl_set_intersect(nest->reach, ends(nest, nest->loop[i]->stmt));
}

/* ---- the values of one parameter ---- */

static long long number_of(isl_val *val, long long otherwise)
{
    bool number = isl_val_is_int(val) == isl_bool_true;
    long long value = otherwise;
    if (number && isl_val_cmp_si(val, LONG_MIN / 2) > 0 &&
        isl_val_cmp_si(val, LONG_MAX / 2) < 0)
        value = isl_val_get_num_si(val);
    isl_val_free(val);
    return value;
}

void nest_param_range(const struct nest *nest, isl_set *known,
                      const struct ir_symbol *symbol, long long *low, long long *high)
{
    unsigned nr = (unsigned)isl_space_dim(nest->params, isl_dim_param), pos = 0;
    while (pos < nr && param_at(nest, pos) != symbol)
        pos++;
    *low = LLONG_MIN;
    *high = LLONG_MAX;
    if (pos == nr)
        return;
    isl_set *set = isl_set_intersect(isl_set_copy(known), isl_set_copy(nest->reach));
    set = isl_set_move_dims(isl_set_from_params(set), isl_dim_set, 0, isl_dim_param, pos,
                            1);
    set = isl_set_project_out(set, isl_dim_param, 0, nr - 1);
    if (isl_set_is_empty(set) == isl_bool_false) {
        *low = number_of(isl_set_dim_min_val(isl_set_copy(set), 0), LLONG_MIN);
        *high = number_of(isl_set_dim_max_val(isl_set_copy(set), 0), LLONG_MAX);
    }
    isl_set_free(set);
}

/* ---- parameters of 64 bits that are only right if they are no huge numbers ---- */

bool nest_box(struct nest *nest, isl_set *wrong, long long far)
{
    unsigned nr = (unsigned)isl_space_dim(nest->params, isl_dim_param);
    isl_space *space = isl_space_set_from_params(isl_space_copy(nest->params));
    isl_set *box = isl_set_copy(wrong);
    for (unsigned i = 0; i < nr; i++)
        if (param_at(nest, i)->type.bytes == 8)
            box = isl_set_intersect_params(
                box, isl_set_params(near_zero(value_of_param(nest, space, i), far)));
    isl_space_free(space);
    bool enough = isl_set_is_empty(box) == isl_bool_true;
    isl_set_free(box);
    for (unsigned i = 0; enough && i < nr; i++) {
        long long *now = &nest->far[param_at(nest, i)->id];
        if (param_at(nest, i)->type.bytes == 8 &&
            isl_set_involves_dims(wrong, isl_dim_param, i, 1) == isl_bool_true)
            *now = *now && *now < far ? *now : far;
    }
    return enough;
}

/* ---- numbers that C has no type for ---- */

static isl_stat check_constant(isl_constraint *constraint, void *data)
{
    isl_val *val = isl_val_abs(isl_constraint_get_constant_val(constraint));
    bool *fits = data;
    *fits = *fits && isl_val_cmp_si(val, LONG_MAX) <= 0;
    isl_val_free(val);
    isl_constraint_free(constraint);
    return isl_stat_ok;
}

static isl_stat check_constants(isl_basic_set *part, void *data)
{
    isl_stat status = isl_basic_set_foreach_constraint(part, check_constant, data);
    isl_basic_set_free(part);
    return status;
}

bool set_is_writable(isl_set *set)
{
    bool fits = true;
    return isl_set_foreach_basic_set(set, check_constants, &fits) == isl_stat_ok && fits;
}
