/*
 * Small functions of the user, `return expr;`, perhaps behind declarations: a call
 * becomes the expression where the loops' memory or their shape depends on it. In loops a
 * call of another becomes its statements, loops among them, and its value: they say what
 * it reads and writes through its pointers.
 */
#include <string.h>

#include "variants/parse/parse_rewrite.h"

static bool parse_is_pure(struct parse *p, struct ct_decl *decl);

/* ---- pure ---- */

/* Functions that read nothing but their arguments. */

static bool is_own(const struct ct_decl *decl)
{
    return (decl->role == IR_PARAM || decl->role == IR_LOCAL) && !decl->is_static;
}

static bool is_constant(const struct ct_decl *decl)
{
    return decl->type.is_const && decl->type.pointers == (int)decl->dim_nr &&
           !decl->pointer_to_array;
}

/* An array of its own or of constants; what a pointer points to is anybody's. */
static bool is_known_array(const struct ct_node *node)
{
    while (node->kind == CT_INDEX || (node->kind == CT_MEMBER && !node->arrow))
        node = node->child[0];
    if (node->kind != CT_NAME || node->decl->pointer_to_array)
        return false;
    const struct ct_decl *decl = node->decl;
    bool array = decl->dim_nr > 0 && decl->role != IR_PARAM;
    return (array && is_own(decl)) || (array && is_constant(decl)) ||
           (decl->type.pointers == 0 && is_own(decl));
}

static bool is_pure_node(struct parse *p, const struct ct_node *node);

static bool is_pure_name(const struct ct_node *node)
{
    const struct ct_decl *decl = node->decl;
    return !decl->type.is_volatile && (is_own(decl) || is_constant(decl));
}

static bool is_pure_call(struct parse *p, const struct ct_node *node)
{
    const struct ct_node *callee = node->child_nr ? node->child[0] : NULL;
    if (!callee || callee->kind != CT_NAME || callee->decl->role != IR_FUNCTION)
        return false;
    if (!function_is_pure(callee->decl->known) && !parse_is_pure(p, callee->decl))
        return false;
    for (size_t i = 1; i < node->child_nr; i++)
        if (!is_pure_node(p, node->child[i]))
            return false;
    return true;
}

static bool writes_elsewhere(const struct ct_node *node)
{
    const struct ct_node *target = node->child_nr ? node->child[0] : NULL;
    bool writes =
        node->kind == CT_ASSIGN ||
        (node->kind == CT_UNARY && (strstr(node->op, "++") || strstr(node->op, "--")));
    if (!writes || !target)
        return false;
    if (target->kind == CT_INDEX || target->kind == CT_MEMBER)
        return !is_known_array(target);
    return target->kind != CT_NAME || !is_own(target->decl);
}

static bool is_pure_kind(const struct ct_node *node)
{
    switch (node->kind) {
    case CT_INDEX:
        return is_known_array(node);
    case CT_MEMBER:
        return !node->arrow;
    case CT_UNARY:
        return strcmp(node->op, "*") != 0 && strcmp(node->op, "&") != 0;
    case CT_NAME:
        return is_pure_name(node);
    case CT_VAR:
        return !node->decl->is_static && !node->decl->type.is_volatile;
    case CT_ASSIGN:
        return !writes_elsewhere(node);
    case CT_LITERAL:
    case CT_BINARY:
    case CT_COND:
    case CT_CALL:
    case CT_CAST:
    case CT_SIZEOF:
    case CT_LIST:
    case CT_BLOCK:
    case CT_IF:
    case CT_FOR:
    case CT_WHILE:
    case CT_DO:
    case CT_RETURN:
    case CT_JUMP:
    case CT_EMPTY:
    case CT_DECLS:
        return true;
    case CT_STMT:
        return node->is_switch || node->is_case;
    case CT_EXPR:
        break;
    }
    return false;
}

static bool is_pure_node(struct parse *p, const struct ct_node *node)
{
    if (node->kind == CT_CALL)
        return is_pure_call(p, node);
    if (!is_pure_kind(node) || writes_elsewhere(node))
        return false;
    for (size_t i = 0; i < node->child_nr; i++)
        if (!is_pure_node(p, node->child[i]))
            return false;
    return true;
}

