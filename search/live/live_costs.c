/* The live runner: what measuring this kernel takes, by what was seen so far. */
#include <math.h>

#include "core/process/term.h"
#include "search/live/live_parts.h"

/* A first look takes so long at most (live_paired.c), in three pairs and a first call;
 * the shortest comparison is of a few launches, each of a first pair and one that counts.
 */
static const double looking_s = 0.4, start_s = 0.2, build_s = 0.2, explaining_s = 0.7;
enum { LOOK_CALLS = 7, COMPARISON_LAUNCHES = 3, FEWER_LAUNCHES = 2 };
/* As long as none is known: what a plan takes of the time of the kernel as written, where
 * calls are so long that it matters; of plans that gain less there is no time to tell. */
static const double worthy = 0.1;

/* The same check of the small sizes costs a plan about what the proof took of them. */
int live_check(struct live *live, struct built *built, bool small_only, struct error *err)
{
    bool was_small = built->small_verified, was_full = built->full_verified;
    double began_s = clock_s(), sanitize_s = live->sanitize_s, took_s;

    live->sanitize_s = 0;
    int status = live_verify(live, built, small_only, err);
    took_s = clock_s() - began_s - live->sanitize_s;
    if (live->sanitize_s <= 0)
        live->sanitize_s = sanitize_s;
    if (!*built->plan || built->refused != RUN_OUTCOME_OK || was_full)
        return status;
    if (small_only && !was_small)
        live->small_s = took_s;
    else if (!small_only && was_small)
        live->full_s = took_s;
    return status;
}

/* The first pair counts, too, where launches of two would take longer than the shortest
 * comparison. */
static double comparison_calls(const struct live *live)
{
    return live->original_s.value > PACE_MIN_S / COMPARISON_LAUNCHES / 2 ? 1 : 2;
}

/* What is known best, or what will be. */
static double winner_s(const struct live *live)
{
    double call_s = live->reference.plan ? live->reference.time_s.value : INFINITY;
    return call_s < live->original_s.value ? call_s : worthy * live->original_s.value;
}

/* Of the variant alone: what the kernel as written makes is kept. */
static double full_s(const struct live *live)
{
    double others_s = live->proof.full_s - live->proof.call_s;
    return live->full_s > 0 ? live->full_s : fmax(others_s, 0) + winner_s(live);
}

/* Until a sanitizer has run a plan, which then has the shape of its file. Instrumented
 * code of small sizes takes about what building and comparing them without took. */
double live_small_s(const struct live *live)
{
    double sanitize_s = live->opts.unsanitized || live->shapes.nr ? 0
                        : live->sanitize_s > 0                    ? live->sanitize_s
                                                                  : live->small_s;
    return live->small_s + sanitize_s;
}

static double check_s(const struct live *live)
{
    return live->library_s + live_small_s(live) + full_s(live);
}

/* Where a host must give a guest its pages first, filling takes up to eight times as long
 * as it did before, and likely so the next time. */
void live_note_start(struct live *live, const struct run_result *result)
{
    if (result->starting_s > 0)
        live->fill_s = pace_expected_s(result->starting_s - start_s, live->fill_s);
}

/* Fewer where they would take an eighth of the budget: two show gains that are as large
 * as they must be to matter then. */
static size_t min_launches(const struct live *live, double each_s)
{
    const double max_share = 0.125;
    bool few = live->opts.budget_s > 0 &&
               COMPARISON_LAUNCHES * each_s > max_share * live->opts.budget_s;
    return few ? FEWER_LAUNCHES : COMPARISON_LAUNCHES;
}

struct live_launch_cost live_pair_cost(const struct live *live)
{
    double original_s = live->original_s.known ? live->original_s.value : live->call_s,
           calls_s =
               live->original_s.known ? winner_s(live) + original_s : 2 * original_s,
           own_s = start_s + live->fill_s, pair_s = comparison_calls(live) * calls_s;
    return (struct live_launch_cost){own_s, pair_s, min_launches(live, own_s + pair_s)};
}

void live_costs(void *data, struct search_costs *costs)
{
    const struct live *live = data;
    struct live_launch_cost launch = live_pair_cost(live);
    double call_s, best_s;

    *costs = (struct search_costs){
        .check_s = check_s(live), .looks = {live->judged_nr, live->judged_s, live_error}};
    if (live->launch_s <= 0 || !live->reference.plan)
        return;
    call_s = live->reference.time_s.value;
    best_s = winner_s(live);
    costs->try_s = live->small_s + call_s + best_s + fmin(looking_s, LOOK_CALLS * call_s);
    costs->comparison_s = (double)launch.min * (launch.own_s + launch.pair_s);
    costs->look_s = 2 * best_s + explaining_s;
    costs->explain_s =
        full_s(live) + build_s + 2 * best_s + explaining_s +
        fmin(live->opts.trace_one_s, fmax(live->opts.trace_s - live->traced_s, 0));
}

void live_set_budget(struct live *live, double end_s, double budget_s, double trace_s,
                     double trace_one_s)
{
    live->end_s = end_s;
    live->opts.budget_s = budget_s;
    live->opts.trace_s = trace_s;
    live->opts.trace_one_s = trace_one_s;
}
