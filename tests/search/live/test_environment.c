/* Environments beside plans: put together, placed, tried at the end of a search. */
#include <stdlib.h>
#include <string.h>

#include "search/live/live_parts.h"
#include "tests/search/scripted_trial.h"

SUITE(search_environment);

TEST("options are laid over")
{
    const struct environment base = {
        .huge_pages = true, .compiler = "clang", .flags = "-O2", .threads = 2};
    const struct environment other = {.compiler = "gcc"}, flags = {.flags = "-O1"},
                             threads = {.threads = 4, .schedule = "guided"};
    struct environment both = environment_with(&base, &other);

    check_str(both.compiler, "gcc");
    check_str(both.flags, ""); /* clang's are not gcc's */
    check_eq(both.threads, 2);
    check(both.huge_pages);
    both = environment_with(&base, &flags);
    check_str(both.compiler, "clang");
    check_str(both.flags, "-O1");
    both = environment_with(&base, &threads);
    check_eq(both.threads, 4);
    check_str(both.schedule, "guided");
    check(!environments_equal(&both, &base));
    check(environments_equal(&base, &base));
}

TEST("copies make room for threads")
{
    static const struct {
        size_t places, loaded;
        int threads;
        size_t want;
    } cases[] = {{8, 8, 1, 8}, {8, 8, 2, 4}, {8, 8, 8, 1}, {8, 8, 3, 2},
                 {8, 1, 4, 1}, {8, 8, 9, 0}, {1, 1, 0, 1}, {16, 8, 16, 1}};

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
        check_eq(live_copies_on(cases[i].places, cases[i].loaded, cases[i].threads),
                 cases[i].want);
}

static const struct environment options[] = {
    {.compiler = "other"}, {.flags = "-O1"}, {.threads = 2}};

static const struct tried_environment *tried(const struct trial *trial, const char *plan,
                                             const char *around)
{
    for (size_t i = 0; i < trial->result.environment_nr; i++) {
        const struct tried_environment *one = &trial->result.environment[i];
        char *text = environment_phrase(&one->environment);
        bool same = !strcmp(text, around) && !strcmp(one->plan, plan);

        free(text);
        if (same)
            return one;
    }
    return NULL;
}

/* Flags pay, threads pay where the plan can use them, another compiler does not. */
TEST("what pays is kept and built on")
{
    struct trial trial = {0};

    trial_start(&trial, NULL);
    trial.space.time_s = space_valley;
    trial.opts.option = options;
    trial.opts.option_nr = ARRAY_SIZE(options);
    trial_run(&trial);
    const struct search_result *result = &trial.result;
    const struct measurement *total = &result->measurement[result->best_total];
    check_eq(result->environment_nr, 6);
    check(result->best && result->best_total);
    check_str(result->measurement[result->best].plan, "tile(i:32,j:32) simd");
    check_str(total->plan, "tile(i:32,j:32) simd parallel(it)");
    check_str(total->environment.flags, "-O1");
    check_str(total->environment.compiler, "");
    check_eq(total->environment.threads, 2);
    const struct tried_environment *one = tried(&trial, "", "compiler other");
    check(one && !one->kept && one->gain.known);
    one = tried(&trial, "", "flags '-O1'");
    check(one && one->kept);
    if (one)
        check_near(one->gain.value, 1.25, 0.02);
    one = tried(&trial, "parallel(i)", "flags '-O1', 2 threads");
    check(one && one->kept);
    if (one)
        check_near(one->gain.value, 2, 0.02);
    check(result->total_gain.known &&
          result->total_gain.value > 2.4 * result->source_gain.value);
    trial_release(&trial);
}

/* A plan that threads may not run leaves it to the user's own pragmas. */
TEST("illegal threads are not forced")
{
    static const struct space_entry entry[] = {{.plan = "*parallel*", .illegal = "no"},
                                               {.plan = NULL}};
    struct trial trial = {0};

    trial_start(&trial, entry);
    trial.opts.option = options;
    trial.opts.option_nr = ARRAY_SIZE(options);
    trial_run(&trial);
    const struct tried_environment *one = tried(&trial, "", "flags '-O1', 2 threads");
    check(one && !one->kept);
    for (size_t i = 0; i < trial.result.measurement_nr; i++)
        check(!strstr(trial.result.measurement[i].plan, "parallel"));
    trial_release(&trial);
}

TEST("nothing is tried unasked")
{
    struct trial trial = {0};

    trial_start(&trial, NULL);
    trial_run(&trial);
    check_eq(trial.result.environment_nr, 0);
    check_eq(trial.result.best_total, 0);
    trial_release(&trial);
}
