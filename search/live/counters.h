/* Private to search/: memory traffic, instructions, operations and branch misses of a
 * measured variant from hardware counters, where they count. */
#ifndef SEARCH_COUNTERS_H
#define SEARCH_COUNTERS_H

#include <sys/types.h>

#include "core/traffic/traffic.h"

struct error;

/* One group of events that are started together. */
struct counters_group {
    struct papi_counter *counter; /* NULL = not counted here */
    struct count_set total;       /* of all launches since counters_reset */
    bool failed;                  /* some launch was not counted */
};

struct counters {
    bool usable; /* anything counts */
    struct papi_bandwidth bandwidth;
    struct counters_group memory, work;
    bool failed; /* nothing is counted any more */
};

/* Not usable where no counter counts: no failure. */
void counters_open(struct counters *counters);
void counters_close(struct counters *counters);
void counters_reset(struct counters *counters);
/* For run_opts.at_gate; data is a struct counters. A counter that fails ends counting,
 * not the run. */
int counters_at_gate(void *data, bool begin, const pid_t *pids, size_t nr,
                     struct error *err);

/* Adds what one launch gave to what all gave: same events in the same order, or an empty
 * total. Counts of launches have no common error. */
void counters_add(struct count_set *total, const struct count_set *launch);

/* Puts counted bytes in the place of the modelled ones at the edge to memory, and counted
 * instructions, operations and branch misses into the traffic; the totals are those of
 * `calls` kernel calls of all copies together. Inner levels stay the model's. Where reads
 * and writes are counted together, the modelled writes are taken off. Counts that are
 * missing leave what was there, and the note says so. */
void counters_apply(const struct counters *counters, double calls,
                    struct traffic *traffic);

#endif