/* Reads arguments and constants only, as ir_symbol.is_pure. */
static bool parse_is_pure(struct parse *p, struct ct_decl *decl)
{
    if (decl->pure != CT_PURE_UNKNOWN)
        return decl->pure == CT_PURE;
    decl->pure = CT_IMPURE; /* also one that calls itself: it need not end */
    struct ct_function *function = ct_body(&p->file, decl);
    bool pure = function && function->result.scalar != IR_VOID &&
                function->result.pointers == 0 && is_pure_node(p, function->body);
    for (size_t i = 0; pure && i < function->param_nr; i++)
        pure = function->param[i]->type.pointers == 0;
    decl->pure = pure ? CT_PURE : CT_IMPURE;
    return pure;
}

/* ---- parse helper ---- */

enum { DEPTH_LIMIT = 8, SIZE_LIMIT = 400, PUT_IN_LIMIT = 10 * SIZE_LIMIT };

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

/* What it changes it changes last. */
static bool is_changed_last(const struct ir_expr *value, bool as_statement)
{
    bool last =
        value->kind == IR_ASSIGN || value->kind == IR_CALL ||
        (value->kind == IR_UNARY && (strstr(value->op, "++") || strstr(value->op, "--")));
    if (!as_statement || !last)
        return !rewrite_has_effects(value);
    for (size_t i = 0; i < value->arg_nr; i++)
        if (rewrite_has_effects(value->arg[i]))
            return false;
    return true;
}

static bool are_steady(struct parse *p, const struct ir_expr *call);

/* NULL when an argument cannot be repeated or converted, or the function calls itself;
 * and when what it does on the way may change what an argument stands for: a call is
 * given its arguments before, as in `*p = (*at += 1)` with &x[k] and &k. */
static struct ir_expr *fill_in(struct parse *p, const struct helper *helper,
                               const struct ir_expr *call, bool as_statement)
{
    struct ir_expr *value = ir_copy(p->arena, helper->value);
    if (!is_changed_last(value, as_statement) && !are_steady(p, call))
        return NULL;
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
    struct ir_expr *value = fill_in(at->p, &helper, expr, false);
    struct expansion deeper = {at->p, at->depth + 1, at->outside};
    if (!value)
        return expr;
    ir_visit(value, find_pure_calls, at->p);
    return rewrite_expr(value, expand, &deeper);
}

/* ---- several statements ---- */

/* `interpolate(table, r, &f, &df);` becomes a block: what numbers it is given are
 * variables of the block, what pointers it is given stands in place of its parameters. */
enum { SYMBOLS_MAX = 64 };

struct inlining {
    struct parse *p;
    const struct ir_expr *call;
    struct ct_function *function;
    struct ir_symbol *from[SYMBOLS_MAX], *to[SYMBOLS_MAX];
    size_t nr;
    bool loads;   /* the pointers that it is given come from memory */
    bool stores;  /* through its pointers */
    bool refused; /* by what its expressions do */
};

/* ---- what pointers stay the same all through it ---- */

static bool is_steady_variable(const struct ir_symbol *symbol)
{
    return (symbol->role == IR_LOCAL || symbol->role == IR_PARAM) &&
           !symbol->address_taken && !symbol->is_static && !symbol->type.is_volatile;
}

static bool is_steady_number(const struct ir_expr *expr)
{
    bool sum = expr->kind == IR_BINARY && strcmp(expr->op, ",") != 0;
    if (expr->has_value || expr->kind == IR_LITERAL)
        return true;
    if (expr->kind == IR_NAME)
        return !expr->type.pointers && is_steady_variable(expr->symbol);
    for (size_t i = 0; i < expr->arg_nr; i++)
        if (!is_steady_number(expr->arg[i]))
            return false;
    return sum || expr->kind == IR_CAST;
}

static bool is_steady_pointer(struct inlining *at, const struct ir_expr *expr);

/* The address of it. */
static bool is_steady_place(struct inlining *at, const struct ir_expr *expr)
{
    const struct ir_expr *of = expr->arg_nr ? expr->arg[0] : NULL;
    switch (expr->kind) {
    case IR_NAME:
        return !expr->type.is_volatile && !expr->symbol->is_reference &&
               expr->symbol->role != IR_FUNCTION;
    case IR_MEMBER:
        return !expr->is_shared &&
               (expr->is_arrow ? is_steady_pointer(at, of) : is_steady_place(at, of));
    case IR_INDEX:
        return is_steady_pointer(at, of) && is_steady_number(expr->arg[1]);
    default:
        return false;
    }
}

