#include "bench/search_results.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base.h"
#include "search/records/records.h"
#include "search/session/advice.h"
#include "search/session/measured.h"
#include "search/strategy/strategy.h"

/* Below it is no gain, as search/session/session.h has it: what is left of drift. */
static const double MIN_GAIN = 1.01;

/* ---- plans as sets of transformations ---- */

static unsigned long long bit_of(const char *name, size_t length)
{
    size_t nr = 0;
    const struct rule_transformation *list = rule_transformations(&nr);
    for (size_t i = 0; i < nr; i++)
        if (strlen(list[i].name) == length && !strncmp(list[i].name, name, length))
            return 1ull << i;
    return 0;
}

/* One step: "prefetch(A:16,to:L2)" is prefetch_l2, "skew_tile(..)" is skew. */
static unsigned long long bit_of_step(const char *step, size_t length)
{
    size_t word = strcspn(step, "(");
    word = word < length ? word : length;
    if (word == 8 && !strncmp(step, "prefetch", 8)) {
        const char *to = strstr(step, "to:L2");
        const char *name = to && to < step + length ? "prefetch_l2" : "prefetch_l1";
        return bit_of(name, strlen(name));
    }
    if (word == 9 && !strncmp(step, "skew_tile", 9))
        return bit_of("skew", 4);
    return bit_of(step, word);
}

unsigned long long judge_transformations(const char *plan)
{
    unsigned long long set = 0;
    while (*plan) {
        size_t length = strcspn(plan, " ");
        set |= bit_of_step(plan, length);
        plan += length + strspn(plan + length, " ");
    }
    return set;
}

/* ---- pruning ---- */

static unsigned long long against_at_first(const struct search_result *advice)
{
    unsigned long long set = 0;
    for (size_t i = 0; i < advice->advice_nr; i++)
        if (advice->advice[i].verdict != VERDICT_TRY)
            set |= bit_of(advice->advice[i].transformation,
                          strlen(advice->advice[i].transformation));
    return set;
}

static unsigned long long against_at_last(const struct search_result *result)
{
    unsigned long long set = 0;
    for (size_t i = 0; i < result->pruned_nr; i++)
        if (strcmp(result->pruned[i].rule, "legality"))
            set |= bit_of(result->pruned[i].plan, strlen(result->pruned[i].plan));
    return set;
}

/* In the end of all, when time was left for what rules advise against, too. */
static unsigned long long tried(const struct search_result *result)
{
    unsigned long long set = 0;
    for (size_t i = 0; i < result->measurement_nr; i++)
        set |= judge_transformations(result->measurement[i].plan);
    return set;
}

/* Up to where the interval of the fastest goes. */
static double best_reach_s(const struct trial_space *space)
{
    double reach_s = space->score.optimum;
    for (size_t i = 0; i < space->source.entry_nr; i++)
        if (space->place[i] != SCORE_INVALID &&
            space->source.entry[i].time_s.value <= space->score.optimum)
            reach_s = space->source.entry[i].time_s.high;
    return reach_s;
}

static void judge_pruning(const struct trial_space *space,
                          const struct search_result *advice,
                          const struct search_result *result, struct judgement *out)
{
    const double equals = 1.02;
    unsigned long long against =
        against_at_first(advice) & against_at_last(result) & ~tried(result);
    double reach_s = best_reach_s(space);
    out->all_pruned = out->tied_pruned = true;
    for (size_t i = 0; i < space->source.entry_nr; i++) {
        struct quantity time = space->source.entry[i].time_s;
        double time_s = time.value;
        if (space->place[i] == SCORE_INVALID)
            continue;
        bool pruned = judge_transformations(space->source.entry[i].plan) & against;
        if (time.low <= reach_s)
            out->tied_pruned = out->tied_pruned && pruned;
        if (time_s > equals * space->score.optimum)
            continue;
        out->all_pruned = out->all_pruned && pruned;
        if (time_s <= space->score.optimum)
            out->best_pruned = pruned;
    }
}

/* ---- advice and bounds ---- */

static const struct advice *find_advice(const struct search_result *result,
                                        const char *transformation)
{
    for (size_t i = 0; transformation && i < result->advice_nr; i++)
        if (!strcmp(result->advice[i].transformation, transformation))
            return &result->advice[i];
    return NULL;
}

static bool is_gain(struct quantity speedup)
{
    return speedup.known && speedup.low > 1 && speedup.value >= MIN_GAIN;
}

