/* How far the subscripts of an array reach: in numbers at given parameters, and in terms
 * of parameters. */
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/error.h"
#include "variants/ir/sum.h"
#include "variants/model/budget.h"
#include "variants/model/increment.h"
#include "variants/model/model_nest.h"
#include "variants/model/model_view.h"

/* ---- in terms of parameters ---- */

static bool only_params(const struct nest *nest, const struct ir_expr *expr)
{
    if (expr->kind == IR_NAME)
        return symbol_is_param(nest, expr->symbol);
    if (expr->kind != IR_BINARY && expr->kind != IR_LITERAL && expr->kind != IR_CAST &&
        expr->kind != IR_UNARY)
        return false;
    for (size_t i = 0; i < expr->arg_nr; i++)
        if (!only_params(nest, expr->arg[i]))
            return false;
    return true;
}

/* A sum of parameters is for all of them that the new code runs with, each of which is
 * positive then. */
static bool is_not_negative(struct nest *nest, const struct ir_expr *sum)
{
    isl_space *space = isl_space_set_from_params(isl_space_copy(nest->params));
    struct affine at = {.nest = nest, .space = space};
    isl_pw_aff *value = only_params(nest, sum) ? affine_expr(&at, sum) : NULL;
    isl_set *negative = value ? isl_pw_aff_pos_set(isl_pw_aff_neg(value)) : NULL;
    if (negative) {
        negative = isl_set_params(negative);
        negative = isl_set_intersect(negative, isl_set_copy(nest->context));
        negative = isl_set_intersect(negative, isl_set_copy(nest->assumed));
    }
    bool never = negative && isl_set_is_empty(negative) == isl_bool_true;
    isl_set_free(negative);
    isl_space_free(space);
    return never;
}

static bool expr_sign(struct nest *nest, const struct ir_expr *expr,
                      const struct ir_symbol *symbol, int *sign);

static bool sign_of_product(struct nest *nest, const struct ir_expr *expr,
                            const struct ir_symbol *symbol, int *sign)
{
    bool left = expr_mentions(expr->arg[0], symbol);
    const struct ir_expr *with = expr->arg[!left], *factor = expr->arg[left];
    if (!expr_sign(nest, with, symbol, sign) || expr_mentions(factor, symbol))
        return false;
    if (factor->has_value) {
        *sign *= factor->value > 0 ? 1 : factor->value < 0 ? -1 : 0;
        return true;
    }
    return factor->kind == IR_NAME ? symbol_is_param(nest, factor->symbol)
                                   : is_not_negative(nest, factor);
}

/* Sign of what multiplies the symbol in a polynomial: 1, -1, 0 = absent; false when it is
 * mixed or no polynomial. */
static bool expr_sign(struct nest *nest, const struct ir_expr *expr,
                      const struct ir_symbol *symbol, int *sign)
{
    int a, b;
    *sign = 0;
    if (!expr_mentions(expr, symbol))
        return true;
    if (expr->kind == IR_NAME)
        return *sign = 1, true;
    if (expr->kind == IR_CAST)
        return expr_sign(nest, expr->arg[0], symbol, sign);
    if (expr->kind != IR_BINARY || expr->op[1])
        return false;
    if (expr->op[0] == '*')
        return sign_of_product(nest, expr, symbol, sign);
    if ((expr->op[0] != '+' && expr->op[0] != '-') ||
        !expr_sign(nest, expr->arg[0], symbol, &a) ||
        !expr_sign(nest, expr->arg[1], symbol, &b))
        return false;
    b = expr->op[0] == '-' ? -b : b;
    *sign = a ? a : b;
    return a * b >= 0;
}

/* First or last value of an iterator. */
static struct ir_expr *loop_edge(struct ir_arena *arena, const struct ir_stmt *loop,
                                 bool greatest)
{
    bool inclusive = loop->cmp[1] == '=' && loop->cmp[0] != '!';
    if (greatest == (loop->step < 0))
        return ir_copy(arena, loop->lower);
    long long add = inclusive ? 0 : loop->step > 0 ? -1 : 1;
    return expr_plus(arena, ir_copy(arena, loop->upper), add);
}

