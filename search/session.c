#include "search/session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_BUDGET_S = 100 };

int session_start(struct session *session, struct error *err)
{
    const struct search_opts *opts = session->opts;
    session->view = session->subject->view(session->subject->data);
    nest_find(&session->view, &session->nest);
    session->started_s = clock_s();
    session->deadline_s =
        session->started_s + (opts->budget_s > 0 ? opts->budget_s : DEFAULT_BUDGET_S);
    *session->result = (struct search_result){
        .source_gain = quantity_exact(1, PROVENANCE_CLOCK),
        .environment_gain = quantity_unknown(),
        .total_gain = quantity_unknown(),
        .left_bound = quantity_unknown(),
        .left_resource = RESOURCE_NONE,
        .space_size = -1,
    };
    if (!opts->rules)
        return fail(err, STATUS_FAILED, "no rules were given to the search");
    return 0;
}

void session_release(struct session *session)
{
    free(session->choice);
    free(session->effort);
}

void session_say(const struct session *session, const char *format, ...)
{
    if (!session->observer || !session->observer->step)
        return;
    struct buf text = {0};
    va_list args;
    va_start(args, format);
    buf_addf_va(&text, format, args);
    va_end(args);
    session->observer->step(session->observer->data, buf_str(&text));
    buf_release(&text);
}

double session_left_s(const struct session *session)
{
    return session->deadline_s - clock_s();
}

bool session_over(const struct session *session)
{
    size_t most = session->opts->budget_variants;
    return spawn_interrupted() || session_left_s(session) <= 0 ||
           (most && session->result->measurement_nr >= most);
}

bool session_timed(const struct session *session, size_t i)
{
    const struct measurement *measurement = &session->result->measurement[i];
    return measurement->outcome == RUN_OUTCOME_OK && measurement->time_s.known;
}

static size_t find(const struct session *session, const char *plan, bool huge_pages)
{
    const struct search_result *result = session->result;
    for (size_t i = 0; i < result->measurement_nr; i++)
        if (!strcmp(result->measurement[i].plan, plan) &&
            result->measurement[i].environment.huge_pages == huge_pages)
            return i;
    return result->measurement_nr;
}

static void put(struct session *session, size_t at, const struct choice *choice,
                enum measure_effort effort, struct measurement *measurement)
{
    struct search_result *result = session->result;
    if (at == result->measurement_nr) {
        GROW(result->measurement, at + 1, result->measurement_alloc);
        GROW(session->choice, at + 1, session->choice_alloc);
        GROW(session->effort, at + 1, session->effort_alloc);
        result->measurement_nr++;
    } else {
        measurement_release(&result->measurement[at]);
    }
    result->measurement[at] = *measurement;
    session->choice[at] = *choice;
    session->effort[at] = effort;
}

static int tell(const struct session *session, const struct measurement *measurement,
                struct error *err)
{
    if (!session->observer || !session->observer->measured)
        return 0;
    return session->observer->measured(session->observer->data, measurement, err);
}

int session_measure(struct session *session, const struct choice *choice, bool huge_pages,
                    enum measure_effort effort, double limit_s, size_t *index,
                    struct error *err)
{
    char *plan = choice_text(choice);
    struct candidate candidate = {plan, {.huge_pages = huge_pages}};
    struct measurement measurement = {0};
    int status = 0;
    *index = find(session, plan, huge_pages);
    if (*index == session->result->measurement_nr || session->effort[*index] < effort) {
        status = session->runner->measure(session->runner->data, &candidate, effort,
                                          limit_s, &measurement, err);
        if (status == 0) {
            put(session, *index, choice, effort, &measurement);
            status = tell(session, &session->result->measurement[*index], err);
        }
    }
    free(plan);
    return status;
}

static struct candidate candidate_of(const struct session *session, size_t i)
{
    const struct measurement *measurement = &session->result->measurement[i];
    return (struct candidate){measurement->plan, measurement->environment};
}

int session_compare(struct session *session, size_t a, size_t b, double seconds,
                    struct quantity *ratio, struct error *err)
{
    struct candidate left = candidate_of(session, a), right = candidate_of(session, b);
    *ratio = quantity_unknown();
    if (spawn_interrupted())
        return 0;
    return session->runner->compare(session->runner->data, &left, &right, seconds, ratio,
                                    err);
}

void session_prune(struct session *session, const char *plan, const char *rule,
                   const char *reason)
{
    struct search_result *result = session->result;
    for (size_t i = 0; i < result->pruned_nr; i++)
        if (!strcmp(result->pruned[i].plan, plan))
            return;
    GROW(result->pruned, result->pruned_nr + 1, result->pruned_alloc);
    result->pruned[result->pruned_nr++] =
        (struct pruned){xstrdup(plan), xstrdup(rule), xstrdup(reason)};
}

