/* Who CPUs say they are, and the files of CPUs. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base.h"
#include "core/cpu/cpu.h"
#include "tests/check.h"

SUITE(cpu_files);

#define AMD          "\"recognise\": {\"vendor\": \"amd\"}"
#define BIT(feature) (1u << CPU_FEATURE_##feature)

static const struct cpu_table *table;

static bool load(void)
{
    struct error err = {0};

    return check_ok(cpu_table_get(&table, &err), &err);
}

TEST("the shipped files load")
{
    struct error err = {0};

    if (!check_ok(cpu_table_get(&table, &err), &err))
        return;
    check(table->cpu_nr >= 50);
    for (size_t i = 0; i < table->cpu_nr; i++) {
        const struct cpu *cpu = &table->cpu[i];

        check(cpu->rule_nr > 0);
        check(!cpu->l1.entries.known || (cpu->l1.confidence && cpu->l1.source[0]));
        check(!cpu->l2.entries.known || (cpu->l2.confidence && cpu->l2.source[0]));
        check(cpu_named(table, cpu->name) == cpu); /* no name twice */
        for (size_t k = 0; k < cpu->metrics_nr; k++) {
            char *path = xasprintf(INFLIGHT_SOURCE_DIR "/rules/metrics/%s.json",
                                   cpu->metrics[k].name);

            check_str(file_exists(path) ? path : "missing", path);
            free(path);
        }
    }
}

static bool share_a_rule(const struct cpu *a, const struct cpu *b)
{
    for (size_t i = 0; i < a->rule_nr; i++)
        for (size_t k = 0; k < b->rule_nr; k++)
            if (cpu_rules_meet(&a->rule[i], &b->rule[k]))
                return true;
    return false;
}

