/* T4 results, after the schemas 1.0.0 (Kernel Tuner) and 1.1.0 (autotuning_methodology)
 * and the files of the benchmark hub. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/base/array.h"
#include "core/base/buf.h"
#include "core/store/exchange_parts.h"

/* ---- reading ---- */

/* "miliseconds" is how the hub's files spell it. */
static const struct {
    const char *word;
    double seconds;
} units[] = {
    {"s", 1},
    {"seconds", 1},
    {"ms", 1e-3},
    {"milliseconds", 1e-3},
    {"miliseconds", 1e-3},
    {"us", 1e-6},
    {"microseconds", 1e-6},
    {"ns", 1e-9},
    {"nanoseconds", 1e-9},
};

/* 0 = no unit of time. */
static double unit_seconds(const char *word)
{
    for (size_t i = 0; i < ARRAY_SIZE(units); i++)
        if (!strcasecmp(units[i].word, word))
            return units[i].seconds;
    return 0;
}

/* A result being read. */
struct reading {
    struct exchange_space *space;
    struct exchange_result *result;
    double unit_s;
    const json_t
        *not_given; /* of our files: phases that are 0 as there must be a number */
};

static int take_text(const struct json_at *at, const char *key, char **out,
                     struct error *err)
{
    const char *text = NULL;
    if (!json_has(at, key))
        return 0;
    if (json_string_at(at, key, &text, err))
        return -1;
    free(*out);
    *out = xstrdup(text);
    return 0;
}

static int read_phases(const struct json_at *times, struct reading *reading,
                       struct error *err)
{
    for (unsigned i = 0; i < EXCHANGE_PHASE_NR; i++) {
        const char *key = exchange_phase_t4(i);
        if (i == EXCHANGE_PHASE_COMPILE && !json_has(times, key))
            key = "compilation_time"; /* the schema's name; files have the other */
        struct json_at at = exchange_child(times, key);
        if (json_has(times, key) &&
            !exchange_lists(reading->not_given, exchange_phase_t4(i)) &&
            exchange_time_here(&at, reading->unit_s, &reading->result->phase_s[i], err))
            return -1;
    }
    struct json_at runs = exchange_child(times, "runtimes");
    return json_has(times, "runtimes")
               ? exchange_samples(&runs, reading->unit_s, reading->result, err)
               : 0;
}

/* "time": the result's time or the name of an error. */
static int read_time(const struct json_at *at, const char *unit, struct reading *reading,
                     struct error *err)
{
    struct exchange_result *result = reading->result;
    struct json_at value = exchange_child(at, "value");
    double unit_s = unit_seconds(unit);
    if (!json_is_string(value.node))
        return exchange_time_here(&value, unit_s > 0 ? unit_s : reading->unit_s,
                                  &result->time_s, err);
    free(result->detail);
    result->detail = xstrdup(json_string_value(value.node));
    if (result->outcome == EXCHANGE_CORRECT)
        result->outcome = exchange_outcome_of_error(result->detail);
    return 0;
}

static int read_measurement(const struct json_at *at, struct reading *reading,
                            struct error *err)
{
    const char *name = NULL, *unit = "";
    struct json_at value = {0};
    if (json_string_at(at, "name", &name, err) || json_member(at, "value", &value, err) ||
        (json_has(at, "unit") && json_string_at(at, "unit", &unit, err)))
        return -1;
    if (!strcmp(name, "time"))
        return read_time(at, unit, reading, err);
    if (json_is_number(value.node))
        exchange_add_figure(reading->result, name, unit, json_number_value(value.node));
    else if (json_is_string(value.node) && !reading->result->detail)
        reading->result->detail = xstrdup(json_string_value(value.node));
    return 0;
}

static int read_measurements(const struct json_at *at, struct reading *reading,
                             struct error *err)
{
    struct json_at list = {0};
    size_t nr = 0;
    if (!json_has(at, "measurements"))
        return 0;
    if (json_array_at(at, "measurements", &list, &nr, err))
        return -1;
    for (size_t i = 0; i < nr; i++) {
        struct json_at one = json_element(&list, i);
        if (read_measurement(&one, reading, err))
            return -1;
    }
    return 0;
}

static int read_validity(const struct json_at *at, struct exchange_result *result,
                         struct error *err)
{
    const char *word = NULL;
    struct json_at correctness = {0};
    if (json_string_at(at, "invalidity", &word, err) ||
        json_member(at, "correctness", &correctness, err))
        return -1;
    result->outcome = exchange_outcome_from_word(word);
    if (result->outcome == EXCHANGE_OUTCOME_NR)
        return json_fail(at, err,
                         "invalidity: expected correct, timeout, compile, runtime, "
                         "correctness or constraints, got \"%s\"",
                         word);
    if (json_is_boolean(correctness.node))
        result->correctness = json_is_true(correctness.node);
    else if (json_number_here(&correctness, 0, 1, &result->correctness, err))
        return -1;
    return 0;
}

