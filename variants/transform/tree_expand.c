/*
 * Private scalars with a place for every iteration that is under way at once: where the
 * plan sets a scalar in one loop and uses it in another, it becomes a local array. The
 * array lives during one iteration of the loops around the innermost part of the tree
 * that no value leaves, and is indexed by the loops of the scalar that run in that part;
 * their ranges there must be constant, as those of tiles are.
 */
#include <stdlib.h>
#include <string.h>

#include "core/base/error.h"
#include "variants/model/budget.h"
#include "variants/model/deps.h"
#include "variants/model/tree.h"
#include "variants/transform/packing.h"
#include "variants/transform/steps.h"

bool cell_expandable(const struct cell *cell)
{
    const struct ir_symbol *symbol = cell->symbol;
    return cell->is_private && !cell->dims && !*cell->path && cell->depth &&
           cell->depth <= SUBSCRIPTS_MAX && !symbol->address_taken && !symbol->dim_nr &&
           !symbol->type.pointers && !symbol->type.is_volatile && !symbol->is_static &&
           (symbol->type.scalar == IR_FLOAT || symbol->type.scalar == IR_INT);
}

struct expansion {
    struct work *work;
    size_t cell;
    isl_union_map *flow; /* in the order of the source */
    const struct tree *above[4 * DEPTH_MAX];
    size_t nr;
    const struct loop *endless; /* its range is not constant */
};

static bool uses_cell(const struct nest *nest, size_t statement, size_t cell)
{
    const struct statement *at = &nest->statement[statement];
    for (size_t i = at->access_begin; i < at->access_end; i++)
        if (nest->access[i].cell == cell)
            return true;
    return false;
}

static bool is_used_below(const struct expansion *at, const struct tree *tree)
{
    const struct nest *nest = at->work->nest;
    bool used = tree->kind == TREE_LEAF && tree->statement < nest->statement_nr &&
                uses_cell(nest, tree->statement, at->cell);
    for (size_t i = 0; !used && i < tree->child_nr; i++)
        used = is_used_below(at, tree->child[i]);
    return used;
}

/* ---- which part of the tree no value leaves ---- */

static isl_union_map *flow_within(const struct expansion *at, const struct tree *tree)
{
    isl_union_set *domain = tree_domain(at->work->nest, tree);
    isl_union_map *flow = isl_union_map_copy(at->flow);
    flow = isl_union_map_intersect_domain(flow, isl_union_set_copy(domain));
    return isl_union_map_intersect_range(flow, domain);
}

static bool stays_in_iteration(const struct expansion *at, const struct tree *band)
{
    isl_union_map *flow = flow_within(at, band);
    isl_union_pw_aff *f = isl_union_pw_aff_copy(band->f);
    isl_union_map *same = isl_union_map_eq_at_multi_union_pw_aff(
        isl_union_map_copy(flow), isl_multi_union_pw_aff_from_union_pw_aff(f));
    bool stays = isl_union_map_is_subset(flow, same) == isl_bool_true;
    isl_union_map_free(flow);
    isl_union_map_free(same);
    return stays;
}

static bool stays_in_parts(const struct expansion *at, const struct tree *tree)
{
    isl_union_map *flow = flow_within(at, tree);
    for (size_t i = 0; i < tree->child_nr; i++)
        flow = isl_union_map_subtract(flow, flow_within(at, tree->child[i]));
    bool stays = isl_union_map_is_empty(flow) == isl_bool_true;
    isl_union_map_free(flow);
    return stays;
}

bool band_owns(const struct tree *band, const struct cell *cell)
{
    return band->role != BAND_TILE && (size_t)band->loop->depth + 1 == cell->depth;
}

static bool is_own_loop(const struct expansion *at, const struct tree *tree)
{
    return tree->kind == TREE_BAND && band_owns(tree, &at->work->nest->cell[at->cell]);
}

static bool has_own_loop(const struct expansion *at, const struct tree *tree)
{
    bool has = is_own_loop(at, tree);
    for (size_t i = 0; !has && i < tree->child_nr; i++)
        has = has_own_loop(at, tree->child[i]);
    return has;
}

