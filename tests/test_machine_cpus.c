#include <CUnit/CUnit.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/machine/profile/cpu_table.h"
#include "core/machine/profile/here.h"
#include "core/machine/topology/topology.h"
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

static void check_case(const struct recognition_case *c, bool contradicts)
{
    struct buf sentence = {0};
    bool doubtful;
    const struct cpu_row *row =
        cpu_recognise(&table, &c->identity, &c->caches, &doubtful, &sentence);

    check_contains(buf_str(&sentence), c->sentence);
    check_eq(doubtful, contradicts);
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
    {{ARM(0x41, 0xd0c)}, {64, 64, 1024}, "Neoverse N1", 20, 46, "nothing to check that"},
    /* a guest without what its hypervisor hides */
    {{X86("intel", 6, 0x8f, 8), .features = BIT(AVX2), .guest = true},
     {48, 32, 2048},
     "Sapphire / Emerald Rapids (Golden / Raptor Cove)",
     16,
     48,
     "though it hides amx"},
    {{X86("intel", 6, 0x55, 7), .features = BIT(AVX2), .guest = true},
     {32, 32, 1024},
     "Cascade Lake / Cooper Lake",
     10,
     16,
     "agree"},
    /* and one that is told nothing of its caches */
    {{X86("amd", 0x19, 0x11, 1), .features = BIT(AVX512), .guest = true},
     {0, 0, 0},
     "Zen 4 / 4c",
     24,
     0,
     "agree"},
    {{.vendor = "power", .core = "POWER8", .family = -1, .implementer = -1, .part = -1},
     {64, 32, 512},
     "POWER8",
     16,
     0,
     "POWER8"},
    {{X86("intel", 6, 0xf0, 1)}, {48, 32, 2048}, NULL, 0, 0, "may be older than it"},
    {{ARM(0x41, 0xfff)}, {64, 64, 1024}, NULL, 0, 0, "in no row"},
};

static void cpus_are_recognised(void)
{
    if (!load())
        return;
    for (size_t i = 0; i < ARRAY_SIZE(known); i++)
        check_case(&known[i], false);
}

static const struct recognition_case contradicting[] = {
    /* seen: a guest that claims Rocket Lake and is a Granite Rapids */
    {{X86("intel", 6, 0xa7, 1), .features = BIT(AMX) | BIT(AVX512) | BIT(AVX2),
      .guest = true},
     {48, 64, 2048},
     "Granite Rapids (Redwood Cove)",
     16,
     64,
     "contradicts what it has (48 KiB L1D, 64 KiB L1I, 2048 KiB L2, avx2, avx512, "
     "amx"},
    /* the same with the L1I of a Sapphire Rapids */
    {{X86("intel", 6, 0xa7, 1), .features = BIT(AMX) | BIT(AVX512) | BIT(AVX2),
      .guest = true},
     {48, 32, 2048},
     "Sapphire / Emerald Rapids (Golden / Raptor Cove)",
     16,
     48,
     "taken as that"},
    /* AMX hidden as well: AVX-512 tells it from a Meteor Lake */
    {{X86("intel", 6, 0xa7, 1), .features = BIT(AVX512) | BIT(AVX2), .guest = true},
     {48, 64, 2048},
     "Granite Rapids (Redwood Cove)",
     16,
     64,
     "taken as that"},
    /* claims Zen 3, has the AVX-512 and the L2 of a Zen 4; the L1D of a Zen 5 */
    {{X86("amd", 0x19, 0x01, 1), .features = BIT(AVX512) | BIT(AVX2), .guest = true},
     {32, 32, 1024},
     "Zen 4 / 4c",
     24,
     0,
     "which fits Zen 4"},
    {{X86("amd", 0x19, 0x01, 1), .features = BIT(AVX512) | BIT(AVX2), .guest = true},
     {48, 32, 1024},
     "Zen 5 / 5c",
     124,
     0,
     "which fits Zen 5"},
    /* with nothing but the feature it is one of several */
    {{X86("amd", 0x19, 0x01, 1), .features = BIT(AVX512), .guest = true},
     {0, 0, 0},
     NULL,
     0,
     0,
     "what it has (avx512), and no row"},
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
    /* no hypervisor: a product that the table does not know */
    {{X86("amd", 0x19, 0x11, 1), .features = BIT(AVX512)},
     {32, 32, 3072},
     "Zen 4 / 4c",
     24,
     0,
     "may not know all sizes"},
};

