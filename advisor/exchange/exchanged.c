/* A session, or a recorded space, as a space for other tuners. */
#include "advisor/exchange/exchanged.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/cli/version.h"
#include "advisor/exchange/exchanged_parts.h"
#include "search/search.h"

/* ---- which documents ---- */

void documents_release(struct documents *documents)
{
    for (size_t i = 0; i < documents->nr; i++)
        json_decref(documents->item[i]);
    free(documents->item);
}

static bool is_explained(const json_t *document)
{
    return json_is_object(json_object_get(document, "traffic"));
}

/* As when a session is continued: of one variant the last rules, but one that is not
 * explained takes the place of no explained one. */
static bool replaces(const json_t *old, const json_t *document)
{
    return !strcmp(document_word(old, "plan"), document_word(document, "plan")) &&
           json_equal(json_object_get(old, "environment"),
                      json_object_get(document, "environment"));
}

/* The wall time of all measurements of the variant. */
static void add_cost(json_t *to, const json_t *from)
{
    double sum = json_number_value(json_object_get(to, "cost_s")) +
                 json_number_value(json_object_get(from, "cost_s"));
    if (sum > 0)
        json_object_set_new(to, "cost_s", json_real(sum));
}

/* Takes the document. */
static void take_document(struct documents *documents, json_t *document)
{
    bool imported = json_object_get(document, "configuration");
    for (size_t i = 0; i < documents->nr && !imported; i++) {
        json_t *old = documents->item[i];
        if (!replaces(old, document))
            continue;
        bool keep = is_explained(old) && !is_explained(document);
        add_cost(keep ? old : document, keep ? document : old);
        documents->item[i] = keep ? old : document;
        json_decref(keep ? document : old);
        return;
    }
    GROW(documents->item, documents->nr + 1, documents->alloc);
    documents->item[documents->nr++] = document;
}

/* "2026-01-31T12:00:00Z" as readers of before Python 3.11 take it. */
static void date_document(json_t *document, const char *added)
{
    if (!*document_word(document, "timestamp"))
        json_object_set_new(document, "timestamp",
                            json_sprintf("%.19s+00:00", added ? added : ""));
}

static int add_document(void *data, const struct store_answer *answer)
{
    struct documents *documents = data;
    json_t *document = NULL;
    if (json_read_text(answer->json, "session database", NULL, &document, documents->err))
        return -1;
    const char *schema = document_word(document, "schema");
    if (!strcmp(schema, "inflight.measurement/1") &&
        strcmp(document_word(document, "outcome"),
               run_outcome_word(RUN_OUTCOME_INTERRUPTED))) {
        date_document(document, answer->added);
        take_document(documents, document);
        return 0;
    }
    bool sweep = !strcmp(schema, "inflight.point/1");
    json_decref(document);
    return sweep ? fail(documents->err, STATUS_INPUT,
                        "the session is a sweep; those of tune and import can be "
                        "exported ('inflight measure --csv' writes sweeps)")
                 : 0;
}

/* ---- the head ---- */

static json_t *sizes_of(const json_t *setup, const json_t *report)
{
    json_t *sizes = json_object_get(json_object_get(report, "kernel"), "sizes");
    return sizes ? sizes : json_object_get(setup, "sizes");
}

/* Kernel Tuner's problem size: the sizes in the order of the function's parameters. */
static json_t *problem_size(json_t *sizes)
{
    json_t *list = json_array(), *value;
    const char *name;
    json_object_foreach(sizes, name, value) if (json_is_integer(value))
        json_array_append(list, value);
    return list;
}

/* Takes what only we know. */
static void add_own(struct exchange_space *out, json_t *own)
{
    exchange_keep(&out->extra, "autotuner", json_string("inflight"));
    exchange_keep(&out->extra, "autotuner_version", json_string(INFLIGHT_VERSION));
    exchange_keep(&out->extra, "inflight", own);
}

static void add_head(const struct store_session *session, const json_t *setup,
                     const json_t *report, struct exchange_space *out)
{
    static const char *const keys[] = {"function", "compiler", "machine"};
    json_t *own = json_pack("{s:b, s:I, s:s}", "plans", 1, "session",
                            (json_int_t)session->id, "command", session->command);
    json_t *sizes = sizes_of(setup, report);
    const char *file = document_word(setup, "file");
    for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
        if (json_object_get(setup, keys[i]))
            json_object_set(own, keys[i], json_object_get(setup, keys[i]));
    if (*file)
        json_object_set_new(own, "file", json_string(path_base(file)));
    if (sizes)
        json_object_set(own, "sizes", sizes);
    out->kernel = xstrdup(session->title);
    out->device = xstrdup(document_word(setup, "machine"));
    out->problem_size = problem_size(sizes);
    add_own(out, own);
}

