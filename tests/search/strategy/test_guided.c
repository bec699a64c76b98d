/* The guided strategy on scripted spaces. */
#include <stdlib.h>
#include <string.h>

#include "tests/search/scripted_trial.h"

SUITE(search_guided);

static void check_best(const struct trial *trial, const char *plan)
{
    check_str(trial->result.measurement[trial->result.best].plan, plan);
}

static void check_outcome(const struct trial *trial, const char *transformation,
                          const char *outcome)
{
    const struct advice *advice = space_advice(&trial->result, transformation);

    check_str(advice ? advice->outcome : "no such advice", outcome);
}

TEST("the planted best is found")
{
    struct trial trial = {0};

    trial_start(&trial, NULL);
    trial.space.time_s = space_valley;
    trial_run(&trial);
    check_best(&trial, "tile(i:32,j:32) simd");
    check(trial.result.best <= 32);
    check(trial.result.advised_nr <= 40);
    check_near(trial.result.source_gain.value, 1 / 0.36, 0.01);
    check(trial.result.source_gain.low > 1);
    check(!trial.result.interrupted);
    /* everything measured was handed to the observer, once */
    check_eq(trial.space.saved.nr, trial.space.asked.nr);
    for (size_t i = 0; i < trial.space.asked.nr; i++)
        check_eq(space_count(&trial.space.asked, trial.space.asked.v[i]), 1);
    trial_release(&trial);
}

TEST("what was kept stays said")
{
    struct trial trial = {0};
    const struct advice *tile;

    trial_start(&trial, NULL);
    trial.space.time_s = space_valley;
    trial_run(&trial);
    tile = space_advice(&trial.result, "tile");
    check_outcome(&trial, "tile", "kept: faster beyond the noise");
    check_outcome(&trial, "simd", "kept: faster beyond the noise");
    if (tile) {
        check_str(tile->tried_plan, "tile(i:32,j:32)");
        check_near(tile->measured_speedup.value, 2.5, 0.3);
        check_str(tile->rule, "t.tile");
        check_str(tile->reason, "The nest has 2 loops.");
    }
    trial_release(&trial);
}

/* What a watcher was told. */
static struct watched {
    size_t tries, closing;
    double best;
} watched;

static void watch(void *data, const struct search_step *step)
{
    bool tries = !strncmp(step->doing, "trying tile", strlen("trying tile"));
    bool closes =
        !strcmp(step->doing, "measuring the winner against the original once more");

    (void)data;
    watched.tries += tries;
    watched.closing += closes;
    watched.best = step->best;
}

/* What is being tried, and what the best so far is worth. */
TEST("who watches is told what is done")
{
    struct trial trial = {0};

    watched = (struct watched){0};
    trial_start(&trial, NULL);
    trial.space.time_s = space_valley;
    trial.space.observer.step = watch;
    trial_run(&trial);
    check(watched.tries > 2);
    check_eq(watched.closing, 1);
    check_near(watched.best, 1 / 0.36, 0.05);
    trial_release(&trial);
}

TEST("interchange is found for dgemm")
{
    static const struct space_entry entry[] = {
        {.plan = "interchange(i,k,j) simd", .seconds = 0.08},
        {.plan = "interchange(i,k,j)", .seconds = 0.1},
        {.plan = "interchange(*", .seconds = 0.5},
        {.plan = "tile(*", .illegal = "not in this test"},
        {.plan = NULL}};
    struct trial trial = {0};

    trial_start(&trial, entry);
    space_dgemm(&trial.space.kernel, 200);
    trial_run(&trial);
    check_best(&trial, "interchange(i,k,j) simd");
    check(trial.result.best <= 40);
    check(trial.result.measurement[trial.result.best].has_occupancy);
    trial_release(&trial);
}

/* Tiles gain, and no vectors are legal with them; but in their place they are four times
 * as fast. */
TEST("what is refused on top is tried instead")
{
    static const struct space_entry entry[] = {
        {.plan = "*tile*simd*", .illegal = "not with tiles"},
        {.plan = "simd", .seconds = 0.05},
        {.plan = "tile(*", .seconds = 0.2},
        {.plan = NULL}};
    struct trial trial = {0};

    trial_start(&trial, entry);
    space_dgemm(&trial.space.kernel, 200);
    trial_run(&trial);
    check_outcome(&trial, "tile", "kept: faster beyond the noise");
    check_outcome(&trial, "simd", "kept: faster beyond the noise");
    check_best(&trial, "simd");
    trial_release(&trial);
}

/* No plan names the loops, so that none of what rules say against their cause can be
 * tried: a person can do it. */
