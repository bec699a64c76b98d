/* The closing measurements: the winner once more, and what is beside the plan. */
#include "search/finish/close.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "search/finish/finish.h"
#include "search/finish/headroom.h"
#include "search/finish/ties.h"

/* The kernel as written is the best again; what was said of the plan that was, and of
 * those that led to it, is no longer true. */
static void drop_best(struct search_result *result, struct quantity gain,
                      const char *outcome)
{
    const char *best = result->measurement[result->best].plan;
    for (size_t i = 0; i < result->advice_nr; i++) {
        struct advice *advice = &result->advice[i];
        bool is_best = advice->tried_plan && !strcmp(advice->tried_plan, best),
             led = advice->outcome && !strcmp(advice->outcome, SESSION_KEPT);
        if (!is_best && !led)
            continue;
        if (is_best)
            advice->measured_speedup = gain;
        free(advice->outcome);
        advice->outcome = xstrdup(outcome);
    }
    result->best = 0;
    result->source_gain = quantity_exact(1, PROVENANCE_CLOCK);
}

/* ---- whose results are right ---- */

static struct quantity gain_over_written(struct session *session, size_t i)
{
    return session_timed(session, i) && session_timed(session, 0)
               ? evidence_ratio(&session->evidence, 0, i)
               : quantity_unknown();
}

/* A gain is told of what gives the original's results at the full size. The best is
 * either explained, or its file is checked. */
static bool is_unchecked_gain(struct session *session, size_t i)
{
    return i != 0 && i != session->result->best &&
           !session->result->measurement[i].checked &&
           session_is_gain(gain_over_written(session, i));
}

static bool is_advised(const struct search_result *result, size_t i)
{
    for (size_t k = 0; k < result->advice_nr; k++)
        if (result->advice[k].tried_plan &&
            !strcmp(result->advice[k].tried_plan, result->measurement[i].plan))
            return true;
    return false;
}

/* What was said of its time. */
static void withdraw(struct search_result *result, size_t i, const char *outcome)
{
    const char *plan = result->measurement[i].plan;
    for (size_t k = 0; k < result->advice_nr; k++) {
        struct advice *advice = &result->advice[k];
        if (!advice->tried_plan || strcmp(advice->tried_plan, plan))
            continue;
        advice->measured_speedup = quantity_unknown();
        free(advice->outcome);
        advice->outcome = xstrdup(outcome);
        if (result->first_tried && !strcmp(result->first_tried, advice->transformation))
            result->first_gain = quantity_unknown();
    }
    for (size_t k = 0; k < result->audit.nr; k++)
        if (result->audit.item[k].plan && !strcmp(result->audit.item[k].plan, plan))
            result->audit.item[k].gain = quantity_unknown();
}

struct unchecked {
    size_t i;
    bool advised;
    double seconds;
};

static int by_use(const void *a, const void *b)
{
    const struct unchecked *left = a, *right = b;
    if (left->advised != right->advised)
        return left->advised ? -1 : 1;
    return left->seconds < right->seconds ? -1 : left->seconds > right->seconds;
}

static int check_gain(struct session *session, size_t i, struct error *err)
{
    struct search_result *result = session->result;
    bool right;
    if (session_check(session, i, &right, err))
        return -1;
    if (right || session_timed(session, i)) /* or it was cut short */
        return 0;
    char *failure = measurement_failure(&result->measurement[i]),
         *outcome = xasprintf("not kept: %s", failure);
    withdraw(result, i, outcome);
    free(failure);
    free(outcome);
    return 0;
}

/* First those that the advice names, the fastest first: where the time ends before all
 * are compared, the others are not told. */
static int check_gains(struct session *session, struct error *err)
{
    struct search_result *result = session->result;
    struct unchecked *list = xcalloc(result->measurement_nr, sizeof(*list));
    size_t nr = 0;
    int status = 0;
    for (size_t i = 1; i < result->measurement_nr; i++)
        if (is_unchecked_gain(session, i))
            list[nr++] = (struct unchecked){i, is_advised(result, i),
                                            result->measurement[i].time_s.value};
    qsort(list, nr, sizeof(*list), by_use);
    for (size_t k = 0; k < nr && !status && session_affords_check(session); k++)
        status = check_gain(session, list[k].i, err);
    free(list);
    return status;
}

static const char no_gain[] = "not kept: measured again, the gain was gone";

