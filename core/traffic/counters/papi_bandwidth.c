/* How this CPU, or the one that counts came from, counts its memory traffic: "bandwidth"
 * of its file. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/cpu/cpu.h"

#include "core/traffic/counters/bandwidth_source.h"
#include "core/traffic/counters/papi_source.h"
#include "core/traffic/counters/perf.h"

/*
 * The data.
 */

/* The CPU that a text speaks of, or names; NULL = none of those whose traffic is known.
 */
static const struct cpu *find_cpu(const struct cpu_table *table, const char *text,
                                  struct cpu_identity *identity)
{
    const struct cpu *cpu;

    cpu_identify(text, identity);
    cpu = *identity->vendor ? cpu_claimed(table, identity) : cpu_named(table, text);
    return cpu && json_object_get(cpu->root, "bandwidth") ? cpu : NULL;
}

/* Calls `use` for the CPU's sources, best first, until one gives 0. The source is
 * released unless `use` empties it. */
static int each_source(const struct cpu *cpu,
                       int (*use)(void *with, struct bandwidth_source *source,
                                  struct error *err),
                       void *with, struct error *err)
{
    struct json_at top = json_top(cpu->path, cpu->root), sources;
    struct error first = {0};
    size_t nr;
    int result = -1;

    if (json_array_at(&top, "bandwidth", &sources, &nr, err))
        return -1;
    for (size_t i = 0; result && i < nr; i++) {
        struct json_at item = json_element(&sources, i);
        struct bandwidth_source source;

        if (bandwidth_source_read(&item, &source, err))
            return -1;
        result = use(with, &source, &first);
        bandwidth_source_release(&source);
    }
    return result ? fail(err, first.status, "%s", first.text) : 0;
}

/*
 * To be counted here.
 */

/* Replaces all "%d" by the box, all "%c" by the cpu. */
static char *numbered(const char *name, long long box, long cpu)
{
    struct buf out = {0};

    for (; *name; name++) {
        if (*name != '%' || (name[1] != 'd' && name[1] != 'c')) {
            buf_add_n(&out, name, 1);
            continue;
        }
        if (*++name == 'd')
            buf_addf(&out, "%lld", box);
        else
            buf_addf(&out, "%ld", cpu);
    }
    return buf_detach(&out);
}

static void add_known(const struct papi_asker *ask, struct strvec *list, const char *name,
                      long long box, long cpu)
{
    char *event = numbered(name, box, cpu);

    if (ask->known(event))
        strvec_push(list, event);
    free(event);
}

static int no_box(const char *event, struct error *err)
{
    bool pcp = strncmp(event, "pcp:::", strlen("pcp:::")) == 0;
    const char *whose =
        strchr(event, '/') ? "the kernel has no counter" : "PAPI has no event";

    if (pcp)
        return fail(
            err, STATUS_MISSING,
            "PAPI has no event '%s' here: start the daemon of Performance Co-Pilot "
            "(systemctl start pmcd) with its perfevent agent, and use a PAPI built "
            "with the component pcp",
            event);
    if (!papi_host_here().core_counters)
        return fail(
            err, STATUS_MISSING,
            "%s '%s' here: this machine shows no hardware counters, as most virtual "
            "machines",
            whose, event);
    return fail(err, STATUS_MISSING, "%s '%s' here", whose, event);
}

/* Adds the boxes there are; an event without any is not there. */
static int add_boxes(const struct bandwidth_event *event, const struct papi_asker *ask,
                     struct strvec *list, struct error *err)
{
    long cpus = strstr(event->name, "%c") ? sysconf(_SC_NPROCESSORS_CONF) : 1;
    size_t before = list->nr;

    if (strchr(event->name, '/'))
        ask->expand(event->name, list);
    else
        for (long long box = 0; box < event->boxes; box++)
            for (long cpu = 0; cpu < cpus; cpu++)
                add_known(ask, list, event->name, box, cpu);
    return list->nr > before ? 0 : no_box(event->name, err);
}

struct wanted {
    const struct papi_asker *ask;
    struct papi_bandwidth *bandwidth;
};

