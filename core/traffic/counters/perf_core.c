#define _GNU_SOURCE /* syscall */
#include "core/traffic/counters/perf.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int open_one(const struct perf_code *code, const struct perf_core_who *who)
{
    bool on_cpu = who->place.cpu >= 0;
    struct perf_event_attr attr = {
        .type = code->type,
        .size = sizeof(attr),
        .config = code->config[0],
        .config1 = code->config[1],
        .config2 = code->config[2],
        .read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
        .inherit = !on_cpu,
        .disabled = who->ahead,
        .enable_on_exec = who->ahead,
        .exclude_user = code->no_user,
        .exclude_kernel = code->no_kernel || who->user_only,
        .exclude_hv = who->user_only,
    };
    int fd = (int)syscall(SYS_perf_event_open, &attr, on_cpu ? -1 : who->place.thread,
                          who->place.cpu, -1, PERF_FLAG_FD_CLOEXEC);

    return fd >= 0 ? fd : -errno;
}

static int read_one(int fd, uint64_t got[3])
{
    return read(fd, got, 3 * sizeof(*got)) == (ssize_t)(3 * sizeof(*got)) ? 0 : -errno;
}

const struct perf_core_calls perf_core_calls = {pfm_event_code, open_one, read_one};

static bool forbidden(int number)
{
    return number == EACCES || number == EPERM;
}

static enum papi_refusal refusal_of(int number)
{
    return forbidden(number) ? PAPI_NO_RIGHT
           : number == EBUSY ? PAPI_NO_TOGETHER
                             : PAPI_NO_OTHER;
}

int perf_core_open(const struct perf_core_calls *calls, const struct papi_host *host,
                   const char *event, const struct perf_code *code,
                   struct perf_core_who *who, struct error *err)
{
    int fd = calls->open(code, who);

    if (forbidden(-fd) && !who->user_only && who->place.cpu < 0) {
        who->user_only = true;
        fd = calls->open(code, who);
    }
    if (fd >= 0)
        return fd;
    return papi_refuse(&(struct papi_refused){.event = event,
                                              .why = refusal_of(-fd),
                                              .words = strerror(-fd),
                                              .component = "perf_event",
                                              .shared = who->place.cpu >= 0},
                       host, err);
}

struct perf_count perf_count_of(const uint64_t got[3])
{
    struct perf_count count = {.overflowed = got[0] >> 63};

    if (!got[1] && !got[0])
        count.share = 1;
    if (!got[2])
        return count;
    count.share = got[2] >= got[1] ? 1 : (double)got[2] / (double)got[1];
    count.counted_s = (double)got[2] * 1e-9;
    count.value = (double)got[0] / count.share;
    return count;
}

int perf_core_read(const struct perf_core_calls *calls, int fd, struct perf_count *count,
                   struct error *err)
{
    uint64_t got[3];
    int result = calls->read(fd, got);

    if (result)
        return fail(err, STATUS_FAILED, "a counter of the kernel cannot be read: %s",
                    strerror(-result));
    *count = perf_count_of(got);
    return 0;
}
