#include "search/space/choice.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "core/base.h"

/* ---- whose steps, and where ---- */

static const struct step_search *search_of(enum step_kind kind)
{
    return &transformation_of(kind)->search;
}

static bool is_setting(const struct plan_step *step)
{
    return transformation_of(step->kind)->names == NAMES_TUNABLES;
}

/* Tunables have their values in all nests. */
static int nest_of_kind(const struct choice *choice, enum step_kind kind)
{
    return transformation_of(kind)->names == NAMES_TUNABLES ? 0 : choice->nest;
}

static bool in_shape(const struct choice *choice, size_t i)
{
    return i - choice->shape_at < choice->shape_nr;
}

static bool is_own(const struct choice *choice, size_t i)
{
    const struct plan_step *step = choice->plan.step[i];
    return step->nest == choice->nest && !is_setting(step);
}

static bool is_of(const struct choice *choice, size_t i, enum step_kind kind)
{
    const struct plan_step *step = choice->plan.step[i];
    return step->kind == kind && step->nest == nest_of_kind(choice, kind) &&
           !in_shape(choice, i);
}

static int place_at(const struct choice *choice, size_t i)
{
    return in_shape(choice, i) ? PLACE_SHAPE
                               : search_of(choice->plan.step[i]->kind)->place;
}

/* Behind all steps of nests before, and of its own with the same place or smaller ones.
 */
static size_t position(const struct choice *choice, int nest, int place)
{
    const struct plan *plan = &choice->plan;
    size_t i = 0;
    while (i < plan->step_nr &&
           (plan->step[i]->nest < nest ||
            (plan->step[i]->nest == nest && place_at(choice, i) <= place)))
        i++;
    return i;
}

static bool insert(struct choice *choice, size_t at, const struct plan_step *step)
{
    if (!plan_insert(&choice->plan, at, step))
        return false;
    choice->shape_at += choice->shape_nr && at <= choice->shape_at;
    return true;
}

static void take_out(struct choice *choice, size_t at)
{
    if (in_shape(choice, at))
        choice->shape_nr--;
    else
        choice->shape_at -= choice->shape_nr && at < choice->shape_at;
    plan_remove(&choice->plan, at);
}

/* ---- by kind ---- */

size_t choice_names_max(enum step_kind kind)
{
    const struct transformation *row = transformation_of(kind);
    return row->search.names_max ? row->search.names_max
           : row->names_min      ? CHOICE_LOOPS_MAX
                                 : 0;
}

char *choice_text(const struct choice *choice)
{
    return plan_text(&choice->plan);
}

bool choice_equal(const struct choice *a, const struct choice *b)
{
    return plans_equal(&a->plan, &b->plan);
}

size_t choice_steps(const struct choice *choice, enum step_kind kind,
                    const struct plan_step *step[PLAN_STEPS_MAX])
{
    size_t nr = 0;
    for (size_t i = 0; i < choice->plan.step_nr; i++)
        if (is_of(choice, i, kind))
            step[nr++] = choice->plan.step[i];
    return nr;
}

const struct plan_step *choice_step(const struct choice *choice, enum step_kind kind)
{
    for (size_t i = 0; i < choice->plan.step_nr; i++)
        if (is_of(choice, i, kind))
            return choice->plan.step[i];
    return NULL;
}

bool choice_add(struct choice *choice, const struct plan_step *step)
{
    int nest = nest_of_kind(choice, step->kind);
    return insert(choice, position(choice, nest, search_of(step->kind)->place),
                  plan_step_with_nest(step, nest));
}

void choice_drop(struct choice *choice, enum step_kind kind)
{
    for (size_t i = choice->plan.step_nr; i-- > 0;)
        if (is_of(choice, i, kind))
            take_out(choice, i);
    if (kind == STEP_INTERCHANGE)
        choice->kept_nr = 0;
}

void choice_put(struct choice *choice, const struct plan_step *step)
{
    choice_drop(choice, step->kind);
    choice_add(choice, step);
}

void choice_join(struct choice *choice, const struct plan_step *step)
{
    struct step_arg arg[CHOICE_LOOPS_MAX];
    const struct plan_step *had = choice_step(choice, step->kind);
    size_t max = choice_names_max(step->kind), nr = 0;
    for (size_t i = 0; had && i < had->arg_nr && nr < max; i++)
        if (!had->arg[i].has_value || !plan_step_arg(step, had->arg[i].name))
            arg[nr++] = had->arg[i];
    for (size_t i = 0; i < step->arg_nr && nr < max; i++)
        if (step->arg[i].has_value || !had || !plan_step_arg(had, step->arg[i].name))
            arg[nr++] = step->arg[i];
    choice_put(choice, plan_step_with_args(step, arg, nr));
}

