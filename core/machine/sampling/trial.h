/*
 * Private to core/machine: many small measurements, interleaved. A round runs every trial
 * once, forwards and backwards in turn, so that a slow drift of the machine (neighbours,
 * clock) meets all trials alike and their ratios stay right.
 */
#ifndef CORE_MACHINE_TRIAL_H
#define CORE_MACHINE_TRIAL_H

#include <stddef.h>

#include "core/base/quantity.h"

struct repeatability;

/* Wall time and the calling thread's processor time, to tell whether somebody else ran on
 * our core in between. */
struct watch {
    double wall_s, cpu_s;
};
struct watch watch_now(void);
bool watch_was_disturbed(const struct watch *start, const struct watch *end);
/* How long it took: what others took of our core in between does not count. The caches
 * are still theirs, so an undisturbed one is better. */
double watch_s(const struct watch *start, const struct watch *end);

struct trial {
    void (*run)(void *subject, int variant, size_t work);
    /* Outside the time, before each run that does not follow one with the same subject or
     * was disturbed; NULL = nothing. */
    void (*warm)(void *subject);
    void *subject;
    int variant;
    double target_s;   /* how long one run shall last */
    size_t work;       /* units of one run, found by trial_rounds */
    double *sample_ns; /* nanoseconds per unit of work, one per round */
    size_t sample_nr, sample_alloc;
};

struct trials {
    struct trial *trial;
    size_t trial_nr, trial_alloc;
    double stop_s; /* of clock_s: the round that is under way then is the last; 0 = never
                    */
};

/* Returns the trial's index: pointers do not survive the next addition. */
size_t trials_add(struct trials *trials, const struct trial *trial);
/* Rounds until `rounds` are done or the clock reaches `end_s`, but at least three, or one
 * where `stop_s` comes first. */
void trials_run(struct trials *trials, size_t rounds, double end_s);
void trials_release(struct trials *trials);

/*
 * What a median of n samples may be off by when it is taken again on another day (95 %
 * where all is normal, 90 % at least):
 * the error of so few samples, and the drift that all samples of one run share. The
 * scatter of a sample is seen (`scatter`, its standard deviation) and believed beforehand
 * with the weight of so many samples: one sample, or several that happen to be equal,
 * have an error too. The figures are
 * assumed, not fitted: curve_fit.c saw medians of rounds scatter by 1 to 3 %;
 * bench/machine_runs tells whether they suffice.
 */
#define SAMPLES_SCATTER 0.04
#define SAMPLES_PRIOR   2.0
#define SAMPLES_DRIFT   0.02
/* `usual`: what is believed of such samples beforehand. */
double samples_error(double value, double scatter, size_t nr,
                     const struct repeatability *usual);
/* The interval reaches at least that far. */
struct quantity samples_widen(struct quantity quantity, double scatter, size_t nr);
/* Median; the interval holds the quartiles and samples_error. Provenance probe. Unknown
 * without samples. */
struct quantity samples_quantity(const double *sample, size_t nr);
/* The value below which this share of the samples lies; at least one. */
double samples_at(const double *sample, size_t nr, double share);
struct quantity trial_ns(const struct trials *trials, size_t index);

#endif
