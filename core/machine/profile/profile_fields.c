#include <math.h>
#include <stdlib.h>

#include "core/machine/profile/profile.h"

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

static json_t *number_or_null(double number, const struct field *field)
{
    return number == 0 && !field->required ? json_null() : json_number_or_null(number);
}

static json_t *field_json(const struct field *field, const char *place)
{
    switch (field->type) {
    case FIELD_TEXT:
        return text_json(*(char *const *)(const void *)place);
    case FIELD_NUMBER:
        return number_or_null(*(const double *)(const void *)place, field);
    case FIELD_INTEGER: {
        int number = *(const int *)(const void *)place;

        return number || field->required ? json_integer(number) : json_null();
    }
    case FIELD_BOOL:
        return json_boolean(*(const bool *)(const void *)place);
    case FIELD_QUANTITY:
        return json_quantity(*(const struct quantity *)(const void *)place);
    }
    return json_null();
}

void fields_write(const struct field_list *list, const void *from, json_t *object)
{
    for (size_t i = 0; i < list->nr; i++)
        json_object_set_new(
            object, list->field[i].key,
            field_json(&list->field[i], (const char *)from + list->field[i].offset));
}

static int read_quantity(const struct field *field, const struct json_at *at,
                         struct quantity *to, struct error *err)
{
    static const char *const end[] = {"value", "low", "high"};
    struct json_at here;

    if (json_quantity_at(at, field->key, to, err))
        return -1;
    for (size_t i = 0; i < ARRAY_SIZE(end); i++) {
        double number = i == 0 ? to->value : i == 1 ? to->low : to->high;

        if (to->known && !isinf(number) && (number < field->low || number > field->high))
            return json_member(at, field->key, &here, err) ||
                   json_fail(&here, err, "%s: expected a number in [%g, %g], got %.10g",
                             end[i], field->low, field->high, number);
    }
    return 0;
}

static int read_text(const struct field *field, const struct json_at *at, char **to,
                     struct error *err)
{
    struct json_at here;
    const char *text;

    if (json_string_at(at, field->key, &text, err))
        return -1;
    if (field->required && !*text)
        return json_member(at, field->key, &here, err) ||
               json_fail(&here, err, "is empty");
    free(*to);
    *to = xstrdup(text);
    return 0;
}

static int read_integer(const struct field *field, const struct json_at *at, int *to,
                        struct error *err)
{
    long long number;

    if (json_integer_at(at, field->key, (long long)field->low, (long long)field->high,
                        &number, err))
        return -1;
    *to = (int)number;
    return 0;
}

static int field_read(const struct field *field, const struct json_at *at, char *place,
                      struct error *err)
{
    void *to = place;

    switch (field->type) {
    case FIELD_TEXT:
        return read_text(field, at, to, err);
    case FIELD_NUMBER:
        return json_number_at(at, field->key, field->low, field->high, to, err);
    case FIELD_INTEGER:
        return read_integer(field, at, to, err);
    case FIELD_BOOL:
        return json_bool_at(at, field->key, to, err);
    case FIELD_QUANTITY:
        return read_quantity(field, at, to, err);
    }
    return -1;
}

static int check_keys(const struct field_list *list, const struct json_at *at,
                      struct error *err)
{
    struct buf keys = {0};
    int result;

    for (size_t i = 0; i < list->nr; i++)
        buf_addf(&keys, "%s%s", i ? " " : "", list->field[i].key);
    buf_add(&keys, list->more);
    result = json_only_keys(at, buf_str(&keys), err);
    buf_release(&keys);
    return result;
}

int fields_read(const struct field_list *list, const struct json_at *at, void *to,
                struct error *err)
{
    if (check_keys(list, at, err))
        return -1;
    for (size_t i = 0; i < list->nr; i++) {
        const struct field *field = &list->field[i];

        if (!field->required && !json_has(at, field->key))
            continue;
        if (field_read(field, at, (char *)to + field->offset, err))
            return -1;
    }
    return 0;
}
