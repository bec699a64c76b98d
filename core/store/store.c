#include "core/store/store.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "core/store/store_place.h"

enum { application_id = 0x494e464c /* INFL */, schema_version = 1, busy_ms = 30000 };

struct store {
    sqlite3 *db;
    char *path;
};

static const char schema[] =
    "CREATE TABLE session ("
    " id INTEGER PRIMARY KEY AUTOINCREMENT,"
    " key TEXT NOT NULL,"
    " command TEXT NOT NULL,"
    " title TEXT NOT NULL,"
    " setup TEXT,"
    " started TEXT NOT NULL,"
    " finished TEXT,"
    " report TEXT);"
    "CREATE INDEX session_key ON session (key);"
    "CREATE TABLE measurement ("
    " id INTEGER PRIMARY KEY AUTOINCREMENT,"
    " session INTEGER NOT NULL REFERENCES session (id) ON DELETE CASCADE,"
    " variant TEXT NOT NULL,"
    " json TEXT NOT NULL);"
    "CREATE INDEX measurement_session ON measurement (session, variant);";

#define NOW "strftime('%Y-%m-%dT%H:%M:%SZ', 'now')"
#define SESSION_COLUMNS                                                                  \
    "id, key, command, title, started, finished, setup, report,"                         \
    " (SELECT count(DISTINCT variant) FROM measurement WHERE session = s.id)"

static const struct {
    int code;
    enum status status;
    const char *text;
} causes[] = {
    {SQLITE_BUSY, STATUS_FAILED, "another process keeps it locked"},
    {SQLITE_LOCKED, STATUS_FAILED, "it is being read by this program"},
    {SQLITE_CORRUPT, STATUS_INPUT,
     "it is damaged; move it away, or rescue what is left with sqlite3's .recover"},
    {SQLITE_NOTADB, STATUS_INPUT, "it is no database; move it away or name another file"},
    {SQLITE_FULL, STATUS_MISSING, "no space is left there"},
    {SQLITE_READONLY, STATUS_FAILED, "it may not be written"},
};

/* "cannot DO session database 'x': why" */
static int fail_sql(const struct store *store, struct error *err, const char *what)
{
    int code = sqlite3_errcode(store->db) & 0xff,
        system = sqlite3_system_errno(store->db);

    for (size_t i = 0; i < ARRAY_SIZE(causes); i++)
        if (causes[i].code == code)
            return fail(err, causes[i].status, "cannot %s session database '%s': %s",
                        what, store->path, causes[i].text);
    return fail(
        err, STATUS_FAILED, "cannot %s session database '%s': %s", what, store->path,
        code == SQLITE_CANTOPEN && system ? strerror(system) : sqlite3_errmsg(store->db));
}

/* One statement with its values bound: types has a letter for each, t(ext, may be NULL)
 * or i(nteger, long long). NULL on failure. Caller finalizes. */
static sqlite3_stmt *query(const struct store *store, struct error *err, const char *what,
                           const char *sql, const char *types, ...)
{
    sqlite3_stmt *statement = NULL;
    va_list args;
    int code = sqlite3_prepare_v2(store->db, sql, -1, &statement, NULL);

    va_start(args, types);
    for (int i = 0; types[i] && code == SQLITE_OK; i++)
        code = types[i] == 'i'
                   ? sqlite3_bind_int64(statement, i + 1, va_arg(args, long long))
                   : sqlite3_bind_text(statement, i + 1, va_arg(args, const char *), -1,
                                       SQLITE_TRANSIENT);
    va_end(args);
    if (code == SQLITE_OK)
        return statement;
    fail_sql(store, err, what);
    sqlite3_finalize(statement);
    return NULL;
}

/* 1: a row is there; 0: no more; -1: failed. */
static int next_row(const struct store *store, sqlite3_stmt *statement, struct error *err,
                    const char *what)
{
    int code = sqlite3_step(statement);

    if (code == SQLITE_ROW)
        return 1;
    return code == SQLITE_DONE ? 0 : fail_sql(store, err, what);
}

/* For statements without rows. Takes the statement, which may be NULL. */
static int finish_take(const struct store *store, sqlite3_stmt *statement,
                       struct error *err, const char *what)
{
    int result = statement ? next_row(store, statement, err, what) : -1;

    sqlite3_finalize(statement);
    return result;
}

static int run(const struct store *store, const char *sql, struct error *err,
               const char *what)
{
    if (sqlite3_exec(store->db, sql, NULL, NULL, NULL) == SQLITE_OK)
        return 0;
    return fail_sql(store, err, what);
}

static char *column_text(sqlite3_stmt *statement, int column)
{
    return xstrdup((const char *)sqlite3_column_text(statement, column));
}

/* What a file says of itself. */
struct identity {
    long long application, version, tables;
};

