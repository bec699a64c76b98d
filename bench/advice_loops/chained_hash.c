/* After checksum and hash functions that multiply and rotate: one state through all
 * words. Nothing to gain: each round waits for the multiplication before, and rotating
 * forbids to reorder it. */
#include <stdint.h>

#pragma inflight kernel
#pragma inflight set n = 12000000
uint64_t chained_hash(int n, const uint64_t word[restrict n])
{
    uint64_t h = 0x9e3779b97f4a7c15u;
    for (int i = 0; i < n; i++) {
        h ^= word[i];
        h = (h << 31 | h >> 33) * 0xc2b2ae3d27d4eb4fu;
    }
    return h;
}
