/* Private to core/machine: threads, one pinned to each of the given cores, working
 * together. */
#ifndef CORE_MACHINE_TEAM_H
#define CORE_MACHINE_TEAM_H

#include <pthread.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stddef.h>

#include "core/machine/topology/topology.h"

struct error;

/* Two lines of the widest common kind: prefetchers take lines in pairs. */
enum { TEAM_ALIGNMENT = 256 };

struct team {
    size_t member_nr;
    pthread_mutex_t gate; /* held while members are being started */
    bool cancelled;
    /* Those who arrive must not disturb those who wait: hundreds of spinning cores. */
    alignas(TEAM_ALIGNMENT) atomic_uint arrived;
    alignas(TEAM_ALIGNMENT) atomic_uint generation;
};

struct team_member {
    struct team *team;
    size_t index;
    int cpu; /* OS index of its hardware thread */
    const struct topology *topology;
    int pin_error; /* why this thread runs wherever it is put; 0 = it is pinned */
    void *task;    /* the same for all */
    void (*work)(struct team_member *member);
};

/* Runs work(member) on the first `nr` cores and waits for all. The caller's own affinity
 * stays as it is. When not all threads can be started none works, and none is left. */
int team_run(const struct topology *topology, size_t nr,
             void (*work)(struct team_member *), void *task, struct error *err);
/* The same on `nr` hardware threads that the caller names by their OS index. */
int team_run_on(const struct topology *topology, const int *cpu, size_t nr,
                void (*work)(struct team_member *), void *task, struct error *err);

/* What all members of all teams took so far. They never sleep: what is missing of their
 * processor time others took. */
struct team_time {
    double wall_s, cpu_s;
};
struct team_time team_time(void);

/* Spins until all members are here. */
void team_wait(struct team_member *member);

#endif
