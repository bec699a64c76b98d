/* The results as Markdown tables and as JSON. */
#include <math.h>
#include <stdlib.h>

#include "bench/search_results.h"

static const char *word(const struct figure *figure)
{
    return !figure->known ? "not known" : figure->ok ? "yes" : "**no**";
}

static void print_figures(const struct results *results, struct buf *out)
{
    struct figure figure[FIGURES_MAX];
    size_t nr = results_figures(results, figure);
    buf_add(out, "| figure | asked | reached | |\n|---|---|---|---|\n");
    for (size_t i = 0; i < nr; i++)
        buf_addf(out, "| %s | %s | %s | %s |\n", figure[i].what, figure[i].asked,
                 figure[i].reached, word(&figure[i]));
    figures_release(figure, nr);
}

static void print_number(double value, int digits, const char *unit, struct buf *out)
{
    if (isnan(value))
        buf_add(out, " - |");
    else
        buf_addf(out, " %.*f%s |", digits, value, unit);
}

static void print_score(struct score score, struct buf *out)
{
    if (score.spaces == 0)
        buf_add(out, " - |");
    else
        buf_addf(out, " %.2f +- %.2f |", score.mean, score.error);
}

static double median_above(const struct results *results, size_t strategy)
{
    double *above = xcalloc(results->nr + 1, sizeof(*above));
    for (size_t i = 0; i < results->nr; i++)
        above[i] = results->space[i].strategy[strategy].above_12;
    double median = median_sorting(above, results->nr);
    free(above);
    return median;
}

static void print_strategies(const struct results *results, struct buf *out)
{
    buf_add(out,
            "\n| strategy | evaluations to within 5 % | of random's expectation | "
            "score, p = 0.95 from 0.01 | p = 0.96 from 0.5 | over time | above the best "
            "after 12 |\n|---|---|---|---|---|---|---|\n");
    for (size_t s = 0; s < TRIAL_STRATEGIES; s++) {
        buf_addf(out, "| %s |", trial_strategies[s].label);
        print_number(results_within(results, s, false), 1, "", out);
        print_number(results_of_random(results, s, false), 2, "", out);
        for (int axis = RESULTS_SCORE; axis <= RESULTS_TIME; axis++)
            print_score(results_score(results, s, (enum results_axis)axis, RESULTS_GAINS),
                        out);
        print_number(100 * median_above(results, s), 1, " %", out);
        buf_add(out, "\n");
    }
}

static void print_kept_row(struct kept_figures kept, struct buf *out)
{
    print_number(kept.median, 1, "", out);
    print_number(kept.mean, 1, "", out);
    print_number(100 * kept.never, 1, " %", out);
    print_number(100 * kept.within, 1, " %", out);
    print_number(100 * kept.above, 1, " %", out);
    print_number(kept.variants, 0, "", out);
    print_number(kept.again, 0, "", out);
    buf_add(out, "\n");
}

static double answer_s(const struct results *results)
{
    double given_s = results->nr ? results->space[0].space.source.answer_s : 0;
    return given_s > 0 ? given_s : TRIAL_ANSWER_S;
}

static void print_kept(const struct results *results, struct buf *out)
{
    static const char columns[] =
        " median of tries | mean | never | kept within 5 % | "
        "kept above the best | variants measured | measured "
        "again and compared |\n|---|---|---|---|---|---|---|---|\n";
    buf_addf(out,
             "\nThe plan that is kept, by recorded times alone, with a budget of %.0f s "
             "at %.2f s an answer; spaces with a gain.\n\n| strategy |%s",
             TRIAL_BUDGET_S, answer_s(results), columns);
    for (size_t s = 0; s < TRIAL_STRATEGIES; s++) {
        buf_addf(out, "| %s |", trial_strategies[s].label);
        print_kept_row(results_kept(results, s, false), out);
    }
    buf_addf(out, "\n| guided on |%s", columns);
    for (size_t i = 0; i < results->nr; i++) {
        buf_addf(out, "| %s |", results->space[i].space.source.name);
        print_kept_row(space_kept(&results->space[i], TRIAL_GUIDED), out);
    }
}

