/*
 * core/store: the session database (SQLite, one file, safe for several processes,
 * survives kill -9). Stores and finds; decides nothing. Documents (kernel, machine,
 * measurement, report) are stored as JSON text made by those who own them.
 *
 * A store belongs to the process that opened it: after a fork, the child opens its own.
 * Texts handed to callbacks are borrowed until the callback returns; callbacks may read
 * from the store, but not write to it.
 */
#ifndef CORE_STORE_STORE_H
#define CORE_STORE_STORE_H

#include "core/store/record.h"

struct error;

struct store;

/* $INFLIGHT_DATABASE, else <data dir>/sessions.db. Caller frees. */
int store_default_path(char **path, struct error *err);

/* Opens or creates. A damaged file, a newer schema or a file that is no session database
 * fail with STATUS_INPUT and say what to do (it is never overwritten). A file that may
 * only be read opens; writing to it then fails. */
int store_open(const char *path, struct store **store, struct error *err);
void store_close(struct store *store); /* NULL is fine */

/* Sessions. `key` identifies what was asked (kernel, sizes, contents, compiler and flags,
 * machine fingerprint, strategy): an unfinished session with the same key can be resumed.
 * A session belongs to the store that began or continued it until it is finished, the
 * store is closed, or its process ends, even by kill -9: no other store is given it (but
 * where the file system knows no locks). */
int store_session_new(struct store *store, const char *key, const char *command,
                      const char *title, const char *setup_json, long long *session,
                      struct error *err);
/* The newest unfinished session with this key that nobody works on, now ours; *session =
 * 0 if there is none. */
int store_session_unfinished(struct store *store, const char *key, long long *session,
                             struct error *err);
/* Fails with STATUS_INPUT when there is no such unfinished session: a report is never
 * replaced. */
int store_session_finish(struct store *store, long long session, const char *report_json,
                         struct error *err);

/* Removes an unfinished session for which nothing was measured or compared: its command
 * failed before. Others stay. */
int store_session_drop_empty(struct store *store, long long session, struct error *err);

struct store_session {
    long long id;
    char *key, *command, *title;
    char *started,
        *finished;      /* UTC, "2026-01-31T12:00:00Z"; finished NULL = unfinished */
    char *setup_json;   /* NULL if none was given */
    char *report_json;  /* NULL until finished */
    long long variants; /* different ones measured so far */
};
/* session 0 = the newest. STATUS_INPUT when there is none. */
int store_session_get(struct store *store, long long session, struct store_session *out,
                      struct error *err);
void store_session_release(struct store_session *session);
/* Newest first; calls back with each; a non-zero return of the callback stops and is
 * returned. */
int store_session_each(struct store *store,
                       int (*each)(void *data, const struct store_session *session),
                       void *data, struct error *err);

/* Calls `body` and keeps all that it wrote, or, when it fails, nothing of it. Not to be
 * nested. */
int store_transaction(struct store *store, int (*body)(void *data, struct error *err),
                      void *data, struct error *err);

/* Everything a session measured or pruned, in order. `variant` is the variant's hash,
 * `json` an inflight.measurement/1 document; of a sweep, the point's name and an
 * inflight.point/1. Saved durably before return. The same
 * variant may be saved several times (repeated measurements). */
int store_measurement_add(struct store *store, long long session, const char *variant,
                          const char *json, struct error *err);
int store_measurement_each(struct store *store, long long session,
                           int (*each)(void *data, const char *variant, const char *json),
                           void *data, struct error *err);

/*
 * The same and more: what one session measured (STORE_MEASUREMENT) and compared
 * (STORE_COMPARISON, an inflight.comparison/1 document), with the key of the question, so
 * that another session that asks the same finds it.
 */
enum store_kind { STORE_MEASUREMENT, STORE_COMPARISON };

struct store_answer {
    enum store_kind kind;
    long long id, session; /* given by the store */
    const char *key;       /* of everything beside the variant; NULL = found by nobody */
    const char *variant;   /* its hash */
    const char *other;     /* of a comparison: the second one's */
    const char *json;
    const char *added; /* UTC, "2026-01-31T12:00:00Z"; NULL = now */
    long long origin; /* the answer of another session that this is a copy of; 0 = none */
};
/* Saved durably before return. */
int store_answer_add(struct store *store, long long session,
                     const struct store_answer *answer, struct error *err);

/* A non-zero return stops and is returned. */
typedef int store_answer_each(void *data, const struct store_answer *answer);
/* Of one session, in order. */
int store_session_answers(struct store *store, long long session, enum store_kind kind,
                          store_answer_each *each, void *data, struct error *err);
/* Of all sessions that asked this, oldest first; copies are left out. */
int store_result_each(struct store *store, const char *key, enum store_kind kind,
                      store_answer_each *each, void *data, struct error *err);

/*
 * The track record: what one session found of one rule. A session has one row for each
 * rule and transformation; the last one saved stands.
 */
struct store_track {
    long long session;
    const char *machine, *kernel; /* fingerprint; hash of the source */
    const char *rule, *transformation, *verdict;
    const char *outcome; /* "hit", "miss", "open" */
    bool broken;         /* what was measured lies above the predicted bound */
    const char *json;    /* bound and gain */
    const char *added;   /* NULL = now */
};
int store_track_add(struct store *store, const struct store_track *row,
                    struct error *err);
/* Hits and misses of a machine (NULL = of all) that finished sessions found until then (a
 * date as above, NULL = now), oldest first; of several sessions on one kernel only the
 * last. */
int store_track_each(struct store *store, const char *machine, const char *until,
                     int (*each)(void *data, const struct store_track *row), void *data,
                     struct error *err);
/* Forgets all of it. *nr: rows that were there. */
int store_track_forget(struct store *store, long long *nr, struct error *err);

#endif
