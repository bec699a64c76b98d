#include "variants/plan/plan.h"

#include <stdlib.h>
#include <string.h>

#include "core/base.h"
#include "core/files/hash.h"
#include "variants/plan/plan_table.h"

/* ---- the steps that there are ---- */

/* Open addressing; never more than half full. Reachable until the program ends. */
static struct {
    const struct plan_step **slot;
    size_t nr, size;
} steps;

static uint64_t step_hash(const struct plan_step *step)
{
    struct hash hash = hash_begin();
    hash_add(&hash, &step->kind, sizeof(step->kind));
    hash_add(&hash, &step->nest, sizeof(step->nest));
    hash_add(&hash, step->option, sizeof(step->option));
    hash_text(&hash, step->at ? step->at : "");
    for (size_t i = 0; i < step->arg_nr; i++) {
        hash_text(&hash, step->arg[i].name);
        hash_add(&hash, &step->arg[i].value, sizeof(step->arg[i].value));
    }
    return hash.word[0];
}

static bool args_equal(const struct step_arg *a, const struct step_arg *b)
{
    return !strcmp(a->name, b->name) && a->value == b->value &&
           a->has_value == b->has_value;
}

static bool steps_equal(const struct plan_step *a, const struct plan_step *b)
{
    bool same = a->kind == b->kind && a->nest == b->nest && a->arg_nr == b->arg_nr &&
                !memcmp(a->option, b->option, sizeof(a->option)) && !a->at == !b->at &&
                (!a->at || !strcmp(a->at, b->at));
    for (size_t i = 0; same && i < a->arg_nr; i++)
        same = args_equal(&a->arg[i], &b->arg[i]);
    return same;
}

/* Where the step stands, or belongs. */
static const struct plan_step **find_slot(const struct plan_step *step)
{
    size_t at = step_hash(step) % steps.size;
    while (steps.slot[at] && !steps_equal(steps.slot[at], step))
        at = (at + 1) % steps.size;
    return &steps.slot[at];
}

static void make_room(void)
{
    const struct plan_step **old = steps.slot;
    size_t nr = steps.size;
    if (2 * (steps.nr + 1) <= steps.size)
        return;
    steps.size = steps.size ? 2 * steps.size : 256;
    steps.slot = xcalloc(steps.size, sizeof(const struct plan_step *));
    for (size_t i = 0; i < nr; i++)
        if (old[i])
            *find_slot(old[i]) = old[i];
    free(old);
}

static struct plan_step *step_copy(const struct plan_step *step)
{
    struct plan_step *copy = xcalloc(1, sizeof(*copy));
    struct step_arg *arg = xcalloc(step->arg_nr + 1, sizeof(*arg));
    *copy = *step;
    for (size_t i = 0; i < step->arg_nr; i++) {
        arg[i] = step->arg[i];
        arg[i].name = xstrdup(step->arg[i].name);
    }
    copy->arg = arg;
    copy->at = xstrdup(step->at);
    return copy;
}

const struct plan_step *plan_step_get(const struct plan_step *like)
{
    struct plan_step step = *like;
    if (step.option[OPTION_TO] == 1) /* L1 is what it means without a word, too */
        step.option[OPTION_TO] = 0;
    make_room();
    const struct plan_step **slot = find_slot(&step);
    if (!*slot) {
        *slot = step_copy(&step);
        steps.nr++;
    }
    return *slot;
}

const struct plan_step *plan_step_with_args(const struct plan_step *step,
                                            const struct step_arg *arg, size_t nr)
{
    struct plan_step other = *step;
    other.arg = arg;
    other.arg_nr = nr;
    return plan_step_get(&other);
}

const struct plan_step *plan_step_with_nest(const struct plan_step *step, int nest)
{
    struct plan_step other = *step;
    other.nest = nest;
    return step->nest == nest ? step : plan_step_get(&other);
}

const struct step_arg *plan_step_arg(const struct plan_step *step, const char *name)
{
    for (size_t i = 0; i < step->arg_nr; i++)
        if (!strcmp(step->arg[i].name, name))
            return &step->arg[i];
    return NULL;
}

bool plan_step_means(const struct plan_step *step, size_t nest)
{
    return !step->nest || (size_t)step->nest == nest + 1;
}

/* ---- plans ---- */

bool plan_has(const struct plan *plan, enum step_kind kind)
{
    for (size_t i = 0; plan && i < plan->step_nr; i++)
        if (plan->step[i]->kind == kind)
            return true;
    return false;
}

bool plan_has_step(const struct plan *plan, const struct plan_step *step)
{
    for (size_t i = 0; i < plan->step_nr; i++)
        if (plan->step[i] == step)
            return true;
    return false;
}

bool plans_equal(const struct plan *a, const struct plan *b)
{
    return a->step_nr == b->step_nr &&
           !memcmp(a->step, b->step, a->step_nr * sizeof(a->step[0]));
}

uint64_t plan_hash(const struct plan *plan)
{
    struct hash hash = hash_begin();
    for (size_t i = 0; i < plan->step_nr; i++) {
        uint64_t one = step_hash(plan->step[i]);
        hash_add(&hash, &one, sizeof(one));
    }
    return hash.word[0];
}

bool plan_insert(struct plan *plan, size_t at, const struct plan_step *step)
{
    if (plan->step_nr == PLAN_STEPS_MAX)
        return false;
    memmove(&plan->step[at + 1], &plan->step[at],
            (plan->step_nr - at) * sizeof(plan->step[0]));
    plan->step[at] = step;
    plan->step_nr++;
    return true;
}

bool plan_append(struct plan *plan, const struct plan_step *step)
{
    return plan_insert(plan, plan->step_nr, step);
}

void plan_remove(struct plan *plan, size_t at)
{
    plan->step_nr--;
    memmove(&plan->step[at], &plan->step[at + 1],
            (plan->step_nr - at) * sizeof(plan->step[0]));
}

/* ---- text ---- */

static void add_options(const struct plan_step *step, struct buf *out)
{
    bool first = !step->arg_nr;
    for (size_t i = 0; i < OPTION_NR; i++) {
        const struct option_shape *option = option_shape((enum step_option)i);
        if (!step->option[i])
            continue;
        buf_addf(out, "%c%s:", first ? '(' : ',', option->name);
        if (option->word[0])
            buf_add(out, option->word[step->option[i] - 1]);
        else if (!option->high)
            buf_add(out, step->at);
        else
            buf_addf(out, "%lld", step->option[i]);
        first = false;
    }
    if (!first)
        buf_add(out, ")");
}

void plan_step_text(const struct plan_step *step, struct buf *out)
{
    buf_add(out, transformation_of(step->kind)->name);
    for (size_t i = 0; i < step->arg_nr; i++) {
        buf_addf(out, "%s%s", i ? "," : "(", step->arg[i].name);
        if (step->arg[i].has_value)
            buf_addf(out, ":%lld", step->arg[i].value);
    }
    add_options(step, out);
}

char *plan_text(const struct plan *plan)
{
    struct buf text = {0};
    int nest = 0;
    for (size_t i = 0; i < plan->step_nr; i++) {
        const struct plan_step *step = plan->step[i];
        buf_add(&text, i ? " " : "");
        if (step->nest != nest && step->nest)
            buf_addf(&text, "nest(%d) ", step->nest);
        else if (step->nest != nest)
            buf_add(&text, "nest(all) ");
        nest = step->nest;
        plan_step_text(step, &text);
    }
    return buf_detach(&text);
}
