#include "core/store/store_parts.h"

#include <stdarg.h>
#include <string.h>

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
