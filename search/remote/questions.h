/* What a search asks a runner elsewhere, as documents: "question" and
 * "answer" (docs/internals/formats.md). */
#ifndef SEARCH_QUESTIONS_H
#define SEARCH_QUESTIONS_H

#include "core/files/json.h"
#include "search/session/subject.h"
#include "search/space/space.h"

struct error;
struct quantity;
struct search_costs;

/* {"schema", "what"}. Caller json_decref's. */
json_t *question_new(const char *what);
json_t *question_measure(const struct candidate *candidate, enum measure_effort effort,
                         double stop_at_s);
/* `look`: in what the session keeps running. */
json_t *question_compare(const struct candidate *a, const struct candidate *b, bool look,
                         double seconds);

/* The text of a file, made by the plan, under `b`, against the kernel as written under
 * `a`.
 */
json_t *question_file(const char *text, const char *plan, const struct environment *a,
                      const struct environment *b, double seconds);
/* Texts are borrowed from the document. */
int question_file_at(const struct json_at *question, const char **text, const char **plan,
                     struct environment environment[2], double *seconds,
                     struct error *err);

/* Of "measure" and "compare": asks the runner and adds what it says to the answer. Other
 * questions are refused. */
int question_ask_runner(const struct json_at *question,
                        const struct search_runner *runner, json_t *answer,
                        struct error *err);

json_t *answer_new(const char *question, const char *worker);
void answer_failed(json_t *answer, const struct error *err);
/* What the answer failed by, as its worker said it; 0 = it did not. */
int answer_status(const struct json_at *answer, struct error *err);
int answer_ratio(const struct json_at *answer, struct quantity *ratio, struct error *err);
/* What measuring takes there, where it is told. */
void answer_costs(const json_t *answer, struct search_costs *costs);

/* {"plan", "environment"}; the plan is borrowed from the document. */
json_t *candidate_json(const struct candidate *candidate);
int candidate_at(const struct json_at *at, const char *key, struct candidate *out,
                 struct error *err);

#endif
