/* For bench/claims: sums of columns, down each one or along the rows. */
#pragma inflight kernel
#pragma inflight set n = 1000
#pragma inflight set m = 1000
void claim(long n, long m, double y[restrict n], const double a[restrict m][n],
           const double x[restrict m])
{
    for (long j = 0; j < n; j++)
        y[j] = 0;
#ifdef ALONG
    for (long i = 0; i < m; i++)
        for (long j = 0; j < n; j++)
            y[j] += a[i][j] * x[i];
#else
    for (long j = 0; j < n; j++)
        for (long i = 0; i < m; i++)
            y[j] += a[i][j] * x[i];
#endif
}
