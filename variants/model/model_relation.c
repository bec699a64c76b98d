/* From subscripts to relations between statement instances and elements. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "variants/model/model_nest.h"
#include "variants/model/model_view.h"

/* ---- linear ---- */

/*
 * Linear subscripts such as C[i * n + j] taken apart into C[i][j]: the parameters that
 * multiply iterators are the strides; each must be the next one times one parameter, or
 * one sum of them such as n + 1. That the inner subscripts stay inside their row is
 * proved, or assumed and tested at run time.
 */

enum { FACTORS_MAX = 4, TERMS_MAX = 24 };

/* coefficient * product of symbols, by ascending id; a symbol of struct chain's `sum`
 * stands for that sum */
struct term {
    long long coefficient;
    struct ir_symbol *factor[FACTORS_MAX];
    size_t nr;
};
struct poly {
    struct term term[TERMS_MAX];
    size_t nr;
};

static bool add_term(struct poly *poly, const struct term *term)
{
    for (size_t i = 0; i < poly->nr; i++)
        if (poly->term[i].nr == term->nr && !memcmp(poly->term[i].factor, term->factor,
                                                    term->nr * sizeof(term->factor[0]))) {
            poly->term[i].coefficient += term->coefficient;
            if (!poly->term[i].coefficient)
                poly->term[i] = poly->term[--poly->nr];
            return true;
        }
    if (poly->nr == TERMS_MAX)
        return false;
    poly->term[poly->nr++] = *term;
    return true;
}

static bool multiply_term(const struct term *a, const struct term *b, struct term *out)
{
    size_t i = 0, k = 0;
    *out = (struct term){.coefficient = a->coefficient * b->coefficient};
    if (a->nr + b->nr > FACTORS_MAX)
        return false;
    while (i < a->nr || k < b->nr) {
        bool left = k == b->nr || (i < a->nr && a->factor[i]->id <= b->factor[k]->id);
        out->factor[out->nr++] = left ? a->factor[i++] : b->factor[k++];
    }
    return true;
}

/* The strides, largest first, ending in 1: each is what all terms of these parameters
 * have in common: 3 * w for the rows of a[(y * w + x) * 3 + c]. */
struct chain {
    struct term stride[SUBSCRIPTS_MAX];
    size_t nr;
    struct {
        struct ir_symbol *symbol; /* n */
        struct ir_expr *expr;     /* n + 1 */
        struct poly poly;         /* of n, in what stands for the sum: it - 1 */
    } sum[SUBSCRIPTS_MAX];
    size_t sum_nr;
};

static bool expand(const struct nest *nest, const struct chain *chain,
                   const struct ir_expr *expr, struct poly *out);

static bool expand_binary(const struct nest *nest, const struct chain *chain,
                          const struct ir_expr *expr, struct poly *out)
{
    struct poly a = {.nr = 0}, b = {.nr = 0};
    bool ok = !expr->op[1] && strchr("+-*", expr->op[0]) &&
              expand(nest, chain, expr->arg[0], &a) &&
              expand(nest, chain, expr->arg[1], &b);
    if (ok && expr->op[0] != '*') {
        *out = a;
        for (size_t i = 0; ok && i < b.nr; i++) {
            b.term[i].coefficient *= expr->op[0] == '-' ? -1 : 1;
            ok = add_term(out, &b.term[i]);
        }
        return ok;
    }
    out->nr = 0;
    for (size_t i = 0; ok && i < a.nr; i++)
        for (size_t k = 0; ok && k < b.nr; k++) {
            struct term product;
            ok = multiply_term(&a.term[i], &b.term[k], &product) &&
                 add_term(out, &product);
        }
    return ok;
}

static bool expand_name(const struct nest *nest, const struct chain *chain,
                        struct ir_symbol *symbol, struct poly *out)
{
    if (nest->declared[symbol->id] && nest->model->init[symbol->id])
        return expand(nest, chain, nest->model->init[symbol->id], out);
    for (size_t i = 0; i < chain->sum_nr; i++)
        if (chain->sum[i].symbol == symbol) {
            *out = chain->sum[i].poly;
            return true;
        }
    *out = (struct poly){.nr = 1};
    out->term[0] = (struct term){.coefficient = 1, .factor = {symbol}, .nr = 1};
    return symbol->type.scalar == IR_INT && !symbol->type.pointers;
}

