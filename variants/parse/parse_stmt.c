/* Statements: from the clang tree to the ir. What cannot be taken apart is kept as its
 * text, by the smallest statement that has one. */
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "variants/parse/parse_rewrite.h"

/* ---- continue ---- */

/* `if (c) continue; rest` in the body of a loop is `if (!c) { rest }`: conditions can be
 * modelled, jumps cannot. So is `if (c) break; rest` in one that runs once. */

static bool ends_turn(const struct ir_stmt *stmt, bool once)
{
    return stmt->kind == IR_JUMP && (strcmp(stmt->text, "continue") == 0 ||
                                     (once && strcmp(stmt->text, "break") == 0));
}

/* The statements before the jump that ends `stmt`; NULL when it ends otherwise. */
static struct ir_stmt *before_jump(struct ir_arena *arena, const struct ir_stmt *stmt,
                                   bool once)
{
    if (stmt && ends_turn(stmt, once))
        return ir_stmt_new(arena, IR_BLOCK, 0);
    if (!stmt || stmt->kind != IR_BLOCK || stmt->child_nr == 0 ||
        !ends_turn(stmt->child[stmt->child_nr - 1], once))
        return NULL;
    struct ir_stmt *block = ir_alloc(arena, sizeof(*block));
    *block = *stmt;
    block->child_nr--;
    return block;
}

static bool compares_integers(const struct ir_expr *cond)
{
    for (size_t i = 0; i < 2; i++)
        if (cond->arg[i]->type.pointers || cond->arg[i]->type.scalar != IR_INT)
            return false;
    return true;
}

/* Of numbers in general only == and != have an exact opposite: comparisons with NaN are
 * false. */
static const char *opposite_op(const struct ir_expr *cond)
{
    static const char *const op[][2] = {{"==", "!="}, {"!=", "=="}, {"<", ">="},
                                        {">=", "<"},  {">", "<="},  {"<=", ">"}};
    for (size_t i = 0; cond->kind == IR_BINARY && i < ARRAY_SIZE(op); i++)
        if (strcmp(cond->op, op[i][0]) == 0)
            return i < 2 || compares_integers(cond) ? op[i][1] : NULL;
    return NULL;
}

static struct ir_expr *opposite(struct ir_arena *arena, struct ir_expr *cond)
{
    const char *op = opposite_op(cond);
    if (op) {
        cond->op = op;
        cond->has_value = false;
        return cond;
    }
    if (cond->kind == IR_UNARY && strcmp(cond->op, "!") == 0)
        return cond->arg[0];
    struct ir_expr *negated = ir_expr_new(arena, IR_UNARY, 1);
    negated->op = "!";
    negated->type = (struct ir_type){.text = "int", .scalar = IR_INT, .bytes = 4};
    negated->line = cond->line;
    negated->arg[0] = cond;
    return negated;
}

static void set_span(struct ir_stmt *stmt, const struct ir_stmt *first,
                     const struct ir_stmt *last)
{
    stmt->line = first->line;
    stmt->begin = first->begin;
    stmt->end_line = last->end_line;
    stmt->end = last->end;
}

/* The children of `block` behind the first `nr`. */
static struct ir_stmt *rest_of(struct ir_arena *arena, const struct ir_stmt *block,
                               size_t nr)
{
    struct ir_stmt *rest = ir_stmt_new(arena, IR_BLOCK, block->child_nr - nr);
    for (size_t i = nr; i < block->child_nr; i++)
        rest->child[i - nr] = block->child[i];
    set_span(rest, block->child[nr], block->child[block->child_nr - 1]);
    return rest;
}

/* The body of a loop without `continue`, as far as an `if` says the same; `once`: of
 * `do { } while (0)`, without `break` either. */
static void parse_continues(struct ir_arena *arena, struct ir_stmt *body, bool once)
{
    for (size_t i = 0; body->kind == IR_BLOCK && i + 1 < body->child_nr; i++) {
        struct ir_stmt *stmt = body->child[i], *before = NULL;
        if (stmt->kind == IR_IF && !stmt->child[1])
            before = before_jump(arena, stmt->child[0], once);
        if (!before)
            continue;
        struct ir_stmt *rest = rest_of(arena, body, i + 1);
        parse_continues(arena, rest, once);
        set_span(stmt, stmt, rest);
        stmt->child[before->child_nr > 0] = rest;
        if (before->child_nr > 0)
            stmt->child[0] = before;
        else
            stmt->cond = opposite(arena, stmt->cond);
        body->child_nr = i + 1;
    }
}

