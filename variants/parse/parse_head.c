/*
 * Loops that count by pointers, and heads with several iterators: `for (p = a; p < a + n;
 * p++, q--)`. One integer counts, what else the head steps is a linear function of it.
 */
#include <string.h>

#include "variants/ir/sum.h"
#include "variants/parse/parse_rewrite.h"

enum { HEAD_MAX = 6 };

/* One variable of the head: where it starts, how it steps (0 = it stays). */
struct mover {
    struct ir_symbol *symbol;
    struct ir_expr *start;
    long long step;
    bool declared;          /* by the head */
    struct ir_expr *base;   /* of a pointer: the one that it points into */
    struct ir_expr *offset; /* where it starts there */
};

struct head {
    struct parse *p;
    struct ir_stmt *loop;
    struct mover mover[HEAD_MAX], *control;
    size_t nr;
    struct ir_expr *met; /* the condition of two that meet, of the control alone */
    const char *why;
};

/* ---- what stands in it ---- */

static bool add_mover(struct head *head, struct ir_symbol *symbol, struct ir_expr *start,
                      bool declared)
{
    if (head->nr == HEAD_MAX || !start)
        return false;
    head->mover[head->nr++] =
        (struct mover){.symbol = symbol, .start = start, .declared = declared};
    return true;
}

static bool add_settings(struct head *head, struct ir_expr *expr)
{
    if (expr->kind == IR_BINARY && strcmp(expr->op, ",") == 0)
        return add_settings(head, expr->arg[0]) && add_settings(head, expr->arg[1]);
    return expr->kind == IR_ASSIGN && strcmp(expr->op, "=") == 0 &&
           expr->arg[0]->kind == IR_NAME &&
           add_mover(head, expr->arg[0]->symbol, expr->arg[1], false);
}

static bool add_init(struct head *head, const struct ir_stmt *init)
{
    if (!init)
        return false;
    if (init->kind == IR_DECL)
        return add_mover(head, init->symbol, init->expr, true);
    if (init->kind == IR_EXPR)
        return add_settings(head, init->expr);
    for (size_t i = 0; i < init->child_nr; i++)
        if (!add_init(head, init->child[i]))
            return false;
    return init->kind == IR_BLOCK;
}

static bool add_steps(struct head *head, const struct ir_expr *expr)
{
    if (expr && expr->kind == IR_BINARY && strcmp(expr->op, ",") == 0)
        return add_steps(head, expr->arg[0]) && add_steps(head, expr->arg[1]);
    for (size_t i = 0; expr && i < head->nr; i++) {
        struct mover *mover = &head->mover[i];
        long long step = parse_step(expr, mover->symbol);
        if (step == 0)
            continue;
        bool first = mover->step == 0;
        mover->step = step;
        return first;
    }
    return false;
}

static bool is_steady(const struct head *head, const struct ir_expr *expr);
static bool are_alike(const struct ir_type *a, const struct ir_type *b);

/* `i = 0, j = n - 1; i < j; i++, j--`: i < n / 2, for n below 1 too. */
static bool find_meeting(struct head *head, struct mover *up, const struct mover *down)
{
    struct ir_arena *arena = head->p->arena;
    const struct ir_expr *cond = head->loop->cond, *last = down->start;
    bool names = cond->kind == IR_BINARY && !strcmp(cond->op, "<") &&
                 cond->arg[0]->kind == IR_NAME && cond->arg[1]->kind == IR_NAME &&
                 cond->arg[0]->symbol == up->symbol &&
                 cond->arg[1]->symbol == down->symbol;
    if (!names || up->step != 1 || down->step != -1 || !up->start->has_value ||
        up->start->value != 0 || last->kind != IR_BINARY || strcmp(last->op, "-") != 0 ||
        !last->arg[1]->has_value || last->arg[1]->value != 1 || last->type.is_unsigned ||
        !are_alike(&up->symbol->type, &down->symbol->type) ||
        !are_alike(&up->symbol->type, &last->type) ||
        !are_alike(&last->type, &last->arg[0]->type) || !is_steady(head, last->arg[0]) ||
        !parse_is_own(down->symbol) || parse_changes(head->loop->child[0], down->symbol))
        return false;
    head->control = up;
    head->met = ir_binary(
        arena, "<", ir_copy(arena, cond->arg[0]),
        ir_binary(arena, "/", ir_copy(arena, last->arg[0]), ir_integer(arena, 2)));
    return true;
}

