/* What is asked of a topology that is loaded; limits that hwloc does not know. */
#include <math.h>
#include <unistd.h>

#include "core/machine/topology/topology.h"

int topology_load(const char *spec, struct topology *topology, struct error *err)
{
    return topology_load_from(&(struct topology_source){.spec = spec}, topology, err);
}

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

/* The first core that has fewer usable hardware threads than that; cpu_nr = none. */
static size_t narrow_core(const struct topology *topology, int threads)
{
    size_t core = 0;

    while (core < topology->cpus.cpu_nr &&
           topology->core_start[core + 1] - topology->core_start[core] >= (size_t)threads)
        core++;
    return core;
}

int machine_cpus_smt(const char *synthetic, int threads, struct machine_cpus *cpus,
                     struct error *err)
{
    struct topology topology;
    int status = 0;

    *cpus = (struct machine_cpus){0};
    if (topology_load(synthetic, &topology, err))
        return -1;
    size_t cores = topology.cpus.cpu_nr, narrow = narrow_core(&topology, threads);
    if (narrow < cores)
        status = fail(err, STATUS_MISSING,
                      "%d hardware threads of a core were asked for; the core of "
                      "processor %d has %zu that this process may use",
                      threads, topology.cpus.cpu[narrow],
                      topology.core_start[narrow + 1] - topology.core_start[narrow]);
    *cpus = (struct machine_cpus){
        .cpu = xcalloc(cores * (size_t)threads + 1, sizeof(*cpus->cpu)),
        .threads_per_core = threads};
    for (size_t i = 0; !status && i < cores; i++)
        for (int k = 0; k < threads; k++)
            cpus->cpu[cpus->cpu_nr++] =
                topology.thread[topology.core_start[i] + (size_t)k];
    topology_release(&topology);
    if (status)
        free(cpus->cpu);
    if (status)
        *cpus = (struct machine_cpus){0};
    return status;
}

void topology_apply_quota(struct topology *topology, double processors)
{
    size_t allowed = processors < 1 ? 1 : (size_t)fmin(processors, 1e9);
    struct machine_cpus *cpus = &topology->cpus;

    if (processors < 1)
        strvec_pushf(&topology->note,
                     "a container's quota allows %.2g of one core: what runs here is "
                     "throttled",
                     processors);
    else if (allowed < cpus->cpu_nr)
        strvec_pushf(&topology->note, "a container's quota allows %zu of %zu cores",
                     allowed, cpus->cpu_nr);
    if (allowed < cpus->cpu_nr)
        cpus->cpu_nr = allowed;
}
