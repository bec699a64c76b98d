/*
 * Several tables in turn: each copy of an iteration updates a table of its own, so that
 * equal elements one after the other do not wait for one another. The first copy has the
 * user's table; the others begin with zeros, and behind the loop they are added to it,
 * which touches elements only that the loop has touched: no size of the table is relied
 * on that its declaration alone says.
 */
#include <string.h>

#include "variants/emit/gen_accumulate.h"
#include "variants/ir/sum.h"
#include "variants/model/increment.h"

enum { TABLES_MAX = 64 };

struct tables {
    struct gen *gen;
    struct code *loop;
    struct ir_symbol *array;
    long long elements, nr;
    struct recurrence what; /* of the last update that was looked at */
    struct ir_type type;    /* of one element */
    struct ir_symbol *copy[TABLES_MAX];
};

/* ---- updates ---- */

struct element {
    const struct ir_symbol *array;
    struct ir_expr *expr;
};

static void find_element(struct ir_expr *expr, void *data)
{
    struct element *element = data;
    if (!element->expr && expr->kind == IR_INDEX && expr->arg[0]->kind == IR_NAME &&
        expr->arg[0]->symbol == element->array)
        element->expr = expr;
}

static bool may_vary(const struct ir_symbol *symbol, const void *data)
{
    (void)symbol, (void)data;
    return true;
}

/* All that the statement does to the table is one update, of the kind of the others. */
static bool is_update(struct tables *at, const struct ir_stmt *stmt)
{
    struct element element = {.array = at->array};
    enum recurrence_kind before = at->what.kind;
    stmt_exprs(stmt, find_element, &element);
    if (!element.expr)
        return false;
    at->what = recurrence_of(at->gen->arena, &stmt, 1, element.expr, may_vary, NULL);
    return recurrence_of_tables(&at->what) &&
           (before == RECURRENCE_NONE || at->what.kind == before) &&
           (!recurrence_rounds(&at->what) || at->gen->model->request.reassociate);
}

static bool only_updates(struct tables *at, const struct code *code)
{
    const struct ir_expr *part[] = {code->lower, code->upper, code->cond};
    for (size_t i = 0; i < ARRAY_SIZE(part); i++)
        if (part[i] && expr_mentions(part[i], at->array))
            return false;
    if (code->kind == CODE_STMT && stmt_mentions(code->stmt, at->array) &&
        (code->vector || !is_update(at, code->stmt)))
        return false;
    for (size_t i = 0; i < code->child_nr; i++)
        if (!only_updates(at, code->child[i]))
            return false;
    return true;
}

static bool calls(const struct gen *gen, const struct code *code)
{
    bool found = code->kind == CODE_STMT && code->statement != SIZE_MAX &&
                 gen->nest->statement[code->statement].calls;
    for (size_t i = 0; !found && i < code->child_nr; i++)
        found = calls(gen, code->child[i]);
    return found;
}

static bool may_have_tables(struct tables *at, const struct code *loop)
{
    return !loop->parallel && !calls(at->gen, loop) && only_updates(at, loop) &&
           !code_reaches_otherwise(at->gen, loop, at->array);
}

/* The outermost loop around it of which the same holds: the tables are cleared, and added
 * up, less often. */
static struct code *outermost(struct tables *at)
{
    struct code *found = at->loop;
    for (struct code *up = at->loop->parent; up; up = up->parent) {
        if (up->kind == CODE_FOR && !may_have_tables(at, up))
            break;
        found = up->kind == CODE_FOR ? up : found;
    }
    return found;
}

/* ---- in the loop ---- */

/* By its type, or because it would be outside of an array. */
static bool is_within(const struct tables *at, const struct ir_expr *index)
{
    const struct ir_symbol *array = at->array;
    bool object =
        array->dim_nr == 1 && (array->role == IR_LOCAL || array->role == IR_GLOBAL);
    long long most = expr_at_most(index);
    return object || (most >= 0 && most < at->elements);
}

/* `if ((unsigned long)index < elements) own; else stmt`. */
static struct ir_stmt *tested(struct tables *at, struct ir_expr *index,
                              struct ir_stmt *own, struct ir_stmt *stmt)
{
    struct ir_arena *arena = at->gen->arena;
    struct ir_stmt *test = ir_stmt_new(arena, IR_IF, 2);
    struct ir_expr *place = ir_to_long(arena, index);
    place->type.is_unsigned = true;
    place->type.text = "unsigned long";
    test->cond = ir_binary(arena, "<", place, ir_integer(arena, at->elements));
    test->cond->is_ours = false;
    test->child[0] = own;
    test->child[1] = stmt;
    return test;
}

static void rewrite(struct tables *at, struct code *child)
{
    struct ir_arena *arena = at->gen->arena;
    long long copy = gen_copy_of(at->gen, at->loop, at->nr, child);
    if (copy <= 0 || !is_update(at, child->stmt))
        return;
    struct ir_expr *by = ir_name(arena, at->copy[copy]);
    struct ir_stmt *own = stmt_substitute(arena, child->stmt, &at->array, &by, 1);
    struct ir_expr *index = at->what.target->arg[1];
    child->stmt = is_within(at, index) ? own : tested(at, index, own, child->stmt);
}

/* ---- around it ---- */

static void put_before(const struct code *around, struct code *line)
{
    code_insert(around->parent, code_index(around), line);
}

