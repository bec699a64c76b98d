/* The live runner: the traffic of a variant, and what it explains, in bounded time. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base.h"
#include "search/live/live_parts.h"
#include "variants/kernel/kernel_inputs.h"

/* Levels and line of live_opts.geometry into one from the profile. */
static void override_geometry(const struct live *live, struct traffic_geometry *geometry)
{
    const struct traffic_geometry *given = live->opts.geometry;
    if (!given)
        return;
    if (given->line_bytes > 0)
        geometry->line_bytes = given->line_bytes;
    if (given->level_nr <= 0)
        return;
    geometry->level_nr = given->level_nr;
    memcpy(geometry->level, given->level, sizeof(geometry->level));
}

/* ---- cache ---- */

/* The live runner: what the cache model is told of the machine, and what it is not sure
 * of. */

/* Ends nearer to each other than this move the traffic of few loops. */
static const double far_apart = 1.5;

static double bytes_at(const struct machine *machine, int i, enum cache_end end)
{
    struct quantity share = machine_share_bytes(machine, i);
    if (end == CACHE_MAX)
        return machine_share_max_bytes(machine, i);
    if (!share.known)
        return 0;
    return end == CACHE_MIN ? share.low : share.value;
}

/*
 * What one core really gets of a level when all run, as the probe saw it, is what a copy
 * has: others that share the level are in that figure already, so the model is told of
 * none. Where only the size of the whole level is documented, the copies share it in the
 * model. Profiles do not tell inclusion: non-inclusive, the default.
 */
static struct traffic_cache cache_of(const struct machine *machine, int i, size_t copies,
                                     enum cache_end end)
{
    const struct machine_level *level = &machine->level[i];
    struct traffic_cache cache = {.ways = level->ways};
    if (level->effective_bytes > 0 || machine_is_probed(machine)) {
        cache.bytes = bytes_at(machine, i, end);
        return cache;
    }
    cache.bytes = level->claimed_bytes;
    cache.sharers =
        level->cores_sharing < (int)copies ? level->cores_sharing : (int)copies;
    return cache;
}

struct traffic_geometry cache_geometry(const struct machine *machine, bool huge_pages,
                                       size_t copies, enum cache_end end)
{
    const struct machine_pages *pages =
        huge_pages ? &machine->huge_pages : &machine->small_pages;
    /* The profile counts TLB reach in base pages, also on huge ones: a host may back them
     * with small pages. */
    bool counted = pages->tlb_entries > 0;
    struct traffic_geometry out = {.line_bytes = machine->line_bytes,
                                   .page_bytes = huge_pages && !counted ? 2097152 : 4096,
                                   .tlb_entries = (int)pages->tlb_entries,
                                   .store_read_factor = machine->store_read_factor};
    for (int i = 0; i < machine->level_nr && i < TRAFFIC_LEVELS_MAX; i++)
        out.level[out.level_nr++] = cache_of(machine, i, copies, end);
    if (out.level[0].sharers > 1) { /* the model's first level is one core's own */
        out.level[0].bytes /= out.level[0].sharers;
        out.level[0].sharers = 0;
    }
    return out;
}

/* The same with the levels and the line of live_opts.geometry. */
static struct traffic_geometry live_geometry(const struct live *live, bool huge_pages,
                                             enum cache_end end)
{
    struct traffic_geometry out =
        cache_geometry(live->opts.machine, huge_pages, live->copies, end);
    override_geometry(live, &out);
    return out;
}

/* The first level whose ends are far apart; -1 = none is. */
static int unsure_level(const struct traffic_geometry *min,
                        const struct traffic_geometry *max)
{
    for (int i = 0; i < min->level_nr; i++)
        if (max->level[i].bytes > far_apart * min->level[i].bytes)
            return i;
    return -1;
}

