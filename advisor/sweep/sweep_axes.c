#include "advisor/sweep/sweep_axes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/cli/cli.h"
#include "core/base.h"
#include "variants/kernel/kernel_view.h"

/* Of the axes that no parameter of the kernel is. */
static const char *const axis_word[] = {
#define X(name, word) word,
    AXIS_MAP(X)
#undef X
};

/* NULL for axes of numbers. */
static const char *const *words_of(enum axis_kind kind)
{
    switch (kind) {
    case AXIS_PAGES:
        return pages_words;
    case AXIS_START:
        return start_words;
    case AXIS_BACKGROUND:
        return background_words;
    default:
        return NULL;
    }
}

/* ---- values ---- */

static void add_value(struct sweep_axis *axis, long long value)
{
    for (size_t i = 0; i < axis->value_nr; i++)
        if (axis->value[i] == value)
            return;
    GROW(axis->value, axis->value_nr + 1, axis->value_alloc);
    axis->value[axis->value_nr++] = value;
}

static int check_value(const struct sweep_axis *axis, const char *text, long long value,
                       struct error *err)
{
    if (axis->kind == AXIS_CORES && value < 1)
        return fail(err, STATUS_USAGE, "--sweep cores: '%s' is less than one core", text);
    return 0;
}

static int read_word(struct sweep_axis *axis, const char *text, struct error *err)
{
    const char *const *word = words_of(axis->kind);
    struct buf known = {0};
    size_t i = 0;
    for (; word[i] && strcmp(word[i], text); i++)
        buf_addf(&known, "%s%s", i ? ", " : "", word[i]);
    if (!word[i])
        fail(err, STATUS_USAGE, "--sweep %s: expected %s, got '%s'", axis->name.v[0],
             buf_str(&known), text);
    else
        add_value(axis, (long long)i);
    buf_release(&known);
    return word[i] ? 0 : -1;
}

static int read_list(struct sweep_axis *axis, char *text, struct error *err)
{
    char *rest = NULL;
    for (char *word = strtok_r(text, ",", &rest); word;
         word = strtok_r(NULL, ",", &rest)) {
        long long value = 0;
        if (words_of(axis->kind)) {
            if (read_word(axis, word, err))
                return -1;
            continue;
        }
        if (parse_count(word, "--sweep", &value, err) ||
            check_value(axis, word, value, err))
            return -1;
        add_value(axis, value);
    }
    return 0;
}

struct range {
    long long from, to;
    bool factor;
    double step;
};

static int read_step(const char *text, struct range *range, struct error *err)
{
    range->factor = *text == 'x';
    if ((*text != 'x' && *text != '+') ||
        parse_number(text + 1, "--sweep", &range->step, NULL))
        return fail(err, STATUS_USAGE,
                    "--sweep: the step '%s' is neither a factor such as x2 nor a "
                    "difference such as +512",
                    text);
    if (range->factor && range->step < 1.001)
        return fail(err, STATUS_USAGE, "--sweep: the factor '%s' is not above 1", text);
    if (!range->factor && (range->step < 1 || floor(range->step) != range->step))
        return fail(err, STATUS_USAGE,
                    "--sweep: the step '%s' is not a whole number above 0", text);
    if (range->factor && range->from < 1)
        return fail(err, STATUS_USAGE,
                    "--sweep: a factor does not step up from %lld; start at 1 or more",
                    range->from);
    return 0;
}

/* FROM:TO:xFACTOR or FROM:TO:+STEP; TO is taken when a step ends there. */
static int read_range(struct sweep_axis *axis, char *text, struct error *err)
{
    char *to = strchr(text, ':'), *step = strchr(to + 1, ':');
    struct range range = {0};
    if (!step)
        return fail(err, STATUS_USAGE,
                    "--sweep: '%s' lacks a step: FROM:TO:x2 or FROM:TO:+512", text);
    *to++ = *step++ = 0;
    if (parse_count(text, "--sweep", &range.from, err) ||
        parse_count(to, "--sweep", &range.to, err) || read_step(step, &range, err))
        return -1;
    if (range.to < range.from)
        return fail(err, STATUS_USAGE, "--sweep: %lld lies below %lld", range.to,
                    range.from);
    if (check_value(axis, text, range.from, err))
        return -1;
    for (double x = (double)range.from;
         x <= (double)range.to * (1 + 1e-12) && axis->value_nr <= SWEEP_POINTS_MAX;
         x = range.factor ? x * range.step : x + range.step)
        add_value(axis, llround(x));
    return 0;
}

/* ---- names ---- */

static const struct kernel_param *find_param(const struct kernel_view *view,
                                             const char *name)
{
    for (size_t i = 0; i < view->param_nr; i++)
        if (!strcmp(view->param[i].name, name))
            return &view->param[i];
    return NULL;
}

static int unknown_name(const struct kernel_view *view, const char *name,
                        struct error *err)
{
    struct buf known = {0};
    for (size_t i = 0; i < view->param_nr; i++)
        if (view->param[i].is_integer)
            buf_addf(&known, "%s, ", view->param[i].name);
    fail(err, STATUS_USAGE,
         "--sweep: '%s' cannot be varied here; %spages, cores, start and "
         "background can",
         name, buf_str(&known));
    buf_release(&known);
    return -1;
}

