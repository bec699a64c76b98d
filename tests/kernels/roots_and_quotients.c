/*
 * roots_and_quotients: Square roots and divisions: the divider is the limit.
 */
#include <math.h>

#pragma inflight kernel
#pragma inflight set n = 4000000
void roots_and_quotients(long n, double y[restrict n], const double x[restrict n])
{
    for (long i = 0; i < n; i++)
        y[i] = sqrt(1.0 + 1.0 / (x[i] + sqrt(2.0 + 1.0 / (1.0 + x[i]))));
}
