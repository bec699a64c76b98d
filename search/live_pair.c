/* The live runner: two variants beside each other. */
#include <math.h>
#include <stdlib.h>

#include "search/environment.h"
#include "search/live.h"

/*
 * To fill large buffers takes 0.5 to 3 s a launch, so launches are few and all else goes
 * into pairs. Four: either side comes first in two of them, which three could not give;
 * the statistics of pairs hold from three on, with which short comparisons (less than a
 * second a launch) make do: their intervals are wider. The first launch of a kernel that
 * takes a second a call holds one pair, of one that takes a millisecond 24: twelve
 * quadruples A B B A.
 */
void live_pair_effort(double seconds, bool together, struct run_opts *opts)
{
    opts->launches_min = together && seconds >= 4 ? 4 : 3;
    opts->launches_max = together ? 12 : 16;
    opts->samples_per_launch = together ? 24 : 2;
    opts->budget_s = seconds;
    opts->target_spread = 0.01;
}

static void take_ratio(struct run_result result[2], struct quantity *ratio)
{
    *ratio = quantity_unknown();
    if (result[0].outcome == RUN_OUTCOME_OK && result[1].outcome == RUN_OUTCOME_OK)
        *ratio = run_ratio(&result[0], &result[1]);
    run_result_release(&result[0]);
    run_result_release(&result[1]);
}

/* What is compared in one go. */
struct comparison {
    struct live *live;
    const struct environment *environment[2];
    double seconds;
    bool one_copy; /* whatever the places say */
};

/*
 * Copies that are taken from their cores by turns share less than copies that run
 * together, and how much less is not seen in any clock. From this share of the time on
 * one copy alone is asked, too.
 */
static const double shares_less = 0.05;

static struct run_program as_asked(const struct comparison *asked,
                                   const struct run_program *program,
                                   struct run_place *place)
{
    struct run_program placed = *program;
    *place = *program->place;
    if (asked->one_copy)
        place->copies = 1;
    placed.place = place;
    return placed;
}

static struct run_opts pair_opts(const struct comparison *asked, bool together)
{
    struct run_opts opts = live_run_opts(asked->live);
    live_pair_effort(asked->seconds, together, &opts);
    live_set_environment(asked->environment[0], &opts);
    return opts;
}

static int measure_apart(const struct comparison *asked,
                         const struct run_program program[2], struct quantity *ratio,
                         struct error *err)
{
    struct run_opts opts = pair_opts(asked, false);
    struct run_result result[2] = {{0}, {0}};
    struct run_place place[2];
    const struct run_program placed[2] = {as_asked(asked, &program[0], &place[0]),
                                          as_asked(asked, &program[1], &place[1])};
    int status = run_measure_pair(placed, &opts, result, err);
    take_ratio(result, ratio);
    return status;
}

static int measure_together(const struct comparison *asked,
                            const struct run_program *program, struct quantity *ratio,
                            struct error *err)
{
    struct run_opts opts = pair_opts(asked, true);
    struct run_result result[2] = {{0}, {0}};
    struct run_place place;
    const struct run_program placed = as_asked(asked, program, &place);
    int status = run_measure_together(&placed, &opts, result, err);
    take_ratio(result, ratio);
    return status;
}

/*
 * A copy that waits for a share of the time leaves the others to themselves for as long.
 * So what was measured is that much of the ratio of one copy alone, the rest of it the
 * ratio of copies that run together, which is what was asked for.
 */
static double without_alone(double measured, double alone, double share)
{
    return (measured - share * alone) / (1 - share);
}

void live_join_alone(struct quantity alone, struct quantity *ratio)
{
    double share = ratio->disturbed, low, high;
    if (!alone.known || alone.doubted || alone.low > ratio->high ||
        alone.high < ratio->low || share >= 1) {
        ratio->doubted = true;
        return;
    }
    low = without_alone(ratio->low, alone.high, share);
    high = without_alone(ratio->high, alone.low, share);
    if (low <= 0) {
        ratio->doubted = true;
        return;
    }
    ratio->low = fmin(ratio->low, low);
    ratio->high = fmax(ratio->high, high);
}

/* `together` NULL: the two of their own. */
static int measure_sides(const struct comparison *asked,
                         const struct run_program *together,
                         const struct run_program apart[2], struct quantity *ratio,
                         struct error *err)
{
    struct comparison alone = *asked;
    struct quantity of_one;
    int status = together ? measure_together(asked, together, ratio, err)
                          : measure_apart(asked, apart, ratio, err);
    if (status || !ratio->known || ratio->doubted || ratio->disturbed < shares_less ||
        (apart[0].place->copies < 2 && apart[1].place->copies < 2) || spawn_interrupted())
        return status;
    alone.one_copy = true;
    alone.seconds = asked->seconds / 2;
    status = together ? measure_together(&alone, together, &of_one, err)
                      : measure_apart(&alone, apart, &of_one, err);
    if (!status)
        live_join_alone(of_one, ratio);
    return status;
}

