/*
 * Loops that count without a head that says so, `i = 0; while (i < n) { ...; i++; }`:
 * the `for` loops that they are. What cannot be read so stays as it is and says why.
 */
#include <stdint.h>
#include <string.h>

#include "variants/parse/parse_rewrite.h"

struct counting {
    struct parse *p;
    struct ir_stmt *loop, *body; /* body: a block */
    struct ir_symbol *symbol;
    struct ir_expr *step;
    size_t at; /* the statement of the body that steps */
    const char *why;
};

/* ---- what the condition asks of ---- */

struct asked {
    const struct ir_stmt *body;
    struct ir_symbol *symbol;
    size_t nr; /* variables that the body assigns */
};

struct steps {
    const struct ir_symbol *symbol;
    size_t nr;
    struct ir_expr *last;
};

static void count_steps(struct ir_expr *expr, void *data)
{
    struct steps *steps = data;
    if (rewrite_assigned(expr) != steps->symbol)
        return;
    steps->nr++;
    steps->last = expr;
}

static struct steps steps_of(const struct ir_stmt *stmt, const struct ir_symbol *symbol)
{
    struct steps steps = {.symbol = symbol};
    visit_stmt(stmt, count_steps, &steps);
    return steps;
}

static void find_asked(struct ir_expr *expr, void *data)
{
    struct asked *asked = data;
    if (expr->kind != IR_NAME || expr->symbol == asked->symbol ||
        !steps_of(asked->body, expr->symbol).nr)
        return;
    asked->symbol = expr->symbol;
    asked->nr++;
}

static bool find_counter(struct counting *c)
{
    struct asked asked = {.body = c->body};
    ir_visit(c->loop->cond, find_asked, &asked);
    c->symbol = asked.symbol;
    if (rewrite_has_effects(c->loop->cond))
        c->why = "its condition changes what it tests; count in the head of a for loop, "
                 "for (i = 0; i < n; i++)";
    else if (asked.nr != 1)
        c->why = "no single variable of its condition is set in its body; counting loops "
                 "are read, as in while (i < n) { ...; i++; }";
    return !c->why;
}

/* ---- the step ---- */

static void count_names(struct ir_expr *expr, void *data)
{
    struct steps *names = data;
    names->nr += expr->kind == IR_NAME && expr->symbol == names->symbol;
}

/* Below `?:`, `&&` and `||` it would not be taken each time. */
static bool is_taken(const struct ir_expr *expr, const struct ir_expr *step)
{
    bool half = expr->kind == IR_COND || (expr->kind == IR_BINARY && expr->op[1] &&
                                          (expr->op[0] == '&' || expr->op[0] == '|'));
    bool found = expr == step;
    for (size_t i = 0; !found && !half && i < expr->arg_nr; i++)
        found = is_taken(expr->arg[i], step);
    return found;
}

static bool leaves(const struct ir_stmt *stmt, const void *data)
{
    (void)data;
    return stmt->kind == IR_OPAQUE ||
           (stmt->kind == IR_JUMP && !strncmp(stmt->text, "goto", 4));
}

/* One statement of the body itself steps by a constant, in each iteration. */
static bool find_step(struct counting *c)
{
    struct steps steps = steps_of(c->body, c->symbol), names = {.symbol = c->symbol};
    c->why = "its counter is not moved once, by a constant, in each iteration, as "
             "by i++ at the end of the body";
    if (steps.nr != 1 || rewrite_in_text(c->body, c->symbol) ||
        !parse_step(steps.last, c->symbol))
        return false;
    for (c->at = 0; c->at < c->body->child_nr; c->at++)
        if (steps_of(c->body->child[c->at], c->symbol).nr)
            break;
    struct ir_stmt *stmt = c->body->child[c->at];
    if (!rewrite_is_simple(stmt) || !is_taken(stmt->expr, steps.last))
        return false;
    c->step = steps.last;
    visit_stmt(stmt, count_names, &names);
    bool whole = stmt->expr == c->step;
    if (!whole && (names.nr != 1 || c->step->kind != IR_UNARY))
        return false;
    c->why = "break, continue or goto leaves its body; instead of continue an if around "
             "the rest of the body would do";
    if (stmt_breaks_out(c->body) || stmt_find(c->body, leaves, NULL))
        return false;
    c->why = NULL;
    return true;
}

