/* What the rest of the folder asks of PAPI beyond traffic.h. Only papi_source.c includes
 * <papi.h>. */
#ifndef CORE_TRAFFIC_PAPI_SOURCE_H
#define CORE_TRAFFIC_PAPI_SOURCE_H

#include "core/traffic/traffic.h"

/* Whether the library knows the event's name here. Initialises PAPI. */
bool papi_event_known(const char *event);
/* Whether these events can be started together on this machine; err says which one not,
 * and the remedy. */
int papi_events_start(const char *const *event, size_t event_nr, struct error *err);

/* The two questions above, for papi_bandwidth_for. */
struct papi_asker {
    bool (*known)(const char *event);
    int (*start)(const char *const *event, size_t event_nr, struct error *err);
};
/* As papi_bandwidth_events, for the text of some machine's /proc/cpuinfo. */
int papi_bandwidth_for(const char *cpuinfo, const struct papi_asker *ask,
                       struct papi_bandwidth *bandwidth, struct error *err);

/* A component of PAPI that can be used; else a reason. */
bool papi_has_component(const char *name, const char **why_not);

#endif
