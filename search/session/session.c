#include "search/session/session.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base.h"
#include "search/session/engine.h"

const char SESSION_KEPT[] = "kept: faster beyond the noise";

enum { DEFAULT_BUDGET_S = 100 };

double search_closing_s(double budget_s)
{
    return fmin(8, fmax(2, (budget_s > 0 ? budget_s : DEFAULT_BUDGET_S) / 4));
}

/* Loops that an order leaves out stay outside of those that it names. */
static void complete_order(const struct nest *nest, struct choice *choice)
{
    const struct plan_step *step = choice_step(choice, STEP_INTERCHANGE);
    choice->kept_nr = 0;
    for (size_t d = 0; step && d < nest->nr; d++)
        if (!plan_step_arg(step, nest->loop[d]->name) &&
            choice->kept_nr + step->arg_nr < CHOICE_LOOPS_MAX)
            choice->kept[choice->kept_nr++] = nest->loop[d]->name;
}

static int read_space(struct session *session, struct error *err)
{
    const struct strvec *plans = session->subject->space;
    session->has_space = plans != NULL;
    for (size_t i = 0; plans && i < plans->nr; i++) {
        struct plan plan;
        struct choice choice;
        if (plan_read(plans->v[i], &plan, err) ||
            choice_of_plan(&plan, &session->view, &choice, err))
            return -1;
        complete_order(&session->nest, &choice);
        if (*plans->v[i])
            choices_add(&session->space, &choice);
    }
    return 0;
}

static void begin_pace(struct session *session)
{
    const struct search_opts *opts = session->opts;
    pace_begin(&session->pace,
               opts->began_s > 0 ? opts->began_s : session_clock_s(session),
               opts->budget_s > 0 ? opts->budget_s : DEFAULT_BUDGET_S);
    session->budget_end_s = session->pace.end_s;
}

int session_start(struct session *session, struct error *err)
{
    const struct search_opts *opts = session->opts;
    session->view = session->subject->view(session->subject->data);
    nest_find(&session->view, &session->nest);
    session->started_s = session_now_s(session);
    begin_pace(session);
    *session->result = (struct search_result){
        .source_gain = quantity_exact(1, PROVENANCE_CLOCK),
        .session_gain = quantity_unknown(),
        .environment_gain = quantity_unknown(),
        .total_gain = quantity_unknown(),
        .headroom_bound = quantity_unknown(),
        .headroom_resource = RESOURCE_NONE,
        .space_size = -1,
        .first_gain = quantity_unknown(),
        .left.bound = {.same = quantity_unknown(),
                       .min = quantity_unknown(),
                       .same_by = RESOURCE_NONE,
                       .min_by = RESOURCE_NONE},
        .audit.cost = quantity_unknown(),
    };
    if (!opts->rules)
        return fail(err, STATUS_FAILED, "no rules were given to the search");
    return read_space(session, err);
}

void session_release(struct session *session)
{
    free(session->choice);
    free(session->effort);
    free(session->places.slot);
    evidence_release(&session->evidence);
    choices_release(&session->space);
}

static double best_so_far(const struct session *session)
{
    const struct search_result *result = session->result;
    if (!result->best || !session_timed(session, 0) ||
        !session_timed(session, result->best))
        return 0;
    return result->measurement[0].time_s.value /
           result->measurement[result->best].time_s.value;
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
    struct search_step step = {.doing = buf_str(&text),
                               .variants = session->result->measurement_nr,
                               .best = best_so_far(session),
                               .left_s = session_end_s(session)};
    session->observer->step(session->observer->data, &step);
    buf_release(&text);
}

bool session_timed(const struct session *session, size_t i)
{
    const struct measurement *measurement = &session->result->measurement[i];
    return measurement->outcome == RUN_OUTCOME_OK && measurement->time_s.known;
}

static void note_time(struct session *session, size_t i, const struct measurement *run,
                      bool whole)
{
    if (run->outcome == RUN_OUTCOME_OK && run->time_s.known)
        evidence_add_time(&session->evidence, i, run->time_s, run->launches, whole);
    else if (run->outcome != RUN_OUTCOME_STOPPED &&
             run->outcome != RUN_OUTCOME_INTERRUPTED)
        evidence_drop(&session->evidence, i);
}

