/*
 * Is a plan legal? One check of the final order against all dependences, whatever the
 * plan did, and one of where private scalars live. A check that does not finish is "not
 * legal": with isl, errors and NULL must never read as "no violation".
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/error.h"
#include "variants/ir/sum.h"
#include "variants/model/budget.h"
#include "variants/model/deps.h"
#include "variants/model/tree.h"
#include "variants/transform/packing.h"
#include "variants/transform/steps.h"

static isl_bool tree_keeps_deps(const struct nest *nest, const struct tree *tree,
                                isl_union_map *deps, isl_union_map **broken);

/* ---- groups ---- */

/*
 * Whether the private scalars of different iterations stay out of each other's way, from
 * the shape of the tree alone. The bands above a place cut time into groups that run one
 * after the other. When every owner (the iteration that a scalar belongs to) has all its
 * accesses in one group, and no two owners of a group share a variable, then no one
 * writes between a value and its use. That an owner's own accesses keep their order is
 * for the dependences to say. Much cheaper than to follow the values, which is left for
 * trees of which this cannot be shown.
 */

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

/* legal_groups.c: the tree's shape alone shows that no iteration overwrites a private
 * scalar which another one still needs. False = cannot be shown so. */
static bool cell_keeps_apart(const struct nest *nest, size_t cell,
                             const struct tree *tree)
{
    struct groups groups = {.nest = nest, .cell = cell};
    return keeps_apart(&groups, tree);
}

/* ---- order ---- */

/*
 * Does a tree run everything, once, and every dependence forwards? Asked loop by loop
 * from the outside: pairs whose first instance comes in a later iteration are violations,
 * those in an earlier one are done with, and only those in the same iteration go on to
 * what is inside. So each question is about the iterators of two statements, not about
 * all dimensions of the order.
 */

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

/* Takes the pairs that run the wrong way round; *broken: them, when there are some. */
static isl_bool none_broken(isl_union_map *back, isl_union_map **broken)
{
    isl_bool none = isl_union_map_is_empty(back);
    if (none == isl_bool_false && broken && !*broken)
        *broken = back;
    else
        isl_union_map_free(back);
    return none;
}

/* In the same iteration of all loops around: the order of the children decides. Kept:
 * deps, of which both ends are below the tree. */
static isl_bool keeps_sequence(const struct nest *nest, const struct tree *tree,
                               isl_union_map *deps, isl_union_map **broken)
{
    if (tree->child_nr == 1)
        return tree_keeps_deps(nest, tree->child[0], deps, broken);
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
        kept = none_broken(back, broken);
        from = isl_union_map_intersect_range(from, isl_union_set_copy(own));
        if (kept == isl_bool_true)
            kept = tree_keeps_deps(nest, tree->child[i], from, broken);
        isl_union_map_free(from);
        earlier = isl_union_set_union(earlier, own);
    }
    isl_union_set_free(earlier);
    return kept;
}

static isl_bool keeps_band(const struct nest *nest, const struct tree *band,
                           isl_union_map *deps, isl_union_map **broken)
{
    isl_multi_union_pw_aff *value =
        isl_multi_union_pw_aff_from_union_pw_aff(isl_union_pw_aff_copy(band->f));
    isl_union_map *back = isl_union_map_lex_gt_at_multi_union_pw_aff(
        isl_union_map_copy(deps), isl_multi_union_pw_aff_copy(value));
    isl_bool kept = none_broken(back, broken);
    isl_union_map *same =
        isl_union_map_eq_at_multi_union_pw_aff(isl_union_map_copy(deps), value);
    if (kept == isl_bool_true)
        kept = keeps_sequence(nest, band, same, broken);
    isl_union_map_free(same);
    return kept;
}

static isl_bool tree_keeps_deps(const struct nest *nest, const struct tree *tree,
                                isl_union_map *deps, isl_union_map **broken)
{
    isl_bool none = isl_union_map_is_empty(deps);
    if (none != isl_bool_false)
        return none;
    switch (tree->kind) {
    case TREE_LEAF: /* nothing says which comes first */
        return none_broken(isl_union_map_copy(deps), broken);
    case TREE_SEQ:
        return keeps_sequence(nest, tree, deps, broken);
    case TREE_BAND:
        return keeps_band(nest, tree, deps, broken);
    }
    return isl_bool_error;
}

