#include "tests/core/metrics/metric_cases.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/files/fs.h"
#include "core/files/json.h"
#include "core/metrics/metrics.h"
#include "core/traffic/traffic.h"
#include "tests/check.h"

static const double tolerance_usual = 1e-12;

enum { GIVEN_MAX = 8 };

struct metric_case {
    struct json_at top;
    struct metric_set *set;
    struct count_set counts;
    struct metric_given given[GIVEN_MAX];
    size_t given_nr;
    struct metric_result result;
    double tolerance;
};

/* ---- reading ---- */

static void read_given(struct metric_case *one)
{
    const char *name;
    json_t *value;

    json_object_foreach(json_object_get(one->top.node, "given"), name, value) {
        if (!check(one->given_nr < GIVEN_MAX))
            return;
        one->given[one->given_nr++] = (struct metric_given){
            name, quantity_exact(json_number_value(value), PROVENANCE_DECLARED)};
    }
}

static int read_case(struct metric_case *one, struct error *err)
{
    struct json_at counts;
    const char *definitions;

    if (json_only_keys(&one->top,
                       "about metrics given counts values whole path out_of_range "
                       "notes tolerance",
                       err) ||
        json_string_at(&one->top, "metrics", &definitions, err) ||
        json_object_at(&one->top, "counts", &counts, err) ||
        metric_set_load(definitions, NULL, &one->set, err) ||
        count_set_from_json(&counts, &one->counts, err))
        return -1;
    one->tolerance = tolerance_usual;
    if (json_has(&one->top, "tolerance") &&
        json_number_at(&one->top, "tolerance", 0, 1, &one->tolerance, err))
        return -1;
    read_given(one);
    return 0;
}

/* ---- checks; a failure says where ---- */

static void complain(const struct metric_case *one, const char *name, const char *what)
{
    struct buf text = {0};

    buf_addf(&text, "%s: %s: %s", one->top.file, name, what);
    check_str(buf_str(&text), "");
    buf_release(&text);
}

static void check_quantity(const struct metric_case *one, const char *name,
                           struct quantity got, const json_t *want)
{
    double number = json_number_value(want);
    char text[128];

    if (json_is_null(want) && got.known)
        snprintf(text, sizeof(text), "is %.17g, must be unknown", got.value);
    else if (!json_is_null(want) && !got.known)
        snprintf(text, sizeof(text), "is unknown, must be %.17g", number);
    else if (got.known &&
             fabs(got.value - number) > one->tolerance * fmax(1, fabs(number)))
        snprintf(text, sizeof(text), "is %.17g, must be %.17g", got.value, number);
    else
        return;
    complain(one, name, text);
}

static void check_values(const struct metric_case *one, const char *key,
                         struct strvec *covered)
{
    const char *name;
    json_t *want;

    json_object_foreach(json_object_get(one->top.node, key), name, want) {
        int at = metric_find(one->set, name);

        if (at == METRIC_NONE) {
            complain(one, name, "there is no such metric");
            continue;
        }
        const struct metric_value *value = &one->result.value[at];
        check_quantity(one, name, *key == 'w' ? value->whole : value->value, want);
        if ((!json_is_null(want) || value->absent) && !strvec_has(covered, name))
            strvec_push(covered, name);
    }
}

static bool is_dominant(const struct metric_value *value)
{
    return value->dominant;
}

static bool is_out_of_range(const struct metric_value *value)
{
    return value->out_of_range;
}

/* The metrics that are so (of the model, METRIC_NONE = all), in the order of the
 * definitions, are those of the list. */
static void check_marked(const struct metric_case *one, const char *key,
                         bool (*is)(const struct metric_value *value), int model)
{
    struct strvec got = {0}, want = {0};
    struct error err = {0};

    if (json_has(&one->top, key))
        check_ok(json_strings_at(&one->top, key, &want, &err), &err);
    for (size_t i = 0; i < one->result.value_nr; i++)
        if (is(&one->result.value[i]) &&
            (model == METRIC_NONE || one->set->metric[i].model == model))
            strvec_push(&got, one->set->metric[i].name);
    char *got_text = strvec_join(&got, " "), *want_text = strvec_join(&want, " ");
    if (strcmp(got_text, want_text)) {
        complain(one, key, got_text);
        check_str(got_text, want_text);
    }
    free(got_text);
    free(want_text);
    strvec_release(&got);
    strvec_release(&want);
}

