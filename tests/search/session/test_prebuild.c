/* What is built ahead, and what is given up for slow: on a scripted space whose runner
 * notes the batches and stops what is slower than it was told. */
#include <stdlib.h>
#include <string.h>

#include "search/session/prebuild.h"
#include "tests/search/choices.h"
#include "tests/search/scripted_trial.h"

SUITE(search_prebuild);

/* A space behind a runner that prepares and stops. */
struct workshop {
    struct trial trial;
    struct search_runner behind;
    struct strvec batches; /* plans of each, joined by " | " */
    struct strvec ready;   /* plans that were prepared */
    size_t unready;        /* quick runs of what was not */
    size_t stopped;
    bool fails;
};

static int prepare(void *data, const struct candidate *candidate, size_t nr,
                   struct error *err)
{
    struct workshop *workshop = data;
    struct buf batch = {0};

    for (size_t i = 0; i < nr; i++) {
        buf_addf(&batch, "%s%s", i ? " | " : "", candidate[i].plan);
        strvec_push(&workshop->ready, candidate[i].plan);
    }
    strvec_push(&workshop->batches, buf_str(&batch));
    buf_release(&batch);
    return workshop->fails ? fail(err, STATUS_FAILED, "no process can be started") : 0;
}

static void stop_slow(struct workshop *workshop, double stop_at_s,
                      struct measurement *out)
{
    if (stop_at_s <= 0 || out->outcome != RUN_OUTCOME_OK ||
        out->time_s.value <= stop_at_s)
        return;
    out->outcome = RUN_OUTCOME_STOPPED;
    out->at_least_s = out->time_s.value;
    out->time_s = quantity_unknown();
    workshop->stopped++;
}

static int measure(void *data, const struct candidate *candidate,
                   enum measure_effort effort, double stop_at_s, struct measurement *out,
                   struct error *err)
{
    struct workshop *workshop = data;
    int status = workshop->behind.measure(workshop->behind.data, candidate, effort,
                                          stop_at_s, out, err);

    if (effort == MEASURE_QUICK)
        workshop->unready += space_count(&workshop->ready, candidate->plan) == 0;
    if (status == 0 && effort == MEASURE_QUICK)
        stop_slow(workshop, stop_at_s, out);
    return status;
}

static int compare(void *data, const struct candidate *a, const struct candidate *b,
                   double seconds, struct quantity *ratio, struct error *err)
{
    struct workshop *workshop = data;

    return workshop->behind.compare(workshop->behind.data, a, b, seconds, ratio, err);
}

static void workshop_start(struct workshop *workshop, const struct space_entry *entry,
                           size_t max)
{
    trial_start(&workshop->trial, entry);
    workshop->behind = workshop->trial.space.runner;
    workshop->trial.space.runner = (struct search_runner){.data = workshop,
                                                          .measure = measure,
                                                          .compare = compare,
                                                          .prepare = prepare,
                                                          .prepare_min = (max + 3) / 4,
                                                          .prepare_max = max};
}

static void workshop_release(struct workshop *workshop)
{
    strvec_release(&workshop->batches);
    strvec_release(&workshop->ready);
    trial_release(&workshop->trial);
}

/* ---- built ahead ---- */

TEST("all is built before it is timed")
{
    static const char *const strategies[] = {"guided", "exhaustive", "random"};

    for (size_t i = 0; i < ARRAY_SIZE(strategies); i++) {
        struct workshop workshop = {.trial.opts.strategy = strategies[i]};

        workshop_start(&workshop, NULL, 4);
        workshop.trial.space.time_s = space_valley;
        trial_run(&workshop.trial);
        check_eq(workshop.unready, 0);
        check(workshop.batches.nr > 3);
        for (size_t k = 0; k < workshop.ready.nr; k++)
            check_eq(space_count(&workshop.ready, workshop.ready.v[k]), 1);
        workshop_release(&workshop);
    }
}

TEST("what is not legal is not built")
{
    static const struct space_entry entry[] = {{.plan = "*tile*", .illegal = "no"},
                                               {.plan = NULL}};
    struct workshop workshop = {.trial.opts.strategy = "exhaustive"};

    workshop_start(&workshop, entry, 4);
    trial_run(&workshop.trial);
    for (size_t i = 0; i < workshop.ready.nr; i++)
        check(!strstr(workshop.ready.v[i], "tile"));
    check(workshop.ready.nr > 0);
    check_eq(workshop.unready, 0);
    workshop_release(&workshop);
}

