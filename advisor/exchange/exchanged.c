/* A session, or a recorded space, as a space for other tuners. */
#include "advisor/exchange/exchanged.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/cli/cli.h"
#include "advisor/exchange/plan_columns.h"
#include "advisor/program/commands.h"
#include "core/run/run_words.h"

/* ---- results ---- */

/* Measurement documents as the results of a space. */

/* "" when there is no such string. */
static const char *document_word(const json_t *object, const char *key)
{
    const char *word = json_string_value(json_object_get(object, key));
    return word ? word : "";
}

/* ---- one result ---- */

/* Nobody else knows variants that were given up for slow: a limit of time as well. */
static enum exchange_outcome meaning_of(enum run_outcome outcome)
{
    switch (outcome) {
    case RUN_OUTCOME_OK:
        return EXCHANGE_CORRECT;
    case RUN_OUTCOME_TIMED_OUT:
    case RUN_OUTCOME_STOPPED:
        return EXCHANGE_TIMEOUT;
    case RUN_OUTCOME_WRONG_RESULT:
        return EXCHANGE_CORRECTNESS;
    case RUN_OUTCOME_NOT_BUILT:
        return EXCHANGE_COMPILE;
    case RUN_OUTCOME_CRASHED:
    case RUN_OUTCOME_OUT_OF_MEMORY:
    case RUN_OUTCOME_BAD_EXIT:
    case RUN_OUTCOME_INTERRUPTED:
        break;
    }
    return EXCHANGE_RUNTIME;
}

static enum exchange_outcome outcome_of(const char *word)
{
    enum run_outcome outcome;
    return run_outcome_from_word(word, &outcome) ? meaning_of(outcome) : EXCHANGE_RUNTIME;
}

static double number_of(const json_t *object, const char *key)
{
    const json_t *node = json_object_get(object, key);
    return json_is_number(node) ? json_number_value(node) : NAN;
}

/* Samples that something disturbed were taken again and do not count, unless there are no
 * others. */
static void take_samples(const json_t *document, struct exchange_result *out)
{
    const json_t *list = json_object_get(document, "samples_ns"), *sample;
    size_t i;
    out->sample_s = xcalloc(json_array_size(list) + 1, sizeof(*out->sample_s));
    for (int all = 0; all <= 1 && !out->sample_nr; all++)
        json_array_foreach((json_t *)list, i, sample) {
            if (all || !json_integer_value(json_array_get(sample, 3)))
                out->sample_s[out->sample_nr++] =
                    json_number_value(json_array_get(sample, 0)) * 1e-9;
        }
}

static void add_known(struct exchange_result *out, const char *name, const char *unit,
                      double value)
{
    if (!isnan(value))
        exchange_add_figure(out, name, unit, value);
}

/* The fuller one of the two miss queues. */
static double mshr_share(const json_t *queues)
{
    double max = NAN;
    size_t i;
    const json_t *queue;
    json_array_foreach((json_t *)queues, i, queue) {
        const char *name = document_word(queue, "resource");
        double share = number_of(json_object_get(queue, "utilization"), "value");
        if (!strcmp(name, resource_word(RESOURCE_L1_QUEUE)) ||
            !strcmp(name, resource_word(RESOURCE_L2_QUEUE)))
            max = fmax(max, share);
    }
    return max;
}

static void take_figures(const json_t *document, struct exchange_result *out)
{
    const json_t *time = json_object_get(document, "time_ns"), *figure;
    size_t i;
    json_array_foreach(json_object_get(document, "figures"), i, figure)
        add_known(out, document_word(figure, "name"), document_word(figure, "unit"),
                  number_of(figure, "value"));
    if (json_object_get(document, "figures"))
        return;
    add_known(out, "time_low", "ms", number_of(time, "low") * 1e-6);
    add_known(out, "time_high", "ms", number_of(time, "high") * 1e-6);
    add_known(out, "bandwidth", "GB/s",
              number_of(json_object_get(document, "bandwidth_gbs"), "value"));
    add_known(out, "loaded_latency", "ns",
              number_of(json_object_get(document, "latency_ns"), "value"));
    add_known(out, "mlp", "", number_of(json_object_get(document, "occupancy"), "value"));
    add_known(out, "mshr_share", "", mshr_share(json_object_get(document, "queues")));
}

