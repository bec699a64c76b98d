/*
 * Chains of addresses: a variable of an innermost loop whose next value is loaded from a
 * place that its last value decides on (`p = next[p]`). Misses of one chain cannot
 * overlap. Each assignment of the body says which values at the beginning of an iteration
 * the variable then depends on, and whether through the address of a load; two variables
 * that feed each other are one chain.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base.h"
#include "variants/kernel/kernel_parts.h"
#include "variants/parse/parse.h"

/* How a value depends on one at the beginning of the iteration. */
enum { BY_VALUE = 1, BY_ADDRESS = 2 };

struct body {
    const struct ir_function *function;
    const struct ir_stmt *loop;
    size_t nr;           /* symbols */
    unsigned char *now;  /* [variable][origin]: of the value it has now */
    unsigned char *own;  /* of the expression that is looked at */
    double side, steady; /* loads that hang on a chain's value; others along arrays */
    bool open;           /* others whose address is loaded, too */
};

static bool is_load(const struct ir_expr *expr)
{
    if (expr->type.pointers > 0) /* a row, no element */
        return expr->kind == IR_MEMBER && expr->is_arrow;
    return expr->kind == IR_INDEX || (expr->kind == IR_MEMBER && expr->is_arrow) ||
           (expr->kind == IR_UNARY && !strcmp(expr->op, "*"));
}

static void add_name(struct body *body, const struct ir_symbol *symbol, unsigned char how,
                     unsigned char *into)
{
    if (!symbol || symbol->id < 0)
        return;
    for (size_t i = 0; i < body->nr; i++) {
        unsigned char on = body->now[(size_t)symbol->id * body->nr + i];

        if (on)
            into[i] |= how == BY_ADDRESS ? BY_ADDRESS : on;
    }
}

/* The condition of ?: is guessed, as that of an `if` is. */
static void add_value(struct body *body, const struct ir_expr *expr, unsigned char how,
                      unsigned char *into)
{
    unsigned char inside = is_load(expr) ? BY_ADDRESS : how;

    if (expr->kind == IR_NAME)
        add_name(body, expr->symbol, how, into);
    for (size_t i = expr->kind == IR_COND; i < expr->arg_nr; i++)
        add_value(body, expr->arg[i], inside, into);
}

/* ---- statements in order ---- */

static unsigned char *row_of(struct body *body, const struct ir_symbol *symbol)
{
    return &body->now[(size_t)symbol->id * body->nr];
}

/* `maybe`: what it had is another possibility. */
static void assign(struct body *body, const struct ir_symbol *symbol,
                   const struct ir_expr *value, bool maybe)
{
    memset(body->own, 0, body->nr);
    if (maybe)
        memcpy(body->own, row_of(body, symbol), body->nr);
    if (value)
        add_value(body, value, 0, body->own);
    memcpy(row_of(body, symbol), body->own, body->nr);
}

static void run_expr(struct body *body, const struct ir_expr *expr, bool maybe)
{
    const struct ir_expr *to = expr->arg_nr ? expr->arg[0] : NULL;

    if (expr->kind == IR_BINARY && !strcmp(expr->op, ",")) {
        run_expr(body, expr->arg[0], maybe);
        run_expr(body, expr->arg[1], maybe);
    } else if (expr->kind == IR_ASSIGN && to->kind == IR_NAME && to->symbol->id >= 0) {
        assign(body, to->symbol, expr->arg[1], maybe || expr->op[0] != '=');
    }
}

static void run_stmt(struct body *body, const struct ir_stmt *stmt, bool maybe)
{
    if (!stmt)
        return;
    if (stmt->kind == IR_EXPR && stmt->expr)
        run_expr(body, stmt->expr, maybe);
    if (stmt->kind == IR_DECL && stmt->symbol && stmt->symbol->id >= 0)
        assign(body, stmt->symbol, stmt->expr, maybe);
    for (size_t i = 0; i < stmt->child_nr; i++)
        run_stmt(body, stmt->child[i], maybe || stmt->kind == IR_IF);
    if (stmt->kind == IR_FOR && stmt->increment)
        run_expr(body, stmt->increment, maybe);
}

/* ---- the chains among the variables ---- */

/* Which variables feed which, over any number of iterations. */
static void close_over(unsigned char *reach, size_t nr)
{
    for (size_t k = 0; k < nr; k++)
        for (size_t i = 0; i < nr; i++)
            for (size_t j = 0; reach[i * nr + k] && j < nr; j++)
                reach[i * nr + j] |= reach[k * nr + j] ? 1 : 0;
}