static void note_span(const struct traffic_geometry *min,
                      const struct traffic_geometry *max, int i, struct traffic *traffic)
{
    struct buf note = {0};
    if (traffic->note)
        buf_addf(&note, "%s; ", traffic->note);
    buf_addf(&note, "how much of L%d a core gets is only known to be from ", i + 1);
    buf_add_size(&note, min->level[i].bytes);
    buf_add(&note, " to ");
    buf_add_size(&note, max->level[i].bytes);
    buf_add(&note, ", so the lines from memory are an interval: 'inflight machine' on a "
                   "quiet machine tells more");
    free(traffic->note);
    traffic->note = buf_detach(&note);
}

/* A level whose ends are near each other is as the best guess has it in both: caches that
 * begin alike are traced at once, nearly for the time of one. */
static void take_sure_levels(const struct traffic_geometry *guess,
                             struct traffic_geometry *min, struct traffic_geometry *max)
{
    for (int i = 0; i < guess->level_nr; i++)
        if (max->level[i].bytes <= far_apart * min->level[i].bytes)
            min->level[i] = max->level[i] = guess->level[i];
}

/* The least and the most that a core may get, into other[2], where these are far apart:
 * returns how many there are to be traced beside, 0 or 2. */
static size_t live_other_caches(const struct live *live, bool huge_pages,
                                struct traffic_geometry other[2])
{
    struct traffic_geometry guess = live_geometry(live, huge_pages, CACHE_GUESS);

    other[0] = live_geometry(live, huge_pages, CACHE_MIN);
    other[1] = live_geometry(live, huge_pages, CACHE_MAX);
    take_sure_levels(&guess, &other[0], &other[1]);
    return unsure_level(&other[0], &other[1]) < 0 ? 0 : 2;
}

/* The note that says of them. */
static void live_note_caches(const struct traffic_geometry other[2],
                             struct traffic *traffic)
{
    note_span(&other[0], &other[1], unsure_level(&other[0], &other[1]), traffic);
}

/* ---- live trace ---- */

/* ---- how long it may take ---- */

/* Accesses that are simulated in a second; more of them are passed. Over ten loops of
 * PolyBench one takes 7 to 9 ns (bench/cachegrind), where each misses everything up to
 * 80; a call that is simulated whole is so twice. More would be simulated in the same
 * time as a rule; at twice as many, an access of a call, simulated or not, takes 5.2 ns
 * over these loops, and at most 5 were asked. */
static const double simulated_per_s = 1e7;
/* The core is modelled within so many seconds behind the start of the program, which may
 * take so many times as long as it took before (memory that the host has taken back); for
 * plans where a start takes no longer than that. */
static const double account_s = 10, account_starts = 3, account_start_max_s = 1;

/* Seconds for the next trace; infinite = as many as it takes, 0 = none. The kernel as
 * written is traced in any case. */
static double allowance(const struct live *live, const struct built *built)
{
    double all_s = live->opts.trace_s, one_s = live->opts.trace_one_s;
    double left_s = all_s - live->traced_s;

    if (all_s <= 0)
        return INFINITY;
    if (!*built->plan)
        return one_s;
    return left_s < one_s / 2 ? 0 : fmin(left_s, one_s);
}

static void limit_trace(double seconds, struct traffic_trace_request *request)
{
    if (!isfinite(seconds))
        return;
    request->limit_s = request->wall_s = seconds;
    request->accesses_budget = fmax(1e5, simulated_per_s * seconds);
}

/* ---- how many accesses the compiled code makes ---- */

/* Prefetches load their indices once more; nothing a plan does multiplies accesses by
 * more.
 */
enum { PLAN_ACCESSES_MAX = 4 };
/* Passed in a tenth of a second, and in a smaller call the same per iteration, but for
 * the rests of loops and what blocks of fixed size do once each. */
static const double counted_whole = 5e7, ends_differ = 1.25;

/* Of a run that hardly simulates; 0 = its end is out of reach. `modelled` 0 = not known.
 */
