/*
 * What unrolling by blocks of iterations makes of a loop: complete blocks, the corners
 * that such blocks also hold, what begins before them all, and the rest.
 */
#include <stdlib.h>

#include "variants/model/model_nest.h"
#include "variants/model/tree.h"
#include "variants/transform/steps.h"

void leaves_find(const struct tree *tree, struct leaves *leaves)
{
    if (tree->kind == TREE_LEAF) {
        GROW(leaves->leaf, leaves->nr + 1, leaves->alloc);
        leaves->leaf[leaves->nr++] = tree;
    }
    for (size_t i = 0; i < tree->child_nr; i++)
        leaves_find(tree->child[i], leaves);
}

void leaves_release(struct leaves *leaves)
{
    for (size_t i = 0; i < PART_NR; i++) {
        for (size_t k = 0; leaves->part[i] && k < leaves->nr; k++)
            isl_set_free(leaves->part[i][k]);
        free(leaves->part[i]);
    }
    free(leaves->leaf);
}

const struct statement *unroll_statement(const struct unroll *at, const struct tree *leaf)
{
    return &at->nest->statement[leaf->statement];
}

isl_map *equal_at(isl_pw_aff *pa)
{
    isl_map *map = isl_map_from_pw_aff(pa);
    isl_map *back = isl_map_reverse(isl_map_copy(map));
    return isl_map_apply_range(map, back);
}

/* { x -> y : y[pos] - x[pos] is a multiple of size } */
static isl_map *lattice(isl_space *space, size_t pos, long long size)
{
    unsigned depth = (unsigned)isl_space_dim(space, isl_dim_in);
    isl_local_space *local = isl_local_space_from_space(isl_space_wrap(space));
    isl_aff *from =
        isl_aff_var_on_domain(isl_local_space_copy(local), isl_dim_set, (unsigned)pos);
    isl_aff *to = isl_aff_var_on_domain(local, isl_dim_set, depth + (unsigned)pos);
    isl_aff *delta = isl_aff_sub(to, from);
    isl_val *val = isl_val_int_from_si(isl_aff_get_ctx(delta), size);
    isl_basic_set *set = isl_aff_zero_basic_set(isl_aff_mod_val(delta, val));
    return isl_set_unwrap(isl_set_from_basic_set(set));
}

static isl_pw_aff *start_value(const struct unroll *at, const struct statement *statement)
{
    struct affine here = affine_of(at->nest, statement);
    isl_pw_aff *start = affine_expr(&here, at->band->loop->stmt->lower);
    isl_space_free(here.space);
    return at->band->step < 0 ? isl_pw_aff_neg(start) : start;
}

static isl_pw_aff *block_at(const struct unroll *at, const struct statement *statement,
                            isl_pw_aff *value)
{
    if (!at->from_start)
        return pw_aff_block(value, at->size);
    isl_pw_aff *start = start_value(at, statement);
    value = pw_aff_block(isl_pw_aff_sub(value, isl_pw_aff_copy(start)), at->size);
    return isl_pw_aff_add(value, start);
}

/* The block of an instance: the value of its first iteration. */
isl_pw_aff *unroll_block(const struct unroll *at, const struct statement *statement)
{
    return block_at(at, statement, band_function(at->band, statement));
}

/* The statement's dimension that the loop runs through. */
static size_t position(const struct unroll *at, const struct statement *statement)
{
    size_t pos = (size_t)at->band->loop->depth;
    isl_pw_aff *value = band_function(at->band, statement);
    if (pos >= statement->depth || statement->loop[pos] != at->band->loop)
        for (size_t i = 0; i < statement->depth; i++)
            if (isl_pw_aff_involves_dims(value, isl_dim_in, (unsigned)i, 1) ==
                isl_bool_true)
                pos = i;
    isl_pw_aff_free(value);
    return pos;
}

/* x -> the instances that share its block: equal but for this loop, which takes all
 * values of its stride. */