/* What gives the measurement again. */
static json_t *own_json(const json_t *document)
{
    static const char *const keys[] = {"environment", "outcome",
                                       "detail",      "verified_sizes",
                                       "at_least_ns", "max_relative_error"};
    const json_t *analysis = json_object_get(document, "analysis");
    json_t *own = json_object();
    for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
        json_t *value = json_object_get(document, keys[i]);
        if (value && !json_is_null(value))
            json_object_set(own, keys[i], value);
    }
    if (analysis)
        json_object_set(own, "limiter", json_object_get(analysis, "limiter"));
    return own;
}

/* Ours are one sum: building, comparing results, running. */
static void take_costs(const json_t *document, struct exchange_result *out)
{
    static const char *const keys[] = {
#define X(name, t4, kernel_tuner) t4,
        EXCHANGE_PHASE_MAP(X)
#undef X
    };
    const json_t *costs = json_object_get(document, "costs_ns");
    for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
        out->phase_s[i] = number_of(costs, keys[i]) * 1e-9;
    if (!costs)
        out->phase_s[EXCHANGE_PHASE_BENCHMARK] = number_of(document, "cost_s");
}

static void take_result(const json_t *document, struct exchange_result *out)
{
    const json_t *more = json_object_get(document, "more");
    const char *detail = document_word(document, "detail"),
               *word = document_word(document, "invalidity"),
               *timestamp = document_word(document, "timestamp");
    out->outcome = outcome_of(document_word(document, "outcome"));
    if (exchange_outcome_from_word(word) != EXCHANGE_OUTCOME_NR)
        out->outcome = exchange_outcome_from_word(word);
    if (out->outcome == EXCHANGE_CORRECT)
        out->time_s = number_of(json_object_get(document, "time_ns"), "median") * 1e-9;
    out->correctness = number_of(document, "correctness");
    if (isnan(out->correctness) && !json_object_get(document, "configuration"))
        out->correctness = json_is_true(json_object_get(document, "verified"));
    out->detail = *detail ? xstrdup(detail) : NULL;
    out->timestamp = *timestamp ? xstrdup(timestamp) : NULL;
    take_samples(document, out);
    take_costs(document, out);
    take_figures(document, out);
    if (more) {
        out->extra = json_deep_copy(more);
    } else {
        exchange_keep(&out->extra, "plan", json_string(document_word(document, "plan")));
        exchange_keep(&out->extra, "inflight", own_json(document));
    }
}

/* ---- configurations ---- */

/* What is beside plans, and what no key means. */
static const struct {
    const char *key, *absent;
} surroundings[] = {{"pages", "small"},     {"start", "warm"},
                    {"background", "idle"}, {"threads", "1"},
                    {"smt", "1"},           {"compiler", "as_asked"},
                    {"flags", "as_asked"},  {"schedule", "default"}};

/* The key's value as a text without commas, which separate values in keys. Caller frees.
 */
static char *around_text(const json_t *document, size_t which)
{
    const json_t *value = json_object_get(json_object_get(document, "environment"),
                                          surroundings[which].key);
    char *text = json_is_integer(value)
                     ? xasprintf("%lld", (long long)json_integer_value(value))
                     : xstrdup(json_is_string(value) ? json_string_value(value)
                                                     : surroundings[which].absent);
    for (char *c = text; *c; c++)
        if (*c == ',')
            *c = ';';
    return text;
}

static bool varies(const struct documents *documents, size_t which)
{
    char *first = around_text(documents->item[0], which);
    bool other = false;
    for (size_t i = 1; i < documents->nr && !other; i++) {
        char *text = around_text(documents->item[i], which);
        other = strcmp(text, first) != 0;
        free(text);
    }
    free(first);
    return other;
}

static void add_surroundings(const struct documents *documents,
                             struct exchange_space *out)
{
    for (size_t which = 0; which < ARRAY_SIZE(surroundings); which++) {
        if (!varies(documents, which))
            continue;
        for (size_t i = 0; i < documents->nr; i++) {
            char *text = around_text(documents->item[i], which);
            bool number = !strcmp(surroundings[which].absent, "1");
            json_object_set_new(out->result[i].configuration, surroundings[which].key,
                                number ? json_integer(strtoll(text, NULL, 10))
                                       : json_string(text));
            free(text);
        }
    }
}

