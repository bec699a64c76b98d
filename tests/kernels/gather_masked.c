/*
 * gather_masked: Look-ups whose address is computed in two instructions; the queue of misses is full.
 */
#pragma inflight kernel
#pragma inflight set n = 8000000
#pragma inflight set mask = 33554431
#pragma inflight buffer key = index(1000000000)
#pragma inflight buffer table length mask + 1
void gather_masked(long n, int mask, int out[restrict n], const int *restrict table, const int key[restrict n])
{
    for (long i = 0; i < n; i++)
        out[i] = table[key[i] & mask];
}
