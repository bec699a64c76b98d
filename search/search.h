/*
 * search: which variant next. Strategies are pure: they ask through two function tables
 * (the subject: what may be tried; the runner: what it gave) and tell an observer. They
 * print and store nothing, so a recorded space replays without a compiler.
 */
#ifndef SEARCH_SEARCH_H
#define SEARCH_SEARCH_H

#include "search/records/dataset.h"
#include "search/session/experiment.h"
#include "search/session/measured.h"
#include "search/session/pace.h"
#include "search/session/subject.h"
#include "variants/build/build.h"
#include "variants/kernel/kernel.h"

/* The bound on what the verdict's transformation can gain, by its rule's changes of work.
 */
struct quantity verdict_bound(const struct rule_verdict *verdict,
                              const struct occupancy *occupancy, struct quantity time_s);
/* "plan | environment" in words: "tile(i:32,j:32), huge pages, cold-data start, memory
 * load beside" or "as written". Caller frees. */
char *candidate_text(const struct candidate *candidate);
char *candidate_hash(const char *kernel_hash, const struct candidate *candidate);

/* ---- what comes out ---- */

struct advice {
    char *transformation;
    enum verdict verdict;
    char *rule, *reason, *source;
    struct quantity bound_speedup;    /* unknown = the evidence gives none */
    struct quantity measured_speedup; /* of the best tried plan that adds it, over the
                                         plan before it; unknown = not tried */
    char *tried_plan;                 /* NULL = not tried */
    char *outcome;                    /* one sentence when tried or why not tried */
    bool undecided; /* the figures' intervals allow the opposite verdict, too */
    bool no_plan;   /* it was to be tried, but no plan of it makes sense here */
    bool refused;   /* likewise, but all of its plans were refused as illegal */
    /* What was measured says otherwise: slower though advised, or faster though not. */
    bool contradicted;
};
struct pruned {
    char *plan; /* plan or transformation */
    char *rule, *reason;
};
/* An environment that was tried at the end, on the kernel as written or on the winner. */
struct tried_environment {
    char *plan; /* with what the environment needs (parallel) */
    struct environment environment, before; /* compared with this one */
    struct quantity gain; /* over the same plan without; unknown = see outcome */
    bool kept;
    char *outcome; /* one sentence */
};
/* A variant that was compared with the winner of the search at the end, interleaved. */
struct tie {
    size_t index;          /* in measurement */
    struct quantity ratio; /* time(winner) / time(this one); above 1 this one is faster */
    bool tied;             /* neither is faster beyond the noise */
};
/* The stop certificate: what bound on the remaining gain the evidence allows. */
#define LEFT_MAP(X)                                                                      \
    X(UNKNOWN, "unknown") /* the evidence gives no bound: see reason */                  \
    X(NOTHING, "nothing") /* every plan's bound ends within the noise */                 \
    X(REACHED, "reached") /* what sets the limit may be at its limit already */          \
    X(SOME, "some")       /* so much could be left */
enum left_verdict {
#define X(name, word) LEFT_##name,
    LEFT_MAP(X)
#undef X
};
const char *left_word(enum left_verdict verdict);
struct search_left {
    enum left_verdict verdict;
    struct occupancy_left bound; /* over the best plan */
    /* No plan was kept, the limit is reached (or nothing is left), and nothing that rules
     * advise was left untried for want of time. Strategies that ask no rules never say
     * it. */
    bool helpless;
    bool nothing_stopped; /* the search ended because of it */
    bool reached_stopped; /* the rules were asked no more because its limit is reached */
    size_t tries;         /* plans that ran to their end, right or wrong */
    char *reason;   /* why a bound is missing, one sentence; NULL = both are there */
    char *sentence; /* all of it, for readers; never NULL after a search */
};

/* One pruned transformation that --audit measured, or why it did not. */
struct audited {
    char *transformation, *rule;
    char *plan;           /* the best of it that ran; NULL = none was measured */
    struct quantity gain; /* over the best before it; unknown = not compared */
    bool wrong;           /* faster beyond the noise: kept, or huge pages */
};
struct search_audit {
    struct audited *item;
    size_t nr, alloc;
    size_t measured_nr;   /* of which plans ran */
    size_t no_plan_nr;    /* of which there was no legal plan to measure */
    size_t unreached_nr;  /* of all pruned ones, those the budget did not reach */
    size_t wrong_nr;      /* that a rule had wrongly discarded */
    size_t before, after; /* measurements: the winner without and with the audit */
    /* time of the winner without it over that of the final one, interleaved; exactly 1
     * when nothing was wrongly discarded, unknown when nothing was measured */
    struct quantity cost;
};

