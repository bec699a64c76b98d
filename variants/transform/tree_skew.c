/* Skewing, and tiles of skewed loops: blocks in time. */
#include <isl/schedule.h>
#include <isl/schedule_node.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/error.h"
#include "variants/model/budget.h"
#include "variants/model/deps.h"
#include "variants/model/tree.h"
#include "variants/plan/plan.h"
#include "variants/transform/steps.h"

/* ---- skew(i,t:c) ---- */

struct skewing {
    struct work *work;
    const struct plan_step *step;
    const struct tree *above[4 * DEPTH_MAX];
    size_t above_nr, done;
    const char *missing; /* a loop that is not around the skewed one */
};

static const struct tree *around(const struct skewing *at, const char *name)
{
    for (size_t i = at->above_nr; i > 0; i--)
        if (at->above[i - 1]->role == BAND_LOOP && !strcmp(at->above[i - 1]->name, name))
            return at->above[i - 1];
    return NULL;
}

static void skew_band(struct skewing *at, struct tree *band)
{
    isl_ctx *ctx = at->work->nest->model->ctx;
    for (size_t i = 1; i < at->step->arg_nr; i++) {
        const struct step_arg *arg = &at->step->arg[i];
        const struct tree *outer = around(at, arg->name);
        if (!outer) {
            at->missing = arg->name;
            continue;
        }
        isl_val *factor = isl_val_int_from_si(ctx, arg->has_value ? arg->value : 1);
        isl_union_pw_aff *f =
            isl_union_pw_aff_scale_val(isl_union_pw_aff_copy(outer->f), factor);
        band->f = isl_union_pw_aff_add(band->f, f);
        band->skewed = true;
        at->done++;
    }
}

static void skew_below(struct skewing *at, struct tree *tree)
{
    bool band = tree->kind == TREE_BAND;
    if (band && tree->role == BAND_LOOP && !tree->rest &&
        !strcmp(tree->name, at->step->arg[0].name))
        skew_band(at, tree);
    if (band && at->above_nr < ARRAY_SIZE(at->above))
        at->above[at->above_nr++] = tree;
    for (size_t i = 0; i < tree->child_nr; i++)
        skew_below(at, tree->child[i]);
    at->above_nr -= band;
}

int tree_skew(struct work *work, const struct plan_step *step, struct error *err)
{
    struct skewing at = {.work = work, .step = step};
    const char *name = step->arg[0].name;
    if (step->arg[0].has_value)
        return fail(err, STATUS_USAGE,
                    "the loop that is skewed comes first and without a number: "
                    "skew(i,t:1)");
    skew_below(&at, work->tree);
    work->reorders = true;
    if (at.missing || !at.done)
        return fail(err, STATUS_ILLEGAL,
                    "the loop over %s is not around the loop over %s; only a loop inside "
                    "of another can be skewed by it",
                    at.missing ? at.missing : step->arg[1].name, name);
    return 0;
}

/* ---- skew_tile: the scheduler's functions ---- */

/* More are not looked at one by one. */
enum { APART_MAX = 16 };

struct blocks {
    struct work *work;
    const struct plan_step *step;
    const char **name;
    const struct tree *above[4 * DEPTH_MAX];
    size_t above_nr, done;
    bool whole; /* only functions were tried that are one for statements of one body */
};

/* Dependences among the instances below, in one iteration of the loops around. */
static isl_union_map *inner_deps(const struct blocks *at, isl_union_set *domain)
{
    struct nest *nest = at->work->nest;
    isl_union_map *deps =
        joined_pairs(nest, at->work->tree, deps_among(nest, at->work->tree)->deps);
    deps = isl_union_map_intersect_domain(deps, isl_union_set_copy(domain));
    deps = isl_union_map_intersect_range(deps, isl_union_set_copy(domain));
    for (size_t i = 0; i < at->above_nr; i++)
        deps = isl_union_map_eq_at_multi_union_pw_aff(
            deps, isl_multi_union_pw_aff_from_union_pw_aff(
                      isl_union_pw_aff_copy(at->above[i]->f)));
    return isl_union_map_coalesce(deps);
}

