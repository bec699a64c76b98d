/* What is looked at once more, in a fifth of a second: the unloaded latency of memory,
 * which on shared machines moves by half within seconds, and with it every number of
 * lines in flight; and whether anything else runs. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/base/buf.h"
#include "core/files/fs.h"
#include "core/machine/probe/probe.h"
#include "core/machine/topology/arch.h"
#include "core/process/account.h"
#include "core/process/term.h"

static const size_t set_bytes = 256u << 20;

/* Of a last cache that is large against the set all lines could be warm from building
 * it: they are thrown out. Elsewhere the set is four times the cache, and that would only
 * take time. */
static void flush(const struct region *region, size_t node_bytes, double cache_bytes)
{
    if (cache_bytes * 4 <= (double)region->bytes)
        return;
    for (size_t at = 0; at < region->bytes; at += node_bytes)
        arch_flush(region->base + at);
}

static double last_cache_bytes(const struct topology *topology)
{
    double bytes = 0;

    for (int level = 1; level <= MACHINE_LEVELS_MAX; level++) {
        const struct topology_cache *cache = topology_cache(topology, level, false);

        if (cache)
            bytes = cache->bytes;
    }
    return bytes;
}

static void measure_latency(struct probe *probe)
{
    struct chase chase = {0};
    struct chase_plan plan = {.base = probe->huge.base,
                              .bytes = probe->huge.bytes,
                              .spacing = probe->node_bytes,
                              .order = CHASE_BLOCK_LOCAL,
                              .seed = 1};

    chase_build(&chase, &plan);
    flush(&probe->huge, probe->node_bytes, last_cache_bytes(&probe->topology));
    chase_run(&chase, 1, 20000); /* the clock rises, the first translations are made */
    probe->machine->memory_latency_ns = chase_latency(&chase, 0.12);
}

static size_t node_bytes_of(const struct topology *topology)
{
    size_t bytes = 2 * (size_t)topology_line_bytes(topology);

    return bytes < 128 ? 128 : bytes;
}

int machine_latency_now(struct quantity *latency_ns, struct error *err)
{
    struct machine here = {0};
    struct probe probe = {.machine = &here, .seconds = 1, .end_s = clock_s() + 1};
    double available = memory_available_bytes();
    size_t bytes = available > 0 && available / 8 < (double)set_bytes
                       ? (size_t)(available / 8)
                       : set_bytes;

    *latency_ns = quantity_unknown();
    if (topology_load(NULL, &probe.topology, err))
        return -1;
    probe.node_bytes = node_bytes_of(&probe.topology);
    enum account before = account_switch(ACCOUNT_MACHINE);
    int status = region_map(&probe.huge, bytes, true, err);
    if (!status)
        status = probe_on_first_core(&probe, measure_latency, err);
    if (!status)
        *latency_ns = here.memory_latency_ns;
    region_release(&probe.huge);
    topology_release(&probe.topology);
    account_switch(before);
    return status;
}

static void scale(struct quantity *latency_ns, double factor)
{
    *latency_ns = quantity_scale(*latency_ns, factor);
}

void machine_scale_latency(struct machine *machine, double factor)
{
    scale(&machine->memory_latency_ns, factor);
    for (size_t c = 0; c < machine->curve_nr; c++)
        for (size_t p = 0; p < machine->curve[c].point_nr; p++)
            scale(&machine->curve[c].point[p].latency_ns, factor);
}

/* Ticks of all processors by what they did, from the line "cpu" of /proc/stat: user,
 * nice, system, idle, iowait, irq, softirq, steal. */
enum { TICK_KINDS = 8, TICKS_IDLE = 3, TICKS_WAITING = 4 };

static bool read_ticks(const char *stat, double ticks[TICK_KINDS])
{
    char *end;

    if (strncmp(stat, "cpu ", 4) != 0)
        return false;
    stat += 4;
    for (int i = 0; i < TICK_KINDS; i++) {
        ticks[i] = strtod(stat, &end);
        if (end == stat)
            return false;
        stat = end;
    }
    return true;
}

double busy_between(const char *before, const char *after)
{
    double from[TICK_KINDS], to[TICK_KINDS], all = 0, idle;

    if (!read_ticks(before, from) || !read_ticks(after, to))
        return NAN;
    for (int i = 0; i < TICK_KINDS; i++)
        all += to[i] - from[i];
    idle = to[TICKS_IDLE] - from[TICKS_IDLE] + to[TICKS_WAITING] - from[TICKS_WAITING];
    return all > 0 ? fmax(1 - idle / all, 0) : NAN;
}

double machine_busy_now(void)
{
    const struct timespec look = {.tv_nsec = 250000000};
    struct buf before = {0}, after = {0};
    double busy = NAN;

    if (!file_read("/proc/stat", &before, NULL)) {
        nanosleep(&look, NULL);
        if (!file_read("/proc/stat", &after, NULL))
            busy = busy_between(buf_str(&before), buf_str(&after));
    }
    buf_release(&before);
    buf_release(&after);
    return busy;
}
