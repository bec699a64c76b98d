#include "core/machine/sampling/bursts.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/random.h"
#include "core/machine/sampling/pointer_chase.h"
#include "core/machine/sampling/trial.h"
#include "core/machine/topology/arch.h"

/* Lines of one sample. */
enum { SAMPLE_NODES = 2048, PAGE_BYTES = 4096, TRIES = 8 };

static uint64_t word_at(const char *base, uint64_t node, size_t node_bytes, uint64_t zero)
{
    return *(const uint64_t *)(const void *)(base + node * node_bytes + zero);
}

/*
 * `bursts` bursts of n nodes. The sum of a burst is 0, but nobody knows before all its
 * words are there, and the next burst's addresses hold it. Four numbers of nodes are one
 * load: the queue of loads is to hold misses.
 */
static uint64_t run(const char *base, const uint16_t *node, size_t node_bytes, size_t n,
                    size_t bursts)
{
    uint64_t sum = 0;

    while (bursts--) {
        uint64_t zero = sum, now = 0;
        size_t i = 0;

        for (; i + 4 <= n; i += 4, node += 4) {
            uint64_t four;

            memcpy(&four, node, sizeof(four));
            now += word_at(base, four & 0xffff, node_bytes, zero) +
                   word_at(base, four >> 16 & 0xffff, node_bytes, zero) +
                   word_at(base, four >> 32 & 0xffff, node_bytes, zero) +
                   word_at(base, four >> 48, node_bytes, zero);
        }
        for (; i < n; i++)
            now += word_at(base, *node++, node_bytes, zero);
        sum = now;
    }
    return sum;
}

/* Keeps the sums alive. */
static volatile uint64_t sink;

/* Some block of the memory, its nodes in random order, none of them cached, and all its
 * translations made. */
static char *choose_block(struct bursts *bursts, uint16_t *node)
{
    static const size_t other_line = 64; /* which belongs to no node */
    size_t nodes = BURSTS_BLOCK_BYTES / bursts->node_bytes,
           blocks = bursts->bytes / BURSTS_BLOCK_BYTES;
    char *base =
        bursts->base + random_next(&bursts->random) % blocks * (size_t)BURSTS_BLOCK_BYTES;
    uint32_t order[BURSTS_NODES_MAX];

    random_order(order, nodes, nodes, &bursts->random);
    for (size_t i = 0; i < nodes; i++) {
        node[i] = (uint16_t)order[i];
        arch_flush(base + i * bursts->node_bytes + BURSTS_OFFSET);
    }
    for (size_t i = 0; i < BURSTS_BLOCK_BYTES; i += PAGE_BYTES)
        sink += *(volatile uint64_t *)(void *)(base + i + other_line);
    return base + BURSTS_OFFSET;
}

/* False when it was disturbed. */
static bool sample(struct bursts *bursts, size_t n, double *ns)
{
    uint16_t node[BURSTS_NODES_MAX];
    size_t repeats = SAMPLE_NODES / n;
    const char *base = choose_block(bursts, node);
    struct watch start = watch_now(), end;

    sink += run(base, node, bursts->node_bytes, n, repeats);
    end = watch_now();
    *ns = (end.wall_s - start.wall_s) / (double)repeats * 1e9;
    return !watch_was_disturbed(&start, &end);
}

bool bursts_round(struct bursts *bursts)
{
    double ns[BURSTS_MAX];
    size_t alloc = bursts->alloc;

    assert(bursts->node_bytes >= 128 && bursts->bytes >= BURSTS_BLOCK_BYTES);
    for (size_t i = 0; i < BURSTS_MAX; i++) {
        int tries = 0;

        while (!sample(bursts, i + 1, &ns[i]))
            if (++tries == TRIES)
                return false;
    }
    for (size_t i = 0; i < BURSTS_MAX; i++) {
        alloc = bursts->alloc;
        GROW(bursts->burst_ns[i], bursts->rounds + 1, alloc);
        bursts->burst_ns[i][bursts->rounds] = ns[i];
    }
    bursts->alloc = alloc;
    bursts->rounds++;
    return true;
}

void bursts_release(struct bursts *bursts)
{
    for (size_t i = 0; i < BURSTS_MAX; i++)
        free(bursts->burst_ns[i]);
    *bursts = (struct bursts){0};
}
