/* Values that a tunable may take, and constraints between tunables. */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "variants/directives/tunable.h"

/* Of plans: a value must be one that set(NAME:VALUE) takes. */
static const long long VALUE_MAX = 1LL << 30;

static const char FORM[] =
    "expected 'NAME in {8,16,32}', 'NAME in 8:128:x2' or 'NAME in 8:128:+8'";

struct reader {
    const char *at;
    struct tunable_values *values;
    struct error *err;
};

static void skip_blanks(struct reader *reader)
{
    while (isspace((unsigned char)*reader->at))
        reader->at++;
}

static bool take(struct reader *reader, char c)
{
    skip_blanks(reader);
    if (*reader->at != c)
        return false;
    reader->at++;
    return true;
}

static int take_integer(struct reader *reader, long long *value)
{
    char *end;
    skip_blanks(reader);
    errno = 0;
    *value = strtoll(reader->at, &end, 10);
    if (end == reader->at)
        return fail(reader->err, STATUS_INPUT, "%s, got '%.40s'", FORM, reader->at);
    if (errno || *value > VALUE_MAX || *value < -VALUE_MAX)
        return fail(reader->err, STATUS_INPUT, "the value %.*s is beyond %lld",
                    (int)(end - reader->at), reader->at, VALUE_MAX);
    if (isalnum((unsigned char)*end) || *end == '.' || *end == '_')
        return fail(reader->err, STATUS_INPUT, "'%.40s' is not a whole number",
                    reader->at);
    reader->at = end;
    return 0;
}

static int add(struct reader *reader, long long value)
{
    struct tunable_values *values = reader->values;
    for (size_t i = 0; i < values->nr; i++)
        if (values->v[i] == value)
            return 0;
    if (values->nr == TUNABLE_VALUES_MAX)
        return fail(reader->err, STATUS_INPUT,
                    "these are more than %d values; take larger steps",
                    TUNABLE_VALUES_MAX);
    GROW(values->v, values->nr + 1, values->alloc);
    values->v[values->nr++] = value;
    return 0;
}

/* x2, or +8. */
static int take_step(struct reader *reader, long long from, bool *factor, double *step)
{
    char *end, kind;
    skip_blanks(reader);
    kind = *reader->at;
    *factor = kind == 'x';
    *step = kind ? strtod(reader->at + 1, &end) : 0;
    if ((kind != 'x' && kind != '+') || end == reader->at + 1 || !isfinite(*step))
        return fail(reader->err, STATUS_INPUT,
                    "the step '%.40s' is neither a factor such as x2 nor a difference "
                    "such as +8",
                    reader->at);
    if (*factor ? *step < 1.001 : *step < 1 || floor(*step) != *step)
        return fail(reader->err, STATUS_INPUT, "the step '%.*s' does not step up",
                    (int)(end - reader->at), reader->at);
    if (*factor && from < 1)
        return fail(reader->err, STATUS_INPUT,
                    "a factor does not step up from %lld; start at 1 or more", from);
    reader->at = end;
    return 0;
}

/* FROM:TO:xFACTOR or FROM:TO:+STEP behind FROM; TO is taken when a step ends there. */
static int take_range(struct reader *reader, long long from)
{
    long long to;
    bool factor;
    double step;
    if (take_integer(reader, &to))
        return -1;
    if (!take(reader, ':'))
        return fail(reader->err, STATUS_INPUT,
                    "a range lacks its step: FROM:TO:x2 or FROM:TO:+8");
    if (to < from)
        return fail(reader->err, STATUS_INPUT, "%lld lies below %lld", to, from);
    if (take_step(reader, from, &factor, &step))
        return -1;
    for (double x = (double)from; x <= (double)to * (1 + 1e-12) || x <= (double)to;
         x = factor ? x * step : x + step)
        if (add(reader, llround(x)))
            return -1;
    return 0;
}

static int take_item(struct reader *reader)
{
    long long value;
    if (take_integer(reader, &value))
        return -1;
    return take(reader, ':') ? take_range(reader, value) : add(reader, value);
}

