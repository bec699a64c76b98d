/*
 * The statements that fill a local buffer, write it back and fetch ahead what the next
 * one will hold. Their domains are the elements accessed, so nothing is read or written
 * that the original would not have touched.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "variants/ir/sum.h"
#include "variants/model/tree.h"
#include "variants/transform/packing.h"

/* A subscript of the access mentions the loop called so; dim SIZE_MAX = any. */
static bool access_follows(const struct nest *nest, const struct access *access,
                           size_t dim, const char *loop)
{
    const struct statement *statement = &nest->statement[access->statement];
    size_t nr = access->dim_nr ? access->dim_nr : access->subscript_nr;
    for (size_t i = 0; i < nr; i++) {
        const struct ir_expr *sub =
            access->dim_nr ? access->dim[i] : access->subscript[i];
        for (size_t k = 0; (dim == SIZE_MAX || i == dim) && k < statement->depth; k++) {
            const struct ir_symbol *iterator = statement->loop[k]->stmt->iterator;
            if (!strcmp(iterator->name, loop) && expr_mentions(sub, iterator))
                return true;
        }
    }
    return false;
}

static bool takes_in_panels(const struct work *work, const struct packing *packing,
                            const struct access *access)
{
    return packing->cell == access->cell && packing->panel_loop &&
           access_follows(work->nest, access, SIZE_MAX, packing->panel_loop);
}

bool packing_takes(const struct work *work, size_t packing, const struct access *access)
{
    const struct packing *own = &work->packing[packing];
    bool alone = true, elsewhere = false;
    for (size_t i = 0; i < work->packing_nr; i++) {
        const struct packing *other = &work->packing[i];
        if (i == packing || other->cell != own->cell)
            continue;
        alone = false;
        elsewhere = elsewhere || ((i < packing || !own->panel_loop) &&
                                  takes_in_panels(work, other, access));
    }
    return own->cell == access->cell &&
           (alone ||
            (!elsewhere && (!own->panel_loop || takes_in_panels(work, own, access))));
}

