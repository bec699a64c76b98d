/* Private to search/: the live runner's variants, from plan to verified programs, and how
 * two of them are compared. */
#ifndef SEARCH_LIVE_PARTS_H
#define SEARCH_LIVE_PARTS_H

#include "core/machine/machine.h"
#include "core/run/run_stretch.h"
#include "search/live/counters.h"
#include "search/live/live.h"
#include "search/session/measured.h"
#include "search/session/pace.h"
#include "search/session/subject.h"
#include "variants/build/build.h"
#include "variants/kernel/kernel.h"
#include "variants/kernel/kernel_view.h"
#include "variants/verify/verify.h"

struct error;

struct built {
    char *plan;    /* canonical text; of a file of its own "file PATH" */
    char *source;  /* the file, NULL = made from the plan */
    char *made_by; /* of a file: the plan that its text was made by; NULL = not known */
    struct plan *parsed;
    const struct toolchain *toolchain; /* builds it; live owns it */
    char *program[VARIANT_PROGRAM_NR]; /* by enum variant_program; NULL = not built yet */
    char *library;                     /* for the arena; likewise */
    enum run_outcome refused;          /* OK, or why it cannot be measured */
    char *why;
    bool small_verified, full_verified;
    struct verify_report report;
};

/* The toolchain of an environment. */
struct live_toolchain {
    char *key;
    struct toolchain toolchain;
};

/* Whether programs can be built with a sanitizer. */
struct live_sanitizer {
    const struct toolchain *toolchain; /* that was asked last; NULL = none */
    bool is_there, is_said;
};

struct live {
    struct live_opts opts;
    struct machine_cpus cpus;
    struct machine_cpus smt; /* several hardware threads of each core; threads_per_core
                                says how many, 0 = not asked for yet */
    struct live_toolchain **toolchain; /* other than that of opts */
    size_t toolchain_nr, toolchain_alloc;
    size_t copies;
    struct strvec args;
    struct built **built; /* [built_nr], each owned */
    size_t built_nr, built_alloc;
    bool proven;
    unsigned long
        check_limit;       /* isl operations for a step of a plan; 0 = not asked yet */
    double end_s;          /* as live_set_budget was told */
    struct strvec failing; /* small sizes at which the kernel as written fails itself */
    bool here; /* the profile is this machine's: its latency may be measured again */
    double latency_at_s; /* when that was last, clock_s(); 0 = not yet */
    double launch_s;     /* wall time of one launch of the baseline, fills included */
    double call_s;       /* of the kernel as written, by smaller calls; 0 = not known */
    struct quantity original_s; /* the same as it was measured */
    double fill_s; /* filling the arrays takes, by smaller ones until it was seen; 0 = not
                      known */
    struct verify_proof proof; /* of the kernel as written */
    /* What checks take, the last one of each kind; until one of a plan was seen, what the
     * proof took stands for it. */
    double library_s;  /* building a plan's library; 0 = not seen */
    double small_s;    /* comparing its results at small sizes, with what builds that */
    double full_s;     /* comparing them at the full size; 0 = not seen */
    double sanitize_s; /* what sanitizers took of a new shape of plan; 0 = not seen */
    double traced_s;   /* spent on tracing so far */
    struct counters counters;
    double counted_calls; /* of the last explained run, all copies together; 0 = none */
    char *note;
    struct live_sanitizer sanitizer[VARIANT_PROGRAM_NR];
    struct {
        char *plan; /* NULL = none yet */
        struct quantity time_s;
        /* Of its calls in the arena; 0 = none yet. */
        double shortest_s, longest_s;
        size_t calls;
    } reference;             /* what was explained last, in the plain environment */
    struct run_arena *arena; /* NULL = none yet */
    bool no_arena;           /* there can be none: the kernel cannot be a shared object */
    size_t judged_nr;     /* questions put to the arena, each with its share of error */
    double judged_s;      /* that they took */
    struct strvec shapes; /* of plans that went through a sanitizer without a report */
};

/* May the compiled kernel make other accesses than the loop model counts? Fields that are
 * reached through a pointer, which the model counts as variables, may be loaded again and
 * again; elements that the source reads several times may be loaded once, and what does
 * not move in an innermost loop, once for all of it; arrays of the function's own are in
 * registers or not. */
bool live_is_unsure(const struct kernel_view *view);

/* The variant of a plan, new or known. Borrowed. */
int live_built_get(struct live *live, const struct candidate *candidate,
                   struct built **out, struct error *err);
