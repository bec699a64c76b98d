/*
 * transcendental: Calls of the mathematical library.
 */
#include <math.h>

#pragma inflight kernel
#pragma inflight set n = 1500000
void transcendental(long n, double y[restrict n], const double x[restrict n])
{
    for (long i = 0; i < n; i++)
        y[i] = exp(-x[i]) * sin(x[i]) + log(1.0 + x[i]);
}
