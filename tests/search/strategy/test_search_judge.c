/* The judging of searches as a whole, on a small scripted space. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/search_results.h"
#include "search/records/records.h"
#include "tests/search/scripted_space.h"

SUITE(search_judge);

/* ---- plans as sets ---- */

static unsigned long long bit(const char *name)
{
    size_t nr = 0;
    const struct rule_transformation *list = rule_transformations(&nr);

    for (size_t i = 0; i < nr; i++)
        if (!strcmp(list[i].name, name))
            return 1ull << i;
    return 0;
}

TEST("plans are sets of transformations")
{
    static const struct {
        const char *plan, *transformation[3];
    } cases[] = {
        {"", {NULL}},
        {"simd", {"simd"}},
        {"interchange(j,i) tile(i:32,j:32) simd", {"interchange", "tile", "simd"}},
        {"unroll_jam(i:4)", {"unroll_jam"}},
        {"unroll(j:4) prefetch(A:16)", {"unroll", "prefetch_l1"}},
        {"prefetch(A:16,to:L2)", {"prefetch_l2"}},
        {"prefetch(A:16) prefetch(B:8,to:L2)", {"prefetch_l1", "prefetch_l2"}},
        {"skew_tile(t:8,i:32) nontemporal(B)", {"skew", "nontemporal"}},
        {"set(TI:8) fuse(i)", {"fuse"}}};

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        unsigned long long want = 0;

        for (size_t k = 0; k < 3 && cases[i].transformation[k]; k++)
            want |= bit(cases[i].transformation[k]);
        check_eq(judge_transformations(cases[i].plan), want);
    }
}

/* ---- judgements of results written by hand ---- */

static const struct dataset_entry by_hand[] = {
    {.plan = "", .time_s = {true, 2, 1.98, 2.02, 3, PROVENANCE_CLOCK, 0, false}},
    {.plan = "simd", .time_s = {true, 1.9, 1.88, 1.92, 3, PROVENANCE_CLOCK, 0, false}},
    {.plan = "tile(i:8)", .time_s = {true, 1.01, 1, 1.02, 3, PROVENANCE_CLOCK, 0, false}},
    {.plan = "tile(i:8) simd",
     .time_s = {true, 1, 0.99, 1.01, 3, PROVENANCE_CLOCK, 0, false}},
    {.plan = "unroll(i:2)"}};

static void open_by_hand(struct trial_space *space)
{
    struct trial_source source = {
        .name = "by hand", .entry = by_hand, .entry_nr = ARRAY_SIZE(by_hand)};
    struct error err = {0};

    check_ok(trial_space_open(&source, space, &err), &err);
}

TEST("a space takes what ran")
{
    struct trial_space space;
    struct trial_source none = {.name = "x", .entry = by_hand + 4, .entry_nr = 1};
    struct error err = {0};

    open_by_hand(&space);
    check_eq(space.nr, 4);
    check_eq(space.place[4], SCORE_INVALID);
    check_near(space.best_gain, 2, 1e-12);
    check_near(space.noise, 0.01, 0.1);
    check_eq(trial_find(&space, "tile(i:8)"), 2);
    check_eq(trial_find(&space, "tile(i:16)"), 5);
    trial_space_release(&space);
    check_fails(trial_space_open(&none, &space, &err), &err, STATUS_INPUT,
                "x: the kernel as written has no time");
    trial_space_release(&space);
}

TEST("what a rule pruned is seen")
{
    static const struct {
        const char *first,
            *last; /* advised against on the kernel as written, in the end */
        bool best, all;
    } cases[] = {{"tile", "tile", true, true},
                 {"simd", "simd", true, false},
                 {"simd", "tile", false, false},
                 {"unroll", "unroll", false, false}};

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct trial_space space;
        struct judgement judgement;
        char rule[] = "r", plan[] = "", *first = xstrdup(cases[i].first),
             *last = xstrdup(cases[i].last);
        struct measurement baseline = {.plan = plan};
        struct advice advice = {.transformation = first,
                                .verdict = VERDICT_AVOID,
                                .bound_speedup = quantity_unknown(),
                                .measured_speedup = quantity_unknown()};
        struct pruned pruned = {.plan = last, .rule = rule, .reason = rule};
        struct search_result at_first = {.advice = &advice,
                                         .advice_nr = 1,
                                         .measurement = &baseline,
                                         .measurement_nr = 1};
        struct trial_run run = {.run.nr = 1,
                                .result = {.pruned = &pruned,
                                           .pruned_nr = 1,
                                           .measurement = &baseline,
                                           .measurement_nr = 1}};

        open_by_hand(&space);
        judge_search(&space, &at_first, &run, &judgement);
        check_eq(judgement.best_pruned, cases[i].best);
        check_eq(judgement.all_pruned, cases[i].all);
        trial_space_release(&space);
        free(first);
        free(last);
    }
}

