#include "search/space/dimensions.h"

#include <stdlib.h>
#include <string.h>

#include "core/base.h"

/* ---- a plan as numbers ---- */

/* Numbers of texts that were seen. */
struct words {
    struct strvec seen;
};

static long long number_of(struct words *words, const char *text)
{
    for (size_t i = 0; i < words->seen.nr; i++)
        if (!strcmp(words->seen.v[i], text))
            return (long long)i;
    strvec_push(&words->seen, text);
    return (long long)words->seen.nr - 1;
}

struct raw {
    struct dimension *item;
    size_t nr, alloc;
    long long *value; /* of one variant after the other */
    size_t value_nr, value_alloc;
    struct words words;
    bool first; /* the dimensions are found with the first variant */
};

static void put(struct raw *raw, int step, bool ordered, long long value)
{
    if (raw->first) {
        GROW(raw->item, raw->nr + 1, raw->alloc);
        raw->item[raw->nr++] = (struct dimension){step, ordered, 0};
    }
    GROW(raw->value, raw->value_nr + 1, raw->value_alloc);
    raw->value[raw->value_nr++] = value;
}

/* Steps by their words. */
static void put_text(struct raw *raw, int step, bool ordered,
                     const struct plan_step *const *steps, size_t nr)
{
    struct buf text = {0};
    for (size_t i = 0; i < nr; i++) {
        buf_add(&text, " ");
        plan_step_text(plan_step_with_nest(steps[i], 0), &text);
    }
    put(raw, step, ordered, number_of(&raw->words, buf_str(&text)));
    buf_release(&text);
}

static void put_tunables(struct raw *raw, const struct kernel_view *view,
                         const struct choice *choice)
{
    const struct plan_step *set = choice_step(choice, STEP_SET);
    for (size_t i = 0; i < view->tunable_nr; i++) {
        const struct step_arg *arg =
            set ? plan_step_arg(set, view->tunable[i].name) : NULL;
        put(raw, STEP_SET, true, arg ? arg->value : view->tunable[i].now);
    }
}

/* A dimension for each loop that the step may name, or one where it names one loop. */
static void put_sizes(struct raw *raw, const struct kernel_view *view,
                      enum step_kind kind, const struct choice *choice)
{
    const struct plan_step *step = choice_step(choice, kind);
    if (transformation_of(kind)->search.names_max == 1)
        put(raw, (int)kind, true, step ? step->arg[0].value : 0);
    else
        for (size_t i = 0; i < view->loop_nr; i++)
            put(raw, (int)kind, true, choice_size(choice, kind, view->loop[i].name));
}

static void put_kind(struct raw *raw, const struct kernel_view *view, enum step_kind kind,
                     const struct choice *choice)
{
    const struct transformation *row = transformation_of(kind);
    const struct plan_step *step[PLAN_STEPS_MAX];
    if (row->names == NAMES_TUNABLES)
        put_tunables(raw, view, choice);
    else if (row->search.scaled && !row->search.repeats)
        put_sizes(raw, view, kind, choice);
    else
        put_text(raw, (int)kind, !row->names_min, step, choice_steps(choice, kind, step));
}

static void put_all(struct raw *raw, const struct kernel_view *view,
                    const struct choice *choice)
{
    enum step_kind kind[STEP_KIND_NR];
    size_t nr = step_kinds_placed(kind);
    bool shape = false;
    for (size_t i = 0; i < nr; i++) {
        if (!shape && transformation_of(kind[i])->search.place > PLACE_SHAPE) {
            put_text(raw, STEP_KIND_NR, false, &choice->plan.step[choice->shape_at],
                     choice->shape_nr);
            shape = true;
        }
        put_kind(raw, view, kind[i], choice);
    }
    raw->first = false;
}

/* ---- values numbered, dimensions without a choice left out ---- */

static int compare_values(const void *a, const void *b)
{
    long long x = *(const long long *)a, y = *(const long long *)b;
    return (x > y) - (x < y);
}

