/* Why an event is not counted, and what helps: one sentence. */
#ifndef CORE_TRAFFIC_PAPI_REFUSE_H
#define CORE_TRAFFIC_PAPI_REFUSE_H

#include "core/traffic/counters/papi_calls.h"

/* What decides on the remedy. */
struct papi_host {
    bool core_counters; /* the kernel shows a PMU of the cores */
    long paranoid;      /* perf_event_paranoid; -1 also when it cannot be read */
    bool privileged;    /* root, or as good as */
};
struct papi_host papi_host_here(void);

struct papi_refused {
    const char *event;
    enum papi_refusal why;
    const char *words; /* PAPI's own */
    /* "perf_event", "pcp" ...; NULL = guessed from the event's name */
    const char *component;
    const char *disabled; /* papi_calls.disabled of it */
    bool shared;          /* counts for everybody: a package, a cpu */
};

/* STATUS_MISSING. */
int papi_refuse(const struct papi_refused *refused, const struct papi_host *host,
                struct error *err);

/* The component that an event's name belongs to. */
const char *papi_component_of_name(const char *event, char out[32]);

#endif
