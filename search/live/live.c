/* The live runner: builds a variant, verifies it, runs it loaded, traces it. */
#include "search/live/live.h"

#include <stdlib.h>
#include <string.h>

#include "core/base.h"
#include "search/live/live_parts.h"
#include "variants/model/model.h"
#include "variants/plan/plan.h"

/* ---- ahead ---- */

/* The live runner: programs of the next candidates, built while nothing is timed. C is
 * written here, one plan after the other (isl and libclang are not made for more), only
 * compilers and linkers run beside each other. */

struct ahead {
    struct live *live;
    struct variant_queue *queue;
};

/* Four for each processor, so that a slow compiler leaves the others with work; few, so
 * that little was built for nothing when the search turns elsewhere. */
static size_t live_prepare_max(void)
{
    return 4 * variant_queue_processors();
}

static void queue_program(const struct ahead *ahead, const struct built *built,
                          enum variant_program what)
{
    struct toolchain later = *built->toolchain;
    char *path = NULL;
    later.queue = ahead->queue;
    if (!built->program[what])
        variant_build(ahead->live->opts.kernel, built->parsed, &later, what,
                      ahead->live->opts.scratch, &path, NULL);
    free(path);
}

static void queue_library(const struct ahead *ahead, const struct built *built)
{
    struct live *live = ahead->live;
    const struct variant_side side = {.plan = built->parsed};
    struct toolchain later = *built->toolchain;
    char *library = NULL;
    later.queue = ahead->queue;
    if (!built->library)
        variant_build_library(live->opts.kernel, &side, &later, live->opts.scratch,
                              &library, NULL);
    free(library);
}

static void queue_candidate(struct ahead *ahead, const struct candidate *candidate)
{
    struct built *built = NULL;
    if (live_built_get(ahead->live, candidate, &built, NULL) || built->source ||
        built->refused != RUN_OUTCOME_OK)
        return;
    if (!ahead->live->no_arena) {
        queue_library(ahead, built);
    } else if (!built->small_verified && *built->plan) {
        queue_program(ahead, built, VARIANT_VERIFY);
    }
    if (ahead->live->no_arena ||
        !live_paired(ahead->live, built, &candidate->environment))
        queue_program(ahead, built, VARIANT_TIME);
}

/* live_ahead.c: for struct search_runner. */
static int live_prepare(void *data, const struct candidate *candidate, size_t nr,
                        struct error *err)
{
    struct ahead ahead = {.live = data, .queue = variant_queue_new()};
    for (size_t i = 0; i < nr && !spawn_interrupted(); i++)
        queue_candidate(&ahead, &candidate[i]);
    int status = variant_queue_build(ahead.queue, err);
    variant_queue_free(ahead.queue);
    return status;
}

/* ---- live ---- */

/* ---- how many copies ---- */

int live_choose_copies(struct live *live, size_t copies, struct error *err)
{
    double bytes = kernel_counts(live->opts.kernel).footprint_bytes,
           room = 0.8 * memory_available_bytes();
    size_t wanted = copies ? copies : live->cpus.cpu_nr;
    if (live->opts.elsewhere) {
        free(live->note);
        live->copies = copies ? copies : live->opts.copies;
        live->note = xasprintf("%zu cop%s, one per core of a node", live->copies,
                               live->copies == 1 ? "y" : "ies");
        return 0;
    }
    if (wanted > live->cpus.cpu_nr)
        return fail(err, STATUS_USAGE,
                    "--cores %zu: this process may use %zu cores; give that or less",
                    wanted, live->cpus.cpu_nr);
    live->copies = wanted;
    while (live->copies > 1 && room > 0 && bytes * (double)live->copies > room)
        live->copies--;
    if (room > 0 && bytes > room)
        return fail(err, STATUS_MISSING,
                    "the buffers of '%s' need %.1f GiB, but only %.1f GiB of memory are "
                    "free; choose smaller sizes with --set",
                    kernel_name(live->opts.kernel), bytes / 1073741824.0,
                    room / 1073741824.0);
    const char *why =
        live->copies < wanted ? ", fewer than cores because of memory" : ", one per core";
    free(live->note);
    live->note = xasprintf("%zu cop%s%s", live->copies, live->copies == 1 ? "y" : "ies",
                           live->cpus.cpu_nr > 1 ? why : "");
    return 0;
}

