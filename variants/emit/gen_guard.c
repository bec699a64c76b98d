/* What the new code must test before it runs: that arrays do not overlap, that parameters
 * are what the model assumed. */
#include <stdlib.h>
#include <string.h>

#include "core/base/error.h"
#include "variants/emit/gen.h"
#include "variants/ir/clauses.h"
#include "variants/ir/sum.h"
#include "variants/model/model_affine.h"
#include "variants/model/model_view.h"

static struct ir_expr *conjunction(struct gen *gen, struct ir_expr *a, struct ir_expr *b)
{
    return !a ? b : !b ? a : ir_binary(gen->arena, "&&", a, b);
}

/* ---- the bytes an array uses ---- */

static bool take_outer(struct gen *gen, struct ir_expr **max, struct ir_expr *new,
                       bool upper)
{
    if (!new)
        return false;
    struct sum old = *max ? sum_of_expr(gen->arena, *max) : (struct sum){0},
               sum = sum_of_expr(gen->arena, new);
    struct sum difference = sum_add(&sum, &old, -1);
    if (*max && difference.nr)
        return false;
    if (!*max || (upper ? difference.constant > 0 : difference.constant < 0))
        *max = new;
    return true;
}

/* First or last element used, as an expression; NULL when it cannot be said. */
static struct ir_expr *edge(struct gen *gen, const struct memory *memory, bool upper)
{
    struct nest *nest = gen->nest;
    struct ir_symbol *symbol = memory->symbol;
    struct ir_expr *expr = ir_name(gen->arena, symbol);
    size_t dims = memory->itself   ? 0
                  : symbol->dim_nr ? symbol->dim_nr
                                   : symbol->type.pointers > 0;
    for (size_t k = 0; k < dims; k++) {
        struct ir_expr *subscript = NULL;
        bool known = true;
        for (size_t i = 0; known && i < nest->access_nr; i++)
            if (nest->cell[nest->access[i].cell].symbol == symbol)
                known = take_outer(gen, &subscript,
                                   access_bound(nest, &nest->access[i], k, upper), upper);
        const struct ir_expr *declared = k < symbol->dim_nr ? symbol->dim[k] : NULL;
        if (!known && declared)
            subscript = upper ? expr_plus(gen->arena, ir_copy(gen->arena, declared), -1)
                              : ir_integer(gen->arena, 0);
        else if (!known)
            return NULL;
        struct ir_expr *index = ir_expr_new(gen->arena, IR_INDEX, 2);
        index->type = symbol->type;
        index->type.pointers = (int)(dims - k) - 1;
        index->arg[0] = expr;
        index->arg[1] = subscript;
        expr = index;
    }
    return expr;
}

static struct ir_expr *address(struct gen *gen, struct ir_expr *element, bool bytes)
{
    struct ir_expr *expr = ir_expr_new(gen->arena, IR_UNARY, 1);
    expr->op = "&";
    expr->type = element->type;
    expr->type.pointers = 1;
    expr->arg[0] = element;
    if (!bytes)
        return expr;
    struct ir_expr *cast = ir_expr_new(gen->arena, IR_CAST, 1);
    cast->type = (struct ir_type){
        .text = "char", .scalar = IR_INT, .bytes = 1, .is_const = true, .pointers = 1};
    cast->arg[0] = expr;
    return cast;
}

/* The last element of `a` lies before the first of `b`. */
static struct ir_expr *lies_before(struct gen *gen, const struct memory *a,
                                   const struct memory *b, bool bytes)
{
    struct ir_expr *last = edge(gen, a, true), *first = edge(gen, b, false);
    if (!last || !first)
        return NULL;
    bool pointer = a->itself && a->type.pointers;
    long long size = (long long)(pointer ? sizeof(void *) : a->symbol->type.bytes);
    struct ir_expr *end = address(gen, last, bytes);
    if (bytes && size > 1)
        end = ir_binary(gen->arena, "+", end, ir_integer(gen->arena, size - 1));
    return ir_binary(gen->arena, "<", end, address(gen, first, bytes));
}

static bool are_compared_by_bytes(const struct overlap *pair)
{
    const struct ir_type *a = &pair->a.symbol->type, *b = &pair->b.symbol->type;
    bool pointer = (pair->a.itself && a->pointers) || (pair->b.itself && b->pointers);
    return pointer || a->scalar != b->scalar || a->bytes != b->bytes ||
           strcmp(a->text, b->text);
}

