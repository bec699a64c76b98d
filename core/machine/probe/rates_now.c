/* Bandwidth at this moment, without a profile. */
#include <stdlib.h>

#include "core/machine/curves/rate_sets.h"
#include "core/machine/profile/here.h"

static size_t set_bytes(const struct machine *machine, int level, size_t cores)
{
    if (level == 0)
        return rate_memory_bytes(machine, cores, memory_available_bytes());
    for (int i = 0; i < machine->level_nr; i++)
        if (machine->level[i].level == level)
            return rate_level_bytes(machine, i);
    return 0;
}

static int measure(const struct topology *topology, int level, size_t cores,
                   struct rate_set *set, struct error *err)
{
    struct rate_plan plan = {
        .cores = cores, .set = set, .set_nr = 1, .rounds = 15, .seconds = 2};

    if (!set->bytes && level)
        return fail(err, STATUS_MISSING, "there is no cache level %d to measure", level);
    if (!set->bytes)
        return fail(err, STATUS_MISSING,
                    "too little free memory to get beyond the last cache level");
    return rates_measure(topology, &plan, err);
}

int machine_rates_now(int level, bool all_cores, struct machine_rates *rates,
                      double *core_bytes, struct error *err)
{
    struct topology topology = {0};
    struct machine machine = {0};
    struct rate_set set = {.kinds = (1 << RATE_RANDOM) - 1, .cached = level > 0};
    size_t cores;
    int result;

    if (topology_load(NULL, &topology, err))
        return -1;
    machine_identify(&topology, &machine);
    free(machine.fingerprint); /* nothing was probed: the documented sizes are all */
    machine.fingerprint = NULL;
    cores = all_cores ? topology.cpus.cpu_nr : 1;
    set.bytes = set_bytes(&machine, level, cores);
    result = measure(&topology, level, cores, &set, err);
    if (!result) {
        *rates = set.rates;
        *core_bytes = (double)set.bytes;
    }
    machine_release(&machine);
    topology_release(&topology);
    return result;
}
