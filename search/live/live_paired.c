/* The live runner: first runs of plans, beside what is known best. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base.h"
#include "core/process/term.h"
#include "search/live/live_parts.h"
#include "search/space/environment.h"

/* For one variant: first looks, and what becomes the next reference. */
static const double look_s = 0.4, know_s = 1.5, alone_s = 1;
/* Three pairs of long calls, whatever they take; one where the time is for few of these.
 */
enum { LOOK_CALLS = 6, LOOK_CALLS_LEAST = 2 };
static const double look_share = 0.1;
/* Until its time is known within so much. */
static const double known_within = 0.1;

static void refer_to(struct live *live, const char *plan, struct quantity time_s)
{
    char *copy = xstrdup(plan);
    free(live->reference.plan);
    live->reference.plan = copy;
    live->reference.time_s = time_s;
    live->reference.shortest_s = live->reference.longest_s = 0;
    live->reference.calls = 0;
}

void live_remember(struct live *live, const struct built *built,
                   const struct measurement *measurement)
{
    const struct environment plain = {0};
    if (built->source || measurement->outcome != RUN_OUTCOME_OK ||
        !measurement->time_s.known ||
        !environments_equal(&measurement->environment, &plain))
        return;
    refer_to(live, built->plan, measurement->time_s);
    live_note_calls(live, measurement->sample, measurement->sample_nr);
}

int live_refer(struct live *live, const char *plan, struct quantity time_s,
               struct error *err)
{
    struct built *built = NULL;
    if (live_built_get(live, &(struct candidate){.plan = (char *)plan}, &built, err) ||
        live_check(live, built, true, err))
        return -1;
    if (built->refused != RUN_OUTCOME_OK)
        return fail(err, STATUS_UNVERIFIABLE, "'%s' does not run here: %s",
                    *plan ? plan : "the kernel as written", built->why);
    if (!*plan)
        live->original_s = time_s;
    refer_to(live, plan, time_s);
    return 0;
}

void live_forget(struct live *live)
{
    free(live->reference.plan);
    live->reference.plan = NULL;
}

static struct built *built_of(const struct live *live, const char *plan)
{
    for (size_t i = 0; i < live->built_nr; i++)
        if (live->built[i]->toolchain == live->opts.toolchain && live->built[i]->parsed &&
            !strcmp(live->built[i]->plan, plan))
            return live->built[i];
    return NULL;
}

/* One that turned out wrong in the full size is none: then the kernel as written. */
static struct built *reference_of(struct live *live)
{
    struct built *built = built_of(live, live->reference.plan);
    if (!built || built->refused == RUN_OUTCOME_OK || !live->original_s.known)
        return built;
    refer_to(live, "", live->original_s);
    return built_of(live, "");
}

/* The reference's time by the ratio. Its own interval is left out: it is the same for all
 * that are compared with it, and with each other. Few pairs have an interval that is open
 * to a side: a fifth then, as far as two samples of a busy machine lie apart. */
static struct quantity time_by(struct quantity reference_s, struct quantity ratio)
{
    const double doubt = 1.2;
    double low = fmax(ratio.low, ratio.value / doubt),
           high = fmin(ratio.high, ratio.value * doubt);
    return quantity_between(reference_s.value / ratio.value, reference_s.value / high,
                            reference_s.value / low, ratio.runs, PROVENANCE_CLOCK);
}

/* What is faster beyond doubt, and by more than a trifle, is what those that follow have
 * to beat; and each of their turns takes less. */
static void refer_to_faster(struct live *live, const struct built *built,
                            const struct measurement *measurement)
{
    const double trifle = 1.05;
    struct quantity time_s = measurement->time_s;
    if (!time_s.known || time_s.value * trifle >= live->reference.time_s.value)
        return;
    refer_to(live, built->plan, time_s);
    live_note_calls(live, measurement->sample, measurement->sample_nr);
}

