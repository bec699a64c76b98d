/*
 * Judges strategies on recorded spaces (bench/data/spaces): replays each many times
 * without compiling, and prints what was asked of the search and what was reached; the
 * score after Willemsen et al. (bench/score.h, docs/internals/search.md).
 *
 *   search_score [--repetitions N] [--answer SECONDS] [--rules FILE] [SPACE...]
 *
 * --answer: what a measurement or a comparison takes of the replay's clock, default 0.25;
 * SPACE: files of inflight.space/1; default all of the folder. The same files give the
 * same figures. Exit 1 when a figure was missed.
 */
#include <getopt.h>
#include <glob.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/search_results.h"
#include "core/base.h"
#include "rules/rules.h"
#include "search/records/records.h"

struct settings {
    size_t repetitions;
    double answer_s; /* 0 = the default */
    const char *rules;
    struct strvec paths;
};

/* Results borrow from the data sets. */
struct results {
    struct dataset **dataset;
    struct space_result *space;
    size_t dataset_nr, nr, alloc;
    bool missed; /* a figure was not reached */
};

/* ---- over all spaces ---- */

/* Where the kernel as written is as good as the best, every strategy begins at the end:
 * such spaces are counted where all are. */
static bool gains(const struct space_result *one)
{
    return one->space.best_gain >= 1.05;
}

static struct score score_over(const struct results *results, size_t strategy, bool all)
{
    const double **curve = xcalloc(results->nr + 1, sizeof(*curve));
    size_t nr = 0;
    for (size_t i = 0; i < results->nr; i++) {
        const struct space_result *one = &results->space[i];
        if (one->strategy[strategy].curve && (all || gains(one)))
            curve[nr++] = one->strategy[strategy].curve;
    }
    struct score score = score_of(curve, nr);
    free(curve);
    return score;
}

/* Median over the spaces of the evaluations until within 5 %, or of that over what random
 * search is expected to need. */
static double within(const struct results *results, size_t strategy, bool all,
                     bool of_random)
{
    double *value = xcalloc(results->nr + 1, sizeof(*value));
    size_t nr = 0;
    for (size_t i = 0; i < results->nr; i++) {
        const struct space_result *one = &results->space[i];
        if (all || gains(one))
            value[nr++] = one->strategy[strategy].within_5 /
                          (of_random ? score_random_draws(&one->space.score, 0.05) : 1);
    }
    double median = median_sorting(value, nr);
    free(value);
    return median;
}

/* The median of medians, the mean of means and the shares of all repetitions. */
static struct kept_figures kept_over(const struct results *results, size_t strategy,
                                     bool all)
{
    struct kept_figures sum = {0};
    double *median = xcalloc(results->nr + 1, sizeof(*median));
    size_t nr = 0;
    for (size_t i = 0; i < results->nr; i++) {
        if (!all && !gains(&results->space[i]))
            continue;
        struct kept_figures one = space_kept(&results->space[i], strategy);
        median[nr++] = one.median;
        sum.mean += one.mean;
        sum.never += one.never;
        sum.within += one.within;
        sum.above += one.above;
        sum.variants += one.variants;
        sum.again += one.again;
    }
    double n = nr ? (double)nr : NAN;
    sum = (struct kept_figures){median_sorting(median, nr),
                                sum.mean / n,
                                sum.never / n,
                                sum.within / n,
                                sum.above / n,
                                sum.variants / n,
                                sum.again / n};
    free(median);
    return sum;
}

/* ---- the figures, as asked and as reached ---- */

static void row(struct results *results, const char *what, const char *asked, bool ok,
                const char *format, ...) __attribute__((format(printf, 5, 6)));

static void row(struct results *results, const char *what, const char *asked, bool ok,
                const char *format, ...)
{
    va_list args;
    printf("| %s | %s | ", what, asked);
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    printf(" | %s |\n", ok ? "yes" : "**no**");
    results->missed = results->missed || !ok;
}

/* The headline: by recorded times alone, of what the user gets in the end. */
static void say_kept(struct results *results)
{
    struct kept_figures kept = kept_over(results, TRIAL_GUIDED, false),
                        all = kept_over(results, TRIAL_GUIDED, true);
    row(results,
        "variants until the plan that is kept, or another within 5 % of the best, "
        "guided, median over the spaces with a gain",
        "at most 6", kept.median <= 6, "%.2f (all spaces %.1f)", kept.median, all.median);
    row(results, "the same, mean (the whole space where what is kept is not within 5 %)",
        "at most 15", kept.mean <= 15, "%.2f (all spaces %.1f)", kept.mean, all.mean);
    row(results, "never: what is kept is not within 5 %", "at most 2 %",
        kept.never <= 0.02, "%.1f %% (all spaces %.1f %%)", 100 * kept.never,
        100 * all.never);
    row(results, "kept within 5 %", "at least 90 %", kept.within >= 0.9,
        "%.1f %% (all spaces %.1f %%); %.0f variants measured in all, %.0f further "
        "measurements and comparisons",
        100 * kept.within, 100 * all.within, kept.variants, kept.again);
}

