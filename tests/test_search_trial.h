/* One search on a scripted space, for the suites of the strategies. */
#ifndef TESTS_TEST_SEARCH_TRIAL_H
#define TESTS_TEST_SEARCH_TRIAL_H

#include "tests/test_search_space.h"

/* A search of the transposition unless the test fills in another kernel. */
struct trial {
    struct space space;
    struct search_opts opts;
    struct search_result result;
    struct error err;
};

static inline void trial_start(struct trial *trial, const struct space_entry *entry)
{
    space_transpose(&trial->space.kernel, 2000);
    space_init(&trial->space, entry);
}

static inline void trial_run(struct trial *trial)
{
    check_ok(space_run(&trial->space, trial->opts, &trial->result, &trial->err),
             &trial->err);
}

static inline void trial_release(struct trial *trial)
{
    search_result_release(&trial->result);
    space_release(&trial->space);
}

#endif
