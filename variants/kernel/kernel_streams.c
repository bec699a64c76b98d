/* What hardware prefetchers are given by the innermost loop that goes round most. */
#include "variants/kernel/kernel.h"

#include <math.h>

/* A stride below a line walks along it. */
enum { line_bytes = 64 };

static double rounds_of(const struct kernel_view *view, int loop)
{
    double all = 1;

    for (; loop >= 0; loop = view->loop[loop].parent)
        all = view->loop[loop].trips < 0 ? NAN : all * view->loop[loop].trips;
    return all;
}

static int busiest_loop(const struct kernel_view *view)
{
    int busiest = -1;
    double most = -1;

    for (size_t i = 0; i < view->loop_nr; i++) {
        double rounds = view->loop[i].innermost ? rounds_of(view, (int)i) : 0;

        if (isnan(rounds)) /* it could be this one */
            return -1;
        if (view->loop[i].innermost && view->loop[i].modelled && rounds > most) {
            most = rounds;
            busiest = (int)i;
        }
    }
    return busiest;
}

static bool is_stream(const struct kernel_view *view, size_t access, int loop)
{
    double stride = fabs(view->access[access].stride_at[view->loop[loop].depth]);

    return view->access[access].loop == loop && stride > 0 && stride < line_bytes;
}

static bool has_stream_before(const struct kernel_view *view, size_t access, int loop)
{
    for (size_t i = 0; i < access; i++)
        if (view->access[i].array == view->access[access].array &&
            is_stream(view, i, loop))
            return true;
    return false;
}

void kernel_find_streams(struct kernel *kernel)
{
    struct kernel_view view = kernel_view(kernel);
    int loop = busiest_loop(&view);
    double streams = 0, bytes = INFINITY;

    kernel->streams = kernel->run_bytes = quantity_unknown();
    if (loop < 0)
        return;
    for (size_t i = 0; i < view.access_nr; i++) {
        if (!is_stream(&view, i, loop) || has_stream_before(&view, i, loop))
            continue;
        streams++;
        bytes = fmin(bytes, view.loop[loop].trips *
                                fabs(view.access[i].stride_at[view.loop[loop].depth]));
    }
    kernel->streams = quantity_exact(streams, PROVENANCE_SOURCE);
    if (streams > 0)
        kernel->run_bytes = quantity_exact(bytes, PROVENANCE_SOURCE);
}
