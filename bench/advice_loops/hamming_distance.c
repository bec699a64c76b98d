/* After questions about counting bits that differ: the population count of an exclusive
 * or. Nothing to gain: compilers make vectors of it where the CPU counts bits in
 * vectors, and each line is read once, in order. */
#include <stdint.h>

#pragma inflight kernel
#pragma inflight set n = 8000000
uint64_t hamming_distance(int n, const uint64_t a[restrict n],
                          const uint64_t b[restrict n])
{
    uint64_t count = 0;
    for (int i = 0; i < n; i++)
        count += (uint64_t)__builtin_popcountll(a[i] ^ b[i]);
    return count;
}