/* Of a session that was imported: what its file said. */
static void add_imported_head(const struct store_session *session, const json_t *setup,
                              struct exchange_space *out)
{
    const char *device = document_word(setup, "machine"),
               *objective = document_word(setup, "objective");
    json_t *size = json_object_get(setup, "problem_size"),
           *more = json_object_get(setup, "more"), *values;
    const char *name;
    out->kernel = xstrdup(session->title);
    out->device = *device ? xstrdup(device) : NULL;
    out->objective = *objective ? xstrdup(objective) : NULL;
    out->problem_size = size && !json_is_null(size) ? json_incref(size) : NULL;
    out->extra = json_is_object(more) ? json_deep_copy(more) : NULL;
    json_object_foreach(json_object_get(setup, "parameters"), name, values)
    {
        GROW(out->parameter, out->parameter_nr + 1, out->parameter_alloc);
        out->parameter[out->parameter_nr++] =
            (struct exchange_parameter){xstrdup(name), json_deep_copy(values)};
    }
}

static int read_optional(const char *text, json_t **out, struct error *err)
{
    *out = NULL;
    return text ? json_read_text(text, "session database", NULL, out, err) : 0;
}

int space_of_session(struct store *store, const struct store_session *session,
                     struct exchange_space *out, struct error *err)
{
    struct documents documents = {.err = err};
    json_t *setup = NULL, *report = NULL;
    *out = (struct exchange_space){0};
    int status = read_optional(session->setup_json, &setup, err) ||
                 read_optional(session->report_json, &report, err) ||
                 store_session_answers(store, session->id, STORE_MEASUREMENT,
                                       add_document, &documents, err);
    if (!status && !documents.nr)
        status = fail(err, STATUS_INPUT, "session %lld (%s of %s) holds no measurements",
                      session->id, session->command, session->title);
    if (!status) {
        if (!strcmp(session->command, "import"))
            add_imported_head(session, setup, out);
        else
            add_head(session, setup, report, out);
        status = documents_space(&documents, out, err);
    }
    if (status)
        exchange_space_release(out);
    documents_release(&documents);
    json_decref(setup);
    json_decref(report);
    return status ? -1 : 0;
}

/* ---- recorded spaces ---- */

/* "set n = 1500": what the file's words do not set stands in its source. */
static json_t *sizes_of_words(const json_t *words)
{
    json_t *sizes = json_object(), *word;
    size_t i;
    json_array_foreach((json_t *)words, i, word)
    {
        char name[64];
        long long value = 0;
        if (json_is_string(word) &&
            sscanf(json_string_value(word), "set %63[A-Za-z0-9_] = %lld", name, &value) ==
                2)
            json_object_set_new(sizes, name, json_integer(value));
    }
    return sizes;
}

static void add_dataset_head(const char *path, const json_t *root,
                             struct exchange_space *out)
{
    const json_t *kernel = json_object_get(root, "kernel");
    json_t *sizes = sizes_of_words(json_object_get(kernel, "words"));
    const char *machine = document_word(json_object_get(root, "machine"), "name");
    out->kernel = xstrdup(document_word(kernel, "function"));
    out->device = xstrdup(machine);
    out->problem_size = problem_size(sizes);
    add_own(out, json_pack("{s:b, s:s, s:s, s:s, s:s, s:s, s:o}", "plans", 1, "space",
                           path_base(path), "function", document_word(kernel, "function"),
                           "compiler",
                           document_word(json_object_get(root, "compiler"), "version"),
                           "machine", machine, "file", document_word(kernel, "file"),
                           "sizes", sizes));
}

static int take_dataset(const json_t *root, const char *path, struct documents *documents,
                        struct error *err)
{
    const char *date = document_word(root, "date");
    struct json_at top = json_top(path, root), list = {0};
    size_t nr = 0;
    if (json_array_at(&top, "measurements", &list, &nr, err))
        return -1;
    for (size_t i = 0; i < nr; i++) {
        struct json_at one = json_element(&list, i);
        const char *plan = NULL;
        if (json_string_at(&one, "plan", &plan, err))
            return -1;
        date_document((json_t *)one.node, date);
        take_document(documents, json_incref((json_t *)one.node));
    }
    return nr ? 0 : json_fail(&list, err, "there are no measurements in it");
}

int space_of_dataset(const char *path, struct exchange_space *out, struct error *err)
{
    struct documents documents = {.err = err};
    json_t *root = NULL;
    *out = (struct exchange_space){0};
    int status = json_read_file(path, "inflight.space/1", &root, err);
    if (!status)
        status = take_dataset(root, path, &documents, err);
    if (!status) {
        add_dataset_head(path, root, out);
        status = documents_space(&documents, out, err);
    }
    if (status)
        exchange_space_release(out);
    documents_release(&documents);
    json_decref(root);
    return status ? -1 : 0;
}