static bool compares_two(const struct head *head)
{
    head->loop->why = "its condition tests two iterators; compare one of them with what "
                      "stays the same in the loop";
    return false;
}

/* The one that steps and is compared. */
static bool find_control(struct head *head)
{
    const struct ir_expr *cond = head->loop->cond;
    for (size_t i = 0; cond && i < head->nr; i++)
        if (head->mover[i].step && rewrite_mentions(cond, head->mover[i].symbol)) {
            struct mover *other = &head->mover[i];
            if (head->control)
                return find_meeting(head, head->control, other) ||
                       find_meeting(head, other, head->control) || compares_two(head);
            head->control = other;
        }
    return head->control != NULL;
}

/* ---- what keeps its value ---- */

static void find_assignment(struct ir_expr *expr, void *data)
{
    const struct ir_symbol **symbol = data;
    if (*symbol && rewrite_assigned(expr) == *symbol)
        *symbol = NULL;
}

static bool iterates(const struct ir_stmt *stmt, const void *symbol)
{
    return stmt->kind == IR_FOR && stmt->canonical && stmt->iterator == symbol;
}

bool parse_changes(const struct ir_stmt *stmt, const struct ir_symbol *symbol)
{
    const struct ir_symbol *left = symbol;
    visit_stmt(stmt, find_assignment, &left);
    return !left || rewrite_in_text(stmt, symbol) || stmt_find(stmt, iterates, symbol);
}

bool parse_is_own(const struct ir_symbol *symbol)
{
    return (symbol->role == IR_LOCAL || symbol->role == IR_PARAM) &&
           !symbol->address_taken && !symbol->is_static && !symbol->type.is_volatile &&
           !symbol->is_reference;
}

/* An integer that the loop does not change. */
static bool is_steady(const struct head *head, const struct ir_expr *expr)
{
    bool sum = expr->kind == IR_BINARY && !expr->op[1] && strchr("+-*/", expr->op[0]);
    if (expr->type.scalar != IR_INT || expr->type.pointers)
        return false;
    if (expr->kind == IR_NAME)
        for (size_t i = 0; i < head->nr; i++)
            if (head->mover[i].symbol == expr->symbol)
                return false;
    if (expr->kind == IR_NAME)
        return parse_is_own(expr->symbol) &&
               !parse_changes(head->loop->child[0], expr->symbol);
    if (expr->kind != IR_LITERAL && expr->kind != IR_CAST && !sum)
        return false;
    for (size_t i = 0; i < expr->arg_nr; i++)
        if (!is_steady(head, expr->arg[i]))
            return false;
    return true;
}

bool parse_is_steady(const struct ir_stmt *loop, const struct ir_expr *expr)
{
    struct head head = {.loop = (struct ir_stmt *)loop};
    return is_steady(&head, expr);
}

/* ---- pointers: what they point into, and where ---- */

static bool is_long(const struct ir_expr *expr)
{
    return expr->type.bytes == 8 && !expr->type.is_unsigned;
}

static struct ir_expr *to_long(struct ir_arena *arena, struct ir_expr *expr)
{
    return expr->has_value || is_long(expr) ? expr : ir_to_long(arena, expr);
}

/* Sums of what is added to pointers do not wrap around. */
static struct ir_expr *sum(struct ir_arena *arena, const char *op, struct ir_expr *a,
                           struct ir_expr *b)
{
    if (rewrite_is_zero(b))
        return a;
    if (rewrite_is_zero(a) && *op == '+')
        return b;
    if (a->has_value && b->has_value)
        return ir_integer(arena, *op == '+' ? a->value + b->value : a->value - b->value);
    bool wide = is_long(a) || is_long(b);
    return ir_binary(arena, op, wide ? a : to_long(arena, a),
                     wide ? b : to_long(arena, b));
}

