/* isl's loops as a code tree: names, bounds in the user's iterators, statements with
 * their iterators put in. */
#include <isl/schedule.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"
#include "variants/emit/gen.h"
#include "variants/ir/sum.h"
#include "variants/model/deps.h"
#include "variants/model/tree.h"

enum { VECTOR_DOUBLES = 8 }; /* lanes of 512 bits: fewer iterations make no vectors */

static void add_node(struct gen *gen, struct code *block, isl_ast_node *node,
                     const struct tree *band);

/* ---- loops ---- */

static const char *free_name(struct gen *gen, const char *name)
{
    const struct ir_function *function = gen->model->function;
    for (size_t i = 0; i < gen->level_nr; i++)
        if (!strcmp(gen->level[i].var->name, name))
            return gen_name(gen, name, true);
    bool ours = true; /* a name we made must not hide one of the user's */
    for (size_t i = 0; i < gen->nest->loop_nr; i++)
        ours = ours && strcmp(gen->nest->loop[i]->stmt->iterator->name, name);
    bool met =
        ir_has_name(&function->macros, name) || ir_has_name(&function->declared, name);
    for (size_t i = 0; !met && i < function->symbol_nr; i++)
        met = !strcmp(function->symbol[i]->name, name);
    return ours && met ? gen_name(gen, name, true) : name;
}

/* A variable for the band: the user's own where he declared it outside of the loop, a new
 * one of its name else. */
static struct ir_symbol *variable(struct gen *gen, const struct tree *band,
                                  struct code *loop)
{
    const struct ir_stmt *stmt = band->loop->stmt;
    struct ir_type type = stmt->iterator->type;
    struct range range = gen_loop_range(gen, loop);
    bool as_it_is =
        !type.is_unsigned && type.bytes >= 4 && gen_holds(gen, &type, loop, range);
    bool own = (band->role == BAND_LOOP || band->role == BAND_BLOCK) && !band->skewed &&
               !strcmp(band->name, stmt->iterator->name);
    bool shared = band->parallel; /* threads need their own */
    for (size_t i = 0; i < gen->level_nr; i++)
        shared = shared || gen->level[i].band->parallel;
    bool inside =
        stmt->declares_iterator || gen->nest->decl_depth[stmt->iterator->id] >= 0;
    loop->declares = !own || inside || !as_it_is || shared;
    if (!as_it_is)
        type = ir_long;
    type.is_const = false;
    if (!loop->declares && loop->kind == CODE_FOR) {
        gen_set_range(gen, stmt->iterator, range);
        return stmt->iterator;
    }
    bool skewed = band->role == BAND_LOOP && band->skewed;
    const char *name = skewed ? ir_textf(gen->arena, "%ss", band->name) : band->name;
    struct ir_symbol *symbol = gen_symbol(gen, free_name(gen, name), &type);
    gen_set_range(gen, symbol, range);
    return symbol;
}

static void push_level(struct gen *gen, const struct tree *band, isl_ast_node *node,
                       struct ir_symbol *var)
{
    isl_ast_expr *iterator = isl_ast_node_for_get_iterator(node);
    isl_id *id = isl_ast_expr_id_get_id(iterator);
    struct ir_type type = {.text = "int", .scalar = IR_INT, .bytes = 4};
    struct ir_symbol *hidden =
        gen_symbol(gen, ir_text(gen->arena, isl_id_get_name(id)), &type);
    struct ir_symbol *alias =
        gen_symbol(gen, ir_textf(gen->arena, "%s@", var->name), &var->type);
    gen->level[gen->level_nr++] =
        (struct level){.band = band, .hidden = hidden, .var = var, .alias = alias};
    isl_id_free(id);
    isl_ast_expr_free(iterator);
}

