/* When a search ends, what it says then, and what is left when it is interrupted. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/search/scripted_trial.h"

SUITE(search_ends);

TEST("the number of variants is respected")
{
    struct trial trial = {.opts.budget_variants = 4};

    trial_start(&trial, NULL);
    trial.space.time_s = space_valley;
    trial_run(&trial);
    check_eq(trial.result.measurement_nr, 4);
    check_str(trial.result.stop, "the budget is used up");
    trial_release(&trial);
}

TEST("the time is respected")
{
    struct trial trial = {.opts.budget_s = 1e-9};

    trial_start(&trial, NULL);
    trial_run(&trial);
    check_eq(trial.result.measurement_nr, 1);
    check_str(trial.result.stop, "the budget is used up");
    trial_release(&trial);
}

static double nothing_left(void *data)
{
    (void)data;
    return 0;
}

TEST("so is that of the runner, where it has less")
{
    struct trial trial = {0};

    trial_start(&trial, NULL);
    trial.space.runner.left_s = nothing_left;
    trial.space.runner.left_of = "the battery";
    trial_run(&trial);
    check_eq(trial.result.measurement_nr, 1);
    check_str(trial.result.stop, "the battery is used up");
    trial_release(&trial);
}

/* As fast as its busiest resource allows: nothing is left to gain. */
TEST("nothing is tried within the noise")
{
    static const struct space_entry entry[] = {{.plan = "", .seconds = 1e-4},
                                               {.plan = NULL}};
    struct trial trial = {0};

    trial_start(&trial, entry);
    trial_run(&trial);
    check_eq(trial.result.measurement_nr, 1);
    check_str(trial.result.stop, "what the evidence still allows is within the noise");
    trial_release(&trial);
}

TEST("advice alone measures one variant")
{
    struct trial trial = {.opts.advise_only = true};

    trial_start(&trial, NULL);
    trial.space.subject.huge_pages_available = true;
    trial_run(&trial);
    check_eq(trial.space.asked.nr, 1);
    check_eq(trial.space.compared.nr, 0);
    check_str(trial.space.asked.v[0], "explain as written");
    check_str(trial.result.stop, "only the baseline was asked for");
    check(trial.result.advice_nr >= 4);
    check(!trial.result.environment_gain.known);
    for (size_t i = 0; i < trial.result.advice_nr; i++)
        check(!trial.result.advice[i].tried_plan);
    trial_release(&trial);
}

TEST("a kernel that does not run is refused")
{
    static const struct space_entry entry[] = {
        {.plan = "", .seconds = 1, .full = RUN_OUTCOME_CRASHED}, {.plan = NULL}};
    struct trial trial = {0};

    trial_start(&trial, entry);
    check_fails(space_run(&trial.space, trial.opts, &trial.result, &trial.err),
                &trial.err, STATUS_UNVERIFIABLE,
                "the kernel as written crashed: scripted: crashed");
    trial_release(&trial);
}

TEST("a failing runner ends the search")
{
    struct trial trial = {0};

    trial_start(&trial, NULL);
    trial.space.fail_at = 3;
    check_fails(space_run(&trial.space, trial.opts, &trial.result, &trial.err),
                &trial.err, STATUS_FAILED, "no scratch space is left");
    check_eq(trial.result.measurement_nr, 2);
    trial_release(&trial);
}

TEST("without traffic the search says so")
{
    struct trial trial = {0};

    trial_start(&trial, NULL);
    trial.space.without_traffic = true;
    trial_run(&trial);
    check_eq(trial.result.measurement_nr, 1);
    check_str(trial.result.stop,
              "the traffic of the kernel is not known, so the rules cannot be asked");
    check(!trial.result.headroom_bound.known);
    trial_release(&trial);
}

TEST("an unknown strategy is refused")
{
    struct trial trial = {.opts.strategy = "genetic"};

    trial_start(&trial, NULL);
    check_fails(space_run(&trial.space, trial.opts, &trial.result, &trial.err),
                &trial.err, STATUS_USAGE,
                "there is no strategy 'genetic'; known are guided, exhaustive, random, "
                "local, population");
    trial_release(&trial);
}

static double late_s;

