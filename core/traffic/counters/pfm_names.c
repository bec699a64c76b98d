#include "core/traffic/counters/perf.h"

#include <perfmon/pfmlib_perf_event.h>
#include <stdlib.h>
#include <string.h>

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
