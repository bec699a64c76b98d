#include "variants/model/model_spots.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/buf.h"
#include "core/base/text.h"
#include "variants/ir/ir.h"
#include "variants/ir/sum.h"

enum { LOOPS_MAX = 16, PLACES_MAX = 16 };

struct search {
    const struct ir_stmt *loop[LOOPS_MAX]; /* those around, outermost first */
    size_t loop_nr;
    const struct ir_symbol *place[PLACES_MAX]; /* set to sums of iterators: x = i - 1 */
    size_t place_nr;
    struct kernel_found *found;
    size_t nr, alloc;
    enum kernel_spot spot; /* that is looked for now */
    bool narrow, any;      /* elements that are read: all of them, some */
    bool sets_errno;
};

static void add(struct search *search, enum kernel_spot spot, const char *what, int line)
{
    for (size_t i = 0; i < search->nr; i++)
        if (search->found[i].spot == spot && search->found[i].line == line &&
            !strcmp(search->found[i].what, what))
            return;
    GROW(search->found, search->nr + 1, search->alloc);
    search->found[search->nr++] = (struct kernel_found){spot, xstrdup(what), line};
}

/* Declared in the loop of that depth, from 1, or below. */
static bool is_inside(const struct search *search, const struct ir_symbol *symbol,
                      size_t depth)
{
    const struct ir_stmt *loop = search->loop[depth - 1];

    return symbol->in_loop && symbol->line >= loop->line &&
           symbol->line <= loop->end_line;
}

/* ---- counts in variables that are wider than what is counted ---- */

static void look_width(struct ir_expr *expr, void *data)
{
    struct search *search = data;
    bool is_element =
        expr->kind == IR_INDEX || (expr->kind == IR_UNARY && !strcmp(expr->op, "*"));

    if (!is_element || expr->type.pointers)
        return;
    search->narrow = (search->any ? search->narrow : true) && expr->type.bytes <= 2;
    search->any = true;
}

static bool is_wide(const struct ir_expr *expr)
{
    return expr->kind == IR_NAME && expr->type.scalar == IR_INT && !expr->type.pointers &&
           expr->type.bytes >= 4;
}

/* s++, s += 1 */
static bool is_step_of_one(const struct ir_expr *expr)
{
    if (expr->kind == IR_UNARY)
        return strstr(expr->op, "++") && is_wide(expr->arg[0]);
    return expr->kind == IR_ASSIGN && !strcmp(expr->op, "+=") && is_wide(expr->arg[0]) &&
           expr->arg[1]->has_value && expr->arg[1]->value == 1;
}

static bool reads_narrow(struct search *search, struct ir_expr *expr)
{
    search->any = search->narrow = false;
    ir_visit(expr, look_width, search);
    return search->any && search->narrow;
}

static const struct ir_stmt *only(const struct ir_stmt *stmt)
{
    while (stmt && stmt->kind == IR_BLOCK && stmt->child_nr == 1)
        stmt = stmt->child[0];
    return stmt;
}

/* What is counted somewhere in the branches; NULL = nothing. */
static const struct ir_expr *count_below(const struct ir_stmt *stmt)
{
    const struct ir_expr *found = NULL;

    if (stmt->kind == IR_EXPR && is_step_of_one(stmt->expr))
        return stmt->expr;
    for (size_t i = 0;
         (stmt->kind == IR_IF || stmt->kind == IR_BLOCK) && !found && i < stmt->child_nr;
         i++)
        found = stmt->child[i] ? count_below(stmt->child[i]) : NULL;
    return found;
}

/* `if (narrow) inside = 0; else if (!inside) { inside = 1; s++; }` */
static void find_start(struct search *search, const struct ir_stmt *stmt)
{
    bool two = stmt->kind == IR_IF && stmt->child_nr > 1 && stmt->child[1];
    const struct ir_expr *expr = two ? count_below(stmt) : NULL;

    if (expr && reads_narrow(search, stmt->cond))
        add(search, KERNEL_SPOT_NARROW, expr->arg[0]->symbol->name, expr->line);
}

