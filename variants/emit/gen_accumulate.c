/*
 * Several accumulators in blocks of iterations: each copy of an iteration adds into a
 * variable of its own, and behind the loop they are put together. So an iteration waits
 * for the one so many before it, not for the last one. And narrow counters: a loop of so
 * few iterations that a variable of one or two bytes holds what they count.
 */
#include "variants/emit/gen_accumulate.h"

#include <string.h>

#include "variants/ir/sum.h"
#include "variants/model/increment.h"

enum { STATEMENTS_MAX = 256, COPIES_MAX = 64 };

struct shared {
    struct gen *gen;
    struct code *loop;
    struct ir_symbol *symbol; /* that they stand for */
    struct recurrence what;
    struct ir_type type;
    struct ir_symbol *copy[COPIES_MAX]; /* NULL: the variable itself */
    struct ir_symbol *power;            /* LINEAR: factor to the number of copies */
    struct ir_expr *factor;
    long long nr;
    size_t before, behind; /* statements put there */
};

/* ---- pieces of code ---- */

static void declare(struct shared *at, struct ir_symbol *symbol, struct ir_expr *value)
{
    struct code *code = code_statement(at->gen, IR_DECL, value);
    code->stmt->symbol = symbol;
    code_insert(at->loop->parent, code_index(at->loop), code);
}

static struct ir_expr *assign(struct shared *at, const char *op, struct ir_symbol *symbol,
                              struct ir_expr *value)
{
    return ir_assign(at->gen->arena, op, ir_name(at->gen->arena, symbol), value);
}

static void put_behind(struct shared *at, struct ir_expr *expr)
{
    code_insert(at->loop->parent, code_index(at->loop) + ++at->behind,
                code_statement(at->gen, IR_EXPR, expr));
}

static struct ir_expr *times(struct shared *at, struct ir_expr *a, struct ir_expr *b)
{
    return gen_plain(at->gen, "*", a, b);
}

/* ---- the variables ---- */

struct ir_type gen_partial_type(const struct recurrence *what)
{
    struct ir_type type = what->target->type;
    type.is_const = type.is_volatile = false;
    return recurrence_overflows(what) ? ir_unsigned(&type) : type;
}

/* The copy that goes on from what the variable held. */
static long long first_copy(const struct shared *at)
{
    return at->what.kind == RECURRENCE_LINEAR ? at->nr - 1 : 0;
}

static struct ir_expr *start_of(struct shared *at, long long copy)
{
    struct ir_arena *arena = at->gen->arena;
    if (copy == first_copy(at) || at->what.kind == RECURRENCE_SELECT)
        return ir_name(arena, at->symbol);
    if (at->what.kind == RECURRENCE_PRODUCT)
        return ir_integer(arena, 1);
    return ir_integer(arena, at->what.kind == RECURRENCE_AND ? -1 : 0);
}

static void declare_copies(struct shared *at)
{
    bool whole = recurrence_overflows(&at->what);
    for (long long i = 0; i < at->nr; i++) {
        if (i == first_copy(at) && !whole)
            continue;
        at->copy[i] =
            gen_symbol(at->gen, gen_name(at->gen, at->symbol->name, true), &at->type);
        declare(at, at->copy[i], start_of(at, i));
    }
}

static struct ir_expr *name_of(struct shared *at, long long copy)
{
    return ir_name(at->gen->arena, at->copy[copy] ? at->copy[copy] : at->symbol);
}

static struct ir_symbol *constant(struct shared *at, const char *stem,
                                  struct ir_expr *value)
{
    struct ir_type type = at->type;
    type.is_const = true;
    struct ir_symbol *symbol = gen_symbol(at->gen, gen_name(at->gen, stem, false), &type);
    declare(at, symbol, value);
    return symbol;
}

/* x2 = x * x, x4 = x2 * x2 ... */
static void declare_power(struct shared *at)
{
    struct ir_arena *arena = at->gen->arena;
    const char *stem = at->what.factor->kind == IR_NAME
                           ? at->what.factor->symbol->name
                           : ir_textf(arena, "%s_factor", at->symbol->name);
    at->factor = at->what.factor;
    if (recurrence_overflows(&at->what) || at->factor->kind != IR_NAME)
        at->factor =
            ir_name(arena, constant(at, ir_textf(arena, "%s1", stem), at->what.factor));
    struct ir_expr *power = at->factor;
    long long n = 1;
    for (; 2 * n <= at->nr; n *= 2)
        power = ir_name(arena, constant(at, ir_textf(arena, "%s%lld", stem, 2 * n),
                                        times(at, power, power)));
    if (n < at->nr) {
        for (; n < at->nr; n++)
            power = times(at, power, at->factor);
        power =
            ir_name(arena, constant(at, ir_textf(arena, "%s%lld", stem, at->nr), power));
    }
    at->power = power->symbol;
}

