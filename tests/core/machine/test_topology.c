/* Which cores are loaded and which memories are measured, on machines that are not this
 * one: descriptions of hwloc, and files of it in data/machine/topology. */
#include <stdlib.h>
#include <string.h>

#include "core/base.h"
#include "core/machine/topology/topology.h"
#include "tests/check.h"

SUITE(machine_topology);

/* A name is a file of the test data, anything else goes to hwloc as it is. */
static bool load(const char *spec, const char *affinity, struct topology *topology)
{
    struct error err = {0};
    char *path = strchr(spec, ':') ? xstrdup(spec)
                                   : xasprintf("%s/tests/data/machine/topology/%s.xml",
                                               INFLIGHT_SOURCE_DIR, spec);
    struct topology_source source = {.spec = path, .affinity = affinity};
    bool loaded = check_ok(topology_load_from(&source, topology, &err), &err);

    free(path);
    return loaded;
}

/* "0 2 4", at most 8 and then their number */
static void add_cpus(const int *cpu, size_t nr, struct buf *text)
{
    for (size_t i = 0; i < nr && i < 8; i++)
        buf_addf(text, "%s%d", i ? " " : "", cpu[i]);
    if (nr > 8)
        buf_addf(text, " .. %zu", nr);
}

static void check_note(const struct topology *topology, const char *note)
{
    bool found = !note && topology->note.nr == 0;

    for (size_t i = 0; note && i < topology->note.nr; i++)
        found |= strstr(topology->note.v[i], note) != NULL;
    if (!check(found))
        check_str(topology->note.nr ? topology->note.v[0] : "no note", note);
}

static int sharing(const struct topology *topology, int level)
{
    const struct topology_cache *cache = topology_cache(topology, level, false);

    return cache ? cache->cores_sharing : 0;
}

static const struct core_case {
    const char *spec, *affinity;
    const char *cpus;
    int threads, sockets, nodes, l2_sharing, l3_sharing;
    const char *note; /* NULL = there must be none */
} core_cases[] = {
    {"package:1 core:4 pu:1", NULL, "0 1 2 3", 1, 1, 1, 0, 0, NULL},
    {"package:2 l3:1 core:8 pu:2", NULL, "0 2 4 6 8 10 12 14 .. 16", 2, 2, 1, 0, 8, NULL},
    {"numa:4 l3:2 core:3 pu:4", NULL, "0 4 8 12 16 20 24 28 .. 24", 4, 1, 4, 0, 3, NULL},
    {"pu:3", NULL, "0 1 2", 1, 1, 1, 0, 0, NULL},
    /* siblings numbered last, as Linux does it */
    {"package:2 core:2 pu:2(indexes=0,4,1,5,2,6,3,7)", NULL, "0 1 2 3", 2, 2, 1, 0, 0,
     NULL},
    /* four threads a core, two cores share a tile's L2 */
    {"package:1 l2:32 core:2 pu:4", NULL, "0 4 8 12 16 20 24 28 .. 64", 4, 1, 1, 2, 0,
     NULL},
    /* twelve cores share the L2 of their node, no L3 */
    {"package:1 numa:4 l2:1 core:12 pu:1", NULL, "0 1 2 3 4 5 6 7 .. 48", 1, 1, 4, 12, 0,
     NULL},
    {"package:8 numa:1 l3:8 l2:8 core:1 pu:2", NULL, "0 2 4 6 8 10 12 14 .. 512", 2, 8, 8,
     1, 8, "15 ways from cores to memories"},
    /* of a socket, and of two sockets one core each */
    {"package:2 l3:1 core:4 pu:2", "8-15", "8 10 12 14", 2, 1, 1, 0, 4,
     "affinity allows 4 of 8 cores"},
    {"package:2 l3:1 core:4 pu:2", "0,8", "0 8", 1, 2, 1, 0, 4,
     "affinity allows 2 of 8 cores"},
    /* a first thread cut away, and a second one */
    {"package:1 core:4 pu:2", "1-6", "1 2 4 6", 2, 1, 1, 0, 0,
     "some cores have 2 usable hardware threads, some 1"},
    {"package:1 core:4 pu:2", "0,2,4,6", "0 2 4 6", 1, 1, 1, 0, 0, NULL},
    /* nothing that is there: not believed */
    {"package:1 core:2 pu:1", "7", "0 1", 1, 1, 1, 0, 0, NULL},
    {"hybrid", NULL, "0 2", 2, 1, 1, 1, 6,
     "4 of 6 cores are of a slower kind and were left out"},
    {"hybrid", "2-5", "2", 2, 1, 1, 1, 6,
     "2 of 3 cores are of a slower kind and were left out"},
    {"hybrid", "4-7", "4 5 6 7", 1, 1, 1, 4, 6, "affinity allows 4 of 6 cores"},
    {"big-little", NULL, "4 5", 1, 1, 1, 1, 0, "4 of 6 cores are of a slower kind"},
    {"favoured", NULL, "0 1 2 3", 1, 1, 1, 1, 0, NULL},
    /* the cpuset leaves out a core, another lacks its second thread */
    {"cpuset", NULL, "0 2 4", 2, 1, 1, 1, 0, "control group allows 3 of 4 cores"},
    {"cpuset", NULL, "0 2 4", 2, 1, 1, 1, 0, "some 1"},
    {"two-sizes", NULL, "0 1 2 3", 1, 1, 1, 0, 2,
     "2 of 4 cores have another L3 than the first core"},
};

