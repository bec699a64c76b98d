/* Fewer rounds of a loop that goes over the same elements again and again, such as the
 * time steps of a stencil. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "variants/kernel/kernel_parts.h"

/* What moves along with the rounds is small beside what they go over. */
static const double small_share = 0.01;
/* Twice a block of 16 rounds, so that blocks of rounds still pay. */
enum { ROUNDS_MIN = 32 };

static bool is_inside(const struct kernel_view *view, int loop, int outer)
{
    while (loop >= 0 && loop != outer)
        loop = view->loop[loop].parent;
    return loop == outer;
}

/* An outermost loop whose rounds go over the same elements. */
static bool only_repeats(const struct kernel *kernel, const struct kernel_view *view,
                         int loop)
{
    if (view->loop[loop].level > 0)
        return false;
    for (size_t i = 0; i < view->access_nr; i++) {
        const struct kernel_access *access = &view->access[i];

        if (is_inside(view, access->loop, loop) && access->stride_at[0] != 0 &&
            !(view->array[access->array].bytes < small_share * kernel_bytes(kernel)))
            return false;
    }
    return true;
}

/* Are the loops that now go round otherwise than `trips` such, and is there one? */
static bool are_rounds(struct kernel *kernel, const double *trips)
{
    struct kernel_view view = kernel_view(kernel);
    bool any = false;

    for (size_t i = 0; i < view.loop_nr; i++) {
        if (!view.loop[i].modelled || view.loop[i].trips < 0)
            return false;
        if (view.loop[i].trips == trips[i])
            continue;
        if (!only_repeats(kernel, &view, (int)i))
            return false;
        any = true;
    }
    return any;
}

static double *list_trips(const struct kernel *kernel)
{
    struct kernel_view view = kernel_view(kernel);
    double *trips = xcalloc(view.loop_nr + 1, sizeof(*trips));

    for (size_t i = 0; i < view.loop_nr; i++)
        trips[i] = view.loop[i].trips;
    return trips;
}

/* Binds the kernel with it; false, and all is as it was, when it says more than how often
 * loops go round. */
static bool try_rounds(struct kernel *kernel, size_t scalar, long long rounds)
{
    size_t bytes = kernel->scalar_nr * sizeof(*kernel->scalar);
    struct kernel_scalar *saved = xcalloc(1, bytes);
    double *trips = list_trips(kernel), memory = kernel_bytes(kernel);

    memcpy(saved, kernel->scalar, bytes);
    kernel_override(kernel, scalar, rounds);
    bool right = kernel_bind(kernel, NULL) == 0 && are_rounds(kernel, trips) &&
                 kernel_bytes(kernel) > (1 - small_share) * memory;
    if (!right) {
        memcpy(kernel->scalar, saved, bytes);
        kernel_bind(kernel, NULL); /* as it was bound before */
    }
    free(saved);
    free(trips);
    return right;
}

static void note_rounds(struct kernel *kernel, const char *name, long long before,
                        long long rounds)
{
    char *note = kernel->inputs_note;

    kernel->inputs_note =
        xasprintf("%s%s%s = %lld instead of %lld, since each round goes over the same "
                  "elements",
                  note ? note : "", note ? ", but " : "", name, rounds, before);
    free(note);
}

double kernel_shorten(struct kernel *kernel, double share)
{
    for (size_t i = 0; i < kernel->scalar_nr; i++) {
        const struct kernel_scalar *scalar = &kernel->scalar[i];
        long long before = scalar->integer;
        double rounds = fmax(ceil(share * (double)before), ROUNDS_MIN);

        if (!scalar->is_size || !scalar->word || !scalar->word->caller ||
            rounds >= (double)before || !try_rounds(kernel, i, (long long)rounds))
            continue;
        note_rounds(kernel, scalar->symbol->name, before, (long long)rounds);
        return rounds / (double)before;
    }
    return 1;
}
