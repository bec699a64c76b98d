/*
 * Liveness of one variable over the statements of a function, backwards: `live` behind a
 * node to `live` before it. Loops are gone through until nothing changes; of what is not
 * taken apart every mention is a read.
 */
#include "variants/parse/outline_flow.h"

#include <string.h>

#include "variants/clang/clang_tree.h"

struct walk {
    const struct ct_decl *decl;
    const struct ct_node *stmt; /* where it is asked what is live behind it */
    bool seen, live_behind;
    bool live_at_declaration;
    bool breaks, continues; /* live where these jump to */
};

/* ---- mentions ---- */

static bool is_name_of(const struct ct_node *node, const struct ct_decl *decl)
{
    return node->kind == CT_NAME && node->decl == decl;
}

static size_t dimension_mentions(const struct ct_node *var, const struct ct_decl *decl)
{
    size_t nr = 0;
    for (size_t i = 0; i < var->decl->dim_nr; i++)
        if (var->decl->dim[i])
            nr += flow_mentions(var->decl->dim[i], decl);
    return nr;
}

size_t flow_mentions(const struct ct_node *node, const struct ct_decl *decl)
{
    size_t nr = is_name_of(node, decl);
    if (node->kind == CT_VAR && node->decl)
        nr += dimension_mentions(node, decl);
    for (size_t i = 0; i < node->child_nr; i++)
        nr += flow_mentions(node->child[i], decl);
    return nr;
}

/* The field below these subscripts, with as many of them; NULL = a variable or else. */
static const struct ct_node *subscripted_field(const struct ct_node *node, size_t *nr)
{
    for (*nr = 0; node->kind == CT_INDEX && node->child_nr; ++*nr)
        node = node->child[0];
    return node->kind == CT_MEMBER && node->field ? node : NULL;
}

struct ct_decl *flow_base(const struct ct_node *lvalue)
{
    while (lvalue->kind != CT_NAME) {
        size_t subscripts;
        const struct ct_node *field = subscripted_field(lvalue, &subscripts);
        if (!field || field->arrow || !field->child_nr ||
            field->field->dim_nr < subscripts)
            return NULL;
        lvalue = field->child[0];
    }
    return lvalue->decl;
}

/* An array in a struct, by fewer subscripts than it has: its address. */
static bool is_array_field(const struct ct_node *node)
{
    size_t subscripts;
    const struct ct_node *field = subscripted_field(node, &subscripts);
    return field && field->field->dim_nr > subscripts;
}

static bool takes_address(const struct ct_node *node, const struct ct_decl *decl)
{
    return node->kind == CT_UNARY && !strcmp(node->op, "&") && node->child_nr &&
           flow_base(node->child[0]) == decl;
}

/* `kept`: what only goes to a function that keeps no address is not one. */
static const struct ct_node *address_below(const struct ct_node *node,
                                           const struct ct_decl *decl, bool subscripted,
                                           bool kept)
{
    const struct ct_node *found = NULL;
    bool forgets = kept && node->kind == CT_CALL && node->child[0]->decl &&
                   function_is(node->child[0]->decl->known, FUNCTION_INPUT);
    if (takes_address(node, decl))
        return node;
    if (!subscripted && is_array_field(node) && flow_base(node) == decl)
        return node;
    for (size_t i = 0; i < node->child_nr && !found; i++) {
        const struct ct_node *child = node->child[i];
        bool passed = forgets && i > 0 && takes_address(child, decl);
        found = address_below(passed ? child->child[0] : child, decl,
                              passed || (node->kind == CT_INDEX && i == 0), kept);
    }
    return found;
}

const struct ct_node *flow_address(const struct ct_node *node, const struct ct_decl *decl)
{
    return address_below(node, decl, false, false);
}

const struct ct_node *flow_kept_address(const struct ct_node *node,
                                        const struct ct_decl *decl)
{
    return address_below(node, decl, false, true);
}

bool flow_has_labels(const struct ct_node *node)
{
    if (node->is_label || (node->kind == CT_JUMP && !strncmp(node->text, "goto", 4)) ||
        (node->kind == CT_STMT && !strcmp(node->what, "a goto statement")) ||
        (node->kind == CT_EXPR && !strcmp(node->what, "a statement expression")))
        return true;
    for (size_t i = 0; i < node->child_nr; i++)
        if (flow_has_labels(node->child[i]))
            return true;
    return false;
}

