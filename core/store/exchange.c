#include "core/store/exchange.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base.h"
#include "core/store/exchange_parts.h"

static const char *const t4_words[] = {
#define X(name, t4, kernel_tuner) [EXCHANGE_##name] = t4,
    EXCHANGE_OUTCOME_MAP(X)
#undef X
};
static const char *const error_words[] = {
#define X(name, t4, kernel_tuner) [EXCHANGE_##name] = kernel_tuner,
    EXCHANGE_OUTCOME_MAP(X)
#undef X
};

const char *exchange_outcome_word(enum exchange_outcome outcome)
{
    return t4_words[outcome];
}

enum exchange_outcome exchange_outcome_from_word(const char *word)
{
    unsigned i = 0;
    while (i < EXCHANGE_OUTCOME_NR && strcmp(t4_words[i], word))
        i++;
    return i;
}

const char *exchange_error_word(enum exchange_outcome outcome)
{
    return error_words[outcome];
}

enum exchange_outcome exchange_outcome_of_error(const char *name)
{
    if (strstr(name, "ompil"))
        return EXCHANGE_COMPILE;
    return strstr(name, "nvalid") ? EXCHANGE_CONSTRAINTS : EXCHANGE_RUNTIME;
}

const char *exchange_phase_t4(enum exchange_phase phase)
{
    static const char *const key[] = {
#define X(name, t4, kernel_tuner) t4,
        EXCHANGE_PHASE_MAP(X)
#undef X
    };
    return key[phase];
}

const char *exchange_phase_kernel_tuner(enum exchange_phase phase)
{
    static const char *const key[] = {
#define X(name, t4, kernel_tuner) kernel_tuner,
        EXCHANGE_PHASE_MAP(X)
#undef X
    };
    return key[phase];
}

static bool is_told(const struct exchange_space *space, enum exchange_phase phase)
{
    for (size_t i = 0; i < space->result_nr; i++)
        if (!isnan(space->result[i].phase_s[phase]))
            return true;
    return false;
}

json_t *exchange_not_given(const struct exchange_space *space,
                           const char *(*key_of)(enum exchange_phase phase))
{
    json_t *list = json_array();
    for (unsigned i = 0; i < EXCHANGE_PHASE_NR; i++)
        if (!is_told(space, i))
            json_array_append_new(list, json_string(key_of(i)));
    return list;
}

bool exchange_lists(const json_t *list, const char *key)
{
    size_t i;
    const json_t *name;
    json_array_foreach((json_t *)list, i, name)
        if (json_is_string(name) && !strcmp(json_string_value(name), key))
            return true;
    return false;
}

/* ---- the space ---- */

static void result_release(struct exchange_result *result)
{
    for (size_t i = 0; i < result->figure_nr; i++) {
        free(result->figure[i].name);
        free(result->figure[i].unit);
    }
    free(result->figure);
    free(result->sample_s);
    free(result->detail);
    free(result->timestamp);
    json_decref(result->configuration);
    json_decref(result->extra);
}

void exchange_space_release(struct exchange_space *space)
{
    for (size_t i = 0; i < space->result_nr; i++)
        result_release(&space->result[i]);
    for (size_t i = 0; i < space->parameter_nr; i++) {
        free(space->parameter[i].name);
        json_decref(space->parameter[i].values);
    }
    free(space->result);
    free(space->parameter);
    free(space->kernel);
    free(space->device);
    free(space->objective);
    json_decref(space->problem_size);
    json_decref(space->extra);
    *space = (struct exchange_space){0};
}

struct exchange_result *exchange_add_result(struct exchange_space *space)
{
    GROW(space->result, space->result_nr + 1, space->result_alloc);
    struct exchange_result *result = &space->result[space->result_nr++];
    *result = (struct exchange_result){
        .configuration = json_object(), .correctness = NAN, .time_s = NAN};
    for (int i = 0; i < EXCHANGE_PHASE_NR; i++)
        result->phase_s[i] = NAN;
    return result;
}

void exchange_add_figure(struct exchange_result *result, const char *name,
                         const char *unit, double value)
{
    GROW(result->figure, result->figure_nr + 1, result->figure_alloc);
    result->figure[result->figure_nr++] =
        (struct exchange_figure){xstrdup(name), xstrdup(unit), value};
}

double exchange_figure(const struct exchange_result *result, const char *name)
{
    for (size_t i = 0; i < result->figure_nr; i++)
        if (!strcmp(result->figure[i].name, name))
            return result->figure[i].value;
    return NAN;
}

void exchange_keep(json_t **extra, const char *key, json_t *value)
{
    if (!*extra)
        *extra = json_object();
    json_object_set_new(*extra, key, value);
}

