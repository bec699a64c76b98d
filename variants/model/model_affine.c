/* Expressions and conditions of the source as isl functions and sets. */
#include "variants/model/model_affine.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "variants/model/model_nest.h"

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

/* set is taken */
__attribute__((format(printf, 3, 4))) static void
affine_precondition(const struct affine *at, isl_set *set, const char *format, ...)
{
    struct doubts *doubts = at->doubts;
    struct buf text = {0};
    va_list args;
    if (!doubts) {
        isl_set_free(set);
        return;
    }
    va_start(args, format);
    buf_addf_va(&text, format, args);
    va_end(args);
    GROW(doubts->item, doubts->nr + 1, doubts->alloc);
    doubts->item[doubts->nr++] = (struct precondition){set, buf_detach(&text)};
}

/* Takes the doubts' sets: do they ever apply, whatever the parameters are? */
bool doubts_are_idle(const struct nest *nest, struct doubts *doubts)
{
    isl_set *ever;
    bool idle = true;
    for (size_t i = 0; i < doubts->nr; i++) {
        ever = isl_set_intersect_params(doubts->item[i].set, isl_set_copy(nest->ranges));
        idle = idle && isl_set_is_empty(ever) == isl_bool_true;
        isl_set_free(ever);
        free(doubts->item[i].text);
    }
    free(doubts->item);
    *doubts = (struct doubts){0};
    return idle;
}

/* Takes the doubt's set. */
static bool settle(const struct affine *at, const struct precondition *precondition,
                   isl_set *domain)
{
    struct nest *nest = at->nest;
    isl_set *wrong = isl_set_intersect(precondition->set, isl_set_copy(domain));
    wrong = isl_set_intersect_params(wrong, isl_set_copy(nest->guaranteed));
    isl_set *ever_wrong =
        isl_set_intersect_params(isl_set_copy(wrong), isl_set_copy(nest->ranges));
    ever_wrong = affine_near(at, ever_wrong);
    if (isl_set_is_empty(ever_wrong) == isl_bool_true)
        return isl_set_free(ever_wrong), isl_set_free(wrong), true;
    isl_set *fine = isl_set_complement(isl_set_params(wrong));
    fine = isl_set_gist(isl_set_coalesce(fine), isl_set_copy(nest->ranges));
    bool boxed = nest_box(nest, ever_wrong, MODEL_FAR) ||
                 (!set_is_writable(fine) && nest_box(nest, ever_wrong, MODEL_NEAR));
    isl_set_free(ever_wrong);
    if (boxed) {
        nest_assume(nest, "%s (tested at run time)", precondition->text);
        isl_set_free(fine);
        return true;
    }
    isl_set *ever = isl_set_params(isl_set_copy(domain));
    fine = isl_set_coalesce(isl_set_intersect(fine, isl_set_copy(nest->assumed)));
    ever = isl_set_intersect(ever, isl_set_copy(fine));
    bool possible = isl_set_is_empty(ever) == isl_bool_false;
    isl_set_free(ever);
    if (!possible) {
        isl_set_free(fine);
        return false;
    }
    nest_assume(nest, "%s (tested at run time)", precondition->text);
    isl_set_free(nest->assumed);
    nest->assumed = fine;
    return true;
}

bool nest_settle(const struct affine *at, isl_set *domain)
{
    struct doubts *doubts = at->doubts;
    const char *never = NULL;
    for (size_t i = 0; i < doubts->nr; i++) {
        if (!never && !settle(at, &doubts->item[i], domain))
            never = ir_text(at->nest->model->arena, doubts->item[i].text);
        else if (never)
            isl_set_free(doubts->item[i].set);
        free(doubts->item[i].text);
    }
    free(doubts->item);
    *doubts = (struct doubts){.never = never};
    return !never;
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
    at->nest->rests[symbol->id] = true;
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

static isl_set *outside(isl_pw_aff *value, const struct ir_type *type)
{
    return isl_set_complement(set_of_type(value, type));
}

/* What a value of the one type is in the other. */
static isl_pw_aff *converted(const struct affine *at, isl_pw_aff *value,
                             const struct ir_type *from, const struct ir_type *to,
                             const char *what, int line)
{
    bool keeps = to->is_unsigned == from->is_unsigned
                     ? to->bytes >= from->bytes
                     : from->is_unsigned && to->bytes > from->bytes;
    if (value && at->doubts && to->scalar == IR_INT && !keeps && to->bytes <= 8)
        affine_precondition(at, outside(isl_pw_aff_copy(value), to),
                            "%s at line %d keeps the value", what, line);
    return value;
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
        nest->model->init[symbol->id]) {
        const struct ir_expr *init = nest->model->init[symbol->id];
        const char *what =
            ir_textf(nest->model->arena, "what '%s' is set to", symbol->name);
        return converted(at, affine_expr(at, init), &init->type, &symbol->type, what,
                         init->line);
    }
    return NULL;
}

