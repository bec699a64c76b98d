/* Searches by a clock that only measurements move: they end in time whatever these cost,
 * and say what they left out. */
#include <math.h>
#include <string.h>

#include "search/live/live_parts.h"
#include "tests/search/scripted_trial.h"

SUITE(search_pace);

/* ---- the arithmetic ---- */

static struct pace example(void)
{
    struct pace pace;

    pace_begin(&pace, 100, 30);
    pace_guess(&pace, &(struct search_costs){
                          .try_s = 2, .comparison_s = 4, .check_s = 3, .explain_s = 4});
    return pace;
}

TEST("guesses hold until something was seen")
{
    struct pace pace = example();

    check_near(pace.end_s, 130, 1e-12);
    check_near(pace_comparison_s(&pace, 5), 8, 1e-12);
    pace_note_comparison(&pace, 5, 6); /* it took 1 s more, not 3 */
    check_near(pace_comparison_s(&pace, 5), 6, 1e-12);
    pace_guess(&pace,
               &(struct search_costs){.try_s = 9, .comparison_s = 9, .check_s = 1});
    check_near(pace.try_s, 2, 1e-12);
    check_near(pace_comparison_s(&pace, 5), 6, 1e-12);
    check_near(pace.check_s, 1, 1e-12);
    pace_note_try(&pace, 37); /* beside something that was slower */
    pace_guess(&pace, &(struct search_costs){.try_s = 9.1});
    check_near(pace.try_s, 9.1, 1e-12);
}

TEST("the slowest of late is expected")
{
    struct pace pace = example();

    pace_note_try(&pace, 5);
    pace_note_try(&pace, 1);
    check_near(pace.try_s, 4, 1e-12);
    pace_note_try(&pace, 6);
    check_near(pace.try_s, 6, 1e-12);
}

TEST("closing shrinks with the time that is left")
{
    struct pace pace = example(); /* over 3 s, check 3 s, tail 0.6 s */

    check_near(pace_seconds(&pace, 100, 0, 8), 8, 1e-12);
    check_near(pace_seconds(&pace, 120, 0, 8), 6.4, 1e-9);
    check_near(pace_seconds(&pace, 110, 1, 8), (30 - 10 - 0.6 - 3) / 2 - 3, 1e-9);
    check_near(pace_seconds(&pace, 128, 0, 8), PACE_MIN_S, 1e-12);
    check_near(pace_seconds(&pace, 140, 1, 8), PACE_MIN_S, 1e-12);
    check_near(pace_file_s(&pace), 3 + 4, 1e-12);
    check_near(pace_closing_s(&pace), 4 + 7 + 0.6, 1e-9); /* 4 s are too many of 30 */
    pace.budget_s = 40;
    check_near(pace_closing_s(&pace), 4 + 4 + 7 + 0.8, 1e-9);
}

/* ---- a clock that measurements move ---- */

static double now_s;

static double fake_clock(void)
{
    return now_s;
}

struct timed_trial {
    struct trial trial;
    struct search_runner inner;
    struct {
        double try_s, explain_s, over_s, check_s;
    } cost;
    double longest_s; /* of the comparisons */
    bool cuts;        /* plans that are explained are cut short by the end */
};

static int slow_measure(void *data, const struct candidate *candidate,
                        enum measure_effort effort, double stop_at_s,
                        struct measurement *out, struct error *err)
{
    struct timed_trial *timed = data;

    now_s += effort == MEASURE_QUICK   ? timed->cost.try_s
             : effort == MEASURE_CHECK ? timed->cost.check_s
                                       : timed->cost.explain_s + timed->cost.check_s;
    int status =
        timed->inner.measure(timed->inner.data, candidate, effort, stop_at_s, out, err);
    if (timed->cuts && effort == MEASURE_EXPLAIN && *candidate->plan)
        out->outcome = RUN_OUTCOME_INTERRUPTED;
    return status;
}

static int slow_compare(void *data, const struct candidate *a, const struct candidate *b,
                        double seconds, struct quantity *ratio, struct error *err)
{
    struct timed_trial *timed = data;

    now_s += seconds + timed->cost.over_s;
    timed->longest_s = fmax(timed->longest_s, seconds);
    return timed->inner.compare(timed->inner.data, a, b, seconds, ratio, err);
}

