/* Private to core/machine: threads, one pinned to each of the given cores, working
 * together. */
#ifndef CORE_MACHINE_TEAM_H
#define CORE_MACHINE_TEAM_H

#include <stdatomic.h>
#include <stddef.h>

#include "core/machine/topology.h"

struct team {
    size_t member_nr;
    atomic_uint arrived, generation;
    atomic_int state;
};

struct team_member {
    struct team *team;
    size_t index;
    int cpu; /* OS index of its hardware thread */
    const struct topology *topology;
    void *task; /* the same for all */
    void (*work)(struct team_member *member);
};

/* Runs work(member) on the first `nr` cores and waits for all. The caller's own affinity
 * stays as it is. */
int team_run(const struct topology *topology, size_t nr,
             void (*work)(struct team_member *), void *task, struct error *err);
/* The same on `nr` hardware threads that the caller names by their OS index. */
int team_run_on(const struct topology *topology, const int *cpu, size_t nr,
                void (*work)(struct team_member *), void *task, struct error *err);

/* Spins until all members are here. */
void team_wait(struct team_member *member);

#endif