/* The different values of dimension d, ascending; their number. */
static size_t distinct(const struct raw *raw, size_t d, size_t variant_nr,
                       long long *value)
{
    size_t nr = 0;
    for (size_t v = 0; v < variant_nr; v++)
        value[v] = raw->value[v * raw->nr + d];
    qsort(value, variant_nr, sizeof(*value), compare_values);
    for (size_t v = 0; v < variant_nr; v++)
        if (nr == 0 || value[v] != value[nr - 1])
            value[nr++] = value[v];
    return nr;
}

static unsigned place_of(const long long *value, size_t nr, long long what)
{
    const long long *at = bsearch(&what, value, nr, sizeof(*value), compare_values);
    return (unsigned)(at - value);
}

static void number_values(const struct raw *raw, struct dimensions *out)
{
    long long *value = xcalloc(out->variant_nr + 1, sizeof(*value));
    out->item = xcalloc(raw->nr + 1, sizeof(*out->item));
    out->value = xcalloc(out->variant_nr * raw->nr + 1, sizeof(*out->value));
    for (size_t d = 0; d < raw->nr; d++) {
        size_t nr = distinct(raw, d, out->variant_nr, value);
        if (nr < 2)
            continue;
        for (size_t v = 0; v < out->variant_nr; v++)
            out->value[v * raw->nr + out->nr] =
                place_of(value, nr, raw->value[v * raw->nr + d]);
        out->item[out->nr] = raw->item[d];
        out->item[out->nr++].values = nr;
    }
    for (size_t v = 0; v < out->variant_nr; v++) /* rows closed up */
        memmove(&out->value[v * out->nr], &out->value[v * raw->nr],
                out->nr * sizeof(*out->value));
    free(value);
}

void dimensions_find(const struct kernel_view *view,
                     struct choice (*get)(void *data, size_t variant), void *data,
                     size_t variant_nr, struct dimensions *out)
{
    struct raw raw = {.first = true};
    *out = (struct dimensions){.variant_nr = variant_nr};
    for (size_t v = 0; v < variant_nr; v++) {
        struct choice choice = get(data, v);
        put_all(&raw, view, &choice);
    }
    number_values(&raw, out);
    free(raw.item);
    free(raw.value);
    strvec_release(&raw.words.seen);
}

void dimensions_release(struct dimensions *dimensions)
{
    free(dimensions->item);
    free(dimensions->value);
    *dimensions = (struct dimensions){0};
}

/* ---- how far ---- */

const unsigned *dimensions_row(const struct dimensions *dimensions, size_t variant)
{
    return &dimensions->value[variant * dimensions->nr];
}

size_t dimensions_apart(const struct dimensions *dimensions, size_t a, size_t b)
{
    const unsigned *x = dimensions_row(dimensions, a), *y = dimensions_row(dimensions, b);
    size_t nr = 0;
    for (size_t d = 0; d < dimensions->nr; d++)
        nr += x[d] != y[d];
    return nr;
}

/* Dimensions of one step stand side by side. */
size_t dimensions_steps_apart(const struct dimensions *dimensions, size_t a, size_t b)
{
    const unsigned *x = dimensions_row(dimensions, a), *y = dimensions_row(dimensions, b);
    size_t nr = 0;
    int last = -1;
    for (size_t d = 0; d < dimensions->nr; d++) {
        if (x[d] == y[d] || dimensions->item[d].step == last)
            continue;
        last = dimensions->item[d].step;
        nr++;
    }
    return nr;
}

double dimensions_distance(const struct dimensions *dimensions, const unsigned *row,
                           size_t variant)
{
    const unsigned *y = dimensions_row(dimensions, variant);
    double distance = 0;
    for (size_t d = 0; d < dimensions->nr; d++) {
        const struct dimension *dimension = &dimensions->item[d];
        double apart = row[d] > y[d] ? row[d] - y[d] : y[d] - row[d];
        if (row[d] != y[d])
            distance += 1 + (dimension->ordered ? apart / (double)dimension->values /
                                                      (double)(dimensions->nr + 1)
                                                : 0);
    }
    return distance;
}
