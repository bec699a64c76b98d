#include "variants/kernel/kernel_tuned.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "variants/kernel/kernel_parts.h"
#include "variants/parse/parse.h"
#include "variants/plan/plan.h"

/* ---- opening and looking ---- */

int kernel_tuned_open(struct kernel *kernel, struct error *err)
{
    struct kernel_tuned *tuned = &kernel->tuned;
    if (tunables_read(kernel->function, &kernel->words, &kernel->cflags,
                      KERNEL_TUNABLES_MAX, &tuned->tunables, err))
        return -1;
    tuned->view = xcalloc(tuned->tunables.nr + 1, sizeof(*tuned->view));
    for (size_t i = 0; i < tuned->tunables.nr; i++) {
        const struct tunable *tunable = &tuned->tunables.item[i];
        tuned->view[i] = (struct kernel_tunable){.name = tunable->name,
                                                 .value = tunable->values.v,
                                                 .value_nr = tunable->values.nr,
                                                 .now = tunable->place.now,
                                                 .line = tunable->place.line};
    }
    return 0;
}

static void tuned_release(struct tuned *tuned)
{
    free(tuned->value);
    model_free(tuned->model);
    ir_function_free(tuned->function);
    *tuned = (struct tuned){0};
}

void kernel_tuned_release(struct kernel *kernel)
{
    for (size_t i = 0; i < TUNED_MAX; i++)
        tuned_release(&kernel->tuned.item[i]);
    free(kernel->tuned.view);
    tunables_release(&kernel->tuned.tunables);
}

void kernel_tuned_view(const struct kernel *kernel, struct kernel_view *view)
{
    const struct tunables *tunables = &kernel->tuned.tunables;
    view->tunable = kernel->tuned.view;
    view->tunable_nr = tunables->nr;
    view->constraint = (const char *const *)tunables->constraint.v;
    view->constraint_nr = tunables->constraint.nr;
}

/* ---- constraints ---- */

struct known {
    const struct kernel_view *view;
    const long long *value;
    struct kernel *kernel; /* parameters by name; NULL = those of the view */
};

static int lookup_known(void *data, const char *name, struct directive_number *out)
{
    const struct known *known = data;
    const struct kernel_view *view = known->view;
    for (size_t i = 0; i < view->tunable_nr; i++)
        if (!strcmp(view->tunable[i].name, name)) {
            *out = directive_integer(known->value[i]);
            return 0;
        }
    if (known->kernel)
        return kernel_lookup(known->kernel, name, out);
    for (size_t i = 0; i < view->param_nr; i++)
        if (!strcmp(view->param[i].name, name) && view->param[i].is_set) {
            *out = view->param[i].is_integer
                       ? directive_integer((long long)view->param[i].value)
                       : directive_real(view->param[i].value);
            return 0;
        }
    return -1;
}

static int check_constraints(struct known *known, struct buf *notes, struct error *err)
{
    for (size_t i = 0; i < known->view->constraint_nr; i++) {
        const char *text = known->view->constraint[i];
        struct error why = {0};
        bool holds = true;
        if (constraint_eval(text, lookup_known, known, &holds, &why)) {
            if (notes)
                buf_addf(notes, "the constraint %s was not checked: %s\n", text,
                         why.text);
        } else if (!holds) {
            return fail(err, STATUS_USAGE,
                        "the plan's values violate the constraint '%s'", text);
        }
    }
    return 0;
}

int kernel_tunables_allowed(const struct kernel_view *view, const long long *value,
                            struct error *err)
{
    return check_constraints(&(struct known){view, value, NULL}, NULL, err);
}

/* ---- the plan's values ---- */

static int no_such_tunable(const struct tunables *tunables, const char *name,
                           struct error *err)
{
    struct buf all = {0};
    for (size_t i = 0; i < tunables->nr; i++)
        buf_addf(&all, "%s%s", i ? ", " : "", tunables->item[i].name);
    fail(err, STATUS_USAGE, "'%s' in set is not a tunable; %s%s", name,
         all.length ? "there are: "
                    : "there is none: write '#pragma inflight tunable NAME in {8,16}' or "
                      "--tunable 'NAME in {8,16}'",
         buf_str(&all));
    buf_release(&all);
    return -1;
}

static int not_listed(const struct tunable *tunable, long long value, struct error *err)
{
    struct buf all = {0};
    size_t max = 20;
    for (size_t i = 0; i < tunable->values.nr && i < max; i++)
        buf_addf(&all, "%s%lld", i ? ", " : "", tunable->values.v[i]);
    fail(err, STATUS_USAGE, "'%s:%lld' in set: the tunable may be %s%s", tunable->name,
         value, buf_str(&all), tunable->values.nr > max ? ", ..." : "");
    buf_release(&all);
    return -1;
}

static int put_value(const struct tunables *tunables, const struct step_arg *arg,
                     long long *value, bool *given, struct error *err)
{
    size_t i = 0, k = 0;
    while (i < tunables->nr && strcmp(tunables->item[i].name, arg->name))
        i++;
    if (i == tunables->nr)
        return no_such_tunable(tunables, arg->name, err);
    const struct tunable *tunable = &tunables->item[i];
    while (k < tunable->values.nr && tunable->values.v[k] != arg->value)
        k++;
    if (k == tunable->values.nr && arg->value != tunable->place.now)
        return not_listed(tunable, arg->value, err);
    if (given[i])
        return fail(err, STATUS_USAGE, "'%s' is set twice in the plan", arg->name);
    given[i] = true;
    value[i] = arg->value;
    return 0;
}

