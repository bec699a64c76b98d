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

static const struct ir_symbol *root_of(const struct ir_expr *expr)
{
    while (expr->kind == IR_INDEX || expr->kind == IR_MEMBER)
        expr = expr->arg[0];
    return expr->kind == IR_NAME ? expr->symbol : NULL;
}

static struct ir_expr *call_of(struct gen *gen, const char *name, struct ir_expr *a,
                               struct ir_expr *b)
{
    struct ir_expr *expr = ir_expr_new(gen->arena, IR_CALL, 2);
    expr->text = name;
    expr->type = a->type;
    expr->arg[0] = a;
    expr->arg[1] = b;
    gen->need_min = gen->need_min || *name == 'm';
    return expr;
}

/* The last value that the loop's iterator takes. */
static struct ir_expr *last_value(struct gen *gen, const struct ir_stmt *loop)
{
    struct ir_arena *arena = gen->arena;
    bool inclusive = loop->cmp[1] == '=' && loop->cmp[0] != '!';
    long long add = inclusive ? 0 : loop->step > 0 ? -1 : 1;
    struct ir_expr *end = expr_plus(arena, ir_copy(arena, loop->upper), add);
    if (loop->step == 1 || loop->step == -1)
        return end;
    struct ir_expr *span =
        expr_simplify(arena, ir_binary(arena, "-", end, ir_copy(arena, loop->lower)));
    struct ir_expr *whole =
        ir_binary(arena, "*", ir_binary(arena, "/", span, ir_integer(arena, loop->step)),
                  ir_integer(arena, loop->step));
    return expr_simplify(arena,
                         ir_binary(arena, "+", ir_copy(arena, loop->lower), whole));
}

static struct ir_expr *clamped(struct gen *gen, const struct ir_stmt *loop,
                               struct ir_expr *now, struct ir_expr *last,
                               long long distance)
{
    struct ir_expr *ahead = expr_plus(gen->arena, now, distance * loop->step);
    bool up = loop->step > 0;
    gen->need_max = gen->need_max || !up;
    struct ir_expr *expr = call_of(gen, up ? "min" : "max", ahead, last);
    return expr;
}

/* Locals set once are replaced by what they are set to: count[c] with c = key[i]. */
static struct ir_expr *resolved(struct gen *gen, struct ir_expr *expr)
{
    const struct nest *nest = gen->nest;
    if (expr->kind == IR_NAME && expr->symbol->id >= 0 &&
        nest->declared[expr->symbol->id] && gen->model->init[expr->symbol->id])
        return resolved(gen, gen->model->init[expr->symbol->id]);
    if (!expr->arg_nr)
        return expr;
    struct ir_expr *copy = ir_expr_new(gen->arena, expr->kind, expr->arg_nr),
                   **arg = copy->arg;
    *copy = *expr;
    copy->arg = arg;
    for (size_t i = 0; i < expr->arg_nr; i++)
        copy->arg[i] = resolved(gen, expr->arg[i]);
    return copy;
}

/* ---- finding what to fetch in one loop ---- */

static bool stream_of(struct gen *gen, const struct ir_expr *expr,
                      const struct ir_stmt *loop, long long *iterations)
{
    long long coefficient;
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
        if (!expr_equal(old->expr, new->expr) &&
            !(old->stream && new->stream &&root_of(old->expr) == root_of(new->expr) &&
              expr_equal(old->expr->arg[0], new->expr->arg[0])))
            continue;
        old->write = old->write || new->write;
        return true;
    }
    return false;
}

