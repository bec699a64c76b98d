/* What the rest of the folder asks of the counters beyond traffic.h. */
#ifndef CORE_TRAFFIC_PAPI_SOURCE_H
#define CORE_TRAFFIC_PAPI_SOURCE_H

#include "core/traffic/counters/perf.h"
#include "core/traffic/traffic.h"

/* What stands between us and the machine; tests put their own there. */
struct papi_seam {
    const struct papi_calls *papi;
    const struct perf_core_calls *core;
    const char *devices; /* as perf_uncore_devices */
    struct papi_host host;
};
struct papi_seam papi_seam_here(void);
/* The component of an event that PAPI knows. */
int papi_find(const struct papi_seam *seam, const char *event, int *component,
              struct error *err);
/* As papi_counter_new. */
int papi_counter_make(const struct papi_seam *seam, const char *const *event,
                      size_t event_nr, const struct papi_counter_opts *opts,
                      struct papi_counter **counter, struct error *err);

/* As papi_events_fit. */
int papi_events_fit_with(const struct papi_seam *seam, const struct strvec *event,
                         const struct papi_counter_opts *opts, bool *at_once,
                         struct error *err);

/* As papi_event_describe and papi_list. */
int papi_describe_with(const struct papi_seam *seam, const char *event,
                       struct papi_event_about *about, struct error *err);
int papi_list_with(const struct papi_seam *seam, const struct papi_listing *listing,
                   struct error *err);

/* Whether the library knows the event's name here. Initialises PAPI. */
bool papi_event_known(const char *event);
/* Whether these events can be started together on this machine; err says which one not,
 * and the remedy. */
int papi_events_start(const char *const *event, size_t event_nr, struct error *err);

/* The questions of papi_bandwidth_for. `expand` as perf_uncore_expand_here. */
struct papi_asker {
    bool (*known)(const char *event);
    void (*expand)(const char *pattern, struct strvec *list);
    int (*start)(const char *const *event, size_t event_nr, struct error *err);
    bool of_threads; /* as papi_bandwidth_thread_events */
};
/* As papi_bandwidth_events, for the text of some machine's /proc/cpuinfo, or what else
 * names a CPU (traffic_bandwidth_from_counts). */
int papi_bandwidth_for(const char *cpu, const struct papi_asker *ask,
                       struct papi_bandwidth *bandwidth, struct error *err);

#endif