/* `if (narrow) s++;` and `s += narrow == x;`, in a loop. */
static void find_count(struct search *search, const struct ir_stmt *stmt)
{
    const struct ir_stmt *then = stmt->kind == IR_IF ? only(stmt->child[0]) : stmt;
    const struct ir_expr *expr = then && then->kind == IR_EXPR ? then->expr : NULL;
    struct ir_expr *tests = stmt->cond;

    if (!expr || (stmt->kind == IR_IF && !is_step_of_one(expr)))
        return;
    if (stmt->kind == IR_EXPR) {
        bool counts = expr->kind == IR_ASSIGN && !strcmp(expr->op, "+=") &&
                      is_wide(expr->arg[0]) && expr_is_truth(expr->arg[1]);
        if (!counts)
            return;
        tests = expr->arg[1];
    }
    if (reads_narrow(search, tests))
        add(search, KERNEL_SPOT_NARROW, expr->arg[0]->symbol->name, then->line);
}

/* ---- what is kept from iteration to iteration ---- */

static const struct ir_expr *assignment(const struct ir_stmt *stmt)
{
    return stmt && stmt->kind == IR_EXPR && stmt->expr->kind == IR_ASSIGN ? stmt->expr
                                                                          : NULL;
}

/* `best = ...` of a variable that `cond` compares. */
static bool is_compared(const struct ir_expr *expr, const struct ir_expr *cond)
{
    return expr && !strcmp(expr->op, "=") && expr->arg[0]->kind == IR_NAME &&
           expr_mentions(cond, expr->arg[0]->symbol);
}

/* `if (x > best) { best = x; at = i; }` */
static void find_place(struct search *search, const struct ir_stmt *stmt)
{
    const struct ir_stmt *block = stmt->kind == IR_IF ? stmt->child[0] : NULL;
    const struct ir_expr *best = NULL, *place = NULL;

    for (size_t i = 0; block && i < block->child_nr; i++) {
        const struct ir_expr *expr = assignment(block->child[i]);

        if (is_compared(expr, stmt->cond))
            best = expr;
        else if (expr && !strcmp(expr->op, "=") && expr->arg[0]->kind == IR_NAME)
            place = expr;
    }
    if (best && place)
        add(search, KERNEL_SPOT_PLACE, place->arg[0]->symbol->name, place->line);
}

/* out[i] = out[i - 1] + x[i]; but not of the neighbours on both sides. */
static bool grows_in_place(const struct ir_expr *expr)
{
    const struct ir_expr *to = expr->arg[0], *value = expr->arg[1];
    const struct ir_symbol *array =
        to->kind == IR_INDEX && to->arg[0]->kind == IR_NAME ? to->arg[0]->symbol : NULL;
    bool first, second;

    if (!array || strcmp(expr->op, "=") || value->kind != IR_BINARY ||
        strcmp(value->op, "+"))
        return false;
    first = expr_mentions(value->arg[0], array);
    second = expr_mentions(value->arg[1], array);
    return first != second && value->arg[second]->kind == IR_INDEX &&
           !expr_equal(value->arg[second], to);
}

/* `s += x[i]; out[i] = s;` */
static void find_prefix(struct search *search, const struct ir_stmt *block)
{
    const struct ir_expr *sum = NULL;

    for (size_t i = 0; block->kind == IR_BLOCK && i < block->child_nr; i++) {
        const struct ir_expr *expr = assignment(block->child[i]);
        bool stores = sum && expr && expr->arg[0]->kind == IR_INDEX &&
                      expr_mentions(expr->arg[1], sum->arg[0]->symbol);

        if (expr && !strcmp(expr->op, "+=") && expr->arg[0]->kind == IR_NAME)
            sum = expr;
        if (stores)
            add(search, KERNEL_SPOT_PREFIX, sum->arg[0]->symbol->name,
                block->child[i]->line);
    }
}

