/* Expressions: from the clang tree to the ir. */
#include <limits.h>
#include <string.h>

#include "core/base/buf.h"
#include "variants/parse/parse_parts.h"

static struct ir_expr *give_up(struct parse *p, const struct ct_node *node)
{
    if (!p->trouble)
        p->trouble = node;
    return NULL;
}

/* ---- constants ---- */

static bool fold(const char *op, long long a, long long b, long long *out)
{
    switch (op[0]) {
    case '+':
        return !op[1] && !__builtin_add_overflow(a, b, out);
    case '-':
        return !op[1] && !__builtin_sub_overflow(a, b, out);
    case '*':
        return !op[1] && !__builtin_mul_overflow(a, b, out);
    case '/':
    case '%':
        if (op[1] || b == 0 || (a == LLONG_MIN && b == -1))
            return false;
        *out = op[0] == '/' ? a / b : a % b;
        return true;
    case '<':
        if (strcmp(op, "<<") != 0 || a < 0 || b < 0 || b > 62 || a > LLONG_MAX >> b)
            return false;
        *out = a << b;
        return true;
    default:
        return false;
    }
}

/* Keeps a value only if the type holds it as it is: nothing wraps. */
static void set_value(struct ir_expr *expr, bool known, long long value)
{
    size_t bits = expr->type.bytes * 8;
    bool is_integer = expr->type.pointers == 0 &&
                      (expr->type.scalar == IR_INT || expr->type.scalar == IR_BOOL);
    if (!known || !is_integer || (expr->type.is_unsigned && value < 0))
        return;
    if (bits < 64 && (value >= 1LL << (bits - !expr->type.is_unsigned) ||
                      value < -(1LL << (bits - 1))))
        return;
    expr->has_value = true;
    expr->value = value;
}

static void fold_value(struct ir_expr *expr)
{
    long long value = 0;
    const struct ir_expr *a = expr->arg[0], *b = expr->arg_nr > 1 ? expr->arg[1] : NULL;
    bool known = false;
    if (expr->kind == IR_BINARY)
        known =
            a->has_value && b->has_value && fold(expr->op, a->value, b->value, &value);
    else if (expr->kind == IR_UNARY && strcmp(expr->op, "-") == 0)
        known = a->has_value && fold("-", 0, a->value, &value);
    else if (expr->kind == IR_CAST) {
        known = a->has_value;
        value = a->value;
    }
    set_value(expr, known, value);
}

/* ---- text ---- */

static void add_mentions(struct parse *p, const struct ct_node *node, struct ir_expr *raw,
                         size_t *nr)
{
    if (node->kind == CT_NAME) {
        if (raw)
            raw->arg[*nr] = ir_name(p->arena, parse_symbol(p, node->decl));
        ++*nr;
    }
    for (size_t i = 0; i < node->child_nr; i++)
        add_mentions(p, node->child[i], raw, nr);
}

struct ir_expr *parse_mentions(struct parse *p, const struct ct_node *node,
                               const char *text)
{
    size_t nr = 0;
    add_mentions(p, node, NULL, &nr);
    struct ir_expr *raw = ir_expr_new(p->arena, IR_RAW, nr);
    nr = 0;
    add_mentions(p, node, raw, &nr);
    raw->text = text;
    raw->why = node->is_kept ? node->what : NULL;
    raw->type = node->type;
    raw->line = node->line;
    raw->column = node->column;
    return raw;
}

static const char *source_text(struct parse *p, const struct ct_node *node)
{
    return ir_textf(p->arena, "%.*s", (int)(node->end - node->begin),
                    p->function->source + node->begin);
}

static struct ir_expr *parse_raw(struct parse *p, const struct ct_node *node)
{
    if (node->in_macro || node->elsewhere)
        return give_up(p, node);
    return parse_mentions(p, node, source_text(p, node));
}

