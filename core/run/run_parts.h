/* What the files of core/run share. */
#ifndef CORE_RUN_RUN_PARTS_H
#define CORE_RUN_RUN_PARTS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base.h"
#include "core/code/code.h"
#include "core/run/run.h"

struct launch; /* below */

/* Which samples count, and what is to be said of them. Private to core/run. */

/*
 * Replaces the samples of one launch, those from `from` on, by the least of every
 * `minimum_of` undisturbed ones (of all if none is undisturbed); disturbed ones stay
 * beside them as they are. What is left of an unfinished group counts only when there is
 * no finished one. Counts the disturbed.
 */
void samples_take_least(struct run_result *result, size_t from, size_t minimum_of);

/* Copies the samples that count to `out` (room for all): the undisturbed ones of every
 * launch, or all of a launch that has none. Returns how many. */
size_t samples_that_count(const struct run_result *result, struct run_sample *out);

/* What was taken from the samples that a ratio rests on. {0} is the valid empty one. */
struct witness {
    double waited_s, wall_s;
    size_t nr, blurred; /* samples; those of which nobody can tell what it cost them */
};
void witness_add(struct witness *witness, const struct run_sample *sample);
/* The doubt where most samples are blurred. */
void witness_judge(const struct witness *witness, struct quantity *ratio);
/* Share of the time that was taken, and room for what taking it cost: at most so much. */
extern const double witness_room;
void witness_widen(const struct witness *witness, struct quantity *ratio);

/* Clock, background and what was left behind, of one launch that was added. */
void samples_add_facts(struct run_result *result, const struct launch *launch);

/* The sentence for result->note, after the last launch. */
void samples_note(struct run_result *result, const struct run_opts *opts);

/* What the end of a child means. Private to core/run. */

/* An outcome and the sentence for it (NULL when OK); who holds it frees the sentence. */
struct verdict {
    enum run_outcome outcome;
    char *detail;
    /* When several copies are judged, the highest weight tells the cause: an interrupt,
     * then a fault of the copy's own, then a timeout (others wait for it at the barrier),
     * then SIGKILL (we end the others so). */
    int weight;
};

/* What the judge must know beside the end itself. */
struct circumstances {
    double limit_s;
    /* Processes that the system has killed for want of memory, before the launch and
     * after it; -1 = not told. */
    long long kills_before, kills_after;
};
struct circumstances circumstances_before(double limit_s);
void circumstances_after(struct circumstances *circumstances);

/* Not for SPAWN_NOT_STARTED, which is no end of a program. */
struct verdict verdict_of_end(const struct spawn_outcome *end,
                              const struct circumstances *around);
/* A program that exited with 0 but did not deliver; takes the sentence over. */
struct verdict verdict_bad_results_take(char *detail);
/* Keeps the weightier of the two in `worst` and releases the other. */
void verdict_join_take(struct verdict *worst, struct verdict other);

/* The result file of the measuring program (docs/internals/design.md, "Harness
 * protocol"). Private to core/run. */

struct timed_sample {
    double seconds; /* per call */
    double calls;
    unsigned disturbed; /* enum run_disturbance bits */
    double waited_s;    /* of a call, for a processor */
    bool waits_inside;  /* `seconds` holds them; else they were taken out */
};

/* What one copy of one launch wrote. {0} is the valid empty one. */
struct copy_results {
    double buffer_bytes, warm_s;
    double huge_bytes;                                  /* negative = not told */
    double clock_step_s, call_overhead_s, empty_call_s; /* 0 = not told */
    char *flush; /* how caches were emptied for cold starts; NULL = they were not */
    double flush_warm_s, flush_cold_s; /* a walk in caches, and after they were emptied */
    struct timed_sample *sample;
    size_t sample_nr, sample_alloc;
    bool stopped;   /* it was slower than asked for; the samples are those until then */
    bool original;  /* none of the variant's own code ran */
    char *denormal; /* as in struct run_result */
};
void copy_results_release(struct copy_results *results);