/* ---- legal ---- */

/* Of parameters in the run that is looked at first: more than most tiles are wide. */
enum { RUN_SIZE = 64 };

/* ---- order ---- */

/* Empty text = legal. */
static void check_order(struct nest *nest, struct tree *tree, struct buf *why)
{
    if (!tree_runs_all(nest, tree)) { /* a plan that loses some would look legal */
        buf_add(why, "the loops cannot be rebuilt for this plan");
        return;
    }
    const struct dependences *groups = deps_between(nest, tree);
    isl_union_map *deps = joined_pairs(nest, tree, groups->deps), *broken = NULL;
    isl_bool kept = tree_keeps_deps(nest, tree, deps, &broken);
    isl_union_map_free(deps);
    if (kept == isl_bool_false) {
        size_t *leader = xcalloc(nest->statement_nr + 1, sizeof(*leader));
        for (size_t i = 0; i < nest->statement_nr; i++)
            leader[i] = tree_leader(tree, groups->leader[i]);
        deps_explain(nest, leader, broken,
                     "and the plan would run the second before the first", why);
        free(leader);
    } else if (kept != isl_bool_true)
        buf_add(why, "the check did not finish");
    isl_union_map_free(broken);
}

/* Where blocks are incomplete, unrolling changes the order of what needs none. Arrays
 * whose overlap is not known must not overlap then. */
static void see_order(struct work *work)
{
    size_t *leader = tree_leaders(work->nest, work->tree);
    isl_union_map *pairs = deps_before(work->nest, leader);
    free(leader);
    work->reorders =
        tree_keeps_deps(work->nest, work->tree, pairs, NULL) != isl_bool_true;
    isl_union_map_free(pairs);
}

/* ---- storage of private scalars ---- */

static isl_map *leaf_storage(const struct nest *nest, size_t cell,
                             const struct tree *leaf, const struct tree *const *copy,
                             size_t nr)
{
    const struct statement *statement = &nest->statement[leaf->statement];
    isl_space *none = isl_space_set_from_params(isl_space_copy(nest->params));
    isl_map *map = isl_map_universe(
        isl_space_map_from_domain_and_range(isl_set_get_space(statement->domain), none));
    char name[32];
    for (size_t i = 0; i < nr; i++) {
        isl_pw_aff *value = band_function(copy[i], statement);
        value = isl_pw_aff_mod_val(value,
                                   isl_val_int_from_si(nest->model->ctx, copy[i]->size));
        map = isl_map_flat_range_product(map, isl_map_from_pw_aff(value));
    }
    snprintf(name, sizeof(name), "X%zu", cell);
    map = isl_map_set_tuple_name(map, isl_dim_out, name);
    return isl_map_intersect_domain(map, isl_set_copy(leaf->domain));
}

static isl_union_map *storage_below(const struct nest *nest, size_t cell,
                                    const struct tree *tree, const struct tree **copy,
                                    size_t nr)
{
    if (tree->kind == TREE_LEAF)
        return isl_union_map_from_map(leaf_storage(nest, cell, tree, copy, nr));
    if (tree->kind == TREE_BAND && tree->role == BAND_COPY &&
        (size_t)tree->loop->depth < nest->cell[cell].depth)
        copy[nr++] = tree;
    isl_union_map *all = isl_union_map_empty(isl_space_copy(nest->params));
    for (size_t i = 0; i < tree->child_nr; i++)
        all =
            isl_union_map_union(all, storage_below(nest, cell, tree->child[i], copy, nr));
    return all;
}

isl_union_map *cell_storage(const struct nest *nest, size_t cell, const struct tree *tree)
{
    const struct tree *copy[DEPTH_MAX];
    return storage_below(nest, cell, tree, copy, 0);
}

static isl_union_map *plain_storage(const struct nest *nest, size_t cell)
{
    return cell_storage(nest, cell, nest->tree);
}

