/*
 * Events of PMUs outside the cores, as perf names them ("uncore_imc_0/cas_count_read/",
 * "amd_df/event=0x1f,umask=0x7fe/"), by perf_event_open and the descriptions that the
 * kernel keeps in /sys/bus/event_source/devices. For what libpfm4, and so PAPI, has no
 * table of. `devices` is that folder, or a test's.
 */
#ifndef CORE_TRAFFIC_PERF_UNCORE_H
#define CORE_TRAFFIC_PERF_UNCORE_H

#include "core/base/base.h"

extern const char perf_uncore_devices[];

struct perf_uncore {
    uint32_t type;
    uint64_t config[3];
    int *cpu; /* one of each package, where it is counted */
    size_t cpu_nr;
};

bool perf_uncore_is(const char *event); /* by its form */
int perf_uncore_find(const char *devices, const char *event, struct perf_uncore *found,
                     struct error *err);
void perf_uncore_release(struct perf_uncore *found);

/* Pushes the events there are for a name with "%d" for numbers; in the part behind the
 * first slash they are the first number of the PMU's name. */
void perf_uncore_expand(const char *devices, const char *pattern, struct strvec *list);
void perf_uncore_expand_here(const char *pattern, struct strvec *list);

/* A descriptor to be closed, or -1. */
int perf_uncore_open(const struct perf_uncore *event, const char *name, int cpu,
                     struct error *err);

/* value: scaled up to the whole time, in counts (perf shows some as MiB: 64 bytes a
 * count); share: of the time that it really counted, 0 = never (value then is 0);
 * counted_s: the seconds of that. */
struct perf_uncore_count {
    double value, share, counted_s;
};
int perf_uncore_read(int fd, struct perf_uncore_count *count, struct error *err);

#endif