static isl_map *partners(const struct unroll *at, const struct statement *statement)
{
    size_t pos = position(at, statement);
    isl_map *map = equal_at(unroll_block(at, statement));
    for (size_t i = 0; i < statement->depth; i++)
        if (i != pos)
            map = isl_map_equate(map, isl_dim_in, (int)i, isl_dim_out, (int)i);
    bool inside = pos < statement->depth; /* else it is alone in its block */
    long long step = inside ? llabs(statement->loop[pos]->stmt->step) : 1;
    return step == 1 ? map
                     : isl_map_intersect(map, lattice(isl_map_get_space(map), pos, step));
}

/* Instances with some partner that does not exist or lies in another iteration of the
 * loops around. */
static isl_set *incomplete(const struct unroll *at, const struct tree *leaf)
{
    const struct statement *statement = unroll_statement(at, leaf);
    isl_map *all =
        isl_map_intersect_domain(partners(at, statement), isl_set_copy(leaf->domain));
    isl_map *present =
        isl_map_intersect_range(isl_map_copy(all), isl_set_copy(leaf->domain));
    for (size_t i = 0; i < at->above_nr; i++)
        present =
            isl_map_intersect(present, equal_at(band_function(at->above[i], statement)));
    return isl_set_coalesce(isl_map_domain(isl_map_subtract(all, present)));
}

isl_map *block_partners(const struct tree *band, long long size,
                        const struct statement *statement)
{
    struct unroll at = {.band = band, .size = size};
    return partners(&at, statement);
}

isl_set *block_incomplete(struct nest *nest, const struct tree *band, long long size,
                          const struct tree *const *above, size_t nr,
                          const struct tree *leaf)
{
    struct unroll at = {
        .nest = nest, .band = band, .above = above, .above_nr = nr, .size = size};
    return incomplete(&at, leaf);
}

/* x -> the iteration of its block that lies so far behind the block's first. */
static isl_map *edge_of_block(const struct unroll *at, const struct tree *leaf,
                              long long behind)
{
    const struct statement *statement = unroll_statement(at, leaf);
    size_t pos = position(at, statement);
    isl_pw_aff *value = unroll_block(at, statement);
    value = isl_pw_aff_add_constant_val(
        value, isl_val_int_from_si(at->nest->model->ctx, behind));
    isl_map *to = isl_map_from_pw_aff(band_function(at->band, statement));
    isl_map *map = isl_map_apply_range(isl_map_from_pw_aff(value), isl_map_reverse(to));
    for (size_t i = 0; i < statement->depth; i++)
        if (i != pos)
            map = isl_map_equate(map, isl_dim_in, (int)i, isl_dim_out, (int)i);
    for (size_t i = 0; i < at->above_nr; i++)
        map = isl_map_intersect(map, equal_at(band_function(at->above[i], statement)));
    return isl_map_intersect_range(map, isl_set_copy(leaf->domain));
}

/* Instances of complete blocks. In a convex domain a block is complete when its first and
 * its last iteration are there; that gives simple sets. */
static isl_set *complete(const struct unroll *at, const struct tree *leaf)
{
    isl_set *domain = isl_set_copy(leaf->domain);
    if (isl_set_n_basic_set(domain) != 1)
        return isl_set_coalesce(isl_set_subtract(domain, incomplete(at, leaf)));
    isl_map *first = edge_of_block(at, leaf, 0);
    isl_map *last = edge_of_block(at, leaf, at->size - band_unit(at->band));
    domain = isl_set_intersect(domain, isl_map_domain(first));
    domain = isl_set_intersect(domain, isl_map_domain(last));
    return isl_set_coalesce(domain);
}

/* Instance -> [values of the loops around, block]. */
static isl_map *block_of(const struct unroll *at, const struct tree *leaf)
{
    const struct statement *statement = unroll_statement(at, leaf);
    isl_map *map = isl_map_from_pw_aff(unroll_block(at, statement));
    for (size_t i = 0; i < at->above_nr; i++)
        map = isl_map_flat_range_product(
            map, isl_map_from_pw_aff(band_function(at->above[i], statement)));
    return map;
}