/* ---- where it is set ---- */

static struct ir_expr *value_set(const struct ir_stmt *stmt)
{
    return stmt->kind == IR_DECL ? stmt->expr : stmt->expr->arg[1];
}

static void find_unsteady(struct ir_expr *expr, void *data)
{
    bool *steady = data;
    bool name = expr->kind == IR_NAME && expr->symbol->role != IR_GLOBAL &&
                !expr->symbol->is_written && !expr->type.is_volatile;
    bool kind = expr->kind == IR_LITERAL || expr->kind == IR_BINARY ||
                expr->kind == IR_CAST || name;
    *steady = *steady && kind;
}

static bool iterates(const struct ir_stmt *stmt, const void *symbol)
{
    return (stmt->kind == IR_FOR && stmt->canonical && stmt->iterator == symbol) ||
           leaves(stmt, NULL);
}

/* The statement of the block that sets it for the loop, child[loop]; block->child_nr =
 * none. */
static size_t find_setting(const struct counting *c, const struct ir_stmt *block,
                           size_t loop)
{
    for (size_t i = loop; i-- > 0;) {
        const struct ir_stmt *stmt = block->child[i];
        if (rewrite_sets(stmt, c->symbol)) {
            bool steady = true;
            ir_visit(value_set(stmt), find_unsteady, &steady);
            return rewrite_has_effects(value_set(stmt)) || (!steady && i + 1 < loop)
                       ? block->child_nr
                       : i;
        }
        if (rewrite_count(stmt, c->symbol) || rewrite_in_text(stmt, c->symbol) ||
            stmt_find(stmt, iterates, c->symbol))
            break;
    }
    return block->child_nr;
}

/* ---- the loop that counts ---- */

static struct ir_stmt *as_block(struct ir_arena *arena, struct ir_stmt *stmt)
{
    if (stmt->kind == IR_BLOCK)
        return stmt;
    struct ir_stmt *block = ir_stmt_new(arena, IR_BLOCK, 1);
    block->child[0] = stmt;
    block->line = stmt->line;
    block->end_line = stmt->end_line;
    block->begin = stmt->begin;
    block->end = stmt->end;
    return block;
}

static void drop(struct ir_stmt *block, size_t at)
{
    for (size_t i = at; i + 1 < block->child_nr; i++)
        block->child[i] = block->child[i + 1];
    block->child_nr--;
}

/* Behind the step the variable is one more than in the loop's head. */
static void take_step_out(struct counting *c)
{
    struct ir_arena *arena = c->p->arena;
    struct ir_stmt *body = c->body, *stmt = body->child[c->at];
    struct ir_expr *behind = ir_binary(arena, "+", ir_name(arena, c->symbol),
                                       ir_integer(arena, parse_step(c->step, c->symbol)));
    bool whole = stmt->expr == c->step;
    bool before = strncmp(c->step->op, "post", 4) == 0;
    struct ir_expr *step = ir_copy(arena, c->step);
    behind->type = c->symbol->type;
    if (!whole)
        *c->step = *c->step->arg[0];
    c->step = step;
    for (size_t i = c->at + (whole || before); i < body->child_nr; i++)
        rewrite_put_stmt(arena, body->child[i], c->symbol, behind);
    if (whole)
        drop(body, c->at);
}

/* Uses behind the step are of one more: that may not be beyond the type where the
 * variable itself is not. */
static bool is_plain(const struct counting *c)
{
    const struct ir_symbol *symbol = c->symbol;
    bool last = c->at + 1 == c->body->child_nr && c->body->child[c->at]->expr == c->step;
    return (symbol->role == IR_LOCAL || symbol->role == IR_PARAM) &&
           (last || symbol->type.pointers || symbol->type.bytes >= 4);
}

