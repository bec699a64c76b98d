#include "core/machine/profile/profile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/cpu/cpu.h"
#include "core/machine/machine.h"

static void limit_release(struct machine_limit *limit)
{
    free(limit->scope);
    free(limit->source);
}

static void curves_release(struct machine_curve *curve, size_t nr)
{
    for (size_t i = 0; i < nr; i++)
        free(curve[i].point);
    free(curve);
}

static void memories_release(struct machine *machine)
{
    for (size_t i = 0; i < machine->memory_nr; i++) {
        struct machine_memory *memory = &machine->memory[i];

        curves_release(memory->curve, memory->curve_nr);
        free(memory->name);
        free(memory->kind);
    }
    free(machine->memory);
}

void machine_release(struct machine *machine)
{
    char *text[] = {machine->name,
                    machine->cpu_model,
                    machine->microarchitecture,
                    machine->recognition,
                    machine->fingerprint,
                    machine->source,
                    machine->date,
                    machine->stability,
                    machine->peak_source,
                    machine->store_read_source};

    curves_release(machine->curve, machine->curve_nr);
    memories_release(machine);
    limit_release(&machine->l1_mshrs);
    limit_release(&machine->l2_mshrs);
    strvec_release(&machine->note);
    for (size_t i = 0; i < ARRAY_SIZE(text); i++)
        free(text[i]);
    *machine = (struct machine){0};
}

static json_t *fields_json(const struct field_list *list, const void *from)
{
    json_t *object = json_object();

    fields_write(list, from, object);
    return object;
}

static json_t *levels_json(const struct machine *machine)
{
    json_t *list = json_array();

    for (int i = 0; i < machine->level_nr; i++)
        json_array_append_new(list, fields_json(&level_fields, &machine->level[i]));
    return list;
}

static json_t *curve_json(const struct machine_curve *curve)
{
    json_t *object = fields_json(&curve_fields, curve), *list = json_array();

    for (size_t i = 0; i < curve->point_nr; i++)
        json_array_append_new(list, fields_json(&point_fields, &curve->point[i]));
    json_object_set_new(object, "points", list);
    return object;
}

static json_t *curves_json(const struct machine_curve *curve, size_t nr)
{
    json_t *list = json_array();

    for (size_t i = 0; i < nr; i++)
        json_array_append_new(list, curve_json(&curve[i]));
    return list;
}

static json_t *memories_json(const struct machine *machine)
{
    json_t *list = json_array();

    for (size_t i = 0; i < machine->memory_nr; i++) {
        const struct machine_memory *memory = &machine->memory[i];
        json_t *object = fields_json(&memory_fields, memory);

        json_object_set_new(object, "curves",
                            curves_json(memory->curve, memory->curve_nr));
        json_array_append_new(list, object);
    }
    return list;
}

json_t *machine_limit_json(const struct machine_limit *limit)
{
    return fields_json(&limit_fields, limit);
}

json_t *machine_to_json(const struct machine *machine)
{
    json_t *root = json_object();

    json_object_set_new(root, "schema", json_string(MACHINE_SCHEMA));
    fields_write(&machine_fields, machine, root);
    json_object_set_new(root, "levels", levels_json(machine));
    json_object_set_new(root, "small_pages",
                        fields_json(&pages_fields, &machine->small_pages));
    json_object_set_new(root, "huge_pages",
                        fields_json(&pages_fields, &machine->huge_pages));
    json_object_set_new(root, "l1_mshrs", machine_limit_json(&machine->l1_mshrs));
    json_object_set_new(root, "l2_mshrs", machine_limit_json(&machine->l2_mshrs));
    json_object_set_new(root, "curves", curves_json(machine->curve, machine->curve_nr));
    json_object_set_new(root, "memories", memories_json(machine));
    json_object_set_new(root, "notes", json_strvec(&machine->note));
    return root;
}

static int read_level(const struct json_at *at, void *into, struct error *err)
{
    struct machine *machine = into;
    int before = machine->level_nr ? machine->level[machine->level_nr - 1].level : 0;
    struct machine_level *level = &machine->level[machine->level_nr++];

    if (fields_read(&level_fields, at, level, err))
        return -1;
    if (level->level != before + 1)
        return json_fail(at, err, "expected level %d here, got %d", before + 1,
                         level->level);
    return 0;
}

