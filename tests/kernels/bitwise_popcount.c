/*
 * bitwise_popcount: Bits set in words, by shifts and masks.
 */
#include <stdint.h>

#pragma inflight kernel
#pragma inflight set n = 8000000
#pragma inflight buffer a = uniform(0, 2000000000)
void bitwise_popcount(long n, uint32_t out[restrict n], const uint32_t a[restrict n])
{
    for (long i = 0; i < n; i++) {
        uint32_t v = a[i];

        v = v - ((v >> 1) & 0x55555555u);
        v = (v & 0x33333333u) + ((v >> 2) & 0x33333333u);
        out[i] = (((v + (v >> 4)) & 0x0f0f0f0fu) * 0x01010101u) >> 24;
    }
}
