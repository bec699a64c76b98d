#include "bench/search_trial.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base.h"
#include "core/base/random.h"
#include "core/files/fs.h"
#include "core/files/json.h"
#include "rules/rules.h"
#include "search/records/records.h"
#include "search/session/result.h"
#include "search/session/session.h"
#include "search/strategy/strategy.h"

const struct trial_strategy trial_strategies[TRIAL_STRATEGIES] = {
    [TRIAL_GUIDED] = {.label = "guided", .strategy = "guided", .guided = true},
    [TRIAL_SHUFFLED] = {.label = "guided, rules shuffled",
                        .strategy = "guided",
                        .guided = true,
                        .shuffled = true},
    [TRIAL_HIDDEN] = {.label = "guided, occupancy hidden",
                      .strategy = "guided",
                      .guided = true,
                      .hidden = true},
    [TRIAL_EXHAUSTIVE] = {.label = "exhaustive, in order",
                          .strategy = "exhaustive",
                          .fixed = true},
    [TRIAL_RANDOM] = {.label = "random", .strategy = "random"},
    [TRIAL_LOCAL] = {.label = "local", .strategy = "local"},
    [TRIAL_POPULATION] = {.label = "population", .strategy = "population"},
};

/* ---- the space ---- */

static void seed_dataset(void *data, unsigned long long seed)
{
    dataset_seed(data, seed);
}

struct trial_source trial_source_of(struct dataset *dataset)
{
    struct trial_source source = {.name = dataset_name(dataset),
                                  .subject = dataset_subject(dataset),
                                  .runner = dataset_runner(dataset),
                                  .data = dataset,
                                  .seed = seed_dataset};
    source.entry = dataset_entries(dataset, &source.entry_nr);
    return source;
}

static double half_interval(struct quantity time_s)
{
    return (time_s.high - time_s.low) / 2 / time_s.value;
}

static void take_entries(struct trial_space *space, double *noise)
{
    const struct trial_source *source = &space->source;
    for (size_t i = 0; i < source->entry_nr; i++) {
        const struct dataset_entry *entry = &source->entry[i];
        space->place[i] = entry->time_s.known ? space->nr : SCORE_INVALID;
        if (!entry->time_s.known)
            continue;
        noise[space->nr] = half_interval(entry->time_s);
        space->objective[space->nr++] = entry->time_s.value;
    }
}

int trial_space_open(const struct trial_source *source, struct trial_space *space,
                     struct error *err)
{
    *space = (struct trial_space){.source = *source};
    if (source->entry_nr == 0 || !source->entry[0].time_s.known)
        return fail(err, STATUS_INPUT, "%s: the kernel as written has no time",
                    source->name);
    double *noise = xcalloc(source->entry_nr, sizeof(*noise));
    space->place = xcalloc(source->entry_nr, sizeof(*space->place));
    space->objective = xcalloc(source->entry_nr, sizeof(*space->objective));
    take_entries(space, noise);
    space->noise = median_sorting(noise, space->nr);
    free(noise);
    score_space_open(space->objective, space->nr, space->noise, &space->score);
    space->best_gain = space->objective[0] / space->score.optimum;
    return 0;
}

void trial_space_release(struct trial_space *space)
{
    free(space->place);
    free(space->objective);
    score_space_release(&space->score);
    *space = (struct trial_space){0};
}

size_t trial_find(const struct trial_space *space, const char *plan)
{
    size_t i = 0;
    while (i < space->source.entry_nr && strcmp(space->source.entry[i].plan, plan))
        i++;
    return i;
}

/* ---- one search, watched ---- */

struct watch {
    const struct trial_space *space;
    bool *seen; /* entry i was asked for */
    size_t *place;
    size_t nr;
    double best; /* so far */
    bool stops;  /* when all that is scored is known */
    bool enough;
    size_t measured, compared;
    double clock_s;
};

static const struct environment plain = {0};

static void note(struct watch *watch, const struct candidate *candidate)
{
    const struct trial_space *space = watch->space;
    size_t i = trial_find(space, candidate->plan);
    if (i == space->source.entry_nr || watch->seen[i] ||
        !environments_equal(&candidate->environment, &plain))
        return;
    watch->seen[i] = true;
    watch->place[watch->nr++] = space->place[i];
    if (space->place[i] != SCORE_INVALID)
        watch->best = fmin(watch->best, space->objective[space->place[i]]);
}

/* The budget used up, and within 1 % of the best (or the noise). */
static bool is_enough(const struct watch *watch)
{
    const struct trial_space *space = watch->space;
    double bound = space->score.optimum * (1 + fmin(0.01, space->noise));
    return watch->best <= bound && watch->nr > space->score.budget;
}

static double answer_s(const struct watch *watch)
{
    double given_s = watch->space->source.answer_s;
    return given_s > 0 ? given_s : TRIAL_ANSWER_S;
}