static int read_point(const struct json_at *at, void *into, struct error *err)
{
    struct machine_curve *curve = into;
    struct machine_point *point = &curve->point[curve->point_nr++];

    if (fields_read(&point_fields, at, point, err))
        return -1;
    if (!point->latency_ns.known)
        return json_fail(at, err, "a point needs a latency");
    if (point->gbs_high != 0 &&
        !(point->gbs_low <= point->gbs && point->gbs <= point->gbs_high))
        return json_fail(at, err, "expected gbs_low <= gbs <= gbs_high, got %g, %g, %g",
                         point->gbs_low, point->gbs, point->gbs_high);
    if (at->index && point->gbs <= point[-1].gbs)
        return json_fail(at, err, "points must ascend in gbs: %g after %g", point->gbs,
                         point[-1].gbs);
    return 0;
}

static int read_points(const struct json_at *at, struct machine_curve *curve,
                       struct error *err)
{
    struct json_at list;
    size_t nr;

    if (json_array_at(at, "points", &list, &nr, err))
        return -1;
    if (!nr)
        return json_fail(&list, err, "expected at least one point");
    curve->point = xcalloc(nr, sizeof(*curve->point));
    curve->point_alloc = nr;
    return json_each_here(&list, read_point, curve, err);
}

static int read_curve(const struct json_at *at, void *into, struct error *err)
{
    struct machine_curve *curve = (struct machine_curve *)into + at->index;

    return fields_read(&curve_fields, at, curve, err) || read_points(at, curve, err) ? -1
                                                                                     : 0;
}

static int read_curves(const struct json_at *at, struct machine_curve **curve,
                       size_t *curve_nr, size_t *curve_alloc, struct error *err)
{
    *curve_nr = *curve_alloc = json_size_at(at, "curves");
    *curve = xcalloc(*curve_nr + 1, sizeof(**curve));
    return json_each(at, "curves", 0, SIZE_MAX, read_curve, *curve, err);
}

static int read_memory(const struct json_at *at, void *into, struct error *err)
{
    struct machine *machine = into;
    struct machine_memory *memory;

    GROW(machine->memory, machine->memory_nr + 1, machine->memory_alloc);
    memory = &machine->memory[machine->memory_nr++];
    *memory = (struct machine_memory){0};
    if (fields_read(&memory_fields, at, memory, err))
        return -1;
    for (size_t i = 0; i + 1 < machine->memory_nr; i++)
        if (strcmp(machine->memory[i].name, memory->name) == 0)
            return json_fail(at, err, "there is already a memory \"%s\"", memory->name);
    return read_curves(at, &memory->curve, &memory->curve_nr, &memory->curve_alloc, err);
}

static int read_part(const struct json_at *top, const char *key,
                     const struct field_list *list, void *to, struct error *err)
{
    struct json_at at;

    return json_object_at(top, key, &at, err) || fields_read(list, &at, to, err) ? -1 : 0;
}

static int read_top(const struct json_at *top, struct machine *machine, struct error *err)
{
    return fields_read(&machine_fields, top, machine, err) ||
                   json_each(top, "levels", 1, MACHINE_LEVELS_MAX, read_level, machine,
                             err) ||
                   read_part(top, "small_pages", &pages_fields, &machine->small_pages,
                             err) ||
                   read_part(top, "huge_pages", &pages_fields, &machine->huge_pages,
                             err) ||
                   read_part(top, "l1_mshrs", &limit_fields, &machine->l1_mshrs, err) ||
                   read_part(top, "l2_mshrs", &limit_fields, &machine->l2_mshrs, err) ||
                   read_curves(top, &machine->curve, &machine->curve_nr,
                               &machine->curve_alloc, err) ||
                   /* profiles of earlier versions have none */
                   json_each_if(top, "memories", read_memory, machine, err) ||
                   (json_has(top, "notes") &&
                    json_strings_at(top, "notes", &machine->note, err)) ||
                   profile_check(top, machine, err)
               ? -1
               : 0;
}

int machine_find_core(struct machine *machine, struct error *err)
{
    const struct cpu_table *table;

    if (cpu_table_get(&table, err) ||
        cpu_core_of(cpu_named(table, machine->microarchitecture), &machine->core, err))
        return -1;
    if (machine->rob_entries)
        machine->core.rob_entries = machine->rob_entries;
    return 0;
}

