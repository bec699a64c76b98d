#include "core/store/store.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/store/store_parts.h"

enum { busy_ms = 30000 };

/* The reason of the first damage found, if any. */
static int check_pages(const struct store *store, struct error *err)
{
    static const char what[] = "open";
    sqlite3_stmt *statement = sql_query(store, err, what, "PRAGMA quick_check(1)", "");
    int found = statement ? sql_next(store, statement, err, what) : -1;
    int result = -1;

    if (found == 1 && strcmp(sql_peek(statement, 0), "ok") == 0)
        result = 0;
    else if (found == 1)
        fail(
            err, STATUS_INPUT,
            "session database '%s' is damaged (%s); move it away, or rescue what is left "
            "with sqlite3's .recover",
            store->path, sql_peek(statement, 0));
    sqlite3_finalize(statement);
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
    bool read_only;

    sqlite3_busy_timeout(store->db, busy_ms);
    if (sql_run(store, "PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF", err,
                "open") ||
        schema_identify(store, &identity, err))
        return -1;
    if (!schema_is_empty(&identity) &&
        (schema_check(store, &identity, err) || check_pages(store, err)))
        return -1;
    read_only = sqlite3_db_readonly(store->db, "main") == 1;
    if (read_only && schema_is_old(&identity))
        return fail(err, STATUS_FAILED,
                    "session database '%s' was written by an earlier version and may not "
                    "be written, so it cannot be brought up to date; copy it to where it "
                    "may be and name the copy",
                    store->path);
    if (!read_only)
        choose_journal(store);
    return schema_is_old(&identity) ? schema_upgrade(store, err) : 0;
}

/* What was measured is its user's own: a new database is for nobody else. One that is
 * there keeps its mode, such as that of a group which shares it; sqlite gives it to its
 * log, too. */
static bool make_private(const char *path)
{
    int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd >= 0)
        close(fd);
    return fd >= 0;
}

/* One that we made and that holds nothing yet is none: a full disk ended it. */
static void remove_empty(const struct store *store)
{
    static const char *const ends[] = {"", "-wal", "-shm", "-journal"};
    for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
        char *path = xasprintf("%s%s", store->path, ends[i]);
        unlink(path);
        free(path);
    }
}

int store_open(const char *path, struct store **out, struct error *err)
{
    struct store *store = xcalloc(1, sizeof(*store));
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_FULLMUTEX;

    *out = NULL;
    store->claims = -1;
    store->path = path_absolute(path); /* also keeps "file:" and ":memory:" plain names */
    bool made = make_private(store->path);
    if (sqlite3_open_v2(store->path, &store->db, flags, NULL) != SQLITE_OK)
        sql_fail(store, err, "open");
    else if (prepare(store, err) == 0) {
        *out = store;
        return 0;
    }
    if (made)
        remove_empty(store);
    store_close(store);
    return -1;
}

void store_close(struct store *store)
{
    if (!store)
        return;
    sqlite3_close(store->db);
    claims_close(store);
    free(store->path);
    free(store);
}

int store_transaction(struct store *store, int (*body)(void *data, struct error *err),
                      void *data, struct error *err)
{
    static const char what[] = "write to";

    if (sql_run(store, "BEGIN IMMEDIATE", err, what))
        return -1;
    if (body(data, err) == 0 && sql_run(store, "COMMIT", err, what) == 0)
        return 0;
    sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
    return -1;
}
