/*
 * The kernel's software events ("perf::PAGE-FAULTS") of other processes, by
 * perf_event_open. PAPI counts them for its own process only where there is no hardware
 * counter: before attaching it tries an instruction counter.
 */
#ifndef CORE_TRAFFIC_PERF_SOFTWARE_H
#define CORE_TRAFFIC_PERF_SOFTWARE_H

#include "core/base.h"

bool perf_software_known(const char *event);
/* Starts counting for a thread (0 = the calling one) and those it will start. A
 * descriptor to be closed, or -1. `ahead`: counts nothing of the thread itself, but the
 * programs that it will start, each from its first instruction, with all they start. */
int perf_software_open(const char *event, pid_t thread, bool ahead, struct error *err);
int perf_software_read(int fd, double *value, struct error *err);

#endif