static void put(struct session *session, size_t at, const struct choice *choice,
                enum measure_effort effort, struct measurement *measurement)
{
    struct search_result *result = session->result;
    bool is_new = at == result->measurement_nr;
    if (is_new) {
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
    if (is_new)
        session_add_place(session);
    note_time(session, at, measurement, false);
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
    struct environment environment = {.huge_pages = huge_pages};
    return session_measure_in(session, choice, &environment, effort, limit_s, index, err);
}

/* What was built ahead for this one is part of what it cost. */
static double take_prebuild_s(struct session *session)
{
    if (session->ahead_nr == 0)
        return 0;
    session->ahead_nr--;
    return session->prebuild_each_s;
}

static void ask_costs(struct session *session)
{
    const struct search_runner *runner = session->runner;
    struct search_costs costs = {0};
    if (!runner->costs)
        return;
    runner->costs(runner->data, &costs);
    pace_guess(&session->pace, &costs);
}

static void note_cost(struct session *session, const struct measurement *measurement,
                      enum measure_effort effort)
{
    if (effort == MEASURE_QUICK && measurement->cost_s > 0)
        pace_note_try(&session->pace, measurement->cost_s);
    else if (effort != MEASURE_QUICK)
        ask_costs(session);
}

/* It was given up at a limit that is none any more. */
static bool was_stopped_sooner(const struct measurement *measurement, double limit_s)
{
    return measurement->outcome == RUN_OUTCOME_STOPPED &&
           !measurement_still_stops(measurement->at_least_s, limit_s);
}

/* By the end of the budget, where what is known already says more. */
static bool is_cut_short(const struct session *session,
                         const struct measurement *measurement, size_t index)
{
    return measurement->outcome == RUN_OUTCOME_INTERRUPTED && !spawn_interrupted() &&
           index < session->result->measurement_nr && session_timed(session, index);
}

int session_measure_in(struct session *session, const struct choice *choice,
                       const struct environment *environment, enum measure_effort effort,
                       double limit_s, size_t *index, struct error *err)
{
    const struct choice copy = *choice; /* it may stand in session->choice, which grows */
    char *plan = choice_text(choice);
    struct candidate candidate = {plan, *environment};
    struct measurement measurement = {0};
    int status = 0;
    *index = session_find_in(session, choice, environment);
    if (*index == session->result->measurement_nr || session->effort[*index] < effort ||
        was_stopped_sooner(&session->result->measurement[*index], limit_s)) {
        double began_s = session_clock_s(session);
        session_bound(session, effort == MEASURE_QUICK);
        status = session->runner->measure(session->runner->data, &candidate, effort,
                                          limit_s, &measurement, err);
        spawn_end_at(0);
        if (status == 0) {
            if (!measurement.replayed)
                measurement.cost_s =
                    session_clock_s(session) - began_s + take_prebuild_s(session);
            note_cost(session, &measurement, effort);
            if (is_cut_short(session, &measurement, *index)) {
                measurement_release(&measurement);
            } else {
                put(session, *index, &copy, effort, &measurement);
                status = tell(session, &session->result->measurement[*index], err);
            }
        }
    }
    free(plan);
    return status;
}

void session_no_more(const struct session *session)
{
    if (session->runner->no_more)
        session->runner->no_more(session->runner->data);
}

int session_explain(struct session *session, size_t i, bool *right, struct error *err)
{
    *right = session_timed(session, i) && !spawn_interrupted();
    if (!*right || session->effort[i] == MEASURE_EXPLAIN ||
        !session_affords_explaining(session))
        return 0;
    if (session_measure(session, &session->choice[i], false, MEASURE_EXPLAIN, 0, &i, err))
        return -1;
    *right = session_timed(session, i);
    return 0;
}

/* Its time stays. */
static void take_check(struct measurement *measurement, struct measurement *check)
{
    free(measurement->verified_sizes);
    measurement->verified = measurement->checked = true;
    measurement->verified_sizes = check->verified_sizes;
    measurement->max_relative_error = check->max_relative_error;
    measurement->cost_s += check->cost_s;
    measurement->replayed = check->replayed; /* else it is saved anew */
    check->verified_sizes = NULL;
    measurement_release(check);
}

int session_check(struct session *session, size_t i, bool *right, struct error *err)
{
    struct measurement *measurement = &session->result->measurement[i], check = {0};
    struct candidate candidate = {measurement->plan, measurement->environment};
    *right = session_timed(session, i) && measurement->checked;
    if (*right || !session_timed(session, i) || spawn_interrupted())
        return 0;
    session_say(session, "comparing results at the full size: %s", measurement->plan);
    double began_s = session_clock_s(session);
    session_bound(session, false);
    int status = session->runner->measure(session->runner->data, &candidate,
                                          MEASURE_CHECK, 0, &check, err);
    spawn_end_at(0);
    if (status)
        return -1;
    if (check.outcome == RUN_OUTCOME_INTERRUPTED) {
        measurement_release(&check);
        return 0;
    }
    if (!check.replayed)
        check.cost_s = session_clock_s(session) - began_s;
    *right = check.outcome == RUN_OUTCOME_OK;
    if (*right) {
        take_check(measurement, &check);
    } else {
        const struct choice choice = session->choice[i];
        put(session, i, &choice, MEASURE_CHECK, &check);
    }
    return tell(session, &session->result->measurement[i], err);
}

/* Of the logarithms: the mean, and half the interval's width; runs are independent of
 * each other, but no two of them may be nearer than they really are. Of n and m launches.
 */
static struct quantity merge_times(struct quantity before, struct quantity more, double n,
                                   double m)
{
    double center = (n * log(before.value) + m * log(more.value)) / (n + m),
           apart = m * fabs(log(more.value / before.value)) / (n + m),
           own = log(before.high / before.low) / 2, its = log(more.high / more.low) / 2,
           half = fmax(apart, hypot(n * own, m * its) / (n + m));
    return quantity_between(exp(center), exp(center - half), exp(center + half),
                            before.runs + more.runs, before.provenance);
}

static void append_samples(struct measurement *to, struct measurement *from)
{
    size_t nr = to->sample_nr + from->sample_nr;
    to->sample = xrealloc(to->sample, nr + 1, sizeof(*to->sample));
    for (size_t i = 0; i < from->sample_nr; i++) {
        to->sample[to->sample_nr] = from->sample[i];
        to->sample[to->sample_nr++].launch += to->launches;
    }
    to->launches += from->launches;
    to->disturbed_nr += from->disturbed_nr;
}

/* A session's record holds the earlier runs already. */
static bool holds_earlier(const struct measurement *before,
                          const struct measurement *more)
{
    return more->replayed && more->launches > before->launches;
}

static void take_repeated(struct measurement *before, struct measurement *more)
{
    if (more->outcome == RUN_OUTCOME_OK && more->time_s.known &&
        !holds_earlier(before, more)) {
        double n = before->launches ? before->launches : 1,
               m = more->launches ? more->launches : 1;
        before->time_s = merge_times(before->time_s, more->time_s, n, m);
        before->cost_s += more->cost_s;
        before->replayed = before->replayed && more->replayed;
        append_samples(before, more);
        measurement_release(more);
        return;
    }
    measurement_release(before);
    *before = *more;
}

int session_repeat(struct session *session, size_t i, struct error *err)
{
    struct measurement more = {0};
    struct measurement *before = &session->result->measurement[i];
    struct candidate candidate = {before->plan, before->environment};
    if (session->effort[i] != MEASURE_QUICK || before->reused ||
        !session_timed(session, i))
        return 0;
    double began_s = session_clock_s(session);
    session_bound(session, true);
    int status = session->runner->measure(session->runner->data, &candidate,
                                          MEASURE_QUICK, 0, &more, err);
    spawn_end_at(0);
    if (status)
        return -1;
    if (!more.replayed)
        more.cost_s = session_clock_s(session) - began_s;
    take_repeated(before, &more);
    note_time(session, i, before, true);
    return tell(session, before, err);
}

static struct candidate candidate_of(const struct session *session, size_t i)
{
    const struct measurement *measurement = &session->result->measurement[i];
    return (struct candidate){measurement->plan, measurement->environment};
}

/* Other environments are other machines. */
static void note_ratio(struct session *session, size_t a, size_t b, struct quantity ratio)
{
    const struct environment plain = {0};
    const struct measurement *measurement = session->result->measurement;
    if (environments_equal(&measurement[a].environment, &plain) &&
        environments_equal(&measurement[b].environment, &plain) && !ratio.doubted)
        evidence_add_ratio(&session->evidence, a, b, ratio);
}

/* One that a record answers takes no time. */
static void note_comparison(struct session *session, double seconds, double cost_s)
{
    if (cost_s > seconds / 10)
        pace_note_comparison(&session->pace, seconds, cost_s);
}

static int compare(struct session *session, size_t a, size_t b, bool look, double seconds,
                   struct quantity *ratio, struct error *err)
{
    const struct search_runner *runner = session->runner;
    struct candidate left = candidate_of(session, a), right = candidate_of(session, b);
    *ratio = quantity_unknown();
    if (spawn_interrupted())
        return 0;
    double began_s = session_clock_s(session);
    look = look && runner->look;
    session_bound(session, false);
    int status = (look ? runner->look : runner->compare)(runner->data, &left, &right,
                                                         seconds, ratio, err);
    spawn_end_at(0);
    if (status)
        return -1;
    if (!look)
        note_comparison(session, seconds, session_clock_s(session) - began_s);
    note_ratio(session, a, b, *ratio);
    struct compared comparison = {
        .a = left, .b = right, .look = look, .seconds = seconds, .ratio = *ratio};
    const struct search_observer *observer = session->observer;
    return observer && observer->compared && !spawn_interrupted()
               ? observer->compared(observer->data, &comparison, err)
               : 0;
}

int session_compare(struct session *session, size_t a, size_t b, double seconds,
                    struct quantity *ratio, struct error *err)
{
    return compare(session, a, b, false, seconds, ratio, err);
}

int session_look(struct session *session, size_t a, size_t b, double seconds,
                 struct quantity *ratio, struct error *err)
{
    return compare(session, a, b, true, seconds, ratio, err);
}

bool session_is_gain(struct quantity ratio)
{
    return ratio.known && ratio.low > 1 && ratio.value >= SESSION_MIN_GAIN;
}

/* More of it could still say otherwise. */
static bool is_open(struct quantity ratio)
{
    return ratio.known && ratio.low <= 1 && ratio.high > SESSION_MIN_GAIN;
}

int session_compare_surely(struct session *session, size_t a, size_t b, double seconds,
                           struct quantity *ratio, struct error *err)
{
    enum { LOOKS = 10 };
    const double max_s = 4 * seconds;
    struct quantity seen[LOOKS];
    double began_s = session_now_s(session);
    *ratio = quantity_unknown();
    for (size_t nr = 0; nr < LOOKS; nr++) {
        double left_s = fmin(seconds, max_s - (session_now_s(session) - began_s)),
               give_s = pace_seconds(&session->pace, session_clock_s(session), 1, left_s);
        if (nr && (left_s <= 0 || give_s < left_s / 2 || spawn_interrupted()))
            return 0;
        if (nr)
            session_say(session,
                        "comparing once more: %.2fx (%.2f to %.2f) may be no gain",
                        ratio->value, ratio->low, ratio->high);
        if (session_compare(session, a, b, nr ? give_s : seconds, &seen[nr], err))
            return -1;
        if (!seen[nr].known)
            return 0;
        *ratio = evidence_join(seen, nr + 1);
        if (!is_open(*ratio))
            return 0;
    }
    return 0;
}

int session_baseline(struct session *session, struct error *err)
{
    struct choice none = {0};
    size_t index = 0;
    session_say(session, "measuring the kernel as written");
    if (session_measure(session, &none, false, MEASURE_EXPLAIN, 0, &index, err))
        return -1;
    if (session_end_s(session) < 0)
        strvec_pushf(&session->result->left_out,
                     "a search: the kernel as written alone took %.0f s",
                     session_clock_s(session) - session->budget_end_s +
                         session->pace.budget_s);
    const struct measurement *baseline = &session->result->measurement[0];
    bool late = session_end_s(session) < 0 && !spawn_interrupted();
    if (session_timed(session, 0) ||
        (baseline->outcome == RUN_OUTCOME_INTERRUPTED && !late))
        return 0;
    return fail(err, STATUS_UNVERIFIABLE, "the kernel as written %s%s%s",
                run_outcome_word(baseline->outcome), baseline->detail ? ": " : "",
                baseline->detail ? baseline->detail : "");
}
