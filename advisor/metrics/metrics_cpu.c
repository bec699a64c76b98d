/* By which definitions a column is read, and what is given beside its counts. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/cli/cli.h"
#include "advisor/exchange/exchanged.h"
#include "advisor/metrics/metrics_columns.h"
#include "advisor/metrics/metrics_measure.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/cpu/cpu.h"
#include "core/occupancy/occupancy.h"

const char metrics_software[] = "software";

int metrics_set_here(struct metric_set **set, struct error *err)
{
    struct buf cpu = {0};
    *set = NULL;
    int status = cpuinfo_read(&cpu, err);
    if (!status)
        status = metric_set_load(NULL, buf_str(&cpu), set, err);
    buf_release(&cpu);
    return status;
}

/* ---- what is named ---- */

/* The i-th name between commas, or the only one; NULL = too few. Caller frees. */
static char *name_at(const char *names, size_t i)
{
    const char *at = names;
    if (file_exists(names) || !strchr(names, ','))
        return xstrdup(names);
    for (; i && (at = strchr(at, ',')); i--)
        at++;
    return at ? xstrndup(at, strcspn(at, ",")) : NULL;
}

static int load_named(const struct metrics_report *report, struct metrics_column *column,
                      struct error *err)
{
    char *name = name_at(report->settings->cpu, report->nr);
    int status = name && *name ? metric_set_load(name, NULL, &column->set, err)
                               : fail(err, STATUS_USAGE,
                                      "--cpu '%s' has no name for '%s': give one for "
                                      "all, or one for each --counts",
                                      report->settings->cpu, column->label);
    free(name);
    return status;
}

int metrics_check_cpus(const struct metrics_report *report, struct error *err)
{
    const char *names = report->settings->cpu;
    if (!names || file_exists(names) || !strchr(names, ','))
        return 0;
    char *more = name_at(names, report->nr);
    int status = more ? fail(err, STATUS_USAGE,
                             "--cpu '%s' names more CPUs than there are columns (%zu)",
                             names, report->nr)
                      : 0;
    free(more);
    return status;
}

/* ---- whose counts ---- */

static int refuse_cpu(const struct metrics_column *column, const char *cpu,
                      const struct metric_set *other, struct error *err)
{
    return fail(err, STATUS_INPUT,
                "the counts in '%s' are of '%s'%s%s%s, not of '%s' (%s), which --cpu "
                "names: leave --cpu out, or count there",
                column->origin, cpu, other ? ", which '" : "", other ? other->name : "",
                other ? "' describes" : "", column->set->name, column->set->title);
}

/* The shipped file that describes these counts, for the refusal. */
static int refuse_named(const struct metrics_column *column, const char *cpu,
                        struct error *err)
{
    struct metric_set *other = NULL;
    metric_set_load(NULL, cpu, &other, NULL);
    refuse_cpu(column, cpu, other, err);
    metric_set_free(other);
    return -1;
}

/* The counts' own words against the definitions that were named. A name as sold, which
 * tells no family and model, still tells the vendor. */
static int check_cpu(const struct metrics_column *column, const char *cpu,
                     struct error *err)
{
    const char *reported = cpu_vendor_of_name(cpu),
               *vendor = json_string_value(
                   json_object_get(json_array_get(column->set->recognise, 0), "vendor"));
    enum metric_cpu whose = metric_set_cpu(column->set, cpu);
    if (!column->set->recognise || !strcmp(cpu, column->set->name))
        return 0;
    if (whose == METRIC_CPU_OTHER)
        return refuse_named(column, cpu, err);
    if (whose == METRIC_CPU_NOT_GIVEN && reported && vendor &&
        strcmp(reported, vendor) != 0)
        return refuse_cpu(column, cpu, NULL, err);
    return 0;
}