/* c < u or c <= u as var < base + step * u. */
static struct ir_expr *bound(struct gen *gen, isl_ast_node *node, const struct tree *band)
{
    isl_ast_expr *cond = isl_ast_node_for_get_cond(node);
    enum isl_ast_expr_op_type type = isl_ast_expr_op_get_type(cond);
    struct ir_expr *raw = raw_expr(gen, isl_ast_expr_op_get_arg(cond, 1));
    if (type != isl_ast_expr_op_le && type != isl_ast_expr_op_lt)
        gen->problem = "a loop of the result has a condition that cannot be written in C";
    isl_ast_expr_free(cond);
    return raw_finish(gen, raw_bound(gen, raw, type == isl_ast_expr_op_le, band->base,
                                     band_stride(band)));
}

static long long increment(isl_ast_node *node)
{
    isl_ast_expr *inc = isl_ast_node_for_get_inc(node);
    isl_val *val = isl_ast_expr_int_get_val(inc);
    long long value = isl_val_get_num_si(val);
    isl_val_free(val);
    isl_ast_expr_free(inc);
    return value;
}

static struct ir_expr *first_value(struct gen *gen, isl_ast_node *node,
                                   const struct tree *band)
{
    struct ir_expr *raw = raw_expr(gen, isl_ast_node_for_get_init(node));
    return raw_finish(gen, raw_map(gen, raw, band->base, band_stride(band)));
}

/* j < jt + 25 in steps of 8 as j < jt + 32. */
static void round_bound(struct gen *gen, struct code *loop)
{
    struct sum lower = sum_of_expr(gen->arena, loop->lower),
               upper = sum_of_expr(gen->arena, loop->upper);
    struct sum span = sum_add(&upper, &lower, -1);
    long long over = span.constant % loop->step;
    if (!span.nr && over > 0)
        loop->upper = expr_plus(gen->arena, loop->upper, loop->step - over);
}

static bool has_min(isl_ast_expr *expr)
{
    bool is_op = isl_ast_expr_get_type(expr) == isl_ast_expr_op;
    bool found = is_op && isl_ast_expr_op_get_type(expr) == isl_ast_expr_op_min;
    for (int i = 0; is_op && !found && i < (int)isl_ast_expr_op_get_n_arg(expr); i++)
        found = has_min(isl_ast_expr_op_get_arg(expr, i));
    isl_ast_expr_free(expr);
    return found;
}

/* isl (0.25) may begin a loop in steps between two of its values where the values are
 * those of several sets, each with a beginning of its own: `i < n / 2` in tiles of 3,
 * unrolled by 2, ran some iterations twice. */
static bool may_begin_between(isl_ast_node *node)
{
    return increment(node) > 1 && has_min(isl_ast_node_for_get_init(node));
}

static void add_for(struct gen *gen, struct code *block, isl_ast_node *node,
                    const struct tree *band)
{
    bool once = isl_ast_node_for_is_degenerate(node) == isl_bool_true;
    struct code *loop = code_new(once ? CODE_LET : CODE_FOR), *body = loop;
    code_add(block, loop);
    if (!band || gen->level_nr == ARRAY_SIZE(gen->level)) {
        gen->problem = "a loop of the result cannot be recognized";
        return;
    }
    if (!once && may_begin_between(node)) {
        gen->problem = "what is left of a divided loop begins at several places; take "
                       "sizes of which one divides the other";
        return;
    }
    loop->band = band;
    loop->kept = once ? NULL : band->kept;
    loop->lower = first_value(gen, node, band);
    loop->upper = once ? NULL : bound(gen, node, band);
    loop->step = once ? 1 : band_stride(band) * increment(node);
    loop->simd = band->simd && !once &&
                 !loop_is_few(gen->arena, loop->lower, loop->upper, VECTOR_DOUBLES);
    loop->parallel = band->parallel;
    loop->chunk = band->chunk;
    if (!once && loop->step > 1 && (band->role == BAND_ELEMENT || band->lanes))
        round_bound(gen, loop);
    loop->var = variable(gen, band, loop);
    push_level(gen, band, node, loop->var);
    body = once ? block : code_new(CODE_BLOCK);
    if (!once)
        code_add(loop, body);
    add_node(gen, body, isl_ast_node_for_get_body(node), NULL);
    gen->level_nr--;
}

/* ---- statements ---- */

