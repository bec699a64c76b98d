/* A space of another tuner's as a session. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/cli/cli.h"
#include "advisor/exchange/exchanged.h"
#include "advisor/exchange/plan_columns.h"
#include "advisor/program/commands.h"
#include "core/files/hash.h"
#include "core/run/run.h"

/* ---- import ---- */

/* inflight import: results of other tuners as a session. */

static int import_into(const struct settings *settings,
                       const struct exchange_space *space,
                       const struct imported *imported, struct error *err)
{
    struct store *store = NULL;
    long long session = 0;
    int status = database_open(settings, false, &store, err);
    if (!status)
        status = session_of_space(store, space, imported, &session, err);
    store_close(store);
    if (status)
        return -1;
    struct buf text = {0};
    buf_addf(
        &text, "session %lld: %zu results of %s; 'inflight report %lld' shows them\n",
        session, space->result_nr, space->kernel ? space->kernel : "a kernel", session);
    status = print_text(buf_str(&text), err);
    buf_release(&text);
    return status;
}

int import_command(const struct settings *settings, struct error *err)
{
    struct imported imported = {.path = settings->file, .format = EXCHANGE_FORMAT_NR};
    struct exchange_space space = {0};
    char *note = NULL;
    if (!settings->file)
        return fail(err, STATUS_USAGE, "a file is needed; try 'inflight import --help'");
    if (settings->format &&
        exchange_format_from_word(settings->format, &imported.format, err))
        return -1;
    if (exchange_read(settings->file, &imported.format, &space, &note, err))
        return -1;
    imported.note = note;
    if (note && !settings->quiet)
        fprintf(stderr, "inflight: note: %s\n", note);
    int status = import_into(settings, &space, &imported, err);
    exchange_space_release(&space);
    free(note);
    return status;
}

/* ---- imported ---- */

/* ---- a result as a document ---- */

/* Our own files have the plan beside the parameters, and their parameters alone give it
 * again. */
static char *plan_of(const struct exchange_result *result, bool own)
{
    const char *plan = json_string_value(json_object_get(result->extra, "plan")), *name;
    struct buf out = {0};
    json_t *value;
    if (plan)
        return xstrdup(plan);
    if (own)
        return plan_of_row(result->configuration);
    json_object_foreach(result->configuration, name, value) {
        json_t *one = json_pack("{s:O}", name, value);
        char *text = exchange_key(one);
        buf_addf(&out, "%s%s:%s", out.length ? "," : "set(", name, text);
        free(text);
        json_decref(one);
    }
    buf_add(&out, ")");
    return buf_detach(&out);
}

/* Without ours: what the columns of the environment say. */
static json_t *environment_of(const struct exchange_result *result, bool own)
{
    static const char *const keys[] = {"pages", "start", "background"};
    const json_t *given =
        json_object_get(json_object_get(result->extra, "inflight"), "environment");
    if (json_is_object(given))
        return json_deep_copy(given);
    json_t *environment = json_pack("{s:s, s:s, s:s}", "pages", "small", "start", "warm",
                                    "background", "idle");
    for (size_t i = 0; i < ARRAY_SIZE(keys) && own; i++) {
        const json_t *value = json_object_get(result->configuration, keys[i]);
        if (json_is_string(value))
            json_object_set(environment, keys[i], (json_t *)value);
    }
    return environment;
}

static enum run_outcome meaning_of(enum exchange_outcome outcome)
{
    switch (outcome) {
    case EXCHANGE_CORRECT:
        return RUN_OUTCOME_OK;
    case EXCHANGE_TIMEOUT:
        return RUN_OUTCOME_TIMED_OUT;
    case EXCHANGE_COMPILE:
    case EXCHANGE_CONSTRAINTS:
        return RUN_OUTCOME_NOT_BUILT;
    case EXCHANGE_CORRECTNESS:
        return RUN_OUTCOME_WRONG_RESULT;
    case EXCHANGE_RUNTIME:
    case EXCHANGE_OUTCOME_NR:
        break;
    }
    return RUN_OUTCOME_CRASHED;
}

