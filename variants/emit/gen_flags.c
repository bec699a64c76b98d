/*
 * Loops that count where a condition begins to hold: `if (space) inside = 0; else if
 * (!inside) { inside = 1; words++; }`. What the flag is behind an iteration the condition
 * alone decides, so each iteration can ask it of the one before, and waits for nothing:
 * `words += !space(i) & space(i - 1)`. The first iteration stays as it is, in a loop of
 * its own, and behind both the flag gets its value.
 */
#include <string.h>

#include "variants/emit/gen.h"
#include "variants/ir/sum.h"
#include "variants/model/increment.h"

enum { NODES_MAX = 64 };

/* The body, run for both values of the flag and of the condition. */
struct flag {
    struct gen *gen;
    struct ir_symbol *symbol, *counter;
    struct ir_expr *cond;           /* that does not ask the flag; the first one met */
    bool value, holds;              /* now */
    long long added;                /* now */
    bool asked;                     /* the condition, in this run */
    bool fails;                     /* something else is done, too */
    bool behind[2], one_more[2][2]; /* by what holds; by that of before, and of now */
};

/* ---- what may be asked of the iteration before ---- */

struct pure {
    const struct flag *flag;
    bool all;
    size_t nr;
};

/* No calls, and nothing that the loop writes: the flag and the counter. */
static void look_pure(struct ir_expr *expr, void *data)
{
    struct pure *pure = data;
    static const char *const writes[] = {"++", "--", "post++", "post--", "&", "*"};
    bool plain = expr->kind == IR_LITERAL || expr->kind == IR_NAME ||
                 expr->kind == IR_INDEX || expr->kind == IR_UNARY ||
                 expr->kind == IR_BINARY || expr->kind == IR_CAST ||
                 expr->kind == IR_COND;
    for (size_t i = 0; expr->kind == IR_UNARY && i < ARRAY_SIZE(writes); i++)
        plain = plain && strcmp(expr->op, writes[i]) != 0;
    if (expr->kind == IR_NAME)
        plain = plain && expr->symbol != pure->flag->symbol &&
                expr->symbol != pure->flag->counter && !expr->symbol->type.is_volatile;
    pure->all = pure->all && plain && ++pure->nr < NODES_MAX;
}

static bool is_pure(const struct flag *at, struct ir_expr *expr)
{
    struct pure pure = {at, true, 0};
    ir_visit(expr, look_pure, &pure);
    return pure.all;
}

/* ---- one run of the body ---- */

/* Of the flag alone: `s`, `!s`, `s == 0`; false = it asks something else. */
static bool asks_flag(const struct flag *at, const struct ir_expr *cond, bool *holds)
{
    if (cond->kind == IR_UNARY && !strcmp(cond->op, "!")) {
        bool known = asks_flag(at, cond->arg[0], holds);
        *holds = !*holds;
        return known;
    }
    if (cond->kind == IR_BINARY && (!strcmp(cond->op, "==") || !strcmp(cond->op, "!=")) &&
        cond->arg[1]->has_value && cond->arg[0]->kind == IR_NAME &&
        cond->arg[0]->symbol == at->symbol) {
        *holds = (cond->arg[1]->value == at->value) == (*cond->op == '=');
        return true;
    }
    *holds = at->value;
    return cond->kind == IR_NAME && cond->symbol == at->symbol;
}

static void run(struct flag *at, const struct ir_stmt *stmt);

static void run_if(struct flag *at, const struct ir_stmt *stmt)
{
    bool holds = false;
    if (!asks_flag(at, stmt->cond, &holds)) {
        at->cond = at->cond ? at->cond : stmt->cond;
        at->fails = at->fails || !expr_equal(at->cond, stmt->cond);
        at->asked = true;
        holds = at->holds;
    }
    const struct ir_stmt *branch = holds                ? stmt->child[0]
                                   : stmt->child_nr > 1 ? stmt->child[1]
                                                        : NULL;
    if (branch)
        run(at, branch);
}

