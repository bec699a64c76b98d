/* Functions that read nothing but their arguments. */
#include <string.h>

#include "variants/parse/parse_rewrite.h"

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
    if (!callee->decl->is_math && !parse_is_pure(p, callee->decl))
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
    case CT_EXPR:
    case CT_STMT:
        return false;
    default:
        return !writes_elsewhere(node);
    }
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

bool parse_is_pure(struct parse *p, struct ct_decl *decl)
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