int machine_from_json(const struct json_at *at, struct machine *machine,
                      struct error *err)
{
    *machine = (struct machine){0};
    int result = read_top(at, machine, err) || machine_find_core(machine, err) ? -1 : 0;

    if (result)
        machine_release(machine);
    return result;
}

int machine_read(const char *path, bool shipped, struct machine *machine,
                 struct error *err)
{
    struct json_at top;
    json_t *root;
    int result;

    *machine = (struct machine){0};
    if ((shipped ? json_read_file : json_read_own)(path, MACHINE_SCHEMA, &root, err))
        return -1;
    top = json_top(path, root);
    result = machine_from_json(&top, machine, err);
    json_decref(root);
    return result;
}

int machine_save(const struct machine *machine, const char *path, struct error *err)
{
    json_t *root = machine_to_json(machine);
    int result = json_write_file(path, root, err);

    json_decref(root);
    return result;
}

#define AT(type, member) offsetof(struct type, member)
#define LIST(name, keys)                                                                 \
    const struct field_list name##_fields = {name##_field, ARRAY_SIZE(name##_field), keys}

/* Upper ends are far beyond any machine; they catch wrong units. */
#define BYTES   0, 1e18
#define GBS     0, 1e6
#define NS      0.01, 1e5
#define RATE    0, 1e13
#define FLOPS   0, 1e15
#define ENTRIES 1, 1e4

#define RATES(prefix, type, member)                                                      \
    {prefix "read_gbs", FIELD_QUANTITY, AT(type, member.read_gbs), GBS, false},          \
        {prefix "write_gbs", FIELD_QUANTITY, AT(type, member.write_gbs), GBS, false},    \
        {prefix "copy_gbs", FIELD_QUANTITY, AT(type, member.copy_gbs), GBS, false},      \
        {prefix "triad_gbs", FIELD_QUANTITY, AT(type, member.triad_gbs), GBS, false},    \
        {prefix "nontemporal_gbs", FIELD_QUANTITY, AT(type, member.nontemporal_gbs),     \
         GBS, false},                                                                    \
    {                                                                                    \
        prefix "random_lines_per_s", FIELD_QUANTITY,                                     \
            AT(type, member.random_lines_per_s), RATE, false                             \
    }

/* "flops_simd" has always meant the fused ones. */
#define FLOPS_OF(prefix, type, member)                                                   \
    {prefix "flops_scalar", FIELD_QUANTITY, AT(type, member.scalar), FLOPS, false},      \
        {prefix "flops_simd_unfused", FIELD_QUANTITY, AT(type, member.simd), FLOPS,      \
         false},                                                                         \
    {                                                                                    \
        prefix "flops_simd", FIELD_QUANTITY, AT(type, member.fma), FLOPS, false          \
    }

