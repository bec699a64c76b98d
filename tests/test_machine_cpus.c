#include <CUnit/CUnit.h>
#include <math.h>
#include <stdlib.h>

#include "core/machine/cpu_table.h"
#include "core/machine/here.h"
#include "core/machine/topology.h"
#include "tests/check.h"

#define BIT(feature) (1u << CPU_FEATURE_##feature)

static struct cpu_table table;

static bool load(void)
{
    struct error err = {0};

    return table.row_nr > 0 || check_ok(cpu_table_load(&table, &err), &err);
}

static void shipped_table_loads(void)
{
    struct error err = {0};

    if (!check_ok(cpu_table_load(&table, &err), &err))
        return;
    check(table.row_nr >= 50);
    for (size_t i = 0; i < table.row_nr; i++) {
        const struct cpu_row *row = &table.row[i];

        check(row->name && row->vendor);
        check(row->id_nr > 0 || row->core);
        check(!row->l1.entries.known || (row->l1.confidence && row->l1.source[0]));
        check(!row->l2.entries.known || (row->l2.confidence && row->l2.source[0]));
    }
}

struct recognition_case {
    struct cpu_identity identity;
    struct cpu_caches caches;
    const char *name; /* NULL = not recognised */
    double l1, l2;    /* 0 = unknown */
    const char *sentence;
};

static void check_case(const struct recognition_case *c)
{
    struct buf sentence = {0};
    const struct cpu_row *row =
        cpu_recognise(&table, &c->identity, &c->caches, &sentence);

    check_contains(buf_str(&sentence), c->sentence);
    if (!c->name)
        check(row == NULL);
    else if (check(row != NULL) && check_str(row->name, c->name)) {
        check_near(row->l1.entries.known ? row->l1.entries.value : 0, c->l1, 0);
        check_near(row->l2.entries.known ? row->l2.entries.value : 0, c->l2, 0);
    }
    buf_release(&sentence);
}

#define X86(v, f, m, s)                                                                  \
    .vendor = v, .family = f, .model = m, .stepping = s, .implementer = -1, .part = -1
#define ARM(i, p)                                                                        \
    .vendor = "arm", .family = -1, .model = -1, .stepping = -1, .implementer = i,        \
    .part = p

static const struct recognition_case known[] = {
    {{X86("intel", 6, 0x55, 4), .features = BIT(AVX512)},
     {32, 32, 1024},
     "Skylake-SP",
     10,
     16,
     "agree"},
    {{X86("intel", 6, 0x55, 7), .features = BIT(AVX512)},
     {32, 32, 1024},
     "Cascade Lake / Cooper Lake",
     10,
     16,
     "agree"},
    {{X86("intel", 6, 0xad, 1), .features = BIT(AMX) | BIT(AVX512)},
     {48, 64, 2048},
     "Granite Rapids (Redwood Cove)",
     16,
     64,
     "agree"},
    {{X86("intel", 6, 0x97, 2), .core_type = 0x20, .features = BIT(AVX2)},
     {32, 64, 2048},
     "Gracemont (Alder / Raptor Lake E)",
     0,
     0,
     "agree"},
    {{X86("intel", 6, 0x97, 2), .core_type = 0x40, .features = BIT(AVX2)},
     {48, 32, 1280},
     "Alder / Raptor Lake P (Golden / Raptor Cove)",
     16,
     48,
     "agree"},
    {{X86("amd", 0x19, 0x11, 1), .features = BIT(AVX512), .guest = true},
     {32, 32, 1024},
     "Zen 4 / 4c",
     24,
     0,
     "family 19 model 11"},
    {{X86("amd", 0x19, 0x01, 1), .features = BIT(AVX2)},
     {32, 32, 512},
     "Zen 3",
     24,
     64,
     "agree"},
    {{X86("amd", 0x1a, 0x02, 1), .features = BIT(AVX512)},
     {48, 32, 1024},
     "Zen 5 / 5c",
     124,
     0,
     "agree"},
    {{ARM(0x46, 1), .features = BIT(SVE)},
     {64, 64, 8192},
     "A64FX",
     12,
     20,
     "implementer 46 part 001"},
    {{ARM(0x41, 0xd0c)}, {64, 64, 1024}, "Neoverse N1", 20, 46, "agree"},
    {{.vendor = "power", .core = "POWER8", .family = -1, .implementer = -1, .part = -1},
     {64, 32, 512},
     "POWER8",
     16,
     0,
     "POWER8"},
    {{X86("intel", 6, 0xf0, 1)}, {48, 32, 2048}, NULL, 0, 0, "in no row"},
    {{ARM(0x41, 0xfff)}, {64, 64, 1024}, NULL, 0, 0, "in no row"},
};

static void cpus_are_recognised(void)
{
    if (!load())
        return;
    for (size_t i = 0; i < ARRAY_SIZE(known); i++)
        check_case(&known[i]);
}

