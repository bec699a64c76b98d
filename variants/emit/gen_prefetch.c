/*
 * Software prefetches. For a stream one per cache line, in a loop over lines around the
 * loop; for other accesses one per iteration, in a loop of their own before a simd loop.
 * The iteration fetched is clamped to the last one of the whole loop, so that an index
 * array is never read beyond its end.
 */
#include <stdlib.h>
#include <string.h>

#include "variants/emit/gen_fetch.h"
#include "variants/ir/sum.h"
#include "variants/model/model_affine.h"

/* ---- rows ---- */

/*
 * Prefetches in loops inside of statements that the model does not take apart, such as
 * the rows of a sparse matrix. No index array is read where the loop does not read it.
 */

enum { INNER_FETCHES_MAX = 16 };

struct inner {
    struct gen *gen;
    struct code *code; /* the statement */
    const struct ir_stmt *loop, *above[DEPTH_MAX];
    size_t above_nr;
    struct ir_stmt *into;
    const struct ir_expr *source[INNER_FETCHES_MAX]; /* elements, as they are now */
    size_t source_nr;
    size_t *done;
};

/* It has now the value that it has when the iteration fetched for comes. */
static bool holds_still(const struct inner *at, const struct ir_expr *expr)
{
    bool still = expr->kind != IR_CALL && expr->kind != IR_ASSIGN && expr->kind != IR_RAW;
    if (expr->kind == IR_NAME && expr->symbol != at->loop->iterator)
        still = !stmt_find(at->loop->child[0], lookahead_sets, expr->symbol);
    for (size_t i = 0; still && i < expr->arg_nr; i++)
        still = holds_still(at, expr->arg[i]);
    return still;
}

/* The loop of the source around the statement when that runs in each of its iterations.
 */
static const struct loop *row_loop(const struct inner *at)
{
    const struct statement *statement = &at->gen->nest->statement[at->code->statement];
    if (!statement->depth || at->above_nr)
        return NULL;
    const struct loop *loop = statement->loop[statement->depth - 1];
    const struct ir_stmt *body = loop->stmt->child[0];
    bool direct = body == statement->stmt;
    for (size_t i = 0; body->kind == IR_BLOCK && i < body->child_nr; i++)
        direct = direct || body->child[i] == statement->stmt;
    return direct && loop->stmt->step == 1 && statement->stmt->kind == IR_FOR ? loop
                                                                              : NULL;
}

/* for (k = p[i]; k < p[i + 1]; k++) in all iterations of i: one row follows the other, so
 * that any k below the last row's end belongs to some row. Where the last k lies to look
 * ahead from, exclusive, or NULL. */
static struct ir_expr *rows_end(const struct inner *at)
{
    struct gen *gen = at->gen;
    const struct loop *row = row_loop(at);
    const struct statement *statement = &gen->nest->statement[at->code->statement];
    const struct ir_stmt *loop = row ? statement->stmt : NULL;
    if (!loop || loop->step != 1 || strcmp(loop->cmp, "<") || at->loop->step < 1 ||
        strcmp(at->loop->iterator->name, loop->iterator->name) || !at->code->iterator_nr)
        return NULL;
    struct ir_expr *lower = fetch_resolved(gen, loop->lower),
                   *upper = fetch_resolved(gen, loop->upper);
    if (lower->kind != IR_INDEX)
        return NULL;
    struct ir_symbol *iterator = row->stmt->iterator;
    struct ir_expr *next = expr_plus(gen->arena, ir_name(gen->arena, iterator), 1);
    struct ir_expr *after = ir_substitute(gen->arena, lower, &iterator, &next, 1);
    struct buf a = {0}, b = {0};
    ir_print_expr(&a, expr_simplify(gen->arena, after));
    ir_print_expr(&b, expr_simplify(gen->arena, upper));
    bool rows = !strcmp(buf_str(&a), buf_str(&b)) && holds_still(at, lower) &&
                !fetch_may_change(gen->nest, expr_root(lower));
    buf_release(&a);
    buf_release(&b);
    if (!rows)
        return NULL;
    struct ir_symbol *symbol[DEPTH_MAX];
    struct ir_expr *by[DEPTH_MAX];
    for (size_t i = 0; i < statement->depth; i++) {
        symbol[i] = statement->loop[i]->stmt->iterator;
        by[i] = at->code->iterator[i];
    }
    struct ir_expr *last = ir_substitute(gen->arena, loop_last(gen, row->stmt), symbol,
                                         by, statement->depth);
    by[statement->depth - 1] = last;
    struct ir_expr *end = ir_substitute(gen->arena, upper, symbol, by, statement->depth);
    return expr_plus(gen->arena, end, 1 - at->loop->step); /* of each of its copies */
}