static const char *outcome_word(const struct exchange_result *result)
{
    const char *given = json_string_value(
        json_object_get(json_object_get(result->extra, "inflight"), "outcome"));
    enum run_outcome outcome;
    return given && run_outcome_from_word(given, &outcome)
               ? given
               : run_outcome_word(meaning_of(result->outcome));
}

/* Its own interval where it has one; else that of the samples, around their time. */
static json_t *time_json(const struct exchange_result *result)
{
    double low = exchange_figure(result, "time_low") * 1e-3,
           high = exchange_figure(result, "time_high") * 1e-3;
    struct quantity runs =
        run_statistics(result->sample_s, result->sample_nr, PROVENANCE_RECORDED);
    if (!(result->time_s > 0))
        return json_null();
    if (isnan(low) || isnan(high)) {
        low = runs.known ? runs.low : result->time_s;
        high = runs.known ? runs.high : result->time_s;
    }
    return json_pack("{s:f, s:f, s:f, s:I}", "median", result->time_s * 1e9, "low",
                     fmin(low, result->time_s) * 1e9, "high",
                     fmax(high, result->time_s) * 1e9, "runs",
                     (json_int_t)(result->sample_nr ? result->sample_nr : 1));
}

static json_t *samples_json(const struct exchange_result *result)
{
    json_t *list = json_array();
    for (size_t i = 0; i < result->sample_nr; i++)
        json_array_append_new(list, json_pack("[f, f, i]", result->sample_s[i] * 1e9,
                                              result->sample_s[i] * 1e9, 0));
    return list;
}

static json_t *figures_json(const struct exchange_result *result)
{
    json_t *list = json_array();
    for (size_t i = 0; i < result->figure_nr; i++)
        json_array_append_new(
            list, json_pack("{s:s, s:f, s:s}", "name", result->figure[i].name, "value",
                            result->figure[i].value, "unit", result->figure[i].unit));
    return list;
}

static json_t *costs_json(const struct exchange_result *result)
{
    static const char *const keys[] = {
#define X(name, t4, kernel_tuner) t4,
        EXCHANGE_PHASE_MAP(X)
#undef X
    };
    json_t *costs = json_object();
    for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
        if (!isnan(result->phase_s[i]))
            json_object_set_new(costs, keys[i], json_real(result->phase_s[i] * 1e9));
    return costs;
}

/* What a variant took in all: the search's own time is none of it. */
static double cost_of(const struct exchange_result *result)
{
    static const enum exchange_phase own[] = {
        EXCHANGE_PHASE_COMPILE, EXCHANGE_PHASE_VERIFY, EXCHANGE_PHASE_BENCHMARK};
    double sum = 0;
    for (size_t i = 0; i < ARRAY_SIZE(own); i++)
        sum += isnan(result->phase_s[own[i]]) ? 0 : result->phase_s[own[i]];
    return sum;
}

static json_t *document_of(const struct exchange_result *result, bool own)
{
    const json_t *given = json_object_get(result->extra, "inflight");
    json_t *detail = json_object_get(given, "detail");
    char *plan = plan_of(result, own);
    json_t *root =
        json_pack("{s:s, s:s, s:o, s:s, s:o, s:b, s:o, s:o, s:o}", "schema",
                  "inflight.measurement/1", "plan", plan, "environment",
                  environment_of(result, own), "outcome", outcome_word(result), "detail",
                  detail ? json_incref(detail) : text_json(result->detail), "verified",
                  !isnan(result->correctness) && result->correctness >= 1, "time_ns",
                  time_json(result), "samples_ns", samples_json(result), "configuration",
                  json_incref(result->configuration));
    free(plan);
    if (json_object_get(given, "at_least_ns"))
        json_object_set(root, "at_least_ns", json_object_get(given, "at_least_ns"));
    json_object_set_new(root, "invalidity",
                        json_string(exchange_outcome_word(result->outcome)));
    if (!isnan(result->correctness))
        json_object_set_new(root, "correctness", json_real(result->correctness));
    json_object_set_new(root, "figures", figures_json(result));
    json_object_set_new(root, "costs_ns", costs_json(result));
    if (cost_of(result) > 0)
        json_object_set_new(root, "cost_s", json_real(cost_of(result)));
    if (result->timestamp)
        json_object_set_new(root, "timestamp", json_string(result->timestamp));
    json_object_set_new(root, "more",
                        result->extra ? json_incref(result->extra) : json_object());
    return root;
}

