#include "core/traffic/traffic.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/traffic/trace/trace_estimate.h"

/* A long call gets more windows: three per cent of it are simulated, some seconds at
 * most.
 */
static const double budget_default = 6e7, budget_share = 0.03, budget_max = 3e8;
static const double limit_default_s = 60;
/* The limit is processor time, which the program keeps by itself; one that hangs, or is
 * let run that seldom, is ended after so much more. */
enum { PATIENCE = 4, PATIENCE_MIN_S = 60 };

static const char *const sources[] = {
    "cache_below.c",   "cache_counts.c", "cache_level.c",      "cache_model.c",
    "cache_streams.c", "tracer.c",       "tracer_callbacks.c", "tracer_export.c",
    "tracer_others.c", "tracer_parts.c", "tracer_phases.c"};

int traffic_tracer_sources(struct strvec *paths, struct error *err)
{
    for (size_t i = 0; i < ARRAY_SIZE(sources); i++) {
        char *name = path_join("core/traffic/tracer", sources[i]), *path = NULL;
        int result = shipped_path(name, &path, err);

        if (result == 0)
            strvec_push(paths, path);
        free(name);
        free(path);
        if (result)
            return -1;
    }
    return 0;
}

static double budget_of(const struct traffic_trace_request *request)
{
    double share = fmin(budget_share * request->accesses_total, budget_max);

    return request->accesses_budget > 0 ? request->accesses_budget
                                        : fmax(budget_default, share);
}

static double limit_of(const struct traffic_trace_request *request)
{
    return request->limit_s > 0 ? request->limit_s : limit_default_s;
}

static double patience_of(const struct traffic_trace_request *request)
{
    return PATIENCE_MIN_S + PATIENCE * limit_of(request);
}

/*
 * The index of a level is folded where it reaches beyond a page, since pages lie anywhere
 * in physical memory, and from L3 on, since such caches hash. L1 is indexed within a page
 * on nearly all CPUs.
 */
static bool is_folded(const struct traffic_geometry *geometry, int k)
{
    int ways = geometry->level[k].ways > 0 ? geometry->level[k].ways : 8;
    double page_bytes = geometry->page_bytes > 0 ? geometry->page_bytes : 4096;

    return k >= 2 || (k == 1 && geometry->level[k].bytes / ways > page_bytes);
}

static void add_levels(const struct traffic_geometry *geometry, struct buf *text)
{
    for (int k = 0; k < geometry->level_nr; k++)
        buf_addf(text, " level=%.0f:%d:%d:%d:%d", geometry->level[k].bytes,
                 geometry->level[k].ways > 0 ? geometry->level[k].ways : 8,
                 is_folded(geometry, k), (int)geometry->level[k].inclusion,
                 geometry->level[k].sharers > 1 ? geometry->level[k].sharers : 1);
}

static char *geometry_text(const struct traffic_trace_request *request)
{
    const struct traffic_geometry *geometry = &request->geometry;
    struct buf text = {0};

    buf_addf(&text,
             "line=%d page=%.0f tlb=%d streams=%d overwritten=%d plain=%d limit=%g "
             "wall=%g cold=%d",
             geometry->line_bytes, geometry->page_bytes, geometry->tlb_entries,
             geometry->streams, geometry->store_read_factor < 1, geometry->plain,
             limit_of(request), request->wall_s, request->cold);
    add_levels(geometry, &text);
    for (size_t i = 0; i < request->other_nr; i++) {
        buf_add(&text, " other=1");
        add_levels(&request->other[i], &text);
    }
    return buf_detach(&text);
}

static void command(const struct traffic_trace_request *request, const char *out,
                    struct strvec *argv)
{
    char *geometry = geometry_text(request);