static bool expand(const struct nest *nest, const struct chain *chain,
                   const struct ir_expr *expr, struct poly *out)
{
    if (expr->has_value) {
        *out = (struct poly){.nr = 1};
        out->term[0] = (struct term){.coefficient = expr->value};
        return true;
    }
    if (expr->kind == IR_NAME)
        return expand_name(nest, chain, expr->symbol, out);
    if (expr->kind == IR_CAST && expr->type.scalar == IR_INT && expr->type.bytes >= 4)
        return expand(nest, chain, expr->arg[0], out);
    return expr->kind == IR_BINARY && expand_binary(nest, chain, expr, out);
}

static size_t position(const struct statement *statement, const struct ir_symbol *symbol)
{
    for (size_t i = 0; i < statement->depth; i++)
        if (statement->loop[i]->stmt->iterator == symbol)
            return i;
    return SIZE_MAX;
}

/* What multiplies the iterator of the term; false for a product of two iterators or one
 * with something that is no parameter. */
static bool parameters_of(const struct nest *nest, const struct statement *statement,
                          const struct term *term, struct term *params, bool *iterates)
{
    *params = (struct term){.coefficient = 1};
    *iterates = false;
    for (size_t i = 0; i < term->nr; i++) {
        if (position(statement, term->factor[i]) == SIZE_MAX) {
            if (!symbol_is_param(nest, term->factor[i]))
                return false;
            params->factor[params->nr++] = term->factor[i];
        } else if (*iterates)
            return false;
        else
            *iterates = true;
    }
    return true;
}

/* term = divisor * rest */
static bool divide(const struct term *term, const struct term *divisor, struct term *rest)
{
    size_t k = 0;
    *rest = (struct term){.coefficient = term->coefficient / divisor->coefficient};
    if (term->coefficient % divisor->coefficient)
        return false;
    for (size_t i = 0; i < term->nr; i++)
        if (k < divisor->nr && term->factor[i] == divisor->factor[k])
            k++;
        else
            rest->factor[rest->nr++] = term->factor[i];
    return k == divisor->nr;
}

/* ---- the chain of strides ---- */

static long long common_divisor(long long a, long long b)
{
    return b ? common_divisor(b, a % b) : llabs(a);
}

static bool same_factors(const struct term *a, const struct term *b)
{
    return a->nr == b->nr && !memcmp(a->factor, b->factor, a->nr * sizeof(a->factor[0]));
}

static bool chain_add(struct chain *chain, const struct term *stride)
{
    size_t at = 0;
    for (; at < chain->nr && chain->stride[at].nr > stride->nr; at++)
        ;
    if (at < chain->nr && chain->stride[at].nr == stride->nr)
        return same_factors(&chain->stride[at], stride);
    if (chain->nr == SUBSCRIPTS_MAX)
        return false;
    memmove(&chain->stride[at + 1], &chain->stride[at],
            (chain->nr - at) * sizeof(chain->stride[0]));
    chain->stride[at] = *stride;
    chain->nr++;
    return true;
}

static bool chain_links(struct chain *chain)
{
    for (size_t i = 0; i + 1 < chain->nr; i++) {
        struct term size, *inner = &chain->stride[i + 1];
        inner->coefficient =
            common_divisor(chain->stride[i].coefficient, inner->coefficient);
        if (!divide(&chain->stride[i], &chain->stride[i + 1], &size) || size.nr != 1)
            return false;
    }
    return chain->nr > 1;
}

