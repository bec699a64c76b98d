/* Regions: bytes and time to bandwidth, bandwidth to occupancy and advice. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/cli/cli.h"
#include "core/base/error.h"
#include "core/store/store.h"
#include "core/traffic/traffic.h"
#include "observe/report/regions_report.h"

void regions_report_release(struct regions_report *report)
{
    for (size_t i = 0; report->answer && i < report->profile.region_nr; i++) {
        answer_release(&report->answer[i].answer);
        given_release(&report->answer[i].given);
        free(report->answer[i].why_not);
    }
    free(report->answer);
    region_profile_release(&report->profile);
    free(report->program);
    free(report->ended);
    free(report->machine);
    strvec_release(&report->note);
    rule_set_free(report->rules);
    *report = (struct regions_report){0};
}

double region_marker_share(const struct region *region)
{
    return region->numbers.thread_s > 0
               ? fmin(1, region->marker_s / region->numbers.thread_s)
               : 0;
}

/* ---- cores ---- */

/*
 * Processor time over time where the calls were long enough to ask for it: it also sees
 * threads that do not mark the region, and not those that wait in it. Else the threads
 * that were in it at once.
 */
static void find_cores(const struct region *region, struct region_answer *out)
{
    const struct region_numbers *numbers = &region->numbers;
    double threads = region->hosts_s > 0 ? numbers->thread_s / region->hosts_s : NAN;
    out->by_processor_time = numbers->asked_s > 0.5 * numbers->thread_s;
    if (out->by_processor_time)
        threads = numbers->processor_s / numbers->asked_s * region->processes_at_once;
    out->cores = isfinite(threads) ? quantity_exact(threads, PROVENANCE_CLOCK)
                                   : quantity_unknown();
}

static int whole_cores(const struct regions_report *report, struct quantity cores,
                       const struct machine *machine)
{
    if (report->settings->cores > 0)
        return (int)fmin((double)report->settings->cores, machine->cores);
    return (int)fmin(fmax(round(cores.value), 1), machine->cores);
}

/* ---- bytes ---- */

static struct count_set counts_of(const struct regions_report *report,
                                  const struct region *region)
{
    struct count_set set = {.seconds = quantity_exact(region->hosts_s, PROVENANCE_CLOCK)};
    for (size_t i = 0; i < report->profile.event_nr; i++)
        count_set_add(&set, report->profile.event[i],
                      quantity_exact(region->numbers.count[i], PROVENANCE_PAPI), 1);
    return set;
}

/* Of a region's counts; false where they tell nothing of memory. */
static bool bytes_counted(const struct regions_report *report,
                          const struct region *region, const char *cpu,
                          struct quantity *read, struct quantity *write, char **source)
{
    struct count_set set = counts_of(report, region);
    struct error ignored = {0};
    bool found =
        report->profile.event_nr &&
        !traffic_bandwidth_from_counts(cpu, &set, read, write, source, &ignored) &&
        read->known;
    if (found && !write->known)
        *write = quantity_exact(0, PROVENANCE_PAPI);
    count_set_release(&set);
    return found;
}

static bool bytes_declared(const struct region *region, struct quantity *read,
                           struct quantity *write, char **source)
{
    const struct region_numbers *numbers = &region->numbers;
    double inner = region->inner_read_bytes + region->inner_write_bytes;
    if (!(numbers->declared > 0) && !(inner > 0))
        return false;
    *read = quantity_exact(numbers->read_bytes + region->inner_read_bytes,
                           PROVENANCE_DECLARED);
    *write = quantity_exact(numbers->write_bytes + region->inner_write_bytes,
                            PROVENANCE_DECLARED);
    *source = xstrdup(numbers->declared > 0 ? "declared by inflight_region_bytes"
                                            : "declared by the regions within it");
    return true;
}

/* Bytes over the time that the region took; processes that overlap only in part make an
 * interval of it. */
static struct quantity rate_of(struct quantity bytes, const struct region *region)
{
    double stretch =
        region->wall_s.value > 0 ? region->wall_s.high / region->wall_s.value : 1;
    struct quantity time = quantity_between(
        region->hosts_s, region->hosts_s, region->hosts_s * stretch, 0, PROVENANCE_CLOCK);
    struct quantity rate = quantity_scale(quantity_divide(bytes, time), 1e-9);
    rate.provenance = bytes.provenance;
    return rate;
}