/* ---- in the loop ---- */

long long gen_copy_of(struct gen *gen, const struct code *loop, long long nr,
                      const struct code *code)
{
    size_t pos = (size_t)loop->band->loop->depth;
    long long step = loop->step / nr;
    if (code->statement == SIZE_MAX || pos >= code->iterator_nr || !step)
        return -1;
    struct sum value = sum_of_expr(gen->arena, code->iterator[pos]);
    struct ir_expr *var = ir_name(gen->arena, loop->var);
    struct sum base = sum_of_expr(gen->arena, var);
    value = sum_add(&value, &base, -1);
    if (value.nr || value.constant % step || value.constant / step < 0 ||
        value.constant / step >= nr)
        return -1;
    return value.constant / step;
}

static long long copy_of(const struct shared *at, const struct code *code)
{
    return gen_copy_of(at->gen, at->loop, at->nr, code);
}

/* By the code as it has become: what the user's text sets, and our own variables. */
static bool may_vary(const struct ir_symbol *symbol, const void *data)
{
    const struct nest *nest = data;
    return symbol->id < 0 ? !symbol->type.is_const
                          : nest->written[symbol->id] || nest->declared[symbol->id];
}

static void rewrite(struct shared *at, struct code *code, long long copy)
{
    struct ir_arena *arena = at->gen->arena;
    struct ir_symbol *target = at->copy[copy] ? at->copy[copy] : at->symbol;
    struct ir_expr *by = ir_name(arena, target);
    if (at->what.kind != RECURRENCE_LINEAR) {
        code->stmt = stmt_substitute(arena, code->stmt, &at->symbol, &by, 1);
        return;
    }
    const struct ir_stmt *const one[] = {code->stmt};
    struct recurrence own =
        recurrence_of(arena, one, 1, at->what.target, may_vary, at->gen->nest);
    struct ir_expr *value = times(at, by, ir_name(arena, at->power));
    if (own.rest)
        value = gen_plain(at->gen, "+", value, own.rest);
    code->stmt = ir_stmt_new(arena, IR_EXPR, 0);
    code->stmt->expr = assign(at, "=", target, value);
}

/* ---- behind it ---- */

const char *gen_join_operator(enum recurrence_kind kind)
{
    static const char *const op[] = {[RECURRENCE_SUM] = "+=",
                                     [RECURRENCE_PRODUCT] = "*=",
                                     [RECURRENCE_AND] = "&=",
                                     [RECURRENCE_OR] = "|=",
                                     [RECURRENCE_XOR] = "^="};
    return op[kind];
}

static void join_linear(struct shared *at)
{
    struct ir_expr *all = name_of(at, 0);
    for (long long i = 1; i < at->nr; i++)
        all = gen_plain(at->gen, "+", times(at, all, at->factor), name_of(at, i));
    if (recurrence_overflows(&at->what))
        all = gen_cast(at->gen, &at->symbol->type, all);
    put_behind(at, assign(at, "=", at->symbol, all));
}

static void join_select(struct shared *at)
{
    struct ir_arena *arena = at->gen->arena;
    for (long long i = 1; i < at->nr; i++) {
        struct ir_expr *value = name_of(at, i), *kept = ir_name(arena, at->symbol), *best;
        if (at->what.call) {
            best = ir_copy(arena, at->what.call);
            best->arg[0] = kept;
            best->arg[1] = value;
        } else {
            best = ir_expr_new(arena, IR_COND, 3);
            best->type = at->symbol->type;
            best->arg[0] = gen_plain(at->gen, at->what.op, value, kept);
            best->arg[1] = value;
            best->arg[2] = kept;
        }
        put_behind(at, assign(at, "=", at->symbol, best));
    }
}

static void join(struct shared *at)
{
    struct ir_arena *arena = at->gen->arena;
    const char *op = gen_join_operator(at->what.kind);
    bool whole = at->copy[0] != NULL;
    struct ir_expr *all = name_of(at, !whole);
    for (long long i = 1 + !whole; i < at->nr; i++)
        all = gen_plain(at->gen, ir_textf(arena, "%.1s", op), all, name_of(at, i));
    if (whole)
        put_behind(
            at, assign(at, "=", at->symbol, gen_cast(at->gen, &at->symbol->type, all)));
    else
        put_behind(at, assign(at, op, at->symbol, all));
}

