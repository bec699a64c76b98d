#include "core/machine/load.h"

#include <math.h>

#include "core/machine/arch.h"

const double load_read_share[LOAD_MIXES] = {[LOAD_READ] = 1, [LOAD_COPY] = 2.0 / 3};
const double load_node_factor[LOAD_MIXES] = {[LOAD_READ] = 1, [LOAD_COPY] = 3};

size_t load_buffer_bytes(const struct probe *probe)
{
    const struct machine *machine = probe->machine;
    double cores = machine->cores, bytes = 64 << 20, available = memory_available_bytes();

    if (machine->level_nr) {
        const struct machine_level *last = &machine->level[machine->level_nr - 1];

        bytes = fmax(bytes, 4 * last->claimed_bytes / fmin(last->cores_sharing, cores));
    }
    if (available > 0)
        bytes = fmin(bytes, available / 4 / cores);
    return (size_t)fmax(bytes, 2 * HUGE_PAGE_BYTES);
}

static volatile uint64_t load_sink;

double load_burst(struct load_buffer *buffer, enum load_mix mix, size_t bytes)
{
    const struct arch_kernels *kernels = arch_kernels();
    size_t half = buffer->region.bytes / 2, room = mix == LOAD_READ ? 2 * half : half;
    char *base = buffer->region.base;

    if (buffer->at + bytes > room)
        buffer->at = 0;
    if (mix == LOAD_READ)
        load_sink = kernels->read(base + buffer->at, bytes);
    else
        kernels->copy(base + half + buffer->at, base + buffer->at, bytes);
    buffer->at += bytes;
    return (double)bytes * load_node_factor[mix];
}
