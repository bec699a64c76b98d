#include <stdlib.h>
#include <string.h>

#include "core/machine/profile/peak.h"
#include "tests/check.h"

SUITE(machine_peak);

static const struct cpu_table *table;

static const struct cpu *cpu_of(const char *name)
{
    struct error err = {0};

    check_ok(cpu_table_get(&table, &err), &err);
    return cpu_named(table, name);
}

static struct machine machine_of(int sockets)
{
    return (struct machine){.sockets = sockets};
}

static struct cpu_identity identity_of(const char *name, int model)
{
    struct cpu_identity identity = {.model = model};

    strncpy(identity.name, name, sizeof(identity.name) - 1);
    return identity;
}

TEST("the peak follows the processor")
{
    static const struct {
        const char *microarchitecture, *name;
        int model, sockets;
        double gbs; /* 0 = unknown */
        bool exact;
        const char *source;
    } cases[] = {
        {"Zen 4 / 4c", "AMD EPYC", 0x11, 1, 460.8, false,
         "the most it takes: AMD EPYC 9004"},
        {"Zen 4 / 4c", "AMD EPYC 9754", 0xA0, 2, 921.6, false, "12 channels"},
        {"Zen 4 / 4c", "AMD EPYC 4464P", 0x61, 1, 0, false, NULL},
        {"Zen 4 / 4c", "AMD Ryzen Threadripper 7980X", 0x18, 1, 0, false, NULL},
        {"Zen 2", "AMD EPYC 7742 64-Core Processor", 0x31, 1, 204.8, false, "DDR4-3200"},
        {"Skylake-SP", "Intel(R) Xeon(R) Platinum 8160", 0x55, 2, 255.936, false, "2666"},
        {"Skylake-SP", "Intel(R) Core(TM) i9-7980XE", 0x55, 1, 0, false, NULL},
        {"Cascade Lake / Cooper Lake", "Intel(R) Xeon(R) Platinum 9242", 0x55, 1, 281.568,
         false, "9200"},
        {"Cascade Lake / Cooper Lake", "Intel(R) Xeon(R) Gold 5218", 0x55, 1, 153.6,
         false, "6 channels"},
        {"Sapphire / Emerald Rapids (Golden / Raptor Cove)",
         "Intel(R) Xeon(R) CPU Max 9480", 0x8F, 1, 0, false,
         NULL}, /* two kinds of memory */
        {"Sapphire / Emerald Rapids (Golden / Raptor Cove)",
         "Intel(R) Xeon(R) Platinum 8480+", 0x8F, 1, 307.2, false, "DDR5-4800"},
        {"Haswell / Broadwell", "Intel(R) Xeon(R) CPU E7-8890 v3", 0x3F, 1, 0, false,
         NULL},
        {"Neoverse N1", "Neoverse-N1", -1, 1, 204.8, false, "Graviton2"},
        {"Neoverse V2", "Neoverse-V2", -1, 1, 0, false, NULL},
        {"A64FX", "A64FX", -1, 1, 1024, true, "HBM2"},
        {NULL, "AMD EPYC", 0x11, 1, 0, false, NULL}, /* not recognised */
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct machine machine = machine_of(cases[i].sockets);
        struct cpu_identity identity = identity_of(cases[i].name, cases[i].model);
        const struct cpu *cpu = cpu_of(cases[i].microarchitecture);

        check_eq(cpu != NULL, cases[i].microarchitecture != NULL);
        peak_find(&machine, cpu, &identity, 0);
        check_eq(machine.peak_gbs.known, cases[i].gbs > 0);
        check_eq(machine.peak_source != NULL, cases[i].gbs > 0);
        if (cases[i].gbs > 0 && machine.peak_gbs.known) {
            check_near(machine.peak_gbs.value, cases[i].gbs, 1e-9);
            check_near(machine.peak_gbs.high, cases[i].gbs, 1e-9);
            check_near(machine.peak_gbs.low, cases[i].exact ? cases[i].gbs : 0, 1e-9);
            check_eq(machine.peak_gbs.provenance, PROVENANCE_TABLE);
            check_contains(machine.peak_source, cases[i].source);
        }
        machine_release(&machine);
    }
}

TEST("what is told counts")
{
    static const struct {
        double given;
        const char *source;
    } cases[] = {{76.8, "as told"}, {600, "as given, though it is more than 460.8 GB/s"}};

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct machine machine = machine_of(1);
        struct cpu_identity identity = identity_of("AMD EPYC", 0x11);

        peak_find(&machine, cpu_of("Zen 4 / 4c"), &identity, cases[i].given);
        check_near(machine.peak_gbs.value, cases[i].given, 0);
        check_near(machine.peak_gbs.low, cases[i].given, 0);
        check_eq(machine.peak_gbs.provenance, PROVENANCE_DECLARED);
        check_contains(machine.peak_source, cases[i].source);
        machine_release(&machine);
    }
}

TEST("an exceeded peak is none")
{
    struct machine machine = {.peak_gbs = quantity_exact(12, PROVENANCE_DECLARED),
                              .peak_source = xstrdup("as told"),
                              .node_read_gbs =
                                  quantity_between(11, 10, 11.5, 9, PROVENANCE_PROBE)};

    peak_check(&machine);
    check(machine.peak_gbs.known);
    machine.all_cores.copy_gbs = quantity_between(38, 36, 39, 9, PROVENANCE_PROBE);
    peak_check(&machine);
    check(!machine.peak_gbs.known);
    check(machine.peak_source == NULL);
    if (check_eq(machine.note.nr, 1))
        check_contains(machine.note.v[0],
                       "the peak of memory is not 12 GB/s (as told): 36 GB/s were");
    peak_check(&machine);
    check_eq(machine.note.nr, 1);
    machine_release(&machine);
}
