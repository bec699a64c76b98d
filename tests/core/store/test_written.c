/* Files of other tuners, written so that they are read there: the conditions of Kernel
 * Tuner's own readers. UPDATE_GOLDEN=1 rewrites written_* of tests/data/exchange. */
#include <stdlib.h>
#include <string.h>

#include "core/base.h"
#include "tests/core/store/exchange_files.h"

SUITE(store_written);

static void check_written(const char *name, enum exchange_format format,
                          const char *golden)
{
    char *path = data_path(golden);
    struct exchange_space space;
    struct buf text = {0};
    struct error err = {0};
    enum exchange_format from =
        strstr(name, "cache") ? EXCHANGE_FORMAT_KERNEL_TUNER : EXCHANGE_FORMAT_T4;

    if (load(name, from, &space)) {
        check_ok(exchange_text(&space, format, &text, &err), &err);
        check_golden(path, buf_str(&text));
    }
    exchange_space_release(&space);
    buf_release(&text);
    free(path);
}

TEST("files are written")
{
    check_written("cache.json", EXCHANGE_FORMAT_T4, "written_t4.json");
    check_written("cache.json", EXCHANGE_FORMAT_CSV, "written.csv");
    check_written("cache.json", EXCHANGE_FORMAT_KERNEL_TUNER, "written_cache.json");
    check_written("t4_hub.json", EXCHANGE_FORMAT_KERNEL_TUNER, "written_cache_hub.json");
    check_written("t4_score.json", EXCHANGE_FORMAT_KERNEL_TUNER,
                  "written_cache_score.json");
}

/* What is written is read again, and written alike. */
TEST("files come back")
{
    static const char *const names[] = {"written_t4.json", "written_cache.json",
                                        "written_cache_hub.json",
                                        "written_cache_score.json"};
    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        bool cache = strstr(names[i], "cache") != NULL;
        check_written(names[i], cache ? EXCHANGE_FORMAT_KERNEL_TUNER : EXCHANGE_FORMAT_T4,
                      names[i]);
    }
}

TEST("keys are as Python writes them")
{
    static const struct {
        double value;
        const char *want;
    } cases[] = {{0.5, "0.5"},
                 {1, "1.0"},
                 {0, "0.0"},
                 {-0.25, "-0.25"},
                 {0.1, "0.1"},
                 {1e-4, "0.0001"},
                 {1e-5, "1e-05"},
                 {123456789, "123456789.0"},
                 {1e15, "1000000000000000.0"},
                 {1e16, "1e+16"},
                 {1.5e300, "1.5e+300"},
                 {1.0 / 3, "0.333333333333333"}};
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        json_t *one = json_pack("{s:f, s:b, s:n, s:I, s:s}", "a", cases[i].value, "b", 1,
                                "c", "d", (json_int_t)-7, "e", "x y");
        char *text = exchange_key(one);
        char *want = xasprintf("%s,True,None,-7,x y", cases[i].want);
        check_str(text, want);
        free(want);
        free(text);
        json_decref(one);
    }
}

TEST("what a format cannot hold is refused")
{
    struct exchange_space space = {0};
    struct buf out = {0};
    struct error err = {0};

    for (int i = 0; i < 2; i++)
        json_object_set_new(exchange_add_result(&space)->configuration, "time",
                            json_integer(1));
    check_ok(exchange_find_parameters(&space, "f", "r", &err), &err);
    check_fails(exchange_text(&space, EXCHANGE_FORMAT_T4, &out, &err), &err, STATUS_INPUT,
                "two results have the same values of all parameters: 1");
    space.result_nr = 1;
    check_fails(exchange_text(&space, EXCHANGE_FORMAT_KERNEL_TUNER, &out, &err), &err,
                STATUS_INPUT, "a parameter called 'time' cannot be in a cache file");
    space.result_nr = 2;
    exchange_space_release(&space);
    buf_release(&out);
}

/* ---- what Kernel Tuner itself asks for ---- */

/* Python's type of a tunable value must not matter to its key: numbers and words only. */
static void check_entry(const json_t *root, const char *key, const json_t *entry)
{
    static const char *const numbers[] = {"compile_time", "verification_time",
                                          "benchmark_time", "strategy_time",
                                          "framework_time"};
    static const char *const errors[] = {"InvalidConfig", "CompilationFailedConfig",
                                         "RuntimeFailedConfig"};
    const json_t *names = json_object_get(root, "tune_params_keys"), *name;
    const json_t *time = json_object_get(entry, "time");
    json_t *values = json_object();
    size_t i;

    /* simulation.py: key = ",".join([str(i) for i in element]) */
    json_array_foreach((json_t *)names, i, name) {
        json_t *value = json_object_get(entry, json_string_value(name));
        json_t *list = json_object_get(json_object_get(root, "tune_params"),
                                       json_string_value(name));
        bool listed = false;
        check(value != NULL);
        for (size_t k = 0; k < json_array_size(list); k++)
            listed = listed || json_equal(json_array_get(list, k), value);
        check(listed);
        json_object_set(values, json_string_value(name), value);
    }
    char *joined = exchange_key(values);
    check_str(key, joined);
    free(joined);
    json_decref(values);
    /* ... result["compile_time"] + result["verification_time"] +
     * result["benchmark_time"]; the schema asks for all five and the timestamp */
    for (i = 0; i < ARRAY_SIZE(numbers); i++)
        check(json_is_number(json_object_get(entry, numbers[i])));
    check(json_is_string(json_object_get(entry, "timestamp")));
    /* util.py, get_best_config: isinstance(x[objective], float); read_cache: three names
     * of errors */
    bool known = json_is_real(time);
    for (i = 0; i < ARRAY_SIZE(errors) && json_is_string(time); i++)
        known = known || !strcmp(json_string_value(time), errors[i]);
    check(known);
    /* autotuning_methodology: len(times) of the first that has any */
    check(!json_object_get(entry, "times") ||
          json_array_size(json_object_get(entry, "times")) > 0);
}

