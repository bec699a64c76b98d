/* The live runner: from plan to verified programs. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base.h"
#include "search/live/live_parts.h"
#include "variants/plan/plan.h"

const double live_error = 0.05;

void live_built_free(struct built *built)
{
    for (size_t i = 0; i < ARRAY_SIZE(built->program); i++)
        free(built->program[i]);
    free(built->library);
    free(built->plan);
    free(built->source);
    free(built->made_by);
    free(built->why);
    plan_free(built->parsed);
    verify_report_release(&built->report);
    free(built);
}

/* ---- building ---- */

static struct built *built_find(struct live *live, const char *plan,
                                const struct toolchain *toolchain)
{
    for (size_t i = 0; i < live->built_nr; i++)
        if (!strcmp(live->built[i]->plan, plan) && live->built[i]->toolchain == toolchain)
            return live->built[i];
    return NULL;
}

static struct built *built_add(struct live *live, const struct built *built)
{
    GROW(live->built, live->built_nr + 1, live->built_alloc);
    struct built *added = xcalloc(1, sizeof(*added));
    *added = *built;
    live->built[live->built_nr++] = added;
    return added;
}

int live_built_get(struct live *live, const struct candidate *candidate,
                   struct built **out, struct error *err)
{
    const struct toolchain *toolchain;
    struct plan *parsed = NULL;
    if (live_toolchain(live, &candidate->environment, &toolchain, err))
        return -1;
    *out = built_find(live, candidate->plan, toolchain);
    if (*out)
        return 0;
    if (plan_parse(candidate->plan, &parsed, err))
        return -1;
    *out = built_add(live, &(struct built){.plan = xstrdup(candidate->plan),
                                           .parsed = parsed,
                                           .toolchain = toolchain,
                                           .refused = RUN_OUTCOME_OK});
    return 0;
}

int live_built_file(struct live *live, const char *source, const char *plan,
                    const struct environment *environment, struct built **out,
                    struct error *err)
{
    const struct toolchain *toolchain;
    if (live_toolchain(live, environment, &toolchain, err))
        return -1;
    char *name = xasprintf("file %s", source);
    *out = built_find(live, name, toolchain);
    if (!*out)
        *out = built_add(live, &(struct built){.plan = xstrdup(name),
                                               .source = xstrdup(source),
                                               .made_by = xstrdup(plan),
                                               .toolchain = toolchain,
                                               .refused = RUN_OUTCOME_OK});
    free(name);
    return 0;
}

void live_forgive_late(struct built *built)
{
    if (spawn_is_late() && !spawn_interrupted() &&
        built->refused == RUN_OUTCOME_INTERRUPTED)
        built->refused = RUN_OUTCOME_OK;
}

void live_refuse(struct built *built, enum run_outcome outcome, const char *why)
{
    built->refused = outcome;
    free(built->why);
    built->why = xstrdup(why);
}

static int built_program(struct live *live, struct built *built,
                         enum variant_program what, struct error *err)
{
    if (what == VARIANT_VERIFY && live_library(live, built, err))
        return -1;
    if (what == VARIANT_VERIFY && built->library)
        return variant_build_verifier(live->opts.kernel, built->library, built->toolchain,
                                      live->opts.scratch, &built->program[what], err);
    if (built->source)
        return variant_build_file(live->opts.kernel, built->source, built->toolchain,
                                  what, live->opts.scratch, &built->program[what], err);
    return variant_build(live->opts.kernel, built->parsed, built->toolchain, what,
                         live->opts.scratch, &built->program[what], err);
}

/* A compiler that refuses a variant, and a text of ours that is not what it should be,
 * are recorded outcomes; anything else is an error of ours or of the system. */
static int live_take_refusal(struct live *live, struct built *built,
                             const struct error *why, struct error *err)
{
    if (spawn_interrupted() || spawn_is_late()) {
        live_refuse(built, RUN_OUTCOME_INTERRUPTED, "interrupted");
        return 0;
    }
    if ((*built->plan || built->toolchain != live->opts.toolchain) &&
        (why->status == STATUS_FAILED || why->status == STATUS_ILLEGAL ||
         why->status == STATUS_INTERNAL)) {
        live_refuse(built, RUN_OUTCOME_NOT_BUILT, why->text);
        return 0;
    }
    return fail(err, why->status, "%s", why->text);
}

int live_build(struct live *live, struct built *built, enum variant_program what,
               struct error *err)
{
    struct error local = {0};
    if (built->program[what] || built->refused != RUN_OUTCOME_OK)
        return 0;
    if (built_program(live, built, what, &local) == 0)
        return 0;
    return live_take_refusal(live, built, &local, err);
}

/* ---- verifying ---- */

/* What the kernel as written takes many times less than is a program that hangs. */
static double check_limit_s(const struct live *live)
{
    const double least_s = 5, times = 20;
    double longest_s = fmax(live->proof.small_s, live->proof.full_s);

    return live->proven && live->opts.launch_limit_s <= 0 &&
                   times * longest_s < VERIFY_LIMIT_S
               ? fmax(times * longest_s, least_s)
               : live->opts.launch_limit_s;
}

struct verify_opts live_verify_opts(struct live *live, bool small_only)
{
    return (struct verify_opts){.relative = live->opts.relative,
                                .absolute = live->opts.absolute,
                                .limit_s = check_limit_s(live),
                                .cpu = live->cpus.cpu[0],
                                .small_only = small_only,
                                .scratch = live->opts.scratch,
                                .kept = live->opts.scratch,
                                .failing = &live->failing};
}

/* Calls and fills that a session begins with, in its proof, its launches and its trace.
 */
