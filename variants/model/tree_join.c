/*
 * Statements that stand beside each other before and after a plan, with the same
 * iterations, are one to isl: the first of them. Between them only the dependences that
 * cross iterations say something; those within one iteration hold because their order
 * stays.
 */
#include <stdio.h>
#include <string.h>

#include "variants/model/deps.h"
#include "variants/model/tree.h"

/* The set with the tuple of another statement. */
static isl_set *renamed(const isl_set *set, size_t statement)
{
    char name[32];
    snprintf(name, sizeof(name), "S%zu", statement);
    return isl_set_set_tuple_name(isl_set_copy((isl_set *)(uintptr_t)set), name);
}

static bool same_set(const isl_set *a, const isl_set *b)
{
    isl_set *x = renamed(a, 0), *y = renamed(b, 0);
    bool same = isl_set_plain_is_equal(x, y) == isl_bool_true;
    isl_set_free(x);
    isl_set_free(y);
    return same;
}

static bool same_loops(const struct nest *nest, size_t first, size_t second)
{
    const struct statement *a = &nest->statement[first], *b = &nest->statement[second];
    return a->depth == b->depth && common_loops(a, b) == a->depth &&
           same_set(a->domain, b->domain);
}

/* The bands around a place. */
struct path {
    const struct tree *band[4 * DEPTH_MAX];
    size_t nr;
};

/* The loop runs the same iteration of both at once: one of fused loops may be shifted. */
static bool same_value(const struct nest *nest, const struct tree *band, size_t first,
                       size_t second)
{
    isl_pw_aff *a = band_function(band, &nest->statement[first]),
               *b = band_function(band, &nest->statement[second]);
    isl_id *id = isl_id_alloc(nest->model->ctx, "S0", NULL);
    a = isl_pw_aff_set_tuple_id(a, isl_dim_in, isl_id_copy(id));
    b = isl_pw_aff_set_tuple_id(b, isl_dim_in, id);
    bool same = isl_pw_aff_plain_is_equal(a, b) == isl_bool_true;
    isl_pw_aff_free(a);
    isl_pw_aff_free(b);
    return same;
}

static bool same_values(const struct nest *nest, const struct path *path, size_t first,
                        size_t second)
{
    bool same = true;
    for (size_t i = 0; same && i < path->nr; i++)
        same = same_value(nest, path->band[i], first, second);
    return same;
}

/* Children i - 1 and i of the sequence are the leaves of neighbours. */
static bool are_neighbours(const struct nest *nest, const struct path *path,
                           const struct tree *sequence, size_t i)
{
    const struct tree *a = sequence->child[i - 1], *b = sequence->child[i];
    return a->kind == TREE_LEAF && b->kind == TREE_LEAF &&
           a->statement + 1 == b->statement && b->statement < nest->statement_nr &&
           !a->padded && !b->padded && same_loops(nest, a->statement, b->statement) &&
           same_set(a->domain, b->domain) &&
           same_values(nest, path, a->statement, b->statement);
}

static void join_below(const struct nest *nest, struct path *path, struct tree *tree)
{
    bool band = tree->kind == TREE_BAND && path->nr < ARRAY_SIZE(path->band);
    if (band)
        path->band[path->nr++] = tree;
    for (size_t i = 0; i < tree->child_nr; i++) {
        tree->child[i]->joined =
            i > 0 && tree->kind == TREE_SEQ && are_neighbours(nest, path, tree, i);
        join_below(nest, path, tree->child[i]);
    }
    path->nr -= band;
}

/* Some leaf of the statement stands alone. */
static bool stands_alone(const struct tree *tree, size_t statement)
{
    bool alone = tree->kind == TREE_LEAF && tree->statement == statement && !tree->joined;
    for (size_t i = 0; !alone && i < tree->child_nr; i++)
        alone = stands_alone(tree->child[i], statement);
    return alone;
}

