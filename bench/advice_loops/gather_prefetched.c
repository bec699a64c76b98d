/* After the examples of manuals on prefetching: a look-up that fetches ahead already.
 * Nothing to gain: the remedy is in the source. */
#pragma inflight kernel
#pragma inflight set n = 2000000
#pragma inflight set m = 32000000
#pragma inflight buffer at = index(m)
double gather_prefetched(int n, int m, const double table[restrict m],
                         const int at[restrict n])
{
    double sum = 0;
    (void)m;
    for (int i = 0; i < n; i++) {
        int later = i + 32 < n ? i + 32 : n - 1;
        __builtin_prefetch(&table[at[later]]);
        sum += table[at[i]] * 0.5;
    }
    return sum;
}
