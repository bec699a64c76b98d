/*
 * The new code is for large sizes: when(n:256). Nothing of the tree changes. What is
 * tested before the nest gets one condition more, and the code behind it stays that of
 * the plan without the step, so that it may be verified at sizes which never come to it.
 */
#include <limits.h>
#include <string.h>

#include "core/base/error.h"
#include "variants/model/model_affine.h"
#include "variants/plan/plan.h"
#include "variants/transform/steps.h"

/* ---- what the name means at the nest ---- */

/* A number that the loops use, and do not change: it is in scope before them. */
static bool is_given(const struct nest *nest, const struct ir_symbol *symbol)
{
    return symbol->id >= 0 && nest->used[symbol->id] && symbol_is_param(nest, symbol) &&
           !symbol->dim_nr;
}

/* One that the loops do not use: the function's own parameter, unless another variable
 * may hide it there. */
static bool is_visible(const struct nest *nest, const struct ir_symbol *symbol)
{
    const struct ir_function *function = nest->model->function;
    bool visible =
        symbol->role == IR_PARAM && symbol_is_param(nest, symbol) && !symbol->dim_nr;
    for (size_t i = 0; visible && i < function->symbol_nr; i++)
        visible = function->symbol[i] == symbol ||
                  strcmp(function->symbol[i]->name, symbol->name) != 0;
    return visible;
}

static struct ir_symbol *find_parameter(const struct nest *nest, const char *name)
{
    const struct ir_function *function = nest->model->function;
    struct ir_symbol *found = NULL;
    for (size_t i = 0; i < function->symbol_nr; i++) {
        struct ir_symbol *symbol = function->symbol[i];
        if (!strcmp(symbol->name, name) &&
            (is_given(nest, symbol) || (!found && is_visible(nest, symbol))))
            found = symbol;
    }
    return found;
}

static int no_parameter(const struct nest *nest, const char *name, struct error *err)
{
    const struct ir_function *function = nest->model->function;
    struct strvec all = {0};
    struct buf have = {0};
    for (size_t i = 0; i < function->symbol_nr; i++)
        if (is_given(nest, function->symbol[i]) || is_visible(nest, function->symbol[i]))
            strvec_push_once(&all, function->symbol[i]->name);
    for (size_t i = 0; i < all.nr; i++)
        buf_addf(&have, "%s%s", i ? ", " : "", all.v[i]);
    fail(err, STATUS_USAGE,
         "'%s' in when is not an integer that the nest at line %d is given and leaves as "
         "it "
         "is; there %s%s",
         name, nest->stmt->line, all.nr ? all.nr > 1 ? "are " : "is " : "is none",
         buf_str(&have));
    buf_release(&have);
    strvec_release(&all);
    return -1;
}

/* ---- what its type holds ---- */

static void type_range(const struct ir_type *type, long long *low, long long *high)
{
    size_t bits = type->scalar == IR_BOOL ? 1 : type->bytes * CHAR_BIT;
    bool wide = bits >= CHAR_BIT * sizeof(long long);
    bool is_unsigned = type->is_unsigned || type->scalar == IR_BOOL;
    *high = wide ? LLONG_MAX : (1LL << (bits - !is_unsigned)) - 1;
    *low = is_unsigned ? 0 : -*high - 1;
}

static int check_value(const struct nest *nest, const struct ir_symbol *symbol,
                       long long value, struct error *err)
{
    long long low, high;
    type_range(&symbol->type, &low, &high);
    if (value > low && value <= high)
        return 0;
    return fail(err, STATUS_USAGE,
                "'%s:%lld' in when decides nothing: at line %d '%s' is of type %s, and "
                "%s less",
                symbol->name, value, nest->stmt->line, symbol->name, symbol->type.text,
                value > high ? "always" : "never");
}

static int find_threshold(const struct nest *nest, const struct step_arg *arg,
                          struct threshold *out, struct error *err)
{
    *out = (struct threshold){find_parameter(nest, arg->name), arg->value};
    return out->symbol ? check_value(nest, out->symbol, arg->value, err)
                       : no_parameter(nest, arg->name, err);
}

int tree_when(struct work *work, const struct plan_step *step, struct error *err)
{
    struct threshold threshold;
    for (size_t i = 0; i < step->arg_nr; i++)
        if (find_threshold(work->nest, &step->arg[i], &threshold, err))
            return STEP_IDLE; /* a nest that no step changes needs none */
    return 0;
}

/* ---- the whole plan ---- */

static void add_threshold(struct work *work, struct threshold new)
{
    for (size_t i = 0; i < work->when_nr; i++)
        if (work->when[i].symbol == new.symbol) {
            if (new.least > work->when[i].least)
                work->when[i].least = new.least;
            return;
        }
    GROW(work->when, work->when_nr + 1, work->when_alloc);
    work->when[work->when_nr++] = new;
}

static int add_thresholds(struct work *work, const struct plan_step *step,
                          struct error *err)
{
    for (size_t i = 0; i < step->arg_nr; i++) {
        struct threshold new;
        if (find_threshold(work->nest, &step->arg[i], &new, err))
            return -1;
        add_threshold(work, new);
    }
    return 0;
}

int works_when(struct model *model, const struct plan *plan, struct work *works,
               struct error *err)
{
    for (size_t k = 0; k < plan->step_nr; k++) {
        const struct plan_step *step = plan->step[k];
        size_t changed = 0;
        if (step->kind != STEP_WHEN)
            continue;
        for (size_t i = 0; i < model->nest_nr; i++) {
            if (!works[i].touched || !plan_step_means(step, i))
                continue;
            if (add_thresholds(&works[i], step, err))
                return -1;
            changed++;
        }
        if (!changed)
            return fail(err, STATUS_USAGE,
                        "when has nothing to do: no other step of the plan changes a "
                        "nest that it is for; write it beside one that does, as in "
                        "tile(i:32) when(%s:%lld)",
                        step->arg[0].name, step->arg[0].value);
    }
    return 0;
}