/* ---- parse stmt ---- */

/* The neighbours of a statement: a macro may expand to several statements, which then
 * share one place in the file. */
struct around {
    const struct ct_node *parent, *before, *after;
};

static struct ir_stmt *parse_stmt(struct parse *p, const struct ct_node *node,
                                  struct around around);

static bool is_statement(enum ct_kind kind)
{
    return kind >= CT_BLOCK;
}

/* ---- places ---- */

static size_t statement_end(const struct parse *p, const struct ct_node *node)
{
    const char *source = p->function->source;
    const struct ct_node *last =
        node->child_nr > 0 ? node->child[node->child_nr - 1] : NULL;
    if (node->spelt_end > node->end) { /* within an argument of the macro there */
        size_t end = scan_call(source, node->end, p->function->source_length);
        return scan_semicolon(source, end, p->function->source_length);
    }
    switch (node->kind) {
    case CT_BLOCK:
    case CT_DECLS:
    case CT_EMPTY:
        return node->end;
    case CT_IF:
    case CT_FOR:
    case CT_WHILE:
        return last ? statement_end(p, last) : node->end;
    case CT_STMT: /* a switch, a label */
        if (last && is_statement(last->kind))
            return statement_end(p, last);
        break;
    default:
        break;
    }
    return scan_semicolon(source, node->end, p->function->source_length);
}

static void set_place(const struct parse *p, const struct ct_node *node,
                      struct ir_stmt *stmt)
{
    stmt->line = node->line;
    stmt->end_line = node->end_line;
    stmt->begin = node->begin;
    stmt->end = statement_end(p, node);
    stmt->from_macro = node->in_macro;
}

/* ---- text ---- */

static bool has_own_text(const struct ct_node *node, struct around around)
{
    if (node->elsewhere)
        return false;
    if (around.before &&
        (around.before->end > node->begin || around.before->begin == node->begin))
        return false;
    if (around.after &&
        (around.after->begin < node->end || around.after->begin == node->begin))
        return false;
    return !node->in_macro || (around.parent && around.parent->begin < node->begin);
}

/* From begin to end without our own pragmas. */
static const char *text_between(struct parse *p, size_t begin, size_t end)
{
    struct buf text = {0};
    const struct ir_function *function = p->function;
    const struct ir_pragma *pragma = function->all_pragma;
    for (; pragma; pragma = pragma->next_all)
        if (pragma->ours && pragma->begin >= begin && pragma->end <= end) {
            buf_add_n(&text, function->source + begin, pragma->begin - begin);
            begin = pragma->end;
        }
    buf_add_n(&text, function->source + begin, end - begin);
    const char *copy = ir_text(p->arena, buf_str(&text));
    buf_release(&text);
    return copy;
}

/* In words, what stands in the way. */
static const char *reason(struct parse *p, const struct ct_node *node)
{
    const struct ct_node *cause = p->trouble ? p->trouble : node;
    if (cause->kind == CT_DECLS && cause->child_nr > 0) {
        size_t i = 0;
        while (i + 1 < cause->child_nr && !cause->child[i]->is_kept)
            i++;
        cause = cause->child[cause->child[i]->is_kept ? i : 0];
    }
    if (cause->kind == CT_VAR)
        return "a declaration of an unusual type";
    if (cause->is_switch)
        return "a switch statement (one whose cases each end in break, the default last, "
               "or if and else are read)";
    return cause->in_macro && cause != node
               ? ir_textf(p->arena, "%s inside a macro", cause->what)
               : cause->what;
}

static struct ir_stmt *parse_opaque(struct parse *p, const struct ct_node *node,
                                    struct around around)
{
    if (!has_own_text(node, around)) {
        if (!p->trouble)
            p->trouble = node;
        return NULL;
    }
    struct ir_stmt *stmt = ir_stmt_new(p->arena, IR_OPAQUE, 0);
    set_place(p, node, stmt);
    stmt->text = text_between(p, stmt->begin, stmt->end);
    stmt->why = reason(p, node);
    stmt->expr = parse_mentions(p, node, stmt->text);
    if (node->kind == CT_DECLS)
        stmt->expr->why = stmt->why;
    p->trouble = NULL;
    return stmt;
}

