#include <math.h>
#include <stdio.h>

#include "tests/core/run/fake_runs.h"

SUITE(run_together);

static void measure(struct fixture *fixture, const char *text,
                    struct run_result result[2])
{
    struct strvec args = {0};
    static const char *const library[] = {"/one", "/other"};
    struct run_program program = fake(&args, text);

    check_ok(
        run_measure_together(&program, library, &fixture->opts, result, &fixture->err),
        &fixture->err);
    strvec_release(&args);
}

static void release(struct run_result result[2])
{
    run_result_release(&result[0]);
    run_result_release(&result[1]);
}

TEST("both sides come from one arena")
{
    struct fixture fixture = fixture_make();
    struct run_result result[2];

    fixture.opts.copies = 2;
    measure(&fixture, "--times 1e-6,3e-6 --second 50", result);
    for (int i = 0; i < 2; i++) {
        check_eq(result[i].outcome, RUN_OUTCOME_OK);
        check(result[i].together && result[i].detail == NULL);
        check_eq(result[i].launches, 1);
        if (check_eq(result[i].sample_nr, 2)) {
            check_near(result[i].sample[0].seconds, i ? 1.5e-6 : 1e-6, 1e-9);
            check_near(result[i].sample[1].seconds, i ? 4.5e-6 : 3e-6, 1e-9);
        }
        check_near(result[i].calls, i ? 40 : 20, 1e-9);
        check_near(result[i].buffer_bytes, 4096, 0);
        check(result[i].max_rss_kib > 0 && result[i].wall_s > 0);
    }
    check_near(run_ratio(&result[1], &result[0]).value, 1.5, 1e-6);
    release(result);
    fixture_drop(&fixture);
}

/* In every other launch the second comes first. */
TEST("the front place alternates")
{
    struct fixture fixture = fixture_make();
    char *args = xasprintf("--log %s/log", fixture.side);
    char *log = path_join(fixture.side, "log");
    static const char *const want[] = {"turns 0 1 0 2 ", "turns 0 1 1 2 ",
                                       "turns 0 1 0 2 "};
    struct run_result result[2];
    struct buf text = {0};
    const char *at;

    fixture.opts.launches_min = 3;
    measure(&fixture, args, result);
    check_ok(file_read(log, &text, &fixture.err), &fixture.err);
    at = buf_str(&text);
    for (size_t i = 0; i < ARRAY_SIZE(want) && at; i++) {
        at = strstr(at, "turns ");
        if (check(at != NULL)) {
            check(strncmp(at, want[i], strlen(want[i])) == 0);
            at++;
        }
    }
    check_contains(buf_str(&text), "load 0 /one\nload 1 /other\nturns ");
    release(result);
    buf_release(&text);
    free(log);
    free(args);
    fixture_drop(&fixture);
}

TEST("launches stop by the ratio")
{
    struct fixture fixture = fixture_make();
    char *args = xasprintf("--times 1e-6 --step 30 --counter %s/counter", fixture.side);
    struct run_result result[2];

    fixture.opts.samples_per_launch = 8;
    fixture.opts.launches_min = 3;
    fixture.opts.launches_max = 9;
    measure(&fixture, args, result); /* both get slower alike */
    check_eq(result[0].launches, 3);
    check_eq(result[1].launches, 3);
    check_near(run_ratio(&result[0], &result[1]).value, 1, 1e-9);
    release(result);
    free(args);
    fixture_drop(&fixture);
}