static bool chain_of_access(const struct nest *nest, const struct access *access,
                            struct chain *chain)
{
    const struct statement *statement = &nest->statement[access->statement];
    struct poly poly;
    if (!expand(nest, chain, access->subscript[0], &poly))
        return false;
    for (size_t i = 0; i < poly.nr; i++) {
        struct term params;
        bool iterates;
        if (!parameters_of(nest, statement, &poly.term[i], &params, &iterates))
            return false;
        params.coefficient = llabs(poly.term[i].coefficient);
        if (iterates && params.coefficient && !chain_add(chain, &params))
            return false;
    }
    return true;
}

/* To what every term of an access can be divided by. */
static void chain_reduce(const struct nest *nest, const struct access *access,
                         struct chain *chain)
{
    const struct statement *statement = &nest->statement[access->statement];
    struct poly poly;
    expand(nest, chain, access->subscript[0], &poly);
    for (size_t i = 0; i < poly.nr; i++) {
        struct term params;
        bool iterates;
        parameters_of(nest, statement, &poly.term[i], &params, &iterates);
        for (size_t k = 0; k < chain->nr; k++)
            if (same_factors(&chain->stride[k], &params))
                chain->stride[k].coefficient = common_divisor(
                    chain->stride[k].coefficient, poly.term[i].coefficient);
    }
}

/* ---- subscripts from terms ---- */

static struct ir_expr *factor_expr(struct ir_arena *arena, const struct chain *chain,
                                   struct ir_symbol *symbol)
{
    for (size_t i = 0; i < chain->sum_nr; i++)
        if (chain->sum[i].symbol == symbol)
            return chain->sum[i].expr;
    return ir_name(arena, symbol);
}

static struct ir_expr *term_expr(struct ir_arena *arena, const struct chain *chain,
                                 const struct term *term)
{
    struct ir_expr *expr = NULL;
    for (size_t i = 0; i < term->nr; i++) {
        struct ir_expr *name = factor_expr(arena, chain, term->factor[i]);
        expr = expr ? ir_binary(arena, "*", expr, name) : name;
    }
    if (!expr)
        return ir_integer(arena, term->coefficient);
    return term->coefficient == 1
               ? expr
               : ir_binary(arena, "*", ir_integer(arena, term->coefficient), expr);
}

static void add_expr(struct ir_arena *arena, struct ir_expr **sum, struct ir_expr *expr)
{
    *sum = *sum ? ir_binary(arena, "+", *sum, expr) : expr;
}

static bool split(const struct nest *nest, const struct access *access,
                  const struct chain *chain, struct ir_expr **dim)
{
    struct ir_arena *arena = nest->model->arena;
    struct poly poly;
    expand(nest, chain, access->subscript[0], &poly);
    memset(dim, 0, chain->nr * sizeof(dim[0]));
    for (size_t i = 0; i < poly.nr; i++) {
        struct term rest;
        size_t k = 0;
        while (!divide(&poly.term[i], &chain->stride[k], &rest))
            k++;
        if (rest.nr > 1)
            return false;
        add_expr(arena, &dim[k], term_expr(arena, chain, &rest));
    }
    for (size_t k = 0; k < chain->nr; k++)
        if (!dim[k])
            dim[k] = ir_integer(arena, 0);
    return true;
}

/* ---- inside their rows? ---- */

/* Instances at which dim is outside of [0, size); size NULL = at which it is negative. */
static isl_set *outside(struct nest *nest, const struct access *access,
                        const struct ir_expr *dim, const struct ir_expr *size)
{
    const struct statement *statement = &nest->statement[access->statement];
    struct affine at = affine_of(nest, statement);
    isl_pw_aff *value = affine_expr(&at, dim),
               *limit = size ? affine_expr(&at, size) : NULL;
    isl_set *set = NULL;
    if (value && (limit || !size)) {
        set = isl_pw_aff_pos_set(isl_pw_aff_neg(isl_pw_aff_copy(value)));
        if (limit)
            set = isl_set_union(
                set, isl_pw_aff_ge_set(isl_pw_aff_copy(value), isl_pw_aff_copy(limit)));
        set = isl_set_intersect(set, isl_set_copy(statement->domain));
    }
    isl_pw_aff_free(value);
    isl_pw_aff_free(limit);
    isl_space_free(at.space);
    return set;
}