static bool is_constant(isl_pw_aff *pa)
{
    return isl_pw_aff_is_cst(pa) == isl_bool_true;
}

static isl_set *negative(isl_pw_aff *value)
{
    return isl_pw_aff_pos_set(isl_pw_aff_neg(isl_pw_aff_copy(value)));
}

/* By a positive constant, as C does it: towards zero. */
static isl_pw_aff *divided(const struct affine *at, const struct ir_expr *expr,
                           isl_pw_aff *a, isl_pw_aff *b)
{
    isl_val *divisor = is_constant(b) ? isl_pw_aff_max_val(isl_pw_aff_copy(b)) : NULL;
    bool fits = divisor && isl_val_is_pos(divisor) == isl_bool_true;
    isl_val_free(divisor);
    if (!fits) {
        isl_pw_aff_free(a);
        isl_pw_aff_free(b);
        return NULL;
    }
    if (expr->type.is_unsigned)
        affine_precondition(at, negative(a), "what is divided at line %d is not negative",
                            expr->line);
    return expr->op[0] == '/' ? isl_pw_aff_tdiv_q(a, b) : isl_pw_aff_tdiv_r(a, b);
}

/* C keeps the low bits of an unsigned result. */
static isl_pw_aff *unwrapped(const struct affine *at, const struct ir_expr *expr,
                             isl_pw_aff *value, const char *what)
{
    if (value && at->doubts && expr->type.is_unsigned && expr->type.scalar == IR_INT)
        affine_precondition(at, outside(isl_pw_aff_copy(value), &expr->type),
                            "unsigned %s at line %d does not wrap around", what,
                            expr->line);
    return value;
}

/* x << 3, x >> 3, x & 7 */
static isl_pw_aff *shifted(const struct affine *at, const struct ir_expr *expr)
{
    const struct ir_expr *by = expr->arg[1];
    long long value = by->has_value ? by->value : -1;
    bool mask = !strcmp(expr->op, "&");
    if (value < 0 || value > (mask ? 1LL << 30 : 30) || (mask && (value & (value + 1))))
        return NULL;
    isl_pw_aff *a = affine_expr(at, expr->arg[0]);
    isl_val *size = isl_val_int_from_si(at->nest->model->ctx,
                                        (long)(mask ? value + 1 : 1LL << value));
    if (mask)
        return isl_pw_aff_mod_val(a, size);
    if (expr->op[0] == '<')
        return unwrapped(at, expr, isl_pw_aff_scale_val(a, size), "shift");
    return isl_pw_aff_floor(isl_pw_aff_scale_down_val(a, size));
}

static isl_pw_aff *combine(const struct affine *at, const struct ir_expr *expr,
                           isl_pw_aff *a, isl_pw_aff *b)
{
    if (a && b)
        switch (expr->op[0]) {
        case '+':
            return unwrapped(at, expr, isl_pw_aff_add(a, b), "addition");
        case '-':
            return unwrapped(at, expr, isl_pw_aff_sub(a, b), "subtraction");
        case '*':
            if (is_constant(a) || is_constant(b))
                return unwrapped(at, expr, isl_pw_aff_mul(a, b), "multiplication");
            break;
        case '/':
        case '%':
            return divided(at, expr, a, b);
        }
    isl_pw_aff_free(a);
    isl_pw_aff_free(b);
    return NULL;
}

static bool is_condition(const struct ir_expr *expr)
{
    static const char *const ops[] = {"<", "<=", ">", ">=", "==", "!=", "&&", "||"};
    for (size_t i = 0; expr->kind == IR_BINARY && i < ARRAY_SIZE(ops); i++)
        if (!strcmp(expr->op, ops[i]))
            return true;
    return expr->kind == IR_UNARY && !strcmp(expr->op, "!");
}

static isl_pw_aff *binary(const struct affine *at, const struct ir_expr *expr)
{
    if (!strcmp(expr->op, "<<") || !strcmp(expr->op, ">>") || !strcmp(expr->op, "&"))
        return shifted(at, expr);
    if (!strchr("+-*/%", expr->op[0]) || expr->op[1])
        return NULL;
    isl_pw_aff *a = affine_expr(at, expr->arg[0]);
    isl_pw_aff *b = affine_expr(at, expr->arg[1]);
    return combine(at, expr, a, b);
}

static isl_set *not_zero(const struct affine *at, const struct ir_expr *expr);

