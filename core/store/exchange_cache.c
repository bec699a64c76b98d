/*
 * Cache files of Kernel Tuner: what its process_cache, read_cache and simulation runner
 * (1.0 to 1.4) ask for, and its schema 1.1.0. Times are milliseconds.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base.h"
#include "core/store/exchange_parts.h"

static const double ms = 1e-3;

/* ---- reading ---- */

/* Of the whole file. */
struct cache {
    struct exchange_space *space;
    struct json_at top;
    const json_t *units; /* of our files: figure to unit */
    const json_t
        *not_given; /* of our files: phases that are 0 because it must be a number
                     */
};

/* What is taken off from a total may come out below 0 there: not told. */
static bool is_difference(enum exchange_phase phase)
{
    return phase == EXCHANGE_PHASE_FRAMEWORK || phase == EXCHANGE_PHASE_SEARCH;
}

static int read_phases(const struct cache *cache, const struct json_at *entry,
                       struct exchange_result *result, struct error *err)
{
    for (unsigned i = 0; i < EXCHANGE_PHASE_NR; i++) {
        const char *key = exchange_phase_kernel_tuner(i);
        struct json_at at = exchange_child(entry, key);
        if (!json_has(entry, key) || exchange_lists(cache->not_given, key) ||
            (is_difference(i) && json_number_value(at.node) < 0))
            continue;
        if (exchange_time_here(&at, ms, &result->phase_s[i], err))
            return -1;
    }
    return 0;
}

static void set_error(struct exchange_result *result, const char *name)
{
    if (result->outcome == EXCHANGE_CORRECT)
        result->outcome = exchange_outcome_of_error(name);
    if (!result->detail)
        result->detail = xstrdup(name);
}

/* A time, the name of an error, or 1e20, which older versions wrote for one. */
static int read_time(const struct json_at *entry, struct exchange_result *result,
                     struct error *err)
{
    struct json_at at = exchange_child(entry, "time");
    if (json_is_string(at.node))
        set_error(result, json_string_value(at.node));
    else if (json_is_number(at.node) && json_number_value(at.node) >= 1e20)
        set_error(result, "RuntimeFailedConfig");
    else if (at.node && !json_is_null(at.node))
        return exchange_time_here(&at, ms, &result->time_s, err);
    return 0;
}

/* Errors beside the time, and the objective where that is no time. */
static int read_outcome(const struct cache *cache, const struct json_at *entry,
                        struct exchange_result *result, struct error *err)
{
    const char *objective = cache->space->objective, *word = NULL;
    const json_t *error = json_object_get(entry->node, "__error__"),
                 *value = json_object_get(entry->node, objective);
    if (error && !json_is_null(error) && !json_is_false(error))
        set_error(result, json_is_string(error) ? json_string_value(error) : "error");
    if (json_is_string(value))
        set_error(result, json_string_value(value));
    if (json_has(entry, "invalidity") &&
        !json_string_at(entry, "invalidity", &word, NULL) &&
        exchange_outcome_from_word(word) != EXCHANGE_OUTCOME_NR)
        result->outcome = exchange_outcome_from_word(word);
    if (result->outcome != EXCHANGE_CORRECT)
        result->time_s = NAN;
    else if (isnan(result->time_s) && !json_is_number(value))
        return json_fail(entry, err, "expected \"%s\": a number or the name of an error",
                         objective);
    return 0;
}

static bool is_known(const struct cache *cache, const char *key)
{
    static const char *const keys[] = {"time",       "times",       "timestamp",
                                       "invalidity", "correctness", "__error__"};
    for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
        if (!strcmp(keys[i], key))
            return true;
    for (unsigned i = 0; i < EXCHANGE_PHASE_NR; i++)
        if (!strcmp(exchange_phase_kernel_tuner(i), key))
            return true;
    for (size_t i = 0; i < cache->space->parameter_nr; i++)
        if (!strcmp(cache->space->parameter[i].name, key))
            return true;
    return false;
}

static void take_rest(const struct cache *cache, const json_t *entry,
                      struct exchange_result *result)
{
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)entry, key, value) {
        const char *unit = json_string_value(json_object_get(cache->units, key));
        if (is_known(cache, key))
            continue;
        if (json_is_number(value))
            exchange_add_figure(result, key, unit ? unit : "", json_number_value(value));
        else if (!json_is_string(value) || !strcmp(key, "plan"))
            exchange_keep(&result->extra, key, json_incref(value));
    }
}

static int read_configuration(const struct cache *cache, const struct json_at *entry,
                              struct exchange_result *result, struct error *err)
{
    for (size_t i = 0; i < cache->space->parameter_nr; i++) {
        const char *name = cache->space->parameter[i].name;
        struct json_at at = {0};
        if (json_member(entry, name, &at, err))
            return -1;
        json_object_set(result->configuration, name, (json_t *)at.node);
    }
    struct json_at all = *entry;
    all.node = result->configuration;
    return exchange_check_configuration(&all, err);
}

