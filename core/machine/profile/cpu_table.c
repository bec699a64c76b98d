#include "core/machine/profile/cpu_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *word;
    enum cpu_feature feature;
} feature_words[] = {
#define X(name, word) {word, CPU_FEATURE_##name},
    CPU_FEATURE_MAP(X)
#undef X
};

/* "1A" or "10-1F", hexadecimal. */
static int read_range(const struct json_at *at, struct cpu_range *range,
                      struct error *err)
{
    const char *text;
    char *end;

    if (json_string_here(at, &text, err))
        return -1;
    range->low = range->high = (int)strtol(text, &end, 16);
    if (end != text && *end == '-')
        range->high = (int)strtol(end + 1, &end, 16);
    if (end == text || *end || range->low < 0 || range->high < range->low)
        return json_fail(at, err, "expected a hexadecimal number or range, got \"%s\"",
                         text);
    return 0;
}

static int read_ranges(const struct json_at *at, const char *key, struct cpu_row *row,
                       struct error *err)
{
    struct json_at list;
    size_t nr;

    if (json_array_at(at, key, &list, &nr, err))
        return -1;
    if (nr < 1 || nr > CPU_RANGES_MAX)
        return json_fail(&list, err, "expected 1 to %d entries, got %zu", CPU_RANGES_MAX,
                         nr);
    for (size_t i = 0; i < nr; i++) {
        struct json_at item = json_element(&list, i);

        if (read_range(&item, &row->id[i], err))
            return -1;
    }
    row->id_nr = nr;
    return 0;
}

/* An optional hexadecimal number or range. */
static int read_optional_range(const struct json_at *at, const char *key,
                               struct cpu_range *range, struct error *err)
{
    struct json_at item;

    if (!json_has(at, key))
        return 0;
    return json_member(at, key, &item, err) ? -1 : read_range(&item, range, err);
}

static int read_recognition(const struct json_at *row_at, struct cpu_row *row,
                            struct error *err)
{
    struct cpu_range family = {-1, -1}, implementer = {-1, -1}, type = {0, 0};
    struct json_at at;
    const char *vendor, *core = NULL;

    if (json_object_at(row_at, "recognise", &at, err) ||
        json_only_keys(&at,
                       "vendor family models steppings core_type implementer parts core",
                       err) ||
        json_string_at(&at, "vendor", &vendor, err) ||
        read_optional_range(&at, "family", &family, err) ||
        read_optional_range(&at, "steppings", &row->stepping, err) ||
        read_optional_range(&at, "core_type", &type, err) ||
        read_optional_range(&at, "implementer", &implementer, err) ||
        (json_has(&at, "models") && read_ranges(&at, "models", row, err)) ||
        (json_has(&at, "parts") && read_ranges(&at, "parts", row, err)) ||
        (json_has(&at, "core") && json_string_at(&at, "core", &core, err)))
        return -1;
    row->vendor = xstrdup(vendor);
    row->core = xstrdup(core);
    row->family = family.low;
    row->implementer = implementer.low;
    row->core_type = type.low;
    return 0;
}

static int read_entries(const struct json_at *at, struct quantity *entries,
                        struct error *err)
{
    double value, low, high;
    bool at_least = false;

    if (json_number_at(at, "value", 1, 1024, &value, err) ||
        (json_has(at, "at_least") && json_bool_at(at, "at_least", &at_least, err)))
        return -1;
    low = value;
    high = at_least ? INFINITY : value;
    if ((json_has(at, "low") && json_number_at(at, "low", 1, value, &low, err)) ||
        (json_has(at, "high") && json_number_at(at, "high", value, 1024, &high, err)))
        return -1;
    *entries = quantity_between(value, low, high, 0, PROVENANCE_TABLE);
    return 0;
}

static int read_confidence(const struct json_at *at, char *letter, struct error *err)
{
    struct json_at item;
    const char *text;

    if (json_string_at(at, "confidence", &text, err) ||
        json_member(at, "confidence", &item, err))
        return -1;
    if (strlen(text) != 1 || !strchr("VMPSI", text[0]))
        return json_fail(&item, err, "expected one of V, M, P, S, I, got \"%s\"", text);
    *letter = text[0];
    return 0;
}

static int read_limit(const struct json_at *row_at, const char *key,
                      struct cpu_limit *limit, struct error *err)
{
    struct json_at at;
    const char *source, *scope = "core";

    limit->entries = quantity_unknown();
    if (json_member(row_at, key, &at, err))
        return -1;
    if (json_is_null(at.node))
        return 0;
    if (json_only_keys(&at, "value low high at_least confidence scope source", err) ||
        read_entries(&at, &limit->entries, err) ||
        read_confidence(&at, &limit->confidence, err) ||
        json_string_at(&at, "source", &source, err) ||
        (json_has(&at, "scope") && json_string_at(&at, "scope", &scope, err)))
        return -1;
    limit->source = xstrdup(source);
    limit->scope = xstrdup(scope);
    return 0;
}

static int read_sizes(const struct json_at *at, const char *key, int *size,
                      struct error *err)
{
    struct json_at list;
    size_t nr;