static struct ir_expr *bound_of(struct nest *nest, const struct access *access,
                                struct ir_expr *expr, bool upper)
{
    struct ir_arena *arena = nest->model->arena;
    const struct statement *statement = &nest->statement[access->statement];
    for (size_t i = statement->depth; i-- > 0;) {
        struct ir_symbol *iterator = statement->loop[i]->stmt->iterator;
        int sign;
        if (!expr_sign(nest, expr, iterator, &sign))
            return NULL;
        if (!sign)
            continue;
        struct ir_expr *edge =
            loop_edge(arena, statement->loop[i]->stmt, upper == (sign > 0));
        expr = ir_substitute(arena, expr, &iterator, &edge, 1);
    }
    return only_params(nest, expr) ? expr_simplify(arena, expr) : NULL;
}

/* ---- where ifs leave instances out ---- */

/* A sum of parameters; NULL = it is another one. */
static struct ir_expr *expr_of_aff(struct nest *nest, isl_aff *aff)
{
    struct ir_arena *arena = nest->model->arena;
    isl_val *constant = isl_aff_get_constant_val(aff);
    bool known =
        isl_val_is_int(constant) == isl_bool_true && isl_aff_dim(aff, isl_dim_div) == 0;
    struct ir_expr *sum =
        ir_integer(arena, known ? (long long)isl_val_get_num_si(constant) : 0);
    isl_val_free(constant);
    for (int i = 0; known && i < isl_aff_dim(aff, isl_dim_param); i++) {
        isl_val *factor = isl_aff_get_coefficient_val(aff, isl_dim_param, i);
        isl_space *space = isl_aff_get_space(aff);
        isl_id *id = isl_space_get_dim_id(space, isl_dim_param, (unsigned)i);
        struct ir_symbol *symbol;
        bool there = isl_val_is_zero(factor) != isl_bool_true;
        known = !there || (isl_val_is_int(factor) == isl_bool_true &&
                           param_of_id(nest, id, &symbol));
        if (known && there)
            sum = ir_binary(arena, "+", sum,
                            ir_binary(arena, "*",
                                      ir_integer(arena, isl_val_get_num_si(factor)),
                                      ir_name(arena, symbol)));
        isl_val_free(factor);
        isl_space_free(space);
        isl_id_free(id);
    }
    isl_aff_free(aff);
    return known ? expr_simplify(arena, sum) : NULL;
}

struct only_piece {
    isl_aff *aff;
    size_t nr;
};

static isl_stat take_piece(isl_set *set, isl_aff *aff, void *data)
{
    struct only_piece *only = data;
    isl_set_free(set);
    isl_aff_free(only->aff);
    only->aff = aff;
    only->nr++;
    return isl_stat_ok;
}

/* The least or greatest value of dimension `k` of the elements, for all parameters that
 * the new code runs with. */
static struct ir_expr *bound_of_elements(struct nest *nest, const struct access *access,
                                         size_t k, bool upper)
{
    struct only_piece only = {0};
    isl_set *set = isl_map_range(isl_map_copy(access->map));
    isl_set *params =
        isl_set_intersect(isl_set_copy(nest->context), isl_set_copy(nest->assumed));
    set = isl_set_intersect_params(set, isl_set_copy(params));
    isl_pw_aff *bound =
        upper ? isl_set_dim_max(set, (int)k) : isl_set_dim_min(set, (int)k);
    bound = isl_pw_aff_coalesce(isl_pw_aff_gist_params(bound, params));
    if (!bound || isl_pw_aff_foreach_piece(bound, take_piece, &only) != isl_stat_ok)
        only.nr = 0;
    isl_pw_aff_free(bound);
    if (only.nr == 1)
        return expr_of_aff(nest, only.aff);
    isl_aff_free(only.aff);
    return NULL;
}

struct ir_expr *access_bound(struct nest *nest, const struct access *access,
                             size_t subscript, bool upper)
{
    const struct statement *statement = &nest->statement[access->statement];
    struct ir_expr *bound = NULL;
    if (statement->looped && access->exact && !access->dim_nr)
        bound = bound_of_elements(nest, access, subscript, upper);
    if (!bound)
        bound = bound_of(nest, access, access->subscript[subscript], upper);
    long long most = bound ? -1 : expr_at_most(access->subscript[subscript]);
    return most < 0 ? bound : ir_integer(nest->model->arena, upper ? most : 0);
}