/* ---- one loop ---- */

/* What all copies do to the variable, each on its own. */
static bool find_what(struct shared *at)
{
    const struct code *block = at->loop->child[0];
    const struct ir_stmt *stmt[STATEMENTS_MAX];
    for (size_t i = 0; i < block->child_nr; i++)
        if (code_mentions(block->child[i], at->symbol) &&
            (block->child[i]->kind != CODE_STMT || copy_of(at, block->child[i]) < 0))
            return false;
    for (long long n = 0; n < at->nr; n++) {
        size_t nr = 0;
        for (size_t i = 0; i < block->child_nr; i++)
            if (copy_of(at, block->child[i]) == n && nr < ARRAY_SIZE(stmt))
                stmt[nr++] = block->child[i]->stmt;
        struct recurrence what =
            recurrence_of(at->gen->arena, stmt, nr, ir_name(at->gen->arena, at->symbol),
                          may_vary, at->gen->nest);
        if (what.kind == RECURRENCE_NONE || nr == ARRAY_SIZE(stmt) ||
            (n && what.kind != at->what.kind))
            return false;
        at->what = what;
    }
    return !recurrence_rounds(&at->what) || at->gen->model->request.reassociate;
}

static bool share(struct gen *gen, struct code *loop, struct ir_symbol *symbol)
{
    struct code *block = loop->child[0];
    struct shared at = {
        .gen = gen, .loop = loop, .symbol = symbol, .nr = loop->band->accumulators};
    if (at.nr > COPIES_MAX || !find_what(&at))
        return false;
    at.type = gen_partial_type(&at.what);
    if (at.what.kind == RECURRENCE_LINEAR)
        declare_power(&at);
    declare_copies(&at);
    for (size_t i = 0; i < block->child_nr; i++)
        if (code_mentions(block->child[i], symbol))
            rewrite(&at, block->child[i], copy_of(&at, block->child[i]));
    if (at.what.kind == RECURRENCE_LINEAR)
        join_linear(&at);
    else if (at.what.kind == RECURRENCE_SELECT)
        join_select(&at);
    else
        join(&at);
    return true;
}

/* ---- narrow counters ---- */

static struct ir_type narrow_type(size_t bytes)
{
    return (struct ir_type){.text = bytes == 1 ? "unsigned char" : "unsigned short",
                            .scalar = IR_INT,
                            .is_unsigned = true,
                            .bytes = bytes};
}

/* The statements of the loop's body, where it counts in the variable. Returns what all
 * of its iterations add, at most; -1 = that is not known. */
static long long counted_in(struct shared *at, long long block)
{
    const struct code *body = at->loop->child[0];
    const struct tree *band = at->loop->band;
    const struct ir_stmt *stmt[STATEMENTS_MAX];
    long long copies = band->role == BAND_BLOCK ? copy_number_of(band) : 1;
    for (size_t i = 0; i < body->child_nr; i++) {
        const struct code *child = body->child[i];
        bool plain = child->kind == CODE_STMT && !child->vector;
        if (i == ARRAY_SIZE(stmt) || (!plain && code_mentions(child, at->symbol)))
            return -1;
        stmt[i] = plain ? child->stmt : NULL;
    }
    size_t nr = 0;
    for (size_t i = 0; i < body->child_nr; i++)
        if (stmt[i])
            stmt[nr++] = stmt[i];
    at->what =
        recurrence_of(at->gen->arena, stmt, nr, ir_name(at->gen->arena, at->symbol),
                      may_vary, at->gen->nest);
    long long most = increment_at_most(&at->what, stmt, nr);
    return most * ((block + copies - 1) / copies);
}

/* Without a branch, where it may be: compilers make vectors of that. */
static struct ir_stmt *narrow_stmt(struct shared *at, const struct ir_stmt *stmt)
{
    struct ir_arena *arena = at->gen->arena;
    struct ir_expr *by = ir_name(arena, at->copy[0]), *holds = increment_condition(stmt);
    if (!holds)
        return stmt_substitute(arena, stmt, &at->symbol, &by, 1);
    if (expr_at_most(holds) != 1)
        holds = gen_plain(at->gen, "!=", holds, ir_integer(arena, 0));
    struct ir_stmt *counts = ir_stmt_new(arena, IR_EXPR, 0);
    counts->expr = assign(at, "+=", at->copy[0], holds);
    return counts;
}

