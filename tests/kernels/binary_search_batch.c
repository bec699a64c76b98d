/*
 * binary_search_batch: Many searches in one sorted array.
 */
#pragma inflight kernel
#pragma inflight set n = 500000
#pragma inflight set m = 16000000
#pragma inflight buffer sorted = iota
#pragma inflight buffer wanted = index(m)
void binary_search_batch(long n, long m, const int sorted[restrict m], const int wanted[restrict n],
                         long at[restrict n])
{
    for (long i = 0; i < n; i++) {
        long low = 0, high = m;
        while (low < high) {
            long middle = low + (high - low) / 2;
            if (sorted[middle] < wanted[i])
                low = middle + 1;
            else
                high = middle;
        }
        at[i] = low;
    }
}
