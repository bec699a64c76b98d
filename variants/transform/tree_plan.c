/* What each step of a plan does to the loop tree. Whether the result is legal is asked
 * afterwards, of the whole. */
#include <stdlib.h>
#include <string.h>

#include "core/base/error.h"
#include "variants/model/tree.h"
#include "variants/plan/plan.h"
#include "variants/transform/steps.h"

/* ---- unrolling, prefetching ---- */

int tree_unrolled(struct work *work, const struct plan_step *step, struct error *err)
{
    enum copies copies = step->kind == STEP_UNROLL_JAM     ? COPIES_JAMMED
                         : step->kind == STEP_ACCUMULATORS ? COPIES_ACCUMULATE
                                                           : COPIES_BEHIND;
    for (size_t i = 0; i < step->arg_nr; i++)
        if (tree_unroll(work, step->arg[i].name, step->arg[i].value, copies, err))
            return -1;
    work->reorders = work->reorders || copies == COPIES_JAMMED;
    work->unrolled = true;
    return 0;
}

static struct cell *find_array(const struct nest *nest, const char *name)
{
    for (size_t i = 0; i < nest->cell_nr; i++)
        if (!nest->cell[i].is_private && nest->cell[i].dims &&
            (!strcmp(nest->cell[i].name, name) ||
             !strcmp(nest->cell[i].symbol->name, name)))
            return &nest->cell[i];
    return NULL;
}

static bool has_loop(const struct nest *nest, const char *iterator)
{
    for (size_t i = 0; i < nest->loop_nr; i++)
        if (!strcmp(nest->loop[i]->stmt->iterator->name, iterator))
            return true;
    return false;
}

int tree_prefetch(struct work *work, const struct plan_step *step, struct error *err)
{
    if (step->at && !has_loop(work->nest, step->at)) {
        fail(err, STATUS_USAGE,
             "no loop '%s' that can be taken apart is around what prefetch(...,at:%s) "
             "names; inflight show lists the loops",
             step->at, step->at);
        return STEP_IDLE;
    }
    if (work->nest->around && !step->at) {
        fail(err, STATUS_ILLEGAL, "the nest around line %d looks ahead in its rows",
             work->nest->stmt->line);
        return STEP_IDLE;
    }
    for (size_t i = 0; i < step->arg_nr; i++) {
        const struct cell *cell = find_array(work->nest, step->arg[i].name);
        if (!cell)
            continue;
        GROW(work->prefetch, work->prefetch_nr + 1, work->prefetch_alloc);
        work->prefetch[work->prefetch_nr++] = (struct prefetch){
            .name = step->arg[i].name,
            .array = cell->symbol,
            .distance = step->arg[i].value,
            .at = step->at,
            .level = step->option[OPTION_TO] ? (int)step->option[OPTION_TO] : 1};
    }
    return 0;
}

int tree_simd(struct work *work, const struct plan_step *step, struct error *err)
{
    (void)step, (void)err;
    work->simd_wanted = true; /* decided when the tree is final: work_simd */
    return 0;
}

/* ---- the whole plan ---- */

static int (*const hooks[STEP_KIND_NR])(struct work *work, const struct plan_step *step,
                                        struct error *err) = {
#define TRANSFORMATION(kind, hook, ...) [STEP_##kind] = hook,
#include "variants/plan/transformations.def"
};

/* How many of the step's first names are arrays; the others are loops. */
static size_t array_names(const struct plan_step *step)
{
    size_t nr = 0;
    while (nr < step->arg_nr && step_names_array(step->kind, nr))
        nr++;
    return nr;
}

static bool concerns(const struct work *works, size_t nest, const struct plan_step *step)
{
    const struct work *work = &works[nest];
    size_t arrays = array_names(step), found = 0;
    if (!work->tree || !plan_step_means(step, nest))
        return false;
    if (transformation_of(step->kind)->names == NAMES_PARAMETERS)
        return true;
    for (size_t i = 0; i < arrays; i++)
        found += find_array(work->nest, step->arg[i].name) != NULL;
    return (found || !arrays) && tree_has_all(work->tree, step, arrays);
}

static void add_name(struct buf *out, const char *name)
{
    struct buf padded = {0}, have = {0};
    buf_addf(&padded, ", %s,", name);
    buf_addf(&have, ", %s,", buf_str(out));
    if (!strstr(buf_str(&have), buf_str(&padded)))
        buf_addf(out, "%s%s", out->length ? ", " : "", name);
    buf_release(&padded);
    buf_release(&have);
}

static void name_bands(const struct tree *tree, struct buf *out)
{
    if (tree->kind == TREE_BAND && tree->role != BAND_COPY)
        add_name(out, tree->name);
    for (size_t i = 0; i < tree->child_nr; i++)
        name_bands(tree->child[i], out);
}

static void name_arrays(const struct nest *nest, struct buf *out)
{
    for (size_t i = 0; i < nest->cell_nr; i++)
        if (!nest->cell[i].is_private && nest->cell[i].dims)
            add_name(out, nest->cell[i].name);
}