static bool narrow(struct gen *gen, struct code *loop, struct ir_symbol *symbol,
                   long long block)
{
    struct code *body = loop->child[0];
    struct shared at = {.gen = gen, .loop = loop, .symbol = symbol};
    long long most = counted_in(&at, block);
    size_t bytes = most > 0 ? increment_bytes(&at.what, most) : 0;
    if (!bytes)
        return false;
    at.type = narrow_type(bytes);
    at.copy[0] = gen_symbol(gen, gen_name(gen, symbol->name, true), &at.type);
    declare(&at, at.copy[0], ir_integer(gen->arena, 0));
    for (size_t i = 0; i < body->child_nr; i++)
        if (code_mentions(body->child[i], symbol))
            body->child[i]->stmt = narrow_stmt(&at, body->child[i]->stmt);
    put_behind(&at, assign(&at, "+=", symbol, ir_name(gen->arena, at.copy[0])));
    return true;
}

/* ---- all of a loop ---- */

struct assigned {
    struct ir_symbol *symbol[COPIES_MAX];
    size_t nr;
};

static void note_assigned(struct ir_expr *expr, void *data)
{
    struct assigned *assigned = data;
    bool sets = expr_sets(expr);
    const struct ir_expr *target = sets ? expr->arg[0] : NULL;
    if (!target || target->kind != IR_NAME ||
        assigned->nr == ARRAY_SIZE(assigned->symbol))
        return;
    for (size_t i = 0; i < assigned->nr; i++)
        if (assigned->symbol[i] == target->symbol)
            return;
    assigned->symbol[assigned->nr++] = target->symbol;
}

/* counted: 0, or the iterations that narrow counters count. */
static bool share_all(struct gen *gen, struct code *loop, long long counted)
{
    const struct code *block = loop->child[0];
    struct assigned assigned = {.nr = 0};
    bool any = false;
    for (size_t i = 0; i < block->child_nr; i++)
        if (block->child[i]->kind == CODE_STMT)
            stmt_exprs(block->child[i]->stmt, note_assigned, &assigned);
    for (size_t i = 0; i < assigned.nr; i++)
        if (!code_declares(block, assigned.symbol[i]) &&
            (counted ? narrow(gen, loop, assigned.symbol[i], counted)
                     : share(gen, loop, assigned.symbol[i])))
            any = true;
    if (!counted) /* a reduction clause has no room for several */
        loop->simd = loop->simd && !any;
    return any;
}

static void find_loops(struct gen *gen, struct code *code, bool *wanted, bool *done)
{
    bool found = code->kind == CODE_FOR && code->band->accumulators &&
                 code->band->role == BAND_BLOCK && !code_has_loop(code->child[0]);
    if (found) {
        *wanted = true;
        *done = (!code->parallel && share_all(gen, code, 0)) || *done;
        return;
    }
    for (size_t i = 0; i < code->child_nr; i++) {
        struct code *child = code->child[i];
        find_loops(gen, child, wanted, done);
        i = code_index(child); /* declarations put before a loop shift it */
    }
}

void gen_accumulators(struct gen *gen, struct code *code)
{
    bool wanted = false, done = false;
    find_loops(gen, code, &wanted, &done);
    if (wanted && !done)
        gen->problem =
            "in the new code no variable can be shared by several accumulators";
}

/* tile: the loop over blocks around it in which this one is the only loop; NULL = none.
 */
static bool narrow_loops(struct gen *gen, struct code *code, const struct tree *tile)
{
    bool loop = code->kind == CODE_FOR, any = false;
    if (loop && code->band->counted)
        tile = code->band;
    else if (loop && tile && tile->loop != code->band->loop)
        tile = NULL;
    if (loop && !code_has_loop(code->child[0])) {
        bool counted = tile && tile != code->band && !code->parallel;
        if (counted)
            gen_flag(gen, code);
        return counted && share_all(gen, code, tile->counted);
    }
    for (size_t i = 0; i < code->child_nr; i++) {
        struct code *child = code->child[i];
        any = narrow_loops(gen, child, tile) || any;
        i = code_index(child);
    }
    return any;
}

void gen_narrow_counters(struct gen *gen, struct code *code)
{
    if (gen->work->counts && !narrow_loops(gen, code, NULL))
        gen->problem = "in the new code no variable counts little enough in each block "
                       "for a narrow one";
}