/* A loop variable whose values are whole blocks of this loop. */
static bool counts_blocks(const struct gen *gen, const struct tree *band,
                          const struct ir_expr *atom)
{
    for (size_t i = 0; atom->kind == IR_NAME && i < gen->level_nr; i++) {
        const struct tree *other = gen->level[i].band;
        bool blocks = other->role == BAND_BLOCK || other->role == BAND_TILE;
        if (gen->level[i].hidden == atom->symbol)
            return blocks && other->loop == band->loop && other->size % band->size == 0;
    }
    return false;
}

/* Which copy this is: the value of the iterator modulo the factor. */
static bool copy_number(struct gen *gen, const struct tree *band, struct ir_expr *raw,
                        long long *number)
{
    struct sum value = sum_of_expr(gen->arena, raw);
    if (band->base) {
        struct sum base = sum_of_expr(gen->arena, band->base);
        value = sum_add(&value, &base, -1);
    }
    for (size_t i = 0; i < value.nr; i++)
        if (!counts_blocks(gen, band, value.term[i].atom) &&
            value.term[i].coefficient % (band->size * band->step))
            return false;
    *number = value.constant / band->step % band->size;
    if (*number < 0)
        *number += band->size;
    return true;
}

static const char *suffix_of(struct gen *gen, const struct cell *cell,
                             struct ir_expr *const *raw)
{
    const char *suffix = "";
    for (size_t i = 0; i < gen->copy_nr; i++) {
        long long number = 0;
        size_t pos = (size_t)gen->copy[i]->loop->depth;
        if (pos >= cell->depth)
            continue;
        if (!copy_number(gen, gen->copy[i], raw[pos], &number))
            gen->problem = "the copies of a local variable cannot be told apart";
        suffix = ir_textf(gen->arena, "%s_%lld", suffix, number);
    }
    return suffix;
}

static bool is_innermost_cell(const struct nest *nest, size_t cell, size_t statement)
{
    for (size_t i = nest->statement[statement].access_begin;
         i < nest->statement[statement].access_end; i++)
        if (nest->access[i].cell == cell)
            return true;
    return false;
}

struct replace {
    struct ir_symbol *symbol[64];
    struct ir_expr *by[64];
    size_t nr;
};

static void replace_add(struct replace *replace, struct ir_symbol *symbol,
                        struct ir_expr *by)
{
    if (replace->nr < ARRAY_SIZE(replace->symbol)) {
        replace->symbol[replace->nr] = symbol;
        replace->by[replace->nr++] = by;
    }
}

static void replace_locals(struct gen *gen, const struct code *code,
                           struct ir_expr *const *raw, struct replace *replace)
{
    for (size_t i = 0; i < gen->nest->cell_nr; i++) {
        struct cell *cell = &gen->nest->cell[i];
        if (!cell->is_private || !is_innermost_cell(gen->nest, i, code->statement) ||
            gen_is_expanded(gen, i))
            continue;
        struct ir_symbol *local = gen_local_symbol(gen, i, suffix_of(gen, cell, raw));
        replace_add(replace, cell->symbol, ir_name(gen->arena, local));
    }
}

/* An iterator may be a wider, signed variable in the text; where it is a value it keeps
 * its type. */
static const char own_cast[] = ""; /* told from the user's casts by this text */

static struct ir_expr *as_written(struct gen *gen, const struct ir_symbol *iterator,
                                  struct ir_expr *expr)
{
    const struct ir_type *type = &iterator->type;
    if (!type->is_unsigned && type->bytes >= 4 && expr->type.bytes <= type->bytes)
        return expr;
    struct ir_expr *cast = ir_expr_new(gen->arena, IR_CAST, 1);
    cast->type = iterator->type;
    cast->text = own_cast;
    cast->arg[0] = expr;
    return cast;
}

/* Do all of the nest's subscripts of the array give the number that is meant? */
static bool is_whole(const struct gen *gen, const struct ir_symbol *symbol)
{
    bool whole = symbol != NULL;
    for (size_t i = 0; whole && i < gen->nest->access_nr; i++) {
        const struct access *access = &gen->nest->access[i];
        if (gen->nest->cell[access->cell].symbol == symbol)
            whole = access->exact && !access->collapsed;
    }
    return whole;
}