static void run_expr(struct flag *at, const struct ir_expr *expr)
{
    const struct ir_expr *to =
        expr->kind == IR_ASSIGN || expr->kind == IR_UNARY ? expr->arg[0] : NULL;
    const struct ir_symbol *symbol = to && to->kind == IR_NAME ? to->symbol : NULL;
    bool sets = expr->kind == IR_ASSIGN && !strcmp(expr->op, "=");
    bool counts = expr->kind == IR_UNARY
                      ? strstr(expr->op, "++") != NULL
                      : expr->kind == IR_ASSIGN && !strcmp(expr->op, "+=") &&
                            expr->arg[1]->has_value && expr->arg[1]->value == 1;
    if (symbol && symbol == at->symbol && sets && expr->arg[1]->has_value)
        at->value = expr->arg[1]->value != 0;
    else if (symbol && symbol == at->counter && counts)
        at->added++;
    else
        at->fails = true;
}

static void run(struct flag *at, const struct ir_stmt *stmt)
{
    if (stmt->kind == IR_IF)
        run_if(at, stmt);
    else if (stmt->kind == IR_EXPR)
        run_expr(at, stmt->expr);
    else if (stmt->kind == IR_BLOCK)
        for (size_t i = 0; i < stmt->child_nr; i++)
            run(at, stmt->child[i]);
    else
        at->fails = stmt->kind != IR_EMPTY || at->fails;
}

/* In every run the condition is asked, and decides alone on the flag; the counter gains 1
 * in one of them at most. */
static bool is_decided(struct flag *at, const struct ir_stmt *stmt)
{
    for (int before = 0; before < 2; before++)
        for (int now = 0; now < 2; now++) {
            at->value = before;
            at->holds = now;
            at->added = 0;
            at->asked = false;
            run(at, stmt);
            if (at->fails || !at->asked || at->added > 1 ||
                (before && at->behind[now] != at->value))
                return false;
            at->behind[now] = at->value;
            at->one_more[before][now] = at->added;
        }
    int nr =
        at->one_more[0][0] + at->one_more[0][1] + at->one_more[1][0] + at->one_more[1][1];
    return at->behind[0] != at->behind[1] && nr == 1 && is_pure(at, at->cond);
}

/* ---- the flag ---- */

struct settings {
    const struct ir_symbol *symbol;
    bool all;
};

static bool is_flag_value(const struct ir_expr *expr)
{
    return expr && expr->has_value && (expr->value == 0 || expr->value == 1);
}

static void look_settings(struct ir_expr *expr, void *data)
{
    struct settings *settings = data;
    bool steps = expr_is_step(expr);
    if (expr->kind == IR_RAW && expr_mentions(expr, settings->symbol))
        settings->all = false;
    if (!expr_sets(expr) || expr->arg[0]->kind != IR_NAME ||
        expr->arg[0]->symbol != settings->symbol)
        return;
    settings->all =
        settings->all && !steps && !strcmp(expr->op, "=") && is_flag_value(expr->arg[1]);
}

/* Declared with one of these values. */
static bool begins_so(const struct ir_stmt *stmt, const void *symbol)
{
    return stmt->kind == IR_DECL && stmt->symbol == symbol && is_flag_value(stmt->expr);
}

/* Never anything but 0 or 1, in the whole function. */
static bool is_flag(const struct gen *gen, const struct ir_symbol *symbol)
{
    const struct ir_stmt *body = gen->model->function->body;
    struct settings settings = {symbol, true};
    if (symbol->id < 0 || symbol->role != IR_LOCAL || symbol->type.pointers ||
        (symbol->type.scalar != IR_INT && symbol->type.scalar != IR_BOOL) ||
        symbol->address_taken || symbol->is_static || symbol->type.is_volatile ||
        !stmt_find(body, begins_so, symbol))
        return false;
    stmt_exprs(body, look_settings, &settings);
    return settings.all;
}

static bool may_count(const struct ir_symbol *symbol)
{
    return (symbol->role == IR_LOCAL || symbol->role == IR_PARAM) &&
           !symbol->address_taken && !symbol->is_reference && !symbol->type.is_volatile &&
           symbol->type.scalar == IR_INT && !symbol->type.pointers;
}

/* The first that is set, and the first that is increased. */
static void look_roles(struct ir_expr *expr, void *data)
{
    struct flag *at = data;
    bool sets = expr->kind == IR_ASSIGN && !strcmp(expr->op, "=");
    if ((expr->kind != IR_ASSIGN && expr->kind != IR_UNARY) ||
        expr->arg[0]->kind != IR_NAME)
        return;
    struct ir_symbol *symbol = expr->arg[0]->symbol;
    if (sets && !at->symbol)
        at->symbol = symbol;
    else if (!sets && !at->counter && (expr->kind == IR_ASSIGN || strstr(expr->op, "++")))
        at->counter = symbol;
}

