/* Private to core/machine: threads that load the memory at a set rate. */
#ifndef CORE_MACHINE_LOAD_H
#define CORE_MACHINE_LOAD_H

#include <stdatomic.h>

#include "core/machine/memory.h"
#include "core/machine/probe.h"

enum load_mix { LOAD_READ, LOAD_COPY, LOAD_MIXES };

/* Share of reads at the memory node. A copy reads its source, reads each destination line
 * before it is written (plain stores) and writes it back: 3 lines per line copied, 2 of
 * them read. */
extern const double load_read_share[LOAD_MIXES];
extern const double load_node_factor[LOAD_MIXES];

struct load_buffer {
    struct region region;
    size_t at;
};

/* Per core: enough that all of them together are far beyond the caches. */
size_t load_buffer_bytes(const struct probe *probe);
/* One burst of `bytes`; returns what went through the memory node. */
double load_burst(struct load_buffer *buffer, enum load_mix mix, size_t bytes);

#endif
