/* Which memories are measured, and from which cores. */
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/machine/topology/topology.h"

/* One memory as some cores see it. */
struct way {
    const struct topology_node *node;
    const struct topology_node *from; /* NULL = local */
};

static bool holds(const struct topology_node *node, int cpu)
{
    for (size_t i = 0; i < node->cpu_nr; i++)
        if (node->cpu[i] == cpu)
            return true;
    return false;
}

/* Where our first core is. */
static const struct topology_node *first_node(const struct topology *topology)
{
    for (size_t i = 0; i < topology->node_nr; i++)
        if (holds(&topology->node[i], topology->cpus.cpu[0]))
            return &topology->node[i];
    return NULL;
}

static bool has_several(const struct topology *topology)
{
    size_t nr = 0;

    for (size_t i = 0; i < topology->node_nr; i++)
        nr += topology->node[i].bytes > 0;
    return nr > 1;
}

static double distance(const struct topology *topology, size_t from, size_t to)
{
    return topology->distance ? topology->distance[from * topology->node_nr + to] : 0;
}

/*
 * Farther from its cores than an earlier node that has the same. The firmware also gives
 * a greater distance to fast memory that it wants used last (MCDRAM, HBM): what has a
 * name is where hwloc puts it.
 */
static bool is_farther(const struct topology *topology, size_t node)
{
    const struct topology_node *nodes = topology->node;

    if (!nodes[node].cpu_nr || strcmp(nodes[node].kind, "DRAM") != 0)
        return false;
    for (size_t i = 0; i < node; i++) /* what is added later comes later */
        if (holds(&nodes[i], nodes[node].cpu[0]) &&
            distance(topology, i, node) > distance(topology, i, i) &&
            distance(topology, i, i) > 0)
            return true;
    return false;
}

/* Local ones first. Caller frees. */
static struct way *all_ways(const struct topology *topology, size_t *nr)
{
    struct way *way = xcalloc(2 * topology->node_nr, sizeof(*way));
    const struct topology_node *first = first_node(topology);

    *nr = 0;
    for (size_t i = 0; i < topology->node_nr; i++)
        if (topology->node[i].bytes > 0 && topology->node[i].cpu_nr)
            way[(*nr)++] = (struct way){.node = &topology->node[i]};
    for (size_t i = 0; first && i < topology->node_nr; i++)
        if (topology->node[i].bytes > 0 &&
            !holds(&topology->node[i], topology->cpus.cpu[0]))
            way[(*nr)++] = (struct way){&topology->node[i], first};
    return way;
}

static bool are_alike(const struct topology *topology, const struct way *a,
                      const struct way *b)
{
    size_t from = a->from ? (size_t)(a->from - topology->node) : 0;

    if (strcmp(a->node->kind, b->node->kind) != 0 || !a->from != !b->from)
        return false;
    return !a->from ||
           (distance(topology, from, (size_t)(a->node - topology->node)) ==
                distance(topology, from, (size_t)(b->node - topology->node)) &&
            a->node->same_socket == b->node->same_socket);
}

/* Keeps the first of those that are alike. */
static size_t drop_alike(const struct topology *topology, struct way *way, size_t nr)
{
    size_t kept = 0;

    for (size_t i = 0; i < nr && kept < MEMORY_SITES_MAX; i++) {
        bool seen = false;

        for (size_t k = 0; k < kept && !seen; k++)
            seen = are_alike(topology, &way[k], &way[i]);
        if (!seen)
            way[kept++] = way[i];
    }
    return kept;
}

static void note_omission(struct topology *topology)
{
    size_t nr;

    free(all_ways(topology, &nr));
    if (nr > MEMORY_SITES_MAX)
        strvec_pushf(&topology->note,
                     "there are %zu ways from cores to memories, of which one of each "
                     "kind and distance is measured",
                     nr);
}

void topology_settle_nodes(struct topology *topology)
{
    for (size_t i = 0; i < topology->node_nr; i++)
        if (is_farther(topology, i))
            topology->node[i].without_cores = true;
    for (size_t i = 0; i < topology->node_nr; i++) {
        struct topology_node *node = &topology->node[i];

        if (!node->without_cores)
            continue;
        node->cpu_nr = 0;
        if (strcmp(node->kind, "DRAM") == 0) {
            free(node->kind);
            node->kind = xstrdup(MEMORY_OF_NO_CORES);
        }
    }
    note_omission(topology);
}

/* "node 1", "HBM 2", "node 1 from node 0" */
static char *name_of(const struct way *way)
{
    const char *kind = way->node->kind, *space = strchr(kind, ' ');
    const char *word = space || strcmp(kind, "DRAM") == 0 ? "node" : kind;

    return way->from ? xasprintf("%s %d from node %d", word, way->node->os_index,
                                 way->from->os_index)
                     : xasprintf("%s %d", word, way->node->os_index);
}

static struct memory_site site_of(const struct way *way)
{
    const struct topology_node *cores = way->from ? way->from : way->node;
    struct memory_site site = {.name = name_of(way),
                               .kind = xstrdup(way->node->kind),
                               .node = way->node->os_index,
                               .local = !way->from,
                               .bytes = way->node->bytes,
                               .cpu = xcalloc(cores->cpu_nr, sizeof(int)),
                               .cpu_nr = cores->cpu_nr};

    memcpy(site.cpu, cores->cpu, cores->cpu_nr * sizeof(int));
    return site;
}

void topology_sites(const struct topology *topology, struct memory_site **site,
                    size_t *nr)
{
    struct way *way;

    *site = NULL;
    *nr = 0;
    if (!has_several(topology))
        return;
    way = all_ways(topology, nr);
    if (*nr > MEMORY_SITES_MAX)
        *nr = drop_alike(topology, way, *nr);
    *site = xcalloc(*nr, sizeof(**site));
    for (size_t i = 0; i < *nr; i++)
        (*site)[i] = site_of(&way[i]);
    free(way);
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

double topology_free_bytes(int node)
{
    char *path = xasprintf("/sys/devices/system/node/node%d/meminfo", node);
    struct buf text = {0};
    const char *found;
    double bytes = 0;

    if (!file_read(path, &text, NULL) && (found = strstr(buf_str(&text), "MemFree:")))
        bytes = strtod(found + strlen("MemFree:"), NULL) * 1024;
    buf_release(&text);
    free(path);
    return bytes;
}
