/*
 * The latency of memory as `inflight machine` measures it, beside a plain pointer chase
 * that shares nothing with it: own memory, own cycles (Sattolo), own clock reading. Both
 * in turn, [N] times (11). Block-local cycles are compared with the probe's latency,
 * fully random ones with the probe's latency plus the translation of a quick profile made
 * first. Prints a table and whether the medians of the ratios are within 10 %; exit 1
 * when the block-local one is not. The other decides nothing: in a guest translation
 * differs from one allocation to the next, with the pages by which the host backs it.
 */
#define _GNU_SOURCE /* MADV_HUGEPAGE, sched_setaffinity */
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

#include "bench/bench.h"
#include "core/machine/machine.h"

enum { NODE = 128, BLOCK = 2 << 20, REPEATS_MAX = 1000 };

static const size_t set_bytes = 1u << 30;

/* Processor time: what other programs take of the core is no latency. */
static double now_s(void)
{
    struct timespec now;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static uint64_t xorshift(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static void **node_at(char *base, size_t node, size_t offset)
{
    return (void **)(void *)(base + node * NODE + offset);
}

/* Sattolo: every node points to itself, then swapping each with a lower one leaves one
 * cycle. */
static void sattolo(char *base, size_t nodes, size_t offset, uint64_t *state)
{
    for (size_t i = 0; i < nodes; i++)
        *node_at(base, i, offset) = node_at(base, i, offset);
    for (size_t i = nodes; i-- > 1;) {
        size_t j = xorshift(state) % i;
        void *kept = *node_at(base, i, offset);

        *node_at(base, i, offset) = *node_at(base, j, offset);
        *node_at(base, j, offset) = kept;
    }
}

/* One cycle in each block, opened at its first node and joined to the next block's; the
 * blocks in a stride that is odd against their number, so that none follows its
 * neighbour. */
static void block_local(char *base, size_t offset, uint64_t *state)
{
    size_t blocks = set_bytes / BLOCK, stride = (blocks * 5 / 8) | 1, at = 0;
    void **open = NULL, *first = NULL;

    for (size_t i = 0; i < blocks; i++, at = (at + stride) % blocks) {
        char *block = base + at * BLOCK;
        void **start = node_at(block, 0, offset);

        sattolo(block, BLOCK / NODE, offset, state);
        if (open)
            *open = *start; /* the second node of this block's cycle */
        else
            first = *start;
        open = start;
    }
    *open = first;
}

/* Median of 50 windows of some 2 ms. */
static double chase_ns(void **at)
{
    double window[50];

    for (size_t i = 0; i < ARRAY_SIZE(window); i++) {
        void **p = *(void ***)at;
        double start = now_s();

        for (size_t step = 0; step < 16384; step++)
            p = *p;
        window[i] = (now_s() - start) / 16384 * 1e9;
        *at = p;
    }
    return median_sorting(window, ARRAY_SIZE(window));
}

/* The extra latency of a fully random access, from a quick profile made now. */
static double translation_ns(void)
{
    struct machine machine;
    struct machine_probe_opts opts = {.quick = true};
    struct error err = {0};
    double ns = NAN;

    fprintf(stderr, "bench: quick profile ...\n");
    if (machine_probe(&opts, &machine, &err)) {
        fprintf(stderr, "bench: %s\n", err.text);
        return NAN;
    }
    if (machine.huge_pages.translation_ns.known)
        ns = machine.huge_pages.translation_ns.value;
    machine_release(&machine);
    return ns;
}

/* Prints the row of one comparison; true if its median is within 10 %. */
static bool compare(const char *name, double *probe, double *chase, size_t nr)
{
    double ratio[REPEATS_MAX], middle;

    for (size_t i = 0; i < nr; i++)
        ratio[i] = probe[i] / chase[i];
    middle = median_sorting(ratio, nr); /* sorts */
    printf("| %s | %.1f ns | %.1f ns | %.3f (%.3f to %.3f) | %s |\n", name,
           median_sorting(probe, nr), median_sorting(chase, nr), middle, ratio[nr / 4],
           ratio[nr - 1 - nr / 4], fabs(middle - 1) <= 0.1 ? "yes" : "no");
    return fabs(middle - 1) <= 0.1;
}

static char *map_set(void)
{
    char *mapping = mmap(NULL, set_bytes + BLOCK, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    uintptr_t start = ((uintptr_t)mapping + BLOCK - 1) / BLOCK * BLOCK;

    if (mapping == MAP_FAILED)
        return NULL;
    madvise((void *)start, set_bytes, MADV_HUGEPAGE);
    return (char *)start;
}

static void pin_to_first(void)
{
    cpu_set_t set, first;

    CPU_ZERO(&first);
    if (sched_getaffinity(0, sizeof(set), &set))
        return;
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &set)) {
            CPU_SET(cpu, &first);
            sched_setaffinity(0, sizeof(first), &first);
            return;
        }
}

static int repeat(char *base, size_t repeats, double extra_ns)
{
    static double probe[REPEATS_MAX], local[REPEATS_MAX], random[REPEATS_MAX],
        whole[REPEATS_MAX];
    void *at_local = base, *at_random = base + sizeof(void *);
    struct error err = {0};
    bool within;

    for (size_t i = 0; i < repeats; i++) {
        struct quantity now = quantity_unknown();

        if (i % 2) /* in turn: a drift leans to neither side */
            local[i] = chase_ns(&at_local);
        if (machine_latency_now(&now, &err)) {
            fprintf(stderr, "bench: %s\n", err.text);
            return 1;
        }
        if (i % 2 == 0)
            local[i] = chase_ns(&at_local);
        random[i] = chase_ns(&at_random);
        probe[i] = now.value;
        whole[i] = now.value + extra_ns;
    }
    puts("| order | probe | plain chase | ratio (quartiles) | within 10 % |");
    puts("|---|---|---|---|---|");
    within = compare("block-local", probe, local, repeats);
    if (!isnan(extra_ns))
        compare("fully random, fill + translation", whole, random, repeats);
    return !within;
}

int main(int argc, char **argv)
{
    size_t repeats = argc > 1 ? strtoul(argv[1], NULL, 10) : 11;
    uint64_t state = 88172645463325252;
    double extra_ns;
    char *base;

    if (repeats < 1 || repeats > REPEATS_MAX) {
        fprintf(stderr, "usage: latency [1 to %d, default 11]\n", REPEATS_MAX);
        return 2;
    }
    extra_ns = translation_ns();
    base = map_set();
    if (!base) {
        fprintf(stderr, "bench: cannot get %zu MiB of memory\n", set_bytes >> 20);
        return 1;
    }
    pin_to_first();
    block_local(base, 0, &state);
    sattolo(base, set_bytes / NODE, sizeof(void *), &state);
    return repeat(base, repeats, extra_ns);
}
