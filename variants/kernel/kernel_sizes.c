/* The kernel at other sizes for a while. */
#include <stdlib.h>
#include <string.h>

#include "variants/kernel/kernel_parts.h"

/* A few components, colours or neighbours are no size. */
enum { small_value = 16 };

static bool is_varied(const struct kernel_scalar *scalar)
{
    return scalar->is_size && scalar->integer > small_value;
}

long long kernel_largest(const struct kernel *kernel)
{
    long long largest = 0;

    for (size_t i = 0; i < kernel->scalar_nr; i++)
        if (kernel->scalar[i].is_size && kernel->scalar[i].integer > largest)
            largest = kernel->scalar[i].integer;
    return largest;
}

/* About `wanted`, with the remainder of `value`. */
static long long reduced(long long value, double wanted)
{
    long long unit = wanted >= 128 ? 64 : 8;
    long long units = (long long)(wanted / (double)unit + 0.5);
    long long size = (units > 0 ? units : 1) * unit + value % unit;

    return size < value ? size : value;
}

static void reduce(struct kernel *kernel, double factor)
{
    for (size_t i = 0; i < kernel->scalar_nr; i++) {
        const struct kernel_scalar *scalar = &kernel->scalar[i];

        if (is_varied(scalar))
            kernel_override(kernel, i,
                            reduced(scalar->integer, (double)scalar->integer * factor));
    }
}

int kernel_at_size(struct kernel *kernel, long long largest,
                   int (*use)(struct kernel *kernel, void *data, struct error *err),
                   void *data, struct error *err)
{
    long long now = kernel_largest(kernel);
    size_t bytes = kernel->scalar_nr * sizeof(*kernel->scalar);
    struct kernel_scalar *saved;
    int result;

    if (now == 0)
        return fail(
            err, STATUS_INPUT,
            "'%s' has no parameter that decides on its loops and could be smaller",
            kernel->function->name);
    if (largest >= now)
        return use(kernel, data, err);
    saved = xcalloc(1, bytes);
    memcpy(saved, kernel->scalar, bytes);
    reduce(kernel, (double)largest / (double)now);
    result = kernel_bind(kernel, err);
    if (result == 0)
        result = use(kernel, data, err);
    memcpy(kernel->scalar, saved, bytes);
    free(saved);
    if (kernel_bind(kernel, result ? NULL : err))
        result = -1;
    kernel_view(kernel); /* what was handed out shows the old sizes again */
    return result;
}
