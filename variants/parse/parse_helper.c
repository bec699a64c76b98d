/*
 * Small functions of the user, `return expr;`, perhaps behind declarations: a call
 * becomes the expression where the loops' memory or their shape depends on it.
 */
#include <string.h>

#include "variants/parse/parse_rewrite.h"

enum { DEPTH_LIMIT = 8, SIZE_LIMIT = 400 };

struct expansion {
    struct parse *p;
    int depth;
    bool outside; /* of all loops: only what may end up in a bound or a subscript */
};

/* What a helper is: its value in terms of its parameters. */
struct helper {
    struct ct_function *function;
    struct parse reader;
    struct ir_expr *value;
};

static struct ir_expr *expand(struct ir_expr *expr, void *data);

/* ---- what may be expanded ---- */

static void find_own_write(const struct ct_node *node, bool *found)
{
    struct ct_decl *written = parse_written(node, NULL);
    *found = *found || node->kind == CT_STMT || node->type.is_volatile ||
             (written && (written->role == IR_PARAM || written->role == IR_LOCAL));
    for (size_t i = 0; i < node->child_nr; i++)
        find_own_write(node->child[i], found);
}

struct finding {
    const struct ir_function *caller;
    const struct ir_symbol *itself;
    size_t size;
    bool raw, hidden;
};

/* hidden: the caller has a variable by the name of a global that the helper uses. */
static void find_trouble(struct ir_expr *expr, void *data)
{
    struct finding *finding = data;
    const struct ir_symbol *symbol = expr->symbol;
    const struct ir_function *caller = finding->caller;
    finding->size++;
    finding->raw = finding->raw || expr->kind == IR_RAW ||
                   (expr->kind == IR_CALL && symbol == finding->itself);
    if (!symbol || (symbol->role != IR_GLOBAL && symbol->role != IR_FUNCTION))
        return;
    for (size_t i = 0; i < caller->symbol_nr; i++)
        if (caller->symbol[i] != symbol &&
            strcmp(caller->symbol[i]->name, symbol->name) == 0)
            finding->hidden = true;
}

static bool is_takeable(const struct helper *helper, const struct ir_function *caller,
                        const struct ir_symbol *itself)
{
    struct finding finding = {.caller = caller, .itself = itself};
    bool writes = false;
    find_own_write(helper->function->body, &writes);
    ir_visit(helper->value, find_trouble, &finding);
    return !writes && !finding.raw && !finding.hidden && finding.size < SIZE_LIMIT &&
           !helper->reader.trouble;
}

/* ---- conversions ---- */

static bool is_same_kind(const struct ir_type *a, const struct ir_type *b)
{
    return a->scalar == b->scalar && a->bytes == b->bytes &&
           a->is_unsigned == b->is_unsigned;
}

static bool are_same_dims(const struct ir_expr *arg, const struct ir_symbol *param)
{
    const struct ir_symbol *symbol = arg->kind == IR_NAME ? arg->symbol : NULL;
    if (param->dim_nr <= 1 && !param->pointer_to_array && arg->type.pointers <= 1)
        return true;
    if (!symbol || symbol->dim_nr != param->dim_nr)
        return false;
    for (size_t i = 1; i < param->dim_nr; i++)
        if (!symbol->dim[i] || !param->dim[i] || !symbol->dim[i]->has_value ||
            !param->dim[i]->has_value || symbol->dim[i]->value != param->dim[i]->value)
            return false;
    return true;
}

/* expr as a value of this type, converted as C does it without being asked; NULL when
 * that is more than a cast says. */
static struct ir_expr *converted(struct ir_arena *arena, struct ir_expr *expr,
                                 const struct ir_type *type)
{
    const struct ir_type *from = &expr->type;
    if (type->pointers || from->pointers)
        return type->pointers == from->pointers && is_same_kind(type, from) &&
                       type->scalar != IR_OTHER
                   ? expr
                   : NULL;
    if (is_same_kind(type, from) && type->scalar != IR_OTHER)
        return expr;
    if (type->scalar < IR_BOOL || type->scalar > IR_FLOAT || from->scalar < IR_BOOL ||
        from->scalar > IR_FLOAT)
        return NULL;
    struct ir_expr *cast = ir_expr_new(arena, IR_CAST, 1);
    cast->type = *type;
    cast->type.is_const = cast->type.is_restrict = false;
    cast->line = expr->line;
    cast->column = expr->column;
    cast->arg[0] = expr;
    cast->has_value = expr->has_value && type->scalar == IR_INT && expr->value >= 0 &&
                      expr->value < 1LL << 15;
    cast->value = cast->has_value ? expr->value : 0;
    return cast;
}

