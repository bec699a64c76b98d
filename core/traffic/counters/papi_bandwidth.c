/* How this CPU, or the one that counts came from, counts its memory traffic:
 * data/bandwidth.json. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "core/traffic/counters/bandwidth_source.h"
#include "core/traffic/counters/papi_identity.h"
#include "core/traffic/counters/papi_source.h"
#include "core/traffic/counters/perf_uncore.h"

/*
 * The data.
 */

struct bandwidth_data {
    char *path;
    json_t *root;
    struct json_at top, rows;
    size_t nr;
};

static int open_data(struct bandwidth_data *data, struct error *err)
{
    *data = (struct bandwidth_data){0};
    if (shipped_path("core/traffic/data/bandwidth.json", &data->path, err) ||
        json_read_file(data->path, "inflight.bandwidth/2", &data->root, err))
        return -1;
    data->top = json_top(data->path, data->root);
    return json_array_at(&data->top, "cpus", &data->rows, &data->nr, err);
}

static void close_data(struct bandwidth_data *data)
{
    json_decref(data->root);
    free(data->path);
}

/* `found` is data->nr when there is none. */
static int find_row(const struct bandwidth_data *data, const struct papi_identity *cpu,
                    size_t *found, struct error *err)
{
    for (*found = 0; *found < data->nr; ++*found) {
        struct json_at row = json_element(&data->rows, *found);
        bool yes;

        if (json_only_keys(&row, "name recognise sources", err) ||
            papi_recognises(&row, cpu, &yes, err))
            return -1;
        if (yes)
            return 0;
    }
    return 0;
}

static size_t row_named(const struct bandwidth_data *data, const char *name)
{
    for (size_t i = 0; i < data->nr; i++) {
        struct json_at row = json_element(&data->rows, i);
        const char *here;

        if (json_string_at(&row, "name", &here, NULL) == 0 && strcasecmp(here, name) == 0)
            return i;
    }
    return data->nr;
}

/* Calls `use` for the row's sources, best first, until one gives 0. The source is
 * released unless `use` empties it. */
static int each_source(const struct bandwidth_data *data, size_t at,
                       int (*use)(void *with, struct bandwidth_source *source,
                                  struct error *err),
                       void *with, struct error *err)
{
    struct json_at row = json_element(&data->rows, at), sources;
    struct error first = {0};
    size_t nr;
    int result = -1;

    if (json_array_at(&row, "sources", &sources, &nr, err))
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
        return fail(err, STATUS_MISSING, "%s: that is not told by thread",
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
    struct bandwidth_data data;
    struct papi_identity identity;
    struct wanted wanted = {ask, bandwidth};
    size_t row;
    int result = -1;

    *bandwidth = (struct papi_bandwidth){0};
    papi_identify(cpu, &identity);
    if (open_data(&data, err) == 0 && find_row(&data, &identity, &row, err) == 0) {
        if (row == data.nr)
            row = row_named(&data, cpu);
        result = row < data.nr
                     ? each_source(&data, row, start_source, &wanted, err)
                     : fail(err, STATUS_MISSING,
                            "no memory bandwidth events are known for this CPU (vendor "
                            "'%s', family %s, model %s); the cache model needs none",
                            identity.vendor, identity.family, identity.model);
    }
    close_data(&data);
    return result;
}

static int find_events(bool of_threads, struct papi_bandwidth *bandwidth,
                       struct error *err)
{
    const struct papi_asker ask = {papi_event_known, perf_uncore_expand_here,
                                   papi_events_start, of_threads};
    struct buf cpuinfo = {0};
    int result = file_read("/proc/cpuinfo", &cpuinfo, err);

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

static int row_name(const struct bandwidth_data *data, size_t at, const char **name,
                    struct error *err)
{
    struct json_at row = json_element(&data->rows, at);

    return json_string_at(&row, "name", name, err);
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
static int prefer(const struct bandwidth_data *data, struct answer *best, size_t *best_at,
                  struct answer *next, size_t at, struct error *err)
{
    const char *one, *other;

    if (!best->source || is_better(next, best)) {
        free(best->source);
        *best = *next;
        *best_at = at;
        return 0;
    }
    free(next->source);
    if (next->scope > best->scope ||
        (same_bytes(best->read, next->read) && same_bytes(best->write, next->write)))
        return 0;
    if (row_name(data, *best_at, &one, err) || row_name(data, at, &other, err))
        return -1;
    return fail(
        err, STATUS_INPUT,
        "the counts mean other bytes on '%s' than on '%s': say which CPU they are "
        "from",
        one, other);
}

static int any_row(const struct bandwidth_data *data, struct answer *best,
                   struct error *err)
{
    size_t best_at = 0;
    int result = 0;

    for (size_t i = 0; result == 0 && i < data->nr; i++) {
        struct answer next = {.set = best->set};
        struct error why = {0};

        if (each_source(data, i, answer_with, &next, &why) == 0)
            result = prefer(data, best, &best_at, &next, i, err);
        else if (why.status != STATUS_MISSING)
            result = fail(err, why.status, "%s", why.text);
    }
    if (result == 0 && !best->source)
        return fail(err, STATUS_MISSING,
                    "these counts hold no memory traffic: for no CPU known are all "
                    "bandwidth events there; docs/counters.md names them");
    return result;
}

/* answer->source is the caller's to free. */
static int find_answer(const char *cpu, struct answer *answer, struct error *err)
{
    struct bandwidth_data data;
    struct papi_identity identity;
    size_t row;
    int result = -1;

    papi_identify(cpu ? cpu : "", &identity);
    if (open_data(&data, err) == 0 && find_row(&data, &identity, &row, err) == 0) {
        if (row == data.nr && cpu)
            row = row_named(&data, cpu);
        result = row < data.nr ? each_source(&data, row, answer_with, answer, err)
                               : any_row(&data, answer, err);
    }
    close_data(&data);
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