/* ---- blocks and declarations ---- */

struct stmts {
    struct ir_stmt **item;
    size_t item_nr, item_alloc;
};

/* Its value is all that there is to it: no assignment, no call, no text. */
static bool only_reads(const struct ct_node *node)
{
    bool reads = !parse_written(node, NULL) && node->kind != CT_CALL &&
                 node->kind != CT_ASSIGN && node->kind != CT_EXPR;
    for (size_t i = 0; reads && i < node->child_nr; i++)
        reads = only_reads(node->child[i]);
    return reads;
}

static bool is_plain_declaration(const struct ct_node *node)
{
    for (size_t i = 0; i < node->child_nr; i++) {
        const struct ct_decl *decl = node->child[i]->decl;
        if (node->child[i]->kind != CT_VAR || decl->as_written)
            return false;
        for (size_t k = 0; k < decl->dim_nr; k++)
            if (decl->dim[k] && !only_reads(decl->dim[k]))
                return false;
    }
    return node->child_nr > 0;
}

static struct ir_stmt *parse_variable(struct parse *p, const struct ct_node *node,
                                      const struct ct_node *statement)
{
    struct ir_stmt *stmt = ir_stmt_new(p->arena, IR_DECL, 0);
    set_place(p, statement, stmt);
    stmt->symbol = parse_symbol(p, node->decl);
    if (node->child_nr > 0)
        stmt->expr = parse_initialiser(p, node->child[0]);
    return node->child_nr > 0 && !stmt->expr ? NULL : stmt;
}

static void add_stmt(struct stmts *list, struct ir_stmt *stmt)
{
    GROW(list->item, list->item_nr + 1, list->item_alloc);
    list->item[list->item_nr++] = stmt;
}

/* `int a, *b = &a;` becomes two statements. */
static bool add_declarations(struct parse *p, const struct ct_node *node,
                             struct stmts *list)
{
    size_t start = list->item_nr;
    for (size_t i = 0; i < node->child_nr; i++) {
        struct ir_stmt *stmt = parse_variable(p, node->child[i], node);
        if (!stmt) {
            list->item_nr = start;
            return false;
        }
        add_stmt(list, stmt);
    }
    return true;
}

static bool add_child(struct parse *p, const struct ct_node *node, struct around around,
                      struct stmts *list);

/* A label and what it stands before become two statements, so that a loop behind a label
 * is a loop like others. */
static bool add_labelled(struct parse *p, const struct ct_node *node,
                         struct around around, struct stmts *list)
{
    const struct ct_node *after = node->child[0];
    struct ir_stmt *label = ir_stmt_new(p->arena, IR_OPAQUE, 0);
    set_place(p, node, label);
    label->end = label->begin; /* directives behind the ':' are those of the loop */
    while (label->end < after->begin && p->function->source[label->end] != ':')
        label->end = scan_piece(p->function->source, label->end, after->begin);
    label->end++;
    label->end_line = node->line;
    label->text = text_between(p, label->begin, label->end);
    label->why = node->what;
    add_stmt(list, label);
    return add_child(p, after, (struct around){node, NULL, around.after}, list);
}

static bool add_child(struct parse *p, const struct ct_node *node, struct around around,
                      struct stmts *list)
{
    if (node->is_label && node->child_nr == 1 && !node->in_macro &&
        has_own_text(node, around))
        return add_labelled(p, node, around, list);
    if (node->kind == CT_DECLS && is_plain_declaration(node) &&
        add_declarations(p, node, list))
        return true;
    struct ir_stmt *stmt = node->kind == CT_DECLS ? parse_opaque(p, node, around)
                                                  : parse_stmt(p, node, around);
    if (stmt)
        add_stmt(list, stmt);
    return stmt != NULL;
}

/* What cannot be taken apart, child `i`, with the others that share its macro call: one
 * text in the place of those that the list has. The last of them; SIZE_MAX = there is no
 * text. */