static void say_scores(struct results *results)
{
    double median = within(results, TRIAL_GUIDED, false, false),
           share = within(results, TRIAL_GUIDED, false, true);
    row(results,
        "evaluations until within 5 % of the exhaustive best, or within the noise, "
        "guided, median over the spaces with a gain",
        "at most 12", median <= 12, "%.2f (all spaces %.1f)", median,
        within(results, TRIAL_GUIDED, true, false));
    row(results, "the same over random's expectation", "at most 0.20", share <= 0.2,
        "%.2f (all spaces %.2f)", share, within(results, TRIAL_GUIDED, true, true));
    for (size_t i = 0; i < 2; i++) {
        size_t strategy = i ? TRIAL_RANDOM : TRIAL_GUIDED;
        struct score score = score_over(results, strategy, false),
                     all = score_over(results, strategy, true);
        row(results, i ? "search score, random" : "search score, guided",
            i ? "0 within 0.1" : "at least 0.85",
            i ? fabs(score.mean) <= 0.1 : score.mean >= 0.85,
            "%.2f +- %.2f (%zu spaces with a gain; %.2f in all %zu)", score.mean,
            score.error, score.spaces, all.mean, all.spaces);
    }
    for (size_t i = TRIAL_SHUFFLED; i <= TRIAL_HIDDEN; i++) {
        double without = within(results, i, false, false),
               gain = score_over(results, TRIAL_GUIDED, false).mean -
                      score_over(results, i, false).mean;
        row(results,
            i == TRIAL_SHUFFLED ? "guided against rules shuffled"
                                : "guided against occupancy hidden",
            "fewer evaluations, score higher by 0.1", median < without && gain >= 0.1,
            "%.2f of score; %.1f against %.1f evaluations", gain, median, without);
    }
}

/* What came true of the guided repetitions of one space. */
struct counts {
    size_t advised, gains, any_gain, bounds, exceeded, unbounded;
    size_t expected, expected_near;
    double expected_sum;
    size_t best_pruned, all_pruned, tied_pruned, gives_up;
    double ratio; /* median of the bound over the best */
};

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

static struct counts count(const struct space_result *one)
{
    struct counts counts = {.ratio = median_ratio(one)};
    for (size_t r = 0; r < one->repetitions; r++) {
        const struct judgement *judgement = &one->judgement[r];
        counts.advised += judgement->advised;
        counts.gains += judgement->advised && judgement->first_gain;
        counts.any_gain += judgement->first_gain;
        counts.bounds += judgement->bounds;
        counts.exceeded += judgement->exceeded;
        counts.unbounded += judgement->unbounded;
        counts.expected += judgement->expected;
        counts.expected_near += judgement->expected_near;
        counts.expected_sum += judgement->expected_sum;
        counts.best_pruned += judgement->best_pruned;
        counts.all_pruned += judgement->all_pruned;
        counts.tied_pruned += judgement->tied_pruned;
        counts.gives_up += judgement->gives_up && judgement->ruled <= 10;
    }
    return counts;
}

static double percent(size_t of, size_t all)
{
    return all ? 100 * (double)of / (double)all : NAN;
}

