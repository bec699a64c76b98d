/* After papers on partitioning in databases: counts in a table that neither the caches
 * nor the TLB hold. Known remedy: keys put into buckets first, then bucket by bucket. */
#pragma inflight kernel
#pragma inflight set n = 4000000
#pragma inflight set m = 64000000
#pragma inflight buffer count = zero
#pragma inflight buffer key = index(m)
void scattered_counts(int n, int m, unsigned count[restrict m], const int key[restrict n])
{
    (void)m;
    for (int i = 0; i < n; i++)
        count[key[i]]++;
}

enum { BUCKETS = 512, ROOM = 1 << 22 };
static int sorted[ROOM];

void hand(int n, int m, unsigned count[restrict m], const int key[restrict n])
{
    int width = m / BUCKETS + 1, shift = 0, begin[BUCKETS + 1];
    while (1 << shift < width)
        shift++;
    for (int b = 0; b < n; b += ROOM) {
        int here = n - b < ROOM ? n - b : ROOM;
        for (int k = 0; k <= BUCKETS; k++)
            begin[k] = 0;
        for (int i = 0; i < here; i++)
            begin[(key[b + i] >> shift) + 1]++;
        for (int k = 0; k < BUCKETS; k++)
            begin[k + 1] += begin[k];
        for (int i = 0; i < here; i++)
            sorted[begin[key[b + i] >> shift]++] = key[b + i];
        for (int i = 0; i < here; i++)
            count[sorted[i]]++;
    }
}