/* "audit: 7 pruned transformations measured, 1 wrongly discarded by rule R: ..."; NULL =
 * there was none. Caller frees. */
char *audit_text(const struct search_audit *audit);

struct search_result {
    struct measurement *measurement; /* in order; [0] is the baseline */
    size_t measurement_nr, measurement_alloc;
    size_t best; /* index; 0 = nothing is faster beyond doubt */
    struct advice *advice;
    size_t advice_nr, advice_alloc;
    struct pruned *pruned;
    size_t pruned_nr, pruned_alloc;
    struct quantity source_gain;  /* best plan over none, same environment, interleaved;
                                     exactly 1 when best == 0 */
    struct quantity session_gain; /* the same by all that the session compared, but for
                                     its file; unknown when best == 0 */
    struct quantity environment_gain; /* huge over small pages, untransformed kernel;
                                         unknown = not tried */
    struct quantity total_gain; /* best plan in best environment over baseline; unknown if
                                   no environment was tried */
    /* those of search_opts.option, in the order tried */
    struct tried_environment *environment;
    size_t environment_nr, environment_alloc;
    size_t best_total;          /* measurement with the total gain; 0 = none */
    struct quantity left_bound; /* bound on what is left after the best; unknown = the
                                   evidence gives none */
    enum resource left_resource;
    char *stop;        /* why the search ended, one sentence */
    bool file_decides; /* whether the best is kept: it could not be compared again */
    bool file_checks;  /* whether it is right at the full size: it was not run there */
    struct search_looks looks;
    struct strvec left_out; /* for want of time, a sentence without its full stop each */
    struct pace pace;       /* as it was when the search had ended */
    bool interrupted;
    double seconds;
    double space_size; /* variants of the whole grid, after legality, for the record;
                          negative = not counted */
    /* Compared with tie_winner, which `best` is unless one of them is tied and the
     * smaller change (ties.h); at most TIES_MAX. Owned. */
    struct tie *tie;
    size_t tie_nr;
    size_t tie_winner;       /* 0 = the search had none, or nothing was compared */
    size_t advised_nr;       /* measurement_nr when it went on without advice; 0 = it did
                                not */
    size_t searched_nr;      /* measurement_nr when the search ended and closing began */
    struct search_left left; /* what is left after the best */
    struct search_audit audit; /* of --audit; nr 0 = none was asked for or needed */
    /* The first transformation of which guided search measured a plan, on the kernel as
     * written; NULL = none. Its gain then, unknown when no plan of it ran well. */
    char *first_tried;
    struct quantity first_gain;
};
void search_result_release(struct search_result *result);

/* How much of its weight a rule has left, by what it was worth on this machine. */
struct rule_record {
    const char *rule;
    double factor; /* above 0, at most 1 */
};

/* What counters say of the kernel as written; the rules are told it as long as nothing
 * else is the best. */
struct search_fact {
    const char *metric; /* of rules.h */
    struct quantity value;
};

struct search_opts {
    const char *strategy; /* a name of search_strategies(); NULL = the first */
    /* Until the caller can report, closing measurements and what he measures of the
     * written file included; 0 = 100. It begins at began_s of clock_s(), 0 = now. The
     * kernel as written is measured whatever it takes. */
    double budget_s, began_s;
    double (*clock)(void);   /* NULL = clock_s() */
    bool plans_only;         /* no huge pages either */
    size_t budget_variants;  /* 0 = no limit */
    unsigned long long seed; /* random, local, population; 0 = 1 */
    const struct rule_set *rules;
    /* Environments to try on the kernel as written and on the winner, one after the
     * other, each on top of those that paid; {0} in what is not to change. Huge pages are
     * tried without being named. Borrowed. */
    const struct environment *option;
    size_t option_nr;
    bool advise_only;    /* measure the baseline, judge, stop */
    bool audit;          /* measure what rules pruned, too, within the budget */
    bool hide_occupancy; /* rules are not told of queues, and there are no bounds: what
                            guidance is worth without */
    /* Seconds that answers from this session's own records took when they were measured,
     * as of now: they count as spent, so that a session that goes on has what was left of
     * its budget. NULL = none. recorded_skipped_s() gives it. */
    const double *skipped_s;
    const struct rule_record *record; /* what the rules were worth so far; NULL = not told
                                       */
    size_t record_nr;
    const struct search_fact *fact;
    size_t fact_nr;
};
/*
 * Seconds for one closing comparison, where there is time: a quarter of the budget, 2 at
 * least and 8 at most. There are up to four: the winner, the winner's file, and huge
 * pages without and with the winner; they get shorter with the time that is left, down to
 * the least that gives an interval, and the last two are left out when there is none.
 */