/* The first result's first objective is the space's. */
static int read_objective(const struct json_at *at, struct exchange_space *space,
                          struct error *err)
{
    struct json_at list = {0};
    const char *name = NULL;
    size_t nr = 0;
    if (space->objective || !json_has(at, "objectives"))
        return 0;
    if (json_array_at(at, "objectives", &list, &nr, err))
        return -1;
    struct json_at first = json_element(&list, 0);
    if (nr && json_string_here(&first, &name, err))
        return -1;
    space->objective = xstrdup(name);
    return 0;
}

static void keep_rest(const json_t *from, const char *known, json_t **extra)
{
    struct strvec words = {0};
    const char *key;
    json_t *value;
    strvec_split(&words, known);
    json_object_foreach((json_t *)from, key, value) {
        size_t at = 0;
        while (at < words.nr && strcmp(words.v[at], key) != 0)
            at++;
        if (at == words.nr)
            exchange_keep(extra, key, json_incref(value));
    }
    strvec_release(&words);
}

/* A file without a time of its own may still have its runs. */
static void mean_of_runs(struct exchange_result *result)
{
    double sum = 0;
    for (size_t i = 0; i < result->sample_nr; i++)
        sum += result->sample_s[i];
    if (isnan(result->time_s) && result->sample_nr)
        result->time_s = sum / (double)result->sample_nr;
}

static int read_result(const struct json_at *at, struct exchange_space *space,
                       double unit_s, struct error *err)
{
    struct json_at configuration = {0}, times = {0};
    struct reading reading = {
        space, exchange_add_result(space), unit_s,
        json_object_get(json_object_get(space->extra, "inflight"), "not_told")};
    if (json_object_at(at, "configuration", &configuration, err) ||
        exchange_check_configuration(&configuration, err) ||
        json_object_at(at, "times", &times, err) ||
        read_validity(at, reading.result, err) || read_phases(&times, &reading, err) ||
        read_measurements(at, &reading, err) || read_objective(at, space, err) ||
        take_text(at, "timestamp", &reading.result->timestamp, err))
        return -1;
    json_decref(reading.result->configuration);
    reading.result->configuration = json_incref((json_t *)configuration.node);
    if (reading.result->outcome == EXCHANGE_CORRECT)
        mean_of_runs(reading.result);
    else
        reading.result->time_s = NAN;
    keep_rest(at->node,
              "timestamp configuration times invalidity correctness measurements "
              "objectives",
              &reading.result->extra);
    return 0;
}

/* ---- the head ---- */

static int read_version(const struct json_at *top, struct error *err)
{
    const char *version = NULL;
    if (!json_has(top, "schema_version")) /* as in the hub's files */
        return 0;
    if (json_string_at(top, "schema_version", &version, err))
        return -1;
    if (strncmp(version, "1.", 2))
        return json_fail(top, err,
                         "schema_version: versions 1.x of T4 are known, this is \"%s\"",
                         version);
    return 0;
}

static int read_metadata(const struct json_at *top, struct exchange_space *out,
                         double *unit_s, struct error *err)
{
    struct json_at metadata = {0};
    const char *unit = NULL;
    if (!json_has(top, "metadata"))
        return 0;
    if (json_object_at(top, "metadata", &metadata, err) ||
        take_text(&metadata, "device", &out->device, err) ||
        take_text(&metadata, "kernel_name", &out->kernel, err) ||
        (json_has(&metadata, "timeunit") &&
         json_string_at(&metadata, "timeunit", &unit, err)))
        return -1;
    if (unit && (*unit_s = unit_seconds(unit)) <= 0)
        return json_fail(&metadata, err,
                         "timeunit: expected seconds, milliseconds, microseconds or "
                         "nanoseconds, got \"%s\"",
                         unit);
    if (json_has(&metadata, "problem_size"))
        out->problem_size = json_incref(json_object_get(metadata.node, "problem_size"));
    keep_rest(metadata.node, "device kernel_name timeunit problem_size", &out->extra);
    return 0;
}

/* The unit that a measurement of the first results says, where metadata say none: Kernel
 * Tuner writes such files, and means all times. 1 = none is told: seconds, as
 * autotuning_methodology reads them. */
static double given_unit(const struct json_at *results)
{
    size_t i, k;
    const json_t *result, *measurement;
    json_array_foreach((json_t *)results->node, i, result) {
        json_array_foreach(json_object_get(result, "measurements"), k, measurement) {
            const char *name = json_string_value(json_object_get(measurement, "name"));
            const char *unit = json_string_value(json_object_get(measurement, "unit"));
            if (name && unit && !strcmp(name, "time") && unit_seconds(unit) > 0)
                return unit_seconds(unit);
        }
    }
    return 1;
}

/* What speaks of the file and not of the results. */
static void forget_file(struct exchange_space *space)
{
    json_t *own = json_object_get(space->extra, "inflight");
    if (!json_object_get(own, "not_told"))
        return;
    own = json_copy(own); /* the file's own stays whole */
    json_object_del(own, "not_told");
    if (json_object_size(own))
        json_object_set(space->extra, "inflight", own);
    else
        json_object_del(space->extra, "inflight");
    json_decref(own);
}