static void contradictions_are_resolved(void)
{
    if (!load())
        return;
    for (size_t i = 0; i < ARRAY_SIZE(contradicting); i++)
        check_case(&contradicting[i], true);
}

static void open_ends_are_at_least(void)
{
    static const struct cpu_identity m1 = {ARM(0x61, 0x23)};
    struct buf sentence = {0};
    const struct cpu_row *row;
    bool doubtful;

    if (!load())
        return;
    row = cpu_recognise(&table, &m1, &(struct cpu_caches){0}, &doubtful, &sentence);
    if (check(row != NULL)) {
        check_eq(row->line_bytes, 128);
        check(isinf(row->l1.entries.high));
    }
    buf_release(&sentence);
    cpu_table_release(&table);
}

/* Of its 128-byte lines a POWER9 fetches 64 bytes. */
static void the_unit_of_transfer_is_read(void)
{
    static const struct cpu_identity power9 = {
        .vendor = "power", .core = "POWER9", .family = -1, .implementer = -1, .part = -1};
    struct buf sentence = {0};
    const struct cpu_row *row;
    bool doubtful;

    if (!load())
        return;
    row = cpu_recognise(&table, &power9, &(struct cpu_caches){0}, &doubtful, &sentence);
    if (check(row != NULL)) {
        check_eq(row->line_bytes, 128);
        check_eq(row->transfer_bytes, 64);
    }
    for (size_t i = 0; i < table.row_nr; i++)
        check(!table.row[i].transfer_bytes ||
              table.row[i].line_bytes % table.row[i].transfer_bytes == 0);
    buf_release(&sentence);
    cpu_table_release(&table);
}

/* What runs here is told apart as a whole; what contradicts itself is only inferred. */
static void this_cpu_is_recognised_or_not(void)
{
    struct topology topology;
    struct machine machine = {0};
    struct cpu_identity identity;
    struct error err = {0};
    const struct cpu_row *row;

    if (!load() || !check_ok(topology_load(NULL, &topology, &err), &err))
        return;
    machine_identify(&topology, &machine);
    row = machine_recognise(&topology, &table, &machine, &identity);
    check_eq(row != NULL, machine.microarchitecture != NULL);
    check(machine.recognition && machine.recognition[0]);
    check(machine_transfer_bytes(&machine) > 0 &&
          machine_transfer_bytes(&machine) <= machine.line_bytes);
    if (row && strstr(machine.recognition, "contradicts"))
        check(!row->l1.confidence || row->l1.confidence == 'I');
    machine_release(&machine);
    topology_release(&topology);
    cpu_table_release(&table);
}

/* A table whose one row is whatever runs here. */
static struct cpu_row row_of_here(void)
{
    struct cpu_identity here;

    arch_identity(&here);
    return (struct cpu_row){.name = xstrdup("Here"),
                            .vendor = xstrdup(here.vendor),
                            .core = here.core[0] ? xstrdup(here.core) : NULL,
                            .family = here.family,
                            .implementer = here.implementer,
                            .id = {{here.family < 0 ? here.part : here.model,
                                    here.family < 0 ? here.part : here.model}},
                            .id_nr = 1,
                            .stepping = {0, 15},
                            .line_bytes = 256,
                            .transfer_bytes = 16,
                            .rob_entries = 99,
                            .l1.confidence = 'V',
                            .l2.confidence = 0};
}

static void check_row_of_here(struct cpu_row row, char confidence)
{
    struct cpu_table one = {.row = xcalloc(1, sizeof(row)), .row_nr = 1};
    struct machine machine = {0};
    struct cpu_identity identity;
    struct topology topology;
    struct error err = {0};

    one.row[0] = row;
    if (check_ok(topology_load("l2:1(size=1048576) l1d:1(size=32768) core:1 pu:1",
                               &topology, &err),
                 &err)) {
        machine_identify(&topology, &machine);
        if (check(machine_recognise(&topology, &one, &machine, &identity) != NULL)) {
            check_eq(one.row[0].l1.confidence, confidence);
            check_eq(one.row[0].l2.confidence, 0);
        }
        check_str(machine.microarchitecture, "Here");
        check_eq(machine.rob_entries, 99);
        check_eq(machine.transfer_bytes, 16);
        check_eq(machine_transfer_bytes(&machine), 16);
        check_eq(machine.line_bytes,
                 topology_line_bytes(&topology)); /* the system knows */
        machine.transfer_bytes = 0;
        check_eq(machine_transfer_bytes(&machine), machine.line_bytes);
        machine_release(&machine);
        topology_release(&topology);
    }
    cpu_table_release(&one);
}

