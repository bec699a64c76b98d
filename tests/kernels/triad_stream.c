/*
 * triad_stream: Three streams at the speed of memory.
 */
#pragma inflight kernel
#pragma inflight set n = 30000000
void triad_stream(long n, double s, double a[restrict n], const double b[restrict n], const double c[restrict n])
{
    for (long i = 0; i < n; i++)
        a[i] = b[i] + s * c[i];
}