static void find_rates(const struct regions_report *report, const struct region *region,
                       const char *cpu, struct region_answer *out)
{
    struct quantity read = quantity_unknown(), write = quantity_unknown();
    out->read_gbs = out->write_gbs = quantity_unknown();
    if (!bytes_counted(report, region, cpu, &read, &write, &out->given.source) &&
        !bytes_declared(region, &read, &write, &out->given.source)) {
        out->why_not =
            xasprintf("how many bytes it moves is not known: declare them with "
                      "inflight_region_bytes(\"%s\", read, written)",
                      region->name);
        return;
    }
    out->read_gbs = rate_of(read, region);
    out->write_gbs = rate_of(write, region);
    bool counted = read.provenance == PROVENANCE_PAPI;
    if (out->read_gbs.known && !counted && !(region->numbers.declared > 0))
        out->why_not =
            xasprintf("only the regions within it declare bytes, %.4g GB/s of its time",
                      out->read_gbs.value + out->write_gbs.value);
    else if (!out->read_gbs.known)
        out->why_not = xstrdup("it took no time");
    else if (!(out->read_gbs.value > 0))
        out->why_not =
            xstrdup(out->write_gbs.value > 0
                        ? "nothing is read from memory: no misses wait for it"
                        : "it moves nothing through memory: it is not limited by it");
}

/* ---- the answer ---- */

static int random_share(const struct regions_report *report, const struct region *region,
                        struct quantity *share, struct error *err)
{
    *share = quantity_unknown();
    if (region->numbers.random_share >= 0)
        *share = quantity_exact(region->numbers.random_share, PROVENANCE_DECLARED);
    else if (report->settings->access)
        return access_parse(report->settings->access, "--access", share, err);
    return 0;
}

/* What else --events counted of the region. */
static void find_facts(const struct regions_report *report, const struct region *region,
                       const struct machine *machine, int cores, struct given *given)
{
    struct count_set set = counts_of(report, region);
    struct metrics_facts_question more = {&set, machine, cores, NULL};
    metrics_facts_of(&more, &given->facts, &given->note, NULL);
    count_set_release(&set);
}

static void answer_one(const struct regions_report *report, const struct region *region,
                       const struct machine *machine, struct region_answer *out)
{
    struct error why = {0};
    struct question question = {
        .machine = report->settings->machine ? report->settings->machine : "here",
        .memory = report->settings->memory,
        .read_gbs = out->read_gbs,
        .write_gbs = out->write_gbs,
        .cores = whole_cores(report, out->cores, machine),
        .given = &out->given};
    if (report->profile.event_nr)
        find_facts(report, region, machine, question.cores, &out->given);
    char *source = out->given.source;
    char *name = region_shown(region->name);
    out->given.source = xasprintf("region '%s'", name);
    if (random_share(report, region, &question.random_share, &why) ||
        answer_question(&question, report->rules, &out->answer, &why))
        out->why_not = xasprintf("%s; do not declare what stays in the caches", why.text);
    free(name);
    free(out->given.source);
    out->given.source = source;
}

static void answer_all(struct regions_report *report, const struct machine *machine)
{
    for (size_t i = 0; i < report->profile.region_nr; i++) {
        const struct region *region = &report->profile.region[i];
        struct region_answer *out = &report->answer[i];
        find_cores(region, out);
        find_rates(report, region, machine ? machine->cpu_model : NULL, out);
        if (!out->why_not && !machine)
            out->why_not = xstrdup("there is no machine profile");
        if (!out->why_not)
            answer_one(report, region, machine, out);
    }
}

static int load_machine(const struct settings *settings, struct machine *machine,
                        struct error *err)
{
    return profile_load(settings->machine ? settings->machine : "here", settings->memory,
                        machine, err);
}

int regions_check(const struct settings *settings, struct error *err)
{
    int status = question_check(settings, err);
    if (!status && settings->events)
        status = regions_check_events(settings->events, err);
    return status;
}

int regions_answers(struct regions_report *report, struct error *err)
{
    const struct settings *settings = report->settings;
    struct machine machine = {0};
    struct error why = {0};
    if (rule_set_load_given(&settings->rules, &report->rules, err))
        return -1;
    report->answer = xcalloc(report->profile.region_nr + 1, sizeof(*report->answer));
    bool loaded = !load_machine(settings, &machine, &why);
    if (!loaded && (settings->machine || settings->memory))
        return fail(err, why.status, "%s", why.text);
    if (loaded)
        report->machine = xstrdup(machine.name);
    else if (report->profile.region_nr)
        strvec_pushf(&report->note, "no occupancy: %s", why.text);
    answer_all(report, loaded ? &machine : NULL);
    machine_release(&machine);
    return 0;
}
