/* The live runner: builds, verifies and measures variants on this machine. */
#ifndef SEARCH_LIVE_H
#define SEARCH_LIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "core/base/quantity.h"

struct candidate;
struct environment;
struct error;
struct kernel;
struct kernel_counts;
struct machine;
struct measurement;
struct run_opts;
struct search_runner;
struct search_subject;
struct toolchain;
struct traffic_geometry;

struct live_opts {
    struct kernel *kernel;
    struct machine *machine; /* its memory latency is adjusted to what it is now */
    const struct toolchain *toolchain;
    size_t copies;         /* 0 = physical cores, as many as memory allows */
    bool elsewhere;        /* nothing runs here: `copies` are those of where it does */
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
/* Of calls that take longer, seconds, a session measures the kernel as written with one:
 * more would take too much of it. */
#define LIVE_LONG_S 0.7
/* What the kernel as written takes at its full size, from smaller calls, which find more
 * in the caches: rather too little. call_s 0 = it cannot be told. Takes a second at most,
 * and the time for building the program that measures. */
struct live_look {
    double call_s, fill_s; /* a call; filling the arrays, once for each process */
};
struct live_look live_look(struct live *live);
/* It was looked at elsewhere. */
void live_take_look(struct live *live, const struct live_look *look);
/* First runs are timed beside this plan from now on, whose time was measured elsewhere:
 * so what is measured on several nodes has one scale. */
int live_refer(struct live *live, const char *plan, struct quantity time_s,
               struct error *err);
/* Where a call takes longer than `call_s` and only repeats: fewer rounds
 * (kernel_shorten), and *look follows. */
int live_shorten(struct live *live, double call_s, struct live_look *look,
                 struct error *err);
/* The time is known later than the rest. `end_s`: of clock_s(); what the kernel as
 * written runs is ended then, or when it takes much longer than it should; 0 = never. */
void live_set_budget(struct live *live, double end_s, double budget_s, double trace_s,
                     double trace_one_s);
const char *live_note(const struct live *live); /* "2 copies, one per core" ... */
struct search_subject live_subject(struct live *live);
struct search_runner live_runner(struct live *live);
/* After kernel_set: the programs stay, sizes, copies (0 = as in live_opts) and what was
 * verified follow the kernel. */
int live_rebind(struct live *live, size_t copies, struct error *err);
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
    size_t min;
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
 * written under environment[0]: the emitted winner measured on its own. `plan`: its text
 * was made by it, and needs no sanitizer where one has run that; NULL = by others. */
int live_compare_file(struct live *live, const char *source, const char *plan,
                      const struct environment *environment, double seconds,
                      struct quantity *ratio, bool *verified, struct error *err);

#endif