bool flow_is_changing(const struct ct_node *node)
{
    return (node->kind == CT_ASSIGN ||
            (node->kind == CT_UNARY &&
             (strstr(node->op, "++") || strstr(node->op, "--")))) &&
           node->child_nr > 0;
}

const struct ct_node *flow_write_behind(const struct ct_node *node,
                                        const struct ct_decl *decl, size_t at)
{
    const struct ct_node *found = NULL;
    if (flow_is_changing(node) && node->begin >= at && flow_base(node->child[0]) == decl)
        return node;
    for (size_t i = 0; i < node->child_nr && !found; i++)
        found = flow_write_behind(node->child[i], decl, at);
    return found;
}

/* Some mention is more than what an assignment, ++ or -- changes: compilers warn where
 * none is. `skip` is not looked at. */
static bool is_read_in(const struct ct_node *node, const struct ct_node *skip,
                       const struct ct_decl *decl)
{
    size_t first = 0;
    if (node == skip)
        return false;
    if (is_name_of(node, decl))
        return true;
    if (node->kind == CT_VAR && node->decl && dimension_mentions(node, decl))
        return true;
    if (flow_is_changing(node) && flow_base(node->child[0]) == decl) {
        if (flow_mentions(node->child[0], decl) > 1) /* also in a subscript */
            return true;
        first = 1;
    }
    for (size_t i = first; i < node->child_nr; i++)
        if (is_read_in(node->child[i], skip, decl))
            return true;
    return false;
}

bool flow_is_read_elsewhere(const struct ct_node *body, const struct ct_node *stmt,
                            const struct ct_decl *decl)
{
    return is_read_in(body, stmt, decl);
}

/* ---- expressions ---- */

static bool before_expr(const struct walk *walk, const struct ct_node *node, bool live);

/* In no order, each child once. */
static bool before_children(const struct walk *walk, const struct ct_node *node,
                            size_t first, bool live)
{
    bool reads = false, kills = false;
    for (size_t i = first; i < node->child_nr; i++) {
        reads = reads || before_expr(walk, node->child[i], false);
        kills = kills || !before_expr(walk, node->child[i], true);
    }
    return reads || (live && !kills);
}

static bool before_expr(const struct walk *walk, const struct ct_node *node, bool live)
{
    const char *op = node->op ? node->op : "";
    if (is_name_of(node, walk->decl))
        return true;
    if (node->kind == CT_ASSIGN && !strcmp(op, "=") &&
        is_name_of(node->child[0], walk->decl))
        return before_expr(walk, node->child[1], false);
    if (node->kind == CT_BINARY && (!strcmp(op, "&&") || !strcmp(op, "||"))) {
        bool right = before_expr(walk, node->child[1], live);
        return before_expr(walk, node->child[0], live || right);
    }
    if (node->kind == CT_BINARY && !strcmp(op, ","))
        return before_expr(walk, node->child[0], before_expr(walk, node->child[1], live));
    if (node->kind == CT_COND && node->child_nr == 3) {
        bool yes = before_expr(walk, node->child[1], live);
        bool no = before_expr(walk, node->child[2], live);
        return before_expr(walk, node->child[0], yes || no);
    }
    if (node->kind == CT_EXPR || node->kind == CT_COND)
        return live || flow_mentions(node, walk->decl) > 0;
    return before_children(walk, node, 0, live);
}

/* ---- statements ---- */

static bool before(struct walk *walk, const struct ct_node *node, bool live);

static bool before_variable(struct walk *walk, const struct ct_node *node, bool live)
{
    if (!node->decl)
        return live || flow_mentions(node, walk->decl) > 0;
    if (node->decl == walk->decl) {
        walk->live_at_declaration =
            walk->live_at_declaration || (live && !node->child_nr);
        live = false;
    }
    if (node->child_nr)
        live = before_expr(walk, node->child[0], live);
    return live || dimension_mentions(node, walk->decl) > 0;
}