/* NULL = what they span cannot be said. */
static struct ir_expr *are_apart(struct gen *gen, const struct overlap *pair)
{
    bool bytes = are_compared_by_bytes(pair);
    struct ir_expr *before = lies_before(gen, &pair->a, &pair->b, bytes);
    struct ir_expr *after = lies_before(gen, &pair->b, &pair->a, bytes);
    return before && after ? ir_binary(gen->arena, "||", before, after) : NULL;
}

static int say_overlap(const struct gen *gen, const struct overlap *pair,
                       struct error *err)
{
    const char *a = pair->a.symbol->name, /* as assume noalias() wants */
        *b = pair->b.symbol->name;
    return fail(err, STATUS_ILLEGAL,
                "'%s' and '%s' in the nest at line %d may overlap, and what they span "
                "cannot be tested at run time; if they do not "
                "overlap say so: declare one `restrict`, or #pragma inflight assume "
                "noalias(%s, %s)",
                a, b, gen->nest->stmt->line, a, b);
}

/* What nobody can test is said where it is a variable that is only read, or a field. */
static bool is_said(const struct overlap *pair)
{
    const struct memory *itself = pair->a.itself ? &pair->a : &pair->b;
    return itself->itself && (!itself->written || itself->symbol->role != IR_GLOBAL);
}

void gen_rests_on(struct gen *gen, const struct overlap *pair, struct buf *out)
{
    const struct memory *a = &pair->a, *b = &pair->b;
    if (are_apart(gen, pair))
        buf_addf(out,
                 "'%s' and '%s'" TESTED_APART "; the original loop runs if they do)\n",
                 a->symbol->name, b->symbol->name);
    else if (is_said(pair))
        buf_addf(out, "stores to '%s' do not change '%s'\n",
                 (a->written ? a : b)->symbol->name, (a->written ? b : a)->symbol->name);
}

static int guard_overlaps(struct gen *gen, struct ir_expr **guard, bool *needs_else,
                          struct error *err)
{
    struct overlaps list = nest_overlaps(gen->nest, gen->work->reorders);
    int status = 0;
    for (size_t i = 0; !status && i < list.nr; i++) {
        struct ir_expr *apart = are_apart(gen, &list.pair[i]);
        *needs_else = *needs_else || apart;
        if (apart) {
            ir_visit(apart, gen_fit_subscript, gen);
            *guard = conjunction(gen, *guard, apart);
        } else if (!is_said(&list.pair[i]))
            status = say_overlap(gen, &list.pair[i], err);
    }
    overlaps_release(&list);
    return status;
}

/* ---- parameters ---- */

static bool runs_nothing_else(const struct nest *nest)
{
    bool same = true;
    for (size_t i = 0; same && i < nest->statement_nr; i++) {
        isl_set *params = isl_set_params(isl_set_copy(nest->statement[i].domain));
        same = isl_set_is_subset(params, nest->context) == isl_bool_true;
        isl_set_free(params);
    }
    return same;
}

static struct ir_expr *set_expr(struct gen *gen, isl_set *set)
{
    isl_ast_build *build = isl_ast_build_alloc(gen->model->ctx);
    struct ir_expr *expr =
        raw_finish(gen, raw_expr(gen, isl_ast_build_expr_from_set(build, set)));
    isl_ast_build_free(build);
    return expr;
}

static bool compares_addresses(struct gen *gen)
{
    struct overlaps list = nest_overlaps(gen->nest, gen->work->reorders);
    bool compared = false;
    for (size_t i = 0; !compared && i < list.nr; i++)
        compared = are_apart(gen, &list.pair[i]) != NULL;
    overlaps_release(&list);
    return compared;
}

/* The parameters that the guard tests for. Where addresses are compared, what the
 * language promises (that the arrays of parameters have elements) is tested as well:
 * callers pass sizes of zero, and then there is no last element to take the address of.
 * So it is where the code reads something early that only exists then. */
static isl_set *tested(struct gen *gen)
{
    const struct nest *nest = gen->nest;
    isl_set *needed =
        isl_set_intersect(isl_set_copy(nest->context), isl_set_copy(nest->assumed));
    return gen->needs_promise || compares_addresses(gen)
               ? needed
               : isl_set_gist(needed, isl_set_copy(nest->guaranteed));
}