static void judge_first(const struct search_result *result, struct judgement *out)
{
    const struct advice *first = find_advice(result, result->first_tried);
    if (!first)
        return;
    snprintf(out->first, sizeof(out->first), "%s", first->transformation);
    out->advised = first->verdict == VERDICT_TRY && !first->undecided;
    out->first_gain = is_gain(result->first_gain);
}

static void judge_bounds(const struct search_result *result, struct judgement *out)
{
    for (size_t i = 0; i < result->advice_nr; i++) {
        const struct advice *advice = &result->advice[i];
        if (!advice->tried_plan || !advice->measured_speedup.known)
            continue;
        if (!advice->bound_speedup.known || isinf(advice->bound_speedup.high)) {
            out->unbounded++;
            continue;
        }
        out->bounds++;
        out->exceeded += advice->measured_speedup.low > advice->bound_speedup.high;
    }
}

/* A gain below 1 is not kept: it is as one of nothing. */
static void judge_expected(const struct search_result *result, struct judgement *out)
{
    for (size_t i = 0; i < result->advice_nr; i++) {
        const struct advice *advice = &result->advice[i];
        if (advice->verdict != VERDICT_TRY || !advice->tried_plan ||
            !advice->measured_speedup.known)
            continue;
        double came = log(fmax(advice->measured_speedup.value, 1)) -
                      log(advice_expected(advice->bound_speedup, advice->trust));
        out->expected++;
        out->expected_sum += came;
        out->expected_near += fabs(came) <= log(EXPECTED_NEAR);
    }
}

/* The largest bound on what is advised for the kernel as written; on what is left at all
 * when nothing is. */
static double largest_bound(const struct search_result *advice)
{
    double largest = NAN;
    bool advised = false;
    for (size_t i = 0; i < advice->advice_nr; i++) {
        const struct advice *one = &advice->advice[i];
        if (one->verdict != VERDICT_TRY || !strcmp(one->transformation, "hugepages"))
            continue;
        advised = true;
        if (one->bound_speedup.known)
            largest = fmax(largest, one->bound_speedup.value);
    }
    return !advised && advice->headroom_bound.known ? advice->headroom_bound.value
                                                    : largest;
}

static void judge_bound_ratio(const struct trial_space *space,
                              const struct search_result *advice, struct judgement *out)
{
    const struct measurement *baseline = &advice->measurement[0];
    out->bound_ratio = NAN;
    if (baseline->has_occupancy &&
        cause_kind(baseline->occupancy.diagnosis.cause) == CAUSE_KIND_MEMORY)
        out->bound_ratio = largest_bound(advice) / fmax(1, space->best_gain);
}

/* ---- the end ---- */

static void judge_end(const struct search_result *result, struct judgement *out)
{
    size_t tried = result->advised_nr > 0 ? result->advised_nr : result->searched_nr;
    out->ruled = tried > 0 ? tried - 1 : 0;
    out->gives_up = result->best == 0 && result->headroom_resource != RESOURCE_NONE;
}

void judge_search(const struct trial_space *space, const struct search_result *advice,
                  const struct trial_run *run, struct judgement *out)
{
    *out = (struct judgement){0};
    judge_pruning(space, advice, &run->result, out);
    judge_first(&run->result, out);
    judge_bounds(&run->result, out);
    judge_expected(&run->result, out);
    judge_bound_ratio(space, advice, out);
    judge_end(&run->result, out);
}

/* ---- one strategy on one space ---- */

static void fill_result(const struct trial_space *space, const struct score_run *run,
                        size_t nr, struct strategy_result *out)
{
    double *five = xcalloc(nr, sizeof(*five));
    for (size_t r = 0; r < nr; r++)
        five[r] =
            (double)score_evaluations(&space->score, space->objective, &run[r], 0.05);
    out->within_5 = median_sorting(five, nr);
    out->score = NAN;
    free(five);
    if (space->score.flat)
        return;
    out->curve = xcalloc(SCORE_POINTS, sizeof(*out->curve));
    score_curve(&space->score, run, nr, out->curve);
    out->score = score_of(&(const double *){out->curve}, 1).mean;
}

/* ---- what is kept ---- */

static struct kept_result judge_kept(const struct trial_space *space,
                                     const struct trial_run *trial)
{
    const double margin = 1.05;
    const struct search_result *result = &trial->result;
    const struct score_run *run = &trial->run;
    size_t entry = trial_find(space, result->measurement[result->best].plan);
    double best = space->score.optimum,
           kept = entry < space->source.entry_nr ? space->source.entry[entry].time_s.value
                                                 : INFINITY;
    struct kept_result out = {.within = kept <= margin * best,
                              .tries = (double)space->source.entry_nr,
                              .above = kept / best - 1,
                              .variants = (double)run->nr,
                              .again = (double)(trial->again + trial->compared)};
    for (size_t i = 0; out.within && i < run->nr; i++)
        if (run->place[i] != SCORE_INVALID &&
            space->objective[run->place[i]] <= margin * best) {
            out.tries = (double)(i + 1);
            break;
        }
    return out;
}