static const struct field machine_field[] = {
    {"name", FIELD_TEXT, AT(machine, name), 0, 0, true},
    {"cpu_model", FIELD_TEXT, AT(machine, cpu_model), 0, 0, false},
    {"microarchitecture", FIELD_TEXT, AT(machine, microarchitecture), 0, 0, false},
    {"recognition", FIELD_TEXT, AT(machine, recognition), 0, 0, false},
    {"fingerprint", FIELD_TEXT, AT(machine, fingerprint), 0, 0, false},
    {"source", FIELD_TEXT, AT(machine, source), 0, 0, true},
    {"date", FIELD_TEXT, AT(machine, date), 0, 0, false},
    {"quick", FIELD_BOOL, AT(machine, quick), 0, 0, false},
    {"unstable", FIELD_BOOL, AT(machine, unstable), 0, 0, false},
    {"busy", FIELD_BOOL, AT(machine, busy), 0, 0, false},
    {"stability", FIELD_TEXT, AT(machine, stability), 0, 0, false},
    {"cores", FIELD_INTEGER, AT(machine, cores), 1, 1e6, true},
    {"threads_per_core", FIELD_INTEGER, AT(machine, threads_per_core), 1, 64, true},
    {"sockets", FIELD_INTEGER, AT(machine, sockets), 1, 1e4, true},
    {"numa_nodes", FIELD_INTEGER, AT(machine, numa_nodes), 1, 1e4, true},
    {"memory_bytes", FIELD_NUMBER, AT(machine, memory_bytes), BYTES, false},
    {"ghz", FIELD_NUMBER, AT(machine, ghz), 0.01, 100, false},
    {"line_bytes", FIELD_INTEGER, AT(machine, line_bytes), 16, 1024, true},
    {"transfer_bytes", FIELD_INTEGER, AT(machine, transfer_bytes), 0, 1024, false},
    {"rob_entries", FIELD_INTEGER, AT(machine, rob_entries), 0, 1e5, false},
    {"memory_latency_ns", FIELD_QUANTITY, AT(machine, memory_latency_ns), NS, false},
    RATES("memory_", machine, one_core),
    RATES("all_", machine, all_cores),
    {"node_read_gbs", FIELD_QUANTITY, AT(machine, node_read_gbs), GBS, false},
    {"node_copy_gbs", FIELD_QUANTITY, AT(machine, node_copy_gbs), GBS, false},
    {"peak_gbs", FIELD_QUANTITY, AT(machine, peak_gbs), GBS, false},
    {"peak_source", FIELD_TEXT, AT(machine, peak_source), 0, 0, false},
    {"prefetch_l2_gain", FIELD_QUANTITY, AT(machine, prefetch_l2_gain), 0, 1e3, false},
    {"huge_pages_available", FIELD_BOOL, AT(machine, huge_pages_available), 0, 0, false},
    FLOPS_OF("", machine, flops_double),
    FLOPS_OF("single_", machine, flops_single),
    FLOPS_OF("all_", machine, all_flops_double),
    FLOPS_OF("all_single_", machine, all_flops_single),
    {"simd_bytes", FIELD_INTEGER, AT(machine, simd_bytes), 0, 4096, false},
    {"store_read_factor", FIELD_NUMBER, AT(machine, store_read_factor), 0, 1, true},
    {"store_read_source", FIELD_TEXT, AT(machine, store_read_source), 0, 0, false},
};
LIST(machine,
     " schema notes levels small_pages huge_pages l1_mshrs l2_mshrs curves memories");

static const struct field level_field[] = {
    {"level", FIELD_INTEGER, AT(machine_level, level), 1, MACHINE_LEVELS_MAX, true},
    {"claimed_bytes", FIELD_NUMBER, AT(machine_level, claimed_bytes), BYTES, false},
    {"effective_bytes", FIELD_NUMBER, AT(machine_level, effective_bytes), BYTES, false},
    {"effective_low_bytes", FIELD_NUMBER, AT(machine_level, effective_low_bytes), BYTES,
     false},
    {"effective_high_bytes", FIELD_NUMBER, AT(machine_level, effective_high_bytes), BYTES,
     false},
    {"ways", FIELD_INTEGER, AT(machine_level, ways), 0, 1e6, false},
    {"cores_sharing", FIELD_INTEGER, AT(machine_level, cores_sharing), 1, 1e6, true},
    {"latency_ns", FIELD_QUANTITY, AT(machine_level, latency_ns), NS, false},
    RATES("", machine_level, one_core),
    RATES("all_", machine_level, all_cores),
};
LIST(level, "");

static const struct field limit_field[] = {
    {"table", FIELD_QUANTITY, AT(machine_limit, table), ENTRIES, false},
    {"probe", FIELD_QUANTITY, AT(machine_limit, probe), ENTRIES, false},
    {"probe_is_floor", FIELD_BOOL, AT(machine_limit, probe_is_floor), 0, 0, false},
    {"used", FIELD_QUANTITY, AT(machine_limit, used), ENTRIES, false},
    {"scope", FIELD_TEXT, AT(machine_limit, scope), 0, 0, false},
    {"source", FIELD_TEXT, AT(machine_limit, source), 0, 0, false},
};
LIST(limit, "");

static const struct field pages_field[] = {
    {"translation_ns", FIELD_QUANTITY, AT(machine_pages, translation_ns), -1e3, 1e5,
     false},
    {"random_accesses_per_s", FIELD_QUANTITY, AT(machine_pages, random_accesses_per_s),
     RATE, false},
    {"walks_per_s", FIELD_QUANTITY, AT(machine_pages, walks_per_s), RATE, false},
    {"walks_is_floor", FIELD_BOOL, AT(machine_pages, walks_is_floor), 0, 0, false},
    {"tlb_entries", FIELD_NUMBER, AT(machine_pages, tlb_entries), 0, 1e9, false},
};
LIST(pages, "");

