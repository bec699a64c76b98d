#include "search/remote/questions.h"

#include <math.h>
#include <string.h>

#include "core/base.h"
#include "search/session/measured.h"
#include "search/session/pace.h"
#include "search/space/environment.h"

static const char *const efforts[] = {"quick", "check", "full", "explain"};

json_t *question_new(const char *what)
{
    return json_pack("{s:s, s:s}", "message", "question", "what", what);
}

json_t *candidate_json(const struct candidate *candidate)
{
    return json_pack("{s:s, s:o}", "plan", candidate->plan, "environment",
                     environment_to_json(&candidate->environment));
}

json_t *question_measure(const struct candidate *candidate, enum measure_effort effort,
                         double stop_at_s)
{
    json_t *question = question_new("measure");
    json_object_set_new(question, "candidate", candidate_json(candidate));
    json_object_set_new(question, "effort", json_string(efforts[effort]));
    json_object_set_new(question, "stop_at_s", json_real(stop_at_s));
    return question;
}

json_t *question_compare(const struct candidate *a, const struct candidate *b, bool look,
                         double seconds)
{
    json_t *question = question_new("compare");
    json_object_set_new(question, "a", candidate_json(a));
    json_object_set_new(question, "b", candidate_json(b));
    json_object_set_new(question, "look", json_boolean(look));
    json_object_set_new(question, "seconds", json_real(seconds));
    return question;
}

json_t *question_file(const char *text, const char *plan, const struct environment *a,
                      const struct environment *b, double seconds)
{
    json_t *question = question_new("file");
    json_object_set_new(question, "text", json_string(text));
    json_object_set_new(question, "plan", json_string(plan));
    json_object_set_new(question, "a", environment_to_json(a));
    json_object_set_new(question, "b", environment_to_json(b));
    json_object_set_new(question, "seconds", json_real(seconds));
    return question;
}

static int environment_at(const struct json_at *at, const char *key,
                          struct environment *out, struct error *err)
{
    struct json_at here;
    *out = (struct environment){0};
    return json_object_at(at, key, &here, err) || environment_from_json(&here, out, err)
               ? -1
               : 0;
}

int question_file_at(const struct json_at *question, const char **text, const char **plan,
                     struct environment environment[2], double *seconds,
                     struct error *err)
{
    return environment_at(question, "a", &environment[0], err) ||
                   environment_at(question, "b", &environment[1], err) ||
                   json_string_at(question, "text", text, err) ||
                   json_string_at(question, "plan", plan, err) ||
                   json_number_at(question, "seconds", 0, INFINITY, seconds, err)
               ? -1
               : 0;
}

/* ---- answering ---- */

int candidate_at(const struct json_at *at, const char *key, struct candidate *out,
                 struct error *err)
{
    struct json_at here, environment;
    const char *plan = NULL;
    if (json_object_at(at, key, &here, err) ||
        json_string_at(&here, "plan", &plan, err) ||
        json_object_at(&here, "environment", &environment, err) ||
        environment_from_json(&environment, &out->environment, err))
        return -1;
    out->plan = (char *)plan;
    return 0;
}

static int ask_measure(const struct json_at *question, const struct search_runner *runner,
                       json_t *answer, struct error *err)
{
    struct candidate candidate = {0};
    struct measurement measurement = {0};
    double stop_at_s = 0;
    int effort =
        json_word_at(question, "effort", "effort", efforts, ARRAY_SIZE(efforts), err);
    if (effort < 0 || candidate_at(question, "candidate", &candidate, err) ||
        json_number_at(question, "stop_at_s", 0, INFINITY, &stop_at_s, err) ||
        runner->measure(runner->data, &candidate, (enum measure_effort)effort, stop_at_s,
                        &measurement, err))
        return -1;
    json_object_set_new(answer, "measurement", measurement_to_json(&measurement));
    measurement_release(&measurement);
    return 0;
}