TEST("the remedy of a loop that could not be read is for a person")
{
    static const struct space_entry entry[] = {{.plan = NULL}};
    struct trial trial = {0};

    trial_start(&trial, entry);
    space_dgemm(&trial.space.kernel, 200);
    for (int i = 0; i < 3; i++) {
        trial.space.kernel.loop[i].modelled = false;
        trial.space.kernel.loop[i].parent =
            -1; /* rules.json: three nests, for this test */
        trial.space.kernel.loop[i].line = 10 + i;
    }
    trial_run(&trial);
    const struct advice *counts = space_advice(&trial.result, "narrow_counters");
    check(counts && counts->by_hand && counts->verdict == VERDICT_TRY &&
          !counts->no_plan);
    check_str(counts ? counts->outcome : NULL,
              "not tried, it is done by hand: no plan names the loop in line 12");
    trial_release(&trial);
}

/* Both rules have the same weight, and tiles stand first; but the order of loops takes
 * work off the queue that limits. */
TEST("the larger bound is tried first")
{
    static const struct space_entry entry[] = {{.plan = "*", .seconds = 0.056},
                                               {.plan = NULL}};
    struct trial trial = {0};
    const struct advice *tile, *interchange;

    trial_start(&trial, entry);
    space_dgemm(&trial.space.kernel, 200);
    trial_run(&trial);
    tile = space_advice(&trial.result, "tile");
    interchange = space_advice(&trial.result, "interchange");
    check(tile->bound_speedup.value > 1.2 && tile->bound_speedup.value < 4);
    check(interchange->bound_speedup.value > 1.5 * tile->bound_speedup.value);
    check_contains(trial.space.asked.v[1], "quick interchange(");
    trial_release(&trial);
}

TEST("a prefetch is found for gather")
{
    static const struct space_entry entry[] = {
        {.plan = "prefetch(table:64)", .seconds = 0.6},
        {.plan = "prefetch(table:32)", .seconds = 0.7},
        {.plan = "prefetch(table:*", .seconds = 0.8},
        {.plan = NULL}};
    struct trial trial = {0};

    trial_start(&trial, entry);
    space_gather(&trial.space.kernel, 40000000, 100000000);
    trial_run(&trial);
    check_best(&trial, "prefetch(table:64)"); /* beyond the first guesses: a neighbour */
    check(!space_advice(&trial.result, "tile")); /* no rule speaks of it */
    trial_release(&trial);
}

/* The first comparison promises a fifth; all of them together must be above 1. */
TEST("no gain within the noise is kept")
{
    static const struct space_ratio ratio[] = {
        {1.2, 1.0, 1.4}, {1.2, 0.99, 1.5}, {1.005, 1.002, 1.008}};
    static const struct space_ratio again = {1.0, 0.992, 1.008};

    for (size_t i = 0; i < ARRAY_SIZE(ratio); i++) {
        struct space_entry entry[] = {{.plan = "simd",
                                       .seconds = 1,
                                       .quick = {{0.95, 0.9, 1.0}},
                                       .ratio = {ratio[i], again}},
                                      {.plan = NULL}};
        struct trial trial = {0};

        trial_start(&trial, entry);
        trial_run(&trial);
        check_eq(trial.result.best, 0);
        check_outcome(&trial, "simd", "not kept: no gain beyond the noise");
        check_near(trial.result.source_gain.value, 1, 0);
        check_near(trial.result.source_gain.high, 1, 0);
        trial_release(&trial);
    }
}

TEST("a gain that does not repeat is dropped")
{
    static const struct space_entry entry[] = {
        {.plan = "simd", .seconds = 0.92, .ratio = {{1.2, 1.1, 1.3}, {1.0, 0.96, 1.04}}},
        {.plan = NULL}};
    struct trial trial = {0};
    const struct advice *simd;

    trial_start(&trial, entry);
    trial_run(&trial);
    check_eq(trial.result.best, 0);
    check_near(trial.result.source_gain.value, 1, 0);
    simd = space_advice(&trial.result, "simd");
    check_outcome(&trial, "simd", "not kept: measured again, the gain was gone");
    check_near(simd->measured_speedup.value, 1.0, 1e-9);
    trial_release(&trial);
}

