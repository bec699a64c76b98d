/*
 * Private to core/machine: pointer chases. A chase is one cycle through all its nodes; up
 * to CHASE_CHAINS_MAX lanes walk it at equal distance, and each lane is one dependent
 * load after the other.
 */
#ifndef CORE_MACHINE_POINTER_CHASE_H
#define CORE_MACHINE_POINTER_CHASE_H

#include <stddef.h>
#include <stdint.h>

#include "core/machine/sampling/repeat.h"

enum { CHASE_CHAINS_MAX = REP_MAX };

enum chase_order {
    CHASE_BLOCK_LOCAL, /* random inside 2 MiB blocks, blocks shuffled: few TLB misses */
    CHASE_RANDOM,      /* fully random */
    CHASE_PAGES /* one node a page, at a random line of it; `spacing` is the page */
};

struct chase_plan {
    char *base;
    size_t bytes;
    size_t spacing; /* bytes from node to node */
    size_t offset;  /* of the pointer in its node: several chases can live in the same
                       nodes */
    size_t line;    /* CHASE_PAGES: line size */
    enum chase_order order;
    uint64_t seed;
};

struct chase {
    void *at[CHASE_CHAINS_MAX]; /* the lanes; they move on with every run, so that no run
                                  meets a warm trail */
    size_t node_nr;
};

void chase_build(struct chase *chase, const struct chase_plan *plan);
/* `chain_nr` lanes (of all, evenly chosen) take `steps` steps each, side by side. */
void chase_run(struct chase *chase, int chain_nr, size_t steps);

/* Every node once or more, with all lanes: brings the chase into the cache it fits in. */
void chase_warm(struct chase *chase);

/* The numbers 0 to nr - 1, random inside blocks of `block_nodes`, the blocks shuffled;
 * fully random with block_nodes = nr. */
void random_order(uint32_t *order, size_t nr, size_t block_nodes, uint64_t *state);

#endif