static void costs(void *data, struct search_costs *out)
{
    const struct timed_trial *timed = data;

    *out =
        (struct search_costs){.try_s = timed->cost.try_s,
                              .comparison_s = timed->cost.over_s + PACE_MIN_S,
                              .check_s = timed->cost.check_s,
                              .explain_s = timed->cost.explain_s + timed->cost.check_s};
}

static void timed_start(struct timed_trial *timed, double budget_s)
{
    trial_start(&timed->trial, NULL);
    timed->trial.space.time_s = space_valley;
    timed->trial.space.subject.huge_pages_available = true;
    timed->inner = timed->trial.space.runner;
    timed->trial.space.runner = (struct search_runner){
        .data = timed, .measure = slow_measure, .compare = slow_compare, .costs = costs};
    timed->trial.opts.budget_s = budget_s;
    timed->trial.opts.began_s = now_s = 1000;
    timed->trial.opts.clock = fake_clock;
    now_s += 0.5; /* what was before the search */
}

/* The search, and what its caller does with the winner's file. */
static double timed_run(struct timed_trial *timed)
{
    const struct search_result *result = &timed->trial.result;
    double end_s = timed->trial.opts.began_s + timed->trial.opts.budget_s;

    trial_run(&timed->trial);
    if (result->best) {
        double file_s = search_file_s(result, end_s - now_s);
        now_s += timed->cost.check_s + (file_s > 0 ? timed->cost.over_s + file_s : 0);
    }
    return now_s - timed->trial.opts.began_s;
}

TEST("it ends in time whatever it costs")
{
    static const double budgets[] = {15, 30, 60, 200}, tries[] = {0.2, 1, 3},
                        over[] = {0.1, 1, 4}, checks[] = {0.3, 2};
    size_t found = 0, all = 0;

    for (size_t i = 0; i < 4 * 3 * 3 * 2; i++) {
        struct timed_trial timed = {
            .cost = {tries[i / 4 % 3], 2, over[i / 12 % 3], checks[i / 36]}};
        double took_s;

        timed_start(&timed, budgets[i % 4]);
        took_s = timed_run(&timed);
        check(took_s <= 1.02 * budgets[i % 4]);
        found += timed.trial.result.best > 0;
        all++;
        trial_release(&timed.trial);
    }
    check(found > all / 2); /* the time is used, too */
}

TEST("comparisons are long where there is time")
{
    struct timed_trial ample = {.cost = {0.2, 1, 0.2, 0.2}},
                       scarce = {.cost = {1, 1, 4, 2}};

    timed_start(&ample, 200);
    timed_run(&ample);
    check_near(ample.longest_s, 8, 1e-12);
    check_eq(ample.trial.result.left_out.nr, 0);
    check(!ample.trial.result.file_decides);
    trial_release(&ample.trial);
    timed_start(&scarce, 24); /* tries go before them, and the file decides */
    check(timed_run(&scarce) < 24);
    check(scarce.trial.result.file_decides);
    check(scarce.trial.result.left_out.nr > 0);
    trial_release(&scarce.trial);
}

/* A kernel that takes the whole budget by itself is measured and reported, no more. */
TEST("a kernel that takes all is measured alone")
{
    struct timed_trial timed = {.cost = {20, 40, 40, 20}};

    timed_start(&timed, 15);
    check_near(timed_run(&timed), 60.5, 1e-9);
    check_eq(timed.trial.result.measurement_nr, 1);
    check_str(timed.trial.result.stop, "the budget is used up");
    check(strvec_has(&timed.trial.result.left_out,
                     "a search: the kernel as written alone took 60 s"));
    check(strvec_has(&timed.trial.result.left_out, "huge pages: the kernel as written"));
    trial_release(&timed.trial);
}

/* What an interrupted session spent counts, but closing has the time of this process. */
TEST("a session that goes on closes all the same")
{
    static double spent_s = 58;
    struct timed_trial timed = {.cost = {1, 2, 0.5, 0.5}};

    timed_start(&timed, 60);
    timed.trial.opts.skipped_s = &spent_s;
    timed_run(&timed);
    check_eq(timed.trial.result.searched_nr, 2); /* as written, and with huge pages */
    check(timed.trial.result.environment_gain.known);
    trial_release(&timed.trial);
}

