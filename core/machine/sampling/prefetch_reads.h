/*
 * Private to core/machine: independent reads of single lines in a random order known
 * beforehand, each line prefetched `distance` reads ahead. The read behind the prefetch
 * is what counts: a prefetch that was dropped costs its full latency there.
 */
#ifndef CORE_MACHINE_PREFETCH_READS_H
#define CORE_MACHINE_PREFETCH_READS_H

#include <stddef.h>
#include <stdint.h>

enum prefetch_to { PREFETCH_NONE, PREFETCH_L2, PREFETCH_L1, PREFETCH_KINDS };

enum { PREFETCH_DISTANCE_MAX = 96 };

struct prefetch_reads {
    const char *base;
    uint32_t *order; /* node numbers; owned */
    size_t node_nr, node_bytes, at;
};

/* Blocks of `block_nodes` as in random_order; 0 = fully random. */
void prefetch_reads_init(struct prefetch_reads *reads, const char *base, size_t bytes,
                         size_t node_bytes, size_t block_nodes);
void prefetch_reads_release(struct prefetch_reads *reads);
/* `steps` reads, going on where the last run ended. Distance at most
 * PREFETCH_DISTANCE_MAX. */
void prefetch_reads_run(struct prefetch_reads *reads, enum prefetch_to to,
                        size_t distance, size_t steps);

#endif