/* k + d < end ? k + d : k */
static struct ir_expr *within(struct gen *gen, struct ir_expr *now, struct ir_expr *end,
                              long long distance)
{
    struct ir_expr *expr = ir_expr_new(gen->arena, IR_COND, 3);
    struct ir_expr *lookahead = expr_plus(gen->arena, now, distance);
    expr->type = now->type;
    expr->arg[0] = ir_binary(gen->arena, "<", lookahead, end);
    expr->arg[1] = lookahead;
    expr->arg[2] = now;
    return expr;
}

static void put_inner(struct inner *at, struct ir_stmt *stmt)
{
    at->into->child[at->into->child_nr++] = stmt;
}

/* The element as it is now says what is fetched already. */
static bool is_new_inner(struct inner *at, const struct ir_expr *source, bool near)
{
    for (size_t i = 0; i < at->source_nr; i++)
        if (expr_equal(at->source[i], source) ||
            (near && ahead_is_near(at->gen, at->source[i], source)))
            return false;
    if (at->source_nr == INNER_FETCHES_MAX)
        return false;
    at->source[at->source_nr++] = source;
    ++*at->done;
    return true;
}

static bool is_held(const struct ir_symbol *symbol, const void *data)
{
    const struct inner *at = data;
    return symbol == at->loop->iterator ||
           !stmt_find(at->loop->child[0], lookahead_sets, symbol);
}

/* The same in all rows: what the row's loop sets has other values there. */
static bool is_of_any_row(const struct inner *at, const struct ir_expr *expr)
{
    const struct statement *statement = &at->gen->nest->statement[at->code->statement];
    const struct ir_symbol *symbol = expr->kind == IR_NAME ? expr->symbol : NULL;
    bool any = !symbol || symbol == at->loop->iterator || symbol->type.pointers ||
               symbol->dim_nr || symbol_is_param(at->gen->nest, symbol);
    for (size_t i = 0; !any && i + 1 < statement->depth; i++)
        any = statement->loop[i]->stmt->iterator == symbol;
    for (size_t i = 0; any && i < expr->arg_nr; i++)
        any = is_of_any_row(at, expr->arg[i]);
    return any;
}

/* What is loaded on the way to the element. */
static bool loads_of_any_row(const struct inner *at, const struct ir_expr *expr)
{
    const struct ir_symbol *root = expr_root(expr);
    bool any = !root || !symbol_has_rows(root);
    for (; any && expr->kind == IR_INDEX; expr = expr->arg[0])
        any = !expr_loads(expr->arg[1]) || is_of_any_row(at, expr->arg[1]);
    return any;
}

static bool ends_early(const struct ir_stmt *stmt, const void *data)
{
    (void)data;
    return stmt->kind == IR_RETURN || stmt->kind == IR_OPAQUE ||
           (stmt->kind == IR_JUMP && !strncmp(stmt->text, "goto", 4));
}

static struct ir_expr *inner_lookahead(const struct inner *at,
                                       const struct ir_expr *element,
                                       const struct ir_expr *cond,
                                       const struct prefetch *prefetch)
{
    struct gen *gen = at->gen;
    struct ir_symbol *iterator = at->loop->iterator;
    struct ir_expr *now = ir_name(gen->arena, iterator), *end = rows_end(at);
    size_t index = (size_t)(prefetch - gen->work->prefetch);
    bool far = end && loads_of_any_row(at, element) && (!cond || is_of_any_row(at, cond));
    if (!far)
        return fetch_clamped(gen, at->loop->step, now, loop_last(gen, at->loop),
                             prefetch->distance);
    at->code->followed |= index < 64 ? 1ULL << index : 0;
    return within(gen, now, end, prefetch->distance);
}

/* const int later = ...; its name. */
static struct ir_expr *named_later(struct inner *at, struct ir_expr *value)
{
    struct gen *gen = at->gen;
    for (size_t i = 0; i < at->into->child_nr; i++)
        if (at->into->child[i]->kind == IR_DECL &&
            expr_equal(at->into->child[i]->expr, value))
            return ir_name(gen->arena, at->into->child[i]->symbol);
    struct ir_stmt *stmt = ir_stmt_new(gen->arena, IR_DECL, 0);
    stmt->symbol = fetch_later(gen, at->loop->iterator);
    stmt->expr = value;
    put_inner(at, stmt);
    return ir_name(gen->arena, stmt->symbol);
}