TEST("what fails is recorded and not kept")
{
    static const struct space_entry entry[] = {
        {.plan = "tile(i:8,*", .seconds = 0.1, .outcome = RUN_OUTCOME_CRASHED},
        {.plan = "tile(i:16,*", .seconds = 0.1, .outcome = RUN_OUTCOME_TIMED_OUT},
        {.plan = "tile(*", .seconds = 0.1, .outcome = RUN_OUTCOME_WRONG_RESULT},
        {.plan = "simd", .seconds = 0.1, .outcome = RUN_OUTCOME_NOT_BUILT},
        {.plan = NULL}};
    struct trial trial = {0};
    size_t wrong = 0;

    trial_start(&trial, entry);
    trial_run(&trial);
    check_eq(trial.result.best, 0);
    check_outcome(&trial, "tile",
                  "no plan of it ran to its end and gave the right results; "
                  "tile(i:32,j:32): it computes something else (first difference: "
                  "scripted: wrong-result)");
    check_outcome(&trial, "simd",
                  "no plan of it ran to its end and gave the right results; simd: "
                  "not-built: scripted: not-built");
    for (size_t i = 0; i < trial.result.measurement_nr; i++)
        wrong += trial.result.measurement[i].outcome == RUN_OUTCOME_WRONG_RESULT;
    check(wrong > 0);
    check_str(trial.result.measurement[space_find(&trial.result, "simd")].detail,
              "scripted: not-built");
    trial_release(&trial);
}

TEST("wrong results at full size are not kept")
{
    static const struct space_entry entry[] = {
        {.plan = "simd", .seconds = 0.5, .full = RUN_OUTCOME_WRONG_RESULT},
        {.plan = NULL}};
    struct trial trial = {0};

    trial_start(&trial, entry);
    trial_run(&trial);
    check_eq(trial.result.best, 0);
    check_outcome(&trial, "simd",
                  "not kept: it computes something else (first difference: scripted: "
                  "wrong-result)");
    check_eq(trial.result.measurement[space_find(&trial.result, "simd")].outcome,
             RUN_OUTCOME_WRONG_RESULT);
    trial_release(&trial);
}

TEST("illegal plans are pruned with the reason")
{
    static const struct space_entry entry[] = {
        {.plan = "*tile(*", .seconds = 0.1, .illegal = "'B' line 13 depends on itself"},
        {.plan = NULL}};
    struct trial trial = {0};
    size_t illegal = 0;

    trial_start(&trial, entry);
    trial_run(&trial);
    for (size_t i = 0; i < trial.space.asked.nr; i++)
        check(!strstr(trial.space.asked.v[i], "tile("));
    for (size_t i = 0; i < trial.result.pruned_nr; i++) {
        const struct pruned *pruned = &trial.result.pruned[i];

        if (strncmp(pruned->plan, "tile(", 5) == 0) {
            check_str(pruned->rule, "legality");
            check_str(pruned->reason, "'B' line 13 depends on itself");
            illegal++;
        }
    }
    check(illegal >= 6);
    check_outcome(&trial, "tile",
                  "not tried: each of its 7 plans was refused ('B' line 13 depends on "
                  "itself)");
    check(space_advice(&trial.result, "tile")->refused);
    check(!trial.result.left.helpless);
    trial_release(&trial);
}

TEST("threads of a directive are left as many blocks as there are of them")
{
    struct trial trial = {0};
    size_t few = 0;

    trial_start(&trial, NULL);
    trial.space.kernel.loop[0].threads = 500;
    trial_run(&trial);
    for (size_t i = 0; i < trial.result.measurement_nr; i++) {
        const char *tile = strstr(trial.result.measurement[i].plan, "tile(i:");
        check(!tile || atoi(tile + strlen("tile(i:")) <= 2000 / 500 + 1);
    }
    for (size_t i = 0; i < trial.result.pruned_nr; i++)
        few += strstr(trial.result.pruned[i].reason,
                      "500 threads share out the loop over 'i' of line 10") != NULL;
    check(few > 0);
    trial_release(&trial);
}

/* Among all that was measured, in the order of it. */
static size_t first_measured(const struct trial *trial, const char *step)
{
    size_t at = 0;

    while (at < trial->result.measurement_nr &&
           !strstr(trial->result.measurement[at].plan, step))
        at++;
    return at;
}

TEST("what rules forbid is pruned by rule")
{
    struct trial trial = {0};
    const struct pruned *jam, *stores;

    trial_start(&trial, NULL);
    trial_run(&trial);
    jam = space_pruned(&trial.result, "unroll_jam");
    stores = space_pruned(&trial.result, "nontemporal");
    check_str(jam ? jam->rule : NULL, "t.jam");
    check_str(stores ? stores->rule : NULL, "t.nontemporal");
    check_str(stores ? stores->reason : NULL, "Nothing is only written.");
    check(first_measured(&trial, "unroll_jam") >= trial.result.advised_nr);
    trial_release(&trial);
}

static size_t first_asked(const struct trial *trial, const char *step)
{
    size_t at = 0;

    while (at < trial->space.asked.nr && !strstr(trial->space.asked.v[at], step))
        at++;
    return at;
}

