/*
 * Incomplete tiles. Where all that a statement writes lives in local buffers, the tile is
 * filled up: more iterations than the original has, whose results nobody reads, so that
 * every tile has the same trip counts. Else the complete tiles get code of their own.
 */
#include <stdlib.h>
#include <string.h>

#include "variants/model/tree.h"
#include "variants/transform/packing.h"
#include "variants/transform/steps.h"

struct fill {
    struct work *work;
    const struct plan_step *step;
    struct tree *above[4 * DEPTH_MAX];
    size_t nr;
};

static const struct tree *const *const_bands(const struct fill *at)
{
    return (const struct tree *const *)at->above;
}

/* The innermost tile band around of the loop called so. */
static const struct tree *tile_of(const struct fill *at, const char *name)
{
    const struct tree *tile = NULL;
    for (size_t i = 0; i < at->nr; i++)
        if (at->above[i]->role == BAND_TILE &&
            !strcmp(at->above[i]->loop->stmt->iterator->name, name))
            tile = at->above[i];
    return tile;
}

/* ---- filling up ---- */

/* x -> all iterations that its tile of the loop called so would have; NULL = not tiled.
 */
static isl_map *tile_mates(const struct fill *at, const char *name,
                           const struct statement *statement)
{
    const struct tree *tile = tile_of(at, name);
    isl_map *mates = tile ? block_partners(tile, tile->size, statement) : NULL;
    for (size_t i = 0; mates && i < at->nr; i++)
        if (strcmp(at->above[i]->name, name) != 0)
            mates = isl_map_intersect(mates,
                                      equal_at(band_function(at->above[i], statement)));
    return mates;
}

static bool writes_meet(const struct fill *at, const struct access *write, isl_set *extra,
                        size_t depth)
{
    const struct nest *nest = at->work->nest;
    isl_map *added = band_footprint(nest, write, extra, const_bands(at), depth);
    bool apart = true;
    for (size_t i = 0; apart && i < nest->access_nr; i++) {
        const struct access *other = &nest->access[i];
        const struct statement *statement = &nest->statement[other->statement];
        if (other->cell != write->cell)
            continue;
        isl_map *meant =
            band_footprint(nest, other, statement->domain, const_bands(at), depth);
        apart = isl_map_is_disjoint(added, meant) == isl_bool_true;
        isl_map_free(meant);
    }
    isl_map_free(added);
    return !apart;
}

/* Everything it touches is in local buffers, and what is added writes nothing that the
 * original uses. */
static bool may_add(const struct fill *at, const struct statement *statement,
                    isl_set *extra)
{
    const struct nest *nest = at->work->nest;
    bool fine = !statement->collapsed && statement->stmt->kind == IR_EXPR;
    for (size_t i = statement->access_begin; fine && i < statement->access_end; i++) {
        const struct access *access = &nest->access[i];
        size_t depth;
        fine = nest->cell[access->cell].symbol->type.scalar == IR_FLOAT &&
               !pack_problem(nest, access) &&
               is_packed_above(at->work, access, const_bands(at), at->nr, &depth) &&
               (!access->write || !writes_meet(at, access, extra, depth));
    }
    return fine;
}

static void fill_leaf(struct fill *at, struct tree *leaf, const char *name)
{
    const struct statement *statement = &at->work->nest->statement[leaf->statement];
    isl_map *mates = tile_mates(at, name, statement);
    if (!mates)
        return;
    isl_set *now = isl_set_copy(leaf->padded ? leaf->padded : leaf->domain);
    isl_set *all = isl_set_apply(now, mates);
    isl_set *extra = isl_set_subtract(isl_set_copy(all), isl_set_copy(leaf->domain));
    if (isl_set_is_empty(extra) == isl_bool_false && may_add(at, statement, extra)) {
        isl_set_free(leaf->padded);
        leaf->padded = isl_set_coalesce(all);
    } else
        isl_set_free(all);
    isl_set_free(extra);
}