/* Roughly: without what the domain says and without regard to locality. It takes a
 * fraction of the time and finds the same skewing for stencils. */
static isl_schedule *schedule_of(const struct blocks *at, const struct tree *tree,
                                 bool roughly)
{
    isl_union_set *domain = joined_domain(at->work->nest, at->work->tree);
    domain = isl_union_set_intersect(domain, tree_domain(at->work->nest, tree));
    isl_union_map *deps = inner_deps(at, domain);
    if (roughly) {
        deps = isl_union_map_gist_domain(deps, isl_union_set_copy(domain));
        deps = isl_union_map_gist_range(deps, isl_union_set_copy(domain));
    }
    isl_schedule_constraints *sc = isl_schedule_constraints_on_domain(domain);
    sc = isl_schedule_constraints_set_context(sc, isl_set_copy(at->work->nest->context));
    sc = isl_schedule_constraints_set_validity(sc, isl_union_map_copy(deps));
    if (!roughly) {
        sc = isl_schedule_constraints_set_coincidence(sc, isl_union_map_copy(deps));
        sc = isl_schedule_constraints_set_proximity(sc, isl_union_map_copy(deps));
    }
    isl_union_map_free(deps);
    return isl_schedule_constraints_compute_schedule(sc);
}

/* The first band of the schedule when nothing stands before it; NULL = none. */
static isl_multi_union_pw_aff *first_band(isl_schedule *schedule)
{
    isl_multi_union_pw_aff *members = NULL;
    isl_schedule_node *node = isl_schedule_get_root(schedule);
    while (node && isl_schedule_node_n_children(node) == 1 &&
           isl_schedule_node_get_type(node) != isl_schedule_node_band)
        node = isl_schedule_node_child(node, 0);
    if (node && isl_schedule_node_get_type(node) == isl_schedule_node_band &&
        isl_schedule_node_band_get_permutable(node) == isl_bool_true)
        members = isl_schedule_node_band_get_partial_schedule(node);
    isl_schedule_node_free(node);
    return members;
}

/* ---- which member stands for which loop ---- */

struct reach {
    size_t depth;
    bool here; /* the iterator at `depth` takes part */
    int deeper;
};

static isl_stat reach_of(isl_pw_aff *pa, void *data)
{
    struct reach *reach = data;
    unsigned dims = (unsigned)isl_pw_aff_dim(pa, isl_dim_in);
    for (unsigned i = (unsigned)reach->depth; i < dims; i++) {
        bool takes_part = isl_pw_aff_involves_dims(pa, isl_dim_in, i, 1) == isl_bool_true;
        reach->here = reach->here || (i == reach->depth && takes_part);
        reach->deeper += i > reach->depth && takes_part;
    }
    isl_pw_aff_free(pa);
    return isl_stat_ok;
}

/* The free member with this loop's iterator and as few deeper ones as can be; -1 = none.
 */
static int member_of(isl_multi_union_pw_aff *members, const bool *used, size_t depth)
{
    int best = -1, min = 0;
    int nr = (int)isl_multi_union_pw_aff_dim(members, isl_dim_set);
    for (int i = 0; i < nr; i++) {
        struct reach reach = {.depth = depth};
        isl_union_pw_aff *member = isl_multi_union_pw_aff_get_at(members, i);
        isl_union_pw_aff_foreach_pw_aff(member, reach_of, &reach);
        isl_union_pw_aff_free(member);
        if (used[i] || !reach.here || (best >= 0 && reach.deeper >= min))
            continue;
        best = i;
        min = reach.deeper;
    }
    return best;
}

static isl_union_pw_aff *block_function(isl_multi_union_pw_aff *members, int member,
                                        long long size)
{
    isl_union_pw_aff *f = isl_multi_union_pw_aff_get_at(members, member);
    isl_val *val = isl_val_int_from_si(isl_union_pw_aff_get_ctx(f), size);
    f = isl_union_pw_aff_floor(isl_union_pw_aff_scale_down_val(f, isl_val_copy(val)));
    return isl_union_pw_aff_scale_val(f, val);
}

