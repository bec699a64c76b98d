/* The loop tree: making, copying, binding bands to functions of statement instances. */
#include "variants/model/tree.h"

#include <isl/schedule.h>
#include <isl/schedule_node.h>
#include <stdlib.h>
#include <string.h>

#include "variants/model/model_nest.h"
#include "variants/plan/plan.h"

struct tree *tree_new(enum tree_kind kind)
{
    struct tree *tree = xcalloc(1, sizeof(*tree));
    tree->kind = kind;
    tree->step = 1;
    return tree;
}

struct tree *tree_leaf(size_t statement, isl_set *domain)
{
    struct tree *tree = tree_new(TREE_LEAF);
    tree->statement = statement;
    tree->domain = domain;
    return tree;
}

void tree_add(struct tree *parent, struct tree *child)
{
    GROW(parent->child, parent->child_nr + 1, parent->child_alloc);
    parent->child[parent->child_nr++] = child;
}

struct tree *tree_band(const struct loop *loop, struct tree *child)
{
    struct tree *tree = tree_new(TREE_BAND);
    tree->loop = loop;
    tree->name = loop->stmt->iterator->name;
    tree->role = BAND_LOOP;
    tree_add(tree, child);
    return tree;
}

struct tree *tree_copy(const struct tree *tree)
{
    struct tree *copy = tree_new(tree->kind);
    *copy = *tree;
    copy->child = NULL;
    copy->child_nr = copy->child_alloc = 0;
    copy->f = isl_union_pw_aff_copy(tree->f);
    copy->domain = isl_set_copy(tree->domain);
    copy->padded = isl_set_copy(tree->padded);
    for (size_t i = 0; i < tree->child_nr; i++)
        tree_add(copy, tree_copy(tree->child[i]));
    return copy;
}

void tree_free(struct tree *tree)
{
    if (!tree)
        return;
    for (size_t i = 0; i < tree->child_nr; i++)
        tree_free(tree->child[i]);
    isl_union_pw_aff_free(tree->f);
    isl_set_free(tree->domain);
    isl_set_free(tree->padded);
    free(tree->child);
    free(tree);
}

const struct tree *tree_find(const struct tree *tree, const char *name)
{
    if (tree->kind == TREE_BAND && !strcmp(tree->name, name))
        return tree;
    const struct tree *found = NULL;
    for (size_t i = 0; !found && i < tree->child_nr; i++)
        found = tree_find(tree->child[i], name);
    return found;
}

bool tree_has_statement(const struct tree *tree, size_t statement)
{
    bool found = tree->kind == TREE_LEAF && tree->statement == statement;
    for (size_t i = 0; !found && i < tree->child_nr; i++)
        found = tree_has_statement(tree->child[i], statement);
    return found;
}

bool tree_has(const struct tree *tree, const char *name)
{
    return tree_find(tree, name) != NULL;
}

bool tree_has_all(const struct tree *tree, const struct plan_step *step, size_t first)
{
    for (size_t i = first; i < step->arg_nr; i++)
        if (!tree_has(tree, step->arg[i].name))
            return false;
    return true;
}

isl_union_set *tree_domain(const struct nest *nest, const struct tree *tree)
{
    if (tree->kind == TREE_LEAF)
        return isl_union_set_from_set(isl_set_copy(tree->domain));
    isl_union_set *all = isl_union_set_empty(isl_space_copy(nest->params));
    for (size_t i = 0; i < tree->child_nr; i++)
        all = isl_union_set_union(all, tree_domain(nest, tree->child[i]));
    return all;
}

/* The statements of a split loop occur several times below a band; each gets its function
 * once. */
isl_union_pw_aff *function_add(isl_union_pw_aff *f, isl_pw_aff *value)
{
    isl_union_set *known = isl_union_pw_aff_domain(isl_union_pw_aff_copy(f));
    isl_union_pw_aff *new = isl_union_pw_aff_from_pw_aff(value);
    return isl_union_pw_aff_union_add(f, isl_union_pw_aff_subtract_domain(new, known));
}

/* ---- c = (i - base) / step, or +-i where it does not begin at a parameter ---- */

static void set_base(struct nest *nest, struct tree *band)
{
    const struct ir_stmt *stmt = band->loop->stmt;
    isl_space *space = isl_space_set_from_params(isl_space_copy(nest->params));
    struct affine outermost = {.nest = nest, .space = space};
    isl_pw_aff *lower = affine_expr(&outermost, stmt->lower);
    band->step = stmt->step;
    band->base =
        lower && !(stmt->lower->has_value && !stmt->lower->value) ? stmt->lower : NULL;
    if (!lower) /* counted in the iterator's own values */
        band->step = stmt->step < 0 ? -1 : 1;
    isl_pw_aff_free(lower);
    isl_space_free(space);
}

