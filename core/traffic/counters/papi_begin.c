#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "core/base.h"
#include "core/traffic/counters/papi_counter.h"
#include "core/traffic/counters/perf.h"

/* No pids: this process. */
struct papi_crowd {
    const pid_t *pid;
    size_t nr;
};

/* ---- crowd ---- */

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

static long papi_package_of(int cpu)
{
    return number_in(cpu, "topology/physical_package_id", 0);
}

static bool papi_cpu_is_online(int cpu)
{
    return number_in(cpu, "online", 1) != 0; /* cpu 0 often has no such file */
}

/* at least 1 */
static size_t papi_crowd_nr(const struct papi_crowd *crowd)
{
    return crowd->nr ? crowd->nr : 1;
}

/* A cpu that member i may run on, 0 if that cannot be told. */
static int papi_crowd_cpu(const struct papi_crowd *crowd, size_t i)
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

/* Does one of the first `nr` members run in the package? */
static bool papi_crowd_uses(const struct papi_crowd *crowd, size_t nr, long package)
{
    for (size_t i = 0; i < nr; i++)
        if (papi_package_of(papi_crowd_cpu(crowd, i)) == package)
            return true;
    return false;
}

/* ---- papi begin ---- */

static bool is_uncore(const struct papi_counter *counter, size_t i)
{
    const char *name = counter->component[i] >= 0
                           ? counter->seam.papi->component_name(counter->component[i])
                           : "";

    return strstr(name, "uncore") || strstr(name, "nest");
}

/* Whether event i is the first one of its component of PAPI. */
static bool opens_component(const struct papi_counter *counter, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (counter->component[k] == counter->component[i])
            return false;
    return counter->component[i] >= 0;
}

static int open_set(struct papi_counter *counter, size_t first, struct papi_place place,
                    struct error *err)
{
    size_t *which = xcalloc(counter->event.nr, sizeof(*which)), nr = 0;
    int result;

    for (size_t i = first; i < counter->event.nr; i++)
        if (counter->component[i] == counter->component[first])
            which[nr++] = i;
    GROW(counter->set, counter->set_nr + 1, counter->set_alloc);
    result = papi_set_open(&counter->seam, &counter->event, which, nr,
                           counter->component[first], place,
                           &counter->set[counter->set_nr], err);
    counter->set_nr += result == 0;
    free(which);
    return result;
}

static void add_kernel_count(struct papi_counter *counter, int fd, size_t event)
{
    GROW(counter->count, counter->count_nr + 1, counter->count_alloc);
    counter->count[counter->count_nr++] = (struct kernel_count){fd, event};
}

/* Everything on a cpu, or a thread, or what it will start. */
static int open_core(struct papi_counter *counter, size_t i, struct papi_place place,
                     struct error *err)
{
    bool software = counter->component[i] == kernel_software;
    struct perf_core_who who = {place, counter->opts.ahead,
                                counter->user_only && !software};
    int fd = perf_core_open(counter->seam.core, &counter->seam.host, counter->event.v[i],
                            &counter->core[i], &who, err);

    if (fd < 0)
        return -1;
    counter->user_only |= who.user_only && !software;
    add_kernel_count(counter, fd, i);
    return 0;
}

static int begin_in_thread(struct papi_counter *counter, size_t i, pid_t thread,
                           struct error *err)
{
    struct papi_place place = {thread, -1};

    if (counter->component[i] == kernel_software)
        return open_core(counter, i, place, err);
    if (counter->opts.system_wide)
        return 0;
    if (counter->component[i] == kernel_core)
        return open_core(counter, i, place, err);
    return opens_component(counter, i) && papi_counter_is_core(counter, i)
               ? open_set(counter, i, place, err)
               : 0;
}

static int begin_thread(struct papi_counter *counter, pid_t thread, struct error *err)
{
    for (size_t i = 0; i < counter->event.nr; i++)
        if (begin_in_thread(counter, i, thread, err))
            return -1;
    return 0;
}

/* Threads that run already, such as those of OpenMP after the warm call, do not inherit.
 */
static int begin_process(struct papi_counter *counter, pid_t pid, struct error *err)
{
    char *path = xasprintf("/proc/%d/task", (int)pid);
    DIR *tasks = opendir(path);
    struct dirent *task;
    int result = 0;

    free(path);
    if (!tasks)
        return fail(err, STATUS_FAILED, "process %d is gone before it could be counted",
                    (int)pid);
    while (result == 0 && (task = readdir(tasks)) != NULL)
        if (task->d_name[0] != '.')
            result = begin_thread(counter, (pid_t)strtol(task->d_name, NULL, 10), err);
    closedir(tasks);
    return result;
}