/* ---- reading a helper ---- */

/* A parameter that is called, too, has a symbol. */
static void find_pure_calls(struct ir_expr *expr, void *data)
{
    struct parse *p = data;
    struct ir_symbol *symbol = expr->kind == IR_CALL ? expr->symbol : NULL;
    if (symbol && symbol->role == IR_FUNCTION && p->declared[symbol->id])
        symbol->is_pure = parse_is_pure(p, p->declared[symbol->id]);
}

static bool read_local(struct helper *helper, const struct ct_node *var)
{
    struct parse *reader = &helper->reader;
    if (var->kind != CT_VAR || var->child_nr == 0 || var->decl->as_written ||
        var->decl->dim_nr || var->decl->is_static || var->child[0]->kind == CT_LIST)
        return false;
    struct ir_symbol *symbol = parse_symbol(reader, var->decl);
    struct ir_expr *init = parse_expr(reader, var->child[0]);
    ir_visit(init, find_pure_calls, reader->caller);
    init = init ? converted(reader->arena, init, &symbol->type) : NULL;
    if (!init || rewrite_has_effects(init))
        return false;
    helper->value = rewrite_put(reader->arena, helper->value, symbol, init);
    return true;
}

static bool read_locals(struct helper *helper, const struct ct_node *decls)
{
    for (size_t i = decls->child_nr; i-- > 0;)
        if (!read_local(helper, decls->child[i]))
            return false;
    return true;
}

/* Reads before it writes, so that what was read before may be read in it. */
static bool is_movable(const struct ir_expr *value)
{
    if (value->kind != IR_ASSIGN)
        return !rewrite_has_effects(value);
    return !rewrite_has_effects(value->arg[0]) && !rewrite_has_effects(value->arg[1]);
}

/* The last statement gives the value; declarations before it are put in, last one
 * first. */
static bool read_value(struct helper *helper, bool as_statement)
{
    const struct ct_node *body = helper->function->body;
    const struct ct_node *last = body->child_nr ? body->child[body->child_nr - 1] : NULL;
    struct parse *reader = &helper->reader;
    if (!last || body->kind != CT_BLOCK)
        return false;
    if (as_statement)
        helper->value = last->kind < CT_BLOCK ? parse_expr(reader, last) : NULL;
    else if (last->kind == CT_RETURN && last->child_nr == 1)
        helper->value = parse_expr(reader, last->child[0]);
    if (helper->value && !as_statement)
        helper->value =
            converted(reader->arena, helper->value, &helper->function->result);
    ir_visit(helper->value, find_pure_calls, reader->caller);
    if (!helper->value || (body->child_nr > 1 && !is_movable(helper->value)))
        return false;
    for (size_t i = body->child_nr - 1; i-- > 0;)
        if (body->child[i]->kind != CT_DECLS || !read_locals(helper, body->child[i]))
            return false;
    return true;
}

static bool helper_read(struct parse *p, const struct ir_expr *call, bool as_statement,
                        struct helper *helper)
{
    bool known = call->symbol && call->symbol->role == IR_FUNCTION;
    struct ct_decl *decl = known ? p->declared[call->symbol->id] : NULL;
    *helper = (struct helper){.function = decl ? ct_body(&p->file, decl) : NULL};
    if (!helper->function || helper->function->param_nr != call->arg_nr)
        return false;
    struct ir_function *own = ir_alloc(p->arena, sizeof(*own));
    own->arena = p->arena;
    own->source = p->function->source;
    own->source_length = p->function->source_length;
    helper->reader =
        (struct parse){.function = own, .arena = p->arena, .file = p->file, .caller = p};
    return read_value(helper, as_statement) &&
           is_takeable(helper, p->function, call->symbol);
}

/* ---- putting the arguments in ---- */

static void set_line(struct ir_expr *expr, void *data)
{
    const struct ir_expr *call = data;
    expr->line = call->line;
    expr->column = call->column;
}

/* NULL when an argument cannot be repeated or converted, or the function calls itself. */
static struct ir_expr *fill_in(struct parse *p, const struct helper *helper,
                               const struct ir_expr *call)
{
    struct ir_expr *value = ir_copy(p->arena, helper->value);
    ir_visit(value, set_line, (void *)call);
    for (size_t i = 0; i < call->arg_nr; i++) {
        struct ct_decl *decl = helper->function->param[i];
        struct parse *reader = (struct parse *)&helper->reader;
        struct ir_symbol *param = parse_symbol(reader, decl);
        struct ir_expr *by = converted(p->arena, call->arg[i], &param->type);
        bool own = (size_t)param->id < p->function->symbol_nr &&
                   p->function->symbol[param->id] == param;
        if (own || !by || rewrite_has_effects(by) || !are_same_dims(call->arg[i], param))
            return NULL;
        value = rewrite_put(p->arena, value, param, by);
    }
    return value;
}