static double count_run(const struct traffic_trace_request *request,
                        const struct strvec *args, double modelled)
{
    const double any = 1e15; /* no call makes so many */
    struct traffic_trace_request passing = *request;
    struct traffic counted = {0};
    double accesses = 0;

    passing.args = args;
    passing.counting = true;
    passing.accesses_total = modelled > 0 ? PLAN_ACCESSES_MAX * modelled : any;
    passing.accesses_budget = 1;
    passing.other_nr = 0;
    if (traffic_trace(&passing, &counted, NULL) == 0 && counted.accesses.known)
        accesses = counted.accesses.value;
    traffic_release(&counted);
    return accesses;
}

struct smaller_call {
    const struct traffic_trace_request *request;
    double ratio; /* accesses made over those modelled; 0 = not known */
};

static int count_smaller(struct kernel *kernel, void *data, struct error *err)
{
    struct smaller_call *smaller = data;
    struct kernel_counts counts = kernel_counts(kernel);
    struct strvec args = {0};

    (void)err;
    if (!counts.accesses.known || counts.accesses.value > counted_whole)
        return 0;
    variant_args(kernel, &args);
    smaller->ratio =
        count_run(smaller->request, &args, counts.accesses.value) / counts.accesses.value;
    strvec_release(&args);
    return 0;
}

/*
 * A plan may keep values in registers that the source loads again and again, and the
 * windows shall cover the whole call. How many accesses the compiled code makes of those
 * of the loop model is told by the largest call that is passed in no time. False where
 * none tells; the count of the loop model stays.
 */
static bool count_small_call(struct live *live, struct traffic_trace_request *request)
{
    struct smaller_call smaller = {request, 0};
    struct kernel *kernel = live->opts.kernel;

    for (long long size = kernel_largest(kernel) / 2; size >= 16 && smaller.ratio <= 0;
         size /= 2) {
        struct error why = {0};

        if (spawn_interrupted() ||
            (kernel_at_size(kernel, size, count_smaller, &smaller, &why) &&
             why.status != STATUS_INPUT))
            return false;
    }
    if (smaller.ratio <= 0)
        return false;
    request->accesses_likely = smaller.ratio * request->accesses_total;
    request->accesses_total = ends_differ * request->accesses_likely;
    request->accesses_min = 1;
    return true;
}

static void count_whole_call(struct traffic_trace_request *request)
{
    double counted = count_run(request, request->args, request->accesses_total);

    request->accesses_min = 1;
    request->accesses_likely = 0;
    if (counted > 0)
        request->accesses_total = counted;
}

static int trace_unsure(struct live *live, const struct traffic_trace_request *request,
                        bool own, struct traffic *traffic, struct error *err)
{
    struct traffic_trace_request counted = *request;

    if (own && request->accesses_total > counted_whole &&
        count_small_call(live, &counted) && traffic_trace(&counted, traffic, NULL) == 0)
        return 0;
    counted = *request;
    count_whole_call(&counted);
    return traffic_trace(&counted, traffic, err);
}

/* ---- how far the loop model is trusted ---- */

static bool is_field(const char *name)
{
    return strstr(name, "->") != NULL;
}

static bool is_read_again(const struct kernel_view *view, size_t i)
{
    const struct kernel_access *access = &view->access[i];
    for (size_t k = 0; k < i; k++)
        if (!access->write && !view->access[k].write &&
            view->access[k].array == access->array && access->text &&
            view->access[k].text && !strcmp(view->access[k].text, access->text))
            return true;
    return false;
}

/* Most of its accesses name the same element again and again. */
static bool may_stay_in_registers(const struct kernel_view *view, int loop)
{
    size_t all = 0, invariant = 0;
    for (size_t i = 0; i < view->access_nr; i++) {
        all += view->access[i].loop == loop;
        invariant += view->access[i].loop == loop &&
                     view->access[i].access_class == ACCESS_INVARIANT;
    }
    return 2 * invariant > all;
}

bool live_is_unsure(const struct kernel_view *view)
{
    if (view->local_arrays)
        return true;
    for (size_t i = 0; i < view->loop_nr; i++)
        if (view->loop[i].innermost && may_stay_in_registers(view, (int)i))
            return true;
    for (size_t i = 0; i < view->param_nr; i++)
        if (is_field(view->param[i].name))
            return true;
    for (size_t i = 0; i < view->array_nr; i++)
        if (is_field(view->array[i].name) || view->array[i].has_rows)
            return true;
    for (size_t i = 0; i < view->access_nr; i++)
        if (is_read_again(view, i))
            return true;
    return false;
}

