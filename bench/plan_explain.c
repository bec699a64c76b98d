#include "bench/plan_explain.h"

#include <stdlib.h>
#include <string.h>

static bool names_symbol(const char *refusal, const char *name)
{
    char *quoted = xasprintf("'%s'", name);
    bool found = strstr(refusal, quoted);

    free(quoted);
    return found;
}

static bool is_approximate(const struct kernel *kernel, const char *refusal)
{
    struct kernel_view view = kernel_view(kernel);

    if (strstr(refusal, "cannot be told from the source"))
        return true;
    for (size_t i = 0; i < view.access_nr; i++) {
        const struct kernel_access *access = &view.access[i];
        bool loose = access->access_class == ACCESS_INDIRECT ||
                     access->access_class == ACCESS_IRREGULAR ||
                     (access->loop >= 0 && !view.loop[access->loop].modelled);

        if (loose && access->array >= 0 &&
            names_symbol(refusal, view.array[access->array].name))
            return true;
    }
    return false;
}

/* "sum written at line 12", "count[k] written at line 7" */
static bool is_written_one(const char *refusal, const char *name)
{
    const char *written = strstr(refusal, " written at line"), *begin = written;
    size_t length = strlen(name);

    while (begin && begin > refusal && begin[-1] != ' ')
        begin--;
    return written && strncmp(begin, name, length) == 0 &&
           (begin[length] == '[' || begin + length == written);
}

/* Integers: sums and extremes are the same in any order. */
static bool is_exact(const struct kernel *kernel, const char *refusal)
{
    const struct ir_function *function = kernel->function;

    for (size_t i = 0; i < function->symbol_nr; i++)
        if (function->symbol[i]->type.scalar == IR_INT &&
            (names_symbol(refusal, function->symbol[i]->name) ||
             is_written_one(refusal, function->symbol[i]->name)))
            return true;
    return false;
}

/* What is refused is a promise to the compiler; the order in the text is the source's. */
static bool is_unused_promise(const struct kernel *kernel, const char *refusal)
{
    (void)kernel;
    return strstr(refusal, "no innermost loop can be vectorised") != NULL;
}

static bool is_undecided(const struct kernel *kernel, const char *refusal)
{
    (void)kernel;
    return strstr(refusal, "too complex to decide") != NULL;
}

static const struct {
    const char *text;
    bool (*applies)(const struct kernel *kernel, const char *refusal);
} table[] = {
    {PLAN_PROMISE, is_unused_promise},
    {"not decided within the limit of operations", is_undecided},
    {"over-approximated subscripts", is_approximate},
    {"integers, the same in any order", is_exact},
};

const char *const *plan_explanations(size_t *nr)
{
    static const char *all[ARRAY_SIZE(table) + 1];

    for (size_t i = 0; i < ARRAY_SIZE(table); i++)
        all[i] = table[i].text;
    all[ARRAY_SIZE(table)] = PLAN_UNEXPLAINED;
    *nr = ARRAY_SIZE(all);
    return all;
}

const char *plan_explain(const struct kernel *kernel, const struct plan_try *try)
{
    for (size_t i = 0; i < ARRAY_SIZE(table); i++)
        if (table[i].applies(kernel, try->refusal))
            return table[i].text;
    return PLAN_UNEXPLAINED;
}
