#define _GNU_SOURCE /* syscall */
#include "core/traffic/counters/perf.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* libpfm4's names, as PAPI takes them. What happens in the kernel only would be counted
 * as 0 by a user who may not look there. */
static const struct {
    const char *name;
    uint64_t config;
    bool in_kernel;
} events[] = {
    {"perf::PAGE-FAULTS", PERF_COUNT_SW_PAGE_FAULTS, false},
    {"perf::FAULTS", PERF_COUNT_SW_PAGE_FAULTS, false},
    {"perf::MINOR-FAULTS", PERF_COUNT_SW_PAGE_FAULTS_MIN, false},
    {"perf::MAJOR-FAULTS", PERF_COUNT_SW_PAGE_FAULTS_MAJ, false},
    {"perf::CONTEXT-SWITCHES", PERF_COUNT_SW_CONTEXT_SWITCHES, true},
    {"perf::CS", PERF_COUNT_SW_CONTEXT_SWITCHES, true},
    {"perf::CPU-MIGRATIONS", PERF_COUNT_SW_CPU_MIGRATIONS, true},
    {"perf::MIGRATIONS", PERF_COUNT_SW_CPU_MIGRATIONS, true},
    {"perf::CPU-CLOCK", PERF_COUNT_SW_CPU_CLOCK, false},
    {"perf::TASK-CLOCK", PERF_COUNT_SW_TASK_CLOCK, false},
    {"perf::ALIGNMENT-FAULTS", PERF_COUNT_SW_ALIGNMENT_FAULTS, false},
    {"perf::EMULATION-FAULTS", PERF_COUNT_SW_EMULATION_FAULTS, false},
};

static int find(const char *event)
{
    for (size_t i = 0; i < ARRAY_SIZE(events); i++)
        if (strcmp(event, events[i].name) == 0)
            return (int)i;
    return -1;
}

bool perf_software_known(const char *event)
{
    return find(event) >= 0;
}

static int open_for(uint64_t config, pid_t thread, bool ahead, bool user_only)
{
    struct perf_event_attr attr = {
        .type = PERF_TYPE_SOFTWARE,
        .size = sizeof(attr),
        .config = config,
        .inherit = 1,
        .disabled = ahead,
        .enable_on_exec = ahead,
        .exclude_kernel = user_only,
        .exclude_hv = user_only,
    };

    return (int)syscall(SYS_perf_event_open, &attr, thread, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

static int cannot_count(int at, pid_t thread, struct error *err)
{
    const char *name = events[at].name, *why = strerror(errno);
    bool forbidden = errno == EACCES || errno == EPERM;
    char of[40] = "";

    if (thread)
        snprintf(of, sizeof(of), " for thread %d", (int)thread);
    if (!forbidden)
        return fail(err, STATUS_MISSING, "'%s' cannot be counted%s: %s", name, of, why);
    return fail(err, STATUS_MISSING,
                "'%s' cannot be counted%s: %s; lower "
                "/proc/sys/kernel/perf_event_paranoid to %d or run as root",
                name, of, why, events[at].in_kernel ? 1 : 2);
}

int perf_software_open(const char *event, pid_t thread, bool ahead, struct error *err)
{
    int at = find(event), fd;

    if (at < 0)
        return fail(err, STATUS_MISSING, "'%s' is not a software event of the kernel",
                    event);
    fd = open_for(events[at].config, thread, ahead, false);
    if (fd < 0 && (errno == EACCES || errno == EPERM) && !events[at].in_kernel)
        fd = open_for(events[at].config, thread, ahead, true);
    if (fd < 0)
        return cannot_count(at, thread, err);
    return fd;
}

int perf_software_read(int fd, double *value, struct error *err)
{
    uint64_t count;

    if (read(fd, &count, sizeof(count)) != (ssize_t)sizeof(count))
        return fail(err, STATUS_FAILED, "a counter of the kernel cannot be read: %s",
                    strerror(errno));
    *value = (double)count;
    return 0;
}