int exchange_read_t4(const struct json_at *top, struct exchange_space *out,
                     struct error *err)
{
    struct json_at results = {0};
    size_t nr = 0;
    double unit_s = 0;
    if (read_version(top, err) || json_array_at(top, "results", &results, &nr, err) ||
        read_metadata(top, out, &unit_s, err))
        return -1;
    if (unit_s <= 0)
        unit_s = given_unit(&results);
    for (size_t i = 0; i < nr; i++) {
        struct json_at one = json_element(&results, i);
        if (!json_is_object(one.node))
            return json_fail(&one, err, "expected an object");
        if (read_result(&one, out, unit_s, err))
            return -1;
    }
    if (!nr)
        return json_fail(&results, err, "there are no results in it");
    forget_file(out);
    if (!out->objective)
        out->objective = xstrdup("time");
    return exchange_find_parameters(out, top->file, "results", err);
}

/* ---- writing ---- */

static json_t *milliseconds(double seconds)
{
    return json_real(seconds * 1e3);
}

/* Of every result all of them: readers ask for each key, as for a number. */
static json_t *times_json(const struct exchange_result *result)
{
    json_t *times = json_object(), *runs = json_array();
    for (unsigned i = 0; i < EXCHANGE_PHASE_NR; i++) {
        double seconds = result->phase_s[i];
        json_object_set_new(times, exchange_phase_t4(i),
                            milliseconds(isnan(seconds) ? 0 : seconds));
    }
    json_object_set(times, "compilation_time",
                    json_object_get(times, exchange_phase_t4(EXCHANGE_PHASE_COMPILE)));
    for (size_t i = 0; i < result->sample_nr; i++)
        json_array_append_new(runs, milliseconds(result->sample_s[i]));
    if (result->sample_nr)
        json_object_set(times, "runtimes", runs);
    json_decref(runs);
    return times;
}

static json_t *measurements_json(const struct exchange_result *result)
{
    json_t *list = json_array();
    if (!isnan(result->time_s))
        json_array_append_new(list,
                              json_pack("{s:s, s:o, s:s}", "name", "time", "value",
                                        milliseconds(result->time_s), "unit", "ms"));
    else if (result->outcome != EXCHANGE_CORRECT) /* as the hub's files have it */
        json_array_append_new(list, json_pack("{s:s, s:s, s:s}", "name", "time", "value",
                                              exchange_error_word(result->outcome),
                                              "unit", ""));
    for (size_t i = 0; i < result->figure_nr; i++)
        json_array_append_new(
            list, json_pack("{s:s, s:f, s:s}", "name", result->figure[i].name, "value",
                            result->figure[i].value, "unit", result->figure[i].unit));
    return list;
}

static json_t *result_json(const struct exchange_space *space,
                           const struct exchange_result *result)
{
    json_t *root = json_object();
    if (result->timestamp)
        json_object_set_new(root, "timestamp", json_string(result->timestamp));
    json_object_set(root, "configuration", result->configuration);
    json_object_set_new(root, "objectives",
                        json_pack("[s]", space->objective ? space->objective : "time"));
    json_object_set_new(root, "times", times_json(result));
    json_object_set_new(root, "invalidity",
                        json_string(exchange_outcome_word(result->outcome)));
    json_object_set_new(
        root, "correctness",
        json_integer(!isnan(result->correctness) && result->correctness >= 1));
    json_object_set_new(root, "measurements", measurements_json(result));
    if (result->extra)
        json_object_update_missing(root, result->extra);
    return root;
}

static json_t *head_json(const struct exchange_space *space)
{
    json_t *metadata = json_pack("{s:s}", "timeunit", "milliseconds");
    const json_t *given = json_object_get(space->extra, "inflight");
    json_t *own = json_is_object(given) ? json_copy((json_t *)given) : json_object();
    json_t *not_given = exchange_not_given(space, exchange_phase_t4);
    if (space->device)
        json_object_set_new(metadata, "device", json_string(space->device));
    if (space->kernel)
        json_object_set_new(metadata, "kernel_name", json_string(space->kernel));
    if (space->problem_size)
        json_object_set(metadata, "problem_size", space->problem_size);
    if (json_array_size(not_given))
        json_object_set(own, "not_told", not_given);
    if (json_object_size(own))
        json_object_set(metadata, "inflight", own);
    json_decref(not_given);
    json_decref(own);
    if (space->extra)
        json_object_update_missing(metadata, space->extra);
    return json_pack("{s:s, s:o}", "schema_version", "1.0.0", "metadata", metadata);
}

void exchange_write_t4(const struct exchange_space *space, struct buf *out)
{
    json_t *head = head_json(space);
    exchange_open_object(out, head);
    buf_add(out, ",\n\"results\": [");
    for (size_t i = 0; i < space->result_nr; i++) {
        json_t *result = result_json(space, &space->result[i]);
        buf_add(out, i ? ",\n" : "\n");
        exchange_add_json(out, result, 0);
        json_decref(result);
    }
    buf_add(out, "\n]\n}\n");
    json_decref(head);
}
