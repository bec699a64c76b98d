/*
 * Unrolling and unroll-and-jam. Instances whose block of `factor` iterations is complete
 * go to a loop over blocks with the copies written out innermost. What else those blocks
 * hold (the corner of a triangle) is a loop inside of that loop, and blocks in which
 * nothing is complete are a loop behind it. So the copies need no guards, and the rest is
 * plain code.
 */
#include "variants/poly.h"

#include <stdlib.h>
#include <string.h>

struct unroll {
    struct nest *nest;
    const struct tree *band;
    const struct tree *const *above; /* bands around it */
    size_t above_nr;
    long long size;  /* of a block, in the band's values */
    bool from_start; /* blocks are counted from where the loop begins, not from 0 */
};

enum part { PART_FULL, PART_CORNER, PART_REST, PART_NR };
struct leaves {
    const struct tree **leaf;
    isl_set **part[PART_NR];
    size_t nr, alloc;
};

static void find_leaves(const struct tree *tree, struct leaves *leaves)
{
    if (tree->kind == TREE_LEAF) {
        GROW(leaves->leaf, leaves->nr + 1, leaves->alloc);
        leaves->leaf[leaves->nr++] = tree;
    }
    for (size_t i = 0; i < tree->child_nr; i++)
        find_leaves(tree->child[i], leaves);
}

static const struct statement *statement_of(const struct unroll *at,
                                            const struct tree *leaf)
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
static isl_pw_aff *block_value(const struct unroll *at, const struct statement *statement)
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
    isl_map *map = equal_at(block_value(at, statement));
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
    const struct statement *statement = statement_of(at, leaf);
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
    const struct statement *statement = statement_of(at, leaf);
    size_t pos = position(at, statement);
    isl_pw_aff *value = block_value(at, statement);
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
    const struct statement *statement = statement_of(at, leaf);
    isl_map *map = isl_map_from_pw_aff(block_value(at, statement));
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
    const struct statement *statement = statement_of(at, leaf);
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

static void split(const struct unroll *at, struct leaves *leaves)
{
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
        leaves->part[PART_REST][i] = rest_as_end(at, leaf, rest);
    }
    isl_set_free(useful);
}

/* ---- building the two trees ---- */

/* The domains of the leaves become those of the part; leaves without instances go. False
 * when nothing is left. */
static bool restrict_leaves(struct tree *tree, const struct leaves *leaves, size_t *next,
                            enum part part)
{
    if (tree->kind == TREE_LEAF) {
        isl_set_free(tree->domain);
        tree->domain = isl_set_copy(leaves->part[part][(*next)++]);
        return isl_set_is_empty(tree->domain) != isl_bool_true;
    }
    size_t kept = 0;
    for (size_t i = 0; i < tree->child_nr; i++)
        if (restrict_leaves(tree->child[i], leaves, next, part))
            tree->child[kept++] = tree->child[i];
        else
            tree_free(tree->child[i]);
    tree->child_nr = kept;
    return kept > 0;
}

static struct tree *restricted(const struct tree *tree, const struct leaves *leaves,
                               enum part part)
{
    struct tree *copy = tree_copy(tree);
    size_t next = 0;
    if (restrict_leaves(copy, leaves, &next, part)) {
        copy->rest = part != PART_FULL;
        return copy;
    }
    tree_free(copy);
    return NULL;
}

static struct tree *copies(const struct unroll *at, struct tree *inner)
{
    struct tree *band = tree_new(TREE_BAND);
    band->loop = at->band->loop;
    band->name = "";
    band->role = BAND_COPY;
    band->size = at->size;
    band->base = at->band->base;
    band->step = at->band->step;
    band->f = isl_union_pw_aff_copy(at->band->f);
    tree_add(band, inner);
    return band;
}

static struct tree *jam(const struct unroll *at, struct tree *tree)
{
    if (tree_is_straight(tree))
        return copies(at, tree);
    for (size_t i = 0; i < tree->child_nr; i++)
        tree->child[i] = jam(at, tree->child[i]);
    return tree;
}

static void add_block_values(const struct unroll *at, const struct tree *tree,
                             isl_union_pw_aff **f)
{
    if (tree->kind == TREE_LEAF)
        *f = function_add(*f, block_value(at, statement_of(at, tree)));
    for (size_t i = 0; i < tree->child_nr; i++)
        add_block_values(at, tree->child[i], f);
}

static struct tree *block_band(const struct unroll *at, struct tree *inner)
{
    struct tree *band = tree_new(TREE_BAND);
    band->loop = at->band->loop;
    band->name = at->band->name;
    band->role = BAND_BLOCK;
    band->size = at->size;
    band->scale = at->from_start ? 0 : at->size;
    band->base = at->band->base;
    band->step = at->band->step;
    band->f = isl_union_pw_aff_empty(isl_space_copy(at->nest->params));
    add_block_values(at, at->band, &band->f);
    tree_add(band, inner);
    return band;
}

