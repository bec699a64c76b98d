/*
 * Private to core/machine: many small measurements, interleaved. A round runs every trial
 * once, forwards and backwards in turn, so that a slow drift of the machine (neighbours,
 * clock) meets all trials alike and their ratios stay right.
 */
#ifndef CORE_MACHINE_TRIAL_H
#define CORE_MACHINE_TRIAL_H

#include <stddef.h>

#include "core/base/quantity.h"

/* Wall time and the calling thread's processor time, to tell whether somebody else ran on
 * our core in between. */
struct watch {
    double wall_s, cpu_s;
};
struct watch watch_now(void);
bool watch_was_disturbed(const struct watch *start, const struct watch *end);

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
};

/* Returns the trial's index: pointers do not survive the next addition. */
size_t trials_add(struct trials *trials, const struct trial *trial);
/* Rounds until `rounds` are done or the clock reaches `end_s`, but at least three. */
void trials_run(struct trials *trials, size_t rounds, double end_s);
void trials_release(struct trials *trials);

/* Median with the quartiles as interval; provenance probe. Unknown without samples. */
struct quantity samples_quantity(const double *sample, size_t nr);
struct quantity trial_ns(const struct trials *trials, size_t index);

#endif