TEST("no more is built than may be measured")
{
    struct workshop workshop = {
        .trial.opts = {.strategy = "exhaustive", .budget_variants = 6}};

    workshop_start(&workshop, NULL, 4);
    trial_run(&workshop.trial);
    check_eq(workshop.ready.nr, 5);   /* the kernel as written is the sixth */
    check_eq(workshop.batches.nr, 3); /* of 1, 2 and 2: each twice as many at most */
    workshop_release(&workshop);
}

enum { WINDOW = 8, WINDOW_AHEAD = 4 };

static void window(void *data, size_t *max, size_t *ahead)
{
    (void)data;
    *max = WINDOW;
    *ahead = WINDOW_AHEAD;
}

TEST("what others measure is handed to them by the few, and none of it in vain")
{
    struct workshop workshop = {
        .trial.opts = {.strategy = "exhaustive", .budget_variants = 12}};

    workshop_start(&workshop, NULL, WINDOW);
    workshop.trial.space.runner.window = window;
    trial_run(&workshop.trial);
    check_eq(workshop.unready, 0);
    check_eq(workshop.ready.nr, 11);  /* the kernel as written is the twelfth */
    check_eq(workshop.batches.nr, 6); /* of 2, but for the last */
    workshop_release(&workshop);
}

TEST("what cannot build ends the search")
{
    struct workshop workshop = {.fails = true};

    workshop_start(&workshop, NULL, 4);
    check_fails(space_run(&workshop.trial.space, workshop.trial.opts,
                          &workshop.trial.result, &workshop.trial.err),
                &workshop.trial.err, STATUS_FAILED, "no process can be started");
    workshop_release(&workshop);
}

/* ---- given up for slow ---- */

TEST("hopeless plans are stopped and the winner is the same")
{
    struct workshop workshop = {0};
    struct trial whole = {0};

    workshop_start(&workshop, NULL, 4);
    workshop.trial.space.time_s = space_valley;
    trial_run(&workshop.trial);
    trial_start(&whole, NULL);
    whole.space.time_s = space_valley;
    trial_run(&whole);
    check(workshop.stopped > 0);
    check_str(workshop.trial.result.measurement[workshop.trial.result.best].plan,
              whole.result.measurement[whole.result.best].plan);
    for (size_t i = 0; i < workshop.trial.result.measurement_nr; i++) {
        const struct measurement *one = &workshop.trial.result.measurement[i];

        if (one->outcome == RUN_OUTCOME_STOPPED)
            check(one->at_least_s > 0.4 && !one->time_s.known);
    }
    workshop_release(&workshop);
    trial_release(&whole);
}

/* Blind searches compare all with nothing: no time of theirs is cut. */
TEST("blind searches stop nothing")
{
    struct workshop workshop = {.trial.opts.strategy = "random"};

    workshop_start(&workshop, NULL, 4);
    workshop.trial.space.time_s = space_valley;
    trial_run(&workshop.trial);
    for (size_t i = 0; i < workshop.trial.result.searched_nr; i++)
        check(workshop.trial.result.measurement[i].outcome != RUN_OUTCOME_STOPPED);
    workshop_release(&workshop);
}

/* A limit that has fallen holds still; one that has risen, or is none, asks anew. */
TEST("a stopped one is asked again where it matters")
{
    static const struct space_entry entry[] = {{.plan = "simd", .seconds = 2},
                                               {.plan = NULL}};
    struct workshop workshop = {0};
    struct search_opts opts = {0};
    struct search_result result = {0};
    struct choice simd = choice_of("simd");
    size_t index = 0;

    workshop_start(&workshop, entry, 0);
    opts.rules = space_rules();
    struct session session = {.subject = &workshop.trial.space.subject,
                              .runner = &workshop.trial.space.runner,
                              .opts = &opts,
                              .result = &result};
    check_eq(session_start(&session, NULL), 0);
    static const struct {
        double limit_s;
        size_t runs;
        enum run_outcome outcome;
    } asked[] = {{1.5, 1, RUN_OUTCOME_STOPPED},
                 {1.0, 1, RUN_OUTCOME_STOPPED},
                 {1.999, 1, RUN_OUTCOME_STOPPED},
                 {3, 2, RUN_OUTCOME_OK},
                 {1, 2, RUN_OUTCOME_OK}};
    for (size_t i = 0; i < ARRAY_SIZE(asked); i++) {
        check_eq(session_measure(&session, &simd, false, MEASURE_QUICK, asked[i].limit_s,
                                 &index, NULL),
                 0);
        check_eq(workshop.trial.space.asked.nr, asked[i].runs);
        check_eq(result.measurement[index].outcome, asked[i].outcome);
    }
    session_release(&session);
    search_result_release(&result);
    rule_set_free((struct rule_set *)opts.rules);
    workshop_release(&workshop);
}
