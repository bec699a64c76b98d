/* The unloaded latency of memory once more, in a fifth of a second: on shared machines it
 * moves by half within seconds, and with it every number of lines in flight. */
#include <stdlib.h>

#include "core/machine/probe.h"

static const size_t set_bytes = 256u << 20;

static void measure_latency(struct probe *probe)
{
    struct chase chase = {0};
    struct chase_plan plan = {.base = probe->huge.base,
                              .bytes = probe->huge.bytes,
                              .spacing = probe->node_bytes,
                              .order = CHASE_BLOCK_LOCAL,
                              .seed = 1};
    struct trials trials = {0};

    chase_build(&chase, &plan);
    size_t one = add_chase(&trials, &chase, 1, false, 2e-3);
    trials_run(&trials, 61, clock_s() + 0.15);
    probe->machine->memory_latency_ns = trial_ns(&trials, one);
    trials_release(&trials);
}

int machine_latency_now(struct quantity *latency_ns, struct error *err)
{
    struct machine here = {0};
    struct probe probe = {.machine = &here, .seconds = 1, .end_s = clock_s() + 1};

    *latency_ns = quantity_unknown();
    if (topology_load(NULL, &probe.topology, err))
        return -1;
    probe.node_bytes = 2 * (size_t)topology_line_bytes(&probe.topology);
    int status = region_map(&probe.huge, set_bytes, true, err);
    if (!status)
        status = probe_on_first_core(&probe, measure_latency, err);
    if (!status)
        *latency_ns = here.memory_latency_ns;
    region_release(&probe.huge);
    topology_release(&probe.topology);
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
