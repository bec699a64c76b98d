/* What the files of core/store share: SQL, the schema, claims, the place of the file;
 * lines of records. */
#ifndef CORE_STORE_STORE_PARTS_H
#define CORE_STORE_STORE_PARTS_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>

#include "core/base.h"
#include "core/store/store.h"

/* SQLite behind a few functions: statements with their values, rows, failures as
 * sentences. Private to core/store; the one place that includes sqlite3.h. */

struct store {
    sqlite3 *db;
    char *path;
    int claims; /* descriptor of the file of claims, -1 = not opened yet */
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

/* The tables, and bringing those of earlier versions up to date. Private to core/store.
 */

struct store;

/* What a file says of itself. */
struct identity {
    long long application, version, tables;
};
int schema_identify(const struct store *store, struct identity *identity,
                    struct error *err);
bool schema_is_empty(const struct identity *identity);
bool schema_is_old(const struct identity *identity);

/* Ours, and not newer than we are? */
int schema_check(const struct store *store, const struct identity *identity,
                 struct error *err);

/* Makes the tables, or adds what later versions added, in one transaction. Two processes
 * may come at the same time: the second one finds it done. */
int schema_upgrade(const struct store *store, struct error *err);

/*
 * Who works on which session: a lock on one byte of the file <database>-claims, the byte
 * of the session's number. The kernel gives it back when the process ends, however it
 * ends. Where the file cannot be made or the file system knows no locks, every claim is
 * granted. Private to core/store.
 */

struct store;

/* True: it is ours until claim_release or claims_close. False: another one has it. */
bool claim_take(struct store *store, long long session);
void claim_release(struct store *store, long long session);
void claims_close(struct store *store);

/* Where the database lies, and what that place can do. Private to core/store. */

/* Whether several machines may see this file: a write-ahead log needs memory that all its
 * users share, which they then do not have. The file need not exist. Unknown counts as
 * local. */
bool place_is_network(const char *path);

/* The same for the type that statfs gives. */
bool place_type_is_network(unsigned long type);

/* Private to core/store: between the files of records. */

/* Of the entries of a document, in their order: where its checksum stands, and what it
 * should be (caller frees). */
struct record_checksum {
    size_t offset;
    char *right;
};
/* How many entries were found, at most `most`. */
size_t record_checksums(const char *text, struct record_checksum *out, size_t max);

#endif
