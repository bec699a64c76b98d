/* Strategies that go from variant to variant: the space as points, hill climbing, the
 * genetic algorithm. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "search/space/dimensions.h"
#include "tests/search/choices.h"
#include "tests/search/scripted_space.h"

SUITE(search_pool);

static const char *const strategies[] = {"local", "population"};

/* ---- points ---- */

static struct choice plan_at(void *data, size_t variant)
{
    return ((const struct choice *)data)[variant];
}

TEST("plans become points")
{
    static const struct kernel_loop loop[] = {{.name = "i"}, {.name = "j"}};
    static const long long values[] = {1, 2, 16};
    static const struct kernel_tunable tunable[] = {
        {.name = "U", .value = values, .value_nr = 3, .now = 2}};
    static const struct kernel_view view = {
        .loop = loop, .loop_nr = 2, .tunable = tunable, .tunable_nr = 1};
    struct choice plan[] = {choice_of(""),
                            choice_of("simd"),
                            choice_of("tile(j:8)"),
                            choice_of("tile(j:64) simd"),
                            choice_of("tile(i:8,j:16)"),
                            choice_of("set(U:16)"),
                            choice_of("set(U:1)"),
                            choice_of("interchange(j,i)"),
                            choice_of("prefetch(A:4)"),
                            choice_of("simd prefetch(A:8)")};
    struct dimensions points;

    dimensions_find(&view, plan_at, plan, ARRAY_SIZE(plan), &points);
    check_eq(points.nr, 6); /* U, order, tile of i, tile of j, simd, prefetch */
    check_eq(points.variant_nr, ARRAY_SIZE(plan));
    check_eq(points.item[0].values, 3);
    check(points.item[0].ordered && !points.item[1].ordered);
    check_eq(points.item[3].values, 4);
    check_eq(points.item[2].step, points.item[3].step);
    check_eq(dimensions_row(&points, 6)[0], 0);
    check_eq(dimensions_row(&points, 0)[0], 1);
    check_eq(dimensions_row(&points, 3)[3], 3);
    check_eq(dimensions_apart(&points, 0, 1), 1);
    check_eq(dimensions_apart(&points, 2, 3), 2);
    check_eq(dimensions_apart(&points, 2, 4), 2);
    check_eq(dimensions_steps_apart(&points, 2, 4), 1);
    check_eq(dimensions_steps_apart(&points, 3, 4), 2);
    check_eq(dimensions_apart(&points, 8, 9), 2);
    check_eq(dimensions_apart(&points, 5, 5), 0);
    /* tile(j:16) is nearer to tile(j:8) than to tile(j:64) simd */
    unsigned row[6];
    memcpy(row, dimensions_row(&points, 2), sizeof(row));
    row[3]++;
    check(dimensions_distance(&points, row, 2) > 0);
    check(dimensions_distance(&points, row, 2) < dimensions_distance(&points, row, 3));
    check_near(dimensions_distance(&points, dimensions_row(&points, 4), 4), 0, 0);
    dimensions_release(&points);
}

TEST("one variant is a point without dimensions")
{
    static const struct kernel_view view = {0};
    static struct choice plan[1];
    struct dimensions points;

    dimensions_find(&view, plan_at, plan, 1, &points);
    check_eq(points.nr, 0);
    check_eq(points.variant_nr, 1);
    dimensions_release(&points);
}

/* ---- searches over a transposition ---- */

struct trial {
    struct space space;
    const struct strvec *given; /* only these plans */
    struct search_opts opts;
    struct search_result result;
    struct error err;
};

static int trial_run(struct trial *trial, const struct space_entry *entry)
{
    space_transpose(&trial->space.kernel, 200);
    space_init(&trial->space, entry);
    trial->space.subject.space = trial->given;
    trial->space.time_s = entry ? NULL : space_valley;
    return space_run(&trial->space, trial->opts, &trial->result, &trial->err);
}

static void trial_release(struct trial *trial)
{
    search_result_release(&trial->result);
    space_release(&trial->space);
    error_clear(&trial->err);
}

static size_t grid_size(struct trial *trial)
{
    struct strvec plans = {0};

    check_ok(search_grid(&trial->space.subject, &plans, &trial->err), &trial->err);
    size_t nr = plans.nr;
    strvec_release(&plans);
    return nr;
}

/* Nothing twice and nothing left out, whatever the way through. */
TEST("without a budget all is measured once")
{
    for (size_t s = 0; s < ARRAY_SIZE(strategies); s++) {
        struct trial trial = {.opts = {.strategy = strategies[s], .budget_s = 1000}};

        check_ok(trial_run(&trial, NULL), &trial.err);
        size_t nr = grid_size(&trial);
        check_eq(trial.result.searched_nr, nr + 1);
        for (size_t i = 1; i <= nr; i++) /* the fastest are measured again in the end */
            for (size_t k = 1; k < i; k++)
                check(strcmp(trial.space.asked.v[i], trial.space.asked.v[k]) != 0);
        check_near(trial.result.space_size, (double)nr, 0);
        char *stop = xasprintf("all %zu legal variants of the grid were measured", nr);
        check_str(trial.result.stop, stop);
        free(stop);
        check(trial.result.best > 0 && trial.result.source_gain.value > 1.5);
        check(trial.result.measurement[trial.result.best].has_occupancy);
        trial_release(&trial);
    }
}