TEST("the time left is that until the end")
{
    struct timed_trial timed = {.cost = {1, 2, 0.5, 0.5}};
    struct session session = {.opts = &timed.trial.opts,
                              .result = &timed.trial.result,
                              .subject = &timed.trial.space.subject};

    timed_start(&timed, 60);
    timed.trial.opts.plans_only = true;
    pace_begin(&session.pace, timed.trial.opts.began_s, 60);
    pace_guess(&session.pace,
               &(struct search_costs){
                   .try_s = 1, .comparison_s = 2, .check_s = 3, .explain_s = 2});
    check_near(session_end_s(&session), 59.5, 1e-9);
    timed.trial.result.best = 1;
    check(pace_closing_s(&session.pace) < 12); /* a fifth, for the answer's comparisons */
    check_near(session_left_s(&session), 59.5 - 12, 1e-9);
    timed.trial.result.best = 0; /* nothing is there to be compared: one more try */
    check_near(session_left_s(&session), 59.5 - pace_least_s(&session.pace), 1e-9);
    check(!session_over(&session));
    now_s += session_left_s(&session) - 0.9; /* another try would take 1 s */
    check(session_over(&session));
    trial_release(&timed.trial);
}

/* Traced no more: said, and the gain stands. */
TEST("a winner that is not traced is told")
{
    struct trial trial = {.opts.budget_s = 100};

    trial_start(&trial, NULL);
    trial.space.time_s = space_valley;
    trial.space.untraced_plans = true;
    trial_run(&trial);
    check(trial.result.best > 0);
    check(!trial.result.measurement[trial.result.best].has_traffic);
    check_eq(trial.result.left_out.nr, 1);
    check_contains(trial.result.left_out.v[0], "tracing the winner");
    trial_release(&trial);
}

TEST("the file decides where nothing else did")
{
    struct trial trial = {.opts.budget_s = 100};
    struct quantity none = quantity_between(1.02, 0.97, 1.07, 4, PROVENANCE_CLOCK),
                    some = quantity_between(1.5, 1.4, 1.6, 4, PROVENANCE_CLOCK);

    trial_start(&trial, NULL);
    trial.space.time_s = space_valley;
    trial_run(&trial);
    check(trial.result.best > 0);
    check(!search_file_is_luck(&trial.result, none)); /* it was compared before */
    trial.result.file_decides = true;
    check(!search_file_is_luck(&trial.result, some));
    check(trial.result.session_gain.low > 1);
    check(!search_file_is_luck(&trial.result, none)); /* by all it is a gain */
    trial.result.session_gain = none;
    check(search_file_is_luck(&trial.result, none));
    check_eq(trial.result.best, 0);
    check_near(trial.result.source_gain.value, 1, 0);
    trial_release(&trial);
}

/* No time to run the winner at its full size: its file is what is run there. */
TEST("the file checks what nothing else did")
{
    struct timed_trial timed = {.cost = {1, 12, 1, 12}};
    struct search_result *result = &timed.trial.result;

    timed_start(&timed, 60);
    timed_run(&timed);
    check(result->best > 0);
    check(result->file_checks);
    check(strvec_has(&result->left_out,
                     "checking a leading plan at its full size, and what limits it, "
                     "before its file is"));
    check(!search_file_is_wrong(result, "another plan"));
    check(search_file_is_wrong(result, result->measurement[result->best].plan));
    check_eq(result->best, 0);
    check_near(result->source_gain.value, 1, 0);
    trial_release(&timed.trial);
    timed = (struct timed_trial){.cost = {0.2, 1, 0.2, 0.2}};
    timed_start(&timed, 200);
    timed_run(&timed);
    check(result->best > 0);
    check(!search_file_is_wrong(result, result->measurement[result->best].plan));
    trial_release(&timed.trial);
}

