/* For bench/claims: passes over as many arrays, through memory. */
#ifndef PASSES
#define PASSES 1
#endif
#pragma inflight kernel
#pragma inflight set n = 1000000
#pragma inflight set m = 3
void claim(long n, long m, double y[restrict n], const double a[restrict m][n],
           const double x[restrict m])
{
    for (long r = 0; r < PASSES; r++)
        for (long i = 0; i < n; i++)
            y[i] = a[PASSES - 1 - r][i] * x[0];
}
