/* What the tracer knows between two of its decisions. Private to tracer_callbacks.c,
 * tracer.c and tracer_phases.c. */
#ifndef CORE_TRAFFIC_TRACER_STATE_H
#define CORE_TRAFFIC_TRACER_STATE_H

#include <stdio.h>

#include "core/traffic/tracer/cache_model.h"

enum { TRACER_WINDOWS_MAX = 128 };

/* WHOLE: the call is simulated from its start. Else SKIP, WARM, COUNT in turn, TAIL after
 * the last window. */
enum tracer_phase { PHASE_WHOLE, PHASE_SKIP, PHASE_WARM, PHASE_COUNT, PHASE_TAIL };

struct tracer_window {
    uint64_t first; /* accesses of the call before it */
    struct cache_counts counts;
    uint64_t warm[CACHE_LEVELS_MAX]; /* lines filled while warming */
    uint64_t
        left[CACHE_LEVELS_MAX]; /* write-backs still to come; 0 unless one whole call */
};

struct tracer_state {
    char *out;
    double total, budget, limit_s;
    double wall_s, wall_born_s; /* of the clock on the wall; 0 = no limit */
    bool sampled, cold;
    int call;
    enum tracer_phase phase;
    uint64_t length; /* of this phase */
    uint64_t seen;   /* accesses of this call before this phase */
    uint64_t spent;  /* of the budget */
    uint64_t cost;   /* of the last window */
    uint64_t target; /* where the next window begins */
    double part_end; /* of the call, which the last window stands for */
    uint64_t piece_fills,
        filled;   /* of the last level: in the last piece of warming, in all */
    double count; /* accesses that the next window counts */
    int piece;    /* of counting: how many are done */
    struct cache_counts piece_at; /* where the present one began */
    /* fills and write-backs of a piece, level by level */
    double min[2 * CACHE_LEVELS_MAX], max[2 * CACHE_LEVELS_MAX];
    uint64_t dirty[CACHE_LEVELS_MAX]; /* write-backs to come when counting began */
    double born_s, phase_s;           /* clock: configured, phase begun */
    double passed, passing_s;         /* accesses only passed, and the time it took */
    double looked, looking_s;         /* accesses simulated */
    struct cache_counts base;         /* at the start of warming or counting */
    struct tracer_window window[TRACER_WINDOWS_MAX];
    int window_nr;
};
extern struct tracer_state tracer_state __attribute__((visibility("hidden")));
/* Code compiled with the callbacks is in this program, whether or not it calls any: its
 * constructor has run. */
extern bool tracer_instrumented __attribute__((visibility("hidden")));

/* What became dirty in a window is written back some time, of a level that was not filled
 * anew before: `before` and `left` are dirty lines when counting began and now. True when
 * that was so. */
bool tracer_settle_writebacks(struct tracer_window *window, int k, uint64_t before,
                              uint64_t left, uint64_t capacity);
void tracer_write_counts(FILE *file, const struct tracer_window *window);
double tracer_now_s(void); /* processor time */
double tracer_wall_s(void);
/* Writes the results and ends the program; `end`: how the tracing came to its end, a word
 * for trace.c. */
void tracer_end_program(const char *end);
void tracer_write_results(const char *end);

#endif