struct declaration {
    const struct ir_symbol *symbol;
    struct ir_expr *value;
};

static bool declares(const struct ir_stmt *stmt, const void *symbol)
{
    return stmt->kind == IR_DECL && stmt->symbol == symbol && stmt->expr;
}

/* A pointer or array that is the same all the time. */
static bool is_base(const struct ir_symbol *symbol)
{
    return symbol->type.pointers == 1 &&
           ((parse_is_own(symbol) && !symbol->is_written) ||
            (symbol->role == IR_GLOBAL && symbol->dim_nr == 1));
}

/* Of names that never change. */
static bool is_constant(const struct ir_expr *expr)
{
    bool sum = expr->kind == IR_BINARY && !expr->op[1] && strchr("+-*/", expr->op[0]);
    bool fine = sum || expr->kind == IR_LITERAL || expr->kind == IR_CAST;
    if (expr->kind == IR_NAME)
        fine = is_base(expr->symbol) ||
               (parse_is_own(expr->symbol) && !expr->symbol->is_written);
    if (expr->kind == IR_UNARY && !strcmp(expr->op, "&") &&
        expr->arg[0]->kind == IR_INDEX)
        return is_constant(expr->arg[0]->arg[0]) && is_constant(expr->arg[0]->arg[1]);
    for (size_t i = 0; fine && i < expr->arg_nr; i++)
        fine = is_constant(expr->arg[i]);
    return fine;
}

/* What `end` of `double *end = a + n;` is, which is set once; NULL = not known. */
static struct ir_expr *value_of(const struct head *head, const struct ir_symbol *symbol)
{
    for (size_t i = 0; i < head->nr; i++)
        if (head->mover[i].symbol == symbol)
            return head->mover[i].step || symbol->is_written ? NULL
                                                             : head->mover[i].start;
    const struct ir_stmt *decl =
        stmt_find(head->p->function->body, declares, (void *)symbol);
    bool once = symbol->role == IR_LOCAL && parse_is_own(symbol) && !symbol->is_written;
    return once && decl && is_constant(decl->expr) ? decl->expr : NULL;
}

static bool same_elements(const struct ir_type *a, const struct ir_type *b)
{
    return a->pointers == 1 && b->pointers == 1 && a->scalar == b->scalar &&
           a->bytes == b->bytes && a->is_unsigned == b->is_unsigned &&
           a->scalar != IR_VOID && a->scalar != IR_RECORD;
}

/* base + offset; false = cannot be told apart. */
static bool resolve(const struct head *head, const struct ir_expr *expr,
                    struct ir_expr **base, struct ir_expr **offset)
{
    struct ir_arena *arena = head->p->arena;
    const struct ir_expr *inner = expr->arg_nr ? expr->arg[0] : NULL;
    if (expr->kind == IR_CAST && same_elements(&expr->type, &inner->type))
        return resolve(head, inner, base, offset);
    if (expr->kind == IR_UNARY && strcmp(expr->op, "&") == 0 && inner->kind == IR_INDEX) {
        if (inner->arg[0]->type.pointers != 1 ||
            !resolve(head, inner->arg[0], base, offset))
            return false;
        *offset = sum(arena, "+", *offset, ir_copy(arena, inner->arg[1]));
        return true;
    }
    if (expr->kind == IR_BINARY && (!strcmp(expr->op, "+") || !strcmp(expr->op, "-"))) {
        bool right = expr->arg[1]->type.pointers > 0;
        if (expr->arg[!right]->type.pointers || (right && *expr->op == '-') ||
            !resolve(head, expr->arg[right], base, offset))
            return false;
        *offset = sum(arena, expr->op, *offset, ir_copy(arena, expr->arg[!right]));
        return true;
    }
    if (expr->kind != IR_NAME || expr->type.pointers != 1)
        return false;
    struct ir_expr *value = value_of(head, expr->symbol);
    if (value)
        return resolve(head, value, base, offset);
    *base = ir_copy(arena, expr);
    *offset = ir_integer(arena, 0);
    return is_base(expr->symbol);
}

