/* Whether PAPI can be believed here: events are added, started and read around work of
 * known size. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/traffic/counters/papi_source.h"
#include "core/traffic/counters/perf.h"

enum { fault_pages = 256 };
/* Beyond the last-level cache of most machines, written and read once. */
static const size_t stream_bytes = (size_t)256 << 20;

/* Touches memory that was not there before: at least one fault per page, or per huge
 * page. */
static void touch_new_pages(void)
{
    const size_t page = 4096, huge = 2 << 20;
    volatile char *memory = xcalloc(fault_pages * page + huge, 1);

    for (size_t i = 0; i < fault_pages; i++)
        memory[i * page] = 1;
    free((void *)memory);
}

static void stream(void)
{
    volatile uint64_t *memory = xcalloc(stream_bytes, 1);
    uint64_t sum = 0;

    for (size_t i = 0; i < stream_bytes / sizeof(*memory); i += 8)
        memory[i] = i;
    for (size_t i = 0; i < stream_bytes / sizeof(*memory); i += 8)
        sum += memory[i];
    memory[0] = sum;
    free((void *)memory);
}

static int count_around(const char *const *event, size_t event_nr, void (*work)(void),
                        struct count_set *set, struct error *err)
{
    struct papi_counter *counter;
    int result = papi_counter_new(event, event_nr, NULL, &counter, err);

    if (result == 0)
        result = papi_counter_begin(counter, NULL, 0, err);
    if (result == 0) {
        work();
        result = papi_counter_end(counter, set, err);
    }
    papi_counter_free(counter);
    return result;
}

static bool software_counts(struct error *err)
{
    static const char *const event[] = {"perf::PAGE-FAULTS"};
    struct count_set set = {0};
    bool counts = count_around(event, 1, touch_new_pages, &set, err) == 0;

    if (counts && !(set.count[0].value.value >= 1)) {
        counts = false;
        fail(err, STATUS_MISSING,
             "the kernel counts no page faults although there were some");
    }
    count_set_release(&set);
    return counts;
}

/* The bandwidth events count at least half of what was written and read, and not the
 * absurd. */
static bool bandwidth_counts(const struct papi_bandwidth *bandwidth, double *ratio,
                             struct error *err)
{
    struct count_set set = {0};
    struct quantity read, write;
    double bytes = 0, known = (double)stream_bytes;
    int result = count_around((const char *const *)bandwidth->event.v,
                              bandwidth->event.nr, stream, &set, err);

    if (result == 0)
        result = papi_bandwidth_bytes(bandwidth, &set, &read, &write, err);
    if (result == 0)
        bytes = read.value + (write.known ? write.value : 0);
    if (result == 0 && (bytes < known / 2 || bytes > 1e4 * known))
        result = fail(
            err, STATUS_MISSING,
            "the bandwidth events report %.3g bytes around a loop that moves at least "
            "%.3g; take the cache model",
            bytes, known);
    count_set_release(&set);
    *ratio = bytes / known;
    return result == 0;
}

int papi_probe(struct papi_status *status)
{
    struct papi_bandwidth bandwidth = {0};
    struct error err = {0}, software_err = {0};
    struct buf sentence = {0};
    double ratio = 0;

    *status = (struct papi_status){0};
    status->software_events = software_counts(&software_err);
    status->usable = papi_bandwidth_events(&bandwidth, &err) == 0 &&
                     bandwidth_counts(&bandwidth, &ratio, &err);
    status->sde = papi_calls.start() == PAPI_DONE && !papi_calls.disabled("sde");
    if (status->usable)
        buf_addf(&sentence,
                 "memory bandwidth is counted (%s%s%s); around a loop that writes and "
                 "reads %zu MiB it says %.2f times that",
                 bandwidth.source, bandwidth.remark ? "; " : "",
                 bandwidth.remark ? bandwidth.remark : "", stream_bytes >> 20, ratio);
    else
        buf_addf(&sentence, "memory bandwidth cannot be counted: %s", err.text);
    if (!status->software_events)
        buf_addf(&sentence, "; nor are there software events: %s", software_err.text);
    status->sentence = buf_detach(&sentence);
    papi_bandwidth_release(&bandwidth);
    return status->usable ? 0 : -1;
}

void papi_status_release(struct papi_status *status)
{
    free(status->sentence);
    *status = (struct papi_status){0};
}

/* What is known of events before they are counted, and which there are. */
int papi_describe_with(const struct papi_seam *seam, const char *event,
                       struct papi_event_about *about, struct error *err)
{
    struct papi_described described;
    struct perf_code code;
    int component;

    *about = (struct papi_event_about){.component = "kernel"};
    if (perf_software_find(event, &code) || perf_terms_is(event))
        return 0;
    if (papi_find(seam, event, &component, err))
        return -1;
    snprintf(about->component, sizeof(about->component), "%s",
             seam->papi->component_name(component));
    about->of_process = strcmp(about->component, "perf_event") == 0;
    seam->papi->describe(event, &described);
    about->level = described.level;
    memcpy(about->unit, described.unit, sizeof(about->unit));
    return 0;
}

int papi_event_describe(const char *event, struct papi_event_about *about,
                        struct error *err)
{
    struct papi_seam seam = papi_seam_here();

    return papi_describe_with(&seam, event, about, err);
}

int papi_list_with(const struct papi_seam *seam, const struct papi_listing *listing,
                   struct error *err)
{
    if (seam->papi->start() != PAPI_DONE)
        return fail(err, STATUS_MISSING, "PAPI does not start: %s", seam->papi->text());
    for (int i = 0; *seam->papi->component_name(i); i++) {
        const char *name = seam->papi->component_name(i);
        const char *why = seam->papi->disabled(name);

        listing->component(listing->context, name, why ? why : "");
        if (!why)
            seam->papi->list(i, listing->event, listing->context);
    }
    return 0;
}

int papi_list(const struct papi_listing *listing, struct error *err)
{
    struct papi_seam seam = papi_seam_here();

    return papi_list_with(&seam, listing, err);
}

int papi_events_start(const char *const *event, size_t event_nr, struct error *err)
{
    struct papi_counter *counter;
    int result = papi_counter_new(event, event_nr, NULL, &counter, err);

    if (result == 0)
        result = papi_counter_begin(counter, NULL, 0, err);
    papi_counter_free(counter);
    return result;
}
