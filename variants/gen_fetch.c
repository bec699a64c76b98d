/*
 * What prefetches are made of, and those in loops inside of collapsed statements, such as
 * the rows of a sparse matrix. No index array is read where the loop does not read it.
 */
#include "variants/gen.h"
#include "variants/packing.h"

#include <stdlib.h>
#include <string.h>

const struct ir_symbol *fetch_root(const struct ir_expr *expr)
{
    while (expr->kind == IR_INDEX || expr->kind == IR_MEMBER)
        expr = expr->arg[0];
    return expr->kind == IR_NAME ? expr->symbol : NULL;
}

struct ir_expr *fetch_pick(struct gen *gen, const char *name, struct ir_expr *a,
                           struct ir_expr *b)
{
    gen->need_min = gen->need_min || !strcmp(name, "min");
    return gen_call(gen, name, a, b);
}

/* The last value that the loop's iterator takes. */
struct ir_expr *loop_last(struct gen *gen, const struct ir_stmt *loop)
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

struct ir_expr *fetch_clamped(struct gen *gen, const struct ir_stmt *loop,
                              struct ir_expr *now, struct ir_expr *last,
                              long long distance)
{
    struct ir_expr *ahead = expr_plus(gen->arena, now, distance * loop->step);
    bool up = loop->step > 0;
    gen->need_max = gen->need_max || !up;
    struct ir_expr *expr = fetch_pick(gen, up ? "min" : "max", ahead, last);
    return expr;
}

/* Locals set once are replaced by what they are set to: count[c] with c = key[i]. */
struct ir_expr *fetch_resolved(struct gen *gen, struct ir_expr *expr)
{
    const struct nest *nest = gen->nest;
    if (expr->kind == IR_NAME && expr->symbol->id >= 0 &&
        nest->declared[expr->symbol->id] && gen->model->init[expr->symbol->id])
        return fetch_resolved(gen, gen->model->init[expr->symbol->id]);
    if (!expr->arg_nr)
        return expr;
    struct ir_expr *copy = ir_expr_new(gen->arena, expr->kind, expr->arg_nr),
                   **arg = copy->arg;
    *copy = *expr;
    copy->arg = arg;
    for (size_t i = 0; i < expr->arg_nr; i++)
        copy->arg[i] = fetch_resolved(gen, expr->arg[i]);
    return copy;
}

/* What stands behind the subscripts: ".pos.x" of p[i].pos.x. */
static void add_path(const struct ir_expr *expr, struct buf *out)
{
    if (expr->kind != IR_MEMBER && expr->kind != IR_INDEX)
        return;
    add_path(expr->arg[0], out);
    if (expr->kind == IR_MEMBER)
        buf_addf(out, "%s%s", expr->is_arrow ? "->" : ".", expr->text);
}

static bool is_meant(const struct prefetch *prefetch, const struct ir_expr *expr)
{
    struct buf path = {0};
    const char *wanted = prefetch->name + strlen(prefetch->array->name);
    add_path(expr, &path);
    bool same = fetch_root(expr) == prefetch->array &&
                !strncmp(buf_str(&path), wanted, strlen(wanted));
    buf_release(&path);
    return same;
}

struct inside {
    const struct nest *nest;
    int depth;
    bool found;
};

static void find_index(struct ir_expr *expr, void *data)
{
    struct inside *inside = data;
    inside->found = inside->found || expr->kind == IR_INDEX ||
                    (expr->kind == IR_UNARY && !strcmp(expr->op, "*"));
}

/* Then it is what the next buffer will hold that is fetched: see tree_copy.c. */
static bool is_packed(const struct work *work, const struct prefetch *prefetch)
{
    bool packed = false;
    for (size_t i = 0; !packed && i < work->packing_nr; i++)
        packed = !strcmp(work->nest->cell[work->packing[i].cell].name, prefetch->name);
    return packed;
}

size_t fetch_copies(const struct work *work)
{
    size_t nr = 0;
    for (size_t i = 0; i < work->copy_nr; i++)
        nr += work->copy[i].kind == COPY_FETCH;
    return nr;
}

const struct prefetch *fetch_wanted(const struct gen *gen, const struct ir_expr *expr)
{
    for (size_t i = 0; i < gen->work->prefetch_nr; i++)
        if (is_meant(&gen->work->prefetch[i], expr) &&
            !is_packed(gen->work, &gen->work->prefetch[i]))
            return &gen->work->prefetch[i];
    return NULL;
}

/* To L2 without the write hint, also for what is stored to: on x86 the hint becomes
 * PREFETCHW, which goes to L1 whatever the locality says. */
struct ir_expr *fetch_call(struct gen *gen, struct ir_expr *element, bool write,
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
    static const int locality[] = {3, 3, 2, 0}; /* L1; L2 only; past the caches */
    call->arg[2] = ir_integer(gen->arena, locality[level]);
    return call;
}