static int put_values(const struct tunables *tunables, const struct plan *plan,
                      long long *value, struct error *err)
{
    bool *given = xcalloc(tunables->nr + 1, sizeof(*given));
    int status = 0;
    for (size_t i = 0; i < tunables->nr; i++)
        value[i] = tunables->item[i].place.now;
    for (size_t i = 0; i < plan->step_nr; i++)
        for (size_t k = 0;
             !status && plan->step[i]->kind == STEP_SET && k < plan->step[i]->arg_nr; k++)
            status = put_value(tunables, &plan->step[i]->arg[k], value, given, err);
    free(given);
    return status;
}

/* ---- the edited file ---- */

static char *extents_of(const struct ir_symbol *symbol)
{
    struct buf text = {0};
    for (size_t i = 0; i < symbol->dim_nr; i++) {
        buf_add(&text, "[");
        if (symbol->dim[i])
            ir_print_expr(&text, symbol->dim[i]);
        buf_add(&text, "]");
    }
    return buf_detach(&text);
}

static const struct ir_symbol *same_symbol(const struct ir_function *function,
                                           const struct ir_symbol *symbol)
{
    for (size_t i = 0; i < function->symbol_nr; i++)
        if (function->symbol[i]->role == symbol->role &&
            !strcmp(function->symbol[i]->name, symbol->name))
            return function->symbol[i];
    return NULL;
}

/* Arrays that callers or other functions see must stay as large as they are: they hold
 * what is compared. */
static int check_extents(const struct kernel *kernel, const struct ir_function *tuned,
                         struct error *err)
{
    for (size_t i = 0; i < kernel->function->symbol_nr; i++) {
        const struct ir_symbol *symbol = kernel->function->symbol[i];
        const struct ir_symbol *other = same_symbol(tuned, symbol);
        if (!other || (symbol->role != IR_PARAM && symbol->role != IR_GLOBAL))
            continue;
        char *before = extents_of(symbol), *after = extents_of(other);
        bool same = !strcmp(before, after);
        free(before);
        free(after);
        if (!same)
            return fail(err, STATUS_USAGE,
                        "%s:%d: a tunable determines the extent of '%s', which is not "
                        "local to the function; a plan cannot change that",
                        kernel->function->path, symbol->line, symbol->name);
    }
    return 0;
}

static int tuned_make(struct kernel *kernel, struct tuned *tuned, struct error *err)
{
    const struct ir_function *function = kernel->function;
    struct model_request request = kernel->model_request;
    char *text = tunables_edit(&kernel->tuned.tunables, function->source,
                               function->source_length, tuned->value);
    int status = ir_parse(function->path, text, 0, function->name, &kernel->cflags,
                          &tuned->function, err);
    free(text);
    if (!status)
        status = check_extents(kernel, tuned->function, err);
    request.function = tuned->function;
    return status ? -1 : model_build(&request, &tuned->model, err);
}

/* The one with these values, or the one that was not used for longest, emptied. */
static struct tuned *find_tuned(struct kernel_tuned *all, const long long *value)
{
    size_t bytes = all->tunables.nr * sizeof(*value);
    struct tuned *oldest = &all->item[0];
    for (size_t i = 0; i < TUNED_MAX; i++) {
        struct tuned *tuned = &all->item[i];
        if (tuned->model && !memcmp(tuned->value, value, bytes))
            return tuned;
        if (tuned->used < oldest->used)
            oldest = tuned;
    }
    tuned_release(oldest);
    oldest->value = xcalloc(all->tunables.nr, sizeof(*value));
    memcpy(oldest->value, value, bytes);
    return oldest;
}

static int model_with(struct kernel *kernel, const long long *value, struct model **model,
                      struct error *err)
{
    struct tuned *tuned = find_tuned(&kernel->tuned, value);
    if (!tuned->model && tuned_make(kernel, tuned, err)) {
        tuned_release(tuned);
        return -1;
    }
    tuned->used = ++kernel->tuned.clock;
    *model = tuned->model;
    return 0;
}

static bool is_as_written(const struct tunables *tunables, const long long *value)
{
    for (size_t i = 0; i < tunables->nr; i++)
        if (value[i] != tunables->item[i].place.now)
            return false;
    return true;
}

int kernel_tuned_model(struct kernel *kernel, const struct plan *plan,
                       struct model **model, struct buf *notes, struct error *err)
{
    const struct tunables *tunables = &kernel->tuned.tunables;
    *model = kernel->model;
    if (!plan_has(plan, STEP_SET))
        return 0;
    long long *value = xcalloc(tunables->nr + 1, sizeof(*value));
    struct kernel_view view = {0};
    kernel_tuned_view(kernel, &view);
    int status = put_values(tunables, plan, value, err);
    if (!status)
        status = check_constraints(&(struct known){&view, value, kernel}, notes, err);
    if (!status && !is_as_written(tunables, value))
        status = model_with(kernel, value, model, err);
    free(value);
    return status;
}
