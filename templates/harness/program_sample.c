/*
 * What one timed sample is: the start state of the caches, the clock, and who disturbed
 * it. The order of a sample:
 *
 *     sample_prepare    caches, reference loop
 *     (the copies meet)
 *     sample_begin      counts before
 *     (clock, calls, clock)
 *     sample_end        counts after, reference loop: the causes that disturbed it
 */
#include "program_buffers.c"

#include "program_clock.c"

#include "program_caches.c"
#include "program_watch.c"

struct sampler {
    struct clock clock;
    struct watch watch;
    struct flusher flusher;
    const struct buffer *buffer;
};

static struct sampler sampler_make(const struct request *request,
                                   const struct buffer *buffer)
{
    struct sampler sampler = {.buffer = buffer};

    sampler.clock = clock_look();
    sampler.watch = watch_make(request->cpu);
    if (request->cold_data || request->cold_code)
        sampler.flusher = flusher_choose(request->cold_data, request->cold_code);
    return sampler;
}

static bool is_cold(const struct sampler *sampler)
{
    return sampler->flusher.data || sampler->flusher.code;
}

/* A sample as long as this is timed within 0.1 %: a thousand times what the clock's step
 * and reading it may add. */
static double min_sample_ns(const struct sampler *sampler)
{
    return 1000 * (sampler->clock.step_ns + sampler->clock.empty_ns);
}

static void sample_prepare(struct sampler *sampler)
{
    flusher_run(&sampler->flusher, sampler->buffer);
    watch_before(&sampler->watch);
}

static void sample_begin(struct sampler *sampler)
{
    watch_begin(&sampler->watch);
}

static unsigned sample_end(struct sampler *sampler, const struct spent *spent)
{
    return watch_end(&sampler->watch, spent);
}

/* Every sample from now on is meant to take so long. */
static void sampler_plan(struct sampler *sampler, double planned_ns, long long calls)
{
    watch_plan(&sampler->watch, planned_ns, (double)calls);
}

static void sampler_report(const struct sampler *sampler, double empty_call_ns, FILE *out)
{
    const struct flusher *flusher = &sampler->flusher;

    fprintf(out, "clock %.12g %.12g %.12g\n", sampler->clock.step_ns * 1e-9,
            sampler->clock.empty_ns * 1e-9, empty_call_ns * 1e-9);
    if (is_cold(sampler))
        fprintf(out, "flush %s %.9f %.9f\n", flusher->by_line ? "by-line" : "by-sweep",
                (double)flusher->warm_ns * 1e-9, (double)flusher->flushed_ns * 1e-9);
}