static bool leaves(const struct expansion *at, const struct tree *tree)
{
    if (is_own_loop(at, tree) || !has_own_loop(at, tree))
        return false;
    bool found = tree->kind == TREE_BAND ? !stays_in_iteration(at, tree)
                                         : !stays_in_parts(at, tree);
    for (size_t i = 0; !found && i < tree->child_nr; i++)
        found = leaves(at, tree->child[i]);
    return found;
}

/* In the order of the source. */
static isl_union_map *flow_of(const struct nest *nest, size_t cell)
{
    isl_union_map *storage = cell_storage(nest, cell, nest->tree);
    isl_union_map *flow = cell_flow(nest, cell, nest->order, storage, NULL);
    isl_union_map_free(storage);
    return flow;
}

bool cell_leaves_loop(struct work *work, size_t cell)
{
    struct expansion at = {.work = work, .cell = cell, .flow = flow_of(work->nest, cell)};
    bool found = !at.flow || leaves(&at, work->tree);
    isl_union_map_free(at.flow);
    return found;
}

/* ---- its array ---- */

/* [values of the bands around] -> the scalar's iterations that run below the tree. */
static isl_map *iterations_below(const struct expansion *at, const struct tree *tree,
                                 isl_map *all)
{
    const struct nest *nest = at->work->nest;
    size_t depth = nest->cell[at->cell].depth;
    if (tree->kind == TREE_LEAF && is_used_below(at, tree)) {
        const struct statement *statement = &nest->statement[tree->statement];
        isl_set *run = isl_set_copy(tree->padded ? tree->padded : tree->domain);
        isl_map *map = isl_set_identity(run);
        map = isl_map_project_out(map, isl_dim_out, (unsigned)depth,
                                  (unsigned)(statement->depth - depth));
        map = isl_map_reset_tuple_id(map, isl_dim_out);
        isl_map *values = band_values(nest, statement, at->above, at->nr);
        map = isl_map_apply_range(isl_map_reverse(values), map);
        all = all ? isl_map_union(all, map) : map;
    }
    for (size_t i = 0; i < tree->child_nr; i++)
        all = iterations_below(at, tree->child[i], all);
    return all;
}

static const struct loop *loop_of(const struct nest *nest, size_t cell, size_t depth)
{
    size_t i = 0;
    while (nest->access[i].cell != cell)
        i++;
    return nest->statement[nest->access[i].statement].loop[depth];
}

/* Iterations in one loop alone: their number, 0 = not constant. */
static long long extent_of(isl_map *iterations, size_t depth, size_t dim)
{
    struct box box = {.cell = 0};
    isl_map *alone = isl_map_copy(iterations);
    alone = isl_map_project_out(alone, isl_dim_out, (unsigned)dim + 1,
                                (unsigned)(depth - dim - 1));
    alone = isl_map_project_out(alone, isl_dim_out, 0, (unsigned)dim);
    bool constant = box_measure(&box, alone);
    isl_multi_aff_free(box.offset);
    isl_map_free(alone);
    return constant ? box.size[0] : 0;
}

/* The loops with more than one iteration index the array. Takes iterations. */
static isl_map *choose_loops(struct expansion *at, isl_map *iterations, struct box *box)
{
    const struct nest *nest = at->work->nest;
    size_t depth = nest->cell[at->cell].depth, left = depth;
    for (size_t dim = depth; dim-- > 0;) {
        long long extent = extent_of(iterations, left, dim);
        if (!extent)
            at->endless = loop_of(nest, at->cell, dim);
        if (extent != 1)
            continue;
        iterations = isl_map_project_out(iterations, isl_dim_out, (unsigned)dim, 1);
        left--;
        memmove(&box->loop[dim], &box->loop[dim + 1],
                (left - dim) * sizeof(box->loop[0]));
    }
    return iterations;
}

static void say_array(struct work *work, const struct box *box)
{
    struct buf text = {0};
    for (size_t i = 0; i < box->dims; i++)
        buf_addf(&text, "%s%lld", i ? " x " : "", box->size[i]);
    strvec_pushf(&work->reported, "'%s' is kept in a local array of %s elements",
                 work->nest->cell[box->cell].symbol->name, buf_str(&text));
    buf_release(&text);
}