double search_closing_s(double budget_s);
/* Where the file decides: it has no gain, and the kernel as written is the best again. */
bool search_file_is_luck(struct search_result *result, struct quantity gain);
/* Where the file checks, and is that of the best plan: it gives other results at the full
 * size, where the plan was not run before, and the kernel as written is the best again.
 */
bool search_file_is_wrong(struct search_result *result, const char *plan);
/* For the comparison of the file written for the winner, when all is to be done within
 * left_s from now. */
double search_file_s(const struct search_result *result, double left_s);
/* name, meaning: parsing and help read it */
struct search_strategy {
    const char *name, *meaning;
};
const struct search_strategy *search_strategies(size_t *nr);

/* Runs the strategy. Interrupted (spawn_interrupted) it returns 0 with what is known. */
int search_run(const struct search_subject *subject, const struct search_runner *runner,
               const struct search_observer *observer, const struct search_opts *opts,
               struct search_result *result, struct error *err);

/* The grid of plans that knows nothing of the rules, illegal ones left out: order, tiles,
 * unroll-and-jam, unroll, simd, prefetch, stores past the caches, joined and split loops,
 * with as many values of each as make 500 plans at most. */
int search_grid(const struct search_subject *subject, struct strvec *plans,
                struct error *err);

/* ---- the live runner: variants + run + traffic + occupancy ---- */

struct live_opts {
    struct kernel *kernel;
    struct machine *machine; /* its memory latency is adjusted to what it is now */
    const struct toolchain *toolchain;
    size_t copies;         /* 0 = physical cores, as many as memory allows */
    double launch_limit_s; /* 0 = 60 */
    double budget_s;       /* of the search: explained runs take a quarter at most, though
                              never less than two launches; 0 = not said */
    /* Tracing takes so long at most, all of it and one of it; 0 = not said. The kernel as
     * written is traced in any case, plans as long as there is time. */
    double trace_s, trace_one_s;
    double memory_limit_bytes;
    double relative, absolute; /* tolerance, 0 = default */
    size_t minimum_of;         /* as in struct run_opts */
    /* Its levels and its line, where given, go before the profile's in the cache model;
     * borrowed; NULL = the profile's. */
    const struct traffic_geometry *geometry;
    const char *scratch;
    /* Plans are verified, but not run under a sanitizer: for recordings of whole spaces,
     * where that would take longer than all else. */
    bool unsanitized;
    /* Of calls in a first run, beside the kernel as written; 0 = as many as an answer
     * needs, beside what is known best. */
    size_t pairs;
};
struct live;
int live_new(const struct live_opts *opts, struct live **live, struct error *err);
void live_free(struct live *live);
size_t live_copies(const struct live *live);
/* What the kernel as written takes at its full size, from smaller calls, which find more
 * in the caches: rather too little. call_s 0 = it cannot be told. Takes a second at most,
 * and the time for building the program that measures. */
struct live_look {
    double call_s, fill_s; /* a call; filling the arrays, once for each process */
};
struct live_look live_look(struct live *live);
/* The time is known later than the rest. */
void live_set_budget(struct live *live, double budget_s, double trace_s,
                     double trace_one_s);
const char *live_note(const struct live *live); /* "2 copies, one per core" ... */
struct search_subject live_subject(struct live *live);
struct search_runner live_runner(struct live *live);
/* After kernel_set: the programs stay, sizes, copies (0 = as in live_opts) and what was
 * verified follow the kernel. */
int live_rebind(struct live *live, size_t copies, struct error *err);
/* Integers at random (index, permutation) are filled in ascending order from now on,
 * until live_rebind: the same range, and each as often. false = there are none. */
