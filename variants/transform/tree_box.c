/* Local buffers: the box of constant size that holds what is accessed of an array during
 * one iteration of a loop. */
#include <isl/fixed_box.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/error.h"
#include "variants/model/model_nest.h"
#include "variants/model/tree.h"
#include "variants/transform/packing.h"

enum { BOX_BYTES_MAX = 64 << 20 };

/* ---- which accesses can be redirected ---- */

static bool in_maybe(const struct ir_expr *expr, const struct ir_expr *target, bool maybe)
{
    if (expr == target)
        return maybe;
    bool choice =
        expr->kind == IR_COND ||
        (expr->kind == IR_BINARY && (!strcmp(expr->op, "&&") || !strcmp(expr->op, "||")));
    for (size_t i = 0; i < expr->arg_nr; i++)
        if (in_maybe(expr->arg[i], target, maybe || (choice && i > 0)))
            return true;
    return false;
}

static bool is_plain_element(const struct ir_expr *expr)
{
    const struct ir_expr *at = expr;
    while (at->kind == IR_INDEX)
        at = at->arg[0];
    return expr->kind == IR_INDEX && at->kind == IR_NAME && !expr->type.pointers &&
           (expr->type.scalar == IR_FLOAT || expr->type.scalar == IR_INT);
}

const char *pack_problem(const struct nest *nest, const struct access *access)
{
    const struct ir_stmt *stmt = nest->statement[access->statement].stmt;
    if (access->collapsed)
        return "an access to it is in a part that is not modelled";
    if (!access->exact)
        return "a subscript of it is not an affine function of the loops";
    if (!is_plain_element(access->expr))
        return "an access to it is not of the form a[i]";
    if ((access->write && !access->must) ||
        (stmt->kind != IR_EXPR && stmt->kind != IR_DECL) || !stmt->expr ||
        in_maybe(stmt->expr, access->expr, false))
        return "an access to it is not always made";
    return NULL;
}

bool is_packed_above(const struct work *work, const struct access *access,
                     const struct tree *const *above, size_t nr, size_t *depth)
{
    for (size_t i = 0; i < work->packing_nr; i++)
        for (size_t k = 0; packing_takes(work, i, access) && k < nr; k++)
            if (!strcmp(above[k]->name, work->packing[i].loop)) {
                *depth = k + 1;
                return true;
            }
    return false;
}

/* ---- what all uses have in common ---- */

static const struct ir_expr *parent_of(const struct ir_expr *expr,
                                       const struct ir_expr *child)
{
    const struct ir_expr *found = NULL;
    for (size_t i = 0; !found && i < expr->arg_nr; i++)
        found = expr->arg[i] == child ? expr : parent_of(expr->arg[i], child);
    return found;
}

static bool is_fixed_number(const struct ir_expr *expr)
{
    const struct ir_symbol *symbol = expr->kind == IR_NAME ? expr->symbol : NULL;
    return symbol && symbol->role == IR_PARAM && symbol->type.scalar == IR_FLOAT &&
           !symbol->type.pointers && !symbol->dim_nr && !symbol->type.is_volatile &&
           !symbol->is_written && !symbol->address_taken && !symbol->is_reference;
}

const struct ir_expr *packed_product(const struct nest *nest, const struct access *access,
                                     const struct ir_symbol **factor, bool *left)
{
    const struct ir_expr *whole = nest->statement[access->statement].stmt->expr,
                         *product = whole ? parent_of(whole, access->expr) : NULL;
    if (!product || product->kind != IR_BINARY || strcmp(product->op, "*") != 0 ||
        product->type.scalar != IR_FLOAT || access->expr->type.scalar != IR_FLOAT ||
        product->type.bytes != access->expr->type.bytes)
        return NULL;
    *left = product->arg[1] == access->expr;
    const struct ir_expr *other = product->arg[*left ? 0 : 1],
                         *use = parent_of(whole, product);
    *factor = other->symbol;
    return is_fixed_number(other) && use && use->kind == IR_BINARY &&
                   !strcmp(use->op, "*")
               ? product
               : NULL;
}

/* The product is made once for each element then, not again for each of its uses. */
static void find_factor(const struct work *work, const struct tree *tree, struct box *box,
                        bool *differs)
{
    const struct nest *nest = work->nest;
    bool leaf = tree->kind == TREE_LEAF && tree->statement < nest->statement_nr;
    const struct statement *statement = leaf ? &nest->statement[tree->statement] : NULL;
    for (size_t i = leaf ? statement->access_begin : 0;
         leaf && !*differs && i < statement->access_end; i++) {
        const struct ir_symbol *factor = NULL;
        bool left = false;
        if (!box_takes(work, box, &nest->access[i]))
            continue;
        *differs = !packed_product(nest, &nest->access[i], &factor, &left) ||
                   (box->factor && (box->factor != factor || box->factor_left != left));
        box->factor = factor;
        box->factor_left = left;
    }
    for (size_t i = 0; i < tree->child_nr && !*differs; i++)
        find_factor(work, tree->child[i], box, differs);
}

