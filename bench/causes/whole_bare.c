/* Ten chains of shifts, exclusive ors and additions of integers, none of which needs
 * another, and no memory: 40 instructions a trip, three of which wait for one another. */
#include <stdint.h>

#define STEP(x, k) x = (x ^ (x >> 3)) + k;

#pragma inflight kernel
#pragma inflight set n = 6000000
#pragma inflight set seed = 12345
uint64_t whole_bare(uint64_t n, uint64_t seed)
{
    uint64_t a = seed, b = a + 1, c = a + 2, d = a + 3, e = a + 4, f = a + 5, g = a + 6,
             h = a + 7;
    uint64_t p = a + 8, q = a + 9;
    for (uint64_t i = 0; i < n; i++) {
        STEP(a, 10)
        STEP(b, 11)
        STEP(c, 12)
        STEP(d, 13)
        STEP(e, 14) STEP(f, 15) STEP(g, 16) STEP(h, 17) STEP(p, 18) STEP(q, 19)
    }
    return (a ^ b ^ c ^ d ^ e) + (f ^ g ^ h ^ p ^ q);
}

/* The chains as vectors. */
typedef uint64_t lanes __attribute__((vector_size(64)));

uint64_t remedy(uint64_t n, uint64_t seed)
{
    const lanes place = {0, 1, 2, 3, 4, 5, 6, 7};
    const lanes first = 10 + place, second = 18 + place;
    lanes x = seed + place, y = seed + 8 + place;
    for (uint64_t i = 0; i < n; i++) {
        x = (x ^ (x >> 3)) + first;
        y = (y ^ (y >> 3)) + second;
    }
    return (x[0] ^ x[1] ^ x[2] ^ x[3] ^ x[4]) + (x[5] ^ x[6] ^ x[7] ^ y[0] ^ y[1]);
}