static size_t add_shared(struct parse *p, const struct ct_node *node, size_t i,
                         struct stmts *list)
{
    size_t first = i, end = i;
    struct ct_node *both = ir_alloc(p->arena, sizeof(*both));
    while (first && node->child[first - 1]->end > node->child[first]->begin)
        first--;
    *both = *node->child[first];
    both->kind = CT_STMT;
    both->child = node->child + first;
    for (; end < node->child_nr && node->child[end]->begin < both->end; end++) {
        const struct ct_node *child = node->child[end];
        both->elsewhere = both->elsewhere || child->elsewhere;
        both->end = child->end > both->end ? child->end : both->end;
        both->end_line = child->end_line;
    }
    both->child_nr = end - first;
    both->spelt_end = both->end;
    struct around around = {node, first ? node->child[first - 1] : NULL,
                            end < node->child_nr ? node->child[end] : NULL};
    struct ir_stmt *stmt = parse_opaque(p, both, around);
    while (stmt && list->item_nr && list->item[list->item_nr - 1]->begin >= stmt->begin)
        list->item_nr--;
    if (stmt)
        add_stmt(list, stmt);
    return stmt ? end - 1 : SIZE_MAX;
}

static struct ir_stmt *parse_block(struct parse *p, const struct ct_node *node)
{
    struct stmts list = {0};
    bool done = true;
    for (size_t i = 0; done && i < node->child_nr; i++) {
        struct around around = {node, i ? node->child[i - 1] : NULL,
                                i + 1 < node->child_nr ? node->child[i + 1] : NULL};
        if (!add_child(p, node->child[i], around, &list))
            i = add_shared(p, node, i, &list);
        done = i < SIZE_MAX;
    }
    struct ir_stmt *block = done ? ir_stmt_new(p->arena, IR_BLOCK, list.item_nr) : NULL;
    for (size_t i = 0; done && i < list.item_nr; i++)
        block->child[i] = list.item[i];
    free(list.item);
    return block;
}

/* ---- control ---- */

/* Sub-statement i of a control statement. */
static struct ir_stmt *parse_part(struct parse *p, const struct ct_node *node, size_t i)
{
    struct around around = {node, i > 0 ? node->child[i - 1] : NULL,
                            i + 1 < node->child_nr ? node->child[i + 1] : NULL};
    return parse_stmt(p, node->child[i], around);
}

/* `if (x) ;` is printed as `if (x) {}`, which compilers take without a word. */
static struct ir_stmt *parse_branch(struct parse *p, const struct ct_node *node, size_t i)
{
    struct ir_stmt *stmt = parse_part(p, node, i);
    if (stmt && stmt->kind == IR_EMPTY)
        stmt->kind = IR_BLOCK;
    return stmt;
}

static struct ir_stmt *parse_if(struct parse *p, const struct ct_node *node)
{
    if (node->child_nr < 2)
        return NULL;
    struct ir_stmt *stmt = ir_stmt_new(p->arena, IR_IF, 2);
    stmt->cond = parse_expr(p, node->child[0]);
    stmt->child[0] = stmt->cond ? parse_branch(p, node, 1) : NULL;
    if (node->child_nr > 2)
        stmt->child[1] = parse_branch(p, node, 2);
    return stmt->child[0] && (node->child_nr == 2 || stmt->child[1]) ? stmt : NULL;
}

static struct ir_stmt *parse_while(struct parse *p, const struct ct_node *node)
{
    bool is_do = node->kind == CT_DO;
    if (node->child_nr != 2)
        return NULL;
    bool once = is_do && node->child[1]->has_value && node->child[1]->value == 0;
    struct ir_stmt *stmt = ir_stmt_new(p->arena, IR_WHILE, 1);
    stmt->is_do = is_do;
    stmt->cond = parse_condition(p, node->child[is_do]);
    struct ir_stmt *body = stmt->cond ? parse_part(p, node, !is_do) : NULL;
    stmt->child[0] = body;
    if (once && body) { /* of a macro */
        parse_continues(p->arena, body, true);
        stmt->why = "break or continue ends its do { } while (0) from within an if in "
                    "an if, or from an inner switch; write if and else";
        return stmt_breaks_out(body) ? stmt : body;
    }
    return body ? stmt : NULL;
}

static struct ir_stmt *parse_loop(struct parse *p, const struct ct_node *node)
{
    struct ir_stmt *body =
        node->child_nr > 0 ? parse_part(p, node, node->child_nr - 1) : NULL;
    if (body)
        parse_continues(p->arena, body, false);
    return body ? parse_for(p, node, body) : NULL;
}

/* ---- switch ---- */

static bool is_break(const struct ct_node *node)
{
    return node->kind == CT_JUMP && !strcmp(node->text, "break");
}