/* Sign of a - b: 1, 0, -1; false when it is not the same for all parameters. */
static bool order_of(struct nest *nest, struct ir_expr *a, struct ir_expr *b, int *sign)
{
    struct ir_arena *arena = nest->model->arena;
    if (!a || !b)
        return false;
    struct sum first = sum_of_expr(arena, a), second = sum_of_expr(arena, b),
               difference = sum_add(&first, &second, -1);
    *sign = difference.constant > 0 ? 1 : difference.constant < 0 ? -1 : 0;
    if (!difference.nr)
        return true;
    for (*sign = 1; *sign >= -1; *sign -= 2) {
        struct sum least = sum_scaled(&difference, *sign);
        least.constant--;
        if (is_not_negative(nest, sum_expr(arena, &least)))
            return true;
    }
    return false;
}

/* Linear subscripts that stay within their rows: the outermost that differs decides. */
static bool order_of_rows(struct nest *nest, const struct access *a,
                          const struct access *b, bool upper, int *sign)
{
    bool known = a->cell == b->cell && a->dim_nr > 1 && a->dim_nr == b->dim_nr;
    *sign = 0;
    for (size_t d = 0; known && !*sign && d < a->dim_nr; d++)
        known = order_of(nest, bound_of(nest, a, a->dim[d], upper),
                         bound_of(nest, b, b->dim[d], upper), sign);
    return known;
}

bool access_take_outer(struct nest *nest, size_t subscript, bool upper,
                       const struct access *access, const struct access **outer)
{
    struct ir_expr *new = access_bound(nest, access, subscript, upper);
    int sign = 0;
    bool known = new && (!*outer ||
                         order_of(nest, new, access_bound(nest, *outer, subscript, upper),
                                  &sign) ||
                         order_of_rows(nest, access, *outer, upper, &sign));
    if (known && (!*outer || (upper ? sign > 0 : sign < 0)))
        *outer = access;
    return known;
}

static bool extent_in_nest(struct nest *nest, const struct ir_symbol *symbol, size_t k,
                           struct ir_expr **max)
{
    const struct access *outer = NULL;
    int sign = 0;
    for (size_t i = 0; i < nest->access_nr; i++)
        if (nest->cell[nest->access[i].cell].symbol == symbol &&
            !access_take_outer(nest, k, true, &nest->access[i], &outer))
            return false;
    struct ir_expr *bound = outer ? access_bound(nest, outer, k, true) : NULL;
    if (bound && *max && !order_of(nest, bound, *max, &sign))
        return false;
    *max = bound && (!*max || sign > 0) ? bound : *max;
    return true;
}

/* By a call's parameters, and variables that are set to what they give. */
static bool is_given(const struct model *model, const struct ir_expr *expr)
{
    if (expr->kind == IR_NAME && expr->symbol->role == IR_LOCAL)
        return expr->symbol->id >= 0 && model->init[expr->symbol->id];
    for (size_t i = 0; i < expr->arg_nr; i++)
        if (!is_given(model, expr->arg[i]))
            return false;
    return true;
}

/* One more than the greatest subscript k; NULL = not in terms of parameters. */
static struct ir_expr *extent_expr(struct model *model, const struct ir_symbol *symbol,
                                   size_t k)
{
    struct ir_expr *max = NULL;
    for (size_t i = 0; i < model->nest_nr; i++)
        if (!model->nest[i]->around && /* what it accesses that around does */
            (model->nest[i]->refusal || !extent_in_nest(model->nest[i], symbol, k, &max)))
            return NULL;
    return max && is_given(model, max) ? expr_plus(model->arena, max, 1) : NULL;
}

const char *extent_text(struct model *model, const struct model_array *array)
{
    const struct ir_symbol *symbol = array->symbol;
    struct buf text = {0};
    for (size_t k = 0; k < (size_t)array->dims; k++) {
        struct ir_expr *size =
            k && k < symbol->dim_nr ? symbol->dim[k] : extent_expr(model, symbol, k);
        if (!size) {
            buf_release(&text);
            return NULL;
        }
        ir_print_extent(&text, size, k > 0);
    }
    const char *kept = ir_text(model->arena, buf_str(&text));
    buf_release(&text);
    return kept;
}