/* One variable does not do: an array may, see tree_expand. */
static void expand_later(struct work *work, size_t cell, struct buf *why)
{
    if (!cell_expandable(&work->nest->cell[cell])) {
        buf_addf(why, ONE_COPY_EACH, work->nest->cell[cell].symbol->name);
        return;
    }
    for (size_t i = 0; i < work->expanding_nr; i++)
        if (work->expanding[i] == cell)
            return;
    GROW(work->expanding, work->expanding_nr + 1, work->expanding_alloc);
    work->expanding[work->expanding_nr++] = cell;
}

/* Private to every iteration of statements that run one right after the other: nothing
 * comes in between. */
static bool is_undisturbed(const struct nest *nest, size_t cell, const struct tree *tree)
{
    size_t leader = SIZE_MAX;
    for (size_t i = 0; i < nest->access_nr; i++) {
        const struct access *access = &nest->access[i];
        size_t own;
        if (access->cell != cell)
            continue;
        own = tree_leader(tree, access->statement);
        if (nest->statement[own].depth != nest->cell[cell].depth ||
            (leader != SIZE_MAX && own != leader))
            return false;
        leader = own;
    }
    return true;
}

/* The order of all statements, also of those for which another stands in the tree. */
static isl_union_map *full_order(struct nest *nest, struct tree *tree)
{
    tree_part(tree);
    isl_union_map *order = tree_order(nest, tree);
    tree_join(nest, tree);
    return order;
}

/* Do the reads of a private cell get the same values? Asked of these instances only, NULL
 * = all. */
static isl_bool keeps_values(const struct work *work, size_t cell, isl_union_map *order,
                             isl_union_set *some)
{
    const struct nest *nest = work->nest;
    isl_union_map *before = plain_storage(nest, cell),
                  *after = cell_storage(nest, cell, work->tree);
    if (some) {
        before = isl_union_map_intersect_domain(before, isl_union_set_copy(some));
        after = isl_union_map_intersect_domain(after, isl_union_set_copy(some));
    }
    isl_union_map *meant = cell_flow(nest, cell, nest->order, before, NULL);
    isl_union_map *got = cell_flow(nest, cell, order, after, NULL);
    isl_bool same = isl_union_map_is_equal(meant, got);
    isl_union_map_free(before);
    isl_union_map_free(after);
    isl_union_map_free(meant);
    isl_union_map_free(got);
    return same;
}

/* One run: parameters that are not small, where they may be so. */
static isl_set *some_run(const struct nest *nest)
{
    isl_set *all = isl_set_copy(nest->context);
    all = isl_set_intersect(all, isl_set_copy(nest->guaranteed));
    int nr = (int)isl_set_dim(all, isl_dim_param);
    for (int i = 0; i < nr; i++) {
        isl_set *some = isl_set_lower_bound_si(isl_set_copy(all), isl_dim_param,
                                               (unsigned)i, RUN_SIZE);
        bool none = isl_set_is_empty(some) != isl_bool_false;
        isl_set_free(none ? some : all);
        all = none ? all : some;
    }
    return isl_set_from_basic_set(isl_set_sample(all));
}

/* The iterations that own the cell; only statements inside of those use it. */
static isl_set *cell_owners(const struct nest *nest, size_t cell, isl_set *run)
{
    unsigned depth = (unsigned)nest->cell[cell].depth;
    isl_set *all = NULL;
    for (size_t i = 0; i < nest->statement_nr; i++) {
        if (nest->statement[i].depth < depth)
            continue;
        isl_set *own = isl_set_copy(nest->statement[i].domain);
        own = isl_set_intersect_params(own, isl_set_copy(run));
        own = isl_set_project_out(own, isl_dim_set, depth,
                                  (unsigned)nest->statement[i].depth - depth);
        own = isl_set_reset_tuple_id(own);
        all = all ? isl_set_union(all, own) : own;
    }
    return all;
}

/* Of one run, what belongs to the first two iterations of each loop that owns the cell:
 * what goes wrong mostly does so between neighbours, and numbers are looked at much
 * faster than parameters. All of an owner or nothing. */