/* What one of them does is recorded under it; what nobody's call did, under both. */
TEST("a fault is whose call it was")
{
    static const struct {
        const char *args;
        double limit_s;
        enum run_outcome outcome[2];
        const char *detail;
    } cases[] = {
        {"--do crash --turn 1", 30, {RUN_OUTCOME_CRASHED, RUN_OUTCOME_OK}, "SIGSEGV"},
        {"--do crash --turn 2", 30, {RUN_OUTCOME_OK, RUN_OUTCOME_CRASHED}, "SIGSEGV"},
        {"--do crash --turn 2 --who 1",
         30,
         {RUN_OUTCOME_OK, RUN_OUTCOME_CRASHED},
         "SIGSEGV"},
        {"--do crash", 30, {RUN_OUTCOME_CRASHED, RUN_OUTCOME_CRASHED}, "SIGSEGV"},
        {"--do crash --turn 77", 30, {RUN_OUTCOME_CRASHED, RUN_OUTCOME_CRASHED}, "SIG"},
        {"--do hang --turn 2 --who 1",
         10,
         {RUN_OUTCOME_OK, RUN_OUTCOME_TIMED_OUT},
         "within 10 s"},
        {"--do exit --turn 2",
         30,
         {RUN_OUTCOME_OK, RUN_OUTCOME_BAD_EXIT},
         "before its results were complete"},
        {"--do fail --turn 1",
         30,
         {RUN_OUTCOME_BAD_EXIT, RUN_OUTCOME_OK},
         "exit status 7"},
        {"--garbage rubbish;",
         30,
         {RUN_OUTCOME_OK, RUN_OUTCOME_BAD_EXIT},
         "make no sense in line 1: 'rubbish'"},
    };
    struct fixture fixture = fixture_make();

    fixture.opts.copies = 2;
    fixture.opts.launches_min = 3;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct run_result result[2];

        fixture.opts.launch_limit_s = cases[i].limit_s;
        measure(&fixture, cases[i].args, result);
        for (int side = 0; side < 2; side++) {
            if (!check_eq(result[side].outcome, cases[i].outcome[side]))
                fprintf(stderr, "    (%s)\n", cases[i].args);
            if (result[side].outcome != RUN_OUTCOME_OK)
                check_contains(result[side].detail, cases[i].detail);
            check_eq(result[side].launches, 0); /* and no further launch */
        }
        check(!run_ratio(&result[0], &result[1]).known);
        release(result);
    }
    fixture_drop(&fixture);
}

/* Those before it stay. */
TEST("a later fault keeps earlier launches")
{
    struct fixture fixture = fixture_make();
    char *args =
        xasprintf("--do crash --turn 2 --from 2 --counter %s/counter", fixture.side);
    struct run_result result[2];

    fixture.opts.launches_min = 5;
    measure(&fixture, args, result);
    check_eq(result[0].outcome, RUN_OUTCOME_OK);
    check_eq(result[1].outcome, RUN_OUTCOME_CRASHED);
    check_eq(result[0].launches, 2);
    check_eq(result[0].sample_nr, 4);
    check_eq(result[1].sample_nr, 4);
    release(result);
    free(args);
    fixture_drop(&fixture);
}

/* ---- the ratio ---- */

/* Two results of `launches` launches of `pairs` pairs each. */
static void script(struct run_result result[2], const double *first, const double *second,
                   size_t launches, size_t pairs)
{
    for (int side = 0; side < 2; side++) {
        size_t nr = launches * pairs;

        result[side] = (struct run_result){.together = true, .sample_nr = nr};
        GROW(result[side].sample, nr, result[side].sample_alloc);
        for (size_t i = 0; i < nr; i++)
            result[side].sample[i] = (struct run_sample){
                .seconds = side ? second[i] : first[i], .launch = (unsigned)(i / pairs)};
    }
}

static void check_ratio(const struct run_result result[2], double value, double low,
                        double high, size_t runs)
{
    struct quantity ratio = run_ratio(&result[0], &result[1]);

    check(ratio.known);
    check_near(ratio.value, value, 1e-4);
    check_near(ratio.low, low, 1e-4);
    check_near(ratio.high, high, 1e-4);
    check_eq(ratio.runs, runs);
}

/* The one that comes second in a pair is 10 % slower, and the clock drifts: quadruples do
 * not see it. */
TEST("places and drift cancel")
{
    double first[24], second[24];
    struct run_result result[2];

    for (size_t i = 0; i < 24; i++) {
        double drift = exp(0.01 * (double)i);

        first[i] = 2 * drift * (i % 2 == 1 ? 1.1 : 1);
        second[i] = drift * (i % 2 == 0 ? 1.1 : 1);
    }
    script(result, first, second, 3, 8);
    check_ratio(result, 2, 2, 2, 3);
    release(result);
}

