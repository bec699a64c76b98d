/* Remainders of numbers from the L1 cache, for a table whose size is known when the
 * program runs: a division each, none of which waits for another. */
#include <stdint.h>

#pragma inflight kernel
#pragma inflight set rounds = 8000
#pragma inflight set n = 2048
#pragma inflight set size = 1009
#pragma inflight buffer key = uniform(0, 2000000000)
#pragma inflight buffer place = zero
void modulo_flat(uint32_t rounds, uint32_t n, uint32_t size, uint32_t place[restrict n],
                 const uint32_t key[restrict n])
{
    uint32_t salt = 1;
    for (uint32_t r = 0; r < rounds; r++) {
        salt = salt * 1664525 + 1013904223;
        for (uint32_t i = 0; i < n; i++)
            place[i] = (key[i] ^ salt) % size;
    }
}

/* A multiplication with the reciprocal instead, which is at most one too small. */
void remedy(uint32_t rounds, uint32_t n, uint32_t size, uint32_t place[restrict n],
            const uint32_t key[restrict n])
{
    const uint64_t reciprocal = UINT32_MAX / size;
    uint32_t salt = 1;
    for (uint32_t r = 0; r < rounds; r++) {
        salt = salt * 1664525 + 1013904223;
        for (uint32_t i = 0; i < n; i++) {
            const uint32_t value = key[i] ^ salt;
            const uint32_t rest = value - (uint32_t)(value * reciprocal >> 32) * size;
            place[i] = rest < size ? rest : rest - size;
        }
    }
}