/* `i != 0` of `while (i)` */
static struct ir_expr *as_comparison(struct ir_arena *arena, struct ir_expr *cond)
{
    return cond->kind == IR_NAME ? ir_binary(arena, "!=", cond, ir_integer(arena, 0))
                                 : cond;
}

static bool make_for(struct counting *c, struct ir_stmt *block, size_t at)
{
    struct ir_stmt *setting = block->child[at], *init = NULL;
    struct ir_arena *arena = c->p->arena;
    c->why = "its counter is used in a way that a for loop cannot have; declare an int "
             "for it, before the loop";
    if (!is_plain(c))
        return false;
    struct ir_stmt loop = *c->loop, body = *c->body;
    init = ir_stmt_new(arena, IR_EXPR, 0);
    init->expr = ir_assign(arena, "=", ir_name(arena, c->symbol),
                           ir_copy(arena, value_set(setting)));
    /* tried without the step: nothing is changed when it does not count */
    body.child_nr = 0;
    loop.kind = IR_FOR;
    loop.init = init;
    loop.increment = c->step;
    loop.child = ir_alloc(arena, sizeof(*loop.child));
    loop.child[0] = &body;
    bool pointer = c->symbol->type.pointers > 0;
    if (!pointer)
        loop.cond = as_comparison(arena, loop.cond);
    if (!pointer && !parse_counts(c->p, &loop)) {
        c->why = "its condition asks for more than how far it has counted, or in another "
                 "way than i < n, so that nothing says before the loop how often it runs";
        return false;
    }
    c->why = NULL;
    take_step_out(c);
    loop.child[0] = c->body;
    loop.increment = pointer ? c->step : NULL;
    loop.text = NULL;
    *c->loop = loop;
    bool replaced = pointer && parse_count_head(c->p, c->loop);
    if (setting->kind == IR_EXPR || (replaced && c->symbol->in_loop))
        drop(block, at); /* the head does it */
    return true;
}

/* ---- loops that go on from what their variable is ---- */

/* What `while (n--)` leaves in n: its condition is asked once more. */
static struct ir_expr *counted_out(struct ir_arena *arena, const struct ir_stmt *loop,
                                   struct ir_symbol *symbol)
{
    const struct ir_expr *cond = loop->cond;
    bool any = cond->kind == IR_UNARY || !strcmp(cond->op, "!=");
    struct ir_expr *end = ir_integer(arena, -1);
    if (any || symbol->type.is_unsigned)
        return end;
    struct ir_expr *value = ir_expr_new(arena, IR_COND, 3);
    value->type = symbol->type;
    value->arg[0] = ir_binary(arena, ">", ir_name(arena, symbol), ir_integer(arena, 0));
    value->arg[1] = end;
    value->arg[2] = ir_binary(arena, "-", ir_name(arena, symbol), ir_integer(arena, 1));
    return value;
}

static bool leaves_early(const struct ir_stmt *stmt, const void *data)
{
    return leaves(stmt, data) || stmt->kind == IR_RETURN;
}

/* A loop that goes on from what its variable is: it gets a counter of its own, which
 * begins with that (of a pointer: with 0), and the variable what it comes to behind the
 * loop if it `lives`. */
struct going {
    struct parse *p;
    struct ir_stmt *loop, made;
    struct ir_symbol *symbol, *counter;
    struct ir_expr *place; /* what the variable is in the loop */
    bool lives;
    const char *why; /* it cannot have one; NULL = the loop is another one */
};

static const char *const pointers_apart =
    "how far its pointers are apart cannot be said: both must be of the same numbers (or "
    "of structures, compared with !=), and the end a variable of the function that stays "
    "the same; or count with an integer";