static const struct field curve_field[] = {
    {"read_share", FIELD_NUMBER, AT(machine_curve, read_share), 0, 1, true},
    {"nontemporal", FIELD_BOOL, AT(machine_curve, nontemporal), 0, 0, false},
    {"ceiling_gbs", FIELD_QUANTITY, AT(machine_curve, ceiling_gbs), GBS, false},
};
LIST(curve, " points");

static const struct field point_field[] = {
    {"gbs", FIELD_NUMBER, AT(machine_point, gbs), GBS, true},
    {"gbs_low", FIELD_NUMBER, AT(machine_point, gbs_low), GBS, false},
    {"gbs_high", FIELD_NUMBER, AT(machine_point, gbs_high), GBS, false},
    {"latency_ns", FIELD_QUANTITY, AT(machine_point, latency_ns), NS, true},
};
LIST(point, "");

static const struct field memory_field[] = {
    {"name", FIELD_TEXT, AT(machine_memory, name), 0, 0, true},
    {"kind", FIELD_TEXT, AT(machine_memory, kind), 0, 0, true},
    {"node", FIELD_INTEGER, AT(machine_memory, node), 0, 1e6, true},
    {"local", FIELD_BOOL, AT(machine_memory, local), 0, 0, true},
    {"cores", FIELD_INTEGER, AT(machine_memory, cores), 1, 1e6, true},
    {"bytes", FIELD_NUMBER, AT(machine_memory, bytes), BYTES, false},
    {"latency_ns", FIELD_QUANTITY, AT(machine_memory, latency_ns), NS, false},
    {"node_read_gbs", FIELD_QUANTITY, AT(machine_memory, node_read_gbs), GBS, false},
    {"node_copy_gbs", FIELD_QUANTITY, AT(machine_memory, node_copy_gbs), GBS, false},
};
LIST(memory, " curves");

/*
 * What a profile must hold true beyond the type and range of each value: files are edited
 * by hand, cut off, and written with the wrong units. Intervals are compared by their
 * ends, so that no scatter of a measurement is refused.
 */
/* Far beyond every CPU table and every curve measured (A64FX 18, Xeon Max 52). */
static const double max_lines_in_flight = 1000;
/* Slicing of caches by hypervisors makes `claimed` wrong by some ten. */
static const double most_effective = 100;
static const double min_cache_bytes = 1024;

static int check_limit(const struct json_at *top, const char *key,
                       const struct machine_limit *limit, struct error *err)
{
    static const char *const scopes[] = {"core", "tile", "cluster"};
    struct json_at at;

    if (!limit->scope)
        return 0;
    for (size_t i = 0; i < ARRAY_SIZE(scopes); i++)
        if (strcmp(limit->scope, scopes[i]) == 0)
            return 0;
    return json_member(top, key, &at, err) ||
           json_fail(&at, err, "scope: expected core, tile or cluster, got \"%s\"",
                     limit->scope);
}

static int check_line(const struct json_at *top, const struct machine *machine,
                      struct error *err)
{
    struct json_at at;
    int line = machine->line_bytes, transfer = machine->transfer_bytes;

    if (line & (line - 1))
        return json_member(top, "line_bytes", &at, err) ||
               json_fail(&at, err, "expected a power of two, got %d", line);
    if (transfer && (transfer > line || line % transfer))
        return json_member(top, "transfer_bytes", &at, err) ||
               json_fail(&at, err, "expected a part of the line of %d bytes, got %d",
                         line, transfer);
    return 0;
}

/* Of the nearest level below `below` whose latency is known; unknown if there is none. */
static struct quantity inner_latency(const struct machine *machine, int below, int *level)
{
    for (int i = below - 1; i >= 0; i--)
        if (machine->level[i].latency_ns.known) {
            *level = machine->level[i].level;
            return machine->level[i].latency_ns;
        }
    return quantity_unknown();
}