/* Blocks that have something in the part. */
static isl_set *blocks_with(const struct unroll *at, const struct leaves *leaves,
                            enum part part)
{
    isl_set *all = NULL;
    for (size_t i = 0; i < leaves->nr; i++) {
        isl_set *some = isl_set_apply(isl_set_copy(leaves->part[part][i]),
                                      block_of(at, leaves->leaf[i]));
        all = all ? isl_set_union(all, some) : some;
    }
    return isl_set_coalesce(all);
}

static isl_set *inside(const struct unroll *at, const struct tree *leaf,
                       isl_set *blocks) /* kept */
{
    return isl_set_apply(isl_set_copy(blocks), isl_map_reverse(block_of(at, leaf)));
}

static void find_corners(struct leaves *leaves)
{
    for (size_t i = 0; i < leaves->nr; i++) {
        isl_set_free(leaves->part[PART_CORNER][i]);
        leaves->part[PART_CORNER][i] =
            isl_set_subtract(isl_set_copy(leaves->leaf[i]->domain),
                             isl_set_copy(leaves->part[PART_FULL][i]));
    }
}

/* Blocks that are unrolled: those that are complete for all statements, so that
 * statements keep their order; where there is none (triangles), those in which anything
 * is. */
static isl_set *useful_blocks(const struct unroll *at, struct leaves *leaves)
{
    isl_set *useful = blocks_with(at, leaves, PART_FULL);
    isl_set *broken = blocks_with(at, leaves, PART_CORNER);
    bool mixed = isl_set_is_disjoint(useful, broken) == isl_bool_false;
    isl_set *sure = isl_set_coalesce(isl_set_subtract(isl_set_copy(useful), broken));
    if (!mixed || isl_set_is_empty(sure) != isl_bool_false) {
        isl_set_free(sure);
        return useful;
    }
    for (size_t i = 0; i < leaves->nr; i++)
        leaves->part[PART_FULL][i] = isl_set_coalesce(isl_set_intersect(
            leaves->part[PART_FULL][i], inside(at, leaves->leaf[i], sure)));
    find_corners(leaves);
    isl_set_free(useful);
    return sure;
}

/* What begins with the last, incomplete block of the loop; said so, a loop over it has
 * simple bounds. The rest itself where it is something else. */
static isl_set *rest_as_end(const struct unroll *at, const struct tree *leaf,
                            isl_set *rest)
{
    const struct statement *statement = unroll_statement(at, leaf);
    isl_pw_aff *end = band_edge(at->nest, at->band, statement, true);
    if (!end)
        return rest;
    end = isl_pw_aff_add_constant_val(end, isl_val_int_from_si(at->nest->model->ctx, 1));
    end = block_at(at, statement, end);
    isl_set *tail = isl_pw_aff_ge_set(band_function(at->band, statement), end);
    tail = isl_set_intersect(tail, isl_set_copy(leaf->domain));
    bool same = isl_set_is_equal(tail, rest) == isl_bool_true;
    isl_set_free(same ? rest : tail);
    return same ? tail : rest;
}

/* Pairs of blocks in the same iteration of the loops around, the second behind the first,
 * or not before it. */
static isl_map *block_order(isl_space *space, bool equal)
{
    isl_map *order = isl_map_universe(isl_space_map_from_set(space));
    isl_size dims = isl_map_dim(order, isl_dim_in);
    order = equal ? isl_map_order_ge(order, isl_dim_out, 0, isl_dim_in, 0)
                  : isl_map_order_gt(order, isl_dim_out, 0, isl_dim_in, 0);
    for (int i = 1; i < dims; i++)
        order = isl_map_equate(order, isl_dim_in, i, isl_dim_out, i);
    return order;
}

/* Of `some`, the blocks with one of `blocks` (kept) behind them, and those before which
 * there is none whatever the parameters: that makes one loop of them for all sizes. */
static isl_set *blocks_before(isl_set *some, isl_set *blocks)
{
    isl_map *order = block_order(isl_set_get_space(blocks), false);
    isl_set *before =
        isl_map_domain(isl_map_intersect_range(order, isl_set_copy(blocks)));
    isl_set *any = isl_set_project_out(isl_set_copy(blocks), isl_dim_param, 0,
                                       (unsigned)isl_set_dim(blocks, isl_dim_param));
    order = block_order(isl_set_get_space(any), true);
    isl_set *none = isl_set_subtract(isl_set_copy(some), isl_set_apply(any, order));
    return isl_set_coalesce(isl_set_union(isl_set_intersect(some, before), none));
}

