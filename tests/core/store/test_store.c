#include <stdlib.h>
#include <string.h>

#include "core/store/store_parts.h"
#include "tests/core/store/scratch_store.h"

SUITE(store);

static int list_session(void *data, const struct store_session *session)
{
    struct listing *listing = data;

    buf_addf(&listing->text, "%lld %s %s;", session->id, session->key,
             session->finished ? "done" : "open");
    return ++listing->calls == listing->stop_at ? 5 : 0;
}

static void check_measurements(struct fixture *fixture, long long session,
                               const char *want)
{
    struct listing listing = {0};

    check_ok(store_measurement_each(fixture->store, session, list_measurement, &listing,
                                    &fixture->err),
             &fixture->err);
    check_str(buf_str(&listing.text), want);
    buf_release(&listing.text);
}

TEST("what is stored comes back")
{
    struct fixture fixture = fixture_opened();
    struct store_session got;
    long long session = begin(&fixture, "key");

    add(&fixture, session, "b", "{\"x\": \"it's \\u00e4 \xc3\xa4\"}");
    add(&fixture, session, "a", "2");
    add(&fixture, session, "b", "3");
    check_ok(store_session_finish(fixture.store, session, "{\"r\":1}", &fixture.err),
             &fixture.err);
    reopen(&fixture);
    check_ok(store_session_get(fixture.store, session, &got, &fixture.err), &fixture.err);
    check_eq(got.id, session);
    check_str(got.key, "key");
    check_str(got.command, "inflight tune k.c");
    check_str(got.title, "k");
    check_str(got.setup_json, "{\"n\":1}");
    check_str(got.report_json, "{\"r\":1}");
    check_eq(got.variants, 2);
    check_eq(strlen(got.started), strlen("2026-01-31T12:00:00Z"));
    check(got.started[10] == 'T' && got.started[19] == 'Z');
    check(got.finished && strcmp(got.finished, got.started) >= 0);
    check_measurements(&fixture, session,
                       "b={\"x\": \"it's \\u00e4 \xc3\xa4\"};a=2;b=3;");
    store_session_release(&got);
    fixture_drop(&fixture);
}

TEST("absent stays absent")
{
    struct fixture fixture = fixture_opened();
    struct store_session got;
    long long session;

    check_ok(
        store_session_new(fixture.store, "k", "c", "t", NULL, &session, &fixture.err),
        &fixture.err);
    check_ok(store_session_get(fixture.store, session, &got, &fixture.err), &fixture.err);
    check(!got.setup_json && !got.report_json && !got.finished);
    check_eq(got.variants, 0);
    store_session_release(&got);
    fixture_drop(&fixture);
}

TEST("unfinished sessions are found again")
{
    struct fixture fixture = fixture_opened();
    long long older, newer, other;

    check_unfinished(&fixture, "same", 0);
    older = begin(&fixture, "same");
    newer = begin(&fixture, "same");
    other = begin(&fixture, "other");
    add(&fixture, newer, "v", "1");
    reopen(&fixture);
    check_unfinished(&fixture, "same", newer);
    check_unfinished(&fixture, "other", other);
    check_unfinished(&fixture, "sam", 0);
    check_measurements(&fixture, newer, "v=1;");
    add(&fixture, newer, "w", "2"); /* goes on */
    check_measurements(&fixture, newer, "v=1;w=2;");
    check_ok(store_session_finish(fixture.store, newer, "{}", &fixture.err),
             &fixture.err);
    check_unfinished(&fixture, "same", older);
    fixture_drop(&fixture);
}

TEST("only an unfinished session without a measurement is dropped")
{
    struct fixture fixture = fixture_opened();
    struct store_session got;
    long long session[3];

    for (size_t i = 0; i < ARRAY_SIZE(session); i++)
        session[i] = begin(&fixture, "key");
    add(&fixture, session[1], "a", "1");
    check_ok(store_session_finish(fixture.store, session[2], "{}", &fixture.err),
             &fixture.err);
    for (size_t i = 0; i < ARRAY_SIZE(session); i++)
        check_ok(store_session_drop_empty(fixture.store, session[i], &fixture.err),
                 &fixture.err);
    for (size_t i = 1; i < ARRAY_SIZE(session); i++) {
        check_ok(store_session_get(fixture.store, session[i], &got, &fixture.err),
                 &fixture.err);
        store_session_release(&got);
    }
    check_fails(store_session_get(fixture.store, session[0], &got, &fixture.err),
                &fixture.err, STATUS_INPUT, "there is no session");
    fixture_drop(&fixture);
}