/* ---- footprints ---- */

/* Tiles and blocks are counted, as in isl's loops; see struct tree, scale. */
isl_map *band_values(const struct nest *nest, const struct statement *statement,
                     const struct tree *const *band, size_t nr)
{
    isl_space *none = isl_space_set_from_params(isl_space_copy(nest->params));
    isl_map *map = isl_map_universe(
        isl_space_map_from_domain_and_range(isl_set_get_space(statement->domain), none));
    for (size_t i = 0; i < nr; i++) {
        isl_pw_aff *value = band_function(band[i], statement);
        long long unit = band[i]->scale ? band[i]->scale : 1;
        value =
            isl_pw_aff_scale_down_val(value, isl_val_int_from_si(nest->model->ctx, unit));
        map = isl_map_flat_range_product(map, isl_map_from_pw_aff(value));
    }
    return map;
}

static isl_map *access_everywhere(struct nest *nest, const struct access *access)
{
    const struct statement *statement = &nest->statement[access->statement];
    struct affine at = affine_of(nest, statement);
    isl_space *none = isl_space_set_from_params(isl_space_copy(nest->params));
    isl_map *map = isl_map_universe(
        isl_space_map_from_domain_and_range(isl_space_copy(at.space), none));
    size_t nr = access->dim_nr ? access->dim_nr : access->subscript_nr;
    for (size_t i = 0; i < nr; i++) {
        isl_pw_aff *value =
            affine_expr(&at, access->dim_nr ? access->dim[i] : access->subscript[i]);
        map = isl_map_flat_range_product(map, isl_map_from_pw_aff(value));
    }
    isl_space_free(at.space);
    return isl_map_set_tuple_name(map, isl_dim_out,
                                  isl_map_get_tuple_name(access->map, isl_dim_out));
}

isl_map *band_footprint(const struct nest *nest, const struct access *access,
                        isl_set *domain, const struct tree *const *band, size_t nr)
{
    isl_map *values = band_values(nest, &nest->statement[access->statement], band, nr);
    isl_map *elements = access_everywhere((struct nest *)nest, access);
    elements = isl_map_intersect_domain(elements, isl_set_copy(domain));
    return isl_map_apply_range(isl_map_reverse(values), elements);
}

static isl_map *join(isl_map *a, isl_map *b)
{
    return a ? isl_map_union(a, b) : b;
}

/* What of `map` (kept) is not in `earlier` (kept; NULL = empty). */
static isl_map *beyond(isl_map *map, isl_map *earlier)
{
    map = isl_map_copy(map);
    return earlier ? isl_map_subtract(map, isl_map_copy(earlier)) : map;
}

/* earlier: written, as run, before any of the leaf runs. */
static void add_leaf(const struct work *work, const struct box *box,
                     const struct tree *leaf, isl_map *earlier, struct footprint *out)
{
    const struct nest *nest = work->nest;
    const struct statement *statement = &nest->statement[leaf->statement];
    for (size_t i = statement->access_begin; i < statement->access_end; i++) {
        const struct access *access = &nest->access[i];
        if (!box_takes(work, box, access))
            continue;
        out->problem = out->problem ? out->problem : pack_problem(nest, access);
        if (out->problem)
            return;
        isl_set *run = leaf->padded ? leaf->padded : leaf->domain;
        isl_map *all =
            band_footprint(nest, access, leaf->domain, box->prefix, box->prefix_nr);
        if (access->write)
            out->written = join(out->written, isl_map_copy(all));
        out->all = join(out->all, all);
        isl_map *as_run = band_footprint(nest, access, run, box->prefix, box->prefix_nr);
        if (!access->write)
            out->missed = join(out->missed, beyond(as_run, earlier));
        out->run = join(out->run, as_run);
        out->is_padded = out->is_padded || leaf->padded;
    }
}

/* What the parts of a sequence write, those behind find there. */
static isl_map *written_below(const struct work *work, const struct box *box,
                              const struct tree *tree)
{
    isl_map *all = NULL;
    if (tree->kind == TREE_LEAF && tree->statement < work->nest->statement_nr) {
        const struct statement *statement = &work->nest->statement[tree->statement];
        isl_set *run = tree->padded ? tree->padded : tree->domain;
        for (size_t i = statement->access_begin; i < statement->access_end; i++) {
            const struct access *access = &work->nest->access[i];
            if (access->write && access->must && box_takes(work, box, access))
                all = join(all, band_footprint(work->nest, access, run, box->prefix,
                                               box->prefix_nr));
        }
    }
    for (size_t i = 0; i < tree->child_nr; i++) {
        isl_map *part = written_below(work, box, tree->child[i]);
        all = part ? join(all, part) : all;
    }
    return all;
}

/* direct: between the box's band and the tree there is no other loop. Such a loop runs
 * its parts again and again: what one of them writes is not there before all of the next.
 */