void live_built_free(struct built *built);

/* The same for a C file with the same function; `plan`: its text was made by it, NULL =
 * by others. */
int live_built_file(struct live *live, const char *source, const char *plan,
                    const struct environment *environment, struct built **out,
                    struct error *err);

/* live_place.c: what the environment's programs are built with; borrowed. */
int live_toolchain(struct live *live, const struct environment *environment,
                   const struct toolchain **out, struct error *err);
void live_toolchains_release(struct live *live);
/* Where they run: processors, copies, threads. Borrows from live and environment. */
int live_place(struct live *live, const struct environment *environment,
               struct run_place *place, struct error *err);
/* Copies of so many threads when `loaded` of all places (processors that may be used) are
 * to be; 0 = not even one fits. */
size_t live_copies_on(size_t places, size_t loaded, int threads);

/* Builds one program of it. A compiler that refuses is recorded in built->refused. */
int live_build(struct live *live, struct built *built, enum variant_program what,
               struct error *err);

/* What was ended because the time was up may be built again when there is more. */
void live_forgive_late(struct built *built);

/* Records why it cannot be measured. */
void live_refuse(struct built *built, enum run_outcome outcome, const char *why);

/* live_sanitize.c: after it has been verified; of first looks only what is not slower.
 * What a sanitizer reports is recorded in built->refused. */
int live_sanitize(struct live *live, struct built *built, struct error *err);

/* Compares its results with the untransformed kernel's; a difference is recorded in
 * built->refused. */
int live_verify(struct live *live, struct built *built, bool small_only,
                struct error *err);
/* Verifies, times, and with MEASURE_EXPLAIN traces. `counts`: of what was built; NULL =
 * of the kernel. *out begins empty but for plan and environment. */
int live_measure_built(struct live *live, struct built *built,
                       const struct kernel_counts *counts, enum measure_effort effort,
                       double stop_at_s, struct measurement *out, struct error *err);
/* live_trace.c: traffic, counts and what they explain, in *out, within the time that is
 * left for tracing. A plan whose traffic cannot be told keeps its time, and the detail
 * says why. `counts` as above. */
int live_trace(struct live *live, struct built *built, const struct kernel_counts *counts,
               struct measurement *out, struct error *err);
/* Checking a plan at the small sizes, with sanitizers if its shape is new, will take. */
double live_small_s(const struct live *live);
/* live_verify(), and how long it took. */
int live_check(struct live *live, struct built *built, bool small_only,
               struct error *err);
/* For struct search_runner. */
void live_costs(void *data, struct search_costs *costs);
/* Of two variants beside each other. */
struct live_launch_cost live_pair_cost(const struct live *live);
/* Arenas that were started for `result` tell what filling the arrays takes. */
void live_note_start(struct live *live, const struct run_result *result);
/* Which end of what the profile knows of its caches. */
enum cache_end { CACHE_MIN, CACHE_GUESS, CACHE_MAX };
/* live_cache.c: the cache model's machine. What a core gets of a level is as it was
 * probed; what the probe left open is never taken from what the CPU claims. Published
 * profiles have nothing but the documented size. */
struct traffic_geometry cache_geometry(const struct machine *machine, bool huge_pages,
                                       size_t copies, enum cache_end end);
/* Fixes copies and the note for the kernel's present size. `copies` 0 = one per core. */
int live_choose_copies(struct live *live, size_t copies, struct error *err);

/*
 * live_count.c: fills instructions, divisions, mispredicted branches, code bytes, and
 * FLOP that the source does not tell (`counts`), of a call of which stretches were
 * stepped through, and says so in the note; nothing where somebody counted the
 * instructions. `call_bytes`: that the call accesses in its arrays. What cannot be told
 * stays unknown.
 */
void live_count(const struct stretches *stretches, struct quantity call_bytes,
                const struct kernel_counts *counts, struct traffic *traffic);
/* Behind the notes that it has. */
void live_add_note(struct traffic *traffic, const char *text);
/* The counts of the call that nobody counted (live_count), and the account of the core
 * for it, in out->account: its instructions are looked at out of the middle of a call,
 * within `seconds`. `out` has its time and traffic. What cannot be had stays unknown, or
 * NULL, with the reason in the traffic's note. */
void live_account(struct live *live, const struct built *built,
                  const struct kernel_counts *counts, double seconds,
                  struct measurement *out);
