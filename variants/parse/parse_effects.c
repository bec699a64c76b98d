/*
 * Functions of the file that are not taken apart: what a call of one reads and writes
 * through its pointers, so that the call can stand in a nest as it is. How large the
 * function is does not matter, and what loops it has neither.
 */
#include <limits.h>
#include <string.h>

#include "variants/parse/parse_rewrite.h"

enum { CALLS_DEEP = 8, LOOPS_DEEP = 8, EFFECTS_MAX = 64 };

/* Integers from first to last; without `is_known` any. */
struct range {
    bool is_known;
    long long first, last;
};

/* Where a pointer leads to. */
enum leads { TO_ANYTHING, TO_OWN, TO_PARAM };
struct target {
    enum leads leads;
    size_t param;
    struct range at; /* TO_PARAM: elements from where it points to */
};

struct counter {
    const struct ct_decl *decl;
    struct range range;
};

struct summary {
    struct parse *p;
    const struct ct_function *function;
    int depth; /* calls above it */
    struct ir_effect item[EFFECTS_MAX];
    size_t nr;
    struct counter counter[LOOPS_DEEP];
    size_t counter_nr;
    bool ends, leaves, unknown;
};

/* ---- integers ---- */

static struct range any(void)
{
    return (struct range){.is_known = false};
}

static struct range combined(char op, struct range a, struct range b)
{
    long long all[4];
    const long long as[] = {a.first, a.first, a.last, a.last},
                    bs[] = {b.first, b.last, b.first, b.last};
    bool fits = a.is_known && b.is_known && strchr("+-*", op);
    for (size_t i = 0; fits && i < 4; i++)
        fits = op == '+'   ? !__builtin_add_overflow(as[i], bs[i], &all[i])
               : op == '-' ? !__builtin_sub_overflow(as[i], bs[i], &all[i])
                           : !__builtin_mul_overflow(as[i], bs[i], &all[i]);
    if (!fits)
        return any();
    struct range range = {true, all[0], all[0]};
    for (size_t i = 1; i < 4; i++) {
        range.first = all[i] < range.first ? all[i] : range.first;
        range.last = all[i] > range.last ? all[i] : range.last;
    }
    return range;
}

static struct range range_of(const struct summary *summary, const struct ct_node *node)
{
    if (node->has_value)
        return (struct range){true, node->value, node->value};
    if (node->kind == CT_CAST && node->child_nr == 1 && node->type.scalar == IR_INT &&
        !node->type.pointers && !node->type.is_unsigned && node->type.bytes >= 4)
        return range_of(summary, node->child[0]);
    for (size_t i = 0; node->kind == CT_NAME && i < summary->counter_nr; i++)
        if (summary->counter[i].decl == node->decl)
            return summary->counter[i].range;
    if (node->kind != CT_BINARY || node->child_nr != 2 || node->op[1])
        return any();
    struct range range = combined(node->op[0], range_of(summary, node->child[0]),
                                  range_of(summary, node->child[1]));
    bool wraps = range.last > INT_MAX || range.first < INT_MIN ||
                 (node->type.is_unsigned && range.first < 0);
    return wraps ? any() : range;
}

/* ---- variables ---- */

static bool is_set_in(const struct ct_node *node, const struct ct_decl *decl)
{
    bool set = parse_written(node, NULL) == decl;
    for (size_t i = 0; !set && i < node->child_nr; i++)
        set = is_set_in(node->child[i], decl);
    return set;
}

static const struct ct_node *initialiser_in(const struct ct_node *node,
                                            const struct ct_decl *decl)
{
    const struct ct_node *found = NULL;
    if (node->kind == CT_VAR && node->decl == decl)
        return node->child_nr ? node->child[0] : NULL;
    for (size_t i = 0; !found && i < node->child_nr; i++)
        found = initialiser_in(node->child[i], decl);
    return found;
}

static bool is_own(const struct ct_decl *decl)
{
    return (decl->role == IR_LOCAL || decl->role == IR_PARAM) && !decl->is_static &&
           !decl->is_thread_local && !decl->type.is_volatile && !decl->is_reference;
}

/* An array of the function's own, or a constant one. */
static bool is_array(const struct ct_decl *decl)
{
    return decl->dim_nr && decl->role != IR_PARAM && !decl->pointer_to_array;
}

