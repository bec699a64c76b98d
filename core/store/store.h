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

#include "core/base/base.h"
#include "core/store/exchange.h"

struct store;

/* $INFLIGHT_DATABASE, else <data dir>/sessions.db. Caller frees. */
int store_default_path(char **path, struct error *err);

/* Opens or creates. A damaged file, a newer schema or a file that is no session database
 * fail with STATUS_INPUT and say what to do (it is never overwritten). A file that may
 * only be read opens; writing to it then fails. */
int store_open(const char *path, struct store **store, struct error *err);
void store_close(struct store *store); /* NULL is fine */

/* Sessions. `key` identifies what was asked (kernel source hash, sizes, contents,
 * compiler and flags, machine fingerprint, strategy): an unfinished session with the same
 * key can be resumed. */
int store_session_new(struct store *store, const char *key, const char *command,
                      const char *title, const char *setup_json, long long *session,
                      struct error *err);
/* The newest unfinished session with this key; *session = 0 if there is none. */
int store_session_unfinished(struct store *store, const char *key, long long *session,
                             struct error *err);
/* Fails with STATUS_INPUT when there is no such unfinished session: a report is never
 * replaced. */
int store_session_finish(struct store *store, long long session, const char *report_json,
                         struct error *err);

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

#endif
