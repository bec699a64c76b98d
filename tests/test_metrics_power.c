/* The definitions of POWER9 on counts made from known distributions: cases as data. */
#include "core/metrics/metrics.h"
#include "tests/check.h"
#include "tests/metric_cases.h"

static void every_case_comes_out(void)
{
    struct strvec covered = {0};

    metric_cases_run("power9", &covered);
    metric_cases_cover("power9", NULL, &covered);
    strvec_release(&covered);
}

/* The memory branch is six levels deep, as in the source. */
static void memory_branch_is_six_deep(void)
{
    struct metric_set *set = NULL;
    struct error err = {0};
    int depth = 0;

    if (!check_ok(metric_set_load("power9", NULL, &set, &err), &err))
        return;
    for (int at = metric_find(set, "Remote_Chip"); at != METRIC_NONE;
         at = set->metric[at].parent)
        depth++;
    check_eq(depth, 6);
    metric_set_free(set);
}

static void cpu_is_recognised(void)
{
    static const char text[] = "processor\t: 0\ncpu\t\t: POWER9, altivec supported\n"
                               "clock\t\t: 3783.000000MHz\nrevision\t: 2.2 (pvr 004e "
                               "1202)\n";
    struct metric_set *set = NULL;
    struct error err = {0};

    if (check_ok(metric_set_load(NULL, text, &set, &err), &err))
        check_str(set->name, "power9");
    metric_set_free(set);
}

CU_TestInfo metrics_power_tests[] = {
    {"every case comes out", every_case_comes_out},
    {"memory branch is six deep", memory_branch_is_six_deep},
    {"cpu is recognised", cpu_is_recognised},
    CU_TEST_INFO_NULL,
};
