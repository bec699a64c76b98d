/* Private to core/machine: what this process may use of the machine. The one place that
 * knows hwloc is topology.c. */
#ifndef CORE_MACHINE_TOPOLOGY_H
#define CORE_MACHINE_TOPOLOGY_H

#include "core/machine/machine.h"

enum { TOPOLOGY_CACHES_MAX = 8 };

struct topology_cache {
    int level;
    bool instruction;
    double bytes;      /* of one instance */
    int ways;          /* 0 = not said, -1 = fully associative is also 0 here */
    int line_bytes;    /* 0 = not said */
    int cores_sharing; /* physical cores of the machine, also those that we may not use */
};

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
    int sockets, numa_nodes;
    double memory_bytes;
    struct topology_cache cache[TOPOLOGY_CACHES_MAX]; /* data caches first, ascending */
    size_t cache_nr;
};

/* `synthetic`: an hwloc synthetic description for tests, NULL = this machine. */
int topology_load(const char *synthetic, struct topology *topology, struct error *err);
void topology_release(struct topology *topology);

/* The memories that are worth a curve of their own; none on a machine with one node. */
void topology_sites(const struct topology *topology, struct memory_site **site,
                    size_t *nr);
void memory_sites_release(struct memory_site *site, size_t nr);
/* Pages of [base, base + bytes), touched or not, go to this node. -1 where that is not
 * allowed. */
int topology_bind_memory(const struct topology *topology, void *base, size_t bytes,
                         int node);

/* Binds the calling thread to one OS cpu. -1 where that is not allowed. */
int topology_pin(const struct topology *topology, int cpu);

/* NULL if there is none. */
const struct topology_cache *topology_cache(const struct topology *topology, int level,
                                            bool instruction);
/* Of the first data cache that says it, else of the C library, else 64. */
int topology_line_bytes(const struct topology *topology);

#endif
