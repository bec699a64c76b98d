/* Expressions and conditions of the source as isl functions and sets. */
#include "variants/poly.h"

#include <stdlib.h>
#include <string.h>

bool value_of(const struct model_values *values, const struct ir_symbol *symbol,
              long long *value)
{
    for (size_t i = 0; values && i < values->nr; i++)
        if (values->item[i].symbol == symbol) {
            *value = values->item[i].value;
            return true;
        }
    return false;
}

bool symbol_is_param(const struct nest *nest, const struct ir_symbol *symbol)
{
    const struct ir_symbol *base = symbol->role == IR_FIELD ? symbol->base : NULL;
    if (base && base->id >= 0 && (nest->written[base->id] || nest->declared[base->id]))
        return false;
    return symbol->id >= 0 && symbol->role != IR_FUNCTION &&
           symbol->type.scalar == IR_INT && !symbol->type.pointers &&
           !symbol->type.is_volatile && !nest->written[symbol->id] &&
           !nest->declared[symbol->id];
}

static isl_id *param_id(const struct nest *nest, const struct ir_symbol *symbol)
{
    char *text = xasprintf("%s_%d", symbol->name, symbol->id);
    isl_id *id = isl_id_alloc(nest->model->ctx, text, NULL);
    free(text);
    return id;
}

bool param_of_id(const struct nest *nest, isl_id *id, struct ir_symbol **symbol)
{
    const char *name = isl_id_get_name(id), *end = name ? strrchr(name, '_') : NULL;
    if (!end)
        return false;
    size_t index = strtoul(end + 1, NULL, 10);
    if (index >= nest->model->function->symbol_nr)
        return false;
    *symbol = nest->model->function->symbol[index];
    return true;
}

static isl_pw_aff *constant(const struct affine *at, long long value)
{
    isl_local_space *space = isl_local_space_from_space(isl_space_copy(at->space));
    isl_val *val = isl_val_int_from_si(at->nest->model->ctx, value);
    return isl_pw_aff_from_aff(isl_aff_val_on_domain(space, val));
}

static isl_pw_aff *parameter(const struct affine *at, const struct ir_symbol *symbol)
{
    long long value;
    if ((symbol->role == IR_GLOBAL && !symbol->type.is_const) ||
        (symbol->address_taken && !symbol->type.is_const))
        nest_assume(at->nest, "'%s' does not change while the loops run", symbol->name);
    if (value_of(at->values, symbol, &value))
        return constant(at, value);
    isl_id *id = param_id(at->nest, symbol);
    if (isl_space_find_dim_by_id(at->space, isl_dim_param, id) < 0) {
        isl_id_free(id);
        return NULL;
    }
    return isl_pw_aff_from_aff(
        isl_aff_param_on_domain_space_id(isl_space_copy(at->space), id));
}

static isl_pw_aff *name(const struct affine *at, const struct ir_symbol *symbol)
{
    struct nest *nest = at->nest;
    for (size_t i = 0; i < at->depth; i++)
        if (at->loop[i]->stmt->iterator == symbol) {
            isl_local_space *space =
                isl_local_space_from_space(isl_space_copy(at->space));
            return isl_pw_aff_from_aff(
                isl_aff_var_on_domain(space, isl_dim_set, (unsigned)i));
        }
    if (symbol->role != IR_FUNCTION && symbol_is_param(nest, symbol))
        return parameter(at, symbol);
    if (symbol->id >= 0 && nest->declared[symbol->id] && symbol->type.scalar == IR_INT &&
        nest->model->init[symbol->id])
        return affine_expr(at, nest->model->init[symbol->id]);
    return NULL;
}

static bool is_constant(isl_pw_aff *pa)
{
    return isl_pw_aff_is_cst(pa) == isl_bool_true;
}

static isl_pw_aff *divided(const char *op, isl_pw_aff *a, isl_pw_aff *b)
{
    isl_val *divisor = is_constant(b) ? isl_pw_aff_max_val(isl_pw_aff_copy(b)) : NULL;
    bool fits = divisor && isl_val_is_pos(divisor) == isl_bool_true;
    isl_val_free(divisor);
    if (!fits) {
        isl_pw_aff_free(a);
        isl_pw_aff_free(b);
        return NULL;
    }
    return *op == '/' ? isl_pw_aff_tdiv_q(a, b) : isl_pw_aff_tdiv_r(a, b);
}

static isl_pw_aff *combine(const char *op, isl_pw_aff *a, isl_pw_aff *b)
{
    if (a && b && !op[1])
        switch (op[0]) {
        case '+':
            return isl_pw_aff_add(a, b);
        case '-':
            return isl_pw_aff_sub(a, b);
        case '*':
            if (is_constant(a) || is_constant(b))
                return isl_pw_aff_mul(a, b);
            break;
        case '/':
        case '%':
            return divided(op, a, b);
        }
    isl_pw_aff_free(a);
    isl_pw_aff_free(b);
    return NULL;
}

static isl_pw_aff *binary(const struct affine *at, const struct ir_expr *expr)
{
    if (!strchr("+-*/%", expr->op[0]) || expr->op[1])
        return NULL;
    if (expr->op[0] == '-' && expr->type.is_unsigned)
        nest_assume(at->nest, "unsigned subtraction at line %d does not wrap around",
                    expr->line);
    isl_pw_aff *a = affine_expr(at, expr->arg[0]);
    isl_pw_aff *b = affine_expr(at, expr->arg[1]);
    return combine(expr->op, a, b);
}

