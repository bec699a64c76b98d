/* A space that was measured whole, and searches over it: which variants each asked for,
 * in order. Shared by bench/search_score and the suite search_judge. */
#ifndef BENCH_SEARCH_TRIAL_H
#define BENCH_SEARCH_TRIAL_H

#include <stdint.h>

#include "bench/score.h"
#include "search/session/result.h"
#include "search/session/subject.h"

struct dataset;
struct dataset_entry;
struct rule_set;

/* What is to be searched; `data` is the subject's and the runner's. */
struct trial_source {
    const char *name;
    struct search_subject subject;
    struct search_runner runner;
    void *data;
    /* Times drawn anew from what was measured; 0 = as recorded. */
    void (*seed)(void *data, unsigned long long seed);
    const struct dataset_entry *entry; /* the first is the kernel as written */
    size_t entry_nr;
    double
        answer_s; /* what each answer takes of the replay's clock; 0 = TRIAL_ANSWER_S */
};

/* Borrows from it. */
struct trial_source trial_source_of(struct dataset *dataset);

struct trial_space {
    struct trial_source source;
    size_t *place; /* of entry i among the valid; SCORE_INVALID */
    double *objective;
    size_t nr;        /* valid */
    double noise;     /* median over the valid: half the interval over the value */
    double best_gain; /* the best over the kernel as written, times as recorded */
    struct score_space score;
};
/* STATUS_INPUT when the kernel as written has no time. */
int trial_space_open(const struct trial_source *source, struct trial_space *space,
                     struct error *err);
void trial_space_release(struct trial_space *space);
/* Index of the entry with this plan; entry_nr = none. */
size_t trial_find(const struct trial_space *space, const char *plan);

/* One search. */
struct trial_run {
    struct score_run run;        /* owns */
    size_t again;                /* measurements of what was measured before */
    size_t compared;             /* comparisons */
    struct search_result result; /* of those that went to their end; the others are left
                                    when they have said enough */
};

/*
 * What a replay's clock says: an answer takes as long as one of the resident measuring
 * process on short calls, an explained one, which is traced too, four times as long; the
 * budget is that of `tune --budget 60s`.
 */
#define TRIAL_ANSWER_S  0.25
#define TRIAL_EXPLAINED 4
#define TRIAL_BUDGET_S  60.0
void trial_run_release(struct trial_run *run);

struct trial_strategy {
    const char *label, *strategy;
    bool guided;           /* asks rules, ends by itself */
    bool shuffled, hidden; /* rules dealt out anew; without occupancy */
    bool fixed;            /* no numbers, no times: one way only */
};
enum {
    TRIAL_GUIDED,
    TRIAL_SHUFFLED,
    TRIAL_HIDDEN,
    TRIAL_EXHAUSTIVE,
    TRIAL_RANDOM,
    TRIAL_LOCAL,
    TRIAL_POPULATION,
    TRIAL_STRATEGIES
};
extern const struct trial_strategy trial_strategies[TRIAL_STRATEGIES];

/* What a search is worth whose rules make no sense: the shipped recipe, with what its
 * rules say dealt out anew among their conditions. The same seed deals the same. */
int trial_shuffled_rules(uint64_t seed, struct rule_set **set, struct error *err);

/* Seed 0: times as recorded, seed 1 for what draws numbers. Guided ones, and others with
 * `to_the_end`, have TRIAL_BUDGET_S and go through their closing comparisons; else it is
 * left as soon as what it measured says all about its score. */
int trial_search(const struct trial_space *space, const struct trial_strategy *strategy,
                 const struct rule_set *rules, unsigned long long seed, bool to_the_end,
                 struct trial_run *out, struct error *err);
/* The baseline measured and judged only. */
int trial_advise(const struct trial_space *space, const struct rule_set *rules,
                 unsigned long long seed, struct search_result *out, struct error *err);

#endif
