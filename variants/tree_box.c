/*
 * Local buffers: the box of constant size that holds what is accessed of an array during
 * one iteration of a loop, and the statements that fill it and write it back. Their
 * domains are the elements accessed, so nothing is read or written that the original
 * would not have touched.
 */
#include "variants/packing.h"
#include "variants/sum.h"

#include <isl/fixed_box.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
        return "an access to it stands in a part that is not modelled";
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

bool is_packed_above(const struct work *work, size_t cell,
                     const struct tree *const *above, size_t nr, size_t *depth)
{
    for (size_t i = 0; i < work->packing_nr; i++)
        for (size_t k = 0; work->packing[i].cell == cell && k < nr; k++)
            if (!strcmp(above[k]->name, work->packing[i].loop)) {
                *depth = k + 1;
                return true;
            }
    return false;
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

isl_map *access_everywhere(struct nest *nest, const struct access *access)
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

/* What is accessed below `tree`, as run and as in the original; written: by the original.
 */
struct footprint {
    isl_map *run, *all, *written;
    bool reads, is_padded; /* reads: what it held before may matter */
    const char *problem;
};

static isl_map *join(isl_map *a, isl_map *b)
{
    return a ? isl_map_union(a, b) : b;
}

static void add_leaf(const struct nest *nest, const struct box *box,
                     const struct tree *leaf, struct footprint *out)
{
    const struct statement *statement = &nest->statement[leaf->statement];
    for (size_t i = statement->access_begin; i < statement->access_end; i++) {
        const struct access *access = &nest->access[i];
        if (access->cell != box->cell)
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
        out->run = join(out->run,
                        band_footprint(nest, access, run, box->prefix, box->prefix_nr));
        out->reads = out->reads || !access->write;
        out->is_padded = out->is_padded || leaf->padded;
    }
}

static void add_below(const struct nest *nest, const struct box *box,
                      const struct tree *tree, struct footprint *out)
{
    if (tree->kind == TREE_LEAF && tree->statement < nest->statement_nr)
        add_leaf(nest, box, tree, out);
    for (size_t i = 0; i < tree->child_nr && !out->problem; i++)
        add_below(nest, box, tree->child[i], out);
}

static void footprint_release(struct footprint *footprint)
{
    isl_map_free(footprint->run);
    isl_map_free(footprint->all);
    isl_map_free(footprint->written);
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

/* Element i minus the box's first one, on the flat space [values of the prefix, element].
 */
static isl_pw_aff *coordinate(const struct box *box, isl_space *space, size_t i)
{
    unsigned prefix = (unsigned)box->prefix_nr;
    isl_multi_aff *values = isl_multi_aff_project_out_map(
        isl_space_copy(space), isl_dim_set, prefix, (unsigned)box->dims);
    isl_pw_aff *offset = isl_pw_aff_from_aff(isl_multi_aff_get_aff(box->offset, (int)i));
    offset = isl_pw_aff_pullback_multi_aff(offset, values);
    isl_local_space *local = isl_local_space_from_space(isl_space_copy(space));
    isl_aff *element = isl_aff_var_on_domain(local, isl_dim_set, prefix + (unsigned)i);
    return isl_pw_aff_sub(isl_pw_aff_from_aff(element), offset);
}

/* All elements of the box, for the values in `values` (taken, lifted to the flat space).
 */
static isl_set *whole_box(const struct box *box, isl_set *values)
{
    isl_space *space = isl_set_get_space(values);
    for (size_t i = 0; i < box->dims; i++) {
        isl_pw_aff *at = coordinate(box, space, i), *end = isl_pw_aff_copy(at);
        end = isl_pw_aff_add_constant_val(
            end, isl_val_int_from_si(isl_space_get_ctx(space), -box->size[i]));
        values = isl_set_intersect(values, isl_pw_aff_nonneg_set(at));
        values = isl_set_intersect(values, isl_pw_aff_pos_set(isl_pw_aff_neg(end)));
    }
    isl_space_free(space);
    return values;
}

static isl_set *every_lane(const struct box *box, isl_set *set, long long lanes)
{
    isl_space *space = isl_set_get_space(set);
    isl_pw_aff *at = coordinate(box, space, box->dims - 1);
    at = isl_pw_aff_mod_val(at, isl_val_int_from_si(isl_space_get_ctx(space), lanes));
    isl_space_free(space);
    return isl_set_intersect(set, isl_pw_aff_zero_set(at));
}

/* ---- copies in the tree ---- */

struct placing {
    struct work *work;
    size_t box;
    struct tree **above; /* the bands of the prefix, to be extended */
    struct tree *seq;
};

static isl_union_pw_aff *dimension(isl_set *domain, size_t pos, long long scale)
{
    isl_local_space *local = isl_local_space_from_space(isl_set_get_space(domain));
    isl_aff *aff = isl_aff_var_on_domain(local, isl_dim_set, (unsigned)pos);
    aff = isl_aff_scale_val(aff, isl_val_int_from_si(isl_aff_get_ctx(aff), scale));
    return isl_union_pw_aff_from_pw_aff(isl_pw_aff_from_aff(aff));
}

static void add_values(struct tree *band, isl_set *domain, size_t pos)
{
    band->f = isl_union_pw_aff_union_add(
        band->f, dimension(domain, pos, band->scale ? band->scale : 1));
}

/* The loop after which the copy's loop over a dimension is named: that of the subscript.
 */
static const struct loop *loop_of_dim(const struct nest *nest, const struct box *box,
                                      size_t dim, bool *same)
{
    *same = false;
    for (size_t i = 0; i < nest->access_nr; i++) {
        const struct access *access = &nest->access[i];
        const struct statement *statement = &nest->statement[access->statement];
        if (access->cell != box->cell)
            continue;
        const struct ir_expr *sub =
            access->dim_nr ? access->dim[dim] : access->subscript[dim];
        while (sub->kind == IR_CAST)
            sub = sub->arg[0];
        for (size_t k = 0; k < statement->depth; k++)
            if (sub->kind == IR_NAME &&
                sub->symbol == statement->loop[k]->stmt->iterator) {
                *same = true;
                return statement->loop[k];
            }
    }
    return box->band->loop;
}

static struct tree *element_band(const struct placing *at, isl_set *domain, size_t dim,
                                 struct tree *inner)
{
    const struct nest *nest = at->work->nest;
    const struct box *box = &at->work->box[at->box];
    bool same;
    struct tree *band = tree_new(TREE_BAND);
    band->loop = loop_of_dim(nest, box, dim, &same);
    band->name = same ? band->loop->stmt->iterator->name
                      : ir_textf(nest->model->arena, "e%zu", dim);
    band->role = BAND_ELEMENT;
    band->f = dimension(domain, box->prefix_nr + dim, 1);
    tree_add(band, inner);
    return band;
}

/* Takes domain. */
static void add_copy(const struct placing *at, enum copy_kind kind, isl_set *domain,
                     long long lanes)
{
    struct work *work = at->work;
    const struct box *box = &work->box[at->box];
    if (isl_set_is_empty(domain) == isl_bool_true) {
        isl_set_free(domain);
        return;
    }
    char name[32];
    snprintf(name, sizeof(name), "P%zu", work->copy_nr);
    if (lanes)
        domain = every_lane(box, domain, lanes);
    domain = isl_set_set_tuple_name(isl_set_coalesce(domain), name);
    for (size_t i = 0; i < box->prefix_nr; i++)
        add_values(at->above[i], domain, i);
    GROW(work->copy, work->copy_nr + 1, work->copy_alloc);
    work->copy[work->copy_nr] =
        (struct copy){.box = at->box, .kind = kind, .lanes = lanes};
    struct tree *tree =
        tree_leaf(work->nest->statement_nr + work->copy_nr++, isl_set_copy(domain));
    for (size_t i = box->dims; i-- > 0;)
        tree = element_band(at, domain, i, tree);
    isl_set_free(domain);
    tree_add(at->seq, tree);
}

static bool follows(const struct nest *nest, size_t cell, size_t dim, const char *loop)
{
    for (size_t i = 0; i < nest->access_nr; i++) {
        const struct access *access = &nest->access[i];
        const struct statement *statement = &nest->statement[access->statement];
        const struct ir_expr *sub =
            access->dim_nr ? access->dim[dim] : access->subscript[dim];
        for (size_t k = 0; access->cell == cell && k < statement->depth; k++) {
            const struct ir_symbol *iterator = statement->loop[k]->stmt->iterator;
            if (!strcmp(iterator->name, loop) && expr_mentions(sub, iterator))
                return true;
        }
    }
    return false;
}

/* So that the lanes of a vector lie side by side in the buffer. */
static void arrange(const struct work *work, struct box *box)
{
    size_t last = box->dims - 1, at = 0;
    for (size_t i = 0; i < box->dims; i++)
        for (size_t k = 0; k < work->vec_nr; k++)
            if (follows(work->nest, box->cell, i, work->vec[k].loop))
                last = i;
    for (size_t i = 0; i < box->dims; i++)
        if (i != last)
            box->order[at++] = i;
    box->order[at] = last;
}

/* Vectors, when the block is one that the plan's lanes work on. */
static long long copy_lanes(const struct work *work, const struct box *box)
{
    long long lanes = work->vec_nr ? work->vec[0].lanes : 0;
    const struct cell *cell = &work->nest->cell[box->cell];
    bool unit = !cell->stride[0] || (cell->stride[box->dims - 1]->has_value &&
                                     cell->stride[box->dims - 1]->value == 1);
    unit = unit && box->order[box->dims - 1] == box->dims - 1;
    return lanes && !box->band->rest && box->written && unit &&
                   box->size[box->dims - 1] % lanes == 0
               ? lanes
               : 0;
}

/* Values of the prefix as part of the flat space; takes set. */
static isl_set *lifted(const struct box *box, isl_set *set)
{
    return isl_set_insert_dims(isl_set_reset_tuple_id(set), isl_dim_set,
                               (unsigned)box->prefix_nr, (unsigned)box->dims);
}

/* A box that is accessed whole is copied by vectors, one at the edge element by element:
 * then what only padding uses is zero. Kept: footprint. */
static void place_copies(const struct placing *at, enum copy_kind kind,
                         isl_map *footprint)
{
    const struct box *box = &at->work->box[at->box];
    long long lanes = copy_lanes(at->work, box);
    isl_set *touched = isl_set_flatten(isl_map_wrap(isl_map_copy(footprint)));
    if (!lanes) {
        add_copy(at, kind, touched, 0);
        return;
    }
    isl_set *values = isl_map_domain(isl_map_copy(footprint));
    isl_set *whole = whole_box(box, lifted(box, isl_set_copy(values)));
    isl_set *edge = isl_set_subtract(isl_set_copy(whole), isl_set_copy(touched));
    edge = isl_set_project_out(edge, isl_dim_set, (unsigned)box->prefix_nr,
                               (unsigned)box->dims);
    edge = isl_set_coalesce(isl_set_gist(edge, values)); /* as few conditions as can be */
    edge = lifted(box, edge);
    isl_set *inner = isl_set_complement(isl_set_copy(edge));
    add_copy(at, kind, isl_set_intersect(isl_set_copy(whole), inner), lanes);
    if (kind == COPY_IN && box->padded)
        add_copy(at, COPY_ZERO, isl_set_intersect(whole, isl_set_copy(edge)), lanes);
    else
        isl_set_free(whole);
    add_copy(at, kind, isl_set_intersect(touched, edge), 0);
}

static void place_box(struct work *work, size_t index, struct tree **above,
                      const struct footprint *footprint)
{
    struct tree *band = above[work->box[index].prefix_nr - 1];
    struct placing at = {.work = work, .box = index, .above = above};
    at.seq = tree_new(TREE_SEQ);
    if (work->box[index].read_first)
        place_copies(&at, COPY_IN, footprint->all);
    for (size_t i = 0; i < band->child_nr; i++)
        tree_add(at.seq, band->child[i]);
    if (footprint->written)
        place_copies(&at, COPY_OUT, footprint->written);
    band->child_nr = 0;
    tree_add(band, at.seq);
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
    struct box box = {.cell = at->packing->cell, .band = band, .prefix_nr = at->nr};
    struct footprint footprint = {0};
    int status = 0;
    memcpy(box.prefix, at->above, at->nr * sizeof(at->above[0]));
    add_below(nest, &box, band, &footprint);
    if (footprint.problem)
        status = refuse(at, footprint.problem);
    else if (footprint.run && !box_measure(&box, footprint.run))
        status = refuse(at, isl_ctx_last_error(nest->model->ctx) != isl_error_none
                                ? "its part of the array could not be computed"
                                : "what is used of it there has no constant size, or too "
                                  "large a one; tile its loops");
    if (!status && footprint.run) {
        box.written = footprint.written != NULL;
        box.padded = footprint.is_padded;
        box.read_first = footprint.reads;
        arrange(work, &box);
        GROW(work->box, work->box_nr + 1, work->box_alloc);
        work->box[work->box_nr++] = box;
        place_box(work, work->box_nr - 1, at->above, &footprint);
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
