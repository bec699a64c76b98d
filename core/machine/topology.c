#include "core/machine/topology.h"

#include <errno.h>
#include <hwloc.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/machine/memory.h"

/* hwloc leaves out what the cgroup forbids; what the affinity of this process forbids we
 * take out here. */
static void restrict_to_affinity(hwloc_topology_t handle)
{
    hwloc_bitmap_t set = hwloc_bitmap_alloc();

    if (set && !hwloc_get_cpubind(handle, set, HWLOC_CPUBIND_PROCESS) &&
        !hwloc_bitmap_iszero(set))
        hwloc_topology_restrict(handle, set, 0);
    hwloc_bitmap_free(set);
}

/* A quota of processor time ("--cpus=2") would throttle more threads than that. 0 = none.
 */
static size_t quota_cores(void)
{
    struct buf text = {0};
    double quota = 0, period = 0;
    char *end;

    if (!file_read("/sys/fs/cgroup/cpu.max", &text, NULL)) {
        quota = strtod(buf_str(&text), &end);
        period = strtod(end, NULL);
    }
    buf_release(&text);
    if (quota <= 0 || period <= 0)
        return 0;
    return quota < period ? 1 : (size_t)(quota / period);
}

static void read_cores(struct topology *topology, bool here)
{
    hwloc_topology_t handle = topology->handle;
    bool has_cores = hwloc_get_nbobjs_by_type(handle, HWLOC_OBJ_CORE) > 0;
    hwloc_obj_type_t type = has_cores ? HWLOC_OBJ_CORE : HWLOC_OBJ_PU;
    int nr = hwloc_get_nbobjs_by_type(handle, type);
    struct machine_cpus *cpus = &topology->cpus;
    size_t quota = here ? quota_cores() : 0;

    cpus->cpu = xcalloc((size_t)nr, sizeof(*cpus->cpu));
    cpus->threads_per_core = 1;
    for (int i = 0; i < nr; i++) {
        hwloc_obj_t core = hwloc_get_obj_by_type(handle, type, (unsigned)i);
        int threads = hwloc_bitmap_weight(core->cpuset);

        cpus->cpu[cpus->cpu_nr++] = hwloc_bitmap_first(core->cpuset);
        if (threads > cpus->threads_per_core)
            cpus->threads_per_core = threads;
    }
    if (quota && quota < cpus->cpu_nr)
        cpus->cpu_nr = quota;
}

/* Cores of the whole instance: the complete set also holds what we may not use. Without
 * their objects their number follows from the threads of those we see. */
static int cores_under(hwloc_topology_t handle, hwloc_obj_t object, int threads_per_core)
{
    int pus = hwloc_bitmap_weight(object->complete_cpuset);
    int seen =
        hwloc_get_nbobjs_inside_cpuset_by_type(handle, object->cpuset, HWLOC_OBJ_CORE);
    int all = pus / threads_per_core;

    return all > seen ? all : seen > 0 ? seen : 1;
}

static void read_cache(struct topology *topology, hwloc_obj_type_t type)
{
    hwloc_obj_t object = hwloc_get_obj_by_type(topology->handle, type, 0);
    struct topology_cache *cache = &topology->cache[topology->cache_nr];

    if (!object || topology->cache_nr == TOPOLOGY_CACHES_MAX)
        return;
    *cache = (struct topology_cache){
        .level = (int)object->attr->cache.depth,
        .instruction = object->attr->cache.type == HWLOC_OBJ_CACHE_INSTRUCTION,
        .bytes = (double)object->attr->cache.size,
        .ways =
            object->attr->cache.associativity > 0 ? object->attr->cache.associativity : 0,
        .line_bytes = (int)object->attr->cache.linesize,
        .cores_sharing =
            cores_under(topology->handle, object, topology->cpus.threads_per_core),
    };
    topology->cache_nr++;
}

static void read_all(struct topology *topology, bool here)
{
    static const hwloc_obj_type_t caches[] = {HWLOC_OBJ_L1CACHE, HWLOC_OBJ_L2CACHE,
                                              HWLOC_OBJ_L3CACHE, HWLOC_OBJ_L4CACHE,
                                              HWLOC_OBJ_L1ICACHE};
    hwloc_topology_t handle = topology->handle;
    int sockets = hwloc_get_nbobjs_by_type(handle, HWLOC_OBJ_PACKAGE);
    int nodes = hwloc_get_nbobjs_by_type(handle, HWLOC_OBJ_NUMANODE);

    read_cores(topology, here);
    for (size_t i = 0; i < ARRAY_SIZE(caches); i++)
        read_cache(topology, caches[i]);
    topology->sockets = sockets > 0 ? sockets : 1;
    topology->numa_nodes = nodes > 0 ? nodes : 1;
    topology->memory_bytes = (double)hwloc_get_root_obj(handle)->total_memory;
    if (here &&
        memory_total_bytes() > 0) /* what was plugged in later is in no node of hwloc's */
        topology->memory_bytes = memory_total_bytes();
}

