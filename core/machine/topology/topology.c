#include "core/machine/topology/topology.h"

#include <errno.h>
#include <hwloc.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/error.h"
#include "core/machine/topology/cgroup.h"
#include "core/machine/topology/memory.h"

/* Cores of kinds whose speeds differ by less than this are alike: of equal cores some may
 * boost a little higher than others, and hwloc then ranks them. */
static const double alike_from = 0.9;

/* ---- which processors ---- */

/* hwloc knows no cores where the system tells none: then each hardware thread is one. */
static hwloc_obj_type_t core_type(hwloc_topology_t handle)
{
    return hwloc_get_nbobjs_by_type(handle, HWLOC_OBJ_CORE) > 0 ? HWLOC_OBJ_CORE
                                                                : HWLOC_OBJ_PU;
}

/* Objects with at least one thread in the set. */
static int objects_in(hwloc_topology_t handle, hwloc_obj_type_t type,
                      hwloc_const_bitmap_t set)
{
    hwloc_obj_t object = NULL;
    int nr = 0;

    while ((object = hwloc_get_next_obj_by_type(handle, type, object)))
        nr += hwloc_bitmap_intersects(object->cpuset, set);
    return nr;
}

static int cores_in(hwloc_topology_t handle, hwloc_const_bitmap_t set)
{
    return objects_in(handle, core_type(handle), set);
}

/* Narrows `usable` to `allowed` and says so. What would leave nothing is not believed. */
static void narrow(struct topology *topology, hwloc_bitmap_t usable,
                   hwloc_const_bitmap_t allowed, const char *who)
{
    int before = cores_in(topology->handle, usable), after;

    if (!hwloc_bitmap_intersects(usable, allowed))
        return;
    hwloc_bitmap_and(usable, usable, allowed);
    after = cores_in(topology->handle, usable);
    if (after < before)
        strvec_pushf(&topology->note, "%s allows %d of %d cores", who, after, before);
}

static void narrow_to_affinity(const struct topology_source *source,
                               struct topology *topology, hwloc_bitmap_t usable)
{
    hwloc_bitmap_t set = hwloc_bitmap_alloc();

    if (source->affinity ? !hwloc_bitmap_list_sscanf(set, source->affinity)
                         : !source->spec && !hwloc_get_cpubind(topology->handle, set,
                                                               HWLOC_CPUBIND_PROCESS))
        narrow(topology, usable, set, "affinity");
    hwloc_bitmap_free(set);
}

struct kind {
    hwloc_bitmap_t set;
    int efficiency; /* -1 = not ranked */
    unsigned info_nr;
    struct hwloc_info_s *info;
};

static struct kind kind_at(hwloc_topology_t handle, unsigned index)
{
    struct kind kind = {.set = hwloc_bitmap_alloc()};

    hwloc_cpukinds_get_info(handle, index, kind.set, &kind.efficiency, &kind.info_nr,
                            &kind.info, 0);
    return kind;
}

static const char *info_of(const struct kind *kind, const char *name)
{
    for (unsigned i = 0; i < kind->info_nr; i++)
        if (strcmp(kind->info[i].name, name) == 0)
            return kind->info[i].value;
    return NULL;
}

/* Both tell a speed, and they are about the same. */
static bool is_as_fast(const struct kind *a, const struct kind *best)
{
    static const char *const speed[] = {"LinuxCapacity", "FrequencyBaseMHz",
                                        "FrequencyMaxMHz"};

    for (size_t i = 0; i < ARRAY_SIZE(speed); i++) {
        const char *mine = info_of(a, speed[i]), *other = info_of(best, speed[i]);

        if (mine && other)
            return strtod(mine, NULL) >= alike_from * strtod(other, NULL);
    }
    return false;
}

static bool is_as_capable(const struct kind *a, const struct kind *best)
{
    const char *mine = info_of(a, "CoreType"), *other = info_of(best, "CoreType");
    bool same_type = !mine == !other && (!mine || strcmp(mine, other) == 0);

    return a->efficiency < 0 || a->efficiency == best->efficiency ||
           (same_type && is_as_fast(a, best));
}

