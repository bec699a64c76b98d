/*
 * Events as perf names them, "pmu/terms/" ("uncore_imc_0/cas_count_read/",
 * "cpu/event=0x9c,umask=0x1/"), by the descriptions that the kernel keeps in
 * /sys/bus/event_source/devices. `devices` is that folder, or a test's.
 */
#ifndef CORE_TRAFFIC_PERF_TERMS_H
#define CORE_TRAFFIC_PERF_TERMS_H

#include "core/traffic/counters/pfm_names.h"

bool perf_terms_is(const char *event); /* by its form */
int perf_terms_find(const char *devices, const char *event, struct perf_code *code,
                    struct error *err);
/* The first line of a file of the PMU's, in `folder` of it ("" = itself); NULL if it is
 * not there. Caller frees. */
char *perf_pmu_line(const char *devices, const char *pmu, const char *folder,
                    const char *name);

#endif
