/*
 * Private to core/machine: bursts of independent misses, each burst after the one before.
 * While they all find an entry of the miss queue, a burst takes little more than one
 * miss; one more than there are entries begins only when the first has come: the time of
 * a burst has a step where the queue is full. Unlike chases side by side, that place does
 * not depend on what a miss takes. The lines are thrown out of the caches before, and
 * their pages are few enough for the TLBs: no walk and no hit blurs the step.
 */
#ifndef CORE_MACHINE_BURSTS_H
#define CORE_MACHINE_BURSTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Misses of a burst; beyond, the window of instructions is full on most cores. */
enum { BURSTS_MAX = 72 };
/* Of memory that a burst's lines are taken from, some pages; and lines of it. */
enum { BURSTS_BLOCK_BYTES = 1 << 20, BURSTS_NODES_MAX = BURSTS_BLOCK_BYTES / 128 };

struct bursts {
    char *base; /* where all words at BURSTS_OFFSET of the nodes are 0 */
    size_t bytes, node_bytes;
    uint64_t random;
    /* [n - 1]: nanoseconds of a burst of n, one per round; owned */
    double *burst_ns[BURSTS_MAX];
    size_t rounds, alloc;
};
enum { BURSTS_OFFSET = 48 };

/* A round of all sizes, each in memory of its own choice; false when other processes
 * disturbed a size all the time: the round does not count. */
bool bursts_round(struct bursts *bursts);
void bursts_release(struct bursts *bursts);

#endif