/* What the loop reads under conditions, or computes the address of. */
static void fetch_inner_later(struct inner *at, const struct ir_expr *wanted,
                              const struct prefetch *prefetch)
{
    struct lookahead_request request = {
        .body = at->loop->child[0], .wanted = wanted, .known = is_held, .data = at};
    struct ir_symbol *iterator = at->loop->iterator;
    struct lookahead lookahead;
    if (stmt_breaks_out(at->loop->child[0]) ||
        stmt_find(at->loop->child[0], ends_early, NULL) ||
        !lookahead_find(at->gen, &request, &lookahead) ||
        !expr_mentions(lookahead.element, iterator))
        return;
    if (!is_new_inner(at, lookahead.element, true))
        return;
    struct ir_arena *arena = at->gen->arena;
    struct ir_expr *by = inner_lookahead(at, lookahead.element, lookahead.cond, prefetch);
    if (lookahead.cond || at->loop->step > 1)
        by = named_later(at, by);
    if (lookahead.cond) {
        lookahead.cond = ir_substitute(arena, lookahead.cond, &iterator, &by, 1);
    }
    put_inner(at, fetch_stmt(at->gen,
                             ir_substitute(arena, lookahead.element, &iterator, &by, 1),
                             lookahead.cond, false, prefetch->level));
}

static void fetch_inner(struct inner *at, struct ir_expr *wanted, bool maybe)
{
    struct gen *gen = at->gen;
    bool element = (wanted->kind == IR_INDEX || wanted->kind == IR_MEMBER) &&
                   !wanted->type.pointers && wanted->type.scalar != IR_RECORD;
    const struct prefetch *prefetch = element ? fetch_wanted(gen, wanted) : NULL;
    struct ir_symbol *iterator = at->loop->iterator;
    if (!prefetch)
        return;
    struct ir_expr *expr = fetch_resolved(gen, wanted);
    if (holds_still(at, expr) && !expr_mentions(expr, iterator))
        return;
    if (!holds_still(at, expr) || !fetch_is_safe(gen, expr) ||
        (maybe && fetch_loads(expr))) {
        fetch_inner_later(at, wanted, prefetch);
        return;
    }
    if (!is_new_inner(at, expr, at->loop->step > 1))
        return;
    struct ir_expr *by = inner_lookahead(at, expr, NULL, prefetch);
    if (at->loop->step > 1) /* one for all copies */
        by = named_later(at, by);
    put_inner(at, fetch_stmt(gen, ir_substitute(gen->arena, expr, &iterator, &by, 1),
                             NULL, false, prefetch->level));
}

/* `maybe`: not in every iteration. */
static void find_inner(struct inner *at, struct ir_expr *expr, bool maybe)
{
    if (!expr)
        return;
    bool decides =
        expr->kind == IR_COND ||
        (expr->kind == IR_BINARY && (!strcmp(expr->op, "&&") || !strcmp(expr->op, "||")));
    fetch_inner(at, expr, maybe);
    for (size_t i = 0; i < expr->arg_nr; i++)
        find_inner(at, expr->arg[i], maybe || (decides && i > 0));
}

/* Loops inside have prefetches of their own. */
static void find_in_stmt(struct inner *at, const struct ir_stmt *stmt, bool maybe)
{
    if (!stmt || (stmt->kind == IR_FOR && stmt->canonical))
        return;
    bool inside =
        maybe || stmt->kind == IR_IF || stmt->kind == IR_WHILE || stmt->kind == IR_FOR;
    find_inner(at, stmt->expr, maybe);
    find_inner(at, stmt->cond, maybe);
    for (size_t i = 0; i < stmt->child_nr; i++)
        find_in_stmt(at, stmt->child[i], inside);
}