/* 12 quadruples 1.01 ... 1.12 of three launches: alike, so all of them count. Ranks 2 and
 * 11 hold the median with 1 - 2 * 13 / 4096 = 0.99365, ranks 3 and 10 with 1 - 2 * 79 /
 * 4096 = 0.96143. To 0.99: share 0.11330, weight 10 * 0.11330 / (2 + 8 * 0.11330) =
 * 0.38983. */
TEST("launches alike are pooled")
{
    static const int order[] = {1, 6, 8, 12, 2, 5, 9, 11, 3, 4, 7, 10};
    double first[24], second[24];
    struct run_result result[2];

    for (size_t i = 0; i < 24; i++) {
        first[i] = 1 + 0.01 * order[i / 2];
        second[i] = 1;
    }
    script(result, first, second, 3, 8);
    check_ratio(result, 1.065, 1.0239, 1.1061, 3);
    release(result);
}

/* Three launches, each steady by itself but unlike the others: Student's at 98 % on 1, 2,
 * 4 (s = ln 2): 2 ^ (6.965 / sqrt(3)) = 16.235. */
TEST("launches that differ are not pooled")
{
    double first[24], second[24];
    struct run_result result[2];

    for (size_t i = 0; i < 24; i++) {
        first[i] = (double)(1 << i / 8);
        second[i] = 1;
    }
    script(result, first, second, 3, 8);
    check_ratio(result, 2, 2 / 16.2374, 2 * 16.2374, 3);
    release(result);
}

/* Eight launches are enough for ranks: 0.99219 for the range, 0.92969 for the next: share
 * 0.035, weight 7 * 0.035 / (1 + 6 * 0.035) = 0.20248. */
TEST("many launches are the values")
{
    double first[16], second[16];
    struct run_result result[2];

    for (size_t i = 0; i < 16; i++) {
        first[i] = 1 + (double)(i / 2);
        second[i] = 1;
    }
    script(result, first, second, 8, 2);
    check_ratio(result, 4.5, 1.2025, 7.7975, 8);
    release(result);
}

TEST("one launch tells of itself")
{
    static const double first[] = {2, 2, 8, 8, 4}, second[] = {1, 1, 1, 1, 1};
    struct run_result result[2];

    script(result, first, second, 1, 1);
    check_ratio(result, 2, 2, 2, 1);
    release(result);
    /* quadruples 2 and 8, s = ln 4 / sqrt(2): 4 ^ (31.821 / 2) */
    script(result, first, second, 1, 5);
    check_near(run_ratio(&result[0], &result[1]).value, 5, 1e-9);
    check(run_ratio(&result[0], &result[1]).high > 1e9);
    release(result);
}

/* A disturbed sample takes its pair with it; its place is kept. */
TEST("disturbed pairs do not count")
{
    double first[] = {2, 2, 2, 90, 2, 2, 2, 2, 2, 2}, second[10];
    struct run_result result[2];

    for (size_t i = 0; i < 10; i++)
        second[i] = i % 2 ? 1 : 1.21; /* of place 0, 2, ...: a quadruple needs both */
    script(result, first, second, 1, 10);
    result[0].sample[3].disturbed = RUN_DISTURBED_SWITCHED;
    result[1].sample[7].disturbed = RUN_DISTURBED_STOLEN;
    check_ratio(result, 2 / 1.1, 2 / 1.1, 2 / 1.1, 1);
    for (size_t i = 0; i < 10; i++)
        result[0].sample[i].disturbed = RUN_DISTURBED_SLOWED;
    check(run_ratio(&result[0], &result[1]).high > 3); /* all are: then all count */
    release(result);
}

TEST("impossible times have no ratio")
{
    double first[] = {1, 1, 1, 1}, second[] = {1, 0, 1, 1};
    struct run_result result[2], none[2] = {{.together = true}, {.together = true}};

    script(result, first, second, 2, 2);
    check(!run_ratio(&result[0], &result[1]).known);
    check(!run_ratio(&none[0], &none[1]).known);
    release(result);
}
