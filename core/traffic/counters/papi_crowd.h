/* Who is counted, and in which packages they run. */
#ifndef CORE_TRAFFIC_PAPI_CROWD_H
#define CORE_TRAFFIC_PAPI_CROWD_H

#include <sys/types.h>

#include "core/base.h"

/* No pids: this process. */
struct papi_crowd {
    const pid_t *pid;
    size_t nr;
};

size_t papi_crowd_nr(const struct papi_crowd *crowd); /* at least 1 */
/* A cpu that member i may run on, 0 if that cannot be told. */
int papi_crowd_cpu(const struct papi_crowd *crowd, size_t i);
/* Does one of the first `nr` members run in the package? */
bool papi_crowd_uses(const struct papi_crowd *crowd, size_t nr, long package);

long papi_package_of(int cpu);
bool papi_cpu_is_online(int cpu);

#endif
