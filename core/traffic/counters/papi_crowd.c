#include "core/traffic/counters/papi_crowd.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The number that a file of the cpu begins with. */
static long number_in(int cpu, const char *file, long otherwise)
{
    char *path = xasprintf("/sys/devices/system/cpu/cpu%d/%s", cpu, file);
    struct buf text = {0};
    long number = otherwise;

    if (file_read(path, &text, NULL) == 0)
        number = strtol(buf_str(&text), NULL, 10);
    buf_release(&text);
    free(path);
    return number;
}

long papi_package_of(int cpu)
{
    return number_in(cpu, "topology/physical_package_id", 0);
}

bool papi_cpu_is_online(int cpu)
{
    return number_in(cpu, "online", 1) != 0; /* cpu 0 often has no such file */
}

size_t papi_crowd_nr(const struct papi_crowd *crowd)
{
    return crowd->nr ? crowd->nr : 1;
}

int papi_crowd_cpu(const struct papi_crowd *crowd, size_t i)
{
    char *path =
        xasprintf("/proc/%d/status", (int)(crowd->nr ? crowd->pid[i] : getpid()));
    struct buf text = {0};
    const char *list;
    int cpu = 0;

    if (file_read(path, &text, NULL) == 0 &&
        (list = strstr(buf_str(&text), "Cpus_allowed_list:")) != NULL)
        cpu = (int)strtol(list + strlen("Cpus_allowed_list:"), NULL, 10);
    buf_release(&text);
    free(path);
    return cpu;
}

bool papi_crowd_uses(const struct papi_crowd *crowd, size_t nr, long package)
{
    for (size_t i = 0; i < nr; i++)
        if (papi_package_of(papi_crowd_cpu(crowd, i)) == package)
            return true;
    return false;
}
