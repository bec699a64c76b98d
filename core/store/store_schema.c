#include "core/store/store_parts.h"

#include <stdlib.h>

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