static struct quantity speedup(double value, double low, double high)
{
    return quantity_between(value, low, high, 4, PROVENANCE_CLOCK);
}

TEST("advice and bounds are held against the gain")
{
    static char tile[] = "tile", simd[] = "simd", unroll[] = "unroll",
                plan[] = "tile(i:8)", none[] = "";
    struct advice advice[] = {{.transformation = tile,
                               .verdict = VERDICT_TRY,
                               .bound_speedup = speedup(3, 2.5, 3.5),
                               .measured_speedup = speedup(2, 1.9, 2.1),
                               .tried_plan = plan},
                              {.transformation = simd,
                               .verdict = VERDICT_TRY,
                               .bound_speedup = speedup(1.1, 1, 1.2),
                               .measured_speedup = speedup(1.5, 1.4, 1.6),
                               .tried_plan = plan},
                              {.transformation = unroll,
                               .verdict = VERDICT_AVOID,
                               .bound_speedup = quantity_unknown(),
                               .measured_speedup = speedup(1, 0.9, 1.1),
                               .tried_plan = plan}};
    struct measurement baseline = {.plan = none,
                                   .has_occupancy = true,
                                   .occupancy.diagnosis.cause = CAUSE_MEMORY_BANDWIDTH};
    struct search_result result = {.advice = advice,
                                   .advice_nr = 3,
                                   .measurement = &baseline,
                                   .measurement_nr = 1,
                                   .searched_nr = 4,
                                   .first_tried = tile,
                                   .first_gain = speedup(2, 1.9, 2.1),
                                   .headroom_resource = RESOURCE_MEMORY};
    struct trial_run run = {.run.nr = 4, .result = result};
    struct trial_space space;
    struct judgement judgement;

    open_by_hand(&space);
    judge_search(&space, &result, &run, &judgement);
    check_str(judgement.first, "tile");
    check(judgement.advised && judgement.first_gain);
    check_eq(judgement.bounds, 2);
    check_eq(judgement.exceeded, 1);
    check_eq(judgement.unbounded, 1);
    check(judgement.gives_up);
    check_near(judgement.bound_ratio, 1.5, 1e-12);
    check_eq(judgement.ruled, 3);
    run.result.first_gain = speedup(1.05, 0.99, 1.1);
    judge_search(&space, &result, &run, &judgement);
    check(judgement.advised && !judgement.first_gain);
    advice[0].undecided = true;
    judge_search(&space, &result, &run, &judgement);
    check(!judgement.advised);
    run.result.first_tried = unroll;
    run.result.first_gain = speedup(2, 1.9, 2.1);
    judge_search(&space, &result, &run, &judgement);
    check(!judgement.advised && judgement.first_gain);
    run.result.first_tried = NULL;
    judge_search(&space, &result, &run, &judgement);
    check_str(judgement.first, "");
    trial_space_release(&space);
}

/* ---- the whole of it ---- */

struct scripted {
    struct space space;
    struct strvec plans;
    struct dataset_entry *entry;
    size_t seeded; /* how often */
};

/* As a data set does: times around what was measured. */
static void seed_scripted(void *data, unsigned long long seed)
{
    struct scripted *scripted = data;

    scripted->seeded++;
    scripted->space.random = seed;
    scripted->space.noise = seed ? 0.01 : 0;
    strvec_release(&scripted->space.asked);
    strvec_release(&scripted->space.compared);
}

static void open_scripted(struct scripted *scripted, struct trial_source *source)
{
    struct error err = {0};
    struct space *space = &scripted->space;

    *scripted = (struct scripted){0};
    space_transpose(&space->kernel, 200);
    space_init(space, NULL);
    space->time_s = space_valley;
    strvec_push(&scripted->plans, "");
    check_ok(search_grid(&space->subject, &scripted->plans, &err), &err);
    space->subject.space = &scripted->plans;
    scripted->entry = xcalloc(scripted->plans.nr, sizeof(*scripted->entry));
    for (size_t i = 0; i < scripted->plans.nr; i++) {
        double seconds = space_valley(scripted->plans.v[i]);

        scripted->entry[i] = (struct dataset_entry){
            .plan = scripted->plans.v[i],
            .time_s = quantity_between(seconds, seconds * 0.99, seconds * 1.01, 3,
                                       PROVENANCE_CLOCK),
            .cost_s = 1 + seconds};
    }
    *source = (struct trial_source){.name = "valley",
                                    .subject = space->subject,
                                    .runner = space->runner,
                                    .data = scripted,
                                    .seed = seed_scripted,
                                    .entry = scripted->entry,
                                    .entry_nr = scripted->plans.nr};
}

