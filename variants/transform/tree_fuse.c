/* Fusion and distribution: adjacent loops become one, the parts of a loop get loops of
 * their own. */
#include <stdlib.h>
#include <string.h>

#include "core/base/error.h"
#include "variants/model/deps.h"
#include "variants/model/model_nest.h"
#include "variants/model/tree.h"
#include "variants/plan/plan.h"
#include "variants/transform/steps.h"

struct fusion {
    struct work *work;
    const struct plan_step *step;
    size_t done;
    bool opposite; /* loops of opposite directions were met */
};

/* fuse(i): all loops i that stand side by side; fuse(i,k): a loop k behind a loop i. */
static bool is_part(const struct plan_step *step, const struct tree *tree, size_t nth)
{
    bool loop = tree->kind == TREE_BAND && !tree->rest &&
                (tree->role == BAND_LOOP || tree->role == BAND_TILE);
    if (step->arg_nr > 1 && nth >= step->arg_nr)
        return false;
    return loop && !strcmp(tree->name, step->arg[step->arg_nr > 1 ? nth : 0].name);
}

/* How many children from this one on become one loop; 1 = none. */
static size_t run_length(const struct plan_step *step, const struct tree *seq,
                         size_t first)
{
    size_t nr = 0;
    while (first + nr < seq->child_nr && is_part(step, seq->child[first + nr], nr) &&
           (!nr || (seq->child[first + nr]->role == seq->child[first]->role &&
                    seq->child[first + nr]->size == seq->child[first]->size)))
        nr++;
    return nr < 2 || (step->arg_nr > 1 && nr < step->arg_nr) ? 1 : nr;
}

/* ---- one value for both loops ---- */

static bool same_origin(const struct tree *a, const struct tree *b)
{
    struct buf first = {0}, second = {0};
    if (a->step != b->step)
        return false;
    if (a->base)
        ir_print_expr(&first, a->base);
    if (b->base)
        ir_print_expr(&second, b->base);
    bool same = !strcmp(buf_str(&first), buf_str(&second));
    buf_release(&first);
    buf_release(&second);
    return same;
}

static void add_base(struct nest *nest, const struct tree *band, const struct tree *below,
                     isl_union_pw_aff **f)
{
    if (below->kind == TREE_LEAF) {
        struct affine at = affine_of(nest, &nest->statement[below->statement]);
        *f = function_add(*f, affine_expr(&at, band->base));
        isl_space_free(at.space);
        return;
    }
    for (size_t i = 0; i < below->child_nr; i++)
        add_base(nest, band, below->child[i], f);
}

/* Counts in the user's iterator from 0 on, downward ones in its negation. Tile loops keep
 * their count, each from its own first tile. */
static void count_from_zero(struct nest *nest, struct tree *band)
{
    bool down = band->step < 0;
    if (band->role == BAND_LOOP) {
        isl_val *step =
            isl_val_int_from_si(nest->model->ctx, down ? -band->step : band->step);
        band->f = isl_union_pw_aff_scale_val(band->f, step);
    }
    if (band->base && band->role == BAND_LOOP) {
        isl_union_pw_aff *base = isl_union_pw_aff_empty(isl_space_copy(nest->params));
        add_base(nest, band, band, &base);
        base = down ? isl_union_pw_aff_neg(base) : base;
        band->f = isl_union_pw_aff_add(band->f, base);
    }
    band->base = NULL;
    band->step = down ? -1 : 1;
}

static void shift(struct nest *nest, struct tree *band, long long by)
{
    isl_union_set *domain = tree_domain(nest, band);
    isl_val *val = isl_val_int_from_si(nest->model->ctx, by);
    isl_union_pw_aff *constant = isl_union_pw_aff_val_on_domain(domain, val);
    band->f = isl_union_pw_aff_add(band->f, constant);
}