TEST("the right cores are loaded")
{
    for (size_t i = 0; i < ARRAY_SIZE(core_cases); i++) {
        const struct core_case *c = &core_cases[i];
        struct topology topology;
        struct buf cpus = {0};

        if (!load(c->spec, c->affinity, &topology))
            continue;
        add_cpus(topology.cpus.cpu, topology.cpus.cpu_nr, &cpus);
        check_str(buf_str(&cpus), c->cpus);
        check_eq(topology.cpus.threads_per_core, c->threads);
        check_eq(topology.sockets, c->sockets);
        check_eq(topology.numa_nodes, c->nodes);
        check_eq(sharing(&topology, 2), c->l2_sharing);
        check_eq(sharing(&topology, 3), c->l3_sharing);
        check_note(&topology, c->note);
        buf_release(&cpus);
        topology_release(&topology);
    }
}

TEST("caches are those of the first core")
{
    static const struct {
        const char *spec, *affinity;
        double l1, l1i, l2, l3;
    } cases[] = {
        {"package:1 l3:1(size=33554432) core:2 l2:1(size=1048576) l1d:1(size=32768) "
         "l1i:1(size=65536) pu:1",
         NULL, 32768, 65536, 1048576, 33554432},
        {"hybrid", NULL, 48 << 10, 0, 1280 << 10, 30 << 20},
        {"hybrid", "4-7", 32 << 10, 0, 4 << 20, 30 << 20},
        {"two-sizes", "2,3", 0, 0, 0, 32 << 20},
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct topology topology;
        const double want[] = {cases[i].l1, cases[i].l2, cases[i].l3, 0};
        const struct topology_cache *l1i;

        if (!load(cases[i].spec, cases[i].affinity, &topology))
            continue;
        for (int level = 1; level <= 4; level++) {
            const struct topology_cache *cache = topology_cache(&topology, level, false);

            check_near(cache ? cache->bytes : 0, want[level - 1], 0);
        }
        l1i = topology_cache(&topology, 1, true);
        check_near(l1i ? l1i->bytes : 0, cases[i].l1i, 0);
        check(topology_line_bytes(&topology) >= 16);
        topology_release(&topology);
    }
}