/* How far from 0 a number of 64 bits may be. */
static long long far_of(const struct gen *gen, const struct ir_symbol *symbol)
{
    long long far = gen->nest->far[symbol->id];
    return far ? far : MODEL_FAR;
}

/* Of 64 bits: p <= far, and -far <= p where it has a sign. */
static struct ir_expr *is_near(struct gen *gen, struct ir_symbol *symbol)
{
    long long far = far_of(gen, symbol);
    struct ir_expr *max = ir_integer(gen->arena, far);
    struct ir_expr *below = ir_binary(gen->arena, "<=", ir_name(gen->arena, symbol), max);
    if (symbol->type.is_unsigned)
        return below;
    return ir_binary(gen->arena, "&&",
                     ir_binary(gen->arena, ">=", ir_name(gen->arena, symbol),
                               ir_integer(gen->arena, -far)),
                     below);
}

static bool is_huge(struct gen *gen, const struct ir_symbol *symbol)
{
    long long low, high;
    nest_param_range(gen->nest, gen->known, symbol, &low, &high);
    return low < -far_of(gen, symbol) || high > far_of(gen, symbol);
}

/* What the code makes of numbers of 64 bits overflows where they are huge; `all`: what
 * the guard makes of them, too. */
static struct ir_expr *near_params(struct gen *gen, bool all)
{
    struct ir_function *function = gen->model->function;
    struct ir_expr *guard = NULL;
    for (size_t i = 0; i < function->symbol_nr; i++) {
        struct ir_symbol *symbol = function->symbol[i];
        bool wide = gen->nest->used[i] && symbol->type.bytes == 8 &&
                    symbol_is_param(gen->nest, symbol);
        if (wide && (all || gen->nest->far[i] || gen->needs_box) &&
            (all || is_huge(gen, symbol)))
            guard = conjunction(gen, guard, is_near(gen, symbol));
    }
    return guard;
}

/* No number is taken to be in a range before it is tested. */
static struct ir_expr *tested_expr(struct gen *gen, isl_set *needed, bool *overflows)
{
    struct ir_expr *expr = set_expr(gen, needed);
    isl_set *known = gen->known;
    bool needs_box = gen->needs_box;
    gen->known = NULL;
    gen->range_nr = 0;
    gen->needs_box = false;
    gen_fit(gen, &expr);
    *overflows = gen->needs_box;
    gen->needs_box = needs_box;
    gen->known = known;
    gen->range_nr = 0;
    return expr;
}

/* Is there nothing for which the new code would run? */
static int check_ever(struct gen *gen, struct error *err)
{
    const struct nest *nest = gen->nest;
    isl_set *ever = isl_set_intersect(tested(gen), isl_set_copy(nest->ranges));
    bool never = isl_set_is_empty(ever) == isl_bool_true;
    struct buf text = {0};
    isl_set_free(ever);
    for (size_t i = 0; never && i < nest->assumption.nr; i++)
        buf_addf(&text, "%s%s", i ? "; " : "", nest->assumption.v[i]);
    int status =
        never ? fail(err, STATUS_ILLEGAL,
                     "the nest at line %d: the new code would never run, since what it "
                     "rests on cannot be: %s",
                     nest->stmt->line, buf_str(&text))
              : 0;
    buf_release(&text);
    return status;
}

static void guard_params(struct gen *gen, struct ir_expr **guard, bool *needs_else)
{
    struct nest *nest = gen->nest;
    isl_set *needed = tested(gen);
    bool overflows = false;
    bool always = isl_set_plain_is_universe(needed) == isl_bool_true;
    if (!runs_nothing_else(nest) ||
        isl_set_is_subset(nest->ranges, nest->assumed) != isl_bool_true)
        *needs_else = *needs_else || !always;
    if (always)
        isl_set_free(needed);
    else
        *guard = tested_expr(gen, isl_set_coalesce(needed), &overflows);
    struct ir_expr *near = near_params(gen, overflows);
    *needs_else = *needs_else || near;
    *guard = conjunction(gen, near, *guard);
}

/* ---- threads that come to the loop together ---- */

