#include "advisor/metrics/metrics_given.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/cli/profiles.h"
#include "advisor/exchange/counted.h"
#include "advisor/metrics/metrics_measure.h"
#include "core/occupancy/occupancy.h"

/* ---- the CPU table ---- */

/* "55", or "10" within "00-1F". */
static bool holds(const json_t *list, const char *word)
{
    size_t i;
    const json_t *one;
    unsigned long value = strtoul(word, NULL, 16);
    json_array_foreach(list, i, one)
    {
        char *end = NULL;
        const char *text = json_string_value(one);
        unsigned long low = text ? strtoul(text, &end, 16) : 1, high = low;
        if (text && *end == '-')
            high = strtoul(end + 1, NULL, 16);
        if (text && value >= low && value <= high)
            return true;
    }
    return false;
}

static bool same_text(const json_t *a, const json_t *b, const char *key)
{
    const json_t *left = json_object_get(a, key), *right = json_object_get(b, key);
    return !left || !right || json_equal((json_t *)(uintptr_t)left, right);
}

/* Do both rows speak of one CPU, at least? */
static bool rows_meet(const json_t *a, const json_t *b)
{
    static const char *const text[] = {"vendor", "family", "implementer", "core"};
    for (size_t i = 0; i < ARRAY_SIZE(text); i++)
        if (!same_text(a, b, text[i]))
            return false;
    const json_t *models = json_object_get(a, "models"), *parts = NULL, *one;
    size_t i;
    parts = models ? models : json_object_get(a, "parts");
    const json_t *list = json_object_get(b, models ? "models" : "parts");
    json_array_foreach(parts, i, one)
    {
        if (holds(list, json_string_value(one)))
            return true;
    }
    return !parts && !list;
}

/* The rows of the CPU table, which is the caller's; none where it cannot be read. */
static const json_t *open_cpus(json_t **table)
{
    char *path = NULL;
    *table = NULL;
    if (!shipped_path("core/machine/data/cpus.json", &path, NULL))
        json_read_file(path, NULL, table, NULL);
    free(path);
    return json_object_get(*table, "cpus");
}

static double line_of_rows(const json_t *cpus, const json_t *recognise)
{
    size_t i, k;
    const json_t *row, *one;
    json_array_foreach(recognise, k, one)
    {
        json_array_foreach(cpus, i, row)
        {
            const json_t *line = json_object_get(row, "line_bytes");
            if (json_is_integer(line) &&
                rows_meet(one, json_object_get(row, "recognise")))
                return json_number_value(line);
        }
    }
    return 0;
}

/* Of the CPUs that the definitions are of; 0 = not known. */
static double line_of_table(const struct metric_set *set)
{
    json_t *table;
    double bytes = line_of_rows(open_cpus(&table), set->recognise);
    json_decref(table);
    return bytes;
}

static bool rows_name(const json_t *cpus, const json_t *recognise, const char *name)
{
    const json_t *row, *one;
    size_t i, k;
    json_array_foreach(cpus, i, row)
    {
        const char *called = json_string_value(json_object_get(row, "name"));
        if (!called || strcmp(called, name))
            continue;
        json_array_foreach(recognise, k, one)
        {
            if (rows_meet(one, json_object_get(row, "recognise")))
                return true;
        }
    }
    return false;
}

bool metrics_set_is_of(const struct metric_set *set, const char *microarchitecture)
{
    json_t *table;
    bool is = rows_name(open_cpus(&table), set->recognise, microarchitecture);
    json_decref(table);
    return is;
}

/* ---- the machine ---- */

/* A profile of another machine than the counts' says nothing of them. Counts that name
 * family and model, not the CPU as sold, are of its microarchitecture. */
static bool is_of(const struct metrics_column *column, const struct machine *machine)
{
    const char *cpu = column->counts.cpu, *name = machine->microarchitecture;
    if (!cpu || !machine->cpu_model || cpu_names_agree(cpu, machine->cpu_model))
        return true;
    return name && metric_set_cpu(column->set, cpu) == METRIC_CPU_SAME &&
           metrics_set_is_of(column->set, name);
}