static bool inside(struct nest *nest, const struct access *access,
                   const struct ir_expr *dim, const struct ir_expr *size)
{
    isl_set *set = outside(nest, access, dim, size);
    bool empty = set && isl_set_is_empty(set) == isl_bool_true;
    isl_set_free(set);
    return empty;
}

/* a[i * n + n - 1 - j]: one size goes from the outer to the inner subscript, or back. */
static bool shift(struct nest *nest, const struct access *access, struct ir_expr **dim,
                  struct ir_expr *size)
{
    static const char *const sign[2][2] = {{"+", "-"}, {"-", "+"}};
    struct ir_arena *arena = nest->model->arena;
    for (size_t i = 0; i < 2; i++) {
        struct ir_expr *inner = ir_binary(arena, sign[i][0], dim[1], size);
        if (!inside(nest, access, inner, size))
            continue;
        dim[0] = ir_binary(arena, sign[i][1], dim[0], ir_integer(arena, 1));
        dim[1] = inner;
        return true;
    }
    return false;
}

/* The parameters for which it is inside become an assumption; false when there are none.
 */
static bool assume(struct nest *nest, const struct access *access,
                   const struct ir_expr *dim, const struct ir_expr *size,
                   isl_set **assumed)
{
    isl_set *violation = outside(nest, access, dim, size);
    if (!violation)
        return false;
    isl_set *fine = isl_set_complement(isl_set_params(violation));
    *assumed = isl_set_coalesce(isl_set_intersect(*assumed, fine));
    isl_set *useful =
        isl_set_params(isl_set_copy(nest->statement[access->statement].domain));
    useful = isl_set_intersect(useful, isl_set_copy(*assumed));
    bool any = isl_set_is_empty(useful) == isl_bool_false;
    isl_set_free(useful);
    return any;
}

static bool fit(struct nest *nest, struct access *access, const struct chain *chain,
                isl_set **assumed)
{
    struct ir_arena *arena = nest->model->arena;
    if (!split(nest, access, chain, access->dim))
        return false;
    for (size_t k = chain->nr - 1; k > 0; k--) {
        struct term rest;
        divide(&chain->stride[k - 1], &chain->stride[k], &rest);
        struct ir_expr *size = term_expr(arena, chain, &rest);
        if (!inside(nest, access, access->dim[k], size) &&
            !shift(nest, access, &access->dim[k - 1], size) &&
            !assume(nest, access, access->dim[k], size, assumed))
            return false;
    }
    access->dim_nr = chain->nr;
    return true;
}

static void accept(struct nest *nest, size_t cell, const struct chain *chain,
                   isl_set *assumed)
{
    if (isl_set_is_equal(assumed, nest->assumed) != isl_bool_true)
        nest_assume(nest, "linear subscripts of '%s' stay inside their row",
                    nest->cell[cell].symbol->name);
    if (nest->cell[cell].narrow)
        nest_assume(nest,
                    "linear subscripts that are unsigned do not wrap around (tested "
                    "at run time)");
    isl_set_free(nest->assumed);
    nest->assumed = assumed;
    nest->cell[cell].dims = chain->nr;
    for (size_t k = 0; k < chain->nr; k++)
        nest->cell[cell].stride[k] =
            term_expr(nest->model->arena, chain, &chain->stride[k]);
}

/* ---- sums of parameters as sizes ---- */

static bool has_symbol(const struct poly *poly, const struct ir_symbol *symbol,
                       size_t except)
{
    bool found = false;
    for (size_t i = 0; i < poly->nr; i++)
        for (size_t k = 0; i != except && k < poly->term[i].nr; k++)
            found = found || poly->term[i].factor[k] == symbol;
    return found;
}

/* No sum has a symbol of another one. */
static bool is_apart(const struct chain *chain, const struct poly *poly)
{
    bool apart = true;
    for (size_t i = 0; i < chain->sum_nr; i++) {
        const struct poly *other = &chain->sum[i].poly;
        for (size_t k = 0; k < other->nr; k++)
            for (size_t f = 0; f < other->term[k].nr; f++)
                apart = apart && !has_symbol(poly, other->term[k].factor[f], SIZE_MAX);
    }
    return apart;
}

