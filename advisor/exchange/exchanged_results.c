/* Measurement documents as the results of a space. */
#include "advisor/exchange/exchanged_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/exchange/plan_columns.h"
#include "search/search.h"

const char *document_word(const json_t *object, const char *key)
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
        const char *name = document_word(queue, "resource");
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

int documents_space(const struct documents *documents, struct exchange_space *out,
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