/* ---- what is loaded on the way ---- */

/* Elements in subscripts are loaded, not merely fetched: they must be there. */
bool fetch_loads(const struct ir_expr *expr)
{
    for (; expr->kind == IR_INDEX || expr->kind == IR_MEMBER; expr = expr->arg[0])
        if (expr->kind == IR_INDEX) {
            struct inside inside = {.found = false};
            ir_visit(expr->arg[1], find_index, &inside);
            if (inside.found)
                return true;
        }
    return false;
}

static bool may_change(const struct nest *nest, const struct ir_symbol *array)
{
    struct overlap *pair;
    size_t nr = nest_overlaps(nest, &pair);
    bool found = array == NULL;
    for (size_t i = 0; !found && i < nest->access_nr; i++)
        found = nest->access[i].write && nest->cell[nest->access[i].cell].symbol == array;
    for (size_t i = 0; !found && i < nr; i++)
        found = nest->cell[pair[i].a].symbol == array ||
                nest->cell[pair[i].b].symbol == array;
    free(pair);
    return found;
}

static void check_index(struct ir_expr *expr, void *data)
{
    struct inside *inside = data;
    if (expr->kind == IR_INDEX && inside->depth)
        inside->found = inside->found || may_change(inside->nest, fetch_root(expr));
}

static void check_load(struct ir_expr *expr, void *data)
{
    struct inside deeper = *(struct inside *)data;
    deeper.depth = 1;
    if (expr->kind == IR_INDEX)
        ir_visit(expr->arg[1], check_index, &deeper);
    ((struct inside *)data)->found = deeper.found;
}

/* a[b[c[i]]]: b is read ahead at what c holds now, which must be what it will hold. */
bool fetch_is_safe(const struct gen *gen, const struct ir_expr *expr)
{
    struct inside inside = {.nest = gen->nest};
    for (; expr->kind == IR_INDEX || expr->kind == IR_MEMBER; expr = expr->arg[0])
        if (expr->kind == IR_INDEX)
            ir_visit(expr->arg[1], check_load, &inside);
    return !inside.found;
}

/* ---- loops inside collapsed statements ---- */

enum { INNER_FETCHES_MAX = 16 };

struct inner {
    struct gen *gen;
    const struct code *code; /* the statement */
    const struct ir_stmt *loop, *above[DEPTH_MAX];
    size_t above_nr;
    struct ir_stmt *into;
    size_t *done;
};

static bool sets(const struct ir_expr *expr, const struct ir_symbol *symbol)
{
    bool found = (expr->kind == IR_ASSIGN || expr->kind == IR_UNARY) &&
                 expr->arg[0]->kind == IR_NAME && expr->arg[0]->symbol == symbol &&
                 (expr->kind == IR_ASSIGN || strstr(expr->op, "++") ||
                  strstr(expr->op, "--") || *expr->op == '&');
    for (size_t i = 0; !found && i < expr->arg_nr; i++)
        found = sets(expr->arg[i], symbol);
    return found;
}

static bool changes(const struct ir_stmt *stmt, const void *symbol)
{
    const struct ir_expr *part[] = {stmt->expr, stmt->cond, stmt->increment};
    bool found = stmt->symbol == symbol || stmt->iterator == symbol;
    for (size_t i = 0; !found && i < ARRAY_SIZE(part); i++)
        found = part[i] && sets(part[i], symbol);
    return found;
}

