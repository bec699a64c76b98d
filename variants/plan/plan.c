/* The grammar of plans: one table of transformations, a parser, the canonical text. */
#include "variants/plan/plan.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "core/base.h"

enum { VALUE_MAX = 1 << 30, UNROLL_MAX = 64, NESTS_MAX = 999 };

enum arguments { NAMES, NAMES_OPTIONAL, NAME_VALUES, NAME_VALUES_OPTIONAL };

struct shape {
    enum arguments arguments;
    size_t least; /* number of names */
    long long low, high;
    unsigned options; /* bits of enum step_option */
};

/* By enum step_kind. */
static const struct transformation table[] = {
    {"tile", "tile(i:64,j:64)",
     "work on blocks; new loops it, jt ... go outside of the outermost loop named, in "
     "the order named; once more for another level"},
    {"skew_tile", "skew_tile(t:8,i:64)",
     "blocks of loops that are skewed as far as their dependences need it: stencils "
     "tiled in time"},
    {"interchange", "interchange(i,k,j)",
     "new order of perfectly nested loops, outermost first"},
    {"skew", "skew(i,t:1)",
     "each iteration of t starts the loop i inside of it so much later"},
    {"fuse", "fuse(i)",
     "adjacent loops of this name become one; fuse(i,shift:1) runs the second one "
     "iteration behind"},
    {"distribute", "distribute(i)",
     "a loop of its own for every part of the loop's body"},
    {"unroll_jam", "unroll_jam(i:4)",
     "unroll an outer loop and fuse the copies innermost; several at once: "
     "unroll_jam(i:4,j:2)"},
    {"unroll", "unroll(j:4)", "several iterations of a loop as straight code"},
    {"full", "full(i)",
     "complete blocks of this tiled loop get code of their own, with constant trip "
     "counts"},
    {"pack", "pack(B,kt)",
     "copy what the array's tile holds into a local buffer at the top of the loop named; "
     "pack(B,kt,j:32) in panels of 32 along j, one behind the other"},
    {"vec", "vec(j:8)",
     "complete blocks of so many iterations as one operation on vector types"},
    {"pad", "pad(a:8)", "so many more elements in each row of a local array"},
    {"simd", "simd",
     "vector pragma on the innermost loops, or on those named: simd(j); hints: "
     "simd(j,width:8,interleave:4)"},
    {"parallel", "parallel(i)",
     "omp parallel for; how iterations are handed out: "
     "parallel(i,schedule:dynamic,chunk:4)"},
    {"prefetch", "prefetch(a:16)",
     "software prefetch so many iterations of the innermost loop ahead; "
     "prefetch(a:16,to:L2) to L2 only, to:NT past the caches; prefetch(a:2,at:i) all "
     "that iterations of the outer loop i to come touch"},
    {"nontemporal", "nontemporal(a)", "stores to the array go past the caches"},
    {"set", "set(TILE:64)", "value of a `#pragma inflight tunable`"},
};

static const struct shape shapes[] = {
    [STEP_TILE] = {NAME_VALUES, 1, 2, VALUE_MAX, 0},
    [STEP_SKEW_TILE] = {NAME_VALUES, 1, 2, VALUE_MAX, 0},
    [STEP_INTERCHANGE] = {NAMES, 2, 0, 0, 0},
    [STEP_SKEW] = {NAME_VALUES_OPTIONAL, 2, -64, 64, 0},
    [STEP_FUSE] = {NAMES, 1, 0, 0, 1U << OPTION_SHIFT},
    [STEP_DISTRIBUTE] = {NAMES, 1, 0, 0, 0},
    [STEP_UNROLL_JAM] = {NAME_VALUES, 1, 2, UNROLL_MAX, 0},
    [STEP_UNROLL] = {NAME_VALUES, 1, 2, UNROLL_MAX, 0},
    [STEP_FULL] = {NAMES, 1, 0, 0, 0},
    [STEP_PACK] = {NAME_VALUES_OPTIONAL, 2, 2, VALUE_MAX, 0},
    [STEP_VEC] = {NAME_VALUES, 1, 2, UNROLL_MAX, 0},
    [STEP_PAD] = {NAME_VALUES, 1, 1, VALUE_MAX, 0},
    [STEP_SIMD] = {NAMES_OPTIONAL, 0, 0, 0, 1U << OPTION_WIDTH | 1U << OPTION_INTERLEAVE},
    [STEP_PARALLEL] = {NAMES, 1, 0, 0, 1U << OPTION_SCHEDULE | 1U << OPTION_CHUNK},
    [STEP_PREFETCH] = {NAME_VALUES, 1, 1, VALUE_MAX, 1U << OPTION_TO | 1U << OPTION_AT},
    [STEP_NONTEMPORAL] = {NAMES, 1, 0, 0, 0},
    [STEP_SET] = {NAME_VALUES, 1, -VALUE_MAX, VALUE_MAX, 0},
};

