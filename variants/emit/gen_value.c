/* Affine functions as C, of values that are known as expressions. */
#include "variants/emit/gen.h"

static const char no_place[] = "the place of a local buffer cannot be written in C";

long long gen_whole(struct gen *gen, isl_val *val)
{
    if (isl_val_is_int(val) != isl_bool_true)
        gen->problem = no_place;
    long long number = isl_val_get_num_si(val);
    isl_val_free(val);
    return number;
}

void gen_add_term(struct sum *sum, struct ir_arena *arena, long long factor,
                  struct ir_expr *expr)
{
    struct sum term = sum_of_expr(arena, expr);
    *sum = sum_add(sum, &term, factor);
}

static void add_params(struct gen *gen, isl_aff *aff, struct sum *sum)
{
    for (int i = 0; i < (int)isl_aff_dim(aff, isl_dim_param); i++) {
        long long factor =
            gen_whole(gen, isl_aff_get_coefficient_val(aff, isl_dim_param, i));
        isl_space *space = isl_aff_get_domain_space(aff);
        isl_id *id = isl_space_get_dim_id(space, isl_dim_param, (unsigned)i);
        struct ir_symbol *symbol;
        if (factor && param_of_id(gen->nest, id, &symbol))
            gen_add_term(sum, gen->arena, factor, ir_name(gen->arena, symbol));
        isl_id_free(id);
        isl_space_free(space);
    }
}

static struct ir_expr *floor_of_aff(struct gen *gen, isl_aff *aff,
                                    struct ir_expr *const *value)
{
    isl_val *denominator = isl_aff_get_denominator_val(aff);
    long long by = gen_whole(gen, isl_val_copy(denominator));
    struct sum sum = gen_aff_sum(gen, isl_aff_scale_val(aff, denominator), value);
    struct ir_expr *expr = sum_expr(gen->arena, &sum);
    return by > 1 ? raw_floor(gen, expr, by) : expr;
}

struct sum gen_aff_sum(struct gen *gen, isl_aff *aff, struct ir_expr *const *value)
{
    struct sum sum = sum_constant(gen_whole(gen, isl_aff_get_constant_val(aff)));
    for (int i = 0; i < (int)isl_aff_dim(aff, isl_dim_in); i++) {
        long long factor =
            gen_whole(gen, isl_aff_get_coefficient_val(aff, isl_dim_in, i));
        if (factor && value[i])
            gen_add_term(&sum, gen->arena, factor, value[i]);
        else if (factor)
            gen->problem = no_place;
    }
    add_params(gen, aff, &sum);
    for (int i = 0; i < (int)isl_aff_dim(aff, isl_dim_div); i++) {
        long long factor =
            gen_whole(gen, isl_aff_get_coefficient_val(aff, isl_dim_div, i));
        if (factor)
            gen_add_term(&sum, gen->arena, factor,
                         floor_of_aff(gen, isl_aff_get_div(aff, i), value));
    }
    isl_aff_free(aff);
    return sum;
}

static isl_stat take_piece(isl_set *domain, isl_aff *aff, void *data)
{
    isl_aff **only = data;
    isl_set_free(domain);
    isl_aff_free(*only);
    *only = aff;
    return isl_stat_ok;
}

struct ir_expr *gen_band_value(struct gen *gen, const struct tree *band,
                               const struct statement *statement,
                               struct ir_expr *const *raw)
{
    isl_pw_aff *f = isl_pw_aff_coalesce(band_function(band, statement));
    isl_aff *aff = NULL;
    if (band->scale)
        f = isl_pw_aff_scale_down_val(
            f, isl_val_int_from_si(gen->nest->model->ctx, band->scale));
    bool one = isl_pw_aff_n_piece(f) == 1 &&
               isl_pw_aff_foreach_piece(f, take_piece, &aff) == isl_stat_ok;
    isl_pw_aff_free(f);
    if (one)
        return floor_of_aff(gen, aff, raw);
    isl_aff_free(aff);
    return NULL;
}
