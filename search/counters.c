#include "search/counters.h"

#include <stdlib.h>
#include <string.h>

void counters_open(struct counters *counters)
{
    struct papi_status status = {0};
    *counters = (struct counters){0};
    bool counts = papi_probe(&status) == 0;
    papi_status_release(&status);
    if (!counts || papi_bandwidth_events(&counters->bandwidth, NULL))
        return;
    size_t nr = counters->bandwidth.event.nr;
    if (papi_counter_new((const char *const *)counters->bandwidth.event.v, nr,
                         &counters->counter, NULL))
        return;
    counters->now = xcalloc(nr, sizeof(double));
    counters->total = xcalloc(nr, sizeof(double));
    counters->usable = true;
}

void counters_close(struct counters *counters)
{
    if (counters->counter)
        papi_counter_free(counters->counter);
    papi_bandwidth_release(&counters->bandwidth);
    free(counters->now);
    free(counters->total);
    *counters = (struct counters){0};
}

void counters_reset(struct counters *counters)
{
    counters->failed = false;
    for (size_t i = 0; i < counters->bandwidth.event.nr; i++)
        counters->total[i] = 0;
}

int counters_at_gate(void *data, bool begin, const pid_t *pids, size_t nr,
                     struct error *err)
{
    struct counters *counters = data;
    (void)err;
    if (counters->failed)
        return 0;
    if (begin) {
        counters->failed = papi_counter_begin(counters->counter, pids, nr, NULL) != 0;
        return 0;
    }
    counters->failed = papi_counter_end(counters->counter, counters->now, NULL) != 0;
    for (size_t i = 0; !counters->failed && i < counters->bandwidth.event.nr; i++)
        counters->total[i] += counters->now[i];
    return 0;
}

void counters_apply(const struct papi_bandwidth *bandwidth, const double *total,
                    double calls, struct traffic *traffic)
{
    struct traffic_edge *edge = &traffic->edge[traffic->level_nr - 1];
    double read = 0, written = 0;
    for (size_t i = 0; i < bandwidth->event.nr; i++) {
        read += total[i] * bandwidth->read_factor[i];
        written += total[i] * bandwidth->write_factor[i];
    }
    double lines = calls * traffic->line_bytes;
    edge->fills = quantity_exact(read / lines, PROVENANCE_PAPI);
    if (bandwidth->writebacks_included)
        edge->writebacks = quantity_exact(written / lines, PROVENANCE_PAPI);
    traffic->provenance = PROVENANCE_PAPI;
    free(traffic->note);
    traffic->note = xasprintf("memory traffic counted (%s), caches by the model",
                              bandwidth->source ? bandwidth->source : "PAPI");
}
