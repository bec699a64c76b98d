#include "variants/directives/contents.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base.h"

struct contents_kind {
    const char *name, *syntax;
    size_t arg_min, arg_max;
    double smallest_arg; /* smallest argument; NaN = any */
    enum { OF_ALL, OF_INTEGERS, OF_REALS } of;
    bool (*range)(const struct contents *contents, long long length, long long *low,
                  long long *high);
};

static bool between(double from, double to, long long *low, long long *high)
{
    if (!(fabs(from) < 0x1p62 && fabs(to) < 0x1p62))
        return false;
    *low = (long long)from;
    *high = (long long)to;
    return *low <= *high;
}

static bool range_uniform(const struct contents *contents, long long length,
                          long long *low, long long *high)
{
    (void)length;
    return between(contents->arg[0], contents->arg[1], low, high);
}

static bool range_zero(const struct contents *contents, long long length, long long *low,
                       long long *high)
{
    (void)contents;
    (void)length;
    *low = *high = 0;
    return true;
}

static bool range_places(const struct contents *contents, long long length,
                         long long *low, long long *high)
{
    (void)contents;
    return length >= 0 && between(0, length > 0 ? (double)length - 1 : 0, low, high);
}

static bool range_index(const struct contents *contents, long long length, long long *low,
                        long long *high)
{
    (void)length;
    return between(0, floor(contents->arg[0]) - 1, low, high);
}

static bool range_offsets(const struct contents *contents, long long length,
                          long long *low, long long *high)
{
    double rows = length > 0 ? (double)length - 1 : 0;

    return length >= 0 && between(0, contents->arg[0] * rows, low, high);
}

/* They are no integers. */
static bool range_none(const struct contents *contents, long long length, long long *low,
                       long long *high)
{
    (void)contents, (void)length, (void)low, (void)high;
    return false;
}

static const struct contents_kind kinds[] = {
    {"uniform", "uniform(LOW, HIGH)", 2, 2, NAN, OF_ALL, range_uniform},
    {"zero", "zero", 0, 0, NAN, OF_ALL, range_zero},
    {"iota", "iota", 0, 0, NAN, OF_ALL, range_places},
    {"index", "index(BELOW)", 1, 1, 1, OF_ALL, range_index},
    {"ascending", "ascending(BELOW)", 1, 1, 1, OF_ALL, range_index},
    {"dominant", "dominant(WIDTH)", 1, 1, 1, OF_REALS, range_none},
    {"permutation", "permutation", 0, 0, NAN, OF_ALL, range_places},
    {"offsets", "offsets(MEAN)", 1, 1, 0, OF_ALL, range_offsets},
    {"cycle", "cycle(STRIDE, BLOCK)", 1, 2, 1, OF_INTEGERS, range_places},
    {"file", "file(PATH)", 1, 1, NAN, OF_ALL, NULL},
    {"captured", "captured(PATH, OFFSET, RECORDS, PLACE, PAGES, HASH)", 6,
     6 + 2 * KERNEL_LEVELS_MAX, NAN, OF_ALL, NULL},
};

void contents_release(struct contents *contents)
{
    free(contents->file);
    free(contents->captured);
    *contents = (struct contents){0};
}

const char *contents_default(enum ir_scalar scalar)
{
    if (scalar == IR_FLOAT)
        return "uniform(0.5,1.5)";
    return scalar == IR_BOOL ? "uniform(0,1)" : "uniform(0,9)";
}

static const struct contents_kind *kind_of(const char *name, const char *text,
                                           struct error *err)
{
    const char *names[ARRAY_SIZE(kinds)];
    struct buf known = {0};

    for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
        if (strcmp(kinds[i].name, name) == 0) {
            buf_release(&known);
            return &kinds[i];
        }
        names[i] = kinds[i].name;
        buf_addf(&known, "%s%s", i ? ", " : "", kinds[i].syntax);
    }
    const char *meant = nearest_word(name, names, ARRAY_SIZE(names));
    if (meant)
        fail(err, STATUS_INPUT,
             "there are no contents '%s'; did you mean '%s'? Known are %s", text, meant,
             buf_str(&known));
    else
        fail(err, STATUS_INPUT, "there are no contents '%s'; known are %s", text,
             buf_str(&known));
    buf_release(&known);
    return NULL;
}

int contents_check_name(const char *name, const char *text, struct error *err)
{
    return kind_of(name, text, err) ? 0 : -1;
}

static int eval_args(const struct strvec *args, directive_lookup *lookup, void *data,
                     struct contents *contents, struct error *err)
{
    for (size_t i = 0; i < args->nr; i++) {
        struct directive_number number;

        if (directive_eval(args->v[i], lookup, data, &number, err))
            return -1;
        contents->arg[contents->arg_nr++] = number.real;
    }
    return 0;
}

static int check_args(const struct contents *contents, const char *text,
                      struct error *err)
{
    const struct contents_kind *kind = contents->kind;

    for (size_t i = 0; i < contents->arg_nr; i++)
        if (contents->arg[i] < kind->smallest_arg)
            return fail(err, STATUS_INPUT, "'%s': %g is below %g", text, contents->arg[i],
                        kind->smallest_arg);
    if (kind->range == range_uniform && contents->arg[0] > contents->arg[1])
        return fail(err, STATUS_INPUT, "'%s': the range is empty", text);
    return 0;
}

int contents_eval(const char *text, bool is_float, directive_lookup *lookup, void *data,
                  struct contents *contents, struct error *err)
{
    struct strvec args = {0};
    char *name = NULL;
    int result = -1;

    *contents = (struct contents){0};
    if (directive_call(text, &name, &args, err) ||
        !(contents->kind = kind_of(name, text, err)))
        goto out;
    if (args.nr < contents->kind->arg_min || args.nr > contents->kind->arg_max)
        fail(err, STATUS_INPUT, "'%s': expected %s", text, contents->kind->syntax);
    else if (contents->kind->of == (is_float ? OF_INTEGERS : OF_REALS))
        fail(err, STATUS_INPUT, "'%s' is for arrays of %s", text,
             is_float ? "integers" : "floating point");
    else if (args.nr > 1 && !contents->kind->range)
        captured_read(&args, text, contents, err);
    else if (!contents->kind->range)
        contents->file = path_absolute(args.v[0]);
    else if (eval_args(&args, lookup, data, contents, err))
        goto out;
    else
        result = check_args(contents, text, err);
    if (contents->file)
        result = 0;
out:
    if (result)
        contents_release(contents);
    free(name);
    strvec_release(&args);
    return result;
}

void contents_add(struct buf *out, const struct contents *contents)
{
    if (contents->captured) {
        captured_add(out, contents, true);
        return;
    }
    buf_add(out, contents->kind->name);
    if (contents->file)
        buf_addf(out, "(%s)", contents->file);
    for (size_t i = 0; i < contents->arg_nr; i++)
        buf_addf(out, "%c%.17g", i ? ',' : '(', contents->arg[i]);
    if (contents->arg_nr)
        buf_add(out, ")");
}

bool contents_range(const struct contents *contents, long long length, long long *low,
                    long long *high)
{
    return contents->kind && contents->kind->range &&
           contents->kind->range(contents, length, low, high);
}