/* It has now the value that it has when the iteration fetched for comes. */
static bool holds_still(const struct inner *at, const struct ir_expr *expr)
{
    bool still = expr->kind != IR_CALL && expr->kind != IR_ASSIGN && expr->kind != IR_RAW;
    if (expr->kind == IR_NAME && expr->symbol != at->loop->iterator)
        still = !stmt_find(at->loop->child[0], changes, expr->symbol);
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
 * that any k below the last row's end belongs to some row. That end, or NULL. */
static struct ir_expr *rows_end(const struct inner *at)
{
    struct gen *gen = at->gen;
    const struct loop *row = row_loop(at);
    const struct ir_stmt *loop = row ? at->loop : NULL;
    if (!loop || loop->step != 1 || strcmp(loop->cmp, "<") ||
        loop->lower->kind != IR_INDEX || !at->code->iterator_nr)
        return NULL;
    const struct statement *statement = &gen->nest->statement[at->code->statement];
    const struct ir_stmt *source = statement->stmt;
    struct ir_symbol *iterator = row->stmt->iterator;
    struct ir_expr *next = expr_plus(gen->arena, ir_name(gen->arena, iterator), 1);
    struct ir_expr *after = ir_substitute(gen->arena, source->lower, &iterator, &next, 1);
    struct buf a = {0}, b = {0};
    ir_print_expr(&a, expr_simplify(gen->arena, after));
    ir_print_expr(&b, expr_simplify(gen->arena, source->upper));
    bool rows = !strcmp(buf_str(&a), buf_str(&b)) && holds_still(at, loop->lower) &&
                !may_change(gen->nest, fetch_root(loop->lower));
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
    return ir_substitute(gen->arena, source->upper, symbol, by, statement->depth);
}

/* k + d < end ? k + d : k */
static struct ir_expr *within(struct gen *gen, struct ir_expr *now, struct ir_expr *end,
                              long long distance)
{
    struct ir_expr *expr = ir_expr_new(gen->arena, IR_COND, 3);
    struct ir_expr *ahead = expr_plus(gen->arena, now, distance);
    expr->type = now->type;
    expr->arg[0] = ir_binary(gen->arena, "<", ahead, end);
    expr->arg[1] = ahead;
    expr->arg[2] = now;
    return expr;
}

static void add_inner(struct inner *at, struct ir_expr *element, int level)
{
    struct ir_stmt *stmt = ir_stmt_new(at->gen->arena, IR_EXPR, 0);
    stmt->expr = fetch_call(at->gen, element, false, level);
    for (size_t i = 0; i < at->into->child_nr; i++)
        if (expr_equal(at->into->child[i]->expr, stmt->expr))
            return;
    if (at->into->child_nr + 1 == INNER_FETCHES_MAX)
        return;
    at->into->child[at->into->child_nr++] = stmt;
    ++*at->done;
}

static void fetch_inner(struct inner *at, struct ir_expr *expr, bool maybe)
{
    struct gen *gen = at->gen;
    bool element = (expr->kind == IR_INDEX || expr->kind == IR_MEMBER) &&
                   !expr->type.pointers && expr->type.scalar != IR_RECORD;
    const struct prefetch *prefetch = element ? fetch_wanted(gen, expr) : NULL;
    struct ir_symbol *iterator = at->loop->iterator;
    if (!prefetch)
        return;
    expr = fetch_resolved(gen, expr);
    if (!expr_mentions(expr, iterator) || !holds_still(at, expr) ||
        !fetch_is_safe(gen, expr) || (maybe && fetch_loads(expr)))
        return;
    struct ir_expr *now = ir_name(gen->arena, iterator), *end = rows_end(at);
    struct ir_expr *by = end ? within(gen, now, end, prefetch->distance)
                             : fetch_clamped(gen, at->loop, now, loop_last(gen, at->loop),
                                             prefetch->distance);
    add_inner(at, ir_substitute(gen->arena, expr, &iterator, &by, 1), prefetch->level);
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

static void find_in_stmt(struct inner *at, const struct ir_stmt *stmt, bool maybe)
{
    if (!stmt)
        return;
    find_inner(at, stmt->expr, maybe);
    find_inner(at, stmt->cond, maybe);
    for (size_t i = 0; i < stmt->child_nr; i++)
        find_in_stmt(at, stmt->child[i], maybe || stmt->kind == IR_IF);
}

static void fetch_in_loop(struct inner *at, struct ir_stmt *stmt)
{
    struct ir_stmt *body = ir_stmt_new(at->gen->arena, IR_BLOCK, INNER_FETCHES_MAX);
    struct inner here = *at;
    here.loop = stmt;
    here.into = body;
    body->child_nr = 0;
    find_in_stmt(&here, stmt->child[0], stmt_breaks_out(stmt->child[0]));
    if (!body->child_nr)
        return;
    body->child[body->child_nr++] = stmt->child[0];
    stmt->child[0] = body;
}

static bool is_loop(const struct ir_stmt *stmt, const void *data)
{
    (void)data;
    return stmt->kind == IR_FOR || stmt->kind == IR_WHILE;
}

static void fetch_in_stmt(struct inner *at, struct ir_stmt *stmt)
{
    if (!stmt)
        return;
    bool loop = stmt->kind == IR_FOR && stmt->canonical;
    bool innermost = loop && !stmt_find(stmt->child[0], is_loop, NULL);
    if (innermost) {
        fetch_in_loop(at, stmt);
        return;
    }
    if (loop && at->above_nr < DEPTH_MAX)
        at->above[at->above_nr++] = stmt;
    for (size_t i = 0; i < stmt->child_nr; i++)
        fetch_in_stmt(at, stmt->child[i]);
    at->above_nr -= loop && at->above_nr;
}

size_t fetch_collapsed(struct gen *gen, struct code *code)
{
    size_t done = 0;
    struct inner at = {.gen = gen, .code = code, .done = &done};
    fetch_in_stmt(&at, code->stmt);
    return done;
}
