/* A counter from inside: papi_source.c makes it, papi_begin.c starts it, papi_read.c
 * reads it. */
#ifndef CORE_TRAFFIC_COUNTERS_PAPI_COUNTER_H
#define CORE_TRAFFIC_COUNTERS_PAPI_COUNTER_H

#include "core/traffic/counters/papi_calls.h"
#include "core/traffic/counters/papi_source.h"
#include "core/traffic/counters/perf.h"

/* Who counts an event, in the place of a component of PAPI. */
enum { kernel_software = -1, kernel_uncore = -2, kernel_core = -3 };

/* A descriptor of the kernel that counts one event. */
struct kernel_count {
    int fd;
    size_t event;
};

struct papi_counter {
    struct papi_seam seam;
    struct papi_counter_opts opts;
    struct strvec event;
    int *component;             /* per event: of PAPI, or one of the above */
    bool *floating;             /* per event: PAPI gives the bits of a double */
    struct perf_uncore *uncore; /* per event, for those */
    struct perf_code *core;     /* likewise */
    bool user_only;             /* the kernel's part of the cores' events is left out */
    struct papi_set *set;
    size_t set_nr, set_alloc;
    struct kernel_count *count;
    size_t count_nr, count_alloc;
    double began_s; /* clock_s() */
};

bool papi_counter_is_core(const struct papi_counter *counter, size_t event);
/* Ends counting. */
void papi_counter_stop(struct papi_counter *counter);

/* Why an event is not counted, and what helps: one sentence. */

/* What decides on the remedy. */

/*
 * PAPI event sets of a counter: the events of one component at one place. Where they do
 * not fit into the counters they are multiplexed; where even that does not help, the
 * events that do not go together are named.
 */

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
