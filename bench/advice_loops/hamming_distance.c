/* After questions about counting bits that differ: the population count of an exclusive
 * or. Nothing to gain: compilers make vectors of it where the CPU counts bits in
 * vectors, and the data come from the cache. */
#include <stdint.h>

#pragma inflight kernel
#pragma inflight set rounds = 1000
#pragma inflight set n = 60000
uint64_t hamming_distance(int rounds, int n, const uint64_t a[restrict n],
                          const uint64_t b[restrict n])
{
    uint64_t count = 0;
    for (int r = 0; r < rounds; r++)
        for (int i = 0; i < n; i++)
            count += (uint64_t)__builtin_popcountll(a[i] ^ b[i]);
    return count;
}