static size_t leaves_of(const struct tree *tree, size_t statement)
{
    size_t nr = tree->kind == TREE_LEAF && tree->statement == statement;
    for (size_t i = 0; i < tree->child_nr; i++)
        nr += leaves_of(tree->child[i], statement);
    return nr;
}

static void part_statement(struct tree *tree, size_t statement)
{
    if (tree->kind == TREE_LEAF && tree->statement == statement)
        tree->joined = false;
    for (size_t i = 0; i < tree->child_nr; i++)
        part_statement(tree->child[i], statement);
}

void tree_join(const struct nest *nest, struct tree *tree)
{
    struct path path = {.nr = 0};
    join_below(nest, &path, tree);
    for (size_t i = 1; i < nest->statement_nr; i++)
        if (stands_alone(tree, i) || leaves_of(tree, i) != leaves_of(tree, i - 1))
            part_statement(tree, i);
}

void tree_part(struct tree *tree)
{
    tree->joined = false;
    for (size_t i = 0; i < tree->child_nr; i++)
        tree_part(tree->child[i]);
}

bool tree_is_joined(const struct tree *tree, size_t statement)
{
    bool joined = tree->kind == TREE_LEAF && tree->statement == statement && tree->joined;
    for (size_t i = 0; !joined && i < tree->child_nr; i++)
        joined = tree_is_joined(tree->child[i], statement);
    return joined;
}

size_t tree_leader(const struct tree *tree, size_t statement)
{
    while (statement > 0 && tree_is_joined(tree, statement))
        statement--;
    return statement;
}

size_t *tree_leaders(const struct nest *nest, const struct tree *tree)
{
    size_t *leader = xcalloc(nest->statement_nr + 1, sizeof(*leader));
    for (size_t i = 0; i < nest->statement_nr; i++)
        leader[i] = i && tree_is_joined(tree, i) ? leader[i - 1] : i;
    return leader;
}

/* ---- dependences ---- */

struct joining {
    const struct tree *tree;
    isl_union_map *deps;
};

static size_t move_end(const struct joining *at, isl_map **map, enum isl_dim_type type)
{
    size_t old = statement_of_tuple(isl_map_get_tuple_name(*map, type)),
           leader = tree_leader(at->tree, old);
    char name[32];
    snprintf(name, sizeof(name), "S%zu", leader);
    if (leader != old)
        *map = isl_map_set_tuple_name(*map, type, name);
    return leader;
}

static isl_stat join_map(isl_map *map, void *data)
{
    struct joining *at = data;
    const char *from = isl_map_get_tuple_name(map, isl_dim_in),
               *to = isl_map_get_tuple_name(map, isl_dim_out);
    bool apart = strcmp(from, to) != 0;
    size_t first = move_end(at, &map, isl_dim_in),
           second = move_end(at, &map, isl_dim_out);
    if (apart && first == second)
        map = isl_map_subtract(map, isl_map_identity(isl_map_get_space(map)));
    at->deps = isl_union_map_union(at->deps, isl_union_map_from_map(map));
    return isl_stat_ok;
}

isl_union_map *joined_pairs(const struct nest *nest, const struct tree *tree,
                            isl_union_map *pairs)
{
    struct joining at = {.tree = tree,
                         .deps = isl_union_map_empty(isl_space_copy(nest->params))};
    if (isl_union_map_foreach_map(pairs, join_map, &at) != isl_stat_ok) {
        isl_union_map_free(at.deps);
        return NULL;
    }
    return at.deps;
}

isl_union_set *joined_domain(const struct nest *nest, const struct tree *tree)
{
    isl_union_set *all = isl_union_set_empty(isl_space_copy(nest->params));
    for (size_t i = 0; i < nest->statement_nr; i++)
        if (!tree_is_joined(tree, i))
            all = isl_union_set_union(
                all, isl_union_set_from_set(isl_set_copy(nest->statement[i].domain)));
    return all;
}