/* s * 31 + x, fmax(s, x), s < x ? s : x: several could share it. */
static bool is_shared(const struct ir_expr *value, const struct ir_symbol *symbol)
{
    static const char *const op[] = {"+", "-", "*", "&", "|", "^"};
    bool splits = value->kind == IR_COND || value->kind == IR_CALL;

    for (size_t i = 0; value->kind == IR_BINARY && i < ARRAY_SIZE(op); i++)
        splits = splits || !strcmp(value->op, op[i]);
    for (size_t i = 0; splits && i < value->arg_nr; i++) {
        const struct ir_expr *arg = value->arg[i];

        if (arg->kind == IR_NAME && arg->symbol == symbol)
            return true;
        if (value->kind == IR_BINARY && expr_mentions(arg, symbol) &&
            !expr_mentions(value->arg[1 - i], symbol))
            return is_shared(arg, symbol);
    }
    return false;
}

/* x ^= x << 13, p = next[p] */
static void find_chain(struct search *search, const struct ir_stmt *stmt)
{
    const struct ir_expr *expr = assignment(stmt), *value = expr ? expr->arg[1] : NULL;
    const struct ir_symbol *symbol =
        expr && expr->arg[0]->kind == IR_NAME ? expr->arg[0]->symbol : NULL;
    bool plain = expr && !strcmp(expr->op, "=");

    if (!symbol || !expr_mentions(value, symbol) || is_inside(search, symbol, 1))
        return;
    if (plain && is_shared(value, symbol))
        return;
    add(search, KERNEL_SPOT_CHAIN, symbol->name, stmt->line);
}

/* ---- searches ---- */

static void look_element(struct ir_expr *expr, void *data)
{
    const struct ir_expr **element = data;

    if (!*element && expr->kind == IR_INDEX && !expr->type.pointers)
        *element = expr;
}

/* `if (c) return i;`, `if (c) { at = i; break; }` */
static bool leaves_loop(const struct ir_stmt *stmt)
{
    const struct ir_stmt *last = stmt->kind == IR_IF ? only(stmt->child[0]) : NULL;

    if (last && last->kind == IR_BLOCK && last->child_nr)
        last = last->child[last->child_nr - 1];
    return last && (last->kind == IR_RETURN ||
                    (last->kind == IR_JUMP && !strcmp(last->text, "break")));
}

/* `while (c) i++;`, `for (i = 0; c; i++) ;` */
static bool only_steps(const struct ir_stmt *stmt)
{
    bool loops = stmt->kind == IR_WHILE || (stmt->kind == IR_FOR && !stmt->canonical);
    const struct ir_stmt *body = loops && stmt->child_nr ? only(stmt->child[0]) : NULL;

    if (!body || stmt->kind == IR_FOR)
        return body && body->kind == IR_EMPTY;
    return body->kind == IR_EXPR && is_step_of_one(body->expr);
}

/* The innermost loop ends where the condition on an element says so: each iteration waits
 * for the answer of the one before it. One that goes on from where it ended is no search,
 * but finds the ends of runs. */
static void find_search(struct search *search, const struct ir_stmt *stmt)
{
    const struct ir_expr *element = NULL;
    bool leaves = leaves_loop(stmt);
    struct buf text = {0};

    for (size_t i = 0; i + leaves < search->loop_nr; i++)
        if (!search->loop[i]->canonical)
            return;
    if ((leaves || only_steps(stmt)) && stmt->cond)
        ir_visit(stmt->cond, look_element, &element);
    if (!element)
        return;
    ir_print_expr(&text, element);
    add(search, KERNEL_SPOT_SEARCH, buf_str(&text), stmt->line);
    buf_release(&text);
}

/* ---- divisors ---- */

struct stays {
    const struct search *search;
    size_t depth; /* of the loop in question, from 1 */
    bool all;
};

static void look_changes(struct ir_expr *expr, void *data)
{
    struct stays *stays = data;
    const struct ir_stmt *loop = stays->search->loop[stays->depth - 1];
    const struct ir_symbol *symbol = expr->kind == IR_NAME ? expr->symbol : NULL;

    for (size_t i = stays->depth; symbol && i < stays->search->loop_nr; i++)
        if (stays->search->loop[i]->iterator == symbol)
            return; /* of a loop within: it goes through the same values again */
    bool changes = symbol && (symbol == loop->iterator ||
                              (symbol->is_written && !symbol->type.pointers) ||
                              is_inside(stays->search, symbol, stays->depth));

    stays->all = stays->all && !changes && expr->kind != IR_RAW;
}