static int read_entry(const struct cache *cache, const struct json_at *entry,
                      struct error *err)
{
    struct exchange_result *result = exchange_add_result(cache->space);
    struct json_at times = exchange_child(entry, "times");
    const char *timestamp = NULL;
    if (!json_is_object(entry->node))
        return json_fail(entry, err, "expected an object");
    if (read_configuration(cache, entry, result, err) || read_time(entry, result, err) ||
        read_outcome(cache, entry, result, err) ||
        read_phases(cache, entry, result, err) ||
        (json_has(entry, "times") && exchange_samples(&times, ms, result, err)) ||
        (json_has(entry, "timestamp") &&
         json_string_at(entry, "timestamp", &timestamp, err)) ||
        (json_has(entry, "correctness") &&
         json_number_at(entry, "correctness", 0, 1, &result->correctness, err)))
        return -1;
    result->timestamp = timestamp && *timestamp ? xstrdup(timestamp) : NULL;
    /* Kernel Tuner keeps no configuration whose results differ. */
    if (isnan(result->correctness))
        result->correctness = result->outcome == EXCHANGE_CORRECT;
    take_rest(cache, entry->node, result);
    return 0;
}

/* ---- the head ---- */

static int read_parameters(const struct cache *cache, struct error *err)
{
    struct json_at keys = {0}, values = {0};
    struct exchange_space *space = cache->space;
    size_t nr = 0;
    if (json_array_at(&cache->top, "tune_params_keys", &keys, &nr, err))
        return -1;
    if (json_has(&cache->top, "tune_params") &&
        json_object_at(&cache->top, "tune_params", &values, err))
        return -1;
    if (!nr)
        return json_fail(&keys, err, "expected the names of the parameters");
    for (size_t i = 0; i < nr; i++) {
        struct json_at one = json_element(&keys, i);
        const char *name = NULL;
        if (json_string_here(&one, &name, err))
            return -1;
        json_t *list = json_object_get(values.node, name);
        GROW(space->parameter, space->parameter_nr + 1, space->parameter_alloc);
        space->parameter[space->parameter_nr++] = (struct exchange_parameter){
            xstrdup(name), json_is_array(list) ? json_copy(list) : json_array()};
    }
    return 0;
}

/* From version 1.4 on a list, of which the first is the space's; the others are figures
 * of the entries. */
static int read_objective(const struct json_at *top, const char **out, struct error *err)
{
    struct json_at list = {0};
    size_t nr = 0;
    if (!json_has(top, "objective"))
        return 0;
    if (!json_is_array(json_object_get(top->node, "objective")))
        return json_string_at(top, "objective", out, err);
    if (json_array_at(top, "objective", &list, &nr, err))
        return -1;
    struct json_at first = json_element(&list, 0);
    return nr ? json_string_here(&first, out, err) : 0;
}

static int read_head(struct cache *cache, struct error *err)
{
    const struct json_at *top = &cache->top;
    struct exchange_space *space = cache->space;
    const char *device = NULL, *kernel = NULL, *objective = "time";
    if (json_string_at(top, "device_name", &device, err) ||
        json_string_at(top, "kernel_name", &kernel, err) ||
        read_objective(top, &objective, err) || read_parameters(cache, err))
        return -1;
    space->device = xstrdup(device);
    space->kernel = xstrdup(kernel);
    space->objective = xstrdup(objective);
    if (json_has(top, "problem_size"))
        space->problem_size = json_incref(json_object_get(top->node, "problem_size"));
    const json_t *own = json_object_get(top->node, "inflight");
    cache->units = json_object_get(own, "units");
    cache->not_given = json_object_get(own, "not_told");
    if (own)
        exchange_keep(&space->extra, "inflight", json_copy((json_t *)own));
    return 0;
}

/* What speaks of the file and not of the results. */
static void forget_file(struct exchange_space *space)
{
    json_t *own = json_object_get(space->extra, "inflight");
    json_object_del(own, "units");
    json_object_del(own, "not_told");
    if (!json_object_size(own))
        json_object_del(space->extra, "inflight");
}

int exchange_read_kernel_tuner(const struct json_at *top, struct exchange_space *out,
                               struct error *err)
{
    struct cache cache = {.space = out, .top = *top};
    struct json_at entries = {0};
    const char *key;
    json_t *entry;
    if (read_head(&cache, err) || json_object_at(top, "cache", &entries, err))
        return -1;
    json_object_foreach((json_t *)entries.node, key, entry) {
        struct json_at at = exchange_child(&entries, key);
        if (read_entry(&cache, &at, err))
            return -1;
    }
    if (!out->result_nr)
        return json_fail(&entries, err, "there are no results in it");
    forget_file(out);
    return exchange_find_parameters(out, top->file, "cache", err);
}

/* ---- writing ---- */