TEST("sessions are kept apart")
{
    struct fixture fixture = fixture_opened();
    struct listing listing = {0}, one = {.stop_at = 1};
    struct store_session newest;

    for (int i = 0; i < 3; i++)
        begin(&fixture, "k");
    add(&fixture, 1, "a", "1");
    add(&fixture, 3, "b", "3");
    add(&fixture, 1, "c", "2");
    check_ok(store_session_finish(fixture.store, 2, "{}", &fixture.err), &fixture.err);
    check_measurements(&fixture, 1, "a=1;c=2;");
    check_measurements(&fixture, 2, "");
    check_measurements(&fixture, 3, "b=3;");
    check_ok(store_session_get(fixture.store, 0, &newest, &fixture.err), &fixture.err);
    check_eq(newest.id, 3);
    store_session_release(&newest);
    check_ok(store_session_each(fixture.store, list_session, &listing, &fixture.err),
             &fixture.err);
    check_str(buf_str(&listing.text), "3 k open;2 k done;1 k open;");
    check_eq(store_session_each(fixture.store, list_session, &one, &fixture.err), 5);
    check_eq(one.calls, 1);
    buf_reset(&one.text);
    one.calls = 0;
    check_eq(
        store_measurement_each(fixture.store, 1, list_measurement, &one, &fixture.err),
        5);
    check_str(buf_str(&one.text), "a=1;");
    buf_release(&one.text);
    buf_release(&listing.text);
    fixture_drop(&fixture);
}

TEST("what is not there is said")
{
    struct fixture fixture = fixture_opened();
    struct store_session got;
    struct error *err = &fixture.err;

    check_fails(store_session_get(fixture.store, 0, &got, err), err, STATUS_INPUT,
                "there is no session in '");
    begin(&fixture, "k");
    check_fails(store_session_get(fixture.store, 7, &got, err), err, STATUS_INPUT,
                "there is no session 7");
    check(got.key == NULL);
    check_fails(store_measurement_add(fixture.store, 7, "v", "1", err), err, STATUS_INPUT,
                "there is no session 7");
    check_fails(store_session_finish(fixture.store, 7, "{}", err), err, STATUS_INPUT,
                "there is no unfinished session 7");
    check_ok(store_session_finish(fixture.store, 1, "first", err), err);
    check_fails(store_session_finish(fixture.store, 1, "second", err), err, STATUS_INPUT,
                "there is no unfinished session 1");
    check_ok(store_session_get(fixture.store, 1, &got, err), err);
    check_str(got.report_json, "first");
    store_session_release(&got);
    fixture_drop(&fixture);
}

TEST("readers see what others have saved")
{
    struct fixture fixture = fixture_opened();
    struct store *other;
    long long session = begin(&fixture, "k");

    check_ok(store_open(fixture.path, &other, &fixture.err), &fixture.err);
    check_ok(store_measurement_add(other, session, "v", "1", &fixture.err), &fixture.err);
    check_measurements(&fixture, session, "v=1;");
    store_close(other);
    fixture_drop(&fixture);
}

static int write_and_fail(void *data, struct error *err)
{
    struct fixture *fixture = data;
    long long session = 0;

    check_ok(store_session_new(fixture->store, "k", "import", "t", NULL, &session, err),
             err);
    check_ok(store_measurement_add(fixture->store, session, "v", "{}", err), err);
    return fail(err, STATUS_INPUT, "the second half is not good");
}

static int write_all(void *data, struct error *err)
{
    struct fixture *fixture = data;
    long long session = 0;

    return store_session_new(fixture->store, "k", "import", "t", NULL, &session, err);
}

static int count_sessions(void *data, const struct store_session *session)
{
    (void)session;
    ++*(int *)data;
    return 0;
}

TEST("nothing stays half written")
{
    struct fixture fixture = fixture_opened();
    int nr = 0;

    check_fails(store_transaction(fixture.store, write_and_fail, &fixture, &fixture.err),
                &fixture.err, STATUS_INPUT, "the second half is not good");
    check_ok(store_session_each(fixture.store, count_sessions, &nr, &fixture.err),
             &fixture.err);
    check_eq(nr, 0);
    check_ok(store_transaction(fixture.store, write_all, &fixture, &fixture.err),
             &fixture.err);
    reopen(&fixture);
    check_ok(store_session_each(fixture.store, count_sessions, &nr, &fixture.err),
             &fixture.err);
    check_eq(nr, 1);
    fixture_drop(&fixture);
}

TEST("the path is found")
{
    struct fixture fixture = fixture_make();
    char *path, *want = path_join(fixture.folder, "inflight/sessions.db");

    setenv("XDG_DATA_HOME", fixture.folder, 1);
    setenv("INFLIGHT_DATABASE", "", 1);
    check_ok(store_default_path(&path, &fixture.err), &fixture.err);
    check_str(path, want);
    free(path);
    setenv("INFLIGHT_DATABASE", "here/my.db", 1);
    check_ok(store_default_path(&path, &fixture.err), &fixture.err);
    check_str(path, "here/my.db");
    free(path);
    unsetenv("INFLIGHT_DATABASE");
    unsetenv("XDG_DATA_HOME");
    free(want);
    fixture_drop(&fixture);
}

TEST("network places are known")
{
    struct fixture fixture = fixture_make();

    check(place_type_is_network(0x6969));              /* nfs */
    check(place_type_is_network(0xffffffffff534d42u)); /* cifs, sign-extended */
    check(!place_type_is_network(0xef53));             /* ext4 */
    check(!place_type_is_network(0x01021994));         /* tmpfs */
    check(!place_is_network("/proc/version"));
    check(!place_is_network("/proc/no such file"));
    check(!place_is_network("no such file"));
    fixture_drop(&fixture);
}
