/* Sessions: begun, claimed, found again, finished. */
#include <stdlib.h>

#include "core/store/store_parts.h"

#define SESSION_COLUMNS                                                                  \
    "id, key, command, title, started, finished, setup, report,"                         \
    " (SELECT count(DISTINCT variant) FROM measurement WHERE session = s.id)"

static int insert_session(struct store *store, const char *key, const char *command,
                          const char *title, const char *setup_json, struct error *err)
{
    static const char what[] = "begin a session in";

    return sql_finish_take(store,
                           sql_query(store, err, what,
                                     "INSERT INTO session (key, command, title, setup,"
                                     " started) VALUES (?, ?, ?, ?, " SQL_NOW ")",
                                     "tttt", key, command, title, setup_json),
                           err, what);
}

/* Claimed before anybody else can see it; within store_transaction, too. */
int store_session_new(struct store *store, const char *key, const char *command,
                      const char *title, const char *setup_json, long long *session,
                      struct error *err)
{
    static const char what[] = "begin a session in";
    long long id;

    *session = 0;
    if (sql_run(store, "SAVEPOINT session_new", err, what))
        return -1;
    if (insert_session(store, key, command, title, setup_json, err))
        goto undo;
    id = sqlite3_last_insert_rowid(store->db);
    claim_take(store, id);
    if (sql_run(store, "RELEASE session_new", err, what) == 0) {
        *session = id;
        return 0;
    }
    claim_release(store, id);
undo:
    sqlite3_exec(store->db, "ROLLBACK TO session_new; RELEASE session_new", NULL, NULL,
                 NULL);
    return -1;
}

/* The newest unfinished one below `below`, 0 if there is none. */
static int unfinished_below(const struct store *store, const char *key, long long below,
                            long long *session, struct error *err)
{
    static const char what[] = "look for a session in";
    sqlite3_stmt *statement =
        sql_query(store, err, what,
                  "SELECT max(id) FROM session"
                  " WHERE key = ? AND finished IS NULL AND (id < ? OR ? = 0)",
                  "tii", key, below, below);
    int found = statement ? sql_next(store, statement, err, what) : -1;

    *session = found == 1 ? sqlite3_column_int64(statement, 0) : 0; /* NULL gives 0 */
    sqlite3_finalize(statement);
    return found < 0 ? -1 : 0;
}

/* Claims first, then looks again: its owner may have finished it in between. */
int store_session_unfinished(struct store *store, const char *key, long long *session,
                             struct error *err)
{
    long long below = 0, found = 0, again = 0;

    *session = 0;
    for (;; below = found) {
        if (unfinished_below(store, key, below, &found, err))
            return -1;
        if (found == 0)
            return 0;
        if (!claim_take(store, found))
            continue;
        if (unfinished_below(store, key, found + 1, &again, err))
            return -1;
        if (again == found) {
            *session = found;
            return 0;
        }
        claim_release(store, found);
    }
}

int store_session_finish(struct store *store, long long session, const char *report_json,
                         struct error *err)
{
    static const char what[] = "finish a session in";

    if (sql_finish_take(store,
                        sql_query(store, err, what,
                                  "UPDATE session SET finished = " SQL_NOW ", report = ?"
                                  " WHERE id = ? AND finished IS NULL",
                                  "ti", report_json, session),
                        err, what))
        return -1;
    if (sqlite3_changes(store->db) == 1) {
        claim_release(store, session);
        return 0;
    }
    return fail(err, STATUS_INPUT, "there is no unfinished session %lld in '%s'", session,
                store->path);
}

int store_session_drop_empty(struct store *store, long long session, struct error *err)
{
    static const char what[] = "drop an empty session of";

    if (sql_finish_take(
            store,
            sql_query(store, err, what,
                      "DELETE FROM session WHERE id = ? AND finished IS NULL"
                      " AND NOT EXISTS (SELECT 1 FROM measurement WHERE session = ?)"
                      " AND NOT EXISTS (SELECT 1 FROM comparison WHERE session = ?)",
                      "iii", session, session, session),
            err, what))
        return -1;
    if (sqlite3_changes(store->db) == 1)
        claim_release(store, session);
    return 0;
}

static struct store_session session_of_row(sqlite3_stmt *statement)
{
    return (struct store_session){.id = sqlite3_column_int64(statement, 0),
                                  .key = sql_column(statement, 1),
                                  .command = sql_column(statement, 2),
                                  .title = sql_column(statement, 3),
                                  .started = sql_column(statement, 4),
                                  .finished = sql_column(statement, 5),
                                  .setup_json = sql_column(statement, 6),
                                  .report_json = sql_column(statement, 7),
                                  .variants = sqlite3_column_int64(statement, 8)};
}

void store_session_release(struct store_session *session)
{
    free(session->key);
    free(session->command);
    free(session->title);
    free(session->started);
    free(session->finished);
    free(session->setup_json);
    free(session->report_json);
    *session = (struct store_session){0};
}

int store_session_get(struct store *store, long long session, struct store_session *out,
                      struct error *err)
{
    static const char what[] = "read a session from";
    sqlite3_stmt *statement = sql_query(store, err, what,
                                        "SELECT " SESSION_COLUMNS " FROM session s"
                                        " WHERE id = ? OR ? = 0 ORDER BY id DESC LIMIT 1",
                                        "ii", session, session);
    int found = statement ? sql_next(store, statement, err, what) : -1;

    *out = (struct store_session){0};
    if (found == 1)
        *out = session_of_row(statement);
    sqlite3_finalize(statement);
    if (found == 0 && session == 0)
        return fail(err, STATUS_INPUT, "there is no session in '%s' yet", store->path);
    if (found == 0)
        return fail(err, STATUS_INPUT, "there is no session %lld in '%s'", session,
                    store->path);
    return found == 1 ? 0 : -1;
}

int store_session_each(struct store *store,
                       int (*each)(void *data, const struct store_session *session),
                       void *data, struct error *err)
{
    static const char what[] = "list the sessions of";
    sqlite3_stmt *statement =
        sql_query(store, err, what,
                  "SELECT " SESSION_COLUMNS " FROM session s ORDER BY id DESC", "");
    int result = statement ? 0 : -1, found = 0;

    while (result == 0 && (found = sql_next(store, statement, err, what)) == 1) {
        struct store_session session = session_of_row(statement);

        result = each(data, &session);
        store_session_release(&session);
    }
    sqlite3_finalize(statement);
    return found < 0 ? -1 : result;
}
