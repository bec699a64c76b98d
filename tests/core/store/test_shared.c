/* Several processes, several versions, one database. */
#define _DEFAULT_SOURCE /* usleep */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/store/store_parts.h"
#include "tests/core/store/scratch_store.h"

SUITE(store_shared);

/* ---- who works on what ---- */

TEST("a session has one owner")
{
    struct fixture fixture = fixture_opened();
    struct fixture other = {.path = fixture.path};
    long long session;

    open_store(&other);
    session = begin(&fixture, "k");
    check_unfinished(&other, "k", 0);
    check_unfinished(&fixture, "k", session); /* ours */
    reopen(&fixture);                         /* gives it back */
    check_unfinished(&other, "k", session);
    check_unfinished(&fixture, "k", 0);
    check_ok(store_session_finish(other.store, session, "{}", &other.err), &other.err);
    check_unfinished(&fixture, "k", 0);
    store_close(other.store);
    fixture_drop(&fixture);
}

/* The newest that is free, not the newest. */
TEST("the next free session is found")
{
    struct fixture fixture = fixture_opened();
    struct fixture other = {.path = fixture.path};
    long long older = begin(&fixture, "k"), newer;

    reopen(&fixture);
    newer = begin(&fixture, "k");
    open_store(&other);
    check_unfinished(&other, "k", older);
    check(newer > older);
    store_close(other.store);
    fixture_drop(&fixture);
}

/* Begins or continues, tells which, and sleeps. */
static pid_t worker(const char *path, int tell)
{
    pid_t pid = fork();
    struct store *store;
    long long session = 0;

    if (pid)
        return pid;
    if (store_open(path, &store, NULL) ||
        store_session_unfinished(store, "k", &session, NULL) ||
        (!session && store_session_new(store, "k", "c", "t", NULL, &session, NULL)) ||
        write(tell, &session, sizeof(session)) != sizeof(session))
        _exit(1);
    for (;;)
        pause();
}

static long long given(int fd)
{
    long long session = -1;

    return read(fd, &session, sizeof(session)) == sizeof(session) ? session : -1;
}

static void end_killed(pid_t pid)
{
    int status;

    kill(pid, SIGKILL);
    waitpid(pid, &status, 0);
}

TEST("a killed owner gives it back")
{
    struct fixture fixture = fixture_make();
    int end[2];
    pid_t first, second, third;

    if (!check(pipe(end) == 0))
        return;
    first = worker(fixture.path, end[1]);
    check_eq(given(end[0]), 1);
    second = worker(fixture.path, end[1]);
    check_eq(given(end[0]), 2); /* the first one is at work */
    end_killed(first);
    third = worker(fixture.path, end[1]);
    check_eq(given(end[0]), 1);
    end_killed(second);
    end_killed(third);
    close(end[0]);
    close(end[1]);
    fixture_drop(&fixture);
}

enum { crowd = 8 };

/* All at the same moment: nobody gets what another one has. */
TEST("many begin at once")
{
    struct fixture fixture = fixture_make();
    bool taken[crowd + 1] = {false};
    pid_t pid[crowd];
    int end[2];

    if (!check(pipe(end) == 0))
        return;
    for (int i = 0; i < crowd; i++)
        pid[i] = worker(fixture.path, end[1]);
    for (int i = 0; i < crowd; i++) {
        long long session = given(end[0]);

        check(session >= 1 && session <= crowd && !taken[session]);
        if (session >= 1 && session <= crowd)
            taken[session] = true;
    }
    for (int i = 0; i < crowd; i++)
        end_killed(pid[i]);
    close(end[0]);
    close(end[1]);
    fixture_drop(&fixture);
}

/* ---- results by their key ---- */

static void save(struct fixture *fixture, long long session,
                 const struct store_answer *answer)
{
    check_ok(store_answer_add(fixture->store, session, answer, &fixture->err),
             &fixture->err);
}

static int list_answer(void *data, const struct store_answer *answer)
{
    struct listing *listing = data;

    buf_addf(&listing->text, "%lld:%s%s%s=%s%s;", answer->session, answer->variant,
             answer->other ? "/" : "", answer->other ? answer->other : "", answer->json,
             answer->origin ? " copy" : "");
    return ++listing->calls == listing->stop_at ? 5 : 0;
}

static void check_results(struct fixture *fixture, const char *key, enum store_kind kind,
                          const char *want)
{
    struct listing listing = {0};

    check_ok(store_result_each(fixture->store, key, kind, list_answer, &listing,
                               &fixture->err),
             &fixture->err);
    check_str(buf_str(&listing.text), want);
    buf_release(&listing.text);
}

static int first_id(void *data, const struct store_answer *answer)
{
    *(long long *)data = answer->id;
    return 1;
}