static void close_scripted(struct scripted *scripted)
{
    space_release(&scripted->space);
    strvec_release(&scripted->plans);
    free(scripted->entry);
}

static void judge_valley(struct space_result *result)
{
    enum { REPETITIONS = 10 };
    struct scripted scripted;
    struct trial_source source;
    struct trial_space space;
    struct rule_set *rules = space_rules();
    struct error err = {0};

    open_scripted(&scripted, &source);
    check_ok(trial_space_open(&source, &space, &err), &err);
    check_ok(space_result_make(&space, rules, REPETITIONS, result, &err), &err);
    /* each search with times of its own, the guided ones judged first; those by chance
     * once more to their end */
    check_eq(scripted.seeded, REPETITIONS * (TRIAL_STRATEGIES + 3) + 1);
    rule_set_free(rules);
    close_scripted(&scripted);
}

TEST("a space is judged as a whole")
{
    struct space_result result;

    judge_valley(&result);
    const struct strategy_result *strategy = result.strategy;
    check(strategy[TRIAL_GUIDED].within_5 < strategy[TRIAL_RANDOM].within_5);
    check(strategy[TRIAL_GUIDED].score > strategy[TRIAL_RANDOM].score + 0.3);
    check(strategy[TRIAL_RANDOM].score > strategy[TRIAL_EXHAUSTIVE].score);
    check(strategy[TRIAL_SHUFFLED].within_5 > strategy[TRIAL_GUIDED].within_5);
    for (size_t s = 0; s < TRIAL_STRATEGIES; s++)
        check(strategy[s].curve && strategy[s].within_5 >= 1);
    struct kept_figures kept = space_kept(&result, TRIAL_GUIDED);
    check_near(kept.never + kept.within, 1, 1e-9);
    check(kept.median >= 1 && kept.median <= kept.variants);
    check(isnan(space_kept(&result, TRIAL_EXHAUSTIVE).median));
    space_result_release(&result);
}

TEST("the same space gives the same figures")
{
    struct space_result first, again;

    judge_valley(&first);
    judge_valley(&again);
    for (size_t s = 0; s < TRIAL_STRATEGIES; s++) {
        struct kept_figures a = space_kept(&first, s), b = space_kept(&again, s);

        check_near(again.strategy[s].within_5, first.strategy[s].within_5, 0);
        check_near(again.strategy[s].score, first.strategy[s].score, 0);
        if (s != TRIAL_EXHAUSTIVE)
            check(memcmp(&a, &b, sizeof(a)) == 0);
    }
    for (size_t r = 0; r < first.repetitions; r++) {
        check_str(again.judgement[r].first, first.judgement[r].first);
        check_eq(again.judgement[r].ruled, first.judgement[r].ruled);
        check_eq(again.judgement[r].bounds, first.judgement[r].bounds);
    }
    space_result_release(&first);
    space_result_release(&again);
}

static double time_of(struct search_runner runner, const char *plan)
{
    struct candidate candidate = {.plan = plan};
    struct measurement out = {0};
    struct error err = {0};

    check_ok(runner.measure(runner.data, &candidate, MEASURE_QUICK, 0, &out, &err), &err);
    double seconds = out.time_s.value;
    measurement_release(&out);
    return seconds;
}

/* Measured again it is another run; the same seed gives the same runs. */
TEST("a space is measured anew each time")
{
    struct dataset *dataset = NULL;
    struct error err = {0};
    double first, second;

    if (!check_ok(dataset_load(INFLIGHT_SOURCE_DIR
                               "/bench/data/spaces/triad_stream.json.gz",
                               &dataset, &err),
                  &err))
        return;
    struct search_runner runner = dataset_runner(dataset);
    dataset_seed(dataset, 0);
    first = time_of(runner, "simd");
    check_near(time_of(runner, "simd"), first, 0);
    dataset_seed(dataset, 7);
    first = time_of(runner, "simd");
    second = time_of(runner, "simd");
    check(first != second);
    dataset_seed(dataset, 7);
    check_near(time_of(runner, "simd"), first, 0);
    check_near(time_of(runner, "simd"), second, 0);
    dataset_free(dataset);
}
