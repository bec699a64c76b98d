/* The grammar of plans: one table of transformations, a parser, the canonical text. */
#include "variants/plan.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { VALUE_MAX = 1 << 30, UNROLL_MAX = 64 };

enum arguments { NAMES, NAMES_OPTIONAL, NAME_VALUES, NAME_VALUES_LEVEL };

struct shape {
    enum arguments arguments;
    size_t least; /* number of names */
    long long low, high;
};

/* By enum step_kind. */
static const struct transformation table[] = {
    {"tile", "tile(i:64,j:64)",
     "work on blocks; new loops it, jt ... go outside of the outermost loop named, in "
     "the order named"},
    {"interchange", "interchange(i,k,j)",
     "new order of perfectly nested loops, outermost first"},
    {"unroll_jam", "unroll_jam(i:4)",
     "unroll an outer loop and fuse the copies innermost; several at once: "
     "unroll_jam(i:4,j:2)"},
    {"unroll", "unroll(j:4)", "several iterations of a loop as straight code"},
    {"simd", "simd", "vector pragma on the innermost loops, or on those named: simd(j)"},
    {"prefetch", "prefetch(a:16)",
     "software prefetch so many iterations of the innermost loop ahead; "
     "prefetch(a:16,to:L2) to L2 only"},
};

static const struct shape shapes[] = {
    {NAME_VALUES, 1, 2, VALUE_MAX},  {NAMES, 2, 0, 0},
    {NAME_VALUES, 1, 2, UNROLL_MAX}, {NAME_VALUES, 1, 2, UNROLL_MAX},
    {NAMES_OPTIONAL, 0, 0, 0},       {NAME_VALUES_LEVEL, 1, 1, VALUE_MAX},
};

const struct transformation *transformations(size_t *nr)
{
    *nr = ARRAY_SIZE(table);
    return table;
}

static const char *skip_space(const char *at)
{
    while (isspace((unsigned char)*at))
        at++;
    return at;
}

static size_t word_length(const char *at)
{
    size_t length = 0;
    if (isdigit((unsigned char)*at))
        return 0;
    while (isalnum((unsigned char)at[length]) || at[length] == '_')
        length++;
    return length;
}

static void name_all(struct buf *out)
{
    for (size_t i = 0; i < ARRAY_SIZE(table); i++)
        buf_addf(out, "%s%s", i ? ", " : "", table[i].name);
}

static int find_kind(const char *at, size_t length, struct error *err)
{
    struct buf all = {0};
    for (size_t i = 0; i < ARRAY_SIZE(table); i++)
        if (strlen(table[i].name) == length && !memcmp(table[i].name, at, length))
            return (int)i;
    name_all(&all);
    fail(err, STATUS_USAGE, "unknown transformation '%.*s' in the plan; there are %s",
         (int)(length ? length : strlen(at)), at, buf_str(&all));
    buf_release(&all);
    return -1;
}

static int parse_value(const char **at, const struct plan_step *step, const char *name,
                       long long *value, struct error *err)
{
    const struct shape *shape = &shapes[step->kind];
    char *end;
    *value = strtoll(*at, &end, 10);
    if (end == *at || !isdigit((unsigned char)**at))
        return fail(err, STATUS_USAGE, "'%s' in %s needs a number, as in %s", name,
                    table[step->kind].name, table[step->kind].syntax);
    if (*value < shape->low || *value > shape->high)
        return fail(err, STATUS_USAGE, "'%s:%lld' in %s is not within %lld to %lld", name,
                    *value, table[step->kind].name, shape->low, shape->high);
    *at = end;
    return 0;
}

static int parse_level(const char **at, struct plan_step *step, struct error *err)
{
    if (strncmp(*at, "L1", 2) && strncmp(*at, "L2", 2))
        return fail(err, STATUS_USAGE, "prefetch goes to:L1 or to:L2");
    step->level = (*at)[1] - '0';
    *at += 2;
    return 0;
}

static void add_arg(struct plan_step *step, char *name, long long value)
{
    GROW(step->arg, step->arg_nr + 1, step->arg_alloc);
    step->arg[step->arg_nr++] = (struct step_arg){.name = name, .value = value};
}