static void print_spaces(const struct results *results, struct buf *out)
{
    buf_add(out,
            "\nEvaluations until within 5 % of the best (or within the noise), median; "
            "in brackets the score.\n\n| space | valid of | best | noise | within 5 % | "
            "random expects | budget |");
    for (size_t s = 0; s < TRIAL_STRATEGIES; s++)
        buf_addf(out, " %s |", trial_strategies[s].label);
    buf_add(out, "\n|---|---|---|---|---|---|---|");
    for (size_t s = 0; s < TRIAL_STRATEGIES; s++)
        buf_add(out, "---|");
    buf_add(out, "\n");
    for (size_t i = 0; i < results->nr; i++) {
        const struct space_result *one = &results->space[i];
        const struct score_space *score = &one->space.score;
        buf_addf(out, "| %s | %zu of %zu | %.2fx | %.1f %% | %zu | %.1f | %zu%s |",
                 one->space.source.name, one->space.nr, one->space.source.entry_nr,
                 one->space.best_gain, 100 * one->space.noise, score_inside(score, 0.05),
                 score_random_draws(score, 0.05), score->budget,
                 score->flat    ? " (flat: no score)"
                 : score->small ? " (small)"
                                : "");
        for (size_t s = 0; s < TRIAL_STRATEGIES; s++)
            if (isnan(one->strategy[s].score))
                buf_addf(out, " %.0f |", one->strategy[s].within_5);
            else
                buf_addf(out, " %.0f (%.2f) |", one->strategy[s].within_5,
                         one->strategy[s].score);
        buf_add(out, "\n");
    }
}

/* ---- what came true ---- */

struct counts {
    size_t advised, gains, pruned, best_pruned, bounds, exceeded, gives_up;
    double tries, above, first, ratio;
};

static double median_over(const struct space_result *one,
                          double (*get)(const struct judgement *judgement))
{
    double *value = xcalloc(one->repetitions + 1, sizeof(*value));
    size_t nr = 0;
    for (size_t r = 0; r < one->repetitions; r++) {
        value[nr] = get(&one->judgement[r]);
        nr += !isnan(value[nr]);
    }
    double median = median_sorting(value, nr);
    free(value);
    return median;
}

static double get_tries(const struct judgement *judgement)
{
    return (double)judgement->tries;
}

static double get_above(const struct judgement *judgement)
{
    return judgement->above;
}

static double get_first(const struct judgement *judgement)
{
    return judgement->first_speedup.known ? judgement->first_speedup.value : NAN;
}

static double get_ratio(const struct judgement *judgement)
{
    return judgement->bound_ratio;
}

static struct counts count(const struct space_result *one)
{
    struct counts counts = {.tries = median_over(one, get_tries),
                            .above = median_over(one, get_above),
                            .first = median_over(one, get_first),
                            .ratio = median_over(one, get_ratio)};
    for (size_t r = 0; r < one->repetitions; r++) {
        const struct judgement *judgement = &one->judgement[r];
        counts.advised += judgement->advised;
        counts.gains += judgement->advised && judgement->first_gain;
        counts.pruned += judgement->all_pruned;
        counts.best_pruned += judgement->best_pruned;
        counts.bounds += judgement->bounds;
        counts.exceeded += judgement->exceeded;
        counts.gives_up += judgement->gives_up;
    }
    return counts;
}

static void print_truth(const struct results *results, struct buf *out)
{
    buf_add(
        out,
        "\nWhat guided search said, by the space; of the repetitions; what they tried "
        "first is that of the first one.\n\n| space | tried first | its gain | a gain "
        "when advised | bounds exceeded | bound over best | best pruned, and all near | "
        "variants tried | found above the best | gives up | limit |\n"
        "|---|---|---|---|---|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < results->nr; i++) {
        const struct space_result *one = &results->space[i];
        struct counts counts = count(one);
        buf_addf(out, "| %s | %s |", one->space.source.name,
                 *one->judgement[0].first ? one->judgement[0].first : "nothing");
        print_number(counts.first, 2, "x", out);
        buf_addf(out, " %zu of %zu | %zu of %zu |", counts.gains, counts.advised,
                 counts.exceeded, counts.bounds);
        print_number(counts.ratio, 2, "", out);
        buf_addf(out, " %zu, %zu | %.0f |", counts.best_pruned, counts.pruned,
                 counts.tries);
        print_number(100 * counts.above, 1, " %", out);
        buf_addf(out, " %zu | %s |\n", counts.gives_up, one->judgement[0].left);
    }
}

void results_print(const struct results *results, struct buf *out)
{
    buf_addf(out, "%zu spaces, %zu repetitions\n\n", results->nr,
             results->nr ? results->space[0].repetitions : 0);
    print_figures(results, out);
    print_kept(results, out);
    print_strategies(results, out);
    print_spaces(results, out);
    print_truth(results, out);
}

/* ---- JSON ---- */