static bool is_constant(const struct ct_decl *decl)
{
    return decl->type.is_const && decl->type.pointers == (int)decl->dim_nr &&
           !decl->pointer_to_array && !decl->type.is_volatile;
}

/* ---- pointers ---- */

static struct target target_of(const struct summary *summary, const struct ct_node *node);
static struct target place_of(const struct summary *summary, const struct ct_node *node);

static struct target moved(struct target target, char op, struct range by)
{
    target.at = combined(op, target.at, by);
    return target;
}

static struct target target_of_name(const struct summary *summary,
                                    const struct ct_decl *decl)
{
    struct target own = {.leads = TO_OWN}, anything = {.leads = TO_ANYTHING};
    if (is_array(decl))
        return is_own(decl) || is_constant(decl) ? own : anything;
    if (!is_own(decl) || is_set_in(summary->function->body, decl))
        return anything;
    for (size_t i = 0; i < summary->function->param_nr; i++)
        if (summary->function->param[i] == decl)
            return (struct target){TO_PARAM, i, {true, 0, 0}};
    const struct ct_node *first = initialiser_in(summary->function->body, decl);
    return first && decl->type.pointers == 1 && !decl->pointer_to_array
               ? target_of(summary, first)
               : anything;
}

static bool points_to_numbers(const struct ct_decl *decl);

/* b[i] of `double b[3][8]`, no pointer that lies in an array. */
static bool is_row(const struct ct_node *node)
{
    size_t subscripts = 0;
    for (; node->kind == CT_INDEX && node->child_nr; subscripts++)
        node = node->child[0];
    return node->kind == CT_NAME && subscripts < node->decl->dim_nr &&
           points_to_numbers(node->decl);
}

/* The value of a pointer. */
static struct target target_of(const struct summary *summary, const struct ct_node *node)
{
    const struct ct_node *first = node->child_nr ? node->child[0] : NULL;
    if (node->kind == CT_NAME)
        return target_of_name(summary, node->decl);
    if (node->kind == CT_INDEX && is_row(node))
        return place_of(summary, node);
    if (node->kind == CT_UNARY && !strcmp(node->op, "&"))
        return place_of(summary, first);
    if (node->kind == CT_CAST && first && first->type.pointers == node->type.pointers &&
        first->type.scalar == node->type.scalar && first->type.bytes == node->type.bytes)
        return target_of(summary, first);
    if (node->kind == CT_BINARY && node->child_nr == 2 && !node->op[1] &&
        strchr("+-", node->op[0]) && first->type.pointers)
        return moved(target_of(summary, first), node->op[0],
                     range_of(summary, node->child[1]));
    return (struct target){.leads = TO_ANYTHING};
}

/* Only numbers lie in what it points to: no element of it is a pointer. */
static bool points_to_numbers(const struct ct_decl *decl)
{
    int levels = decl->dim_nr ? (int)decl->dim_nr : 1;
    return decl->type.pointers == levels &&
           (decl->type.scalar == IR_INT || decl->type.scalar == IR_FLOAT ||
            decl->type.scalar == IR_BOOL);
}

/* Where something that is read or written lies. Rows are not told apart. */
static struct target place_of(const struct summary *summary, const struct ct_node *node)
{
    struct target place = {.leads = TO_ANYTHING};
    const struct ct_node *first = node->child_nr ? node->child[0] : NULL;
    if (node->type.is_volatile)
        return place;
    if (node->kind == CT_NAME && (is_own(node->decl) || is_constant(node->decl)))
        return (struct target){.leads = TO_OWN};
    if (node->kind == CT_MEMBER && !node->arrow && first)
        place = place_of(summary, first);
    else if (node->kind == CT_UNARY && !strcmp(node->op, "*"))
        place = target_of(summary, first);
    else if (node->kind == CT_INDEX && node->child_nr == 2)
        place = moved(target_of(summary, first), '+', range_of(summary, node->child[1]));
    if (place.leads != TO_PARAM)
        return place;
    const struct ct_decl *param = summary->function->param[place.param];
    if (!points_to_numbers(param) || node->kind == CT_MEMBER)
        place.leads = TO_ANYTHING;
    else if (param->dim_nr > 1 || param->pointer_to_array)
        place.at = any();
    return place;
}