struct ir_expr *parse_initialiser(struct parse *p, const struct ct_node *node)
{
    if (node->kind == CT_LIST && !node->elsewhere)
        return parse_mentions(p, node, source_text(p, node));
    return parse_expr(p, node);
}

/* ---- kinds ---- */

static struct ir_expr *expr_new(struct parse *p, const struct ct_node *node,
                                enum ir_kind kind, size_t args)
{
    struct ir_expr *expr = ir_expr_new(p->arena, kind, args);
    expr->type = node->type;
    expr->line = node->line;
    expr->column = node->column;
    expr->begin = node->elsewhere ? 0 : node->spelt_begin;
    expr->end = node->elsewhere ? 0 : node->spelt_end;
    expr->text = node->text;
    expr->op = node->op;
    return expr;
}

static struct ir_expr *parse_operation(struct parse *p, const struct ct_node *node,
                                       enum ir_kind kind, size_t args)
{
    if (node->child_nr != args)
        return parse_raw(p, node);
    struct ir_expr *expr = expr_new(p, node, kind, args);
    for (size_t i = 0; i < args; i++) {
        expr->arg[i] = parse_expr(p, node->child[i]);
        if (!expr->arg[i])
            return NULL;
    }
    if (kind == IR_INDEX && !expr->arg[0]->type.pointers && expr->arg[1]->type.pointers) {
        struct ir_expr *base = expr->arg[1]; /* 1[a] */
        expr->arg[1] = expr->arg[0];
        expr->arg[0] = base;
    }
    expr->is_arrow = node->arrow;
    expr->is_shared = node->shared;
    expr->field = node->field;
    fold_value(expr);
    return expr;
}

static const char *callee_text(struct parse *p, const struct ct_node *node)
{
    struct ir_expr *callee = parse_expr(p, node);
    if (!callee)
        return NULL;
    struct buf text = {0};
    bool bare =
        callee->kind == IR_NAME || callee->kind == IR_MEMBER || callee->kind == IR_INDEX;
    ir_print_expr(&text, callee);
    const char *copy = ir_textf(p->arena, bare ? "%s" : "(%s)", buf_str(&text));
    buf_release(&text);
    return copy;
}

static bool holds_kept(const struct ct_node *node)
{
    bool found = node->is_kept;
    for (size_t i = 0; !found && i < node->child_nr; i++)
        found = holds_kept(node->child[i]);
    return found;
}

static struct ir_expr *parse_call(struct parse *p, const struct ct_node *node)
{
    if (node->child_nr == 0 || holds_kept(node->child[0]))
        return parse_raw(p, node);
    const struct ct_node *callee = node->child[0];
    struct ir_expr *expr = expr_new(p, node, IR_CALL, node->child_nr - 1);
    bool named = callee->kind == CT_NAME;
    expr->text = named ? callee->decl->name : callee_text(p, callee);
    if (!expr->text)
        return NULL;
    if (named && !callee->decl->implicit)
        expr->symbol = parse_symbol(p, callee->decl);
    for (size_t i = 0; i < expr->arg_nr; i++) {
        expr->arg[i] = parse_expr(p, node->child[i + 1]);
        if (!expr->arg[i])
            return NULL;
    }
    return expr;
}

static struct ir_expr *parse_name(struct parse *p, const struct ct_node *node)
{
    struct ir_expr *expr = expr_new(p, node, IR_NAME, 0);
    expr->symbol = parse_symbol(p, node->decl);
    expr->text = node->decl->name;
    set_value(expr, node->has_value, node->value);
    return expr;
}

static struct ir_expr *parse_literal(struct parse *p, const struct ct_node *node)
{
    struct ir_expr *expr = expr_new(p, node, IR_LITERAL, 0);
    expr->has_value = node->has_value;
    expr->value = node->value;
    return expr;
}