/* Options take a number, one of words, or the name of a loop. */
static const struct option_shape {
    const char *name;
    const char *word[4]; /* the first stands for 1 */
    long long high;      /* numbers: 1 .. high; 0 without words: a name */
} options[] = {
    [OPTION_TO] = {.name = "to", .word = {"L1", "L2", "NT"}},
    [OPTION_SHIFT] = {.name = "shift", .high = VALUE_MAX},
    [OPTION_WIDTH] = {.name = "width", .high = UNROLL_MAX},
    [OPTION_INTERLEAVE] = {.name = "interleave", .high = 16},
    [OPTION_SCHEDULE] = {.name = "schedule", .word = {"static", "dynamic", "guided"}},
    [OPTION_CHUNK] = {.name = "chunk", .high = VALUE_MAX},
    [OPTION_AT] = {.name = "at"},
};

const char *schedule_word(enum step_schedule schedule)
{
    return schedule ? options[OPTION_SCHEDULE].word[schedule - 1] : NULL;
}

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

/* An identifier, or a path of fields: p.x, g->v. */
static size_t word_length(const char *at)
{
    size_t length = 0;
    if (isdigit((unsigned char)*at))
        return 0;
    while (isalnum((unsigned char)at[length]) || at[length] == '_' ||
           (length && (at[length] == '.' || !strncmp(at + length, "->", 2))))
        length += at[length] == '-' ? 2 : 1;
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
    if (end == *at || (!isdigit((unsigned char)**at) && shape->low >= 0))
        return fail(err, STATUS_USAGE, "'%s' in %s needs a number, as in %s", name,
                    table[step->kind].name, table[step->kind].syntax);
    if (*value < shape->low || *value > shape->high)
        return fail(err, STATUS_USAGE, "'%s:%lld' in %s is not within %lld to %lld", name,
                    *value, table[step->kind].name, shape->low, shape->high);
    *at = end;
    return 0;
}

static void name_words(const struct option_shape *option, struct buf *out)
{
    for (size_t i = 0; option->word[i]; i++)
        buf_addf(out, "%s%s:%s", i ? ", " : "", option->name, option->word[i]);
}

static int parse_word(const char **at, const struct plan_step *step,
                      const struct option_shape *option, long long *value,
                      struct error *err)
{
    struct buf all = {0};
    size_t length = word_length(*at);
    for (size_t i = 0; option->word[i]; i++)
        if (strlen(option->word[i]) == length && !memcmp(*at, option->word[i], length)) {
            *at += length;
            *value = (long long)i + 1;
            return 0;
        }
    name_words(option, &all);
    fail(err, STATUS_USAGE, "%s takes %s", table[step->kind].name, buf_str(&all));
    buf_release(&all);
    return -1;
}

static int parse_loop(const char **at, struct plan_step *step, struct error *err)
{
    size_t length = word_length(*at);
    if (!length || step->at)
        return fail(err, STATUS_USAGE,
                    "at in %s names one loop, as in prefetch(a:2,at:i)",
                    table[step->kind].name);
    step->at = xstrndup(*at, length);
    step->option[OPTION_AT] = 1;
    *at += length;
    return 0;
}

static int parse_option(const char **at, struct plan_step *step, enum step_option which,
                        struct error *err)
{
    const struct option_shape *option = &options[which];
    char *end;
    if (option->word[0])
        return parse_word(at, step, option, &step->option[which], err);
    if (!option->high)
        return parse_loop(at, step, err);
    step->option[which] = strtoll(*at, &end, 10);
    if (end == *at || step->option[which] < 1 || step->option[which] > option->high)
        return fail(err, STATUS_USAGE, "%s in %s is a number from 1 to %lld",
                    option->name, table[step->kind].name, option->high);
    *at = end;
    return 0;
}

/* The option that the name says, OPTION_NR = none that this step has. */
static enum step_option find_option(const struct plan_step *step, const char *name)
{
    unsigned which = 0;
    while (which < OPTION_NR && (!(shapes[step->kind].options & 1U << which) ||
                                 strcmp(options[which].name, name)))
        which++;
    return which;
}

static void add_arg(struct plan_step *step, char *name, long long value, bool has_value)
{
    GROW(step->arg, step->arg_nr + 1, step->arg_alloc);
    step->arg[step->arg_nr++] =
        (struct step_arg){.name = name, .value = value, .has_value = has_value};
}

static int arg_is_new(const struct plan_step *step, const char *name, struct error *err)
{
    for (size_t i = 0; i < step->arg_nr; i++)
        if (!strcmp(step->arg[i].name, name))
            return fail(err, STATUS_USAGE, "'%s' stands twice in %s", name,
                        table[step->kind].name);
    return 0;
}

