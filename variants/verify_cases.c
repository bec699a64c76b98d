#include "variants/verify_cases.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Around powers of two and vector lengths, and primes; and nothing at all. */
static const long long alike[] = {1,  2,  3,  4,  5,  7,  8,   13,   16,   17,
                                  31, 33, 63, 64, 65, 97, 257, 1021, 4099, 0};
static const long long unlike[] = {3, 37, 8, 61, 2, 19, 0};

/* What a nest of that many iterations costs is a few milliseconds. */
static const double iterations_max = 2e6, extra_iterations_max = 2e7;

struct making {
    struct kernel *kernel;
    struct kernel_scalar *saved;
    double depth; /* of the deepest nest */
    double bytes_max;
    struct verify_cases *cases;
};

void verify_cases_release(struct verify_cases *cases)
{
    for (size_t i = 0; i < cases->nr; i++) {
        free(cases->item[i].text);
        free(cases->item[i].brief);
        strvec_release(&cases->item[i].args);
    }
    free(cases->item);
    *cases = (struct verify_cases){0};
}

/* Those that are varied; if there are none, all integers. */
static bool is_shown(const struct kernel *kernel, size_t scalar)
{
    bool any = false;

    for (size_t i = 0; i < kernel->scalar_nr; i++)
        any = any || kernel->scalar[i].is_size;
    return any ? kernel->scalar[scalar].is_size : kernel->scalar[scalar].is_integer;
}

static char *list_sizes(const struct kernel *kernel, const char *between, bool names,
                        bool values)
{
    struct buf text = {0};

    for (size_t i = 0; i < kernel->scalar_nr; i++) {
        if (!is_shown(kernel, i))
            continue;
        buf_add(&text, text.length ? between : "");
        if (names)
            buf_addf(&text, "%s%s", kernel->scalar[i].symbol->name, values ? "=" : "");
        if (values)
            buf_addf(&text, "%lld", kernel->scalar[i].integer);
    }
    return buf_detach(&text);
}

char *sizes_text(const struct kernel *kernel)
{
    char *text = list_sizes(kernel, " ", true, true);

    if (*text)
        return text;
    free(text);
    return xstrdup("its only size");
}

char *sizes_brief(const struct kernel *kernel)
{
    return list_sizes(kernel, " x ", false, true);
}

char *sizes_names(const struct kernel *kernel)
{
    return list_sizes(kernel, " x ", true, false);
}

static double deepest(const struct kernel *kernel)
{
    struct model_view view = model_view(kernel->model);
    int depth = 1;

    for (size_t i = 0; i < view.loop_nr; i++)
        if (view.loop[i].depth + 1 > depth)
            depth = view.loop[i].depth + 1;
    return depth;
}

static bool is_known(const struct verify_cases *cases, const char *text)
{
    for (size_t i = 0; i < cases->nr; i++)
        if (strcmp(cases->item[i].text, text) == 0)
            return true;
    return false;
}

static bool is_full(const struct making *making)
{
    for (size_t i = 0; i < making->kernel->scalar_nr; i++)
        if (making->kernel->scalar[i].integer != making->saved[i].integer)
            return false;
    return true;
}

/* The kernel's present sizes as a case, if they fit, are new, and not the full ones. */
static void keep(struct making *making)
{
    struct verify_cases *cases = making->cases;
    char *text = sizes_text(making->kernel);

    if (kernel_bytes(making->kernel) > making->bytes_max || is_known(cases, text) ||
        is_full(making)) {
        free(text);
        return;
    }
    GROW(cases->item, cases->nr + 1, cases->alloc);
    cases->item[cases->nr] =
        (struct verify_case){.text = text, .brief = sizes_brief(making->kernel)};
    variant_args(making->kernel, &cases->item[cases->nr++].args);
}

static void set(struct making *making, size_t scalar, long long value)
{
    long long bound = making->saved[scalar].integer;

    kernel_override(making->kernel, scalar, value < bound ? value : bound);
}

/* A combination that contradicts itself is none: it is not told from a failure of ours,
 * and it does not matter. */
static void try_alike(struct making *making, long long value)
{
    struct kernel *kernel = making->kernel;

    for (size_t i = 0; i < kernel->scalar_nr; i++)
        if (kernel->scalar[i].is_size)
            set(making, i, value);
    if (kernel_refresh(kernel, NULL) == 0)
        keep(making);
}

/* Value by value to the parameters, beginning with number `turn`. */
static void try_unlike(struct making *making, const long long *value, size_t nr,
                       size_t turn)
{
    struct kernel *kernel = making->kernel;
    size_t place = turn;

    for (size_t i = 0; i < kernel->scalar_nr; i++)
        if (kernel->scalar[i].is_size)
            set(making, i, value[place++ % nr]);
    if (kernel_refresh(kernel, NULL) == 0)
        keep(making);
}

static size_t size_nr(const struct kernel *kernel)
{
    size_t nr = 0;

    for (size_t i = 0; i < kernel->scalar_nr; i++)
        nr += kernel->scalar[i].is_size;
    return nr;
}

static bool is_prime(long long value)
{
    for (long long i = 2; i * i <= value; i++)
        if (value % i == 0)
            return false;
    return value > 1;
}

static long long prime_from(long long value, long long step)
{
    while (value > 2 && !is_prime(value))
        value += step;
    return value;
}

/* Around a constant of the plan: one below, itself and one above, the primes on both
 * sides, and, of several parameters, one of each. Where that costs much, only what has
 * both a full and a partial block. */
static void try_around(struct making *making, long long value)
{
    const long long near[] = {value - 1, value, prime_from(value - 2, -1),
                              prime_from(value + 2, 1)};
    const long long mixed[] = {value + 1, value - 1, 2 * value + 1, value};
    double iterations = pow((double)value + 1, making->depth);

    if (size_nr(making->kernel) > 1 && 4 * iterations <= iterations_max)
        for (size_t turn = 0; turn < 2; turn++)
            try_unlike(making, mixed, ARRAY_SIZE(mixed), turn);
    for (size_t i = 0; i < ARRAY_SIZE(near) && iterations <= iterations_max; i++)
        try_alike(making, near[i]);
    if (iterations <= extra_iterations_max)
        try_alike(making, value + 1);
}

static void make_all(struct making *making, const long long *extra, size_t extra_nr)
{
    if (size_nr(making->kernel) > 1)
        for (size_t turn = 0; turn < ARRAY_SIZE(unlike); turn++)
            try_unlike(making, unlike, ARRAY_SIZE(unlike), turn);
    for (size_t i = 0; i < ARRAY_SIZE(alike); i++)
        if (pow((double)alike[i], making->depth) <= iterations_max)
            try_alike(making, alike[i]);
    for (size_t i = 0; i < extra_nr; i++)
        try_around(making, extra[i]);
}

int verify_cases_make(struct kernel *kernel, const long long *extra, size_t extra_nr,
                      double bytes_max, struct verify_cases *cases, struct error *err)
{
    struct making making = {.kernel = kernel,
                            .depth = deepest(kernel),
                            .bytes_max = bytes_max,
                            .cases = cases};
    size_t bytes = kernel->scalar_nr * sizeof(*kernel->scalar);

    *cases = (struct verify_cases){0};
    making.saved = xcalloc(kernel->scalar_nr + 1, sizeof(*making.saved));
    if (bytes)
        memcpy(making.saved, kernel->scalar, bytes);
    if (size_nr(kernel) > 0)
        make_all(&making, extra, extra_nr);
    if (bytes)
        memcpy(kernel->scalar, making.saved, bytes);
    free(making.saved);
    return kernel_refresh(kernel, err);
}