static void say_truth(struct results *results)
{
    struct counts sum = {0}, mostly = {0};
    double *ratio = xcalloc(results->nr + 1, sizeof(*ratio));
    size_t ratio_nr = 0, recall = 0, recall_all = 0, hopeless = 0;
    for (size_t i = 0; i < results->nr; i++) {
        const struct space_result *one = &results->space[i];
        struct counts counts = count(one);
        size_t half = (one->repetitions + 1) / 2;
        sum.advised += counts.advised;
        sum.gains += counts.gains;
        sum.bounds += counts.bounds;
        sum.exceeded += counts.exceeded;
        sum.unbounded += counts.unbounded;
        sum.expected += counts.expected;
        sum.expected_near += counts.expected_near;
        sum.expected_sum += counts.expected_sum;
        mostly.best_pruned += counts.best_pruned >= half;
        mostly.all_pruned += counts.all_pruned >= half;
        mostly.tied_pruned += counts.tied_pruned >= half;
        mostly.gives_up += !gains(one) && counts.gives_up >= half;
        hopeless += !gains(one);
        recall += one->space.best_gain >= 1.1 ? counts.any_gain : 0;
        recall_all += one->space.best_gain >= 1.1 ? one->repetitions : 0;
        ratio[ratio_nr] = counts.ratio;
        ratio_nr += !isnan(counts.ratio);
    }
    double median = median_sorting(ratio, ratio_nr);
    free(ratio);
    row(results, "spaces whose best variant, and all within 2 % of it, a rule pruned",
        "none", mostly.all_pruned == 0,
        "%zu of %zu (the very best alone %zu; with all that cannot be told apart from it "
        "%zu)",
        mostly.all_pruned, results->nr, mostly.best_pruned, mostly.tied_pruned);
    row(results, "first advice was a gain beyond the noise", "at least 90 %",
        percent(sum.gains, sum.advised) >= 90, "%.0f %% (%zu of %zu repetitions)",
        percent(sum.gains, sum.advised), sum.gains, sum.advised);
    row(results, "measured gains that did not exceed their bound", "at least 95 %",
        percent(sum.bounds - sum.exceeded, sum.bounds) >= 95,
        "%.1f %% of %zu advices tried; %zu more without a bound",
        percent(sum.bounds - sum.exceeded, sum.bounds), sum.bounds, sum.unbounded);
    double came = exp(sum.expected_sum / (double)sum.expected);
    row(results, "measured over expected gain of what was advised, geometric mean",
        "0.8 to 1.25", came >= 0.8 && came <= 1.25, "%.2f (%.0f %% of %zu within %.1fx)",
        came, percent(sum.expected_near, sum.expected), sum.expected, EXPECTED_NEAR);
    row(results, "first advice names a gain where exhaustive finds 1.1x", "at least 80 %",
        percent(recall, recall_all) >= 80, "%.0f %% (%zu of %zu repetitions)",
        percent(recall, recall_all), recall, recall_all);
    row(results, "bound over the best achieved, memory-limited kernels, median",
        "at most 2", median <= 2, "%.2f (%zu kernels have a bound)", median, ratio_nr);
    row(results,
        "kernels that cannot be helped (below 1.05x): the rules end within 10 tries, and "
        "they stay as written, with the resource",
        "all", mostly.gives_up == hopeless, "%zu of %zu", mostly.gives_up, hopeless);
}

/* ---- tables ---- */

static void number(double value, int digits, const char *unit)
{
    if (isnan(value))
        printf(" - |");
    else
        printf(" %.*f%s |", digits, value, unit);
}

static void say_kept_row(const char *name, struct kept_figures kept)
{
    printf("| %s |", name);
    number(kept.median, 1, "");
    number(kept.mean, 1, "");
    number(100 * kept.never, 1, " %");
    number(100 * kept.within, 1, " %");
    number(100 * kept.above, 1, " %");
    number(kept.variants, 0, "");
    number(kept.again, 0, "");
    puts("");
}

static void say_strategies(const struct results *results)
{
    static const char columns[] =
        " median of tries | mean | never | kept within 5 % | kept above the best | "
        "variants measured | measured again and compared |\n|---|---|---|---|---|---|---|"
        "---|";
    printf("\nThe plan that is kept, by recorded times alone; spaces with a gain.\n\n"
           "| strategy |%s\n",
           columns);
    for (size_t s = 0; s < TRIAL_STRATEGIES; s++)
        say_kept_row(trial_strategies[s].label, kept_over(results, s, false));
    printf("\n| guided on |%s\n", columns);
    for (size_t i = 0; i < results->nr; i++)
        say_kept_row(results->space[i].space.source.name,
                     space_kept(&results->space[i], TRIAL_GUIDED));
    puts("\n| strategy | evaluations to within 5 % | of random's expectation | score "
         "|\n|---|---|---|---|");
    for (size_t s = 0; s < TRIAL_STRATEGIES; s++) {
        struct score score = score_over(results, s, false);
        printf("| %s |", trial_strategies[s].label);
        number(within(results, s, false, false), 1, "");
        number(within(results, s, false, true), 2, "");
        printf(" %.2f +- %.2f |\n", score.mean, score.error);
    }
}

static void say_spaces(const struct results *results)
{
    printf(
        "\nEvaluations until within 5 %% of the best (or within the noise), median; in "
        "brackets the score.\n\n| space | valid of | best | noise | within 5 %% | "
        "random expects | budget |");
    for (size_t s = 0; s < TRIAL_STRATEGIES; s++)
        printf(" %s |", trial_strategies[s].label);
    printf("\n|---|---|---|---|---|---|---|");
    for (size_t s = 0; s < TRIAL_STRATEGIES; s++)
        printf("---|");
    puts("");
    for (size_t i = 0; i < results->nr; i++) {
        const struct space_result *one = &results->space[i];
        const struct score_space *score = &one->space.score;
        printf("| %s | %zu of %zu | %.2fx | %.1f %% | %zu | %.1f | %zu%s |",
               one->space.source.name, one->space.nr, one->space.source.entry_nr,
               one->space.best_gain, 100 * one->space.noise, score_inside(score, 0.05),
               score_random_draws(score, 0.05), score->budget,
               score->flat    ? " (flat: no score)"
               : score->small ? " (small)"
                              : "");
        for (size_t s = 0; s < TRIAL_STRATEGIES; s++)
            printf(" %.0f (%.2f) |", one->strategy[s].within_5, one->strategy[s].score);
        puts("");
    }
}

