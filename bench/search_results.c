#include "bench/search_results.h"

#include <math.h>
#include <stdlib.h>

enum { FEW_EVALUATIONS = 12 };

/* ---- one strategy on one space ---- */

static double above_after(const struct trial_space *space, const struct score_run *run,
                          size_t nr)
{
    double best = INFINITY;
    for (size_t i = 0; i < nr && i < run->nr; i++)
        if (run->place[i] != SCORE_INVALID)
            best = fmin(best, space->objective[run->place[i]]);
    return best / space->score.optimum - 1;
}

static double *curve_of(const struct score_space *space, const struct score_run *run,
                        size_t nr, bool time)
{
    if (space->flat)
        return NULL;
    double *curve = xcalloc(SCORE_POINTS, sizeof(*curve));
    if (time)
        score_time_curve(space, run, nr, curve);
    else
        score_curve(space, run, nr, curve);
    return curve;
}

static void fill_medians(const struct trial_space *space, const struct score_run *run,
                         size_t nr, struct strategy_result *out)
{
    double *five = xcalloc(3 * nr, sizeof(*five)), *one = five + nr, *above = one + nr;
    for (size_t r = 0; r < nr; r++) {
        five[r] =
            (double)score_evaluations(&space->score, space->objective, &run[r], 0.05);
        one[r] =
            (double)score_evaluations(&space->score, space->objective, &run[r], 0.01);
        above[r] = above_after(space, &run[r], FEW_EVALUATIONS);
    }
    out->within_5 = median_sorting(five, nr);
    out->within_1 = median_sorting(one, nr);
    out->above_12 = median_sorting(above, nr);
    free(five);
}

static void fill_result(const struct trial_space *space, const struct score_run *run,
                        size_t nr, struct strategy_result *out)
{
    fill_medians(space, run, nr, out);
    out->curve = curve_of(&space->score, run, nr, false);
    out->paper = curve_of(&space->paper, run, nr, false);
    out->time = space->has_costs ? curve_of(&space->score, run, nr, true) : NULL;
    const double *curve = out->curve;
    out->score = score_of(&curve, curve ? 1 : 0).mean;
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
                              .again = (double)(trial->again + trial->compared),
                              .spent_s = trial->spent_s};
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
        free(result->strategy[s].paper);
        free(result->strategy[s].time);
        free(result->strategy[s].kept);
    }
    free(result->judgement);
    trial_space_release(&result->space);
}

bool space_result_gains(const struct space_result *result)
{
    return result->space.best_gain >= 1.05;
}

/* ---- over all spaces ---- */

void results_release(struct results *results)
{
    for (size_t i = 0; i < results->nr; i++)
        space_result_release(&results->space[i]);
    free(results->space);
    *results = (struct results){0};
}

static const double *curve_at(const struct space_result *result, size_t strategy,
                              enum results_axis axis)
{
    const struct strategy_result *one = &result->strategy[strategy];
    return axis == RESULTS_SCORE   ? one->curve
           : axis == RESULTS_PAPER ? one->paper
                                   : one->time;
}

struct score results_score(const struct results *results, size_t strategy,
                           enum results_axis axis, enum results_which which)
{
    const double **curve = xcalloc(results->nr + 1, sizeof(*curve));
    size_t nr = 0;
    for (size_t i = 0; i < results->nr; i++) {
        const struct trial_space *space = &results->space[i].space;
        bool is_small = axis == RESULTS_PAPER ? space->paper.small : space->score.small;
        const double *one = curve_at(&results->space[i], strategy, axis);
        if (one && (which == RESULTS_ALL || space_result_gains(&results->space[i])) &&
            (which != RESULTS_LARGE || !is_small))
            curve[nr++] = one;
    }
    struct score score = score_of(curve, nr);
    free(curve);
    return score;
}

static double median_within(const struct results *results, size_t strategy, bool all,
                            bool of_random)
{
    double *value = xcalloc(results->nr + 1, sizeof(*value));
    size_t nr = 0;
    for (size_t i = 0; i < results->nr; i++) {
        const struct space_result *one = &results->space[i];
        if (all || space_result_gains(one))
            value[nr++] = one->strategy[strategy].within_5 /
                          (of_random ? score_random_draws(&one->space.score, 0.05) : 1);
    }
    double median = median_sorting(value, nr);
    free(value);
    return median;
}

double results_within(const struct results *results, size_t strategy, bool all)
{
    return median_within(results, strategy, all, false);
}

double results_of_random(const struct results *results, size_t strategy, bool all)
{
    return median_within(results, strategy, all, true);
}

/* ---- what is kept, over repetitions and spaces ---- */

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

static void add_kept(struct kept_figures *sum, struct kept_figures one, double nr)
{
    sum->mean += one.mean / nr;
    sum->never += one.never / nr;
    sum->within += one.within / nr;
    sum->above += one.above / nr;
    sum->variants += one.variants / nr;
    sum->again += one.again / nr;
}

struct kept_figures results_kept(const struct results *results, size_t strategy, bool all)
{
    struct kept_figures sum = {0};
    double *median = xcalloc(results->nr + 1, sizeof(*median));
    size_t nr = 0;
    for (size_t i = 0; i < results->nr; i++)
        if ((all || space_result_gains(&results->space[i])) &&
            results->space[i].strategy[strategy].kept_nr)
            median[nr++] = space_kept(&results->space[i], strategy).median;
    for (size_t i = 0; nr && i < results->nr; i++)
        if ((all || space_result_gains(&results->space[i])) &&
            results->space[i].strategy[strategy].kept_nr)
            add_kept(&sum, space_kept(&results->space[i], strategy), (double)nr);
    sum.median = median_sorting(median, nr);
    free(median);
    return nr ? sum : (struct kept_figures){NAN, NAN, NAN, NAN, NAN, NAN, NAN};
}
