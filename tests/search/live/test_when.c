/* Plans with `when`: their code is compared on both sides of the size, and as that of the
 * plan without it at small sizes, which never come to it. */
#include <string.h>

#include "core/base.h"
#include "search/live/live_parts.h"
#include "tests/check.h"
#include "tests/search/scripted_space.h"
#include "tests/variants/harness_kernels.h"

SUITE(search_when);

struct comparing {
    struct machine machine;
    struct kernel *kernel;
    struct live *live;
    struct error err;
};

static bool begin(struct comparing *at)
{
    const struct toolchain *toolchain;

    *at = (struct comparing){0};
    if (fixture_toolchains(&toolchain) == 0)
        return false;
    space_machine(&at->machine);
    at->kernel = fixture_bound("plain", NULL);
    const struct live_opts opts = {.kernel = at->kernel,
                                   .machine = &at->machine,
                                   .toolchain = toolchain,
                                   .copies = 1,
                                   .scratch = fixture_dir()};
    return at->kernel && check_ok(live_new(&opts, &at->live, &at->err), &at->err);
}

static void end(struct comparing *at)
{
    live_free(at->live);
    kernel_free(at->kernel);
}

static struct built *get(struct comparing *at, const char *plan)
{
    const struct candidate candidate = {.plan = (char *)plan};
    struct built *built = NULL;

    check_ok(live_built_get(at->live, &candidate, &built, &at->err), &at->err);
    return built;
}

TEST("what runs at large sizes only is compared at small ones, too")
{
    struct comparing at;

    if (!begin(&at))
        return;
    struct built *built = get(&at, "tile(i:16) when(n:3000)");
    check_ok(live_verify(at.live, built, true, &at.err), &at.err);
    check(built->small_verified);
    check_contains(built->report.sizes, ", 2999, 3000, ");
    check_contains(built->report.sizes, ", 3001, ");
    check_contains(built->report.sizes, ", 3037, ");
    if (check_eq(at.live->built_nr, 2)) {
        struct built *whole = get(&at, "tile(i:16)");
        check_eq(at.live->built_nr, 2);
        check(whole->small_verified);
        check_contains(whole->report.sizes, "n=1, 2, 3, 4, 5, 7, 8, 13, 16, 17");
        check(!strstr(whole->report.sizes, "2999"));
    }
    end(&at);
}

TEST("where it differs there the plan is refused")
{
    struct comparing at;

    if (!begin(&at))
        return;
    live_refuse(get(&at, "tile(i:16)"), RUN_OUTCOME_WRONG_RESULT,
                "b[3] is 1 instead of 2 at n=5");
    struct built *built = get(&at, "tile(i:16) when(n:3000)");
    check_ok(live_verify(at.live, built, true, &at.err), &at.err);
    check_eq(built->refused, RUN_OUTCOME_WRONG_RESULT);
    check_str(built->why, "b[3] is 1 instead of 2 at n=5, without when");
    check(!built->small_verified);
    end(&at);
}

/* By itself, or in turn with the kernel as written. */
static struct measurement measured(struct comparing *at, const char *plan, bool paired)
{
    const struct candidate candidate = {.plan = (char *)plan};
    struct measurement out = measurement_begun(&candidate, RUN_OUTCOME_OK);
    struct quantity time_s = quantity_between(1e-3, 1e-3, 1e-3, 6, PROVENANCE_CLOCK);

    live_forget(at->live);
    if (paired)
        check_ok(live_refer(at->live, "", time_s, &at->err), &at->err);
    check_ok(live_measure_built(at->live, get(at, plan), NULL, MEASURE_QUICK, 0, &out,
                                &at->err),
             &at->err);
    return out;
}

TEST("a plan of which nothing runs in the timed call is told from one that is no faster")
{
    static const struct {
        const char *plan;
        enum run_outcome outcome;
    } cases[] = {{"tile(i:16) when(n:1000000000)", RUN_OUTCOME_NOT_RUN},
                 {"tile(i:16) when(n:2)", RUN_OUTCOME_OK},
                 {"tile(i:16)", RUN_OUTCOME_OK}};
    struct comparing at;

    if (!begin(&at))
        return;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
        for (int paired = 0; paired < 2; paired++) {
            struct measurement out = measured(&at, cases[i].plan, paired);

            check_str(run_outcome_word(out.outcome), run_outcome_word(cases[i].outcome));
            if (cases[i].outcome == RUN_OUTCOME_NOT_RUN) {
                check(!out.time_s.known);
                check_contains(out.detail, "does not hold in the timed call");
            }
            measurement_release(&out);
        }
    end(&at);
}
