/* The figures of the search, as asked and as reached. */
#include <math.h>
#include <stdlib.h>

#include "bench/search_results.h"

struct figures {
    const struct results *results;
    struct figure *item;
    size_t nr;
};

static void add(struct figures *figures, const char *what, const char *asked,
                double value, bool ok, char *reached)
{
    figures->item[figures->nr++] =
        (struct figure){what, asked, reached, !isnan(value), !isnan(value) && ok, value};
}

/* ---- sums over the guided repetitions ---- */

/* How often of how many. */
struct share {
    double of, all;
};

static double value_of(struct share share)
{
    return share.all > 0 ? share.of / share.all : NAN;
}

static char *share_text(struct share share, const char *what)
{
    return share.all > 0 ? xasprintf("%.0f %% (%.0f of %.0f %s)", 100 * value_of(share),
                                     share.of, share.all, what)
                         : xstrdup("-");
}

/* "1.25 (of 3)"; "- (of 3)" when it is not known. */
static char *number_text(double value, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static char *number_text(double value, const char *format, ...)
{
    struct buf out = {0};
    va_list args;
    if (isnan(value))
        buf_add(&out, "- ");
    else
        buf_addf(&out, "%.2f ", value);
    va_start(args, format);
    buf_addf_va(&out, format, args);
    va_end(args);
    return buf_detach(&out);
}

/* ---- each figure ---- */

/* The headline: by recorded times alone, of what the user gets in the end. */
static void add_kept(struct figures *figures)
{
    struct kept_figures kept = results_kept(figures->results, TRIAL_GUIDED, false),
                        all = results_kept(figures->results, TRIAL_GUIDED, true);
    add(figures,
        "variants until the plan that is kept, or another within 5 % of the best, "
        "guided, "
        "median over the spaces with a gain",
        "at most 6", kept.median, kept.median <= 6,
        number_text(kept.median, "(all spaces %.1f)", all.median));
    add(figures, "the same, mean (the whole space where what is kept is not within 5 %)",
        "at most 15", kept.mean, kept.mean <= 15,
        number_text(kept.mean, "(all spaces %.1f)", all.mean));
    add(figures, "never: what is kept is not within 5 %", "at most 2 %", kept.never,
        kept.never <= 0.02,
        xasprintf("%.1f %% (all spaces %.1f %%)", 100 * kept.never, 100 * all.never));
    add(figures, "kept within 5 %", "at least 90 %", kept.within, kept.within >= 0.9,
        xasprintf("%.1f %% (all spaces %.1f %%); %.0f variants measured in all, %.0f "
                  "further measurements and comparisons",
                  100 * kept.within, 100 * all.within, kept.variants, kept.again));
}

static void add_evaluations(struct figures *figures)
{
    const struct results *results = figures->results;
    double median = results_within(results, TRIAL_GUIDED, false),
           share = results_of_random(results, TRIAL_GUIDED, false);
    add(figures,
        "evaluations until within 5 % of the exhaustive best, or within the noise, "
        "guided, median over the spaces with a gain",
        "at most 12", median, median <= 12,
        number_text(median, "(all spaces %.1f)",
                    results_within(results, TRIAL_GUIDED, true)));
    add(figures, "the same over random's expectation", "at most 0.20", share,
        share <= 0.2,
        number_text(share, "(all spaces %.2f)",
                    results_of_random(results, TRIAL_GUIDED, true)));
}

static char *score_text(const struct results *results, size_t strategy)
{
    struct score score = results_score(results, strategy, RESULTS_SCORE, RESULTS_GAINS),
                 large = results_score(results, strategy, RESULTS_SCORE, RESULTS_LARGE),
                 all = results_score(results, strategy, RESULTS_SCORE, RESULTS_ALL);
    char *rest = number_text(large.mean, "in the %zu with budgets of %d", large.spaces,
                             SCORE_BUDGET_LEAST),
         *every = number_text(all.mean, "in all %zu", all.spaces),
         *text = number_text(score.mean, "+- %.2f (%zu spaces with a gain; %s; %s)",
                             score.spaces ? score.error : 0, score.spaces, rest, every);
    free(rest);
    free(every);
    return text;
}

static void add_scores(struct figures *figures)
{
    double guided =
               results_score(figures->results, TRIAL_GUIDED, RESULTS_SCORE, RESULTS_GAINS)
                   .mean,
           random =
               results_score(figures->results, TRIAL_RANDOM, RESULTS_SCORE, RESULTS_GAINS)
                   .mean;
    add(figures, "search score, guided, mean over the spaces", "at least 0.85", guided,
        guided >= 0.85, score_text(figures->results, TRIAL_GUIDED));
    add(figures, "search score, random", "0 within 0.1", random, fabs(random) <= 0.1,
        score_text(figures->results, TRIAL_RANDOM));
}

static void add_pruning(struct figures *figures)
{
    const struct results *results = figures->results;
    size_t mostly = 0, ever = 0, best = 0, tied = 0;
    for (size_t i = 0; i < results->nr; i++) {
        const struct space_result *one = &results->space[i];
        size_t all_pruned = 0, best_pruned = 0, tied_pruned = 0;
        for (size_t r = 0; r < one->repetitions; r++) {
            all_pruned += one->judgement[r].all_pruned;
            best_pruned += one->judgement[r].best_pruned;
            tied_pruned += one->judgement[r].tied_pruned;
        }
        mostly += 2 * all_pruned >= one->repetitions;
        ever += all_pruned > 0;
        best += 2 * best_pruned >= one->repetitions;
        tied += 2 * tied_pruned >= one->repetitions;
    }
    add(figures, "spaces whose best variant, and all within 2 % of it, a rule pruned",
        "none", results->nr ? (double)mostly : NAN, mostly == 0,
        xasprintf("%zu of %zu (in any repetition %zu; the very best alone %zu; with all "
                  "that cannot be told apart from it %zu)",
                  mostly, results->nr, ever, best, tied));
}

static void add_advice(struct figures *figures)
{
    const struct results *results = figures->results;
    struct share first = {0}, recall = {0}, bounds = {0};
    size_t unbounded = 0, recall_spaces = 0;
    for (size_t i = 0; i < results->nr; i++) {
        bool counts = results->space[i].space.best_gain >= 1.1;
        recall_spaces += counts;
        for (size_t r = 0; r < results->space[i].repetitions; r++) {
            const struct judgement *one = &results->space[i].judgement[r];
            first.of += one->advised && one->first_gain;
            first.all += one->advised;
            recall.of += counts && one->first_gain;
            recall.all += counts;
            bounds.of += (double)(one->bounds - one->exceeded);
            bounds.all += (double)one->bounds;
            unbounded += one->unbounded;
        }
    }
    add(figures, "first advice was a gain beyond the noise", "at least 90 %",
        value_of(first), value_of(first) >= 0.9, share_text(first, "repetitions"));
    char *share = share_text(bounds, "advices tried");
    add(figures, "measured gains that did not exceed their bound", "at least 95 %",
        value_of(bounds), value_of(bounds) >= 0.95,
        xasprintf("%s; %zu more without a bound", share, unbounded));
    free(share);
    share = share_text(recall, "repetitions");
    add(figures, "first advice names a gain where exhaustive finds 1.1x", "at least 80 %",
        value_of(recall), value_of(recall) >= 0.8,
        xasprintf("%s, %zu spaces", share, recall_spaces));
    free(share);
}

static double median_ratio(const struct space_result *one)
{
    double *ratio = xcalloc(one->repetitions + 1, sizeof(*ratio));
    size_t nr = 0;
    for (size_t r = 0; r < one->repetitions; r++)
        if (!isnan(one->judgement[r].bound_ratio))
            ratio[nr++] = one->judgement[r].bound_ratio;
    double median = 2 * nr >= one->repetitions ? median_sorting(ratio, nr) : NAN;
    free(ratio);
    return median;
}

static void add_bound_ratio(struct figures *figures)
{
    const struct results *results = figures->results;
    double *ratio = xcalloc(results->nr + 1, sizeof(*ratio));
    size_t nr = 0, limited = 0;
    for (size_t i = 0; i < results->nr; i++) {
        const struct space_result *one = &results->space[i];
        limited += one->repetitions && one->judgement[0].memory_limited;
        ratio[nr] = median_ratio(one);
        nr += !isnan(ratio[nr]);
    }
    double median = median_sorting(ratio, nr);
    free(ratio);
    add(figures, "bound over the best achieved, memory-limited kernels, median",
        "at most 2", median, median <= 2,
        number_text(median, "(%zu of %zu kernels have a bound)", nr, limited));
}

static void add_ablation(struct figures *figures, size_t other, const char *what)
{
    const struct results *results = figures->results;
    double guided = results_within(results, TRIAL_GUIDED, false),
           without = results_within(results, other, false),
           gain =
               results_score(results, TRIAL_GUIDED, RESULTS_SCORE, RESULTS_GAINS).mean -
               results_score(results, other, RESULTS_SCORE, RESULTS_GAINS).mean;
    add(figures, what, "fewer evaluations, score higher by 0.1", gain,
        guided < without && gain >= 0.1,
        number_text(gain, "of score; %.1f against %.1f evaluations", guided, without));
}

/* Where the grid holds less than 1.05x. */
static void add_hopeless(struct figures *figures)
{
    const struct results *results = figures->results;
    struct share said = {0};
    for (size_t i = 0; i < results->nr; i++) {
        const struct space_result *one = &results->space[i];
        size_t nr = 0;
        if (space_result_gains(one))
            continue;
        for (size_t r = 0; r < one->repetitions; r++)
            nr += one->judgement[r].gives_up && one->judgement[r].ruled <= 10;
        said.all++;
        said.of += 2 * nr >= one->repetitions;
    }
    add(figures,
        "kernels that cannot be helped (below 1.05x): the rules end within 10 tries, and "
        "they stay as written, with the resource",
        "all", value_of(said), said.of >= said.all, share_text(said, "spaces"));
}

size_t results_figures(const struct results *results, struct figure *out)
{
    struct figures figures = {.results = results, .item = out};
    add_kept(&figures);
    add_evaluations(&figures);
    add_scores(&figures);
    add_pruning(&figures);
    add_advice(&figures);
    add_bound_ratio(&figures);
    add_ablation(&figures, TRIAL_SHUFFLED, "guided against rules shuffled");
    add_ablation(&figures, TRIAL_HIDDEN, "guided against occupancy hidden");
    add_hopeless(&figures);
    return figures.nr;
}

void figures_release(struct figure *figure, size_t nr)
{
    for (size_t i = 0; i < nr; i++)
        free(figure[i].reached);
}