/* `parts`: the three of a for loop's head, NULL = not there; or the condition alone. */
struct loop {
    const struct ct_node *init, *condition, *step, *body;
    bool tests_first;
};

/* Live where the condition is tested. */
static bool around_loop(struct walk *walk, const struct loop *loop, bool live)
{
    struct walk saved = *walk;
    bool head = false, entry = false;
    for (int round = 0; round < 3; round++) { /* false to true once, and once more */
        bool next = loop->step ? before_expr(walk, loop->step, head) : head;
        walk->breaks = live;
        walk->continues = next;
        entry = before(walk, loop->body, next);
        bool either = entry || live;
        head = loop->condition ? before_expr(walk, loop->condition, either) : either;
    }
    walk->breaks = saved.breaks;
    walk->continues = saved.continues;
    return loop->tests_first ? head : entry;
}

static bool before_loop(struct walk *walk, const struct ct_node *node, bool live)
{
    struct loop loop = {.tests_first = node->kind != CT_DO};
    if (node->kind == CT_FOR && node->child_nr == 4) {
        loop.init = node->child[0];
        loop.condition = node->child[1];
        loop.step = node->child[2];
        loop.body = node->child[3];
    } else if (node->kind == CT_FOR) { /* which part is missing is not told */
        loop.body = node->child[node->child_nr - 1];
        live = around_loop(walk, &loop, live);
        for (size_t i = 0; i + 1 < node->child_nr; i++)
            live = live || flow_mentions(node->child[i], walk->decl) > 0;
        return live;
    } else {
        loop.condition = node->child[node->kind == CT_DO];
        loop.body = node->child[node->kind != CT_DO];
    }
    live = around_loop(walk, &loop, live);
    return loop.init ? before(walk, loop.init, live) : live;
}

static bool before_if(struct walk *walk, const struct ct_node *node, bool live)
{
    bool yes = before(walk, node->child[1], live);
    bool no = node->child_nr > 2 ? before(walk, node->child[2], live) : live;
    return before_expr(walk, node->child[0], yes || no);
}

static bool before_jump(const struct walk *walk, const struct ct_node *node)
{
    if (!strcmp(node->text, "break"))
        return walk->breaks;
    return !strcmp(node->text, "continue") ? walk->continues : true;
}

static bool before(struct walk *walk, const struct ct_node *node, bool live)
{
    if (node == walk->stmt) {
        walk->seen = true;
        walk->live_behind = walk->live_behind || live;
    }
    switch (node->kind) {
    case CT_BLOCK:
    case CT_DECLS:
        for (size_t i = node->child_nr; i-- > 0;)
            live = before(walk, node->child[i], live);
        return live;
    case CT_VAR:
        return before_variable(walk, node, live);
    case CT_IF:
        return before_if(walk, node, live);
    case CT_FOR:
    case CT_WHILE:
    case CT_DO:
        return before_loop(walk, node, live);
    case CT_RETURN:
        return node->child_nr && before_expr(walk, node->child[0], false);
    case CT_JUMP:
        return before_jump(walk, node);
    case CT_EMPTY:
        return live;
    case CT_STMT: /* a switch may be left by all of these */
        return live || walk->breaks || walk->continues ||
               flow_mentions(node, walk->decl) > 0;
    default:
        return before_expr(walk, node, live);
    }
}

struct flow flow_of(const struct ct_node *body, const struct ct_node *stmt,
                    const struct ct_decl *decl, bool uncertain)
{
    struct walk whole = {.decl = decl, .stmt = stmt}, own = {.decl = decl};
    struct flow flow = {.is_written = flow_write_behind(stmt, decl, 0) != NULL,
                        .is_read = is_read_in(stmt, NULL, decl)};
    bool exposed = uncertain || before(&own, stmt, false);
    before(&whole, body, false);
    bool structured = whole.seen && !uncertain;
    bool later = structured
                     ? whole.live_behind
                     : exposed || flow_mentions(body, decl) > flow_mentions(stmt, decl);
    flow.may_be_unset = whole.live_at_declaration || !structured;
    flow.goes_out = flow.is_written && (later || !flow.is_read);
    flow.comes_in = exposed || (flow.goes_out && before(&own, stmt, true));
    return flow;
}