static bool is_array(const struct ir_symbol *symbol)
{
    return symbol->dim_nr && !symbol->pointer_to_array && symbol->role != IR_PARAM;
}

static bool is_steady_pointer(struct inlining *at, const struct ir_expr *expr)
{
    if (expr->type.is_volatile)
        return false;
    if (expr->kind == IR_NAME)
        return is_array(expr->symbol) || is_steady_variable(expr->symbol);
    if (expr->kind == IR_UNARY && strcmp(expr->op, "&") == 0)
        return is_steady_place(at, expr->arg[0]);
    if (expr->kind == IR_BINARY && strcmp(expr->op, "+") == 0) {
        bool right = expr->arg[1]->type.pointers > 0;
        return is_steady_pointer(at, expr->arg[right]) &&
               is_steady_number(expr->arg[!right]);
    }
    at->loads = true;
    return is_steady_place(at, expr);
}

/* Nothing that a call does changes them. */
static bool are_steady(struct parse *p, const struct ir_expr *call)
{
    struct inlining at = {.p = p, .call = call};
    for (size_t i = 0; i < call->arg_nr; i++) {
        const struct ir_expr *by = call->arg[i];
        if (by->type.pointers ? !is_steady_pointer(&at, by) : !is_steady_number(by))
            return false;
    }
    return !at.loads;
}

/* ---- what it does ---- */

static bool is_plain_local(const struct ir_symbol *symbol)
{
    for (size_t i = 0; i < symbol->dim_nr; i++)
        if (!symbol->dim[i] || !symbol->dim[i]->has_value)
            return false;
    return !symbol->is_static && !symbol->as_written && !symbol->pointer_to_array &&
           !symbol->type.is_volatile && symbol->type.scalar != IR_RECORD &&
           symbol->type.scalar != IR_OTHER;
}

static bool are_plain(const struct ir_stmt *stmt)
{
    bool plain = stmt->kind == IR_BLOCK || stmt->kind == IR_IF || stmt->kind == IR_EXPR ||
                 stmt->kind == IR_EMPTY ||
                 (stmt->kind == IR_FOR && stmt->canonical && !stmt->with &&
                  stmt->iterator->role != IR_GLOBAL) ||
                 (stmt->kind == IR_DECL && is_plain_local(stmt->symbol));
    for (size_t i = 0; plain && i < stmt->child_nr; i++)
        plain = !stmt->child[i] || are_plain(stmt->child[i]);
    return plain;
}

static const struct ir_expr *changed_by(const struct ir_expr *expr)
{
    bool changes = expr_sets(expr);
    return changes ? expr->arg[0] : NULL;
}

/* Into memory: numbers, which no pointer can be where types do not alias. */
static bool is_number_store(const struct ir_expr *target)
{
    const struct ir_type *type = &target->type;
    return type->pointers == 0 && type->bytes > 1 && !type->may_alias &&
           (type->scalar == IR_INT || type->scalar == IR_FLOAT);
}

static void note_symbol(struct inlining *at, struct ir_symbol *symbol)
{
    for (size_t i = 0; i < at->nr; i++)
        if (at->from[i] == symbol)
            return;
    for (size_t i = 0; i < at->p->function->symbol_nr; i++)
        if (at->p->function->symbol[i] == symbol) /* it calls itself */
            at->refused = true;
    if (at->nr == SYMBOLS_MAX) {
        at->refused = true;
        return;
    }
    at->from[at->nr++] = symbol;
}

/* A variable of the file that the reader of the caller has not seen change. */
static bool is_of_file(const struct ir_expr *target)
{
    while (target->kind == IR_MEMBER && !target->is_arrow)
        target = target->arg[0];
    return target->kind == IR_NAME && target->symbol->role == IR_GLOBAL;
}