TEST("results are found by what was asked")
{
    struct fixture fixture = fixture_opened();
    long long one = begin(&fixture, "a"), two = begin(&fixture, "b"), id = 0;
    struct store_answer answer = {.key = "q", .variant = "v", .json = "1"};
    struct listing copies = {0};

    save(&fixture, one, &answer);
    add(&fixture, one, "w", "2"); /* without a key */
    answer = (struct store_answer){
        .kind = STORE_COMPARISON, .key = "q", .variant = "v", .other = "w", .json = "3"};
    save(&fixture, one, &answer);
    check_results(&fixture, "q", STORE_MEASUREMENT, "1:v=1;");
    check_results(&fixture, "q", STORE_COMPARISON, "1:v/w=3;");
    check_results(&fixture, "r", STORE_MEASUREMENT, "");
    store_result_each(fixture.store, "q", STORE_MEASUREMENT, first_id, &id, NULL);
    answer = (struct store_answer){.key = "q", .variant = "v", .json = "1", .origin = id};
    save(&fixture, two, &answer);
    check_results(&fixture, "q", STORE_MEASUREMENT, "1:v=1;"); /* not the copy */
    check_ok(store_session_answers(fixture.store, two, STORE_MEASUREMENT, list_answer,
                                   &copies, &fixture.err),
             &fixture.err);
    check_str(buf_str(&copies.text), "2:v=1 copy;");
    buf_release(&copies.text);
    fixture_drop(&fixture);
}

static int keep_date(void *data, const struct store_answer *answer)
{
    *(char **)data = xstrdup(answer->added);
    return 1;
}

/* A copy is as old as what it is a copy of. */
TEST("copies keep their age")
{
    struct fixture fixture = fixture_opened();
    long long one = begin(&fixture, "a"), two = begin(&fixture, "b"), id = 0;
    struct store_answer old = {
        .key = "q", .variant = "v", .json = "1", .added = "2020-02-02T02:02:02Z"};
    char *date = NULL;

    save(&fixture, one, &old);
    store_result_each(fixture.store, "q", STORE_MEASUREMENT, first_id, &id, NULL);
    old.added = NULL;
    old.origin = id;
    save(&fixture, two, &old);
    store_session_answers(fixture.store, two, STORE_MEASUREMENT, keep_date, &date, NULL);
    check_str(date, "2020-02-02T02:02:02Z");
    free(date);
    fixture_drop(&fixture);
}

/* ---- earlier versions ---- */

/* The file as version 1 wrote it, with a finished and an unfinished session. */
static void make_version_1(struct fixture *fixture)
{
    static const char back[] =
        "DROP TABLE comparison; DROP TABLE track; DROP INDEX measurement_key;"
        "ALTER TABLE measurement DROP COLUMN key;"
        "ALTER TABLE measurement DROP COLUMN added;"
        "ALTER TABLE measurement DROP COLUMN origin; PRAGMA user_version = 1;";
    long long session;

    open_store(fixture);
    session = begin(fixture, "done");
    add(fixture, session, "v", "1");
    check_ok(store_session_finish(fixture->store, session, "{}", &fixture->err),
             &fixture->err);
    session = begin(fixture, "open");
    add(fixture, session, "v", "2");
    add(fixture, session, "w", "3");
    check_ok(sql_run(fixture->store, back, &fixture->err, "age"), &fixture->err);
    store_close(fixture->store);
    fixture->store = NULL;
}

static void check_upgraded(struct fixture *fixture)
{
    struct listing listing = {0};
    struct identity identity = {0};
    struct store_answer answer = {.key = "q", .variant = "x", .json = "4"};

    check_ok(schema_identify(fixture->store, &identity, &fixture->err), &fixture->err);
    check_eq(identity.version, 2);
    check_unfinished(fixture, "open", 2);
    save(fixture, 2, &answer);
    check_ok(store_session_answers(fixture->store, 2, STORE_MEASUREMENT, list_answer,
                                   &listing, &fixture->err),
             &fixture->err);
    check_str(buf_str(&listing.text), "2:v=2;2:w=3;2:x=4;");
    buf_release(&listing.text);
}

TEST("earlier files are brought up to date")
{
    struct fixture fixture = fixture_make();

    make_version_1(&fixture);
    open_store(&fixture);
    check_upgraded(&fixture);
    reopen(&fixture); /* once is enough */
    check_results(&fixture, "q", STORE_MEASUREMENT, "2:x=4;");
    fixture_drop(&fixture);
}

/* All find it old at once; one does it. */
TEST("several bring it up to date")
{
    struct fixture fixture = fixture_make();
    pid_t pid[crowd];
    int status;

    make_version_1(&fixture);
    for (int i = 0; i < crowd; i++) {
        struct store *store;

        pid[i] = fork();
        if (pid[i] == 0)
            _exit(store_open(fixture.path, &store, NULL) != 0);
    }
    for (int i = 0; i < crowd; i++) {
        waitpid(pid[i], &status, 0);
        check(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    open_store(&fixture);
    check_upgraded(&fixture);
    fixture_drop(&fixture);
}

/* Half of it would be worse than none. */
TEST("a killed upgrade leaves the old file")
{
    struct fixture fixture = fixture_make();

    make_version_1(&fixture);
    for (int i = 0; i < 12; i++) {
        struct store *store;
        pid_t pid = fork();

        if (pid == 0)
            _exit(store_open(fixture.path, &store, NULL) != 0);
        usleep((useconds_t)i * 300);
        end_killed(pid);
    }
    open_store(&fixture);
    check_upgraded(&fixture);
    fixture_drop(&fixture);
}
