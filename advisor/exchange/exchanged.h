/*
 * Sessions as documents that other programs read (inflight.results/1), and such documents
 * as sessions; spaces that were recorded, and counts and measurements that were saved
 * elsewhere, asked again. What other tuners write, advisor/exchange/inflight-exchange
 * turns into such a document and back: a measurement that came from elsewhere has the
 * keys configuration, figures, costs_ns, correctness, timestamp, more beside
 * (docs/internals/formats.md).
 */
#ifndef ADVISOR_EXCHANGE_EXCHANGED_H
#define ADVISOR_EXCHANGE_EXCHANGED_H

#include "advisor/cli/settings.h"
#include "advisor/report/numbers.h"
#include "advisor/session/context.h"
#include "core/store/store.h"
#include "core/traffic/traffic.h"

struct error;

#define results_schema "inflight.results/1"

/* All that the session measured, in order. Fails for sessions without any, and for those
 * of sweeps. Caller json_decref's. */
int results_of_session(struct store *store, const struct store_session *session,
                       json_t **results, struct error *err);
/* The keys of all measurements together; those that are missing become null. */
void results_take_head(const json_t *from, json_t *to);

/* A file of that schema, found good, or STATUS_INPUT. Caller json_decref's. */
int results_read(const char *path, json_t **root, struct error *err);

/* One finished session with all measurements of the document, or nothing: command
 * "import", title the kernel's name, report inflight.imported/1. `path` is where they
 * were read, the document one of results_read(). */
int session_of_results(struct store *store, const json_t *results, const char *path,
                       long long *session, struct error *err);

/* The report inflight.imported/1 for people: the fastest configurations, or with
 * `evidence` all of them. */
void space_text(const json_t *report, bool colour, bool evidence, int columns,
                struct buf *out);

/* A question from counts that somebody else took. */

/* Bytes through memory by the events of a CPU; traffic_bandwidth_from_counts() is one. */
typedef int counted_formula(const char *cpu, const struct count_set *set,
                            struct quantity *read_bytes, struct quantity *write_bytes,
                            char **source, struct error *err);

/*
 * settings: counts (the file), seconds_s, machine, memory, cores, access, latency_ns.
 * What the file says outright goes before `formula` (NULL = there is none). *told is the
 * caller's and outlives the question.
 */
int counted_question(const struct settings *settings, counted_formula *formula,
                     struct given *given, struct question *question, struct error *err);

/* inflight tune --replay: a strategy on a recorded space; nothing is built or run. */

/* settings->replay, strategy, seed, variants, rules, json. */
int replay_space(const struct settings *settings, struct error *err);

/* An answer from a saved measurement. */

/* settings: measurement (the file), machine, memory, cores. *told is the caller's and
 * outlives the answer; release both, also after a failure. */
int replayed_answer(const struct settings *settings, const struct rule_set *rules,
                    struct given *given, struct answer *answer, struct error *err);

/* inflight tune --save: what a search measured, as a recorded space. */

/* Writes settings->save (inflight.space/1, compressed when it ends in .gz): the plans
 * measured in the plain environment. Nothing to do without the option. Says where it is
 * on standard error. */
int save_space(struct context *bench, const struct search_result *result,
               struct error *err);

#endif
