#include <CUnit/CUnit.h>
#include <stdlib.h>
#include <string.h>

#include "core/machine/profile/cpu_table.h"
#include "core/machine/profile/peak.h"
#include "tests/check.h"

static struct machine machine_of(const char *microarchitecture, int sockets)
{
    return (struct machine){.microarchitecture = xstrdup(microarchitecture),
                            .sockets = sockets};
}

static struct cpu_identity identity_of(const char *name, int model)
{
    struct cpu_identity identity = {.model = model};

    strncpy(identity.name, name, sizeof(identity.name) - 1);
    return identity;
}

static void peak_follows_the_processor(void)
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
        struct machine machine = machine_of(cases[i].microarchitecture, cases[i].sockets);
        struct cpu_identity identity = identity_of(cases[i].name, cases[i].model);
        struct error err = {0};

        check_ok(peak_find(&machine, &identity, 0, &err), &err);
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

static void what_is_told_counts(void)
{
    static const struct {
        double told;
        const char *source;
    } cases[] = {{76.8, "as told"}, {600, "as told, though it is more than 460.8 GB/s"}};

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct machine machine = machine_of("Zen 4 / 4c", 1);
        struct cpu_identity identity = identity_of("AMD EPYC", 0x11);
        struct error err = {0};

        check_ok(peak_find(&machine, &identity, cases[i].told, &err), &err);
        check_near(machine.peak_gbs.value, cases[i].told, 0);
        check_near(machine.peak_gbs.low, cases[i].told, 0);
        check_eq(machine.peak_gbs.provenance, PROVENANCE_DECLARED);
        check_contains(machine.peak_source, cases[i].source);
        machine_release(&machine);
    }
}

/* A row for a name that no processor gets would never be found. */
static void rows_name_rows_of_the_cpu_table(void)
{
    char *path = path_join(INFLIGHT_SOURCE_DIR, "core/machine/data/memory.json");
    struct cpu_table table = {0};
    json_t *root = NULL, *row;
    struct error err = {0};
    size_t i;

    if (check_ok(cpu_table_load(&table, &err), &err) &&
        check_ok(json_read_file(path, "inflight.memory/1", &root, &err), &err))
        json_array_foreach(json_object_get(root, "rows"), i, row)
        {
            const char *name =
                json_string_value(json_object_get(row, "microarchitecture"));
            const char *found = "none";

            for (size_t j = 0; j < table.row_nr; j++)
                if (strcmp(table.row[j].name, name) == 0)
                    found = name;
            check_str(found, name);
        }
    json_decref(root);
    cpu_table_release(&table);
    free(path);
}

static void damaged_tables_are_refused(void)
{
    static const struct {
        const char *row, *said;
    } cases[] = {
        {"{\"source\": \"x\"}", "rows[0].microarchitecture: is missing"},
        {"{\"microarchitecture\": \"Zen 2\"}", "rows[0].source: is missing"},
        {"{\"microarchitecture\": \"Zen 2\", \"source\": \"x\", \"chanels\": 8}",
         "rows[0]: unknown key \"chanels\"; did you mean \"channels\"?"},
        {"{\"microarchitecture\": \"Zen 2\", \"source\": \"x\", \"channels\": 8}",
         "rows[0].mts: is missing"},
        {"{\"microarchitecture\": \"Zen 2\", \"source\": \"x\", \"models\": [\"3G\"]}",
         "rows[0].models[0]: expected \"A0-AF\" or \"31\", got \"3G\""},
        {"{\"microarchitecture\": \"Zen 2\", \"source\": \"x\", \"models\": [\"-\"]}",
         "rows[0].models[0]: expected hexadecimal numbers"},
        {"{\"microarchitecture\": \"Zen 2\", \"source\": \"x\", \"gbs\": -1}",
         "rows[0].gbs: expected a number in [1, 100000], got -1"},
    };
    char *kept = xstrdup(getenv("INFLIGHT_DATA")), *scratch = NULL, *dir, *file;
    struct error err = {0};

    if (!check_ok(scratch_make(&scratch, &err), &err))
        return;
    dir = path_join(scratch, "core/machine/data");
    file = path_join(dir, "memory.json");
    check_ok(dir_make_all(dir, &err), &err);
    setenv("INFLIGHT_DATA", scratch, 1);
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct machine machine = machine_of("Zen 4 / 4c", 1);
        struct cpu_identity identity = identity_of("AMD EPYC", 0x11);
        char *text = xasprintf("{\"schema\": \"inflight.memory/1\", \"rows\": [%s]}",
                               cases[i].row);

        check_ok(file_write(file, text, strlen(text), &err), &err);
        check_fails(peak_find(&machine, &identity, 0, &err), &err, STATUS_INPUT,
                    cases[i].said);
        free(text);
        machine_release(&machine);
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

static void exceeded_peak_is_none(void)
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

CU_TestInfo machine_peak_tests[] = {
    {"an exceeded peak is none", exceeded_peak_is_none},
    {"the peak follows the processor", peak_follows_the_processor},
    {"what is told counts", what_is_told_counts},
    {"rows name rows of the CPU table", rows_name_rows_of_the_cpu_table},
    {"damaged tables are refused", damaged_tables_are_refused},
    CU_TEST_INFO_NULL,
};
