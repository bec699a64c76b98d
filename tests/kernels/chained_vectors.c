/*
 * chained_vectors: Three loops over the same arrays: one pass would do.
 */
#pragma inflight kernel
#pragma inflight set n = 10000000
void chained_vectors(long n, double a[restrict n], double b[restrict n], double c[restrict n],
                     const double x[restrict n])
{
    for (long i = 0; i < n; i++)
        a[i] = 2.0 * x[i];
    for (long i = 0; i < n; i++)
        b[i] = a[i] + x[i];
    for (long i = 0; i < n; i++)
        c[i] = a[i] * b[i];
}