void choice_put_steps(struct choice *choice, enum step_kind kind,
                      const struct plan_step *const *step, size_t nr)
{
    choice_drop(choice, kind);
    for (size_t i = 0; i < nr; i++)
        choice_add(choice, step[i]);
}

/* Steps of other nests are other steps: without the nest. */
static bool same_step(const struct plan_step *a, const struct plan_step *b)
{
    return plan_step_with_nest(a, 0) == plan_step_with_nest(b, 0);
}

bool choice_same_steps(const struct choice *a, const struct choice *b,
                       enum step_kind kind)
{
    const struct plan_step *x[PLAN_STEPS_MAX], *y[PLAN_STEPS_MAX];
    size_t nr = choice_steps(a, kind, x);
    bool same = nr == choice_steps(b, kind, y);
    for (size_t i = 0; same && i < nr; i++)
        same = same_step(x[i], y[i]);
    return same;
}

/* ---- sizes and names ---- */

long choice_size(const struct choice *choice, enum step_kind kind, const char *loop)
{
    const struct plan_step *step = choice_step(choice, kind);
    const struct step_arg *arg = step ? plan_step_arg(step, loop) : NULL;
    return arg ? (long)arg->value : 0;
}

size_t choice_sizes(const struct choice *choice, enum step_kind kind,
                    struct loop_size size[CHOICE_LOOPS_MAX])
{
    const struct plan_step *step = choice_step(choice, kind);
    size_t nr = 0;
    for (; step && nr < step->arg_nr && nr < CHOICE_LOOPS_MAX; nr++)
        size[nr] = (struct loop_size){step->arg[nr].name, (long)step->arg[nr].value};
    return nr;
}

static void put_args(struct choice *choice, enum step_kind kind,
                     const struct step_arg *arg, size_t nr)
{
    const struct plan_step step = {.kind = kind, .arg = arg, .arg_nr = nr};
    choice_drop(choice, kind);
    if (nr)
        choice_add(choice, plan_step_get(&step));
}

void choice_put_sizes(struct choice *choice, enum step_kind kind,
                      const struct loop_size *size, size_t nr)
{
    struct step_arg arg[CHOICE_LOOPS_MAX];
    for (size_t i = 0; i < nr; i++)
        arg[i] = (struct step_arg){size[i].loop, size[i].size, true};
    put_args(choice, kind, arg, nr);
}

void choice_put_names(struct choice *choice, enum step_kind kind, const char *const *name,
                      size_t nr)
{
    struct step_arg arg[CHOICE_LOOPS_MAX];
    for (size_t i = 0; i < nr; i++)
        arg[i] = (struct step_arg){.name = name[i]};
    put_args(choice, kind, arg, nr);
}

size_t choice_order(const struct choice *choice, const char *name[CHOICE_LOOPS_MAX])
{
    const struct plan_step *step = choice_step(choice, STEP_INTERCHANGE);
    size_t nr = choice->kept_nr;
    memcpy(name, choice->kept, nr * sizeof(*name));
    for (size_t i = 0; step && i < step->arg_nr && nr < CHOICE_LOOPS_MAX; i++)
        name[nr++] = step->arg[i].name;
    return nr;
}

void choice_put_order(struct choice *choice, const char *const *name, size_t nr,
                      size_t kept)
{
    choice_put_names(choice, STEP_INTERCHANGE, name + kept, nr - kept);
    memmove(choice->kept, name, kept * sizeof(*name));
    choice->kept_nr = kept;
}

bool choice_same_order(const struct choice *a, const struct choice *b)
{
    const char *x[CHOICE_LOOPS_MAX], *y[CHOICE_LOOPS_MAX];
    size_t nr = choice_order(a, x);
    bool same = nr == choice_order(b, y);
    for (size_t i = 0; same && i < nr; i++)
        same = !strcmp(x[i], y[i]);
    return same;
}