static void check_notes(const struct metric_case *one)
{
    const json_t *want = json_object_get(one->top.node, "notes");

    for (size_t i = 0; i < one->result.note.nr; i++) {
        const char *part = json_string_value(json_array_get(want, i));
        if (!part || !strstr(one->result.note.v[i], part))
            complain(one, "notes", one->result.note.v[i]);
    }
    if (one->result.note.nr < json_array_size(want))
        complain(one, "notes", "there are fewer");
}

/* Of the first name of "path"; METRIC_NONE where that is empty: nothing is marked. */
static int model_of_path(const struct metric_case *one)
{
    const json_t *path = json_object_get(one->top.node, "path");
    const char *first = json_string_value(json_array_get(path, 0));
    int at = first ? metric_find(one->set, first) : METRIC_NONE;

    return at == METRIC_NONE ? METRIC_NONE : one->set->metric[at].model;
}

static void check_case(struct metric_case *one, struct strvec *covered)
{
    const struct metric_question question = {one->set, &one->counts, one->given,
                                             one->given_nr};

    metric_evaluate(&question, &one->result);
    check_values(one, "values", covered);
    check_values(one, "whole", covered);
    if (json_has(&one->top, "path"))
        check_marked(one, "path", is_dominant, model_of_path(one));
    check_marked(one, "out_of_range", is_out_of_range, METRIC_NONE);
    check_notes(one);
    if (one->result.breach_nr)
        complain(one, "sums", "a level is not what it should sum to");
}

static void run_case(const char *name, json_t *node, struct strvec *covered)
{
    struct metric_case one = {.top = json_top(name, node)};
    struct error err = {0};

    if (check_ok(read_case(&one, &err), &err))
        check_case(&one, covered);
    metric_result_release(&one.result);
    count_set_release(&one.counts);
    metric_set_free(one.set);
}

/* ---- all of a file ---- */

json_t *metric_cases_read(const char *name)
{
    char *path = xasprintf(INFLIGHT_SOURCE_DIR "/tests/data/metrics/%s.json", name);
    struct error err = {0};
    json_t *root = NULL, *cases;

    check_ok(json_read_file(path, "inflight.metrics-cases/1", &root, &err), &err);
    cases = json_incref(json_object_get(root, "cases"));
    check(json_object_size(cases) > 0);
    json_decref(root);
    free(path);
    return cases;
}

void metric_cases_run(const char *name, struct strvec *covered)
{
    json_t *cases = metric_cases_read(name), *node;
    const char *key;

    json_object_foreach(cases, key, node) {
        char *what = xasprintf("%s: %s", name, key);

        run_case(what, node, covered);
        free(what);
    }
    json_decref(cases);
}

/* Is it a word of the text? */
static bool has_word(const char *text, const char *word)
{
    size_t length = strlen(word);

    for (const char *at = strstr(text, word); at; at = strstr(at + 1, word))
        if ((at == text || at[-1] == ' ') && (!at[length] || at[length] == ' '))
            return true;
    return false;
}

void metric_cases_cover(const char *definitions, const char *models,
                        const struct strvec *covered)
{
    struct metric_set *set = NULL;
    struct error err = {0};

    if (!check_ok(metric_set_load(definitions, NULL, &set, &err), &err))
        return;
    for (size_t i = 0; i < set->metric_nr; i++) {
        const struct metric *metric = &set->metric[i];
        bool wanted = !models || metric->model == METRIC_NONE ||
                      has_word(models, set->model[metric->model].name);

        if (wanted && !strvec_has(covered, metric->name))
            check_str(metric->name, "a case with its value");
    }
    metric_set_free(set);
}