    strvec_push(argv, request->program);
    if (request->args)
        strvec_push_all(argv, request->args);
    if (request->cpu >= 0) {
        strvec_push(argv, "--cpu");
        strvec_pushf(argv, "%d", request->cpu);
    }
    strvec_push(argv, "--geometry");
    strvec_push(argv, geometry);
    strvec_push(argv, "--total");
    strvec_pushf(argv, "%.0f", request->accesses_total);
    strvec_push(argv, "--budget");
    strvec_pushf(argv, "%.0f", budget_of(request));
    strvec_push(argv, "--out");
    strvec_push(argv, out);
    free(geometry);
}

static const char *last_line(const struct buf *text)
{
    const char *from = buf_str(text), *line = from + text->length;

    while (line > from && (line[-1] != '\n' || line[0] == '\0' || line[0] == '\n'))
        line--;
    return line;
}

static int judge_end(const struct traffic_trace_request *request,
                     const struct spawn_outcome *outcome, struct error *err)
{
    const char *reported = last_line(&outcome->err);
    int length = outcome->end == SPAWN_EXITED ? (int)strcspn(reported, "\n") : 0;
    char *phrase;

    switch (outcome->end) {
    case SPAWN_TIMED_OUT:
        return fail(err, STATUS_FAILED,
                    "the tracing program '%s' did not end within %g s; take smaller "
                    "sizes for tracing",
                    request->program, patience_of(request));
    case SPAWN_INTERRUPTED:
        return fail(err, STATUS_FAILED, "tracing was interrupted");
    case SPAWN_NOT_STARTED:
        return fail(err, STATUS_FAILED, "the tracing program '%s' cannot be started: %s",
                    request->program, strerror(outcome->code));
    case SPAWN_EXITED:
    case SPAWN_SIGNALLED:
        break;
    }
    if (!(phrase = spawn_end_phrase(outcome->end, outcome->code)))
        return 0;
    fail(err, STATUS_FAILED, "the tracing program '%s' %s%s%.*s", request->program,
         phrase, length ? ": " : "", length, reported);
    free(phrase);
    return -1;
}

static int run(const struct traffic_trace_request *request, const char *out,
               struct error *err)
{
    static const char *const env[] = {"OMP_NUM_THREADS=1", NULL};
    struct strvec argv = {0};
    struct spawn_outcome outcome = {0};
    struct spawn_request spawn = {
        .env_extra = env, .timeout_s = patience_of(request), .account = ACCOUNT_TRACING};
    int result;

    command(request, out, &argv);
    spawn.argv = (const char *const *)argv.v;
    result = spawn_run(&spawn, &outcome, err);
    if (result == 0)
        result = judge_end(request, &outcome, err);
    spawn_outcome_release(&outcome);
    strvec_release(&argv);
    return result;
}

/* A loop in registers: the compiler's callbacks are there, and the whole call made none.
 */
static bool touches_nothing(const struct traffic_trace_request *request,
                            const struct trace_file *file)
{
    return file->instrumented && file->end == TRACE_END_COMPLETE && file->seen == 0 &&
           request->accesses_total <= 0;
}

/* Against the loop model, as far as the call was followed. */
static int check_accesses(const struct traffic_trace_request *request,
                          const struct trace_file *file, struct error *err)
{
    double total = request->accesses_total, seen = (double)file->seen;
    double min = request->accesses_min > 0 ? request->accesses_min : total / 2;

    if (touches_nothing(request, file))
        return 0;
    if (file->window_nr == 0 || (total > 0 && seen <= 0))
        return fail(err, STATUS_FAILED,
                    "the tracing program '%s' reported no load or store; was the kernel "
                    "compiled with the callbacks?",
                    request->program);
    if (total <= 0)
        return 0;
    if (file->end == TRACE_END_BEYOND || seen > 1.01 * total)
        return fail(err, STATUS_FAILED,
                    "one call makes %s%.0f loads and stores, the loop model counts %.0f: "
                    "the model "
                    "does not describe this code",
                    file->end == TRACE_END_BEYOND ? "at least " : "", seen, total);
    if (file->end == TRACE_END_COMPLETE && seen < min)
        return fail(
            err, STATUS_FAILED,
            "one call makes %.0f loads and stores, the loop model counts %.0f and at "
            "least "
            "%.0f where values stay in registers: the model does not describe this code",
            seen, total, min);
    return 0;
}

