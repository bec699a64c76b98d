/* The grid, and the strategies that know nothing of the rules. */
#include <stdlib.h>
#include <string.h>

#include "tests/search/scripted_space.h"
#include "variants/plan/plan.h"

SUITE(search_blind);

static const struct space_entry nothing_helps[] = {{.plan = NULL}};

struct trial {
    struct space space;
    struct search_opts opts;
    struct search_result result;
    struct error err;
};

/* A small transposition: its grid has some hundred plans. */
static void trial_run(struct trial *trial, const struct space_entry *entry)
{
    space_transpose(&trial->space.kernel, 12);
    space_init(&trial->space, entry);
    check_ok(space_run(&trial->space, trial->opts, &trial->result, &trial->err),
             &trial->err);
}

static void trial_release(struct trial *trial)
{
    search_result_release(&trial->result);
    space_release(&trial->space);
}

static void grid_of(struct space *space, struct strvec *plans)
{
    struct error err = {0};

    check_ok(search_grid(&space->subject, plans, &err), &err);
    check(plans->nr > 20);
}

TEST("the grid has every plan once")
{
    struct space space = {0};
    struct strvec plans = {0};
    struct error err = {0};

    space_transpose(&space.kernel, 12);
    space_init(&space, nothing_helps);
    grid_of(&space, &plans);
    for (size_t i = 0; i < plans.nr; i++) {
        struct plan *plan = NULL;

        check_eq(space_count(&plans, plans.v[i]), 1);
        check_ok(plan_parse(plans.v[i], &plan, &err), &err);
        plan_free(plan);
    }
    check_eq(space_count(&plans, ""), 0);
    check_eq(space_count(&plans, "interchange(j,i)"), 1);
    check_eq(space_count(&plans, "tile(i:8,j:8) simd"), 1);
    check_eq(space_count(&plans, "tile(i:8,j:8) unroll_jam(i:4) simd"), 1);
    check_eq(space_count(&plans, "prefetch(A:16)"), 1);
    strvec_release(&plans);
    space_release(&space);
}

/* A full factorial of so few values that all of it can be measured. */
TEST("the grid of three loops stays small")
{
    struct space space = {0};
    struct strvec plans = {0};

    space_dgemm(&space.kernel, 1000);
    space_init(&space, nothing_helps);
    grid_of(&space, &plans);
    check(plans.nr > 150 && plans.nr <= 300);
    strvec_release(&plans);
    space_release(&space);
}

TEST("illegal plans are left out")
{
    static const struct space_entry entry[] = {
        {.plan = "interchange(j*", .illegal = "no"},
        {.plan = "*simd*", .illegal = "no"},
        {.plan = NULL}};
    struct space space = {0};
    struct strvec plans = {0};

    space_transpose(&space.kernel, 12);
    space_init(&space, entry);
    grid_of(&space, &plans);
    for (size_t i = 0; i < plans.nr; i++)
        check(!strstr(plans.v[i], "simd") && strncmp(plans.v[i], "interchange(j", 13));
    check_eq(space_count(&plans, "tile(i:8)"), 1);
    strvec_release(&plans);
    space_release(&space);
}

TEST("a grid without legal plans is an error")
{
    static const struct space_entry entry[] = {{.plan = "?*", .illegal = "no"},
                                               {.plan = NULL}};
    struct space space = {0};
    struct strvec plans = {0};
    struct error err = {0};

    space_transpose(&space.kernel, 12);
    space_init(&space, entry);
    check_fails(search_grid(&space.subject, &plans, &err), &err, STATUS_FAILED,
                "the grid holds no legal plan for this kernel");
    check_eq(plans.nr, 0);
    strvec_release(&plans);
    space_release(&space);
}

