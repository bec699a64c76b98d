/*
 * core/run: run one built program in child processes, time it, keep every sample,
 * compare. Does not interpret.
 *
 * The program obeys the harness protocol of docs/internals/design.md ("Harness
 * protocol"): a measuring program is started once per copy, pinned by us, and writes its
 * results as lines to the file named by --out.
 */
#ifndef CORE_RUN_RUN_H
#define CORE_RUN_RUN_H

#include <sys/types.h>

#include "core/base/quantity.h"
#include "core/run/run_words.h"

struct buf;
struct error;
struct strvec;

/* Where a program runs and with what, in place of the options that say it for all. */
struct run_place {
    const int *cpu;       /* as in struct run_opts; NULL = as there */
    size_t copies;        /* 0 = as there */
    int threads;          /* 0 = as there */
    const char *schedule; /* OMP_SCHEDULE, such as "dynamic,4"; NULL or "" = not set */
};

/* One program and how to start it. */
struct run_program {
    const char *path;          /* looked up in PATH if it has no slash */
    const struct strvec *args; /* sizes and seeds for the harness; may be NULL */
    bool huge_pages;
    const struct run_place *place; /* borrowed; NULL = as the options say */
};

struct run_opts {
    const int *cpu; /* one OS cpu per thread of a copy: copy i owns cpu[i * threads ..];
                       NULL = not pinned */
    size_t copies;  /* 0 = 1 */
    int threads;    /* OpenMP threads per copy, 0 = 1 */
    double launch_limit_s;             /* one launch is killed after this; 0 = 60 */
    double memory_limit_bytes;         /* per copy, address space; 0 = none */
    size_t launches_min, launches_max; /* 0 = 3, 12 (or launches_min if that is more) */
    size_t samples_per_launch;         /* 0 = 5, after cold starts 25. Disturbed ones are
                                          repeated, up to as many again */
    double sample_min_s; /* kernel calls are repeated inside a sample until it lasts this
                            long; 0 = 1 ms */
    double budget_s;     /* no further launch after this, once there are launches_min;
                            0 = 10 */
    size_t launches_planned; /* that share the budget, where there is time for them; 0 =
                                launches_min */
    double launch_own_s;     /* of the budget: a launch takes that beside its samples */
    /* A launch may end when every sample of every copy so far, and at least two of them,
     * say that a call takes longer: the outcome then is STOPPED. 0 = never. The ratio is
     * that of the second of two together over the first. */
    double stop_at_s, stop_ratio;
    double target_spread; /* stop when (high - low) / median is below; 0 = 0.02 */
    enum run_start start; /* other than warm: one call is a sample, whatever
                             sample_min_s */
    enum run_background background; /* on the cores that no copy uses; IDLE when none is
                                       left, and the result says so */
    /*
     * Above 1: a sample is the least of that many undisturbed batches in a row (mean over
     * the copies first), the scheme of the roofline tool that took K = 10. It assumes
     * that disturbances only ever add time. What it gives is the lower edge of the
     * distribution, not its middle: it falls with K (for normal noise by 1.5 standard
     * deviations at K = 10), hides what is rare but the kernel's own (page walks,
     * refresh, a lucky overlap of copies counts as the truth), and favours the kernel
     * whose times scatter more. Compare only figures of the same K. 0 = 1: no such
     * choice.
     */
    size_t minimum_of;
    const char *scratch; /* folder for barrier and result files (each launch makes and
                            removes its own below it); NULL = a private one */
    /* Called in the caller's thread between the arrival of all copies at the gate and
     * their release (begin), and again after the last sample; for counters. pids are
     * those of the copies. A begin that returned 0 is followed by exactly one end, also
     * when the copies died in between. A failure ends the measurement with -1. May be
     * NULL. */
    int (*at_gate)(void *data, bool begin, const pid_t *pids, size_t nr,
                   struct error *err);
    void *gate_data;
};

struct run_sample {
    double seconds; /* one kernel call: sample time / calls in it, mean over the copies of
                       one launch and sample; without `waited_s`, but for waits_inside */
    double slowest_s;   /* of the copies */
    unsigned launch;    /* from 0 */
    unsigned disturbed; /* enum run_disturbance bits, of any copy; such a sample was
                           repeated and does not count unless all of its launch are
                           (of pairs: most) */
    double waited_s;    /* of a call, mean over the copies: something else had the
                           processor */
    bool waits_inside;  /* of any copy: several threads wait for one another, so nothing
                           could be taken out */
};

/* {0} is the valid empty one. A launch that did not end well adds no sample; those of the
 * launches before it stay. */