/* A kernel that can be a program may be refused as a shared object (`-static` among the
 * flags): *path stays NULL then, and interleaved launches have to do. */
int live_build_pair(struct live *live, const struct variant_side side[2],
                    const struct environment *environment, char **path, struct error *err)
{
    const struct toolchain *toolchain;
    struct error local = {0};
    if (live_toolchain(live, environment, &toolchain, err))
        return -1;
    if (variant_build_pair(live->opts.kernel, side, toolchain, live->opts.scratch, path,
                           &local) == 0 ||
        (local.status == STATUS_FAILED && !spawn_interrupted()))
        return 0;
    return fail(err, local.status, "%s", local.text);
}

/* `program`: the two of their own, for when they cannot be one. */
static int compare_sides(const struct comparison *asked,
                         const struct variant_side side[2], char *const program[2],
                         struct quantity *ratio, struct error *err)
{
    const struct environment *a = asked->environment[0], *b = asked->environment[1];
    const struct strvec *args = &asked->live->args;
    struct run_place place[2] = {{0}, {0}};
    const struct run_program apart[2] = {{program[0], args, a->huge_pages, &place[0]},
                                         {program[1], args, b->huge_pages, &place[1]}};
    char *path = NULL;
    if (a->start != b->start || a->background != b->background)
        return fail(err, STATUS_USAGE,
                    "variants are compared under one start state and one background "
                    "load, not under two");
    if (live_place(asked->live, a, &place[0], err) ||
        live_place(asked->live, b, &place[1], err) ||
        (environments_same_run(a, b) &&
         live_build_pair(asked->live, side, a, &path, err)))
        return -1;
    struct run_program together = {path, args, a->huge_pages, &place[0]};
    int status = measure_sides(asked, path ? &together : NULL, apart, ratio, err);
    free(path);
    return status;
}

int live_compare(void *data, const struct candidate *a, const struct candidate *b,
                 double seconds, struct quantity *ratio, struct error *err)
{
    struct comparison asked = {data, {&a->environment, &b->environment}, seconds, false};
    const struct candidate *candidate[2] = {a, b};
    struct variant_side side[2] = {{0}, {0}};
    char *program[2];
    *ratio = quantity_unknown();
    for (size_t i = 0; i < 2; i++) {
        struct built *built = NULL;
        if (live_built_get(asked.live, candidate[i], &built, err) ||
            live_build(asked.live, built, VARIANT_TIME, err))
            return -1;
        if (built->refused != RUN_OUTCOME_OK)
            return 0;
        side[i].plan = built->parsed;
        program[i] = built->program[VARIANT_TIME];
    }
    return compare_sides(&asked, side, program, ratio, err);
}

/* ---- the emitted file on its own ---- */

static int verify_file(struct live *live, const char *source,
                       const struct toolchain *toolchain, bool *verified,
                       struct error *err)
{
    char *program = NULL;
    struct verify_report report = {0};
    struct verify_opts opts = live_verify_opts(live, false);
    int status = variant_build_file(live->opts.kernel, source, toolchain, VARIANT_VERIFY,
                                    live->opts.scratch, &program, err);
    if (!status)
        status = variant_verify(live->opts.kernel, program, &opts, &report, err);
    *verified = !status && report.outcome == RUN_OUTCOME_OK;
    verify_report_release(&report);
    free(program);
    return status;
}

int live_compare_file(struct live *live, const char *source,
                      const struct environment environment[2], double seconds,
                      struct quantity *ratio, bool *verified, struct error *err)
{
    struct built *original = NULL;
    const struct toolchain *toolchain;
    char *program = NULL;
    *ratio = quantity_unknown();
    *verified = false;
    if (live_toolchain(live, &environment[1], &toolchain, err) ||
        live_built_get(live, &(struct candidate){"", environment[0]}, &original, err) ||
        live_build(live, original, VARIANT_TIME, err) ||
        verify_file(live, source, toolchain, verified, err))
        return -1;
    if (!*verified || original->refused != RUN_OUTCOME_OK)
        return 0;
    int status = variant_build_file(live->opts.kernel, source, toolchain, VARIANT_TIME,
                                    live->opts.scratch, &program, err);
    const struct variant_side side[2] = {{.plan = original->parsed}, {.source = source}};
    const struct comparison asked = {
        live, {&environment[0], &environment[1]}, seconds, false};
    char *const both[2] = {original->program[VARIANT_TIME], program};
    if (!status)
        status = compare_sides(&asked, side, both, ratio, err);
    free(program);
    return status;
}
