/* Private to core/machine: what this process may use of the machine. The one place that
 * knows hwloc is topology.c. */
#ifndef CORE_MACHINE_TOPOLOGY_H
#define CORE_MACHINE_TOPOLOGY_H

#include "core/base/array.h"
#include "core/machine/machine.h"

struct error;

enum { TOPOLOGY_CACHES_MAX = 8 };

struct topology_cache {
    int level;
    bool instruction;
    double bytes;      /* of one instance */
    int ways;          /* 0 = not said, -1 = fully associative is also 0 here */
    int line_bytes;    /* 0 = not said */
    int cores_sharing; /* physical cores of the machine, also those that we do not use */
};

/* A NUMA node that we may take memory from. */
struct topology_node {
    int os_index;
    char *kind;   /* as in struct machine_memory */
    double bytes; /* 0: a node without memory */
    int *cpu;     /* of our cores those next to it; none: remote from all of them */
    size_t cpu_nr;
    bool same_socket;   /* as our first core */
    bool without_cores; /* what hwloc shows next to it are those of other nodes */
};

/* The kind of what hwloc does not name and what has no cores of its own: CXL, NVM ... */
#define MEMORY_OF_NO_CORES "memory without cores"

enum { MEMORY_SITES_MAX = 8 };

/* One memory to measure, and the cores that load it: those next to it, for remote and
 * core-less memory those of the first node. */
struct memory_site {
    char *name, *kind; /* as in struct machine_memory */
    int node;          /* OS index of the NUMA node */
    bool local;
    double bytes;
    int *cpu; /* OS index of the first hardware thread of each core; [0] chases */
    size_t cpu_nr;
};

struct topology {
    void *handle; /* hwloc_topology_t */
    struct machine_cpus cpus;
    /* All usable hardware threads of those cores, core after core; core_start[i] is where
     * those of cpus.cpu[i] begin, with one entry more at the end. */
    int *thread;
    size_t *core_start;
    int sockets, numa_nodes;
    double memory_bytes;
    struct topology_cache cache[TOPOLOGY_CACHES_MAX]; /* data caches first, ascending; as
                                                         the first core sees them */
    size_t cache_nr;
    struct topology_node *node;
    size_t node_nr;
    /* As the firmware says: [from * node_nr + to], 0 = not said. NULL = no table. */
    double *distance;
    struct strvec note; /* what is left out and why, one sentence each */
};

struct topology_source {
    /* NULL = this machine, else a synthetic description of hwloc, or the path of a file
     * that ends in ".xml". */
    const char *spec;
    const char *affinity;    /* processors such as "0-3,8"; NULL = all, here our own */
    const char *cgroup_root; /* see cgroup.h; NULL = no quota, here "" */
};

/*
 * The physical cores that this process may load, one hardware thread of each: those that
 * the cpuset and the affinity allow, of the most capable kind where there are several, no
 * more than the quota of processor time.
 */
int topology_load_from(const struct topology_source *source, struct topology *topology,
                       struct error *err);
/* With nothing but a spec. */
int topology_load(const char *spec, struct topology *topology, struct error *err);
void topology_release(struct topology *topology);

/* Takes the cores of other nodes from those that have none of their own. Once, when nodes
 * and distances are read. */
void topology_settle_nodes(struct topology *topology);

/* More threads than the quota has processors would be throttled: keeps that many cores
 * and notes it. INFINITY = no quota. */
void topology_apply_quota(struct topology *topology, double processors);

/*
 * The memories that are worth a curve of their own; none where there is only one. For
 * each node with memory a local site, loaded by the cores next to it, and a remote one,
 * loaded by the cores of the first node. Where these are more than MEMORY_SITES_MAX, one
 * of each kind and distance.
 */
void topology_sites(const struct topology *topology, struct memory_site **site,
                    size_t *nr);
void memory_sites_release(struct memory_site *site, size_t nr);
/* Pages of [base, base + bytes), touched or not, go to this node and nowhere else. -1
 * where that is not allowed. Touching more than the node has free gets the process
 * killed: see topology_free_bytes. */
int topology_bind_memory(const struct topology *topology, void *base, size_t bytes,
                         int node);

/* Free memory of one node of this machine; 0 = not known. */
double topology_free_bytes(int node);

/* Binds the calling thread to one OS cpu. -1 where that is not allowed, errno says why.
 */
int topology_pin(const struct topology *topology, int cpu);

/* NULL if there is none. */
const struct topology_cache *topology_cache(const struct topology *topology, int level,
                                            bool instruction);
/* Of the first data cache that says it, else of the C library, else 0: not said. */
int topology_reported_line_bytes(const struct topology *topology);
/* The same, else 64. */
int topology_line_bytes(const struct topology *topology);

#endif