/* What may stand behind a name: nothing, or ":64". */
static int parse_named(const char **at, struct plan_step *step, char *name,
                       struct error *err)
{
    enum arguments arguments = shapes[step->kind].arguments;
    bool may = arguments == NAME_VALUES || arguments == NAME_VALUES_OPTIONAL;
    bool has = may && **at == ':';
    long long value = 0;
    if (arguments == NAME_VALUES && !has)
        return fail(err, STATUS_USAGE, "'%s' in %s needs a number, as in %s", name,
                    table[step->kind].name, table[step->kind].syntax);
    if (has)
        *at = skip_space(*at + 1);
    if (arg_is_new(step, name, err) || (has && parse_value(at, step, name, &value, err)))
        return -1;
    add_arg(step, name, value, has);
    return 0;
}

/* One of `i`, `i:64`, `to:L2`. */
static int parse_arg(const char **at, struct plan_step *step, struct error *err)
{
    size_t length = word_length(*at);
    if (!length)
        return fail(err, STATUS_USAGE, "a name is missing in %s; write %s",
                    table[step->kind].name, table[step->kind].syntax);
    char *name = xstrndup(*at, length);
    *at = skip_space(*at + length);
    enum step_option option = **at == ':' ? find_option(step, name) : OPTION_NR;
    if (option != OPTION_NR && (options[option].word[0] || !options[option].high) &&
        isdigit((unsigned char)*skip_space(*at + 1)))
        option = OPTION_NR; /* an array of that name */
    if (option == OPTION_NR) {
        if (!parse_named(at, step, name, err))
            return 0;
        free(name);
        return -1;
    }
    free(name);
    *at = skip_space(*at + 1);
    return parse_option(at, step, option, err);
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
    *step = (struct plan_step){.kind = (enum step_kind)kind};
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

/* "nest(2)": what follows is for the second nest alone, up to the next; nest(all): for
 * all again. Anything else is left where it is. */
static int parse_nest(const char **at, int *nest, struct error *err)
{
    static const char word[] = "nest", all[] = "all";
    char *end;
    if (word_length(*at) != strlen(word) || strncmp(*at, word, strlen(word)) != 0)
        return 0;
    const char *next = skip_space(*at + strlen(word));
    next = skip_space(next + (*next == '('));
    bool is_all = !strncmp(next, all, strlen(all));
    long number = is_all ? 0 : strtol(next, &end, 10);
    next = skip_space(is_all ? next + strlen(all) : end);
    if ((!is_all && (number < 1 || number > NESTS_MAX)) || *next != ')')
        return fail(err, STATUS_USAGE,
                    "nest takes the number of a nest of the function, from 1 on, or all, "
                    "as in nest(2) tile(i:64) nest(all)");
    *nest = (int)number;
    *at = skip_space(next + 1);
    return 0;
}

static int parse_next(const char **at, int *nest, struct plan *plan, struct error *err)
{
    const char *before = *at;
    if (parse_nest(at, nest, err))
        return -1;
    if (*at != before)
        return 0;
    GROW(plan->step, plan->step_nr + 1, plan->step_alloc);
    struct plan_step *step = &plan->step[plan->step_nr++];
    *step = (struct plan_step){0};
    if (parse_step(at, step, err))
        return -1;
    step->nest = *nest;
    *at = skip_space(*at);
    return 0;
}

int plan_parse(const char *text, struct plan **out, struct error *err)
{
    struct plan *plan = xcalloc(1, sizeof(*plan));
    const char *at = skip_space(text);
    int nest = 0;
    while (*at)
        if (parse_next(&at, &nest, plan, err)) {
            plan_free(plan);
            return -1;
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
        free(plan->step[i].at);
    }
    free(plan->step);
    free(plan);
}

static void add_options(const struct plan_step *step, struct buf *out)
{
    bool first = !step->arg_nr;
    for (size_t i = 0; i < OPTION_NR; i++) {
        bool is_default = i == OPTION_TO && step->option[i] == 1;
        if (!step->option[i] || is_default)
            continue;
        buf_addf(out, "%c%s:", first ? '(' : ',', options[i].name);
        if (options[i].word[0])
            buf_add(out, options[i].word[step->option[i] - 1]);
        else if (!options[i].high)
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
    buf_add(out, table[step->kind].name);
    for (size_t i = 0; i < step->arg_nr; i++) {
        buf_addf(out, "%s%s", i ? "," : "(", step->arg[i].name);
        if (step->arg[i].has_value)
            buf_addf(out, ":%lld", step->arg[i].value);
    }
    add_options(step, out);
}

bool plan_step_means(const struct plan_step *step, size_t nest)
{
    return !step->nest || (size_t)step->nest == nest + 1;
}

bool plan_has(const struct plan *plan, enum step_kind kind)
{
    for (size_t i = 0; plan && i < plan->step_nr; i++)
        if (plan->step[i].kind == kind)
            return true;
    return false;
}

char *plan_text(const struct plan *plan)
{
    struct buf text = {0};
    int nest = 0;
    for (size_t i = 0; i < plan->step_nr; i++) {
        const struct plan_step *step = &plan->step[i];
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