static isl_union_set *few_instances(const struct nest *nest, size_t cell)
{
    isl_union_set *few = isl_union_set_empty(isl_space_copy(nest->params));
    isl_set *run = some_run(nest);
    isl_set *first = isl_set_lexmin(cell_owners(nest, cell, run));
    for (size_t i = 0; i < nest->statement_nr; i++) {
        isl_set *own = isl_set_copy(nest->statement[i].domain);
        own = isl_set_intersect_params(own, isl_set_copy(run));
        for (unsigned k = 0; k < nest->cell[cell].depth; k++) {
            isl_val *val = isl_set_plain_get_val_if_fixed(first, isl_dim_set, k);
            if (k < nest->statement[i].depth && isl_val_is_int(val) == isl_bool_true)
                own =
                    isl_set_upper_bound_val(own, isl_dim_set, k, isl_val_add_ui(val, 1));
            else
                isl_val_free(val);
        }
        few = isl_union_set_union(few, isl_union_set_from_set(own));
    }
    isl_set_free(first);
    isl_set_free(run);
    return few;
}

static bool cell_is_kept(const struct work *work, size_t cell, isl_union_map *order)
{
    isl_union_set *few = few_instances(work->nest, cell);
    isl_bool kept = keeps_values(work, cell, order, few);
    isl_union_set_free(few);
    return kept != isl_bool_false &&
           keeps_values(work, cell, order, NULL) == isl_bool_true;
}

static void check_storage(struct work *work, struct buf *why)
{
    struct nest *nest = work->nest;
    struct tree *tree = work->tree;
    isl_union_map *order = NULL;
    for (size_t i = 0; !why->length && i < nest->cell_nr; i++) {
        if (nest->cell[i].is_private && work->rounds &&
            cell_goes_in_rounds(work, tree, i)) {
            expand_later(work, i, why);
            continue;
        }
        if (!nest->cell[i].is_private || is_undisturbed(nest, i, tree) ||
            cell_keeps_apart(nest, i, tree))
            continue;
        if (!order)
            order = full_order(nest, tree);
        if (!cell_is_kept(work, i, order) || cell_leaves_loop(work, i))
            expand_later(work, i, why);
    }
    isl_union_map_free(order);
}

/* ---- one nest ---- */

int work_check(struct work *work, const struct plan *plan, struct error *err)
{
    struct nest *nest = work->nest;
    struct error failure = {0};
    struct buf why = {0};
    int status = -1;
    isl_budget(nest->model, nest->model->request.operation_limit);
    bool join = !work->packing_nr && !work->filling_nr && !work->vec_nr && !work->rounds;
    if (join) /* the others work on leaves one by one */
        tree_join(nest, work->tree);
    check_order(nest, work->tree, &why);
    if (!why.length && work->unrolled && !work->reorders)
        see_order(work);
    if (!why.length)
        check_storage(work, &why);
    if (!join || work->expanding_nr)
        tree_part(work->tree);
    char *text = plan_text(plan);
    bool unchecked = isl_check(nest->model, false, &failure) != 0;
    if (nest->model->forced)
        status = 0;
    else if (unchecked)
        status = fail(err, failure.status,
                      "plan '%s' cannot be checked for the nest at line %d: %s", text,
                      nest->stmt->line, failure.text);
    else if (why.length)
        status =
            fail(err, STATUS_ILLEGAL, "plan '%s' is not legal: %s", text, buf_str(&why));
    else
        status = 0;
    free(text);
    buf_release(&why);
    return status;
}

int work_check_parts(struct work *work, struct error *err)
{
    struct nest *nest = work->nest;
    struct buf why = {0};
    if (!nest->model->forced)
        check_order(nest, work->tree, &why);
    if (!why.length)
        check_storage(work, &why);
    int status = !why.length
                     ? 0
                     : fail(err, STATUS_ILLEGAL,
                            "complete tiles cannot have code of their own before the "
                            "others: %s",
                            buf_str(&why));
    buf_release(&why);
    return status;
}