/* ---- effects ---- */

static void add_effect(struct summary *summary, size_t param, bool write, struct range at)
{
    for (size_t i = 0; i < summary->nr; i++) {
        struct ir_effect *item = &summary->item[i];
        if (item->param != param || item->write != write)
            continue;
        item->is_known = item->is_known && at.is_known;
        item->first = at.first < item->first ? at.first : item->first;
        item->last = at.last > item->last ? at.last : item->last;
        return;
    }
    if (summary->nr == EFFECTS_MAX) {
        summary->unknown = true;
        return;
    }
    summary->item[summary->nr++] =
        (struct ir_effect){param, write, at.is_known, at.first, at.last};
}

static void touch(struct summary *summary, const struct ct_node *node, bool write)
{
    struct target place = place_of(summary, node);
    if (place.leads == TO_ANYTHING)
        summary->unknown = true;
    else if (place.leads == TO_PARAM)
        add_effect(summary, place.param, write, place.at);
}

static void look_at(struct summary *summary, const struct ct_node *node);

static void look_at_children(struct summary *summary, const struct ct_node *node,
                             size_t from)
{
    for (size_t i = from; i < node->child_nr; i++)
        look_at(summary, node->child[i]);
}

/* What is read on the way to a place. */
static void look_at_way(struct summary *summary, const struct ct_node *node)
{
    bool member = node->kind == CT_MEMBER && node->child_nr;
    bool pointer =
        node->kind == CT_UNARY && (!strcmp(node->op, "*") || !strcmp(node->op, "&"));
    if (node->kind == CT_INDEX && node->child_nr == 2)
        look_at(summary, node->child[1]);
    if (node->kind == CT_INDEX || member || pointer)
        look_at_way(summary, node->child[0]);
    else if (node->kind != CT_NAME)
        look_at(summary, node);
}

static const struct ir_effects *effects_of(struct parse *p, struct ct_decl *decl,
                                           int depth);

static void look_at_call(struct summary *summary, const struct ct_node *call)
{
    const struct ct_node *callee = call->child_nr ? call->child[0] : NULL;
    bool known = callee && callee->kind == CT_NAME && callee->decl->role == IR_FUNCTION;
    bool pure = known && function_is_pure(callee->decl->known);
    const struct ir_effects *effects =
        known && !pure ? effects_of(summary->p, callee->decl, summary->depth + 1) : NULL;
    if (!known || (!effects && !pure)) {
        summary->unknown = true;
        return;
    }
    look_at_children(summary, call, 1);
    summary->ends = summary->ends || (effects && effects->ends);
    for (size_t i = 0; effects && i < effects->nr; i++) {
        const struct ir_effect *item = &effects->item[i];
        struct target to = target_of(summary, call->child[item->param + 1]);
        struct range by = {item->is_known, item->first, item->last};
        if (to.leads == TO_ANYTHING)
            summary->unknown = true;
        else if (to.leads == TO_PARAM) {
            const struct ct_decl *param = summary->function->param[to.param];
            bool rows = param->dim_nr > 1 || param->pointer_to_array;
            bool numbers = points_to_numbers(param);
            summary->unknown = summary->unknown || !numbers;
            add_effect(summary, to.param, item->write,
                       rows ? any() : combined('+', to.at, by));
        }
    }
}

/* for (k = first; k < last; k++) with constants, k set nowhere else. */
static bool counts(const struct summary *summary, const struct ct_node *loop,
                   struct counter *counter)
{
    if (loop->kind != CT_FOR || loop->child_nr != 4)
        return false;
    const struct ct_node *init = loop->child[0], *cond = loop->child[1],
                         *step = loop->child[2];
    while (init->kind == CT_DECLS && init->child_nr == 1)
        init = init->child[0];
    const struct ct_node *from = init->kind == CT_VAR && init->child_nr ? init->child[0]
                                 : init->kind == CT_ASSIGN && !strcmp(init->op, "=")
                                     ? init->child[1]
                                     : NULL;
    counter->decl = init->kind == CT_VAR ? init->decl : parse_written(init, NULL);
    if (!from || !counter->decl || !is_own(counter->decl) || cond->kind != CT_BINARY ||
        cond->child_nr != 2 || cond->child[0]->kind != CT_NAME ||
        cond->child[0]->decl != counter->decl || step->kind != CT_UNARY ||
        !strstr(step->op, "++") || parse_written(step, NULL) != counter->decl ||
        is_set_in(loop->child[3], counter->decl))
        return false;
    struct range first = range_of(summary, from), end = range_of(summary, cond->child[1]);
    bool below = !strcmp(cond->op, "<"), upto = !strcmp(cond->op, "<=");
    counter->range = (struct range){first.is_known && end.is_known && (below || upto),
                                    first.first, end.last - below};
    return counter->range.is_known && end.last > LLONG_MIN;
}

