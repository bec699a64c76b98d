/* The live runner: options of runs, and what a run gave as a measurement. */
#include <stdlib.h>

#include "core/base/figures.h"
#include "search/live/live_parts.h"

/* A variant that takes memory without end shall meet a limit before the machine does: the
 * arrays and a fair share of what is free. */
static double memory_limit(const struct live *live)
{
    double arrays = kernel_counts(live->opts.kernel).footprint_bytes,
           room = memory_available_bytes();
    if (live->opts.memory_limit_bytes > 0 || room <= 0)
        return live->opts.memory_limit_bytes;
    return 1.25 * arrays + (double)(1 << 30) + 0.8 * room / (double)live->copies;
}

struct run_opts live_run_opts(const struct live *live)
{
    return (struct run_opts){.cpu = live->cpus.cpu,
                             .copies = live->copies,
                             .threads = 1,
                             .launch_limit_s = live->opts.launch_limit_s,
                             .memory_limit_bytes = memory_limit(live),
                             .minimum_of = live->opts.minimum_of,
                             .scratch = live->opts.scratch};
}

/* One call is a sample then, and how it meets the caches scatters. */
enum { COLD_SAMPLES = 8 };

void live_set_environment(const struct environment *environment, struct run_opts *opts)
{
    opts->start = environment->start;
    opts->background = environment->background;
    if (environment->start != RUN_START_WARM)
        opts->samples_per_launch *= COLD_SAMPLES;
}

void live_take_run(struct run_result *result, struct measurement *out)
{
    out->outcome = result->outcome;
    out->detail = result->detail;
    out->time_s = run_time_s(result);
    out->at_least_s = result->at_least_s;
    out->sample = result->sample;
    out->sample_nr = result->sample_nr;
    out->huge_bytes = result->huge_bytes;
    out->launches = result->launches;
    out->disturbed_nr = result->disturbed_nr;
    out->clock_step_s = result->clock_step_s;
    out->call_overhead_s = result->call_overhead_s;
    out->note = result->note;
    out->denormal = result->denormal;
    result->detail = result->note = result->denormal = NULL;
    result->sample = NULL;
    result->sample_nr = 0;
}

/*
 * A launch that was killed at limit_s, when that followed from stop_at_s
 * (longer than all of a launch with calls of stop_at_s by a launch's own time and 2 s),
 * was one of calls that take longer.
 */
void live_note_stopped(const struct live *live, double limit_s, double stop_at_s,
                       struct measurement *out)
{
    double general_s = live->opts.launch_limit_s > 0 ? live->opts.launch_limit_s : 60;
    if (out->outcome == RUN_OUTCOME_TIMED_OUT && stop_at_s > 0 && limit_s > 0 &&
        limit_s < general_s) {
        out->outcome = RUN_OUTCOME_STOPPED;
        out->at_least_s = stop_at_s;
    }
    if (out->outcome != RUN_OUTCOME_STOPPED)
        return;
    struct buf text = {0};
    buf_add(&text,
            "given up, since it is slower than the best known: a call takes at least ");
    buf_add_time(&text, out->at_least_s);
    free(out->detail);
    out->detail = buf_detach(&text);
}