/* A subscript is the same number in a wider type. So are its terms, where they are signed
 * or `whole`: what is made of them does not overflow. Unsigned ones are made in long
 * then: compilers do not see that neighbours stay neighbours in a sum that may wrap
 * around. */
static void drop_casts_of(struct gen *gen, struct ir_expr **at, bool whole)
{
    while ((*at)->kind == IR_CAST && (*at)->text == own_cast)
        *at = (*at)->arg[0];
    struct ir_expr *expr = *at;
    bool terms = expr_is_polynomial(expr) && (whole || !expr->type.is_unsigned);
    for (size_t i = 0; terms && i < 2; i++)
        drop_casts_of(gen, &expr->arg[i], whole);
    if (terms && expr->type.is_unsigned && expr->type.bytes == 4) {
        struct ir_expr **first = &expr->arg[expr->arg[0]->has_value];
        if (expr->arg[0]->type.bytes < 8 && expr->arg[1]->type.bytes < 8)
            *first = ir_to_long(gen->arena, *first);
        expr->type = ir_long;
    }
}

static void drop_casts(struct ir_expr *expr, void *data)
{
    struct gen *gen = data;
    if (expr->kind == IR_INDEX)
        drop_casts_of(gen, &expr->arg[1], is_whole(gen, expr_root(expr)));
}

/* The statement with what the plan puts in place of its accesses. */
static const struct ir_stmt *planned(struct gen *gen, const struct statement *statement,
                                     struct ir_expr *const *raw, struct code *code)
{
    const struct tree *band = gen->mark_nr ? gen->mark[gen->mark_nr - 1] : NULL;
    struct statement with = *statement;
    with.stmt = statement->collapsed ? gen_rows(gen, statement->stmt) : statement->stmt;
    const struct ir_stmt *stmt = gen_redirect(gen, &with, raw);
    if (with.stmt != statement->stmt) { /* it is fitted, and may hold vectors */
        code->vector = true;
        return stmt;
    }
    stmt = gen_borders(gen, stmt, code->statement);
    code->vector = band && band->lanes;
    return code->vector ? gen_vector(gen, stmt, band) : stmt;
}

/* Iterators put in cancel against the first element of a local buffer. */
static void simplify_subscript(struct ir_expr *expr, void *data)
{
    const struct gen *gen = data;
    if (expr->kind != IR_INDEX)
        return;
    struct ir_expr *simple = expr_simplify(gen->arena, expr->arg[1]);
    if (!expr_equal(simple, expr->arg[1])) /* else it remains the source's */
        expr->arg[1] = simple;
}

static bool in_team(const struct gen *gen)
{
    bool found = false;
    for (size_t i = 0; i < gen->level_nr; i++)
        found = found || gen->level[i].band->parallel;
    return found;
}

/* Loops inside of the statement count with a variable of the thread's own. */
static struct ir_stmt *with_counters(struct gen *gen, struct ir_stmt *stmt)
{
    if (stmt && stmt->kind == IR_FOR && stmt->canonical && !stmt->declares_iterator) {
        struct ir_type type = stmt->iterator->type;
        struct ir_symbol *own = gen_symbol(gen, stmt->iterator->name, &type);
        struct ir_expr *by = ir_name(gen->arena, own);
        stmt = stmt_substitute(gen->arena, stmt, &stmt->iterator, &by, 1);
        stmt->iterator = own;
        stmt->declares_iterator = true;
    }
    for (size_t i = 0; stmt && i < stmt->child_nr; i++)
        stmt->child[i] = with_counters(gen, stmt->child[i]);
    return stmt;
}