/*
 * Trusts nothing: the kernel under test had the process for itself. A file that is
 * missing, unfinished, or not exactly as the protocol says fails with a sentence. So do
 * more samples than `samples_max`, or samples that together last longer than the launch
 * did (`wall_s`). Caller releases in either case.
 */
int copy_results_read(const char *path, size_t samples_max, double wall_s,
                      struct copy_results *results, struct error *err);

/*
 * The gate: the copies of one launch stop before their first and after their last sample
 * until we let them go on, so that counters cover the samples and nothing else. Private
 * to core/run.
 */

/* The pipes of one copy; [0] is read from. We keep the copy's ends open too: so a copy
 * that dies neither looks like one that spoke nor gives us a SIGPIPE. */
struct gate_pipes {
    int to_copy[2], from_copy[2];
};

/* {0} is the valid empty one. */
struct gate {
    struct gate_pipes *pipes;
    size_t nr;
};
int gate_open(struct gate *gate, size_t copies, struct error *err);
void gate_release(struct gate *gate);
/* The ends that only copies write to are theirs alone from now on: what a copy says then
 * ends with it. */
void gate_keep_ours(struct gate *gate);

/*
 * Waits for the started copies to end, as spawn_wait_all with all_or_none, in a thread,
 * and serves the gate in this one: at_gate is for the caller's thread, while the copies'
 * output must be drained all the time. On -1 copies may be left that nobody has waited
 * for: those whose child[i] is not NULL.
 */
int gate_wait_all(struct gate *gate, const struct run_opts *opts,
                  struct spawn_child **child, struct spawn_outcome *outcome,
                  struct error *err);

/* Load on the cores that no copy uses, as long as a launch runs: the measuring program
 * itself, started with --background. Private to core/run. */

/* {0} is the valid empty one. */
struct background {
    struct spawn_child **child;
    size_t nr;
    char *note; /* what could not be done as asked; NULL = nothing */
};

/*
 * Where helpers go: `allowed` without `used`, one to each core that has no thread in use,
 * else to the siblings of threads in use (*on_siblings). siblings(a, b) tells whether two
 * cpus are threads of one core. `out` has room for allowed_nr. Returns how many; 0 when
 * every cpu is in use.
 */
size_t background_cpus(const int *allowed, size_t allowed_nr, const int *used,
                       size_t used_nr, bool (*siblings)(int a, int b), int *out,
                       bool *on_siblings);

/* Starts the helpers and waits until they are at work, files in `folder`. What cannot be
 * had is told in the note; -1 only when the system refuses. */
int background_start(const struct run_program *program, const struct run_opts *opts,
                     const char *folder, struct background *background,
                     struct error *err);

/* Ends them; the note then also tells of those that had ended before. */
void background_stop(struct background *background);
void background_release(struct background *background);

/* Intervals of a median, on plain numbers. Private to core/run. */

struct interval {
    double low, high;
};

/*
 * Between two order statistics, which holds the median with probability `level` whatever
 * the distribution: the number of values below it is binomial. Interpolated between the
 * two neighbouring ranks (Hettmansperger and Sheather 1986), since the coverage of whole
 * ranks comes in steps. The range where the values are too few for the level: all lie on
 * one side of the median with probability 2 ^ (1 - nr).
 */
struct interval interval_of_ranks(const double *sorted, size_t nr, double level);

/* For at least 2 values that are too few for ranks: median +- student x deviation /
 * sqrt(nr), on logarithms if all values are positive; joined with the range, which is the
 * wider one where the values are not normal. */
struct interval interval_of_few(const double *sorted, size_t nr, double student);

/* Do groups of values differ by more than equals do in half of the cases? Kruskal and
 * Wallis' test on ranks. value[i] belongs to group[i] < group_nr; 2 to
 * interval_groups_max of them, none empty. */
enum { interval_groups_max = 7 };
bool groups_differ(const double *value, const unsigned *group, size_t nr,
                   size_t group_nr);

