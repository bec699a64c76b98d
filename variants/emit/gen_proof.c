/* Does a loop of the result run at least once? Then what does not change in it may be
 * read before it. Where it does so only because no size is zero, as C promises of arrays
 * of variable size, the element must exist all the same, or the promise be tested. */
#include <string.h>

#include "variants/emit/gen.h"
#include "variants/ir/sum.h"
#include "variants/model/model_affine.h"

enum { PROOF_DEPTH = 8 };

static bool is_positive(struct gen *gen, const struct code *at, struct sum value,
                        int depth);

/* value > 0 for all parameters that the code is run for? */
static bool holds_for_params(struct gen *gen, const struct sum *value)
{
    struct nest *nest = gen->nest;
    isl_space *space = isl_space_set_from_params(isl_space_copy(nest->params));
    struct affine at = {.nest = nest, .space = space};
    isl_pw_aff *pa = affine_expr(&at, sum_expr(gen->arena, value));
    isl_space_free(space);
    if (!pa)
        return false;
    isl_set *holds = isl_set_params(isl_pw_aff_pos_set(pa));
    bool sure = isl_set_is_subset(gen->hypothesis, holds) == isl_bool_true;
    isl_set_free(holds);
    return sure;
}

static const struct code *loop_of(const struct code *at, const struct ir_symbol *var)
{
    for (; at; at = at->parent)
        if (at->kind == CODE_FOR && at->var == var)
            return at;
    return NULL;
}

/* The value with the variable moved to where the value is least: an end of its loop; each
 * arm of a min or max is a bound too. */
static bool with_bound(struct gen *gen, const struct code *loop, const struct sum *rest,
                       long long factor, struct ir_expr *bound, long long add, int depth)
{
    bool arms = gen_is_helper(bound, factor > 0 ? "max" : "min");
    if (arms)
        return with_bound(gen, loop, rest, factor, bound->arg[0], add, depth) ||
               with_bound(gen, loop, rest, factor, bound->arg[1], add, depth);
    struct sum edge = sum_of_expr(gen->arena, bound);
    edge.constant += add;
    return is_positive(gen, loop->parent, sum_add(rest, &edge, factor), depth - 1);
}

static bool at_end_of_loop(struct gen *gen, const struct code *loop,
                           const struct sum *value, size_t term, int depth)
{
    long long factor = value->term[term].coefficient;
    struct sum rest = *value;
    rest.term[term] = rest.term[--rest.nr];
    bool lower = (factor > 0) == (loop->step > 0);
    return with_bound(gen, loop, &rest, factor, lower ? loop->lower : loop->upper,
                      lower            ? 0
                      : loop->step > 0 ? -1
                                       : 1,
                      depth);
}

/* + min(a, b): both must do; - max(a, b) likewise. */
static bool both_arms(struct gen *gen, const struct code *at, const struct sum *value,
                      size_t term, int depth)
{
    long long factor = value->term[term].coefficient;
    const struct ir_expr *call = value->term[term].atom;
    struct sum rest = *value;
    rest.term[term] = rest.term[--rest.nr];
    for (size_t i = 0; i < 2; i++) {
        struct sum arm = sum_of_expr(gen->arena, call->arg[i]);
        if (!is_positive(gen, at, sum_add(&rest, &arm, factor), depth - 1))
            return false;
    }
    return true;
}

static bool is_positive(struct gen *gen, const struct code *at, struct sum value,
                        int depth)
{
    if (depth == 0)
        return false;
    for (size_t i = 0; i < value.nr; i++)
        if (gen_is_helper(value.term[i].atom,
                          value.term[i].coefficient > 0 ? "min" : "max"))
            return both_arms(gen, at, &value, i, depth);
    if (holds_for_params(gen, &value))
        return true;
    for (size_t i = 0; i < value.nr; i++) {
        const struct ir_expr *atom = value.term[i].atom;
        const struct code *loop =
            atom->kind == IR_NAME ? loop_of(at, atom->symbol) : NULL;
        if (loop && at_end_of_loop(gen, loop, &value, i, depth))
            return true;
    }
    return false;
}

/* What a loop over whole blocks leaves at its end to the loop behind it, in values of the
 * iterator: up to one less than a block; 0 = nothing, or that cannot be told. */