/* Kinds ascend in what they can do. Leaves the most capable ones that we may use. */
static void narrow_to_best_kind(struct topology *topology, hwloc_bitmap_t usable)
{
    int nr = hwloc_cpukinds_get_nr(topology->handle, 0);
    int before = cores_in(topology->handle, usable), after;
    struct kind best = {0};

    for (int i = nr; i-- > 0;) {
        struct kind kind = kind_at(topology->handle, (unsigned)i);

        if (!best.set && hwloc_bitmap_intersects(kind.set, usable)) {
            best = kind;
            continue;
        }
        if (best.set && !is_as_capable(&kind, &best))
            hwloc_bitmap_andnot(usable, usable, kind.set);
        hwloc_bitmap_free(kind.set);
    }
    hwloc_bitmap_free(best.set);
    after = cores_in(topology->handle, usable);
    if (after < before)
        strvec_pushf(&topology->note,
                     "%d of %d cores are of a slower kind and were left out",
                     before - after, before);
}

/* Caller frees. */
static hwloc_bitmap_t usable_processors(const struct topology_source *source,
                                        struct topology *topology)
{
    hwloc_bitmap_t usable =
        hwloc_bitmap_dup(hwloc_topology_get_topology_cpuset(topology->handle));

    narrow(topology, usable, hwloc_topology_get_allowed_cpuset(topology->handle),
           "the cpuset of a container or control group");
    narrow_to_affinity(source, topology, usable);
    narrow_to_best_kind(topology, usable);
    return usable;
}

static void read_cores(struct topology *topology, hwloc_const_bitmap_t usable)
{
    hwloc_bitmap_t threads = hwloc_bitmap_alloc();
    struct machine_cpus *cpus = &topology->cpus;
    hwloc_obj_t core = NULL;
    int min = INT_MAX;
    unsigned cpu;

    size_t cores = (size_t)cores_in(topology->handle, usable);
    cpus->cpu = xcalloc(cores, sizeof(*cpus->cpu));
    topology->thread = xcalloc((size_t)hwloc_bitmap_weight(usable) + 1, sizeof(int));
    topology->core_start = xcalloc(cores + 1, sizeof(*topology->core_start));
    while ((core = hwloc_get_next_obj_by_type(topology->handle,
                                              core_type(topology->handle), core))) {
        int nr;

        hwloc_bitmap_and(threads, core->cpuset, usable);
        nr = hwloc_bitmap_weight(threads);
        if (nr < 1)
            continue;
        size_t *end = &topology->core_start[cpus->cpu_nr + 1];
        *end = end[-1];
        hwloc_bitmap_foreach_begin(cpu, threads) topology->thread[(*end)++] = (int)cpu;
        hwloc_bitmap_foreach_end();
        cpus->cpu[cpus->cpu_nr++] = hwloc_bitmap_first(threads);
        cpus->threads_per_core =
            nr > cpus->threads_per_core ? nr : cpus->threads_per_core;
        min = nr < min ? nr : min;
    }
    hwloc_bitmap_free(threads);
    if (min < cpus->threads_per_core)
        strvec_pushf(&topology->note,
                     "some cores have %d usable hardware threads, some %d",
                     cpus->threads_per_core, min);
}

/* ---- caches ---- */

static hwloc_obj_t thread_of(const struct topology *topology, size_t core)
{
    return hwloc_get_pu_obj_by_os_index(topology->handle,
                                        (unsigned)topology->cpus.cpu[core]);
}

static hwloc_obj_t cache_of(const struct topology *topology, hwloc_obj_type_t type,
                            size_t core)
{
    return hwloc_get_ancestor_obj_by_type(topology->handle, type,
                                          thread_of(topology, core));
}