/* C89 has declarations before all statements, so that their values are given later. */
static void declare(struct tables *at, const struct code *around, long long copy)
{
    struct ir_arena *arena = at->gen->arena;
    bool is_c89 = at->gen->model->function->is_c89;
    struct ir_symbol *table = gen_array(at->gen, gen_name(at->gen, at->array->name, true),
                                        &at->type, at->elements);
    struct ir_expr *zeros = ir_expr_new(arena, IR_RAW, 0);
    zeros->text = is_c89 ? ir_textf(arena, "__builtin_memset(%s, 0, sizeof(%s))",
                                    table->name, table->name)
                         : "{0}";
    at->copy[copy] = table;
    struct code *line = code_statement(at->gen, IR_DECL, is_c89 ? NULL : zeros);
    line->stmt->symbol = table;
    put_before(around, line);
    if (is_c89)
        put_before(around, code_statement(at->gen, IR_EXPR, zeros));
}

static struct ir_expr *element(struct tables *at, struct ir_symbol *array,
                               struct ir_symbol *index)
{
    struct ir_expr *expr = ir_expr_new(at->gen->arena, IR_INDEX, 2);
    expr->type = at->type;
    expr->arg[0] = ir_name(at->gen->arena, array);
    expr->arg[1] = ir_name(at->gen->arena, index);
    return expr;
}

static struct ir_stmt *assignment(struct tables *at, const char *op, struct ir_expr *to,
                                  struct ir_expr *value)
{
    struct ir_stmt *stmt = ir_stmt_new(at->gen->arena, IR_EXPR, 0);
    stmt->expr = ir_assign(at->gen->arena, op, to, value);
    return stmt;
}

/* Into the user's table; of signed integers as they wrap around. */
static struct ir_stmt *add_to_table(struct tables *at, struct ir_symbol *index)
{
    const char *op = gen_join_operator(at->what.kind);
    struct ir_expr *to = element(at, at->array, index),
                   *value = element(at, at->copy[1], index);
    if (!recurrence_overflows(&at->what))
        return assignment(at, op, to, value);
    struct ir_expr *cast = ir_expr_new(at->gen->arena, IR_CAST, 1);
    cast->type = at->what.target->type;
    cast->type.is_const = false;
    cast->arg[0] = gen_plain(at->gen, "+", to, value);
    return assignment(at, "=", to, cast);
}

/* for (b = 0; b < elements; b++) { t_1 += t_2 + t_3; if (t_1 != 0) t += t_1; } */
static void join(struct tables *at, struct code *around)
{
    struct ir_arena *arena = at->gen->arena;
    const char *op = gen_join_operator(at->what.kind);
    struct ir_type type = {.text = "int", .scalar = IR_INT, .bytes = 4};
    struct ir_symbol *index = gen_symbol(at->gen, gen_name(at->gen, "at", false), &type);
    struct ir_stmt *loop = ir_stmt_new(arena, IR_FOR, 1),
                   *body = ir_stmt_new(arena, IR_BLOCK, 2),
                   *test = ir_stmt_new(arena, IR_IF, 1);
    struct ir_expr *all = at->nr > 2 ? element(at, at->copy[2], index) : NULL;
    for (long long i = 3; i < at->nr; i++)
        all = gen_plain(at->gen, ir_textf(arena, "%.1s", op), all,
                        element(at, at->copy[i], index));
    test->cond =
        gen_plain(at->gen, "!=", element(at, at->copy[1], index), ir_integer(arena, 0));
    test->child[0] = add_to_table(at, index);
    if (all)
        body->child[0] = assignment(at, op, element(at, at->copy[1], index), all);
    body->child[1] = test;
    loop->canonical = loop->declares_iterator = true;
    loop->iterator = index;
    loop->lower = ir_integer(arena, 0);
    loop->upper = ir_integer(arena, at->elements);
    loop->cmp = "<";
    loop->step = 1;
    loop->child[0] = all ? body : test;
    struct code *line = code_statement(at->gen, IR_EXPR, NULL);
    line->stmt = loop;
    code_insert(around->parent, code_index(around) + 1, line);
}

/* ---- one loop ---- */

static bool share(struct gen *gen, struct code *loop, const struct table *table)
{
    struct code *body = loop->child[0];
    struct tables at = {.gen = gen,
                        .loop = loop,
                        .array = table->array,
                        .elements = table->elements,
                        .nr = loop->band->tables};
    if (at.nr > TABLES_MAX || !code_mentions(body, table->array) ||
        !may_have_tables(&at, loop))
        return false;
    for (size_t i = 0; i < body->child_nr; i++)
        if (code_mentions(body->child[i], table->array) &&
            (body->child[i]->kind != CODE_STMT ||
             gen_copy_of(gen, loop, at.nr, body->child[i]) < 0))
            return false;
    at.type = gen_partial_type(&at.what);
    at.type.is_restrict = false;
    at.type.full = NULL;
    struct recurrence what = at.what;
    struct code *around = outermost(&at);
    at.what = what; /* beyond it there may be anything */
    for (long long i = 1; i < at.nr; i++)
        declare(&at, around, i);
    join(&at, around);
    for (size_t i = 0; i < body->child_nr; i++)
        if (code_mentions(body->child[i], table->array))
            rewrite(&at, body->child[i]);
    loop->simd = false;
    return true;
}

static bool share_below(struct gen *gen, struct code *code)
{
    bool done = false;
    if (code->kind == CODE_FOR && code->band->tables && code->band->role == BAND_BLOCK &&
        !code_has_loop(code->child[0])) {
        for (size_t i = 0; i < gen->work->table_nr; i++)
            done = share(gen, code, &gen->work->table[i]) || done;
        return done;
    }
    for (size_t i = 0; i < code->child_nr; i++) {
        struct code *child = code->child[i];
        done = share_below(gen, child) || done;
        i = code_index(child); /* declarations put before a loop shift it */
    }
    return done;
}

void gen_tables(struct gen *gen, struct code *code)
{
    if (gen->work->table_nr && !share_below(gen, code))
        gen->problem = "in the new code no loop only updates the table";
}
