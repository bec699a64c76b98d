/* Private to core/machine: threads that load the memory at a set rate. */
#ifndef CORE_MACHINE_LOAD_H
#define CORE_MACHINE_LOAD_H

#include <stdatomic.h>

#include "core/machine/probe/probe.h"
#include "core/machine/topology/memory.h"

/* Non-temporal stores come last: some CPUs have none. */
enum load_mix { LOAD_READ, LOAD_COPY, LOAD_WRITE, LOAD_NONTEMPORAL, LOAD_MIXES };

/*
 * What goes through the memory node per line that the loop touches. Assumed, not counted:
 * a plain store reads its line first (read for ownership) and the line is written back
 * later, a non-temporal store only writes. `store_read_factor` (0 to 1, as in struct
 * machine) is the share of plain stores that do read. With 1 a copy moves 3 lines, 2 of
 * them read, and a stream of plain stores 2 lines, 1 of them read.
 */
double load_node_lines(enum load_mix mix, double store_read_factor);
/* Share of reads in that traffic. */
double load_read_share(enum load_mix mix, double store_read_factor);

struct load_buffer {
    struct region region;
    size_t at;
    double evaded; /* 1 - store_read_factor; 0 = every plain store reads its line first */
};

/* Per core: enough that all of them together are far beyond the caches. */
size_t load_buffer_bytes(const struct probe *probe);
/* One burst of `bytes`, a multiple of 512; returns what went through the memory node. */
double load_burst(struct load_buffer *buffer, enum load_mix mix, size_t bytes);

#endif