/* ---- the spaces ---- */

static int find_spaces(struct strvec *paths, struct error *err)
{
    static const char pattern[] = INFLIGHT_SOURCE_DIR "/bench/data/spaces/*.json.gz";
    glob_t found = {0};
    int status = glob(pattern, 0, NULL, &found);
    for (size_t i = 0; i < found.gl_pathc; i++)
        strvec_push(paths, found.gl_pathv[i]);
    globfree(&found);
    return status ? fail(err, STATUS_INPUT, "there is no '%s'", pattern) : 0;
}

static int add_space(struct results *results, const struct settings *settings,
                     const struct rule_set *rules, const char *path, struct error *err)
{
    struct dataset **dataset = &results->dataset[results->dataset_nr];
    struct trial_space space = {0};
    if (dataset_load(path, dataset, err))
        return -1;
    results->dataset_nr++;
    struct trial_source source = trial_source_of(*dataset);
    source.answer_s = settings->answer_s;
    fprintf(stderr, "%s: %zu variants\n", source.name, source.entry_nr);
    if (trial_space_open(&source, &space, err))
        return -1;
    GROW(results->space, results->nr + 1, results->alloc);
    return space_result_make(&space, rules, settings->repetitions,
                             &results->space[results->nr++], err);
}

static int run(struct settings *settings, bool *missed, struct error *err)
{
    struct results results = {0};
    struct rule_set *rules = NULL;
    int status = settings->paths.nr ? 0 : find_spaces(&settings->paths, err);
    if (!status)
        status = rule_set_load(settings->rules, &rules, err);
    results.dataset = xcalloc(settings->paths.nr + 1, sizeof(struct dataset *));
    for (size_t i = 0; !status && i < settings->paths.nr; i++)
        status = add_space(&results, settings, rules, settings->paths.v[i], err);
    if (!status) {
        printf("%zu spaces, %zu repetitions, a budget of %.0f s at %.2f s an answer\n\n"
               "| figure | asked | reached | |\n|---|---|---|---|\n",
               results.nr, settings->repetitions, TRIAL_BUDGET_S,
               settings->answer_s > 0 ? settings->answer_s : TRIAL_ANSWER_S);
        say_kept(&results);
        say_scores(&results);
        say_truth(&results);
        say_strategies(&results);
        say_spaces(&results);
    }
    *missed = results.missed;
    for (size_t i = 0; i < results.nr; i++)
        space_result_release(&results.space[i]);
    free(results.space);
    for (size_t i = 0; i < results.dataset_nr; i++)
        dataset_free(results.dataset[i]);
    free(results.dataset);
    rule_set_free(rules);
    return status;
}

static int usage(const char *problem)
{
    fprintf(stderr,
            "%s\nusage: search_score [--repetitions N] [--answer SECONDS] [--rules FILE] "
            "[SPACE...]\n",
            problem);
    return 2;
}

static int read_words(int argc, char **argv, struct settings *settings)
{
    static const struct option options[] = {{"repetitions", required_argument, NULL, 'n'},
                                            {"answer", required_argument, NULL, 'a'},
                                            {"rules", required_argument, NULL, 'r'},
                                            {0}};
    for (int c; (c = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        if (c == 'n') {
            char *end = NULL;
            unsigned long nr = strtoul(optarg, &end, 10);
            if (*end || nr < 1 || nr > 100000 || *optarg == '-')
                return usage("--repetitions: expected a number from 1 to 100000");
            settings->repetitions = nr;
        } else if (c == 'a') {
            char *end = NULL;
            settings->answer_s = strtod(optarg, &end);
            if (*end || !(settings->answer_s > 0 && settings->answer_s < 1e6))
                return usage("--answer: expected seconds");
        } else if (c == 'r') {
            settings->rules = optarg;
        } else {
            return usage("that is not known");
        }
    }
    for (int i = optind; i < argc; i++)
        strvec_push(&settings->paths, argv[i]);
    return 0;
}

int main(int argc, char **argv)
{
    struct settings settings = {.repetitions = 100};
    struct error err = {0};
    bool missed = false;
    int status = read_words(argc, argv, &settings);
    if (!status && run(&settings, &missed, &err)) {
        fprintf(stderr, "%s\n", err.text);
        status = 2;
    }
    strvec_release(&settings.paths);
    return status ? status : missed;
}