/* Of n + 1 that is n, which is the sum minus 1 then. */
static void add_sum(const struct nest *nest, struct chain *chain,
                    const struct ir_expr *expr)
{
    const struct chain plain = {.nr = 0};
    struct poly poly = {.nr = 0};
    bool fits = expand(nest, &plain, expr, &poly) && poly.nr > 1 &&
                chain->sum_nr < SUBSCRIPTS_MAX && is_apart(chain, &poly);
    for (size_t i = 0; i < poly.nr && fits; i++)
        for (size_t k = 0; k < poly.term[i].nr; k++)
            fits = fits && symbol_is_param(nest, poly.term[i].factor[k]);
    for (size_t i = 0; i < poly.nr && fits; i++) {
        const struct term *term = &poly.term[i];
        if (term->nr != 1 || term->coefficient != 1 ||
            has_symbol(&poly, term->factor[0], i))
            continue;
        chain->sum[chain->sum_nr].symbol = term->factor[0];
        chain->sum[chain->sum_nr].expr = (struct ir_expr *)expr;
        for (size_t k = 0; k < poly.nr; k++)
            poly.term[k].coefficient *= k == i ? 1 : -1;
        chain->sum[chain->sum_nr++].poly = poly;
        fits = false;
    }
}

static void find_sums(const struct nest *nest, struct chain *chain,
                      const struct ir_expr *expr)
{
    if (expr->kind == IR_NAME && nest->declared[expr->symbol->id] &&
        nest->model->init[expr->symbol->id])
        find_sums(nest, chain, nest->model->init[expr->symbol->id]);
    for (size_t i = 0; i < expr->arg_nr; i++) {
        find_sums(nest, chain, expr->arg[i]);
        if (expr->kind == IR_BINARY && !strcmp(expr->op, "*"))
            add_sum(nest, chain, expr->arg[i]);
    }
}

/* ---- unsigned numbers ---- */

/* The number that is meant, where it is what C makes of it: proven, or tested at run
 * time. NULL = it is not affine, or never. */
static isl_pw_aff *settled(const struct affine *at, isl_set *domain,
                           const struct ir_expr *expr)
{
    struct doubts doubts = {0};
    struct affine doubtful = *at;
    doubtful.doubts = &doubts;
    isl_pw_aff *value = affine_expr(&doubtful, expr);
    return nest_settle(&doubtful, domain) ? value : isl_pw_aff_free(value);
}

static bool is_kept(struct nest *nest, const struct access *access,
                    const struct ir_expr *expr)
{
    const struct statement *statement = &nest->statement[access->statement];
    struct affine at = affine_of(nest, statement);
    isl_pw_aff *value = settled(&at, statement->domain, expr);
    bool kept = value != NULL;
    isl_pw_aff_free(value);
    isl_space_free(at.space);
    return kept;
}

/* Is what C makes of it the number that is meant, or, where its type is unsigned, that
 * one modulo a power of 2? What has lost bits is no part of a wider number, `bytes` wide.
 */
static bool keeps_bits(struct nest *nest, const struct access *access,
                       const struct ir_expr *expr, size_t bytes)
{
    const struct ir_type *type = &expr->type;
    bool loses = type->is_unsigned && type->bytes < bytes;
    if (expr->has_value)
        return true;
    if (expr->kind == IR_NAME) {
        const struct ir_expr *init =
            nest->declared[expr->symbol->id] ? nest->model->init[expr->symbol->id] : NULL;
        return !init ||
               (init->type.bytes <= type->bytes && keeps_bits(nest, access, init, bytes));
    }
    if (expr->kind == IR_CAST) {
        const struct ir_type *from = &expr->arg[0]->type;
        bool wider = from->bytes < type->bytes && (!loses || from->is_unsigned),
             same = from->bytes == type->bytes && from->is_unsigned == type->is_unsigned;
        if (wider || same)
            return keeps_bits(nest, access, expr->arg[0], bytes);
        return type->is_unsigned && !loses
                   ? keeps_bits(nest, access, expr->arg[0], type->bytes)
                   : is_kept(nest, access, expr);
    }
    for (size_t i = 0; i < expr->arg_nr; i++)
        if (!keeps_bits(nest, access, expr->arg[i], type->bytes))
            return false;
    return !loses;
}

