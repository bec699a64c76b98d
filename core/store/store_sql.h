/* SQLite behind a few functions: statements with their values, rows, failures as
 * sentences. Private to core/store; the one place that includes sqlite3.h. */
#ifndef CORE_STORE_STORE_SQL_H
#define CORE_STORE_STORE_SQL_H

#include <sqlite3.h>

#include "core/base.h"
#include "core/store/store.h"

struct store {
    sqlite3 *db;
    char *path;
    int claims; /* descriptor of the file of store_claim.c, -1 = not opened yet */
};

#define SQL_NOW "strftime('%Y-%m-%dT%H:%M:%SZ', 'now')"

/* "cannot DO session database 'x': why". -1. */
int sql_fail(const struct store *store, struct error *err, const char *what);

/* One statement with its values bound: types has a letter for each, t(ext, may be NULL),
 * i(nteger, long long) or z (the same, 0 = NULL). NULL on failure. Caller finalizes. */
sqlite3_stmt *sql_query(const struct store *store, struct error *err, const char *what,
                        const char *sql, const char *types, ...);

/* 1: a row is there; 0: no more; -1: failed. */
int sql_next(const struct store *store, sqlite3_stmt *statement, struct error *err,
             const char *what);

/* For statements without rows. Takes the statement, which may be NULL. */
int sql_finish_take(const struct store *store, sqlite3_stmt *statement, struct error *err,
                    const char *what);

int sql_run(const struct store *store, const char *sql, struct error *err,
            const char *what);

/* A copy; NULL for NULL. */
char *sql_column(sqlite3_stmt *statement, int column);
/* Borrowed until the next row. */
const char *sql_peek(sqlite3_stmt *statement, int column);

#endif
