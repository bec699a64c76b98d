/* Text to plan: the grammar, by what the table says of each step. */
#include "variants/plan/plan_table.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "core/base.h"

enum { NESTS_MAX = 999 };

/* A step while it is read. */
struct reading {
    const struct transformation *row;
    struct plan_step step;
    struct step_arg *arg;
    size_t arg_nr, arg_alloc;
    struct strvec names; /* of the arguments */
    char *at;
};

static void reading_release(struct reading *reading)
{
    strvec_release(&reading->names);
    free(reading->arg);
    free(reading->at);
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
    for (unsigned i = 0; i < STEP_KIND_NR; i++)
        buf_addf(out, "%s%s", i ? ", " : "", transformation_of(i)->name);
}

static int find_kind(const char *at, size_t length, struct error *err)
{
    struct buf all = {0};
    for (unsigned i = 0; i < STEP_KIND_NR; i++) {
        const char *name = transformation_of(i)->name;
        if (strlen(name) == length && !memcmp(name, at, length))
            return (int)i;
    }
    name_all(&all);
    fail(err, STATUS_USAGE, "unknown transformation '%.*s' in the plan; there are %s",
         (int)(length ? length : strlen(at)), at, buf_str(&all));
    buf_release(&all);
    return -1;
}

static int parse_value(const char **at, const struct reading *reading, const char *name,
                       long long *value, struct error *err)
{
    const struct transformation *row = reading->row;
    char *end;
    *value = strtoll(*at, &end, 10);
    if (end == *at || (!isdigit((unsigned char)**at) && row->low >= 0))
        return fail(err, STATUS_USAGE, "'%s' in %s needs a number, as in %s", name,
                    reading->row->name, reading->row->syntax);
    if (*value < row->low || *value > row->high)
        return fail(err, STATUS_USAGE, "'%s:%lld' in %s is not within %lld to %lld", name,
                    *value, reading->row->name, row->low, row->high);
    *at = end;
    return 0;
}

static void name_words(const struct option_shape *option, struct buf *out)
{
    for (size_t i = 0; option->word[i]; i++)
        buf_addf(out, "%s%s:%s", i ? ", " : "", option->name, option->word[i]);
}

static int parse_word(const char **at, const struct reading *reading,
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
    fail(err, STATUS_USAGE, "%s takes %s", reading->row->name, buf_str(&all));
    buf_release(&all);
    return -1;
}

static int parse_loop(const char **at, struct reading *reading, struct error *err)
{
    size_t length = word_length(*at);
    if (!length || reading->at)
        return fail(err, STATUS_USAGE,
                    "at in %s names one loop, as in prefetch(a:2,at:i)",
                    reading->row->name);
    reading->at = xstrndup(*at, length);
    reading->step.option[OPTION_AT] = 1;
    *at += length;
    return 0;
}

static int parse_option(const char **at, struct reading *reading, enum step_option which,
                        struct error *err)
{
    const struct option_shape *option = option_shape(which);
    char *end;
    if (option->word[0])
        return parse_word(at, reading, option, &reading->step.option[which], err);
    if (!option->high)
        return parse_loop(at, reading, err);
    reading->step.option[which] = strtoll(*at, &end, 10);
    if (end == *at || reading->step.option[which] < 1 ||
        reading->step.option[which] > option->high)
        return fail(err, STATUS_USAGE, "%s in %s is a number from 1 to %lld",
                    option->name, reading->row->name, option->high);
    *at = end;
    return 0;
}

/* The option that the name says, OPTION_NR = none that this step has. */
static enum step_option find_option(const struct reading *reading, const char *name)
{
    unsigned which = 0;
    while (which < OPTION_NR && (!(reading->row->options & 1U << which) ||
                                 strcmp(option_shape(which)->name, name)))
        which++;
    return which;
}

static void add_arg(struct reading *reading, const char *name, long long value,
                    bool has_value)
{
    strvec_push(&reading->names, name);
    GROW(reading->arg, reading->arg_nr + 1, reading->arg_alloc);
    reading->arg[reading->arg_nr++] =
        (struct step_arg){.name = reading->names.v[reading->names.nr - 1],
                          .value = value,
                          .has_value = has_value};
}