static void fetch_in_loop(struct inner *at, struct ir_stmt *stmt)
{
    struct ir_stmt *old = stmt->child[0];
    bool block = old->kind == IR_BLOCK;
    size_t nr = block ? old->child_nr : 1;
    struct ir_stmt *body =
        ir_stmt_new(at->gen->arena, IR_BLOCK, 2 * INNER_FETCHES_MAX + nr);
    struct inner here = *at;
    here.loop = stmt;
    here.into = body;
    body->child_nr = 0;
    find_in_stmt(&here, old, stmt_breaks_out(old));
    if (!body->child_nr)
        return;
    for (size_t i = 0; i < nr; i++)
        put_inner(&here, block ? old->child[i] : old);
    stmt->child[0] = body;
}

static void fetch_in_stmt(struct inner *at, struct ir_stmt *stmt)
{
    if (!stmt)
        return;
    bool loop = stmt->kind == IR_FOR && stmt->canonical;
    if (loop)
        fetch_in_loop(at, stmt);
    if (loop && at->above_nr < DEPTH_MAX)
        at->above[at->above_nr++] = stmt;
    for (size_t i = 0; i < stmt->child_nr; i++)
        fetch_in_stmt(at, stmt->child[i]);
    at->above_nr -= loop && at->above_nr;
}

/* of what is packed: places */
static size_t fetch_collapsed(struct gen *gen, struct code *code)
{
    size_t done = 0;
    struct inner at = {.gen = gen, .code = code, .done = &done};
    fetch_in_stmt(&at, code->stmt);
    return done;
}

/* ---- gen prefetch ---- */

struct fetch {
    struct ir_expr *expr;      /* the element */
    struct ir_expr *plain;     /* the same with the iteration written out */
    struct ir_expr *cond;      /* only then; NULL = always */
    struct ir_symbol *later;   /* with a condition: the iteration's name in both */
    struct ir_expr *iteration; /* and what it is */
    bool stream, write;
    int level;
    long long iterations; /* stream: per line */
};

struct fetches {
    struct gen *gen;
    struct code *loop;
    struct fetch *item;
    size_t nr, alloc;
};

/* ---- finding what to fetch in one loop ---- */

/* The element of an array of structs that holds the field. */
static const struct ir_expr *record_of(const struct ir_expr *expr)
{
    while (expr->kind == IR_MEMBER && !expr->is_arrow)
        expr = expr->arg[0];
    return expr;
}

bool fetch_is_stream(const struct gen *gen, const struct ir_expr *expr,
                     const struct ir_symbol *iterator, long long step,
                     long long *iterations)
{
    long long coefficient;
    expr = record_of(expr);
    if (expr->kind != IR_INDEX ||
        !expr_coefficient(expr->arg[1], iterator, &coefficient) || !coefficient ||
        expr_mentions(expr->arg[0], iterator))
        return false;
    long long bytes = coefficient * step * (long long)expr->type.bytes;
    bytes = bytes < 0 ? -bytes : bytes;
    *iterations = bytes ? gen->model->request.line_bytes / bytes : 0;
    return *iterations >= 2;
}

/* The same line of a stream, or the very same element, is fetched once. */
static bool is_known(const struct fetches *all, const struct fetch *new)
{
    for (size_t i = 0; i < all->nr; i++) {
        struct fetch *old = &all->item[i];
        const struct ir_expr *a = record_of(old->plain), *b = record_of(new->plain);
        bool line = old->stream && new->stream &&expr_equal(a->arg[0], b->arg[0]);
        bool record = a->type.scalar == IR_RECORD && expr_equal(a, b) &&
                      (int)a->type.bytes <= all->gen->model->request.line_bytes;
        bool near = new->cond &&ahead_is_near(all->gen, old->plain, new->plain);
        if (!expr_equal(old->plain, new->plain) && !line && !record && !near)
            continue;
        if (!lookahead_implies(new->cond, old->cond) &&
            !lookahead_implies(old->cond, new->cond))
            continue;
        if (!lookahead_implies(new->cond, old->cond))
            old->cond = new->cond;
        old->write = old->write || new->write;
        return true;
    }
    return false;
}

/* The loop of the new code right around the innermost one is the source's, too. */
static bool is_nested_as_written(const struct code *inner,
                                 const struct statement *statement, size_t pos)
{
    const struct code *at = inner->parent;
    while (at && (at->kind == CODE_BLOCK || (at->kind == CODE_IF && !at->cond)))
        at = at->parent;
    return pos > 0 && at && at->kind == CODE_FOR && !at->no_fetch && at->band &&
           at->band->role == BAND_LOOP && at->band->loop == statement->loop[pos - 1];
}