/* ---- simd ---- */

struct lanes {
    struct work *work;
    const struct plan_step *step;
    const struct tree *above[4 * DEPTH_MAX];
    size_t above_nr, candidates;
};

static isl_union_map *equal_under(isl_union_map *pairs, const struct tree *band)
{
    isl_union_pw_aff *f = isl_union_pw_aff_copy(band->f);
    return isl_union_map_eq_at_multi_union_pw_aff(
        pairs, isl_multi_union_pw_aff_from_union_pw_aff(f));
}

isl_union_map *band_carried(const struct nest *nest, const struct tree *band,
                            const struct tree *const *above, size_t above_nr,
                            isl_union_map *deps)
{
    isl_union_set *domain = tree_domain(nest, band);
    isl_union_map *pairs = isl_union_map_intersect_domain(isl_union_map_copy(deps),
                                                          isl_union_set_copy(domain));
    pairs = isl_union_map_intersect_range(pairs, domain);
    for (size_t i = 0; i < above_nr; i++)
        pairs = equal_under(pairs, above[i]);
    isl_union_map *same = equal_under(isl_union_map_copy(pairs), band);
    return isl_union_map_subtract(pairs, same);
}

int band_check_apart(const struct work *work, const struct tree *band,
                     const struct tree *const *above, size_t above_nr, const char *so,
                     struct buf *why)
{
    const struct dependences *groups = deps_between(work->nest, work->tree);
    isl_union_map *pairs =
        band_carried(work->nest, band, above, above_nr, groups->strict);
    isl_bool none = isl_union_map_is_empty(pairs);
    if (none == isl_bool_false)
        deps_explain(work->nest, groups->leader, pairs, so, why);
    else if (none != isl_bool_true)
        buf_add(why, "the check did not finish");
    isl_union_map_free(pairs);
    return none == isl_bool_true ? 0 : -1;
}

static bool has_loop(const struct ir_stmt *stmt, const void *data)
{
    (void)data;
    return stmt->kind == IR_FOR || stmt->kind == IR_WHILE || stmt->kind == IR_JUMP;
}

static bool has_collapsed_loop(const struct nest *nest, const struct tree *tree)
{
    bool found = tree->kind == TREE_LEAF &&
                 stmt_find(nest->statement[tree->statement].stmt, has_loop, NULL);
    for (size_t i = 0; !found && i < tree->child_nr; i++)
        found = has_collapsed_loop(nest, tree->child[i]);
    return found;
}

/* The member of a union or the bit-field that is reached; "" = none. */
static const char *shared_member(const struct ir_expr *expr)
{
    while (expr->kind == IR_INDEX || (expr->kind == IR_MEMBER && !expr->is_shared))
        expr = expr->arg[0];
    return expr->kind == IR_MEMBER ? expr->text : "";
}

/* A function that is called with the address may access it under any type. */
static bool same_type(const struct access *a, const struct access *b)
{
    const struct ir_type *one = &a->expr->type, *other = &b->expr->type;
    return a->in_call == b->in_call && one->scalar == other->scalar &&
           one->bytes == other->bytes && one->pointers == other->pointers &&
           !strcmp(shared_member(a->expr), shared_member(b->expr));
}

/* An element, which no constant names, of an array that each iteration of the loop has
 * for itself. */
static bool is_own_element(const struct nest *nest, const struct tree *tree,
                           const struct access *access)
{
    const struct cell *cell = &nest->cell[access->cell];
    size_t depth = tree->kind == TREE_BAND ? (size_t)tree->loop->depth : 0;
    return expr_any_varies(access->subscript, access->subscript_nr) && cell->is_private &&
           cell->depth > depth && tree_has_statement(tree, access->statement);
}

static int line_of_own_parts(const struct nest *nest, const struct tree *tree)
{
    for (size_t i = 0; i < nest->statement_nr; i++)
        if (nest->statement[i].own_parts && tree_has_statement(tree, i))
            return nest->statement[i].stmt->line;
    for (size_t i = 0; i < nest->access_nr; i++)
        if (is_own_element(nest, tree, &nest->access[i]))
            return nest->access[i].line;
    return 0;
}