/* p < end as at < end - p; NULL = it is no such comparison. */
static struct ir_expr *compare_distance(struct going *g)
{
    const struct ir_expr *cond = g->loop->cond;
    struct ir_arena *arena = g->p->arena;
    bool two = cond->kind == IR_BINARY && cond->arg_nr == 2, mirrored;
    mirrored = two && cond->arg[1]->kind == IR_NAME && cond->arg[1]->symbol == g->symbol;
    g->why = "its condition does not compare the pointer itself with another, as p < e "
             "does, so that nothing says before the loop how often it runs";
    if (!two || cond->arg[mirrored]->kind != IR_NAME ||
        cond->arg[mirrored]->symbol != g->symbol)
        return NULL;
    struct ir_expr *apart =
        parse_difference(arena, g->loop, cond->arg[!mirrored], cond->arg[mirrored]);
    struct ir_expr *at = ir_name(arena, g->counter);
    g->why = apart ? NULL : pointers_apart;
    return apart
               ? ir_binary(arena, cond->op, mirrored ? apart : at, mirrored ? at : apart)
               : NULL;
}

static bool begin_counter(struct going *g)
{
    const struct ir_symbol *symbol = g->symbol;
    struct ir_arena *arena = g->p->arena;
    struct ir_stmt *init = ir_stmt_new(arena, IR_DECL, 0), *body = g->loop->child[0];
    bool pointer = symbol && symbol->type.pointers == 1 && !symbol->dim_nr;
    if (!symbol ||
        (!pointer && (symbol->type.scalar != IR_INT || symbol->type.pointers ||
                      symbol->type.bytes < 4)) ||
        !parse_is_own(symbol) || stmt_breaks_out(body) ||
        stmt_find(body, leaves_early, NULL))
        return false;
    struct ir_expr *first = ir_name(arena, g->symbol);
    if (rewrite_is_hidden(body, first))
        return false;
    g->counter =
        parse_new_counter(g->p, pointer ? &ir_long : &symbol->type, g->loop->line);
    g->place = ir_name(arena, g->counter);
    g->made = *g->loop;
    if (pointer) {
        g->place = ir_binary(arena, "+", first, g->place);
        g->place->type = symbol->type;
        first = ir_integer(arena, 0);
        g->made.cond = compare_distance(g);
    } else
        g->made.cond =
            as_comparison(arena, rewrite_put(arena, g->made.cond, g->symbol, g->place));
    init->symbol = g->counter;
    init->expr = first;
    g->made.kind = IR_FOR;
    g->made.init = init;
    g->made.text = g->made.why = NULL;
    return g->made.cond;
}

/* The loop, or the block of it and of what it leaves. `end` NULL = that cannot be said.
 */
static struct ir_stmt *end_counter(struct going *g, struct ir_expr *end)
{
    struct ir_arena *arena = g->p->arena;
    struct ir_stmt *after = ir_stmt_new(arena, IR_EXPR, 0), *loop = g->loop;
    bool pointer = g->symbol->type.pointers > 0; /* its end stays, see its condition */
    if (g->lives && (!end || (!pointer && !parse_is_steady(loop, g->made.upper)))) {
        g->why = ir_textf(arena,
                          "what it leaves in '%s' for later cannot be said; let the loop "
                          "step a variable of its own",
                          g->symbol->name);
        return NULL;
    }
    *loop = g->made;
    if (!g->lives)
        return loop;
    struct ir_stmt *block = parse_with(arena, loop, 1);
    after->expr = ir_assign(arena, pointer ? "+=" : "=", ir_name(arena, g->symbol), end);
    after->line = after->end_line = loop->end_line;
    after->begin = after->end = loop->end;
    after->from_macro = true;
    block->child[0] = loop;
    block->child[1] = after;
    return block;
}

/* The variable that `for (; i < n; i++)` and `while (n--)` step, which the body leaves
 * alone. */
static struct ir_symbol *stepped_by(const struct ir_stmt *loop)
{
    const struct ir_expr *by = loop->increment ? loop->increment : loop->cond;
    if (by && !loop->increment && by->kind == IR_BINARY)
        by = by->arg[0];
    struct ir_symbol *symbol =
        by && loop->cond && !loop->init ? rewrite_assigned(by) : NULL;
    return symbol && !parse_changes(loop->child[0], symbol) ? symbol : NULL;
}