static int ask_compare(const struct json_at *question, const struct search_runner *runner,
                       json_t *answer, struct error *err)
{
    struct candidate a = {0}, b = {0};
    struct quantity ratio = quantity_unknown();
    double seconds = 0;
    bool look = false;
    if (candidate_at(question, "a", &a, err) || candidate_at(question, "b", &b, err) ||
        json_bool_at(question, "look", &look, err) ||
        json_number_at(question, "seconds", 0, INFINITY, &seconds, err))
        return -1;
    if ((look && runner->look ? runner->look : runner->compare)(runner->data, &a, &b,
                                                                seconds, &ratio, err))
        return -1;
    json_object_set_new(answer, "ratio", json_quantity(ratio));
    return 0;
}

static void add_costs(const struct search_runner *runner, json_t *answer)
{
    struct search_costs costs = {0};
    if (!runner->costs)
        return;
    runner->costs(runner->data, &costs);
    json_object_set_new(answer, "costs",
                        json_pack("{s:o, s:o, s:o, s:o, s:o, s:I, s:o, s:o}", "try_s",
                                  json_number_or_null(costs.try_s), "comparison_s",
                                  json_number_or_null(costs.comparison_s), "check_s",
                                  json_number_or_null(costs.check_s), "explain_s",
                                  json_number_or_null(costs.explain_s), "look_s",
                                  json_number_or_null(costs.look_s), "looks",
                                  (json_int_t)costs.looks.nr, "looks_s",
                                  json_number_or_null(costs.looks.seconds), "looks_error",
                                  json_number_or_null(costs.looks.error)));
}

int question_ask_runner(const struct json_at *question,
                        const struct search_runner *runner, json_t *answer,
                        struct error *err)
{
    const char *what = NULL;
    if (json_string_at(question, "what", &what, err))
        return -1;
    bool measure = !strcmp(what, "measure");
    if (!measure && strcmp(what, "compare"))
        return json_fail(question, err, "what: unknown question \"%s\"", what);
    if ((measure ? ask_measure : ask_compare)(question, runner, answer, err))
        return -1;
    add_costs(runner, answer);
    return 0;
}

/* ---- answers ---- */

json_t *answer_new(const char *question, const char *worker)
{
    return json_pack("{s:s, s:s, s:s}", "message", "answer", "question", question,
                     "worker", worker);
}

void answer_failed(json_t *answer, const struct error *err)
{
    json_object_set_new(answer, "failed",
                        json_pack("{s:i, s:o}", "status", (int)err->status, "text",
                                  text_json(err->text)));
}

int answer_status(const struct json_at *answer, struct error *err)
{
    struct json_at failed;
    const char *text = NULL;
    long long status = 0;
    if (!json_has(answer, "failed"))
        return 0;
    if (json_object_at(answer, "failed", &failed, err) ||
        json_string_at(&failed, "text", &text, err) ||
        json_integer_at(&failed, "status", 1, 255, &status, err))
        return -1;
    return fail(err, (enum status)status, "%s", text);
}

int answer_ratio(const struct json_at *answer, struct quantity *ratio, struct error *err)
{
    return json_quantity_at(answer, "ratio", ratio, err);
}

static double number_of(const json_t *object, const char *key)
{
    const json_t *number = json_object_get(object, key);
    return json_is_number(number) ? json_number_value(number) : 0;
}

void answer_costs(const json_t *answer, struct search_costs *costs)
{
    const json_t *told = json_object_get(answer, "costs");
    if (!told)
        return;
    *costs = (struct search_costs){.try_s = number_of(told, "try_s"),
                                   .comparison_s = number_of(told, "comparison_s"),
                                   .check_s = number_of(told, "check_s"),
                                   .explain_s = number_of(told, "explain_s"),
                                   .look_s = number_of(told, "look_s"),
                                   .looks = {(size_t)number_of(told, "looks"),
                                             number_of(told, "looks_s"),
                                             number_of(told, "looks_error")}};
}