static void take_over(struct papi_bandwidth *bandwidth, struct bandwidth_source *source)
{
    bandwidth->writebacks_included = source->writebacks_included;
    bandwidth->together = source->together;
    bandwidth->source = xstrdup(source->source);
    bandwidth->remark = xstrdup(source->remark);
    bandwidth->from = xcalloc(1, sizeof(*bandwidth->from));
    *bandwidth->from = *source;
    *source = (struct bandwidth_source){0};
}

static int start_source(void *with, struct bandwidth_source *source, struct error *err)
{
    const struct wanted *wanted = with;
    struct strvec *event = &wanted->bandwidth->event;
    struct error why = {0};
    int result = 0;

    if (wanted->ask->of_threads && source->scope != BANDWIDTH_OFFCORE &&
        source->scope != BANDWIDTH_CORE)
        return fail(err, STATUS_MISSING, "%s: that is not available per thread",
                    source->source);
    for (size_t i = 0; result == 0 && i < source->event_nr; i++)
        result = add_boxes(&source->event[i], wanted->ask, event, &why);
    if (result == 0)
        result = wanted->ask->start((const char *const *)event->v, event->nr, &why);
    if (result == 0) {
        take_over(wanted->bandwidth, source);
        return 0;
    }
    strvec_release(event);
    /* of several reasons, one that can be helped says more than a name not known */
    if (strstr(why.text, "paranoid") && !strstr(err->text, "paranoid"))
        error_clear(err);
    return fail(err, why.status, "%s", why.text);
}

int papi_bandwidth_for(const char *cpu, const struct papi_asker *ask,
                       struct papi_bandwidth *bandwidth, struct error *err)
{
    const struct cpu_table *table;
    struct cpu_identity identity;
    struct wanted wanted = {ask, bandwidth};
    const struct cpu *found;
    int result = cpu_table_get(&table, err);

    *bandwidth = (struct papi_bandwidth){0};
    found = find_cpu(table, cpu, &identity);
    if (!result && found) {
        result = each_source(found, start_source, &wanted, err);
    } else if (!result) {
        struct buf who = {0};

        cpu_identity_say(&identity, &who);
        result = fail(err, STATUS_MISSING,
                      "no memory bandwidth events are known for this CPU (%s); the cache "
                      "model needs none",
                      who.length ? buf_str(&who) : "which one it is, is not known");
        buf_release(&who);
    }
    return result;
}

static int find_events(bool of_threads, struct papi_bandwidth *bandwidth,
                       struct error *err)
{
    const struct papi_asker ask = {papi_event_known, perf_uncore_expand_here,
                                   papi_events_start, of_threads};
    struct buf cpuinfo = {0};
    int result = cpuinfo_read(&cpuinfo, err);

    *bandwidth = (struct papi_bandwidth){0};
    if (result == 0)
        result = papi_bandwidth_for(buf_str(&cpuinfo), &ask, bandwidth, err);
    buf_release(&cpuinfo);
    return result;
}

int papi_bandwidth_events(struct papi_bandwidth *bandwidth, struct error *err)
{
    return find_events(false, bandwidth, err);
}

int papi_bandwidth_thread_events(struct papi_bandwidth *bandwidth, struct error *err)
{
    return find_events(true, bandwidth, err);
}

int papi_bandwidth_bytes(const struct papi_bandwidth *bandwidth,
                         const struct count_set *set, struct quantity *read_bytes,
                         struct quantity *write_bytes, struct error *err)
{
    return bandwidth_source_bytes(bandwidth->from, set, read_bytes, write_bytes, err);
}

void papi_bandwidth_release(struct papi_bandwidth *bandwidth)
{
    strvec_release(&bandwidth->event);
    free(bandwidth->source);
    free(bandwidth->remark);
    if (bandwidth->from)
        bandwidth_source_release(bandwidth->from);
    free(bandwidth->from);
    *bandwidth = (struct papi_bandwidth){0};
}

/*
 * From counts taken elsewhere.
 */

struct answer {
    const struct count_set *set;
    const char *cpu;   /* its name */
    const char *other; /* means other bytes by the same counts; NULL = none */
    enum bandwidth_scope scope;
    size_t events; /* that it explains */
    struct quantity read, write;
    bool together;
    char *source;
};

