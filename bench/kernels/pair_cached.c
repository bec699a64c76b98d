/*
 * For bench/pairs: BLOCKS passes over 192 KiB, which fits the L2 caches of this decade,
 * each of which needs what the one before stored.
 */
#ifndef BLOCKS
#define BLOCKS 100
#endif
#pragma inflight kernel
#pragma inflight set n = 24576
#pragma inflight buffer a = uniform(0.5, 1.5)
void pair_cached(long n, double a[n + 1])
{
    for (long pass = 0; pass < BLOCKS; pass++)
        for (long i = 0; i < n; i++)
            a[i] = 0.5 * (a[i] + a[i + 1]);
}
