#include "core/machine/sampling/load.h"

#include <math.h>

#include "core/machine/topology/arch.h"

/* Lines that the loop itself reads and stores. */
static const struct {
    double reads, stores;
    bool nontemporal;
} loop[LOAD_MIXES] = {
    [LOAD_READ] = {.reads = 1},
    [LOAD_COPY] = {.reads = 1, .stores = 1},
    [LOAD_WRITE] = {.stores = 1},
    [LOAD_NONTEMPORAL] = {.stores = 1, .nontemporal = true},
};

static double node_reads(enum load_mix mix, double store_read_factor)
{
    double first = loop[mix].nontemporal ? 0 : store_read_factor;

    return loop[mix].reads + first * loop[mix].stores;
}

double load_node_lines(enum load_mix mix, double store_read_factor)
{
    return node_reads(mix, store_read_factor) + loop[mix].stores;
}

double load_read_share(enum load_mix mix, double store_read_factor)
{
    return node_reads(mix, store_read_factor) / load_node_lines(mix, store_read_factor);
}

size_t load_buffer_bytes(const struct probe *probe)
{
    const struct machine *machine = probe->machine;
    double cores = machine->cores, bytes = 64 << 20, available = memory_available_bytes();

    if (machine->level_nr)
        bytes =
            fmax(bytes, fmin(4 * machine_share_max_bytes(machine, machine->level_nr - 1),
                             1 << 30));
    if (available > 0)
        bytes = fmin(bytes, available / 4 / cores);
    return (size_t)fmax(bytes, 2 * HUGE_PAGE_BYTES);
}

static volatile uint64_t load_sink;

/* A copy goes from the first half of the buffer to the second. */
static void run_loop(enum load_mix mix, char *at, size_t half, size_t bytes)
{
    const struct arch_kernels *kernels = arch_kernels();

    switch (mix) {
    case LOAD_COPY:
        kernels->copy(at + half, at, bytes);
        break;
    case LOAD_WRITE:
        kernels->write(at, bytes);
        break;
    case LOAD_NONTEMPORAL:
        kernels->nontemporal(at, bytes);
        break;
    default:
        load_sink = kernels->read(at, bytes);
    }
}

double load_burst(struct load_buffer *buffer, enum load_mix mix, size_t bytes)
{
    size_t half = buffer->region.bytes / 2;
    size_t room = mix == LOAD_COPY ? half : buffer->region.bytes;

    if (buffer->at + bytes > room)
        buffer->at = 0;
    run_loop(mix, buffer->region.base + buffer->at, half, bytes);
    buffer->at += bytes;
    return (double)bytes * load_node_lines(mix, 1 - buffer->evaded);
}
