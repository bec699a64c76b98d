/*
 * Private to core/machine: rates of loops, taken in short windows in which all members of
 * a team run the same loop. The load begins before each window and ends after the last
 * member's window, and a window counts only if all members' windows lie over each other
 * and no other process ran on their cores. All jobs take their turn in every round, so
 * that a slow drift of the machine meets all alike.
 */
#ifndef CORE_MACHINE_WINDOWS_H
#define CORE_MACHINE_WINDOWS_H

#include "core/machine/sampling/trial.h"
#include "core/machine/topology/team.h"

/* One member's part of one window. */
struct window_part {
    double per_s, start_s;
    bool disturbed; /* another process ran on this core */
};

struct window_job {
    /* Works for some microseconds; returns how much, in the unit of the rate. `own` is
     * the calling member's. */
    double (*burst)(void *own, const void *what);
    /* Before each window, outside of it: brings the data where it belongs. May be NULL.
     */
    void (*settle)(void *own, const void *what);
    const void *what;
    size_t contest; /* jobs of the same one are candidates for one ceiling */
    double window_s;
    double *sample; /* per second, all members together, of windows that count */
    size_t sample_nr, sample_alloc;
    double best;  /* of any window in which all ran at the same time, also disturbed ones:
                     at least that much is possible */
    bool dropped; /* others of its contest were better in the first rounds */
};

struct windows {
    struct window_job *job;
    size_t job_nr, job_alloc;
    /* At least a few, whatever the clock says; more for jobs that other processes left
     * too few windows, while there is time. */
    size_t rounds;
    double end_s;  /* of clock_s */
    double stop_s; /* what has no window then gets none; 0 = never */
    /* While it runs: */
    struct window_part *part; /* of each member */
    size_t round;
    atomic_size_t finished;
    atomic_bool again, stop, over;
};

void windows_add(struct windows *windows, const struct window_job *job);
/* Called by every member of a team; `own` is passed on to the jobs. */
void windows_run(struct windows *windows, struct team_member *member, void *own);
void windows_release(struct windows *windows);

/* The best candidate of a contest: median with quartiles over the windows that count.
 * Where none has three of them: [best seen, infinity). Unknown without any window.
 * *winner may be NULL. */
struct quantity windows_rate(const struct windows *windows, size_t contest,
                             const struct window_job **winner);

/* Sum of the members' rates; NaN unless their windows lie over each other by 90 %.
 * *alone: no other process ran on their cores. */
double window_together(const struct window_part *part, size_t nr, double window_s,
                       bool *alone);
/* Drops all but the `keep` best jobs of every contest, by their best window. */
void windows_narrow(struct windows *windows, size_t keep);

#endif
