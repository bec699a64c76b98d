/* whole_bare of 32 bits, with a number from the L1 cache in each trip. */
#include <stdint.h>

#define STEP(x, k) x = (x ^ (x >> 3)) + k;

#pragma inflight kernel
#pragma inflight set rounds = 20000
#pragma inflight set n = 256
#pragma inflight set seed = 12345
uint32_t whole_table(int rounds, int n, uint32_t seed, const uint32_t t[restrict n])
{
    uint32_t a = seed, b = a + 1, c = a + 2, d = a + 3, e = a + 4, f = a + 5, g = a + 6,
             h = a + 7;
    for (int r = 0; r < rounds; r++)
        for (int i = 0; i < n; i++) {
            uint32_t k = t[i];
            STEP(a, k)
            STEP(b, k) STEP(c, k) STEP(d, k) STEP(e, k) STEP(f, k) STEP(g, k) STEP(h, k)
        }
    return (a ^ b ^ c ^ d) + (e ^ f ^ g ^ h);
}
