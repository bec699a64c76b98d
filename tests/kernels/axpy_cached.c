/*
 * axpy_cached: Vectors in the first cache, many times over.
 */
#pragma inflight kernel
#pragma inflight set n = 1500
#pragma inflight set rounds = 20000
void axpy_cached(int n, int rounds, double y[restrict n], const double x[restrict n])
{
    for (int r = 0; r < rounds; r++)
        for (int i = 0; i < n; i++)
            y[i] = 0.5 * y[i] + x[i];
}
