/*
 * congruential: Random numbers: one multiplication after the other.
 */
#include <stdint.h>

#pragma inflight kernel
#pragma inflight set n = 20000000
void congruential(long n, uint32_t out[restrict n])
{
    uint32_t state = 12345u;
    for (long i = 0; i < n; i++) {
        state = state * 1664525u + 1013904223u;
        out[i] = state >> 8;
    }
}
