#define _DEFAULT_SOURCE /* usleep */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/core/store/scratch_store.h"

SUITE(store_safety);

/* Where the header of an SQLite file keeps what we set; big-endian, 4 bytes each. */
enum { offset_version = 60, offset_application = 68 };

/* A database of several hundred pages, closed. */
static void fill(struct fixture *fixture)
{
    char json[2001];
    long long session;

    memset(json, 'j', sizeof(json) - 1);
    json[sizeof(json) - 1] = '\0';
    open_store(fixture);
    session = begin(fixture, "k");
    for (int i = 0; i < 300; i++)
        add(fixture, session, "v", json);
    store_close(fixture->store);
    fixture->store = NULL;
}

/* Opening fails with this text, and leaves the file as it is. */
static void check_refused(struct fixture *fixture, const struct buf *content,
                          const char *text)
{
    struct buf after = {0};

    check_ok(file_write(fixture->path, content->data, content->length, &fixture->err),
             &fixture->err);
    check_fails(store_open(fixture->path, &fixture->store, &fixture->err), &fixture->err,
                STATUS_INPUT, text);
    check(fixture->store == NULL);
    check_ok(file_read(fixture->path, &after, &fixture->err), &fixture->err);
    check_eq(after.length, content->length);
    check(after.length == content->length &&
          memcmp(after.data, content->data, after.length) == 0);
    buf_release(&after);
}

static struct buf filled_file(struct fixture *fixture)
{
    struct buf file = {0};

    fill(fixture);
    check_ok(file_read(fixture->path, &file, &fixture->err), &fixture->err);
    return file;
}

TEST("damaged files are refused")
{
    struct fixture fixture = fixture_make();
    struct buf file = filled_file(&fixture);
    struct buf damaged = {0};

    buf_add_n(&damaged, file.data, file.length);
    memset(damaged.data + damaged.length / 2, 0x55, 20000);
    check_refused(&fixture, &damaged, "damaged");
    memcpy(damaged.data, file.data, file.length);
    buf_truncate(&damaged, file.length / 2 / 4096 * 4096);
    check_refused(&fixture, &damaged, "damaged");
    buf_truncate(&damaged, 5000);
    check_refused(&fixture, &damaged, "damaged");
    memset(damaged.data, 0, damaged.length);
    check_refused(&fixture, &damaged, "it is not a database");
    buf_release(&damaged);
    buf_release(&file);
    fixture_drop(&fixture);
}

TEST("foreign files are refused")
{
    struct fixture fixture = fixture_make();
    struct buf file = filled_file(&fixture), text = {0};
    char *at = file.data;

    check(memcmp(at + offset_application, "INFL", 4) == 0);
    memcpy(at + offset_application, "FSL1", 4);
    check_refused(&fixture, &file, "is a database of another program");
    memset(at + offset_application, 0, 4); /* most programs set none */
    check_refused(&fixture, &file, "is a database of another program");
    memcpy(at + offset_application, "INFL", 4);
    at[offset_version + 3] = 3;
    check_refused(&fixture, &file, "has schema 3, this program knows 2");
    buf_add(&text, "int main(void) { return 0; }\n");
    check_refused(&fixture, &text, "it is not a database");
    buf_add_repeat(&text, 'x', 10000);
    check_refused(&fixture, &text, "it is not a database");
    buf_release(&text);
    buf_release(&file);
    fixture_drop(&fixture);
}

TEST("impossible places are said")
{
    struct fixture fixture = fixture_make();
    struct error err = {0};
    char *below;

    check_fails(store_open(fixture.folder, &fixture.store, &err), &err, STATUS_FAILED,
                "cannot open session database '");
    below = path_join(fixture.folder, "no/such/x.db");
    check_fails(store_open(below, &fixture.store, &err), &err, STATUS_FAILED,
                "No such file");
    free(below);
    fixture_drop(&fixture);
}

/* For nobody else when it is new; one that others may read stays so. */
TEST("new databases are private")
{
    struct fixture fixture = fixture_make();
    char *path = path_join(fixture.folder, "private.db");
    mode_t before = umask(0);
    struct stat found = {0};

    for (int shared = 0; shared <= 1; shared++) {
        struct store *store = NULL;
        struct error err = {0};
        check_ok(store_open(path, &store, &err), &err);
        store_close(store);
        check_eq(stat(path, &found), 0);
        check_eq(found.st_mode & 0777, shared ? 0640 : 0600);
        chmod(path, 0640);
    }
    umask(before);
    free(path);
    fixture_drop(&fixture);
}

/* A file may grow no more, as on a full disk: what was begun for a new database goes,
 * what was there stays. */