static void read_cache(struct topology *topology, hwloc_obj_type_t type)
{
    hwloc_obj_t object = cache_of(topology, type, 0);
    const struct hwloc_cache_attr_s *attr;

    if (!object || topology->cache_nr == TOPOLOGY_CACHES_MAX)
        return;
    attr = &object->attr->cache;
    topology->cache[topology->cache_nr++] = (struct topology_cache){
        .level = (int)attr->depth,
        .instruction = attr->type == HWLOC_OBJ_CACHE_INSTRUCTION,
        .bytes = (double)attr->size,
        .ways = attr->associativity > 0 ? attr->associativity : 0,
        .line_bytes = (int)attr->linesize,
        .cores_sharing = cores_in(topology->handle, object->cpuset),
    };
}

/* Cores may have caches of different sizes; the profile has one size per level. */
static void note_other_sizes(struct topology *topology, hwloc_obj_type_t type)
{
    hwloc_obj_t first = cache_of(topology, type, 0);
    size_t other = 0;

    for (size_t i = 1; i < topology->cpus.cpu_nr; i++) {
        hwloc_obj_t cache = cache_of(topology, type, i);

        other += (cache ? cache->attr->cache.size : 0) !=
                 (first ? first->attr->cache.size : 0);
    }
    if (other)
        strvec_pushf(&topology->note,
                     "%zu of %zu cores have another L%d than the first core, whose "
                     "caches are described",
                     other, topology->cpus.cpu_nr, (int)(type - HWLOC_OBJ_L1CACHE) + 1);
}

static void read_caches(struct topology *topology)
{
    static const hwloc_obj_type_t caches[] = {HWLOC_OBJ_L1CACHE, HWLOC_OBJ_L2CACHE,
                                              HWLOC_OBJ_L3CACHE, HWLOC_OBJ_L4CACHE,
                                              HWLOC_OBJ_L1ICACHE};

    for (size_t i = 0; i < ARRAY_SIZE(caches); i++)
        read_cache(topology, caches[i]);
    for (size_t i = 0; i + 1 < ARRAY_SIZE(caches); i++)
        note_other_sizes(topology, caches[i]);
}

/* ---- memory ---- */

/* hwloc names what is not plain memory, by the firmware's attributes or the driver's. */
static const char *kind_of_memory(hwloc_obj_t node)
{
    static const char *const given[] = {"MemoryTier", "DAXType"};

    if (node->subtype)
        return node->subtype;
    for (size_t i = 0; i < ARRAY_SIZE(given); i++) {
        const char *value = hwloc_obj_get_info_by_name(node, given[i]);

        if (value && !strchr("0123456789", value[0])) /* old tiers are numbers */
            return value;
    }
    return hwloc_obj_get_info_by_name(node, "DAXDevice") ? MEMORY_OF_NO_CORES : "DRAM";
}

/* A node without cores of its own gets those of what it is attached to: of a socket or
 * machine that has nodes with cores of their own. */
static bool is_without_cores(const struct topology *topology, hwloc_obj_t node)
{
    hwloc_obj_t other = NULL;

    while (
        (other = hwloc_get_next_obj_by_type(topology->handle, HWLOC_OBJ_NUMANODE, other)))
        if (!hwloc_bitmap_iszero(other->cpuset) &&
            hwloc_bitmap_isincluded(other->cpuset, node->cpuset) &&
            !hwloc_bitmap_isequal(other->cpuset, node->cpuset))
            return true;
    return hwloc_bitmap_iszero(node->cpuset);
}

static bool is_in_first_socket(const struct topology *topology, hwloc_obj_t node)
{
    hwloc_obj_t socket = hwloc_get_ancestor_obj_by_type(
        topology->handle, HWLOC_OBJ_PACKAGE, thread_of(topology, 0));

    return !socket || hwloc_bitmap_intersects(node->cpuset, socket->cpuset);
}