/* Loops inside fetch it, those of the next rows too. */
static bool is_followed(const struct gen *gen, const struct code *code,
                        const struct ir_expr *wanted)
{
    size_t index = (size_t)(fetch_wanted(gen, wanted) - gen->work->prefetch);
    return index < 64 && (code->followed >> index & 1);
}

enum where { HERE, IN_INNER_LOOP, UNDER_CONDITION };

static bool is_wanted_here(const struct fetches *all, const struct statement *statement,
                           const struct code *code, const struct ir_expr *wanted,
                           enum where where, struct lookahead *lookahead)
{
    struct gen *gen = all->gen;
    size_t pos = (size_t)all->loop->band->loop->depth;
    const struct ir_symbol *iterator = statement->loop[pos]->stmt->iterator;
    struct ir_expr *expr = fetch_resolved(gen, (struct ir_expr *)wanted);
    if (where == IN_INNER_LOOP)
        return statement->depth == pos + 2 &&
               fetch_is_one_line(gen, statement, pos + 1, wanted) &&
               fetch_reached_later(gen, statement, pos, wanted, lookahead);
    *lookahead = (struct lookahead){.element = expr};
    if (fetch_only_known(gen, expr, statement) && !expr_mentions(expr, iterator))
        return false;
    if (where == HERE && statement->depth == pos + 1 &&
        is_nested_as_written(all->loop, statement, pos) &&
        fetch_is_one_line(gen, statement, pos, wanted))
        return false;
    if (where == HERE && fetch_is_direct(gen, statement, all->loop->band, wanted, expr) &&
        !fetch_has_own_size(statement, wanted))
        return true;
    return statement->depth == pos + 1 && !is_followed(gen, code, wanted) &&
           fetch_reached_later(gen, statement, pos, wanted, lookahead) &&
           (where == HERE || lookahead->cond);
}

/* Named inside of the loop, it is not there where the prefetch stands. */
static bool is_set_below(const struct code *code, const struct ir_expr *expr)
{
    bool found = false;
    for (size_t i = 0; !found && i < code->child_nr; i++)
        found = (code->child[i]->var && expr_mentions(expr, code->child[i]->var)) ||
                is_set_below(code->child[i], expr);
    return found;
}

static void name_iteration(const struct fetches *all, const struct ir_symbol *iterator,
                           struct ir_expr **by, struct fetch *new)
{
    struct gen *gen = all->gen;
    new->iteration = *by;
    for (size_t i = 0; i < all->nr && !new->later; i++)
        if (all->item[i].later && expr_equal(all->item[i].iteration, *by))
            new->later = all->item[i].later;
    if (!new->later)
        new->later = fetch_later(gen, iterator);
    *by = ir_name(gen->arena, new->later);
}

static void add_fetch(struct fetches *all, const struct code *code,
                      const struct access *access, enum where where)
{
    struct gen *gen = all->gen;
    const struct loop *loop = all->loop->band->loop;
    const struct statement *statement = &gen->nest->statement[code->statement];
    const struct prefetch *prefetch = fetch_wanted(gen, access->expr);
    size_t pos = (size_t)loop->depth;
    long long step = run_step(all->loop->band);
    struct ir_symbol *symbol[DEPTH_MAX];
    struct ir_expr *by[DEPTH_MAX], *at[DEPTH_MAX];
    struct lookahead lookahead;
    if (!prefetch || access->in_call || pos >= statement->depth ||
        statement->loop[pos] != loop ||
        !is_wanted_here(all, statement, code, access->expr, where, &lookahead))
        return;
    struct fetch new = {.write = access->write, .level = prefetch->level};
    new.stream = fetch_is_stream(gen, lookahead.element, loop->stmt->iterator, step,
                                 &new.iterations);
    for (size_t i = 0; i < statement->depth; i++) {
        symbol[i] = statement->loop[i]->stmt->iterator;
        by[i] = at[i] = code->iterator[i];
    }
    struct ir_expr *last = ir_substitute(gen->arena, run_last(gen, all->loop->band),
                                         symbol, by, statement->depth);
    by[pos] = fetch_clamped(gen, step, at[pos], expr_simplify(gen->arena, last),
                            prefetch->distance);
    new.plain =
        ir_substitute(gen->arena, lookahead.element, symbol, by, statement->depth);
    if (lookahead.cond && !new.stream)
        name_iteration(all, loop->stmt->iterator, &by[pos], &new);
    new.expr = ir_substitute(gen->arena, lookahead.element, symbol, by, statement->depth);
    if (lookahead.cond)
        new.cond =
            ir_substitute(gen->arena, lookahead.cond, symbol, by, statement->depth);
    if (is_set_below(all->loop, new.expr) ||
        (new.iteration &&is_set_below(all->loop, new.iteration)) ||
        (new.cond &&is_set_below(all->loop, new.cond)) || is_known(all, &new))
        return;
    GROW(all->item, all->nr + 1, all->alloc);
    all->item[all->nr++] = new;
}