/* No CPU is two: the order of the files decides nothing. */
TEST("files exclude one another")
{
    if (!load())
        return;
    for (size_t i = 0; i < table->cpu_nr; i++)
        for (size_t k = 0; k < i; k++)
            if (share_a_rule(&table->cpu[i], &table->cpu[k]))
                check_str(table->cpu[i].name, table->cpu[k].name);
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
    const struct cpu *row = cpu_recognise(table, &c->identity, &c->caches, &sentence);

    check_contains(buf_str(&sentence), c->sentence);
    check_eq(strstr(buf_str(&sentence), CPU_CONTRADICTS) != NULL, contradicts);
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

TEST("CPUs are recognised")
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

TEST("contradictions are resolved")
{
    if (!load())
        return;
    for (size_t i = 0; i < ARRAY_SIZE(contradicting); i++)
        check_case(&contradicting[i], true);
}

TEST("open ends are 'at least'")
{
    const struct cpu *m1 = load() ? cpu_named(table, "Apple M1 (Firestorm)") : NULL;

    if (!check(m1 != NULL))
        return;
    check_eq(m1->line_bytes, 128);
    check(isinf(m1->l1.entries.high));
}

/* Of its 128-byte lines a POWER9 fetches 64 bytes. */
TEST("the unit of transfer is read")
{
    const struct cpu *power9 = load() ? cpu_named(table, "power9") : NULL;

    if (!check(power9 != NULL))
        return;
    check_eq(power9->line_bytes, 128);
    check_eq(power9->transfer_bytes, 64);
    for (size_t i = 0; i < table->cpu_nr; i++)
        check(!table->cpu[i].transfer_bytes ||
              table->cpu[i].line_bytes % table->cpu[i].transfer_bytes == 0);
}

/* Who a text speaks of, in every form. */
TEST("texts tell the CPU")
{
    static const struct {
        const char *text, *vendor, *output, *name; /* name: NULL = not looked at */
        unsigned features;
        bool guest;
    } cases[] = {
        {"processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 143\n"
         "model name\t: Intel(R) Xeon(R) Platinum 8480+\nstepping\t: 8\n"
         "flags\t\t: fpu avx2 avx512f amx_tile hypervisor\n",
         "intel", "intel family 6 model 8F stepping 8", "Intel(R) Xeon(R) Platinum 8480+",
         BIT(AVX2) | BIT(AVX512) | BIT(AMX), true},
        {"vendor_id : HygonGenuine\ncpu family : 24\nmodel : 1\nstepping : 1\n", "amd",
         "amd family 18 model 1 stepping 1", NULL, 0, false},
        {"processor : 0\nFeatures : fp asimd sve\nCPU implementer : 0x46\n"
         "CPU architecture: 8\nCPU part : 0x001\nCPU revision : 0\n",
         "arm", "Arm implementer 46 part 001", "Arm implementer 0x46 part 0x001",
         BIT(SVE), false},
        {"processor : 0\ncpu\t\t: POWER9 (architected), altivec supported\n"
         "model : PowerNV\n",
         "power", "POWER9", "POWER9 (architected), altivec supported", 0, false},
        {"processor : 0\nuarch\t: thead,c910\n", "riscv", "thead,c910", NULL, 0, false},
        {"processor 0: version = FF\n", "", "unknown processor", NULL, 0, false},
        {"AMD EPYC, family 19 model 11 stepping 1", "amd",
         "amd family 19 model 11 stepping 1", NULL, 0, false},
        {"Arm implementer 0x41 part 0xd0c", "arm", "Arm implementer 41 part D0C", NULL, 0,
         false},
        {"intel 6 85", "intel", "intel family 6 model 55", NULL, 0, false},
        {"AuthenticAMD-25-11-1", "amd", "amd family 19 model 11 stepping 1", NULL, 0,
         false},
        {"0x410fd493", "arm", "Arm implementer 41 part D49", NULL, 0, false},
        {"AMD EPYC 7742 64-Core Processor", "", "", NULL, 0, false},
        {NULL, "", "", NULL, 0, false},
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct cpu_identity cpu;
        struct buf output = {0};

        cpu_identify(cases[i].text, &cpu);
        cpu_identity_say(&cpu, &output);
        check_str(cpu.vendor, cases[i].vendor);
        check_str(buf_str(&output), cases[i].output);
        check_str(cases[i].name ? cpu.name : "", cases[i].name ? cases[i].name : "");
        check_eq(cpu.features, cases[i].features);
        check_eq(cpu.guest, cases[i].guest);
        buf_release(&output);
    }
}

/* What is not told excludes nothing, and decides nothing. */
TEST("steppings that are not told")
{
    static const struct {
        const char *text, *cpu, *metrics; /* NULL = cannot be told */
    } cases[] = {{"intel 6 85 4", "Skylake-SP", "skylake-sp"},
                 {"intel 6 85 7", "Cascade Lake / Cooper Lake", "skylake-sp"},
                 {"intel 6 85", NULL, "skylake-sp"},
                 {"arm 0x41 0xd49 3", "Neoverse N2", "neoverse-n2"},
                 {"arm 0x41 0xd49 2", "Neoverse N2", "neoverse-n2-r0p0"},
                 {"arm 0x41 0xd49", "Neoverse N2", NULL},
                 {"arm 0x42 0x516", "ThunderX2 (Vulcan)", NULL},
                 {"amd 1 1 1", NULL, NULL}};

    for (size_t i = 0; i < ARRAY_SIZE(cases) && load(); i++) {
        struct cpu_identity cpu;
        const struct cpu *claimed;
        const char *metrics;

        cpu_identify(cases[i].text, &cpu);
        claimed = cpu_claimed(table, &cpu);
        metrics = cpu_metrics_name(table, &cpu);
        check_str(claimed ? claimed->name : "none", cases[i].cpu ? cases[i].cpu : "none");
        check_str(metrics ? metrics : "none",
                  cases[i].metrics ? cases[i].metrics : "none");
    }
}

TEST("damaged files are refused")
{
    static const struct {
        const char *members, *output;
    } cases[] = {
        {"\"recognise\": {}", "recognise.vendor: is missing"},
        {"\"recognise\": {\"vendor\": \"amd\", \"models\": [\"3G\"]}",
         "recognise.models[0]: '3G' is not a hexadecimal number"},
        {"\"recognise\": {\"vendor\": \"amd\", \"steppings\": \"0-\"}",
         "recognise.steppings: '0-' is not a hexadecimal number"},
        {AMD ", \"memory\": [{\"channels\": 8}]", "memory[0].source: is missing"},
        {AMD ", \"memory\": [{\"source\": \"x\", \"chanels\": 8}]",
         "memory[0]: unknown key \"chanels\"; did you mean \"channels\"?"},
        {AMD ", \"memory\": [{\"source\": \"x\", \"channels\": 8}]",
         "memory[0].mts: is missing"},
        {AMD ", \"memory\": [{\"source\": \"x\", \"gbs\": -1}]",
         "memory[0].gbs: expected a number in [1, 100000], got -1"},
        {AMD ", \"l1_mshrs\": {\"value\": 10, \"confidence\": \"X\"}",
         "l1_mshrs.confidence: expected one of V, M, P, S, I"},
        {AMD ", \"geometry\": {\"lacks\": [\"wings\"]}",
         "geometry.lacks[0]: unknown feature \"wings\""},
        {AMD ", \"metrics\": {\"old\": \"zen2\"}",
         "metrics: 'old' is not a hexadecimal number"},
        {AMD ", \"core\": {\"dispatch_width\": 6}", "core.source: is missing"},
        {AMD ", \"core\": {\"source\": \"x\", \"rob_entries\": 9}",
         "core: unknown key \"rob_entries\""},
        {AMD ", \"core\": {\"source\": \"x\", \"load_entries\": 2.5}",
         "core.load_entries: expected an integer"},
        {AMD ", \"core\": {\"source\": \"x\", \"dispatch_width\": 0}",
         "core.dispatch_width: expected a number in [0.001, 64], got 0"},
        {AMD ", \"core\": {\"source\": \"x\", \"scheduler_entries\": 97}",
         "core: scheduler_entries and scheduler_fp_entries (0 = unified"},
        {AMD ", \"core\": {\"source\": \"x\", \"latency\": {\"fp_mul\": 4}}",
         "core.latency: unknown class of instructions \"fp_mul\""},
        {AMD ", \"core\": {\"source\": \"x\", \"per_cycle\": {\"alu\": \"4\"}}",
         "core.per_cycle.alu: expected a number"},
    };
    char *kept = xstrdup(getenv("INFLIGHT_DATA")), *scratch = NULL, *dir, *file;
    struct error err = {0};

    if (!check_ok(scratch_make(&scratch, &err), &err))
        return;
    dir = path_join(scratch, "machines/cpus");
    file = path_join(dir, "some.json");
    check_ok(dir_make_all(dir, &err), &err);
    setenv("INFLIGHT_DATA", scratch, 1);
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        const struct cpu_table *damaged;
        char *text = xasprintf("{\"schema\": \"inflight.cpu/1\", \"name\": \"x\", %s}",
                               cases[i].members);

        check_ok(file_write(file, text, strlen(text), &err), &err);
        check_fails(cpu_table_get(&damaged, &err), &err, STATUS_INPUT, cases[i].output);
        free(text);
    }
    if (kept)
        setenv("INFLIGHT_DATA", kept, 1);
    else
        unsetenv("INFLIGHT_DATA");
    scratch_remove(scratch);
    free(kept);
    free(dir);
    free(file);
}

TEST("the files are read once")
{
    const struct cpu *first = load() ? table->cpu : NULL;

    check(load() && table->cpu == first);
}