/* It leaves the switch that it stands in, or is one of its labels. */
static bool leaves_switch(const struct ct_node *node, bool in_loop)
{
    bool loops = node->kind == CT_FOR || node->kind == CT_WHILE || node->kind == CT_DO;
    bool found = node->is_case || node->is_label || (is_break(node) && !in_loop);
    for (size_t i = 0; !found && !node->is_switch && i < node->child_nr; i++)
        found = leaves_switch(node->child[i], in_loop || loops);
    return found;
}

/* `==` says of the label what the switch does, in the number's type. */
static bool is_case_of(const struct ir_expr *number, const struct ir_expr *label)
{
    bool negative = !number->type.is_unsigned || number->type.bytes < 4;
    return label && label->has_value && label->value <= INT_MAX &&
           label->value >= (negative ? INT_MIN : 0);
}

/* The statement behind `case 1: case 2:`, with what these ask for; `any`: default is one
 * of them. NULL = a label that no `==` says. */
static const struct ct_node *parse_labels(struct parse *p, const struct ct_node *node,
                                          const struct ir_expr *number,
                                          struct ir_expr **cond, bool *any)
{
    for (; node->is_case; node = node->child[node->child_nr - 1]) {
        struct ir_expr *label =
            node->child_nr == 2 ? parse_expr(p, node->child[0]) : NULL;
        *any = *any || node->child_nr == 1;
        if (node->child_nr == 1)
            continue;
        if (!is_case_of(number, label))
            return NULL;
        label = ir_binary(p->arena, "==", ir_copy(p->arena, number), label);
        *cond = *cond ? ir_binary(p->arena, "||", *cond, label) : label;
    }
    return node;
}

/* A statement of the switch without the break that is its last, or all of it, and `ended`
 * if there is one. NULL = it cannot be one of a branch. */
static struct ir_stmt *parse_of_switch(struct parse *p, const struct ct_node *node,
                                       struct around around, bool *ended)
{
    struct ct_node *part = ir_alloc(p->arena, sizeof(*part));
    *part = *node;
    *ended = is_break(node) || (node->kind == CT_BLOCK && node->child_nr &&
                                is_break(node->child[node->child_nr - 1]));
    part->child_nr -= *ended && node->child_nr;
    if (is_break(node))
        part->kind = CT_EMPTY;
    struct ir_stmt *stmt = node->kind == CT_DECLS || leaves_switch(part, false)
                               ? NULL
                               : parse_stmt(p, part, around);
    if (stmt)
        stmt->in_block = false; /* what is around may have labels behind it */
    return stmt;
}

/* From the label at body->child[i] on, `if (number == 1) { ... } else ...`. NULL = a case
 * goes on into the next, is left or entered otherwise, or stands behind the default. */
static struct ir_stmt *parse_cases(struct parse *p, const struct ct_node *body, size_t i,
                                   const struct ir_expr *number)
{
    const struct ct_node *label = body->child[i], *before = NULL, *node = label;
    struct ir_stmt *block = ir_stmt_new(p->arena, IR_BLOCK, body->child_nr - i), *one,
                   *rest = NULL;
    struct ir_expr *cond = NULL;
    bool any = false, ended = false;
    if (!label->is_case || !(node = parse_labels(p, label, number, &cond, &any)))
        return NULL;
    block->child_nr = 0;
    while (node && !ended) {
        const struct ct_node *after = ++i < body->child_nr ? body->child[i] : NULL;
        struct around around = {body, before, after};
        if (!(one = parse_of_switch(p, node, around, &ended)))
            return NULL;
        if (one->kind != IR_EMPTY)
            block->child[block->child_nr++] = one;
        before = node;
        node = after;
    }
    bool last = i == body->child_nr;
    if (!last && (!ended || any || !(rest = parse_cases(p, body, i, number))))
        return NULL;
    block->line = label->line;
    block->begin = label->begin;
    block->end_line = last ? body->end_line : body->child[i]->line;
    block->end = last ? body->end : body->child[i]->begin;
    if (any)
        return block;
    one = ir_stmt_new(p->arena, IR_IF, 2);
    one->cond = cond;
    one->child[0] = block;
    one->child[1] = rest;
    set_span(one, block, rest ? rest : block);
    return one;
}