/* process_cache: device, kernel, problem size, names in their order. */
static void check_cache(const char *text)
{
    static const char *const words[] = {"schema_version", "device_name", "kernel_name",
                                        "objective"};
    struct error err = {0};
    json_t *root = NULL, *entry, *list;
    const char *key;
    size_t length = strlen(text), at = 0;

    if (!check_ok(json_read_text(text, "written", NULL, &root, &err), &err))
        return;
    for (size_t i = 0; i < ARRAY_SIZE(words); i++)
        check(json_is_string(json_object_get(root, words[i])));
    check(json_object_get(root, "problem_size") != NULL);
    check_eq(json_array_size(json_object_get(root, "tune_params_keys")),
             json_object_size(json_object_get(root, "tune_params")));
    json_object_foreach(json_object_get(root, "tune_params"), key, list) {
        const json_t *name =
            json_array_get(json_object_get(root, "tune_params_keys"), at++);
        check_str(key, json_string_value(name));
        check(json_array_size(list) > 0);
    }
    json_object_foreach(json_object_get(root, "cache"), key, entry)
        check_entry(root, key, entry);
    /* correct_open_cache: the stripped text ends so when it is closed, and three
     * characters less and a comma make it open */
    while (length && (text[length - 1] == '\n' || text[length - 1] == ' '))
        length--;
    check(length > 3 && !strncmp(text + length - 3, "}\n}", 3));
    char *open = xasprintf("%.*s,\n\"new\": {}}\n}", (int)length - 3, text);
    json_t *longer = NULL;
    if (check_ok(json_read_text(open, "appended", NULL, &longer, &err), &err))
        check_eq(json_object_size(json_object_get(longer, "cache")),
                 json_object_size(json_object_get(root, "cache")) + 1);
    json_decref(longer);
    free(open);
    json_decref(root);
}

TEST("Kernel Tuner takes what is written")
{
    static const char *const names[] = {"written_cache.json", "written_cache_hub.json"};
    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        char *path = data_path(names[i]);
        struct buf text = {0};
        struct error err = {0};
        if (check_ok(file_read(path, &text, &err), &err))
            check_cache(buf_str(&text));
        buf_release(&text);
        free(path);
    }
}

/* What the schema 1.0.0 asks for, and 1.1.0's narrower words. */
TEST("T4 keeps to its schema")
{
    /* autotuning_methodology asks every result for every key of "all" */
    static const char *const phases[] = {"compilation", "compilation_time", "benchmark",
                                         "validation",  "search_algorithm", "framework"};
    char *path = data_path("written_t4.json");
    struct error err = {0};
    json_t *root = NULL, *result, *measurement;
    size_t i, k;

    if (!check_ok(json_read_file(path, NULL, &root, &err), &err))
        return;
    check_str(json_string_value(json_object_get(root, "schema_version")), "1.0.0");
    check_str(
        json_string_value(json_object_get(json_object_get(root, "metadata"), "timeunit")),
        "milliseconds");
    json_array_foreach(json_object_get(root, "results"), i, result) {
        const char *word = json_string_value(json_object_get(result, "invalidity"));
        const json_t *times = json_object_get(result, "times");
        json_int_t correct = json_integer_value(json_object_get(result, "correctness"));
        check(exchange_outcome_from_word(word) != EXCHANGE_OUTCOME_NR);
        check(json_is_object(json_object_get(result, "configuration")));
        check(json_is_integer(json_object_get(result, "correctness")));
        check_eq(correct, !strcmp(word, "correct"));
        check(json_is_object(times));
        check(json_equal(json_object_get(times, "compilation"),
                         json_object_get(times, "compilation_time")));
        for (k = 0; k < ARRAY_SIZE(phases); k++)
            check(json_is_number(json_object_get(times, phases[k])));
        check(json_is_string(json_array_get(json_object_get(result, "objectives"), 0)));
        json_array_foreach(json_object_get(result, "measurements"), k, measurement) {
            check(json_is_string(json_object_get(measurement, "name")));
            check(json_is_string(json_object_get(measurement, "unit")));
        }
    }
    json_decref(root);
    free(path);
}