static void look_divisor(struct ir_expr *expr, void *data)
{
    struct search *search = data;
    bool divides =
        expr->kind == IR_BINARY && (!strcmp(expr->op, "/") || !strcmp(expr->op, "%"));
    struct buf text = {0};

    for (size_t depth = search->loop_nr;
         divides && !expr->arg[1]->has_value && depth && !text.length; depth--) {
        struct stays stays = {search, depth, true};

        ir_visit(expr->arg[1], look_changes, &stays);
        if (stays.all)
            ir_print_expr(&text, expr->arg[1]);
    }
    if (text.length)
        add(search, search->spot, buf_str(&text), expr->line);
    buf_release(&text);
}

/* ---- borders ---- */

static bool names_place(const struct search *search, const struct ir_expr *expr)
{
    bool found = false;

    for (size_t i = 0; !found && i < search->loop_nr; i++)
        found =
            search->loop[i]->canonical && expr_mentions(expr, search->loop[i]->iterator);
    for (size_t i = 0; !found && i < search->place_nr; i++)
        found = expr_mentions(expr, search->place[i]);
    return found;
}

/* A sum that names the place in a loop. */
static bool is_place(const struct search *search, const struct ir_expr *expr)
{
    while (expr->kind == IR_CAST)
        expr = expr->arg[0];
    if (expr->kind == IR_BINARY && strchr("+-*", expr->op[0]) && !expr->op[1])
        return is_place(search, expr->arg[0]) != is_place(search, expr->arg[1]) ||
               (is_place(search, expr->arg[0]) && expr->op[0] != '*');
    return expr->kind == IR_NAME && names_place(search, expr);
}

static void note_place(struct search *search, const struct ir_stmt *stmt)
{
    const struct ir_expr *value = stmt->kind == IR_DECL ? stmt->expr
                                  : assignment(stmt)    ? stmt->expr->arg[1]
                                                        : NULL;
    const struct ir_symbol *symbol = stmt->kind == IR_DECL ? stmt->symbol
                                     : value               ? expr_root(stmt->expr->arg[0])
                                                           : NULL;

    if (value && symbol && search->place_nr < PLACES_MAX && is_place(search, value))
        search->place[search->place_nr++] = symbol;
}

/* if (y >= 0 && y < h) */
static void look_bounds(struct ir_expr *expr, void *data)
{
    struct search *search = data;
    struct buf text = {0};

    if (!expr_is_truth(expr) || expr->kind != IR_BINARY || !strchr("<>=!", expr->op[0]) ||
        is_place(search, expr->arg[0]) == is_place(search, expr->arg[1]) ||
        (names_place(search, expr->arg[0]) && names_place(search, expr->arg[1])))
        return;
    ir_print_expr(&text, expr);
    add(search, KERNEL_SPOT_BORDER, buf_str(&text), expr->line);
    buf_release(&text);
}

/* x == 0 ? c : c - 1, (x + 1) % n */
static void look_border(struct ir_expr *expr, void *data)
{
    struct search *search = data;
    const struct ir_expr *element = NULL;
    bool asks = expr->kind == IR_COND;
    bool wraps = expr->kind == IR_BINARY && !strcmp(expr->op, "%");
    struct buf text = {0};

    if ((!asks && !wraps) || !names_place(search, expr->arg[0]))
        return;
    ir_visit(expr->arg[0], look_element, &element);
    if (element)
        return;
    ir_print_expr(&text, asks ? expr->arg[0] : expr);
    add(search, search->spot, buf_str(&text), expr->line);
    buf_release(&text);
}

/* ---- elements that the loop may write ---- */

struct met {
    struct search *search;
    const struct ir_symbol *array, *iterator;
};

/* a[j] = a[j] + a[k] */
static void look_met(struct ir_expr *expr, void *data)
{
    struct met *met = data;
    struct buf text = {0};

    if (expr->kind != IR_INDEX || expr->type.pointers || expr_root(expr) != met->array ||
        expr_mentions(expr, met->iterator))
        return;
    ir_print_expr(&text, expr);
    add(met->search, KERNEL_SPOT_MET, buf_str(&text), expr->line);
    buf_release(&text);
}

