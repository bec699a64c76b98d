/* Constants of the file in the space: combinations, every strategy, climbing. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "search/strategy/tunables.h"
#include "tests/search/choices.h"
#include "tests/search/scripted_trial.h"

SUITE(search_tunables);

static const long long powers[] = {4, 8, 16, 32, 64, 128}, units[] = {1, 2, 4};
static const struct kernel_tunable tunables[] = {
    {.name = "TI", .value = powers, .value_nr = 6, .now = 16, .line = 1},
    {.name = "TJ", .value = powers, .value_nr = 6, .now = 24, .line = 2},
    {.name = "U", .value = units, .value_nr = 3, .now = 1, .line = 3}};
static const char *const constraints[] = {"TI * TJ * 8 <= n * 8", "TI >= U"};

static void add_tunables(struct trial *trial, size_t nr, size_t constraint_nr)
{
    struct kernel_view *view = &trial->space.kernel.view;
    static struct kernel_param param[] = {
        {.name = "n", .type = "int", .is_integer = true, .is_set = true, .value = 2048}};

    view->tunable = tunables;
    view->tunable_nr = nr;
    view->constraint = constraints;
    view->constraint_nr = constraint_nr;
    view->param = param;
    view->param_nr = 1;
}

TEST("constraints shape the space")
{
    static const struct {
        size_t tunables, constraints, want;
    } cases[] = {{0, 0, 1}, {1, 0, 6}, {2, 0, 37}, {2, 1, 27}, {3, 2, 79}};

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct trial trial = {0};
        struct combinations found;
        size_t want = 0;

        trial_start(&trial, NULL);
        add_tunables(&trial, cases[i].tunables, cases[i].constraints);
        combinations_find(&trial.space.kernel.view, &found);
        for (size_t k = 0; k < found.nr && cases[i].tunables > 1; k++) {
            const long long *value = found.value + k * found.width;
            want += cases[i].constraints == 0 || value[0] * value[1] <= 2048 || k == 0;
        }
        check(found.all);
        check_eq(found.nr, cases[i].tunables > 1 ? want : cases[i].want);
        if (cases[i].tunables > 1)
            check_eq(found.value[1], 24);
        combinations_release(&found);
        space_release(&trial.space);
    }
}

TEST("choices name what differs")
{
    struct trial trial = {0};
    struct choice choice = choice_of("simd");
    long long back[3];

    trial_start(&trial, NULL);
    add_tunables(&trial, 3, 0);
    const struct kernel_view *view = &trial.space.kernel.view;
    choice_take(view, (const long long[]){64, 24, 4}, &choice);
    char *text = choice_text(&choice);
    check_str(text, "set(TI:64,U:4) simd");
    choice_values(view, &choice, back);
    check(back[0] == 64 && back[1] == 24 && back[2] == 4);
    choice_take(view, (const long long[]){16, 24, 1}, &choice);
    free(text);
    text = choice_text(&choice);
    check_str(text, "simd");
    free(text);
    space_release(&trial.space);
}

static double value_of(const char *plan, const char *name, double other)
{
    const char *at = strstr(plan, name);

    return at ? strtod(at + strlen(name), NULL) : other;
}

/* Best at TI = 64, TJ = 8; a fifth more for each step away. */
static double valley(const char *plan)
{
    return pow(1.2, fabs(log2(value_of(plan, "TI:", 16) / 64)) +
                        fabs(log2(value_of(plan, "TJ:", 24) / 8)));
}

static void check_set(const struct trial *trial)
{
    const struct measurement *best = &trial->result.measurement[trial->result.best];

    check_contains(best->plan, "set(TI:64,TJ:8)");
}

TEST("guided search climbs")
{
    struct trial trial = {0};

    trial_start(&trial, NULL);
    add_tunables(&trial, 2, 1);
    trial.space.time_s = valley;
    trial_run(&trial);
    check_set(&trial);
    const struct advice *advice = space_advice(&trial.result, "set");
    check(advice && advice->tried_plan && strstr(advice->outcome, "kept: faster"));
    check(advice && strstr(advice->reason, "combinations of values for 2 constants"));
    check(space_count(&trial.space.output, advice ? advice->reason : "") == 1);
    trial_release(&trial);
}

/* The rules need the traffic; the constants do not. */
TEST("guided search climbs without traffic")
{
    struct trial trial = {0};

    trial_start(&trial, NULL);
    add_tunables(&trial, 2, 0);
    trial.space.time_s = valley;
    trial.space.without_traffic = true;
    trial_run(&trial);
    check_set(&trial);
    trial_release(&trial);
}

TEST("blind searches cover the product")
{
    static const char *const strategy[] = {"exhaustive", "random"};

    for (size_t i = 0; i < ARRAY_SIZE(strategy); i++) {
        struct trial trial = {0};
        static const struct space_entry simple[] = {
            {.plan = "*fetch*", .illegal = "no"},
            {.plan = "*unroll*", .illegal = "no"},
            {.plan = "*distribute*", .illegal = "no"},
            {.plan = "*temporal*", .illegal = "no"},
            {.plan = NULL}};

        space_gather(&trial.space.kernel, 1000, 1000);
        space_init(&trial.space, simple);
        add_tunables(&trial, 2, 0);
        trial.space.time_s = valley;
        trial.opts.strategy = strategy[i];
        trial_run(&trial);
        check_set(&trial);
        /* as written, and simd */
        check_eq(trial.result.space_size, 37 * 2 - 1);
        check(space_find(&trial.result, "set(TI:128,TJ:4) simd") <
              trial.result.measurement_nr);
        check_contains(trial.space.output.v[1], "37 combinations of tunables");
        trial_release(&trial);
    }
}

TEST("advice alone tries nothing")
{
    struct trial trial = {0};

    trial_start(&trial, NULL);
    add_tunables(&trial, 2, 0);
    trial.opts.advise_only = true;
    trial_run(&trial);
    check_eq(trial.result.measurement_nr, 1);
    trial_release(&trial);
}