/* b becomes part of a and is freed. `behind` iterations of a's unit. */
static void join(struct nest *nest, struct tree *a, struct tree *b, long long behind)
{
    if (!same_origin(a, b)) {
        count_from_zero(nest, a);
        count_from_zero(nest, b);
    }
    if (behind)
        shift(nest, b, behind * (a->role == BAND_TILE ? a->size : band_unit(a)));
    a->f = isl_union_pw_aff_union_add(a->f, isl_union_pw_aff_copy(b->f));
    a->skewed = a->skewed || b->skewed;
    a->shifted = a->shifted || b->shifted || behind;
    for (size_t i = 0; i < b->child_nr; i++)
        tree_add(a, b->child[i]);
    b->child_nr = 0;
    tree_free(b);
}

static void join_run(struct fusion *at, struct tree *seq, size_t first, size_t nr)
{
    struct tree *band = seq->child[first], *body = tree_new(TREE_SEQ);
    for (size_t i = 1; i < nr; i++)
        if ((seq->child[first + i]->step > 0) != (band->step > 0)) {
            at->opposite = true;
            tree_free(body);
            return;
        }
    for (size_t i = 1; i < nr; i++)
        join(at->work->nest, band, seq->child[first + i],
             at->step->option[OPTION_SHIFT] * (long long)i);
    for (size_t i = 0; i < band->child_nr; i++)
        tree_add(body, band->child[i]);
    band->child_nr = 0;
    tree_add(band, body);
    band->separate = true;
    memmove(&seq->child[first + 1], &seq->child[first + nr],
            (seq->child_nr - first - nr) * sizeof(seq->child[0]));
    seq->child_nr -= nr - 1;
    at->done++;
}

static void fuse_below(struct fusion *at, struct tree *tree)
{
    for (size_t i = 0; i < tree->child_nr; i++) {
        size_t nr = tree->kind == TREE_SEQ ? run_length(at->step, tree, i) : 1;
        if (nr > 1)
            join_run(at, tree, i, nr);
        fuse_below(at, tree->child[i]);
    }
}

int tree_fuse(struct work *work, const struct plan_step *step, struct error *err)
{
    struct fusion fusion = {.work = work, .step = step};
    const struct tree *band = tree_find(work->tree, step->arg[0].name);
    const char *second = step->arg_nr > 1 ? step->arg[1].name : step->arg[0].name;
    int line = band->loop->stmt->line;
    fuse_below(&fusion, work->tree);
    tree_flatten(work->tree);
    work->reorders = true;
    if (fusion.done)
        return 0;
    if (fusion.opposite)
        fail(err, STATUS_ILLEGAL,
             "the loops over %s and %s cannot be fused: one runs upward, the other "
             "downward",
             step->arg[0].name, second);
    else
        fail(err, STATUS_ILLEGAL,
             "no loop over %s follows the loop over %s at line %d directly; loops are "
             "fused when nothing stands between them and the same loops are around them",
             second, step->arg[0].name, line);
    return STEP_IDLE;
}

/* ---- distribution ---- */

static struct tree *part_of(struct nest *nest, const struct tree *band,
                            struct tree *child)
{
    struct tree *alone = tree_new(TREE_BAND);
    struct tree **children = alone->child;
    *alone = *band;
    alone->child = children;
    alone->child_nr = alone->child_alloc = 0;
    tree_add(alone, child);
    /* of all instances: what lies beyond the loop's ends makes blocks incomplete */
    isl_union_set *statements = isl_union_set_universe(tree_domain(nest, child));
    alone->f =
        isl_union_pw_aff_intersect_domain(isl_union_pw_aff_copy(band->f), statements);
    return alone;
}

struct distribution {
    struct work *work;
    const char *name;
    const struct dependences *groups; /* of the tree with a loop for each statement; NULL
                                         = not asked */
    struct buf *why;                  /* with groups: the first pair that comes round */
    const struct tree *above[4 * DEPTH_MAX];
    size_t nr, done;
};

/* What a part behind `first` makes, or leaves alone, in one iteration for a part up to it
 * in a later one keeps both in one loop. */