static void add_node(struct topology *topology, hwloc_obj_t object)
{
    struct topology_node *node = &topology->node[topology->node_nr++];
    const struct machine_cpus *cpus = &topology->cpus;

    *node = (struct topology_node){
        .os_index = (int)object->os_index,
        .kind = xstrdup(kind_of_memory(object)),
        .bytes = (double)object->attr->numanode.local_memory,
        .cpu = xcalloc(cpus->cpu_nr, sizeof(*node->cpu)),
        .same_socket = is_in_first_socket(topology, object),
    };
    for (size_t i = 0; i < cpus->cpu_nr; i++)
        if (hwloc_bitmap_isset(object->cpuset, (unsigned)cpus->cpu[i]))
            node->cpu[node->cpu_nr++] = cpus->cpu[i];
    node->without_cores = is_without_cores(topology, object);
}

static size_t index_of(const struct topology *topology, hwloc_obj_t node)
{
    size_t i = 0;

    while (i < topology->node_nr && topology->node[i].os_index != (int)node->os_index)
        i++;
    return i;
}

static void take_distances(struct topology *topology,
                           const struct hwloc_distances_s *table)
{
    size_t nr = topology->node_nr;

    topology->distance = xcalloc(nr * nr, sizeof(*topology->distance));
    for (unsigned r = 0; r < table->nbobjs; r++)
        for (unsigned k = 0; k < table->nbobjs; k++) {
            size_t from = index_of(topology, table->objs[r]);
            size_t to = index_of(topology, table->objs[k]);

            if (from < nr && to < nr)
                topology->distance[from * nr + to] =
                    (double)table->values[r * table->nbobjs + k];
        }
}

static void read_distances(struct topology *topology)
{
    struct hwloc_distances_s *table = NULL;
    unsigned nr = 1;

    if (hwloc_distances_get_by_type(topology->handle, HWLOC_OBJ_NUMANODE, &nr, &table,
                                    HWLOC_DISTANCES_KIND_MEANS_LATENCY, 0) ||
        !nr)
        return;
    take_distances(topology, table);
    hwloc_distances_release(topology->handle, table);
}

static void read_memory(struct topology *topology)
{
    hwloc_topology_t handle = topology->handle;
    hwloc_const_bitmap_t allowed = hwloc_topology_get_allowed_nodeset(handle);
    int nr = hwloc_get_nbobjs_by_type(handle, HWLOC_OBJ_NUMANODE);
    hwloc_obj_t node = NULL;

    topology->node = xcalloc((size_t)nr, sizeof(*topology->node));
    while ((node = hwloc_get_next_obj_by_type(handle, HWLOC_OBJ_NUMANODE, node)))
        if (hwloc_bitmap_isset(allowed, node->os_index))
            add_node(topology, node);
    read_distances(topology);
    topology_settle_nodes(topology);
    topology->numa_nodes = topology->node_nr ? (int)topology->node_nr : 1;
    topology->memory_bytes = (double)hwloc_get_root_obj(handle)->total_memory;
}

/* ---- all of it ---- */

static int count_sockets(const struct topology *topology)
{
    hwloc_bitmap_t used = hwloc_bitmap_alloc();
    int nr;

    for (size_t i = 0; i < topology->cpus.cpu_nr; i++)
        hwloc_bitmap_set(used, (unsigned)topology->cpus.cpu[i]);
    nr = objects_in(topology->handle, HWLOC_OBJ_PACKAGE, used);
    hwloc_bitmap_free(used);
    return nr > 0 ? nr : 1;
}

static void read_all(const struct topology_source *source, struct topology *topology)
{
    hwloc_bitmap_t usable = usable_processors(source, topology);

    read_cores(topology, usable);
    hwloc_bitmap_free(usable);
    if (source->cgroup_root || !source->spec)
        topology_apply_quota(
            topology, cgroup_processors(source->cgroup_root ? source->cgroup_root : ""));
    read_caches(topology);
    read_memory(topology);
    topology->sockets = count_sockets(topology);
    if (!source->spec &&
        memory_total_bytes() > 0) /* what was plugged in later is in no node of hwloc's */
        topology->memory_bytes = memory_total_bytes();
}

