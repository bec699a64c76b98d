/* What the suites of core/run share: a scratch folder and programs that are fake_harness.
 */
#ifndef TESTS_CORE_RUN_FAKE_RUNS_H
#define TESTS_CORE_RUN_FAKE_RUNS_H

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "core/base.h"
#include "core/run/run.h"
#include "tests/check.h"

struct fixture {
    char *scratch, *side; /* for the launches; for what a test keeps beside them */
    struct run_opts opts; /* one launch of few samples */
    struct error err;
};

static inline struct fixture fixture_make(void)
{
    struct fixture fixture = {.opts = {.launches_min = 1,
                                       .launches_max = 1,
                                       .samples_per_launch = 2,
                                       .launch_limit_s = PATIENCE_S}};

    check_ok(scratch_make(&fixture.scratch, &fixture.err), &fixture.err);
    check_ok(scratch_make(&fixture.side, &fixture.err), &fixture.err);
    fixture.opts.scratch = fixture.scratch;
    return fixture;
}

static inline size_t entries_in(const char *folder)
{
    DIR *dir = opendir(folder);
    size_t nr = 0;

    for (struct dirent *entry; dir && (entry = readdir(dir));)
        nr += entry->d_name[0] != '.';
    if (dir)
        closedir(dir);
    return nr;
}

/* Also checks that the launches left no file. */
static inline void fixture_drop(struct fixture *fixture)
{
    check_eq(entries_in(fixture->scratch), 0);
    scratch_remove(fixture->scratch);
    scratch_remove(fixture->side);
}

/* The arguments as one text, split at blanks. */
static inline struct run_program fake(struct strvec *args, const char *text)
{
    strvec_split(args, text);
    return (struct run_program){.path = FAKE_HARNESS, .args = args};
}

static inline struct run_result measure_fake(struct fixture *fixture, const char *text)
{
    struct strvec args = {0};
    struct run_program program = fake(&args, text);
    struct run_result result = {0};

    check_ok(run_measure(&program, &fixture->opts, &result, &fixture->err),
             &fixture->err);
    strvec_release(&args);
    return result;
}

#endif