/* What stands under conditions of the new code only (the corners that unrolling leaves)
 * is not fetched; under those of the source, where they will hold. */
static void find_fetches(struct fetches *all, const struct code *code, enum where where)
{
    if (code->kind == CODE_STMT && code->statement != SIZE_MAX) {
        const struct statement *statement = &all->gen->nest->statement[code->statement];
        for (size_t i = statement->access_begin; i < statement->access_end; i++)
            add_fetch(all, code, &all->gen->nest->access[i], where);
    }
    where = code->kind == CODE_IF && code->cond ? UNDER_CONDITION : where;
    for (size_t i = 0; i < code->child_nr; i++)
        if (code->child[i]->kind != CODE_FOR)
            find_fetches(all, code->child[i], where);
        else if (where == HERE)
            find_fetches(all, code->child[i]->child[0], IN_INNER_LOOP);
}

/* ---- putting them in place ---- */

static struct code *fetch_code(struct gen *gen, const struct fetch *fetch,
                               const struct ir_symbol *var, struct ir_symbol *in)
{
    struct code *code = code_new(CODE_STMT);
    struct ir_expr *expr = fetch->expr, *cond = fetch->cond;
    struct ir_expr *by = in ? ir_name(gen->arena, in) : NULL;
    struct ir_symbol *from = (struct ir_symbol *)var;
    if (in)
        expr = ir_substitute(gen->arena, expr, &from, &by, 1);
    if (in && cond)
        cond = ir_substitute(gen->arena, cond, &from, &by, 1);
    code->statement = SIZE_MAX;
    code->stmt = fetch_stmt(gen, expr, cond, fetch->write, fetch->level);
    return code;
}

/* const int later = ...; at the beginning of the block that the prefetches went to. */
static void name_iterations(const struct fetches *all, struct code *block)
{
    for (size_t i = all->nr; i-- > 0;) {
        const struct fetch *item = &all->item[i];
        bool first = item->later != NULL;
        for (size_t k = 0; first && k < i; k++)
            first = all->item[k].later != item->later;
        if (!first)
            continue;
        struct code *line = code_new(CODE_LET);
        line->var = item->later;
        line->lower = item->iteration;
        code_insert(block, 0, line);
    }
}

static long long strip_length(const struct fetches *all)
{
    long long source = run_step(all->loop->band), unroll = all->loop->step / source,
              length = 0;
    for (size_t i = 0; i < all->nr; i++)
        if (all->item[i].stream && (!length || all->item[i].iterations < length))
            length = all->item[i].iterations;
    if (!length)
        length = all->gen->model->request.line_bytes / 4;
    unroll = unroll > 0 ? unroll : 1;
    return length < unroll ? unroll : length / unroll * unroll;
}

static struct code *loop_like(const struct code *loop)
{
    struct code *new = code_new(CODE_FOR);
    new->var = loop->var;
    new->lower = loop->lower;
    new->upper = loop->upper;
    new->step = loop->step;
    new->declares = loop->declares;
    new->band = loop->band;
    code_add(new, code_new(CODE_BLOCK));
    return new;
}