static const struct site_case {
    const char *spec, *affinity;
    const char *sites; /* "name (kind) cpus; ...", * = remote */
} site_cases[] = {
    {"package:1 core:4 pu:2", NULL, ""},
    {"package:2 [numa(memory=8GB)] core:2 pu:2", NULL,
     "node 0 (DRAM) 0 2; node 1 (DRAM) 4 6; *node 1 from node 0 (DRAM) 0 2"},
    /* all of our cores are next to one node */
    {"package:2 [numa(memory=8GB)] core:2 pu:2", "4-7",
     "node 1 (DRAM) 4 6; *node 0 from node 1 (DRAM) 4 6"},
    /* sub-NUMA clusters */
    {"package:2 group:2 [numa(memory=8GB)] core:1 pu:1", NULL,
     "node 0 (DRAM) 0; node 1 (DRAM) 1; node 2 (DRAM) 2; node 3 (DRAM) 3; "
     "*node 1 from node 0 (DRAM) 0; *node 2 from node 0 (DRAM) 0; "
     "*node 3 from node 0 (DRAM) 0"},
    {"flat", NULL, "node 0 (DRAM) 0 2 4 6; MCDRAM 1 (MCDRAM) 0 2 4 6"},
    /* node 2 has no memory, node 3 no cores */
    {"asymmetric", NULL,
     "node 0 (DRAM) 0 1; node 1 (DRAM) 2 3; *node 1 from node 0 (DRAM) 0 1; "
     "*node 3 from node 0 (memory without cores) 0 1"},
    {"asymmetric", "4,5",
     "*node 0 from node 2 (DRAM) 4 5; *node 1 from node 2 (DRAM) 4 5; "
     "*node 3 from node 2 (memory without cores) 4 5"},
    /* added memory that only its distance tells from the node's own */
    {"expander", NULL,
     "node 0 (DRAM) 0 1; *node 1 from node 0 (memory without cores) 0 1"},
    /* more than eight ways: one of each distance */
    {"distances", NULL,
     "node 0 (DRAM) 0; *node 1 from node 0 (DRAM) 0; *node 4 from node 0 (DRAM) 0; "
     "*node 5 from node 0 (DRAM) 0"},
    {"package:2 group:4 [numa(memory=8GB)] core:1 pu:1", NULL,
     "node 0 (DRAM) 0; *node 1 from node 0 (DRAM) 0; *node 4 from node 0 (DRAM) 0"},
    {"package:8 [numa(memory=8GB)] l3:8 core:8 pu:2", NULL,
     "node 0 (DRAM) 0 2 4 6 8 10 12 14 .. 64; "
     "*node 1 from node 0 (DRAM) 0 2 4 6 8 10 12 14 .. 64"},
};

static void check_sites(const struct site_case *c)
{
    struct topology topology;
    struct memory_site *site;
    struct buf text = {0};
    size_t nr;

    if (!load(c->spec, c->affinity, &topology))
        return;
    topology_sites(&topology, &site, &nr);
    check(nr <= MEMORY_SITES_MAX);
    for (size_t i = 0; i < nr; i++) {
        buf_addf(&text, "%s%s%s (%s) ", i ? "; " : "", site[i].local ? "" : "*",
                 site[i].name, site[i].kind);
        add_cpus(site[i].cpu, site[i].cpu_nr, &text);
        check(site[i].bytes > 0);
    }
    check_str(buf_str(&text), c->sites);
    buf_release(&text);
    memory_sites_release(site, nr);
    topology_release(&topology);
}

TEST("memories are found")
{
    for (size_t i = 0; i < ARRAY_SIZE(site_cases); i++)
        check_sites(&site_cases[i]);
}

TEST("bad descriptions are refused")
{
    struct topology topology;
    struct error err = {0};

    check_fails(topology_load("not a topology", &topology, &err), &err, STATUS_INPUT,
                "'not a topology'");
    check_fails(topology_load("no/such.xml", &topology, &err), &err, STATUS_INPUT,
                "'no/such.xml'");
}
