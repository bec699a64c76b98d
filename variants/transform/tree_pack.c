/*
 * full, pack and vec. They change where data lives and how iterations are grouped, not
 * the order: they are noted here and done when the order has been checked (tree_finish).
 * Packing and register blocks after Goto and van de Geijn, "Anatomy of high-performance
 * matrix multiplication", ACM TOMS 34 (2008).
 */
#include <stdlib.h>
#include <string.h>

#include "core/base/error.h"
#include "variants/ir/sum.h"
#include "variants/model/budget.h"
#include "variants/transform/packing.h"
#include "variants/transform/steps.h"

static const struct tree *band_named(const struct tree *tree, const char *name)
{
    if (tree->kind == TREE_BAND && !strcmp(tree->name, name))
        return tree;
    const struct tree *found = NULL;
    for (size_t i = 0; !found && i < tree->child_nr; i++)
        found = band_named(tree->child[i], name);
    return found;
}

static bool is_tiled(const struct tree *tree, const struct loop *loop)
{
    bool found = tree->kind == TREE_BAND && tree->role == BAND_TILE && tree->loop == loop;
    for (size_t i = 0; !found && i < tree->child_nr; i++)
        found = is_tiled(tree->child[i], loop);
    return found;
}

int tree_full(struct work *work, const struct plan_step *step, struct error *err)
{
    for (size_t i = 0; i < step->arg_nr; i++) {
        const struct tree *band = band_named(work->tree, step->arg[i].name);
        if (band->role != BAND_LOOP || !is_tiled(work->tree, band->loop)) {
            fail(err, STATUS_USAGE,
                 "full(%s) needs a loop that was tiled: put tile(%s:8) before it",
                 step->arg[i].name, step->arg[i].name);
            error_remedy(err, "tile(%s:8)", step->arg[i].name);
            return -1;
        }
    }
    GROW(work->filling, work->filling_nr + 1, work->filling_alloc);
    work->filling[work->filling_nr++] = step;
    work->reorders = true;
    return 0;
}

static size_t cell_named(const struct nest *nest, const char *name)
{
    size_t i = 0;
    while (i < nest->cell_nr && (nest->cell[i].is_private || !nest->cell[i].dims ||
                                 strcmp(nest->cell[i].name, name) != 0))
        i++;
    return i;
}

static bool is_written(const struct nest *nest, size_t cell)
{
    bool written = false;
    for (size_t i = 0; !written && i < nest->access_nr; i++)
        written = nest->access[i].cell == cell && nest->access[i].write;
    return written;
}

/* Which accesses go to which of two buffers must be clear, and what one of them changed
 * would have to get to the other. */
static int check_twice(const struct work *work, const struct packing *second,
                       struct error *err)
{
    const char *name = work->nest->cell[second->cell].name;
    for (size_t i = 0; i < work->packing_nr; i++) {
        const struct packing *first = &work->packing[i];
        if (first->cell != second->cell)
            continue;
        if (is_written(work->nest, second->cell))
            return fail(err, STATUS_ILLEGAL, "'%s' is packed twice, and is written",
                        name);
        if (!first->panel_loop == !second->panel_loop &&
            (!first->panel_loop || !strcmp(first->panel_loop, second->panel_loop)))
            return fail(err, STATUS_ILLEGAL,
                        "'%s' is packed twice alike; of two buffers of it one is in "
                        "panels along a loop, as in pack(%s,it) pack(%s,jt,j:32)",
                        name, name, name);
    }
    return 0;
}

/* The buffer is made of the array's elements, as they are declared. */
static bool is_accessed_as_declared(const struct nest *nest, size_t cell)
{
    const struct ir_type *own = &nest->cell[cell].symbol->type;
    bool same = true;
    for (size_t i = 0; i < nest->access_nr && !*nest->cell[cell].path; i++) {
        const struct ir_type *type = &nest->access[i].expr->type;
        same = same && (nest->access[i].cell != cell ||
                        (type->scalar == own->scalar && type->bytes == own->bytes &&
                         type->is_unsigned == own->is_unsigned));
    }
    return same;
}

int tree_pack(struct work *work, const struct plan_step *step, struct error *err)
{
    size_t cell = cell_named(work->nest, step->arg[0].name);
    const struct step_arg *panel = step->arg_nr > 2 ? &step->arg[2] : NULL;
    if (step->arg_nr > 3 || step->arg[0].has_value || step->arg[1].has_value ||
        (panel && !panel->has_value))
        return fail(err, STATUS_USAGE,
                    "pack names an array and one loop, as in pack(B,kt), and may name a "
                    "loop and how many of its iterations make a panel, as in "
                    "pack(B,kt,j:32)");
    if (cell == work->nest->cell_nr)
        return fail(err, STATUS_USAGE, "'%s' is not an array that can be packed",
                    step->arg[0].name);
    if (!is_accessed_as_declared(work->nest, cell))
        return fail(err, STATUS_ILLEGAL,
                    "'%s' is accessed through a cast, and a buffer has the type that it "
                    "is declared with; declare it with the type of its elements",
                    step->arg[0].name);
    struct packing packing = {.cell = cell,
                              .loop = step->arg[1].name,
                              .panel_loop = panel ? panel->name : NULL,
                              .panel = panel ? panel->value : 0};
    if (check_twice(work, &packing, err))
        return -1;
    GROW(work->packing, work->packing_nr + 1, work->packing_alloc);
    work->packing[work->packing_nr++] = packing;
    work->reorders = true;
    return 0;
}

