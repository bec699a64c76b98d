/* Whether, and at which element, an access is reached in an iteration of a loop that is
 * still to come. */
#include <stdlib.h>
#include <string.h>

#include "variants/emit/gen_fetch.h"
#include "variants/ir/sum.h"
#include "variants/model/model_nest.h"
#include "variants/model/tree.h"

bool fetch_only_known(const struct gen *gen, const struct ir_expr *expr,
                      const struct statement *statement)
{
    bool known = expr->kind != IR_NAME || expr->symbol->type.pointers ||
                 symbol_is_param(gen->nest, expr->symbol);
    for (size_t i = 0; !known && i < statement->depth; i++)
        known = statement->loop[i]->stmt->iterator == expr->symbol;
    for (size_t i = 0; known && i < expr->arg_nr; i++)
        known = fetch_only_known(gen, expr->arg[i], statement);
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
static bool runs_on(struct nest *nest, const struct statement *statement,
                    const struct tree *band)
{
    size_t pos = (size_t)band->loop->depth;
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
    bool up = (statement->loop[pos]->stmt->step > 0) != band_is_turned(band);
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

struct place {
    const struct gen *gen;
    const struct statement *statement;
    size_t pos; /* of the loop */
};

static bool is_known_ahead(const struct ir_symbol *symbol, const void *data)
{
    const struct place *place = data;
    const struct nest *nest = place->gen->nest;
    for (size_t i = 0; i <= place->pos; i++)
        if (place->statement->loop[i]->stmt->iterator == symbol)
            return true;
    return ahead_is_fixed(nest, symbol);
}

/* In the loop at pos, whose inner loops are entered. */
bool fetch_reached_later(struct gen *gen, const struct statement *statement, size_t pos,
                         const struct ir_expr *wanted, struct lookahead *lookahead)
{
    struct place place = {gen, statement, pos};
    const struct ir_stmt *loop = statement->loop[pos]->stmt;
    struct lookahead_request request = {.body = loop->child[0],
                                        .wanted = wanted,
                                        .known = is_known_ahead,
                                        .data = &place};
    if (!lookahead_find(gen, &request, lookahead)) {
        if (!gen->work->not_fetched)
            gen->work->not_fetched = ir_text(gen->model->arena, lookahead->why);
        return false;
    }
    bool moves = expr_mentions(lookahead->element, loop->iterator);
    if (!moves && !gen->work->not_fetched)
        gen->work->not_fetched = "each iteration begins with the same element";
    return moves;
}

bool fetch_all_later(struct gen *gen, const struct statement *statement, size_t pos,
                     const struct ir_expr *wanted, struct lookahead_names *names,
                     struct lookahead *lookahead)
{
    struct place place = {gen, statement, pos};
    struct lookahead_request request = {.body = statement->loop[pos]->stmt->child[0],
                                        .wanted = wanted,
                                        .all = names,
                                        .known = is_known_ahead,
                                        .data = &place};
    return lookahead_find(gen, &request, lookahead);
}

bool fetch_is_direct(struct gen *gen, const struct statement *statement,
                     const struct tree *band, const struct ir_expr *wanted,
                     const struct ir_expr *expr)
{
    return fetch_only_known(gen, expr, statement) && fetch_is_safe(gen, expr) &&
           (!fetch_loads(expr) || (always_read(statement->stmt, wanted) &&
                                   runs_on(gen->nest, statement, band)));
}

/* The inner loop at pos, all of which lies in one line at a place that the loop around it
 * looks up: entry[hash[i]][s], s below 4. One iteration of the outer loop is one place.
 */
bool fetch_is_one_line(struct gen *gen, const struct statement *statement, size_t pos,
                       const struct ir_expr *wanted)
{
    const struct ir_stmt *loop = statement->loop[pos]->stmt;
    struct ir_symbol *iterator = loop->iterator;
    long long each = 0, bytes = (long long)wanted->type.bytes;
    struct lookahead lookahead;
    if (!pos || wanted->kind != IR_INDEX || !loop->lower->has_value ||
        !loop->upper->has_value || !expr_coefficient(wanted->arg[1], iterator, &each) ||
        expr_mentions(wanted->arg[0], iterator) ||
        llabs(loop->upper->value - loop->lower->value) * llabs(each) * bytes >
            gen->model->request.line_bytes)
        return false;
    return fetch_reached_later(gen, statement, pos - 1, wanted, &lookahead) &&
           fetch_loads(lookahead.element);
}

/* An array that the language gives a size to, read under a condition: its subscripts may
 * be in range only then. */
bool fetch_has_own_size(const struct statement *statement, const struct ir_expr *wanted)
{
    const struct ir_symbol *root = expr_root(wanted);
    return root->dim_nr && root->role != IR_PARAM &&
           !always_read(statement->stmt, wanted);
}

/* a holds whenever b does, by what they say: b is a && more. */
bool lookahead_implies(const struct ir_expr *b, const struct ir_expr *a)
{
    while (b && a && !expr_equal(a, b))
        b = b->kind == IR_BINARY && !strcmp(b->op, "&&") ? b->arg[0] : NULL;
    return !a || b;
}

/* Both in one line, most of the time. */
bool ahead_is_near(struct gen *gen, const struct ir_expr *a, const struct ir_expr *b)
{
    if (a->kind != IR_INDEX || b->kind != IR_INDEX || !expr_equal(a->arg[0], b->arg[0]))
        return false;
    struct sum first = sum_of_expr(gen->arena, a->arg[1]),
               second = sum_of_expr(gen->arena, b->arg[1]);
    struct sum apart = sum_add(&first, &second, -1);
    return !apart.nr && llabs(apart.constant) * (long long)a->type.bytes <
                            gen->model->request.line_bytes;
}

/* ---- parts of the walk of gen_lookahead.c ---- */

/* !(a < b) of integers is a >= b. */
struct ir_expr *lookahead_negated(struct ir_arena *arena, struct ir_expr *expr)
{
    static const char *const pair[][2] = {{"==", "!="}, {"!=", "=="}, {"<", ">="},
                                          {">=", "<"},  {">", "<="},  {"<=", ">"}};
    bool integers = expr->kind == IR_BINARY && expr->arg[0]->type.scalar == IR_INT &&
                    expr->arg[1]->type.scalar == IR_INT;
    for (size_t i = 0; integers && i < ARRAY_SIZE(pair); i++)
        if (!strcmp(expr->op, pair[i][0]))
            return ir_binary(arena, pair[i][1], expr->arg[0], expr->arg[1]);
    struct ir_expr *other = ir_expr_new(arena, IR_UNARY, 1);
    other->op = "!";
    other->type = expr->type;
    other->arg[0] = expr;
    return other;
}

bool lookahead_says(const struct ir_expr *all, const struct ir_expr *cond)
{
    while (all && !expr_equal(all, cond)) {
        bool more = all->kind == IR_BINARY && !strcmp(all->op, "&&");
        if (more && expr_equal(all->arg[1], cond))
            return true;
        all = more ? all->arg[0] : NULL;
    }
    return all != NULL;
}

bool lookahead_leaves(const struct ir_stmt *stmt, const void *within)
{
    bool own = stmt->kind == IR_JUMP && within &&
               (!strncmp(stmt->text, "break", 5) || !strncmp(stmt->text, "continue", 8));
    return (stmt->kind == IR_JUMP && !own) || stmt->kind == IR_RETURN ||
           stmt->kind == IR_OPAQUE;
}

bool lookahead_ends_in_jump(const struct ir_stmt *stmt)
{
    if (stmt->kind == IR_BLOCK)
        return stmt->child_nr && lookahead_ends_in_jump(stmt->child[stmt->child_nr - 1]);
    return stmt->kind == IR_JUMP || stmt->kind == IR_RETURN;
}

static void count_load(struct ir_expr *expr, void *data)
{
    bool row =
        expr->kind == IR_INDEX && expr->type.pointers; /* of a two-dimensional one */
    *(size_t *)data += expr->kind == IR_INDEX && !row;
}

size_t lookahead_loads(const struct lookahead *lookahead)
{
    size_t nr = 0, own = lookahead->element->kind == IR_INDEX;
    ir_visit(lookahead->element, count_load, &nr);
    if (lookahead->cond)
        ir_visit(lookahead->cond, count_load, &nr);
    return nr - (nr ? own : 0);
}

static bool breaks(const struct ir_stmt *stmt, bool own)
{
    bool inner = stmt->kind == IR_FOR || stmt->kind == IR_WHILE;
    bool found = stmt->kind == IR_RETURN || stmt->kind == IR_OPAQUE ||
                 (stmt->kind == IR_JUMP && strncmp(stmt->text, "continue", 8) &&
                  (own || strncmp(stmt->text, "break", 5)));
    for (size_t i = 0; !found && i < stmt->child_nr; i++)
        found = stmt->child[i] && breaks(stmt->child[i], own && !inner);
    return found;
}

/* The iterator, or its limit, may be above the values it has. */
bool lookahead_wraps(const struct ir_stmt *loop)
{
    return loop->step < 0 && loop->iterator->type.is_unsigned;
}

bool lookahead_ends_early(const struct ir_stmt *body)
{
    return breaks(body, true);
}

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

bool lookahead_sets(const struct ir_stmt *stmt, const void *symbol)
{
    const struct ir_expr *part[] = {stmt->expr, stmt->cond, stmt->increment};
    bool found = stmt->symbol == symbol || stmt->iterator == symbol;
    for (size_t i = 0; !found && i < ARRAY_SIZE(part); i++)
        found = part[i] && sets(part[i], symbol);
    return found;
}
