/* lcg_bare of 32 bits, which leaves its numbers in the L1 cache. */
#include <stdint.h>

#pragma inflight kernel
#pragma inflight set rounds = 5000
#pragma inflight set n = 4096
#pragma inflight set seed = 12345
#pragma inflight buffer out = zero
uint32_t lcg_kept(int rounds, int n, uint32_t seed, uint32_t out[restrict n])
{
    uint32_t state = seed;
    for (int r = 0; r < rounds; r++)
        for (int i = 0; i < n; i++) {
            state = state * 1664525u + 1013904223u;
            out[i] = state;
        }
    return state;
}
