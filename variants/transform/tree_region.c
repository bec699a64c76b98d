/* Nests that stand side by side as one region, so that their loops can be fused. What the
 * plan did to each before is carried over. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/error.h"
#include "variants/model/budget.h"
#include "variants/model/deps.h"
#include "variants/model/model_nest.h"
#include "variants/model/tree.h"
#include "variants/plan/plan.h"
#include "variants/transform/steps.h"

/* ---- which nests are neighbours ---- */

struct neighbours {
    const struct ir_stmt *a, *b;
};

static bool holds_both(const struct ir_stmt *stmt, const void *data)
{
    const struct neighbours *pair = data;
    for (size_t i = 0; stmt->kind == IR_BLOCK && i < stmt->child_nr; i++) {
        if (stmt->child[i] != pair->a)
            continue;
        do
            i++;
        while (i < stmt->child_nr && stmt->child[i]->kind == IR_EMPTY);
        return i < stmt->child_nr && stmt->child[i] == pair->b;
    }
    return false;
}

static size_t span_of(const struct work *work)
{
    return work->span > 1 ? work->span : 1;
}

static bool are_neighbours(const struct model *model, size_t last, size_t next)
{
    struct neighbours pair = {model->nest[last]->stmt, model->nest[next]->stmt};
    return stmt_find(model->function->body, holds_both, &pair) != NULL &&
           !pair.a->from_macro && !pair.b->from_macro && pair.a->in_block &&
           pair.b->in_block; /* of those behind a label the first has the label around */
}

/* ---- the nest of a region ---- */

static struct ir_stmt *region_stmt(const struct model *model, size_t first, size_t nr)
{
    struct ir_stmt *block = ir_stmt_new(model->arena, IR_BLOCK, nr);
    const struct ir_stmt *begin = model->nest[first]->stmt,
                         *end = model->nest[first + nr - 1]->stmt;
    for (size_t i = 0; i < nr; i++)
        memcpy(&block->child[i], &model->nest[first + i]->stmt, sizeof(block->child[i]));
    block->line = begin->line;
    block->end_line = end->end_line;
    block->begin = begin->begin;
    block->end = end->end;
    block->pragma = begin->pragma;
    block->in_block = begin->in_block;
    return block;
}

static struct nest *region_nest(struct model *model, size_t first, size_t nr)
{
    for (size_t i = 0; i < model->region_nr; i++)
        if (model->region[i].first == first && model->region[i].nr == nr)
            return model->region[i].nest;
    struct nest *nest =
        nest_build(model, region_stmt(model, first, nr), (int)first, NULL);
    isl_budget(model, model->request.operation_limit);
    GROW(model->region, model->region_nr + 1, model->region_alloc);
    model->region[model->region_nr++] =
        (struct region){.first = first, .nr = nr, .nest = nest};
    return nest;
}

/* ---- a tree of one of the nests as a tree of the region ---- */

struct carry {
    struct nest *into;
    size_t statements, loops; /* of the nests before this one */
    isl_union_pw_aff *f;
};

static isl_stat carry_function(isl_pw_aff *pa, void *data)
{
    struct carry *at = data;
    isl_id *old = isl_pw_aff_get_tuple_id(pa, isl_dim_in);
    size_t statement = statement_of_tuple(isl_id_get_name(old)) + at->statements;
    char name[32];
    snprintf(name, sizeof(name), "S%zu", statement);
    pa = isl_pw_aff_set_tuple_id(pa, isl_dim_in,
                                 isl_id_alloc(isl_pw_aff_get_ctx(pa), name, NULL));
    isl_id_free(old);
    at->f = isl_union_pw_aff_union_add(at->f, isl_union_pw_aff_from_pw_aff(pa));
    return isl_stat_ok;
}

static void carry(struct carry *at, struct tree *tree)
{
    if (tree->kind == TREE_LEAF) {
        char name[32];
        tree->statement += at->statements;
        snprintf(name, sizeof(name), "S%zu", tree->statement);
        tree->domain = isl_set_set_tuple_name(tree->domain, name);
    }
    if (tree->kind == TREE_BAND) {
        at->f = isl_union_pw_aff_empty(isl_space_copy(at->into->params));
        isl_union_pw_aff_foreach_pw_aff(tree->f, carry_function, at);
        isl_union_pw_aff_free(tree->f);
        tree->f = at->f;
        tree->loop = at->into->loop[at->loops + tree->loop->index];
    }
    for (size_t i = 0; i < tree->child_nr; i++)
        carry(at, tree->child[i]);
}

