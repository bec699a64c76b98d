/* After routines that print numbers in any base: a remainder and a quotient for each
 * digit. Known remedy: times a 64-bit reciprocal of the base, computed once, and the
 * remainder by a multiplication. */
#include <stdint.h>

#pragma inflight kernel
#pragma inflight set n = 2000000
#pragma inflight set base = 10
#pragma inflight set digits = 10
#pragma inflight buffer number = uniform(0, 2000000000)
void radix_digits(int n, int digits, uint32_t base, uint8_t out[restrict n][digits],
                  const uint32_t number[restrict n])
{
    for (int i = 0; i < n; i++) {
        uint32_t x = number[i];
        for (int k = digits - 1; k >= 0; k--) {
            out[i][k] = (uint8_t)(x % base);
            x /= base;
        }
    }
}

void hand(int n, int digits, uint32_t base, uint8_t out[restrict n][digits],
          const uint32_t number[restrict n])
{
    uint64_t factor = base > 1 ? UINT64_MAX / base + 1 : 0;
    for (int i = 0; i < n; i++) {
        uint32_t x = number[i];
        for (int k = digits - 1; k >= 0; k--) {
            uint32_t rest =
                base > 1 ? (uint32_t)(((unsigned __int128)factor * x) >> 64) : x / base;
            out[i][k] = (uint8_t)(x - rest * base);
            x = rest;
        }
    }
}
