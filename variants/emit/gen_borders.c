/*
 * What is decided in a loop that split_borders made: conditions that say the same in all
 * of its iterations, and remainders of numbers whose quotient is the same.
 */
#include <string.h>

#include "variants/emit/gen.h"
#include "variants/ir/sum.h"
#include "variants/model/borders.h"
#include "variants/model/tree.h"

struct folding {
    struct gen *gen;
    const struct statement *statement;
    isl_set *domain; /* the instances that the code is for */
};

enum answer { ANSWER_OPEN, ANSWER_YES, ANSWER_NO };

static void fold(const struct folding *at, struct ir_expr **expr);

/* ---- conditions ---- */

static enum answer compared(const struct folding *at, const struct ir_expr *cond)
{
    isl_set *yes = border_holds(at->gen->nest, at->statement, at->domain, cond);
    enum answer answer = ANSWER_OPEN;
    if (yes && isl_set_is_empty(yes) == isl_bool_true)
        answer = ANSWER_NO;
    else if (yes && isl_set_is_subset(at->domain, yes) == isl_bool_true)
        answer = ANSWER_YES;
    isl_set_free(yes);
    return answer;
}

/* What is left of the condition, where it is open. */
static enum answer asked(const struct folding *at, struct ir_expr **cond)
{
    struct ir_expr *expr = *cond;
    bool both = expr->kind == IR_BINARY && !strcmp(expr->op, "&&");
    if (expr->kind == IR_UNARY && !strcmp(expr->op, "!")) {
        enum answer answer = asked(at, &expr->arg[0]);
        return answer == ANSWER_YES  ? ANSWER_NO
               : answer == ANSWER_NO ? ANSWER_YES
                                     : answer;
    }
    if (border_compares(expr)) {
        enum answer answer = compared(at, expr);
        if (answer == ANSWER_OPEN)
            fold(at, cond);
        return answer;
    }
    if (!both && (expr->kind != IR_BINARY || strcmp(expr->op, "||"))) {
        fold(at, cond);
        return ANSWER_OPEN;
    }
    /* the second is not asked where the first decides; the first may have effects */
    enum answer ends = both ? ANSWER_NO : ANSWER_YES, first = asked(at, &expr->arg[0]);
    if (first == ends)
        return ends;
    enum answer second = asked(at, &expr->arg[1]);
    if (first != ANSWER_OPEN) {
        *cond = expr->arg[1];
        return second;
    }
    if (second != ANSWER_OPEN && second != ends)
        *cond = expr->arg[0];
    return ANSWER_OPEN;
}

/* ---- values ---- */

static struct ir_expr *as_type(const struct folding *at, struct ir_expr *expr,
                               const struct ir_type *type)
{
    const struct ir_type *from = &expr->type;
    if (type->pointers || (from->scalar == type->scalar && from->bytes == type->bytes &&
                           from->is_unsigned == type->is_unsigned))
        return expr;
    struct ir_expr *cast = ir_expr_new(at->gen->arena, IR_CAST, 1);
    cast->type = *type;
    cast->type.is_const = false;
    cast->arg[0] = expr;
    return cast;
}

static struct ir_expr *remainder_of(const struct folding *at, struct ir_expr *expr)
{
    struct ir_arena *arena = at->gen->arena;
    for (long times = 0; times <= BORDER_TIMES_MAX; times++) {
        isl_set *set =
            border_wraps(at->gen->nest, at->statement, at->domain, expr, times);
        bool all = set && isl_set_is_subset(at->domain, set) == isl_bool_true;
        isl_set_free(set);
        if (!all)
            continue;
        struct ir_expr *value = expr->arg[0];
        for (long i = 0; i < times; i++) {
            value = ir_binary(arena, "-", value, ir_copy(arena, expr->arg[1]));
            value->type = expr->type;
        }
        if (!expr->type.is_unsigned)
            value = expr_simplify(arena, value);
        return as_type(at, value, &expr->type);
    }
    return expr;
}

static void fold(const struct folding *at, struct ir_expr **at_expr)
{
    struct ir_expr *expr = *at_expr;
    if (expr->kind == IR_RAW)
        return;
    if (expr->kind == IR_COND) {
        enum answer answer = asked(at, &expr->arg[0]);
        for (size_t i = 1; i < expr->arg_nr; i++)
            if (answer == ANSWER_OPEN || (answer == ANSWER_YES) == (i == 1))
                fold(at, &expr->arg[i]);
        if (answer != ANSWER_OPEN)
            *at_expr = as_type(at, expr->arg[answer == ANSWER_YES ? 1 : 2], &expr->type);
        return;
    }
    for (size_t i = 0; i < expr->arg_nr; i++)
        if (expr->arg[i])
            fold(at, &expr->arg[i]);
    if (border_divides(expr))
        *at_expr = remainder_of(at, expr);
}

static struct ir_stmt *fold_stmt(const struct folding *at, struct ir_stmt *stmt)
{
    if (!stmt || stmt->kind == IR_WHILE || stmt->kind == IR_OPAQUE)
        return stmt;
    if (stmt->expr)
        fold(at, &stmt->expr);
    enum answer answer = stmt->kind == IR_IF ? asked(at, &stmt->cond) : ANSWER_OPEN;
    for (size_t i = 0; i < stmt->child_nr; i++)
        stmt->child[i] = fold_stmt(at, stmt->child[i]);
    if (answer == ANSWER_OPEN)
        return stmt;
    size_t taken = answer == ANSWER_NO;
    return taken < stmt->child_nr && stmt->child[taken]
               ? stmt->child[taken]
               : ir_stmt_new(at->gen->arena, IR_EMPTY, 0);
}

/* ---- where ---- */

static isl_set *run_below(const struct tree *tree, size_t statement, isl_set *all)
{
    if (tree->kind == TREE_LEAF && tree->statement == statement) {
        isl_set *own = isl_set_copy(tree->padded ? tree->padded : tree->domain);
        all = all ? isl_set_union(all, own) : own;
    }
    for (size_t i = 0; i < tree->child_nr; i++)
        all = run_below(tree->child[i], statement, all);
    return all;
}

const struct ir_stmt *gen_borders(struct gen *gen, const struct ir_stmt *stmt,
                                  size_t statement)
{
    size_t i = gen->mark_nr;
    while (i > 0 && !gen->mark[i - 1]->split)
        i--;
    if (!i)
        return stmt;
    struct folding at = {.gen = gen,
                         .statement = &gen->nest->statement[statement],
                         .domain = run_below(gen->mark[i - 1], statement, NULL)};
    if (!at.domain)
        return stmt;
    at.domain = isl_set_intersect_params(at.domain, isl_set_copy(gen->known));
    struct ir_stmt *copy = stmt_substitute(gen->arena, stmt, NULL, NULL, 0);
    copy = fold_stmt(&at, copy);
    isl_set_free(at.domain);
    return copy;
}
