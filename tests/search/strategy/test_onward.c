/* What guided search does when the rules have no more to try, and what it keeps. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "search/session/race.h"
#include "search/strategy/nearby.h"
#include "tests/search/choices.h"
#include "tests/search/scripted_trial.h"

SUITE(search_onward);

static void check_best(const struct trial *trial, const char *plan)
{
    check_str(trial->result.measurement[trial->result.best].plan, plan);
}

static bool was_said(const struct trial *trial, const char *part)
{
    for (size_t i = 0; i < trial->space.output.nr; i++)
        if (strstr(trial->space.output.v[i], part))
            return true;
    return false;
}

/* No rule speaks of fusing or of prefetches here. */
TEST("it goes on where rules are silent")
{
    static const struct space_entry entry[] = {
        {.plan = "tile(i:32,j:32) simd prefetch(A:*", .seconds = 0.3},
        {.plan = "tile(i:32,j:32) simd", .seconds = 0.36},
        {.plan = "tile(i:32,j:32)", .seconds = 0.4},
        {.plan = NULL}};
    struct trial trial = {0};

    trial_start(&trial, entry);
    trial_run(&trial);
    check_contains(trial.result.measurement[trial.result.best].plan, "prefetch(A:");
    check(trial.result.best >= trial.result.advised_nr);
    check(was_said(&trial, "going on around the fastest plan"));
    check_contains(trial.result.stop, "the budget is used up (the rules had no more to");
    trial_release(&trial);
}

/* The rule against it is told of, with what it said. */
TEST("what a rule advised against comes last")
{
    static const struct space_entry entry[] = {
        {.plan = "unroll_jam(i:4)", .seconds = 0.6}, {.plan = NULL}};
    struct trial trial = {0};
    const struct advice *jam;
    const struct pruned *pruned;

    trial_start(&trial, entry);
    trial_run(&trial);
    check_best(&trial, "unroll_jam(i:4)");
    jam = space_advice(&trial.result, "unroll_jam");
    check(jam && jam->verdict != VERDICT_TRY && jam->contradicted);
    check_str(jam ? jam->outcome : NULL, "kept: faster beyond the noise");
    pruned = space_pruned(&trial.result, "unroll_jam");
    check_str(pruned ? pruned->rule : NULL, "t.jam");
    check_eq(trial.result.audit.wrong_nr, 1);
    char *text = audit_text(&trial.result.audit);
    check_contains(text, "1 wrongly discarded by rule t.jam");
    free(text);
    /* next to the kernel as written all that no rule is against was tried before */
    size_t at = space_find(&trial.result, "unroll_jam(i:4)");
    check(space_find(&trial.result, "prefetch(A:16)") < at);
    check(space_find(&trial.result, "unroll(j:4)") < at);
    trial_release(&trial);
}

/* A prefetch that is slower next to one plan is tried last next to the others. */
TEST("what was slower comes later")
{
    static const struct space_entry entry[] = {{.plan = "*prefetch(A:16)*", .seconds = 3},
                                               {.plan = "*unroll(j:4)*", .seconds = 0.5},
                                               {.plan = NULL}};
    struct trial trial = {0};

    trial_start(&trial, entry);
    trial_run(&trial);
    check_contains(trial.result.measurement[trial.result.best].plan, "unroll(j:4)");
    size_t other = space_find(&trial.result, "tile(i:16) unroll(j:4) prefetch(B:16)");
    check(space_find(&trial.result, "prefetch(A:16)") < other);
    check(other < space_find(&trial.result, "tile(i:16) unroll(j:4) prefetch(A:16)"));
    trial_release(&trial);
}