/* ---- in numbers ---- */

struct range {
    long long low, high;
};

struct reach {
    struct nest *nest;
    const struct statement *statement;
    const struct model_values *values;
    const struct model_contents *contents;
    isl_set *domain; /* with the parameters' values */
    struct error *err;
};

static isl_set *fixed_domain(const struct reach *at)
{
    isl_set *set = isl_set_copy(at->statement->domain);
    for (int i = 0; i < (int)isl_set_dim(set, isl_dim_param); i++) {
        struct ir_symbol *symbol;
        long long value;
        isl_id *id = isl_set_get_dim_id(set, isl_dim_param, (unsigned)i);
        if (param_of_id(at->nest, id, &symbol) && value_of(at->values, symbol, &value))
            set = isl_set_fix_val(set, isl_dim_param, (unsigned)i,
                                  isl_val_int_from_si(at->nest->model->ctx, (long)value));
        isl_id_free(id);
    }
    return set;
}

static bool take_val(isl_val *val, long long *out)
{
    bool known = val && isl_val_is_int(val) == isl_bool_true;
    *out = known ? isl_val_get_num_si(val) : 0;
    isl_val_free(val);
    return known;
}

static bool affine_range(const struct reach *at, const struct ir_expr *expr,
                         struct range *range)
{
    struct affine affine = affine_of(at->nest, at->statement);
    affine.values = at->values;
    isl_pw_aff *pa = affine_expr(&affine, expr);
    isl_space_free(affine.space);
    if (!pa)
        return false;
    isl_set *set = isl_set_apply(isl_set_copy(at->domain), isl_map_from_pw_aff(pa));
    bool known = take_val(isl_set_dim_min_val(isl_set_copy(set), 0), &range->low);
    known = take_val(isl_set_dim_max_val(set, 0), &range->high) && known;
    return known;
}

static bool range_of(const struct reach *at, const struct ir_expr *expr,
                     struct range *range);

static bool unknown(const struct reach *at, const char *what)
{
    fail(at->err, STATUS_INPUT, "the value of '%s' is not known", what);
    return false;
}

static bool is_this_loop(const struct ir_stmt *stmt, const void *iterator)
{
    return stmt->kind == IR_FOR && stmt->canonical && stmt->iterator == iterator;
}

/* An iterator of a collapsed loop: whatever its bounds allow. */
static bool inner_iterator(const struct reach *at, const struct ir_symbol *symbol,
                           struct range *range)
{
    const struct ir_stmt *loop = stmt_find(at->statement->stmt, is_this_loop, symbol);
    struct range lower, upper;
    if (!loop || !range_of(at, loop->lower, &lower) || !range_of(at, loop->upper, &upper))
        return false;
    long long exclusive = loop->cmp[1] == '=' && loop->cmp[0] != '!' ? 0 : 1;
    *range = loop->step > 0 ? (struct range){lower.low, upper.high - exclusive}
                            : (struct range){upper.low + exclusive, lower.high};
    return true;
}

static bool name_range(const struct reach *at, const struct ir_symbol *symbol,
                       struct range *range)
{
    const struct ir_expr *init =
        symbol->id >= 0 ? at->nest->model->init[symbol->id] : NULL;
    if (symbol->role == IR_LOCAL && init)
        return range_of(at, init, range);
    if (inner_iterator(at, symbol, range))
        return true;
    return unknown(at, symbol->name);
}

static bool load_range(const struct reach *at, const struct ir_expr *expr,
                       struct range *range)
{
    const struct model *model = at->nest->model;
    int array = view_place(model, expr);
    if (array >= 0 && at->contents &&
        at->contents->range(at->contents->data, array, &range->low, &range->high))
        return true;
    if (array >= 0)
        fail(at->err, STATUS_INPUT,
             "the numbers in '%s' are not known; say what it holds: #pragma inflight "
             "buffer %s = index(COUNT)",
             model->array[array].name, model->array[array].name);
    return false;
}

