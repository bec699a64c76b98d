#define _GNU_SOURCE /* syscall */
#include "core/traffic/perf_uncore.h"

#include <dirent.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/traffic/bandwidth_source.h"

const char perf_uncore_devices[] = "/sys/bus/event_source/devices";

bool perf_uncore_is(const char *event)
{
    const char *slash = strchr(event, '/');

    return slash && slash > event && slash[1] && event[strlen(event) - 1] == '/';
}

/* The first line of a small file; NULL if it is not there. */
static char *line_of(const char *devices, const char *pmu, const char *folder,
                     const char *name)
{
    char *path =
        xasprintf("%s/%s/%s%s%s", devices, pmu, folder, *folder ? "/" : "", name);
    struct buf text = {0};
    char *line = NULL;

    if (file_read(path, &text, NULL) == 0)
        line = xstrndup(buf_str(&text), strcspn(buf_str(&text), "\n"));
    buf_release(&text);
    free(path);
    return line;
}

/* Puts the value's low bits where the format says: "config1:0-7,32-35". */
static int place_bits(const char *format, uint64_t value, struct perf_uncore *found)
{
    const char *at = strchr(format, ':');
    int word = strncmp(format, "config1:", 8) == 0   ? 1
               : strncmp(format, "config2:", 8) == 0 ? 2
                                                     : 0;
    long low, high;
    int read;

    if (!at || strncmp(format, "config", 6) != 0)
        return -1;
    for (at++; (read = range_next(&at, &low, &high)) > 0 && high <= 63;)
        for (long bit = low; bit <= high; bit++, value >>= 1)
            found->config[word] |= (value & 1) << bit;
    return read || value ? -1 : 0;
}

static int place_term(const char *devices, const char *pmu, const char *term,
                      struct perf_uncore *found, struct error *err)
{
    size_t length = strcspn(term, "=");
    char *name = xstrndup(term, length), *end = NULL, *format;
    uint64_t value = term[length] ? strtoull(term + length + 1, &end, 0) : 1;
    int result = -1;

    format = line_of(devices, pmu, "format", name);
    if (end && (*end || end == term + length + 1))
        fail(err, STATUS_INPUT, "'%s' is not a number", term + length + 1);
    else if (format)
        result = place_bits(format, value, found);
    else if (strncmp(name, "config", 6) == 0 && strchr("12", name[6]) &&
             strlen(name) < 8) {
        found->config[name[6] ? name[6] - '0' : 0] |= value;
        result = 0;
    }
    if (result)
        fail(err, STATUS_MISSING, "the PMU '%s' has no '%s' that takes this value", pmu,
             name);
    free(format);
    free(name);
    return result;
}

static int place_terms(const char *devices, const char *pmu, const char *terms,
                       struct perf_uncore *found, struct error *err)
{
    int result = 0;

    while (result == 0 && *terms) {
        size_t length = strcspn(terms, ",");
        char *term = xstrndup(terms, length);

        result = place_term(devices, pmu, term, found, err);
        free(term);
        terms += length + (terms[length] == ',');
    }
    return result;
}

/* A name of the PMU's folder of events stands for its terms. */
static int place_event(const char *devices, const char *pmu, const char *text,
                       struct perf_uncore *found, struct error *err)
{
    char *terms = strpbrk(text, "=,") ? NULL : line_of(devices, pmu, "events", text);
    int result = place_terms(devices, pmu, terms ? terms : text, found, err);

    free(terms);
    return result;
}

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

static int find_pmu(const char *devices, const char *pmu, struct perf_uncore *found,
                    struct error *err)
{
    char *type = line_of(devices, pmu, "", "type");
    char *mask = line_of(devices, pmu, "", "cpumask");
    int result = 0;

    if (!type)
        result = fail(err, STATUS_MISSING, "the kernel shows no PMU '%s' here", pmu);
    else if (!mask || take_cpus(mask, found))
        result = fail(err, STATUS_MISSING,
                      "the PMU '%s' says no cpus on which it counts for all: if it "
                      "belongs to the cores, name its events as PAPI does",
                      pmu);
    else
        found->type = (uint32_t)strtoul(type, NULL, 10);
    free(type);
    free(mask);
    return result;
}

int perf_uncore_find(const char *devices, const char *event, struct perf_uncore *found,
                     struct error *err)
{
    size_t length = strcspn(event, "/");
    char *pmu = xstrndup(event, length);
    char *text = xstrndup(event + length + 1, strcspn(event + length + 1, "/"));
    int result;

    *found = (struct perf_uncore){0};
    result =
        find_pmu(devices, pmu, found, err) || place_event(devices, pmu, text, found, err);
    if (result) {
        perf_uncore_release(found);
        fail_in(err, "the event '%s' cannot be counted", event);
    }
    free(pmu);
    free(text);
    return result ? -1 : 0;
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

/*
 * Counting.
 */

static int cannot_open(const char *name, int cpu, int number, struct error *err)
{
    if (number == EACCES || number == EPERM)
        return fail(
            err, STATUS_MISSING,
            "'%s' cannot be counted on cpu %d: %s; it counts for everybody: set "
            "/proc/sys/kernel/perf_event_paranoid to 0 or lower, or run as root or "
            "with CAP_PERFMON",
            name, cpu, strerror(number));
    return fail(err, STATUS_MISSING, "'%s' cannot be counted on cpu %d: %s", name, cpu,
                strerror(number));
}

int perf_uncore_open(const struct perf_uncore *event, const char *name, int cpu,
                     struct error *err)
{
    struct perf_event_attr attr = {
        .type = event->type,
        .size = sizeof(attr),
        .config = event->config[0],
        .config1 = event->config[1],
        .config2 = event->config[2],
        .read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
    };
    int fd = (int)syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);

    return fd >= 0 ? fd : cannot_open(name, cpu, errno, err);
}

int perf_uncore_read(int fd, struct perf_uncore_count *count, struct error *err)
{
    uint64_t got[3]; /* count, ns enabled, ns running */

    if (read(fd, got, sizeof(got)) != (ssize_t)sizeof(got))
        return fail(err, STATUS_FAILED, "a counter of the kernel cannot be read: %s",
                    strerror(errno));
    *count = (struct perf_uncore_count){0};
    if (!got[2])
        return 0;
    count->share = got[2] >= got[1] ? 1 : (double)got[2] / (double)got[1];
    count->counted_s = (double)got[2] * 1e-9;
    count->value = (double)got[0] / count->share;
    return 0;
}
