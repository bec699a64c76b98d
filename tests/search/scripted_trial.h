/* One search on a scripted space, for the suites of the strategies. */
#ifndef TESTS_SEARCH_SCRIPTED_TRIAL_H
#define TESTS_SEARCH_SCRIPTED_TRIAL_H

#include "tests/search/scripted_space.h"

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