static void add_plans(const struct documents *documents, struct exchange_space *out)
{
    const char **plan = xcalloc(documents->nr, sizeof(*plan));
    struct plan_columns columns;
    for (size_t i = 0; i < documents->nr; i++)
        plan[i] = document_word(documents->item[i], "plan");
    plan_columns_find(plan, documents->nr, &columns);
    if (!columns.nr && !columns.whole_nr) { /* the kernel as written alone */
        GROW(columns.column, 1, columns.alloc);
        columns.column[columns.nr++] = (struct plan_column){xstrdup("simd"), true};
    }
    for (size_t i = 0; i < documents->nr; i++) {
        json_decref(out->result[i].configuration);
        out->result[i].configuration = plan_columns_row(&columns, plan[i]);
    }
    plan_columns_release(&columns);
    free(plan);
}

static int by_number(const void *a, const void *b)
{
    json_t *const *left = a, *const *right = b;
    json_int_t x = json_integer_value(*left), y = json_integer_value(*right);
    return x < y ? -1 : x > y;
}

/* Numbers in their order; words in that of the search. */
static void sort_values(struct exchange_space *space)
{
    for (size_t p = 0; p < space->parameter_nr; p++) {
        json_t *values = space->parameter[p].values;
        size_t nr = json_array_size(values);
        json_t **value = xcalloc(nr + 1, sizeof(*value));
        for (size_t i = 0; i < nr; i++)
            value[i] = json_incref(json_array_get(values, i));
        if (nr && json_is_integer(value[0]))
            qsort(value, nr, sizeof(*value), by_number);
        json_array_clear(values);
        for (size_t i = 0; i < nr; i++)
            json_array_append_new(values, value[i]);
        free(value);
    }
}

/* Results and parameters of at least one document; the head is the caller's. */
static int documents_space(const struct documents *documents, struct exchange_space *out,
                           struct error *err)
{
    bool imported = json_object_get(documents->item[0], "configuration");
    for (size_t i = 0; i < documents->nr; i++)
        take_result(documents->item[i], exchange_add_result(out));
    for (size_t i = 0; i < documents->nr && imported; i++) {
        json_decref(out->result[i].configuration);
        out->result[i].configuration =
            json_deep_copy(json_object_get(documents->item[i], "configuration"));
    }
    if (!imported) {
        add_plans(documents, out);
        add_surroundings(documents, out);
    }
    if (exchange_find_parameters(out, "session database", "measurement", err))
        return -1;
    if (!imported)
        sort_values(out);
    return 0;
}

/* ---- export ---- */

/* inflight export: a session in the formats of other tuners. */

static int write_text(const struct settings *settings, const struct buf *text,
                      struct error *err)
{
    if (settings->output)
        return file_write_gz(settings->output, buf_str(text), text->length, err);
    return print_data(buf_str(text), err);
}

/* What was asked for, and a word for it. Caller frees. */
static int read_session(const struct settings *settings, struct exchange_space *space,
                        char **what, struct error *err)
{
    struct store *store = NULL;
    struct store_session session = {0};
    int status = database_open(settings, true, &store, err);
    if (!status)
        status = store_session_get(store, settings->session > 0 ? settings->session : 0,
                                   &session, err);
    if (!status)
        status = space_of_session(store, &session, space, err);
    if (!status)
        *what = xasprintf("session %lld (%s of %s)", session.id, session.command,
                          session.title);
    store_session_release(&session);
    store_close(store);
    return status;
}

static int read_space(const struct settings *settings, struct exchange_space *space,
                      char **what, struct error *err)
{
    if (!settings->file)
        return read_session(settings, space, what, err);
    *what = xasprintf("'%s'", settings->file);
    return space_of_dataset(settings->file, space, err);
}

int export_command(const struct settings *settings, struct error *err)
{
    enum exchange_format format = EXCHANGE_FORMAT_T4;
    struct exchange_space space = {0};
    struct buf text = {0};
    char *what = NULL;
    int status =
        settings->format ? exchange_format_from_word(settings->format, &format, err) : 0;
    if (!status && settings->output)
        status = file_check_writable(settings->output, err);
    if (!status)
        status = read_space(settings, &space, &what, err);
    if (!status)
        status = exchange_text(&space, format, &text, err);
    if (!status)
        status = write_text(settings, &text, err);
    if (!status && settings->output && !settings->quiet)
        fprintf(stderr, "inflight: %s: %zu results in '%s'\n", what, space.result_nr,
                settings->output);
    exchange_space_release(&space);
    buf_release(&text);
    free(what);
    return status;
}

/* ---- exchanged ---- */

/* ---- which documents ---- */

static void documents_release(struct documents *documents)
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
    json_object_foreach(sizes, name, value)
        if (json_is_integer(value))
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
    json_object_foreach(json_object_get(setup, "parameters"), name, values) {
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
    json_array_foreach((json_t *)words, i, word) {
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