static int find_machine(const struct settings *settings, struct metrics_column *column,
                        bool machine_here, struct error *err)
{
    if (!settings->machine && !machine_here)
        return 0;
    const char *name = settings->machine ? settings->machine : "here";
    int status = profile_load(name, settings->memory, &column->machine,
                              settings->machine ? err : NULL);
    column->has_machine = !status && is_of(column, &column->machine);
    if (!status && !column->has_machine) {
        strvec_pushf(&column->note,
                     "the profile '%s' is of '%s' and these counts are of '%s': it is "
                     "not used for them",
                     name, column->machine.cpu_model, column->counts.cpu);
        machine_release(&column->machine);
    }
    return settings->machine ? status : 0;
}

/* ---- all of it ---- */

/* Rows of the counts go before all else; what is given first stays. */
static void give(struct metrics_column *column, const char *name, struct quantity value)
{
    struct quantity row = count_set_value(&column->counts, name);
    if ((row.known || value.known) && !metrics_given_value(column, name).known)
        metrics_give(column, name, row.known ? row : value);
}

static struct quantity positive(double value, enum provenance provenance)
{
    return value > 0 ? quantity_exact(value, provenance) : quantity_unknown();
}

int metrics_find_given(const struct settings *settings, struct metrics_column *column,
                       bool machine_here, struct error *err)
{
    const struct machine *machine = &column->machine;
    struct metric_given here[METRICS_GIVEN_HERE];
    if (find_machine(settings, column, machine_here, err))
        return -1;
    if (settings->cores > 0)
        metrics_give(column, "cores",
                     quantity_exact((double)settings->cores, PROVENANCE_DECLARED));
    give(column, "cores", positive(column->counts.cores, PROVENANCE_RECORDED));
    give(column, "flops_expected", quantity_unknown()); /* a row of the counts */
    give(column, "line_bytes", positive(machine->line_bytes, PROVENANCE_PROBE));
    give(column, "vector_bits", positive(8.0 * machine->simd_bytes, PROVENANCE_PROBE));
    size_t nr = machine_here ? metrics_given_here(here) : 0;
    for (size_t i = 0; i < nr; i++)
        give(column, here[i].name, here[i].value);
    give(column, "line_bytes", positive(line_of_table(column->set), PROVENANCE_TABLE));
    return 0;
}

/* ---- Little's law ---- */

static struct quantity in_gbs(const struct metrics_column *column, const char *name)
{
    return quantity_scale(
        quantity_divide(metrics_value(column, name), column->counts.seconds), 1e-9);
}

/* n = bandwidth x latency / line / cores, at both ends of the bandwidth, too. */
static void by_curve(struct metrics_column *column, struct quantity gbs,
                     double read_share, double cores)
{
    const struct machine *machine = &column->machine;
    double end[3] = {gbs.value, gbs.low, gbs.high}, n[3];
    column->latency_ns = machine_latency_ns(machine, gbs.value, read_share);
    for (size_t i = 0; i < 3; i++) {
        struct quantity latency = machine_latency_ns(machine, end[i], read_share);
        n[i] = latency.known ? occupancy_paper_n(end[i], latency.value,
                                                 machine_transfer_bytes(machine), 1) /
                                   cores
                             : NAN;
    }
    if (!column->latency_ns.known || isnan(n[0]))
        column->little_why = xasprintf("%.3g GB/s is beyond the end of the curve of '%s'",
                                       gbs.value, machine->name);
    else
        column->little = quantity_between(n[0], isnan(n[1]) ? n[0] : fmin(n[0], n[1]),
                                          isnan(n[2]) ? INFINITY : fmax(n[0], n[2]), 0,
                                          PROVENANCE_DERIVED);
}

void metrics_find_little(struct metrics_column *column)
{
    struct quantity read = in_gbs(column, "Mem_read_Bytes"),
                    write = in_gbs(column, "Mem_write_Bytes"),
                    cores = metrics_given_value(column, "cores");
    struct quantity gbs = in_gbs(column, "Mem_Bytes");
    column->little = column->latency_ns = quantity_unknown();
    if (!gbs.known)
        gbs = write.known ? quantity_add(read, write) : read;
    if (!gbs.known || !(gbs.value > 0))
        column->little_why = xstrdup("the bytes through memory a second are not known");
    else if (!column->has_machine)
        column->little_why = xstrdup("the latency under load is not known: --machine "
                                     "names a profile of the machine of the counts");
    else if (!cores.known)
        column->little_why = xstrdup("how many cores shared the bandwidth is not known: "
                                     "--cores N");
    else
        by_curve(column, gbs, read.known ? fmin(read.value / gbs.value, 1) : 1,
                 cores.value);
}
