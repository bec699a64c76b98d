/*
 * What programs with region markers (regions/inflight.h) left in a folder, put together:
 * by process, by call path, and by name. Times of several threads are added ("thread
 * time") or united ("wall time": while any of them was in the region).
 */
#ifndef CORE_OBSERVE_REGION_PROFILE_H
#define CORE_OBSERVE_REGION_PROFILE_H

#include "core/base/quantity.h"

struct error;

enum { REGION_EVENTS_MAX = 8, REGION_EVENT_LETTERS = 63 }; /* as files hold them */

struct region_process {
    char *host, *program;
    long long pid;
    double wall_s;
    bool
        ended; /* came to its exit handlers: was not killed, did not call _exit or exec */
    size_t threads;
    double pair_ns, empty_ns; /* of a pair of markers; what an empty region is charged */
    char *why;                /* why its events are not counted; NULL = they are */
};

/* Sums over threads and processes. */
struct region_numbers {
    double calls, unfinished; /* that ended; that had not when the process ended */
    double thread_s;          /* with the regions within it */
    double own_s;             /* without them */
    double min_s, max_s;      /* of a call */
    double read_bytes, write_bytes, declared; /* without the regions within it; how often
                                                 they were told */
    double random_share;                      /* the last told; negative = not told */
    /* Of calls that were long enough to ask the system: their time, processor time of
     * their processes, page faults and context switches of their threads. */
    double asked_s, processor_s, minor_faults, major_faults, switches;
    double count[REGION_EVENTS_MAX];
    double uncounted_s; /* of thread_s, in threads whose events do not count, and in calls
                           that had not ended */
};

/* A call path. Callers stand before what they call. */
struct region_path {
    char *name;
    size_t parent; /* SIZE_MAX = outside of all regions */
    int depth;
    struct region_numbers numbers;
};

struct region_spread {
    size_t nr;
    double min, mean, max;
};

/* When a process was in a region: how long, between which times of CLOCK_MONOTONIC. */
struct region_stay {
    size_t process; /* its place in the profile */
    const char *host;
    double wall_s, first_s, last_s;
};

/* One name, whoever called it. */
struct region {
    char *name;
    struct region_numbers numbers;              /* a region within itself counts once */
    double inner_read_bytes, inner_write_bytes; /* declared by the regions within it */
    /* While any thread of a machine was in it. Of processes that are in it at times which
     * overlap only the longest is certain: an interval. */
    struct quantity wall_s;
    double hosts_s; /* the same, the sum over machines, at the interval's value */
    double processes_at_once; /* on a machine, on average */
    double pairs;             /* of markers within it, its own included */
    double marker_s;          /* what they cost, about */
    struct region_stay *stay; /* of each process that was in it */
    size_t stay_nr, stay_alloc;
    struct region_spread process,
        thread; /* wall time of each process, time of each thread */
    /* Mistakes in marking, how often. */
    double unbegun, crossed, forgotten, abandoned, left_open, outside, impossible;
};

struct region_profile {
    struct region_process *process;
    size_t process_nr, process_alloc;
    struct region_path *path;
    size_t path_nr, path_alloc;
    struct region *region; /* in the order of their first path */
    size_t region_nr, region_alloc;
    char *event[REGION_EVENTS_MAX]; /* that were counted */
    size_t event_nr;
    size_t hosts;
    double wall_s; /* from the first process's begin to the last one's end */
    double unrecorded, unrecorded_names, unrecorded_threads; /* beyond the limits */
    double nameless;
    size_t uncounted; /* threads whose events do not count, while others' do */
    size_t silent;    /* processes that were ended before they could say anything */
};

/* What is known of a process that did not come to its end: begun as `pid`, gone at that
 * time of CLOCK_MONOTONIC. pid 0 = nothing is known. */
struct region_end {
    long long pid;
    double clock_s;
};

/*
 * All files of the folder. An empty one is no failure. Fails with STATUS_INPUT, naming
 * the file, for one that is damaged, of another version, or whose events differ from the
 * other files'. Caller releases.
 */
int region_profile_read(const char *folder, const struct region_end *end,
                        struct region_profile *profile, struct error *err);
void region_profile_release(struct region_profile *profile);

#endif