static void look_at_loop(struct summary *summary, const struct ct_node *loop)
{
    struct counter counter;
    size_t before = summary->counter_nr;
    if (!counts(summary, loop, &counter) || summary->counter_nr == LOOPS_DEEP) {
        look_at_children(summary, loop, 0);
        return;
    }
    look_at(summary, loop->child[0]);
    summary->counter[summary->counter_nr++] = counter;
    look_at(summary, loop->child[3]);
    summary->counter_nr = before;
}

static void look_at_unary(struct summary *summary, const struct ct_node *node)
{
    const struct ct_node *of = node->child[0];
    if (strstr(node->op, "++") || strstr(node->op, "--")) {
        look_at_way(summary, of);
        touch(summary, of, false);
        touch(summary, of, true);
    } else if (!strcmp(node->op, "*")) {
        look_at_way(summary, node);
        touch(summary, node, false);
    } else if (!strcmp(node->op, "&"))
        look_at_way(summary, of);
    else
        look_at(summary, of);
}

static void look_at_variable(struct summary *summary, const struct ct_node *node)
{
    const struct ct_decl *decl = node->decl;
    summary->unknown = summary->unknown || !decl || decl->is_static ||
                       decl->type.is_volatile || decl->is_reference || decl->as_written ||
                       decl->by_pointer;
    for (size_t i = 0; !summary->unknown && i < decl->dim_nr; i++)
        summary->unknown = !decl->dim[i] || !decl->dim[i]->has_value;
    look_at_children(summary, node, 0);
}

static void look_at(struct summary *summary, const struct ct_node *node)
{
    if (summary->unknown || node->has_value)
        return;
    switch (node->kind) {
    case CT_NAME:
        if (!node->type.pointers && node->decl->role != IR_FUNCTION)
            touch(summary, node, false);
        break;
    case CT_INDEX:
    case CT_MEMBER:
        look_at_way(summary, node);
        if (!node->type.pointers || !is_row(node))
            touch(summary, node, false);
        break;
    case CT_UNARY:
        look_at_unary(summary, node);
        break;
    case CT_ASSIGN:
        look_at(summary, node->child[1]);
        look_at_way(summary, node->child[0]);
        if (strcmp(node->op, "="))
            touch(summary, node->child[0], false);
        touch(summary, node->child[0], true);
        break;
    case CT_CALL:
        look_at_call(summary, node);
        break;
    case CT_FOR:
        look_at_loop(summary, node);
        break;
    case CT_VAR:
        look_at_variable(summary, node);
        break;
    case CT_STMT:
        if (node->is_switch || node->is_case)
            look_at_children(summary, node, 0);
        else
            summary->unknown = true;
        break;
    case CT_EXPR:
        summary->unknown = true;
        break;
    case CT_JUMP:
        summary->unknown = !strncmp(node->text, "goto", 4);
        break;
    case CT_LITERAL:
    case CT_SIZEOF:
    case CT_EMPTY:
        break;
    case CT_BINARY:
    case CT_COND:
    case CT_CAST:
    case CT_LIST:
    case CT_BLOCK:
    case CT_IF:
    case CT_WHILE:
    case CT_DO:
    case CT_RETURN:
    case CT_DECLS:
        look_at_children(summary, node, 0);
        break;
    }
}

/* ---- functions that do not return ---- */

static bool never_returns(struct parse *p, const struct ct_node *body, int depth);

