/* The figures of cores in the files of CPUs. */
#include <stdlib.h>
#include <string.h>

#include "core/base.h"
#include "core/cpu/cpu.h"
#include "core/machine/machine.h"
#include "tests/check.h"

SUITE(cpu_cores);

static const struct cpu_table *table;

static bool load(void)
{
    struct error err = {0};

    return check_ok(cpu_table_get(&table, &err), &err);
}

/* As cpu_core_of, of a CPU that there is; NULL = generic. */
static struct cpu_core core_of(const char *name)
{
    const struct cpu *cpu = NULL;
    struct cpu_core core = {0};
    struct error err = {0};

    if (load() && name && !check((cpu = cpu_named(table, name)) != NULL))
        check_str("no file", name);
    check_ok(cpu_core_of(cpu, &core, &err), &err);
    return core;
}

/* Whose figures they are. */
static const char *whose;
#define holds(condition) ((void)((condition) || check_str(whose, "where " #condition)))

static void check_widths(const struct cpu_core *core)
{
    holds(core->dispatch_width >= 1 && core->dispatch_width <= 16);
    holds(core->retire_width >= 1 && core->retire_width <= 32);
    holds(core->decode_width >= 1 && core->decode_width <= 16);
    holds(core->code_bytes_per_cycle >= 4 * core->decode_width / 2);
    holds(core->pipes >= core->fp_pipes && core->pipes >= core->alu_pipes);
    holds(core->pipes <= core->fp_pipes + core->alu_pipes);
    holds(core->vector_bits >= 64 && core->vector_bits <= 512);
    holds((core->vector_bits & (core->vector_bits - 1)) == 0);
    holds((core->divide_bits & (core->divide_bits - 1)) == 0);
    holds(core->divide_bits <= core->vector_bits);
    holds(core->load_bytes_per_cycle >= 8 && core->store_bytes_per_cycle >= 8);
    holds(core->loads_per_cycle >= core->stores_per_cycle || core->loads_per_cycle >= 2);
}

static void check_sizes(const struct cpu_core *core)
{
    holds(core->load_entries >= 8 && core->store_entries >= 8);
    holds(core->scheduler_entries >= 8);
    holds(core->rob_entries >= core->dispatch_width);
    holds(core->mispredict_cycles >= 5 && core->mispredict_cycles <= 30);
    holds(core->l1_cycles >= 2 && core->l1_cycles <= 8);
    holds(core->l1i_bytes >= 16 * 1024 && core->l1i_bytes <= 256 * 1024);
}

static void check_classes(const struct cpu_core *core)
{
    const double *latency = core->latency, *rate = core->per_cycle;

    for (int class = 0; class < WORK_CLASS_NR; class ++) {
        bool fp = class >= WORK_FP_ADD && class <= WORK_SHUFFLE;

        holds(rate[class] > 0);
        holds(class == WORK_NONE || latency[class] >= 1);
        holds(rate[class] <= (fp ? core->fp_pipes : core->pipes) || class == WORK_NONE);
    }
    holds(rate[WORK_ALU] <= core->alu_pipes);
    holds(latency[WORK_FP_FMA] >= latency[WORK_FP_ADD]);
    holds(latency[WORK_FP_FMA] >= latency[WORK_FP_MULTIPLY]);
    holds(latency[WORK_FP_DIVIDE] > latency[WORK_FP_MULTIPLY]);
    holds(latency[WORK_FP_SQRT] > latency[WORK_FP_MULTIPLY]);
    holds(latency[WORK_MULTIPLY] > latency[WORK_ALU]);
    holds(latency[WORK_DIVIDE] > latency[WORK_MULTIPLY]);
    holds(rate[WORK_FP_DIVIDE] < rate[WORK_FP_MULTIPLY]);
    holds(rate[WORK_FP_SQRT] <= 1.1 * rate[WORK_FP_DIVIDE]);
    holds(rate[WORK_DIVIDE] < rate[WORK_MULTIPLY]);
    /* A unit that is not pipelined takes no longer than its latency for the next; rates
     * are rounded. */
    holds(1 / rate[WORK_FP_DIVIDE] <= 1.01 * latency[WORK_FP_DIVIDE]);
    holds(1 / rate[WORK_FP_SQRT] <= 1.01 * latency[WORK_FP_SQRT]);
    holds(1 / rate[WORK_DIVIDE] <= 1.01 * latency[WORK_DIVIDE]);
}

TEST("figures of all files are sane")
{
    size_t told = 0;

    for (size_t i = 0; load() && i < table->cpu_nr; i++) {
        struct cpu_core core;
        struct error err = {0};

        whose = table->cpu[i].name;
        if (!check_ok(cpu_core_of(&table->cpu[i], &core, &err), &err))
            continue;
        check_widths(&core);
        check_sizes(&core);
        check_classes(&core);
        holds(core.source && core.source[0]);
        check_eq(table->cpu[i].core.told != 0, table->cpu[i].core.source != NULL);
        told += table->cpu[i].core.told != 0;
    }
    check(told >= 40);
}