static void find_met(struct search *search, const struct ir_stmt *stmt)
{
    const struct ir_stmt *loop = search->loop[search->loop_nr - 1];
    const struct ir_expr *to = assignment(stmt) ? stmt->expr->arg[0] : NULL;

    if (!to || to->kind != IR_INDEX || !loop->canonical ||
        !expr_mentions(to, loop->iterator))
        return;
    struct met met = {search, expr_root(to), loop->iterator};
    if (met.array)
        ir_visit(stmt->expr->arg[1], look_met, &met);
}

/* ---- calls ---- */

/* Also where the parser leaves the call as it is written. */
static bool is_named(const struct ir_expr *call, const char *const *names)
{
    bool may_be = call->text && (call->kind == IR_CALL || call->kind == IR_RAW);

    for (; may_be && *names; names++)
        if (text_begins(call->text, *names) &&
            (!call->text[strlen(*names)] || call->text[strlen(*names)] == '('))
            return true;
    return false;
}

static void look_allocation(struct ir_expr *expr, void *data)
{
    static const char *const names[] = {"malloc", "calloc", "aligned_alloc",
                                        "valloc", "mmap",   NULL};
    struct search *search = data;

    if (is_named(expr, names))
        add(search, search->spot, expr->text, expr->line);
}

static void look_named(struct search *search, struct ir_expr *expr,
                       const char *const *names)
{
    struct buf text = {0};

    if (!is_named(expr, names))
        return;
    ir_print_expr(&text, expr);
    add(search, search->spot, buf_str(&text), expr->line);
    buf_release(&text);
}

/* Goes through all of a string each time. */
static void look_length(struct ir_expr *expr, void *data)
{
    static const char *const names[] = {"strlen", "wcslen", NULL};

    look_named(data, expr, names);
}

/* One instruction, but for errno. */
static void look_root(struct ir_expr *expr, void *data)
{
    static const char *const names[] = {"sqrt", "sqrtf", NULL};

    look_named(data, expr, names);
}

static void visit(struct search *search, enum kernel_spot spot, struct ir_expr *expr,
                  void (*look)(struct ir_expr *, void *))
{
    search->spot = spot;
    if (expr)
        ir_visit(expr, look, search);
}

static void walk(struct search *search, const struct ir_stmt *stmt)
{
    bool in_loop = search->loop_nr > 0;
    bool loops =
        (stmt->kind == IR_FOR || stmt->kind == IR_WHILE) && search->loop_nr < LOOPS_MAX;

    if (loops || (stmt->kind == IR_IF && in_loop))
        find_search(search, stmt);
    if (loops) {
        visit(search, KERNEL_SPOT_LENGTH, stmt->cond, look_length);
        visit(search, KERNEL_SPOT_LENGTH, stmt->canonical ? stmt->upper : NULL,
              look_length);
    }
    if (in_loop) {
        find_chain(search, stmt);
        find_met(search, stmt);
        visit(search, KERNEL_SPOT_DIVISOR, stmt->expr, look_divisor);
        visit(search, KERNEL_SPOT_BORDER, stmt->expr, look_border);
        visit(search, KERNEL_SPOT_BORDER, stmt->kind == IR_IF ? stmt->cond : NULL,
              look_bounds);
        note_place(search, stmt);
        if (search->sets_errno)
            visit(search, KERNEL_SPOT_ERRNO, stmt->expr, look_root);
        find_count(search, stmt);
        find_start(search, stmt);
        find_place(search, stmt);
        find_prefix(search, stmt);
        if (assignment(stmt) && grows_in_place(stmt->expr))
            add(search, KERNEL_SPOT_PREFIX, stmt->expr->arg[0]->arg[0]->symbol->name,
                stmt->line);
    }
    visit(search, KERNEL_SPOT_FRESH, stmt->expr, look_allocation);
    if (loops)
        search->loop[search->loop_nr++] = stmt;
    for (size_t i = 0; i < stmt->child_nr; i++)
        if (stmt->child[i])
            walk(search, stmt->child[i]);
    search->loop_nr -= loops;
}

size_t model_spots(const struct ir_function *function, struct kernel_found **found)
{
    struct search search = {.sets_errno = function->sets_errno};

    if (function->body)
        walk(&search, function->body);
    *found = search.found;
    return search.nr;
}
