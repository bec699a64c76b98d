/* The end of a search: what cannot be told apart from the winner, the smallest change,
 * and one step less. */
#include <stdlib.h>
#include <string.h>

#include "search/finish/ties.h"
#include "tests/search/choices.h"
#include "tests/search/scripted_trial.h"

SUITE(search_ties);

/* ---- the size of a change ---- */

TEST("changes are ordered")
{
    static const struct {
        const char *smaller, *larger;
    } cases[] = {
        {"simd", "tile(i:8) simd"},               /* steps first */
        {"tile(i:8,j:8,k:8)", "tile(i:8) simd"},  /* whatever is in them */
        {"tile(i:512)", "tile(i:8,j:8)"},         /* then what they name */
        {"prefetch(a:8)", "prefetch(a:8,to:L2)"}, /* options, too */
        {"tile(i:8)", "tile(i:128)"},             /* then the text */
        {"set(T:8) simd", "set(T:8,U:2) simd"},
        {"", "simd"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct change_size a = change_size_of(cases[i].smaller),
                           b = change_size_of(cases[i].larger);

        check(change_size_order(a, b) < 0);
        check(change_size_order(b, a) > 0);
        check_eq(change_size_order(a, a), 0);
    }
}

static void check_shortened(const struct choice *choice, const char *const *want)
{
    struct choices list = {0};
    size_t nr = 0;

    ties_shortened(choice, &list);
    for (; want[nr]; nr++) {
        char *text = nr < list.nr ? choice_text(&list.item[nr]) : xstrdup("none");

        check_str(text, want[nr]);
        free(text);
    }
    check_eq(list.nr, nr);
    choices_release(&list);
}

TEST("every step is left out once")
{
    const struct choice choice =
        choice_of("interchange(j,i) tile(j:8) simd prefetch(a:4) prefetch(b:2)");
    static const char *const want[] = {
        "interchange(j,i) tile(j:8) simd prefetch(a:4)",
        "interchange(j,i) tile(j:8) simd prefetch(b:2)",
        "interchange(j,i) tile(j:8) prefetch(a:4) prefetch(b:2)",
        "interchange(j,i) simd prefetch(a:4) prefetch(b:2)",
        "tile(j:8) simd prefetch(a:4) prefetch(b:2)",
        NULL};

    check_shortened(&choice, want);
}

TEST("shapes lose one step at a time")
{
    struct choice shape = shape_of("tile(j:16,i:6) interchange(k,i,j) full(i,j)"),
                  before = choice_of("set(T:8) fuse(i)");
    static const char *const want[] = {
        "set(T:8) fuse(i) tile(j:16,i:6) interchange(k,i,j)",
        "set(T:8) fuse(i) tile(j:16,i:6) full(i,j)",
        "set(T:8) fuse(i) interchange(k,i,j) full(i,j)",
        "set(T:8) tile(j:16,i:6) interchange(k,i,j) full(i,j)",
        "fuse(i) tile(j:16,i:6) interchange(k,i,j) full(i,j)",
        NULL};
    static const char *const nothing[] = {NULL};
    const struct choice single = choice_of("simd");

    for (size_t i = 0; i < before.plan.step_nr; i++)
        choice_add(&shape, before.plan.step[i]);
    check_shortened(&shape, want);
    check_shortened(&single, nothing);
}

/* ---- the end ---- */

/* Tiles of i and j, and nothing else but vectors. */
static struct choice tiled(long i, long j, bool simd)
{
    struct choice choice = choice_of(simd ? "simd" : "");
    const struct loop_size tile[] = {{"i", i}, {"j", j}};

    choice_put_sizes(&choice, STEP_TILE, tile, 2);
    return choice;
}

/* The end alone, of a search that measured these; the first one won. */
static void remeasure_after(struct trial *trial, const struct choice *choice, size_t nr)
{
    struct session session = {.subject = &trial->space.subject,
                              .runner = &trial->space.runner,
                              .observer = &trial->space.observer,
                              .opts = &trial->opts,
                              .result = &trial->result};
    size_t index;

    trial->opts.rules = space_rules();
    check_ok(session_start(&session, &trial->err), &trial->err);
    check_ok(session_baseline(&session, &trial->err), &trial->err);
    for (size_t i = 0; i < nr; i++)
        check_ok(session_measure(&session, &choice[i], false, MEASURE_QUICK, 0, &index,
                                 &trial->err),
                 &trial->err);
    trial->result.best = 1;
    check_ok(ties_remeasure(&session, &trial->err), &trial->err);
    session_release(&session);
    rule_set_free((struct rule_set *)trial->opts.rules);
}

/* ---- whole searches ---- */

/* The winner of the valley by a hair is a plan of two steps. */
static void run_valley(struct trial *trial, const struct space_entry *entry)
{
    trial->opts.strategy = "exhaustive";
    trial_start(trial, entry);
    trial_run(trial);
}

static const char *best_plan(const struct trial *trial)
{
    return trial->result.measurement[trial->result.best].plan;
}

static const struct tie *tie_of(const struct trial *trial, const char *plan)
{
    for (size_t i = 0; i < trial->result.tie_nr; i++)
        if (strcmp(trial->result.measurement[trial->result.tie[i].index].plan, plan) == 0)
            return &trial->result.tie[i];
    return NULL;
}

TEST("the smallest of equals is taken")
{
    static const struct space_entry entry[] = {
        {.plan = "tile(i:32,j:32) simd", .seconds = 0.400},
        {.plan = "tile(i:32,j:32)",
         .seconds = 0.401,
         .ratio = {{0.998, 0.98, 1.016}, {0.998, 0.98, 1.016}},
         .written = {2.49, 2.4, 2.6}},
        {.plan = NULL}};
    struct trial trial = {0};
    const struct tie *tie;

    run_valley(&trial, entry);
    check_str(best_plan(&trial), "tile(i:32,j:32)");
    check_str(trial.result.measurement[trial.result.tie_winner].plan,
              "tile(i:32,j:32) simd");
    check(trial.result.measurement[trial.result.best].has_occupancy);
    tie = tie_of(&trial, "tile(i:32,j:32)");
    check(tie && tie->tied);
    /* what is quoted is the gain of what is taken, measured anew */
    check_near(trial.result.source_gain.value, 2.49, 1e-9);
    check_eq(space_count(&trial.space.compared, "as written : tile(i:32,j:32)"), 1);
    trial_release(&trial);
}

/* Neither faster nor slower beyond doubt, but perhaps a tenth slower. */
TEST("what may be much slower is not taken")
{
    static const struct space_entry entry[] = {
        {.plan = "tile(i:32,j:32) simd", .seconds = 0.400},
        {.plan = "tile(i:32,j:32)", .seconds = 0.401, .ratio = {{0.99, 0.9, 1.1}}},
        {.plan = NULL}};
    const struct choice measured[] = {tiled(32, 32, true), tiled(32, 32, false)};
    struct trial trial = {0};
    const struct tie *tie;

    trial_start(&trial, entry);
    remeasure_after(&trial, measured, ARRAY_SIZE(measured));
    check_str(best_plan(&trial), "tile(i:32,j:32) simd");
    tie = tie_of(&trial, "tile(i:32,j:32)");
    check(tie && tie->tied);
    trial_release(&trial);
}

/* A plan with one step more than it needs, which nobody has tried without. */
TEST("a step too many is found")
{
    static const struct space_entry entry[] = {
        {.plan = "interchange(j,i) tile(j:8)", .seconds = 0.42},
        {.plan = "interchange(j,i) tile(j:8) simd", .seconds = 0.4},
        {.plan = "tile(j:8) simd", .seconds = 0.402},
        {.plan = "interchange(j,i) simd", .illegal = "no"},
        {.plan = NULL}};
    const struct choice winner = choice_of("interchange(j,i) tile(j:8) simd");
    struct trial trial = {0};

    trial_start(&trial, entry);
    remeasure_after(&trial, &winner, 1);
    check_str(best_plan(&trial), "tile(j:8) simd");
    check_eq(space_count(&trial.space.asked, "quick tile(j:8) simd"), 1);
    check_eq(space_count(&trial.space.asked, "quick interchange(j,i) simd"), 0);
    check_eq(trial.result.pruned_nr, 0);
    check_eq(trial.result.tie_nr, 2);
    trial_release(&trial);
}

/* The longer run at full size is right for the plans that are taken. */
TEST("what fails at full size is not taken")
{
    static const struct space_entry entry[] = {
        {.plan = "tile(i:32,j:32) simd", .seconds = 0.400},
        {.plan = "tile(i:32,j:32)", .seconds = 0.4003, .full = RUN_OUTCOME_WRONG_RESULT},
        {.plan = NULL}};
    struct trial trial = {0};

    run_valley(&trial, entry);
    check_str(best_plan(&trial), "tile(i:32,j:32) simd");
    trial_release(&trial);
}

/* A lucky first run won; the comparison shows who is faster, and all that is said of ties
 * is of comparisons with that one. */
TEST("the faster takes the place")
{
    static const struct space_entry entry[] = {
        {.plan = "tile(i:32,j:32)", .seconds = 0.5, .quick = {{0.38, 0.37, 0.42}}},
        {.plan = "tile(i:16,j:16)", .seconds = 0.4},
        {.plan = "tile(i:8,j:64)", .seconds = 0.4002},
        {.plan = NULL}};
    const struct choice measured[] = {tiled(32, 32, false), tiled(16, 16, false),
                                      tiled(8, 64, false)};
    struct trial trial = {0};
    const struct tie *old;

    trial_start(&trial, entry);
    remeasure_after(&trial, measured, ARRAY_SIZE(measured));
    check_str(trial.result.measurement[trial.result.tie_winner].plan, "tile(i:16,j:16)");
    old = tie_of(&trial, "tile(i:32,j:32)");
    check(old && !old->tied && old->ratio.value < 0.9);
    check(space_count(&trial.space.compared, "tile(i:16,j:16) : tile(i:8,j:64)") == 1);
    trial_release(&trial);
}

/* Equal to the winner within wide intervals, no gain of its own: the winner stays. */
TEST("a smaller change without gain gives way")
{
    static const struct space_entry entry[] = {
        {.plan = "tile(i:32,j:32) simd", .seconds = 0.4},
        {.plan = "tile(i:32,j:32)",
         .seconds = 0.401,
         .ratio = {{0.999, 0.98, 1.02}, {0.999, 0.98, 1.02}},
         .written = {1.0, 0.98, 1.02}},
        {.plan = NULL}};
    struct trial trial = {0};

    run_valley(&trial, entry);
    check_str(best_plan(&trial), "tile(i:32,j:32) simd");
    check(trial.result.source_gain.value > 2);
    trial_release(&trial);
}

TEST("the number of variants holds for shorter plans")
{
    static const struct space_entry entry[] = {
        {.plan = "interchange(j,i) tile(j:*) simd", .seconds = 0.4}, {.plan = NULL}};
    struct trial trial = {.opts = {.budget_variants = 60}};

    run_valley(&trial, entry);
    check_eq(trial.result.searched_nr, 60);
    check_eq(trial.result.measurement_nr, 60);
    trial_release(&trial);
}

TEST("at most four are compared")
{
    static const struct space_entry entry[] = {
        {.plan = "tile(i:32,j:32) simd", .seconds = 0.4},
        {.plan = "tile(*", .seconds = 0.4003},
        {.plan = NULL}};
    const struct choice measured[] = {tiled(32, 32, true), tiled(16, 16, false),
                                      tiled(8, 64, false), tiled(8, 8, false),
                                      tiled(64, 8, false), tiled(16, 16, true)};
    struct trial trial = {0};
    size_t smaller = 0;

    trial_start(&trial, entry);
    remeasure_after(&trial, measured, ARRAY_SIZE(measured));
    check_eq(trial.result.tie_nr, TIES_MAX);
    for (size_t i = 0; i < trial.result.tie_nr; i++) {
        const struct measurement *tied =
            &trial.result.measurement[trial.result.tie[i].index];

        smaller += change_size_of(tied->plan).steps == 1;
    }
    check_eq(smaller, TIES_MAX - 1);
    check_eq(change_size_of(best_plan(&trial)).steps, 1);
    trial_release(&trial);
}