static bool is_run_to_its_end(size_t strategy)
{
    return strategy != TRIAL_EXHAUSTIVE;
}

/* Those that were left early are run once more for it. */
static int keep(struct space_result *result, size_t strategy,
                const struct rule_set *rules, const struct trial_run *run, size_t r,
                struct error *err)
{
    const struct trial_strategy *how = &trial_strategies[strategy];
    struct trial_run whole = {0};
    struct kept_result *out = &result->strategy[strategy].kept[r];
    if (how->guided) {
        *out = judge_kept(&result->space, run);
        return 0;
    }
    int status = trial_search(&result->space, how, rules, r + 1, true, &whole, err);
    if (!status)
        *out = judge_kept(&result->space, &whole);
    trial_run_release(&whole);
    return status;
}

static int judge(struct space_result *result, const struct rule_set *rules,
                 const struct trial_run *run, size_t repetition, struct error *err)
{
    struct search_result advice;
    int status = trial_advise(&result->space, rules, repetition + 1, &advice, err);
    if (!status)
        judge_search(&result->space, &advice, run, &result->judgement[repetition]);
    search_result_release(&advice);
    return status;
}

static int repeat(struct space_result *result, size_t strategy,
                  const struct rule_set *rules, struct error *err)
{
    const struct trial_strategy *how = &trial_strategies[strategy];
    size_t nr = how->fixed ? 1 : result->repetitions;
    struct trial_run *trial = xcalloc(nr, sizeof(*trial));
    struct score_run *run = xcalloc(nr, sizeof(*run));
    struct strategy_result *out = &result->strategy[strategy];
    int status = 0;
    if (is_run_to_its_end(strategy)) {
        out->kept = xcalloc(nr, sizeof(*out->kept));
        out->kept_nr = nr;
    }
    for (size_t r = 0; !status && r < nr; r++) {
        status = trial_search(&result->space, how, rules, r + 1, false, &trial[r], err);
        run[r] = trial[r].run;
        if (!status && out->kept_nr)
            status = keep(result, strategy, rules, &trial[r], r, err);
        if (!status && strategy == TRIAL_GUIDED)
            status = judge(result, rules, &trial[r], r, err);
    }
    if (!status)
        fill_result(&result->space, run, nr, out);
    for (size_t r = 0; r < nr; r++)
        trial_run_release(&trial[r]);
    free(trial);
    free(run);
    return status;
}

int space_result_make(struct trial_space *space, const struct rule_set *rules,
                      size_t repetitions, struct space_result *out, struct error *err)
{
    *out =
        (struct space_result){.space = *space,
                              .repetitions = repetitions,
                              .judgement = xcalloc(repetitions, sizeof(*out->judgement))};
    *space = (struct trial_space){0};
    for (size_t s = 0; s < TRIAL_STRATEGIES; s++)
        if (repeat(out, s, rules, err))
            return -1;
    return 0;
}

void space_result_release(struct space_result *result)
{
    for (size_t s = 0; s < TRIAL_STRATEGIES; s++) {
        free(result->strategy[s].curve);
        free(result->strategy[s].kept);
    }
    free(result->judgement);
    trial_space_release(&result->space);
}

struct kept_figures space_kept(const struct space_result *result, size_t strategy)
{
    const struct strategy_result *one = &result->strategy[strategy];
    struct kept_figures sum = {0};
    if (one->kept_nr == 0)
        return (struct kept_figures){NAN, NAN, NAN, NAN, NAN, NAN, NAN};
    double *tries = xcalloc(one->kept_nr + 1, sizeof(*tries)), nr = (double)one->kept_nr;
    for (size_t r = 0; r < one->kept_nr; r++) {
        const struct kept_result *kept = &one->kept[r];
        tries[r] = kept->tries;
        sum.mean += kept->tries / nr;
        sum.never += !kept->within / nr;
        sum.within += kept->within / nr;
        sum.above += kept->above / nr;
        sum.variants += kept->variants / nr;
        sum.again += kept->again / nr;
    }
    sum.median = median_sorting(tries, one->kept_nr);
    free(tries);
    return sum;
}