/* Where the time is up, the file is checked and what the search is sure of is said. */
TEST("a file that there is no time to compare")
{
    struct timed_trial timed = {.cost = {1, 12, 1, 12}};
    struct search_result *result = &timed.trial.result;
    const struct quantity sure = quantity_between(2, 1.5, 3, 2, PROVENANCE_CLOCK),
                          unsure = quantity_between(2, 0.5, 8, 2, PROVENANCE_CLOCK);
    double least_s;

    timed_start(&timed, 60);
    timed_run(&timed);
    check(result->best > 0);
    result->file_decides = true;
    least_s = pace_file_s(&result->pace) + pace_tail_s(&result->pace);
    check(search_file_s(result, least_s + 0.1) >= PACE_MIN_S);
    check_near(search_file_s(result, least_s - 0.1), 0, 0);
    result->session_gain = sure;
    check(!search_file_is_untimed(result));
    check(result->best > 0);
    check_near(result->source_gain.value, 2, 1e-12);
    result->session_gain = unsure;
    check(search_file_is_untimed(result));
    check_eq(result->best, 0);
    result->file_decides = false; /* it was compared before */
    check(!search_file_is_untimed(result));
    check(search_file_s(result, least_s - 0.1) >= PACE_MIN_S);
    trial_release(&timed.trial);
}

/* Interrupted before its file was checked. */
TEST("what nobody checked is not written")
{
    struct timed_trial timed = {.cost = {0.2, 1, 0.2, 0.2}};
    struct search_result *result = &timed.trial.result;
    struct measurement *best;

    timed_start(&timed, 60);
    timed_run(&timed);
    check(result->best > 0);
    best = &result->measurement[result->best];
    check(!search_file_is_unchecked(result, best->plan)); /* it was */
    best->verified = false;
    check(!search_file_is_unchecked(result, "another plan"));
    check(search_file_is_unchecked(result, best->plan));
    check_eq(result->best, 0);
    trial_release(&timed.trial);
}

/* What was known of it before stands, and its file is what is checked. */
TEST("a winner that is cut short stays")
{
    struct timed_trial whole = {.cost = {0.2, 1, 0.2, 0.2}}, timed = whole;
    const struct search_result *result = &timed.trial.result;

    timed_start(&whole, 100);
    timed_run(&whole);
    timed.cuts = true;
    timed_start(&timed, 100);
    timed_run(&timed);
    check_str(result->measurement[result->best].plan,
              whole.trial.result.measurement[whole.trial.result.best].plan);
    check(result->best > 0);
    check_eq(result->measurement[result->best].outcome, RUN_OUTCOME_OK);
    check(result->file_checks);
    trial_release(&whole.trial);
    trial_release(&timed.trial);
}

TEST("starts that were seen are reckoned with")
{
    struct live live = {.fill_s = 1, .original_s = quantity_exact(0.1, PROVENANCE_CLOCK)};
    struct run_result seen = {.starting_s = 5.2}, none = {0}, later = {.starting_s = 0.3};

    live_note_start(&live, &seen);
    check_near(live.fill_s, 5, 1e-12);
    live_note_start(&live, &none);
    check_near(live.fill_s, 5, 1e-12);
    live_note_start(&live, &later);
    check_near(live.fill_s, 4, 1e-12);
    check_near(live_pair_cost(&live).own_s, 4.2, 1e-12);
    check_eq(live_pair_cost(&live).min, 3); /* no budget */
    live.opts.budget_s = 110;               /* 13 s of it for three */
    check_eq(live_pair_cost(&live).min, 3);
    live.opts.budget_s = 60;
    check_eq(live_pair_cost(&live).min, 2);
}

/* Each launch tells of other pages, with a pair at least. */
TEST("comparisons have the launches that they can pay")
{
    static const struct {
        double seconds;
        struct live_launch_cost cost;
        bool together;
        size_t launches;
    } asked[] = {{4, {0.3, 0.5, 3}, true, 5},   {8, {0.2, 0.01, 3}, true, 8},
                 {0.5, {0.3, 0.1, 3}, true, 3}, {8, {2, 2, 3}, true, 3},
                 {8, {2, 4, 2}, true, 2},       {8, {0.2, 0.01, 3}, false, 3}};
    for (size_t i = 0; i < ARRAY_SIZE(asked); i++) {
        struct run_opts opts = {0};

        live_pair_effort(asked[i].seconds, asked[i].cost, asked[i].together, &opts);
        check_eq(opts.launches_min, asked[i].cost.min);
        check_eq(opts.launches_planned, asked[i].launches);
        check(opts.launches_max >= opts.launches_planned);
        check_near(opts.budget_s, asked[i].seconds, 0);
        check_near(opts.launch_own_s,
                   asked[i].launches > asked[i].cost.min ? asked[i].cost.own_s : 0, 0);
    }
}