static int arg_is_new(const struct reading *reading, const char *name, struct error *err)
{
    for (size_t i = 0; i < reading->arg_nr; i++)
        if (!strcmp(reading->arg[i].name, name))
            return fail(err, STATUS_USAGE, "'%s' stands twice in %s", name,
                        reading->row->name);
    return 0;
}

/* What may stand behind a name: nothing, or ":64". */
static int parse_named(const char **at, struct reading *reading, const char *name,
                       struct error *err)
{
    enum step_values values = reading->row->values;
    bool has = values != VALUES_NONE && **at == ':';
    long long value = 0;
    if (values == VALUES_EACH && !has)
        return fail(err, STATUS_USAGE, "'%s' in %s needs a number, as in %s", name,
                    reading->row->name, reading->row->syntax);
    if (has)
        *at = skip_space(*at + 1);
    if (arg_is_new(reading, name, err) ||
        (has && parse_value(at, reading, name, &value, err)))
        return -1;
    add_arg(reading, name, value, has);
    return 0;
}

/* One of `i`, `i:64`, `to:L2`. */
static int parse_arg(const char **at, struct reading *reading, struct error *err)
{
    size_t length = word_length(*at);
    if (!length)
        return fail(err, STATUS_USAGE, "a name is missing in %s; write %s",
                    reading->row->name, reading->row->syntax);
    char *name = xstrndup(*at, length);
    *at = skip_space(*at + length);
    enum step_option option = **at == ':' ? find_option(reading, name) : OPTION_NR;
    if (option != OPTION_NR &&
        (option_shape(option)->word[0] || !option_shape(option)->high) &&
        isdigit((unsigned char)*skip_space(*at + 1)))
        option = OPTION_NR; /* an array of that name */
    if (option == OPTION_NR) {
        int status = parse_named(at, reading, name, err);
        free(name);
        return status;
    }
    free(name);
    *at = skip_space(*at + 1);
    return parse_option(at, reading, option, err);
}

static int parse_args(const char **at, struct reading *reading, struct error *err)
{
    const char *name = reading->row->name;
    do {
        *at = skip_space(*at + 1);
        if (parse_arg(at, reading, err))
            return -1;
        *at = skip_space(*at);
    } while (**at == ',');
    if (**at != ')')
        return fail(err, STATUS_USAGE, "a ')' is missing in %s; write %s", name,
                    reading->row->syntax);
    ++*at;
    return 0;
}

static int parse_step(const char **at, struct reading *reading, struct error *err)
{
    size_t length = word_length(*at);
    int kind = find_kind(*at, length, err);
    if (kind < 0)
        return -1;
    const struct transformation *row = transformation_of((enum step_kind)kind);
    *reading = (struct reading){.row = row, .step.kind = (enum step_kind)kind};
    *at += length;
    if (*skip_space(*at) == '(') {
        *at = skip_space(*at);
        if (parse_args(at, reading, err))
            return -1;
    }
    if (reading->arg_nr < row->names_min)
        return fail(err, STATUS_USAGE, "%s needs at least %zu name%s; write %s",
                    row->name, row->names_min, row->names_min == 1 ? "" : "s",
                    row->syntax);
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
    struct reading reading = {0};
    if (parse_nest(at, nest, err))
        return -1;
    if (*at != before)
        return 0;
    int status = parse_step(at, &reading, err);
    reading.step.arg = reading.arg;
    reading.step.arg_nr = reading.arg_nr;
    reading.step.at = reading.at;
    reading.step.nest = *nest;
    if (!status && !plan_append(plan, plan_step_get(&reading.step)))
        status = fail(err, STATUS_USAGE, "a plan has at most %d steps", PLAN_STEPS_MAX);
    reading_release(&reading);
    *at = skip_space(*at);
    return status;
}

int plan_read(const char *text, struct plan *out, struct error *err)
{
    const char *at = skip_space(text);
    int nest = 0;
    *out = (struct plan){0};
    while (*at)
        if (parse_next(&at, &nest, out, err))
            return -1;
    return 0;
}

int plan_parse(const char *text, struct plan **out, struct error *err)
{
    struct plan *plan = xcalloc(1, sizeof(*plan));
    if (plan_read(text, plan, err)) {
        free(plan);
        return -1;
    }
    *out = plan;
    return 0;
}

void plan_free(struct plan *plan)
{
    free(plan);
}