/* NULL = they do not say it. */
static int find_cpu(const struct metrics_column *column, const char **cpu,
                    struct error *err)
{
    *cpu = NULL;
    for (size_t i = 0; i < column->run_nr; i++) {
        const char *one = column->run[i].cpu;
        if (one && *cpu && !cpu_names_agree(one, *cpu) && strcmp(one, *cpu) != 0)
            return fail(
                err, STATUS_INPUT,
                "the runs in '%s' are of '%s' and of '%s': runs of the same work must "
                "come from one CPU; make them columns, with one --counts each",
                column->origin, *cpu, one);
        *cpu = one ? one : *cpu;
    }
    return 0;
}

/* ---- what the events say ---- */

static size_t events_among(const struct metric_set *set,
                           const struct metrics_column *column)
{
    size_t nr = 0;
    for (size_t i = 0; i < column->run_nr; i++)
        for (size_t k = 0; k < column->run[i].count_nr; k++)
            nr += metric_event_find(set, column->run[i].count[k].event) != METRIC_NONE;
    return nr;
}

/* The files with most of these events. */
static void find_likely(const struct metrics_column *column, struct strvec *best)
{
    struct metric_file *file = NULL;
    size_t nr = 0, max = 0;
    if (metric_files(&file, &nr, NULL))
        return;
    for (size_t i = 0; i < nr; i++) {
        struct metric_set *set = NULL;
        if (file[i].common || metric_set_load(file[i].name, NULL, &set, NULL))
            continue;
        size_t found = events_among(set, column);
        if (found > max)
            strvec_release(best);
        if (found && found >= max)
            strvec_push(best, file[i].name);
        max = found > max ? found : max;
        metric_set_free(set);
    }
    metric_files_release(file, nr);
}

/* " (most of the events are those of a, b)"; "" for none. Caller frees. */
static char *likely_text(const struct strvec *best)
{
    char *names = strvec_join(best, ", ");
    char *text = best->nr ? xasprintf(" (most of the events are those of %s)", names)
                          : xstrdup("");
    free(names);
    return text;
}

/* The kernel's own are of no CPU. */
static size_t events_of_cpus(const struct metrics_column *column)
{
    size_t nr = 0;
    for (size_t i = 0; i < column->run_nr; i++)
        for (size_t k = 0; k < column->run[i].count_nr; k++)
            nr += !text_begins(column->run[i].count[k].event, "perf::");
    return nr;
}

/* Knows less than half of the events, and others know more of them. */
static bool is_doubtful(const struct metrics_column *column)
{
    struct strvec best = {0};
    if (2 * events_among(column->set, column) < events_of_cpus(column))
        find_likely(column, &best);
    bool doubtful = best.nr && !strvec_has(&best, column->set->name);
    strvec_release(&best);
    return doubtful;
}

/* Definitions that know few of the events, where others know more: likely the wrong ones.
 */
static void doubt_named(struct metrics_column *column)
{
    struct strvec likely = {0};
    if (!column->set->recognise || !is_doubtful(column))
        return;
    find_likely(column, &likely);
    char *text = likely_text(&likely);
    strvec_pushf(&column->note,
                 "'%s' knows %zu of the %zu events in '%s': are the counts from another "
                 "CPU than --cpu names?%s",
                 column->set->name, events_among(column->set, column),
                 events_of_cpus(column), column->origin, text);
    free(text);
    strvec_release(&likely);
}

static int no_cpu(const struct metrics_column *column, const char *cpu, struct error *err)
{
    struct strvec likely = {0};
    find_likely(column, &likely);
    char *text = likely_text(&likely);
    int status =
        cpu ? fail(err, STATUS_INPUT,
                   "the counts in '%s' are of '%s', which no definition recognises: name "
                   "one with --cpu%s; 'inflight metrics --list' names them all",
                   column->origin, cpu, text)
            : fail(err, STATUS_INPUT,
                   "the counts in '%s' do not say which CPU they are of, and are not of "
                   "this machine's events: name it with --cpu%s; 'inflight metrics "
                   "--list' names them all",
                   column->origin, text);
    free(text);
    strvec_release(&likely);
    return status;
}

