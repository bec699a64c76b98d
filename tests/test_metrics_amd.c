/* The definitions of AMD's CPUs on counts made from known distributions: cases as data.
 */
#include <stdio.h>

#include "core/metrics/metrics.h"
#include "tests/check.h"
#include "tests/metric_cases.h"

static void every_case_comes_out(void)
{
    /* What the data fabric moves it does not tell apart by direction on Zen 2 and 3, so
     * the portable metrics of reads and writes are unknown there. */
    static const char own_models[] = "topdown stalls occupancy fills prefetch mix";
    static const struct {
        const char *name, *models;
    } cpus[] = {
        {"zen2", own_models}, {"zen3", own_models}, {"zen4", NULL}, {"zen5", NULL}};

    for (size_t i = 0; i < ARRAY_SIZE(cpus); i++) {
        struct strvec covered = {0};

        metric_cases_run(cpus[i].name, &covered);
        metric_cases_cover(cpus[i].name, cpus[i].models, &covered);
        strvec_release(&covered);
    }
}

/* Definitions are found by what /proc/cpuinfo says. */
static void cpus_are_recognised(void)
{
    static const struct {
        int family, model;
        const char *name;
    } cpus[] = {{23, 0x31, "zen2"}, {23, 0x71, "zen2"}, {25, 0x01, "zen3"},
                {25, 0x21, "zen3"}, {25, 0x11, "zen4"}, {25, 0x61, "zen4"},
                {25, 0xa0, "zen4"}, {26, 0x02, "zen5"}, {26, 0x44, "zen5"}};

    for (size_t i = 0; i < ARRAY_SIZE(cpus); i++) {
        struct metric_set *set = NULL;
        struct error err = {0};
        char text[256];

        snprintf(text, sizeof(text),
                 "processor\t: 0\nvendor_id\t: AuthenticAMD\ncpu family\t: %d\n"
                 "model\t\t: %d\nstepping\t: 1\n",
                 cpus[i].family, cpus[i].model);
        if (check_ok(metric_set_load(NULL, text, &set, &err), &err))
            check_str(set->name, cpus[i].name);
        metric_set_free(set);
    }
}

/* perf writes the family in decimal, the rest in hexadecimal. */
static void cpus_are_recognised_by_perfs_names(void)
{
    static const char *const cpus[][2] = {{"AuthenticAMD-23-31-0", "zen2"},
                                          {"AuthenticAMD-25-1-1", "zen3"},
                                          {"AuthenticAMD-25-11-1", "zen4"},
                                          {"AuthenticAMD-26-2-1", "zen5"}};

    for (size_t i = 0; i < ARRAY_SIZE(cpus); i++) {
        struct metric_set *set = NULL;
        struct error err = {0};

        if (check_ok(metric_set_load(NULL, cpus[i][0], &set, &err), &err))
            check_str(set->name, cpus[i][1]);
        metric_set_free(set);
    }
}

CU_TestInfo metrics_amd_tests[] = {
    {"every case comes out", every_case_comes_out},
    {"cpus are recognised", cpus_are_recognised},
    {"cpus are recognised by perf's names", cpus_are_recognised_by_perfs_names},
    CU_TEST_INFO_NULL,
};