/* Text that stays as it is, with a name that becomes another one. */
static void check_pragmas(struct gen *gen, const struct ir_stmt *stmt,
                          const struct replace *replace)
{
    if (!stmt)
        return;
    for (size_t i = 0; i < replace->nr; i++) {
        const char *name = replace->symbol[i]->name, *text = NULL;
        const struct ir_expr *by = replace->by[i];
        bool same = by->kind == IR_NAME && !strcmp(by->symbol->name, name);
        for (const struct ir_pragma *pragma = stmt->pragma; !same && pragma;
             pragma = pragma->next)
            if (!pragma->ours && text_has_word(pragma->text, name))
                text = pragma->text;
        if (!same && stmt->kind == IR_OPAQUE && text_has_word(stmt->text, name))
            text = stmt->text;
        if (text)
            gen->problem = ir_textf(gen->model->arena,
                                    "the plan gives '%s' another name, and '%s' inside "
                                    "of the loop names it; drop that clause",
                                    name, text);
    }
    for (size_t i = 0; i < stmt->child_nr; i++)
        check_pragmas(gen, stmt->child[i], replace);
}

static void add_statement(struct gen *gen, struct code *block, isl_ast_expr *expr,
                          size_t index)
{
    struct code *code = code_new(CODE_STMT);
    code->statement = index;
    const struct statement *statement = &gen->nest->statement[index];
    struct ir_expr *raw[DEPTH_MAX] = {NULL};
    struct replace replace = {.nr = 0};
    for (size_t i = 0; i < statement->depth; i++) {
        struct ir_symbol *iterator = statement->loop[i]->stmt->iterator;
        raw[i] = raw_expr(gen, isl_ast_expr_op_get_arg(expr, (int)i + 1));
        if (gen->moved[i])
            raw[i] = expr_plus(gen->arena, raw[i], gen->moved[i]);
        code->iterator[i] = raw_finish(gen, raw[i]);
        replace_add(&replace, iterator, as_written(gen, iterator, code->iterator[i]));
    }
    code->iterator_nr = statement->depth;
    replace_locals(gen, code, raw, &replace);
    for (size_t i = 0; i < gen->level_nr; i++)
        replace_add(&replace, gen->level[i].alias,
                    ir_name(gen->arena, gen->level[i].var));
    const struct ir_stmt *now = planned(gen, statement, raw, code);
    if (statement->collapsed)
        check_pragmas(gen, now, &replace);
    code->stmt = stmt_substitute(gen->arena, now, replace.symbol, replace.by, replace.nr);
    if (statement->collapsed && in_team(gen))
        code->stmt = with_counters(gen, code->stmt);
    stmt_exprs(code->stmt, drop_casts, gen);
    if (gen->work->box_nr)
        stmt_exprs(code->stmt, simplify_subscript, gen);
    code_add(block, code);
}

static void push_mark(struct gen *gen, const struct tree *band)
{
    if (band->role == BAND_COPY && gen->copy_nr < ARRAY_SIZE(gen->copy))
        gen->copy[gen->copy_nr++] = band;
    if (gen->mark_nr < ARRAY_SIZE(gen->mark))
        gen->mark[gen->mark_nr++] = band;
}

/* The copies for which the first stands, with their iterators moved on. */
static void add_copies(struct gen *gen, struct code *block, isl_ast_expr *expr,
                       const struct tree *tree)
{
    size_t copy_nr = gen->copy_nr, mark_nr = gen->mark_nr;
    bool copies = tree->kind == TREE_BAND;
    long long nr = copies ? copy_number_of(tree) : 1;
    if (tree->kind == TREE_LEAF)
        add_statement(gen, block, expr, tree->statement);
    if (copies)
        push_mark(gen, tree);
    for (long long n = 0; n < nr; n++) {
        if (copies)
            gen->moved[tree->loop->depth] = n * copy_distance(tree);
        for (size_t i = 0; i < tree->child_nr; i++)
            add_copies(gen, block, expr, tree->child[i]);
    }
    if (copies)
        gen->moved[tree->loop->depth] = 0;
    gen->copy_nr = copy_nr;
    gen->mark_nr = mark_nr;
}

/* Statements that always run right after one another, as their leader does. */
static void add_joined(struct gen *gen, struct code *block, isl_ast_expr *expr,
                       size_t leader)
{
    add_statement(gen, block, expr, leader);
    for (size_t i = leader + 1; tree_is_joined(gen->work->tree, i); i++)
        add_statement(gen, block, expr, i);
}