/* The subscript without what only makes it wider. */
static const struct ir_expr *as_made(const struct ir_expr *subscript)
{
    while (subscript->kind == IR_CAST &&
           subscript->arg[0]->type.bytes < subscript->type.bytes)
        subscript = subscript->arg[0];
    return subscript;
}

/* Subscripts that may wrap around are taken apart where it can be tested that they do
 * not: not below 0, by `assumed`, and by their greatest value (gen_guard.c). */
static bool may_be_apart(struct nest *nest, struct access *access, isl_set **assumed)
{
    const struct ir_expr *made = as_made(access->subscript[0]);
    bool narrow = made->type.is_unsigned && made->type.bytes == 4;
    if (!keeps_bits(nest, access, made, made->type.bytes))
        return false;
    *assumed = isl_set_intersect(*assumed, isl_set_copy(nest->assumed));
    nest->cell[access->cell].narrow = nest->cell[access->cell].narrow || narrow;
    isl_set *below = narrow ? outside(nest, access, access->dim[0], NULL) : NULL;
    bool never = !below || isl_set_is_empty(below) == isl_bool_true;
    isl_set_free(below);
    return !narrow || (access_bound(nest, access, 0, true) &&
                       (never || assume(nest, access, access->dim[0], NULL, assumed)));
}

/* ---- an array ---- */

/* False when its subscripts have no such strides. `assumed`: as in fit. */
static bool fit_cell(struct nest *nest, size_t cell, struct chain *chain,
                     isl_set **assumed)
{
    const struct term one = {.coefficient = 1};
    bool ok = chain_add(chain, &one);
    nest->cell[cell].narrow = false;
    for (size_t i = 0; ok && i < nest->access_nr; i++)
        if (nest->access[i].cell == cell)
            ok = chain_of_access(nest, &nest->access[i], chain);
    for (size_t i = 0; ok && i < nest->access_nr; i++)
        if (nest->access[i].cell == cell)
            chain_reduce(nest, &nest->access[i], chain);
    ok = ok && chain_links(chain);
    for (size_t i = 0; ok && i < nest->access_nr; i++)
        if (nest->access[i].cell == cell)
            ok = fit(nest, &nest->access[i], chain, assumed) &&
                 may_be_apart(nest, &nest->access[i], assumed);
    for (size_t i = 0; !ok && i < nest->access_nr; i++)
        if (nest->access[i].cell == cell)
            nest->access[i].dim_nr = 0;
    return ok && *assumed;
}

/* Maps, after all statements are there. As products of parameters, if nothing need be
 * assumed for that; else with sums as sizes, where there are any. */
static void cell_delinearize(struct nest *nest, size_t cell)
{
    struct chain plain = {.nr = 0}, sums = {.nr = 0};
    isl_set *assumed = isl_set_copy(nest->assumed);
    for (size_t i = 0; i < nest->access_nr; i++)
        if (nest->access[i].cell == cell)
            find_sums(nest, &sums, nest->access[i].subscript[0]);
    bool ok = fit_cell(nest, cell, &plain, &assumed);
    if (sums.sum_nr &&
        (!ok || isl_set_is_equal(assumed, nest->assumed) != isl_bool_true)) {
        isl_set_free(assumed);
        assumed = isl_set_copy(nest->assumed);
        if (fit_cell(nest, cell, &sums, &assumed)) {
            accept(nest, cell, &sums, assumed);
            return;
        }
        isl_set_free(assumed);
        assumed = isl_set_copy(nest->assumed);
        plain = (struct chain){.nr = 0};
        ok = fit_cell(nest, cell, &plain, &assumed);
    }
    if (ok)
        accept(nest, cell, &plain, assumed);
    else
        isl_set_free(assumed);
}

