#include "search/session/pace.h"

#include <math.h>

/* Tries that took longer than what is known now were beside something slower. */
static const double max_of_guess = 4;

double pace_expected_s(double seen_s, double before_s)
{
    const double forgets = 0.8;

    return fmax(seen_s, forgets * before_s);
}

void pace_begin(struct pace *pace, double began_s, double budget_s)
{
    *pace = (struct pace){.budget_s = budget_s, .end_s = began_s + budget_s};
}

void pace_guess(struct pace *pace, const struct search_costs *costs)
{
    if (pace->try_s <= 0 || pace->try_s > max_of_guess * costs->try_s)
        pace->try_s = costs->try_s;
    if (!pace->any_comparison)
        pace->over_s = fmax(0, costs->comparison_s - PACE_MIN_S);
    pace->check_s = costs->check_s;
    pace->explain_s = costs->explain_s;
    pace->look_s = costs->look_s;
}

void pace_note_try(struct pace *pace, double cost_s)
{
    pace->try_s = pace_expected_s(cost_s, pace->try_s);
}

void pace_note_comparison(struct pace *pace, double seconds, double cost_s)
{
    double over_s = fmax(0, cost_s - seconds);

    pace->over_s = pace->any_comparison ? pace_expected_s(over_s, pace->over_s) : over_s;
    pace->any_comparison = true;
}

double pace_tail_s(const struct pace *pace)
{
    return fmin(0.02 * pace->budget_s, 1);
}

double pace_comparison_s(const struct pace *pace, double seconds)
{
    return seconds + pace->over_s;
}

double pace_option_s(const struct pace *pace)
{
    return pace->try_s + pace_comparison_s(pace, PACE_MIN_S);
}

double pace_file_s(const struct pace *pace)
{
    return pace->check_s + pace_comparison_s(pace, PACE_MIN_S);
}

static double explaining_s(const struct pace *pace)
{
    const double max_share = 0.125;

    return pace->explain_s <= max_share * pace->budget_s ? pace->explain_s : 0;
}

double pace_least_s(const struct pace *pace)
{
    return pace->check_s + pace_tail_s(pace);
}

double pace_closing_s(const struct pace *pace)
{
    double look_s = pace->look_s > 0 ? pace->look_s : pace_comparison_s(pace, PACE_MIN_S);

    return look_s + explaining_s(pace) + pace_file_s(pace) + pace_tail_s(pace);
}

double pace_seconds(const struct pace *pace, double now_s, int later, double max_s)
{
    double left_s =
               pace->end_s - now_s - pace_tail_s(pace) - (later > 0 ? pace->check_s : 0),
           each_s = left_s / (later + 1) - pace->over_s;

    return fmax(PACE_MIN_S, fmin(each_s, max_s));
}
