/* From the windows of a trace to the traffic of one call. */
#ifndef CORE_TRAFFIC_TRACE_ESTIMATE_H
#define CORE_TRAFFIC_TRACE_ESTIMATE_H

#include "core/traffic/trace/trace_file.h"
#include "core/traffic/traffic.h"

/*
 * total: accesses of the call. One window from the start of the call to its end is exact
 * for the model. Several windows are scaled: value = total x counted per access; interval
 * = mean +- 2 standard errors over the windows; the low end of fills leaves out those
 * that might have been hits, had the caches been kept warm between the windows.
 */
void trace_estimate(const struct trace_file *file,
                    const struct traffic_geometry *geometry, double total,
                    struct traffic *traffic);

#endif
