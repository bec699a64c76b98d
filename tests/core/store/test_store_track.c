/* The track record in the database. */
#include <stdlib.h>
#include <string.h>

#include "tests/core/store/scratch_store.h"

SUITE(store_track);

static void track(struct fixture *fixture, long long session, const char *kernel,
                  const char *rule, const char *outcome)
{
    struct store_track row = {.session = session,
                              .machine = "here",
                              .kernel = kernel,
                              .rule = rule,
                              .transformation = "tile",
                              .verdict = "try",
                              .outcome = outcome,
                              .json = "{}"};

    check_ok(store_track_add(fixture->store, &row, &fixture->err), &fixture->err);
}

static long long finished(struct fixture *fixture)
{
    long long session = begin(fixture, "k");

    check_ok(store_session_finish(fixture->store, session, "{}", &fixture->err),
             &fixture->err);
    return session;
}

static int list_row(void *data, const struct store_track *row)
{
    struct listing *listing = data;

    buf_addf(&listing->text, "%lld %s %s %s;", row->session, row->kernel, row->rule,
             row->outcome);
    return ++listing->calls == listing->stop_at ? 5 : 0;
}

static void check_track(struct fixture *fixture, const char *machine, const char *want)
{
    struct listing listing = {0};

    check_ok(store_track_each(fixture->store, machine, NULL, list_row, &listing,
                              &fixture->err),
             &fixture->err);
    check_str(buf_str(&listing.text), want);
    buf_release(&listing.text);
}

TEST("judgements are kept by machine")
{
    struct fixture fixture = fixture_opened();
    long long session = finished(&fixture);

    track(&fixture, session, "a", "r", "hit");
    track(&fixture, session, "a", "s", "miss");
    track(&fixture, session, "a", "t", "open");
    check_track(&fixture, "here", "1 a r hit;1 a s miss;");
    check_track(&fixture, NULL, "1 a r hit;1 a s miss;");
    check_track(&fixture, "there", "");
    fixture_drop(&fixture);
}

/* Whatever happens to a session: it says one thing of a rule. */
TEST("a session counts once")
{
    struct fixture fixture = fixture_opened();
    long long session = finished(&fixture);

    track(&fixture, session, "a", "r", "miss");
    track(&fixture, session, "a", "r", "hit"); /* it was killed in between, and went on */
    check_track(&fixture, "here", "1 a r hit;");
    fixture_drop(&fixture);
}

/* Repeating a search is no further evidence; what it could not tell takes nothing back.
 */
TEST("of one kernel the last session counts")
{
    struct fixture fixture = fixture_opened();

    track(&fixture, finished(&fixture), "a", "r", "miss");
    track(&fixture, finished(&fixture), "a", "r", "hit");
    track(&fixture, finished(&fixture), "b", "r", "miss");
    track(&fixture, finished(&fixture), "a", "r", "open");
    check_track(&fixture, "here", "2 a r hit;3 b r miss;");
    fixture_drop(&fixture);
}

TEST("unfinished sessions do not count")
{
    struct fixture fixture = fixture_opened();

    track(&fixture, begin(&fixture, "k"), "a", "r", "hit");
    check_track(&fixture, "here", "");
    check_ok(store_session_finish(fixture.store, 1, "{}", &fixture.err), &fixture.err);
    check_track(&fixture, "here", "1 a r hit;");
    fixture_drop(&fixture);
}

TEST("the record can be forgotten")
{
    struct fixture fixture = fixture_opened();
    long long nr = -1;

    track(&fixture, finished(&fixture), "a", "r", "hit");
    track(&fixture, finished(&fixture), "b", "r", "hit");
    check_ok(store_track_forget(fixture.store, &nr, &fixture.err), &fixture.err);
    check_eq(nr, 2);
    check_track(&fixture, NULL, "");
    check_ok(store_track_forget(fixture.store, &nr, &fixture.err), &fixture.err);
    check_eq(nr, 0);
    fixture_drop(&fixture);
}