/* NULL = it does not count. */
static struct ir_stmt *count_on(struct parse *p, struct ir_stmt *loop, bool lives)
{
    struct going g = {.p = p, .loop = loop, .symbol = stepped_by(loop), .lives = lives};
    struct ir_arena *arena = p->arena;
    bool begun = begin_counter(&g);
    loop->why = g.why;
    if (!begun)
        return NULL;
    struct ir_stmt *made = &g.made;
    if (made->increment)
        made->increment =
            rewrite_put(arena, made->increment, g.symbol, ir_name(arena, g.counter));
    if (!parse_counts(p, made))
        return NULL;
    struct ir_expr *end =
        loop->increment ? ir_end_value(arena, made) : counted_out(arena, loop, g.symbol);
    struct ir_stmt *place = end_counter(&g, end);
    if (place)
        rewrite_put_stmt(arena, loop->child[0], g.symbol, g.place);
    else
        loop->why = g.why;
    return place;
}

/* `while (i < n) { ...; i++; }` that nothing sets i for. */
static struct ir_stmt *count_within(struct counting *c, bool lives)
{
    struct going g = {.p = c->p, .loop = c->loop, .symbol = c->symbol, .lives = lives};
    struct ir_arena *arena = c->p->arena;
    struct ir_stmt empty = {.kind = IR_BLOCK}, *body = c->body;
    bool begun = is_plain(c) && begin_counter(&g);
    c->why = g.why;
    if (!begun)
        return NULL;
    g.made.increment = rewrite_put(arena, c->step, c->symbol, ir_name(arena, g.counter));
    g.made.child = ir_alloc(arena, sizeof(*g.made.child));
    g.made.child[0] = &empty;
    if (!parse_counts(c->p, &g.made))
        return NULL;
    struct ir_stmt *place = end_counter(&g, ir_end_value(arena, &g.made));
    c->why = g.why;
    if (!place)
        return NULL;
    take_step_out(c);
    rewrite_put_stmt(arena, body, c->symbol, g.place);
    c->loop->child[0] = body;
    return place;
}

/* Mentions in what may run behind the loop, where that does not start again. */
static bool is_asked_behind(const struct ir_stmt *stmt, const struct ir_stmt *loop,
                            const struct ir_symbol *symbol)
{
    if (!stmt || stmt == loop || stmt->end <= loop->begin)
        return false;
    bool around = stmt->begin <= loop->begin && stmt->end >= loop->end &&
                  stmt->child_nr && stmt->kind != IR_OPAQUE;
    if (!around)
        return rewrite_count(stmt, symbol) || rewrite_in_text(stmt, symbol);
    for (size_t i = 0; i < stmt->child_nr; i++)
        if (is_asked_behind(stmt->child[i], loop, symbol))
            return true;
    return false;
}

/* Does anybody ask for what the loop at block->child[at] leaves in it? */
static bool lives_on(struct parse *p, const struct ir_stmt *block, size_t at,
                     bool in_loop, const struct ir_symbol *symbol)
{
    const struct ir_stmt *loop = block->child[at], *within = p->function->body;
    bool declared = false;
    for (size_t i = 0; block->kind == IR_BLOCK && i < at; i++)
        declared = declared || (block->child[i]->kind == IR_DECL &&
                                block->child[i]->symbol == symbol);
    if (declared)
        within = block;
    return (in_loop && !declared) || stmt_find(p->function->body, leaves, NULL) ||
           is_asked_behind(within, loop, symbol);
}