static bool ends(struct parse *p, const struct ct_node *node, int depth)
{
    const struct ct_node *callee =
        node->kind == CT_CALL && node->child_nr ? node->child[0] : NULL;
    if (!callee || callee->kind != CT_NAME || callee->decl->role != IR_FUNCTION)
        return false;
    bool known = function_is(callee->decl->known, FUNCTION_ENDS);
    const struct ct_function *function =
        !known && depth < CALLS_DEEP ? ct_body(&p->file, callee->decl) : NULL;
    return known || (function && never_returns(p, function->body, depth + 1));
}

/* Nothing leaves it on another way: no jump, and no function that could. */
static bool goes_through(struct parse *p, const struct ct_node *node, int depth)
{
    const struct ct_node *callee = node->child_nr ? node->child[0] : NULL;
    bool through = node->kind != CT_RETURN && node->kind != CT_JUMP &&
                   node->kind != CT_STMT && node->kind != CT_EXPR;
    if (node->kind == CT_CALL)
        through =
            callee && callee->kind == CT_NAME && callee->decl->role == IR_FUNCTION &&
            (function_is_pure(callee->decl->known) ||
             function_is(callee->decl->known, FUNCTION_PRINTS) || ends(p, node, depth));
    for (size_t i = 0; through && i < node->child_nr; i++)
        through = goes_through(p, node->child[i], depth);
    return through;
}

/* `{ fprintf(stderr, "..."); exit(1); }` */
static bool never_returns(struct parse *p, const struct ct_node *body, int depth)
{
    return body->kind == CT_BLOCK && body->child_nr &&
           ends(p, body->child[body->child_nr - 1], depth) &&
           goes_through(p, body, depth);
}

bool parse_never_returns(struct parse *p, const struct ct_function *function)
{
    return never_returns(p, function->body, 0);
}

/* ---- all of it ---- */

static bool is_fit(const struct ct_function *function)
{
    for (size_t i = 0; i < function->param_nr; i++)
        if (function->param[i]->is_reference || function->param[i]->as_written)
            return false;
    return !function->result.pointers;
}

static const struct ir_effects *keep(struct ir_arena *arena, const struct summary *found)
{
    struct ir_effects *effects = ir_alloc(arena, sizeof(*effects));
    struct ir_effect *item = ir_alloc(arena, (found->nr + 1) * sizeof(*item));
    memcpy(item, found->item, found->nr * sizeof(*item));
    *effects = (struct ir_effects){item, found->nr, found->ends, found->leaves};
    return effects;
}

/* How much it touches is said by the arguments of each call. */
static void add_memory(struct summary *summary, const struct known_function *row)
{
    for (size_t i = 0; row->memory[i]; i++) {
        if (strchr("rx", row->memory[i]))
            add_effect(summary, i, false, any());
        if (strchr("wx", row->memory[i]))
            add_effect(summary, i, true, any());
    }
}

/* NULL = it may do anything; also of one that calls itself. */
static const struct ir_effects *effects_of(struct parse *p, struct ct_decl *decl,
                                           int depth)
{
    if (decl->effects_sought || depth > CALLS_DEEP)
        return decl->effects;
    decl->effects_sought = true;
    struct summary summary = {.p = p, .depth = depth};
    bool known = function_is(decl->known, FUNCTION_ENDS);
    summary.function = known ? NULL : ct_body(&p->file, decl);
    summary.leaves =
        known || (summary.function && never_returns(p, summary.function->body, depth));
    summary.ends = summary.leaves;
    if (function_is(decl->known, FUNCTION_MEMORY))
        add_memory(&summary, decl->known);
    else if (!summary.leaves && (!summary.function || !is_fit(summary.function)))
        return NULL;
    else if (!summary.leaves)
        look_at(&summary, summary.function->body);
    if (!summary.unknown)
        decl->effects = keep(p->arena, &summary);
    return decl->effects;
}

static void find_effects(struct ir_expr *expr, void *data)
{
    struct parse *p = data;
    struct ir_symbol *symbol = expr->kind == IR_CALL ? expr->symbol : NULL;
    if (symbol && symbol->role == IR_FUNCTION && p->declared[symbol->id])
        symbol->effects = effects_of(p, p->declared[symbol->id], 0);
}

void parse_effects(struct parse *p)
{
    visit_stmt(p->function->body, find_effects, p);
}
