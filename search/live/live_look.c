/* The live runner: what a call and a launch will take, told by smaller calls, before
 * anything long begins. */
#include <math.h>
#include <stdlib.h>

#include "core/base.h"
#include "search/live/live_parts.h"

enum { first_size = 16 };
/* A call of that is long enough to be scaled, and arrays of that to be filled. */
static const double call_enough_s = 0.05, bytes_enough = 32 << 20, look_s = 1;

struct looked {
    struct live *live;
    const char *program;
    double until_s;
    bool ended; /* no larger size is looked at */
    /* of the size that was looked at last, and of the smallest */
    double call_s, around_s, iterations, bytes, min_around_s, full_bytes;
};

static struct run_opts look_opts(const struct looked *looked)
{
    struct run_opts opts = live_run_opts(looked->live);

    opts.copies = opts.launches_min = opts.launches_max = opts.samples_per_launch = 1;
    opts.budget_s = call_enough_s;
    opts.launch_limit_s = fmax(looked->until_s - clock_s(), call_enough_s);
    return opts;
}

static int look_at(struct kernel *kernel, void *data, struct error *err)
{
    struct looked *looked = data;
    struct kernel_counts counts = kernel_counts(kernel);
    struct strvec args = {0};
    struct run_program program = {looked->program, &args, false, NULL};
    struct run_opts opts = look_opts(looked);
    struct run_result result = {0};

    variant_args(kernel, &args);
    int status = run_measure(&program, &opts, &result, err);
    looked->ended = status || result.outcome != RUN_OUTCOME_OK;
    if (!looked->ended) {
        looked->call_s = result.warm_s;
        looked->around_s = fmax(result.wall_s - result.warm_s * (1 + result.calls), 0);
        if (looked->bytes <= 0)
            looked->min_around_s = looked->around_s;
        looked->iterations = counts.iterations.known ? counts.iterations.value : 0;
        looked->bytes = counts.footprint_bytes;
    }
    run_result_release(&result);
    strvec_release(&args);
    return status;
}

/* Sizes by turns twice as large, until one tells enough. Of arrays whose lengths the file
 * settles all are filled at any size, which says nothing of the call. */
static void grow(struct looked *looked)
{
    struct kernel *kernel = looked->live->opts.kernel;
    long long full = kernel_largest(kernel);

    for (long long size = first_size; size <= 2 * full && !looked->ended; size *= 2) {
        struct error why = {0};

        if (spawn_interrupted() || clock_s() >= looked->until_s ||
            (kernel_at_size(kernel, size, look_at, looked, &why) &&
             why.status != STATUS_INPUT))
            return;
        bool shrinks = looked->bytes < looked->full_bytes;
        if (looked->call_s >= call_enough_s || (shrinks && looked->bytes >= bytes_enough))
            return;
    }
}

struct live_look live_look(struct live *live)
{
    struct kernel_counts full = kernel_counts(live->opts.kernel);
    struct looked looked = {.live = live, .full_bytes = full.footprint_bytes};
    struct built *built = NULL;
    double work;

    if (live_built_get(live, &(struct candidate){.plan = ""}, &built, NULL) ||
        live_build(live, built, VARIANT_TIME, NULL) || !built->program[VARIANT_TIME])
        return (struct live_look){0};
    looked.program = built->program[VARIANT_TIME];
    looked.until_s = clock_s() + look_s;
    grow(&looked);
    if (looked.bytes <= 0 || full.footprint_bytes <= 0)
        return (struct live_look){0};
    work = looked.iterations > 0 && full.iterations.known
               ? full.iterations.value / looked.iterations
               : full.footprint_bytes / looked.bytes;
    live->fill_s = fmax(looked.around_s - looked.min_around_s, 0) * full.footprint_bytes /
                   looked.bytes;
    live->call_s = looked.call_s * work;
    return (struct live_look){.call_s = live->call_s, .fill_s = live->fill_s};
}

void live_take_look(struct live *live, const struct live_look *look)
{
    live->call_s = look->call_s;
    live->fill_s = look->fill_s;
}

int live_shorten(struct live *live, double call_s, struct live_look *look,
                 struct error *err)
{
    double share = 1;

    if (look->call_s > call_s)
        share = kernel_shorten(live->opts.kernel, call_s / look->call_s);
    if (share < 1 && live_rebind(live, 0, err))
        return -1;
    look->call_s *= share;
    live->call_s *= share;
    return 0;
}
