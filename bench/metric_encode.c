/*
 * Asks libpfm4 for events. Lines "PMU EVENT" come in; "PMU EVENT 0xCODE" goes out, or
 * "PMU EVENT -" where the PMU has no such event; PMUs that this libpfm4 does not have are
 * left out. bench/metric_events builds it for several architectures, since each libpfm4
 * has only the PMUs of its own.
 */
#define _GNU_SOURCE /* setenv */
#include <perfmon/pfmlib.h>
#include <perfmon/pfmlib_perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int has_pmu(const char *name)
{
    pfm_pmu_info_t pmu;

    for (int i = 0; i < PFM_PMU_MAX; i++) {
        memset(&pmu, 0, sizeof(pmu));
        pmu.size = sizeof(pmu);
        if (pfm_get_pmu_info((pfm_pmu_t)i, &pmu) == PFM_SUCCESS &&
            strcmp(pmu.name, name) == 0)
            return 1;
    }
    return 0;
}

/* The code as perf takes it (rCODE). */
static int encode(const char *pmu, const char *event, unsigned long long *code)
{
    char name[512];
    struct perf_event_attr attr = {0};
    pfm_perf_encode_arg_t all = {.attr = &attr, .size = sizeof(all)};

    snprintf(name, sizeof(name), "%s::%s", pmu, event);
    if (pfm_get_os_event_encoding(name, PFM_PLM3, PFM_OS_PERF_EVENT, &all) != PFM_SUCCESS)
        return 0;
    *code = attr.config;
    return 1;
}

int main(void)
{
    char pmu[128], event[256];
    unsigned long long code;

    setenv("LIBPFM_ENCODE_INACTIVE", "1", 1);
    if (pfm_initialize() != PFM_SUCCESS) {
        fputs("libpfm4 does not start\n", stderr);
        return 1;
    }
    while (scanf("%127s %255s", pmu, event) == 2) {
        if (!has_pmu(pmu))
            continue;
        if (encode(pmu, event, &code))
            printf("%s %s 0x%llx\n", pmu, event, code);
        else
            printf("%s %s -\n", pmu, event);
    }
    return 0;
}
