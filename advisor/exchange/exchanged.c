/* inflight export: a session as a document that other programs read. */
#include "advisor/exchange/exchanged.h"

#include <stdio.h>
#include <string.h>

#include "advisor/cli/cli.h"
#include "advisor/program/commands.h"
#include "advisor/report/report_read.h"
#include "core/base.h"
#include "core/run/run_words.h"

/* ---- what was measured ---- */

struct documents {
    json_t *list;      /* inflight.measurement/1, each with its timestamp */
    struct error *err; /* of the callback that fills it */
};

/* "2026-01-31T12:00:00Z" as readers of before Python 3.11 take it. */
static void date_document(json_t *document, const char *added)
{
    if (!*report_word(document, "timestamp"))
        json_object_set_new(document, "timestamp",
                            json_sprintf("%.19s+00:00", added ? added : ""));
}

static int add_document(void *data, const struct store_answer *answer)
{
    struct documents *documents = data;
    json_t *document = NULL;
    if (json_read_text(answer->json, "session database", NULL, &document, documents->err))
        return -1;
    bool sweep = !strcmp(report_word(document, "schema"), "inflight.point/1");
    if (!strcmp(report_word(document, "schema"), "inflight.measurement/1")) {
        date_document(document, answer->added);
        json_array_append(documents->list, document);
    }
    json_decref(document);
    return sweep ? fail(documents->err, STATUS_INPUT,
                        "the session is a sweep; those of tune and import can be "
                        "exported ('inflight measure --csv' writes sweeps)")
                 : 0;
}

/* ---- the head ---- */

static const char *const head_keys[] = {"function",  "machine",      "format",
                                        "objective", "problem_size", "parameters",
                                        "more",      "note"};

void results_take_head(const json_t *from, json_t *to)
{
    for (size_t i = 0; i < ARRAY_SIZE(head_keys); i++) {
        json_t *value = json_object_get(from, head_keys[i]);
        json_object_set_new(to, head_keys[i], value ? json_incref(value) : json_null());
    }
}

static void add_head(const struct store_session *session, const json_t *setup,
                     const json_t *report, json_t *root)
{
    json_t *sizes = json_object_get(json_object_get(report, "kernel"), "sizes");
    if (!sizes)
        sizes = json_object_get(setup, "sizes");
    json_t *more = json_pack("{s:I, s:s, s:O?, s:O?}", "session", (json_int_t)session->id,
                             "command", session->command, "setup", setup, "sizes", sizes);
    json_t *head =
        json_pack("{s:s, s:O?, s:s, s:s, s:{}, s:o}", "function", session->title,
                  "machine", json_object_get(setup, "machine"), "format", "inflight",
                  "objective", "time", "parameters", "more", more);
    results_take_head(head, root);
    json_decref(head);
}

static int read_optional(const char *text, json_t **out, struct error *err)
{
    *out = NULL;
    return text ? json_read_text(text, "session database", NULL, out, err) : 0;
}

int results_of_session(struct store *store, const struct store_session *session,
                       json_t **results, struct error *err)
{
    struct documents documents = {json_array(), err};
    json_t *setup = NULL, *report = NULL;
    json_t *root =
        json_pack("{s:s, s:s}", "schema", results_schema, "version", INFLIGHT_VERSION);
    int status = read_optional(session->setup_json, &setup, err) ||
                 read_optional(session->report_json, &report, err) ||
                 store_session_answers(store, session->id, STORE_MEASUREMENT,
                                       add_document, &documents, err);
    if (!status && !json_array_size(documents.list))
        status = fail(err, STATUS_INPUT, "session %lld (%s of %s) holds no measurements",
                      session->id, session->command, session->title);
    if (!strcmp(session->command, "import"))
        results_take_head(setup, root);
    else
        add_head(session, setup, report, root);
    json_object_set(root, "measurements", documents.list);
    json_decref(documents.list);
    json_decref(setup);
    json_decref(report);
    *results = status ? NULL : root;
    if (!status)
        return 0;
    json_decref(root);
    return -1;
}

/* ---- export ---- */

static int write_results(const struct settings *settings,
                         const struct store_session *session, const json_t *results,
                         struct error *err)
{
    if (!settings->output)
        return print_json(results, err);
    if (json_write_file(settings->output, results, err))
        return -1;
    if (!settings->quiet)
        fprintf(stderr, "inflight: session %lld (%s of %s): %zu measurements in '%s'\n",
                session->id, session->command, session->title,
                json_array_size(json_object_get(results, "measurements")),
                settings->output);
    return 0;
}

int export_command(const struct settings *settings, struct error *err)
{
    struct store *store = NULL;
    struct store_session session = {0};
    json_t *results = NULL;
    int status = settings->output ? file_check_writable(settings->output, err) : 0;
    if (!status)
        status = database_open(settings, true, &store, err);
    if (!status)
        status = store_session_get(store, settings->session > 0 ? settings->session : 0,
                                   &session, err);
    if (!status)
        status = results_of_session(store, &session, &results, err);
    if (!status)
        status = write_results(settings, &session, results, err);
    json_decref(results);
    store_session_release(&session);
    store_close(store);
    return status;
}