/* It names something that new code may call otherwise, or does not have. */
static bool names_passing(struct parse *p, const struct ct_node *node)
{
    bool found = node->kind == CT_NAME && node->decl->role != IR_GLOBAL &&
                 node->decl->role != IR_FUNCTION &&
                 (p->caller || parse_symbol(p, node->decl)->in_loop);
    for (size_t i = 0; !found && i < node->child_nr; i++)
        found = names_passing(p, node->child[i]);
    return found;
}

static struct ir_expr *parse_sizeof(struct parse *p, const struct ct_node *node)
{
    if (!node->has_value)
        return parse_raw(p, node);
    struct ir_expr *expr = parse_literal(p, node);
    expr->text = node->in_macro || node->elsewhere || names_passing(p, node)
                     ? ir_textf(p->arena, "%lldul", node->value)
                     : source_text(p, node);
    return expr;
}

/* ---- assert ---- */

/* What it is to be: the condition of an `if` whose other branch ends the program, in the
 * macro of glibc and others. NULL = it is none. */
static const struct ct_node *asserted(const struct ct_node *node)
{
    const struct ct_node *last = node->child_nr ? node->child[node->child_nr - 1] : NULL;
    bool branches = node->kind == CT_IF || node->kind == CT_COND;
    if (branches && last->kind == CT_CALL && last->child_nr &&
        last->child[0]->kind == CT_NAME &&
        function_is(last->child[0]->decl->known, FUNCTION_ENDS))
        return node->child[0];
    for (size_t i = 0; i < node->child_nr; i++) {
        const struct ct_node *found = asserted(node->child[i]);
        if (found)
            return found;
    }
    return NULL;
}

/* As it is spelt, a call that may end the program; NULL = it is none. */
static struct ir_expr *parse_assert(struct parse *p, const struct ct_node *node)
{
    static const char name[] = "assert";
    static const struct ir_effects effects = {.ends = true};
    const struct ct_node *condition;
    if (!node->in_macro || node->elsewhere || node->end < node->begin + sizeof(name) ||
        strncmp(p->function->source + node->begin, name, strlen(name)) ||
        p->function->source[node->end - 1] != ')' || !(condition = asserted(node)))
        return NULL;
    struct ir_expr *expr = expr_new(p, node, IR_CALL, 1);
    expr->text = name;
    expr->arg[0] = parse_expr(p, condition);
    if (!expr->arg[0])
        return NULL;
    expr->symbol = parse_add_symbol(p, NULL);
    expr->symbol->name = name;
    expr->symbol->role = IR_FUNCTION;
    expr->symbol->effects = &effects;
    return expr;
}

struct ir_expr *parse_expr(struct parse *p, const struct ct_node *node)
{
    struct ir_expr *expr = parse_assert(p, node);
    if (expr)
        return expr;
    switch (node->kind) {
    case CT_LITERAL:
        return parse_literal(p, node);
    case CT_NAME:
        return parse_name(p, node);
    case CT_INDEX:
        return parse_operation(p, node, IR_INDEX, 2);
    case CT_MEMBER:
        return parse_operation(p, node, IR_MEMBER, 1);
    case CT_UNARY:
        return parse_operation(p, node, IR_UNARY, 1);
    case CT_BINARY:
        return parse_operation(p, node, IR_BINARY, 2);
    case CT_ASSIGN:
        return parse_operation(p, node, IR_ASSIGN, 2);
    case CT_COND:
        return parse_operation(p, node, IR_COND, 3);
    case CT_CAST:
        return parse_operation(p, node, IR_CAST, 1);
    case CT_CALL:
        return parse_call(p, node);
    case CT_SIZEOF:
        return parse_sizeof(p, node);
    case CT_LIST:
    case CT_EXPR:
    case CT_BLOCK:
    case CT_IF:
    case CT_FOR:
    case CT_WHILE:
    case CT_DO:
    case CT_RETURN:
    case CT_JUMP:
    case CT_EMPTY:
    case CT_DECLS:
    case CT_VAR:
    case CT_STMT:
        break;
    }
    return parse_raw(p, node);
}