static int find_kind(const struct kernel_view *view, struct sweep_axis *axis,
                     struct error *err)
{
    for (size_t i = 0; i < axis->name.nr; i++) {
        const struct kernel_param *param = find_param(view, axis->name.v[i]);
        enum axis_kind kind = AXIS_SIZE;
        if (param && !param->is_integer)
            return fail(
                err, STATUS_USAGE,
                "--sweep: parameter '%s' is not an integer; only sizes are varied",
                axis->name.v[i]);
        for (size_t k = 1; !param && k < ARRAY_SIZE(axis_word); k++)
            if (!strcmp(axis_word[k], axis->name.v[i]))
                kind = (enum axis_kind)k;
        if (!param && kind == AXIS_SIZE)
            return unknown_name(view, axis->name.v[i], err);
        if (kind != AXIS_SIZE && axis->name.nr > 1)
            return fail(err, STATUS_USAGE,
                        "--sweep: '%s' cannot be tied to others; give it an axis of its "
                        "own",
                        axis->name.v[i]);
        axis->kind = kind;
    }
    return 0;
}

static void split_names(struct sweep_axis *axis, const char *text, size_t length)
{
    char *copy = xstrndup(text, length), *rest = NULL;
    for (char *name = strtok_r(copy, ",", &rest); name; name = strtok_r(NULL, ",", &rest))
        strvec_push(&axis->name, name);
    free(copy);
}

static int check_new(const struct sweep_axes *axes, const struct sweep_axis *axis,
                     struct error *err)
{
    for (size_t i = 0; i < axes->nr; i++)
        for (size_t k = 0; k < axes->axis[i].name.nr; k++)
            for (size_t n = 0; n < axis->name.nr; n++)
                if (!strcmp(axes->axis[i].name.v[k], axis->name.v[n]))
                    return fail(err, STATUS_USAGE, "--sweep: '%s' is varied twice",
                                axis->name.v[n]);
    return 0;
}

static int read_axis(const char *text, const struct kernel_view *view,
                     struct sweep_axes *axes, struct error *err)
{
    struct sweep_axis *axis = &axes->axis[axes->nr];
    const char *equals = strchr(text, '=');
    if (!equals || equals == text || !equals[1])
        return fail(err, STATUS_USAGE,
                    "--sweep: '%s' is not NAME=FROM:TO:x2, NAME=FROM:TO:+STEP or "
                    "NAME=A,B,C",
                    text);
    *axis = (struct sweep_axis){0};
    split_names(axis, text, (size_t)(equals - text));
    char *values = xstrdup(equals + 1);
    int status = check_new(axes, axis, err);
    axes->nr++;
    if (!status)
        status = find_kind(view, axis, err);
    if (!status)
        status = strchr(values, ':') && !words_of(axis->kind)
                     ? read_range(axis, values, err)
                     : read_list(axis, values, err);
    if (!status && !axis->value_nr)
        status = fail(err, STATUS_USAGE, "--sweep: '%s' names no value", text);
    free(values);
    return status;
}

int sweep_axes_read(const struct strvec *text, const struct kernel_view *view,
                    struct sweep_axes *axes, struct error *err)
{
    double points = 1;
    *axes = (struct sweep_axes){0};
    for (size_t i = 0; i < text->nr; i++) {
        if (axes->nr == SWEEP_AXES_MAX)
            return fail(err, STATUS_USAGE, "--sweep: at most %d axes", SWEEP_AXES_MAX);
        if (read_axis(text->v[i], view, axes, err))
            return -1;
        points *= (double)axes->axis[axes->nr - 1].value_nr;
    }
    if (points > SWEEP_POINTS_MAX)
        return fail(err, STATUS_USAGE,
                    "--sweep: these are more than %d points; take larger steps",
                    SWEEP_POINTS_MAX);
    return 0;
}

void sweep_axes_release(struct sweep_axes *axes)
{
    for (size_t i = 0; i < axes->nr; i++) {
        strvec_release(&axes->axis[i].name);
        free(axes->axis[i].value);
    }
    *axes = (struct sweep_axes){0};
}

/* ---- points ---- */

size_t sweep_axes_points(const struct sweep_axes *axes)
{
    size_t points = axes->nr ? 1 : 0;
    for (size_t i = 0; i < axes->nr; i++)
        points *= axes->axis[i].value_nr;
    return points;
}

void sweep_axes_at(const struct sweep_axes *axes, size_t point,
                   long long value[SWEEP_AXES_MAX])
{
    for (size_t i = axes->nr; i-- > 0;) {
        const struct sweep_axis *axis = &axes->axis[i];
        value[i] = axis->value[point % axis->value_nr];
        point /= axis->value_nr;
    }
}

/* "n,m". Caller frees. */
static char *axis_name(const struct sweep_axis *axis)
{
    struct buf name = {0};
    for (size_t i = 0; i < axis->name.nr; i++)
        buf_addf(&name, "%s%s", i ? "," : "", axis->name.v[i]);
    return buf_detach(&name);
}

char *sweep_value_text(const struct sweep_axis *axis, long long value)
{
    const char *const *word = words_of(axis->kind);
    return word ? xstrdup(word[value]) : xasprintf("%lld", value);
}

char *sweep_point_text(const struct sweep_axes *axes, const long long *value)
{
    struct buf text = {0};
    for (size_t i = 0; i < axes->nr; i++) {
        char *name = axis_name(&axes->axis[i]);
        char *word = sweep_value_text(&axes->axis[i], value[i]);
        buf_addf(&text, "%s%s=%s", i ? " " : "", name, word);
        free(name);
        free(word);
    }
    return buf_detach(&text);
}
