/*
 * Copies written out side by side are one to isl: the first of them. What isl says of it
 * is said of the others with their iterators moved on, so that it works out one place
 * instead of all. Only where the copies are complete and the same for all statements:
 * everything else is left to isl.
 */
#include <stdlib.h>

#include "variants/model/deps.h"
#include "variants/model/tree.h"
#include "variants/transform/transform.h"

struct gathering {
    struct nest *nest;
    const struct tree *above[4 * DEPTH_MAX]; /* bands around, copies not included */
    size_t above_nr;
    const struct tree *copy[DEPTH_MAX]; /* of one leaf, outermost first */
    size_t copy_nr;
    size_t leader; /* statement of the first leaf */
    isl_set *first;
};

long long copy_number_of(const struct tree *band)
{
    return band->size / band_unit(band);
}

long long copy_distance(const struct tree *band)
{
    return band->step * band_unit(band);
}

static const struct tree *block_of_copies(const struct gathering *at,
                                          const struct tree *copies)
{
    for (size_t i = at->above_nr; i-- > 0;)
        if (at->above[i]->role == BAND_BLOCK && at->above[i]->loop == copies->loop &&
            at->above[i]->size == copies->size)
            return at->above[i];
    return NULL;
}

/* Instances that begin their block in all loops that are written out; NULL = not known.
 */
static isl_set *first_copies(const struct gathering *at, const struct tree *leaf)
{
    const struct statement *statement = &at->nest->statement[leaf->statement];
    isl_set *first = isl_set_copy(leaf->domain);
    for (size_t i = 0; i < at->copy_nr; i++) {
        const struct tree *block = block_of_copies(at, at->copy[i]);
        size_t pos = (size_t)at->copy[i]->loop->depth;
        if (!block || pos >= statement->depth ||
            statement->loop[pos] != at->copy[i]->loop) {
            isl_set_free(first);
            return NULL;
        }
        isl_pw_aff *begin = band_function(block, statement);
        first = isl_set_intersect(
            first, isl_pw_aff_eq_set(band_function(at->copy[i], statement), begin));
    }
    return isl_set_coalesce(first);
}

/* { x -> x with iterator `pos` moved on by 0 .. nr - 1 times `distance` } */
static isl_map *moved_on(const struct statement *statement, size_t pos,
                         long long distance, long long nr)
{
    isl_space *space = isl_space_map_from_set(isl_set_get_space(statement->domain));
    isl_local_space *local =
        isl_local_space_from_space(isl_space_wrap(isl_space_copy(space)));
    isl_aff *from =
        isl_aff_var_on_domain(isl_local_space_copy(local), isl_dim_set, (unsigned)pos);
    isl_aff *way =
        isl_aff_var_on_domain(local, isl_dim_set, (unsigned)(statement->depth + pos));
    long long size = llabs(distance);
    way = distance > 0 ? isl_aff_sub(way, from) : isl_aff_sub(from, way);
    isl_aff *left =
        isl_aff_add_constant_si(isl_aff_neg(isl_aff_copy(way)), (int)(size * (nr - 1)));
    isl_set *set = isl_pw_aff_nonneg_set(isl_pw_aff_from_aff(isl_aff_copy(way)));
    set = isl_set_intersect(set, isl_pw_aff_nonneg_set(isl_pw_aff_from_aff(left)));
    isl_val *val = isl_val_int_from_si(isl_space_get_ctx(space), size);
    isl_pw_aff *over = isl_pw_aff_from_aff(isl_aff_mod_val(way, val));
    isl_map *map = isl_set_unwrap(isl_set_intersect(set, isl_pw_aff_zero_set(over)));
    for (size_t i = 0; i < statement->depth; i++)
        if (i != pos)
            map = isl_map_equate(map, isl_dim_in, (int)i, isl_dim_out, (int)i);
    isl_space_free(space);
    return map;
}

/* Moving on once adds one to the value of `band` where that is its own loop, nothing
 * else. */
static bool counts_up(const struct gathering *at, const struct tree *leaf,
                      const struct tree *band, const struct tree *moving)
{
    const struct statement *statement = &at->nest->statement[leaf->statement];
    isl_space *space = isl_space_map_from_set(isl_set_get_space(statement->domain));
    isl_multi_aff *on = isl_multi_aff_identity(space);
    int pos = moving->loop->depth;
    isl_aff *aff = isl_multi_aff_get_aff(on, pos);
    aff = isl_aff_add_constant_si(aff, (int)copy_distance(moving));
    on = isl_multi_aff_set_aff(on, pos, aff);
    isl_pw_aff *after = isl_pw_aff_pullback_multi_aff(band_function(band, statement), on);
    isl_pw_aff *wanted = isl_pw_aff_add_constant_val(
        band_function(band, statement),
        isl_val_int_from_si(at->nest->model->ctx, band == moving ? band_unit(band) : 0));
    isl_set *right = isl_pw_aff_eq_set(after, wanted);
    bool up = isl_set_is_subset(leaf->domain, right) == isl_bool_true;
    isl_set_free(right);
    return up;
}