static int say_no_band(const struct blocks *at, int members, struct error *err)
{
    struct nest *nest = at->work->nest;
    struct buf why = {0};
    if (!members)
        deps_explain(nest, nest->groups.leader, nest->groups.deps,
                     at->whole ? "and no skewing of whole iterations makes blocks of "
                                 "these loops legal"
                               : "and no skewing makes blocks of these loops legal",
                     &why);
    else
        buf_addf(&why,
                 "the dependences allow blocks of %d loop%s at once, and not of all that "
                 "are named",
                 members, members == 1 ? "" : "s");
    fail(err, STATUS_ILLEGAL, "the nest at line %d cannot be tiled by skewing: %s",
         nest->stmt->line, buf_str(&why));
    buf_release(&why);
    return -1;
}

/* member[] of the step's arguments, outer loops first: they have the fewest candidates.
 */
static int assign_members(const struct blocks *at, const struct tree *tree,
                          isl_multi_union_pw_aff *members, int *member)
{
    bool used[4 * DEPTH_MAX] = {false};
    if (isl_multi_union_pw_aff_dim(members, isl_dim_set) > (int)ARRAY_SIZE(used))
        return -1;
    for (size_t depth = 0; depth < DEPTH_MAX; depth++)
        for (size_t i = 0; i < at->step->arg_nr; i++) {
            const struct tree *band = tree_find(tree, at->step->arg[i].name);
            if ((size_t)band->loop->depth != depth)
                continue;
            member[i] = member_of(members, used, depth);
            if (member[i] < 0)
                return -1;
            used[member[i]] = true;
        }
    return 0;
}

static struct tree *block_bands(const struct blocks *at, struct tree *tree,
                                isl_multi_union_pw_aff *members, const int *member)
{
    struct tree *top = NULL, *bottom = NULL;
    for (size_t i = 0; i < at->step->arg_nr; i++) {
        const struct step_arg *arg = &at->step->arg[i];
        struct tree *band = tree_new(TREE_BAND);
        band->loop = tree_find(tree, arg->name)->loop;
        band->name = at->name[i];
        band->role = BAND_TILE;
        band->skewed = true;
        band->size = arg->value; /* no scale: its bounds would need more divisions */
        band->f = block_function(members, member[i], arg->value);
        if (bottom)
            tree_add(bottom, band);
        top = top ? top : band;
        bottom = band;
    }
    tree_add(bottom, tree);
    return top;
}

/* The members of a band that has one for every loop named: `member` says which. *nr: how
 * many there were when there are too few. */
static isl_multi_union_pw_aff *find_band(const struct blocks *at, const struct tree *tree,
                                         bool roughly, int *member, int *nr)
{
    isl_schedule *schedule = schedule_of(at, tree, roughly);
    isl_multi_union_pw_aff *members = first_band(schedule);
    isl_schedule_free(schedule);
    *nr = members ? (int)isl_multi_union_pw_aff_dim(members, isl_dim_set) : 0;
    if (*nr >= (int)at->step->arg_nr && !assign_members(at, tree, members, member))
        return members;
    isl_multi_union_pw_aff_free(members);
    return NULL;
}

/* As they are, and then with all that the domain says. */
static isl_multi_union_pw_aff *find_either(const struct blocks *at,
                                           const struct tree *tree, int *member, int *nr)
{
    struct model *model = at->work->nest->model;
    isl_multi_union_pw_aff *members = find_band(at, tree, true, member, nr);
    if (!members && !isl_ran_out(model)) {
        isl_budget(model, model->request.operation_limit);
        members = find_band(at, tree, false, member, nr);
    }
    return members;
}

