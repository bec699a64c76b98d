/* What the suites of core/store share: a database in a scratch folder. */
#ifndef TESTS_CORE_STORE_SCRATCH_STORE_H
#define TESTS_CORE_STORE_SCRATCH_STORE_H

#include <stdlib.h>

#include "core/base.h"
#include "core/store/store.h"
#include "tests/check.h"

struct fixture {
    char *folder, *path;
    struct store *store;
    struct error err;
};

static inline void open_store(struct fixture *fixture)
{
    check_ok(store_open(fixture->path, &fixture->store, &fixture->err), &fixture->err);
}

static inline void reopen(struct fixture *fixture)
{
    store_close(fixture->store);
    open_store(fixture);
}

static inline struct fixture fixture_make(void)
{
    struct fixture fixture = {0};

    check_ok(scratch_make(&fixture.folder, &fixture.err), &fixture.err);
    fixture.path = path_join(fixture.folder, "sessions.db");
    return fixture;
}

static inline struct fixture fixture_opened(void)
{
    struct fixture fixture = fixture_make();

    open_store(&fixture);
    return fixture;
}

static inline void fixture_drop(struct fixture *fixture)
{
    store_close(fixture->store);
    free(fixture->path);
    scratch_remove(fixture->folder);
}

static inline long long begin(struct fixture *fixture, const char *key)
{
    long long session = 0;

    check_ok(store_session_new(fixture->store, key, "inflight tune k.c", "k", "{\"n\":1}",
                               &session, &fixture->err),
             &fixture->err);
    return session;
}

static inline void add(struct fixture *fixture, long long session, const char *variant,
                       const char *json)
{
    check_ok(store_measurement_add(fixture->store, session, variant, json, &fixture->err),
             &fixture->err);
}

/* "variant=json;" for each; `stop_at` calls end it with 5. */
struct listing {
    struct buf text;
    int calls, stop_at;
};

static inline int list_measurement(void *data, const char *variant, const char *json)
{
    struct listing *listing = data;

    buf_addf(&listing->text, "%s=%s;", variant, json);
    return ++listing->calls == listing->stop_at ? 5 : 0;
}

static inline void check_unfinished(struct fixture *fixture, const char *key,
                                    long long want)
{
    long long session = -1;

    check_ok(store_session_unfinished(fixture->store, key, &session, &fixture->err),
             &fixture->err);
    check_eq(session, want);
}

#endif