int live_new(const struct live_opts *opts, struct live **out, struct error *err)
{
    struct live *live = xcalloc(1, sizeof(*live));
    live->opts = *opts;
    if (machine_cpus(NULL, &live->cpus, err) ||
        live_choose_copies(live, opts->copies, err)) {
        live_free(live);
        return -1;
    }
    live->here = machine_is_this_hardware(opts->machine);
    counters_open(&live->counters);
    variant_args(opts->kernel, &live->args);
    *out = live;
    return 0;
}

void live_free(struct live *live)
{
    if (!live)
        return;
    for (size_t i = 0; i < live->built_nr; i++)
        live_built_free(live->built[i]);
    free(live->built);
    counters_close(&live->counters);
    free(live->cpus.cpu);
    free(live->smt.cpu);
    live_toolchains_release(live);
    free(live->note);
    live_forget(live);
    live_leave_arena(live);
    strvec_release(&live->args);
    strvec_release(&live->shapes);
    strvec_release(&live->failing);
    free(live);
}

size_t live_copies(const struct live *live)
{
    return live->copies;
}

const char *live_note(const struct live *live)
{
    return live->note;
}

/* ---- timing ---- */

static bool is_long(const struct live *live)
{
    return live->opts.budget_s > 0 && live->call_s > LIVE_LONG_S;
}

static void set_effort(const struct live *live, enum measure_effort effort,
                       double stop_at_s, struct run_opts *opts)
{
    if (effort == MEASURE_QUICK) {
        opts->launches_min = opts->launches_max = 1;
        opts->samples_per_launch = 3;
        opts->budget_s = 2;
        double limit = 2 * live->launch_s + 2 + 4 * stop_at_s;
        if (stop_at_s > 0 && live->launch_s > 0 &&
            (opts->launch_limit_s <= 0 || limit < opts->launch_limit_s))
            opts->launch_limit_s = limit;
        opts->stop_at_s = stop_at_s;
        return;
    }
    if (is_long(live)) { /* its first call then is the sample */
        opts->launches_min = opts->launches_max = opts->samples_per_launch = 1;
        opts->budget_s = live->call_s;
        return;
    }
    opts->launches_min = live->launch_s > 0 ? 2 : 3; /* the baseline: 3 */
    opts->launches_max = 6;
    opts->samples_per_launch = 3;
    opts->budget_s = 6;
    if (live->opts.budget_s > 0 && live->opts.budget_s < 5 * opts->budget_s)
        opts->budget_s = live->opts.budget_s / 5;
}

/* What memory's latency is at this moment, right behind what it is to explain, over what
 * the profile in memory says; 1 when it cannot be told. */
static double latency_now(const struct live *live)
{
    struct quantity now = quantity_unknown();
    struct quantity profile = live->opts.machine->memory_latency_ns;
    if (machine_latency_now(&now, NULL) || !now.known || !profile.known ||
        profile.value <= 0)
        return 1;
    return now.value / profile.value;
}

/* What was asked a moment ago still holds: it takes as long as some variants do. */
static void follow_latency(struct live *live)
{
    const double holds_s = 20;
    double now_s = clock_s();
    if (!live->here || (live->latency_at_s > 0 && now_s - live->latency_at_s < holds_s))
        return;
    machine_scale_latency(live->opts.machine, latency_now(live));
    live->latency_at_s = now_s;
}

static int time_it(struct live *live, const struct built *built,
                   const struct environment *environment, enum measure_effort effort,
                   double stop_at_s, struct measurement *out, struct error *err)
{
    struct run_opts opts = live_run_opts(live);
    struct run_place place = {0};
    struct run_program program = {built->program[VARIANT_TIME], &live->args,
                                  environment->huge_pages, &place};
    struct run_result result = {0};
    if (live_place(live, environment, &place, err))
        return -1;
    set_effort(live, effort, stop_at_s, &opts);
    live_set_environment(environment, &opts);
    live->counted_calls = 0;
    if (effort == MEASURE_EXPLAIN && live->counters.usable) {
        counters_reset(&live->counters);
        opts.at_gate = counters_at_gate;
        opts.gate_data = &live->counters;
    }
    live_rest(live);
    if (run_measure(&program, &opts, &result, err))
        return -1;
    if (!*built->plan && result.outcome == RUN_OUTCOME_OK && result.sample_nr) {
        unsigned launches = result.sample[result.sample_nr - 1].launch + 1;
        live->launch_s = result.wall_s / launches;
    }
    if (opts.at_gate && !live->counters.failed)
        live->counted_calls = result.calls * (double)place.copies;
    live_take_run(&result, out);
    live_note_stopped(live, opts.launch_limit_s, stop_at_s, out);
    run_result_release(&result);
    return 0;
}