static int take_list(struct reader *reader)
{
    do
        if (take_item(reader))
            return -1;
    while (take(reader, ','));
    return take(reader, '}') ? 0
                             : fail(reader->err, STATUS_INPUT,
                                    "a '}' is missing after the list of values");
}

int tunable_values_read(const char *text, struct tunable_values *values,
                        struct error *err)
{
    struct reader reader = {.at = text, .values = values, .err = err};
    skip_blanks(&reader);
    if (strncmp(reader.at, "in", 2) || isalnum((unsigned char)reader.at[2]) ||
        reader.at[2] == '_')
        return fail(err, STATUS_INPUT, "%s", FORM);
    reader.at += 2;
    if (take(&reader, '{') ? take_list(&reader) : take_item(&reader))
        return -1;
    skip_blanks(&reader);
    return *reader.at ? fail(err, STATUS_INPUT, "'%.40s' is left over", reader.at) : 0;
}

void tunable_values_release(struct tunable_values *values)
{
    free(values->v);
    *values = (struct tunable_values){0};
}

/* ---- constraints ---- */

enum comparison { LE, LT, GE, GT, EQ, NE, NONE };

/* The longer words first. */
static const struct {
    const char *word;
    enum comparison what;
} comparisons[] = {{"<=", LE}, {">=", GE}, {"==", EQ}, {"!=", NE}, {"<", LT}, {">", GT}};

static enum comparison find_comparison(const char *text, size_t *at, size_t *length)
{
    for (*at = 0; text[*at]; ++*at)
        for (size_t i = 0; i < ARRAY_SIZE(comparisons); i++) {
            *length = strlen(comparisons[i].word);
            if (!strncmp(text + *at, comparisons[i].word, *length))
                return comparisons[i].what;
        }
    return NONE;
}

static bool compare(enum comparison what, double a, double b)
{
    switch (what) {
    case LE:
        return a <= b;
    case LT:
        return a < b;
    case GE:
        return a >= b;
    case GT:
        return a > b;
    case EQ:
        return !(a < b) && !(a > b);
    default:
        return a < b || a > b;
    }
}

struct judge {
    directive_lookup *lookup; /* NULL: only the form counts */
    void *data;
    struct error *err;
};

static int side_value(const struct judge *judge, const char *text, double *value)
{
    struct directive_number number = {0};
    if (!judge->lookup)
        return directive_check(text, judge->err);
    if (directive_eval(text, judge->lookup, judge->data, &number, judge->err))
        return -1;
    *value = number.real;
    return 0;
}

/* `text` is changed. */
static int eval_comparison(const struct judge *judge, char *text, bool *holds)
{
    size_t at = 0, length = 0;
    double left = 0, right = 0;
    enum comparison what = find_comparison(text, &at, &length);
    if (what == NONE)
        return fail(judge->err, STATUS_INPUT,
                    "'%.80s' compares nothing; write a constraint such as TI * TJ <= "
                    "4096",
                    text);
    text[at] = 0;
    if (side_value(judge, text, &left) || side_value(judge, text + at + length, &right))
        return -1;
    *holds = *holds && compare(what, left, right);
    return 0;
}

static int eval_all(const struct judge *judge, const char *text, bool *holds)
{
    char *copy = xstrdup(text), *part = copy;
    int status = 0;
    *holds = true;
    while (!status && part) {
        char *next = strstr(part, "&&");
        if (next)
            *next = 0;
        status = eval_comparison(judge, part, holds);
        part = next ? next + 2 : NULL;
    }
    free(copy);
    return status;
}

int constraint_eval(const char *text, directive_lookup *lookup, void *data, bool *holds,
                    struct error *err)
{
    return eval_all(&(struct judge){lookup, data, err}, text, holds);
}

int constraint_check(const char *text, struct error *err)
{
    bool ignored;
    return eval_all(&(struct judge){.err = err}, text, &ignored);
}