int session_legal(struct session *session, const struct choice *choice, struct error *err)
{
    struct error reason = {0};
    char *plan = choice_text(choice);
    int status = session->subject->check(session->subject->data, plan, &reason);
    if (status && (reason.status == STATUS_ILLEGAL || reason.status == STATUS_USAGE))
        session_prune(session, plan, "legality", reason.text);
    free(plan);
    return status ? fail(err, reason.status, "%s", reason.text) : 0;
}

int session_baseline(struct session *session, struct error *err)
{
    struct choice none = {0};
    size_t index = 0;
    session_say(session, "measuring the kernel as written");
    if (session_measure(session, &none, false, MEASURE_EXPLAIN, 0, &index, err))
        return -1;
    const struct measurement *baseline = &session->result->measurement[0];
    if (session_timed(session, 0) || baseline->outcome == RUN_OUTCOME_INTERRUPTED)
        return 0;
    return fail(err, STATUS_UNVERIFIABLE, "the kernel as written %s%s%s",
                run_outcome_word(baseline->outcome), baseline->detail ? ": " : "",
                baseline->detail ? baseline->detail : "");
}

/* ---- closing ---- */

/* The first comparison was luck: what was said of the plan is no longer true. */
static void note_luck(struct search_result *result, struct quantity gain)
{
    for (size_t i = 0; i < result->advice_nr; i++) {
        struct advice *advice = &result->advice[i];
        if (!advice->tried_plan ||
            strcmp(advice->tried_plan, result->measurement[result->best].plan))
            continue;
        advice->measured_speedup = gain;
        free(advice->outcome);
        advice->outcome = xstrdup("not kept: measured again the gain was not there");
    }
}

static int close_source(struct session *session, struct error *err)
{
    struct search_result *result = session->result;
    if (result->best == 0)
        return 0;
    session_say(session, "measuring the winner against the original once more");
    struct quantity gain = quantity_unknown();
    if (session_compare(session, 0, result->best, 8, &gain, err))
        return -1;
    if (gain.known && gain.low <= 1) {
        note_luck(result, gain);
        result->best = 0;
        return 0;
    }
    result->source_gain = gain;
    return 0;
}

static int close_environment(struct session *session, struct error *err)
{
    struct search_result *result = session->result;
    size_t huge = 0;
    if (!session->subject->huge_pages_available || spawn_interrupted())
        return 0;
    if (session_measure(session, &session->choice[0], true, MEASURE_QUICK, 0, &huge, err))
        return -1;
    if (!session_timed(session, huge))
        return 0;
    if (!result->environment_gain.known) {
        session_say(session, "huge pages: the kernel as written");
        if (session_compare(session, 0, huge, 8, &result->environment_gain, err))
            return -1;
    }
    if (result->best == 0) {
        result->total_gain = result->environment_gain;
        return 0;
    }
    session_say(session, "huge pages: the winner");
    struct choice best = session->choice[result->best];
    if (session_measure(session, &best, true, MEASURE_QUICK, 0, &huge, err))
        return -1;
    if (!session_timed(session, huge))
        return 0;
    return session_compare(session, 0, huge, 8, &result->total_gain, err);
}

static void close_left(struct session *session)
{
    struct search_result *result = session->result;
    const struct measurement *best = &result->measurement[result->best];
    if (!best->has_occupancy)
        best = &result->measurement[0];
    if (!best->has_occupancy)
        return;
    result->left_bound = best->occupancy.slack;
    result->left_resource = best->occupancy.busiest;
}

/* The fastest first run, when the search was stopped before it could be compared. */
static char *say_interrupted(const struct session *session)
{
    const struct search_result *result = session->result;
    size_t fastest = result->best;
    for (size_t i = 0; i < result->measurement_nr; i++)
        if (session_timed(session, i) && !result->measurement[i].environment.huge_pages &&
            result->measurement[i].time_s.value <
                result->measurement[fastest].time_s.value)
            fastest = i;
    if (fastest == result->best || !session_timed(session, result->best))
        return xstrdup("it was interrupted");
    return xasprintf(
        "it was interrupted (fastest in a first run, not confirmed: %s, %.2fx)",
        result->measurement[fastest].plan,
        result->measurement[result->best].time_s.value /
            result->measurement[fastest].time_s.value);
}

int session_close(struct session *session, struct error *err)
{
    struct search_result *result = session->result;
    result->interrupted = spawn_interrupted() != 0;
    if (result->measurement_nr == 0)
        return 0;
    if (!session->opts->advise_only &&
        (close_source(session, err) || close_environment(session, err)))
        return -1;
    close_left(session);
    result->interrupted = spawn_interrupted() != 0;
    if (result->interrupted) {
        free(result->stop);
        result->stop = say_interrupted(session);
    }
    result->seconds = clock_s() - session->started_s;
    return 0;
}
