/*
 * Does a tree run everything, once, and every dependence forwards? Asked loop by loop
 * from the outside: pairs whose first instance comes in a later iteration are violations,
 * those in an earlier one are done with, and only those in the same iteration go on to
 * what is inside. So each question is about the iterators of two statements, not about
 * all dimensions of the order.
 */
#include "variants/model/poly.h"

#include <stdlib.h>

/* ---- everything, once ---- */

struct covering {
    const struct nest *nest;
    const struct tree *above[4 * DEPTH_MAX];
    size_t above_nr;
    isl_set **ran; /* by statement */
};

/* The loops around have a value for all instances of the leaf. */
static bool has_values(const struct covering *at, const struct tree *leaf)
{
    const struct statement *statement = &at->nest->statement[leaf->statement];
    bool all = true;
    for (size_t i = 0; all && i < at->above_nr; i++) {
        isl_set *known = isl_pw_aff_domain(band_function(at->above[i], statement));
        all = isl_set_is_subset(leaf->domain, known) == isl_bool_true;
        isl_set_free(known);
    }
    return all;
}

static bool cover_leaf(struct covering *at, const struct tree *leaf)
{
    isl_set **ran = &at->ran[leaf->statement];
    if (!has_values(at, leaf) ||
        (*ran && isl_set_is_disjoint(*ran, leaf->domain) != isl_bool_true))
        return false;
    isl_set *own = isl_set_copy(leaf->domain);
    *ran = *ran ? isl_set_union(*ran, own) : own;
    return true;
}

static bool cover(struct covering *at, const struct tree *tree)
{
    bool band = tree->kind == TREE_BAND, good = true;
    if (tree->kind == TREE_LEAF)
        return tree->joined || cover_leaf(at, tree);
    if (band && at->above_nr == ARRAY_SIZE(at->above))
        return false;
    if (band)
        at->above[at->above_nr++] = tree;
    for (size_t i = 0; good && i < tree->child_nr; i++)
        good = cover(at, tree->child[i]);
    at->above_nr -= band;
    return good;
}

bool tree_runs_all(const struct nest *nest, const struct tree *tree)
{
    struct covering covering = {.nest = nest};
    covering.ran = xcalloc(nest->statement_nr + 1, sizeof(isl_set *));
    bool all = cover(&covering, tree);
    for (size_t i = 0; i < nest->statement_nr; i++) {
        all = all && (tree_is_joined(tree, i) ||
                      isl_set_is_equal(covering.ran[i], nest->statement[i].domain) ==
                          isl_bool_true);
        isl_set_free(covering.ran[i]);
    }
    free(covering.ran);
    return all;
}

/* ---- dependences ---- */

static isl_set *add_instances(const struct tree *tree, size_t statement, isl_set *all)
{
    if (tree->kind == TREE_LEAF && tree->statement == statement && !tree->joined) {
        isl_set *own = isl_set_copy(tree->domain);
        return all ? isl_set_union(all, own) : own;
    }
    for (size_t i = 0; i < tree->child_nr; i++)
        all = add_instances(tree->child[i], statement, all);
    return all;
}

/* What is below child `index`, of pairs that are below the tree: of a statement that is
 * in no other child, anything. */
static isl_union_set *instances(const struct nest *nest, const struct tree *tree,
                                size_t index)
{
    isl_union_set *all = isl_union_set_empty(isl_space_copy(nest->params));
    for (size_t k = 0; k < nest->statement_nr; k++) {
        isl_set *own = add_instances(tree->child[index], k, NULL), *others = NULL;
        if (!own)
            continue;
        for (size_t i = 0; i < tree->child_nr; i++)
            if (i != index)
                others = add_instances(tree->child[i], k, others);
        if (!others) {
            isl_space *space = isl_set_get_space(own);
            isl_set_free(own);
            own = isl_set_universe(space);
        }
        isl_set_free(others);
        all = isl_union_set_union(all, isl_union_set_from_set(own));
    }
    return all;
}

/* In the same iteration of all loops around: the order of the children decides. Kept:
 * deps, of which both ends are below the tree. */
static isl_bool keeps_sequence(const struct nest *nest, const struct tree *tree,
                               isl_union_map *deps)
{
    if (tree->child_nr == 1)
        return tree_keeps_deps(nest, tree->child[0], deps);
    isl_union_set *earlier = isl_union_set_empty(isl_space_copy(nest->params));
    isl_bool kept = isl_bool_true;
    for (size_t i = 0; kept == isl_bool_true && i < tree->child_nr; i++) {
        if (tree->child[i]->joined)
            continue;
        isl_union_set *own = instances(nest, tree, i);
        isl_union_map *from = isl_union_map_intersect_domain(isl_union_map_copy(deps),
                                                             isl_union_set_copy(own));
        isl_union_map *back = isl_union_map_intersect_range(isl_union_map_copy(from),
                                                            isl_union_set_copy(earlier));
        kept = isl_union_map_is_empty(back);
        isl_union_map_free(back);
        from = isl_union_map_intersect_range(from, isl_union_set_copy(own));
        if (kept == isl_bool_true)
            kept = tree_keeps_deps(nest, tree->child[i], from);
        isl_union_map_free(from);
        earlier = isl_union_set_union(earlier, own);
    }
    isl_union_set_free(earlier);
    return kept;
}

static isl_bool keeps_band(const struct nest *nest, const struct tree *band,
                           isl_union_map *deps)
{
    isl_multi_union_pw_aff *value =
        isl_multi_union_pw_aff_from_union_pw_aff(isl_union_pw_aff_copy(band->f));
    isl_union_map *back = isl_union_map_lex_gt_at_multi_union_pw_aff(
        isl_union_map_copy(deps), isl_multi_union_pw_aff_copy(value));
    isl_bool kept = isl_union_map_is_empty(back);
    isl_union_map_free(back);
    isl_union_map *same =
        isl_union_map_eq_at_multi_union_pw_aff(isl_union_map_copy(deps), value);
    if (kept == isl_bool_true)
        kept = keeps_sequence(nest, band, same);
    isl_union_map_free(same);
    return kept;
}

isl_bool tree_keeps_deps(const struct nest *nest, const struct tree *tree,
                         isl_union_map *deps)
{
    isl_bool none = isl_union_map_is_empty(deps);
    if (none != isl_bool_false)
        return none;
    switch (tree->kind) {
    case TREE_LEAF:
        return isl_bool_false; /* nothing says which comes first */
    case TREE_SEQ:
        return keeps_sequence(nest, tree, deps);
    case TREE_BAND:
        return keeps_band(nest, tree, deps);
    }
    return isl_bool_error;
}
