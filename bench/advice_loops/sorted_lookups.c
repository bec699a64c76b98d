/* After binary search in articles on cache-aware searching: each comparison is
 * mispredicted half of the time. Known remedy: halves by arithmetic without a jump, 16
 * searches side by side. */
#pragma inflight kernel
#pragma inflight set queries = 200000
#pragma inflight set n = 8000000
#pragma inflight buffer table = ascending(1000000000)
#pragma inflight buffer key = index(1000000000)
void sorted_lookups(int queries, int n, int place[restrict queries],
                    const int table[restrict n], const int key[restrict queries])
{
    for (int q = 0; q < queries; q++) {
        int low = 0, high = n;
        while (low < high) {
            int middle = low + (high - low) / 2;
            if (table[middle] < key[q])
                low = middle + 1;
            else
                high = middle;
        }
        place[q] = low;
    }
}

enum { SIDE = 16 };

void hand(int queries, int n, int place[restrict queries], const int table[restrict n],
          const int key[restrict queries])
{
    for (int qb = 0; qb < queries; qb += SIDE) {
        int base[SIDE] = {0}, side = queries - qb < SIDE ? queries - qb : SIDE,
            length = n;
        for (; length > 1; length -= length / 2)
            for (int v = 0; v < side; v++)
                base[v] += (table[base[v] + length / 2 - 1] < key[qb + v]) * (length / 2);
        for (int v = 0; v < side; v++)
            place[qb + v] = base[v] + (n > 0 && table[base[v]] < key[qb + v]);
    }
}