/* ---- how far two pointers are apart ---- */

/* A pointer of the function's own variables that the loop does not change. */
static bool is_steady_pointer(const struct ir_stmt *loop, const struct ir_expr *expr)
{
    const struct ir_expr *inner = expr->arg_nr ? expr->arg[0] : NULL;
    bool sum = expr->kind == IR_BINARY && !expr->op[1] && strchr("+-", *expr->op);
    if (expr->type.pointers != 1)
        return false;
    if (expr->kind == IR_NAME)
        return is_base(expr->symbol) || (parse_is_own(expr->symbol) &&
                                         !parse_changes(loop->child[0], expr->symbol));
    if (expr->kind == IR_CAST)
        return same_elements(&expr->type, &inner->type) && is_steady_pointer(loop, inner);
    if (expr->kind == IR_UNARY && !strcmp(expr->op, "&") && inner->kind == IR_INDEX)
        return is_steady_pointer(loop, inner->arg[0]) &&
               parse_is_steady(loop, inner->arg[1]);
    bool right = sum && expr->arg[1]->type.pointers > 0;
    return sum && is_steady_pointer(loop, expr->arg[right]) &&
           parse_is_steady(loop, expr->arg[!right]);
}

/* Addresses of numbers are whole elements apart, as those of structures and of numbers of
 * other alignment are only where the loop would not end otherwise. */
struct ir_expr *parse_difference(struct ir_arena *arena, const struct ir_stmt *loop,
                                 const struct ir_expr *end, const struct ir_expr *start)
{
    const struct ir_type *a = &end->type, *b = &start->type;
    bool whole = loop->cond->op[0] == '!' ||
                 (same_elements(a, b) && !b->may_alias && b->scalar != IR_OTHER);
    if (!whole || a->pointers != 1 || a->bytes != b->bytes || a->scalar != b->scalar ||
        a->scalar == IR_VOID || !b->bytes || !is_steady_pointer(loop, end))
        return NULL;
    struct ir_expr *apart =
        ir_binary(arena, "-", ir_copy(arena, end), ir_copy(arena, start));
    apart->type = ir_long;
    apart->is_ours = false;
    return apart;
}

/* ---- the loop over an integer ---- */

struct ir_symbol *parse_new_counter(struct parse *p, const struct ir_type *type, int line)
{
    static const char *const names[] = {"i", "j", "k", "at", "index"};
    const char *name = NULL;
    for (size_t i = 0; !name || rewrite_is_name_taken(p->function, name); i++)
        name = i < ARRAY_SIZE(names) ? names[i]
                                     : ir_textf(p->arena, "i%zu", i - ARRAY_SIZE(names));
    struct ir_symbol *symbol = parse_add_symbol(p, NULL);
    symbol->name = name;
    symbol->role = IR_LOCAL;
    symbol->type = *type;
    symbol->type.is_const = false;
    symbol->is_written = true;
    symbol->in_loop = true;
    symbol->line = line;
    return symbol;
}

/* Mentions that would have to be set: all but those in the loop, and where a loop's head
 * or a statement sets it. */
static size_t count_other(const struct ir_stmt *stmt, const struct ir_stmt *loop,
                          const struct ir_symbol *symbol)
{
    struct ir_stmt head;
    if (!stmt || stmt == loop)
        return 0;
    if (stmt->kind == IR_EXPR && rewrite_sets(stmt, symbol))
        return rewrite_mentions(stmt->expr->arg[1], symbol);
    if (stmt->kind == IR_FOR && stmt->init &&
        count_other(stmt->init, loop, symbol) == 0 &&
        (rewrite_count(stmt->init, symbol) || declares(stmt->init, symbol)))
        return 0;
    head = *stmt;
    head.child_nr = 0;
    size_t nr = rewrite_count(&head, symbol);
    for (size_t i = 0; i < stmt->child_nr; i++)
        nr += count_other(stmt->child[i], loop, symbol);
    return nr;
}

