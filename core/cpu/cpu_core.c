#include "core/cpu/cpu_core.h"

#include <string.h>

#include "core/base/array.h"
#include "core/base/buf.h"
#include "core/base/error.h"
#include "core/cpu/cpu.h"
#include "core/files/json.h"

static const char generic_name[] = "generic";

/* Ends are far beyond any core; they catch wrong units. */
#define CYCLES  0, 1000
#define ENTRIES 1, 4096
#define BYTES   0, 1e7
#define RATE    1e-3, 64
#define WIDTH   1, 1024

static const struct figure {
    const char *key;
    size_t offset;
    double low, high;
    bool whole; /* an int, else a double */
} figures[] = {
#define MEMBER(name) #name, offsetof(struct cpu_core, name)
    {MEMBER(rob_entries), ENTRIES, true}, /* the first: not of the object "core" */
    {MEMBER(dispatch_width), RATE, false},
    {MEMBER(retire_width), RATE, false},
    {MEMBER(decode_width), RATE, false},
    {MEMBER(scheduler_entries), ENTRIES, true},
    {MEMBER(scheduler_fp_entries), 0, 4096, true},
    {MEMBER(load_entries), ENTRIES, true},
    {MEMBER(store_entries), ENTRIES, true},
    {MEMBER(mispredict_cycles), CYCLES, false},
    {MEMBER(l1_cycles), CYCLES, false},
    {MEMBER(forward_cycles), CYCLES, false},
    {MEMBER(code_bytes_per_cycle), WIDTH, false},
    {MEMBER(code_cached_bytes), BYTES, false},
    {MEMBER(l1i_bytes), 1024, 1e7, false},
    {MEMBER(loads_per_cycle), RATE, false},
    {MEMBER(stores_per_cycle), RATE, false},
    {MEMBER(load_bytes_per_cycle), WIDTH, false},
    {MEMBER(store_bytes_per_cycle), WIDTH, false},
    {MEMBER(fp_pipes), RATE, false},
    {MEMBER(alu_pipes), RATE, false},
    {MEMBER(pipes), RATE, false},
    {MEMBER(vector_bits), 64, 4096, true},
    {MEMBER(divide_bits), 64, 4096, true},
#undef MEMBER
};

/* After the figures of the table come those of each class of instructions. */
enum {
    FIGURES = ARRAY_SIZE(figures),
    CLASSES = WORK_CLASS_NR,
    ALL_FIGURES = FIGURES + 2 * CLASSES
};
_Static_assert(ALL_FIGURES <= 64, "bits of struct cpu_core.told");

static void tell(struct cpu_core *core, size_t figure)
{
    core->told |= (uint64_t)1 << figure;
}

static bool is_told(const struct cpu_core *core, size_t figure)
{
    return core->told >> figure & 1;
}

static int read_figure(const struct json_at *at, size_t i, struct cpu_core *core,
                       struct error *err)
{
    const struct figure *figure = &figures[i];
    char *place = (char *)core + figure->offset;
    long long number;

    if (!json_has(at, figure->key))
        return 0;
    tell(core, i);
    if (!figure->whole)
        return json_number_at(at, figure->key, figure->low, figure->high,
                              (double *)(void *)place, err);
    if (json_integer_at(at, figure->key, (long long)figure->low, (long long)figure->high,
                        &number, err))
        return -1;
    *(int *)(void *)place = (int)number;
    return 0;
}

/* {"fp_add": 4, "fp_multiply": 4 ...}; the bits of the classes begin at `first`. */
static int read_classes(const struct json_at *core_at, const char *key, double low,
                        double high, double *value, size_t first, struct cpu_core *core,
                        struct error *err)
{
    struct json_at at;
    const char *word;
    json_t *node;

    if (!json_has(core_at, key))
        return 0;
    if (json_object_at(core_at, key, &at, err))
        return -1;
    json_object_foreach((json_t *)(uintptr_t)at.node, word, node) {
        enum work_class class = work_class_from_word(word);

        if (class == WORK_CLASS_NR)
            return json_fail(&at, err, "unknown class of instructions \"%s\"", word);
        if (json_number_at(&at, word, low, high, &value[class], err))
            return -1;
        tell(core, first + class);
    }
    return 0;
}

static int check_keys(const struct json_at *at, struct error *err)
{
    struct buf keys = {0};
    int result;

    buf_add(&keys, "source latency per_cycle");
    for (size_t i = 1; i < FIGURES; i++)
        buf_addf(&keys, " %s", figures[i].key);
    result = json_only_keys(at, buf_str(&keys), err);
    buf_release(&keys);
    return result;
}

int cpu_core_read(const struct json_at *at, struct cpu_core *core, struct error *err)
{
    if (check_keys(at, err) || json_string_at(at, "source", &core->source, err))
        return -1;
    for (size_t i = 1; i < FIGURES; i++)
        if (read_figure(at, i, core, err))
            return -1;
    if (json_has(at, "scheduler_entries") != json_has(at, "scheduler_fp_entries"))
        return json_fail(at, err,
                         "scheduler_entries and scheduler_fp_entries (0 = unified with "
                         "the other) belong together");
    return read_classes(at, "latency", CYCLES, core->latency, FIGURES, core, err) ||
                   read_classes(at, "per_cycle", RATE, core->per_cycle, FIGURES + CLASSES,
                                core, err)
               ? -1
               : 0;
}

static void fill(struct cpu_core *core, const struct cpu_core *from)
{
    for (size_t i = 0; i < FIGURES; i++)
        if (!is_told(core, i))
            memcpy((char *)core + figures[i].offset,
                   (const char *)from + figures[i].offset,
                   figures[i].whole ? sizeof(int) : sizeof(double));
    for (size_t class = 0; class < CLASSES; class ++) {
        if (!is_told(core, FIGURES + class))
            core->latency[class] = from->latency[class];
        if (!is_told(core, FIGURES + CLASSES + class))
            core->per_cycle[class] = from->per_cycle[class];
    }
    if (!core->source)
        core->source = from->source;
}

/* With the reorder buffer, which stands beside "core" in the file. */
static struct cpu_core own_figures(const struct cpu *cpu)
{
    struct cpu_core core = cpu->core;

    if (cpu->rob_entries) {
        core.rob_entries = cpu->rob_entries;
        tell(&core, 0);
    }
    return core;
}

int cpu_core_of(const struct cpu *cpu, struct cpu_core *out, struct error *err)
{
    const struct cpu_table *table;
    const struct cpu *generic;
    struct cpu_core all = {0};

    *out = (struct cpu_core){0};
    if (cpu_table_get(&table, err))
        return -1;
    generic = cpu_named(table, generic_name);
    if (generic)
        all = own_figures(generic);
    if (cpu_core_told_share(&all) < 1)
        return fail(
            err, STATUS_INPUT,
            "the files of CPUs (machines/cpus) have no 'generic' with all figures "
            "of a core; install the data of this version, or correct "
            "INFLIGHT_DATA");
    if (cpu && cpu != generic)
        *out = own_figures(cpu);
    fill(out, &all);
    return 0;
}

double cpu_core_told_share(const struct cpu_core *core)
{
    size_t nr = 0;

    for (size_t i = 0; i < ALL_FIGURES; i++)
        nr += is_told(core, i);
    return (double)nr / ALL_FIGURES;
}