/* On a chain: feeds itself, and somewhere on the way through an address. */
static bool is_chained(const unsigned char *now, const unsigned char *reach, size_t nr,
                       size_t i)
{
    for (size_t a = 0; a < nr; a++)
        for (size_t b = 0; b < nr; b++)
            if ((now[a * nr + b] & BY_ADDRESS) && (a == i || reach[i * nr + a]) &&
                (b == i || reach[b * nr + i]) && reach[i * nr + i])
                return true;
    return false;
}

static bool is_first_of_chain(const unsigned char *reach, const bool *chained, size_t nr,
                              size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (chained[k] && reach[i * nr + k] && reach[k * nr + i])
            return false;
    return chained[i];
}

/* ---- other loads of the body ---- */

struct search {
    struct body *body;
    const bool *chained;
};

static bool hangs_on_chain(const struct search *search, const struct ir_expr *expr)
{
    const struct body *body = search->body;

    if (expr->kind == IR_NAME && expr->symbol->id >= 0) {
        const unsigned char *row = &body->now[(size_t)expr->symbol->id * body->nr];

        if (search->chained[expr->symbol->id])
            return true;
        for (size_t i = 0; i < body->nr; i++)
            if (row[i] && search->chained[i])
                return true;
    }
    for (size_t i = 0; i < expr->arg_nr; i++)
        if (hangs_on_chain(search, expr->arg[i]))
            return true;
    return false;
}

static bool changes(const struct search *search, const struct ir_expr *expr)
{
    if (expr->kind == IR_NAME)
        return expr->symbol->is_written || expr->symbol == search->body->loop->iterator;
    for (size_t i = 0; i < expr->arg_nr; i++)
        if (changes(search, expr->arg[i]))
            return true;
    return false;
}

static bool holds_load(const struct ir_expr *expr)
{
    for (size_t i = 0; i < expr->arg_nr; i++)
        if (is_load(expr->arg[i]) || holds_load(expr->arg[i]))
            return true;
    return false;
}

/* A load that no chain decides on: of a line now and then where it runs along an array,
 * as many as the window holds where its address comes from another load. */
static void look_at_load(struct search *search, const struct ir_expr *expr)
{
    if (hangs_on_chain(search, expr))
        search->body->side++;
    else if (holds_load(expr))
        search->body->open = true;
    else if (changes(search, expr))
        search->body->steady++;
}

/* `chased`: the load whose value goes on the chain is the chain itself. */
static void look_at(struct search *search, const struct ir_expr *expr, bool chased)
{
    if (!expr)
        return;
    if (is_load(expr) && !chased)
        look_at_load(search, expr);
    for (size_t i = 0; i < expr->arg_nr; i++) {
        const struct ir_expr *to = expr->arg[0];
        bool link = expr->kind == IR_ASSIGN && i == 1 && to->kind == IR_NAME &&
                    to->symbol->id >= 0 && search->chained[to->symbol->id];

        if (!(expr->kind == IR_ASSIGN && i == 0)) /* stores are not waited for */
            look_at(search, expr->arg[i], link && is_load(expr->arg[i]));
    }
}

static void look_through(struct search *search, const struct ir_stmt *stmt)
{
    if (!stmt)
        return;
    look_at(search, stmt->cond, false);
    look_at(search, stmt->expr,
            stmt->kind == IR_DECL && stmt->symbol && stmt->symbol->id >= 0 &&
                search->chained[stmt->symbol->id] && stmt->expr && is_load(stmt->expr));
    for (size_t i = 0; i < stmt->child_nr; i++)
        look_through(search, stmt->child[i]);
}

/* ---- one loop ---- */

static struct quantity between(int chains, const struct body *body, bool repeated)
{
    double max = chains + body->side + body->steady;

    if (chains && (body->open || repeated))
        max = INFINITY;
    return quantity_between(chains, chains, chains ? max : 0, 0, PROVENANCE_SOURCE);
}