bool live_order(struct live *live);
/* As the runner's measure with MEASURE_EXPLAIN, for a C file with the same function.
 * `counts`: of that version of the function; all unknown where they are not known. */
int live_measure_file(struct live *live, const char *source,
                      const struct kernel_counts *counts,
                      const struct environment *environment, struct measurement *out,
                      struct error *err);
/* As run_opts.at_gate: what counts the copies of a launch. */
struct live_gate {
    int (*at_gate)(void *data, bool begin, const pid_t *pids, size_t nr,
                   struct error *err);
    void *data;
};
/* Builds and verifies it where that was not done yet, and launches it once, counted by
 * the gate. `calls`: between begin and end, of all copies together. Fails (STATUS_FAILED)
 * for what does not run well. */
int live_launch(struct live *live, const struct candidate *candidate,
                const struct live_gate *gate, double *calls, struct error *err);
/* What a launch of two variants takes beside its pairs of calls, and each of them; and
 * how many launches there are at least. */
struct live_launch_cost {
    double own_s, pair_s;
    size_t least;
};
/* How often two variants are run for a comparison that may take `seconds`: together (in
 * one process, by run_measure_together) or in interleaved launches. */
void live_pair_effort(double seconds, struct live_launch_cost cost, bool together,
                      struct run_opts *opts);
/* What one copy alone says, where copies waited for their cores for the share
 * ratio->disturbed: the interval then holds what copies that always run together would
 * have, or the ratio is doubted where the two do not agree or that cannot be told. */
void live_join_alone(struct quantity alone, struct quantity *ratio);
/* A C file with the same function, run under environment[1], against the kernel as
 * written under environment[0]: the emitted winner measured on its own. */
int live_compare_file(struct live *live, const char *source,
                      const struct environment environment[2], double seconds,
                      struct quantity *ratio, bool *verified, struct error *err);

/* ---- the shape of a matrix product ---- */

/*
 * Block sizes of C[i][j] += A[i][k] * B[k][j] from the machine. Pure: knows neither
 * kernel nor measurement. After Goto and van de Geijn, "Anatomy of high-performance
 * matrix multiplication" (ACM TOMS 34, 2008), and Low, Igual, Smith and Quintana-Orti,
 * "Analytical modeling is enough for high-performance BLIS" (ACM TOMS 43, 2016).
 */
struct block_machine {
    double l2_bytes;     /* of one core; 0 = unknown, then 256 KiB */
    long long registers; /* vector registers: 16 without, 32 with AVX-512; at least 8 */
    long long vector_bytes, element_bytes; /* powers of 2 */
    bool triangle; /* rows begin or end where columns stand: blocks of them must meet */
};

/* Iterations of i, j and k. */
struct block_shape {
    long long lanes;    /* elements of a vector */
    long long rows;     /* of C in registers: i */
    long long columns;  /* of C in registers: j, a multiple of lanes */
    long long depth;    /* k: of the packed panels */
    long long i_blocks; /* i: rows of the packed block of A, a multiple of `rows` */
    long long j_blocks; /* j: columns of the packed block of B, a multiple of `columns` */
};

/* Low et al., section 3.1: the block of C, a column of A and a row of B share the
 * registers, one of which is left for the element of A: rows of C beside so many vectors
 * of a row, an even number above 2; below 1 = there is no room. */
long long propose_block_rows(long long registers, long long vectors);
/* Products per operand loaded. */
double propose_block_value(long long rows, long long vectors);
struct block_shape propose_blocks(const struct block_machine *machine);

/* The plan of that shape for loops and arrays called so; several products may be added to
 * one c, and an array may be in both places. The caller frees. */
enum { BLOCK_OPERANDS_MAX = 4 };
struct block_names {
    const char *i, *j, *k;
    const char *a[BLOCK_OPERANDS_MAX], *b[BLOCK_OPERANDS_MAX]; /* up to NULL */
    const char *c;
    const char *split; /* steps that give what stands beside the product loops of its own,
                          after the tiles: it runs in the first of them; NULL = none */
};
char *propose_blocks_plan(const struct block_shape *shape,
                          const struct block_names *names);

#include "search/records/recorded.h"

/* Nothing closer to 1 than this is called a gain, however narrow the interval: what is
 * left of drift after interleaving. */
#define SESSION_LEAST_GAIN 1.01

#endif
