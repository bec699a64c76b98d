/* The definitions of Arm CPUs on counts made from known distributions (cases as data),
 * whose they are, and the codes of their events. */
#include <stdlib.h>
#include <string.h>

#include "core/files/fs.h"
#include "core/metrics/metrics.h"
#include "tests/check.h"
#include "tests/metric_cases.h"

static void every_case_comes_out(void)
{
    /* What is written to memory the others do not count: no portable metric of it. */
    static const char own_models[] = "topdown cycles stalls limits prefetch mix";
    static const struct {
        const char *name, *models;
    } cpus[] = {{"a64fx", NULL},
                {"kunpeng920", own_models},
                {"neoverse-n1", own_models},
                {"neoverse-n2", own_models},
                {"neoverse-n2-r0p0", own_models},
                {"neoverse-v1", own_models},
                {"neoverse-v2", own_models}};

    for (size_t i = 0; i < ARRAY_SIZE(cpus); i++) {
        struct strvec covered = {0};

        metric_cases_run(cpus[i].name, &covered);
        metric_cases_cover(cpus[i].name, cpus[i].models, &covered);
        strvec_release(&covered);
    }
}

#define CPUINFO(implementer, part, revision)                                             \
    "processor\t: 0\nCPU implementer\t: " implementer "\nCPU architecture: 8\n"          \
    "CPU variant\t: 0x0\nCPU part\t: " part "\nCPU revision\t: " revision "\n"

/* Definitions are found by what /proc/cpuinfo, a file of counts, perf or a profile says;
 * the two kinds of the Neoverse N2 by its revision. */
static void cpus_are_recognised(void)
{
    static const struct {
        const char *text, *name; /* NULL = none */
    } cpus[] = {{CPUINFO("0x46", "0x001", "0"), "a64fx"},
                {CPUINFO("0x48", "0xd01", "0"), "kunpeng920"},
                {CPUINFO("0x41", "0xd0c", "1"), "neoverse-n1"},
                {CPUINFO("0x41", "0xd49", "0"), "neoverse-n2-r0p0"},
                {CPUINFO("0x41", "0xd49", "2"), "neoverse-n2-r0p0"},
                {CPUINFO("0x41", "0xd49", "3"), "neoverse-n2"},
                {CPUINFO("0x41", "0xd40", "1"), "neoverse-v1"},
                {CPUINFO("0x41", "0xd4f", "0"), "neoverse-v2"},
                {CPUINFO("0x41", "0xd05", "0"), NULL},
                {"arm 0x46 0x001", "a64fx"},
                {"arm 0x41 0xd49 3", "neoverse-n2"},
                {"arm 0x41 0xd49", NULL}, /* which of the two is not told */
                {"0x00000000410fd490", "neoverse-n2-r0p0"},
                {"0x410fd493", "neoverse-n2"},
                {"0x00000000413fd0c1", "neoverse-n1"},
                {"0x413f", NULL},
                {"Arm implementer 0x41 part 0xd4f", "neoverse-v2"}};

    for (size_t i = 0; i < ARRAY_SIZE(cpus); i++) {
        struct metric_set *set = NULL;
        struct error err = {0};
        int result = metric_set_load(NULL, cpus[i].text, &set, &err);

        if (!cpus[i].name)
            check_fails(result, &err, STATUS_MISSING, "--cpu");
        else if (check_ok(result, &err))
            check_str(set->name, cpus[i].name);
        metric_set_free(set);
    }
}

/* The code of "rCODE", perf's name for an event without one; 0 = it is none. */
static unsigned long raw_code(const char *name)
{
    char *end;
    unsigned long code = *name == 'r' ? strtoul(name + 1, &end, 16) : 0;

    return code && !*end ? code : 0;
}

/* Where libpfm4 knows the event, what it said (tests/data/metrics/libpfm4), else what
 * stands in the name. */
static unsigned long code_of(const char *list, const struct metric_event *event)
{
    char *line = xasprintf("\n%s 0x", event->name);
    const char *at = event->note ? strstr(event->name, "event=0x") : strstr(list, line);
    unsigned long code = 0;

    if (at)
        code = strtoul(at + (event->note ? strlen("event=0x") : strlen(line)), NULL, 16);
    free(line);
    return code;
}

static void check_codes(const struct metric_set *set, const char *pmu)
{
    char *path = xasprintf(INFLIGHT_SOURCE_DIR "/tests/data/metrics/libpfm4/%s.txt", pmu);
    struct buf list = {0};
    struct error err = {0};

    check_ok(file_read(path, &list, &err), &err);
    for (size_t i = 0; i < set->event_nr; i++) {
        const struct metric_event *event = &set->event[i];
        size_t raw = 0;

        for (size_t k = 0; k < event->alias.nr; k++) {
            unsigned long code = raw_code(event->alias.v[k]);
            if (!code)
                continue;
            raw++;
            if (code != code_of(buf_str(&list), event))
                check_str(event->alias.v[k], event->name);
        }
        if (!raw)
            check_str(event->name, "an alias with its code");
    }
    buf_release(&list);
    free(path);
}

/* What "perf stat -e rCODE" counted is found by the code. */
static void raw_names_are_the_codes_of_libpfm4(void)
{
    static const char *const names[] = {"a64fx",       "kunpeng920",       "neoverse-n1",
                                        "neoverse-n2", "neoverse-n2-r0p0", "neoverse-v1",
                                        "neoverse-v2"};

    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        struct metric_set *set = NULL;
        struct error err = {0};

        if (check_ok(metric_set_load(names[i], NULL, &set, &err), &err))
            check_codes(set, set->pmu.v[0]);
        metric_set_free(set);
    }
}

CU_TestInfo metrics_arm_tests[] = {
    {"every case comes out", every_case_comes_out},
    {"cpus are recognised", cpus_are_recognised},
    {"raw names", raw_names_are_the_codes_of_libpfm4},
    CU_TEST_INFO_NULL,
};