static const struct prefetch *wanted(const struct gen *gen, const struct ir_symbol *array)
{
    for (size_t i = 0; i < gen->work->prefetch_nr; i++)
        if (gen->work->prefetch[i].array == array)
            return &gen->work->prefetch[i];
    return NULL;
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

static void add_fetch(struct fetches *all, const struct code *code,
                      const struct access *access)
{
    struct gen *gen = all->gen;
    const struct loop *loop = all->loop->band->loop;
    const struct statement *statement = &gen->nest->statement[code->statement];
    const struct prefetch *prefetch = wanted(gen, gen->nest->cell[access->cell].symbol);
    struct ir_symbol *symbol[DEPTH_MAX];
    struct ir_expr *by[DEPTH_MAX], *at[DEPTH_MAX];
    if (!prefetch || (size_t)loop->depth >= statement->depth ||
        statement->loop[loop->depth] != loop)
        return;
    struct ir_expr *expr = resolved(gen, (struct ir_expr *)access->expr);
    if (!expr_mentions(expr, loop->stmt->iterator) || !only_known(gen, expr, statement))
        return;
    struct fetch new = {.write = access->write, .level = prefetch->level};
    new.stream = stream_of(gen, expr, loop->stmt, &new.iterations);
    for (size_t i = 0; i < statement->depth; i++) {
        symbol[i] = statement->loop[i]->stmt->iterator;
        by[i] = at[i] = code->iterator[i];
    }
    struct ir_expr *last = ir_substitute(gen->arena, last_value(gen, loop->stmt), symbol,
                                         by, statement->depth);
    by[loop->depth] = clamped(gen, loop->stmt, at[loop->depth],
                              expr_simplify(gen->arena, last), prefetch->distance);
    new.expr = ir_substitute(gen->arena, expr, symbol, by, statement->depth);
    if (is_known(all, &new))
        return;
    GROW(all->item, all->nr + 1, all->alloc);
    all->item[all->nr++] = new;
}

static void find_fetches(struct fetches *all, const struct code *code)
{
    if (code->kind == CODE_STMT && code->statement != SIZE_MAX) {
        const struct statement *statement = &all->gen->nest->statement[code->statement];
        for (size_t i = statement->access_begin; i < statement->access_end; i++)
            add_fetch(all, code, &all->gen->nest->access[i]);
    }
    for (size_t i = 0; code->kind != CODE_FOR && i < code->child_nr; i++)
        find_fetches(all, code->child[i]);
}

/* ---- putting them in place ---- */

/* To L2 without the write hint, also for what is stored to: on x86 the hint becomes
 * PREFETCHW, which goes to L1 whatever the locality says. */
static struct ir_expr *fetch_call(struct gen *gen, struct ir_expr *element, bool write,
                                  int level)
{
    struct ir_expr *call = ir_expr_new(gen->arena, IR_CALL, 3);
    struct ir_expr *address = ir_expr_new(gen->arena, IR_UNARY, 1);
    address->op = "&";
    address->type = element->type;
    address->type.pointers++;
    address->arg[0] = element;
    call->text = "__builtin_prefetch";
    call->type = (struct ir_type){.text = "void", .scalar = IR_VOID};
    call->arg[0] = address;
    call->arg[1] = ir_integer(gen->arena, write && level == 1);
    call->arg[2] = ir_integer(gen->arena, level == 1 ? 3 : 2); /* L1, or L2 only */
    return call;
}

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
    loop->upper = call_of(gen, size > 0 ? "min" : "max", outer->upper, end);
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

static void put(struct fetches *all)
{
    bool stream = false;
    for (size_t i = 0; i < all->nr; i++)
        stream = stream || all->item[i].stream;
    bool innermost = !code_has_loop(all->loop->child[0]);
    if (innermost && (stream || all->loop->simd)) {
        strip(all);
        return;
    }
    for (size_t i = all->nr; i-- > 0;)
        code_insert(all->loop->child[0], 0,
                    fetch_code(all->gen, &all->item[i], NULL, NULL));
}

/* ---- loops inside collapsed statements ---- */

struct inner {
    struct gen *gen;
    const struct ir_stmt *loop;
    struct ir_stmt *into;
    size_t *done;
};

static void fetch_inner(struct ir_expr *expr, void *data)
{
    struct inner *at = data;
    struct gen *gen = at->gen;
    const struct prefetch *prefetch = expr->kind == IR_INDEX && !expr->type.pointers
                                          ? wanted(gen, root_of(expr))
                                          : NULL;
    struct ir_symbol *iterator = at->loop->iterator;
    if (!prefetch || !expr_mentions(expr, iterator))
        return;
    struct ir_expr *by = clamped(gen, at->loop, ir_name(gen->arena, iterator),
                                 last_value(gen, at->loop), prefetch->distance);
    struct ir_expr *element = ir_substitute(gen->arena, expr, &iterator, &by, 1);
    struct ir_stmt *stmt = ir_stmt_new(gen->arena, IR_EXPR, 0);
    stmt->expr = fetch_call(gen, element, false, prefetch->level);
    at->into->child[at->into->child_nr++] = stmt;
    ++*at->done;
}

enum { INNER_FETCHES_MAX = 16 };

static void fetch_in_stmt(struct gen *gen, struct ir_stmt *stmt, size_t *done)
{
    if (!stmt)
        return;
    if (stmt->kind == IR_FOR && stmt->canonical) {
        struct ir_stmt *body = ir_stmt_new(gen->arena, IR_BLOCK, INNER_FETCHES_MAX);
        struct inner at = {.gen = gen, .loop = stmt, .into = body, .done = done};
        size_t before = *done;
        body->child_nr = 0;
        stmt_exprs(stmt->child[0], fetch_inner, &at);
        if (*done > before) {
            body->child[body->child_nr++] = stmt->child[0];
            stmt->child[0] = body;
            return;
        }
    }
    for (size_t i = 0; i < stmt->child_nr; i++)
        fetch_in_stmt(gen, stmt->child[i], done);
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
        fetch_in_stmt(gen, code->stmt, &done);
    for (size_t i = 0; i < code->child_nr; i++)
        done += fetch_below(gen, code->child[i]);
    if (code->kind != CODE_FOR)
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
        gen->work->fetched = fetch_below(gen, code);
}