static void look_at(struct ir_expr *expr, void *data)
{
    struct inlining *at = data;
    const struct ir_expr *target = changed_by(expr);
    bool address = expr->kind == IR_UNARY && strcmp(expr->op, "&") == 0;
    const struct ir_expr *named = target ? target : address ? expr->arg[0] : NULL;
    if (expr->kind == IR_NAME &&
        (expr->symbol->role == IR_LOCAL || expr->symbol->role == IR_PARAM))
        note_symbol(at, expr->symbol);
    if (target && target->kind != IR_NAME && !is_number_store(target))
        at->refused = true;
    at->stores = at->stores || (target && target->kind != IR_NAME);
    if (named && named->kind == IR_NAME && named->symbol->role == IR_PARAM &&
        named->type.pointers) /* another pointer than it was given */
        at->refused = true;
    at->refused = at->refused || expr->type.is_volatile || (named && is_of_file(named));
}

/* ---- its variables ---- */

static struct ir_symbol *add_own(struct parse *p, const struct ir_symbol *symbol)
{
    const char *name = symbol->name;
    for (int i = 2; rewrite_is_name_taken(p->function, name); i++)
        name = ir_textf(p->arena, "%s_%d", symbol->name, i);
    struct ir_symbol *own = parse_add_symbol(p, NULL);
    int id = own->id;
    *own = *symbol;
    own->id = id;
    own->name = name;
    own->role = IR_LOCAL;
    own->in_loop = true;
    own->is_written = own->address_taken = false;
    own->type.is_restrict = false;
    return own;
}

static void rename_own(struct ir_expr *expr, void *data)
{
    struct inlining *at = data;
    for (size_t i = 0; expr->kind == IR_NAME && i < at->nr; i++)
        if (expr->symbol == at->from[i] && at->to[i]) {
            expr->symbol = at->to[i];
            expr->text = at->to[i]->name;
            break;
        }
}

static void note_written(struct ir_expr *expr, void *data)
{
    struct inlining *at = data;
    const struct ir_expr *target = changed_by(expr);
    bool address = expr->kind == IR_UNARY && strcmp(expr->op, "&") == 0;
    if (address)
        target = expr->arg[0];
    while (target && target->kind == IR_MEMBER && !target->is_arrow)
        target = target->arg[0];
    for (size_t i = 0; target && target->kind == IR_NAME && i < at->nr; i++)
        if (target->symbol == at->to[i]) {
            at->to[i]->is_written = true;
            at->to[i]->address_taken = at->to[i]->address_taken || address;
        }
}

static void rename_declared(struct inlining *at, struct ir_stmt *stmt)
{
    struct ir_symbol **named = stmt->kind == IR_DECL  ? &stmt->symbol
                               : stmt->kind == IR_FOR ? &stmt->iterator
                                                      : NULL;
    for (size_t i = 0; named && i < at->nr; i++)
        if (*named == at->from[i] && at->to[i]) {
            *named = at->to[i];
            (*named)->is_written = (*named)->is_written || stmt->kind == IR_FOR;
            break;
        }
    ir_visit(stmt->cond, rename_own, at); /* of loops, which visit_stmt leaves out */
    for (size_t i = 0; i < stmt->child_nr; i++)
        if (stmt->child[i])
            rename_declared(at, stmt->child[i]);
}

/* It has no place in the file. */
static void place_at_call(struct ir_stmt *stmt, const struct ir_stmt *call)
{
    stmt->line = call->line;
    stmt->end_line = call->end_line;
    stmt->begin = stmt->end = 0;
    stmt->pragma = NULL;
    for (size_t i = 0; i < stmt->child_nr; i++)
        if (stmt->child[i])
            place_at_call(stmt->child[i], call);
}

/* ---- the arguments ---- */

static void find_declared(struct inlining *at, const struct ir_stmt *stmt)
{
    if (stmt->kind == IR_DECL || stmt->kind == IR_FOR)
        note_symbol(at, stmt->kind == IR_DECL ? stmt->symbol : stmt->iterator);
    for (size_t i = 0; i < stmt->child_nr; i++)
        if (stmt->child[i])
            find_declared(at, stmt->child[i]);
}