/* At which sizes, and how alike the results had to be; NULL = it was not compared. */
static char *verified_text(const struct verify_report *report)
{
    const struct tolerance *tolerance = &report->tolerance;
    struct buf text = {0};

    if (!report->sizes)
        return NULL;
    buf_addf(&text, "%s; integers exactly, double within %g, float within %g",
             report->sizes, tolerance->relative_double, tolerance->relative_float);
    if (tolerance->absolute > 0)
        buf_addf(&text, ", or %g absolutely", tolerance->absolute);
    if (report->outcome == RUN_OUTCOME_OK && report->detail)
        buf_addf(&text, "; %s", report->detail);
    return buf_detach(&text);
}

/* ---- the runner ---- */

static void take_verification(const struct built *built, struct measurement *out)
{
    out->verified = built->small_verified || built->full_verified;
    out->checked = built->full_verified;
    out->verified_sizes = verified_text(&built->report);
    out->max_relative_error = built->report.max_relative_error;
}

/* Of a session. */
static bool is_baseline(const struct live *live, const struct built *built,
                        const struct measurement *out)
{
    const struct environment plain = {0};
    return live->opts.budget_s > 0 && !is_long(live) && !*built->plan &&
           !live->reference.plan && environments_equal(&out->environment, &plain);
}

static void take_outcome(const struct built *built, struct measurement *out)
{
    if (built->refused == RUN_OUTCOME_OK) {
        take_verification(built, out);
        return;
    }
    out->outcome = built->refused;
    free(out->detail);
    out->detail = xstrdup(built->why);
    out->time_s = quantity_unknown();
}

/* Where no time is left for its check it is told unverified: what is written for it in
 * the end is checked at all sizes. */
static bool is_left_to_file(const struct live *live)
{
    return spawn_left_s() < live_small_s(live);
}

/* The small sizes, and sanitizers. */
static int check_small(struct live *live, struct built *built, struct error *err)
{
    if (live_check(live, built, true, err))
        return -1;
    return built->refused == RUN_OUTCOME_OK ? live_sanitize(live, built, err) : 0;
}

/* Plans are timed beside the reference where that can be; but counters count a launch.
 * What is not faster need not be right and clean, until it is verified at the full size.
 */
static int time_built(struct live *live, struct built *built, enum measure_effort effort,
                      double stop_at_s, struct measurement *out, struct error *err)
{
    enum run_verdict verdict = RUN_VERDICT_UNDECIDED;
    bool done = (effort == MEASURE_QUICK || !live->counters.usable) &&
                built->refused == RUN_OUTCOME_OK && live_knows(live, built, out);
    if (!done && built->refused == RUN_OUTCOME_OK &&
        !(effort == MEASURE_EXPLAIN && live->counters.usable) &&
        (is_baseline(live, built, out)
             ? live_time_alone(live, built, effort, out, &done, err)
             : live_time_paired(live, built, effort, stop_at_s, out, &done, &verdict,
                                err)))
        return -1;
    if (!done && live_build(live, built, VARIANT_TIME, err))
        return -1;
    if (built->refused != RUN_OUTCOME_OK) {
        take_outcome(built, out);
        return 0;
    }
    if (!done && time_it(live, built, &out->environment, effort, stop_at_s, out, err))
        return -1;
    if (out->outcome == RUN_OUTCOME_OK &&
        (effort != MEASURE_QUICK || !done || verdict == RUN_VERDICT_FASTER) &&
        *built->plan && !is_left_to_file(live) && check_small(live, built, err))
        return -1;
    take_outcome(built, out);
    return 0;
}

/* Its results alone. */
static int check_built(struct live *live, struct built *built, struct measurement *out,
                       struct error *err)
{
    if (live_check(live, built, false, err))
        return -1;
    take_outcome(built, out);
    return 0;
}

int live_measure_built(struct live *live, struct built *built,
                       const struct kernel_counts *counts, enum measure_effort effort,
                       double stop_at_s, struct measurement *out, struct error *err)
{
    bool explain = effort == MEASURE_EXPLAIN,
         looks = !explain && live_paired(live, built, &out->environment);
    if (effort == MEASURE_CHECK)
        return check_built(live, built, out, err);
    if (!looks && live_check(live, built, !explain, err))
        return -1;
    if (!*built->plan)
        live_bound_original(live);
    if (time_built(live, built, effort, stop_at_s, out, err))
        return -1;
    if (!explain || out->outcome != RUN_OUTCOME_OK || spawn_interrupted())
        return 0;
    if (!*built->plan)
        live->original_s = out->time_s;
    live_remember(live, built, out);
    follow_latency(live);
    return live_trace(live, built, counts, out, err);
}

