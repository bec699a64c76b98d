#include "core/traffic/counters/perf.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "core/traffic/counters/bandwidth_source.h"

const char perf_uncore_devices[] = "/sys/bus/event_source/devices";

static void add_cpu(struct perf_uncore *found, int cpu)
{
    found->cpu = xrealloc(found->cpu, found->cpu_nr + 1, sizeof(*found->cpu));
    found->cpu[found->cpu_nr++] = cpu;
}

/* "0,18" or "0-1". */
static int take_cpus(const char *mask, struct perf_uncore *found)
{
    long low, high;
    int read;

    while ((read = range_next(&mask, &low, &high)) > 0 && high <= 65535)
        for (long cpu = low; cpu <= high; cpu++)
            add_cpu(found, (int)cpu);
    return read || !found->cpu_nr ? -1 : 0;
}

/* A PMU that tells no cpus counts for whoever runs on its core. */
static int find_cpus(const char *devices, const char *event, struct perf_uncore *found,
                     struct error *err)
{
    char *pmu = xstrndup(event, strcspn(event, "/"));
    char *mask = perf_pmu_line(devices, pmu, "", "cpumask");
    int result = 0;

    if (!mask || take_cpus(mask, found))
        result = fail(err, STATUS_MISSING,
                      "the PMU '%s' names no CPUs on which it counts for all", pmu);
    free(mask);
    free(pmu);
    return result;
}

bool perf_uncore_is(const char *devices, const char *event)
{
    struct perf_uncore found = {0};
    bool is = perf_terms_is(event) && find_cpus(devices, event, &found, NULL) == 0;

    perf_uncore_release(&found);
    return is;
}

int perf_uncore_find(const char *devices, const char *event, struct perf_uncore *found,
                     struct error *err)
{
    *found = (struct perf_uncore){0};
    if (perf_terms_find(devices, event, &found->code, err) == 0 &&
        find_cpus(devices, event, found, err) == 0)
        return 0;
    perf_uncore_release(found);
    return fail_in(err, "the event '%s' cannot be counted", event);
}

void perf_uncore_release(struct perf_uncore *found)
{
    free(found->cpu);
    *found = (struct perf_uncore){0};
}

/*
 * Names for all boxes.
 */

static int by_length_and_name(const void *a, const void *b)
{
    const char *one = *(char *const *)a, *other = *(char *const *)b;
    size_t length = strlen(one), other_length = strlen(other);

    if (length != other_length)
        return length < other_length ? -1 : 1;
    return strcmp(one, other);
}

/* "nest_mba3_imc" and "PM_MBA%d_READ_BYTES/" give "nest_mba3_imc/PM_MBA3_READ_BYTES/". */
static char *event_of_box(const char *pmu, const char *rest)
{
    const char *number = strpbrk(pmu, "0123456789");
    struct buf out = {0};

    buf_addf(&out, "%s/", pmu);
    for (; *rest; rest++)
        if (number && rest[0] == '%' && rest[1] == 'd') {
            buf_add_n(&out, number, strspn(number, "0123456789"));
            rest++;
        } else {
            buf_add_n(&out, rest, 1);
        }
    return buf_detach(&out);
}

static void push_if_there(const char *devices, const char *pmu, const char *rest,
                          struct strvec *list)
{
    char *event = event_of_box(pmu, rest);
    struct perf_uncore found;

    if (perf_uncore_find(devices, event, &found, NULL) == 0) {
        strvec_push(list, event);
        perf_uncore_release(&found);
    }
    free(event);
}

void perf_uncore_expand(const char *devices, const char *pattern, struct strvec *list)
{
    size_t length = strcspn(pattern, "/");
    char *pmu = xstrndup(pattern, length);
    struct strvec names = {0};
    DIR *folder = opendir(devices);
    struct dirent *entry;

    while (folder && (entry = readdir(folder)) != NULL)
        if (bandwidth_names(pmu, entry->d_name))
            strvec_push(&names, entry->d_name);
    if (folder)
        closedir(folder);
    if (names.nr)
        qsort(names.v, names.nr, sizeof(*names.v), by_length_and_name);
    for (size_t i = 0; pattern[length] && i < names.nr; i++)
        push_if_there(devices, names.v[i], pattern + length + 1, list);
    strvec_release(&names);
    free(pmu);
}

void perf_uncore_expand_here(const char *pattern, struct strvec *list)
{
    perf_uncore_expand(perf_uncore_devices, pattern, list);
}