static void add_below(const struct work *work, const struct box *box,
                      const struct tree *tree, bool direct, isl_map *earlier,
                      struct footprint *out)
{
    isl_map *before = earlier ? isl_map_copy(earlier) : NULL;
    direct = direct && (tree->kind == TREE_SEQ || tree == box->band);
    if (tree->kind == TREE_LEAF && tree->statement < work->nest->statement_nr)
        add_leaf(work, box, tree, before, out);
    for (size_t i = 0; i < tree->child_nr && !out->problem; i++) {
        add_below(work, box, tree->child[i], direct, before, out);
        isl_map *part = direct && i + 1 < tree->child_nr
                            ? written_below(work, box, tree->child[i])
                            : NULL;
        before = part ? join(before, part) : before;
    }
    isl_map_free(before);
}

static void footprint_release(struct footprint *footprint)
{
    isl_map_free(footprint->run);
    isl_map_free(footprint->all);
    isl_map_free(footprint->written);
    isl_map_free(footprint->missed);
}

/* ---- the box ---- */

bool box_measure(struct box *box, isl_map *run)
{
    isl_fixed_box *hull = isl_map_get_range_simple_fixed_box_hull(run);
    bool valid = isl_fixed_box_is_valid(hull) == isl_bool_true;
    isl_multi_val *size = valid ? isl_fixed_box_get_size(hull) : NULL;
    box->offset = valid ? isl_fixed_box_get_offset(hull) : NULL;
    box->dims = valid ? (size_t)isl_map_dim(run, isl_dim_out) : 0;
    long long elements = 1;
    for (size_t i = 0; i < box->dims; i++) {
        isl_val *val = isl_multi_val_get_val(size, (int)i);
        box->size[i] = isl_val_get_num_si(val);
        elements = elements > BOX_BYTES_MAX ? elements : elements * box->size[i];
        isl_val_free(val);
    }
    isl_multi_val_free(size);
    isl_fixed_box_free(hull);
    return valid && elements <= BOX_BYTES_MAX / 8;
}

/* ---- all of a plan ---- */

struct boxing {
    struct work *work;
    const struct packing *packing;
    struct tree *above[4 * DEPTH_MAX];
    size_t nr, done;
    struct error *err;
};

static int refuse(const struct boxing *at, const char *why)
{
    return fail(at->err, STATUS_ILLEGAL, "'%s' cannot be packed at '%s': %s",
                at->work->nest->cell[at->packing->cell].name, at->packing->loop, why);
}

static int box_here(struct boxing *at)
{
    struct work *work = at->work;
    struct nest *nest = work->nest;
    struct tree *band = at->above[at->nr - 1];
    struct box box = {.cell = at->packing->cell,
                      .packing = (size_t)(at->packing - work->packing),
                      .band = band,
                      .prefix_nr = at->nr};
    struct footprint footprint = {0};
    int status = 0;
    memcpy(box.prefix, at->above, at->nr * sizeof(at->above[0]));
    add_below(work, &box, band, true, NULL, &footprint);
    if (footprint.problem)
        status = refuse(at, footprint.problem);
    else if (footprint.run && !box_measure(&box, footprint.run))
        status = refuse(at, isl_ctx_last_error(nest->model->ctx) != isl_error_none
                                ? "its part of the array could not be computed"
                                : "what is used of it there has no constant size, or too "
                                  "large a one; tile its loops");
    if (!status && footprint.run) {
        const char *why = box_arrange(work, at->packing, &box);
        status = why ? refuse(at, why) : 0;
    }
    if (!status && footprint.run) {
        box.written = footprint.written != NULL;
        box.padded = footprint.is_padded;
        box.read_first =
            footprint.missed && isl_map_is_empty(footprint.missed) != isl_bool_true;
        bool differs = box.written;
        find_factor(work, band, &box, &differs);
        box.factor = differs ? NULL : box.factor;
        GROW(work->box, work->box_nr + 1, work->box_alloc);
        work->box[work->box_nr++] = box;
        box_place(work, work->box_nr - 1, at->above, &footprint);
        at->done++;
    } else
        isl_multi_aff_free(box.offset);
    footprint_release(&footprint);
    return status;
}

static int boxes_below(struct boxing *at, struct tree *tree)
{
    bool band = tree->kind == TREE_BAND;
    int status = 0;
    if (band && (tree->role == BAND_ELEMENT || at->nr == ARRAY_SIZE(at->above)))
        return 0;
    if (band)
        at->above[at->nr++] = tree;
    if (band && !strcmp(tree->name, at->packing->loop))
        status = box_here(at);
    else
        for (size_t i = 0; !status && i < tree->child_nr; i++)
            status = boxes_below(at, tree->child[i]);
    at->nr -= band;
    return status;
}

int tree_boxes(struct work *work, struct error *err)
{
    for (size_t i = 0; i < work->packing_nr; i++) {
        struct boxing at = {.work = work, .packing = &work->packing[i], .err = err};
        if (boxes_below(&at, work->tree))
            return -1;
        if (!at.done)
            return refuse(&at, "it is not used there");
    }
    return 0;
}