/* What the format has no place for. */
static json_t *own_json(const struct exchange_space *space)
{
    const json_t *given = json_object_get(space->extra, "inflight");
    json_t *own = json_is_object(given) ? json_copy((json_t *)given) : json_object();
    json_t *units = json_object();
    for (size_t i = 0; i < space->result_nr; i++)
        for (size_t k = 0; k < space->result[i].figure_nr; k++)
            if (*space->result[i].figure[k].unit)
                json_object_set_new(units, space->result[i].figure[k].name,
                                    json_string(space->result[i].figure[k].unit));
    json_object_set_new(own, "units", units);
    json_object_set_new(own, "not_told",
                        exchange_not_given(space, exchange_phase_kernel_tuner));
    return own;
}

/* The cache comes last: Kernel Tuner cuts the last two braces off to append to it. */
static json_t *head_json(const struct exchange_space *space)
{
    json_t *names = json_array(), *values = json_object();
    for (size_t i = 0; i < space->parameter_nr; i++) {
        json_array_append_new(names, json_string(space->parameter[i].name));
        json_object_set(values, space->parameter[i].name, space->parameter[i].values);
    }
    return json_pack(
        "{s:s, s:s, s:s, s:o, s:o, s:o, s:s, s:o}", "schema_version", "1.1.0",
        "device_name", space->device ? space->device : "", "kernel_name",
        space->kernel ? space->kernel : "", "problem_size",
        space->problem_size ? json_incref(space->problem_size) : json_array(),
        "tune_params_keys", names, "tune_params", values, "objective",
        space->objective ? space->objective : "time", "inflight", own_json(space));
}

static void set_time(json_t *entry, const struct exchange_space *space,
                     const struct exchange_result *result)
{
    bool failed = result->outcome != EXCHANGE_CORRECT;
    const char *word = exchange_error_word(result->outcome);
    if (failed)
        json_object_set_new(entry, "time", json_string(word));
    else if (!isnan(result->time_s))
        json_object_set_new(entry, "time", json_real(result->time_s / ms));
    if (failed && space->objective && strcmp(space->objective, "time") != 0)
        json_object_set_new(entry, space->objective, json_string(word));
}

static json_t *entry_json(const struct exchange_space *space,
                          const struct exchange_result *result)
{
    json_t *entry = json_copy(result->configuration), *times = json_array();
    set_time(entry, space, result);
    for (size_t i = 0; i < result->sample_nr; i++)
        json_array_append_new(times, json_real(result->sample_s[i] / ms));
    if (result->sample_nr)
        json_object_set(entry, "times", times);
    json_decref(times);
    for (unsigned i = 0; i < EXCHANGE_PHASE_NR; i++) {
        double seconds = result->phase_s[i];
        json_object_set_new(entry, exchange_phase_kernel_tuner(i),
                            json_real(isnan(seconds) ? 0 : seconds / ms));
    }
    for (size_t i = 0; i < result->figure_nr; i++)
        if (!json_object_get(entry, result->figure[i].name))
            json_object_set_new(entry, result->figure[i].name,
                                json_real(result->figure[i].value));
    json_object_set_new(entry, "timestamp",
                        json_string(result->timestamp ? result->timestamp : ""));
    json_object_set_new(entry, "invalidity",
                        json_string(exchange_outcome_word(result->outcome)));
    if (!isnan(result->correctness))
        json_object_set_new(entry, "correctness", json_real(result->correctness));
    if (result->extra)
        json_object_update_missing(entry, result->extra);
    return entry;
}

/* Names that Kernel Tuner refuses (check_tune_params_list) or that an entry has already.
 */
static int check_names(const struct exchange_space *space, struct error *err)
{
    static const char *const taken[] = {"grid_size_x", "grid_size_y", "grid_size_z",
                                        "time",        "times",       "timestamp",
                                        "__error__",   "invalidity",  "correctness"};
    for (size_t i = 0; i < space->parameter_nr; i++)
        for (size_t k = 0; k < ARRAY_SIZE(taken); k++)
            if (!strcmp(space->parameter[i].name, taken[k]))
                return fail(err, STATUS_INPUT,
                            "a parameter called '%s' cannot be in a cache file of Kernel "
                            "Tuner; --format t4 takes it",
                            taken[k]);
    return 0;
}

int exchange_write_kernel_tuner(const struct exchange_space *space, struct buf *out,
                                struct error *err)
{
    if (check_names(space, err))
        return -1;
    json_t *head = head_json(space);
    exchange_open_object(out, head);
    buf_add(out, ",\n\"cache\": {");
    for (size_t i = 0; i < space->result_nr; i++) {
        json_t *entry = entry_json(space, &space->result[i]);
        char *text = exchange_key(space->result[i].configuration);
        json_t *key = json_string(text);
        buf_add(out, i ? ",\n" : "\n");
        exchange_add_json(out, key, 0);
        buf_add(out, ": ");
        exchange_add_json(out, entry, 0);
        json_decref(key);
        json_decref(entry);
        free(text);
    }
    buf_add(out, "\n}\n}\n");
    json_decref(head);
    return 0;
}