static long long left_behind(struct gen *gen, const struct code *loop)
{
    const struct ir_stmt *source = loop->band->loop->stmt;
    if (loop->band->role != BAND_BLOCK || source->step <= 0 || !strcmp(source->cmp, "<="))
        return 0;
    struct sum upper = sum_of_expr(gen->arena, loop->upper),
               end = sum_of_expr(gen->arena, source->upper);
    struct sum left = sum_add(&end, &upper, -1);
    return !left.nr && left.constant == loop->step - source->step ? left.constant : 0;
}

static bool runs(struct gen *gen, const struct code *loop, long long behind)
{
    struct sum lower = sum_of_expr(gen->arena, loop->lower),
               upper = sum_of_expr(gen->arena, loop->upper);
    struct sum trips =
        loop->step > 0 ? sum_add(&upper, &lower, -1) : sum_add(&lower, &upper, -1);
    trips.constant += behind;
    return is_positive(gen, loop->parent, trips, PROOF_DEPTH);
}

bool loop_runs(struct gen *gen, const struct code *loop)
{
    gen->hypothesis = gen->known;
    return runs(gen, loop, 0);
}

bool loop_or_rest_runs(struct gen *gen, const struct code *loop)
{
    gen->hypothesis = gen->known;
    return runs(gen, loop, left_behind(gen, loop));
}

bool loop_runs_by_promise(struct gen *gen, const struct code *loop)
{
    struct nest *nest = gen->nest;
    isl_set *all =
        isl_set_intersect(isl_set_copy(nest->context), isl_set_copy(nest->guaranteed));
    gen->hypothesis = isl_set_intersect(all, isl_set_copy(gen->known));
    bool sure = runs(gen, loop, left_behind(gen, loop));
    isl_set_free(gen->hypothesis);
    gen->hypothesis = gen->known;
    return sure;
}

static bool is_within(struct gen *gen, const struct code *at, struct ir_expr *subscript,
                      struct ir_expr *size)
{
    struct sum value = sum_of_expr(gen->arena, subscript), above = value;
    struct sum end = sum_of_expr(gen->arena, size);
    above.constant++;
    return is_positive(gen, at, above, PROOF_DEPTH) &&
           is_positive(gen, at, sum_add(&end, &value, -1), PROOF_DEPTH);
}

static isl_set *where_true(struct gen *gen, isl_set *set, const struct ir_expr *cond)
{
    struct nest *nest = gen->nest;
    if (cond->kind == IR_BINARY && !strcmp(cond->op, "&&"))
        return where_true(gen, where_true(gen, set, cond->arg[0]), cond->arg[1]);
    isl_space *space = isl_space_set_from_params(isl_space_copy(nest->params));
    struct affine at = {.nest = nest, .space = space};
    isl_set *holds = affine_cond(&at, cond); /* NULL: of loop variables */
    isl_space_free(space);
    return holds ? isl_set_intersect(set, isl_set_params(holds)) : set;
}

/* The parameters for which the place is reached, by the conditions around it. */
static isl_set *known_at(struct gen *gen, const struct code *code)
{
    isl_set *set = isl_set_copy(gen->known);
    for (const struct code *at = code->parent; at; code = at, at = at->parent)
        if (at->kind == CODE_IF && at->cond && at->child[0] == code)
            set = where_true(gen, set, at->cond);
    return set;
}

static bool subscripts_are_within(struct gen *gen, const struct code *at,
                                  const struct ir_expr *element,
                                  const struct ir_symbol *array)
{
    size_t k = array->dim_nr;
    for (; element->kind == IR_INDEX; element = element->arg[0])
        if (!k-- || !array->dim[k] || !is_within(gen, at, element->arg[1], array->dim[k]))
            return false;
    return k == 0;
}

bool element_is_declared(struct gen *gen, const struct code *loop,
                         const struct ir_expr *element)
{
    const struct ir_expr *root = element;
    while (root->kind == IR_INDEX)
        root = root->arg[0];
    if (root->kind != IR_NAME)
        return false;
    gen->hypothesis = known_at(gen, loop);
    bool sure = subscripts_are_within(gen, loop->parent, element, root->symbol);
    isl_set_free(gen->hypothesis);
    gen->hypothesis = gen->known;
    return sure;
}