static int identify(const struct store *store, struct identity *identity,
                    struct error *err)
{
    static const char what[] = "open";
    sqlite3_stmt *statement =
        query(store, err, what,
              "SELECT application_id, user_version, (SELECT count(*) FROM sqlite_master)"
              " FROM pragma_application_id, pragma_user_version",
              "");
    int found = statement ? next_row(store, statement, err, what) : -1;

    if (found == 1) {
        identity->application = sqlite3_column_int64(statement, 0);
        identity->version = sqlite3_column_int64(statement, 1);
        identity->tables = sqlite3_column_int64(statement, 2);
    }
    sqlite3_finalize(statement);
    return found == 1 ? 0 : -1;
}

static bool is_empty(const struct identity *identity)
{
    return !identity->application && !identity->version && !identity->tables;
}

static int check_identity(const struct store *store, const struct identity *identity,
                          struct error *err)
{
    if (identity->application != application_id)
        return fail(err, STATUS_INPUT,
                    "'%s' is a database of another program; name another file",
                    store->path);
    if (identity->version == schema_version)
        return 0;
    return fail(err, STATUS_INPUT,
                "session database '%s' has schema %lld, this program knows %d; use the "
                "program that wrote it or name another file",
                store->path, identity->version, schema_version);
}

/* The reason of the first damage found, if any. */
static int check_pages(const struct store *store, struct error *err)
{
    static const char what[] = "open";
    sqlite3_stmt *statement = query(store, err, what, "PRAGMA quick_check(1)", "");
    int found = statement ? next_row(store, statement, err, what) : -1;
    int result = -1;

    if (found == 1 && strcmp((const char *)sqlite3_column_text(statement, 0), "ok") == 0)
        result = 0;
    else if (found == 1)
        fail(
            err, STATUS_INPUT,
            "session database '%s' is damaged (%s); move it away, or rescue what is left "
            "with sqlite3's .recover",
            store->path, sqlite3_column_text(statement, 0));
    sqlite3_finalize(statement);
    return result;
}

/* Two processes may come at the same time: the second one finds it done. */
static int create_schema(const struct store *store, struct error *err)
{
    static const char what[] = "set up";
    struct identity identity;
    char *number = NULL;
    int result = -1;

    if (run(store, "BEGIN IMMEDIATE", err, what))
        return -1;
    if (identify(store, &identity, err))
        goto out;
    if (is_empty(&identity)) {
        number = xasprintf("PRAGMA application_id = %d; PRAGMA user_version = %d;",
                           application_id, schema_version);
        if (run(store, schema, err, what) || run(store, number, err, what))
            goto out;
    }
    result = run(store, "COMMIT", err, what);
out:
    if (result)
        sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
    free(number);
    return result;
}

/*
 * A committed measurement must outlive a power failure: the log, or the journal and the
 * folder that it is removed from, are synced at every commit. The mode is a wish: while
 * others are at work it stays as it is, and either mode is safe.
 */
static void choose_journal(const struct store *store)
{
    bool network = place_is_network(store->path);

    sqlite3_exec(store->db,
                 network ? "PRAGMA journal_mode = DELETE" : "PRAGMA journal_mode = WAL",
                 NULL, NULL, NULL);
    sqlite3_exec(store->db,
                 network ? "PRAGMA synchronous = EXTRA" : "PRAGMA synchronous = FULL",
                 NULL, NULL, NULL);
}

/* First looks, then writes: a file that is not ours stays as it is. */
static int prepare(const struct store *store, struct error *err)
{
    struct identity identity;

    sqlite3_busy_timeout(store->db, busy_ms);
    if (run(store, "PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF", err,
            "open") ||
        identify(store, &identity, err))
        return -1;
    if (!is_empty(&identity) &&
        (check_identity(store, &identity, err) || check_pages(store, err)))
        return -1;
    if (sqlite3_db_readonly(store->db, "main") != 1)
        choose_journal(store);
    if (!is_empty(&identity))
        return 0;
    return create_schema(store, err) || identify(store, &identity, err) ||
           check_identity(store, &identity, err);
}

int store_open(const char *path, struct store **out, struct error *err)
{
    struct store *store = xcalloc(1, sizeof(*store));
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_FULLMUTEX;

    *out = NULL;
    store->path = path_absolute(path); /* also keeps "file:" and ":memory:" plain names */
    if (sqlite3_open_v2(store->path, &store->db, flags, NULL) != SQLITE_OK)
        fail_sql(store, err, "open");
    else if (prepare(store, err) == 0) {
        *out = store;
        return 0;
    }
    store_close(store);
    return -1;
}

void store_close(struct store *store)
{
    if (!store)
        return;
    sqlite3_close(store->db);
    free(store->path);
    free(store);
}

