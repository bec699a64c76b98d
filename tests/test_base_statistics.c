#include <CUnit/CUnit.h>
#include <math.h>

#include "core/base/statistics.h"
#include "tests/check.h"

static void medians_are_of_the_middle(void)
{
    double value[] = {4, 1, 2, 3};

    check_near(median_of(value, 3), 2, 0);
    check_near(median_of(value, 4), 2.5, 0);
    check_near(value[0], 4, 0); /* as they were */
    check_near(median_sorting(value, 4), 2.5, 0);
    check_near(value[0], 1, 0);
    check(isnan(median_of(NULL, 0)));
}

/* t of 0.975: the printed tables have 1.984 at 100, 1.9623 at 1000. */
static void few_values_widen_the_interval(void)
{
    check(isinf(student_95(0)));
    check_near(student_95(1), 12.706, 0);
    check_near(student_95(30), 2.042, 0);
    check_near(student_95(31), 2.0395, 1e-3);
    check_near(student_95(100), 1.984, 1e-3);
    check_near(student_95(1000), 1.9623, 1e-3);
}

CU_TestInfo base_statistics_tests[] = {
    {"medians are of the middle", medians_are_of_the_middle},
    {"few values widen the interval", few_values_widen_the_interval},
    CU_TEST_INFO_NULL,
};