static long long pick(const long long *value, bool greatest)
{
    long long best = value[0];
    for (size_t i = 1; i < 4; i++)
        if (greatest ? value[i] > best : value[i] < best)
            best = value[i];
    return best;
}

static bool divided_range(const char *op, struct range a, struct range b,
                          struct range *range)
{
    if (b.low < 1 || a.low < 0)
        return false;
    *range = *op == '/' ? (struct range){a.low / b.high, a.high / b.low}
                        : (struct range){0, b.high - 1 < a.high ? b.high - 1 : a.high};
    return true;
}

static bool binary_range(const struct reach *at, const struct ir_expr *expr,
                         struct range *range)
{
    struct range a, b;
    if (expr->op[1] || !range_of(at, expr->arg[0], &a) || !range_of(at, expr->arg[1], &b))
        return false;
    long long products[] = {a.low * b.low, a.low * b.high, a.high * b.low,
                            a.high * b.high};
    switch (expr->op[0]) {
    case '+':
        *range = (struct range){a.low + b.low, a.high + b.high};
        return true;
    case '-':
        *range = (struct range){a.low - b.high, a.high - b.low};
        return true;
    case '*':
        *range = (struct range){pick(products, false), pick(products, true)};
        return true;
    case '/':
    case '%':
        return divided_range(expr->op, a, b, range);
    case '&':
        *range = (struct range){0, a.low >= 0 && (b.low < 0 || a.high < b.high) ? a.high
                                                                                : b.high};
        return a.low >= 0 || b.low >= 0;
    }
    return false;
}

static bool range_of(const struct reach *at, const struct ir_expr *expr,
                     struct range *range)
{
    if (affine_range(at, expr, range))
        return true;
    switch (expr->kind) {
    case IR_NAME:
        return name_range(at, expr->symbol, range);
    case IR_INDEX:
    case IR_MEMBER:
        return load_range(at, expr, range);
    case IR_CAST:
        return range_of(at, expr->arg[0], range);
    case IR_BINARY:
        return binary_range(at, expr, range);
    default:
        return false;
    }
}

/* A parameter of the domain that has no value, such as a global variable that nobody
 * set. */
static void blame_unset(const struct reach *at, struct error *err)
{
    const char *name = NULL;
    for (int i = 0; !name && i < (int)isl_set_dim(at->domain, isl_dim_param); i++) {
        struct ir_symbol *symbol;
        long long value;
        isl_id *id = isl_set_get_dim_id(at->domain, isl_dim_param, (unsigned)i);
        if (param_of_id(at->nest, id, &symbol) && !value_of(at->values, symbol, &value))
            name = symbol->name;
        isl_id_free(id);
    }
    if (name)
        fail(err, STATUS_INPUT, "the value of '%s' is not known (--set '%s=1000')", name,
             name);
}

/* The greatest subscript of one access; an access that is never executed reaches nothing.
 */
static int access_reach(struct reach *at, const struct access *access, size_t k,
                        long long *high)
{
    struct range range;
    struct error *err = at->err, why = {0};
    at->statement = &at->nest->statement[access->statement];
    at->domain = fixed_domain(at);
    bool never = isl_set_is_empty(at->domain) == isl_bool_true;
    at->err = &why;
    bool known = !never && range_of(at, access->subscript[k], &range);
    at->err = err;
    if (!never && !known)
        blame_unset(at, err);
    isl_set_free(at->domain);
    if (never)
        return 0;
    if (!known)
        return why.status ? fail(err, why.status, "%s", why.text) : -1;
    if (range.low < 0)
        return fail(at->err, STATUS_INPUT,
                    "line %d: subscript %lld of '%s' is negative at these sizes",
                    access->line, range.low, at->nest->cell[access->cell].name);
    *high = range.high > *high ? range.high : *high;
    return 0;
}

/* ---- outside of loops ---- */

struct outside {
    struct model *model;
    const struct model_values *values;
    const struct ir_symbol *symbol;
    size_t names, places; /* mentions; of them, those with a subscript that is known */
    long long high;
};

