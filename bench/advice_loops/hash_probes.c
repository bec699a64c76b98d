/* After hash joins of databases and papers on prefetching in them: a long hash, then a
 * miss. Known remedy: the entry of a later key prefetched. */
#include <stdint.h>

static uint64_t mixed(uint64_t k)
{
    for (int r = 0; r < 3; r++) {
        k ^= k >> 33;
        k *= 0xff51afd7ed558ccdu;
        k ^= k >> 29;
        k *= 0xc4ceb9fe1a85ec53u;
    }
    return k ^ k >> 32;
}

#pragma inflight kernel
#pragma inflight set n = 1000000
#pragma inflight set size = 16777216
#pragma inflight buffer table = uniform(0, 1000000)
#pragma inflight buffer key = uniform(0, 2000000000)
uint64_t hash_probes(int n, int size, const uint64_t table[restrict size],
                     const uint64_t key[restrict n])
{
    uint64_t found = 0;
    for (int i = 0; i < n; i++) {
        uint64_t at = (mixed(key[i]) >> 32) * (uint64_t)size >> 32, e = table[at];
        if (e % 4 == 0)
            found += e ^ key[i];
        else
            found ^= e + 3 * key[i];
    }
    return found;
}

uint64_t hand(int n, int size, const uint64_t table[restrict size],
              const uint64_t key[restrict n])
{
    uint64_t found = 0;
    for (int i = 0; i < n; i++) {
        int next = i + 24 < n ? i + 24 : n - 1;
        __builtin_prefetch(&table[(mixed(key[next]) >> 32) * (uint64_t)size >> 32]);
        uint64_t at = (mixed(key[i]) >> 32) * (uint64_t)size >> 32, e = table[at];
        if (e % 4 == 0)
            found += e ^ key[i];
        else
            found ^= e + 3 * key[i];
    }
    return found;
}