size_t choice_prefetches(const struct choice *choice,
                         struct choice_prefetch prefetch[CHOICE_PREFETCH_MAX])
{
    const struct plan_step *step[PLAN_STEPS_MAX];
    size_t all = choice_steps(choice, STEP_PREFETCH, step), nr = 0;
    for (; nr < all && nr < CHOICE_PREFETCH_MAX; nr++)
        prefetch[nr] = (struct choice_prefetch){
            .array = step[nr]->arg[0].name,
            .distance = (long)step[nr]->arg[0].value,
            .to_l2 = step[nr]->option[OPTION_TO] == PREFETCH_L2,
            .at = step[nr]->at,
        };
    return nr;
}

void choice_put_prefetches(struct choice *choice, const struct choice_prefetch *prefetch,
                           size_t nr)
{
    choice_drop(choice, STEP_PREFETCH);
    for (size_t i = 0; i < nr; i++) {
        const struct step_arg arg = {prefetch[i].array, prefetch[i].distance, true};
        const struct plan_step step = {
            .kind = STEP_PREFETCH,
            .arg = &arg,
            .arg_nr = 1,
            .option = {[OPTION_TO] = prefetch[i].to_l2 ? PREFETCH_L2 : 0,
                       [OPTION_AT] = prefetch[i].at != NULL},
            .at = prefetch[i].at,
        };
        choice_add(choice, plan_step_get(&step));
    }
}

/* ---- whole shapes ---- */

struct choice choice_unshaped(const struct choice *choice)
{
    struct choice other = {.nest = choice->nest};
    for (size_t i = 0; i < choice->plan.step_nr; i++)
        if (!is_own(choice, i))
            plan_append(&other.plan, choice->plan.step[i]);
    return other;
}

/* The steps become the shape. */
static bool put_shape(struct choice *choice, const struct plan *steps)
{
    size_t at = position(choice, choice->nest, PLACE_SHAPE);
    for (size_t i = 0; i < steps->step_nr; i++)
        if (!plan_insert(&choice->plan, at + i,
                         plan_step_with_nest(steps->step[i], choice->nest)))
            return false;
    choice->shape_at = at;
    choice->shape_nr = steps->step_nr;
    return true;
}

bool choice_shaped(const struct choice *choice, const char *steps, struct choice *out)
{
    struct plan plan;
    *out = choice_unshaped(choice);
    return !plan_read(steps, &plan, NULL) && put_shape(out, &plan);
}

void choice_put_in_shape(struct choice *choice, size_t i, const struct plan_step *step)
{
    size_t at = choice->shape_at + i;
    if (step)
        choice->plan.step[at] = plan_step_with_nest(step, choice->nest);
    else
        take_out(choice, at);
}

bool choice_add_to_shape(struct choice *choice, size_t i, const struct plan_step *step)
{
    bool fits = plan_insert(&choice->plan, choice->shape_at + i,
                            plan_step_with_nest(step, choice->nest));
    choice->shape_nr += fits;
    return fits;
}

bool choice_same_shape(const struct choice *a, const struct choice *b)
{
    bool same = a->shape_nr == b->shape_nr;
    for (size_t i = 0; same && i < a->shape_nr; i++)
        same = same_step(a->plan.step[a->shape_at + i], b->plan.step[b->shape_at + i]);
    return same;
}

/* ---- of several nests ---- */

/* Steps for one nest as a choice about it, in place of all that `out` has for it. */
static bool take_part(const struct plan *part, const struct kernel_view *view,
                      struct choice *out)
{
    struct choice read;
    if (choice_of_plan(part, view, &read, NULL))
        return put_shape(out, part);
    bool fits = true;
    for (size_t i = 0; fits && i < part->step_nr; i++)
        fits = choice_add(out, part->step[i]);
    return fits;
}

/* The steps of a plan for all nests, or for one, as if they were for all. */
static struct plan part_of(const struct plan *plan, int nest)
{
    struct plan part = {0};
    for (size_t i = 0; i < plan->step_nr; i++)
        if (plan->step[i]->nest == nest && !is_setting(plan->step[i]))
            plan_append(&part, plan_step_with_nest(plan->step[i], 0));
    return part;
}

/* Values of tunables from `like`, the steps of the nest by their places, all others as
 * they are. */
static bool read_plan(const struct plan *plan, int nest, const struct choice *like,
                      const struct kernel_view *view, struct choice *out)
{
    struct plan part = part_of(plan, nest);
    *out = (struct choice){.nest = nest};
    for (size_t i = 0; i < like->plan.step_nr; i++)
        if (is_setting(like->plan.step[i]))
            plan_append(&out->plan, like->plan.step[i]);
    for (size_t i = 0; i < plan->step_nr; i++)
        if (plan->step[i]->nest != nest && !is_setting(plan->step[i]) &&
            !plan_append(&out->plan, plan->step[i]))
            return false;
    return take_part(&part, view, out);
}

