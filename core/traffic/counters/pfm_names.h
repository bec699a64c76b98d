/*
 * libpfm4: from an event's name to what the kernel wants to know of it. Only pfm_names.c
 * includes its headers. With LIBPFM_ENCODE_INACTIVE=1 in the environment before the first
 * call it answers for CPUs that are not here, too.
 */
#ifndef CORE_TRAFFIC_PFM_NAMES_H
#define CORE_TRAFFIC_PFM_NAMES_H

#include "core/base.h"

/* An event as perf_event_open takes it. */
struct perf_code {
    uint32_t type;
    uint64_t config[3];
    bool no_user, no_kernel; /* left out: ":k", ":u" behind its name */
};

/* Whether libpfm4 was built with tables of that PMU ("skx"), here or not. */
bool pfm_pmu_known(const char *pmu);

/* "skx::L1D:REPLACEMENT", or without PMU: then of those that are here. Fails
 * (STATUS_MISSING) with a sentence that names the event: no such PMU, not of this
 * machine, no such event, no such mask. */
int pfm_event_code(const char *event, struct perf_code *code, struct error *err);
/* Whether the name means something; also for PMUs outside the cores of other machines,
 * whose number only their kernel knows. */
int pfm_event_check(const char *event, struct error *err);

#endif