static bool comes_round(struct distribution *at, const struct tree *band, size_t first)
{
    struct nest *nest = at->work->nest;
    const struct tree *body = band->child[0];
    isl_union_set *before = isl_union_set_empty(isl_space_copy(nest->params)),
                  *behind = isl_union_set_copy(before);
    for (size_t i = 0; i < body->child_nr; i++) {
        isl_union_set *domain = tree_domain(nest, body->child[i]);
        if (i <= first)
            before = isl_union_set_union(before, domain);
        else
            behind = isl_union_set_union(behind, domain);
    }
    isl_union_map *pairs = band_carried(nest, band, at->above, at->nr, at->groups->deps);
    pairs = isl_union_map_intersect_domain(pairs, behind);
    pairs = isl_union_map_intersect_range(pairs, before);
    isl_bool none = isl_union_map_is_empty(pairs);
    if (none == isl_bool_false && !at->why->length)
        deps_explain(nest, at->groups->leader, pairs, "so both stay in one loop",
                     at->why);
    isl_union_map_free(pairs);
    return none != isl_bool_true;
}

static struct tree *distributed(struct distribution *at, struct tree *band)
{
    struct nest *nest = at->work->nest;
    struct tree *body = band->child[0], *seq = tree_new(TREE_SEQ), *group = NULL;
    for (size_t i = 0; i < body->child_nr; i++) {
        bool joined = at->groups && i + 1 < body->child_nr && comes_round(at, band, i);
        if (!group && !joined) {
            tree_add(seq, part_of(nest, band, body->child[i]));
            continue;
        }
        group = group ? group : tree_new(TREE_SEQ);
        tree_add(group, body->child[i]);
        if (joined)
            continue;
        tree_add(seq, part_of(nest, band, group));
        group = NULL;
    }
    at->done += seq->child_nr > 1;
    body->child_nr = 0;
    tree_free(band);
    return seq;
}

static void distribute_below(struct distribution *at, struct tree *tree)
{
    bool band = tree->kind == TREE_BAND && at->nr < ARRAY_SIZE(at->above);
    if (band)
        at->above[at->nr++] = tree;
    for (size_t i = 0; i < tree->child_nr; i++) {
        struct tree *child = tree->child[i];
        distribute_below(at, child);
        if (child->kind == TREE_BAND && child->role != BAND_COPY && !child->rest &&
            !strcmp(child->name, at->name) && child->child[0]->kind == TREE_SEQ)
            tree->child[i] = distributed(at, child);
    }
    at->nr -= band;
}

/* A loop for each statement first, for what is between these: statements that run
 * together stand for one another. False: `why` says what keeps them together, "" where
 * there is one part only. */
static bool distribute(struct work *work, const char *name, struct buf *why)
{
    struct distribution apart = {.work = work, .name = name}, at = apart;
    struct tree *all = tree_copy(work->tree);
    distribute_below(&apart, all);
    tree_flatten(all);
    at.groups = deps_between(work->nest, all);
    at.why = why;
    tree_free(all);
    distribute_below(&at, work->tree);
    tree_flatten(work->tree);
    return at.done > 0;
}

int tree_distribute(struct work *work, const struct plan_step *step, struct error *err)
{
    for (size_t i = 0; i < step->arg_nr; i++) {
        const char *name = step->arg[i].name;
        int line = tree_find(work->tree, name)->loop->stmt->line;
        struct buf why = {0};
        bool done = distribute(work, name, &why);
        if (!done && why.length)
            fail(err, STATUS_ILLEGAL,
                 "distribute(%s) of the loop at line %d is not legal: %s", name, line,
                 buf_str(&why));
        else if (!done)
            fail(err, STATUS_ILLEGAL,
                 "the loop over %s at line %d has one part only; there is nothing to "
                 "distribute",
                 name, line);
        buf_release(&why);
        if (!done)
            return STEP_IDLE;
    }
    work->reorders = true;
    return 0;
}