/* What begins within a block, and what not all statements of fused loops run in at the
 * beginning, is a loop before the blocks, else those would overtake it. */
static void split_head(const struct unroll *at, struct leaves *leaves, isl_set *useful)
{
    isl_set *before = blocks_before(blocks_with(at, leaves, PART_REST), useful);
    for (size_t i = 0; i < leaves->nr; i++) {
        isl_set *rest = leaves->part[PART_REST][i];
        isl_set *head = inside(at, leaves->leaf[i], before);
        head = isl_set_coalesce(isl_set_intersect(head, isl_set_copy(rest)));
        leaves->part[PART_HEAD][i] = isl_set_copy(head);
        leaves->part[PART_REST][i] = isl_set_coalesce(isl_set_subtract(rest, head));
    }
    isl_set_free(before);
}

/* x -> what of its block all loops inside would run before it. */
static isl_map *before_in_block(const struct unroll *at, const struct tree *leaf)
{
    const struct statement *statement = unroll_statement(at, leaf);
    size_t pos = position(at, statement);
    isl_map *same = equal_at(unroll_block(at, statement)), *all = NULL;
    for (size_t i = 0; i < pos && i < statement->depth; i++)
        same = isl_map_equate(same, isl_dim_in, (int)i, isl_dim_out, (int)i);
    for (size_t i = pos + 1; i < statement->depth; i++) {
        isl_map *order =
            isl_map_order_gt(isl_map_copy(same), isl_dim_in, (int)i, isl_dim_out, (int)i);
        all = all ? isl_map_union(all, order) : order;
        same = isl_map_equate(same, isl_dim_in, (int)i, isl_dim_out, (int)i);
    }
    if (!all)
        all = isl_map_empty(isl_map_get_space(same));
    isl_map_free(same);
    return all;
}

void unroll_split_after(const struct unroll *at, struct leaves *leaves)
{
    for (size_t i = 0; i < leaves->nr; i++) {
        isl_set **part[] = {&leaves->part[PART_FULL][i], &leaves->part[PART_AFTER][i]};
        isl_map *behind =
            isl_map_intersect_range(before_in_block(at, leaves->leaf[i]),
                                    isl_set_copy(leaves->part[PART_CORNER][i]));
        isl_set *after =
            isl_set_intersect(isl_set_copy(*part[0]), isl_map_domain(behind));
        *part[0] = isl_set_coalesce(isl_set_subtract(*part[0], isl_set_copy(after)));
        *part[1] = isl_set_coalesce(after);
    }
}

void unroll_split(const struct unroll *at, struct leaves *leaves)
{
    leaves_find(at->band, leaves);
    for (size_t i = 0; i < PART_NR; i++)
        leaves->part[i] = xcalloc(leaves->nr, sizeof(*leaves->part[i]));
    for (size_t i = 0; i < leaves->nr; i++)
        leaves->part[PART_FULL][i] = complete(at, leaves->leaf[i]);
    find_corners(leaves);
    isl_set *useful = useful_blocks(at, leaves);
    for (size_t i = 0; i < leaves->nr; i++) {
        const struct tree *leaf = leaves->leaf[i];
        isl_set *others = leaves->part[PART_CORNER][i];
        isl_set *in_useful = inside(at, leaf, useful);
        isl_set *corner =
            isl_set_intersect(isl_set_copy(others), isl_set_copy(in_useful));
        isl_set *rest = isl_set_coalesce(isl_set_subtract(others, in_useful));
        leaves->part[PART_CORNER][i] = isl_set_coalesce(corner);
        leaves->part[PART_REST][i] = rest;
    }
    split_head(at, leaves, useful);
    for (size_t i = 0; i < leaves->nr; i++)
        leaves->part[PART_REST][i] =
            rest_as_end(at, leaves->leaf[i], leaves->part[PART_REST][i]);
    isl_set_free(useful);
}
