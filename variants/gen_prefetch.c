/*
 * Software prefetches. For a stream one per cache line, in a loop over lines around the
 * loop; for other accesses one per iteration, in a loop of their own before a simd loop.
 * The iteration fetched is clamped to the last one of the whole loop, so that an index
 * array is never read beyond its end.
 */
#include "variants/gen.h"

#include <stdlib.h>
#include <string.h>

struct fetch {
    struct ir_expr *expr; /* the element */
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

static bool stream_of(struct gen *gen, const struct ir_expr *expr,
                      const struct ir_stmt *loop, long long *iterations)
{
    long long coefficient;
    expr = record_of(expr);
    if (expr->kind != IR_INDEX ||
        !expr_coefficient(expr->arg[1], loop->iterator, &coefficient) || !coefficient)
        return false;
    for (const struct ir_expr *at = expr->arg[0]; at->kind == IR_INDEX; at = at->arg[0])
        if (expr_mentions(at->arg[1], loop->iterator))
            return false;
    long long bytes = coefficient * loop->step * (long long)expr->type.bytes;
    bytes = bytes < 0 ? -bytes : bytes;
    *iterations = bytes ? gen->model->request.line_bytes / bytes : 0;
    return *iterations >= 2;
}

/* The same line of a stream, or the very same element, is fetched once. */
static bool is_known(const struct fetches *all, const struct fetch *new)
{
    for (size_t i = 0; i < all->nr; i++) {
        struct fetch *old = &all->item[i];
        const struct ir_expr *a = record_of(old->expr), *b = record_of(new->expr);
        bool line = old->stream && new->stream &&expr_equal(a->arg[0], b->arg[0]);
        bool record = a->type.scalar == IR_RECORD && expr_equal(a, b) &&
                      (int)a->type.bytes <= all->gen->model->request.line_bytes;
        if (!expr_equal(old->expr, new->expr) && !line && !record)
            continue;
        old->write = old->write || new->write;
        return true;
    }
    return false;
}

static bool only_known(const struct gen *gen, const struct ir_expr *expr,
                       const struct statement *statement)
{
    bool known = expr->kind != IR_NAME || expr->symbol->type.pointers ||
                 symbol_is_param(gen->nest, expr->symbol);
    for (size_t i = 0; !known && i < statement->depth; i++)
        known = statement->loop[i]->stmt->iterator == expr->symbol;
    for (size_t i = 0; known && i < expr->arg_nr; i++)
        known = only_known(gen, expr->arg[i], statement);
    return known;
}

static bool holds_always(const struct ir_expr *expr, const struct ir_expr *wanted)
{
    bool found = expr == wanted;
    bool decides =
        expr->kind == IR_COND ||
        (expr->kind == IR_BINARY && (!strcmp(expr->op, "&&") || !strcmp(expr->op, "||")));
    for (size_t i = 0; !found && i < (decides ? 1 : expr->arg_nr); i++)
        found = holds_always(expr->arg[i], wanted);
    return found;
}

/* Whenever the statement runs, whatever its conditions. */
static bool always_read(const struct ir_stmt *stmt, const struct ir_expr *wanted)
{
    bool found = (stmt->expr && holds_always(stmt->expr, wanted)) ||
                 (stmt->kind == IR_IF && holds_always(stmt->cond, wanted));
    for (size_t i = 0; !found && stmt->kind == IR_BLOCK && i < stmt->child_nr; i++)
        found = always_read(stmt->child[i], wanted);
    return found;
}

/* With every iteration of the loop all later ones run, of the same outer iterations: what
 * subscripts load ahead is loaded later anyway. */
static bool runs_on(struct nest *nest, const struct statement *statement, size_t pos)
{
    struct affine at = affine_of(nest, statement);
    unsigned above = (unsigned)pos + 1, below = (unsigned)(statement->depth - pos - 1);
    isl_set *bounds = isl_set_universe(isl_space_copy(at.space));
    for (size_t i = 0; i <= pos; i++)
        bounds = isl_set_intersect(bounds, affine_loop(&at, statement->loop[i], i));
    bounds = isl_set_project_out(bounds, isl_dim_set, above, below);
    isl_set *runs =
        isl_set_project_out(isl_set_copy(statement->domain), isl_dim_set, above, below);
    runs = isl_set_reset_tuple_id(runs);
    bounds = isl_set_reset_tuple_id(bounds);
    isl_map *later = isl_map_universe(isl_space_map_from_set(isl_set_get_space(runs)));
    for (size_t i = 0; i < pos; i++)
        later = isl_map_equate(later, isl_dim_in, (int)i, isl_dim_out, (int)i);
    bool up = statement->loop[pos]->stmt->step > 0;
    later = isl_map_order_lt(later, up ? isl_dim_in : isl_dim_out, (int)pos,
                             up ? isl_dim_out : isl_dim_in, (int)pos);
    isl_set *all = isl_set_apply(isl_set_copy(runs), later);
    all = isl_set_intersect(all, bounds);
    isl_bool covered = isl_set_is_subset(all, runs);
    isl_set_free(all);
    isl_set_free(runs);
    isl_space_free(at.space);
    return covered == isl_bool_true;
}

static void add_fetch(struct fetches *all, const struct code *code,
                      const struct access *access)
{
    struct gen *gen = all->gen;
    const struct loop *loop = all->loop->band->loop;
    const struct statement *statement = &gen->nest->statement[code->statement];
    const struct prefetch *prefetch = fetch_wanted(gen, access->expr);
    struct ir_symbol *symbol[DEPTH_MAX];
    struct ir_expr *by[DEPTH_MAX], *at[DEPTH_MAX];
    if (!prefetch || (size_t)loop->depth >= statement->depth ||
        statement->loop[loop->depth] != loop)
        return;
    struct ir_expr *expr = fetch_resolved(gen, (struct ir_expr *)access->expr);
    if (!expr_mentions(expr, loop->stmt->iterator) || !only_known(gen, expr, statement) ||
        !fetch_is_safe(gen, expr))
        return;
    if (fetch_loads(expr) && (!always_read(statement->stmt, access->expr) ||
                              !runs_on(gen->nest, statement, (size_t)loop->depth)))
        return;
    struct fetch new = {.write = access->write, .level = prefetch->level};
    new.stream = stream_of(gen, expr, loop->stmt, &new.iterations);
    for (size_t i = 0; i < statement->depth; i++) {
        symbol[i] = statement->loop[i]->stmt->iterator;
        by[i] = at[i] = code->iterator[i];
    }
    struct ir_expr *last = ir_substitute(gen->arena, loop_last(gen, loop->stmt), symbol,
                                         by, statement->depth);
    by[loop->depth] = fetch_clamped(gen, loop->stmt, at[loop->depth],
                                    expr_simplify(gen->arena, last), prefetch->distance);
    new.expr = ir_substitute(gen->arena, expr, symbol, by, statement->depth);
    if (is_known(all, &new))
        return;
    GROW(all->item, all->nr + 1, all->alloc);
    all->item[all->nr++] = new;
}

/* What stands under a condition (the corners that unrolling leaves) is not fetched: its
 * subscripts may be out of range where the condition does not hold. */
static void find_fetches(struct fetches *all, const struct code *code)
{
    if (code->kind == CODE_STMT && code->statement != SIZE_MAX) {
        const struct statement *statement = &all->gen->nest->statement[code->statement];
        for (size_t i = statement->access_begin; i < statement->access_end; i++)
            add_fetch(all, code, &all->gen->nest->access[i]);
    }
    bool inside = code->kind != CODE_FOR && !(code->kind == CODE_IF && code->cond);
    for (size_t i = 0; inside && i < code->child_nr; i++)
        find_fetches(all, code->child[i]);
}

/* ---- putting them in place ---- */

static struct code *fetch_code(struct gen *gen, const struct fetch *fetch,
                               const struct ir_symbol *var, struct ir_symbol *in)
{
    struct code *code = code_new(CODE_STMT);
    struct ir_expr *expr = fetch->expr, *by = in ? ir_name(gen->arena, in) : NULL;
    struct ir_symbol *from = (struct ir_symbol *)var;
    if (in)
        expr = ir_substitute(gen->arena, expr, &from, &by, 1);
    code->statement = SIZE_MAX;
    code->stmt = ir_stmt_new(gen->arena, IR_EXPR, 0);
    code->stmt->expr = fetch_call(gen, expr, fetch->write, fetch->level);
    return code;
}

static long long strip_length(const struct fetches *all)
{
    long long source = all->loop->band->loop->stmt->step,
              unroll = all->loop->step / source, length = 0;
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
                *ahead = NULL;
    long long size = strip_length(all) * loop->band->loop->stmt->step;
    size_t at = code_index(loop);
    outer->var = gen_symbol(
        gen, gen_name(gen, ir_textf(gen->arena, "%sp", loop->var->name), false),
        &loop->var->type);
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
        if (loop->simd && !ahead)
            code_add(outer->child[0], ahead = loop_like(loop));
        struct code *fetch = fetch_code(gen, &all->item[i], loop->var, NULL);
        code_insert(ahead ? ahead->child[0] : loop->child[0],
                    ahead ? ahead->child[0]->child_nr : 0, fetch);
    }
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
    struct code *loop = all->loop, *block = loop->parent, *ahead = NULL;
    struct ir_symbol *start = block->parent->var, *var = loop->var;
    for (size_t i = 0; i < all->nr; i++) {
        struct fetch fetch = all->item[i], *item = &all->item[i];
        for (long long k = 0; item->stream && k < loop->line; k += item->iterations) {
            struct ir_expr *by = expr_plus(gen->arena, ir_name(gen->arena, start), k);
            fetch.expr = ir_substitute(gen->arena, item->expr, &var, &by, 1);
            code_insert(block, code_index(loop), fetch_code(gen, &fetch, NULL, NULL));
        }
        if (item->stream)
            continue;
        if (loop->simd && !ahead)
            code_insert(block, code_index(loop), ahead = loop_like(loop));
        struct code *into = ahead ? ahead->child[0] : loop->child[0];
        code_insert(into, ahead ? into->child_nr : 0, fetch_code(gen, item, NULL, NULL));
    }
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
        strip(all);
        return;
    }
    for (size_t i = all->nr; i-- > 0;)
        code_insert(all->loop->child[0], 0,
                    fetch_code(all->gen, &all->item[i], NULL, NULL));
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
    find_fetches(&all, code->child[0]);
    if (all.nr)
        put(&all);
    done += all.nr;
    free(all.item);
    return done;
}

void gen_prefetches(struct gen *gen, struct code *code)
{
    if (gen->work->prefetch_nr)
        gen->work->fetched = fetch_copies(gen->work) + fetch_below(gen, code);
}
