/*
 * Asks libpfm4 for events. Lines "PMU EVENT" come in; "PMU EVENT 0xCODE" goes out (the
 * code as perf takes it), or "PMU EVENT -" where the PMU has no such event; PMUs that
 * this libpfm4 does not have are left out. bench/metric_events builds it for several
 * architectures, since each libpfm4 has only the PMUs of its own.
 */
#define _GNU_SOURCE /* setenv */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/traffic/counters/perf.h"

int main(void)
{
    char pmu[128], event[256], name[512];

    setenv("LIBPFM_ENCODE_INACTIVE", "1", 1);
    while (scanf("%127s %255s", pmu, event) == 2) {
        struct perf_code code;

        snprintf(name, sizeof(name), "%s::%s", pmu, event);
        if (!pfm_pmu_known(pmu))
            continue;
        if (pfm_event_code(name, &code, NULL) == 0)
            printf("%s %s 0x%" PRIx64 "\n", pmu, event, code.config[0]);
        else
            printf("%s %s -\n", pmu, event);
    }
    return 0;
}