static char *note_of(const struct traffic_trace_request *request,
                     const struct trace_file *file, const struct traffic *traffic)
{
    if (touches_nothing(request, file))
        return xasprintf("the call makes no load or store");
    if (file->end == TRACE_END_BUDGET)
        return xasprintf(
            "the figures are for the first %.0f accesses only: the call makes more, "
            "how many is not known",
            (double)file->seen);
    if (traffic->traced_share < 1)
        return xasprintf(
            "%.3g %% of the accesses were simulated, in %zu windows spread over %s%s",
            100 * traffic->traced_share, file->window_nr,
            file->end == TRACE_END_REACH ? "the part of the call that can be "
                                           "passed within the time limit"
                                         : "the call",
            file->window_nr < 2 ? "; with one window the interval is a guess" : "");
    if (file->call == 1)
        return xasprintf(
            "one call from empty caches, dirty lines written back at its end");
    return request->accesses_total > 0
               ? NULL
               : xasprintf("accesses were not compared with a loop model");
}

static double accesses_of(const struct traffic_trace_request *request,
                          const struct trace_file *file)
{
    if (file->end != TRACE_END_REACH)
        return (double)file->seen;
    return fmax((double)file->seen, request->accesses_likely > 0
                                        ? request->accesses_likely
                                        : request->accesses_total);
}

/* What the same windows moved in another cache; nobody is charged for it. */
static void span_other(const struct traffic_trace_request *request,
                       const struct trace_file *file, size_t i, double total,
                       struct traffic *traffic)
{
    struct traffic other = {0};
    struct trace_file alone = *file;

    alone.window = file->other[i].window;
    alone.window_nr = file->other[i].nr;
    alone.part_nr = alone.array.nr = 0;
    if (alone.window_nr != file->window_nr)
        return;
    trace_estimate(&alone, &request->other[i], total, &other);
    traffic_span(traffic, &other);
    traffic_release(&other);
}

static int take(const struct traffic_trace_request *request,
                const struct trace_file *file, struct traffic *traffic, struct error *err)
{
    double total = accesses_of(request, file);

    if (request->counting) {
        traffic->accesses = file->end == TRACE_END_COMPLETE
                                ? quantity_exact((double)file->seen, PROVENANCE_MODEL)
                                : quantity_unknown();
        return 0;
    }
    if (check_accesses(request, file, err))
        return -1;
    trace_estimate(file, &request->geometry, total, traffic);
    for (size_t i = 0; i < request->other_nr; i++)
        span_other(request, file, i, total, traffic);
    if (file->end == TRACE_END_BUDGET)
        traffic->traced_share = 0;
    traffic->note = note_of(request, file, traffic);
    return 0;
}

int traffic_trace(const struct traffic_trace_request *request, struct traffic *traffic,
                  struct error *err)
{
    struct trace_file file = {0};
    char *scratch = NULL, *out = NULL;
    int result = -1;

    *traffic = (struct traffic){0};
    if (!request->scratch && scratch_make(&scratch, err))
        return -1;
    out = xasprintf("%s/%s.trace", scratch ? scratch : request->scratch,
                    path_base(request->program));
    unlink(out);
    if (run(request, out, err) == 0 &&
        trace_file_read(out, request->geometry.level_nr, &file, err) == 0) {
        trace_file_places(&file, request->program);
        result = take(request, &file, traffic, err);
    }
    if (result == 0)
        traffic_export(traffic);
    unlink(out);
    trace_file_release(&file);
    free(out);
    if (scratch)
        scratch_remove(scratch);
    return result;
}
