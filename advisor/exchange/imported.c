/* inflight import: what was exported, or made of other tuners' results by
 * inflight-exchange, as a session. */
#include "advisor/exchange/exchanged.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/cli/cli.h"
#include "advisor/program/commands.h"
#include "core/base.h"
#include "core/process/term.h"
#include "search/session/measured.h"

/* ---- what is taken ---- */

static int check_words(const struct json_at *top, struct error *err)
{
    static const char *const may[] = {"version", "function", "machine", "note"};
    const char *word;
    for (size_t i = 0; i < ARRAY_SIZE(may); i++)
        if (json_has(top, may[i]) && json_string_at(top, may[i], &word, err))
            return -1;
    return json_string_at(top, "format", &word, err) ||
                   json_string_at(top, "objective", &word, err)
               ? -1
               : 0;
}

static int check_parameters(const struct json_at *top, struct error *err)
{
    struct json_at parameters = {0}, values = {0};
    const char *name;
    json_t *value;
    size_t nr;
    if (json_object_at(top, "parameters", &parameters, err))
        return -1;
    json_object_foreach((json_t *)parameters.node, name, value)
        if (json_array_at(&parameters, name, &values, &nr, err))
            return -1;
    return 0;
}

static int check_figure(const struct json_at *at, void *unused, struct error *err)
{
    (void)unused;
    const char *word;
    double value;
    return json_only_keys(at, "name value unit", err) ||
                   json_string_at(at, "name", &word, err) ||
                   json_string_at(at, "unit", &word, err) ||
                   json_number_at(at, "value", -HUGE_VAL, HUGE_VAL, &value, err)
               ? -1
               : 0;
}

static int check_measurement(const struct json_at *at, void *unused, struct error *err)
{
    (void)unused;
    struct measurement measurement = {0};
    struct json_at configuration = {0};
    const char *detail;
    if (!json_is_object(at->node))
        return json_fail(at, err, "expected an object");
    if (measurement_from_json(at, &measurement, err))
        return -1;
    measurement_release(&measurement);
    return json_each_if(at, "figures", check_figure, NULL, err) ||
                   (json_has(at, "configuration") &&
                    json_object_at(at, "configuration", &configuration, err)) ||
                   (json_has(at, "detail") && json_string_at(at, "detail", &detail, err))
               ? -1
               : 0;
}

static int check_results(const struct json_at *top, struct error *err)
{
    struct json_at more = {0};
    return json_only_keys(top,
                          "schema version function machine format objective problem_size "
                          "parameters more note measurements",
                          err) ||
                   check_words(top, err) || check_parameters(top, err) ||
                   (json_has(top, "more") && json_object_at(top, "more", &more, err)) ||
                   json_each(top, "measurements", 1, SIZE_MAX, check_measurement, NULL,
                             err)
               ? -1
               : 0;
}

int results_read(const char *path, json_t **root, struct error *err)
{
    if (json_read_file(path, NULL, root, err))
        return -1;
    struct json_at top = json_top(path, *root);
    const char *schema = json_string_value(json_object_get(*root, "schema"));
    int status =
        schema && !strcmp(schema, results_schema)
            ? check_results(&top, err)
            : json_fail(&top, err,
                        "expected what 'inflight export' writes (%s); inflight-exchange "
                        "makes that of T4 results and of cache files of Kernel Tuner",
                        results_schema);
    if (status)
        json_decref(*root);
    return status;
}

/* ---- the session ---- */

struct import {
    struct store *store;
    const json_t *results;
    json_t *head;
    long long session;
};

/* The report's line: what is shown of a measurement. */
static json_t *line_of(const json_t *document)
{
    static const char *const keys[] = {"configuration", "plan",    "outcome",
                                       "detail",        "time_ns", "figures"};
    json_t *line = json_pack("{s:{}, s:[]}", "configuration", "figures");
    for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
        if (json_object_get(document, keys[i]))
            json_object_set(line, keys[i], json_object_get(document, keys[i]));
    return line;
}

static int add_one(struct import *import, const json_t *document, json_t *lines,
                   struct error *err)
{
    struct json_at at = json_top("", document);
    struct measurement measurement = {0};
    char *text = json_text(document);
    int status = measurement_from_json(&at, &measurement, err);
    if (!status) {
        struct candidate candidate = {measurement.plan, measurement.environment};
        char *variant = candidate_hash("", &candidate);
        status =
            store_measurement_add(import->store, import->session, variant, text, err);
        free(variant);
    }
    json_array_append_new(lines, line_of(document));
    measurement_release(&measurement);
    free(text);
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

static const char *title_of(const json_t *head)
{
    const char *name = json_string_value(json_object_get(head, "function"));
    return name && *name ? name : "unnamed";
}

static int store_all(void *data, struct error *err)
{
    struct import *import = data;
    json_t *lines = json_array(), *document;
    char *setup = json_text(import->head), *key = xasprintf("import|%s", setup);
    size_t i;
    int status = store_session_new(import->store, key, "import", title_of(import->head),
                                   setup, &import->session, err);
    json_array_foreach(json_object_get(import->results, "measurements"), i, document)
        if (!status)
            status = add_one(import, document, lines, err);
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

int session_of_results(struct store *store, const json_t *results, const char *path,
                       long long *session, struct error *err)
{
    struct import import = {store, results, json_pack("{s:o}", "file", text_json(path)),
                            0};
    results_take_head(results, import.head);
    int status = store_transaction(store, store_all, &import, err);
    json_decref(import.head);
    *session = import.session;
    return status;
}

/* ---- import ---- */

int import_command(const struct settings *settings, struct error *err)
{
    struct store *store = NULL;
    struct buf text = {0};
    json_t *results = NULL;
    long long session = 0;
    if (!settings->file)
        return fail(err, STATUS_USAGE, "a file is needed; try 'inflight import --help'");
    if (results_read(settings->file, &results, err))
        return -1;
    int status = database_open(settings, false, &store, err);
    if (!status)
        status = session_of_results(store, results, settings->file, &session, err);
    store_close(store);
    if (!status) {
        buf_addf(&text,
                 "session %lld: %zu results of %s; 'inflight report %lld' shows them\n",
                 session, json_array_size(json_object_get(results, "measurements")),
                 title_of(results), session);
        status = print_text(buf_str(&text), err);
    }
    buf_release(&text);
    json_decref(results);
    return status;
}
