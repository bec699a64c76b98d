#include "search/session.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_BUDGET_S = 100 };

double search_closing_s(double budget_s)
{
    return fmin(8, fmax(2, (budget_s > 0 ? budget_s : DEFAULT_BUDGET_S) / 4));
}

/* A call of seconds, traced, may take a small budget alone; plans get this much of it
 * whatever the baseline takes. */
static const double plans_share = 0.75;

/* Loops that an order leaves out stay outside of those that it names. */
static void complete_order(const struct nest *nest, struct choice *choice)
{
    const char *order[CHOICE_LOOPS_MAX];
    size_t kept = 0;
    if (!choice->order_nr)
        return;
    for (size_t d = 0; d < nest->nr; d++) {
        bool named = false;
        for (size_t i = 0; i < choice->order_nr; i++)
            named = named || !strcmp(choice->order[i], nest->loop[d]->name);
        if (!named && kept + choice->order_nr < CHOICE_LOOPS_MAX)
            order[kept++] = nest->loop[d]->name;
    }
    memmove(&choice->order[kept], choice->order,
            choice->order_nr * sizeof(choice->order[0]));
    memcpy(choice->order, order, kept * sizeof(order[0]));
    choice->order_nr += kept;
    choice->order_kept = kept;
}

static int read_space(struct session *session, struct error *err)
{
    const struct strvec *plans = session->subject->space;
    session->has_space = plans != NULL;
    for (size_t i = 0; plans && i < plans->nr; i++) {
        struct choice choice;
        if (choice_read(plans->v[i], &session->view, &choice, err))
            return -1;
        complete_order(&session->nest, &choice);
        if (*plans->v[i])
            choices_add(&session->space, &choice);
    }
    return 0;
}

double session_now_s(const struct session *session)
{
    const double *skipped_s = session->opts->skipped_s;
    return clock_s() + (skipped_s ? *skipped_s : 0);
}

int session_start(struct session *session, struct error *err)
{
    const struct search_opts *opts = session->opts;
    session->view = session->subject->view(session->subject->data);
    nest_find(&session->view, &session->nest);
    session->started_s = session_now_s(session);
    session->budget_s = opts->budget_s > 0 ? opts->budget_s : DEFAULT_BUDGET_S;
    session->deadline_s = session->started_s + session->budget_s;
    *session->result = (struct search_result){
        .source_gain = quantity_exact(1, PROVENANCE_CLOCK),
        .environment_gain = quantity_unknown(),
        .total_gain = quantity_unknown(),
        .left_bound = quantity_unknown(),
        .left_resource = RESOURCE_NONE,
        .space_size = -1,
        .first_gain = quantity_unknown(),
        .left.bound = {.same = quantity_unknown(),
                       .least = quantity_unknown(),
                       .same_by = RESOURCE_NONE,
                       .least_by = RESOURCE_NONE},
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
                               .why = session->why,
                               .variants = session->result->measurement_nr,
                               .best = best_so_far(session),
                               .left_s = session_left_s(session)};
    session->observer->step(session->observer->data, &step);
    buf_release(&text);
}

