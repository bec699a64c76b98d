/* Private to search/: memory traffic of a measured variant from hardware counters, where
 * they count. */
#ifndef SEARCH_COUNTERS_H
#define SEARCH_COUNTERS_H

#include "core/traffic/traffic.h"

struct counters {
    bool usable;
    struct papi_bandwidth bandwidth;
    struct papi_counter *counter;
    double *now, *total; /* per event: of one launch, of all since counters_reset */
    bool failed;         /* some launch was not counted */
};

/* Not usable where no counter counts: no failure. */
void counters_open(struct counters *counters);
void counters_close(struct counters *counters);
void counters_reset(struct counters *counters);
/* For run_opts.at_gate; data is a struct counters. A counter that fails ends counting,
 * not the run. */
int counters_at_gate(void *data, bool begin, const pid_t *pids, size_t nr,
                     struct error *err);

/* Puts counted bytes in the place of the modelled ones at the edge to memory: total[i]
 * counts of event i over `calls` kernel calls of all copies together. Inner levels stay
 * as they are. */
void counters_apply(const struct papi_bandwidth *bandwidth, const double *total,
                    double calls, struct traffic *traffic);

#endif
