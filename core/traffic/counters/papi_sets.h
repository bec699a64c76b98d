/*
 * PAPI event sets of a counter: the events of one component at one place. Where they do
 * not fit into the counters they are multiplexed; where even that does not help, the
 * events that do not go together are named.
 */
#ifndef CORE_TRAFFIC_PAPI_SETS_H
#define CORE_TRAFFIC_PAPI_SETS_H

#include "core/traffic/counters/papi_source.h"

struct papi_set {
    int handle;
    size_t *event; /* which of the counter's events */
    size_t event_nr;
    bool multiplexed;
    double share; /* of the time that each counts, while multiplexed: at least */
};

/* `which` are the indices in `name` of the events to take. On failure there is no set. */
int papi_set_open(const struct papi_seam *seam, const struct strvec *name,
                  const size_t *which, size_t which_nr, int component,
                  struct papi_place place, struct papi_set *set, struct error *err);
/* Stops and reads; value[k] belongs to set->event[k]. */
int papi_set_stop(const struct papi_seam *seam, const struct papi_set *set,
                  long long *value, struct error *err);
/* The same while it goes on counting. */
int papi_set_read(const struct papi_seam *seam, const struct papi_set *set,
                  long long *value, struct error *err);
void papi_set_close(const struct papi_seam *seam, struct papi_set *set);

#endif