/* ---- the session ---- */

static json_t *parameters_json(const struct exchange_space *space)
{
    json_t *parameters = json_object();
    for (size_t i = 0; i < space->parameter_nr; i++)
        json_object_set(parameters, space->parameter[i].name, space->parameter[i].values);
    return parameters;
}

/* What the file said of all results together. */
static json_t *head_json(const struct exchange_space *space,
                         const struct imported *imported)
{
    return json_pack("{s:o, s:s?, s:s?, s:s, s:s, s:o, s:o, s:o, s:s?}", "file",
                     text_json(imported->path), "function", space->kernel, "machine",
                     space->device, "format", exchange_format_word(imported->format),
                     "objective", space->objective, "problem_size",
                     space->problem_size ? json_incref(space->problem_size) : json_null(),
                     "parameters", parameters_json(space), "more",
                     space->extra ? json_incref(space->extra) : json_null(), "note",
                     imported->note);
}

struct import {
    struct store *store;
    const struct exchange_space *space;
    json_t *head;
    long long session;
};

/* The report's line: what is shown of a result. */
static json_t *line_of(const json_t *document)
{
    static const char *const keys[] = {"configuration", "plan",    "outcome",
                                       "detail",        "time_ns", "figures"};
    json_t *line = json_object();
    for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
        if (json_object_get(document, keys[i]))
            json_object_set(line, keys[i], json_object_get(document, keys[i]));
    return line;
}

static int add_one(struct import *import, const struct exchange_result *result, bool own,
                   json_t *lines, struct error *err)
{
    json_t *document = document_of(result, own);
    char *text = json_text(document), *key = exchange_key(result->configuration);
    struct hash hash = hash_begin();
    hash_text(&hash, key);
    char *variant = hash_hex_short(&hash);
    int status =
        store_measurement_add(import->store, import->session, variant, text, err);
    json_array_append_new(lines, line_of(document));
    json_decref(document);
    free(variant);
    free(text);
    free(key);
    return status;
}

static json_t *report_of(const struct import *import, json_t *lines)
{
    char *date = date_now();
    json_t *root =
        json_pack("{s:s, s:s, s:s, s:I}", "schema", "inflight.imported/1", "version",
                  INFLIGHT_VERSION, "date", date, "session", (json_int_t)import->session);
    json_object_update(root, import->head);
    json_object_set(root, "results", lines);
    free(date);
    return root;
}

static int store_all(void *data, struct error *err)
{
    struct import *import = data;
    const struct exchange_space *space = import->space;
    bool own =
        json_is_true(json_object_get(json_object_get(space->extra, "inflight"), "plans"));
    json_t *lines = json_array();
    char *setup = json_text(import->head), *key = xasprintf("import|%s", setup);
    int status = store_session_new(import->store, key, "import",
                                   space->kernel ? space->kernel : "unnamed", setup,
                                   &import->session, err);
    for (size_t i = 0; i < space->result_nr && !status; i++)
        status = add_one(import, &space->result[i], own, lines, err);
    if (!status) {
        json_t *report = report_of(import, lines);
        char *text = json_text(report);
        status = store_session_finish(import->store, import->session, text, err);
        free(text);
        json_decref(report);
    }
    json_decref(lines);
    free(setup);
    free(key);
    return status;
}

int session_of_space(struct store *store, const struct exchange_space *space,
                     const struct imported *imported, long long *session,
                     struct error *err)
{
    struct import import = {store, space, head_json(space, imported), 0};
    int status = store_transaction(store, store_all, &import, err);
    json_decref(import.head);
    *session = import.session;
    return status;
}