static bool is_luck(struct quantity gain)
{
    return gain.known && (gain.low <= 1 || gain.value < SESSION_MIN_GAIN);
}

/* Where the last comparisons find a gain, but may owe it to noise, `all` that the session
 * measured may show that they do not. What is said of the gain is what they say alone. */
static bool is_luck_by_all(struct quantity all, struct quantity last)
{
    return is_luck(last) &&
           (last.value < SESSION_MIN_GAIN || last.doubted || !session_is_gain(all));
}

static struct quantity session_gain(struct session *session)
{
    size_t best = session->result->best;
    return best ? evidence_ratio(&session->evidence, 0, best) : quantity_unknown();
}

/* A smaller change that has no gain of its own gives way to the winner that it was taken
 * for. */
static int close_source(struct session *session, struct error *err)
{
    struct search_result *result = session->result;
    struct quantity gain = quantity_unknown();
    if (result->best == 0)
        return 0;
    if (!session_affords(session, pace_comparison_s(&session->pace, PACE_MIN_S),
                         "comparing the winner with the original before its file is")) {
        result->source_gain = quantity_unknown();
        result->file_decides = true;
        return 0;
    }
    session_say(session, "measuring the winner against the original once more");
    if (session_compare_surely(session, 0, result->best, session_closing_s(session, 1),
                               &gain, err))
        return -1;
    if (is_luck(gain) && result->tie_winner && result->best != result->tie_winner) {
        result->best = result->tie_winner;
        if (session_compare_surely(session, 0, result->best,
                                   session_closing_s(session, 1), &gain, err))
            return -1;
    }
    if (is_luck_by_all(session_gain(session), gain)) {
        drop_best(result, gain, no_gain);
        result->source_gain.disturbed = gain.disturbed;
        result->source_gain.doubted = gain.doubted;
        return 0;
    }
    result->source_gain = gain;
    return 0;
}

/* Comparisons that must still follow one that can be left out: the file's. */
static int later(const struct session *session)
{
    return session->result->best ? 1 : 0;
}

int session_compare_pages(struct session *session, size_t plan, int later,
                          struct quantity *gain, struct error *err)
{
    struct choice choice = session->choice[plan];
    size_t huge = 0;
    session_say(session, "%s", session_pages_text(plan));
    if (session_measure(session, &choice, true, MEASURE_QUICK, 0, &huge, err))
        return -1;
    if (!session_timed(session, huge))
        return 0;
    return session_compare(session, 0, huge, session_closing_s(session, later), gain,
                           err);
}

static int close_environment(struct session *session, struct error *err)
{
    struct search_result *result = session->result;
    if (!session->subject->huge_pages_available || session->opts->plans_only)
        return 0;
    if (!result->environment_gain.known && session_affords_pages(session, 0) &&
        session_compare_pages(session, 0, later(session), &result->environment_gain, err))
        return -1;
    if (result->best == 0) {
        result->total_gain = result->environment_gain;
        return 0;
    }
    return session_affords_pages(session, result->best)
               ? session_compare_pages(session, result->best, later(session),
                                       &result->total_gain, err)
               : 0;
}

/* ---- what else is beside the plan ---- */

/* The outermost of the loops around a nest whose bounds depend on data; NULL where it is
 * none. */
static const char *around(const struct nest *nest)
{
    const struct kernel_loop *loop = nest->nr ? nest->loop[0] : NULL;
    while (loop && loop->parent >= 0 && nest->view->loop[loop->parent].modelled)
        loop = &nest->view->loop[loop->parent];
    return loop && loop != nest->loop[0] ? loop->name : NULL;
}

/* Where the environment has threads, the plan must use them. */
static struct choice choice_under(struct session *session, const struct choice *choice,
                                  const struct environment *environment)
{
    struct choice under = *choice;
    const char *outer = around(&session->nest);
    bool wanted = environment->threads > 1 && !choice_step(&under, STEP_PARALLEL);
    if (wanted && outer)
        choice_put_names(&under, STEP_PARALLEL, &outer, 1);
    else if (wanted && session->nest.nr)
        choice_outermost(&under, session->nest.loop[0]->name);
    if (choice_step(&under, STEP_PARALLEL) && session_legal(session, &under, NULL))
        choice_drop(&under, STEP_PARALLEL); /* there may be pragmas of the user's own */
    return under;
}