static void add_user(struct gen *gen, struct code *block, isl_ast_node *node)
{
    isl_ast_expr *expr = isl_ast_node_user_get_expr(node);
    isl_ast_expr *callee = isl_ast_expr_op_get_arg(expr, 0);
    isl_id *id = isl_ast_expr_id_get_id(callee);
    const char *name = isl_id_get_name(id);
    size_t index = statement_of_tuple(name);
    if (*name == 'P')
        gen_copy(gen, block, expr, index);
    else if (gen->gathered)
        add_copies(gen, block, expr, gen->gathered);
    else
        add_joined(gen, block, expr, index);
    isl_id_free(id);
    isl_ast_expr_free(callee);
    isl_ast_expr_free(expr);
}

/* ---- the rest ---- */

static void add_if(struct gen *gen, struct code *block, isl_ast_node *node,
                   const struct tree *band)
{
    struct code *code = code_new(CODE_IF);
    code->cond = raw_finish(gen, raw_expr(gen, isl_ast_node_if_get_cond(node)));
    code_add(block, code);
    code_add(code, code_new(CODE_BLOCK));
    add_node(gen, code->child[0], isl_ast_node_if_get_then_node(node), band);
    if (isl_ast_node_if_has_else_node(node) == isl_bool_true) {
        code_add(code, code_new(CODE_BLOCK));
        add_node(gen, code->child[1], isl_ast_node_if_get_else_node(node), band);
    }
}

static void add_list(struct gen *gen, struct code *block, isl_ast_node *node,
                     const struct tree *band)
{
    isl_ast_node_list *list = isl_ast_node_block_get_children(node);
    int nr = (int)isl_ast_node_list_n_ast_node(list);
    for (int i = 0; i < nr; i++)
        add_node(gen, block, isl_ast_node_list_get_ast_node(list, i), band);
    isl_ast_node_list_free(list);
}

static void add_mark(struct gen *gen, struct code *block, isl_ast_node *node)
{
    isl_id *id = isl_ast_node_mark_get_id(node);
    const struct tree *band = isl_id_get_user(id);
    isl_id_free(id);
    size_t copy_nr = gen->copy_nr, mark_nr = gen->mark_nr;
    if (tree_is_coalesced(band))
        gen->gathered = band;
    else
        push_mark(gen, band);
    add_node(gen, block, isl_ast_node_mark_get_node(node), band);
    gen->gathered = NULL;
    gen->copy_nr = copy_nr;
    gen->mark_nr = mark_nr;
}

/* `band` is that of the last mark; it holds for the next loop below. Takes node. */
static void add_node(struct gen *gen, struct code *block, isl_ast_node *node,
                     const struct tree *band)
{
    switch (isl_ast_node_get_type(node)) {
    case isl_ast_node_for:
        add_for(gen, block, node, band);
        break;
    case isl_ast_node_if:
        add_if(gen, block, node, band);
        break;
    case isl_ast_node_block:
        add_list(gen, block, node, band);
        break;
    case isl_ast_node_mark:
        add_mark(gen, block, node);
        break;
    case isl_ast_node_user:
        add_user(gen, block, node);
        break;
    default:
        gen->problem = "the loops could not be generated";
    }
    isl_ast_node_free(node);
}

struct code *gen_code(struct gen *gen)
{
    struct nest *nest = gen->nest;
    isl_ast_build *build = isl_ast_build_from_context(isl_set_copy(gen->known));
    tree_coalesce(gen->work);
    isl_ast_node *node =
        isl_ast_build_node_from_schedule(build, tree_schedule(nest, gen->work->tree));
    isl_ast_build_free(build);
    if (!node) {
        gen->problem = "the loops could not be generated";
        return NULL;
    }
    struct code *code = code_new(CODE_BLOCK);
    add_node(gen, code, node, NULL);
    if (!gen->problem)
        return code;
    code_free(code);
    return NULL;
}
