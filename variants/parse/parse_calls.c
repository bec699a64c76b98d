/*
 * The calls in the file: what they give for integer parameters, `int n = N; ...
 * kernel(n, a);`, and the loops that they are in. A size or a loop is suggested by it,
 * nothing rests on it.
 */
#include <string.h>

#include "variants/parse/parse_parts.h"

/* One inside the other: main, run, step, kernel; `int n = 2 * half; ... k(n)`. */
enum { CALLERS_MAX = 4, NAMES_MAX = 8 };

struct calls {
    struct parse *p;
    int callers, names;
};

static bool value_of(struct calls *calls, const struct ct_function *in,
                     const struct ct_node *node, long long *value);
static bool value_of_param(struct calls *calls, const struct ct_function *function,
                           size_t param, struct ir_given *given);

/* ---- variables of the caller ---- */

/* What a variable holds when nothing but the text of its function is asked. */
struct holding {
    const struct ct_decl *decl;
    const struct ct_node *said; /* its initialiser, or the one assignment */
    bool unsure;
};

/* What is assigned in an if, such as what the command line says, is no default. */
static void look_for(struct holding *holding, const struct ct_node *node, bool in_if)
{
    bool address = false;
    bool written = parse_written(node, &address) == holding->decl;
    if (node->kind == CT_VAR && node->decl == holding->decl && node->child_nr)
        holding->said = node->child[0];
    if (written && (address || !in_if || !holding->said)) {
        bool first = !address && !holding->said && node->kind == CT_ASSIGN &&
                     !strcmp(node->op, "=");
        holding->unsure = holding->unsure || !first;
        holding->said = first ? node->child[1] : holding->said;
    }
    for (size_t i = 0; i < node->child_nr; i++)
        look_for(holding, node->child[i], in_if || node->kind == CT_IF);
}

static bool value_of_name(struct calls *calls, const struct ct_function *in,
                          const struct ct_decl *decl, long long *value)
{
    struct holding holding = {.decl = decl};
    struct ir_given given = {0};
    if (decl->type.pointers || (decl->role != IR_LOCAL && decl->role != IR_PARAM) ||
        calls->names >= NAMES_MAX)
        return false;
    look_for(&holding, in->body, false);
    if (holding.unsure)
        return false;
    if (holding.said) {
        calls->names++;
        bool known = value_of(calls, in, holding.said, value);
        calls->names--;
        return known;
    }
    for (size_t i = 0; decl->role == IR_PARAM && i < in->param_nr; i++)
        if (in->param[i] == decl && value_of_param(calls, in, i, &given)) {
            *value = given.value;
            return true;
        }
    return false;
}

/* ---- expressions of the caller ---- */

static bool calculate(char op, long long a, long long b, long long *value)
{
    switch (op) {
    case '+':
        return !__builtin_add_overflow(a, b, value);
    case '-':
        return !__builtin_sub_overflow(a, b, value);
    case '*':
        return !__builtin_mul_overflow(a, b, value);
    case '/':
        *value = b > 0 ? a / b : 0;
        return b > 0;
    default:
        return false;
    }
}

/* `argc > 1 ? atoi(argv[1]) : 1000`: the arm that is known. */
static bool value_of_arm(struct calls *calls, const struct ct_function *in,
                         const struct ct_node *node, long long *value)
{
    long long arm[2];
    bool known[2];
    for (size_t i = 0; i < 2; i++)
        known[i] = value_of(calls, in, node->child[i + 1], &arm[i]);
    *value = known[0] ? arm[0] : arm[1];
    return known[0] != known[1] || (known[0] && arm[0] == arm[1]);
}

