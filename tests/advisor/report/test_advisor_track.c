/* The track record: what counts as right, what it does to a rule, how it is shown. */
#include <stdlib.h>
#include <string.h>

#include "advisor/report/track_show.h"
#include "core/store/store.h"
#include "tests/advisor/finished_search.h"

SUITE(advisor_track);

TEST("what was measured decides")
{
    static const struct {
        enum verdict verdict;
        double value, low, high; /* 0 = not measured */
        const char *want;
    } cases[] = {
        {VERDICT_TRY, 1.2, 1.1, 1.3, "hit"},
        {VERDICT_TRY, 1.2, 0.9, 1.5, "miss"},       /* within the noise */
        {VERDICT_TRY, 1.005, 1.001, 1.009, "miss"}, /* beyond it, but nothing */
        {VERDICT_TRY, 0.8, 0.7, 0.9, "miss"},
        {VERDICT_TRY, 0, 0, 0, "open"},
        {VERDICT_AVOID, 0.8, 0.7, 0.9, "hit"},
        {VERDICT_AVOID, 1.0, 0.9, 1.1, "hit"},
        {VERDICT_AVOID, 1.2, 1.1, 1.3, "miss"},
        {VERDICT_STOP, 1.2, 1.1, 1.3, "miss"},
        {VERDICT_STOP, 0, 0, 0, "open"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        char rule[] = "r", plan[] = "simd";
        struct advice advice = {
            .verdict = cases[i].verdict,
            .rule = rule,
            .tried_plan = plan,
            .bound_speedup = quantity_unknown(),
            .measured_speedup =
                cases[i].value > 0
                    ? fixture_gain(cases[i].value, cases[i].low, cases[i].high)
                    : quantity_unknown()};

        check_str(track_outcome(&advice), cases[i].want);
        check(!track_is_broken(&advice)); /* no bound */
    }
}

TEST("bounds are broken beyond both intervals")
{
    char rule[] = "r", plan[] = "simd";
    struct advice advice = {.rule = rule,
                            .tried_plan = plan,
                            .bound_speedup = fixture_gain(1.4, 1.3, 1.5),
                            .measured_speedup = fixture_gain(1.6, 1.51, 1.7)};

    check(track_is_broken(&advice));
    advice.measured_speedup = fixture_gain(1.6, 1.49, 1.7);
    check(!track_is_broken(&advice));
    advice.measured_speedup = quantity_unknown();
    check(!track_is_broken(&advice));
}

TEST("misses take weight and hits bring it back")
{
    check_near(track_factor(0, 0), 1, 1e-9);
    check_near(track_factor(9, 0), 1, 1e-9);
    check_near(track_factor(0, 1), 2.0 / 3, 1e-9);
    check_near(track_factor(0, 2), 0.5, 1e-9);
    check_near(track_factor(8, 2), 10.0 / 12, 1e-9);
    check(track_factor(0, 1000) > 0);
}

/* ---- from a result to the next search ---- */

static struct advice *tried(struct fixture *fixture, const char *name, const char *rule,
                            struct quantity gain)
{
    struct advice *advice = fixture_advise(fixture, name, VERDICT_TRY, 1.5);

    free(advice->rule);
    free(advice->tried_plan);
    advice->rule = xstrdup(rule);
    advice->tried_plan = xstrdup(name);
    advice->measured_speedup = gain;
    return advice;
}

struct shelf {
    struct fixture fixture;
    char *folder, *path;
    struct store *store;
    struct error err;
};

static void shelf_start(struct shelf *shelf)
{
    fixture_start(&shelf->fixture, "tune");
    check_ok(scratch_make(&shelf->folder, &shelf->err), &shelf->err);
    shelf->path = path_join(shelf->folder, "sessions.db");
    check_ok(store_open(shelf->path, &shelf->store, &shelf->err), &shelf->err);
}

static void shelf_release(struct shelf *shelf)
{
    store_close(shelf->store);
    scratch_remove(shelf->folder);
    free(shelf->path);
    fixture_release(&shelf->fixture);
}

/* Ends a session with what lies on the desk. */
static void finish(struct shelf *shelf, const char *machine, const char *kernel)
{
    long long session = 0;

    check_ok(
        store_session_new(shelf->store, "k", "tune", "t", NULL, &session, &shelf->err),
        &shelf->err);
    check_ok(track_save(shelf->store, session, machine, kernel, &shelf->fixture.result,
                        &shelf->err),
             &shelf->err);
    check_ok(store_session_finish(shelf->store, session, "{}", &shelf->err), &shelf->err);
}

TEST("a search learns of those before it")
{
    struct shelf shelf = {0};
    struct track track = {0};
    json_t *given;

    shelf_start(&shelf);
    tried(&shelf.fixture, "simd", "room.simd", fixture_gain(0.9, 0.8, 1.0));
    tried(&shelf.fixture, "tile", "lines_again.tile_lost",
          fixture_gain(2, 1.9, 2.1)); /* bound 1.5 */
    finish(&shelf, "here", "kernel 1");
    finish(&shelf, "here", "kernel 2");
    finish(&shelf, "there", "kernel 3");
    check_ok(track_read(shelf.store, "here", NULL, &track, &shelf.err), &shelf.err);
    check_eq(track.nr, 2);
    if (track.nr == 2) {
        check_str(track.record[0].rule, "room.simd");
        check_near(track.record[0].factor, 0.5, 1e-9);
        check_str(track.record[1].rule, "lines_again.tile_lost");
        check_near(track.record[1].factor, 1, 1e-9);
        check_eq(track.item[1].bounds, 2);
        check_eq(track.item[1].broken, 2);
    }
    given = track_json(&track, &shelf.fixture.result);
    check_eq(json_array_size(given), 2);
    json_decref(given);
    track_release(&track);
    check_ok(track_read(shelf.store, "here", "2020-01-01T00:00:00Z", &track, &shelf.err),
             &shelf.err);
    check_eq(track.nr, 0); /* not yet */
    track_release(&track);
    check_ok(track_read(shelf.store, NULL, NULL, &track, &shelf.err), &shelf.err);
    check_eq(track.nr, 4); /* of each machine */
    track_release(&track);
    shelf_release(&shelf);
}

TEST("the record is said in a line")
{
    static const struct {
        const char *json, *want;
    } cases[] = {
        {"{\"rule\": \"a\", \"right\": 1, \"judged\": 1, \"bounds\": 1, \"broken\": 0,"
         " \"factor\": 1}",
         "rule a: right 1 of 1 time here"},
        {"{\"rule\": \"a\", \"right\": 1, \"judged\": 4, \"bounds\": 4, \"broken\": 1,"
         " \"factor\": 0.5}",
         "rule a: right 1 of 4 times here, so its weight is multiplied by 0.50; 1 of 4 "
         "bounds were exceeded"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        json_t *rule = NULL;
        struct buf out = {0};

        check_ok(json_read_text(cases[i].json, "rule", NULL, &rule, NULL), NULL);
        track_line(rule, &out);
        check_str(buf_str(&out), cases[i].want);
        buf_release(&out);
        json_decref(rule);
    }
}

/* A rule that was wrong every time comes behind one that says less. */
TEST("a bad record changes what is tried first")
{
    static const struct space_entry flat[] = {{.plan = NULL}};
    struct rule_record bad = {NULL, 0.01};
    char *first[2] = {NULL, NULL};

    for (int with = 0; with < 2; with++) {
        struct space space = {0};
        struct search_result result = {0};
        struct error err = {0};
        struct search_opts opts = {
            .record = &bad, .record_nr = (size_t)with, .budget_variants = 2};

        space_transpose(&space.kernel, 2000);
        space_init(&space, flat);
        check_ok(space_run(&space, opts, &result, &err), &err);
        for (size_t i = 0; !first[with] && i < result.advice_nr; i++)
            if (result.advice[i].tried_plan) {
                first[with] = xstrdup(result.advice[i].transformation);
                if (!with)
                    bad.rule = xstrdup(result.advice[i].rule);
            }
        search_result_release(&result);
        space_release(&space);
    }
    check(first[0] && first[1] && strcmp(first[0], first[1]) != 0);
    free(first[0]);
    free(first[1]);
    free((char *)(uintptr_t)bad.rule);
}
