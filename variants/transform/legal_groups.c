/*
 * Whether the private scalars of different iterations stay out of each other's way, from
 * the shape of the tree alone. The bands above a place cut time into groups that run one
 * after the other. When every owner (the iteration that a scalar belongs to) has all its
 * accesses in one group, and no two owners of a group share a variable, then no one
 * writes between a value and its use. That an owner's own accesses keep their order is
 * for the dependences to say. Much cheaper than to follow the values, which is left for
 * trees of which this cannot be shown.
 */
#include "variants/model/poly.h"

#include <stdlib.h>

struct groups {
    const struct nest *nest;
    size_t cell;
    const struct tree *band[4 * DEPTH_MAX]; /* around the place */
    size_t nr;
};

static bool uses_cell(const struct groups *at, const struct tree *tree)
{
    if (tree->kind == TREE_LEAF) {
        const struct statement *statement = &at->nest->statement[tree->statement];
        for (size_t i = statement->access_begin; i < statement->access_end; i++)
            if (at->nest->access[i].cell == at->cell)
                return true;
        return false;
    }
    for (size_t i = 0; i < tree->child_nr; i++)
        if (uses_cell(at, tree->child[i]))
            return true;
    return false;
}

/* Instance -> owner: the iterators of the outer loops that the cell belongs to. */
static isl_map *owner(const struct groups *at, const struct tree *leaf)
{
    const struct statement *statement = &at->nest->statement[leaf->statement];
    unsigned depth = (unsigned)at->nest->cell[at->cell].depth;
    isl_space *space = isl_space_map_from_set(isl_set_get_space(statement->domain));
    isl_map *map = isl_map_identity(space);
    map =
        isl_map_project_out(map, isl_dim_out, depth, (unsigned)statement->depth - depth);
    map = isl_map_reset_tuple_id(map, isl_dim_out);
    return isl_map_intersect_domain(map, isl_set_copy(leaf->domain));
}

static isl_set *add_owners(const struct groups *at, const struct tree *tree, isl_set *all)
{
    if (tree->kind == TREE_LEAF && uses_cell(at, tree)) {
        isl_set *own = isl_map_range(owner(at, tree));
        return all ? isl_set_union(all, own) : own;
    }
    for (size_t i = 0; i < tree->child_nr; i++)
        all = add_owners(at, tree->child[i], all);
    return all;
}

static isl_set *owners_below(const struct groups *at, const struct tree *tree)
{
    return isl_set_coalesce(add_owners(at, tree, NULL));
}

/* ---- one place as a whole ---- */

/* Instance -> [values of the bands around; which of the copies its variable is]. */
static isl_map *group_of(const struct groups *at, const struct tree *leaf,
                         const struct tree *const *copy, size_t copy_nr)
{
    const struct statement *statement = &at->nest->statement[leaf->statement];
    isl_space *none = isl_space_set_from_params(isl_space_copy(at->nest->params));
    isl_map *map = isl_map_universe(
        isl_space_map_from_domain_and_range(isl_set_get_space(statement->domain), none));
    for (size_t i = 0; i < at->nr; i++)
        map = isl_map_flat_range_product(
            map, isl_map_from_pw_aff(band_function(at->band[i], statement)));
    for (size_t i = 0; i < copy_nr; i++) {
        isl_val *size = isl_val_int_from_si(at->nest->model->ctx, copy[i]->size);
        isl_pw_aff *value = isl_pw_aff_mod_val(band_function(copy[i], statement), size);
        map = isl_map_flat_range_product(map, isl_map_from_pw_aff(value));
    }
    return map;
}

/* Adds { owner -> group } of the leaves below; NULL when variables have different numbers
 * of copies. */
static isl_map *add_groups(const struct groups *at, const struct tree *tree,
                           const struct tree **copy, size_t copy_nr, isl_map *all)
{
    if (tree->kind == TREE_LEAF) {
        isl_map *own = group_of(at, tree, copy, copy_nr);
        own = isl_map_apply_range(isl_map_reverse(owner(at, tree)), own);
        return all ? isl_map_union(all, own) : own;
    }
    if (tree->kind == TREE_BAND && tree->role == BAND_COPY &&
        (size_t)tree->loop->depth < at->nest->cell[at->cell].depth)
        copy[copy_nr++] = tree;
    for (size_t i = 0; i < tree->child_nr; i++)
        if (uses_cell(at, tree->child[i])) {
            isl_map *more = add_groups(at, tree->child[i], copy, copy_nr, NULL);
            bool same =
                !all || isl_map_dim(all, isl_dim_out) == isl_map_dim(more, isl_dim_out);
            if (!same) {
                isl_map_free(all);
                isl_map_free(more);
                return NULL;
            }
            all = all ? isl_map_union(all, more) : more;
        }
    return all;
}

static bool one_owner_each(const struct groups *at, const struct tree *tree)
{
    const struct tree *copy[DEPTH_MAX];
    isl_map *groups = isl_map_coalesce(add_groups(at, tree, copy, 0, NULL));
    bool sure = isl_map_is_single_valued(groups) == isl_bool_true &&
                isl_map_is_injective(groups) == isl_bool_true;
    isl_map_free(groups);
    return sure;
}

/* ---- downwards, as long as one child has it all, or each has other owners ---- */

static bool owners_differ(const struct groups *at, const struct tree *tree)
{
    isl_set *all = NULL;
    bool differ = true;
    for (size_t i = 0; differ && i < tree->child_nr; i++) {
        if (!uses_cell(at, tree->child[i]))
            continue;
        isl_set *own = owners_below(at, tree->child[i]);
        differ = !all || isl_set_is_disjoint(all, own) == isl_bool_true;
        all = all ? isl_set_union(all, own) : own;
    }
    isl_set_free(all);
    return differ;
}

static bool keeps_apart(struct groups *at, const struct tree *tree)
{
    size_t users = 0;
    for (size_t i = 0; i < tree->child_nr; i++)
        users += uses_cell(at, tree->child[i]);
    if (users == 0 || at->nr == ARRAY_SIZE(at->band) ||
        (users > 1 && !owners_differ(at, tree)))
        return one_owner_each(at, tree);
    bool band = tree->kind == TREE_BAND, apart = true;
    if (band)
        at->band[at->nr++] = tree;
    for (size_t i = 0; apart && i < tree->child_nr; i++)
        apart = !uses_cell(at, tree->child[i]) || keeps_apart(at, tree->child[i]);
    at->nr -= band;
    return apart;
}

bool cell_keeps_apart(const struct nest *nest, size_t cell, const struct tree *tree)
{
    struct groups groups = {.nest = nest, .cell = cell};
    return keeps_apart(&groups, tree);
}
