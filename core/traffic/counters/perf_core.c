#define _GNU_SOURCE /* syscall */
#include <errno.h>
#include <linux/perf_event.h>
#include <perfmon/pfmlib_perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/traffic/counters/perf.h"

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

bool perf_software_find(const char *event, struct perf_code *code)
{
    return text_begins(event, "perf::") && pfm_event_code(event, code, NULL) == 0 &&
           code->type == PERF_TYPE_SOFTWARE;
}

/* Would be counted as 0 by a user who may not look there. */
static bool only_in_kernel(const struct perf_code *code)
{
    return code->type == PERF_TYPE_SOFTWARE &&
           (code->config[0] == PERF_COUNT_SW_CONTEXT_SWITCHES ||
            code->config[0] == PERF_COUNT_SW_CPU_MIGRATIONS);
}

int perf_core_open(const struct perf_core_calls *calls, const struct papi_host *host,
                   const char *event, const struct perf_code *code,
                   struct perf_core_who *who, struct error *err)
{
    int fd = calls->open(code, who);

    if (forbidden(-fd) && !who->user_only && who->place.cpu < 0 &&
        !only_in_kernel(code)) {
        who->user_only = true;
        fd = calls->open(code, who);
    }
    if (fd >= 0)
        return fd;
    return papi_refuse(
        &(struct papi_refused){
            .event = event,
            .why = refusal_of(-fd),
            .words = strerror(-fd),
            .component = code->type == PERF_TYPE_SOFTWARE ? "perf" : "perf_event",
            .shared = who->place.cpu >= 0,
            .in_kernel = only_in_kernel(code)},
        host, err);
}

/* What nobody ran under has counted nothing, all the time. */
static struct perf_count perf_count_of(const uint64_t got[3])
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

/* What is counted in: user and kernel; the caller leaves out what it may not see. */
enum { privileges = PFM_PLM0 | PFM_PLM3 };

static bool started(void)
{
    static int result = 1;

    if (result == 1)
        result = pfm_initialize();
    return result == PFM_SUCCESS;
}

static bool find_pmu(const char *name, size_t length, pfm_pmu_info_t *info)
{
    for (int i = 0; started() && i < PFM_PMU_MAX; i++) {
        *info = (pfm_pmu_info_t){.size = sizeof(*info)};
        if (pfm_get_pmu_info((pfm_pmu_t)i, info) == PFM_SUCCESS &&
            strlen(info->name) == length && strncmp(info->name, name, length) == 0)
            return true;
    }
    return false;
}

bool pfm_pmu_known(const char *pmu)
{
    pfm_pmu_info_t info;

    return find_pmu(pmu, strlen(pmu), &info);
}

/* Without a PMU in its name it can be of any that is here. */
static int refuse_pmu(const char *event, struct error *err)
{
    const char *end = strstr(event, "::");
    int length = end ? (int)(end - event) : 0;
    pfm_pmu_info_t info;

    if (!end || (find_pmu(event, (size_t)length, &info) && info.is_present))
        return fail(
            err, STATUS_MISSING,
            "libpfm4 knows no event '%s' of this machine's PMUs; papi_native_avail "
            "lists those it knows",
            event);
    if (find_pmu(event, (size_t)length, &info))
        return fail(err, STATUS_MISSING,
                    "libpfm4 does not answer for the event '%s': the PMU '%.*s' (%s) is "
                    "not this machine's, or has no such event",
                    event, length, event, info.desc);
    return fail(err, STATUS_MISSING,
                "libpfm4 has no tables of the PMU '%.*s' of the event '%s'; a newer one "
                "may, or name the event as perf does",
                length, event, event);
}

static int refuse(const char *event, int code, struct error *err)
{
    if (!started())
        return fail(err, STATUS_MISSING, "libpfm4 does not start: no event has a name");
    switch (code) {
    case PFM_ERR_NOTFOUND:
        return refuse_pmu(event, err);
    case PFM_ERR_ATTR:
    case PFM_ERR_ATTR_VAL:
    case PFM_ERR_ATTR_SET:
    case PFM_ERR_FEATCOMB:
        return fail(err, STATUS_MISSING,
                    "libpfm4 does not take the masks of the event '%s': %s", event,
                    pfm_strerror(code));
    default:
        return fail(err, STATUS_MISSING, "libpfm4 cannot encode the event '%s': %s",
                    event, pfm_strerror(code));
    }
}

int pfm_event_code(const char *event, struct perf_code *code, struct error *err)
{
    struct perf_event_attr attr = {.size = sizeof(attr)};
    pfm_perf_encode_arg_t encoding = {.attr = &attr, .size = sizeof(encoding)};
    int result = started() ? pfm_get_os_event_encoding(event, privileges,
                                                       PFM_OS_PERF_EVENT_EXT, &encoding)
                           : PFM_ERR_NOINIT;

    if (result != PFM_SUCCESS)
        return refuse(event, result, err);
    *code = (struct perf_code){.type = attr.type,
                               .config = {attr.config, attr.config1, attr.config2},
                               .no_user = attr.exclude_user,
                               .no_kernel = attr.exclude_kernel};
    return 0;
}

int pfm_event_check(const char *event, struct error *err)
{
    pfm_pmu_encode_arg_t encoding = {.size = sizeof(encoding)};
    int result =
        started() ? pfm_get_os_event_encoding(event, privileges, PFM_OS_NONE, &encoding)
                  : PFM_ERR_NOINIT;

    free(encoding.codes);
    return result == PFM_SUCCESS ? 0 : refuse(event, result, err);
}
