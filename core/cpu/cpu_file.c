#include "core/cpu/cpu.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/base/text.h"
#include "core/files/fs.h"

static const char folder_name[] = "machines/cpus";

static const struct {
    const char *word;
    enum cpu_feature feature;
} feature_words[] = {
#define X(name, word, flag) {word, CPU_FEATURE_##name},
    CPU_FEATURE_MAP(X)
#undef X
};

/* One object, or several in a list. */
static int read_rules(const struct json_at *at, struct cpu *cpu, struct error *err)
{
    struct json_at list;
    size_t nr = 1;
    bool several = json_is_array(json_object_get(at->node, "recognise"));

    if (several ? json_array_at(at, "recognise", &list, &nr, err)
                : json_object_at(at, "recognise", &list, err))
        return -1;
    if (nr < 1 || nr > CPU_RULES_MAX)
        return json_fail(&list, err, "expected 1 to %d, got %zu", CPU_RULES_MAX, nr);
    for (; cpu->rule_nr < nr; cpu->rule_nr++) {
        struct json_at item = several ? json_element(&list, cpu->rule_nr) : list;

        if (cpu_rule_read(&item, &cpu->rule[cpu->rule_nr], err))
            return -1;
    }
    return 0;
}

static int read_entries(const struct json_at *at, struct quantity *entries,
                        struct error *err)
{
    double value, low, high;
    bool at_least = false;

    if (json_number_at(at, "value", 1, 1024, &value, err) ||
        json_bool_if(at, "at_least", &at_least, err))
        return -1;
    low = value;
    high = at_least ? INFINITY : value;
    if (json_number_if(at, "low", 1, value, &low, err) ||
        json_number_if(at, "high", value, 1024, &high, err))
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