static void a_row_is_applied(void)
{
    struct cpu_row row = row_of_here();

    check_row_of_here(row, 'V');
    row = row_of_here();
    row.geometry.l1d_kib[0] = 1; /* a contradiction: then it is inferred */
    check_row_of_here(row, 'I');
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

/* Two sockets of two cores with two, or four, hardware threads each. */
static void hardware_threads_of_every_core(void)
{
    static const struct {
        const char *machine;
        int threads;
        const char *want;
    } cases[] = {
        {"pack:2 core:2 pu:2", 1, "0 2 4 6"},
        {"pack:2 core:2 pu:2", 2, "0 1 2 3 4 5 6 7"},
        {"pack:1 core:2 pu:4", 2, "0 1 4 5"},
        {"pack:1 core:2 pu:4", 4, "0 1 2 3 4 5 6 7"},
        {"pack:1 core:2 pu:2(indexes=0,2,1,3)", 2, "0 2 1 3"},
    };
    struct machine_cpus cpus;
    struct error err = {0};

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct buf got = {0};

        if (!check_ok(machine_cpus_smt(cases[i].machine, cases[i].threads, &cpus, &err),
                      &err))
            continue;
        for (size_t k = 0; k < cpus.cpu_nr; k++)
            buf_addf(&got, "%s%d", k ? " " : "", cpus.cpu[k]);
        check_str(buf_str(&got), cases[i].want);
        check_eq(cpus.threads_per_core, cases[i].threads);
        buf_release(&got);
        free(cpus.cpu);
    }
    check_fails(machine_cpus_smt("pack:1 core:2 pu:1", 2, &cpus, &err), &err,
                STATUS_MISSING, "the core of processor 0 has 1");
}

static void fingerprints_name_the_difference(void)
{
    static const struct {
        const char *there, *here, *why;
    } cases[] = {
        {"cpu=A, model 1; cores=2", "cpu=A, model 1; cores=2", NULL},
        {"cpu=A; cores=2", "cpu=A; cores=4", "made with 2 cores, 4 usable here"},
        {"cpu=A; cores=1", "cpu=A; cores=4", "made with 1 core, 4 usable here"},
        {"cpu=A; cores=2", "cpu=B; cores=1", "made with cpu=A, here it is B"},
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
    check(fingerprints_same_hardware("cpu=A; cores=2; L1 bytes=7",
                                     "cpu=A; cores=1; L1 bytes=7"));
    check(!fingerprints_same_hardware("cpu=A; cores=2", "cpu=B; cores=2"));
    check(!fingerprints_same_hardware("cpu=A; L3 bytes=7", "cpu=A"));
}

static void widest_vectors(void)
{
    static const struct {
        const char *architecture, *features;
        int bits;
    } cases[] = {
        {"x86_64", "sse2 avx avx2 avx512f avx512cd", 512},
        {"x86_64", "sse2 avx", 256},
        {"x86_64", "sse2", 128},
        {"aarch64", "fp asimd", 128},
        {"other", "avx512f", 0},
    };
    int line = machine_line_bytes();

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct machine_processor processor = {.architecture = cases[i].architecture};

        strvec_split(&processor.features, cases[i].features);
        check_eq(machine_vector_bits(&processor), cases[i].bits);
        strvec_release(&processor.features);
    }
    check(line == 0 || (line >= 16 && (line & (line - 1)) == 0));
}

/* What the profile of this machine would have. */
static void this_cpu_in_words(void)
{
    struct cpu_identity identity;
    char *text = machine_cpu_model();

    arch_identity(&identity);
    check_contains(text, identity.name);
    if (identity.family >= 0) {
        check_contains(text, ", family ");
        check_contains(text, " stepping ");
    }
    free(text);
}

CU_TestInfo machine_cpus_tests[] = {
    {"widest vectors", widest_vectors},
    {"this CPU in words", this_cpu_in_words},
    {"the shipped CPU table loads", shipped_table_loads},
    {"CPUs are recognised", cpus_are_recognised},
    {"contradictions are resolved", contradictions_are_resolved},
    {"open ends are 'at least'", open_ends_are_at_least},
    {"the unit of transfer is read", the_unit_of_transfer_is_read},
    {"this CPU is recognised or not", this_cpu_is_recognised_or_not},
    {"a row is applied", a_row_is_applied},
    {"CPUs of this process", cpus_of_this_process},
    {"hardware threads of every core", hardware_threads_of_every_core},
    {"fingerprints name the difference", fingerprints_name_the_difference},
    CU_TEST_INFO_NULL,
};