static int nothing_named(const struct model *model, const struct plan_step *step,
                         const struct work *works, struct error *err)
{
    struct buf have = {0}, text = {0};
    bool array = array_names(step) == step->arg_nr && step->arg_nr;
    for (size_t i = 0; i < model->nest_nr; i++)
        if (!plan_step_means(step, i) || !works[i].tree)
            continue;
        else if (array)
            name_arrays(works[i].nest, &have);
        else
            name_bands(works[i].tree, &have);
    plan_step_text(step, &text);
    if (!have.length && step->nest)
        fail(err, STATUS_USAGE,
             "'%s' is for nest %d, and there is no such nest, or none that can be "
             "transformed, or it was joined to another one; there are %zu",
             buf_str(&text), step->nest, model->nest_nr);
    else if (!have.length)
        fail(err, STATUS_ILLEGAL, "no loop can be transformed: %s",
             model->refusal.nr ? model->refusal.v[0] : "none is modelled");
    else
        fail(err, STATUS_USAGE, "no nest has %s named in '%s'; there are %s",
             array ? "the array" : "the loops", buf_str(&text), buf_str(&have));
    buf_release(&have);
    buf_release(&text);
    return -1;
}

/* What such a step says is looked at when the tree is final. */
static bool changes_tree(const struct plan_step *step)
{
    return step->kind != STEP_SIMD && step->kind != STEP_WHEN;
}

static int apply_step(struct model *model, const struct plan_step *step,
                      struct work *works, struct error *err)
{
    struct error idle = {0};
    size_t done = 0;
    if (step->kind == STEP_FUSE && !step->nest && works_join(model, step, works, err))
        return -1;
    for (size_t i = 0; i < model->nest_nr; i++) {
        if (!concerns(works, i, step))
            continue;
        int status = hooks[step->kind](&works[i], step, &idle);
        if (status < 0)
            return fail_as(err, &idle);
        done += status == 0;
        works[i].touched = works[i].touched || (status == 0 && changes_tree(step));
    }
    if (done)
        return 0;
    return idle.status ? fail_as(err, &idle) : nothing_named(model, step, works, err);
}

/* Is a sum what keeps the loop in order, while sums may not be reordered? */
static bool keeps_sums(const struct nest *nest)
{
    bool found = false;
    for (size_t i = 0; !nest->model->request.reassociate && i < nest->access_nr; i++)
        found = found || (nest->access[i].write &&
                          nest->access[i].accumulates == ACCUMULATES_ROUNDED);
    return found;
}

static int apply_simds(struct model *model, const struct plan *plan, struct work *works,
                       struct error *err)
{
    for (size_t k = 0; k < plan->step_nr; k++) {
        const struct plan_step *step = plan->step[k];
        size_t found = 0, first = SIZE_MAX;
        if (step->kind != STEP_SIMD)
            continue;
        for (size_t i = 0; i < model->nest_nr; i++) {
            if (!concerns(works, i, step))
                continue;
            if (work_simd(&works[i], step, err))
                return -1;
            found += works[i].simd_found;
            first = first == SIZE_MAX ? i : first;
        }
        if (!found)
            return fail(err, STATUS_ILLEGAL, "no innermost loop can be vectorised: %s%s",
                        buf_str(&works[first].simd_reason),
                        keeps_sums(works[first].nest)
                            ? "; with --reassociate sums may be reordered"
                            : "");
    }
    return 0;
}

/* A step was refused, and one before it would help: the whole plan with that. */
static void whole_remedy(const struct plan *plan, size_t refused, struct error *err)
{
    struct plan whole = *plan, first;
    if (!err || !*err->remedy)
        return;
    bool known = !plan_read(err->remedy, &first, NULL) && first.step_nr == 1;
    *err->remedy = '\0';
    if (known &&
        plan_insert(&whole, refused,
                    plan_step_with_nest(first.step[0], plan->step[refused]->nest))) {
        char *text = plan_text(&whole);
        error_remedy(err, "%s", text);
        free(text);
    }
}

int plan_apply(struct model *model, const struct plan *plan, struct work *works,
               struct error *err)
{
    for (size_t i = 0; i < model->nest_nr; i++) {
        works[i] = (struct work){.nest = model->nest[i], .plan = plan};
        works[i].tree = model->nest[i]->refusal ? NULL : tree_copy(model->nest[i]->tree);
    }
    for (size_t k = 0; k < plan->step_nr; k++)
        if (hooks[plan->step[k]->kind] && /* set made this model: see kernel.c */
            apply_step(model, plan->step[k], works, err)) {
            whole_remedy(plan, k, err);
            return -1;
        }
    return apply_simds(model, plan, works, err) || works_when(model, plan, works, err)
               ? -1
               : 0;
}

void works_free(struct model *model, struct work *works)
{
    for (size_t i = 0; i < model->nest_nr; i++) {
        tree_free(works[i].tree);
        free(works[i].prefetch);
        packing_release(&works[i]);
        buf_release(&works[i].simd_reason);
        free(works[i].parallel);
        free(works[i].when);
        strvec_release(&works[i].dividing.loops);
        strvec_release(&works[i].branching.loops);
        strvec_release(&works[i].told);
        strvec_release(&works[i].reported);
        work_memory_free(&works[i]);
    }
}
