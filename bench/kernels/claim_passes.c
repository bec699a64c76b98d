/* For bench/claims: passes over arrays; the last one decides the result. */
#ifndef PASSES
#define PASSES 1
#endif
#pragma inflight kernel
#pragma inflight set n = 2000
#pragma inflight set m = 1
void claim(long n, long m, double y[restrict n], const double a[restrict m][n],
           const double x[restrict m])
{
    for (long r = 0; r < PASSES; r++)
        for (long i = 0; i < n; i++) {
            double t = a[0][i] + x[PASSES - 1 - r];
            y[i] = 1.0 / (1.0 + t * t);
        }
}