/* Tiles that hold the whole loop are one plan. */
TEST("sizes beyond a loop are alike")
{
    static const struct space_entry entry[] = {{.plan = "tile(*", .seconds = 0.9},
                                               {.plan = NULL}};
    static const char *const plan[] = {"tile(i:1024,j:2048)", "tile(i:1024,j:8192)",
                                       "tile(i:1024,j:1024)", "skew_tile(i:1024,j:8192)"};
    struct trial trial = {0};
    struct session session = {.subject = &trial.space.subject, .result = &trial.result};
    struct choice choice[4],
        measured[] = {choice_of(plan[0]), choice_of("skew_tile(i:1024,j:2048)")};

    trial_start(&trial, entry);
    for (size_t i = 0; i < 2; i++)
        trial.space.kernel.loop[i].upper_text = "2000";
    session.view = trial.space.kernel.view;
    for (size_t i = 0; i < ARRAY_SIZE(plan); i++)
        choice[i] = choice_of(plan[i]);
    session.choice = measured;
    trial.result.measurement = xcalloc(2, sizeof(*trial.result.measurement));
    trial.result.measurement[0].plan = xstrdup(plan[0]);
    trial.result.measurement[1].plan = xstrdup("skew_tile(i:1024,j:2048)");
    trial.result.measurement_nr = 2;
    session_add_place(&session);
    check_eq(session_find(&session, &choice[1]), 2);
    check_eq(session_find_alike(&session, &choice[0]), 0);
    check_eq(session_find_alike(&session, &choice[1]), 0);
    check_eq(session_find_alike(&session, &choice[2]), 2);
    check_eq(session_find_alike(&session, &choice[3]), 2);
    free(session.places.slot);
    trial_release(&trial);
}

/* Unrolling alone and vectors alone are worth nothing; a rule is against both. */
TEST("steps that pay together only are found")
{
    static const struct space_entry entry[] = {
        {.plan = "unroll(j:*) simd", .seconds = 0.4}, {.plan = NULL}};
    static const char rules[] =
        "{\"schema\": \"inflight.rules/1\", \"about\": \"\", \"rules\": [%s], "
        "\"pairs\": [%s]}",
                      against[] =
                          "{\"id\": \"a.%s\", \"transformation\": \"%s\", \"when\": "
                          "[{\"metric\": \"loop_depth\", \"op\": \">=\", \"value\": 1}], "
                          "\"verdict\": \"stop\", \"weight\": 0, \"work\": [], "
                          "\"sentence\": \"No.\", \"source\": \"tests\"}",
                      pair[] = "{\"first\": \"unroll\", \"second\": \"simd\", "
                               "\"reason\": \"Both.\", \"source\": \"tests\"}";
    size_t found[2];

    for (int paired = 0; paired < 2; paired++) {
        struct trial trial = {0};
        struct buf list = {0};
        char *folder = NULL, *path, *text;
        struct rule_set *set = NULL;
        buf_addf(&list, against, "unroll", "unroll");
        buf_add(&list, ", ");
        buf_addf(&list, against, "simd", "simd");
        text = xasprintf(rules, buf_str(&list), paired ? pair : "");
        check_ok(scratch_make(&folder, &trial.err), &trial.err);
        path = path_join(folder, "rules.json");
        check_ok(file_write(path, text, strlen(text), &trial.err), &trial.err);
        check_ok(rule_set_load(path, &set, &trial.err), &trial.err);
        trial_start(&trial, entry);
        trial.opts.rules = set;
        trial.opts.skipped_s = &trial.space.spent_s;
        check_ok(search_run(&trial.space.subject, &trial.space.runner,
                            &trial.space.observer, &trial.opts, &trial.result,
                            &trial.err),
                 &trial.err);
        found[paired] = 0;
        while (found[paired] < trial.result.measurement_nr &&
               fabs(trial.result.measurement[found[paired]].time_s.value - 0.4) > 0.05)
            found[paired]++;
        if (paired)
            check_contains(trial.result.measurement[trial.result.best].plan, "simd");
        trial_release(&trial);
        rule_set_free(set);
        buf_release(&list);
        scratch_remove(folder);
        free(path);
        free(text);
    }
    check(found[1] < found[0]);
}