static int arg_is_new(const struct plan_step *step, const char *name, struct error *err)
{
    for (size_t i = 0; i < step->arg_nr; i++)
        if (!strcmp(step->arg[i].name, name))
            return fail(err, STATUS_USAGE, "'%s' stands twice in %s", name,
                        table[step->kind].name);
    return 0;
}

/* One of `i`, `i:64`, `to:L2`. */
static int parse_arg(const char **at, struct plan_step *step, struct error *err)
{
    enum arguments arguments = shapes[step->kind].arguments;
    bool valued = arguments == NAME_VALUES || arguments == NAME_VALUES_LEVEL;
    size_t length = word_length(*at);
    long long value = 0;
    int status = -1;
    if (!length)
        return fail(err, STATUS_USAGE, "a name is missing in %s; write %s",
                    table[step->kind].name, table[step->kind].syntax);
    char *name = xstrndup(*at, length);
    *at = skip_space(*at + length);
    if (valued && **at != ':') {
        fail(err, STATUS_USAGE, "'%s' in %s needs a number, as in %s", name,
             table[step->kind].name, table[step->kind].syntax);
        goto out;
    }
    if (valued)
        *at = skip_space(*at + 1);
    if (arguments == NAME_VALUES_LEVEL && !strcmp(name, "to")) {
        status = parse_level(at, step, err);
        goto out;
    }
    if (arg_is_new(step, name, err) ||
        (valued && parse_value(at, step, name, &value, err)))
        goto out;
    add_arg(step, name, value);
    return 0;
out:
    free(name);
    return status;
}

static int parse_args(const char **at, struct plan_step *step, struct error *err)
{
    const char *name = table[step->kind].name;
    do {
        *at = skip_space(*at + 1);
        if (parse_arg(at, step, err))
            return -1;
        *at = skip_space(*at);
    } while (**at == ',');
    if (**at != ')')
        return fail(err, STATUS_USAGE, "a ')' is missing in %s; write %s", name,
                    table[step->kind].syntax);
    ++*at;
    return 0;
}

static int parse_step(const char **at, struct plan_step *step, struct error *err)
{
    size_t length = word_length(*at);
    int kind = find_kind(*at, length, err);
    if (kind < 0)
        return -1;
    *step =
        (struct plan_step){.kind = (enum step_kind)kind, .level = kind == STEP_PREFETCH};
    *at += length;
    if (*skip_space(*at) == '(') {
        *at = skip_space(*at);
        if (parse_args(at, step, err))
            return -1;
    }
    if (step->arg_nr < shapes[kind].least)
        return fail(err, STATUS_USAGE, "%s needs at least %zu name%s; write %s",
                    table[kind].name, shapes[kind].least,
                    shapes[kind].least == 1 ? "" : "s", table[kind].syntax);
    return 0;
}

int plan_parse(const char *text, struct plan **out, struct error *err)
{
    struct plan *plan = xcalloc(1, sizeof(*plan));
    const char *at = skip_space(text);
    while (*at) {
        GROW(plan->step, plan->step_nr + 1, plan->step_alloc);
        plan->step[plan->step_nr] = (struct plan_step){0};
        if (parse_step(&at, &plan->step[plan->step_nr++], err)) {
            plan_free(plan);
            return -1;
        }
        at = skip_space(at);
    }
    *out = plan;
    return 0;
}

void plan_free(struct plan *plan)
{
    if (!plan)
        return;
    for (size_t i = 0; i < plan->step_nr; i++) {
        for (size_t k = 0; k < plan->step[i].arg_nr; k++)
            free(plan->step[i].arg[k].name);
        free(plan->step[i].arg);
    }
    free(plan->step);
    free(plan);
}

void plan_step_text(const struct plan_step *step, struct buf *out)
{
    buf_add(out, table[step->kind].name);
    for (size_t i = 0; i < step->arg_nr; i++) {
        buf_addf(out, "%s%s", i ? "," : "(", step->arg[i].name);
        if (step->arg[i].value)
            buf_addf(out, ":%lld", step->arg[i].value);
    }
    if (step->level == 2)
        buf_add(out, ",to:L2");
    if (step->arg_nr)
        buf_add(out, ")");
}

char *plan_text(const struct plan *plan)
{
    struct buf text = {0};
    for (size_t i = 0; i < plan->step_nr; i++) {
        if (i)
            buf_add(&text, " ");
        plan_step_text(&plan->step[i], &text);
    }
    return buf_detach(&text);
}