static bool is_left_alone(const struct head *head, const struct mover *mover)
{
    const struct ir_stmt *body = head->p->function->body;
    return parse_is_own(mover->symbol) &&
           !parse_changes(head->loop->child[0], mover->symbol) &&
           (mover->declared || (count_other(body, head->loop, mover->symbol) == 0 &&
                                !rewrite_in_text(body, mover->symbol)));
}

/* ---- a function of the counter ---- */

static bool are_alike(const struct ir_type *a, const struct ir_type *b)
{
    return a->scalar == IR_INT && b->scalar == IR_INT && !a->pointers && !b->pointers &&
           a->bytes == b->bytes && a->is_unsigned == b->is_unsigned && a->bytes >= 4;
}

/* How often the loop has run, in the type of its counter. */
static struct ir_expr *runs(struct ir_arena *arena, const struct mover *control,
                            struct ir_symbol *counter, struct ir_expr *lower)
{
    struct ir_expr *i = ir_name(arena, counter);
    long long size = control->step < 0 ? -control->step : control->step;
    if (control->step < 0)
        i = ir_binary(arena, "-", ir_copy(arena, lower), i);
    else if (!rewrite_is_zero(lower))
        i = ir_binary(arena, "-", i, ir_copy(arena, lower));
    return size == 1 ? i : ir_binary(arena, "/", i, ir_integer(arena, size));
}

static struct ir_expr *stepped(struct ir_arena *arena, struct ir_expr *start,
                               long long step, struct ir_expr *times)
{
    long long size = step < 0 ? -step : step;
    if (step == 0)
        return start;
    if (size != 1)
        times = ir_binary(arena, "*", ir_integer(arena, size), times);
    return rewrite_is_zero(start) && step > 0
               ? times
               : ir_binary(arena, step < 0 ? "-" : "+", start, times);
}

/* No part of the value may go beyond what the variables themselves come to: a count that
 * begins at no less than 0 does not, nor does one that is no more than the value; a
 * product is no more than that where the start is not below 0. Unsigned numbers of one
 * type wrap around as the variables do. */
static struct ir_expr *number_of(const struct head *head, const struct mover *mover,
                                 struct ir_symbol *counter, struct ir_expr *lower)
{
    const struct mover *control = head->control;
    struct ir_expr *start = mover->start;
    if (mover->step == 0)
        return is_steady(head, start) && are_alike(&start->type, &mover->symbol->type)
                   ? ir_copy(head->p->arena, start)
                   : NULL;
    bool above = start->has_value && start->value >= 0;
    bool counts = lower->has_value && lower->value >= 0 && control->step > 0;
    bool one = mover->step == 1 || mover->step == -1;
    bool fine = mover->symbol->type.is_unsigned ||
                (mover->step > 0 && above && control->step > 0) || (counts && one);
    if (!are_alike(&mover->symbol->type, &counter->type) || !fine ||
        !is_steady(head, start) || !is_steady(head, lower) ||
        (!start->has_value && !are_alike(&start->type, &mover->symbol->type)) ||
        (!lower->has_value && !are_alike(&lower->type, &counter->type)) ||
        (mover->symbol->type.is_unsigned && control->step != 1 && control->step != -1))
        return NULL;
    struct ir_arena *arena = head->p->arena;
    return stepped(arena, ir_copy(arena, start), mover->step,
                   runs(arena, control, counter, lower));
}

static struct ir_expr *pointer_of(const struct head *head, const struct mover *mover,
                                  struct ir_symbol *counter, struct ir_expr *lower)
{
    struct ir_arena *arena = head->p->arena;
    struct ir_expr *base, *offset;
    if (counter->type.is_unsigned || !resolve(head, mover->start, &base, &offset) ||
        !is_steady(head, offset) || !is_steady(head, lower))
        return NULL;
    struct ir_expr *at = ir_name(arena, counter);
    if (mover == head->control) {
        at = rewrite_is_zero(lower) ? sum(arena, "+", offset, at) : at;
    } else {
        struct ir_expr *times = runs(arena, head->control, counter, lower);
        long long size = mover->step < 0 ? -mover->step : mover->step;
        if (size > 1)
            times = ir_binary(arena, "*", ir_integer(arena, size), to_long(arena, times));
        at = sum(arena, mover->step < 0 ? "-" : "+", offset,
                 mover->step ? times : ir_integer(arena, 0));
    }
    struct ir_expr *pointer = ir_expr_new(arena, IR_BINARY, 2);
    pointer->op = "+";
    pointer->type = mover->symbol->type;
    pointer->arg[0] = base;
    pointer->arg[1] = at;
    return pointer;
}

