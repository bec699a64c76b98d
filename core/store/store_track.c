/* The track record of the rules. */
#include "core/store/store_parts.h"

int store_track_add(struct store *store, const struct store_track *row, struct error *err)
{
    static const char what[] = "save the track record in";

    return sql_finish_take(
        store,
        sql_query(store, err, what,
                  "INSERT OR REPLACE INTO track (session, machine, kernel, rule,"
                  " transformation, verdict, outcome, broken, json, added)"
                  " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, coalesce(?, " SQL_NOW "))",
                  "ittttttitt", row->session, row->machine, row->kernel, row->rule,
                  row->transformation, row->verdict, row->outcome, (long long)row->broken,
                  row->json, row->added),
        err, what);
}

static struct store_track track_of_row(sqlite3_stmt *statement)
{
    return (struct store_track){.session = sqlite3_column_int64(statement, 0),
                                .machine = sql_peek(statement, 1),
                                .kernel = sql_peek(statement, 2),
                                .rule = sql_peek(statement, 3),
                                .transformation = sql_peek(statement, 4),
                                .verdict = sql_peek(statement, 5),
                                .outcome = sql_peek(statement, 6),
                                .broken = sqlite3_column_int64(statement, 7) != 0,
                                .json = sql_peek(statement, 8),
                                .added = sql_peek(statement, 9)};
}

int store_track_each(struct store *store, const char *machine, const char *until,
                     int (*each)(void *data, const struct store_track *row), void *data,
                     struct error *err)
{
    static const char what[] = "read the track record of";
    sqlite3_stmt *statement = sql_query(
        store, err, what,
        "SELECT session, machine, kernel, rule, transformation, verdict, outcome, broken,"
        " json, added FROM track WHERE (machine = ?1 OR ?1 IS NULL) AND id IN"
        " (SELECT max(t.id) FROM track t JOIN session s ON s.id = t.session"
        "  WHERE s.finished IS NOT NULL AND t.outcome <> 'open'"
        "  AND (t.added <= ?2 OR ?2 IS NULL)"
        "  GROUP BY t.machine, t.kernel, t.rule, t.transformation)"
        " ORDER BY id",
        "tt", machine, until);
    int result = statement ? 0 : -1, found = 0;

    while (result == 0 && (found = sql_next(store, statement, err, what)) == 1) {
        struct store_track row = track_of_row(statement);

        result = each(data, &row);
    }
    sqlite3_finalize(statement);
    return found < 0 ? -1 : result;
}

int store_track_forget(struct store *store, long long *nr, struct error *err)
{
    static const char what[] = "forget the track record of";

    *nr = 0;
    if (sql_finish_take(store, sql_query(store, err, what, "DELETE FROM track", ""), err,
                        what))
        return -1;
    *nr = sqlite3_changes(store->db);
    return 0;
}