static void take_prefetches(struct work *work, const struct work *from)
{
    GROW(work->prefetch, work->prefetch_nr + from->prefetch_nr, work->prefetch_alloc);
    for (size_t i = 0; i < from->prefetch_nr; i++)
        work->prefetch[work->prefetch_nr++] = from->prefetch[i];
}

/* What is read as one has the loops and statements that were read apart: not so where one
 * nest sets what bounds a loop of the other. */
static bool is_same(const struct nest *nest, const struct nest *first,
                    const struct nest *second)
{
    bool same = nest->statement_nr == first->statement_nr + second->statement_nr &&
                nest->loop_nr == first->loop_nr + second->loop_nr;
    for (size_t i = 0; same && i < nest->loop_nr; i++)
        same = nest->loop[i]->stmt ==
               (i < first->loop_nr ? first->loop[i] : second->loop[i - first->loop_nr])
                   ->stmt;
    for (size_t i = 0; same && i < nest->statement_nr; i++)
        same = nest->statement[i].stmt ==
               (i < first->statement_nr ? &first->statement[i]
                                        : &second->statement[i - first->statement_nr])
                   ->stmt;
    return same;
}

static int join_pair(struct model *model, struct work *works, size_t a, size_t b,
                     struct error *err)
{
    struct work *first = &works[a], *second = &works[b];
    size_t nr = span_of(first) + span_of(second);
    struct nest *nest = region_nest(model, a, nr);
    struct carry from_first = {.into = nest};
    struct carry from_second = {.into = nest,
                                .statements = first->nest->statement_nr,
                                .loops = first->nest->loop_nr};
    if (nest->refusal)
        return fail(err, STATUS_ILLEGAL,
                    "the nests at lines %d and %d cannot be treated as one: %s",
                    first->nest->stmt->line, second->nest->stmt->line, nest->refusal);
    if (!is_same(nest, first->nest, second->nest))
        return fail(err, STATUS_ILLEGAL,
                    "the nests at lines %d and %d cannot be treated as one: what bounds "
                    "a loop or decides on a statement of one is set in the other",
                    first->nest->stmt->line, second->nest->stmt->line);
    carry(&from_first, first->tree);
    carry(&from_second, second->tree);
    tree_add(first->tree, second->tree);
    tree_flatten(first->tree);
    take_prefetches(first, second);
    first->touched = first->touched || second->touched;
    first->reorders = first->reorders || second->reorders;
    first->unrolled = first->unrolled || second->unrolled;
    first->simd_wanted = first->simd_wanted || second->simd_wanted;
    first->nest = nest;
    first->span = nr;
    free(second->prefetch);
    *second = (struct work){.nest = second->nest, .plan = second->plan};
    return 0;
}

/* ---- where a step wants it ---- */

static bool is_named(const struct tree *tree, const char *name)
{
    return tree->kind == TREE_BAND && !tree->rest && !strcmp(tree->name, name);
}

/* The last loop of one and the first of the other are named. */
static bool edges_meet(const struct plan_step *step, const struct tree *a,
                       const struct tree *b)
{
    const struct tree *last = a->child[a->child_nr - 1], *first = b->child[0];
    if (step->arg_nr == 1)
        return is_named(last, step->arg[0].name) && is_named(first, step->arg[0].name);
    for (size_t i = 0; i + 1 < step->arg_nr; i++)
        if (is_named(last, step->arg[i].name) && is_named(first, step->arg[i + 1].name))
            return true;
    return false;
}

int works_join(struct model *model, const struct plan_step *step, struct work *works,
               struct error *err)
{
    for (size_t a = 0; a < model->nest_nr; a++)
        while (works[a].tree) {
            size_t b = a + span_of(&works[a]);
            if (b >= model->nest_nr || !works[b].tree || !works[a].tree->child_nr ||
                !works[b].tree->child_nr ||
                !edges_meet(step, works[a].tree, works[b].tree) ||
                !are_neighbours(model, b - 1, b))
                break;
            if (join_pair(model, works, a, b, err))
                return -1;
        }
    return 0;
}
