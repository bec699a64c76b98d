/* What sessions measured and compared. */
#include "core/store/store_parts.h"

static const struct {
    const char *insert, *of_session, *of_key;
} answers[] = {
#define COLUMNS(table, other)                                                            \
    "SELECT a.id, a.session, a.key, a.variant, " other ", a.json,"                       \
    " coalesce(a.added, s.started), coalesce(a.origin, 0)"                               \
    " FROM " table " a JOIN session s ON s.id = a.session"
/* A copy is as old as what it is a copy of. */
#define ADDED(table)                                                                     \
    "coalesce(?5, (SELECT o.added FROM " table " o WHERE o.id = ?6), " SQL_NOW ")"
    [STORE_MEASUREMENT] =
        {"INSERT INTO measurement"
         " (session, key, variant, json, added, origin)"
         " VALUES (?1, ?2, ?3, ?4, " ADDED("measurement") ", ?6)",
         COLUMNS("measurement", "NULL") " WHERE a.session = ? ORDER BY a.id",
         COLUMNS("measurement",
                 "NULL") " WHERE a.key = ? AND a.origin IS NULL ORDER BY a.id"},
    [STORE_COMPARISON] =
        {"INSERT INTO comparison"
         " (session, key, variant, json, added, origin, other)"
         " VALUES (?1, ?2, ?3, ?4, " ADDED("comparison") ", ?6, ?7)",
         COLUMNS("comparison", "a.other") " WHERE a.session = ? ORDER BY a.id",
         COLUMNS("comparison",
                 "a.other") " WHERE a.key = ? AND a.origin IS NULL ORDER BY a.id"},
#undef COLUMNS
#undef ADDED
};

int store_answer_add(struct store *store, long long session,
                     const struct store_answer *answer, struct error *err)
{
    static const char what[] = "save a measurement in";
    sqlite3_stmt *statement = sql_query(
        store, err, what, answers[answer->kind].insert,
        answer->kind == STORE_COMPARISON ? "ittttzt" : "ittttz", session, answer->key,
        answer->variant, answer->json, answer->added, answer->origin, answer->other);

    if (statement && sqlite3_step(statement) == SQLITE_DONE) {
        sqlite3_finalize(statement);
        return 0;
    }
    if (sqlite3_extended_errcode(store->db) == SQLITE_CONSTRAINT_FOREIGNKEY)
        fail(err, STATUS_INPUT, "there is no session %lld in '%s'", session, store->path);
    else
        sql_fail(store, err, what);
    sqlite3_finalize(statement);
    return -1;
}

static struct store_answer answer_of_row(sqlite3_stmt *statement, enum store_kind kind)
{
    return (struct store_answer){.kind = kind,
                                 .id = sqlite3_column_int64(statement, 0),
                                 .session = sqlite3_column_int64(statement, 1),
                                 .key = sql_peek(statement, 2),
                                 .variant = sql_peek(statement, 3),
                                 .other = sql_peek(statement, 4),
                                 .json = sql_peek(statement, 5),
                                 .added = sql_peek(statement, 6),
                                 .origin = sqlite3_column_int64(statement, 7)};
}

/* Takes the statement, which may be NULL. */
static int each_row_take(const struct store *store, sqlite3_stmt *statement,
                         enum store_kind kind, store_answer_each *each, void *data,
                         struct error *err)
{
    static const char what[] = "read the measurements of";
    int result = statement ? 0 : -1, found = 0;

    while (result == 0 && (found = sql_next(store, statement, err, what)) == 1) {
        struct store_answer answer = answer_of_row(statement, kind);

        result = each(data, &answer);
    }
    sqlite3_finalize(statement);
    return found < 0 ? -1 : result;
}

int store_session_answers(struct store *store, long long session, enum store_kind kind,
                          store_answer_each *each, void *data, struct error *err)
{
    static const char what[] = "read the measurements of";

    return each_row_take(
        store, sql_query(store, err, what, answers[kind].of_session, "i", session), kind,
        each, data, err);
}

int store_result_each(struct store *store, const char *key, enum store_kind kind,
                      store_answer_each *each, void *data, struct error *err)
{
    static const char what[] = "look for measurements in";

    return each_row_take(store,
                         sql_query(store, err, what, answers[kind].of_key, "t", key),
                         kind, each, data, err);
}

int store_measurement_add(struct store *store, long long session, const char *variant,
                          const char *json, struct error *err)
{
    struct store_answer answer = {.variant = variant, .json = json};

    return store_answer_add(store, session, &answer, err);
}

struct measurement_listing {
    int (*each)(void *data, const char *variant, const char *json);
    void *data;
};

static int list_measurement(void *data, const struct store_answer *answer)
{
    struct measurement_listing *listing = data;

    return listing->each(listing->data, answer->variant, answer->json);
}

int store_measurement_each(struct store *store, long long session,
                           int (*each)(void *data, const char *variant, const char *json),
                           void *data, struct error *err)
{
    struct measurement_listing listing = {each, data};

    return store_session_answers(store, session, STORE_MEASUREMENT, list_measurement,
                                 &listing, err);
}
