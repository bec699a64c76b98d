/* A session's documents as a space. */
#include "advisor/exchanged.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/plan_columns.h"
#include "advisor/version.h"
#include "search/search.h"

/* ---- which documents ---- */

struct documents {
    json_t **item;
    size_t nr, alloc;
    struct error *err;
};

static void documents_release(struct documents *documents)
{
    for (size_t i = 0; i < documents->nr; i++)
        json_decref(documents->item[i]);
    free(documents->item);
}

static const char *word_of(const json_t *object, const char *key)
{
    const char *word = json_string_value(json_object_get(object, key));
    return word ? word : "";
}

static bool is_explained(const json_t *document)
{
    return json_is_object(json_object_get(document, "traffic"));
}

/* As when a session is continued: of one variant the last rules, but one that is not
 * explained takes the place of no explained one. */
static bool replaces(const json_t *old, const json_t *document)
{
    return !strcmp(word_of(old, "plan"), word_of(document, "plan")) &&
           json_equal(json_object_get(old, "environment"),
                      json_object_get(document, "environment"));
}

/* Takes the document. */
static void take_document(struct documents *documents, json_t *document)
{
    bool imported = json_object_get(document, "configuration");
    for (size_t i = 0; i < documents->nr && !imported; i++) {
        if (!replaces(documents->item[i], document))
            continue;
        bool keep = is_explained(documents->item[i]) && !is_explained(document);
        json_decref(keep ? document : documents->item[i]);
        if (!keep)
            documents->item[i] = document;
        return;
    }
    GROW(documents->item, documents->nr + 1, documents->alloc);
    documents->item[documents->nr++] = document;
}

