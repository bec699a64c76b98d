/*
 * gather_bare: Nothing but look-ups: the core has as many misses under way as it can hold.
 */
#pragma inflight kernel
#pragma inflight set n = 8000000
#pragma inflight set m = 60000000
#pragma inflight buffer index = index(m)
long gather_bare(long n, long m, const int table[restrict m], const int index[restrict n])
{
    long sum = 0;
    for (long i = 0; i < n; i++)
        sum += table[index[i]];
    return sum;
}