    limit->scope = "core";
    limit->entries = quantity_unknown();
    if (!json_has(row_at, key))
        return 0;
    if (json_member(row_at, key, &at, err) ||
        json_only_keys(&at, "value low high at_least confidence scope source", err) ||
        read_entries(&at, &limit->entries, err) ||
        read_confidence(&at, &limit->confidence, err) ||
        json_string_at(&at, "source", &limit->source, err) ||
        (json_has(&at, "scope") && json_string_at(&at, "scope", &limit->scope, err)))
        return -1;
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

static int read_feature(const struct json_at *at, void *into, struct error *err)
{
    unsigned *bits = into;
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
                   json_each_if(&at, "has", read_feature, &geometry->has, err) ||
                   json_each_if(&at, "lacks", read_feature, &geometry->lacks, err)
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

/* ---- its memory and its metrics ---- */

static int read_gbs(const struct json_at *at, double *gbs, struct error *err)
{
    const double channel_bytes = 8;
    long long channels, mts;

    if (json_has(at, "gbs"))
        return json_number_at(at, "gbs", 1, 1e5, gbs, err);
    if (!json_has(at, "channels"))
        return 0;
    if (json_integer_at(at, "channels", 1, 64, &channels, err) ||
        json_integer_at(at, "mts", 100, 100000, &mts, err))
        return -1;
    *gbs = channel_bytes * (double)(channels * mts) / 1000;
    return 0;
}

static int read_memories(const struct json_at *at, struct cpu *cpu, struct error *err)
{
    struct json_at list;
    size_t nr;

    if (!json_has(at, "memory"))
        return 0;
    if (json_array_at(at, "memory", &list, &nr, err))
        return -1;
    if (nr > CPU_MEMORIES_MAX)
        return json_fail(&list, err, "expected up to %d, got %zu", CPU_MEMORIES_MAX, nr);
    for (size_t i = 0; i < nr; i++) {
        struct json_at item = json_element(&list, i);
        struct cpu_memory *memory = &cpu->memory[cpu->memory_nr++];

        if (json_only_keys(&item, "models names channels mts gbs exact source", err) ||
            json_string_at(&item, "source", &memory->source, err) ||
            read_gbs(&item, &memory->gbs, err) ||
            cpu_ranges_read(&item, "models", &memory->models, err) ||
            (json_has(&item, "names") &&
             json_strings_at(&item, "names", &memory->name, err)) ||
            json_bool_if(&item, "exact", &memory->exact, err))
            return -1;
    }
    return 0;
}

/* "zen2", or by stepping {"0-2": ..., "3-F": ...}. */
static int read_metrics(const struct json_at *at, struct cpu *cpu, struct error *err)
{
    json_t *node = json_object_get(at->node, "metrics"), *one;
    const char *steppings;
    struct json_at by;

    if (!json_is_object(node)) {
        cpu->metrics_nr = json_has(at, "metrics");
        return cpu->metrics_nr ? json_string_at(at, "metrics", &cpu->metrics[0].name, err)
                               : 0;
    }
    if (json_object_at(at, "metrics", &by, err))
        return -1;
    if (json_object_size(node) > CPU_METRICS_MAX)
        return json_fail(&by, err, "expected up to %d", CPU_METRICS_MAX);
    json_object_foreach(node, steppings, one) {
        struct cpu_metrics *metrics = &cpu->metrics[cpu->metrics_nr++];

        if (cpu_ranges_add(&by, steppings, &metrics->steppings, err) ||
            json_string_at(&by, steppings, &metrics->name, err))
            return -1;
    }
    return 0;
}

/* ---- all of it ---- */

static int read_core(const struct json_at *top, struct cpu *cpu, struct error *err)
{
    struct json_at at;

    if (!json_has(top, "core"))
        return 0;
    return json_object_at(top, "core", &at, err) || cpu_core_read(&at, &cpu->core, err)
               ? -1
               : 0;
}

static int read_cpu(struct cpu *cpu, struct error *err)
{
    struct json_at top, bandwidth;
    size_t nr;
    int smt;

    if (json_read_file(cpu->path, "inflight.cpu/1", &cpu->root, err))
        return -1;
    top = json_top(cpu->path, cpu->root);
    return json_only_keys(&top,
                          "schema name recognise line_bytes transfer_bytes l1_mshrs "
                          "l2_mshrs rob_entries core smt note geometry memory "
                          "bandwidth metrics",
                          err) ||
                   json_string_at(&top, "name", &cpu->name, err) ||
                   read_rules(&top, cpu, err) ||
                   read_count(&top, "line_bytes", 1024, &cpu->line_bytes, err) ||
                   read_count(&top, "transfer_bytes", 1024, &cpu->transfer_bytes, err) ||
                   read_count(&top, "rob_entries", 4096, &cpu->rob_entries, err) ||
                   read_core(&top, cpu, err) || read_count(&top, "smt", 8, &smt, err) ||
                   read_limit(&top, "l1_mshrs", &cpu->l1, err) ||
                   read_limit(&top, "l2_mshrs", &cpu->l2, err) ||
                   read_geometry(&top, &cpu->geometry, err) ||
                   read_memories(&top, cpu, err) ||
                   (json_has(&top, "bandwidth") &&
                    json_array_at(&top, "bandwidth", &bandwidth, &nr, err)) ||
                   read_metrics(&top, cpu, err)
               ? -1
               : 0;
}

static void release(struct cpu_table *table)
{
    for (size_t i = 0; i < table->cpu_nr; i++) {
        struct cpu *cpu = &table->cpu[i];

        for (size_t k = 0; k < cpu->memory_nr; k++)
            strvec_release(&cpu->memory[k].name);
        json_decref(cpu->root);
        free(cpu->path);
    }
    free(table->cpu);
    *table = (struct cpu_table){0};
}

int cpu_table_get(const struct cpu_table **shared, struct error *err)
{
    static struct cpu_table table;
    static char *table_folder;
    struct strvec names = {0};
    char *folder = NULL;
    int result = shipped_names(folder_name, &names, &folder, err);

    if (!result && table_folder && strcmp(table_folder, folder) == 0)
        goto out;
    release(&table);
    free(table_folder);
    table_folder = NULL;
    GROW(table.cpu, names.nr, table.cpu_alloc);
    for (size_t i = 0; i < names.nr && !result; i++) {
        struct cpu *cpu = &table.cpu[table.cpu_nr++];

        *cpu = (struct cpu){.path = xasprintf("%s/%s.json", folder, names.v[i])};
        result = read_cpu(cpu, err);
    }
    if (result)
        release(&table);
    else
        table_folder = xstrdup(folder);
out:
    *shared = &table;
    strvec_release(&names);
    free(folder);
    return result;
}

const struct cpu *cpu_named(const struct cpu_table *table, const char *name)
{
    for (size_t i = 0; name && i < table->cpu_nr; i++)
        if (strcasecmp(table->cpu[i].name, name) == 0)
            return &table->cpu[i];
    return NULL;
}

static bool claims(const struct cpu *cpu, const struct cpu_identity *identity)
{
    for (size_t i = 0; i < cpu->rule_nr; i++)
        if (cpu_rule_fits(&cpu->rule[i], identity))
            return true;
    return false;
}

const struct cpu *cpu_claimed(const struct cpu_table *table,
                              const struct cpu_identity *identity)
{
    const struct cpu *found = NULL;

    for (size_t i = 0; i < table->cpu_nr; i++)
        if (claims(&table->cpu[i], identity)) {
            if (found)
                return NULL;
            found = &table->cpu[i];
        }
    return found;
}

const char *cpu_metrics_name(const struct cpu_table *table,
                             const struct cpu_identity *identity)
{
    const char *name = NULL;
    int stepping = identity->stepping;

    for (size_t i = 0; i < table->cpu_nr; i++) {
        const struct cpu *cpu = &table->cpu[i];

        for (size_t k = 0; k < cpu->metrics_nr && claims(cpu, identity); k++) {
            const struct cpu_metrics *metrics = &cpu->metrics[k];

            if (stepping >= 0 && !cpu_ranges_hold(&metrics->steppings, stepping))
                continue;
            if (name && strcmp(name, metrics->name) != 0)
                return NULL;
            name = metrics->name;
        }
    }
    return name;
}

static bool is_named(const struct cpu_memory *memory, const char *name)
{
    for (size_t i = 0; i < memory->name.nr; i++)
        if (text_holds(name, memory->name.v[i]))
            return true;
    return memory->name.nr == 0;
}

const struct cpu_memory *cpu_memory_of(const struct cpu *cpu,
                                       const struct cpu_identity *identity)
{
    for (size_t i = 0; i < cpu->memory_nr; i++)
        if (cpu_ranges_hold(&cpu->memory[i].models, identity->model) &&
            is_named(&cpu->memory[i], identity->name))
            return &cpu->memory[i];
    return NULL;
}