/* ---- model relation ---- */

struct affine affine_of(struct nest *nest, const struct statement *statement)
{
    return (struct affine){.nest = nest,
                           .space = isl_set_get_space(statement->domain),
                           .loop = statement->loop,
                           .depth = statement->depth};
}

/* ---- rows that are left ---- */

/* Can it be shown that the subscript is below the size of its dimension? */
static bool stays_within(struct nest *nest, const struct access *access,
                         const struct ir_expr *subscript, const struct ir_expr *size)
{
    isl_set *wrong = outside(nest, access, subscript, size);
    if (!wrong)
        return false;
    wrong = isl_set_intersect_params(wrong, isl_set_copy(nest->guaranteed));
    bool none = isl_set_is_empty(wrong) == isl_bool_true;
    isl_set_free(wrong);
    return none;
}

static struct ir_expr *size_of(const struct nest *nest, const struct access *access,
                               size_t k)
{
    const struct ir_symbol *symbol = nest->cell[access->cell].symbol;
    if (access->size[k])
        return ir_integer(nest->model->arena, access->size[k]);
    return k && k < symbol->dim_nr ? symbol->dim[k] : NULL;
}

/* A pointer may go on from a row to the next, as in `T *p = &w[0][0]; p[i]`, where
 * w[0][i] is the element of another row. That it does not is proved, or assumed and
 * tested at run time; else the access may be to any element. A subscript as it is written
 * is taken to stay within its row, as C has it, unless it never does. */
static int keep_rows(struct nest *nest, struct access *access)
{
    const struct cell *cell = &nest->cell[access->cell];
    isl_set *assumed = isl_set_copy(nest->assumed);
    bool of_field = false;
    for (size_t k = 0; k < access->subscript_nr && !access->leaves_row; k++) {
        struct ir_expr *size = size_of(nest, access, k);
        if (!size || (access->size[k] && !access->walks) ||
            stays_within(nest, access, access->subscript[k], size))
            continue;
        isl_set *beyond = outside(nest, access, access->subscript[k], size);
        bool known = beyond != NULL;
        isl_set_free(beyond);
        access->leaves_row = (access->walks || known) &&
                             !assume(nest, access, access->subscript[k], size, &assumed);
        of_field = access->size[k] > 0;
    }
    bool tested = access->walks && !access->leaves_row &&
                  isl_set_is_equal(assumed, nest->assumed) != isl_bool_true;
    if (tested) {
        nest_assume(nest, "subscripts of '%s' stay inside their row (tested at run time)",
                    cell->name);
        isl_set_free(nest->assumed);
        nest->assumed = assumed;
    } else
        isl_set_free(assumed);
    return access->leaves_row && (of_field || access->respelt)
               ? nest_refuse(nest, access->line,
                             "'%s' is reached by a pointer that may go on into the next "
                             "%s; write its subscripts",
                             cell->name, of_field ? "member" : "row")
               : 0;
}

/* S -> [ ..., x ] with x free. */
static isl_map *add_free(isl_map *map, const struct affine *at)
{
    isl_space *space = isl_space_map_from_domain_and_range(
        isl_space_copy(at->space),
        isl_space_add_dims(isl_space_set_from_params(isl_space_copy(at->nest->params)),
                           isl_dim_set, 1));
    return isl_map_flat_range_product(map, isl_map_universe(space));
}

static isl_map *add_subscript(isl_map *map, const struct affine *at, isl_set *domain,
                              const struct ir_expr *subscript, bool *exact)
{
    isl_pw_aff *pa = settled(at, domain, subscript);
    if (pa)
        return isl_map_flat_range_product(map, isl_map_from_pw_aff(pa));
    *exact = false;
    return add_free(map, at);
}

