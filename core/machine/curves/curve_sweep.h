/*
 * Private to core/machine: which loads to set, in which rounds, and what the windows say
 * together. Knows neither threads nor hardware: it measures through a table, which tests
 * replace by a simulated memory.
 */
#ifndef CORE_MACHINE_CURVE_SWEEP_H
#define CORE_MACHINE_CURVE_SWEEP_H

#include <stdint.h>

#include "core/machine/machine.h"

struct sweep_setting {
    size_t mix;        /* of reads and writes, from 0 on; of no meaning when unloaded */
    size_t generators; /* that are active; 0 = unloaded */
    double idle;       /* pause after a burst, in times of the burst's own duration */
};

/* Offered load in generators that never pause: generators / (1 + idle). */
double sweep_load(const struct sweep_setting *setting);

struct sweep_source {
    /* One window under this load: all traffic, and the latency of a dependent load in it.
     * False = another process disturbed it; the numbers then say nothing. */
    bool (*window)(void *self, const struct sweep_setting *setting, double *gbs,
                   double *latency_ns);
    double (*now_s)(void *self);
    void *self;
};

struct sweep_plan {
    size_t mix_nr;
    size_t generators; /* that there are; 0: only the unloaded latency is measured */
    size_t finer;      /* how often the gaps around the targets are bisected */
    size_t rounds_min; /* before each bisection, and if time has run out */
    size_t rounds_max; /* in all */
    double seconds;    /* of now_s, in all, but for rounds_min */
    double stop_s;     /* of now_s: no round begins later; 0 = never */
    uint64_t seed;     /* of the order in a round */
};

/* With fewer windows a setting says nothing. */
enum { SWEEP_RUNS_MIN = 3 };

struct sweep_sample {
    size_t round;
    double gbs, latency_ns;
};

struct sweep_series {
    struct sweep_setting setting;
    struct sweep_sample *sample; /* at most one a round: undisturbed windows only */
    size_t sample_nr, sample_alloc;
};

struct sweep {
    struct sweep_series *series; /* [0] is unloaded */
    size_t series_nr, series_alloc;
    size_t round_nr;
};

/* Latencies, in times of the unloaded one, near which points are wanted. */
enum { SWEEP_TARGETS = 6 };
extern const double sweep_target[SWEEP_TARGETS];

/*
 * Rounds in which every setting has its turn once, the unloaded one among them, in random
 * order. First the coarse settings: generators by powers of two up to all, and one
 * generator with pauses. Then, `finer` times, the gap in which latency passes a target is
 * bisected in load. `sweep` is {0}; the caller releases it.
 */
void sweep_run(const struct sweep_plan *plan, const struct sweep_source *source,
               struct sweep *sweep);
void sweep_release(struct sweep *sweep);

/*
 * For each round: does it count? Not if its unloaded latency is missing or more than 15 %
 * off the median of the rounds around it: others loaded the memory then. Returns how many
 * do.
 */
size_t sweep_rounds(const struct sweep *sweep, bool *kept);

/*
 * Fills points and ceiling of an empty curve: medians over the rounds with the quartiles
 * as interval. Latency is the median of its ratio to the unloaded latency of the same
 * round, times the median unloaded latency: drift of the machine stays out of the ratios,
 * and the spread of the unloaded latency stands at the first point alone. No point at all
 * when fewer than SWEEP_RUNS_MIN rounds count.
 */
void sweep_curve(const struct sweep *sweep, size_t mix, struct machine_curve *curve);

#endif
