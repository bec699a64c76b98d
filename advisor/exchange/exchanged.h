/*
 * Sessions as spaces that other tuners read (core/store/exchange.h), and such spaces as
 * sessions. A measurement is an inflight.measurement/1 document; one that came from
 * elsewhere has the keys configuration, figures, costs_ns, correctness, timestamp, more
 * beside (docs/internals/formats.md).
 */
#ifndef ADVISOR_EXCHANGE_EXCHANGED_H
#define ADVISOR_EXCHANGE_EXCHANGED_H

#include "advisor/cli/settings.h"
#include "advisor/report/numbers.h"
#include "advisor/session/context.h"
#include "core/store/store.h"
#include "core/traffic/traffic.h"

struct error;

/* The session's measurements: of each variant the last, or the last that is explained.
 * Fails for sessions without any, and for those of sweeps. */
int space_of_session(struct store *store, const struct store_session *session,
                     struct exchange_space *out, struct error *err);

/* The same of a space that was recorded whole, a file of inflight.space/1. */
int space_of_dataset(const char *path, struct exchange_space *out, struct error *err);

/* What import stores. */
struct imported {
    const char *path;
    enum exchange_format format;
    const char *note; /* what was put right in the file; NULL = nothing */
};

/* One finished session with all results, or nothing: command "import", title the kernel's
 * name, report inflight.imported/1. */
int session_of_space(struct store *store, const struct exchange_space *space,
                     const struct imported *imported, long long *session,
                     struct error *err);

/* The report inflight.imported/1 for people: the fastest configurations, or with
 * `evidence` all of them. */
void space_text(const json_t *report, bool colour, bool evidence, int columns,
                struct buf *out);

/* What the two halves of exchanged.h share. */

/* inflight.measurement/1, one a variant, each with its timestamp. */
struct documents {
    json_t **item;
    size_t nr, alloc;
    struct error *err; /* of the callback that fills it */
};

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