static bool add_array(struct expansion *at, const struct tree *tree)
{
    struct work *work = at->work;
    struct box box = {.cell = at->cell, .prefix_nr = at->nr, .is_scalar = true};
    box.band = at->nr ? at->above[at->nr - 1] : NULL;
    memcpy(box.prefix, at->above, at->nr * sizeof(at->above[0]));
    isl_map *iterations = iterations_below(at, tree, NULL);
    size_t depth = work->nest->cell[at->cell].depth;
    for (size_t i = 0; i < depth; i++)
        box.loop[i] = box.order[i] = i;
    iterations = choose_loops(at, iterations, &box);
    bool fits = !at->endless && box_measure(&box, iterations);
    if (!fits && !at->endless)
        at->endless = loop_of(work->nest, at->cell, depth - 1);
    isl_map_free(iterations);
    if (!fits || !box.dims) {
        isl_multi_aff_free(box.offset);
        return fits;
    }
    GROW(work->box, work->box_nr + 1, work->box_alloc);
    work->box[work->box_nr++] = box;
    return true;
}

/* ---- the tree ---- */

static bool expand_below(struct expansion *at, const struct tree *tree);

static bool shares_level(const struct expansion *at, size_t first)
{
    for (size_t i = first; i < at->work->box_nr; i++)
        if (at->work->box[i].prefix_nr == at->nr)
            return true;
    return false;
}

static void drop_arrays(struct work *work, size_t first)
{
    while (work->box_nr > first)
        isl_multi_aff_free(work->box[--work->box_nr].offset);
}

/* Each part for itself, unless one would need its array at this level: then all do. */
static bool expand_parts(struct expansion *at, const struct tree *tree)
{
    size_t first = at->work->box_nr, parts = 0;
    bool fits = true;
    for (size_t i = 0; i < tree->child_nr; i++)
        parts += is_used_below(at, tree->child[i]);
    if (parts > 1 && !stays_in_parts(at, tree))
        return add_array(at, tree);
    for (size_t i = 0; fits && i < tree->child_nr; i++)
        fits = expand_below(at, tree->child[i]);
    if (!fits || parts < 2 || !shares_level(at, first))
        return fits;
    drop_arrays(at->work, first);
    return add_array(at, tree);
}

static bool expand_below(struct expansion *at, const struct tree *tree)
{
    bool band = tree->kind == TREE_BAND;
    if (!is_used_below(at, tree))
        return true;
    if (band && (tree->rounds || at->nr == ARRAY_SIZE(at->above) ||
                 !stays_in_iteration(at, tree)))
        return add_array(at, tree);
    if (band)
        at->above[at->nr++] = tree;
    bool fits = expand_parts(at, tree);
    at->nr -= band;
    return fits;
}

static int refuse(const struct expansion *at, struct error *err)
{
    const struct nest *nest = at->work->nest;
    const char *scalar = nest->cell[at->cell].symbol->name,
               *loop = at->endless->stmt->iterator->name;
    char *plan = plan_text(at->work->plan);
    fail(err, STATUS_ILLEGAL,
         "the plan is not legal: " ONE_COPY_EACH
         "; a loop over a tile of %s would have a constant number of copies: put "
         "a tile(%s:256) outside of where '%s' is set and used",
         scalar, loop, loop, scalar);
    error_remedy(err, "tile(%s:256) %s", loop, plan);
    free(plan);
    return -1;
}

static int expand(struct work *work, size_t cell, struct error *err)
{
    struct nest *nest = work->nest;
    struct expansion at = {.work = work, .cell = cell, .flow = flow_of(nest, cell)};
    size_t first = work->box_nr;
    bool fits = at.flow && expand_below(&at, work->tree);
    isl_union_map_free(at.flow);
    if (!fits)
        drop_arrays(work, first);
    for (size_t i = first; i < work->box_nr; i++)
        say_array(work, &work->box[i]);
    if (fits || nest->model->forced)
        return 0;
    if (at.endless && isl_ctx_last_error(nest->model->ctx) == isl_error_none)
        return refuse(&at, err);
    return isl_check(nest->model, true, err);
}

int tree_expand(struct work *work, struct error *err)
{
    for (size_t i = 0; i < work->expanding_nr; i++)
        if (expand(work, work->expanding[i], err))
            return -1;
    return 0;
}