/* Nothing farther away is faster. */
static int check_latency(const struct json_at *at, const char *key,
                         struct quantity latency, const struct machine *machine,
                         int below, struct error *err)
{
    struct json_at here;
    int level = 0;
    struct quantity inner = inner_latency(machine, below, &level);

    if (!latency.known || !inner.known || latency.high >= inner.low)
        return 0;
    return json_member(at, key, &here, err) ||
           json_fail(&here, err, "%g ns is less than the %g ns of the L%d cache",
                     latency.value, inner.value, level);
}

struct checked {
    const struct machine *machine;
    const struct machine_curve *curve; /* the first of the list */
    int cores;                         /* that share it */
};

static int check_level(const struct json_at *at, void *of, struct error *err)
{
    const struct machine *machine = ((const struct checked *)of)->machine;
    int i = (int)at->index;
    const struct machine_level *level = &machine->level[i];
    struct json_at here;

    if (level->claimed_bytes > 0 && level->claimed_bytes < min_cache_bytes)
        return json_member(at, "claimed_bytes", &here, err) ||
               json_fail(&here, err, "a cache of %g bytes; KiB instead of bytes?",
                         level->claimed_bytes);
    if (level->claimed_bytes > 0 &&
        level->effective_bytes > most_effective * level->claimed_bytes)
        return json_member(at, "effective_bytes", &here, err) ||
               json_fail(&here, err, "%g bytes is more than %g times the claimed %g",
                         level->effective_bytes, most_effective, level->claimed_bytes);
    return check_latency(at, "latency_ns", level->latency_ns, machine, i, err);
}

/* Little's law catches bandwidth in MB/s. */
static int check_point(const struct json_at *at, void *of, struct error *err)
{
    const struct checked *checked = of;
    const struct machine *machine = checked->machine;
    const struct machine_curve *curve = checked->curve;
    const struct machine_point *point = &curve->point[at->index];
    double bytes = point->gbs * point->latency_ns.value;
    double lines = bytes / machine->line_bytes / checked->cores;

    if (lines > max_lines_in_flight)
        return json_fail(at, err,
                         "%g GB/s at %g ns are %.0f lines in flight per core; is gbs in "
                         "GB/s, latency_ns in ns?",
                         point->gbs, point->latency_ns.value, lines);
    /* A predicted end follows what all cores drew; a ceiling told too low stays told. */
    if (curve->ceiling_gbs.known && point->gbs > 1.05 * curve->ceiling_gbs.high &&
        point->latency_ns.provenance != PROVENANCE_PREDICTED)
        return json_fail(at, err, "%g GB/s is more than the curve's ceiling_gbs of %g",
                         point->gbs, curve->ceiling_gbs.high);
    return check_latency(at, "latency_ns", point->latency_ns, machine, machine->level_nr,
                         err);
}

static int check_curve(const struct json_at *at, void *of, struct error *err)
{
    struct checked checked = *(const struct checked *)of;

    checked.curve += at->index;
    return json_each(at, "points", 0, SIZE_MAX, check_point, &checked, err);
}

static int check_memory(const struct json_at *at, void *of, struct error *err)
{
    const struct machine *machine = ((const struct checked *)of)->machine;
    const struct machine_memory *memory = &machine->memory[at->index];
    struct checked checked = {machine, memory->curve, memory->cores};

    return check_latency(at, "latency_ns", memory->latency_ns, machine, machine->level_nr,
                         err) ||
                   json_each(at, "curves", 0, SIZE_MAX, check_curve, &checked, err)
               ? -1
               : 0;
}

int profile_check(const struct json_at *top, const struct machine *machine,
                  struct error *err)
{
    struct checked checked = {machine, machine->curve, machine->cores};

    return check_line(top, machine, err) ||
                   check_limit(top, "l1_mshrs", &machine->l1_mshrs, err) ||
                   check_limit(top, "l2_mshrs", &machine->l2_mshrs, err) ||
                   json_each(top, "levels", 0, SIZE_MAX, check_level, &checked, err) ||
                   check_latency(top, "memory_latency_ns", machine->memory_latency_ns,
                                 machine, machine->level_nr, err) ||
                   json_each(top, "curves", 0, SIZE_MAX, check_curve, &checked, err) ||
                   json_each_if(top, "memories", check_memory, &checked, err)
               ? -1
               : 0;
}