TEST("exhaustive visits the whole grid")
{
    static const struct space_entry entry[] = {
        {.plan = "*unroll_jam*", .illegal = "no"},
        {.plan = "interchange(j,i) tile(j:8) simd", .seconds = 0.5},
        {.plan = "*prefetch*", .seconds = 0.1, .outcome = RUN_OUTCOME_WRONG_RESULT},
        {.plan = NULL}};
    struct trial trial = {.opts.strategy = "exhaustive"};
    struct strvec plans = {0};
    char *stop;

    trial_run(&trial, entry);
    grid_of(&trial.space, &plans);
    check_near(trial.result.space_size, (double)plans.nr, 0);
    check_eq(trial.result.searched_nr, plans.nr + 1);
    for (size_t i = 0; i < plans.nr; i++) {
        char *quick = xasprintf("quick %s", plans.v[i]);

        check(space_count(&trial.space.asked, quick) >= 1);
        free(quick);
    }
    check_str(trial.result.measurement[trial.result.best].plan,
              "interchange(j,i) tile(j:8) simd");
    check_near(trial.result.source_gain.value, 2, 0.01);
    check(trial.result.measurement[trial.result.best].has_occupancy);
    stop = xasprintf("all %zu legal variants of the grid were measured", plans.nr);
    check_str(trial.result.stop, stop);
    free(stop);
    strvec_release(&plans);
    trial_release(&trial);
}

TEST("a blind winner must be beyond the noise")
{
    static const struct space_entry entry[] = {
        {.plan = "simd",
         .seconds = 1,
         .quick = {{0.93, 0.88, 0.98}},
         .ratio = {{1.1, 0.99, 1.2}, {1.0, 0.99, 1.01}}},
        {.plan = NULL}};
    struct trial trial = {.opts.strategy = "exhaustive"};

    trial_run(&trial, entry);
    check_eq(trial.result.best, 0);
    check_near(trial.result.source_gain.value, 1, 0);
    trial_release(&trial);
}

TEST("the budget ends the grid")
{
    struct trial trial = {.opts = {.strategy = "exhaustive", .budget_variants = 6}};
    struct strvec plans = {0};
    char *stop;

    trial_run(&trial, nothing_helps);
    grid_of(&trial.space, &plans);
    check_eq(trial.result.measurement_nr, 6);
    check(trial.result.space_size < 0);
    stop = xasprintf("the budget ended after 5 of the grid's %zu variants", plans.nr);
    check_str(trial.result.stop, stop);
    free(stop);
    strvec_release(&plans);
    trial_release(&trial);
}

static char *order_of(unsigned long long seed)
{
    struct trial trial = {
        .opts = {.strategy = "random", .budget_variants = 21, .seed = seed}};
    struct buf out = {0};

    trial_run(&trial, nothing_helps);
    for (size_t i = 0; i < trial.space.asked.nr && i < 21; i++)
        buf_addf(&out, "%s\n", trial.space.asked.v[i]);
    trial_release(&trial);
    return buf_detach(&out);
}

TEST("random order depends on the seed alone")
{
    char *first = order_of(7), *again = order_of(7), *other = order_of(8),
         *one = order_of(1), *none = order_of(0);

    check_str(again, first);
    check(strcmp(other, first) != 0);
    check_str(none, one);
    free(first);
    free(again);
    free(other);
    free(one);
    free(none);
}

/* Without a budget random order visits the same plans as the grid. */
TEST("random order leaves nothing out")
{
    struct trial trial = {.opts.strategy = "random"};
    struct strvec plans = {0};

    trial_run(&trial, nothing_helps);
    grid_of(&trial.space, &plans);
    check_eq(trial.result.searched_nr, plans.nr + 1);
    for (size_t i = 0; i < plans.nr; i++)
        check(space_find(&trial.result, plans.v[i]) < trial.result.measurement_nr);
    strvec_release(&plans);
    trial_release(&trial);
}

TEST("strategies are listed")
{
    static const char *const name[] = {"guided", "exhaustive", "random", "local",
                                       "population"};
    size_t nr = 0;
    const struct search_strategy *list = search_strategies(&nr);

    check_eq(nr, ARRAY_SIZE(name));
    for (size_t i = 0; i < nr; i++) {
        check_str(list[i].name, name[i]);
        check(*list[i].meaning);
    }
}