/* All of them must take the same way, to the new loop or to the original one: what is
 * tested must be the same for all. */
struct team {
    const struct ir_function *function;
    const struct ir_stmt *loop;   /* whose iterations they share */
    const struct ir_stmt *region; /* where they begin; NULL = in a caller */
    const struct ir_symbol *own;  /* found: may differ */
};

static const struct ir_pragma *team_pragma(const struct ir_stmt *stmt)
{
    const struct ir_pragma *pragma = stmt->pragma;
    while (pragma && (pragma->ours || !pragma_team(pragma->text)))
        pragma = pragma->next;
    return pragma;
}

static bool is_loop(const struct ir_stmt *stmt, const void *loop)
{
    return stmt == loop;
}

/* The innermost region around the loop. */
static const struct ir_stmt *region_of(const struct ir_stmt *stmt,
                                       const struct ir_stmt *loop)
{
    const struct ir_stmt *region = NULL;
    if (!stmt || !stmt_find(stmt, is_loop, loop))
        return NULL;
    for (size_t i = 0; !region && i < stmt->child_nr; i++)
        region = region_of(stmt->child[i], loop);
    return region ? region : team_pragma(stmt) ? stmt : NULL;
}

static bool declares(const struct ir_stmt *stmt, const void *symbol)
{
    return (stmt->kind == IR_DECL && stmt->symbol == symbol) ||
           (stmt->kind == IR_FOR && stmt->declares_iterator && stmt->iterator == symbol);
}

static bool is_private(const struct team *team, const struct ir_symbol *symbol)
{
    const char *at = pragma_team(team_pragma(team->region)->text);
    struct clause clause;
    while (clause_next(&at, &clause))
        if (clause_gives_own(&clause) &&
            (clause_is(&clause, "default") || clause_names(&clause, symbol->name)))
            return true;
    return false;
}

/* What bounds the loop is the same for all, or the program is wrong as it is. */
static bool bounds_loop(const struct ir_stmt *loop, const struct ir_symbol *symbol)
{
    return expr_mentions(loop->lower, symbol) || expr_mentions(loop->upper, symbol);
}

static void find_own(struct ir_expr *expr, void *data)
{
    struct team *team = data;
    const struct ir_symbol *symbol = expr->kind == IR_NAME ? expr->symbol : NULL;
    if (!symbol || symbol->role == IR_FUNCTION || bounds_loop(team->loop, symbol))
        return;
    while (symbol->role == IR_FIELD && symbol->base)
        symbol = symbol->base;
    bool array = symbol->dim_nr && !symbol->pointer_to_array;
    bool local = symbol->role != IR_GLOBAL && !symbol->is_static;
    bool own = symbol_is_of_thread(team->function, symbol) ||
               (!array && symbol->is_written) ||
               (local && (!team->region || is_private(team, symbol) ||
                          stmt_find(team->region, declares, symbol)));
    team->own = own ? symbol : team->own;
}

static int check_team(const struct gen *gen, struct ir_expr *guard, struct error *err)
{
    const struct ir_stmt *loop = gen->nest->stmt;
    const struct ir_pragma *pragma = loop->pragma;
    struct team team = {.function = gen->model->function, .loop = loop};
    while (pragma && (pragma->ours || !pragma_is_for(pragma->text)))
        pragma = pragma->next;
    if (!pragma || !guard)
        return 0;
    team.region = region_of(team.function->body, loop);
    ir_visit(guard, find_own, &team);
    if (!team.own)
        return 0;
    return fail(err, STATUS_ILLEGAL,
                "the nest at line %d: the new code would have to test '%s' before it "
                "runs, and the threads that share the loop may not all have the same "
                "one; of an array, declare it `restrict`, or #pragma inflight assume "
                "noalias(...)",
                loop->line, team.own->name);
}

int gen_guard(struct gen *gen, struct ir_expr **guard, bool *needs_else,
              struct error *err)
{
    isl_set_free(gen->known);
    gen->known = isl_set_intersect(tested(gen), isl_set_copy(gen->nest->proven));
    *guard = NULL;
    *needs_else = false;
    if (check_ever(gen, err))
        return -1;
    guard_params(gen, guard, needs_else);
    return guard_overlaps(gen, guard, needs_else, err) || check_team(gen, *guard, err)
               ? -1
               : 0;
}