static json_t *figures_json(const struct results *results)
{
    struct figure figure[FIGURES_MAX];
    size_t nr = results_figures(results, figure);
    json_t *list = json_array();
    for (size_t i = 0; i < nr; i++)
        json_array_append_new(
            list, json_pack("{s:s, s:s, s:s, s:o, s:o}", "what", figure[i].what, "asked",
                            figure[i].asked, "reached", figure[i].reached, "value",
                            json_number_or_null(figure[i].value), "ok",
                            figure[i].known ? json_boolean(figure[i].ok) : json_null()));
    figures_release(figure, nr);
    return list;
}

static json_t *score_json(struct score score)
{
    return json_pack("{s:o, s:o, s:i}", "mean", json_number_or_null(score.mean), "error",
                     json_number_or_null(score.error), "spaces", (int)score.spaces);
}

static json_t *kept_json(struct kept_figures kept)
{
    return json_pack(
        "{s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "median", json_number_or_null(kept.median),
        "mean", json_number_or_null(kept.mean), "never", json_number_or_null(kept.never),
        "within_5_percent", json_number_or_null(kept.within), "above_best",
        json_number_or_null(kept.above), "variants", json_number_or_null(kept.variants),
        "again", json_number_or_null(kept.again));
}

static json_t *strategies_json(const struct results *results)
{
    static const char *const axis[] = {"score", "score_paper", "score_time"};
    json_t *list = json_array();
    for (size_t s = 0; s < TRIAL_STRATEGIES; s++) {
        json_t *one = json_pack(
            "{s:s, s:o, s:o}", "name", trial_strategies[s].label, "within_5_percent",
            json_number_or_null(results_within(results, s, false)), "of_random",
            json_number_or_null(results_of_random(results, s, false)));
        json_object_set_new(one, "kept", kept_json(results_kept(results, s, false)));
        for (int a = RESULTS_SCORE; a <= RESULTS_TIME; a++)
            json_object_set_new(one, axis[a],
                                score_json(results_score(results, s, (enum results_axis)a,
                                                         RESULTS_GAINS)));
        json_array_append_new(list, one);
    }
    return list;
}

static json_t *evaluations_json(const struct space_result *one)
{
    json_t *object = json_object();
    for (size_t s = 0; s < TRIAL_STRATEGIES; s++) {
        const struct strategy_result *result = &one->strategy[s];
        json_object_set_new(
            object, trial_strategies[s].label,
            json_pack("{s:o, s:o, s:o, s:o, s:o}", "kept", kept_json(space_kept(one, s)),
                      "within_5_percent", json_number_or_null(result->within_5),
                      "within_1_percent", json_number_or_null(result->within_1),
                      "above_after_12", json_number_or_null(result->above_12), "score",
                      json_number_or_null(result->score)));
    }
    return object;
}

static json_t *truth_json(const struct space_result *one)
{
    struct counts counts = count(one);
    return json_pack("{s:s, s:o, s:i, s:i, s:i, s:i, s:o, s:i, s:i, s:o, s:o, s:i, s:s}",
                     "tried_first", one->judgement[0].first, "first_gain",
                     json_number_or_null(counts.first), "advised", (int)counts.advised,
                     "advised_gains", (int)counts.gains, "bounds", (int)counts.bounds,
                     "bounds_exceeded", (int)counts.exceeded, "bound_over_best",
                     json_number_or_null(counts.ratio), "best_pruned",
                     (int)counts.best_pruned, "all_near_pruned", (int)counts.pruned,
                     "variants_tried", json_number_or_null(counts.tries),
                     "found_above_best", json_number_or_null(counts.above), "gives_up",
                     (int)counts.gives_up, "limit", one->judgement[0].left);
}

static json_t *space_json(const struct space_result *one)
{
    const struct score_space *score = &one->space.score;
    return json_pack("{s:s, s:i, s:i, s:f, s:f, s:i, s:f, s:i, s:b, s:b, s:o, s:o}",
                     "name", one->space.source.name, "variants",
                     (int)one->space.source.entry_nr, "valid", (int)one->space.nr,
                     "best_gain", one->space.best_gain, "noise", one->space.noise,
                     "inside_5_percent", (int)score_inside(score, 0.05), "random_expects",
                     score_random_draws(score, 0.05), "budget", (int)score->budget,
                     "flat", (int)score->flat, "small", (int)score->small, "strategies",
                     evaluations_json(one), "guided", truth_json(one));
}

json_t *results_json(const struct results *results)
{
    json_t *spaces = json_array();
    for (size_t i = 0; i < results->nr; i++)
        json_array_append_new(spaces, space_json(&results->space[i]));
    return json_pack("{s:s, s:i, s:o, s:o, s:o}", "schema", "inflight.search-score/1",
                     "repetitions", results->nr ? (int)results->space[0].repetitions : 0,
                     "figures", figures_json(results), "strategies",
                     strategies_json(results), "spaces", spaces);
}