static void contradictions_are_resolved(void)
{
    static const struct recognition_case cases[] = {
        /* seen: a guest that claims Rocket Lake and is a Granite Rapids */
        {{X86("intel", 6, 0xa7, 1), .features = BIT(AMX) | BIT(AVX512) | BIT(AVX2),
          .guest = true},
         {48, 64, 2048},
         "Granite Rapids (Redwood Cove)",
         16,
         64,
         "contradicts"},
        /* the same with the L1I of a Sapphire Rapids */
        {{X86("intel", 6, 0xa7, 1), .features = BIT(AMX) | BIT(AVX512) | BIT(AVX2),
          .guest = true},
         {48, 32, 2048},
         "Sapphire / Emerald Rapids (Golden / Raptor Cove)",
         16,
         48,
         "taken as that"},
        /* a feature that the model cannot have, and sizes that fit nothing */
        {{X86("intel", 6, 0x4f, 1), .features = BIT(AMX), .guest = true},
         {96, 96, 4096},
         NULL,
         0,
         0,
         "taken as unknown"},
        /* sizes that a hypervisor made up: the model is still the best we know */
        {{X86("amd", 0x19, 0x11, 1), .features = BIT(AVX512), .guest = true},
         {64, 64, 4096},
         "Zen 4 / 4c",
         24,
         0,
         "made up the sizes"},
    };

    if (!load())
        return;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
        check_case(&cases[i]);
}

static void open_ends_are_at_least(void)
{
    static const struct cpu_identity m1 = {ARM(0x61, 0x23)};
    struct buf sentence = {0};
    const struct cpu_row *row;

    if (!load())
        return;
    row = cpu_recognise(&table, &m1, &(struct cpu_caches){0}, &sentence);
    if (check(row != NULL)) {
        check_eq(row->line_bytes, 128);
        check(isinf(row->l1.entries.high));
    }
    buf_release(&sentence);
    cpu_table_release(&table);
}

static void synthetic_topologies(void)
{
    static const struct {
        const char *text;
        size_t cores;
        int first, second, threads, sockets, nodes, l3_sharing;
    } cases[] = {
        {"package:1 core:4 pu:1", 4, 0, 1, 1, 1, 1, 0},
        {"package:2 l3:1 core:8 pu:2", 16, 0, 2, 2, 2, 1, 8},
        {"numa:4 l3:2 core:3 pu:4", 24, 0, 4, 4, 1, 4, 3},
        {"pu:3", 3, 0, 1, 1, 1, 1, 0},
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct topology topology;
        struct error err = {0};
        const struct topology_cache *l3;

        if (!check_ok(topology_load(cases[i].text, &topology, &err), &err))
            continue;
        check_eq(topology.cpus.cpu_nr, cases[i].cores);
        check_eq(topology.cpus.cpu[0], cases[i].first);
        check_eq(topology.cpus.cpu[1], cases[i].second);
        check_eq(topology.cpus.threads_per_core, cases[i].threads);
        check_eq(topology.sockets, cases[i].sockets);
        check_eq(topology.numa_nodes, cases[i].nodes);
        l3 = topology_cache(&topology, 3, false);
        check_eq(l3 ? l3->cores_sharing : 0, cases[i].l3_sharing);
        topology_release(&topology);
    }
}

static void cache_sizes_are_read(void)
{
    struct topology topology;
    struct error err = {0};
    const struct topology_cache *l2;

    if (!check_ok(topology_load("l3:1(size=33554432) core:2 l2:1(size=1048576) "
                                "l1d:1(size=32768) l1i:1(size=65536) pu:1",
                                &topology, &err),
                  &err))
        return;
    l2 = topology_cache(&topology, 2, false);
    if (check(l2 != NULL))
        check_near(l2->bytes, 1048576, 0);
    if (check(topology_cache(&topology, 1, true) != NULL))
        check_near(topology_cache(&topology, 1, true)->bytes, 65536, 0);
    check(topology_line_bytes(&topology) >= 16);
    check(topology_cache(&topology, 4, false) == NULL);
    topology_release(&topology);
}

static void cpus_of_this_process(void)
{
    struct machine_cpus cpus;
    struct error err = {0};

    check_fails(machine_cpus("not a topology", &cpus, &err), &err, STATUS_INPUT,
                "'not a topology'");
    if (!check_ok(machine_cpus(NULL, &cpus, &err), &err))
        return;
    check(cpus.cpu_nr >= 1);
    check(cpus.threads_per_core >= 1);
    free(cpus.cpu);
}

static void fingerprints_name_the_difference(void)
{
    static const struct {
        const char *there, *here, *why;
    } cases[] = {
        {"cpu=A, model 1; cores=2", "cpu=A, model 1; cores=2", NULL},
        {"cpu=A; cores=2", "cpu=A; cores=4", "made with cores=2, here it is 4"},
        {"cpu=A; cores=2", "cpu=AB; cores=2", "made with cpu=A, here it is AB"},
        {"cpu=AB; cores=2", "cpu=A; cores=2", "made with cpu=AB, here it is A"},
        {"cpu=A; L3 bytes=7", "cpu=A", "here it is not there"},
        {"cpu=A", "cpu=A; L3 bytes=7", "does not know of L3 bytes=7"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct buf why = {0};

        check_eq(fingerprints_match(cases[i].there, cases[i].here, &why),
                 cases[i].why == NULL);
        if (cases[i].why)
            check_contains(buf_str(&why), cases[i].why);
        buf_release(&why);
    }
}

CU_TestInfo machine_cpus_tests[] = {
    {"the shipped CPU table loads", shipped_table_loads},
    {"CPUs are recognised", cpus_are_recognised},
    {"contradictions are resolved", contradictions_are_resolved},
    {"open ends are 'at least'", open_ends_are_at_least},
    {"synthetic topologies", synthetic_topologies},
    {"cache sizes are read", cache_sizes_are_read},
    {"CPUs of this process", cpus_of_this_process},
    {"fingerprints name the difference", fingerprints_name_the_difference},
    CU_TEST_INFO_NULL,
};