static isl_pw_aff *conditional(const struct affine *at, const struct ir_expr *expr)
{
    isl_set *cond = affine_cond(at, expr->arg[0]);
    isl_pw_aff *yes = affine_expr(at, expr->arg[1]);
    isl_pw_aff *no = affine_expr(at, expr->arg[2]);
    if (cond && yes && no)
        return isl_pw_aff_cond(isl_set_indicator_function(cond), yes, no);
    isl_set_free(cond);
    isl_pw_aff_free(yes);
    isl_pw_aff_free(no);
    return NULL;
}

isl_pw_aff *affine_expr(const struct affine *at, const struct ir_expr *expr)
{
    isl_pw_aff *inner;
    if (expr->type.pointers ||
        (expr->type.scalar != IR_INT && expr->type.scalar != IR_BOOL))
        return NULL;
    if (expr->has_value)
        return constant(at, expr->value);
    switch (expr->kind) {
    case IR_NAME:
        return name(at, expr->symbol);
    case IR_CAST:
        return affine_expr(at, expr->arg[0]);
    case IR_UNARY:
        if (strcmp(expr->op, "-") && strcmp(expr->op, "+"))
            return NULL;
        inner = affine_expr(at, expr->arg[0]);
        return expr->op[0] == '-' ? isl_pw_aff_neg(inner) : inner;
    case IR_BINARY:
        return binary(at, expr);
    case IR_COND:
        return conditional(at, expr);
    default:
        return NULL;
    }
}

static isl_set *compare(const struct affine *at, const struct ir_expr *cond)
{
    static const struct {
        const char *op;
        isl_set *(*make)(isl_pw_aff *, isl_pw_aff *);
    } ops[] = {{"<", isl_pw_aff_lt_set},  {"<=", isl_pw_aff_le_set},
               {">", isl_pw_aff_gt_set},  {">=", isl_pw_aff_ge_set},
               {"==", isl_pw_aff_eq_set}, {"!=", isl_pw_aff_ne_set}};
    for (size_t i = 0; i < ARRAY_SIZE(ops); i++) {
        if (strcmp(cond->op, ops[i].op))
            continue;
        isl_pw_aff *a = affine_expr(at, cond->arg[0]);
        isl_pw_aff *b = affine_expr(at, cond->arg[1]);
        if (a && b)
            return ops[i].make(a, b);
        isl_pw_aff_free(a);
        isl_pw_aff_free(b);
    }
    return NULL;
}

isl_set *affine_cond(const struct affine *at, const struct ir_expr *cond)
{
    if (cond->kind == IR_UNARY && !strcmp(cond->op, "!")) {
        isl_set *inner = affine_cond(at, cond->arg[0]);
        return inner ? isl_set_complement(inner) : NULL;
    }
    if (cond->kind != IR_BINARY)
        return NULL;
    bool both = !strcmp(cond->op, "&&");
    if (!both && strcmp(cond->op, "||"))
        return compare(at, cond);
    isl_set *a = affine_cond(at, cond->arg[0]);
    isl_set *b = affine_cond(at, cond->arg[1]);
    if (a && b)
        return both ? isl_set_intersect(a, b) : isl_set_union(a, b);
    isl_set_free(a);
    isl_set_free(b);
    return NULL;
}

/* i < upper and its kin; a != bound is taken as the loop's direction says. */
static isl_set *upper_set(const struct ir_stmt *stmt, isl_pw_aff *it, isl_pw_aff *upper)
{
    bool inclusive = !strcmp(stmt->cmp, "<=") || !strcmp(stmt->cmp, ">=");
    if (stmt->step > 0)
        return inclusive ? isl_pw_aff_le_set(it, upper) : isl_pw_aff_lt_set(it, upper);
    return inclusive ? isl_pw_aff_ge_set(it, upper) : isl_pw_aff_gt_set(it, upper);
}

static isl_set *stride_set(isl_pw_aff *it, isl_pw_aff *lower, long long step)
{
    isl_val *size = isl_val_int_from_si(isl_pw_aff_get_ctx(it), step < 0 ? -step : step);
    return isl_pw_aff_zero_set(isl_pw_aff_mod_val(isl_pw_aff_sub(it, lower), size));
}

isl_set *affine_loop(const struct affine *at, const struct loop *loop, size_t pos)
{
    const struct ir_stmt *stmt = loop->stmt;
    isl_pw_aff *lower = affine_expr(at, stmt->lower),
               *upper = affine_expr(at, stmt->upper);
    isl_local_space *space = isl_local_space_from_space(isl_space_copy(at->space));
    isl_pw_aff *it =
        isl_pw_aff_from_aff(isl_aff_var_on_domain(space, isl_dim_set, (unsigned)pos));
    isl_set *set = NULL;
    if (lower && upper) {
        set = upper_set(stmt, isl_pw_aff_copy(it), isl_pw_aff_copy(upper));
        isl_set *from =
            stmt->step > 0
                ? isl_pw_aff_ge_set(isl_pw_aff_copy(it), isl_pw_aff_copy(lower))
                : isl_pw_aff_le_set(isl_pw_aff_copy(it), isl_pw_aff_copy(lower));
        set = isl_set_intersect(set, from);
        if (stmt->step != 1 && stmt->step != -1)
            set = isl_set_intersect(
                set, stride_set(isl_pw_aff_copy(it), isl_pw_aff_copy(lower), stmt->step));
    }
    isl_pw_aff_free(it);
    isl_pw_aff_free(lower);
    isl_pw_aff_free(upper);
    return set;
}