TEST("a full disk leaves nothing behind")
{
    struct fixture fixture = fixture_make();
    char *path = path_join(fixture.folder, "full.db");
    struct rlimit before;
    void (*kept)(int) = signal(SIGXFSZ, SIG_IGN);

    getrlimit(RLIMIT_FSIZE, &before);
    for (int was_there = 0; was_there <= 1; was_there++) {
        static const char *const ends[] = {"", "-wal", "-shm", "-journal", "-claims"};
        struct rlimit tight = {1024, before.rlim_max};
        struct store *store = NULL;
        struct error err = {0};
        int status;

        if (was_there)
            check_ok(file_write(path, "", 0, &err), &err);
        setrlimit(RLIMIT_FSIZE, &tight);
        status = store_open(path, &store, &err);
        setrlimit(RLIMIT_FSIZE, &before);
        check(status == -1 && !store && err.text[0]);
        for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
            char *file = xasprintf("%s%s", path, ends[i]);
            check_eq(file_exists(file), was_there && i == 0);
            free(file);
        }
    }
    signal(SIGXFSZ, kept);
    free(path);
    fixture_drop(&fixture);
}

/* As `:memory:` or `file:x?mode=memory` would not. */
TEST("names are file names")
{
    struct fixture fixture = fixture_make();
    struct buf bytes = {0};
    char here[4096];

    check(getcwd(here, sizeof(here)) && chdir(fixture.folder) == 0);
    free(fixture.path);
    fixture.path = xstrdup(":memory:");
    fill(&fixture);
    check_ok(file_read(fixture.path, &bytes, &fixture.err), &fixture.err);
    check(bytes.length > 1000);
    buf_release(&bytes);
    check(chdir(here) == 0);
    fixture_drop(&fixture);
}

enum { writer_nr = 4, writes = 40 };

/* Opens by itself, so that also the creation is contended. Exit status of a process. */
static int write_session(const char *path, int number)
{
    struct error err = {0};
    struct store *store;
    long long session;
    char *key = xasprintf("writer %d", number);
    int failed = store_open(path, &store, &err) ||
                 store_session_new(store, key, "c", "t", NULL, &session, &err);

    for (int i = 0; i < writes && !failed; i++) {
        char *json = xasprintf("%d", i);

        failed = store_measurement_add(store, session, key, json, &err);
        free(json);
    }
    if (failed)
        fprintf(stderr, "writer %d: %s\n", number, err.text);
    store_close(store);
    free(key);
    return failed ? 1 : 0;
}

TEST("processes write at once")
{
    struct fixture fixture = fixture_make();
    pid_t pid[writer_nr];
    int status;

    for (int i = 0; i < writer_nr; i++) {
        pid[i] = fork();
        if (pid[i] == 0)
            _exit(write_session(fixture.path, i));
    }
    for (int i = 0; i < writer_nr; i++) {
        waitpid(pid[i], &status, 0);
        check(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    open_store(&fixture);
    for (long long session = 1; session <= writer_nr; session++) {
        struct listing listing = {0};

        store_measurement_each(fixture.store, session, list_measurement, &listing, NULL);
        check_eq(listing.calls, writes);
        buf_release(&listing.text);
    }
    fixture_drop(&fixture);
}

/* Adds for ever and tells after each that it is saved. */
static void add_for_ever(const char *path, int tell)
{
    struct error err = {0};
    struct store *store;
    long long session;
    char json[3001];

    memset(json, 'x', sizeof(json) - 1);
    json[sizeof(json) - 1] = '\0';
    if (store_open(path, &store, &err) ||
        store_session_new(store, "k", "c", "t", NULL, &session, &err))
        _exit(1);
    while (store_measurement_add(store, session, "v", json, &err) == 0 &&
           write(tell, "x", 1) == 1)
        ;
    _exit(2);
}

static int count_reported(int fd, int enough)
{
    int given = 0;
    char byte;

    while (given < enough && read(fd, &byte, 1) == 1)
        given++;
    return given;
}

/* Kills a writer after about `enough` measurements. Returns how many it said were saved.
 */
static int kill_a_writer(const char *path, int enough)
{
    int end[2], status, given;
    pid_t pid;

    if (!check(pipe(end) == 0))
        return 0;
    pid = fork();
    if (pid == 0)
        add_for_ever(path, end[1]);
    close(end[1]);
    given = count_reported(end[0], enough);
    usleep((useconds_t)(enough * 37 % 1000)); /* anywhere within a write */
    kill(pid, SIGKILL);
    waitpid(pid, &status, 0);
    check(WIFSIGNALED(status));
    given += count_reported(end[0], 1 << 30);
    close(end[0]);
    return given;
}

TEST("killed writers lose nothing")
{
    struct fixture fixture = fixture_make();

    for (int round = 1; round <= 12; round++) {
        struct listing listing = {0};
        int given = kill_a_writer(fixture.path, round * 3);

        open_store(&fixture);
        check_ok(store_measurement_each(fixture.store, round, list_measurement, &listing,
                                        &fixture.err),
                 &fixture.err);
        check(given >= round * 3);
        /* The last one may have been saved without having been told. */
        check(listing.calls == given || listing.calls == given + 1);
        check_unfinished(&fixture, "k", round);
        store_close(fixture.store);
        fixture.store = NULL;
        buf_release(&listing.text);
    }
    fixture_drop(&fixture);
}
