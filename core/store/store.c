#define _GNU_SOURCE    /* F_OFD_SETLK: locks of this store, not of all that the process  \
                          opens */
#include "core/store/store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "core/files/trust.h"
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
 * there keeps its mode, such as one that others may read; sqlite gives it to its log,
 * too.
 */
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

/* What it holds is believed, and SQLite brings in what lies beside it by its name: so
 * nobody else may write there. A link is looked at at both ends. */
static int look_at_place(const char *path, struct error *err)
{
    static const char *const beside[] = {"", "-wal", "-shm", "-journal", "-claims"};
    char *real = realpath(path, NULL), *folder = path_folder(path),
         *other = path_folder(real ? real : path);
    int result = (dir_exists(folder) && trust_folder(folder, TRUST_KEPT, err)) ||
                         (dir_exists(other) && trust_folder(other, TRUST_KEPT, err))
                     ? -1
                     : 0;

    for (size_t i = 0; i < ARRAY_SIZE(beside) && !result; i++) {
        char *file = xasprintf("%s%s", real ? real : path, beside[i]);
        if (!dir_exists(file))
            result = trust_look(file, err);
        free(file);
    }
    free(other);
    free(folder);
    free(real);
    return result;
}

int store_open(const char *path, struct store **out, struct error *err)
{
    struct store *store = xcalloc(1, sizeof(*store));
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_FULLMUTEX;

    *out = NULL;
    store->claims = -1;
    store->path = path_absolute(path); /* also keeps "file:" and ":memory:" plain names */
    if (!dir_exists(store->path) && look_at_place(store->path, err)) {
        store_close(store);
        return fail_in(err, "session database");
    }
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

enum { application_id = 0x494e464c /* INFL */ };

/* Each version adds to the one before; a new file gets all of them. */
static const char *const steps[] = {
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
    "CREATE INDEX measurement_session ON measurement (session, variant);",

    /* key, added: NULL in what version 1 wrote (its keys said too little), also while it
     * still has the file open; origin: the answer that this one is a copy of. */
    "ALTER TABLE measurement ADD COLUMN key TEXT;"
    "ALTER TABLE measurement ADD COLUMN added TEXT;"
    "ALTER TABLE measurement ADD COLUMN origin INTEGER;"
    "CREATE INDEX measurement_key ON measurement (key) WHERE key IS NOT NULL;"
    "CREATE TABLE comparison ("
    " id INTEGER PRIMARY KEY AUTOINCREMENT,"
    " session INTEGER NOT NULL REFERENCES session (id) ON DELETE CASCADE,"
    " variant TEXT NOT NULL,"
    " other TEXT NOT NULL,"
    " json TEXT NOT NULL,"
    " key TEXT,"
    " added TEXT,"
    " origin INTEGER);"
    "CREATE INDEX comparison_session ON comparison (session);"
    "CREATE INDEX comparison_key ON comparison (key) WHERE key IS NOT NULL;"
    "CREATE TABLE track ("
    " id INTEGER PRIMARY KEY AUTOINCREMENT,"
    " session INTEGER NOT NULL REFERENCES session (id) ON DELETE CASCADE,"
    " machine TEXT NOT NULL,"
    " kernel TEXT NOT NULL,"
    " rule TEXT NOT NULL,"
    " transformation TEXT NOT NULL,"
    " verdict TEXT NOT NULL,"
    " outcome TEXT NOT NULL,"
    " broken INTEGER NOT NULL,"
    " json TEXT NOT NULL,"
    " added TEXT NOT NULL,"
    " UNIQUE (session, rule, transformation));"
    "CREATE INDEX track_machine ON track (machine, rule);",
};

int schema_identify(const struct store *store, struct identity *identity,
                    struct error *err)
{
    static const char what[] = "open";
    sqlite3_stmt *statement = sql_query(
        store, err, what,
        "SELECT application_id, user_version, (SELECT count(*) FROM sqlite_master)"
        " FROM pragma_application_id, pragma_user_version",
        "");
    int found = statement ? sql_next(store, statement, err, what) : -1;

    if (found == 1) {
        identity->application = sqlite3_column_int64(statement, 0);
        identity->version = sqlite3_column_int64(statement, 1);
        identity->tables = sqlite3_column_int64(statement, 2);
    }
    sqlite3_finalize(statement);
    return found == 1 ? 0 : -1;
}

bool schema_is_empty(const struct identity *identity)
{
    return !identity->application && !identity->version && !identity->tables;
}

bool schema_is_old(const struct identity *identity)
{
    return identity->version < (long long)ARRAY_SIZE(steps);
}

int schema_check(const struct store *store, const struct identity *identity,
                 struct error *err)
{
    if (identity->application != application_id || identity->version < 1)
        return fail(err, STATUS_INPUT,
                    "'%s' is a database of another program; name another file",
                    store->path);
    if (identity->version <= (long long)ARRAY_SIZE(steps))
        return 0;
    return fail(err, STATUS_INPUT,
                "session database '%s' has schema %lld, this program knows %zu; use the "
                "program that wrote it or name another file",
                store->path, identity->version, ARRAY_SIZE(steps));
}

static int upgrade_from(const struct store *store, long long version, struct error *err)
{
    static const char what[] = "set up";
    char *number = xasprintf("PRAGMA application_id = %d; PRAGMA user_version = %zu;",
                             application_id, ARRAY_SIZE(steps));
    int result = 0;

    for (size_t i = (size_t)version; result == 0 && i < ARRAY_SIZE(steps); i++)
        result = sql_run(store, steps[i], err, what);
    if (result == 0)
        result = sql_run(store, number, err, what);
    free(number);
    return result;
}

int schema_upgrade(const struct store *store, struct error *err)
{
    static const char what[] = "set up";
    struct identity identity;
    int result = -1;

    if (sql_run(store, "BEGIN IMMEDIATE", err, what))
        return -1;
    if (schema_identify(store, &identity, err) ||
        (!schema_is_empty(&identity) && schema_check(store, &identity, err)) ||
        upgrade_from(store, identity.version, err))
        goto out;
    result = sql_run(store, "COMMIT", err, what);
out:
    if (result)
        sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
    return result;
}

/* From linux/magic.h where it has them, else from the file system's own sources. */
static const unsigned long network_types[] = {
    0x00006969, /* nfs */
    0x0000517b, /* smb */
    0xff534d42, /* cifs */
    0xfe534d42, /* smb2, smb3 */
    0x5346414f, /* afs */
    0x6b414653, /* kafs */
    0x73757245, /* coda */
    0x01021997, /* 9p */
    0x65735546, /* fuse: sshfs and the like, also virtiofs */
    0x00c36400, /* ceph */
    0x0bd00bd0, /* lustre */
    0x47504653, /* gpfs */
    0x19830326, /* beegfs */
    0xaad7aaea, /* panfs */
    0x20030528, /* pvfs2, orangefs */
    0x01161970, /* gfs2 */
    0x7461636f, /* ocfs2 */
    0x786f4256, /* vboxsf */
};

int store_default_path(char **path, struct error *err)
{
    const char *set = getenv("INFLIGHT_DATABASE");
    char *dir;

    *path = NULL;
    if (set && *set) {
        *path = xstrdup(set);
        return 0;
    }
    if (data_dir(&dir, err))
        return -1;
    *path = path_join(dir, "sessions.db");
    free(dir);
    return 0;
}

bool place_type_is_network(unsigned long type)
{
    for (size_t i = 0; i < ARRAY_SIZE(network_types); i++)
        if (network_types[i] == (type & 0xffffffff)) /* a signed int on some systems */
            return true;
    return false;
}

bool place_is_network(const char *path)
{
    char *folder = path_absolute(path);
    struct statfs found;
    bool known = statfs(folder, &found) == 0;

    if (!known) { /* not there yet */
        *strrchr(folder, '/') = '\0';
        known = statfs(*folder ? folder : "/", &found) == 0;
    }
    free(folder);
    return known && place_type_is_network((unsigned long)found.f_type);
}

/* As the database has it, so that who may write the one may write the other. */
static mode_t mode_of(const char *path)
{
    struct stat found;
    return stat(path, &found) ? 0600 : found.st_mode & 0666;
}

static void open_claims(struct store *store)
{
    char *path = xasprintf("%s-claims", store->path);

    if (store->claims < 0)
        store->claims = open(path, O_RDWR | O_CREAT | O_CLOEXEC, mode_of(store->path));
    free(path);
}

static int set_lock(const struct store *store, long long session, int type)
{
    struct flock lock = {.l_type = (short)type,
                         .l_whence = SEEK_SET,
                         .l_start = (off_t)session,
                         .l_len = 1};
    int result;

    do
        result = fcntl(store->claims, F_OFD_SETLK, &lock);
    while (result && errno == EINTR);
    return result;
}

bool claim_take(struct store *store, long long session)
{
    open_claims(store);
    if (store->claims < 0 || set_lock(store, session, F_WRLCK) == 0)
        return true;
    return errno != EAGAIN && errno != EACCES;
}

void claim_release(struct store *store, long long session)
{
    if (store->claims >= 0)
        set_lock(store, session, F_UNLCK);
}

void claims_close(struct store *store)
{
    if (store->claims >= 0)
        close(store->claims);
    store->claims = -1;
}

static const struct {
    int code;
    enum status status;
    const char *text;
} causes[] = {
    {SQLITE_BUSY, STATUS_FAILED, "another process keeps it locked"},
    {SQLITE_LOCKED, STATUS_FAILED, "it is being read by this program"},
    {SQLITE_CORRUPT, STATUS_INPUT,
     "it is damaged; move it away, or rescue what is left with sqlite3's .recover"},
    {SQLITE_NOTADB, STATUS_INPUT,
     "it is not a database; move it away or name another file"},
    {SQLITE_FULL, STATUS_MISSING, "no space is left there"},
    {SQLITE_READONLY, STATUS_FAILED,
     "it may not be written; name another with --database or INFLIGHT_DATABASE"},
};

int sql_fail(const struct store *store, struct error *err, const char *what)
{
    int code = sqlite3_errcode(store->db) & 0xff,
        system = sqlite3_system_errno(store->db);

    for (size_t i = 0; i < ARRAY_SIZE(causes); i++)
        if (causes[i].code == code)
            return fail(err, causes[i].status, "cannot %s session database '%s': %s",
                        what, store->path, causes[i].text);
    return fail(
        err, STATUS_FAILED, "cannot %s session database '%s': %s%s", what, store->path,
        code == SQLITE_CANTOPEN && system ? strerror(system) : sqlite3_errmsg(store->db),
        code == SQLITE_CANTOPEN ? "; name another with --database or INFLIGHT_DATABASE"
                                : "");
}

static int bind_integer(sqlite3_stmt *statement, int at, long long value, bool or_null)
{
    return or_null && !value ? sqlite3_bind_null(statement, at)
                             : sqlite3_bind_int64(statement, at, value);
}

sqlite3_stmt *sql_query(const struct store *store, struct error *err, const char *what,
                        const char *sql, const char *types, ...)
{
    sqlite3_stmt *statement = NULL;
    va_list args;
    int code = sqlite3_prepare_v2(store->db, sql, -1, &statement, NULL);

    va_start(args, types);
    for (int i = 0; types[i] && code == SQLITE_OK; i++)
        code = types[i] == 't'
                   ? sqlite3_bind_text(statement, i + 1, va_arg(args, const char *), -1,
                                       SQLITE_TRANSIENT)
                   : bind_integer(statement, i + 1, va_arg(args, long long),
                                  types[i] == 'z');
    va_end(args);
    if (code == SQLITE_OK)
        return statement;
    sql_fail(store, err, what);
    sqlite3_finalize(statement);
    return NULL;
}

int sql_next(const struct store *store, sqlite3_stmt *statement, struct error *err,
             const char *what)
{
    int code = sqlite3_step(statement);

    if (code == SQLITE_ROW)
        return 1;
    return code == SQLITE_DONE ? 0 : sql_fail(store, err, what);
}

int sql_finish_take(const struct store *store, sqlite3_stmt *statement, struct error *err,
                    const char *what)
{
    int result = statement ? sql_next(store, statement, err, what) : -1;

    sqlite3_finalize(statement);
    return result;
}

int sql_run(const struct store *store, const char *sql, struct error *err,
            const char *what)
{
    if (sqlite3_exec(store->db, sql, NULL, NULL, NULL) == SQLITE_OK)
        return 0;
    return sql_fail(store, err, what);
}

const char *sql_peek(sqlite3_stmt *statement, int column)
{
    return (const char *)sqlite3_column_text(statement, column);
}

char *sql_column(sqlite3_stmt *statement, int column)
{
    return xstrdup(sql_peek(statement, column));
}
