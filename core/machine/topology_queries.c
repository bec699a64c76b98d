/* What is asked of a topology that is loaded. */
#include <unistd.h>

#include "core/machine/topology.h"

const struct topology_cache *topology_cache(const struct topology *topology, int level,
                                            bool instruction)
{
    for (size_t i = 0; i < topology->cache_nr; i++)
        if (topology->cache[i].level == level &&
            topology->cache[i].instruction == instruction)
            return &topology->cache[i];
    return NULL;
}

int topology_said_line_bytes(const struct topology *topology)
{
    long said = 0;

    for (size_t i = 0; i < topology->cache_nr; i++)
        if (topology->cache[i].line_bytes > 0)
            return topology->cache[i].line_bytes;
#ifdef _SC_LEVEL1_DCACHE_LINESIZE
    said = sysconf(_SC_LEVEL1_DCACHE_LINESIZE);
#endif
    return said > 0 ? (int)said : 0;
}

int topology_line_bytes(const struct topology *topology)
{
    int said = topology_said_line_bytes(topology);

    return said ? said : 64;
}

int machine_cpus(const char *synthetic, struct machine_cpus *cpus, struct error *err)
{
    struct topology topology;

    *cpus = (struct machine_cpus){0};
    if (topology_load(synthetic, &topology, err))
        return -1;
    *cpus = topology.cpus;
    topology.cpus.cpu = NULL;
    topology_release(&topology);
    return 0;
}
