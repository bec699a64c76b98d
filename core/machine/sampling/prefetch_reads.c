#include "core/machine/sampling/prefetch_reads.h"

#include <assert.h>
#include <stdlib.h>

#include "core/base/array.h"
#include "core/machine/sampling/pointer_chase.h"

/* Keeps the sums alive. */
static volatile uint64_t sink;

/* Of __builtin_prefetch: 3 = prefetcht0, PLDL1KEEP; 2 = prefetcht1, PLDL2KEEP. The
 * locality must be a constant: one function for each. */
#define NO_PREFETCH(address) ((void)(address))
#define TO_L2(address)       __builtin_prefetch((address), 0, 2)
#define TO_L1(address)       __builtin_prefetch((address), 0, 3)
#define DEFINE_READS(name, PREFETCH)                                                     \
    static void name(const char *base, const uint32_t *order, size_t node_bytes,         \
                     size_t distance, size_t steps)                                      \
    {                                                                                    \
        uint64_t sum = 0;                                                                \
                                                                                         \
        for (size_t i = 0; i < steps; i++) {                                             \
            PREFETCH(base + order[i + distance] * node_bytes);                           \
            sum += *(const uint64_t *)(const void *)(base + order[i] * node_bytes);      \
        }                                                                                \
        sink = sum;                                                                      \
    }

DEFINE_READS(read_plain, NO_PREFETCH)
DEFINE_READS(read_to_l2, TO_L2)
DEFINE_READS(read_to_l1, TO_L1)

static void (*const kernel[PREFETCH_KINDS])(const char *base, const uint32_t *order,
                                            size_t node_bytes, size_t distance,
                                            size_t steps) = {
    [PREFETCH_NONE] = read_plain,
    [PREFETCH_L2] = read_to_l2,
    [PREFETCH_L1] = read_to_l1,
};

void prefetch_reads_init(struct prefetch_reads *reads, const char *base, size_t bytes,
                         size_t node_bytes, size_t block_nodes)
{
    uint64_t state = 5;
    size_t nr = bytes / node_bytes;

    assert(nr > PREFETCH_DISTANCE_MAX);
    *reads =
        (struct prefetch_reads){.base = base, .node_nr = nr, .node_bytes = node_bytes};
    reads->order = xcalloc(nr, sizeof(*reads->order));
    random_order(reads->order, nr, block_nodes ? block_nodes : nr, &state);
}

void prefetch_reads_release(struct prefetch_reads *reads)
{
    free(reads->order);
    *reads = (struct prefetch_reads){0};
}

void prefetch_reads_run(struct prefetch_reads *reads, enum prefetch_to to,
                        size_t distance, size_t steps)
{
    size_t end = reads->node_nr - PREFETCH_DISTANCE_MAX;

    assert(distance <= PREFETCH_DISTANCE_MAX);
    while (steps) {
        size_t part = end - reads->at < steps ? end - reads->at : steps;

        kernel[to](reads->base, reads->order + reads->at, reads->node_bytes, distance,
                   part);
        reads->at = reads->at + part == end ? 0 : reads->at + part;
        steps -= part;
    }
}