static void take_turns(const struct live *live, struct run_result result[2],
                       struct measurement *out)
{
    double at_least_s = result[1].at_least_s, at_least_ratio = result[1].at_least_ratio;
    struct quantity ratio;
    /* At any number of pairs, so also where it was ended by what was seen. */
    run_judge(&result[0], &result[1], 0.05, &ratio);
    live_take_run(&result[1], out);
    out->time_s = quantity_unknown();
    if (out->outcome == RUN_OUTCOME_OK && ratio.known)
        out->time_s = time_by(live->reference.time_s, ratio);
    if (out->outcome == RUN_OUTCOME_STOPPED)
        out->at_least_s = at_least_ratio > 0
                              ? live->reference.time_s.value * at_least_ratio
                              : at_least_s;
}

struct built *live_paired(struct live *live, const struct built *built,
                          const struct environment *environment)
{
    const struct environment plain = {0};
    if (!live->reference.plan || !built->parsed || !*built->plan ||
        !environments_equal(environment, &plain) ||
        !strcmp(built->plan, live->reference.plan))
        return NULL;
    return reference_of(live);
}

static double look_calls(const struct live *live, bool quick)
{
    double room = live->end_s > 0 && quick ? look_share * (live->end_s - clock_s()) /
                                                 live->reference.time_s.value
                                           : LOOK_CALLS;

    return fmin(fmax(room, LOOK_CALLS_LEAST), LOOK_CALLS);
}

int live_time_paired(struct live *live, struct built *built, enum measure_effort effort,
                     double stop_at_s, struct measurement *out, bool *done,
                     enum run_verdict *verdict, struct error *err)
{
    struct built *reference = live_paired(live, built, &out->environment);
    bool quick = effort == MEASURE_QUICK;
    struct live_question question = {
        .side = {reference, built},
        .seconds = quick ? look_s : know_s,
        .pairs = live->opts.pairs,
        .error = quick ? run_error_of(live_error, live->judged_nr + 1) : live_error,
        .stop_at_s = stop_at_s,
        .within = quick ? 0 : known_within,
        .gains = quick};
    struct run_result result[2];
    struct live_answer answer;
    *done = false;
    *verdict = RUN_VERDICT_UNDECIDED;
    if (!reference)
        return 0;
    question.seconds =
        fmax(question.seconds, look_calls(live, quick) * live->reference.time_s.value);
    if (live_ask(live, &question, result, &answer, err))
        return -1;
    *done = answer.done;
    *verdict = answer.verdict;
    if (*done) {
        take_turns(live, result, out);
        if (*verdict == RUN_VERDICT_FASTER && out->outcome == RUN_OUTCOME_OK &&
            !question.pairs)
            refer_to_faster(live, built, out);
        live_note_stopped(live, live_kill_s(live, &question), stop_at_s, out);
    }
    run_result_release(&result[0]);
    run_result_release(&result[1]);
    return 0;
}

/* In the arena against itself, when a whole session follows: what differs from one start
 * of a program to the next is for comparisons at its end. QUICK: nothing will be compared
 * with this time but that of another node. */
int live_time_alone(struct live *live, struct built *built, enum measure_effort effort,
                    struct measurement *out, bool *done, struct error *err)
{
    struct live_question question = {.side = {built, built},
                                     .seconds =
                                         effort == MEASURE_QUICK ? look_s : alone_s,
                                     .error = run_error_of(live_error, 1),
                                     .within = known_within};
    struct run_result result[2];
    struct live_answer answer;
    double began_s = clock_s();
    if (live_ask(live, &question, result, &answer, err))
        return -1;
    *done = answer.done;
    if (*done) {
        live_take_run(&result[0], out);
        live->launch_s = clock_s() - began_s;
    }
    run_result_release(&result[0]);
    run_result_release(&result[1]);
    return 0;
}

bool live_knows(const struct live *live, const struct built *built,
                struct measurement *out)
{
    const struct environment plain = {0};
    if (!live->reference.plan || !live->reference.calls || !built->parsed ||
        !*built->plan || strcmp(built->plan, live->reference.plan) ||
        !environments_equal(&out->environment, &plain))
        return false;
    out->time_s = live->reference.time_s;
    out->launches = 1;
    return true;
}