static char *order_of(const char *strategy, unsigned long long seed, size_t variants)
{
    struct trial trial = {
        .opts = {.strategy = strategy, .budget_variants = variants, .seed = seed}};
    struct buf out = {0};

    check_ok(trial_run(&trial, NULL), &trial.err);
    check_eq(trial.result.measurement_nr, variants);
    check(trial.result.space_size < 0);
    check_contains(trial.result.stop, "the budget ended after");
    for (size_t i = 0; i < variants; i++)
        buf_addf(&out, "%s\n", trial.result.measurement[i].plan);
    trial_release(&trial);
    return buf_detach(&out);
}

TEST("the way depends on the seed alone")
{
    for (size_t s = 0; s < ARRAY_SIZE(strategies); s++) {
        char *first = order_of(strategies[s], 7, 60),
             *again = order_of(strategies[s], 7, 60),
             *other = order_of(strategies[s], 8, 60),
             *one = order_of(strategies[s], 1, 60),
             *none = order_of(strategies[s], 0, 60);

        check_str(again, first);
        check(strcmp(other, first) != 0);
        check_str(none, one);
        free(first);
        free(again);
        free(other);
        free(one);
        free(none);
    }
}

/* Evaluations until the fastest plan of the valley. */
static size_t evaluations(const char *strategy, unsigned long long seed)
{
    struct trial trial = {.opts = {.strategy = strategy, .seed = seed}};
    size_t fastest = 0;

    check_ok(trial_run(&trial, NULL), &trial.err);
    double min = INFINITY;
    for (size_t i = 0; i < trial.result.measurement_nr; i++)
        min = fmin(min, space_valley(trial.result.measurement[i].plan));
    while (space_valley(trial.result.measurement[fastest].plan) > min)
        fastest++;
    trial_release(&trial);
    return fastest + 1;
}

/* What they are for: in a valley they need fewer than a blind draw. */
TEST("a valley is found sooner than by chance")
{
    enum { SEEDS = 20 };
    size_t by_chance = 0;

    for (unsigned long long seed = 1; seed <= SEEDS; seed++)
        by_chance += evaluations("random", seed);
    for (size_t s = 0; s < ARRAY_SIZE(strategies); s++) {
        size_t sum = 0;

        for (unsigned long long seed = 1; seed <= SEEDS; seed++)
            sum += evaluations(strategies[s], seed);
        check(sum < by_chance);
    }
}

/* What fails is fast, and what is illegal is all around. */
TEST("failures are no way and no winner")
{
    static const struct space_entry entry[] = {
        {.plan = "*tile(i:32)*", .illegal = "no"},
        {.plan = "*simd*", .seconds = 0.01, .outcome = RUN_OUTCOME_WRONG_RESULT},
        {.plan = "*interchange*", .seconds = 0.5},
        {.plan = NULL}};

    for (size_t s = 0; s < ARRAY_SIZE(strategies); s++) {
        struct trial trial = {.opts = {.strategy = strategies[s], .budget_s = 1000}};

        check_ok(trial_run(&trial, entry), &trial.err);
        check_eq(trial.result.searched_nr, grid_size(&trial) + 1);
        check_contains(trial.result.measurement[trial.result.best].plan, "interchange(");
        trial_release(&trial);
    }
}

TEST("a space of one or none ends")
{
    static const struct space_entry none[] = {{.plan = "?*", .illegal = "no"},
                                              {.plan = NULL}},
                                    one[] = {{.plan = "simd", .seconds = 0.5},
                                             {.plan = "?*", .illegal = "no"},
                                             {.plan = NULL}};

    for (size_t s = 0; s < ARRAY_SIZE(strategies); s++) {
        struct trial trial = {.opts.strategy = strategies[s]};

        check_fails(trial_run(&trial, none), &trial.err, STATUS_FAILED,
                    "the grid holds no legal plan");
        trial_release(&trial);
        trial = (struct trial){.opts.strategy = strategies[s]};
        check_ok(trial_run(&trial, one), &trial.err);
        check_eq(trial.result.measurement_nr, 2);
        check_str(trial.result.measurement[trial.result.best].plan, "simd");
        trial_release(&trial);
    }
}

/* In a child, since the flag cannot be taken back. Exit status 0 = as it should be. */
static int interrupt_in_child(const char *strategy)
{
    int status = -1;
    pid_t child = fork();

    if (child == 0) {
        struct trial trial = {.opts.strategy = strategy, .space.interrupt_at = 9};

        spawn_catch_interrupt();
        _exit(trial_run(&trial, NULL) != 0 || !trial.result.interrupted ||
              trial.result.measurement_nr != 9 ||
              !strstr(trial.result.stop, "it was interrupted"));
    }
    waitpid(child, &status, 0);
    return status;
}

/* Two variants: too few for a population of half of them. */
TEST("a given space of one plan ends")
{
    char written[] = "", simd[] = "simd", *plans[] = {written, simd, NULL};
    const struct strvec given = {.v = plans, .nr = 2};

    for (size_t s = 0; s < ARRAY_SIZE(strategies); s++) {
        struct trial trial = {.opts.strategy = strategies[s]};

        trial.given = &given;
        check_ok(trial_run(&trial, NULL), &trial.err);
        check_eq(trial.result.searched_nr, 2);
        trial_release(&trial);
    }
}

TEST("an interrupt ends it with what is known")
{
    for (size_t s = 0; s < ARRAY_SIZE(strategies); s++)
        check_eq(interrupt_in_child(strategies[s]), 0);
}

TEST("a runner that fails is an error")
{
    for (size_t s = 0; s < ARRAY_SIZE(strategies); s++) {
        struct trial trial = {.opts.strategy = strategies[s], .space.fail_at = 5};

        check_fails(trial_run(&trial, NULL), &trial.err, STATUS_FAILED,
                    "no scratch space is left");
        trial_release(&trial);
    }
}