struct run_result {
    enum run_outcome outcome;
    char *detail; /* sentence for outcomes other than OK: signal, exit status, last line
                     of stderr */
    struct run_sample *sample;
    size_t sample_nr, sample_alloc;
    unsigned launches;   /* that gave samples */
    bool together;       /* sample i has its partner in sample i of another result, taken
                            beside it in the same process */
    double calls;        /* kernel calls timed in all, per copy (for counters) */
    double warm_s;       /* first call of a launch, mean over copies and launches */
    double buffer_bytes; /* all buffers of a copy */
    double huge_bytes;   /* AnonHugePages really got, mean per copy; negative = not
                            reported */
    char *denormal;      /* an array that holds numbers too small to be normal, one in a
                            hundred or more; NULL = none */
    long max_rss_kib;    /* of the largest copy */
    long involuntary_switches, major_faults; /* summed over copies and launches */
    double wall_s;                           /* of all launches, from start to end */
    double starting_s; /* of an arena, until its arrays are filled; of the start that took
                          longest, 0 = it ran before */
    size_t disturbed_nr;    /* batches that something disturbed */
    double clock_step_s;    /* smallest step of the clock seen, the largest of copies */
    double call_overhead_s; /* of timing a sample with no call in it, subtracted */
    double empty_call_s; /* of calling a function that does nothing by the same way; not
                            subtracted: every caller pays it, and part of it overlaps */
    char *note;          /* what could not be done as asked, one sentence; may be NULL */
    /* STOPPED: a call takes at least so long, or (together) so many times the other's:
     * the least sample, over the other's longest. 0 = not told. */
    double at_least_s, at_least_ratio;
};
void run_result_release(struct run_result *result);

/* 0 for every recorded outcome, -1 only when nothing could be tried (no scratch space, no
 * such program ...); `result` then is empty. Overwrites `result`. */
int run_measure(const struct run_program *program, const struct run_opts *opts,
                struct run_result *result, struct error *err);

/* Launches two programs alternately (A B, B A, ...) under the same options; both get the
 * same number of launches. Stops when the spread of run_ratio is below the target. */
int run_measure_pair(const struct run_program program[2], const struct run_opts *opts,
                     struct run_result result[2], struct error *err);

/* ---- two variants in turn ---- */

/*
 * An arena: processes, one for each copy, that hold the kernel's arrays and load variants
 * (libraries), which are timed in turn on the same arrays (A B, B A, ...): what a process
 * is like, where its pages lie and what the neighbours do hits both alike. It lives until
 * it is closed; what a variant breaks costs a new start with the next turns.
 */
struct run_arena;
struct run_turns {
    size_t pairs;        /* samples of each side; disturbed ones are repeated as above */
    double sample_min_s; /* 0 = 1 ms, as above */
    double settle_s;     /* untimed calls of a side before its samples, until its calls no
                            longer change: so long at most; 0 = 50 ms */
    double limit_s;      /* no further sample after this */
    double kill_s;       /* all of it is killed after this; 0 = the launch limit */
    double first_limit_s; /* the first call of all of the second variant may end it:
                             STOPPED where it takes longer; 0 = never */
    double stop_ratio;    /* as in struct run_opts */
    int first;            /* the side that comes first: 0 or 1 */
};
/* Nothing is started yet. The program (variant_build_arena) and the options are copied,
 * what they point to only of the program. */
int run_arena_open(const struct run_program *program, const struct run_opts *opts,
                   struct run_arena **arena, struct error *err);
void run_arena_close(struct run_arena *arena);
/* Its processes end; the next turns start them again. */
void run_arena_rest(struct run_arena *arena);
/* Adds the samples of one round of turns of library[0] and library[1] to result[0] and
 * result[1], which begin as {0}: numbered by the starts of the arena, as launches are. 0
 * for every outcome; who is at fault has it in his result, both where that cannot be
 * told. */
int run_arena_turns(struct run_arena *arena, const char *const library[2],
                    const struct run_turns *how, struct run_result result[2],
                    struct error *err);
/* How often its processes were started; is what they do now the first thing they do? What
 * breaks there was not broken by what ran before. */
unsigned run_arena_starts(const struct run_arena *arena);
bool run_arena_is_fresh(const struct run_arena *arena);

/* Two variants in turn in as many arenas as there are launches, one after the other:
 * `program` is the arena's. result[i]: samples of both in the same order; run_ratio pairs
 * them by launch. */
int run_measure_together(const struct run_program *program, const char *const library[2],
                         const struct run_opts *opts, struct run_result result[2],
                         struct error *err);

