/* The live runner: two variants beside each other. */
#include <math.h>
#include <stdlib.h>

#include "core/base/error.h"
#include "core/process/spawn.h"
#include "search/live/live_parts.h"
#include "search/session/pace.h"
#include "search/space/environment.h"

/*
 * Where pages lie changes from launch to launch, and the ratio with it by more than from
 * pair to pair: with 2 launches Student's factor is 12.7, with 3 it is 4.3, with 8 2.4.
 * So as many as there is time for with a pair in each. The first launch of a kernel that
 * takes a second a call holds one pair, of one that takes a millisecond 24: twelve
 * quadruples A B B A.
 */
void live_pair_effort(double seconds, struct live_launch_cost cost, bool together,
                      struct run_opts *opts)
{
    enum { MAX = 8 };
    double affordable = seconds / (cost.own_s + cost.pair_s);
    opts->launches_min = cost.min;
    opts->launches_planned = !together || affordable < (double)cost.min ? cost.min
                             : affordable > MAX                         ? MAX
                                                : (size_t)affordable;
    opts->launches_max = together ? 12 : 16;
    opts->samples_per_launch = together ? 24 : 2;
    opts->budget_s = seconds;
    opts->launch_own_s = opts->launches_planned > cost.min ? cost.own_s : 0;
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
    live_pair_effort(asked->seconds, live_pair_cost(asked->live), together, &opts);
    if (asked->one_copy) /* it only says whether the two agree */
        opts.launches_min = 2;
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
                            const struct run_program *program,
                            const char *const library[2], struct quantity *ratio,
                            struct error *err)
{
    struct run_opts opts = pair_opts(asked, true);
    struct run_result result[2] = {{0}, {0}};
    struct run_place place;
    const struct run_program placed = as_asked(asked, program, &place);
    int status = run_measure_together(&placed, library, &opts, result, err);
    live_note_start(asked->live, &result[0]);
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

/* `together`: an arena; NULL = each is a program of its own. */
static int measure_sides(const struct comparison *asked,
                         const struct run_program *together, const char *const library[2],
                         const struct run_program apart[2], struct quantity *ratio,
                         struct error *err)
{
    struct comparison alone = *asked;
    struct quantity of_one;
    int status = together ? measure_together(asked, together, library, ratio, err)
                          : measure_apart(asked, apart, ratio, err);
    if (status || !ratio->known || ratio->doubted || ratio->disturbed < shares_less ||
        (apart[0].place->copies < 2 && apart[1].place->copies < 2) || spawn_interrupted())
        return status;
    alone.one_copy = true;
    alone.seconds = asked->seconds / 4;
    status = together ? measure_together(&alone, together, library, &of_one, err)
                      : measure_apart(&alone, apart, &of_one, err);
    if (!status)
        live_join_alone(of_one, ratio);
    return status;
}

/* A side: the variant as a library, and as a program of its own for when there can be no
 * arena, or the two run in different ones. */
struct side {
    struct built *built;
    const struct environment *environment;
};

/* *there: both are. */
static int build_libraries(struct live *live, const struct side side[2], bool *there,
                           struct error *err)
{
    *there = false;
    if (!environments_same_run(side[0].environment, side[1].environment))
        return 0;
    for (int i = 0; i < 2; i++)
        if (live_library(live, side[i].built, err))
            return -1;
    *there = side[0].built->library && side[1].built->library;
    return 0;
}

static int build_programs(struct live *live, const struct side side[2], struct error *err)
{
    for (int i = 0; i < 2; i++)
        if (live_build(live, side[i].built, VARIANT_TIME, err))
            return -1;
    return 0;
}

static bool is_refused(const struct side side[2])
{
    return side[0].built->refused != RUN_OUTCOME_OK ||
           side[1].built->refused != RUN_OUTCOME_OK;
}

/* Nothing when one is refused. */
static int compare_sides(const struct comparison *asked, const struct side side[2],
                         struct quantity *ratio, struct error *err)
{
    struct live *live = asked->live;
    const struct environment *a = side[0].environment, *b = side[1].environment;
    struct run_place place[2] = {{0}, {0}};
    char *arena = NULL;
    bool there;
    if (a->start != b->start || a->background != b->background)
        return fail(err, STATUS_USAGE,
                    "variants are compared under one start state and one background "
                    "load, not under two");
    if (live_place(live, a, &place[0], err) || live_place(live, b, &place[1], err) ||
        build_libraries(live, side, &there, err) ||
        (there && variant_build_arena(live->opts.kernel, live->opts.toolchain,
                                      live->opts.scratch, &arena, err)) ||
        (!there && build_programs(live, side, err)))
        return -1;
    if (is_refused(side)) {
        free(arena);
        return 0;
    }
    const char *const library[2] = {side[0].built->library, side[1].built->library};
    const struct run_program apart[2] = {{side[0].built->program[VARIANT_TIME],
                                          &live->args, a->huge_pages, &place[0]},
                                         {side[1].built->program[VARIANT_TIME],
                                          &live->args, b->huge_pages, &place[1]}},
                             together = {arena, &live->args, a->huge_pages, &place[0]};
    live_rest(live);
    int status =
        measure_sides(asked, arena ? &together : NULL, library, apart, ratio, err);
    free(arena);
    return status;
}

int live_compare(void *data, const struct candidate *a, const struct candidate *b,
                 double seconds, struct quantity *ratio, struct error *err)
{
    struct live *live = data;
    const struct comparison asked = {
        live, {&a->environment, &b->environment}, seconds, false};
    struct side side[2] = {{.environment = &a->environment},
                           {.environment = &b->environment}};
    *ratio = quantity_unknown();
    if (live_built_get(live, a, &side[0].built, err) ||
        live_built_get(live, b, &side[1].built, err))
        return -1;
    int status = is_refused(side) ? 0 : compare_sides(&asked, side, ratio, err);
    live_forgive_late(side[0].built);
    live_forgive_late(side[1].built);
    return status;
}

/* How sure it is to be. */
static const double look_error = 0.01;

int live_look_pair(void *data, const struct candidate *a, const struct candidate *b,
                   double seconds, struct quantity *ratio, struct error *err)
{
    const struct environment plain = {0};
    struct live *live = data;
    struct live_question question = {.seconds = seconds, .error = look_error};
    struct run_result result[2];
    struct live_answer answer;
    *ratio = quantity_unknown();
    if (!environments_equal(&a->environment, &plain) ||
        !environments_equal(&b->environment, &plain))
        return live_compare(data, a, b, seconds, ratio, err);
    if (live_built_get(live, a, &question.side[0], err) ||
        live_built_get(live, b, &question.side[1], err) ||
        live_ask(live, &question, result, &answer, err))
        return -1;
    if (!answer.done)
        return live_compare(data, a, b, seconds, ratio, err);
    if (result[1].outcome == RUN_OUTCOME_OK)
        *ratio = answer.ratio;
    run_result_release(&result[0]);
    run_result_release(&result[1]);
    return 0;
}

/* ---- the emitted file on its own ---- */

int live_compare_file(struct live *live, const char *source, const char *plan,
                      const struct environment *environment, double seconds,
                      struct quantity *ratio, bool *verified, struct error *err)
{
    const struct comparison asked = {
        live, {&environment[0], &environment[1]}, seconds, false};
    struct side side[2] = {{.environment = &environment[0]},
                           {.environment = &environment[1]}};
    *ratio = quantity_unknown();
    *verified = false;
    if (live_built_file(live, source, plan, &environment[1], &side[1].built, err) ||
        live_verify(live, side[1].built, false, err) ||
        live_built_get(live, &(struct candidate){"", environment[0]}, &side[0].built,
                       err))
        return -1;
    *verified = side[1].built->full_verified;
    return *verified && seconds > 0 && !is_refused(side)
               ? compare_sides(&asked, side, ratio, err)
               : 0;
}