/*
 * A branch predictor to count mispredictions with: one perceptron per branch over the
 * outcomes of the last branches. D. A. Jimenez and C. Lin, "Dynamic branch prediction
 * with perceptrons", HPCA 2001. Finds bias, loops shorter than the history and linear
 * correlations, and what depends on random data it misses as any predictor must. Beside
 * it counts the iterations of a loop, as the loop predictor of TAGE-SC-L does (A. Seznec,
 * 2014): the end of one that ran equally often three times is foreseen. Private to
 * core/run and its tests.
 */

enum { PREDICT_HISTORY = 24 };

struct perceptron {
    int8_t bias, weight[PREDICT_HISTORY];
    bool usual;    /* way of the branch while the loop goes on */
    uint8_t equal; /* the loop ran as often as before, so many times */
    uint32_t trips, trips_before;
};
struct branch_history {
    uint32_t taken; /* bit 0: the last one */
};

/* One execution: was it foreseen? Learns from it. */
bool predict(struct perceptron *perceptron, struct branch_history *history, bool taken);

/* One launch of one program: all its copies at once, to their end. Private to core/run.
 */

enum { LAUNCH_FIRST = 1, LAUNCH_SECOND = 2, LAUNCH_BOTH = 3 };

struct launch {
    struct verdict verdict;
    struct copy_results *copy;   /* [copies] when the verdict is OK */
    struct copy_results *second; /* the same of the second of two in turn; or NULL */
    size_t copies;
    unsigned blame; /* LAUNCH_ bits: whose the verdict is when it is not OK */
    long max_rss_kib, involuntary_switches, major_faults;
    double wall_s;
    double starting_s;     /* as in struct run_result */
    size_t left_behind;    /* processes that outlived their copy and were ended */
    char *background_note; /* what could not be done as asked; NULL = nothing */
};
void launch_release(struct launch *launch);

/* `opts` as launch_defaults gives them; sampling shall take at most limit_s. */
int launch_run(const struct run_program *program, const struct run_opts *opts,
               double limit_s, struct launch *launch, struct error *err);

/* For launches of any kind. */

/* The options without zeroes that mean a default. */
struct run_opts launch_defaults(const struct run_opts *opts);
/* The options with what program->place says in their stead. */
struct run_opts launch_placed(const struct run_program *program,
                              const struct run_opts *opts);
/* What all harness programs take: the program, its args, pages, cpu, memory. */
void launch_push_common(struct strvec *argv, const struct run_program *program,
                        const struct run_opts *opts, size_t copy);
/* And what those take that measure: which copy it is, where the copies meet, and how
 * calls begin. */
void launch_push_copy(struct strvec *argv, const struct run_opts *opts, size_t copy,
                      const char *barrier);
/* OpenMP's settings for one copy. */
void launch_push_environment(struct strvec *env, const struct run_program *program,
                             const struct run_opts *opts, size_t copy);
/* Fails when the end says that there was no start. */
int launch_check_started(const struct run_program *program,
                         const struct spawn_outcome *end, struct error *err);

/* Before its results are looked at: why it ended, and what it used. */
void launch_add_usage(struct launch *launch, const struct spawn_outcome *end);
void launch_join_verdict_take(struct launch *launch, struct verdict verdict,
                              unsigned blame);
/* Of one copy and side: both are told apart by `blame` when the results are no good. */
void launch_read_results(struct launch *launch, const char *path, size_t samples_max,
                         double wall_s, struct copy_results *results, unsigned blame);
/* A private folder below opts->scratch, or one of its own; *own tells which. */
int launch_make_folder(const struct run_opts *opts, char **folder, bool *own,
                       struct error *err);
void launch_remove_folder(char *folder_owned, bool own);
/* Zeroes for the file in which copies meet. */
int launch_make_barrier(const char *path, struct error *err);
enum { LAUNCH_BARRIER_BYTES = 4096 };

/* One round of turns in an arena, as its copies told it. Private to core/run. */

/* As run_arena_turns. Fails only when nothing could be tried. */
int arena_turns(struct run_arena *arena, const char *const library[2],
                const struct run_turns *how, struct launch *launch, struct error *err);
/* Ends it; `usage` (may be NULL) gets what its copies used since they were started. */
void arena_stop(struct run_arena *arena, struct launch *usage);

#endif