/* A number becomes a variable of the block, set first; a pointer stands for itself. */
static bool take_argument(struct inlining *at, const struct parse *reader, size_t i,
                          struct ir_stmt *block)
{
    struct ir_symbol *param =
        parse_symbol((struct parse *)reader, at->function->param[i]);
    struct ir_expr *by = converted(at->p->arena, at->call->arg[i], &param->type);
    bool own = (size_t)param->id < at->p->function->symbol_nr &&
               at->p->function->symbol[param->id] == param;
    if (own || !by || rewrite_has_effects(by) || !are_same_dims(at->call->arg[i], param))
        return false;
    if (param->type.pointers)
        return is_steady_pointer(at, by);
    if (!is_plain_local(param))
        return false;
    note_symbol(at, param);
    struct ir_stmt *set = ir_stmt_new(at->p->arena, IR_DECL, 0);
    set->symbol = param;
    set->expr = ir_copy(at->p->arena, by);
    block->child[block->child_nr++] = set;
    return !at->refused;
}

static void put_pointers(const struct inlining *at, const struct parse *reader,
                         struct ir_stmt *body)
{
    for (size_t i = 0; i < at->call->arg_nr; i++) {
        struct ir_symbol *param =
            parse_symbol((struct parse *)reader, at->function->param[i]);
        if (param->type.pointers)
            rewrite_put_stmt(at->p->arena, body, param,
                             converted(at->p->arena, at->call->arg[i], &param->type));
    }
}

/* `return value;` at its end becomes an expression, `return;` nothing. */
static bool end_with_value(struct inlining *at, struct ir_stmt *body)
{
    struct ir_stmt *last = body->child_nr ? body->child[body->child_nr - 1] : NULL;
    bool returns = last && last->kind == IR_RETURN;
    if (at->call->type.scalar == IR_VOID && !at->call->type.pointers) {
        body->child_nr -= returns;
        return true;
    }
    if (!returns || !last->expr || rewrite_has_effects(last->expr))
        return false;
    last->kind = IR_EXPR;
    last->expr = converted(at->p->arena, last->expr, &at->function->result);
    return last->expr && !last->expr->type.pointers;
}

/* A directive in it would be one of the caller. */
static bool has_pragma(const struct inlining *at)
{
    const struct ir_pragma *pragma = at->p->function->all_pragma;
    for (; pragma; pragma = pragma->next_all)
        if (pragma->begin >= at->function->begin && pragma->end <= at->function->end)
            return true;
    return false;
}

/* NULL = it cannot be told what it does. */
static struct ir_stmt *read_body(struct inlining *at, struct parse *reader)
{
    const struct ct_node *node = at->function->body;
    bool here = node->kind == CT_BLOCK && !node->elsewhere && !node->in_macro;
    if (!here || has_pragma(at))
        return NULL;
    parse_survey(reader, node);
    struct ir_stmt *body = reader->trouble ? NULL : parse_body(reader, node);
    struct finding finding = {.caller = at->p->function, .itself = at->call->symbol};
    if (!body || reader->trouble || !end_with_value(at, body) || !are_plain(body))
        return NULL;
    visit_stmt(body, find_trouble, &finding);
    visit_stmt(body, look_at, at);
    find_declared(at, body);
    if (finding.raw || finding.hidden || finding.size >= SIZE_LIMIT || at->refused ||
        at->p->put_in + finding.size > PUT_IN_LIMIT)
        return NULL;
    at->p->put_in += finding.size;
    return body;
}

static struct ir_stmt *block_of(struct inlining *at, struct parse *reader)
{
    struct ir_stmt *body = read_body(at, reader);
    size_t params = at->call->arg_nr;
    if (!body)
        return NULL;
    struct ir_stmt *block = ir_stmt_new(at->p->arena, IR_BLOCK, params + body->child_nr);
    block->child_nr = 0;
    for (size_t i = 0; i < params; i++)
        if (!take_argument(at, reader, i, block))
            return NULL;
    if (at->loads && at->p->function->types_alias)
        return NULL;
    put_pointers(at, reader, body);
    for (size_t i = 0; i < at->nr; i++)
        if (at->from[i]->role == IR_LOCAL || !at->from[i]->type.pointers)
            at->to[i] = add_own(at->p, at->from[i]);
    visit_stmt(body, rename_own, at);
    visit_stmt(body, note_written, at);
    for (size_t i = 0; i < body->child_nr; i++)
        block->child[block->child_nr++] = body->child[i];
    rename_declared(at, block);
    return block;
}

/* Of C++: it is its argument, no copy. */
static bool has_reference(const struct ct_function *function)
{
    for (size_t i = 0; i < function->param_nr; i++)
        if (function->param[i]->is_reference)
            return true;
    return false;
}

