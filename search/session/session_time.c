/* The session's clock, and what is left of its budget. */
#include <math.h>

#include "core/base.h"
#include "search/session/engine.h"

double session_clock_s(const struct session *session)
{
    return session->opts->clock ? session->opts->clock() : clock_s();
}

double session_now_s(const struct session *session)
{
    const double *skipped_s = session->opts->skipped_s;
    return session_clock_s(session) + (skipped_s ? *skipped_s : 0);
}

/* Shares of the budget: the comparisons that the answer is told by, the winner's and its
 * file's, have intervals worth telling; huge pages their turn; and gains are told, of
 * what was compared at the full size. */
static const double answer_share = 0.2, pages_share = 0.1, checks_share = 0.1;

static double pages_s(const struct session *session)
{
    const struct pace *pace = &session->pace;
    if (!session->subject->huge_pages_available || session->opts->plans_only)
        return 0;
    double one_s = pace_option_s(pace), max_s = pages_share * pace->budget_s;
    return one_s < max_s ? fmin(max_s, 2 * one_s) : 0;
}

/* Of what was faster than the kernel as written by its own time. */
static double checks_s(const struct session *session)
{
    const struct measurement *measurement = session->result->measurement;
    double max_s = checks_share * session->pace.budget_s, seconds = 0;
    for (size_t i = 1; i < session->result->measurement_nr && seconds < max_s; i++)
        if (session_timed(session, i) && !measurement[i].checked &&
            measurement[i].time_s.value * SESSION_MIN_GAIN < measurement[0].time_s.value)
            seconds += session->pace.check_s;
    return fmin(seconds, max_s);
}

static double answer_s(const struct session *session)
{
    const struct pace *pace = &session->pace;
    if (session->opts->advise_only)
        return 0;
    /* What is worth most then is one more try. */
    if (!session->result->best)
        return pace_least_s(pace);
    return fmax(pace_closing_s(pace), answer_share * pace->budget_s) + pages_s(session);
}

static double closing_s(const struct session *session)
{
    return answer_s(session) + (session->result->best ? checks_s(session) : 0);
}

bool session_affords_check(const struct session *session)
{
    return session_end_s(session) >= answer_s(session) + session->pace.check_s;
}

double session_left_s(const struct session *session)
{
    return session->pace.end_s - session_now_s(session) - closing_s(session);
}

bool session_over(const struct session *session)
{
    size_t max = session->opts->budget_variants;
    return spawn_interrupted() || session_left_s(session) <= session->pace.try_s ||
           (max && session->result->measurement_nr >= max);
}

double session_end_s(const struct session *session)
{
    return session->pace.end_s - session_clock_s(session);
}

double session_closing_s(const struct session *session, int later)
{
    const struct pace *pace = &session->pace;
    return pace_seconds(pace, session_clock_s(session), later,
                        search_closing_s(pace->budget_s));
}

/* If it may not begin, it is left out. */
static bool may_begin(struct session *session, bool is_time, const char *what)
{
    if (spawn_interrupted())
        return false;
    if (!is_time && !strvec_has(&session->result->left_out, what))
        strvec_push(&session->result->left_out, what);
    return is_time;
}

static bool is_time_for(const struct session *session, double seconds, bool file)
{
    const struct pace *pace = &session->pace;
    double file_s = file ? pace_file_s(pace) : 0;
    return session_end_s(session) >= seconds + file_s + pace_tail_s(pace);
}

bool session_affords(struct session *session, double seconds, const char *what)
{
    return may_begin(session, is_time_for(session, seconds, session->result->best), what);
}

bool session_affords_explaining(struct session *session)
{
    return may_begin(session, is_time_for(session, session->pace.explain_s, true),
                     "checking a leading plan at its full size, and what limits it, "
                     "before its file is");
}

const char *session_pages_text(size_t plan)
{
    return plan ? "huge pages: the winner" : "huge pages: the kernel as written";
}

bool session_affords_pages(struct session *session, size_t plan)
{
    const struct pace *pace = &session->pace;
    double one_s = pace_option_s(pace), max_s = 2 * pages_share * pace->budget_s;
    return may_begin(session,
                     one_s <= max_s && is_time_for(session, one_s, session->result->best),
                     session_pages_text(plan));
}

static void ask_end(struct session *session)
{
    const struct search_runner *runner = session->runner;
    if (runner->left_s)
        session->pace.end_s =
            fmin(session->budget_end_s,
                 session_clock_s(session) + runner->left_s(runner->data));
}

const char *session_end_of(const struct session *session)
{
    size_t max = session->opts->budget_variants;
    bool counted = max && session->result->measurement_nr >= max;
    return !counted && session->pace.end_s < session->budget_end_s
               ? session->runner->left_of
               : "the budget";
}

void session_bound(struct session *session, bool is_try)
{
    ask_end(session);
    const struct pace *pace = &session->pace;
    double end_s = session_end_s(session),
           left_s = is_try ? end_s - pace_least_s(pace) : end_s;
    if (session->result->measurement_nr && isfinite(left_s))
        spawn_end_at(clock_s() + fmax(left_s, session->pace.try_s));
}

struct search_looks session_looks(const struct session *session)
{
    const struct search_runner *runner = session->runner;
    struct search_costs costs = {0};
    if (runner->costs)
        runner->costs(runner->data, &costs);
    return costs.looks;
}