bool choice_from_plan(const struct plan *plan, const struct choice *like,
                      const struct kernel_view *view, struct choice *out)
{
    for (size_t i = 0; i < plan->step_nr; i++)
        if (!is_setting(plan->step[i]) && !plan->step[i]->nest != !like->nest)
            return false;
    return read_plan(plan, like->nest, like, view, out);
}

bool choice_carry(struct choice *choice, const struct choice *other)
{
    for (size_t i = choice->plan.step_nr; i-- > 0;)
        if (choice->plan.step[i]->nest == other->nest &&
            !is_setting(choice->plan.step[i]))
            take_out(choice, i);
    for (size_t i = 0; i < other->plan.step_nr; i++)
        if (is_own(other, i) &&
            !insert(choice, position(choice, other->nest, INT_MAX), other->plan.step[i]))
            return false;
    return true;
}

/* Its own steps are for another nest from now on. */
static struct choice moved(const struct choice *choice, int nest)
{
    struct choice other = *choice;
    for (size_t i = 0; i < other.plan.step_nr; i++)
        if (is_own(choice, i))
            other.plan.step[i] = plan_step_with_nest(other.plan.step[i], nest);
    other.nest = nest;
    return other;
}

struct choice choice_about(const struct choice *choice, const struct kernel_view *view,
                           int nest, const int *nests, size_t nr)
{
    struct choice about;
    if (choice->nest == nest)
        return *choice;
    if (choice->nest)
        return read_plan(&choice->plan, nest, choice, view, &about)
                   ? about
                   : choice_unshaped(choice);
    about = moved(choice, nest);
    for (size_t i = 0; i < nr; i++) {
        struct choice each = moved(choice, nests[i]);
        if (nests[i] != nest)
            choice_carry(&about, &each);
    }
    return about;
}

struct choice choice_for_all(const struct choice *choice)
{
    struct choice own = *choice;
    for (size_t i = own.plan.step_nr; i-- > 0;)
        if (own.plan.step[i]->nest != choice->nest && !is_setting(own.plan.step[i]))
            take_out(&own, i);
    return moved(&own, 0);
}

/* Own steps, or all but these; values of tunables are neither. */
static struct plan steps_of(const struct choice *choice, bool own)
{
    struct plan plan = {0};
    for (size_t i = 0; i < choice->plan.step_nr; i++)
        if (is_own(choice, i) == own && !is_setting(choice->plan.step[i]))
            plan_append(&plan, own ? plan_step_with_nest(choice->plan.step[i], 0)
                                   : choice->plan.step[i]);
    return plan;
}

bool choice_same_own(const struct choice *a, const struct choice *b)
{
    struct plan x = steps_of(a, true), y = steps_of(b, true);
    return plans_equal(&x, &y);
}

bool choice_same_others(const struct choice *a, const struct choice *b)
{
    struct plan x = steps_of(a, false), y = steps_of(b, false);
    return plans_equal(&x, &y);
}

void choice_outermost(struct choice *choice, const char *first)
{
    const char *order[CHOICE_LOOPS_MAX];
    struct loop_size tile[CHOICE_LOOPS_MAX];
    size_t order_nr = choice_order(choice, order),
           tile_nr = choice_sizes(choice, STEP_TILE, tile);
    const char *outer = order_nr ? order[0] : first;
    if (choice->shape_nr) /* its steps depend on each other's loops */
        return;
    if (tile_nr && choice_size(choice, STEP_TILE, outer)) {
        char *name = xasprintf("%st", tile[0].loop);
        choice_put_names(choice, STEP_PARALLEL, (const char *const[]){name}, 1);
        free(name);
    } else {
        choice_put_names(choice, STEP_PARALLEL, (const char *const[]){outer}, 1);
    }
}

/* ---- lists ---- */

void choices_add(struct choices *list, const struct choice *choice)
{
    const struct choice copy = *choice; /* it may stand in the list, which grows */
    GROW(list->item, list->nr + 1, list->alloc);
    list->item[list->nr++] = copy;
}

void choices_release(struct choices *list)
{
    free(list->item);
    *list = (struct choices){0};
}