bool tree_mixes_types(const struct nest *nest, const struct tree *tree, struct buf *why)
{
    int line = line_of_own_parts(nest, tree);
    if (line) {
        buf_addf(
            why,
            "line %d uses parts of an array, a union or bit-fields that each "
            "iteration has for itself, which compilers take as independent in a loop "
            "that they are told to vectorise",
            line);
        return true;
    }
    for (size_t i = 0; i < nest->access_nr; i++)
        for (size_t k = 0; nest->access[i].write && k < nest->access_nr; k++) {
            const struct access *write = &nest->access[i], *other = &nest->access[k];
            if (write->cell != other->cell || same_type(write, other) ||
                !tree_has_statement(tree, write->statement) ||
                !tree_has_statement(tree, other->statement))
                continue;
            buf_addf(
                why,
                "'%s' is accessed as one member or type at line %d and as another one at "
                "line %d, which compilers take as independent in a loop that they "
                "are told to vectorise",
                nest->cell[write->cell].name, write->line, other->line);
            return true;
        }
    return false;
}

static void try_band(struct lanes *at, struct tree *band)
{
    struct nest *nest = at->work->nest;
    struct buf *reason = &at->work->simd_reason;
    at->candidates++;
    if (has_collapsed_loop(nest, band)) {
        if (!reason->length)
            buf_addf(reason, "the loop over %s at line %d contains a loop of its own",
                     band->name, band->loop->stmt->line);
        return;
    }
    const struct dependences *groups = deps_between(nest, at->work->tree);
    isl_union_map *pairs =
        band_carried(nest, band, at->above, at->above_nr, groups->strict);
    isl_bool none = isl_union_map_is_empty(pairs);
    if (none == isl_bool_false && nest->model->request.reassociate) {
        isl_union_map *kept =
            band_carried(nest, band, at->above, at->above_nr, groups->deps);
        band->reduces = isl_union_map_is_empty(kept) == isl_bool_true;
        isl_union_map_free(kept);
    }
    band->simd = none == isl_bool_true || band->reduces || nest->model->forced;
    if (none == isl_bool_false && !band->simd && !reason->length)
        deps_explain(nest, groups->leader, pairs,
                     "so the iterations of this loop cannot run side by side", reason);
    isl_union_map_free(pairs);
    struct buf mixed = {0};
    if (band->simd && !nest->model->forced && tree_mixes_types(nest, band, &mixed)) {
        band->simd = false;
        buf_add(reason, reason->length ? "" : buf_str(&mixed));
    }
    buf_release(&mixed);
    at->work->simd_found = at->work->simd_found || band->simd;
}

static bool is_wanted(const struct lanes *at, const struct tree *band)
{
    for (size_t i = 0; i < at->step->arg_nr; i++)
        if (!strcmp(band->name, at->step->arg[i].name))
            return true;
    return !at->step->arg_nr;
}

static void try_below(struct lanes *at, struct tree *tree)
{
    bool band = tree->kind == TREE_BAND && tree->role != BAND_COPY;
    if (band && tree_is_straight(tree->child[0])) {
        if (is_wanted(at, tree))
            try_band(at, tree);
        return;
    }
    if (band && at->above_nr < ARRAY_SIZE(at->above))
        at->above[at->above_nr++] = tree;
    for (size_t i = 0; i < tree->child_nr; i++)
        try_below(at, tree->child[i]);
    at->above_nr -= band;
}

int work_simd(struct work *work, const struct plan_step *step, struct error *err)
{
    struct lanes lanes = {.work = work, .step = step};
    isl_budget(work->nest->model, work->nest->model->request.operation_limit);
    try_below(&lanes, work->tree);
    if (work->simd_found)
        work->touched = work->reorders = true;
    if (!lanes.candidates)
        return fail(err, STATUS_USAGE,
                    "simd applies to innermost loops, and '%s' is none here",
                    step->arg_nr ? step->arg[0].name : "simd");
    return isl_check(work->nest->model, false, err);
}