/* Instance -> values of the bands around. */
static isl_map *place_of(const struct gathering *at, const struct statement *statement)
{
    isl_space *none = isl_space_set_from_params(isl_space_copy(at->nest->params));
    isl_map *map = isl_map_universe(
        isl_space_map_from_domain_and_range(isl_set_get_space(statement->domain), none));
    for (size_t i = 0; i < at->above_nr; i++)
        map = isl_map_flat_range_product(
            map, isl_map_from_pw_aff(band_function(at->above[i], statement)));
    return map;
}

/* The first copies and those that follow them are the whole domain, and all of a block
 * stand in the same iteration of the loops around. */
static bool stand_for_all(const struct gathering *at, const struct tree *leaf,
                          isl_set *first)
{
    const struct statement *statement = &at->nest->statement[leaf->statement];
    isl_map *all = isl_set_identity(isl_set_copy(first));
    for (size_t i = 0; i < at->copy_nr; i++)
        all = isl_map_apply_range(
            all, moved_on(statement, (size_t)at->copy[i]->loop->depth,
                          copy_distance(at->copy[i]), copy_number_of(at->copy[i])));
    isl_set *reached = isl_map_range(isl_map_copy(all));
    bool whole = isl_set_is_equal(reached, leaf->domain) == isl_bool_true;
    isl_set_free(reached);
    isl_map *place = place_of(at, statement);
    isl_map *places = isl_map_apply_range(all, isl_map_copy(place));
    place = isl_map_intersect_domain(place, isl_set_copy(first));
    bool same = whole && isl_map_is_equal(places, place) == isl_bool_true;
    isl_map_free(places);
    isl_map_free(place);
    for (size_t i = 0; same && i < at->copy_nr; i++)
        for (size_t k = 0; same && k < at->copy_nr; k++)
            same = counts_up(at, leaf, at->copy[i], at->copy[k]);
    return same;
}

static bool same_loops(const struct statement *a, const struct statement *b)
{
    return a->depth == b->depth && common_loops(a, b) == a->depth;
}

static bool coalesce_leaf(struct gathering *at, const struct tree *leaf)
{
    struct nest *nest = at->nest;
    if (leaf->statement >= nest->statement_nr || leaf->padded)
        return false;
    bool leads = !at->first;
    const struct statement *statement = &nest->statement[leaf->statement];
    if (!leads && !same_loops(statement, &nest->statement[at->leader]))
        return false;
    isl_set *first = first_copies(at, leaf);
    if (!first || !stand_for_all(at, leaf, first)) {
        isl_set_free(first);
        return false;
    }
    if (leads) {
        at->leader = leaf->statement;
        at->first = first;
        return true;
    }
    const char *name = isl_set_get_tuple_name(at->first);
    first = isl_set_set_tuple_name(first, name);
    bool same = isl_set_is_equal(first, at->first) == isl_bool_true;
    isl_set_free(first);
    return same;
}

static bool coalesce_copies(struct gathering *at, const struct tree *tree)
{
    if (tree->kind == TREE_LEAF)
        return coalesce_leaf(at, tree);
    bool copies = tree->kind == TREE_BAND, all = true;
    for (size_t i = 0; copies && i < at->copy_nr; i++)
        all = all && at->copy[i]->loop != tree->loop;
    if (!all || (copies && at->copy_nr == ARRAY_SIZE(at->copy)))
        return false;
    if (copies)
        at->copy[at->copy_nr++] = tree;
    for (size_t i = 0; all && i < tree->child_nr; i++)
        all = coalesce_copies(at, tree->child[i]);
    at->copy_nr -= copies;
    return all;
}

static void coalesce_below(struct gathering *at, struct tree *tree)
{
    bool band = tree->kind == TREE_BAND;
    if (band && tree->role == BAND_COPY && tree_is_straight(tree)) {
        if (coalesce_copies(at, tree)) {
            isl_set_free(tree->domain);
            tree->domain = isl_set_copy(at->first);
        }
        isl_set_free(at->first);
        at->first = NULL;
        return;
    }
    if (band && at->above_nr == ARRAY_SIZE(at->above))
        return;
    if (band)
        at->above[at->above_nr++] = tree;
    for (size_t i = 0; i < tree->child_nr; i++)
        coalesce_below(at, tree->child[i]);
    at->above_nr -= band;
}

void tree_coalesce(struct work *work)
{
    struct gathering gathering = {.nest = work->nest};
    coalesce_below(&gathering, work->tree);
}