bool box_takes(const struct work *work, const struct box *box,
               const struct access *access)
{
    return box->is_scalar ? box->cell == access->cell
                          : packing_takes(work, box->packing, access);
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
static const struct loop *loop_of_dim(const struct work *work, const struct box *box,
                                      size_t dim, bool *same)
{
    const struct nest *nest = work->nest;
    *same = false;
    for (size_t i = 0; i < nest->access_nr; i++) {
        const struct access *access = &nest->access[i];
        const struct statement *statement = &nest->statement[access->statement];
        if (!box_takes(work, box, access))
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

static struct tree *copy_band(const struct loop *loop, const char *name, isl_set *domain,
                              size_t pos, struct tree *inner)
{
    struct tree *band = tree_new(TREE_BAND);
    band->loop = loop;
    band->name = name;
    band->role = BAND_ELEMENT;
    band->f = dimension(domain, pos, 1);
    tree_add(band, inner);
    return band;
}

static struct tree *element_band(const struct placing *at, isl_set *domain, size_t dim,
                                 size_t pos, struct tree *inner)
{
    const struct nest *nest = at->work->nest;
    bool same;
    const struct loop *loop = loop_of_dim(at->work, &at->work->box[at->box], dim, &same);
    const char *name =
        same ? loop->stmt->iterator->name : ir_textf(nest->model->arena, "e%zu", dim);
    return copy_band(loop, name, domain, pos, inner);
}

static struct tree *panel_band(const struct placing *at, isl_set *domain,
                               struct tree *inner)
{
    const struct box *box = &at->work->box[at->box];
    return copy_band(box->band->loop, "panel", domain, box->prefix_nr, inner);
}

/* The number of the panel between the values of the prefix and the element: the copy goes
 * panel by panel. Takes set. */
static isl_set *by_panel(const struct box *box, isl_set *set)
{
    isl_space *space = isl_set_get_space(set);
    unsigned pos = (unsigned)box->prefix_nr;
    isl_pw_aff *panel = coordinate(box, space, box->order[box->dims - 1]);
    isl_val *size = isl_val_int_from_si(isl_space_get_ctx(space), box->panel);
    panel = isl_pw_aff_floor(isl_pw_aff_scale_down_val(panel, size));
    isl_map *number = isl_map_intersect_domain(isl_map_from_pw_aff(panel), set);
    unsigned all = (unsigned)isl_space_dim(space, isl_dim_set);
    isl_space_free(space);
    set = isl_set_flatten(isl_map_wrap(number));
    set = isl_set_insert_dims(set, isl_dim_set, pos, 1);
    set = isl_set_equate(set, isl_dim_set, (int)pos, isl_dim_set, (int)all + 1);
    return isl_set_project_out(set, isl_dim_set, all + 1, 1);
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
    if (box->panel && kind != COPY_FETCH)
        domain = by_panel(box, domain);
    domain = isl_set_set_tuple_name(isl_set_coalesce(domain), name);
    for (size_t i = 0; i < box->prefix_nr; i++)
        add_values(at->above[i], domain, i);
    GROW(work->copy, work->copy_nr + 1, work->copy_alloc);
    work->copy[work->copy_nr] =
        (struct copy){.box = at->box, .kind = kind, .lanes = lanes};
    struct tree *tree =
        tree_leaf(work->nest->statement_nr + work->copy_nr++, isl_set_copy(domain));
    size_t first = kind == COPY_FETCH ? 0 : box_panels(box);
    for (size_t i = box->dims; i-- > 0;)
        tree = element_band(at, domain, i, box->prefix_nr + first + i, tree);
    if (first)
        tree = panel_band(at, domain, tree);
    isl_set_free(domain);
    tree_add(at->seq, tree);
}

static bool follows(const struct work *work, const struct box *box, size_t dim,
                    const char *loop)
{
    for (size_t i = 0; i < work->nest->access_nr; i++)
        if (box_takes(work, box, &work->nest->access[i]) &&
            access_follows(work->nest, &work->nest->access[i], dim, loop))
            return true;
    return false;
}

/* So that the lanes of a vector lie side by side in the buffer, or those of a panel. */
const char *box_arrange(const struct work *work, const struct packing *packing,
                        struct box *box)
{
    size_t last = box->dims - 1, at = 0, divided = 0;
    for (size_t i = 0; i < box->dims; i++)
        for (size_t k = 0; k < work->vec_nr; k++)
            if (follows(work, box, i, work->vec[k].loop))
                last = i;
    for (size_t i = 0; packing->panel && i < box->dims; i++)
        if (follows(work, box, i, packing->panel_loop)) {
            last = i;
            divided++;
        }
    for (size_t i = 0; i < box->dims; i++)
        if (i != last)
            box->order[at++] = i;
    box->order[at] = last;
    box->panel = packing->panel;
    if (packing->panel && divided != 1)
        return "panels need a loop that one of its subscripts follows, and no other";
    return box->dims + box_panels(box) > SUBSCRIPTS_MAX ? "it has too many subscripts"
                                                        : NULL;
}

size_t box_panels(const struct box *box)
{
    return box->panel > 0;
}

/* Along its last dimension the array lies element by element. */
static bool is_contiguous(const struct nest *nest, const struct box *box)
{
    const struct cell *cell = &nest->cell[box->cell];
    return !cell->stride[0] || (cell->stride[box->dims - 1]->has_value &&
                                cell->stride[box->dims - 1]->value == 1);
}

/* Vectors, when the block is one that the plan's lanes work on. */
static long long copy_lanes(const struct work *work, const struct box *box)
{
    long long lanes = work->vec_nr ? work->vec[0].lanes : 0;
    bool unit =
        is_contiguous(work->nest, box) && box->order[box->dims - 1] == box->dims - 1;
    return lanes && !box->band->rest && box->written && unit && !box->panel &&
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

/* ---- fetching ahead ---- */

/* A prefetch() that names it; NULL = none. */
static const struct prefetch *box_prefetch(const struct work *work, size_t cell)
{
    const struct prefetch *found = NULL;
    for (size_t i = 0; !found && i < work->prefetch_nr; i++)
        if (!work->prefetch[i].at &&
            !strcmp(work->prefetch[i].name, work->nest->cell[cell].name))
            found = &work->prefetch[i];
    return found;
}

/* What one iteration adds to the band's value as band_values has it. */
static long long counted(const struct tree *band)
{
    if (band->scale)
        return 1;
    return band->role == BAND_TILE ? band->size : band_unit(band);
}

/* The flat space's points, so many iterations of the last band further on. */
static isl_multi_aff *later(const struct box *box, isl_space *space, long long iterations)
{
    isl_multi_aff *map = isl_multi_aff_identity_on_domain_space(isl_space_copy(space));
    int last = (int)box->prefix_nr - 1;
    isl_aff *aff = isl_multi_aff_get_aff(map, last);
    isl_val *add =
        isl_val_int_from_si(isl_space_get_ctx(space), iterations * counted(box->band));
    return isl_multi_aff_set_aff(map, last, isl_aff_add_constant_val(aff, add));
}

/* One element of each line that an iteration to come copies, if there is that iteration.
 * Kept: footprint. */
static void place_fetch(const struct placing *at, isl_map *footprint)
{
    const struct work *work = at->work;
    const struct box *box = &work->box[at->box];
    const struct prefetch *prefetch = box_prefetch(work, box->cell);
    long long bytes = (long long)work->nest->cell[box->cell].symbol->type.bytes;
    long long line = bytes ? work->nest->model->request.line_bytes / bytes : 0;
    if (!prefetch)
        return;
    isl_set *lines = isl_set_flatten(isl_map_wrap(isl_map_copy(footprint)));
    isl_set *now = lifted(box, isl_map_domain(isl_map_copy(footprint)));
    if (line > 1 && is_contiguous(work->nest, box))
        lines = every_lane(box, lines, line);
    isl_space *space = isl_set_get_space(lines);
    lines = isl_set_preimage_multi_aff(lines, later(box, space, prefetch->distance));
    isl_space_free(space);
    size_t nr = work->copy_nr;
    add_copy(at, COPY_FETCH, isl_set_intersect(lines, now), 0);
    if (work->copy_nr > nr)
        work->copy[nr].level = prefetch->level;
}

/* Of iterations in which something is read that they have not written themselves: all
 * that they access, so that a box is whole or at the edge as before. */
static isl_map *to_copy_in(const struct footprint *footprint)
{
    isl_set *missing = isl_map_domain(isl_map_copy(footprint->missed));
    isl_set *others = isl_set_subtract(isl_map_domain(isl_map_copy(footprint->all)),
                                       isl_set_copy(missing));
    bool all = isl_set_is_empty(others) == isl_bool_true;
    isl_map *in = isl_map_copy(footprint->all);
    isl_set_free(others);
    if (!all)
        return isl_map_intersect_domain(in, isl_set_coalesce(missing));
    isl_set_free(missing);
    return in;
}

void box_place(struct work *work, size_t index, struct tree **above,
               const struct footprint *footprint)
{
    struct tree *band = above[work->box[index].prefix_nr - 1];
    struct placing at = {.work = work, .box = index, .above = above};
    at.seq = tree_new(TREE_SEQ);
    if (work->box[index].read_first) {
        isl_map *in = to_copy_in(footprint);
        place_copies(&at, COPY_IN, in);
        isl_map_free(in);
    }
    place_fetch(&at, footprint->all);
    for (size_t i = 0; i < band->child_nr; i++)
        tree_add(at.seq, band->child[i]);
    if (footprint->written)
        place_copies(&at, COPY_OUT, footprint->written);
    band->child_nr = 0;
    tree_add(band, at.seq);
}
