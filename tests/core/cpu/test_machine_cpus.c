#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/cpu/cpu.h"
#include "core/machine/profile/here.h"
#include "core/machine/profile/limit.h"
#include "core/machine/topology/topology.h"
#include "tests/check.h"

SUITE(machine_cpus);

/* What runs here is told apart as a whole. */
TEST("this CPU is recognised or not")
{
    struct topology topology;
    struct machine machine = {0};
    struct cpu_identity identity;
    const struct cpu_table *table;
    struct error err = {0};
    const struct cpu *row;

    if (!check_ok(cpu_table_get(&table, &err), &err) ||
        !check_ok(topology_load(NULL, &topology, &err), &err))
        return;
    machine_identify(&topology, &machine);
    row = machine_recognise(&topology, table, &machine, &identity);
    check_eq(row != NULL, machine.microarchitecture != NULL);
    check(machine.recognition && machine.recognition[0]);
    check(machine_transfer_bytes(&machine) > 0 &&
          machine_transfer_bytes(&machine) <= machine.line_bytes);
    machine_release(&machine);
    topology_release(&topology);
}

/* A table whose one CPU is whatever runs here. */
static struct cpu cpu_of_here(void)
{
    struct cpu_identity here;
    struct cpu cpu = {.name = "Here",
                      .rule_nr = 1,
                      .line_bytes = 256,
                      .transfer_bytes = 16,
                      .rob_entries = 99,
                      .l1 = {quantity_exact(9, PROVENANCE_TABLE), 'V', "a text", "core"}};

    cpu_identity_here(&here);
    memcpy(cpu.rule[0].vendor, here.vendor, sizeof(here.vendor));
    return cpu;
}

static void check_cpu_of_here(struct cpu cpu, char confidence)
{
    struct cpu_table one = {.cpu = xcalloc(1, sizeof(cpu)), .cpu_nr = 1};
    struct machine machine = {0};
    struct cpu_identity identity;
    struct topology topology;
    struct error err = {0};

    one.cpu[0] = cpu;
    if (check_ok(topology_load("l2:1(size=1048576) l1d:1(size=32768) core:1 pu:1",
                               &topology, &err),
                 &err)) {
        machine_identify(&topology, &machine);
        if (check(machine_recognise(&topology, &one, &machine, &identity) != NULL))
            check_eq(limit_of_table(&machine, &one.cpu[0].l1).confidence, confidence);
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
    free(one.cpu);
}

TEST("a file is applied")
{
    struct cpu cpu = cpu_of_here();

    check_cpu_of_here(cpu, 'V');
    cpu.geometry.l1d_kib[0] = 1; /* a contradiction: then it is inferred */
    check_cpu_of_here(cpu, 'I');
}

TEST("CPUs of this process")
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
TEST("hardware threads of every core")
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

TEST("fingerprints name the difference")
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

TEST("widest vectors")
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
TEST("this CPU in words")
{
    struct cpu_identity identity;
    char *text = machine_cpu_model();

    cpu_identity_here(&identity);
    check_contains(text, identity.name);
    if (identity.family >= 0) {
        check_contains(text, ", family ");
        check_contains(text, " stepping ");
    }
    free(text);
}