long long band_unit(const struct tree *band)
{
    long long step = llabs(band->loop->stmt->step);
    return llabs(band->step) == step ? 1 : step;
}

bool band_is_turned(const struct tree *band)
{
    return band->role != BAND_TILE && (band->step < 0) != (band->loop->stmt->step < 0);
}

long long band_stride(const struct tree *band)
{
    return band->scale ? band->step * band->scale : band->step;
}

static isl_pw_aff *band_value(struct nest *nest, const struct tree *band,
                              const struct statement *statement)
{
    struct affine at = affine_of(nest, statement);
    isl_local_space *local = isl_local_space_from_space(isl_space_copy(at.space));
    isl_aff *it = isl_aff_var_on_domain(local, isl_dim_set, (unsigned)band->loop->depth);
    isl_pw_aff *value = isl_pw_aff_from_aff(it);
    long long step = band->loop->stmt->step;
    if (band->base)
        value = isl_pw_aff_sub(value, affine_expr(&at, band->base));
    if (step < 0)
        value = isl_pw_aff_neg(value);
    if (band_unit(band) == 1 && step != 1 && step != -1) {
        isl_val *size = isl_val_int_from_si(nest->model->ctx, step < 0 ? -step : step);
        value = isl_pw_aff_floor(isl_pw_aff_scale_down_val(value, size));
    }
    isl_space_free(at.space);
    return value;
}

static void bind_leaves(struct nest *nest, struct tree *band, const struct tree *below)
{
    if (below->kind == TREE_LEAF) {
        isl_pw_aff *value = band_value(nest, band, &nest->statement[below->statement]);
        band->f = function_add(band->f, value);
        return;
    }
    for (size_t i = 0; i < below->child_nr; i++)
        bind_leaves(nest, band, below->child[i]);
}

void tree_flatten(struct tree *tree)
{
    for (size_t i = 0; i < tree->child_nr; i++) {
        struct tree *child = tree->child[i];
        if (child->kind != TREE_SEQ || (tree->kind != TREE_SEQ && child->child_nr != 1))
            continue;
        size_t more = child->child_nr;
        GROW(tree->child, tree->child_nr + more, tree->child_alloc);
        memmove(&tree->child[i + more], &tree->child[i + 1],
                (tree->child_nr - i - 1) * sizeof(tree->child[0]));
        if (more)
            memcpy(&tree->child[i], child->child, more * sizeof(tree->child[0]));
        tree->child_nr += more - 1;
        child->child_nr = 0;
        tree_free(child);
        i--;
    }
    for (size_t i = 0; i < tree->child_nr; i++)
        tree_flatten(tree->child[i]);
}

static bool has_leaf(const struct tree *tree)
{
    bool found = tree->kind == TREE_LEAF;
    for (size_t i = 0; !found && i < tree->child_nr; i++)
        found = has_leaf(tree->child[i]);
    return found;
}

static void drop_empty(struct tree *tree)
{
    size_t kept = 0;
    for (size_t i = 0; i < tree->child_nr; i++) {
        if (has_leaf(tree->child[i])) {
            tree->child[kept++] = tree->child[i];
            drop_empty(tree->child[kept - 1]);
        } else
            tree_free(tree->child[i]);
    }
    tree->child_nr = kept;
}

static void bind(struct nest *nest, struct tree *tree)
{
    if (tree->kind == TREE_BAND) {
        set_base(nest, tree);
        tree->f = isl_union_pw_aff_empty(isl_space_copy(nest->params));
        bind_leaves(nest, tree, tree);
    }
    for (size_t i = 0; i < tree->child_nr; i++)
        bind(nest, tree->child[i]);
}

void tree_bind(struct nest *nest, struct tree *tree)
{
    drop_empty(tree);
    tree_flatten(tree);
    bind(nest, tree);
}

isl_pw_aff *band_function(const struct tree *band, const struct statement *statement)
{
    isl_space *space = isl_space_map_from_domain_and_range(
        isl_set_get_space(statement->domain), isl_union_pw_aff_get_space(band->f));
    isl_space_free(space);
    space = isl_space_from_domain(isl_set_get_space(statement->domain));
    return isl_union_pw_aff_extract_pw_aff(band->f,
                                           isl_space_add_dims(space, isl_dim_out, 1));
}

