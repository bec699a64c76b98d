#include <math.h>

#include "core/base/statistics.h"
#include "tests/check.h"

SUITE(base_statistics);

TEST("medians are of the middle")
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
TEST("few values widen the interval")
{
    check(isinf(student_95(0)));
    check_near(student_95(1), 12.706, 0);
    check_near(student_95(30), 2.042, 0);
    check_near(student_95(31), 2.0395, 1e-3);
    check_near(student_95(100), 1.984, 1e-3);
    check_near(student_95(1000), 1.9623, 1e-3);
}