/* What the call does, in a block; the last statement is its value if it has one. With
 * `alone` it may store: nothing else in the statement reads memory. NULL = it stays. */
static struct ir_stmt *statements_of(struct parse *p, struct ir_expr *call,
                                     const struct ir_stmt *stmt, bool alone)
{
    struct ct_decl *decl =
        call->symbol->role == IR_FUNCTION ? p->declared[call->symbol->id] : NULL;
    struct inlining at = {
        .p = p, .call = call, .function = decl ? ct_body(&p->file, decl) : NULL};
    if (!at.function || at.function->param_nr != call->arg_nr ||
        has_reference(at.function) || parse_never_returns(p, at.function))
        return NULL;
    struct ir_function *own = ir_alloc(p->arena, sizeof(*own));
    own->arena = p->arena;
    own->source = p->function->source;
    own->source_length = p->function->source_length;
    struct parse reader = {
        .function = own, .arena = p->arena, .file = p->file, .caller = p};
    struct ir_stmt *block = block_of(&at, &reader);
    if (!block || (at.stores && !alone))
        return NULL;
    place_at_call(block, stmt);
    visit_stmt(block, set_line, call);
    visit_stmt(block, find_pure_calls, p);
    return block;
}

static bool expand_block(struct parse *p, struct ir_stmt *stmt)
{
    struct ir_stmt *block = statements_of(p, stmt->expr, stmt, true);
    if (!block)
        return false;
    stmt->kind = IR_BLOCK;
    stmt->expr = NULL;
    stmt->child = block->child;
    stmt->child_nr = block->child_nr;
    return true;
}

/* ---- values of several statements ---- */

/* The first call of such a function, operands first, that is made whatever the rest of
 * the expression is; NULL = none. */
static struct ir_expr *first_call(struct ir_expr *expr)
{
    bool comma = expr->kind == IR_BINARY && !strcmp(expr->op, ",");
    bool only_first =
        expr->kind == IR_COND ||
        (expr->kind == IR_BINARY && (!strcmp(expr->op, "&&") || !strcmp(expr->op, "||")));
    size_t nr = comma || expr->kind == IR_RAW ? 0 : only_first ? 1 : expr->arg_nr;
    struct ir_expr *found = NULL;
    for (size_t i = 0; !found && i < nr; i++)
        found = first_call(expr->arg[i]);
    bool is_one = expr->kind == IR_CALL && expr->symbol && !expr->symbol->is_pure &&
                  !expr_is_math(expr) && expr->type.scalar != IR_VOID &&
                  !expr->type.pointers;
    return found ? found : is_one ? expr : NULL;
}

static void count_effects(struct ir_expr *expr, void *data)
{
    size_t *nr = data;
    *nr += expr_sets(expr) || expr->type.is_volatile;
}

/* `#pragma omp critical` right before it: what the call does belongs inside, too. */
static bool has_directive(const struct parse *p, const struct ir_stmt *stmt)
{
    const struct ir_pragma *pragma = p->function->all_pragma;
    const char *source = p->function->source;
    for (; pragma; pragma = pragma->next_all) {
        size_t blank = pragma->end + strspn(source + pragma->end, " \t\r\n");
        if (pragma->begin >= p->function->body_begin && pragma->end <= stmt->begin &&
            (blank >= stmt->begin || source[blank] == '/')) /* perhaps a comment */
            return true;
    }
    return false;
}

/* Where what the call does may come before all the rest of the statement; `alone` when
 * the rest reads nothing that it could store to. */
static struct ir_expr *call_to_take(const struct ir_stmt *stmt, bool *alone)
{
    struct ir_expr *expr = stmt->kind == IR_IF ? stmt->cond : stmt->expr;
    bool sets = stmt->kind == IR_EXPR && expr->kind == IR_ASSIGN;
    size_t effects = 0;
    if (!expr || (stmt->kind != IR_IF && stmt->kind != IR_EXPR && stmt->kind != IR_DECL))
        return NULL;
    ir_visit(expr, count_effects, &effects);
    if (effects > sets)
        return NULL;
    struct ir_expr *call = first_call(expr), *value = sets ? expr->arg[1] : expr;
    *alone =
        call == value &&
        (!sets || (expr->arg[0]->kind == IR_NAME && parse_is_own(expr->arg[0]->symbol)));
    return call;
}

