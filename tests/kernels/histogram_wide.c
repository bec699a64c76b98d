/*
 * histogram_wide: Counts that no cache holds.
 */
#pragma inflight kernel
#pragma inflight set n = 6000000
#pragma inflight set m = 60000000
#pragma inflight buffer key = index(m)
#pragma inflight buffer count = zero
void histogram_wide(long n, long m, int count[restrict m], const int key[restrict n])
{
    for (long i = 0; i < n; i++)
        count[key[i]]++;
}
