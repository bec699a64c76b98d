/* A scaled copy through memory, by all cores: 24 bytes move for each number, and nothing
 * else is to do. */
#pragma inflight kernel
#pragma inflight set n = 8388608
#pragma inflight set factor = 3.0
void scale_flat(long n, double factor, double b[restrict n], const double a[restrict n])
{
    for (long i = 0; i < n; i++)
        b[i] = factor * a[i];
}
