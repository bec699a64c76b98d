/*
 * For bench/pairs: BLOCKS equal blocks of arithmetic in one chain, from the L1 cache.
 * Nothing else grows with their number, so that 103 of them are 3 % more work than 100.
 */
#ifndef BLOCKS
#define BLOCKS 100
#endif
#pragma inflight kernel
#pragma inflight set n = 256
void pair_compute(long n, double out[1], const double a[n])
{
    double sum = 0;
    for (long block = 0; block < BLOCKS; block++)
        for (long i = 0; i < n; i++)
            sum = sum * 0.999 + a[i];
    out[0] = sum;
}