TEST("generic tells all figures")
{
    struct cpu_core none = core_of(NULL), named = core_of("generic");
    const struct cpu *generic = load() ? cpu_named(table, "generic") : NULL;

    if (!check(generic != NULL))
        return;
    check_near(cpu_core_told_share(&none), 0, 0);
    check_near(cpu_core_told_share(&named), 0, 0);
    check_eq(none.rob_entries, generic->rob_entries);
    check_eq(none.load_entries, generic->core.load_entries);
    check_near(none.latency[WORK_OTHER], generic->core.latency[WORK_OTHER], 0);
    check_near(none.per_cycle[WORK_NONE], generic->core.per_cycle[WORK_NONE], 0);
    check_str(none.source, generic->core.source);
    /* nobody is it */
    for (size_t i = 0; i < table->cpu_nr; i++)
        for (size_t k = 0; k < table->cpu[i].rule_nr; k++)
            check(&table->cpu[i] == generic ||
                  !cpu_rules_meet(&table->cpu[i].rule[k], &generic->rule[0]));
}

TEST("a file's figures come first, the others are generic")
{
    struct cpu_core told = {.source = "a text"}, core = {0}, generic = core_of(NULL);
    struct cpu cpu = {.name = "Some", .rob_entries = 99};
    struct error err = {0};
    json_t *root = NULL;
    struct json_at top;

    if (!check_ok(
            json_read_text("{\"source\": \"a text\", \"load_entries\": 33, "
                           "\"code_cached_bytes\": 0, \"latency\": {\"fp_add\": 7}, "
                           "\"per_cycle\": {\"fp_fma\": 0.5}}",
                           "core", NULL, &root, &err),
            &err))
        return;
    top = json_top("core", root);
    if (check_ok(cpu_core_read(&top, &cpu.core, &err), &err) &&
        check_ok(cpu_core_of(&cpu, &core, &err), &err)) {
        check_eq(core.rob_entries, 99);
        check_eq(core.load_entries, 33);
        check_eq(core.store_entries, generic.store_entries);
        check_near(core.code_cached_bytes, 0, 0); /* there is none: not generic's */
        check_near(core.latency[WORK_FP_ADD], 7, 0);
        check_near(core.latency[WORK_FP_FMA], generic.latency[WORK_FP_FMA], 0);
        check_near(core.per_cycle[WORK_FP_FMA], 0.5, 0);
        check_near(core.per_cycle[WORK_FP_ADD], generic.per_cycle[WORK_FP_ADD], 0);
        check_str(core.source, told.source);
        check(cpu_core_told_share(&core) > 0 && cpu_core_told_share(&core) < 0.2);
    }
    json_decref(root);
}

/* Figures that vendors print. */
TEST("figures of some cores")
{
    static const struct {
        const char *name;
        double dispatch;
        int rob, loads, vector_bits;
        double fp_add, fp_fma;
    } cases[] = {
        {"Skylake-SP", 4, 224, 72, 512, 4, 4},
        {"Ice Lake-SP", 5, 352, 128, 512, 4, 4},
        {"Sapphire / Emerald Rapids (Golden / Raptor Cove)", 6, 512, 192, 512, 3, 4},
        {"Zen 4 / 4c", 6, 320, 136, 256, 3, 4},
        {"Zen 5 / 5c", 8, 448, 202, 512, 2, 4},
        {"Haswell / Broadwell", 4, 192, 72, 256, 3, 5},
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct cpu_core core = core_of(cases[i].name);

        check_near(core.dispatch_width, cases[i].dispatch, 0);
        check_eq(core.rob_entries, cases[i].rob);
        check_eq(core.load_entries, cases[i].loads);
        check_eq(core.vector_bits, cases[i].vector_bits);
        check_near(core.latency[WORK_FP_ADD], cases[i].fp_add, 0);
        check_near(core.latency[WORK_FP_FMA], cases[i].fp_fma, 0);
        check(cpu_core_told_share(&core) > 0.9);
    }
}

TEST("a profile has the core of its CPU")
{
    static const char *const profiles[] = {"skl", "knl", "a64fx", "grace", "spr-mn5"};

    for (size_t i = 0; i < ARRAY_SIZE(profiles); i++) {
        struct machine machine = {0};
        struct cpu_core core;
        struct error err = {0};

        if (!check_ok(machine_load(profiles[i], &machine, &err), &err))
            continue;
        core = core_of(machine.microarchitecture);
        check_eq(machine.core.rob_entries, machine.rob_entries);
        check_eq(machine.core.load_entries, core.load_entries);
        check_near(machine.core.latency[WORK_FP_ADD], core.latency[WORK_FP_ADD], 0);
        check_str(machine.core.source, core.source);
        check(cpu_core_told_share(&machine.core) > 0.5);
        machine_release(&machine);
    }
}

/* What its own text tells of the reorder buffer counts; nothing of the core is kept. */
TEST("a profile of an unknown CPU has a generic core")
{
    struct machine machine = {0}, again = {0};
    struct cpu_core generic = core_of(NULL);
    struct error err = {0};
    json_t *root;
    struct json_at top;

    if (!check_ok(machine_load("skl", &machine, &err), &err))
        return;
    free(machine.microarchitecture);
    machine.microarchitecture = NULL;
    machine.rob_entries = 77;
    root = machine_to_json(&machine);
    top = json_top("profile", root);
    check(!json_has(&top, "core"));
    if (check_ok(machine_from_json(&top, &again, &err), &err)) {
        check_eq(again.core.rob_entries, 77);
        check_eq(again.core.load_entries, generic.load_entries);
        check_near(cpu_core_told_share(&again.core), 0, 0);
        machine_release(&again);
    }
    json_decref(root);
    machine_release(&machine);
}