static double late_clock(void)
{
    return late_s;
}

/* Its programs were ended with the budget. */
static int measure_late(void *data, const struct candidate *candidate,
                        enum measure_effort effort, double stop_at_s,
                        struct measurement *out, struct error *err)
{
    (void)data;
    (void)effort;
    (void)stop_at_s;
    (void)err;
    late_s += 1000;
    *out = measurement_begun(candidate, RUN_OUTCOME_INTERRUPTED);
    out->detail = xstrdup("cut short: the budget was used up");
    return 0;
}

TEST("a kernel that is not measured within the budget is told")
{
    struct trial trial = {.opts = {.budget_s = 10, .began_s = 1, .clock = late_clock}};

    late_s = 1;
    trial_start(&trial, NULL);
    trial.space.runner.measure = measure_late;
    check_fails(space_run(&trial.space, trial.opts, &trial.result, &trial.err),
                &trial.err, STATUS_UNVERIFIABLE,
                "the kernel as written interrupted: cut short: the budget was used up");
    trial_release(&trial);
}

/* ---- interrupts: each in a child of ours, the flag cannot be taken back ---- */

static void report_trial(const struct trial *trial, int status, FILE *out)
{
    const struct search_result *result = &trial->result;
    const struct measurement *last = &result->measurement[result->measurement_nr - 1];

    fprintf(out, "%d %s best '%s', last %s, %zu measured, %zu compared; %s", status,
            result->interrupted ? "interrupted" : "done",
            result->measurement[result->best].plan, run_outcome_word(last->outcome),
            result->measurement_nr, trial->space.compared.nr, result->stop);
}

static void run_in_child(struct trial *trial, FILE *out)
{
    struct rule_set *rules = space_rules();
    int status;

    spawn_catch_interrupt();
    trial->opts.rules = rules;
    status =
        search_run(&trial->space.subject, &trial->space.runner, &trial->space.observer,
                   &trial->opts, &trial->result, &trial->err);
    report_trial(trial, status, out);
    fflush(out);
    _exit(0);
}

static void check_interrupted(struct trial *trial, const char *want)
{
    FILE *out = tmpfile();
    char text[512] = "";
    int status = -1;
    pid_t child;

    fflush(NULL);
    child = fork();
    if (child == 0)
        run_in_child(trial, out);
    waitpid(child, &status, 0);
    check(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    rewind(out);
    text[fread(text, 1, sizeof(text) - 1, out)] = 0;
    check_str(text, want);
    fclose(out);
}

TEST("an interrupt keeps what is known")
{
    static const struct {
        size_t at;
        const char *strategy, *want;
    } cases[] = {
        {1, NULL,
         "0 interrupted best '', last interrupted, 1 measured, 0 compared; it was "
         "interrupted"},
        {5, NULL,
         "0 interrupted best '', last interrupted, 5 measured, 0 compared; it was "
         "interrupted (fastest in a first run, its results not "
         "compared: tile(i:32,j:32))"},
        {5, "exhaustive",
         "0 interrupted best '', last interrupted, 5 measured, 0 compared; it was "
         "interrupted (fastest in a first run, its results not "
         "compared: nontemporal(B))"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct trial trial = {.opts.strategy = cases[i].strategy};

        trial_start(&trial, NULL);
        trial.space.time_s = space_valley;
        trial.space.interrupt_at = cases[i].at;
        check_interrupted(&trial, cases[i].want);
        trial_release(&trial);
    }
}

/* Interrupted after a plan was kept: it stays the best. */
TEST("an interrupt keeps the best")
{
    static const struct space_entry entry[] = {{.plan = "simd", .seconds = 0.5},
                                               {.plan = "tile(*", .illegal = "no"},
                                               {.plan = "*simd*", .seconds = 0.5},
                                               {.plan = NULL}};
    struct trial trial = {0};

    trial_start(&trial, entry);
    trial.space.subject.huge_pages_available = true;
    /* kernel, huge pages, simd quick and long, the first plan around it */
    trial.space.interrupt_at = 5;
    check_interrupted(&trial, "0 interrupted best 'simd', last interrupted, 4 measured, "
                              "1 compared; it was interrupted");
    trial_release(&trial);
}
