/* Private to core/metrics. */
#ifndef CORE_METRICS_METRIC_PARTS_H
#define CORE_METRICS_METRIC_PARTS_H

#include "core/base/formula.h"
#include "core/metrics/metrics.h"

/* Checks every name that formulas ask for, puts metrics and constants in for theirs, and
 * makes the formulas of sums. */
int metric_links_make(struct metric_set *set, struct error *err);

/* What the name is: NULL = none of the set. */
const struct metric_event *metric_event_named(const struct metric_set *set,
                                              const char *name);
const struct metric_absent *metric_absent_find(const struct metric_set *set,
                                               const char *name);
const struct metric_constant *metric_constant_find(const struct metric_set *set,
                                                   const char *name);
bool metric_is_given(const char *name);
/* Of the given names, bytes through memory: by the formulas of the bandwidth. */
bool metric_is_of_memory(const char *name);
bool metric_asks_for_memory(const struct metric *metric);

#endif