/* The loop becomes: for lines { prefetches; for the iterations of one line }. */
static void strip(struct fetches *all)
{
    struct gen *gen = all->gen;
    struct code *loop = all->loop, *outer = loop_like(loop), *parent = loop->parent,
                *lookahead = NULL;
    long long size = strip_length(all) * run_step(loop->band);
    size_t at = code_index(loop);
    outer->var = gen_symbol(
        gen, gen_name(gen, ir_textf(gen->arena, "%sp", loop->var->name), false),
        &ir_long);
    outer->step = size;
    outer->declares = true;
    loop->lower = ir_name(gen->arena, outer->var);
    struct ir_expr *end = expr_plus(gen->arena, ir_name(gen->arena, outer->var), size);
    loop->upper = fetch_pick(gen, size > 0 ? "min" : "max", outer->upper, end);
    gen->need_max = gen->need_max || size < 0;
    for (size_t i = 0; i < all->nr; i++)
        if (all->item[i].stream)
            code_add(outer->child[0],
                     fetch_code(gen, &all->item[i], loop->var, outer->var));
    for (size_t i = 0; i < all->nr; i++) {
        if (all->item[i].stream)
            continue;
        if (loop->simd && !lookahead)
            code_add(outer->child[0], lookahead = loop_like(loop));
        struct code *fetch = fetch_code(gen, &all->item[i], loop->var, NULL);
        code_insert(lookahead ? lookahead->child[0] : loop->child[0],
                    lookahead ? lookahead->child[0]->child_nr : 0, fetch);
    }
    name_iterations(all, lookahead ? lookahead->child[0] : loop->child[0]);
    if (loop->parallel) {
        long long lines = size / loop->step;
        outer->parallel = true;
        outer->chunk = (loop->chunk + lines - 1) / lines;
        loop->parallel = false;
    }
    parent->child[at] = outer;
    outer->parent = parent;
    code_add(outer->child[0], loop);
}

/* A loop over the elements of one line stored past the caches, see gen_stream.c: what it
 * reads as streams is fetched before it. */
static void put_before_line(struct fetches *all)
{
    struct gen *gen = all->gen;
    struct code *loop = all->loop, *block = loop->parent, *lookahead = NULL;
    struct ir_symbol *start = block->parent->var, *var = loop->var;
    for (size_t i = 0; i < all->nr; i++) {
        struct fetch fetch = all->item[i], *item = &all->item[i];
        for (long long k = 0; item->stream && k < loop->line; k += item->iterations) {
            struct ir_expr *by = expr_plus(gen->arena, ir_name(gen->arena, start), k);
            fetch.expr = ir_substitute(gen->arena, item->expr, &var, &by, 1);
            if (item->cond)
                fetch.cond = ir_substitute(gen->arena, item->cond, &var, &by, 1);
            code_insert(block, code_index(loop), fetch_code(gen, &fetch, NULL, NULL));
        }
        if (item->stream)
            continue;
        if (loop->simd && !lookahead)
            code_insert(block, code_index(loop), lookahead = loop_like(loop));
        struct code *into = lookahead ? lookahead->child[0] : loop->child[0];
        code_insert(into, lookahead ? into->child_nr : 0,
                    fetch_code(gen, item, NULL, NULL));
    }
    name_iterations(all, lookahead ? lookahead->child[0] : loop->child[0]);
}

static void put(struct fetches *all)
{
    bool stream = false;
    for (size_t i = 0; i < all->nr; i++)
        stream = stream || all->item[i].stream;
    if (all->loop->line) {
        put_before_line(all);
        return;
    }
    bool innermost = !code_has_loop(all->loop->child[0]);
    if (innermost && (stream || all->loop->simd)) {
        if (!gen_allows(all->gen, all->loop, CHANGE_FETCHED))
            return;
        strip(all);
        return;
    }
    for (size_t i = all->nr; i-- > 0;)
        code_insert(all->loop->child[0], 0,
                    fetch_code(all->gen, &all->item[i], NULL, NULL));
    name_iterations(all, all->loop->child[0]);
}

static bool is_collapsed(const struct gen *gen, const struct code *code)
{
    return code->kind == CODE_STMT && code->statement != SIZE_MAX &&
           gen->nest->statement[code->statement].collapsed;
}

static size_t fetch_below(struct gen *gen, struct code *code)
{
    size_t done = 0;
    if (is_collapsed(gen, code))
        done += fetch_collapsed(gen, code);
    for (size_t i = 0, nr; i < code->child_nr; i++) {
        nr = code->child_nr;
        done += fetch_below(gen, code->child[i]);
        i += code->child_nr - nr; /* what was put before it */
    }
    if (code->kind != CODE_FOR || code->no_fetch)
        return done;
    struct fetches all = {.gen = gen, .loop = code};
    find_fetches(&all, code->child[0], HERE);
    if (all.nr)
        put(&all);
    done += all.nr;
    free(all.item);
    return done;
}

void gen_prefetches(struct gen *gen, struct code *code)
{
    if (!gen->work->prefetch_nr)
        return;
    gen_later(gen, code);
    gen->work->fetched += fetch_copies(gen->work) + fetch_below(gen, code);
}