static struct tried_environment *add_tried(struct search_result *result, const char *plan,
                                           const struct environment *environment,
                                           const struct environment *before)
{
    GROW(result->environment, result->environment_nr + 1, result->environment_alloc);
    struct tried_environment *tried = &result->environment[result->environment_nr++];
    *tried = (struct tried_environment){.plan = xstrdup(plan),
                                        .environment = *environment,
                                        .before = *before,
                                        .gain = quantity_unknown()};
    return tried;
}

/* Compares with *now, which becomes the other one when that is faster beyond doubt. */
static int judge_option(struct session *session, struct tried_environment *tried,
                        size_t index, size_t *now, struct error *err)
{
    double seconds = fmin(5, session_closing_s(session, later(session)));
    bool right = true;
    if (session_compare(session, *now, index, seconds, &tried->gain, err) ||
        (session_is_gain(tried->gain) && session_check(session, index, &right, err)))
        return -1;
    if (!right) {
        tried->gain = quantity_unknown();
        tried->outcome = session_timed(session, index)
                             ? xstrdup("its results could not be compared to the end")
                             : measurement_failure(&session->result->measurement[index]);
        return 0;
    }
    tried->kept = tried->gain.known && !tried->gain.doubted && tried->gain.low > 1 &&
                  tried->gain.value >= SESSION_MIN_GAIN;
    tried->outcome = xstrdup(!tried->gain.known    ? "could not be compared to the end"
                             : tried->gain.doubted ? "not kept"
                             : tried->kept         ? "kept: faster beyond the noise"
                                                   : "no gain beyond the noise");
    if (tried->kept)
        *now = index;
    return 0;
}

/* Measures the plan of *now with the option on top of its environment. */
static int try_option(struct session *session, const struct environment *option,
                      size_t *now, struct error *err)
{
    struct search_result *result = session->result;
    struct environment before = result->measurement[*now].environment,
                       environment = environment_with(&before, option);
    struct choice choice = choice_under(session, &session->choice[*now], &environment);
    size_t index = 0;
    if (environments_equal(&before, &environment))
        return 0;
    char *around = environment_phrase(&environment), *plan = choice_text(&choice),
         *what = xasprintf("%s: %s", around, *plan ? plan : "the kernel as written");
    bool affords = session_affords(session, pace_option_s(&session->pace), what);
    struct tried_environment *tried = add_tried(result, plan, &environment, &before);
    if (affords)
        session_say(session, "%s", what);
    free(around);
    free(plan);
    free(what);
    if (!affords) {
        tried->outcome = xstrdup("not tried: no time was left");
        return 0;
    }
    if (session_measure_in(session, &choice, &environment, MEASURE_QUICK, 0, &index, err))
        return -1;
    if (session_timed(session, index))
        return judge_option(session, tried, index, now, err);
    tried->outcome = measurement_failure(&result->measurement[index]);
    return 0;
}

/* From measurement `plan` on, with huge pages where they paid. */
static int try_options(struct session *session, size_t plan, size_t *last,
                       struct error *err)
{
    const struct search_result *result = session->result;
    struct choice choice = session->choice[plan];
    *last = plan;
    if (result->environment_gain.known && result->environment_gain.low > 1 &&
        session_measure(session, &choice, true, MEASURE_QUICK, 0, last, err))
        return -1;
    if (!session_timed(session, *last))
        *last = plan;
    for (size_t i = 0; i < session->opts->option_nr && !spawn_interrupted(); i++)
        if (try_option(session, &session->opts->option[i], last, err))
            return -1;
    return 0;
}

static int close_options(struct session *session, struct error *err)
{
    struct search_result *result = session->result;
    size_t last = 0;
    if (!session->opts->option_nr || spawn_interrupted())
        return 0;
    if (try_options(session, 0, &last, err) ||
        (result->best && try_options(session, result->best, &last, err)))
        return -1;
    if (last == 0 || last == result->best)
        return 0;
    result->best_total = last;
    session_say(session, "the best in its environment against the kernel as written");
    return session_compare(session, 0, last, session_closing_s(session, later(session)),
                           &result->total_gain, err);
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
    if (!result->measurement[fastest].checked)
        return xasprintf("it was interrupted (fastest in a first run, its results not "
                         "compared: %s)",
                         result->measurement[fastest].plan);
    return xasprintf(
        "it was interrupted (fastest in a first run, not confirmed: %s, %.2fx)",
        result->measurement[fastest].plan,
        result->measurement[result->best].time_s.value /
            result->measurement[fastest].time_s.value);
}

