/* Tiling and interchange: new bands, and bands that change places. */
#include <stdlib.h>
#include <string.h>

#include "core/base/error.h"
#include "variants/model/deps.h"
#include "variants/model/model_nest.h"
#include "variants/model/tree.h"
#include "variants/plan/plan.h"
#include "variants/transform/steps.h"

/* ---- tile ---- */

isl_pw_aff *band_edge(struct nest *nest, const struct tree *band,
                      const struct statement *statement, bool last)
{
    if (band->skewed || band->step != band->loop->stmt->step)
        return NULL;
    struct affine at = affine_of(nest, statement);
    const struct ir_stmt *stmt = band->loop->stmt;
    bool inclusive = strchr(stmt->cmp, '=') != NULL && strcmp(stmt->cmp, "!=");
    isl_pw_aff *value = affine_expr(&at, last ? stmt->upper : stmt->lower);
    isl_pw_aff *base = value && band->base ? affine_expr(&at, band->base) : NULL;
    if (base)
        value = isl_pw_aff_sub(value, base);
    if (stmt->step < 0)
        value = isl_pw_aff_neg(value);
    if (last && !inclusive)
        value =
            isl_pw_aff_add_constant_val(value, isl_val_int_from_si(nest->model->ctx, -1));
    long long size = stmt->step < 0 ? -stmt->step : stmt->step;
    if (last && size > 1)
        value = isl_pw_aff_floor(isl_pw_aff_scale_down_val(
            value, isl_val_int_from_si(nest->model->ctx, size)));
    isl_space_free(at.space);
    return value;
}

/* The same for loops whose ends depend on loops that are not around the statement: what
 * the instances below the band reach in the iterations that the statement shares with
 * them; 0 where there are none. */
static isl_pw_aff *reached_value(struct nest *nest, const struct tree *band,
                                 const struct statement *statement, bool last)
{
    isl_space *space = isl_set_get_space(statement->domain);
    isl_map *all = isl_map_empty(
        isl_space_add_dims(isl_space_from_domain(isl_space_copy(space)), isl_dim_out, 1));
    for (size_t i = 0; i < nest->statement_nr; i++) {
        const struct statement *other = &nest->statement[i];
        isl_pw_aff *value = band_function(band, other);
        isl_map *to = isl_map_from_domain_and_range(isl_set_copy(statement->domain),
                                                    isl_set_copy(other->domain));
        for (size_t k = 0; k < common_loops(statement, other); k++)
            to = isl_map_equate(to, isl_dim_in, (int)k, isl_dim_out, (int)k);
        all = isl_map_union(all, isl_map_apply_range(to, isl_map_from_pw_aff(value)));
    }
    isl_set *none = isl_set_subtract(isl_set_copy(statement->domain),
                                     isl_map_domain(isl_map_copy(all)));
    isl_pw_multi_aff *edge =
        last ? isl_map_lexmax_pw_multi_aff(all) : isl_map_lexmin_pw_multi_aff(all);
    isl_aff *zero = isl_aff_zero_on_domain(isl_local_space_from_space(space));
    isl_pw_aff *value = isl_pw_multi_aff_get_at(edge, 0);
    isl_pw_multi_aff_free(edge);
    return isl_pw_aff_union_add(value, isl_pw_aff_alloc(none, zero));
}

struct tiling {
    struct nest *nest;
    const char *name;
    long long size;
    isl_union_pw_aff *f;
    const struct tree *first,
        *before; /* bands of this name: the first; the last one met */
    bool mixed;  /* bands of this name with different origins */
};

static isl_pw_aff *outside_value(const struct tiling *at,
                                 const struct statement *statement)
{
    const struct tree *edge = at->before ? at->before : at->first;
    bool last = at->before != NULL;
    isl_pw_aff *value = band_edge(at->nest, edge, statement, last);
    if (value && last) /* a loop that does not run has no last value */
        value = isl_pw_aff_max(value, band_edge(at->nest, edge, statement, false));
    return value ? value : reached_value(at->nest, edge, statement, last);
}

static void tile_leaf(struct tiling *at, const struct tree *leaf,
                      const struct tree *under)
{
    const struct statement *statement = &at->nest->statement[leaf->statement];
    isl_pw_aff *value =
        under ? band_function(under, statement) : outside_value(at, statement);
    at->f = function_add(at->f, pw_aff_block(value, at->size));
}

/* A statement outside of the tiled loops goes to the last tile of the one that it
 * follows; when it follows none, to the first tile of the first one. */
static void tile_below(struct tiling *at, const struct tree *tree,
                       const struct tree *under)
{
    if (tree->kind == TREE_LEAF) {
        tile_leaf(at, tree, under);
        return;
    }
    bool named = tree->kind == TREE_BAND && !under && !strcmp(tree->name, at->name);
    for (size_t i = 0; i < tree->child_nr; i++)
        tile_below(at, tree->child[i], named ? tree : under);
    if (!named)
        return;
    at->mixed =
        at->mixed || at->first->base != tree->base || at->first->step != tree->step;
    at->before = tree;
}

static bool name_taken(const struct work *work, const char *name)
{
    const struct ir_function *function = work->nest->model->function;
    for (size_t i = 0; i < function->symbol_nr; i++)
        if (!strcmp(function->symbol[i]->name, name))
            return true;
    return tree_has(work->tree, name);
}

const char *tree_tile_name(const struct work *work, const char *loop)
{
    struct ir_arena *arena = work->nest->model->arena;
    const char *name = ir_textf(arena, "%st", loop);
    for (int i = 2; name_taken(work, name); i++)
        name = ir_textf(arena, "%st%d", loop, i);
    return name;
}