static bool value_of(struct calls *calls, const struct ct_function *in,
                     const struct ct_node *node, long long *value)
{
    long long a, b;
    if (node->has_value) {
        *value = node->value;
        return true;
    }
    if (node->kind == CT_NAME)
        return value_of_name(calls, in, node->decl, value);
    if (node->kind == CT_CAST && node->child_nr == 1 && node->type.scalar == IR_INT)
        return value_of(calls, in, node->child[0], value);
    if (node->kind == CT_COND && node->child_nr == 3)
        return value_of_arm(calls, in, node, value);
    return node->kind == CT_BINARY && node->child_nr == 2 && !node->op[1] &&
           value_of(calls, in, node->child[0], &a) &&
           value_of(calls, in, node->child[1], &b) && calculate(node->op[0], a, b, value);
}

/* ---- calls ---- */

/* The calls below the node; false when one of them gives another value, or none that is
 * known. `given` is of the first. */
static bool agrees(struct calls *calls, const struct ct_function *in,
                   const struct ct_node *node, const struct ct_decl *callee, size_t param,
                   struct ir_given *given)
{
    if (node->kind == CT_CALL && node->child_nr > param + 1 &&
        node->child[0]->decl == callee) {
        long long value;
        if (!value_of(calls, in, node->child[param + 1], &value) ||
            (given->caller && given->value != value))
            return false;
        if (!given->caller)
            *given = (struct ir_given){NULL, value, in->name, node->line};
    }
    for (size_t i = 0; i < node->child_nr; i++)
        if (!agrees(calls, in, node->child[i], callee, param, given))
            return false;
    return true;
}

static bool value_of_param(struct calls *calls, const struct ct_function *function,
                           size_t param, struct ir_given *given)
{
    struct ct_function **caller;
    const struct ct_decl *callee = ct_declared(&calls->p->file, function);
    size_t nr;
    bool agree = calls->callers < CALLERS_MAX;
    if (!agree)
        return false;
    calls->callers++;
    nr = ct_callers(&calls->p->file, function, &caller);
    for (size_t i = 0; agree && i < nr; i++)
        agree = agrees(calls, caller[i], caller[i]->body, callee, param, given);
    calls->callers--;
    return agree && given->caller;
}

/* ---- loops of callers ---- */

enum { CALLS_IN_LOOPS_MAX = 8 };

static void note_calls(struct parse *p, const struct ct_function *in,
                       const struct ct_node *node, const struct ct_decl *callee,
                       bool in_loop)
{
    struct ir_function *function = p->function;
    bool loop = in_loop || parse_is_loop(node);
    if (node->kind == CT_CALL && in_loop && node->child[0]->decl == callee &&
        function->caller_nr < CALLS_IN_LOOPS_MAX)
        ((struct ir_caller *)function->caller)[function->caller_nr++] =
            (struct ir_caller){p->file.is_cplusplus ? in->full : in->name, node->line};
    for (size_t i = 0; i < node->child_nr; i++)
        note_calls(p, in, node->child[i], callee, loop);
}

static void find_loops(struct parse *p, const struct ct_function *chosen)
{
    const struct ct_decl *callee = ct_declared(&p->file, chosen);
    struct ct_function **caller;
    size_t nr = ct_callers(&p->file, chosen, &caller);
    p->function->caller =
        ir_alloc(p->arena, CALLS_IN_LOOPS_MAX * sizeof(struct ir_caller));
    for (size_t i = 0; i < nr; i++)
        if (caller[i] != chosen)
            note_calls(p, caller[i], caller[i]->body, callee, false);
}

void parse_calls(struct parse *p, const struct ct_function *chosen)
{
    find_loops(p, chosen);
    struct ir_function *function = p->function;
    struct calls calls = {.p = p};
    struct ir_given *list = ir_alloc(p->arena, (function->param_nr + 1) * sizeof(*list));
    for (size_t i = 0; i < function->param_nr; i++) {
        const struct ir_type *type = &function->symbol[i]->type;
        struct ir_given given = {0};
        if (type->pointers == 0 && type->scalar == IR_INT &&
            value_of_param(&calls, chosen, i, &given)) {
            given.param = function->symbol[i];
            list[function->given_nr++] = given;
        }
    }
    function->given = list;
}