/* ---- the new loops ---- */

static struct ir_expr *at_iteration(const struct flag *at, const struct code *loop,
                                    struct ir_expr *place, bool holds)
{
    struct ir_arena *arena = at->gen->arena;
    struct ir_symbol *var = loop->var;
    struct ir_expr *cond = ir_substitute(arena, at->cond, &var, &place, 1);
    bool truth = expr_at_most(cond) == 1;
    if (holds && truth)
        return cond;
    if (!holds && truth) {
        struct ir_expr *not = ir_expr_new(arena, IR_UNARY, 1);
        not ->op = "!";
        not ->type = cond->type;
        not ->arg[0] = cond;
        return not ;
    }
    return ir_binary(arena, holds ? "!=" : "==", cond, ir_integer(arena, 0));
}

/* words += this(i) & that(i - 1); not `&&`, of which compilers make branches */
static struct ir_stmt *counting(const struct flag *at, const struct code *loop)
{
    struct ir_arena *arena = at->gen->arena;
    bool before = at->one_more[1][0] || at->one_more[1][1],
         now = at->one_more[0][1] || at->one_more[1][1];
    struct ir_expr *var = ir_name(arena, loop->var);
    struct ir_expr *here = at_iteration(at, loop, var, now),
                   *there = at_iteration(at, loop, expr_plus(arena, var, -1),
                                         at->behind[1] == before);
    struct ir_stmt *stmt = ir_stmt_new(arena, IR_EXPR, 0);
    struct ir_expr *both = ir_binary(arena, "&", here, there);
    both->is_ours = false;
    stmt->expr = ir_assign(arena, "+=", ir_name(arena, at->counter), both);
    return stmt;
}

/* if (second < end) flag = what it is behind the last iteration; */
static struct code *setting(const struct flag *at, const struct code *loop)
{
    struct ir_arena *arena = at->gen->arena;
    struct code *code = code_new(CODE_STMT);
    struct ir_stmt *test = ir_stmt_new(arena, IR_IF, 1),
                   *set = ir_stmt_new(arena, IR_EXPR, 0);
    struct ir_expr *last = expr_plus(arena, loop->upper, -1);
    set->expr = ir_assign(arena, "=", ir_name(arena, at->symbol),
                          at_iteration(at, loop, last, at->behind[1]));
    test->cond = ir_binary(arena, "<", loop->lower, loop->upper);
    test->child[0] = set;
    code->statement = SIZE_MAX;
    code->stmt = test;
    return code;
}

/* The same loop, for its first iteration only. */
static struct code *first_iteration(struct gen *gen, const struct code *loop)
{
    const struct code *body = loop->child[0]->child[0];
    struct code *first = code_new(CODE_FOR), *block = code_new(CODE_BLOCK),
                *line = code_new(CODE_STMT);
    first->var = loop->var;
    first->declares = loop->declares;
    first->band = loop->band;
    first->step = 1;
    first->no_fetch = true;
    gen->need_min = true;
    first->lower = loop->lower;
    first->upper =
        gen_call(gen, "min", loop->upper, expr_plus(gen->arena, loop->lower, 1));
    line->stmt = body->stmt;
    line->statement = body->statement;
    line->iterator_nr = body->iterator_nr;
    memcpy(line->iterator, body->iterator, sizeof(line->iterator));
    code_add(block, line);
    code_add(first, block);
    return first;
}

void gen_flag(struct gen *gen, struct code *loop)
{
    const struct code *body = loop->child[0];
    struct code *line = body->child_nr == 1 ? body->child[0] : NULL;
    struct flag at = {.gen = gen};
    if (!line || line->kind != CODE_STMT || line->vector || loop->step != 1 ||
        line->statement == SIZE_MAX || gen->nest->statement[line->statement].calls ||
        line->stmt->kind != IR_IF)
        return;
    stmt_exprs(line->stmt, look_roles, &at);
    if (!at.symbol || !at.counter || at.symbol == at.counter ||
        !is_flag(gen, at.symbol) || !may_count(at.counter) ||
        !is_decided(&at, line->stmt) || at.cond->type.pointers)
        return;
    struct code *parent = loop->parent, *first = first_iteration(gen, loop);
    code_insert(parent, code_index(loop), first);
    loop->lower = expr_plus(gen->arena, loop->lower, 1);
    line->stmt = counting(&at, loop);
    code_insert(parent, code_index(loop) + 1, setting(&at, loop));
}