static isl_map *add_iterator(isl_map *map, const struct affine *at, size_t pos)
{
    isl_local_space *space = isl_local_space_from_space(isl_space_copy(at->space));
    isl_aff *aff = isl_aff_var_on_domain(space, isl_dim_set, (unsigned)pos);
    return isl_map_flat_range_product(map, isl_map_from_aff(aff));
}

isl_map *access_relation(struct nest *nest, const struct access *access, bool *exact)
{
    const struct statement *statement = &nest->statement[access->statement];
    const struct cell *cell = &nest->cell[access->cell];
    struct affine at = affine_of(nest, statement);
    isl_space *none = isl_space_set_from_params(isl_space_copy(nest->params));
    isl_map *map = isl_map_universe(
        isl_space_map_from_domain_and_range(isl_space_copy(at.space), none));
    char name[32];
    *exact = true;
    for (size_t i = 0; cell->is_private && i < cell->depth; i++)
        map = add_iterator(map, &at, i);
    for (size_t i = 0; i < cell->dims && access->leaves_row; i++) {
        map = add_free(map, &at);
        *exact = false;
    }
    for (size_t i = 0; i < cell->dims && !access->leaves_row; i++)
        map =
            add_subscript(map, &at, statement->domain,
                          access->dim_nr ? access->dim[i] : access->subscript[i], exact);
    snprintf(name, sizeof(name), "A%zu", access->cell);
    map = isl_map_set_tuple_name(map, isl_dim_out, name);
    isl_space_free(at.space);
    return isl_map_intersect_domain(map, isl_set_copy(statement->domain));
}

static int relate(struct nest *nest, struct access *access)
{
    isl_map_free(access->map);
    access->map = access_relation(nest, access, &access->exact);
    if (!access->exact)
        access->must = false;
    return access->map ? 0 : -1;
}

int nest_relations(struct nest *nest)
{
    bool *tried = xcalloc(nest->cell_nr + 1, sizeof(bool));
    int status = 0;
    for (size_t i = 0; !status && i < nest->access_nr; i++)
        status = keep_rows(nest, &nest->access[i]);
    for (size_t i = 0; !status && i < nest->access_nr; i++) {
        struct access *access = &nest->access[i];
        status = relate(nest, access);
        if (status || access->exact || tried[access->cell] ||
            nest->cell[access->cell].dims != 1)
            continue;
        tried[access->cell] = true;
        cell_delinearize(nest, access->cell);
        for (size_t k = 0; !status && k <= i; k++)
            if (nest->access[k].cell == access->cell) {
                nest->access[k].must =
                    nest->access[k].write && !nest->access[k].collapsed;
                status = relate(nest, &nest->access[k]);
            }
    }
    for (size_t i = 0; i < nest->access_nr; i++)
        if (!nest->access[i].exact || nest->access[i].in_call)
            nest->cell[nest->access[i].cell].indirect = true;
    free(tried);
    return status;
}

/* ---- what is said of rows ---- */

static bool access_stays(struct nest *nest, const struct access *access)
{
    const struct ir_symbol *symbol = nest->cell[access->cell].symbol;
    for (size_t k = 1; k < symbol->dim_nr && k < access->subscript_nr; k++)
        if (!access->collapsed && symbol->dim[k] &&
            !stays_within(nest, access, access->subscript[k], symbol->dim[k]))
            return false;
    return true;
}

bool cell_is_written(const struct nest *nest, size_t cell)
{
    for (size_t i = 0; i < nest->access_nr; i++)
        if (nest->access[i].cell == cell && nest->access[i].write)
            return true;
    return false;
}

void nest_say_rows(struct nest *nest, struct strvec *out)
{
    for (size_t i = 0; i < nest->access_nr; i++) {
        const struct access *access = &nest->access[i];
        const struct cell *cell = &nest->cell[access->cell];
        if (cell->is_private || !cell_is_written(nest, access->cell) ||
            access_stays(nest, access))
            continue;
        char *text = xasprintf("the subscripts of '%s' at line %d stay in their rows",
                               cell->symbol->name, access->line);
        strvec_push_once(out, text);
        free(text);
    }
}