/* Runs one copy once, no timing protocol. Exit 0 = OK, 4 = WRONG_RESULT. The program gets
 * its args, then --pages, and --cpu and --memory where the options say so; a file for
 * --out is the caller's to name in args. `output` gets its stdout, at most 1 MiB (may be
 * NULL); *detail (caller frees) is NULL when OK. For verifying and tracing programs. */
int run_once(const struct run_program *program, const struct run_opts *opts,
             enum run_outcome *outcome, char **detail, struct buf *output,
             struct error *err);

/*
 * Statistics (docs/internals/method.md, "Times and their intervals"). Medians throughout:
 * no sample is left out for its value. Those marked as disturbed were repeated and do not
 * count, unless a launch has no others.
 *
 * The unit is the launch (page placement differs between launches): launch medians are
 * the values, and `runs` counts launches. The interval is the 95 % one of their median:
 * from 6 values on between order statistics, which holds for any distribution; for 3 to 5
 * Student's (on logarithms if all values are positive) joined with their range; with 1 or
 * 2 the range of all samples, which promises nothing. Without any: unknown.
 */

/* Seconds per call: the median of launch medians. Unknown for outcomes other than OK and
 * INTERRUPTED. */
struct quantity run_time_s(const struct run_result *result);
/*
 * time(a) / time(b). Above 1: b is faster. Launches that only one of them has are left
 * out.
 * Interleaved launches (run_measure_pair): median of the ratios of launch medians, paired
 * by launch.
 * Together (run_measure_together): a launch's ratio is the median over its quadruples A B
 * B A, each the geometric mean of two ratios, in which drift and the first place cancel.
 * From 8 launches on the interval of the launches' median is that of order statistics at
 * 99 %. Of 2 to 7 launches all quadruples are the values, if Kruskal and Wallis' test
 * finds that launches differ no more than equals do in half of the cases; the interval is
 * joined with the range of the launches. Else Student's at 98 % on the launches. It
 * covers at least 95 % from 3 launches on, also where one stops as soon as it is narrow;
 * 2 launches 93 %; 1 launch tells of itself only.
 * Either is doubted where most samples of one side were disturbed by what cannot be taken
 * out of their time, or (together) where the ratio depends on how much was taken out; and
 * has room for the caches that were filled again after waiting.
 */
struct quantity run_ratio(const struct run_result *a, const struct run_result *b);

/* ---- deciding while one measures ---- */

enum run_verdict {
    RUN_VERDICT_UNDECIDED,
    RUN_VERDICT_FASTER,
    RUN_VERDICT_SLOWER,
    RUN_VERDICT_EQUAL, /* within the margin, to either side */
};
/* Equal is what differs by less. */
extern const double run_equal_within; /* 0.02 */
/*
 * Of two in turn (run_arena_turns): is b faster than a? It may be asked after every round
 * and ended with the first answer: over all looks the chance of a wrong one is at most
 * `error`, for log ratios of pairs that are independent and symmetric about the true one.
 * *ratio (may be NULL): time(a) / time(b) with an interval that holds it at all looks
 * with the chance 1 - error; open to both sides (0, infinite) while too little is known.
 *
 * Two confidence sequences with half of the error each. One by the t-test that may be
 * looked at any time, for normal noise: H. Wang, A. Ramdas, "Anytime-valid t-tests and
 * confidence sequences for Gaussian means with unknown variance", Sequential Analysis 44
 * (2025), after T. Lai, Ann. Statist. 4 (1976), with a normal prior on the effect. One by
 * the sign test, for any symmetric noise: S. Howard, A. Ramdas, "Sequential estimation of
 * quantiles with applications to A/B testing and best-arm identification", Bernoulli 28
 * (2022), with the mixture over all coins of J. Ville and H. Robbins.
 */
enum run_verdict run_judge(const struct run_result *a, const struct run_result *b,
                           double error, struct quantity *ratio);
/*
 * Is it hopeless that a is `times` as long as b? By Student's plain 95 % interval of
 * three pairs and more: no answer, which looking again and again would spoil, but a
 * reason to spend no more time on the question.
 */
bool run_is_hopeless(const struct run_result *a, const struct run_result *b,
                     double times);
/* The error that the k-th of many questions (from 1) may have for all of them together to
 * have `error` at most: error / (k (k + 1)), which sums to it. */
double run_error_of(double error, size_t k);
/* Median of plain numbers; each one is a run. Unknown if one is not finite. */
struct quantity run_statistics(const double *value, size_t nr,
                               enum provenance provenance);

#endif