/* Tries what decides between causes of the kernel as written, some seconds each, and
 * explains it anew. */
int live_experiment(struct live *live, const struct kernel_counts *counts,
                    struct measurement *out, struct error *err);
struct verify_opts live_verify_opts(struct live *live, bool small_only);

/* The kernel as written, known to end by now, is measured; its programs are ended with
 * the budget, or when they take several times what is expected. */
void live_bound_original(const struct live *live);

/* Where and under which limits programs run; how often is the caller's to say. */
struct run_opts live_run_opts(const struct live *live);

/* Start state and background load, and as many samples as they need; after how often. */
void live_set_environment(const struct environment *environment, struct run_opts *opts);

/* A run that was given up for slow, in the program or by killing it, is STOPPED. */
void live_note_stopped(const struct live *live, double limit_s, double stop_at_s,
                       struct measurement *out);

/* Outcome, time and samples into *out, which takes what they own. */
void live_take_run(struct run_result *result, struct measurement *out);

/* ---- live_arena.c: the kernel's arrays in one process a copy for the whole session, in
 * which variants are timed in turn ---- */

/* The library of a variant. A compiler that refuses is recorded in built->refused, a
 * kernel that can be no shared object (`-static` among the flags) in live->no_arena. */
int live_library(struct live *live, struct built *built, struct error *err);
/* What is asked of the arena. */
struct live_question {
    struct built *side[2];
    double seconds;   /* for all of it */
    size_t pairs;     /* not 0: so many, whatever they say */
    double error;     /* that the answer may have */
    double stop_at_s; /* [1] may be given up when its calls take longer; 0 = never */
    double within;    /* until the interval's ends are so near to each other, or [1] is
                         slower; 0 = until there is an answer */
    bool gains;       /* and when a gain worth having is hopeless */
};
struct live_answer {
    bool done;
    enum run_verdict verdict;
    struct quantity ratio; /* time(side[0]) / time(side[1]) */
};
/*
 * Takes turns until there is an answer, or the time is over: by run_judge; or by what
 * needs no pairs, when side[0] is the reference: its calls are known, and two of the
 * other take 1.25 times less or longer than any of them. `done` stays false where there
 * is no arena, or side[0] breaks in it. What side[1] breaks is its outcome when it does
 * so in processes that were started for it.
 */
int live_ask(struct live *live, const struct live_question *question,
             struct run_result result[2], struct live_answer *answer, struct error *err);
/* Calls of the reference, for those that are judged by them. */
void live_note_calls(struct live *live, const struct run_sample *sample, size_t nr);
/* When one that may be given up is killed, the start of its processes included. */
double live_kill_s(const struct live *live, const struct live_question *question);
/* Before memory is needed elsewhere: its processes end where there is not room for both,
 * and start again when they are needed. */
void live_rest(struct live *live);
/* The program has other arguments from now on. */
void live_leave_arena(struct live *live);

/* Chance that any of a session's answers is wrong. */
extern const double live_error;

/*
 * live_paired.c: the variant and the reference in turn; its time is the reference's by
 * their ratio, so that what slows a process as a whole slows no variant. *done stays
 * false where that cannot be: another environment, no reference, no arena, or a reference
 * that failed.
 */
int live_time_paired(struct live *live, struct built *built, enum measure_effort effort,
                     double stop_at_s, struct measurement *out, bool *done,
                     enum run_verdict *verdict, struct error *err);
/* The kernel as written; *done as above. */
int live_time_alone(struct live *live, struct built *built, enum measure_effort effort,
                    struct measurement *out, bool *done, struct error *err);
/* It is the reference, and was timed as that: its time as it is known. */
bool live_knows(const struct live *live, const struct built *built,
                struct measurement *out);
/* What it would be timed beside; NULL = it would be timed alone. */
struct built *live_paired(struct live *live, const struct built *built,
                          const struct environment *environment);
/* An explained run is the reference of those that follow. */
void live_remember(struct live *live, const struct built *built,
                   const struct measurement *measurement);
void live_forget(struct live *live);

/* For struct search_runner. Both sides work in the same processes, on the same buffers;
 * in interleaved launches where their pages differ. */
int live_compare(void *data, const struct candidate *a, const struct candidate *b,
                 double seconds, struct quantity *ratio, struct error *err);
/* The same in the arena. */
int live_look_pair(void *data, const struct candidate *a, const struct candidate *b,
                   double seconds, struct quantity *ratio, struct error *err);

#endif
