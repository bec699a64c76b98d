#include "bench/search_judge.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Below it is no gain, as search/session/session.h has it: what is left of drift. */
static const double LEAST_GAIN = 1.01;

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
    return speedup.known && speedup.low > 1 && speedup.value >= LEAST_GAIN;
}

static void judge_first(const struct search_result *result, struct judgement *out)
{
    const struct advice *first = find_advice(result, result->first_tried);
    if (!first)
        return;
    snprintf(out->first, sizeof(out->first), "%s", first->transformation);
    out->first_speedup = result->first_gain;
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
    return !advised && advice->left_bound.known ? advice->left_bound.value : largest;
}

static void judge_bound_ratio(const struct trial_space *space,
                              const struct search_result *advice, struct judgement *out)
{
    const struct measurement *baseline = &advice->measurement[0];
    out->bound_ratio = NAN;
    out->memory_limited = baseline->has_occupancy &&
                          baseline->occupancy.limiter != RESOURCE_NONE &&
                          baseline->occupancy.limiter != RESOURCE_ARITHMETIC;
    if (out->memory_limited)
        out->bound_ratio = largest_bound(advice) / fmax(1, space->best_gain);
}

/* ---- the end ---- */

static void judge_end(const struct trial_space *space, const struct trial_run *run,
                      struct judgement *out)
{
    const struct search_result *result = &run->result;
    size_t best = trial_find(space, result->measurement[result->best].plan);
    out->tries = result->searched_nr > 0 ? result->searched_nr - 1 : 0;
    out->ruled = result->advised_nr > 0 ? result->advised_nr - 1 : out->tries;
    out->left = resource_word(result->left_resource);
    out->gives_up = result->best == 0 && result->left_resource != RESOURCE_NONE;
    out->above = best < space->source.entry_nr
                     ? space->source.entry[best].time_s.value / space->score.optimum - 1
                     : NAN;
}

void judge_search(const struct trial_space *space, const struct search_result *advice,
                  const struct trial_run *run, struct judgement *out)
{
    *out = (struct judgement){.first_speedup = quantity_unknown()};
    judge_pruning(space, advice, &run->result, out);
    judge_first(&run->result, out);
    judge_bounds(&run->result, out);
    judge_bound_ratio(space, advice, out);
    judge_end(space, run, out);
}
