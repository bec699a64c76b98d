#include "core/base/statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"

int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

void sort_doubles(double *value, size_t nr)
{
    if (nr > 1)
        qsort(value, nr, sizeof(*value), compare_doubles);
}

double *sorted_copy(const double *value, size_t nr)
{
    double *copy = xcalloc(nr + 1, sizeof(*copy));

    if (nr)
        memcpy(copy, value, nr * sizeof(*copy));
    sort_doubles(copy, nr);
    return copy;
}

double median_of_sorted(const double *value, size_t nr)
{
    return nr ? 0.5 * (value[(nr - 1) / 2] + value[nr / 2]) : NAN;
}

double median_sorting(double *value, size_t nr)
{
    sort_doubles(value, nr);
    return median_of_sorted(value, nr);
}

double median_of(const double *value, size_t nr)
{
    double *copy = sorted_copy(value, nr), median = median_of_sorted(copy, nr);

    free(copy);
    return median;
}

double student_95(size_t degrees)
{
    static const double t[] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306,
                               2.262,  2.228, 2.201, 2.179, 2.160, 2.145, 2.131, 2.120,
                               2.110,  2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064,
                               2.060,  2.056, 2.052, 2.048, 2.045, 2.042};
    static const double z = 1.95996, first = 2.3723, second = 2.8225;
    double n = (double)degrees;

    if (degrees < 1)
        return INFINITY;
    return degrees <= ARRAY_SIZE(t) ? t[degrees - 1] : z + first / n + second / (n * n);
}