/* ---- the head anew ---- */

static const char *const unknown_end =
    "the loop's head does not show that the pointer begins and ends in one array; write "
    "a and a + n there, or count with an integer";
static const char *const not_linear =
    "a second iterator of the head is not a linear function of the first, or is used "
    "after the loop; count with one, and write the other as a sum of it";

static bool is_sum(const struct ir_expr *expr)
{
    return expr->kind == IR_BINARY && !expr->op[1] && strchr("+-", expr->op[0]);
}

/* (i + 1) * m as i * m + m. */
static struct ir_expr *multiplied_out(struct ir_arena *arena, struct ir_expr *expr)
{
    while (expr->kind == IR_CAST && is_long(expr)) /* of ours */
        expr = expr->arg[0];
    bool times = expr->kind == IR_BINARY && strcmp(expr->op, "*") == 0;
    bool right = times && !is_sum(expr->arg[0]);
    if (is_sum(expr))
        return ir_binary(arena, expr->op, multiplied_out(arena, expr->arg[0]),
                         multiplied_out(arena, expr->arg[1]));
    if (!times || !is_sum(expr->arg[right]))
        return expr;
    struct ir_expr *part[2];
    for (size_t i = 0; i < 2; i++) {
        struct ir_expr *one = expr->arg[right]->arg[i], *by = expr->arg[!right];
        part[i] = one->has_value && one->value == 1 ? by : ir_binary(arena, "*", one, by);
        part[i] = multiplied_out(arena, part[i]);
    }
    return ir_binary(arena, expr->arg[right]->op, part[0], part[1]);
}

/* The length of a row, where it is the same number or variable for all; NULL = not. */
static struct ir_expr *length_of(struct ir_arena *arena, struct ir_expr *from,
                                 struct ir_expr *to)
{
    struct sum low = sum_of_expr(arena, multiplied_out(arena, ir_copy(arena, from))),
               high = sum_of_expr(arena, multiplied_out(arena, ir_copy(arena, to)));
    struct sum length = sum_add(&high, &low, -1);
    if (length.nr == 1 && (length.term[0].coefficient != 1 || length.constant))
        length.term[0].atom = to_long(arena, length.term[0].atom);
    return length.nr > 1 ? NULL : sum_expr(arena, &length);
}

/* p < a + n as i < n. */
static bool count_pointer(struct head *head, struct ir_stmt *made)
{
    struct mover *control = head->control;
    const struct ir_expr *cond = made->cond;
    struct ir_arena *arena = head->p->arena;
    struct ir_expr *base, *end;
    head->why = unknown_end;
    if (cond->kind != IR_BINARY || cond->arg_nr != 2)
        return false;
    bool mirrored = rewrite_mentions(cond->arg[1], control->symbol);
    const struct ir_expr *name = cond->arg[mirrored], *limit = cond->arg[!mirrored];
    if (name->kind != IR_NAME || rewrite_mentions(limit, control->symbol) ||
        !resolve(head, control->start, &control->base, &control->offset) ||
        parse_changes(made->child[0], control->base->symbol) ||
        !is_steady(head, control->offset))
        return false;
    bool one = resolve(head, limit, &base, &end) && base->symbol == control->base->symbol;
    if (one ? !is_steady(head, end)
            : !is_steady_pointer(made, control->start) ||
                  !(end = parse_difference(arena, made, limit, control->start)))
        return false;
    struct ir_symbol *counter = parse_new_counter(head->p, &ir_long, made->line);
    struct ir_expr *i = ir_name(arena, counter), *start = control->offset;
    struct ir_expr *length = !one ? end
                             : control->step > 0 && !start->has_value
                                 ? length_of(arena, start, end)
                                 : NULL;
    if (length) {
        start = ir_integer(arena, 0);
        end = length;
    }
    if (end->type.is_unsigned)
        end = to_long(arena, end);
    if (start->type.is_unsigned)
        start = to_long(arena, start);
    made->cond = ir_binary(arena, cond->op, mirrored ? end : i, mirrored ? i : end);
    made->init = ir_stmt_new(arena, IR_DECL, 0);
    made->init->symbol = counter;
    made->init->expr = start;
    return true;
}

