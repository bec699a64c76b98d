#include "advisor/exchange/exchanged.h"
#include "core/cpu/cpu.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/cli/cli.h"
#include "core/base/error.h"

/* ---- whose counts ---- */

/* Counts of one machine under the curves of another are a mistake, unless it is asked
 * for. */
static int check_cpu(const struct settings *settings, const struct count_set *set,
                     const struct machine *machine, struct given *given,
                     struct error *err)
{
    if (!set->cpu && !settings->machine)
        strvec_pushf(&given->note,
                     "the counts do not say which CPU they are of: explained with this "
                     "machine's profile, '%s'; --machine NAME takes another",
                     machine->name);
    if (!set->cpu || !machine->cpu_model || cpu_names_agree(set->cpu, machine->cpu_model))
        return 0;
    if (!settings->machine)
        return fail(err, STATUS_INPUT,
                    "the counts in '%s' are of '%s' and this machine is '%s': name the "
                    "profile with --machine ('inflight machine --list')",
                    settings->counts.v[0], set->cpu, machine->cpu_model);
    strvec_pushf(&given->note,
                 "counted on '%s', explained with the profile of '%s', as you asked",
                 set->cpu, machine->cpu_model);
    return 0;
}

static int choose_cores(const struct settings *settings, const struct count_set *set,
                        const struct machine *machine, struct given *given)
{
    if (settings->cores > 0)
        return (int)fmin((double)settings->cores, INT_MAX);
    if (set->cores <= machine->cores)
        return set->cores;
    strvec_pushf(&given->note,
                 "the counts are of %d hardware threads, '%s' has %d cores: all of them "
                 "are assumed; --cores overrides it",
                 set->cores, machine->name, machine->cores);
    return machine->cores;
}

/* ---- GB/s ---- */

static void take_seconds(const struct settings *settings, struct count_set *set,
                         struct given *given)
{
    if (settings->seconds_s <= 0)
        return;
    if (set->seconds.known && fabs(set->seconds.value / settings->seconds_s - 1) > 0.001)
        strvec_pushf(&given->note, "the file says %.4g s; --seconds overrides it",
                     set->seconds.value);
    set->seconds = quantity_exact(settings->seconds_s, PROVENANCE_DECLARED);
}

/* By the events that this CPU's memory controllers count. */
static int by_formula(const struct count_set *set, const char *cpu,
                      counted_formula *formula, struct question *question, char **source,
                      struct error *err)
{
    struct quantity read = quantity_unknown(), written = quantity_unknown();
    struct error why = {0};
    if (!formula || formula(cpu, set, &read, &written, source, &why) || !read.known)
        return fail(err, STATUS_INPUT,
                    "the counts do not tell the bytes through memory%s%s; add rows "
                    "read_bytes and write_bytes, or gbs",
                    *why.text ? ": " : "", why.text);
    question->read_gbs = quantity_scale(quantity_divide(read, set->seconds), 1e-9);
    question->write_gbs = quantity_scale(quantity_divide(written, set->seconds), 1e-9);
    if (!question->read_gbs.known)
        return fail(err, STATUS_INPUT,
                    "the counts do not say what time they cover: give --seconds TIME, or "
                    "count with 'perf stat -e duration_time,...'");
    return 0;
}

static int find_rates(const struct count_set *set, const char *cpu,
                      counted_formula *formula, struct question *question,
                      struct given *given, struct error *err)
{
    char *source = NULL;
    int status = count_set_bandwidth(set, &question->read_gbs, &question->write_gbs, err);
    if (!status && !question->read_gbs.known)
        status = by_formula(set, cpu, formula, question, &source, err);
    if (!status && !(question->read_gbs.value > 0))
        status = fail(err, STATUS_INPUT,
                      "the counts say that nothing was read from memory: either they "
                      "are of another time or the loop does not use memory");
    if (!status && !question->write_gbs.known) {
        question->write_gbs = quantity_exact(0, PROVENANCE_RECORDED);
        strvec_push(&given->note, "writes are not among the counts and are taken as "
                                  "zero: the bandwidth is a lower bound");
    }
    if (!status)
        given->source = xasprintf("bandwidth recorded by %s%s%s", set->source,
                                  source ? ": " : "", source ? source : "");
    free(source);
    return status;
}

/* ---- how it reaches for memory ---- */

static double a_share(double value)
{
    return fmin(fmax(value, 0), 1);
}

/* Told, or in the rows random_share, or fill_lines and prefetched_lines. */
static int find_access(const struct settings *settings, const struct count_set *set,
                       struct question *question, struct given *given, struct error *err)
{
    struct quantity share = count_set_value(set, "random_share");
    if (settings->access)
        return access_parse(settings->access, "--access", &question->random_share, err);
    if (!share.known)
        share =
            quantity_subtract(quantity_exact(1, PROVENANCE_RECORDED),
                              quantity_divide(count_set_value(set, "prefetched_lines"),
                                              count_set_value(set, "fill_lines")));
    if (share.known)
        share = quantity_between(a_share(share.value), a_share(share.low),
                                 a_share(share.high), share.runs, share.provenance);
    question->random_share = share;
    if (!share.known)
        strvec_push(&given->note,
                    "the random share is not known: --access random, streaming or a "
                    "share gives it; until then the intervals cover both");
    return 0;
}

/* ---- all of it ---- */

static int ask_of(const struct settings *settings, counted_formula *formula,
                  struct count_set *set, const struct machine *machine,
                  struct given *given, struct question *question, struct error *err)
{
    const char *cpu = set->cpu ? set->cpu : machine->cpu_model;
    take_seconds(settings, set, given);
    *question = (struct question){
        .machine = settings->machine ? settings->machine : "here",
        .memory = settings->memory,
        .latency_ns = settings->latency_ns > 0 ? settings->latency_ns : 0,
        .given = given};
    if (check_cpu(settings, set, machine, given, err) ||
        find_rates(set, cpu, formula, question, given, err) ||
        find_access(settings, set, question, given, err))
        return fail_in(err, "'%s'", settings->counts.v[0]);
    question->gbs = question->read_gbs.value + question->write_gbs.value;
    question->cores = choose_cores(settings, set, machine, given);
    struct metrics_facts_question more = {set, machine, question->cores, settings->cpu};
    if (metrics_facts_of(&more, &given->facts, &given->note, err))
        return fail_in(err, "'%s'", settings->counts.v[0]);
    strvec_push_all(&given->note, &set->note);
    given->key = "counts";
    given->document = count_set_to_json(set);
    return 0;
}

int counted_question(const struct settings *settings, counted_formula *formula,
                     struct given *given, struct question *question, struct error *err)
{
    struct count_set set = {0};
    struct machine machine = {0};
    const char *name = settings->machine ? settings->machine : "here";
    *given = (struct given){0};
    int status = count_set_read(settings->counts.v[0], &set, err);
    if (!status)
        status = profile_load(name, settings->memory, &machine, err);
    if (!status)
        status = ask_of(settings, formula, &set, &machine, given, question, err);
    machine_release(&machine);
    count_set_release(&set);
    return status;
}