/* The function of its leader for each statement that another stands for. */
static isl_multi_union_pw_aff *spread(const struct nest *nest, const struct tree *tree,
                                      isl_multi_union_pw_aff *members)
{
    int nr = members ? (int)isl_multi_union_pw_aff_dim(members, isl_dim_set) : 0;
    for (int k = 0; k < nr; k++) {
        isl_union_pw_aff *all = isl_multi_union_pw_aff_get_at(members, k);
        for (size_t i = 0; i < nest->statement_nr; i++) {
            isl_set *own = nest->statement[i].domain,
                    *first = nest->statement[tree_leader(tree, i)].domain;
            if (own == first)
                continue;
            isl_space *space = isl_space_from_domain(isl_set_get_space(first));
            space = isl_space_add_dims(space, isl_dim_out, 1);
            isl_pw_aff *pa = isl_union_pw_aff_extract_pw_aff(all, space);
            pa = isl_pw_aff_set_tuple_id(pa, isl_dim_in, isl_set_get_tuple_id(own));
            all = isl_union_pw_aff_add_pw_aff(all, pa);
        }
        members = isl_multi_union_pw_aff_set_at(members, k, all);
    }
    return members;
}

/* The scheduler's time grows with the third power of the statements and more, so those
 * that stand together are one to it at first; only what it cannot do with these is asked
 * of each by itself, and of few. */
static isl_multi_union_pw_aff *find_members(struct blocks *at, const struct tree *tree,
                                            int *member, int *nr)
{
    const struct nest *nest = at->work->nest;
    struct tree *all = at->work->tree;
    bool joined = false;
    tree_join(nest, all);
    for (size_t i = 0; !joined && i < nest->statement_nr; i++)
        joined = tree_is_joined(all, i);
    isl_multi_union_pw_aff *members = find_either(at, tree, member, nr);
    members = spread(nest, all, members);
    tree_part(all);
    at->whole = joined && nest->statement_nr > APART_MAX;
    if (members || !joined || at->whole || isl_ran_out(nest->model))
        return members;
    isl_budget(nest->model, nest->model->request.operation_limit);
    return find_either(at, tree, member, nr);
}

static int tile_subtree(struct blocks *at, struct tree **tree, struct error *err)
{
    struct model *model = at->work->nest->model;
    int *member = xcalloc(at->step->arg_nr, sizeof(*member)), nr, status = -1;
    isl_multi_union_pw_aff *members = find_members(at, *tree, member, &nr);
    if (isl_ctx_last_error(model->ctx) != isl_error_none)
        isl_check(model, true, err);
    else if (!members)
        say_no_band(at, nr, err);
    else {
        *tree = block_bands(at, *tree, members, member);
        status = 0;
    }
    isl_multi_union_pw_aff_free(members);
    free(member);
    return status;
}

static bool is_outermost(const struct blocks *at, const struct tree *tree)
{
    for (size_t i = 0; i < at->step->arg_nr; i++)
        if (tree->kind == TREE_BAND && !strcmp(tree->name, at->step->arg[i].name))
            return tree_has_all(tree, at->step, 0);
    return false;
}

static int tile_below(struct blocks *at, struct tree **place, struct error *err)
{
    struct tree *tree = *place;
    bool band = tree->kind == TREE_BAND;
    int status = 0;
    if (is_outermost(at, tree)) {
        at->done++;
        return tile_subtree(at, place, err);
    }
    if (band && at->above_nr < ARRAY_SIZE(at->above))
        at->above[at->above_nr++] = tree;
    for (size_t i = 0; !status && i < tree->child_nr; i++)
        status = tile_below(at, &tree->child[i], err);
    at->above_nr -= band;
    return status;
}

int tree_skew_tile(struct work *work, const struct plan_step *step, struct error *err)
{
    struct blocks at = {.work = work, .step = step};
    at.name = xcalloc(step->arg_nr, sizeof(*at.name));
    for (size_t i = 0; i < step->arg_nr; i++)
        at.name[i] = tree_tile_name(work, step->arg[i].name);
    work->reorders = true;
    int status = tile_below(&at, &work->tree, err);
    free(at.name);
    if (!status && !at.done) {
        fail(
            err, STATUS_ILLEGAL,
            "the loops of skew_tile are not nested in one another in the nest at line %d",
            work->nest->stmt->line);
        return STEP_IDLE;
    }
    return status;
}
