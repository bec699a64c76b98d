#include "search/space/dimensions.h"

#include <stdlib.h>
#include <string.h>

#include "core/base.h"

/* ---- a plan as numbers ---- */

/* In the order of a plan's text. */
enum step {
    STEP_SET,
    STEP_FUSE,
    STEP_DISTRIBUTE,
    STEP_SHAPE,
    STEP_ORDER,
    STEP_SKEW,
    STEP_TILE,
    STEP_JAM,
    STEP_UNROLL,
    STEP_SIMD,
    STEP_PARALLEL,
    STEP_PREFETCH,
    STEP_NONTEMPORAL,
};

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

/* What a choice says of one kind of step, as its text without all others. */
static long long number_of_part(struct words *words, const struct choice *part)
{
    char *text = choice_text(part);
    long long number = number_of(words, text);
    free(text);
    return number;
}

struct raw {
    struct dimension *item;
    size_t nr, alloc;
    long long *value; /* of one variant after the other */
    size_t value_nr, value_alloc;
    struct words words;
    bool first; /* the dimensions are found with the first variant */
};

static void put(struct raw *raw, enum step step, bool ordered, long long value)
{
    if (raw->first) {
        GROW(raw->item, raw->nr + 1, raw->alloc);
        raw->item[raw->nr++] = (struct dimension){(int)step, ordered, 0};
    }
    GROW(raw->value, raw->value_nr + 1, raw->value_alloc);
    raw->value[raw->value_nr++] = value;
}

static long size_of(const struct loop_size *size, size_t nr, const char *loop)
{
    for (size_t i = 0; i < nr; i++)
        if (!strcmp(size[i].loop, loop))
            return size[i].size;
    return 0;
}

static void put_sizes(struct raw *raw, const struct kernel_view *view, enum step step,
                      const struct loop_size *size, size_t nr)
{
    for (size_t i = 0; i < view->loop_nr; i++)
        put(raw, step, true, size_of(size, nr, view->loop[i].name));
}

static void put_tunables(struct raw *raw, const struct kernel_view *view,
                         const struct choice *choice)
{
    for (size_t i = 0; i < view->tunable_nr; i++) {
        long long value = view->tunable[i].now;
        for (size_t k = 0; k < choice->set_nr; k++)
            if (!strcmp(choice->set[k].name, view->tunable[i].name))
                value = choice->set[k].value;
        put(raw, STEP_SET, true, value);
    }
}

/* Steps before the sizes: by their words. */
static void put_shape(struct raw *raw, const struct choice *choice)
{
    struct choice fuse = {0}, distribute = {0}, order = {0};
    memcpy(fuse.fuse, choice->fuse, sizeof(fuse.fuse));
    memcpy(distribute.distribute, choice->distribute, sizeof(distribute.distribute));
    distribute.distribute_nr = choice->distribute_nr;
    memcpy(order.order, choice->order, sizeof(order.order));
    order.order_nr = choice->order_nr;
    order.order_kept = choice->order_kept;
    put(raw, STEP_FUSE, false, number_of_part(&raw->words, &fuse));
    put(raw, STEP_DISTRIBUTE, false, number_of_part(&raw->words, &distribute));
    put(raw, STEP_SHAPE, false, number_of(&raw->words, choice->shape));
    put(raw, STEP_ORDER, false, number_of_part(&raw->words, &order));
}

static void put_rest(struct raw *raw, const struct choice *choice)
{
    struct choice prefetch = {0}, nontemporal = {0};
    memcpy(prefetch.prefetch, choice->prefetch, sizeof(prefetch.prefetch));
    prefetch.prefetch_nr = choice->prefetch_nr;
    memcpy(nontemporal.nontemporal, choice->nontemporal, sizeof(nontemporal.nontemporal));
    nontemporal.nontemporal_nr = choice->nontemporal_nr;
    put(raw, STEP_UNROLL, true, choice->unroll.size);
    put(raw, STEP_SIMD, true, choice->simd);
    put(raw, STEP_PARALLEL, false, number_of(&raw->words, choice->parallel));
    put(raw, STEP_PREFETCH, false, number_of_part(&raw->words, &prefetch));
    put(raw, STEP_NONTEMPORAL, false, number_of_part(&raw->words, &nontemporal));
}

static void put_all(struct raw *raw, const struct kernel_view *view,
                    const struct choice *choice)
{
    put_tunables(raw, view, choice);
    put_shape(raw, choice);
    put_sizes(raw, view, STEP_SKEW, choice->skew, choice->skew_nr);
    put_sizes(raw, view, STEP_TILE, choice->tile, choice->tile_nr);
    put_sizes(raw, view, STEP_JAM, choice->jam, choice->jam_nr);
    put_rest(raw, choice);
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
