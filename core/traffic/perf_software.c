#define _GNU_SOURCE /* syscall */
#include "core/traffic/perf_software.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* libpfm4's names, as PAPI takes them. */
static const struct {
    const char *name;
    uint64_t config;
} events[] = {
    {"perf::PAGE-FAULTS", PERF_COUNT_SW_PAGE_FAULTS},
    {"perf::FAULTS", PERF_COUNT_SW_PAGE_FAULTS},
    {"perf::MINOR-FAULTS", PERF_COUNT_SW_PAGE_FAULTS_MIN},
    {"perf::MAJOR-FAULTS", PERF_COUNT_SW_PAGE_FAULTS_MAJ},
    {"perf::CONTEXT-SWITCHES", PERF_COUNT_SW_CONTEXT_SWITCHES},
    {"perf::CS", PERF_COUNT_SW_CONTEXT_SWITCHES},
    {"perf::CPU-MIGRATIONS", PERF_COUNT_SW_CPU_MIGRATIONS},
    {"perf::MIGRATIONS", PERF_COUNT_SW_CPU_MIGRATIONS},
    {"perf::CPU-CLOCK", PERF_COUNT_SW_CPU_CLOCK},
    {"perf::TASK-CLOCK", PERF_COUNT_SW_TASK_CLOCK},
    {"perf::ALIGNMENT-FAULTS", PERF_COUNT_SW_ALIGNMENT_FAULTS},
    {"perf::EMULATION-FAULTS", PERF_COUNT_SW_EMULATION_FAULTS},
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

static int open_for(uint64_t config, pid_t thread, bool user_only)
{
    struct perf_event_attr attr = {
        .type = PERF_TYPE_SOFTWARE,
        .size = sizeof(attr),
        .config = config,
        .inherit = 1,
        .exclude_kernel = user_only,
        .exclude_hv = user_only,
    };

    return (int)syscall(SYS_perf_event_open, &attr, thread, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

int perf_software_open(const char *event, pid_t thread, struct error *err)
{
    int at = find(event), fd;

    if (at < 0)
        return fail(err, STATUS_MISSING, "'%s' is no software event of the kernel",
                    event);
    fd = open_for(events[at].config, thread, false);
    if (fd < 0 && (errno == EACCES || errno == EPERM))
        fd = open_for(events[at].config, thread, true);
    if (fd < 0)
        return fail(
            err, STATUS_MISSING, "'%s' cannot be counted for thread %d: %s%s", event,
            (int)thread, strerror(errno),
            errno == EACCES || errno == EPERM
                ? "; lower /proc/sys/kernel/perf_event_paranoid to 2 or run as root"
                : "");
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