    if (!json_has(at, key))
        return 0;
    if (json_array_at(at, key, &list, &nr, err))
        return -1;
    if (nr > CPU_SIZES_MAX)
        return json_fail(&list, err, "expected up to %d sizes, got %zu", CPU_SIZES_MAX,
                         nr);
    for (size_t i = 0; i < nr; i++) {
        struct json_at item = json_element(&list, i);
        double kib;

        if (json_number_here(&item, 1, 1 << 20, &kib, err))
            return -1;
        size[i] = (int)kib;
    }
    return 0;
}

static int read_feature(const struct json_at *at, unsigned *bits, struct error *err)
{
    const char *word;

    if (json_string_here(at, &word, err))
        return -1;
    for (size_t i = 0; i < ARRAY_SIZE(feature_words); i++)
        if (strcmp(feature_words[i].word, word) == 0) {
            *bits |= 1u << feature_words[i].feature;
            return 0;
        }
    return json_fail(at, err, "unknown feature \"%s\"", word);
}

static int read_features(const struct json_at *at, const char *key, unsigned *bits,
                         struct error *err)
{
    struct json_at list;
    size_t nr;

    if (!json_has(at, key))
        return 0;
    if (json_array_at(at, key, &list, &nr, err))
        return -1;
    for (size_t i = 0; i < nr; i++) {
        struct json_at item = json_element(&list, i);

        if (read_feature(&item, bits, err))
            return -1;
    }
    return 0;
}

static int read_geometry(const struct json_at *row_at, struct cpu_geometry *geometry,
                         struct error *err)
{
    struct json_at at;

    if (!json_has(row_at, "geometry"))
        return 0;
    return json_object_at(row_at, "geometry", &at, err) ||
                   json_only_keys(&at, "l1d_kib l1i_kib l2_kib has lacks", err) ||
                   read_sizes(&at, "l1d_kib", geometry->l1d_kib, err) ||
                   read_sizes(&at, "l1i_kib", geometry->l1i_kib, err) ||
                   read_sizes(&at, "l2_kib", geometry->l2_kib, err) ||
                   read_features(&at, "has", &geometry->has, err) ||
                   read_features(&at, "lacks", &geometry->lacks, err)
               ? -1
               : 0;
}

/* null = unknown = 0. */
static int read_count(const struct json_at *at, const char *key, long long high,
                      int *count, struct error *err)
{
    long long number = 0;

    if (json_has(at, key) && json_integer_at(at, key, 1, high, &number, err))
        return -1;
    *count = (int)number;
    return 0;
}

static int read_row(const struct json_at *at, struct cpu_row *row, struct error *err)
{
    const char *name, *note = NULL;

    row->stepping = (struct cpu_range){0, 15};
    if (json_only_keys(at,
                       "name recognise line_bytes transfer_bytes l1_mshrs l2_mshrs "
                       "rob_entries smt note geometry",
                       err) ||
        json_string_at(at, "name", &name, err) ||
        (json_has(at, "note") && json_string_at(at, "note", &note, err)))
        return -1;
    row->name = xstrdup(name);
    row->note = xstrdup(note);
    return read_recognition(at, row, err) ||
                   read_count(at, "line_bytes", 1024, &row->line_bytes, err) ||
                   read_count(at, "transfer_bytes", 1024, &row->transfer_bytes, err) ||
                   read_count(at, "rob_entries", 4096, &row->rob_entries, err) ||
                   read_count(at, "smt", 8, &row->smt, err) ||
                   read_limit(at, "l1_mshrs", &row->l1, err) ||
                   read_limit(at, "l2_mshrs", &row->l2, err) ||
                   read_geometry(at, &row->geometry, err)
               ? -1
               : 0;
}

int cpu_table_read(struct cpu_table *table, const char *path, struct error *err)
{
    struct json_at top, list;
    json_t *root;
    size_t nr;
    int result = -1;

    *table = (struct cpu_table){0};
    if (json_read_file(path, "inflight.cpus/1", &root, err))
        return -1;
    top = json_top(path, root);
    if (json_only_keys(&top, "schema source confidence cpus", err) ||
        json_array_at(&top, "cpus", &list, &nr, err))
        goto out;
    GROW(table->row, nr, table->row_alloc);
    for (; table->row_nr < nr; table->row_nr++) {
        struct json_at item = json_element(&list, table->row_nr);

        table->row[table->row_nr] = (struct cpu_row){0};
        if (read_row(&item, &table->row[table->row_nr], err)) {
            table->row_nr++;
            goto out;
        }
    }
    result = 0;
out:
    if (result)
        cpu_table_release(table);
    json_decref(root);
    return result;
}

int cpu_table_load(struct cpu_table *table, struct error *err)
{
    char *path;
    int result;

    if (shipped_path("core/machine/data/cpus.json", &path, err))
        return -1;
    result = cpu_table_read(table, path, err);
    free(path);
    return result;
}

void cpu_table_release(struct cpu_table *table)
{
    for (size_t i = 0; i < table->row_nr; i++) {
        struct cpu_row *row = &table->row[i];

        free(row->name);
        free(row->note);
        free(row->vendor);
        free(row->core);
        free(row->l1.source);
        free(row->l1.scope);
        free(row->l2.source);
        free(row->l2.scope);
    }
    free(table->row);
    *table = (struct cpu_table){0};
}