static struct ir_expr *step_of(const struct head *head, const struct mover *mover,
                               struct ir_symbol *symbol)
{
    struct ir_arena *arena = head->p->arena;
    long long step = mover->step;
    return ir_assign(arena, step < 0 ? "-=" : "+=", ir_name(arena, symbol),
                     ir_integer(arena, step < 0 ? -step : step));
}

static bool keep_counter(struct head *head, struct ir_stmt *made)
{
    if (parse_changes(made->child[0], head->control->symbol))
        return false;
    struct ir_arena *arena = head->p->arena;
    struct ir_stmt *init = ir_stmt_new(arena, IR_DECL, 0);
    if (!head->control->declared) {
        init->kind = IR_EXPR;
        init->expr = ir_assign(arena, "=", ir_name(arena, head->control->symbol),
                               head->control->start);
    } else {
        init->symbol = head->control->symbol;
        init->expr = head->control->start;
    }
    made->init = init;
    head->why = not_linear;
    return true;
}

/* It stands nowhere but where the head declares it, so that nothing is lost with it. */
static bool is_idle(const struct head *head, const struct mover *mover,
                    const struct ir_stmt *made)
{
    return mover->declared && !mover->step &&
           rewrite_count(head->loop->child[0], mover->symbol) == 0 &&
           !rewrite_mentions(made->cond, mover->symbol) &&
           !rewrite_has_effects(mover->start);
}

/* What each of them is in the loop; false = one cannot be said. */
static bool find_values(struct head *head, const struct ir_stmt *made,
                        struct ir_symbol *counter, struct ir_expr *lower,
                        struct ir_expr **value)
{
    for (size_t i = 0; i < head->nr; i++) {
        const struct mover *mover = &head->mover[i];
        bool pointer = mover->symbol->type.pointers == 1 && !mover->symbol->dim_nr;
        value[i] = NULL;
        if (mover->symbol == counter || is_idle(head, mover, made))
            continue;
        value[i] = pointer ? pointer_of(head, mover, counter, lower)
                           : number_of(head, mover, counter, lower);
        if (mover != head->control)
            head->why = not_linear;
        if (!value[i] || !is_left_alone(head, mover) ||
            rewrite_is_hidden(head->loop->child[0], value[i]))
            return false;
    }
    return true;
}

static bool mentions_movers(const struct head *head, const struct ir_expr *expr)
{
    for (size_t i = 0; i < head->nr; i++)
        if (rewrite_mentions(expr, head->mover[i].symbol))
            return true;
    return false;
}

static bool make_head(struct head *head)
{
    struct ir_stmt made = *head->loop, *loop = head->loop;
    bool pointer = head->control->symbol->type.pointers > 0;
    struct ir_arena *arena = head->p->arena;
    struct ir_expr *value[HEAD_MAX];
    if (head->met)
        made.cond = head->met;
    if (pointer ? !count_pointer(head, &made) : !keep_counter(head, &made))
        return false;
    const struct ir_stmt *init = made.init;
    struct ir_symbol *counter = pointer ? init->symbol : head->control->symbol;
    struct ir_expr *lower = init->kind == IR_DECL ? init->expr : init->expr->arg[1];
    made.increment = step_of(head, head->control, counter);
    if (mentions_movers(head, lower) || !find_values(head, &made, counter, lower, value))
        return false;
    for (size_t i = 0; i < head->nr; i++)
        if (value[i])
            made.cond = rewrite_put(arena, made.cond, head->mover[i].symbol, value[i]);
    if (!parse_counts(head->p, &made))
        return false;
    for (size_t i = 0; i < head->nr; i++)
        if (value[i]) {
            rewrite_put_stmt(arena, made.child[0], head->mover[i].symbol, value[i]);
            head->mover[i].symbol->is_replaced = head->mover[i].symbol->type.pointers > 0;
        }
    *loop = made;
    return true;
}