static int add_document(void *data, const char *variant, const char *text)
{
    struct documents *documents = data;
    json_t *document = NULL;
    (void)variant;
    if (json_read_text(text, "session database", NULL, &document, documents->err))
        return -1;
    const char *schema = word_of(document, "schema");
    if (!strcmp(schema, "inflight.measurement/1") &&
        strcmp(word_of(document, "outcome"), run_outcome_word(RUN_OUTCOME_INTERRUPTED))) {
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

/* ---- one result ---- */

static enum exchange_outcome outcome_of(const char *word)
{
    static const enum exchange_outcome meaning[] = {
        [RUN_OUTCOME_OK] = EXCHANGE_CORRECT,
        [RUN_OUTCOME_CRASHED] = EXCHANGE_RUNTIME,
        [RUN_OUTCOME_TIMED_OUT] = EXCHANGE_TIMEOUT,
        [RUN_OUTCOME_OUT_OF_MEMORY] = EXCHANGE_RUNTIME,
        [RUN_OUTCOME_BAD_EXIT] = EXCHANGE_RUNTIME,
        [RUN_OUTCOME_WRONG_RESULT] = EXCHANGE_CORRECTNESS,
        [RUN_OUTCOME_NOT_BUILT] = EXCHANGE_COMPILE,
        [RUN_OUTCOME_INTERRUPTED] = EXCHANGE_RUNTIME,
    };
    enum run_outcome outcome;
    return run_outcome_from_word(word, &outcome) ? meaning[outcome] : EXCHANGE_RUNTIME;
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
        json_array_foreach((json_t *)list, i, sample)
        {
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
    double most = NAN;
    size_t i;
    const json_t *queue;
    json_array_foreach((json_t *)queues, i, queue)
    {
        const char *name = word_of(queue, "resource");
        double share = number_of(json_object_get(queue, "utilization"), "value");
        if (!strcmp(name, resource_word(RESOURCE_L1_QUEUE)) ||
            !strcmp(name, resource_word(RESOURCE_L2_QUEUE)))
            most = fmax(most, share);
    }
    return most;
}

static void take_figures(const json_t *document, struct exchange_result *out)
{
    const json_t *time = json_object_get(document, "time_ns"), *figure;
    size_t i;
    json_array_foreach(json_object_get(document, "figures"), i, figure)
        add_known(out, word_of(figure, "name"), word_of(figure, "unit"),
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
    static const char *const keys[] = {"environment", "outcome", "detail",
                                       "verified_sizes", "max_relative_error"};
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
}

static void take_result(const json_t *document, const char *date,
                        struct exchange_result *out)
{
    const json_t *more = json_object_get(document, "more");
    const char *detail = word_of(document, "detail"),
               *word = word_of(document, "invalidity"),
               *timestamp = word_of(document, "timestamp");
    out->outcome = outcome_of(word_of(document, "outcome"));
    if (exchange_outcome_from_word(word) != EXCHANGE_OUTCOME_NR)
        out->outcome = exchange_outcome_from_word(word);
    if (out->outcome == EXCHANGE_CORRECT)
        out->time_s = number_of(json_object_get(document, "time_ns"), "median") * 1e-9;
    out->correctness = number_of(document, "correctness");
    if (isnan(out->correctness) && !json_object_get(document, "configuration"))
        out->correctness = json_is_true(json_object_get(document, "verified"));
    out->detail = *detail ? xstrdup(detail) : NULL;
    out->timestamp = *timestamp ? xstrdup(timestamp) : xstrdup(date);
    take_samples(document, out);
    take_costs(document, out);
    take_figures(document, out);
    if (more) {
        out->extra = json_deep_copy(more);
    } else {
        exchange_keep(&out->extra, "plan", json_string(word_of(document, "plan")));
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
        plan[i] = word_of(documents->item[i], "plan");
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

static int add_results(const struct documents *documents, const char *date,
                       struct exchange_space *out, struct error *err)
{
    bool imported = json_object_get(documents->item[0], "configuration");
    for (size_t i = 0; i < documents->nr; i++)
        take_result(documents->item[i], date, exchange_add_result(out));
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

static void add_head(const struct store_session *session, const json_t *setup,
                     const json_t *report, struct exchange_space *out)
{
    static const char *const keys[] = {"function", "compiler", "machine"};
    json_t *own = json_pack("{s:b, s:I, s:s}", "plans", 1, "session",
                            (json_int_t)session->id, "command", session->command);
    json_t *sizes = sizes_of(setup, report);
    const char *file = word_of(setup, "file");
    for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
        if (json_object_get(setup, keys[i]))
            json_object_set(own, keys[i], json_object_get(setup, keys[i]));
    if (*file)
        json_object_set_new(own, "file", json_string(path_base(file)));
    if (sizes)
        json_object_set(own, "sizes", sizes);
    out->kernel = xstrdup(session->title);
    out->device = xstrdup(word_of(setup, "machine"));
    out->problem_size = problem_size(sizes);
    exchange_keep(&out->extra, "autotuner", json_string("inflight"));
    exchange_keep(&out->extra, "autotuner_version", json_string(INFLIGHT_VERSION));
    exchange_keep(&out->extra, "inflight", own);
}

/* Of a session that was imported: what its file said. */
static void add_imported_head(const struct store_session *session, const json_t *setup,
                              struct exchange_space *out)
{
    const char *device = word_of(setup, "machine"),
               *objective = word_of(setup, "objective");
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

/* "2026-01-31T12:00:00Z" as readers of before Python 3.11 take it. Caller frees. */
static char *date_of(const struct store_session *session)
{
    return xasprintf("%.19s+00:00", session->started);
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
    char *date = date_of(session);
    *out = (struct exchange_space){0};
    int status =
        read_optional(session->setup_json, &setup, err) ||
        read_optional(session->report_json, &report, err) ||
        store_measurement_each(store, session->id, add_document, &documents, err);
    if (!status && !documents.nr)
        status = fail(err, STATUS_INPUT, "session %lld (%s of %s) holds no measurements",
                      session->id, session->command, session->title);
    if (!status) {
        if (!strcmp(session->command, "import"))
            add_imported_head(session, setup, out);
        else
            add_head(session, setup, report, out);
        status = add_results(&documents, date, out, err);
    }
    if (status)
        exchange_space_release(out);
    documents_release(&documents);
    json_decref(setup);
    json_decref(report);
    free(date);
    return status ? -1 : 0;
}