/* ---- where ---- */

/* What is left a call: pure ones whose value is no subscript, bound or pointer. */
static bool is_wanted(const struct ir_expr *call, bool outside)
{
    bool counts = (call->type.scalar == IR_INT || call->type.scalar == IR_BOOL) &&
                  call->type.pointers == 0;
    if (outside)
        return counts && call->symbol->is_pure;
    return counts || call->type.pointers > 0 || !call->symbol->is_pure;
}

static struct ir_expr *expand(struct ir_expr *expr, void *data)
{
    struct expansion *at = data;
    struct helper helper;
    if (expr->kind != IR_CALL || !expr->symbol || !is_wanted(expr, at->outside) ||
        at->depth >= DEPTH_LIMIT || expr->type.scalar == IR_VOID ||
        !helper_read(at->p, expr, false, &helper))
        return expr;
    struct ir_expr *value = fill_in(at->p, &helper, expr);
    struct expansion deeper = {at->p, at->depth + 1, at->outside};
    if (!value)
        return expr;
    ir_visit(value, find_pure_calls, at->p);
    return rewrite_expr(value, expand, &deeper);
}

/* `put(a, i, v);` of a function that is one statement. */
static void expand_statement(struct parse *p, struct ir_stmt *stmt, int depth)
{
    struct ir_expr *expr = stmt->kind == IR_EXPR ? stmt->expr : NULL;
    struct helper helper;
    if (expr && expr->kind == IR_CALL && expr->symbol && depth < DEPTH_LIMIT &&
        expr->type.scalar == IR_VOID && !expr->type.pointers &&
        helper_read(p, expr, true, &helper)) {
        struct ir_expr *value = fill_in(p, &helper, expr);
        struct expansion at = {p, depth, false};
        if (value) {
            ir_visit(value, find_pure_calls, p);
            stmt->expr = rewrite_expr(value, expand, &at);
            expand_statement(p, stmt, depth + 1);
        }
    }
    for (size_t i = 0; i < stmt->child_nr; i++)
        if (stmt->child[i])
            expand_statement(p, stmt->child[i], depth);
}

/* The loops with all that is in them; of what stands outside only numbers. */
static void expand_all(struct parse *p, struct ir_stmt *stmt)
{
    bool loop = stmt->kind == IR_FOR || stmt->kind == IR_WHILE;
    struct expansion at = {.p = p, .outside = !loop};
    if (loop) {
        rewrite_stmt(stmt, expand, &at);
        expand_statement(p, stmt, 0);
        return;
    }
    stmt->expr = rewrite_expr(stmt->expr, expand, &at);
    stmt->cond = rewrite_expr(stmt->cond, expand, &at);
    for (size_t i = 0; i < stmt->child_nr; i++)
        if (stmt->child[i])
            expand_all(p, stmt->child[i]);
}

/* ---- all of them ---- */

static void count_addresses(struct ir_expr *expr, void *data)
{
    const struct ir_expr *base = expr->arg_nr ? expr->arg[0] : NULL;
    bool *before = data;
    for (size_t i = 0; expr->kind == IR_RAW && i < expr->arg_nr; i++)
        expr->arg[i]->symbol->address_taken = before[expr->arg[i]->symbol->id];
    while (base && base->kind == IR_MEMBER && !base->is_arrow)
        base = base->arg[0];
    if (expr->kind == IR_UNARY && strcmp(expr->op, "&") == 0 && base->kind == IR_NAME)
        base->symbol->address_taken = true;
}

/* `add(&s, x)` that became `s += x` takes no address any more. */
static void forget_addresses(struct parse *p)
{
    struct ir_function *function = p->function;
    bool *before = ir_alloc(p->arena, function->symbol_nr * sizeof(bool));
    for (size_t i = 0; i < function->symbol_nr; i++) {
        before[i] = function->symbol[i]->address_taken;
        function->symbol[i]->address_taken = false;
    }
    visit_stmt(function->body, count_addresses, before);
}

void parse_expand_helpers(struct parse *p)
{
    struct expansion at = {.p = p, .outside = true};
    visit_stmt(p->function->body, find_pure_calls, p);
    expand_all(p, p->function->body);
    for (size_t i = 0; i < p->function->symbol_nr; i++)
        for (size_t k = 0; k < p->function->symbol[i]->dim_nr; k++)
            p->function->symbol[i]->dim[k] =
                rewrite_expr(p->function->symbol[i]->dim[k], expand, &at);
    forget_addresses(p);
}
