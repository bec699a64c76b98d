/* For bench/pairs: three streams of 32 MiB through memory. */
#pragma inflight kernel
#pragma inflight set n = 4194304
void pair_stream(long n, double *restrict a, const double *restrict b,
                 const double *restrict c)
{
    for (long i = 0; i < n; i++)
        a[i] = b[i] + 3.0 * c[i];
}