static double original_calls_s(const struct live *live)
{
    enum { CALLS = 8 };
    return CALLS * (live->call_s + live->fill_s);
}

/* Programs that are timed, counted and traced are still to be built; beside other work
 * that takes as much longer as the build of its library did. */
void live_bound_original(const struct live *live)
{
    enum { PROGRAMS = 4 };
    const double builds_least_s = 3, times = 2;
    double builds_s = fmax(builds_least_s, PROGRAMS * live->library_s);
    double expected_s = builds_s + original_calls_s(live) + live->opts.trace_one_s;
    if (live->end_s > 0 && spawn_left_s() == INFINITY)
        spawn_end_at(fmax(live->end_s, clock_s() + times * expected_s));
}

/* With the budget; where that is all but over, as in a session that goes on, when it is
 * sure to take longer than smaller calls told. */
static double proof_end_s(const struct live *live)
{
    bool fits = live->call_s < live->opts.budget_s / 2;
    return live->end_s > 0
               ? fmax(live->end_s, clock_s() + (fits ? original_calls_s(live) : 0))
               : 0;
}

/* It has its own end: without it there is no session. */
static int prove(struct live *live, struct error *err)
{
    struct verify_opts opts = live_verify_opts(live, false);
    if (live->proven)
        return 0;
    opts.end_s = proof_end_s(live);
    double end_at_s = spawn_end_at(0);
    int status = kernel_prove(live->opts.kernel, live->opts.toolchain, live->opts.scratch,
                              &opts, &live->proof, err);
    spawn_end_at(end_at_s);
    live->proven = status == 0;
    live->library_s = live->proof.build_s / 2; /* it built two */
    live->small_s = live->proof.small_s;
    if (live->proof.call_s > 0)
        live->call_s = live->proof.call_s;
    return status;
}

/* With calls for what the plan's code promises to test. What was right at the small sizes
 * is compared at the full one alone. */
static int compare_results(struct live *live, struct built *built, bool small_only,
                           struct error *err)
{
    struct verify_opts opts = live_verify_opts(live, small_only);
    struct verify_report small = built->report;
    struct buf rests_on = {0};
    built->report = (struct verify_report){0};
    if (built->small_verified)
        opts.small = &small;
    if (built->parsed && !built->source)
        kernel_check(live->opts.kernel, built->parsed, &rests_on, NULL);
    opts.rests_on = buf_str(&rests_on);
    int status = variant_verify(live->opts.kernel, built->program[VARIANT_VERIFY], &opts,
                                &built->report, err);
    buf_release(&rests_on);
    verify_report_release(&small);
    return status;
}

/* Of a plan whose code only runs at large sizes: the same code is compared at small ones,
 * too, as that of the plan without `when`. */
static int verify_everywhere(struct live *live, struct built *built, bool small_only,
                             struct error *err)
{
    if (built->source || !plan_has(built->parsed, STEP_WHEN))
        return 0;
    struct plan rest = plan_without(built->parsed, STEP_WHEN);
    char *text = plan_text(&rest);
    struct built *whole = built_find(live, text, built->toolchain);
    if (!whole) {
        struct plan *parsed = xcalloc(1, sizeof(*parsed));
        *parsed = rest;
        whole = built_add(live, &(struct built){.plan = xstrdup(text),
                                                .parsed = parsed,
                                                .toolchain = built->toolchain,
                                                .refused = RUN_OUTCOME_OK});
    }
    free(text);
    if (live_verify(live, whole, small_only, err))
        return -1;
    if (whole->refused != RUN_OUTCOME_OK) {
        char *why = xasprintf("%s, without when", whole->why);
        live_refuse(built, whole->refused, why);
        free(why);
    }
    return 0;
}

int live_verify(struct live *live, struct built *built, bool small_only,
                struct error *err)
{
    if (built->refused != RUN_OUTCOME_OK || built->full_verified ||
        (small_only && built->small_verified))
        return 0;
    if (prove(live, err)) /* it may settle what the arrays hold */
        return -1;
    if (!*built->plan) {
        built->full_verified = true;
        return 0;
    }
    if (live_build(live, built, VARIANT_VERIFY, err))
        return -1;
    if (built->refused == RUN_OUTCOME_OK &&
        verify_everywhere(live, built, small_only, err))
        return -1;
    if (built->refused != RUN_OUTCOME_OK)
        return 0;
    if (compare_results(live, built, small_only, err))
        return -1;
    built->small_verified = built->report.outcome == RUN_OUTCOME_OK;
    built->full_verified = built->small_verified && !small_only;
    if (!built->small_verified)
        live_refuse(built, built->report.outcome,
                    built->report.detail ? built->report.detail : "results differ");
    return built->full_verified ? live_sanitize(live, built, err) : 0;
}

/* One that was built ahead takes no time here. */
static void note_build(struct live *live, const struct built *built, double seconds)
{
    if (*built->plan)
        live->library_s = pace_expected_s(seconds, live->library_s);
}

int live_library(struct live *live, struct built *built, struct error *err)
{
    const struct variant_side side = {.plan = built->parsed, .source = built->source};
    struct error local = {0};
    double began_s = clock_s();
    if (built->library || built->refused != RUN_OUTCOME_OK || live->no_arena)
        return 0;
    if (variant_build_library(live->opts.kernel, &side, built->toolchain,
                              live->opts.scratch, &built->library, &local) == 0) {
        note_build(live, built, clock_s() - began_s);
        return 0;
    }
    if (!*built->plan && local.status == STATUS_FAILED && !spawn_interrupted()) {
        live->no_arena = true;
        return 0;
    }
    return live_take_refusal(live, built, &local, err);
}
