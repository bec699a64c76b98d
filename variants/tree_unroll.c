/*
 * Unrolling and unroll-and-jam. Instances whose block of `factor` iterations is complete
 * go to a loop over blocks with the copies written out innermost; the others keep their
 * loop. So the copies need no guards, and the rest is plain code.
 */
#include "variants/poly.h"

#include <stdlib.h>
#include <string.h>

struct unroll {
    struct nest *nest;
    const struct tree *band;
    const struct tree *const *above; /* bands around it */
    size_t above_nr;
    long long factor;
};

struct leaves {
    const struct tree **leaf;
    isl_set **full, **partial;
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

/* x -> the instances that share its block: equal but for this loop, which takes all
 * values of its stride. */
isl_map *block_partners(const struct tree *band, long long size,
                        const struct statement *statement)
{
    size_t pos = (size_t)band->loop->depth;
    isl_map *map = equal_at(pw_aff_block(band_function(band, statement), size));
    for (size_t i = 0; i < statement->depth; i++)
        if (i != pos)
            map = isl_map_equate(map, isl_dim_in, (int)i, isl_dim_out, (int)i);
    long long step = band->loop->stmt->step;
    if (step == 1 || step == -1)
        return map;
    return isl_map_intersect(
        map, lattice(isl_map_get_space(map), pos, step < 0 ? -step : step));
}

/* Instances with some partner that does not exist or lies in another iteration of the
 * loops around. */
isl_set *block_incomplete(struct nest *nest, const struct tree *band, long long size,
                          const struct tree *const *above, size_t nr,
                          const struct tree *leaf)
{
    const struct statement *statement = &nest->statement[leaf->statement];
    isl_map *all = isl_map_intersect_domain(block_partners(band, size, statement),
                                            isl_set_copy(leaf->domain));
    isl_map *present =
        isl_map_intersect_range(isl_map_copy(all), isl_set_copy(leaf->domain));
    for (size_t i = 0; i < nr; i++)
        present =
            isl_map_intersect(present, equal_at(band_function(above[i], statement)));
    return isl_set_coalesce(isl_map_domain(isl_map_subtract(all, present)));
}

static isl_set *incomplete(const struct unroll *at, const struct tree *leaf)
{
    return block_incomplete(at->nest, at->band, at->factor, at->above, at->above_nr,
                            leaf);
}

/* Instance -> [values of the loops around, block]. */
static isl_map *block_of(const struct unroll *at, const struct tree *leaf)
{
    const struct statement *statement = statement_of(at, leaf);
    isl_map *map =
        isl_map_from_pw_aff(pw_aff_block(band_function(at->band, statement), at->factor));
    for (size_t i = 0; i < at->above_nr; i++)
        map = isl_map_flat_range_product(
            map, isl_map_from_pw_aff(band_function(at->above[i], statement)));
    return map;
}

/* full = in no block that is incomplete for any statement; true when there is such a
 * block at all. */
static bool split_by_block(const struct unroll *at, struct leaves *leaves)
{
    isl_set *broken = NULL;
    bool any = false;
    for (size_t i = 0; i < leaves->nr; i++) {
        isl_set *part = isl_set_apply(isl_set_copy(leaves->partial[i]),
                                      block_of(at, leaves->leaf[i]));
        broken = broken ? isl_set_union(broken, part) : part;
    }
    broken = isl_set_coalesce(broken);
    for (size_t i = 0; i < leaves->nr; i++) {
        isl_set *bad = isl_set_apply(isl_set_copy(broken),
                                     isl_map_reverse(block_of(at, leaves->leaf[i])));
        leaves->full[i] = isl_set_coalesce(
            isl_set_subtract(isl_set_copy(leaves->leaf[i]->domain), bad));
        any = any || isl_set_is_empty(leaves->full[i]) == isl_bool_false;
    }
    isl_set_free(broken);
    return any;
}

static bool split_by_instance(struct leaves *leaves)
{
    bool any = false;
    for (size_t i = 0; i < leaves->nr; i++) {
        isl_set_free(leaves->full[i]);
        leaves->full[i] = isl_set_subtract(isl_set_copy(leaves->leaf[i]->domain),
                                           isl_set_copy(leaves->partial[i]));
        leaves->full[i] = isl_set_coalesce(leaves->full[i]);
        any = any || isl_set_is_empty(leaves->full[i]) == isl_bool_false;
    }
    return any;
}

/* ---- building the two trees ---- */

/* The domains of the leaves become the full sets or what they leave; leaves without
 * instances go. False when nothing is left. */
static bool restrict_leaves(struct tree *tree, const struct leaves *leaves, size_t *next,
                            bool full)
{
    if (tree->kind == TREE_LEAF) {
        isl_set *keep = isl_set_copy(leaves->full[*next]);
        tree->domain = full ? isl_set_intersect(tree->domain, keep)
                            : isl_set_coalesce(isl_set_subtract(tree->domain, keep));
        ++*next;
        return isl_set_is_empty(tree->domain) != isl_bool_true;
    }
    size_t kept = 0;
    for (size_t i = 0; i < tree->child_nr; i++)
        if (restrict_leaves(tree->child[i], leaves, next, full))
            tree->child[kept++] = tree->child[i];
        else
            tree_free(tree->child[i]);
    tree->child_nr = kept;
    return kept > 0;
}

static struct tree *restricted(const struct tree *tree, const struct leaves *leaves,
                               bool full)
{
    struct tree *copy = tree_copy(tree);
    size_t next = 0;
    if (restrict_leaves(copy, leaves, &next, full))
        return copy;
    tree_free(copy);
    return NULL;
}

static struct tree *copies(const struct unroll *at, struct tree *inner)
{
    struct tree *band = tree_new(TREE_BAND);
    band->loop = at->band->loop;
    band->name = "";
    band->role = BAND_COPY;
    band->size = at->factor;
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

static isl_union_pw_aff *block_function(const struct unroll *at)
{
    isl_val *size = isl_val_int_from_si(at->nest->model->ctx, at->factor);
    isl_union_pw_aff *f = isl_union_pw_aff_scale_down_val(
        isl_union_pw_aff_copy(at->band->f), isl_val_copy(size));
    return isl_union_pw_aff_scale_val(isl_union_pw_aff_floor(f), size);
}

static struct tree *block_band(const struct unroll *at, struct tree *inner)
{
    struct tree *band = tree_new(TREE_BAND);
    band->loop = at->band->loop;
    band->name = at->band->name;
    band->role = BAND_BLOCK;
    band->size = at->factor;
    band->base = at->band->base;
    band->step = at->band->step;
    band->f = block_function(at);
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

static struct tree *assemble(const struct unroll *at, const struct leaves *leaves,
                             bool by_block, bool with_jam)
{
    struct tree *inner = restricted(at->band->child[0], leaves, true);
    struct tree *rest = restricted(at->band, leaves, false);
    inner = with_jam ? jam(at, inner) : copies(at, inner);
    if (rest)
        rest->rest = true;
    if (by_block)
        return pair(block_band(at, inner), rest);
    struct tree *blocks = block_band(
        at, pair(inner, rest)); /* the rest has a loop of the user's name inside */
    blocks->name = ir_textf(at->nest->model->arena, "%sb", at->band->name);
    return blocks;
}

static struct tree *unroll_band(const struct unroll *at, bool with_jam)
{
    struct leaves leaves = {0};
    struct tree *new = NULL;
    find_leaves(at->band, &leaves);
    leaves.full = xcalloc(leaves.nr, sizeof(*leaves.full));
    leaves.partial = xcalloc(leaves.nr, sizeof(*leaves.partial));
    for (size_t i = 0; i < leaves.nr; i++)
        leaves.partial[i] = incomplete(at, leaves.leaf[i]);
    bool by_block = split_by_block(at, &leaves);
    if (by_block || split_by_instance(&leaves))
        new = assemble(at, &leaves, by_block, with_jam);
    for (size_t i = 0; i < leaves.nr; i++) {
        isl_set_free(leaves.full[i]);
        isl_set_free(leaves.partial[i]);
    }
    free(leaves.leaf);
    free(leaves.full);
    free(leaves.partial);
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

static struct tree *search_below(struct search *at, struct tree *tree)
{
    bool band = tree->kind == TREE_BAND;
    if (band && tree->rest)
        return tree;
    if (band && tree->role == BAND_LOOP && !strcmp(tree->name, at->name)) {
        struct unroll unroll = {.nest = at->work->nest,
                                .band = tree,
                                .above = at->above,
                                .above_nr = at->above_nr,
                                .factor = at->factor};
        struct tree *new = unroll_band(&unroll, at->jam);
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
