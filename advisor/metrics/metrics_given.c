#include "advisor/metrics/metrics_given.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/cli/profiles.h"
#include "advisor/exchange/counted.h"
#include "advisor/metrics/metrics_measure.h"
#include "core/occupancy/occupancy.h"

/* ---- the machine ---- */

/* A profile of another machine than the counts' says nothing of them. Counts that name
 * family and model, not the CPU as sold, are of its microarchitecture. */
static bool is_of(const struct metrics_column *column, const struct machine *machine)
{
    const char *cpu = column->counts.cpu, *name = machine->microarchitecture;
    if (!cpu || !machine->cpu_model || cpu_names_agree(cpu, machine->cpu_model))
        return true;
    return name && metric_set_cpu(column->set, cpu) == METRIC_CPU_SAME &&
           strvec_has(&column->set->microarchitecture, name);
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
    give(column, "line_bytes", positive(column->set->line_bytes, PROVENANCE_TABLE));
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
