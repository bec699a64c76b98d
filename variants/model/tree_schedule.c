/* The loop tree as an isl schedule, and the order it stands for. */
#include <isl/schedule.h>
#include <isl/schedule_node.h>

#include "variants/model/tree.h"

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
        return tree_is_gathered(tree) ? gathered(nest, tree) : band(nest, tree);
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