int topology_load(const char *synthetic, struct topology *topology, struct error *err)
{
    hwloc_topology_t handle;

    *topology = (struct topology){0};
    if (hwloc_topology_init(&handle))
        return fail(err, STATUS_FAILED, "cannot read the topology: %s", strerror(errno));
    topology->handle = handle;
    hwloc_topology_set_icache_types_filter(handle, HWLOC_TYPE_FILTER_KEEP_ALL);
    if (synthetic && hwloc_topology_set_synthetic(handle, synthetic)) {
        topology_release(topology);
        return fail(err, STATUS_INPUT, "'%s' is not a synthetic topology of hwloc",
                    synthetic);
    }
    if (hwloc_topology_load(handle)) {
        topology_release(topology);
        return fail(err, STATUS_FAILED, "cannot read the topology: %s", strerror(errno));
    }
    if (!synthetic)
        restrict_to_affinity(handle);
    read_all(topology, !synthetic);
    return 0;
}

void topology_release(struct topology *topology)
{
    if (topology->handle)
        hwloc_topology_destroy(topology->handle);
    free(topology->cpus.cpu);
    *topology = (struct topology){0};
}

int topology_pin(const struct topology *topology, int cpu)
{
    hwloc_bitmap_t set = hwloc_bitmap_alloc();
    int result;

    hwloc_bitmap_only(set, (unsigned)cpu);
    result = hwloc_set_cpubind(topology->handle, set, HWLOC_CPUBIND_THREAD);
    hwloc_bitmap_free(set);
    return result ? -1 : 0;
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

int topology_line_bytes(const struct topology *topology)
{
    for (size_t i = 0; i < topology->cache_nr; i++)
        if (topology->cache[i].line_bytes > 0)
            return topology->cache[i].line_bytes;
#ifdef _SC_LEVEL1_DCACHE_LINESIZE
    if (sysconf(_SC_LEVEL1_DCACHE_LINESIZE) > 0)
        return (int)sysconf(_SC_LEVEL1_DCACHE_LINESIZE);
#endif
    return 64;
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

static const char *kind_of(hwloc_obj_t node)
{
    return node->subtype ? node->subtype : "DRAM";
}

/* Of the cores we may use, those whose first thread is in the set. */
static void take_cores(const struct topology *topology, hwloc_const_bitmap_t set,
                       struct memory_site *site)
{
    site->cpu = xcalloc(topology->cpus.cpu_nr, sizeof(*site->cpu));
    for (size_t i = 0; i < topology->cpus.cpu_nr; i++)
        if (hwloc_bitmap_isset(set, (unsigned)topology->cpus.cpu[i]))
            site->cpu[site->cpu_nr++] = topology->cpus.cpu[i];
}

static void fill_site(const struct topology *topology, hwloc_obj_t node,
                      hwloc_obj_t first, struct memory_site *site)
{
    *site = (struct memory_site){.name = xasprintf("node %u", node->os_index),
                                 .kind = xstrdup(kind_of(node)),
                                 .node = (int)node->os_index,
                                 .local = true,
                                 .bytes = (double)node->attr->numanode.local_memory};
    take_cores(topology, node->cpuset, site);
    if (site->cpu_nr)
        return;
    free(site->cpu);
    site->local = hwloc_bitmap_isincluded(first->cpuset, node->cpuset);
    take_cores(topology, first->cpuset, site);
}

void topology_sites(const struct topology *topology, struct memory_site **site,
                    size_t *nr)
{
    hwloc_topology_t handle = topology->handle;
    int nodes = hwloc_get_nbobjs_by_type(handle, HWLOC_OBJ_NUMANODE);
    hwloc_obj_t first = hwloc_get_obj_by_type(handle, HWLOC_OBJ_NUMANODE, 0);

    *site = NULL;
    *nr = 0;
    if (nodes < 2)
        return;
    *site = xcalloc((size_t)nodes, sizeof(**site));
    for (int i = 0; i < nodes; i++)
        fill_site(topology,
                  hwloc_get_obj_by_type(handle, HWLOC_OBJ_NUMANODE, (unsigned)i), first,
                  &(*site)[(*nr)++]);
}

void memory_sites_release(struct memory_site *site, size_t nr)
{
    for (size_t i = 0; i < nr; i++) {
        free(site[i].name);
        free(site[i].kind);
        free(site[i].cpu);
    }
    free(site);
}

int topology_bind_memory(const struct topology *topology, void *base, size_t bytes,
                         int node)
{
    hwloc_bitmap_t set = hwloc_bitmap_alloc();
    int result;

    hwloc_bitmap_only(set, (unsigned)node);
    result =
        hwloc_set_area_membind(topology->handle, base, bytes, set, HWLOC_MEMBIND_BIND,
                               HWLOC_MEMBIND_BYNODESET | HWLOC_MEMBIND_MIGRATE);
    hwloc_bitmap_free(set);
    return result ? -1 : 0;
}