/* A set of PAPI's for each package there is. */
static int begin_all_packages(struct papi_counter *counter, size_t i, struct error *err)
{
    long nr = sysconf(_SC_NPROCESSORS_CONF);

    for (int cpu = 0; cpu < nr; cpu++) {
        bool first = papi_cpu_is_online(cpu);

        for (int k = 0; first && k < cpu; k++)
            first = papi_package_of(k) != papi_package_of(cpu) || !papi_cpu_is_online(k);
        if (first && open_set(counter, i, (struct papi_place){0, cpu}, err))
            return -1;
    }
    return 0;
}

/* A set of PAPI's for each package that somebody runs in. */
static int begin_packages(struct papi_counter *counter, size_t i,
                          const struct papi_crowd *crowd, struct error *err)
{
    if (counter->opts.ahead)
        return begin_all_packages(counter, i, err);
    for (size_t k = 0; k < papi_crowd_nr(crowd); k++) {
        int cpu = papi_crowd_cpu(crowd, k);

        if (!papi_crowd_uses(crowd, k, papi_package_of(cpu)) &&
            open_set(counter, i, (struct papi_place){0, cpu}, err))
            return -1;
    }
    return 0;
}

/* The kernel's own counters, for the same packages. */
static int begin_uncore(struct papi_counter *counter, size_t i,
                        const struct papi_crowd *crowd, struct error *err)
{
    const struct perf_uncore *uncore = &counter->uncore[i];
    bool any = false;

    for (size_t k = 0; k < uncore->cpu_nr; k++) {
        struct perf_core_who everybody = {.place = {0, uncore->cpu[k]}};
        int fd;

        if (!counter->opts.ahead && !papi_crowd_uses(crowd, papi_crowd_nr(crowd),
                                                     papi_package_of(uncore->cpu[k])))
            continue;
        fd = perf_core_open(counter->seam.core, &counter->seam.host, counter->event.v[i],
                            &uncore->code, &everybody, err);
        if (fd < 0)
            return -1;
        add_kernel_count(counter, fd, i);
        any = true;
    }
    return any ? 0
               : fail(err, STATUS_MISSING, "'%s' counts in no package that is used here",
                      counter->event.v[i]);
}

static int begin_everywhere(struct papi_counter *counter, size_t i, struct error *err)
{
    long nr = sysconf(_SC_NPROCESSORS_CONF);

    for (int cpu = 0; cpu < nr; cpu++) {
        struct papi_place place = {0, cpu};

        if (papi_cpu_is_online(cpu) &&
            (counter->component[i] == kernel_core ? open_core(counter, i, place, err)
                                                  : open_set(counter, i, place, err)))
            return -1;
    }
    return 0;
}

/* What belongs to no process. */
static int begin_shared(struct papi_counter *counter, size_t i,
                        const struct papi_crowd *crowd, struct error *err)
{
    if (counter->component[i] == kernel_uncore)
        return begin_uncore(counter, i, crowd, err);
    if (counter->component[i] == kernel_core)
        return counter->opts.system_wide ? begin_everywhere(counter, i, err) : 0;
    if (!opens_component(counter, i))
        return 0;
    if (papi_counter_is_core(counter, i))
        return counter->opts.system_wide ? begin_everywhere(counter, i, err) : 0;
    if (is_uncore(counter, i))
        return begin_packages(counter, i, crowd, err);
    return open_set(counter, i, (struct papi_place){0, -1}, err);
}

static int begin_all(struct papi_counter *counter, const struct papi_crowd *crowd,
                     struct error *err)
{
    for (size_t i = 0; i < counter->event.nr; i++)
        if (begin_shared(counter, i, crowd, err))
            return -1;
    for (size_t i = 0; i < crowd->nr; i++)
        if (begin_process(counter, crowd->pid[i], err))
            return -1;
    return crowd->nr ? 0 : begin_thread(counter, 0, err);
}

void papi_counter_stop(struct papi_counter *counter)
{
    for (size_t i = 0; i < counter->set_nr; i++)
        papi_set_close(&counter->seam, &counter->set[i]);
    for (size_t i = 0; i < counter->count_nr; i++)
        close(counter->count[i].fd);
    counter->set_nr = counter->count_nr = 0;
}

int papi_counter_begin(struct papi_counter *counter, const pid_t *pid, size_t pid_nr,
                       struct error *err)
{
    struct papi_crowd crowd = {pid, pid_nr};

    counter->user_only = false;
    if (begin_all(counter, &crowd, err)) {
        papi_counter_stop(counter);
        return -1;
    }
    counter->began_s = clock_s();
    return 0;
}
