/* Files of other tuners, read: those of tests/data/exchange are in the form of the
 * tuners' own. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base.h"
#include "tests/cases.h"
#include "tests/core/store/exchange_files.h"

SUITE(store_exchange);

static int read_exchange(const struct test_case *one, const char *path, struct error *err)
{
    enum exchange_format format = EXCHANGE_FORMAT_NR;
    struct exchange_space space;
    char *note = NULL;
    int result = exchange_read(path, &format, &space, &note, err);

    (void)one;
    check_eq(space.result_nr, 0);
    free(note);
    return result;
}

static void check_value(const struct exchange_result *result, const char *name,
                        const char *want)
{
    json_t *one = json_pack("{s:O}", name, json_object_get(result->configuration, name));
    char *text = exchange_key(one);

    check_str(text, want);
    free(text);
    json_decref(one);
}

/* ---- reading ---- */

TEST("cache files are read")
{
    static const enum exchange_outcome want[] = {EXCHANGE_CORRECT, EXCHANGE_CORRECT,
                                                 EXCHANGE_COMPILE, EXCHANGE_RUNTIME,
                                                 EXCHANGE_RUNTIME, EXCHANGE_CONSTRAINTS};
    struct exchange_space space;

    if (!load("cache.json", EXCHANGE_FORMAT_KERNEL_TUNER, &space))
        return;
    check_str(space.kernel, "blur");
    check_str(space.device, "NVIDIA A100-PCIE-40GB");
    check_str(space.objective, "time");
    check_eq(json_array_size(space.problem_size), 2);
    check_eq(space.parameter_nr, 4);
    check_str(space.parameter[2].name, "layout");
    check_eq(json_array_size(space.parameter[0].values), 3);
    check_eq(space.result_nr, ARRAY_SIZE(want));
    for (size_t i = 0; i < space.result_nr && i < ARRAY_SIZE(want); i++) {
        check_eq(space.result[i].outcome, want[i]);
        check(isnan(space.result[i].time_s) == (want[i] != EXCHANGE_CORRECT));
    }
    const struct exchange_result *first = &space.result[0];
    check_near(first->time_s, 2.5e-3, 1e-12);
    check_eq(first->sample_nr, 3);
    check_near(first->sample_s[0], 2.75e-3, 1e-12);
    check_near(first->phase_s[EXCHANGE_PHASE_COMPILE], 0.4005, 1e-12);
    check_near(exchange_figure(first, "GFLOP/s"), 310.5, 0);
    check_value(first, "layout", "row");
    /* what other times leave over may come out below 0 there */
    check(isnan(space.result[1].phase_s[EXCHANGE_PHASE_FRAMEWORK]));
    check(isnan(space.result[4].phase_s[EXCHANGE_PHASE_COMPILE]));
    check_str(space.result[2].detail, "CompilationFailedConfig");
    exchange_space_release(&space);
}

/* A list of objectives, and errors in a key of their own. */
TEST("cache files of Kernel Tuner 1.4 are read")
{
    static const enum exchange_outcome want[] = {EXCHANGE_CORRECT, EXCHANGE_CORRECT,
                                                 EXCHANGE_COMPILE, EXCHANGE_RUNTIME};
    struct exchange_space space;

    if (!load("cache_1_4.json", EXCHANGE_FORMAT_KERNEL_TUNER, &space))
        return;
    check_str(space.objective, "time");
    check_eq(json_integer_value(space.problem_size), 1000);
    check_eq(space.result_nr, ARRAY_SIZE(want));
    for (size_t i = 0; i < space.result_nr && i < ARRAY_SIZE(want); i++)
        check_eq(space.result[i].outcome, want[i]);
    check_near(space.result[1].time_s, 0.25e-3, 1e-12);
    check_near(exchange_figure(&space.result[1], "work"), 0.5, 0);
    check_str(space.result[2].detail, "CompilationFailedConfig");
    exchange_space_release(&space);
}

/* Kernel Tuner closes its two objects only at the end. */
TEST("open cache files are closed")
{
    static const char *const ends[] = {"", ",", ",\n", "\n"};
    char *path = data_path("cache_open.json"), *dir, *cut, *note = NULL;
    struct buf text = {0};
    struct error err = {0};

    check_ok(file_read(path, &text, &err), &err);
    buf_truncate(&text, strrchr(text.data, '}') + 1 - text.data);
    if (scratch_make(&dir, &err))
        abort();
    cut = path_join(dir, "cut.json");
    for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
        enum exchange_format format = EXCHANGE_FORMAT_NR;
        struct exchange_space space;
        char *all = xasprintf("%s%s", text.data, ends[i]);
        check_ok(file_write_gz(cut, all, strlen(all), &err), &err);
        if (check_ok(exchange_read(cut, &format, &space, &note, &err), &err)) {
            check_eq(space.result_nr, 6);
            check_contains(note, "last two braces");
        }
        exchange_space_release(&space);
        free(note);
        free(all);
    }
    buf_truncate(&text, text.length - 20); /* within an entry */
    char *broken = path_join(dir, "f.json");
    check_ok(file_write(broken, buf_str(&text), text.length, &err), &err);
    check_fails(read_exchange(NULL, broken, &err), &err, STATUS_INPUT, "f.json:");
    free(broken);
    buf_release(&text);
    free(cut);
    free(path);
    scratch_remove(dir);
}