/* p[2], *p, *(p + 2) */
static const struct ir_expr *place_subscript(const struct ir_expr *expr,
                                             const struct ir_symbol *symbol, bool *first)
{
    const struct ir_expr *of = expr->arg_nr ? expr->arg[0] : NULL;
    *first = false;
    if (expr->kind == IR_UNARY && !strcmp(expr->op, "*")) {
        *first = of->kind == IR_NAME && of->symbol == symbol;
        expr = of;
        if (expr->kind != IR_BINARY || strcmp(expr->op, "+"))
            return NULL;
        of = expr->arg[0];
    } else if (expr->kind != IR_INDEX) {
        return NULL;
    }
    return of->kind == IR_NAME && of->symbol == symbol ? expr->arg[1] : NULL;
}

static void look_outside(struct ir_expr *expr, void *data)
{
    struct outside *at = data;
    bool first;
    long long value = 0;
    at->names += expr->kind == IR_NAME && expr->symbol == at->symbol;
    const struct ir_expr *subscript = place_subscript(expr, at->symbol, &first);
    if (!first && (!subscript || !count_value(at->model, at->values, subscript, &value) ||
                   value < 0))
        return;
    at->places++;
    at->high = value > at->high ? value : at->high;
}

/* An array of which the function only names elements of known numbers, such as the one
 * that a result is left in. */
static bool size_of_places(struct model *model, const struct model_array *array,
                           const struct model_values *values, long long *size)
{
    struct outside at = {.model = model, .values = values, .symbol = array->symbol};
    stmt_exprs(model->function->body, look_outside, &at);
    *size = at.high + 1;
    return array->dims == 1 && at.names && at.names == at.places;
}

/* No loop uses the array, as far as loops are read: says which one is not. */
static int fail_unread(const struct model *model, struct error *err)
{
    const char *refusal = model->refusal.nr ? model->refusal.v[0] : NULL;
    return fail(err, STATUS_INPUT, "no loop that could be read uses it%s%s%s",
                refusal ? " (" : "", refusal ? refusal : "", refusal ? ")" : "");
}

static int derived_size(struct model *model, const struct model_array *array,
                        struct reach *at, size_t k, long long *size)
{
    long long high = 0;
    bool seen = false;
    for (size_t i = 0; i < model->nest_nr; i++) {
        at->nest = model->nest[i];
        for (size_t a = 0;
             !at->nest->refusal && !at->nest->around && a < at->nest->access_nr; a++) {
            if (at->nest->cell[at->nest->access[a].cell].symbol != array->symbol)
                continue;
            seen = true;
            if (access_reach(at, &at->nest->access[a], k, &high))
                return -1;
        }
    }
    if (!seen && size_of_places(model, array, at->values, size))
        return 0;
    *size = high + 1;
    return seen ? 0 : fail_unread(model, at->err);
}

int model_extent(struct model *model, int index, const struct model_values *values,
                 const struct model_contents *contents, long long *size,
                 struct error *err)
{
    const struct model_array *array = &model->array[index];
    struct error why = {0};
    struct reach at = {.values = values, .contents = contents, .err = &why};
    isl_budget(model, 0);
    for (size_t k = 0; k < (size_t)array->dims; k++) {
        const struct ir_expr *dim =
            k < array->symbol->dim_nr ? array->symbol->dim[k] : NULL;
        bool told = dim && count_value(model, values, dim, &size[k]);
        if (told && k == 0 && dim->has_value && array->symbol->role == IR_PARAM) {
            long long used = 0; /* a constant that C holds no call to */
            struct error ignored = {0};
            at.err = &ignored;
            if (!derived_size(model, array, &at, k, &used) && used > size[k])
                size[k] = used;
            at.err = &why;
        }
        if (told)
            continue;
        if (!array->read && !array->written) {
            size[k] = 1;
            continue;
        }
        if (!dim && !derived_size(model, array, &at, k, &size[k]))
            continue;
        const char *reason = why.text[0] ? why.text
                             : dim       ? "a dimension is not known"
                                         : "a subscript cannot be followed";
        return fail(err, STATUS_INPUT,
                    "the length of '%s' cannot be derived: %s; or give it: #pragma "
                    "inflight buffer %s length ELEMENTS",
                    array->name, reason, array->name);
    }
    return 0;
}