static bool ends_in_xml(const char *spec)
{
    size_t length = strlen(spec);

    return length > 4 && strcmp(spec + length - 4, ".xml") == 0;
}

static int set_spec(hwloc_topology_t handle, const char *spec, struct error *err)
{
    if (!spec)
        return 0;
    if (ends_in_xml(spec))
        return hwloc_topology_set_xml(handle, spec)
                   ? fail(err, STATUS_INPUT, "'%s' is not a topology file of hwloc", spec)
                   : 0;
    return hwloc_topology_set_synthetic(handle, spec)
               ? fail(err, STATUS_INPUT, "'%s' is not a synthetic topology of hwloc",
                      spec)
               : 0;
}

/* What we may not use is read as well: it shares caches with what we may. */
static int load(hwloc_topology_t handle, const char *spec, struct error *err)
{
    hwloc_topology_set_icache_types_filter(handle, HWLOC_TYPE_FILTER_KEEP_ALL);
    hwloc_topology_set_flags(handle, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
    if (set_spec(handle, spec, err))
        return -1;
    if (hwloc_topology_load(handle))
        return fail(err, STATUS_FAILED, "cannot read the topology: %s", strerror(errno));
    return 0;
}

int topology_load_from(const struct topology_source *source, struct topology *topology,
                       struct error *err)
{
    hwloc_topology_t handle;

    *topology = (struct topology){0};
    if (hwloc_topology_init(&handle))
        return fail(err, STATUS_FAILED, "cannot read the topology: %s", strerror(errno));
    topology->handle = handle;
    if (load(handle, source->spec, err)) {
        topology_release(topology);
        return -1;
    }
    read_all(source, topology);
    return 0;
}

void topology_release(struct topology *topology)
{
    if (topology->handle)
        hwloc_topology_destroy(topology->handle);
    for (size_t i = 0; i < topology->node_nr; i++) {
        free(topology->node[i].kind);
        free(topology->node[i].cpu);
    }
    free(topology->node);
    free(topology->distance);
    free(topology->cpus.cpu);
    free(topology->thread);
    free(topology->core_start);
    strvec_release(&topology->note);
    *topology = (struct topology){0};
}

int topology_pin(const struct topology *topology, int cpu)
{
    hwloc_bitmap_t set = hwloc_bitmap_alloc();
    int result, code;

    hwloc_bitmap_only(set, (unsigned)cpu);
    result = hwloc_set_cpubind(topology->handle, set, HWLOC_CPUBIND_THREAD);
    code = errno;
    hwloc_bitmap_free(set);
    errno = code;
    return result ? -1 : 0;
}

/* BIND alone would only prefer the node: what it has no room for would come from others.
 */
int topology_bind_memory(const struct topology *topology, void *base, size_t bytes,
                         int node)
{
    hwloc_bitmap_t set = hwloc_bitmap_alloc();
    int result;

    hwloc_bitmap_only(set, (unsigned)node);
    result = hwloc_set_area_membind(
        topology->handle, base, bytes, set, HWLOC_MEMBIND_BIND,
        HWLOC_MEMBIND_BYNODESET | HWLOC_MEMBIND_STRICT | HWLOC_MEMBIND_MIGRATE);
    hwloc_bitmap_free(set);
    return result ? -1 : 0;
}

/* What is asked of a topology that is loaded; limits that hwloc does not know. */
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

int topology_reported_line_bytes(const struct topology *topology)
{
    long documented = 0;

    for (size_t i = 0; i < topology->cache_nr; i++)
        if (topology->cache[i].line_bytes > 0)
            return topology->cache[i].line_bytes;
#ifdef _SC_LEVEL1_DCACHE_LINESIZE
    documented = sysconf(_SC_LEVEL1_DCACHE_LINESIZE);
#endif
    return documented > 0 ? (int)documented : 0;
}

int topology_line_bytes(const struct topology *topology)
{
    int documented = topology_reported_line_bytes(topology);

    return documented ? documented : 64;
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