/* ---- parameters ---- */

static struct exchange_parameter *find_parameter(const struct exchange_space *space,
                                                 const char *name)
{
    for (size_t i = 0; i < space->parameter_nr; i++)
        if (!strcmp(space->parameter[i].name, name))
            return &space->parameter[i];
    return NULL;
}

static void add_value(json_t *values, json_t *value)
{
    for (size_t i = 0; i < json_array_size(values); i++)
        if (json_equal(json_array_get(values, i), value))
            return;
    json_array_append(values, value);
}

static void add_names(struct exchange_space *space, json_t *configuration)
{
    const char *name;
    json_t *value;
    json_object_foreach(configuration, name, value) {
        if (find_parameter(space, name))
            continue;
        GROW(space->parameter, space->parameter_nr + 1, space->parameter_alloc);
        space->parameter[space->parameter_nr++] =
            (struct exchange_parameter){xstrdup(name), json_array()};
    }
}

/* The same names, put into the order of the parameters. */
static int take_configuration(struct exchange_space *space, size_t i, const char *file,
                              const char *place, struct error *err)
{
    json_t *old = space->result[i].configuration, *ordered = json_object();
    for (size_t p = 0; p < space->parameter_nr; p++) {
        const struct exchange_parameter *parameter = &space->parameter[p];
        json_t *value = json_object_get(old, parameter->name);
        if (!value) {
            json_decref(ordered);
            return fail(err, STATUS_INPUT,
                        "%s: %s[%zu]: the configuration lacks the parameter \"%s\"", file,
                        place, i, parameter->name);
        }
        json_object_set(ordered, parameter->name, value);
        add_value(parameter->values, value);
    }
    bool more = json_object_size(old) > space->parameter_nr;
    space->result[i].configuration = ordered;
    json_decref(old);
    if (more)
        return fail(err, STATUS_INPUT,
                    "%s: %s[%zu]: the configuration has other parameters than the others",
                    file, place, i);
    return 0;
}

int exchange_find_parameters(struct exchange_space *space, const char *file,
                             const char *place, struct error *err)
{
    if (space->result_nr && !space->parameter_nr)
        add_names(space, space->result[0].configuration);
    for (size_t i = 0; i < space->result_nr; i++)
        if (take_configuration(space, i, file, place, err))
            return -1;
    return 0;
}

/* ---- texts ---- */

void exchange_add_real(struct buf *out, double value)
{
    char text[64];
    int digits = -1; /* behind the point */
    do
        snprintf(text, sizeof(text), "%.*e", ++digits, value);
    while (strtod(text, NULL) != value && digits < 14);
    double shortest = strtod(text, NULL);
    int exponent = (int)strtol(strchr(text, 'e') + 1, NULL, 10);
    /* Python's repr: exponents below -4 and from 16 on only, and always a point. */
    if (exponent < -4 || exponent >= 16)
        buf_addf(out, "%.*g", digits + 1, shortest);
    else
        buf_addf(out, "%.*f", digits - exponent > 1 ? digits - exponent : 1, shortest);
}

static void add_key_value(struct buf *out, const json_t *value)
{
    if (json_is_string(value))
        buf_add(out, json_string_value(value));
    else if (json_is_integer(value))
        buf_addf(out, "%lld", (long long)json_integer_value(value));
    else if (json_is_real(value))
        exchange_add_real(out, json_real_value(value));
    else if (json_is_boolean(value))
        buf_add(out, json_is_true(value) ? "True" : "False");
    else
        buf_add(out, "None");
}

char *exchange_key(const json_t *configuration)
{
    struct buf out = {0};
    const char *name;
    json_t *value;
    bool first = true;
    json_object_foreach((json_t *)configuration, name, value) {
        if (!first)
            buf_add(&out, ",");
        add_key_value(&out, value);
        first = false;
    }
    return buf_detach(&out);
}

void exchange_add_json(struct buf *out, const json_t *value, size_t flags)
{
    char *text = json_dumps(value, flags | JSON_REAL_PRECISION(15) | JSON_ENCODE_ANY);
    if (!text) /* out of memory or a cycle */
        abort();
    buf_add(out, text);
    free(text);
}

void exchange_open_object(struct buf *out, const json_t *object)
{
    const char *separator = "", *key;
    json_t *value;
    buf_add(out, "{\n");
    json_object_foreach((json_t *)object, key, value) {
        json_t *name = json_string(key);
        buf_add(out, separator);
        exchange_add_json(out, name, 0);
        buf_add(out, ": ");
        exchange_add_json(out, value, 0);
        json_decref(name);
        separator = ",\n";
    }
}
