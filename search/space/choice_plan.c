/* Which plans are such as a search puts together. */
#include "search/space/choice.h"

#include <stdlib.h>
#include <string.h>

#include "core/base.h"

static bool is_loop(const struct kernel_view *view, const char *name)
{
    for (size_t i = 0; i < view->loop_nr; i++)
        if (!strcmp(view->loop[i].name, name))
            return true;
    return false;
}

static bool is_array(const struct kernel_view *view, const char *name)
{
    for (size_t i = 0; i < view->array_nr; i++)
        if (!strcmp(view->array[i].name, name))
            return true;
    return false;
}

static bool is_tunable(const struct kernel_view *view, const char *name)
{
    for (size_t i = 0; i < view->tunable_nr; i++)
        if (!strcmp(view->tunable[i].name, name))
            return true;
    return false;
}

/* A loop over tiles that a step before number `end` makes: it of tile(i:64). */
static bool is_tile_loop(const struct plan *plan, size_t end, const char *name)
{
    char *loop = xstrndup(name, strlen(name) - 1);
    bool found = false;
    for (size_t i = 0; !found && i < end; i++)
        found =
            (plan->step[i]->kind == STEP_TILE || plan->step[i]->kind == STEP_SKEW_TILE) &&
            plan_step_arg(plan->step[i], loop);
    found = found && name[strlen(name) - 1] == 't';
    free(loop);
    return found;
}

static bool is_known(const struct plan *plan, size_t i, size_t arg,
                     const struct kernel_view *view)
{
    const struct plan_step *step = plan->step[i];
    const char *name = step->arg[arg].name;
    if (transformation_of(step->kind)->names == NAMES_TUNABLES)
        return is_tunable(view, name);
    if (step_names_array(step->kind, arg))
        return is_array(view, name);
    return is_loop(view, name) || is_tile_loop(plan, i, name);
}

/* What a search writes of such a step. */
static bool is_searched(const struct plan *plan, size_t i, const struct kernel_view *view)
{
    const struct plan_step *step = plan->step[i];
    const struct transformation *row = transformation_of(step->kind);
    bool good = row->search.place && !step->nest &&
                step->arg_nr <= choice_names_max(step->kind) &&
                step->option[OPTION_TO] <= PREFETCH_L2 &&
                (!step->at || is_loop(view, step->at));
    for (size_t k = 0; k < OPTION_NR; k++)
        good = good && (!step->option[k] || row->search.options & 1U << k);
    for (size_t k = 0; good && k < step->arg_nr; k++)
        good = is_known(plan, i, k, view);
    return good;
}

/* In the order of places, each kind as often as it may be. */
static bool is_in_order(const struct plan *plan)
{
    size_t run = 0;
    bool good = true;
    for (size_t i = 0; good && i < plan->step_nr; i++) {
        const struct step_search *search =
            &transformation_of(plan->step[i]->kind)->search;
        int before = i ? transformation_of(plan->step[i - 1]->kind)->search.place : 0;
        run = i && search->place == before ? run + 1 : 1;
        good =
            search->place >= before && run <= (search->repeats ? search->steps_max : 1);
    }
    return good;
}

static bool is_choice(const struct plan *plan, const struct kernel_view *view)
{
    bool good = is_in_order(plan);
    for (size_t i = 0; good && i < plan->step_nr; i++)
        good = is_searched(plan, i, view);
    return good;
}

int choice_of_plan(const struct plan *plan, const struct kernel_view *view,
                   struct choice *out, struct error *err)
{
    *out = (struct choice){.plan = *plan};
    if (is_choice(plan, view))
        return 0;
    char *text = plan_text(plan);
    fail(err, STATUS_INPUT,
         "plan '%s' is not one that a search would put together for this kernel", text);
    free(text);
    return -1;
}