/* ---- a variant ---- */

/* `own`: the counts are of the kernel as its file has it. */
static int trace_traffic(struct live *live, struct built *built,
                         const struct kernel_counts *counts, bool own, double seconds,
                         struct measurement *out, struct error *err)
{
    bool huge = out->environment.huge_pages || kernel_inputs_huge(live->opts.kernel);
    struct kernel_view view = kernel_view(live->opts.kernel);
    struct traffic_geometry other[2];
    struct traffic_trace_request request = {
        .program = built->program[VARIANT_TRACE],
        .args = &live->args,
        .geometry = live_geometry(live, huge, CACHE_GUESS),
        .other = other,
        .other_nr = live_other_caches(live, huge, other),
        .accesses_total = counts->accesses.known ? counts->accesses.value : 0,
        .limit_s = live->opts.launch_limit_s,
        .cold = out->environment.start == RUN_START_COLD_DATA ||
                out->environment.start == RUN_START_COLD,
        .scratch = live->opts.scratch,
        .cpu = live->cpus.cpu[0]};
    bool unsure = (*built->plan || live_is_unsure(&view)) && request.accesses_total > 0;

    limit_trace(seconds, &request);
    if (request.accesses_total <= 0)
        count_whole_call(&request);
    /* Another count than the loop model's: then the run itself counts. */
    struct error other_count = {0};
    if (!unsure && traffic_trace(&request, &out->traffic, &other_count)) {
        if (request.accesses_total <= 0 || spawn_interrupted())
            return fail_as(err, &other_count);
        unsure = true;
    }
    if (unsure && trace_unsure(live, &request, own, &out->traffic, err))
        return -1;
    out->has_traffic = true;
    if (request.other_nr)
        live_note_caches(other, &out->traffic);
    if (live->counted_calls > 0)
        counters_apply(&live->counters, live->counted_calls, &out->traffic);
    if (live_build(live, built, VARIANT_TIME, NULL) == 0 &&
        built->program[VARIANT_TIME] &&
        (!*built->plan || live->opts.trace_s <= 0 ||
         live->launch_s < account_start_max_s))
        live_account(live, built, counts, account_s + account_starts * live->launch_s,
                     out);
    return 0;
}

static int trace_built(struct live *live, struct built *built,
                       const struct kernel_counts *counts, double seconds,
                       struct measurement *out, struct error *err)
{
    struct kernel_counts known = counts ? *counts : kernel_counts(live->opts.kernel);
    double began_s = clock_s();
    int status = trace_traffic(live, built, &known, !counts, seconds, out, err);

    live->traced_s += clock_s() - began_s;
    if (status)
        return -1;
    if (built->parsed && *built->plan)
        known.chains =
            variant_chains(live->opts.kernel, built->parsed, live->opts.scratch);
    if (measurement_explain(out, live->opts.machine, (int)live->copies, &known, err))
        return -1;
    return *built->plan ? 0 : live_experiment(live, &known, out, err);
}

static void say_untraced(struct measurement *out, const char *why)
{
    free(out->detail);
    out->detail = xstrdup(why);
}

int live_trace(struct live *live, struct built *built, const struct kernel_counts *counts,
               struct measurement *out, struct error *err)
{
    double seconds = allowance(live, built);
    struct error why = {0};

    if (seconds <= 0) {
        say_untraced(out, "not traced: the time for tracing is used up");
        return 0;
    }
    if (live_build(live, built, VARIANT_TRACE, err))
        return -1;
    if (built->refused != RUN_OUTCOME_OK ||
        trace_built(live, built, counts, seconds, out, &why) == 0)
        return 0;
    if (!*built->plan)
        return fail(err, why.status, "%s", why.text);
    say_untraced(out, why.text);
    return 0;
}