/* What was cut short at the end of the budget says nothing of the variant: another
 * session may try it. */
static void note_late(struct built *built, struct measurement *out)
{
    if (out->outcome == RUN_OUTCOME_OK || spawn_interrupted() || !spawn_is_late())
        return;
    if (built)
        built->refused = RUN_OUTCOME_OK;
    out->outcome = RUN_OUTCOME_INTERRUPTED;
    free(out->detail);
    out->detail = xstrdup("cut short: the budget was used up");
}

/* What is not there (a compiler, cores enough) is an outcome when it was only tried. */
static bool is_special(const struct environment *environment)
{
    return *environment->compiler || *environment->flags || environment->threads > 1 ||
           environment->smt > 1;
}

static int measure_bound(struct live *live, const struct candidate *candidate,
                         enum measure_effort effort, double stop_at_s,
                         struct measurement *out, struct error *err)
{
    struct built *built = NULL;
    struct error why = {0};
    *out = measurement_begun(candidate, RUN_OUTCOME_OK);
    if (live_built_get(live, candidate, &built, &why) == 0 &&
        live_measure_built(live, built, NULL, effort, stop_at_s, out, &why) == 0) {
        note_late(built, out);
        return 0;
    }
    if (spawn_is_late() && !spawn_interrupted()) {
        out->outcome = RUN_OUTCOME_INTERRUPTED;
        note_late(built, out);
        return 0;
    }
    if (why.status == STATUS_MISSING && is_special(&candidate->environment)) {
        out->outcome = RUN_OUTCOME_NOT_BUILT;
        out->detail = xstrdup(why.text);
        return 0;
    }
    measurement_release(out);
    return fail(err, why.status, "%s", why.text);
}

static int measure(void *data, const struct candidate *candidate,
                   enum measure_effort effort, double stop_at_s, struct measurement *out,
                   struct error *err)
{
    double end_at_s = spawn_end_at(0);
    spawn_end_at(end_at_s);
    int status = measure_bound(data, candidate, effort, stop_at_s, out, err);
    spawn_end_at(end_at_s);
    return status;
}

struct search_runner live_runner(struct live *live)
{
    return (struct search_runner){.data = live,
                                  .measure = measure,
                                  .compare = live_compare,
                                  .look = live_look_pair,
                                  .prepare = live_prepare,
                                  .prepare_min = variant_queue_processors(),
                                  .prepare_max = live_prepare_max(),
                                  .costs = live_costs};
}

/* ---- the subject ---- */

static struct kernel_view subject_view(void *data)
{
    return kernel_view(((struct live *)data)->opts.kernel);
}

static struct kernel_counts subject_counts(void *data)
{
    return kernel_counts(((struct live *)data)->opts.kernel);
}

/* Of numbers that the analysis of a plan makes: at first a few seconds' worth of a kernel
 * that is hard to analyse, in the end a tenth of a second. */
enum { CHECK_FIRST = 3000000, CHECK_LEAST = 100000 };

/* A refusal that took all that it might is one of many such: each leaves the next checks
 * a quarter of that, else the search would do nothing else. */
static int subject_check(void *data, const char *plan, struct error *err)
{
    struct live *live = data;
    struct plan *parsed = NULL;
    unsigned long before = analysis_effort();
    if (plan_parse(plan, &parsed, err))
        return -1;
    live->check_limit = live->check_limit ? live->check_limit : CHECK_FIRST;
    kernel_limit(live->opts.kernel, live->check_limit);
    int status = kernel_check(live->opts.kernel, parsed, NULL, err);
    kernel_limit(live->opts.kernel, CHECK_FIRST); /* what is legal is also written */
    plan_free(parsed);
    if (status && analysis_effort() - before >= live->check_limit &&
        live->check_limit > CHECK_LEAST)
        live->check_limit =
            live->check_limit / 4 > CHECK_LEAST ? live->check_limit / 4 : CHECK_LEAST;
    return status;
}

struct search_subject live_subject(struct live *live)
{
    return (struct search_subject){.data = live,
                                   .view = subject_view,
                                   .counts = subject_counts,
                                   .check = subject_check,
                                   .machine = live->opts.machine,
                                   .huge_pages_available =
                                       live->opts.machine->huge_pages_available,
                                   .cores = (int)live->copies};
}