/* Its advice and its bounds are then those of what was traced last. */
static void note_untraced(struct search_result *result)
{
    const struct measurement *best = &result->measurement[result->best];
    if (result->best && best->outcome == RUN_OUTCOME_OK && !best->has_traffic &&
        result->measurement[0].has_traffic)
        strvec_push(&result->left_out, "tracing the winner, so what is said of it rests "
                                       "on the traffic that was traced before it");
}

static void note_gains(struct session *session)
{
    struct search_result *result = session->result;
    result->gain = xcalloc(result->measurement_nr, sizeof(*result->gain));
    for (size_t i = 0; i < result->measurement_nr; i++) {
        bool unchecked = is_unchecked_gain(session, i);
        result->gain[i] = unchecked ? quantity_unknown() : gain_over_written(session, i);
        if (unchecked)
            withdraw(result, i,
                     "not told: its results were not compared at the full size");
    }
    result->gain[0] = quantity_exact(1, PROVENANCE_CLOCK);
}

int session_close(struct session *session, struct error *err)
{
    struct search_result *result = session->result;
    result->interrupted = spawn_interrupted() != 0;
    result->searched_nr = result->measurement_nr;
    if (result->measurement_nr == 0)
        return 0;
    if (!session->opts->advise_only &&
        (check_gains(session, err) || ties_remeasure(session, err)))
        return -1;
    if (!session->opts->advise_only &&
        (close_source(session, err) || close_environment(session, err) ||
         close_options(session, err)))
        return -1;
    if (audit_close(session, err) || check_gains(session, err) ||
        session_headroom(session, err))
        return -1;
    note_untraced(result);
    result->session_gain = session_gain(session);
    note_gains(session);
    result->file_checks =
        result->best && session->effort[result->best] != MEASURE_EXPLAIN;
    result->interrupted = spawn_interrupted() != 0;
    if (result->interrupted) {
        free(result->stop);
        result->stop = say_interrupted(session);
    }
    result->looks = session_looks(session);
    result->seconds = session_now_s(session) - session->started_s;
    result->pace = session->pace;
    return 0;
}

bool search_file_is_luck(struct search_result *result, struct quantity gain)
{
    if (!result->file_decides || !is_luck_by_all(result->session_gain, gain))
        return false;
    drop_best(result, gain, no_gain);
    return true;
}

bool search_file_is_wrong(struct search_result *result, const char *plan)
{
    struct measurement *best = &result->measurement[result->best];
    if (!result->file_checks || strcmp(best->plan, plan))
        return false;
    result->gain[result->best] = quantity_unknown();
    drop_best(result, quantity_unknown(),
              best->verified
                  ? "not kept: the file of the best plan gives other results at the full "
                    "size"
                  : "not kept: the file of the best plan gives other results");
    result->best_total = 0;
    best->outcome = RUN_OUTCOME_WRONG_RESULT;
    free(best->detail);
    best->detail =
        xstrdup(best->verified ? "its file gives other results at the full size"
                               : "its file gives other results");
    best->verified = false;
    return true;
}

bool search_file_is_unchecked(struct search_result *result, const char *plan)
{
    if (result->measurement[result->best].verified ||
        strcmp(result->measurement[result->best].plan, plan))
        return false;
    result->gain[result->best] = quantity_unknown();
    drop_best(result, quantity_unknown(),
              "not kept: it was interrupted before results could be compared");
    result->best_total = 0;
    return true;
}

bool search_file_is_untimed(struct search_result *result)
{
    if (!result->file_decides)
        return false;
    if (session_is_gain(result->session_gain)) {
        result->source_gain = result->session_gain;
        return false;
    }
    drop_best(result, quantity_unknown(),
              "not kept: no time was left to compare it with the original");
    return true;
}

double search_file_s(const struct search_result *result, double left_s)
{
    const struct pace *pace = &result->pace;
    if (result->file_decides && left_s < pace_file_s(pace) + pace_tail_s(pace))
        return 0;
    return pace_seconds(pace, pace->end_s - left_s + pace->check_s, 0,
                        search_closing_s(pace->budget_s));
}