static void fill_below(struct fill *at, struct tree *tree)
{
    bool band = tree->kind == TREE_BAND && at->nr < ARRAY_SIZE(at->above);
    for (size_t i = 0; tree->kind == TREE_LEAF && i < at->step->arg_nr; i++)
        fill_leaf(at, tree, at->step->arg[i].name);
    if (band)
        at->above[at->nr++] = tree;
    for (size_t i = 0; i < tree->child_nr; i++)
        fill_below(at, tree->child[i]);
    at->nr -= band;
}

/* ---- code of its own ---- */

static void split_leaves(const struct fill *at, const struct tree *tile,
                         struct tree *tree, bool whole)
{
    if (tree->kind == TREE_LEAF && !tree->padded) {
        isl_set *broken = block_incomplete(at->work->nest, tile, tile->size,
                                           const_bands(at), at->nr, tree);
        tree->domain = isl_set_coalesce(whole ? isl_set_subtract(tree->domain, broken)
                                              : isl_set_intersect(tree->domain, broken));
    } else if (tree->kind == TREE_LEAF && !whole)
        tree->domain = isl_set_intersect(tree->domain,
                                         isl_set_empty(isl_set_get_space(tree->domain)));
    for (size_t i = 0; i < tree->child_nr; i++)
        split_leaves(at, tile, tree->child[i], whole);
}

static bool drop_empty(struct tree *tree)
{
    if (tree->kind == TREE_LEAF)
        return isl_set_is_empty(tree->domain) != isl_bool_true;
    size_t kept = 0;
    for (size_t i = 0; i < tree->child_nr; i++)
        if (drop_empty(tree->child[i]))
            tree->child[kept++] = tree->child[i];
        else
            tree_free(tree->child[i]);
    tree->child_nr = kept;
    return kept > 0;
}

static void mark_rest(struct tree *tree)
{
    tree->rest = tree->kind == TREE_BAND;
    for (size_t i = 0; i < tree->child_nr; i++)
        mark_rest(tree->child[i]);
}

/* The complete tiles, then the others; the tree itself when there is only one sort. */
static struct tree *split(struct fill *at, struct tree *tile)
{
    struct tree *whole = tree_copy(tile), *rest = tree_copy(tile);
    split_leaves(at, tile, whole, true);
    split_leaves(at, tile, rest, false);
    bool has_whole = drop_empty(whole), has_rest = drop_empty(rest);
    if (!has_whole || !has_rest) {
        tree_free(whole);
        tree_free(rest);
        return tile;
    }
    mark_rest(rest);
    struct tree *seq = tree_new(TREE_SEQ);
    tree_add(seq, whole);
    tree_add(seq, rest);
    tree_free(tile);
    return seq;
}

static bool has_tile_below(const struct tree *tree, const struct loop *loop)
{
    bool found = false;
    for (size_t i = 0; !found && i < tree->child_nr; i++)
        found = (tree->child[i]->kind == TREE_BAND && tree->child[i]->role == BAND_TILE &&
                 tree->child[i]->loop == loop) ||
                has_tile_below(tree->child[i], loop);
    return found;
}

static struct tree *split_below(struct fill *at, struct tree *tree, const char *name)
{
    bool band = tree->kind == TREE_BAND;
    if (band && tree->role == BAND_TILE && !tree->rest &&
        !strcmp(tree->loop->stmt->iterator->name, name) &&
        !has_tile_below(tree, tree->loop))
        return split(at, tree);
    if (band && at->nr < ARRAY_SIZE(at->above))
        at->above[at->nr++] = tree;
    else
        band = false;
    for (size_t i = 0; i < tree->child_nr; i++)
        tree->child[i] = split_below(at, tree->child[i], name);
    at->nr -= band;
    return tree;
}

static bool all_padded(const struct tree *tree)
{
    bool padded = tree->kind != TREE_LEAF || tree->padded;
    for (size_t i = 0; padded && i < tree->child_nr; i++)
        padded = all_padded(tree->child[i]);
    return padded;
}

void tree_fill(struct work *work, const struct plan_step *step)
{
    struct fill at = {.work = work, .step = step};
    fill_below(&at, work->tree);
    for (size_t i = 0; i < step->arg_nr && !all_padded(work->tree); i++)
        work->tree = split_below(&at, work->tree, step->arg[i].name);
}