static struct tree *pair(struct tree *first, struct tree *second)
{
    if (!second)
        return first;
    struct tree *seq = tree_new(TREE_SEQ);
    tree_add(seq, first);
    tree_add(seq, second);
    return seq;
}

/* NULL when no block is complete. */
static struct tree *assemble(const struct unroll *at, const struct leaves *leaves,
                             bool with_jam)
{
    struct tree *inner = restricted(at->band->child[0], leaves, PART_FULL);
    if (!inner)
        return NULL;
    struct tree *corner = restricted(at->band, leaves, PART_CORNER);
    struct tree *rest = restricted(at->band, leaves, PART_REST);
    inner = with_jam ? jam(at, inner) : copies(at, inner);
    struct tree *blocks = block_band(at, pair(inner, corner));
    if (corner) /* a loop of the user's name is inside */
        blocks->name = ir_textf(at->nest->model->arena, "%sb", at->band->name);
    return pair(blocks, rest);
}

static struct tree *unroll_band(const struct unroll *at, bool with_jam)
{
    struct leaves leaves = {0};
    find_leaves(at->band, &leaves);
    for (size_t i = 0; i < PART_NR; i++)
        leaves.part[i] = xcalloc(leaves.nr, sizeof(*leaves.part[i]));
    split(at, &leaves);
    struct tree *new = assemble(at, &leaves, with_jam);
    for (size_t i = 0; i < PART_NR; i++) {
        for (size_t k = 0; k < leaves.nr; k++)
            isl_set_free(leaves.part[i][k]);
        free(leaves.part[i]);
    }
    free(leaves.leaf);
    return new;
}

/* ---- finding the bands ---- */

struct search {
    struct work *work;
    const char *name;
    long long factor;
    bool jam;
    const struct tree *above[4 * DEPTH_MAX];
    size_t above_nr, done;
};

static bool is_tiled(const struct search *at, const struct tree *band)
{
    for (size_t i = 0; i < at->above_nr; i++)
        if (at->above[i]->role == BAND_TILE && at->above[i]->loop == band->loop)
            return true;
    return false;
}

/* All statements stem from the loop's own body. */
static bool is_own(const struct nest *nest, const struct tree *band,
                   const struct tree *below)
{
    const struct statement *statement = &nest->statement[below->statement];
    size_t pos = (size_t)band->loop->depth;
    bool own = below->kind != TREE_LEAF ||
               (pos < statement->depth && statement->loop[pos] == band->loop);
    for (size_t i = 0; own && i < below->child_nr; i++)
        own = is_own(nest, band, below->child[i]);
    return own;
}

/* A loop that begins at an outer iterator: blocks from there on have a rest at the end
 * only. In tiles most blocks begin where the tile does. */
static bool counts_from_start(const struct search *at, const struct tree *band)
{
    const struct ir_expr *lower = band->loop->stmt->lower;
    return !band->base && !band->skewed && !lower->has_value &&
           (band_unit(band) != 1 || !is_tiled(at, band)) &&
           is_own(at->work->nest, band, band);
}

static struct tree *unroll_found(const struct search *at, const struct tree *band)
{
    struct unroll unroll = {.nest = at->work->nest,
                            .band = band,
                            .above = at->above,
                            .above_nr = at->above_nr,
                            .size = at->factor * band_unit(band),
                            .from_start = counts_from_start(at, band)};
    return unroll_band(&unroll, at->jam);
}

static struct tree *search_below(struct search *at, struct tree *tree)
{
    bool band = tree->kind == TREE_BAND;
    if (band && tree->rest)
        return tree;
    if (band && tree->role == BAND_LOOP && !strcmp(tree->name, at->name)) {
        struct tree *new = unroll_found(at, tree);
        at->done++;
        if (!new)
            return tree;
        tree_free(tree);
        return new;
    }
    if (band && at->above_nr < ARRAY_SIZE(at->above))
        at->above[at->above_nr++] = tree;
    for (size_t i = 0; i < tree->child_nr; i++)
        tree->child[i] = search_below(at, tree->child[i]);
    at->above_nr -= band;
    return tree;
}

int tree_unroll(struct work *work, const char *name, long long factor, bool with_jam,
                struct error *err)
{
    struct search search = {
        .work = work, .name = name, .factor = factor, .jam = with_jam};
    work->tree = search_below(&search, work->tree);
    if (!search.done)
        return fail(err, STATUS_USAGE,
                    "'%s' is not a loop of the source that could be unrolled once", name);
    return 0;
}