/* The first run of the best is unlucky, that of another lucky. */
TEST("the race finds who is faster")
{
    static const struct space_entry entry[] = {
        {.plan = "simd", .seconds = 0.8, .quick = {{0.92, 0.75, 1.1}}},
        {.plan = "unroll(j:4)", .seconds = 0.95, .quick = {{0.85, 0.75, 1.0}}},
        {.plan = NULL}};
    const struct choice measured[] = {choice_of("unroll(j:4)"), choice_of("simd")};
    struct trial trial = {0};
    struct session session = {.subject = &trial.space.subject,
                              .runner = &trial.space.runner,
                              .observer = &trial.space.observer,
                              .opts = &trial.opts,
                              .result = &trial.result};
    struct quantity gain;
    size_t index, best = 0;

    trial_start(&trial, entry);
    trial.opts.rules = space_rules();
    trial.opts.skipped_s = &trial.space.spent_s;
    check_ok(session_start(&session, &trial.err), &trial.err);
    check_ok(session_baseline(&session, &trial.err), &trial.err);
    for (size_t i = 0; i < ARRAY_SIZE(measured); i++)
        check_ok(session_measure(&session, &measured[i], false, MEASURE_QUICK, 0, &index,
                                 &trial.err),
                 &trial.err);
    check_eq(race_leader(&session), 1);
    check_eq(race_next(&session, 1), 2);
    check(race_hope(&session, 1, 2) > 0.002);
    check_ok(race_remeasure(&session, INFINITY, &best, &gain, &trial.err), &trial.err);
    check_str(trial.result.measurement[best].plan, "simd");
    check(trial.result.measurement[best].has_occupancy);
    check(gain.low > 1 && gain.value > 1.15);
    session_release(&session);
    rule_set_free((struct rule_set *)(uintptr_t)trial.opts.rules);
    trial_release(&trial);
}

/* Single comparisons leave it open, all together do not. */
TEST("a gain is kept when all of it decides")
{
    static const struct space_entry entry[] = {
        {.plan = "simd",
         .seconds = 0.9,
         .ratio = {{1.11, 0.98, 1.26}, {1.11, 0.98, 1.26}}},
        {.plan = NULL}};
    struct trial trial = {0};

    trial_start(&trial, entry);
    trial_run(&trial);
    check_best(&trial, "simd");
    check_near(trial.result.source_gain.value, 1.11, 1e-3);
    check(trial.result.source_gain.low > 1);
    trial_release(&trial);
}

/* A limit that is reached is no end; one that no plan can move is. */
TEST("only what excludes the rest ends it")
{
    static const struct space_entry reached[] = {{.plan = "*", .seconds = 0.0165},
                                                 {.plan = NULL}};
    struct trial trial = {0};

    trial_start(&trial, reached);
    trial_run(&trial);
    check(!trial.result.left.nothing_stopped);
    check(trial.result.measurement_nr > 100);
    check_contains(trial.result.stop, "the budget is used up");
    trial_release(&trial);
}

TEST("what was added has its names")
{
    const struct choice none = {0};
    const struct choice two = choice_of("tile(i:32) unroll(j:4) simd"),
                        larger = choice_of("tile(i:64) unroll(j:4) simd");
    const char *name[NEAR_ADDED_MAX];

    check_eq(near_added(&none, &two, name), 3);
    check_str(name[0], "tile");
    check_str(name[1], "unroll");
    check_str(name[2], "simd");
    check_eq(near_added(&two, &larger, name), 0);
    check_eq(near_added(&two, &none, name), 0);
}

static bool holds_shape(const struct choices *list, const char *shape)
{
    for (size_t i = 0; i < list->nr; i++)
        if (list->item[i].shape_nr && choice_is(&list->item[i], shape))
            return true;
    return false;
}

/* The sizes of a whole shape are sizes like others, and what it lacks may be added. */
TEST("shapes have neighbours")
{
    struct kernel_loop loop = {.name = "i"};
    struct session session = {.nest = {.loop = {&loop}, .nr = 1}};
    const struct near near = {.session = &session};
    const struct choice from = shape_of("tile(j:16,i:3) interchange(i,j) simd");
    struct choices list = {0};

    near_list(&near, &from, &list);
    check(holds_shape(&list, "tile(j:8,i:3) interchange(i,j) simd"));
    check(holds_shape(&list, "tile(j:32,i:3) interchange(i,j) simd"));
    check(holds_shape(&list, "tile(j:24,i:3) interchange(i,j) simd"));
    check(holds_shape(&list, "tile(j:16,i:2) interchange(i,j) simd"));
    check(!holds_shape(&list, "tile(j:10,i:3) interchange(i,j) simd"));
    check(holds_shape(&list, "tile(j:16,i:3) interchange(i,j) unroll_jam(i:4) simd"));
    choices_release(&list);
}