bool parse_count_head(struct parse *p, struct ir_stmt *loop)
{
    struct head head = {.p = p, .loop = loop};
    if (!add_init(&head, loop->init) || !add_steps(&head, loop->increment) ||
        !find_control(&head))
        return false;
    if (head.nr == 1 && !head.control->symbol->type.pointers)
        return false;
    if (make_head(&head))
        return true;
    loop->why = head.why;
    return false;
}

/* ---- what else the head does ---- */

struct ir_stmt *parse_with(struct ir_arena *arena, struct ir_stmt *loop, size_t nr)
{
    struct ir_stmt *block = ir_stmt_new(arena, IR_BLOCK, nr + 1);
    block->line = loop->line;
    block->end_line = loop->end_line;
    block->begin = loop->begin;
    block->end = loop->end;
    block->in_block = loop->in_block;
    block->from_macro = loop->from_macro;
    loop->with = block;
    return block;
}

/* It can be set before the loop, again and again, and to the same. */
static bool is_set_before(const struct head *head, const struct mover *mover)
{
    const struct ir_expr *first = head->control->start;
    const struct ir_stmt declares = {.kind = IR_DECL, .symbol = mover->symbol};
    return parse_is_own(mover->symbol) && !mover->symbol->dim_nr &&
           mover->symbol->type.scalar != IR_RECORD &&
           !rewrite_has_effects(mover->start) && !mentions_movers(head, mover->start) &&
           !mentions_movers(head, first) && !rewrite_is_hidden(&declares, first);
}

static struct ir_stmt *setting_of(struct ir_arena *arena, const struct mover *mover,
                                  const struct ir_stmt *loop)
{
    struct ir_stmt *stmt = ir_stmt_new(arena, mover->declared ? IR_DECL : IR_EXPR, 0);
    stmt->symbol = mover->declared ? mover->symbol : NULL;
    stmt->expr = mover->declared
                     ? mover->start
                     : ir_assign(arena, "=", ir_name(arena, mover->symbol), mover->start);
    stmt->line = stmt->end_line = loop->line;
    stmt->begin = stmt->end = loop->begin;
    stmt->from_macro = true;
    return stmt;
}

struct ir_stmt *parse_take_out(struct parse *p, struct ir_stmt *loop)
{
    struct head head = {.p = p, .loop = loop};
    struct ir_arena *arena = p->arena;
    struct ir_stmt made = *loop;
    if (!add_init(&head, loop->init) || head.nr < 2 ||
        !add_steps(&head, loop->increment) || !find_control(&head) ||
        stmt_breaks_out(loop->child[0]) || !keep_counter(&head, &made))
        return loop;
    if (head.met)
        made.cond = head.met;
    made.increment = step_of(&head, head.control, head.control->symbol);
    for (size_t i = 0; i < head.nr; i++)
        if (&head.mover[i] != head.control && !is_set_before(&head, &head.mover[i]))
            return loop;
    if (!parse_counts(p, &made))
        return loop;
    made.why = NULL;
    *loop = made;
    struct ir_stmt *block = parse_with(arena, loop, head.nr - 1);
    size_t nr = 0;
    for (size_t i = 0; i < head.nr; i++) {
        const struct mover *mover = &head.mover[i];
        if (mover == head.control)
            continue;
        block->child[nr++] = setting_of(arena, mover, loop);
        if (mover->step)
            loop->child[0] =
                parse_at_the_end(p, loop->child[0], step_of(&head, mover, mover->symbol));
    }
    block->child[nr] = loop;
    return block;
}