static void try_while(struct parse *p, struct ir_stmt *block, size_t i, bool in_loop)
{
    struct ir_stmt *loop = block->child[i], *place = NULL;
    struct counting c = {
        .p = p, .loop = loop, .body = as_block(p->arena, loop->child[0])};
    if (loop->is_do) {
        if (!loop->why)
            loop->why = "a do loop runs once even if its condition is false; write it as "
                        "for (i = 0; i < n; i++) if that never happens";
        return;
    }
    if (find_counter(&c) && find_step(&c)) {
        size_t at = block->kind == IR_BLOCK ? find_setting(&c, block, i) : SIZE_MAX;
        bool lives = lives_on(p, block, i, in_loop, c.symbol);
        if (at >= block->child_nr || (lives && c.symbol->type.pointers))
            place = count_within(&c, lives);
        if (!place && at < block->child_nr)
            make_for(&c, block, at);
        if (place)
            block->child[i] = place;
        else if (at >= block->child_nr && !c.why)
            c.why = "its counter is not set just before the loop; write for (i = 0; ...)";
    }
    if (c.why)
        loop->why = c.why;
}

/* ---- counters that are declared in a loop ---- */

static bool counts_with(const struct ir_stmt *stmt, const void *symbol)
{
    return stmt->kind == IR_FOR && stmt->canonical && stmt->iterator == symbol;
}

/* Mentions outside of the loops that set it first. */
static size_t count_outside(const struct ir_stmt *stmt, const struct ir_symbol *symbol)
{
    if (!stmt)
        return 0;
    struct ir_stmt head = *stmt;
    head.child_nr = 0;
    size_t nr = rewrite_count(&head, symbol);
    for (size_t i = 0; i < stmt->child_nr && !counts_with(stmt, symbol); i++)
        nr += count_outside(stmt->child[i], symbol);
    return nr;
}

/* `int j = 0; for (j = 0; ...)` in a loop: the first 0 is never read. */
static void drop_initialisers(struct ir_stmt *block)
{
    for (size_t i = 0; i < block->child_nr; i++) {
        struct ir_stmt *stmt = block->child[i];
        const struct ir_symbol *symbol = stmt->symbol;
        if (stmt->kind == IR_DECL && stmt->expr && symbol->in_loop && !symbol->dim_nr &&
            !rewrite_has_effects(stmt->expr) && stmt_find(block, counts_with, symbol) &&
            !count_outside(block, symbol) && !rewrite_in_text(block, symbol))
            stmt->expr = NULL;
    }
}

/* Child i of the statement, a loop that does not count as it is written. */
static void count_loop(struct parse *p, struct ir_stmt *stmt, size_t i, bool in_loop)
{
    struct ir_stmt *loop = stmt->child[i];
    const struct ir_symbol *symbol = loop->is_do ? NULL : stepped_by(loop);
    struct ir_stmt *place =
        symbol ? count_on(p, loop, lives_on(p, stmt, i, in_loop, symbol)) : NULL;
    if (place)
        stmt->child[i] = place;
    else if (loop->kind == IR_WHILE)
        try_while(p, stmt, i, in_loop);
    else if (!parse_count_head(p, loop))
        stmt->child[i] = parse_take_out(p, loop);
}

static void count_below(struct parse *p, struct ir_stmt *stmt, bool in_loop)
{
    bool loops = stmt && (stmt->kind == IR_FOR || stmt->kind == IR_WHILE);
    for (size_t i = 0; stmt && i < stmt->child_nr; i++)
        count_below(p, stmt->child[i], in_loop || loops);
    for (size_t i = 0; stmt && i < stmt->child_nr; i++)
        if (stmt->child[i] && stmt->child[i]->kind == IR_FOR &&
            !stmt->child[i]->canonical)
            count_loop(p, stmt, i, in_loop || loops);
    for (size_t i = stmt ? stmt->child_nr : 0; i-- > 0;) /* settings go away */
        if (stmt->child[i] && stmt->child[i]->kind == IR_WHILE)
            count_loop(p, stmt, i, in_loop || loops);
    if (stmt && stmt->kind == IR_BLOCK)
        drop_initialisers(stmt);
}

void parse_follow_counts(struct parse *p)
{
    count_below(p, p->function->body, false);
}