static struct ir_stmt *parse_switch(struct parse *p, const struct ct_node *node)
{
    const struct ct_node *body = node->child_nr == 2 ? node->child[1] : NULL;
    if (!body || body->kind != CT_BLOCK || !body->child_nr || !only_reads(node->child[0]))
        return NULL;
    const struct ir_expr *number = parse_expr(p, node->child[0]);
    bool is_number = number && !number->type.pointers && number->type.bytes <= 8 &&
                     (number->type.scalar == IR_INT || number->type.scalar == IR_BOOL);
    return is_number && !rewrite_has_effects(number) ? parse_cases(p, body, 0, number)
                                                     : NULL;
}

static struct ir_stmt *parse_return(struct parse *p, const struct ct_node *node)
{
    struct ir_stmt *stmt = ir_stmt_new(p->arena, IR_RETURN, 0);
    if (node->child_nr > 0)
        stmt->expr = parse_expr(p, node->child[0]);
    return node->child_nr == 0 || stmt->expr ? stmt : NULL;
}

static struct ir_stmt *parse_expression(struct parse *p, const struct ct_node *node)
{
    struct ir_stmt *stmt = ir_stmt_new(p->arena, IR_EXPR, 0);
    stmt->expr = parse_expr(p, node);
    return stmt->expr ? stmt : NULL;
}

static struct ir_stmt *take_apart(struct parse *p, const struct ct_node *node)
{
    struct ir_stmt *stmt;
    switch (node->kind) {
    case CT_BLOCK:
        return parse_block(p, node);
    case CT_IF:
        return parse_if(p, node);
    case CT_FOR:
        return parse_loop(p, node);
    case CT_WHILE:
    case CT_DO:
        return parse_while(p, node);
    case CT_RETURN:
        return parse_return(p, node);
    case CT_JUMP:
        stmt = ir_stmt_new(p->arena, IR_JUMP, 0);
        stmt->text = node->text;
        return stmt;
    case CT_EMPTY:
        return ir_stmt_new(p->arena, IR_EMPTY, 0);
    case CT_STMT:
        return node->is_switch ? parse_switch(p, node) : NULL;
    case CT_DECLS:
    case CT_VAR:
        break;
    case CT_LITERAL:
    case CT_NAME:
    case CT_INDEX:
    case CT_MEMBER:
    case CT_UNARY:
    case CT_BINARY:
    case CT_ASSIGN:
    case CT_COND:
    case CT_CALL:
    case CT_CAST:
    case CT_SIZEOF:
    case CT_LIST:
    case CT_EXPR:
        return parse_expression(p, node);
    }
    return NULL;
}

static struct ir_stmt *parse_stmt(struct parse *p, const struct ct_node *node,
                                  struct around around)
{
    struct ir_stmt *stmt = take_apart(p, node);
    if (!stmt)
        return parse_opaque(p, node, around);
    set_place(p, node, stmt);
    stmt->in_block = around.parent && around.parent->kind == CT_BLOCK;
    if (stmt->kind == IR_WHILE && has_own_text(node, around))
        stmt->text = text_between(p, stmt->begin, stmt->end);
    return stmt;
}

/* ---- loops without a text of their own ---- */

/* New text for the loop would take the place of more than the loop: of `stmt`, which is
 * not within it, or of what is below. */
static bool goes_with(const struct ir_stmt *stmt, const struct ir_stmt *loop)
{
    if (!stmt || stmt == loop || stmt->kind == IR_EMPTY)
        return false;
    if (!stmt_holds(stmt, loop))
        return stmt->begin < loop->end && loop->begin < stmt->end;
    bool only = stmt->kind == IR_BLOCK && stmt->child_nr == 1;
    bool goes = !only && (stmt->begin >= loop->begin ||
                          (stmt->kind == IR_BLOCK && stmt->end <= loop->end));
    for (size_t i = 0; !goes && i < stmt->child_nr; i++)
        goes = goes_with(stmt->child[i], loop);
    return goes;
}

static void find_shared_text(const struct ir_stmt *body, struct ir_stmt *stmt)
{
    if (stmt && stmt->kind == IR_FOR)
        stmt->shares_text = goes_with(body, stmt);
    for (size_t i = 0; stmt && i < stmt->child_nr; i++)
        find_shared_text(body, stmt->child[i]);
}

struct ir_stmt *parse_body(struct parse *p, const struct ct_node *node)
{
    struct ir_stmt *body = parse_block(p, node);
    if (!body)
        return NULL;
    set_place(p, node, body);
    find_shared_text(body, body);
    return body;
}
