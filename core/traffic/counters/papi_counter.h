/* A counter from inside: papi_source.c makes it, papi_begin.c starts it, papi_read.c
 * reads it. */
#ifndef CORE_TRAFFIC_PAPI_COUNTER_H
#define CORE_TRAFFIC_PAPI_COUNTER_H

#include "core/traffic/counters/papi_sets.h"
#include "core/traffic/counters/perf_uncore.h"

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

#endif