static isl_pw_aff *cast(const struct affine *at, const struct ir_expr *expr)
{
    if (expr->type.scalar == IR_BOOL) {
        isl_set *set = not_zero(at, expr->arg[0]);
        return set ? isl_set_indicator_function(set) : NULL;
    }
    const char *what =
        ir_textf(at->nest->model->arena, "the cast to %s", expr->type.text);
    return converted(at, affine_expr(at, expr->arg[0]), &expr->arg[0]->type, &expr->type,
                     what, expr->line);
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
    if (is_condition(expr)) {
        isl_set *cond = affine_cond(at, expr);
        return cond ? isl_set_indicator_function(cond) : NULL;
    }
    switch (expr->kind) {
    case IR_NAME:
        return name(at, expr->symbol);
    case IR_CAST:
        return cast(at, expr);
    case IR_UNARY:
        if ((strcmp(expr->op, "-") || expr->type.is_unsigned) && strcmp(expr->op, "+"))
            return NULL;
        inner = affine_expr(at, expr->arg[0]);
        return expr->op[0] == '-' ? isl_pw_aff_neg(inner) : inner;
    case IR_BINARY:
        return binary(at, expr);
    case IR_COND:
        return conditional(at, expr);
    case IR_CALL:
        if (!function_is(expr_function(expr), FUNCTION_FIRST))
            return NULL;
        return converted(at, affine_expr(at, expr->arg[0]), &expr->arg[0]->type,
                         &expr->type, "the argument of a builtin", expr->line);
    case IR_LITERAL:
    case IR_INDEX:
    case IR_MEMBER:
    case IR_ASSIGN:
    case IR_RAW:
    case IR_SPELT:
        break;
    }
    return NULL;
}

/* C compares a signed number with an unsigned one as unsigned. */
static void precondition_signs(const struct affine *at, const struct ir_expr *left,
                               const struct ir_expr *right, isl_pw_aff *a, isl_pw_aff *b,
                               int line)
{
    const struct ir_type *first = &left->type, *second = &right->type;
    bool first_rules = first->is_unsigned && first->bytes >= 4 &&
                       first->bytes >= second->bytes && !second->is_unsigned;
    bool second_rules = second->is_unsigned && second->bytes >= 4 &&
                        second->bytes >= first->bytes && !first->is_unsigned;
    if (first_rules || second_rules)
        affine_precondition(at, negative(first_rules ? b : a),
                            "what is compared with an unsigned number at line %d is not "
                            "negative",
                            line);
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
        if (a && b) {
            precondition_signs(at, cond->arg[0], cond->arg[1], a, b, cond->line);
            return ops[i].make(a, b);
        }
        isl_pw_aff_free(a);
        isl_pw_aff_free(b);
    }
    return NULL;
}

static isl_set *all_or_none(const struct affine *at, bool all)
{
    isl_space *space = isl_space_copy(at->space);
    return all ? isl_set_universe(space) : isl_set_empty(space);
}

/* A number as a condition. */
static isl_set *not_zero(const struct affine *at, const struct ir_expr *expr)
{
    isl_pw_aff *value = affine_expr(at, expr);
    return value ? isl_set_complement(isl_pw_aff_zero_set(value)) : NULL;
}

isl_set *affine_cond(const struct affine *at, const struct ir_expr *cond)
{
    if (cond->has_value)
        return all_or_none(at, cond->value != 0);
    if (cond->kind == IR_UNARY && !strcmp(cond->op, "!")) {
        isl_set *inner = affine_cond(at, cond->arg[0]);
        return inner ? isl_set_complement(inner) : NULL;
    }
    if (!is_condition(cond))
        return not_zero(at, cond);
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

/* What the iterator is set to. A loop down to 0 may be one of those that compare before
 * they count: what is converted is one more. */
static void precondition_start(const struct affine *at, const struct ir_stmt *stmt,
                               isl_pw_aff *lower)
{
    bool down = stmt->step == -1 && stmt->cmp[0] == '>' && stmt->cmp[1] &&
                stmt->upper->has_value && stmt->upper->value == 0;
    isl_pw_aff *first = isl_pw_aff_add_constant_val(
        isl_pw_aff_copy(lower), isl_val_int_from_si(isl_pw_aff_get_ctx(lower), down));
    const char *what =
        ir_textf(at->nest->model->arena, "what '%s' begins with", stmt->iterator->name);
    isl_pw_aff_free(converted(at, first, &stmt->lower->type, &stmt->iterator->type, what,
                              stmt->line));
}

/* What the iterator begins with, compared with an unsigned bound; i != n counts on an
 * unsigned iterator not to go round. */
static void precondition_loop(const struct affine *at, const struct ir_stmt *stmt,
                              isl_pw_aff *lower, isl_pw_aff *upper)
{
    struct ir_expr iterator = {.type = stmt->iterator->type};
    precondition_signs(at, &iterator, stmt->upper, lower, upper, stmt->line);
    precondition_start(at, stmt, lower);
    if (strcmp(stmt->cmp, "!=") || !stmt->iterator->type.is_unsigned)
        return;
    isl_pw_aff *first = isl_pw_aff_copy(stmt->step > 0 ? lower : upper);
    affine_precondition(
        at, isl_pw_aff_gt_set(first, isl_pw_aff_copy(stmt->step > 0 ? upper : lower)),
        "the loop over %s at line %d ends", stmt->iterator->name, stmt->line);
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
        precondition_loop(at, stmt, lower, upper);
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