/* `x = distance(a, b, n);`: in front of the child of the block comes what the call does,
 * its value takes the place of the call. How many statements more? */
static size_t take_value(struct parse *p, struct ir_stmt *block, size_t at)
{
    bool alone;
    struct ir_stmt *stmt = block->child[at];
    struct ir_expr *call = call_to_take(stmt, &alone);
    struct ir_stmt *does =
        call && !has_directive(p, stmt) ? statements_of(p, call, stmt, alone) : NULL;
    if (!does)
        return 0;
    size_t nr = does->child_nr - 1;
    struct ir_stmt *wider = ir_stmt_new(p->arena, IR_BLOCK, block->child_nr + nr);
    for (size_t i = 0; i < wider->child_nr; i++)
        wider->child[i] = i < at        ? block->child[i]
                          : i < at + nr ? does->child[i - at]
                                        : block->child[i - nr];
    *call = *does->child[nr]->expr;
    block->child = wider->child;
    block->child_nr = wider->child_nr;
    return nr;
}

static void expand_values(struct parse *p, struct ir_stmt *block)
{
    struct expansion deeper = {p, 1, false};
    for (size_t i = 0; i < block->child_nr; i++) {
        size_t more = block->child[i] ? take_value(p, block, i) : 0;
        for (size_t k = i; more && k <= i + more; k++)
            rewrite_stmt(block->child[k], expand, &deeper);
        i -= more > 0; /* what came there may be such a statement, too */
    }
}

/* A statement that is no block's: it becomes one where that is needed. */
static void expand_single(struct parse *p, struct ir_stmt **stmt)
{
    struct ir_stmt *block = ir_stmt_new(p->arena, IR_BLOCK, 1);
    block->child[0] = *stmt;
    block->line = (*stmt)->line;
    block->end_line = (*stmt)->end_line;
    block->begin = (*stmt)->begin; /* where directives in it are looked for */
    block->end = (*stmt)->end;
    block->from_macro = true; /* comments are the statement's */
    expand_values(p, block);
    if (block->child_nr > 1)
        *stmt = block;
}

/* `put(a, i, v);` of a function that is one statement, or several. */
static void expand_statement(struct parse *p, struct ir_stmt *stmt, int depth)
{
    struct ir_expr *expr = stmt->kind == IR_EXPR ? stmt->expr : NULL;
    struct expansion at = {p, depth, false};
    struct helper helper;
    bool called = expr && expr->kind == IR_CALL && expr->symbol && depth < DEPTH_LIMIT &&
                  expr->type.scalar == IR_VOID && !expr->type.pointers;
    struct ir_expr *value = called && helper_read(p, expr, true, &helper)
                                ? fill_in(p, &helper, expr, true)
                                : NULL;
    if (value) {
        ir_visit(value, find_pure_calls, p);
        stmt->expr = rewrite_expr(value, expand, &at);
        expand_statement(p, stmt, depth + 1);
    } else if (called && expand_block(p, stmt)) {
        rewrite_stmt(stmt, expand, &at);
        depth++;
    }
    if (stmt->kind == IR_BLOCK)
        expand_values(p, stmt);
    for (size_t i = 0; stmt->kind != IR_BLOCK && i < stmt->child_nr; i++)
        if (stmt->child[i])
            expand_single(p, &stmt->child[i]);
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

struct addresses {
    const bool *before; /* by symbols */
    bool by_reference;  /* a call may take the address of what it is given */
};

static void count_addresses(struct ir_expr *expr, void *data)
{
    const struct addresses *addresses = data;
    bool takes = expr->kind == IR_UNARY && strcmp(expr->op, "&") == 0;
    bool perhaps =
        expr->kind == IR_RAW || (expr->kind == IR_CALL && addresses->by_reference);
    for (size_t i = 0; (takes || perhaps) && i < expr->arg_nr; i++) {
        const struct ir_expr *base = expr->arg[i];
        while (base->kind == IR_MEMBER && !base->is_arrow)
            base = base->arg[0];
        if (base->kind == IR_NAME && (takes || addresses->before[base->symbol->id]))
            base->symbol->address_taken = true;
    }
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
    struct addresses addresses = {before, function->is_cplusplus};
    visit_stmt(function->body, count_addresses, &addresses);
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