int tree_vec(struct work *work, const struct plan_step *step, struct error *err)
{
    for (size_t i = 0; i < step->arg_nr; i++) {
        long long lanes = step->arg[i].value;
        if (lanes & (lanes - 1))
            return fail(err, STATUS_USAGE,
                        "vec(%s:%lld): a vector has 2, 4, 8, 16, 32 or 64 lanes",
                        step->arg[i].name, lanes);
        GROW(work->vec, work->vec_nr + 1, work->vec_alloc);
        work->vec[work->vec_nr++] =
            (struct lanes_wanted){.loop = step->arg[i].name, .lanes = lanes};
    }
    work->reorders = true;
    return 0;
}

/* From here on the leaves hold what is run, padding included. */
static void take_padding(struct tree *tree)
{
    if (tree->padded) {
        isl_set_free(tree->domain);
        tree->domain = tree->padded;
        tree->padded = NULL;
    }
    for (size_t i = 0; i < tree->child_nr; i++)
        take_padding(tree->child[i]);
}

/* Below `tree`, tiles of the loop by their origin, not by their number. */
static void by_origin(struct tree *tree, const struct loop *loop)
{
    if (tree->loop == loop)
        tree->scale = 0;
    for (size_t i = 0; i < tree->child_nr; i++)
        by_origin(tree->child[i], loop);
}

static bool has_tile_of(const struct tree *tree, const struct loop *loop)
{
    bool found = tree->kind == TREE_BAND && tree->role == BAND_TILE && tree->loop == loop;
    for (size_t i = 0; !found && i < tree->child_nr; i++)
        found = has_tile_of(tree->child[i], loop);
    return found;
}

/* Tiles of tiles: isl finds simpler bounds for them by origin, where the copies at the
 * edge know only the inner ones. */
static void simplify_tiles(struct tree *tree)
{
    for (size_t i = 0; i < tree->child_nr; i++)
        if (tree->scale && has_tile_of(tree->child[i], tree->loop))
            by_origin(tree, tree->loop);
    for (size_t i = 0; i < tree->child_nr; i++)
        simplify_tiles(tree->child[i]);
}

/* A buffer that each iteration of a loop has for itself is one piece of memory to
 * compilers, and what they are told of that loop is that iterations share none. */
static int check_buffers(const struct work *work, struct error *err)
{
    const struct nest *nest = work->nest;
    for (size_t i = 0; i < work->box_nr && !nest->model->forced; i++)
        for (size_t k = 0; k < work->box[i].prefix_nr; k++)
            if (work->box[i].prefix[k]->simd)
                return fail(err, STATUS_ILLEGAL,
                            "simd is not for the loop over %s at line %d: each iteration "
                            "of it has a local array for '%s', which compilers keep once "
                            "for all that run side by side",
                            work->box[i].prefix[k]->name,
                            work->box[i].prefix[k]->loop->stmt->line,
                            nest->cell[work->box[i].cell].name);
    return 0;
}

int tree_finish(struct work *work, struct error *err)
{
    struct model *model = work->nest->model;
    int status;
    if (!work->packing_nr && !work->filling_nr && !work->vec_nr && !work->expanding_nr &&
        !work->rounds)
        return 0;
    isl_budget(model, model->request.operation_limit);
    if (work->packing_nr)
        simplify_tiles(work->tree);
    for (size_t i = 0; i < work->filling_nr; i++)
        tree_fill(work, work->filling[i]);
    if (work->filling_nr && work_check_parts(work, err)) {
        isl_budget(model, 0);
        return -1;
    }
    status = tree_expand(work, err);
    status = status ? status : tree_boxes(work, err);
    status = status ? status : check_buffers(work, err);
    take_padding(work->tree);
    for (size_t i = 0; !status && i < work->vec_nr; i++)
        status = tree_lanes(work, &work->vec[i], err);
    status = status ? status : tree_rounds(work, err);
    if (status) {
        isl_budget(model, 0);
        return status;
    }
    return isl_check(model, false, err);
}

void packing_release(struct work *work)
{
    for (size_t i = 0; i < work->box_nr; i++)
        isl_multi_aff_free(work->box[i].offset);
    free(work->box);
    free(work->copy);
    free(work->packing);
    free(work->expanding);
    free(work->filling);
    free(work->vec);
}
