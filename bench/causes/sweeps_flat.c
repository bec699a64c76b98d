/* Two sweeps through memory by all cores, the second over what the first made. */
#pragma inflight kernel
#pragma inflight set n = 6291456
#pragma inflight set factor = 3.0
void sweeps_flat(long n, double factor, double a[restrict n], double b[restrict n],
                 const double c[restrict n])
{
    for (long i = 0; i < n; i++)
        a[i] = b[i] + factor * c[i];
    for (long i = 0; i < n; i++)
        b[i] = a[i] - c[i];
}