double session_left_s(const struct session *session)
{
    return session->deadline_s - session_now_s(session);
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

static size_t find(const struct session *session, const char *plan,
                   const struct environment *environment)
{
    const struct search_result *result = session->result;
    for (size_t i = 0; i < result->measurement_nr; i++)
        if (!strcmp(result->measurement[i].plan, plan) &&
            environments_equal(&result->measurement[i].environment, environment))
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

size_t session_find(const struct session *session, const struct choice *choice)
{
    const struct environment plain = {0};
    char *plan = choice_text(choice);
    size_t i = find(session, plan, &plain);
    free(plan);
    return i;
}

int session_measure(struct session *session, const struct choice *choice, bool huge_pages,
                    enum measure_effort effort, double limit_s, size_t *index,
                    struct error *err)
{
    struct environment environment = {.huge_pages = huge_pages};
    return session_measure_in(session, choice, &environment, effort, limit_s, index, err);
}

/* What was built ahead for this one is part of what it cost. */
static double take_ahead_s(struct session *session)
{
    if (session->ahead_nr == 0)
        return 0;
    session->ahead_nr--;
    return session->ahead_each_s;
}

/* It was given up at a limit that is none any more. */
static bool was_stopped_sooner(const struct measurement *measurement, double limit_s)
{
    return measurement->outcome == RUN_OUTCOME_STOPPED &&
           !measurement_still_stops(measurement->at_least_s, limit_s);
}

int session_measure_in(struct session *session, const struct choice *choice,
                       const struct environment *environment, enum measure_effort effort,
                       double limit_s, size_t *index, struct error *err)
{
    char *plan = choice_text(choice);
    struct candidate candidate = {plan, *environment};
    struct measurement measurement = {0};
    int status = 0;
    *index = find(session, plan, environment);
    if (*index == session->result->measurement_nr || session->effort[*index] < effort ||
        was_stopped_sooner(&session->result->measurement[*index], limit_s)) {
        double began_s = clock_s();
        status = session->runner->measure(session->runner->data, &candidate, effort,
                                          limit_s, &measurement, err);
        if (status == 0) {
            if (!measurement.replayed)
                measurement.cost_s = clock_s() - began_s + take_ahead_s(session);
            put(session, *index, choice, effort, &measurement);
            status = tell(session, &session->result->measurement[*index], err);
        }
    }
    free(plan);
    return status;
}

/* Of the logarithms: the mean, and half the interval's width; runs are independent of
 * each other, but no two of them may be nearer than they really are. */
static struct quantity merge_times(struct quantity before, struct quantity more, double n)
{
    double center = (n * log(before.value) + log(more.value)) / (n + 1),
           apart = fabs(log(more.value / before.value)) / (n + 1),
           own = log(before.high / before.low) / 2, its = log(more.high / more.low) / 2,
           half = fmax(apart, sqrt(n * n * own * own + its * its) / (n + 1));
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

/* A record holds the earlier runs already. */
static void take_repeated(struct measurement *before, struct measurement *more)
{
    if (more->outcome == RUN_OUTCOME_OK && more->time_s.known && !more->replayed) {
        double n = before->launches ? before->launches : 1;
        before->time_s = merge_times(before->time_s, more->time_s, n);
        before->cost_s += more->cost_s;
        before->replayed = false;
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
    double began_s = clock_s();
    if (session->runner->measure(session->runner->data, &candidate, MEASURE_QUICK, 0,
                                 &more, err))
        return -1;
    if (!more.replayed)
        more.cost_s = clock_s() - began_s;
    take_repeated(before, &more);
    return tell(session, before, err);
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
    if (session->runner->compare(session->runner->data, &left, &right, seconds, ratio,
                                 err))
        return -1;
    struct compared comparison = {
        .a = left, .b = right, .seconds = seconds, .ratio = *ratio};
    const struct search_observer *observer = session->observer;
    return observer && observer->compared && !spawn_interrupted()
               ? observer->compared(observer->data, &comparison, err)
               : 0;
}

/* Few launches have wide intervals, and a twentieth is worth more of them. */
static bool is_doubtful(struct quantity ratio)
{
    const double worth_having = 1.05;
    return ratio.known && ratio.value >= worth_having && ratio.low <= 1;
}

int session_compare_surely(struct session *session, size_t a, size_t b, double seconds,
                           struct quantity *ratio, struct error *err)
{
    if (session_compare(session, a, b, seconds, ratio, err))
        return -1;
    if (!is_doubtful(*ratio))
        return 0;
    session_say(session, "comparing once more, longer: %.2fx (%.2f to %.2f) may be none",
                ratio->value, ratio->low, ratio->high);
    return session_compare(session, a, b, 3 * seconds, ratio, err);
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

/* The reason alone: its plan is told beside it. */
static const char *behind_plan(const char *reason)
{
    const char *behind =
        !strncmp(reason, "plan '", 6) ? strstr(reason, "' is not legal: ") : NULL;
    return behind ? behind + strlen("' is not legal: ") : reason;
}

const char *session_refusal(const struct session *session, const struct choice *choice)
{
    const struct search_result *result = session->result;
    char *plan = choice_text(choice);
    const char *reason = NULL;
    for (size_t i = 0; i < result->pruned_nr && !reason; i++)
        if (!strcmp(result->pruned[i].plan, plan) &&
            !strcmp(result->pruned[i].rule, "legality"))
            reason = behind_plan(result->pruned[i].reason);
    free(plan);
    return reason;
}

int session_legal(struct session *session, const struct choice *choice, struct error *err)
{
    struct error reason = {0};
    char *plan = choice_text(choice);
    int status = session->subject->check(session->subject->data, plan, &reason);
    if (status && (reason.status == STATUS_ILLEGAL || reason.status == STATUS_USAGE))
        session_prune(session, plan, "legality", reason.text);
    free(plan);
    return status ? fail_as(err, &reason) : 0;
}

bool session_remedied(struct session *session, struct choice *choice)
{
    enum { REMEDIES_MAX = 4 };
    struct choice tried = *choice;
    for (size_t i = 0; i < REMEDIES_MAX; i++) {
        struct error refusal = {0};
        struct choice next;
        if (!session_legal(session, &tried, &refusal)) {
            *choice = tried;
            return true;
        }
        if (!*refusal.remedy ||
            !choice_from_text(refusal.remedy, &tried, &session->view, &next))
            break;
        next.fallback = tried.fallback;
        tried = next;
    }
    return false;
}

double session_rule_factor(const struct session *session, const char *rule)
{
    const struct search_opts *opts = session->opts;
    for (size_t i = 0; i < opts->record_nr; i++)
        if (!strcmp(opts->record[i].rule, rule))
            return opts->record[i].factor;
    return 1;
}

int session_baseline(struct session *session, struct error *err)
{
    struct choice none = {0};
    size_t index = 0;
    session_say(session, "measuring the kernel as written");
    if (session_measure(session, &none, false, MEASURE_EXPLAIN, 0, &index, err))
        return -1;
    session->deadline_s = fmax(session->deadline_s,
                               session_now_s(session) + plans_share * session->budget_s);
    const struct measurement *baseline = &session->result->measurement[0];
    if (session_timed(session, 0) || baseline->outcome == RUN_OUTCOME_INTERRUPTED)
        return 0;
    return fail(err, STATUS_UNVERIFIABLE, "the kernel as written %s%s%s",
                run_outcome_word(baseline->outcome), baseline->detail ? ": " : "",
                baseline->detail ? baseline->detail : "");
}