static struct tree *tile_band(struct work *work, const struct tree *root,
                              const struct step_arg *arg, const char *name)
{
    const struct tree *band = tree_find(root, arg->name);
    struct tiling at = {.nest = work->nest,
                        .name = arg->name,
                        .size = arg->value * band_unit(band),
                        .f = isl_union_pw_aff_empty(isl_space_copy(work->nest->params)),
                        .first = band};
    struct tree *tile = tree_new(TREE_BAND);
    tile_below(&at, root, NULL);
    tile->loop = band->loop;
    tile->name = name;
    tile->role = BAND_TILE;
    tile->size = at.size;
    tile->scale = band->skewed ? 0 : at.size;
    tile->base = at.mixed ? NULL : band->base;
    tile->step = at.mixed ? 1 : band->step;
    tile->f = at.f;
    return tile;
}

/* Puts tile bands over the outermost named loops; returns the new subtree. */
static struct tree *tile_over(struct work *work, struct tree *tree,
                              const struct plan_step *step, const char *const *name)
{
    struct tree *top = NULL, *bottom = NULL;
    bool named = false;
    for (size_t i = 0; i < step->arg_nr; i++)
        named =
            named || (tree->kind == TREE_BAND && !strcmp(tree->name, step->arg[i].name));
    if (!named) {
        for (size_t i = 0; i < tree->child_nr; i++)
            tree->child[i] = tile_over(work, tree->child[i], step, name);
        return tree;
    }
    for (size_t i = 0; i < step->arg_nr; i++) {
        if (!tree_has(tree, step->arg[i].name))
            continue;
        struct tree *tile = tile_band(work, tree, &step->arg[i], name[i]);
        if (bottom)
            tree_add(bottom, tile);
        top = top ? top : tile;
        bottom = tile;
    }
    tree_add(bottom, tree);
    return top;
}

int tree_tile(struct work *work, const struct plan_step *step, struct error *err)
{
    const char **name = xcalloc(step->arg_nr, sizeof(*name));
    (void)err;
    for (size_t i = 0; i < step->arg_nr; i++)
        name[i] = tree_tile_name(work, step->arg[i].name);
    work->tree = tile_over(work, work->tree, step, name);
    free(name);
    work->reorders = true;
    return 0;
}

/* ---- interchange ---- */

static bool names_it(const struct plan_step *step, const struct tree *tree)
{
    for (size_t i = 0; i < step->arg_nr; i++)
        if (tree->kind == TREE_BAND && !strcmp(tree->name, step->arg[i].name))
            return true;
    return false;
}

/* Everything but the place in the tree. */
static void swap_bands(struct tree *a, struct tree *b)
{
    struct tree first = *a, second = *b;
    *a = second;
    *b = first;
    a->child = first.child, a->child_nr = first.child_nr,
    a->child_alloc = first.child_alloc;
    b->child = second.child, b->child_nr = second.child_nr,
    b->child_alloc = second.child_alloc;
}

static void sort_chain(struct tree **place, const struct plan_step *step)
{
    for (size_t i = 0; i < step->arg_nr; i++)
        for (size_t k = i; k < step->arg_nr; k++)
            if (k != i && !strcmp(place[k]->name, step->arg[i].name))
                swap_bands(place[i], place[k]);
}

/* What stands between the loops of the interchange, from the last one found on. */
static void say_between(const struct plan_step *step, struct tree *const *place,
                        size_t found, struct error *err)
{
    const struct tree *last = place[found - 1], *body = last->child[0];
    const char *missing = NULL;
    for (size_t i = 0; !missing && i < step->arg_nr; i++) {
        bool have = false;
        for (size_t k = 0; k < found; k++)
            have = have || !strcmp(place[k]->name, step->arg[i].name);
        missing = have ? NULL : step->arg[i].name;
    }
    while (body->kind == TREE_BAND)
        last = body, body = body->child[0];
    fail(err, STATUS_ILLEGAL,
         "the loops of the interchange are not perfectly nested: the loop "
         "over %s at line %d has %zu parts, of which the loop over %s is only one; "
         "distribute(%s) would give each a loop of its own",
         last->name, last->loop->stmt->line, body->child_nr, missing, last->name);
    error_remedy(err, "distribute(%s)", last->name);
}

static int permute(struct tree *tree, const struct plan_step *step, size_t *done,
                   struct error *err)
{
    struct tree **place = xcalloc(step->arg_nr, sizeof(*place));
    size_t found = 0;
    for (struct tree *at = tree; at->kind == TREE_BAND && found < step->arg_nr;
         at = at->child[0])
        if (names_it(step, at))
            place[found++] = at;
    bool all = found == step->arg_nr;
    if (all) {
        sort_chain(place, step);
        ++*done;
    } else
        say_between(step, place, found, err);
    free(place);
    return all ? 0 : -1;
}

/* Nests that do not have all of the loops stay as they are. */
static int interchange_below(struct tree *tree, const struct plan_step *step,
                             size_t *done, struct error *err)
{
    if (names_it(step, tree))
        return tree->rest || !tree_has_all(tree, step, 0)
                   ? 0
                   : permute(tree, step, done, err);
    for (size_t i = 0; i < tree->child_nr; i++)
        if (interchange_below(tree->child[i], step, done, err))
            return -1;
    return 0;
}

int tree_interchange(struct work *work, const struct plan_step *step, struct error *err)
{
    size_t done = 0;
    work->reorders = true;
    if (interchange_below(work->tree, step, &done, err))
        return -1;
    if (!done) {
        fail(err, STATUS_ILLEGAL,
             "the loops of the interchange are not nested in one another in the nest at "
             "line %d",
             work->nest->stmt->line);
        return STEP_IDLE;
    }
    return 0;
}