static int watched_measure(void *data, const struct candidate *candidate,
                           enum measure_effort effort, double stop_at_s,
                           struct measurement *out, struct error *err)
{
    struct watch *watch = data;
    const struct search_runner *runner = &watch->space->source.runner;
    if (watch->stops && is_enough(watch)) {
        watch->enough = true;
        return fail(err, STATUS_FAILED, "enough was seen");
    }
    note(watch, candidate);
    watch->measured++;
    watch->clock_s += answer_s(watch) * (effort == MEASURE_EXPLAIN ? TRIAL_EXPLAINED : 1);
    return runner->measure(runner->data, candidate, effort, stop_at_s, out, err);
}

static int watched_compare(void *data, const struct candidate *a,
                           const struct candidate *b, double seconds,
                           struct quantity *ratio, struct error *err)
{
    struct watch *watch = data;
    const struct search_runner *runner = &watch->space->source.runner;
    watch->compared++;
    watch->clock_s += answer_s(watch);
    return runner->compare(runner->data, a, b, seconds, ratio, err);
}

static void watch_open(const struct trial_space *space, struct watch *watch)
{
    size_t nr = space->source.entry_nr;
    *watch = (struct watch){.space = space,
                            .seen = xcalloc(nr, sizeof(*watch->seen)),
                            .place = xcalloc(nr, sizeof(*watch->place)),
                            .best = INFINITY};
}

/* Nothing but counting ends it. */
static const double NO_BUDGET_S = 1e9;

/* Answers alone take time, the same on every machine. */
static double stopped_clock(void)
{
    return 1;
}

static void swap_member(json_t *a, json_t *b, const char *key)
{
    json_t *own = json_incref(json_object_get(a, key)), *other = json_object_get(b, key);
    if (other)
        json_object_set(a, key, other);
    else
        json_object_del(a, key);
    if (own)
        json_object_set_new(b, key, own);
    else
        json_object_del(b, key);
}

/* What they say changes places; when they say it, of what and in which words stays. */
static void deal(json_t *rules, uint64_t seed)
{
    static const char *const said[] = {"verdict", "weight", "realized", "work"};
    for (size_t i = json_array_size(rules); i > 1; i--)
        for (size_t other = random_next(&seed) % i, k = 0; k < ARRAY_SIZE(said); k++)
            swap_member(json_array_get(rules, i - 1), json_array_get(rules, other),
                        said[k]);
}

int trial_shuffled_rules(uint64_t seed, struct rule_set **set, struct error *err)
{
    char *folder = NULL, *path = NULL;
    json_t *recipe = NULL;
    int status = json_read_file(INFLIGHT_SOURCE_DIR "/rules/recipe.json",
                                "inflight.rules/1", &recipe, err) ||
                 scratch_make(&folder, err);
    if (!status) {
        deal(json_object_get(recipe, "rules"), seed);
        path = path_join(folder, "dealt.json");
        status = json_write_file(path, recipe, err) || rule_set_load(path, set, err);
        scratch_remove(folder);
    }
    json_decref(recipe);
    free(path);
    return status ? -1 : 0;
}

int trial_search(const struct trial_space *space, const struct trial_strategy *strategy,
                 const struct rule_set *rules, unsigned long long seed, bool to_the_end,
                 struct trial_run *out, struct error *err)
{
    bool ends = to_the_end || strategy->guided;
    struct watch watch;
    struct error own = {0};
    struct search_runner runner = {
        .data = &watch, .measure = watched_measure, .compare = watched_compare};
    struct rule_set *shuffled = NULL;
    if (strategy->shuffled && trial_shuffled_rules(seed, &shuffled, err))
        return -1;
    struct search_opts opts = {.strategy = strategy->strategy,
                               .budget_s = ends ? TRIAL_BUDGET_S : NO_BUDGET_S,
                               .clock = stopped_clock,
                               .skipped_s = &watch.clock_s,
                               .plans_only = true,
                               .seed = seed,
                               .rules = shuffled ? shuffled : rules,
                               .hide_occupancy = strategy->hidden};
    *out = (struct trial_run){0};
    watch_open(space, &watch);
    watch.stops = !ends;
    space->source.seed(space->source.data, seed);
    int status =
        search_run(&space->source.subject, &runner, NULL, &opts, &out->result, &own);
    out->run = (struct score_run){watch.place, watch.nr};
    out->again = watch.measured - watch.nr;
    out->compared = watch.compared;
    free(watch.seen);
    rule_set_free(shuffled);
    if (status && !watch.enough)
        return fail(err, own.status, "%s, %s: %s", space->source.name, strategy->label,
                    own.text);
    return 0;
}

void trial_run_release(struct trial_run *run)
{
    free((void *)run->run.place);
    search_result_release(&run->result);
    *run = (struct trial_run){0};
}

int trial_advise(const struct trial_space *space, const struct rule_set *rules,
                 unsigned long long seed, struct search_result *out, struct error *err)
{
    struct search_opts opts = {
        .budget_s = NO_BUDGET_S, .plans_only = true, .rules = rules, .advise_only = true};
    space->source.seed(space->source.data, seed);
    return search_run(&space->source.subject, &space->source.runner, NULL, &opts, out,
                      err);
}