TEST("T4 is read as found in the wild")
{
    struct exchange_space space;

    if (!load("t4_hub.json", EXCHANGE_FORMAT_T4, &space))
        return;
    check_eq(space.result_nr, 2);
    check_near(space.result[0].time_s, 2.5e-3, 1e-12);
    check_near(space.result[0].phase_s[EXCHANGE_PHASE_BENCHMARK], 12.5e-3, 1e-12);
    check_near(space.result[0].phase_s[EXCHANGE_PHASE_VERIFY], 2e-3, 1e-12);
    check_near(space.result[0].correctness, 1, 0);
    check_near(exchange_figure(&space.result[0], "GFLOP/s"), 310.5, 0);
    check_value(&space.result[0], "use_padding", "True");
    check_value(&space.result[0], "c1", "0.5");
    check_eq(space.result[1].outcome, EXCHANGE_RUNTIME);
    check_str(space.result[1].detail, "RuntimeFailedConfig");
    check(isnan(space.result[1].time_s));
    char *key = exchange_key(space.result[1].configuration);
    check_str(key, "32,False,1.0"); /* in the order of the first result */
    free(key);
    exchange_space_release(&space);
}

TEST("T4 is read as the schema has it")
{
    struct exchange_space space;

    if (!load("t4_schema.json", EXCHANGE_FORMAT_T4, &space))
        return;
    check_near(space.result[0].time_s, 0.375, 1e-12); /* seconds; the mean of the runs */
    check_near(space.result[0].phase_s[EXCHANGE_PHASE_COMPILE], 0.25, 1e-12);
    check_near(space.result[0].correctness, 1, 0);
    check_eq(space.result[1].outcome, EXCHANGE_TIMEOUT);
    check_str(space.objective, "time");
    check(space.kernel == NULL);
    exchange_space_release(&space);
    if (!load("t4_score.json", EXCHANGE_FORMAT_T4, &space))
        return;
    check_str(space.objective, "score");
    check_near(exchange_figure(&space.result[0], "score"), -0.429, 0);
    check(isnan(space.result[0].time_s));
    exchange_space_release(&space);
}

/* Kernel Tuner's own T4 files say no unit of their times, but that of the measurement. */
TEST("units of time are found")
{
    static const struct {
        const char *head, *unit;
        double want_s;
    } cases[] = {
        {"", "ms", 3e-3},
        {"", "", 3},
        {"\"metadata\": {\"timeunit\": \"nanoseconds\"}, ", "", 3e-9},
        {"\"metadata\": {\"timeunit\": \"Milliseconds\"}, ", "us", 3e-6},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        char *dir, *path, *note, *text;
        enum exchange_format format = EXCHANGE_FORMAT_T4;
        struct exchange_space space;
        struct error err = {0};
        if (scratch_make(&dir, &err))
            abort();
        path = path_join(dir, "f.json");
        text =
            xasprintf("{%s\"results\": [{\"configuration\": {\"a\": 1}, \"times\": {}, "
                      "\"invalidity\": \"correct\", \"correctness\": 1, "
                      "\"measurements\": [{\"name\": \"time\", \"value\": 3, \"unit\": "
                      "\"%s\"}]}]}",
                      cases[i].head, cases[i].unit);
        check_ok(file_write(path, text, strlen(text), &err), &err);
        if (check_ok(exchange_read(path, &format, &space, &note, &err), &err))
            check_near(space.result[0].time_s, cases[i].want_s, 1e-12);
        exchange_space_release(&space);
        free(text);
        free(path);
        scratch_remove(dir);
    }
}

/* ---- what is refused ---- */

TEST("bad files are refused with their place")
{
    char *path = data_path("t1_problem.json"), *note = NULL;
    enum exchange_format format = EXCHANGE_FORMAT_NR;
    struct exchange_space space;
    struct error err = {0};

    check_refused(INFLIGHT_SOURCE_DIR "/tests/data/exchange/bad.cases", 31,
                  read_exchange);
    check_fails(exchange_read(path, &format, &space, &note, &err), &err, STATUS_INPUT,
                "this is a T1 problem: it says what may be tuned and holds no results");
    format = EXCHANGE_FORMAT_CSV;
    check_fails(exchange_read(path, &format, &space, &note, &err), &err, STATUS_USAGE,
                "csv is only written");
    free(path);
}