bool tree_is_coalesced(const struct tree *tree)
{
    return tree->kind == TREE_BAND && tree->domain;
}

bool tree_is_straight(const struct tree *tree)
{
    if (tree->kind == TREE_BAND && tree->role != BAND_COPY)
        return false;
    for (size_t i = 0; i < tree->child_nr; i++)
        if (!tree_is_straight(tree->child[i]))
            return false;
    return true;
}

isl_pw_aff *pw_aff_block(isl_pw_aff *pa, long long size)
{
    isl_val *val = isl_val_int_from_si(isl_pw_aff_get_ctx(pa), size);
    pa = isl_pw_aff_floor(isl_pw_aff_scale_down_val(pa, isl_val_copy(val)));
    return isl_pw_aff_scale_val(pa, val);
}

/* The loop tree as an isl schedule, and the order it stands for. */
static isl_schedule *sequence(const struct nest *nest, const struct tree *tree)
{
    isl_schedule *all = NULL;
    for (size_t i = 0; i < tree->child_nr; i++) {
        if (tree->child[i]->joined)
            continue;
        isl_schedule *next = tree_schedule(nest, tree->child[i]);
        all = all ? isl_schedule_sequence(all, next) : next;
    }
    return all;
}

static isl_schedule *insert_mark(const struct nest *nest, const struct tree *tree,
                                 isl_schedule *schedule)
{
    isl_schedule_node *root = isl_schedule_get_root(schedule);
    isl_schedule_node *node = isl_schedule_node_child(root, 0);
    node = isl_schedule_node_insert_mark(
        node, isl_id_alloc(nest->model->ctx, "band", (void *)(uintptr_t)tree));
    isl_schedule_free(schedule);
    schedule = isl_schedule_node_get_schedule(node);
    isl_schedule_node_free(node);
    return schedule;
}

/* Loops are kept whole (atomic), so that the text keeps the shape of the plan; copies are
 * written out, and what is fused may have a beginning and an end of its own. */
static isl_schedule *mark_band(const struct nest *nest, const struct tree *tree,
                               isl_schedule *schedule)
{
    isl_schedule_node *root = isl_schedule_get_root(schedule);
    isl_schedule_node *node = isl_schedule_node_child(root, 0);
    enum isl_ast_loop_type type = tree->role == BAND_COPY ? isl_ast_loop_unroll
                                  : tree->separate        ? isl_ast_loop_separate
                                                          : isl_ast_loop_atomic;
    node = isl_schedule_node_band_member_set_ast_loop_type(node, 0, type);
    isl_schedule_free(schedule);
    schedule = isl_schedule_node_get_schedule(node);
    isl_schedule_node_free(node);
    return insert_mark(nest, tree, schedule);
}

static isl_schedule *gathered(const struct nest *nest, const struct tree *tree)
{
    isl_union_set *first = isl_union_set_from_set(isl_set_copy(tree->domain));
    return insert_mark(nest, tree, isl_schedule_from_domain(first));
}

static isl_schedule *band(const struct nest *nest, const struct tree *tree)
{
    isl_schedule *inner = sequence(nest, tree);
    isl_union_set *domain = isl_schedule_get_domain(inner);
    isl_union_pw_aff *f =
        isl_union_pw_aff_intersect_domain(isl_union_pw_aff_copy(tree->f), domain);
    if (tree->scale)
        f = isl_union_pw_aff_scale_down_val(
            f, isl_val_int_from_si(nest->model->ctx, tree->scale));
    inner = isl_schedule_insert_partial_schedule(
        inner, isl_multi_union_pw_aff_from_union_pw_aff(f));
    return mark_band(nest, tree, inner);
}

struct isl_schedule *tree_schedule(const struct nest *nest, const struct tree *tree)
{
    switch (tree->kind) {
    case TREE_LEAF:
        return isl_schedule_from_domain(
            isl_union_set_from_set(isl_set_copy(tree->domain)));
    case TREE_SEQ:
        return sequence(nest, tree);
    case TREE_BAND:
        return tree_is_coalesced(tree) ? gathered(nest, tree) : band(nest, tree);
    }
    return NULL;
}

isl_union_map *tree_order(const struct nest *nest, const struct tree *tree)
{
    isl_schedule *schedule = tree_schedule(nest, tree);
    isl_union_map *order = isl_schedule_get_map(schedule);
    isl_schedule_free(schedule);
    return order;
}