/* A figure whose interval allows the opposite verdict: tried, but after all that is
 * advised. */
TEST("doubtful advice is tried last")
{
    static const struct space_entry entry[] = {{.plan = "unroll(*", .seconds = 0.7},
                                               {.plan = NULL}};
    static const struct space_ratio gain[] = {{1.05, 0.95, 1.15}, {1.05, 1.04, 1.06}};

    for (size_t i = 0; i < ARRAY_SIZE(gain); i++) {
        struct trial trial = {0};

        trial_start(&trial, entry);
        trial.space.machine.prefetch_l2_gain = quantity_between(
            gain[i].value, gain[i].low, gain[i].high, 6, PROVENANCE_CLOCK);
        trial_run(&trial);
        size_t doubtful = first_asked(&trial, "unroll(");
        check_eq(first_measured(&trial, "unroll(") < trial.result.advised_nr, i == 0);
        check(first_asked(&trial, "tile(") < doubtful);
        check(first_asked(&trial, "simd") < doubtful);
        if (i == 0)
            check_outcome(&trial, "unroll", "kept: faster beyond the noise");
        trial_release(&trial);
    }
}

TEST("audit measures what rules forbid")
{
    static const struct space_entry entry[] = {
        {.plan = "unroll_jam(i:8)", .seconds = 0.7}, {.plan = NULL}};
    struct trial trial = {.opts.audit = true};

    trial_start(&trial, entry);
    trial_run(&trial);
    check_best(&trial, "unroll_jam(i:8)");
    check_outcome(&trial, "unroll_jam", "kept: faster beyond the noise");
    check_eq(space_advice(&trial.result, "unroll_jam")->verdict, VERDICT_AVOID);
    check(space_advice(&trial.result, "unroll_jam")->contradicted);
    check_outcome(&trial, "nontemporal", "not kept: no faster in first runs");
    trial_release(&trial);
}

TEST("huge pages are reported apart")
{
    struct trial trial = {0};
    const struct advice *huge;

    trial_start(&trial, NULL);
    trial.space.time_s = space_valley;
    trial.space.subject.huge_pages_available = true;
    trial.space.huge_speedup = 1.5;
    trial_run(&trial);
    check_best(&trial, "tile(i:32,j:32) simd");
    check(!trial.result.measurement[trial.result.best].environment.huge_pages);
    check_near(trial.result.environment_gain.value, 1.5, 0.01);
    check_near(trial.result.source_gain.value, 1 / 0.36, 0.01);
    check_near(trial.result.total_gain.value, 1.5 / 0.36, 0.01);
    huge = space_advice(&trial.result, "hugepages");
    check_str(huge ? huge->tried_plan : NULL, "huge pages");
    check_eq(huge && huge->contradicted, huge && huge->verdict != VERDICT_TRY);
    check_eq(space_count(&trial.space.compared, "as written : as written, huge pages"),
             1);
    trial_release(&trial);
}

TEST("huge pages that are not there are not tried")
{
    struct trial trial = {0};

    trial_start(&trial, NULL);
    trial_run(&trial);
    check(!trial.result.environment_gain.known);
    check(!trial.result.total_gain.known);
    for (size_t i = 0; i < trial.space.asked.nr; i++)
        check(!strstr(trial.space.asked.v[i], "huge"));
    trial_release(&trial);
}

TEST("what is left comes from the best")
{
    struct trial trial = {0};
    const struct occupancy *best;

    trial_start(&trial, NULL);
    trial.space.time_s = space_valley;
    trial_run(&trial);
    best = &trial.result.measurement[trial.result.best].occupancy;
    check(trial.result.headroom_bound.known && trial.result.headroom_bound.value > 0);
    check_near(trial.result.headroom_bound.value, best->slack.value, 0);
    check_eq(trial.result.headroom_resource, best->busiest);
    check(trial.result.headroom_resource != RESOURCE_NONE);
    trial_release(&trial);
}

TEST("huge pages that fail are not compared")
{
    struct trial trial = {0};

    trial_start(&trial, NULL);
    trial.space.time_s = space_valley;
    trial.space.subject.huge_pages_available = true;
    trial.space.huge_outcome = RUN_OUTCOME_OUT_OF_MEMORY;
    trial_run(&trial);
    check_best(&trial, "tile(i:32,j:32) simd");
    check(!trial.result.environment_gain.known && !trial.result.total_gain.known);
    for (size_t i = 0; i < trial.space.compared.nr; i++)
        check(!strstr(trial.space.compared.v[i], "huge"));
    trial_release(&trial);
}
