/*
 * Events of PMUs outside the cores, as perf names them ("uncore_imc_0/cas_count_read/",
 * "amd_df/event=0x1f,umask=0x7fe/"), by perf_event_open. For what libpfm4, and so PAPI,
 * has no table of.
 */
#ifndef CORE_TRAFFIC_PERF_UNCORE_H
#define CORE_TRAFFIC_PERF_UNCORE_H

#include "core/traffic/counters/perf_terms.h"

extern const char perf_uncore_devices[];

struct perf_uncore {
    struct perf_code code;
    int *cpu; /* one of each package, where it is counted */
    size_t cpu_nr;
};

/* By its form, and by what the kernel says of the PMU; false where there is none. */
bool perf_uncore_is(const char *devices, const char *event);
int perf_uncore_find(const char *devices, const char *event, struct perf_uncore *found,
                     struct error *err);
void perf_uncore_release(struct perf_uncore *found);

/* Pushes the events there are for a name with "%d" for numbers; in the part behind the
 * first slash they are the first number of the PMU's name. */
void perf_uncore_expand(const char *devices, const char *pattern, struct strvec *list);
void perf_uncore_expand_here(const char *pattern, struct strvec *list);

/* A descriptor to be closed, or -1; read by perf_core_read. */
int perf_uncore_open(const struct perf_uncore *event, const char *name, int cpu,
                     struct error *err);

#endif