static struct quantity chains_of(const struct ir_function *function,
                                 const struct ir_stmt *loop, bool repeated)
{
    size_t nr = function->symbol_nr;
    struct body body = {.function = function, .loop = loop, .nr = nr};
    unsigned char *reach;
    bool *chained;
    int chains = 0;

    body.now = xcalloc(nr * nr + 1, 1);
    body.own = xcalloc(nr + 1, 1);
    reach = xcalloc(nr * nr + 1, 1);
    chained = xcalloc(nr + 1, sizeof(*chained));
    for (size_t i = 0; i < nr; i++)
        body.now[i * nr + i] = BY_VALUE;
    run_stmt(&body, loop->child[0], false);
    if (loop->kind == IR_FOR && loop->increment)
        run_expr(&body, loop->increment, false);
    for (size_t i = 0; i < nr * nr; i++)
        reach[i] = body.now[i] != 0;
    close_over(reach, nr);
    for (size_t i = 0; i < nr; i++)
        chained[i] = is_chained(body.now, reach, nr, i);
    for (size_t i = 0; i < nr; i++)
        chains += is_first_of_chain(reach, chained, nr, i);
    look_through(&(struct search){&body, chained}, loop->child[0]);
    free(body.now);
    free(body.own);
    free(reach);
    free(chained);
    return between(chains, &body, repeated);
}

/* ---- the loops of the function ---- */

struct loops {
    const struct ir_function *function;
    const struct kernel_view *view;
    struct quantity chains; /* of the loop that goes round most */
    double max;             /* how often that is; negative = not told */
    size_t nr;
};

static bool is_loop(const struct ir_stmt *stmt)
{
    return (stmt->kind == IR_FOR || stmt->kind == IR_WHILE) && stmt->child_nr > 0;
}

static bool has_loop(const struct ir_stmt *stmt)
{
    if (!stmt)
        return false;
    for (size_t i = 0; i < stmt->child_nr; i++)
        if (stmt->child[i] && (is_loop(stmt->child[i]) || has_loop(stmt->child[i])))
            return true;
    return false;
}

/* Trips of the loop at this line, and of all around it; negative = not known. */
static double rounds_at(const struct loops *loops, int line, double *trips)
{
    double all = 1;

    *trips = -1;
    for (size_t i = 0; i < loops->view->loop_nr; i++) {
        if (loops->view->loop[i].line != line || !loops->view->loop[i].innermost)
            continue;
        *trips = loops->view->loop[i].trips;
        for (int k = (int)i; k >= 0; k = loops->view->loop[k].parent)
            all = loops->view->loop[k].trips < 0 ? -1 : all * loops->view->loop[k].trips;
        return all < 0 ? -1 : all;
    }
    return -1;
}

/* A short chain that begins anew leaves room in the window for the next one. */
enum { long_chain = 64 };

static void look_at_loop(struct loops *loops, const struct ir_stmt *loop, bool inside)
{
    double trips, rounds = rounds_at(loops, loop->line, &trips);
    bool repeated = inside && trips < long_chain;
    struct quantity chains = chains_of(loops->function, loop, repeated);

    loops->nr++;
    if (loops->nr == 1) {
        loops->chains = chains;
        loops->max = rounds;
    } else if (loops->max < 0 || rounds < 0) {
        if (chains.value != loops->chains.value)
            loops->chains = quantity_unknown();
    } else if (rounds > loops->max) {
        loops->chains = chains;
        loops->max = rounds;
    }
}

static void look_for_loops(struct loops *loops, const struct ir_stmt *stmt, bool inside)
{
    if (!stmt)
        return;
    if (is_loop(stmt) && !has_loop(stmt)) {
        look_at_loop(loops, stmt, inside);
        return;
    }
    for (size_t i = 0; i < stmt->child_nr; i++)
        look_for_loops(loops, stmt->child[i], inside || is_loop(stmt));
}

static struct quantity function_chains(const struct ir_function *function,
                                       const struct kernel_view *view)
{
    struct loops loops = {
        .function = function, .view = view, .chains = quantity_unknown()};

    look_for_loops(&loops, function->body, false);
    return loops.chains;
}

void kernel_find_chains(struct kernel *kernel)
{
    struct kernel_view view = kernel_view(kernel);

    kernel->chains = function_chains(kernel->function, &view);
}

struct quantity variant_chains(struct kernel *kernel, const struct plan *plan,
                               const char *dir)
{
    char *path =
        path_join(dir, kernel->function->is_cplusplus ? "chains.cpp" : "chains.c");
    struct quantity chains = quantity_unknown();
    struct ir_function *function = NULL;
    struct kernel_view nothing = {0};
    struct buf text = {0};
    enum account before = account_switch(ACCOUNT_ANALYSIS);

    if (kernel_emit(kernel, plan, NULL, &text, NULL) == 0 &&
        file_write(path, buf_str(&text), text.length, NULL) == 0 &&
        ir_parse(path, NULL, 0, kernel_name(kernel), &kernel->cflags, &function, NULL) ==
            0) {
        chains = function_chains(function, &nothing);
        ir_function_free(function);
    }
    account_switch(before);
    buf_release(&text);
    free(path);
    return chains;
}