static int answer_with(void *with, struct bandwidth_source *source, struct error *err)
{
    struct answer *answer = with;
    struct error why = {0};

    if (bandwidth_source_bytes(source, answer->set, &answer->read, &answer->write, &why))
        return fail(err, why.status, "%s", why.text);
    answer->scope = source->scope;
    answer->together = source->together;
    answer->events = source->event_nr;
    answer->source = xasprintf("%s%s%s", source->source, source->remark ? "; " : "",
                               source->remark ? source->remark : "");
    return 0;
}

static bool same_bytes(struct quantity a, struct quantity b)
{
    return a.known == b.known && (!a.known || a.value == b.value);
}

/* Nearer to memory is better, then what explains more of the events: refills of L2 are
 * also among the events of a CPU whose formula subtracts others from them. */
static bool is_better(const struct answer *one, const struct answer *other)
{
    if (one->scope != other->scope)
        return one->scope < other->scope;
    return one->events > other->events;
}

/* Takes `next` if it is better than `best`; two equally good ones must agree. */
static void prefer(struct answer *best, struct answer *next)
{
    if (!best->source || is_better(next, best)) {
        free(best->source);
        *best = *next;
        return;
    }
    free(next->source);
    if (!is_better(best, next) &&
        (!same_bytes(best->read, next->read) || !same_bytes(best->write, next->write)))
        best->other = next->cpu;
}

static int any_cpu(const struct cpu_table *table, struct answer *best, struct error *err)
{
    int result = 0;

    for (size_t i = 0; result == 0 && i < table->cpu_nr; i++) {
        const struct cpu *cpu = &table->cpu[i];
        struct answer next = {.set = best->set, .cpu = cpu->name};
        struct error why = {0};

        if (!json_object_get(cpu->root, "bandwidth"))
            continue;
        if (each_source(cpu, answer_with, &next, &why) == 0)
            prefer(best, &next);
        else if (why.status != STATUS_MISSING)
            result = fail(err, why.status, "%s", why.text);
    }
    if (result == 0 && !best->source)
        return fail(err, STATUS_MISSING,
                    "these counts hold no memory traffic: they lack bandwidth events of "
                    "every known CPU; docs/reference/counters.md names them");
    if (result == 0 && best->other)
        return fail(err, STATUS_INPUT,
                    "the counts mean other bytes on '%s' than on '%s': say which CPU "
                    "they are from",
                    best->cpu, best->other);
    return result;
}

/* answer->source is the caller's to free. */
static int find_answer(const char *text, struct answer *answer, struct error *err)
{
    const struct cpu_table *table;
    struct cpu_identity identity;
    int result = cpu_table_get(&table, err);
    const struct cpu *cpu = find_cpu(table, text, &identity);

    if (!result)
        result = cpu ? each_source(cpu, answer_with, answer, err)
                     : any_cpu(table, answer, err);
    if (result) {
        free(answer->source);
        answer->source = NULL;
    }
    return result;
}

int traffic_bandwidth_from_counts(const char *cpu, const struct count_set *set,
                                  struct quantity *read_bytes,
                                  struct quantity *write_bytes, char **source,
                                  struct error *err)
{
    struct answer answer = {.set = set};
    int result = find_answer(cpu, &answer, err);

    *read_bytes = result ? quantity_unknown() : answer.read;
    *write_bytes = result ? quantity_unknown() : answer.write;
    *source = answer.source;
    return result;
}

int traffic_memory_from_counts(const char *cpu, const struct count_set *set,
                               struct traffic_memory *memory, struct error *err)
{
    struct answer answer = {.set = set};
    int result = find_answer(cpu, &answer, err);

    memory->read = memory->write = memory->both = quantity_unknown();
    if (result == 0 && answer.together) {
        memory->both = answer.read;
    } else if (result == 0) {
        memory->read = answer.read;
        memory->write = answer.write;
        memory->both = quantity_add_independent(answer.read, answer.write);
    }
    free(answer.source);
    return result;
}
