/* The definitions of Arm CPUs on counts made from known distributions: cases as data. */
#include <stdio.h>

#include "core/metrics/metrics.h"
#include "tests/check.h"
#include "tests/metric_cases.h"

static void every_case_comes_out(void)
{
    /* What is written to memory the others do not count: no portable metric of it. */
    static const char own_models[] = "topdown cycles memory limits prefetch stalls mix";
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

/* Definitions are found by what /proc/cpuinfo says; the two kinds of the Neoverse N2 by
 * its revision. */
static void cpus_are_recognised(void)
{
    static const struct {
        const char *implementer, *part, *revision, *name;
    } cpus[] = {{"0x46", "0x001", "0", "a64fx"},
                {"0x48", "0xd01", "0", "kunpeng920"},
                {"0x41", "0xd0c", "1", "neoverse-n1"},
                {"0x41", "0xd49", "0", "neoverse-n2-r0p0"},
                {"0x41", "0xd49", "2", "neoverse-n2-r0p0"},
                {"0x41", "0xd49", "3", "neoverse-n2"},
                {"0x41", "0xd40", "1", "neoverse-v1"},
                {"0x41", "0xd4f", "0", "neoverse-v2"}};

    for (size_t i = 0; i < ARRAY_SIZE(cpus); i++) {
        struct metric_set *set = NULL;
        struct error err = {0};
        char text[256];

        snprintf(text, sizeof(text),
                 "processor\t: 0\nCPU implementer\t: %s\nCPU architecture: 8\n"
                 "CPU variant\t: 0x0\nCPU part\t: %s\nCPU revision\t: %s\n",
                 cpus[i].implementer, cpus[i].part, cpus[i].revision);
        if (check_ok(metric_set_load(NULL, text, &set, &err), &err))
            check_str(set->name, cpus[i].name);
        metric_set_free(set);
    }
}

CU_TestInfo metrics_arm_tests[] = {
    {"every case comes out", every_case_comes_out},
    {"cpus are recognised", cpus_are_recognised},
    CU_TEST_INFO_NULL,
};
