#include <stdlib.h>
#include <string.h>

#include "core/traffic/traffic.h"
#include "observe/timeline/timeline_source.h"

struct counters {
    struct papi_counter *counter;
    size_t *event; /* of the time line, in the counter's order */
    size_t nr;
    /* of memory: */
    struct papi_bandwidth bandwidth;
    bool is_memory;
    size_t read, written; /* of the time line; -1 = not wanted */
};

static void close_counters(void *self)
{
    struct counters *counters = self;

    papi_counter_free(counters->counter);
    if (counters->is_memory)
        papi_bandwidth_release(&counters->bandwidth);
    free(counters->event);
    free(counters);
}

static int read_counters(void *self, bool ended, struct timeline_readings *readings,
                         struct error *err)
{
    struct counters *counters = self;
    struct count_set set = {0};
    int result = papi_counter_read(counters->counter, &set, err);

    (void)ended;
    for (size_t i = 0; result == 0 && i < counters->nr; i++)
        if (set.count[i].value.known)
            readings->v[counters->event[i]] = (struct timeline_reading){
                true, set.count[i].value.value, set.count[i].share};
    count_set_release(&set);
    return result;
}

static int begin(struct counters *counters, const struct strvec *name, pid_t pid,
                 struct error *err)
{
    struct papi_counter_opts opts = {.ahead = pid == 0};

    if (papi_counter_new((const char *const *)name->v, name->nr, &opts,
                         &counters->counter, err))
        return -1;
    return papi_counter_begin(counters->counter, &pid, pid != 0, err);
}

int timeline_counters_open(const struct timeline_wish *const *wish, size_t nr, pid_t pid,
                           struct timeline_readings *readings,
                           struct timeline_source *source, struct error *err)
{
    struct counters *counters = xcalloc(1, sizeof(*counters));
    struct strvec name = {0};
    int result;

    for (size_t i = 0; i < nr; i++)
        strvec_push(&name, wish[i]->event.name);
    result = begin(counters, &name, pid, err);
    strvec_release(&name);
    if (result) {
        close_counters(counters);
        return -1;
    }
    counters->event = xcalloc(nr + 1, sizeof(*counters->event));
    for (counters->nr = 0; counters->nr < nr; counters->nr++)
        counters->event[counters->nr] =
            timeline_readings_add(readings, &wish[counters->nr]->event);
    *source = (struct timeline_source){counters, read_counters, close_counters, false};
    return 0;
}

/*
 * Memory.
 */

static int read_memory(void *self, bool ended, struct timeline_readings *readings,
                       struct error *err)
{
    struct counters *counters = self;
    struct count_set set = {0};
    struct quantity read, written;
    int result = papi_counter_read(counters->counter, &set, err);

    (void)ended;
    if (result == 0)
        result = papi_bandwidth_bytes(&counters->bandwidth, &set, &read, &written, err);
    if (result == 0 && read.known && counters->read != (size_t)-1)
        timeline_readings_set(readings, counters->read, read.value);
    if (result == 0 && written.known && counters->written != (size_t)-1)
        timeline_readings_set(readings, counters->written, written.value);
    count_set_release(&set);
    return result;
}

static size_t add_wish(const struct timeline_wish *const *wish, size_t nr,
                       const char *name, struct timeline_readings *readings)
{
    for (size_t i = 0; i < nr; i++)
        if (strcmp(wish[i]->event.name, name) == 0)
            return timeline_readings_add(readings, &wish[i]->event);
    return (size_t)-1;
}

int timeline_memory_open(const struct timeline_wish *const *wish, size_t nr,
                         struct timeline_readings *readings,
                         struct timeline_source *source, struct error *err)
{
    struct counters *counters = xcalloc(1, sizeof(*counters));

    counters->is_memory = true;
    if (papi_bandwidth_events(&counters->bandwidth, err) ||
        begin(counters, &counters->bandwidth.event, 0, err)) {
        close_counters(counters);
        return -1;
    }
    counters->read = add_wish(wish, nr, "memory:::read", readings);
    counters->written = add_wish(wish, nr, "memory:::written", readings);
    strvec_pushf(&readings->timeline->note, "memory: %s%s%s", counters->bandwidth.source,
                 counters->bandwidth.remark ? "; " : "",
                 counters->bandwidth.remark ? counters->bandwidth.remark : "");
    *source = (struct timeline_source){counters, read_memory, close_counters, false};
    return 0;
}