/* Events of the kernel or of a program, "perf::X", are no CPU's. */
static bool is_of_no_cpu(const struct metric_set *set)
{
    return set->event_nr && strstr(set->event[0].name, "::");
}

/* The file that describes no CPU, such as the kernel's software events, with most of
 * these events. */
static bool load_common(struct metrics_column *column)
{
    struct metric_file *file = NULL;
    size_t nr = 0, max = 0;
    if (metric_files(&file, &nr, NULL))
        return false;
    for (size_t i = 0; i < nr; i++) {
        struct metric_set *set = NULL;
        if (!file[i].common || metric_set_load(file[i].name, NULL, &set, NULL))
            continue;
        size_t found = is_of_no_cpu(set) ? events_among(set, column) : 0;
        if (found > max) {
            metric_set_free(column->set);
            column->set = set;
            max = found;
        } else {
            metric_set_free(set);
        }
    }
    metric_files_release(file, nr);
    if (!max || is_doubtful(column))
        return false;
    strvec_pushf(&column->note,
                 "the counts do not say which CPU they are of: read as '%s', which "
                 "describes none; --cpu names one",
                 column->set->name);
    return true;
}

static int load_here(struct metrics_column *column, bool *here, struct error *err)
{
    bool known = !metrics_set_here(&column->set, NULL) &&
                 events_among(column->set, column) > 0 && !is_doubtful(column);
    *here = known;
    if (known) {
        strvec_pushf(&column->note,
                     "the counts do not say which CPU they are of: taken as this "
                     "machine's, '%s'; --cpu names another",
                     column->set->name);
        return 0;
    }
    metric_set_free(column->set);
    column->set = NULL;
    return load_common(column) ? 0 : no_cpu(column, NULL, err);
}

static int load_stated(struct metrics_column *column, const char *cpu, struct error *err)
{
    struct error why = {0};
    if (!metric_set_load(cpu, NULL, &column->set, NULL) ||
        !metric_set_load(NULL, cpu, &column->set, &why))
        return 0;
    return why.status == STATUS_MISSING ? no_cpu(column, cpu, err)
                                        : fail(err, why.status, "%s", why.text);
}

/* ---- all of it ---- */

bool metrics_counts_software(const struct metrics_column *column)
{
    struct metric_set *set = NULL;
    bool some = !metric_set_load(metrics_software, NULL, &set, NULL) &&
                events_among(set, column) > 0;
    metric_set_free(set);
    return some;
}

/* The kernel's events are counted beside the CPU's. */
static int add_software(struct metrics_column *column, struct error *err)
{
    struct metric_set *more = NULL;
    if (!strcmp(column->set->name, metrics_software))
        return 0;
    if (metric_set_load(metrics_software, NULL, &more, err))
        return -1;
    if (events_among(more, column) &&
        metric_find(column->set, more->metric[0].name) == METRIC_NONE)
        return metric_set_merge(column->set, more, err);
    metric_set_free(more);
    return 0;
}

int metrics_choose_set(const struct metrics_report *report, const char *definition,
                       struct metrics_column *column, bool *here, struct error *err)
{
    const char *cpu = NULL;
    int status = find_cpu(column, &cpu, err);
    *here = false;
    if (status)
        return -1;
    if (report->settings->cpu)
        status = load_named(report, column, err);
    else if (definition)
        status = metric_set_load(definition, NULL, &column->set, err);
    else
        status = cpu ? load_stated(column, cpu, err) : load_here(column, here, err);
    if (!status && cpu && report->settings->cpu)
        status = check_cpu(column, cpu, err);
    else if (!status && report->settings->cpu)
        doubt_named(column);
    return status ? -1 : add_software(column, err);
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
        column->little_why = xstrdup("the bytes per second through memory are not known");
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