int store_session_new(struct store *store, const char *key, const char *command,
                      const char *title, const char *setup_json, long long *session,
                      struct error *err)
{
    static const char what[] = "begin a session in";

    *session = 0;
    if (finish_take(store,
                    query(store, err, what,
                          "INSERT INTO session (key, command, title, setup, started)"
                          " VALUES (?, ?, ?, ?, " NOW ")",
                          "tttt", key, command, title, setup_json),
                    err, what))
        return -1;
    *session = sqlite3_last_insert_rowid(store->db);
    return 0;
}

int store_session_unfinished(struct store *store, const char *key, long long *session,
                             struct error *err)
{
    static const char what[] = "look for a session in";
    sqlite3_stmt *statement = query(store, err, what,
                                    "SELECT max(id) FROM session"
                                    " WHERE key = ? AND finished IS NULL",
                                    "t", key);
    int found = statement ? next_row(store, statement, err, what) : -1;

    *session = found == 1 ? sqlite3_column_int64(statement, 0) : 0; /* NULL gives 0 */
    sqlite3_finalize(statement);
    return found < 0 ? -1 : 0;
}

int store_session_finish(struct store *store, long long session, const char *report_json,
                         struct error *err)
{
    static const char what[] = "finish a session in";

    if (finish_take(store,
                    query(store, err, what,
                          "UPDATE session SET finished = " NOW ", report = ?"
                          " WHERE id = ? AND finished IS NULL",
                          "ti", report_json, session),
                    err, what))
        return -1;
    if (sqlite3_changes(store->db) == 1)
        return 0;
    return fail(err, STATUS_INPUT, "there is no unfinished session %lld in '%s'", session,
                store->path);
}

static struct store_session session_of_row(sqlite3_stmt *statement)
{
    return (struct store_session){.id = sqlite3_column_int64(statement, 0),
                                  .key = column_text(statement, 1),
                                  .command = column_text(statement, 2),
                                  .title = column_text(statement, 3),
                                  .started = column_text(statement, 4),
                                  .finished = column_text(statement, 5),
                                  .setup_json = column_text(statement, 6),
                                  .report_json = column_text(statement, 7),
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
    sqlite3_stmt *statement = query(store, err, what,
                                    "SELECT " SESSION_COLUMNS " FROM session s"
                                    " WHERE id = ? OR ? = 0 ORDER BY id DESC LIMIT 1",
                                    "ii", session, session);
    int found = statement ? next_row(store, statement, err, what) : -1;

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
        query(store, err, what,
              "SELECT " SESSION_COLUMNS " FROM session s ORDER BY id DESC", "");
    int result = statement ? 0 : -1, found = 0;

    while (result == 0 && (found = next_row(store, statement, err, what)) == 1) {
        struct store_session session = session_of_row(statement);

        result = each(data, &session);
        store_session_release(&session);
    }
    sqlite3_finalize(statement);
    return found < 0 ? -1 : result;
}

int store_measurement_add(struct store *store, long long session, const char *variant,
                          const char *json, struct error *err)
{
    static const char what[] = "save a measurement in";
    sqlite3_stmt *statement =
        query(store, err, what,
              "INSERT INTO measurement (session, variant, json) VALUES (?, ?, ?)", "itt",
              session, variant, json);

    if (statement && sqlite3_step(statement) == SQLITE_DONE) {
        sqlite3_finalize(statement);
        return 0;
    }
    if (sqlite3_extended_errcode(store->db) == SQLITE_CONSTRAINT_FOREIGNKEY)
        fail(err, STATUS_INPUT, "there is no session %lld in '%s'", session, store->path);
    else
        fail_sql(store, err, what);
    sqlite3_finalize(statement);
    return -1;
}

int store_measurement_each(struct store *store, long long session,
                           int (*each)(void *data, const char *variant, const char *json),
                           void *data, struct error *err)
{
    static const char what[] = "read the measurements of";
    sqlite3_stmt *statement =
        query(store, err, what,
              "SELECT variant, json FROM measurement WHERE session = ? ORDER BY id", "i",
              session);
    int result = statement ? 0 : -1, found = 0;

    while (result == 0 && (found = next_row(store, statement, err, what)) == 1)
        result = each(data, (const char *)sqlite3_column_text(statement, 0),
                      (const char *)sqlite3_column_text(statement, 1));
    sqlite3_finalize(statement);
    return found < 0 ? -1 : result;
}

int store_transaction(struct store *store, int (*body)(void *data, struct error *err),
                      void *data, struct error *err)
{
    static const char what[] = "write to";

    if (run(store, "BEGIN IMMEDIATE", err, what))
        return -1;
    if (body(data, err) == 0 && run(store, "COMMIT", err, what) == 0)
        return 0;
    sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
    return -1;
}
