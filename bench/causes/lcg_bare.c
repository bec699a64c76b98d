/* Random numbers by multiplication: each comes from the one before; no memory. */
#include <stdint.h>

#pragma inflight kernel
#pragma inflight set n = 20000000
#pragma inflight set seed = 12345
uint64_t lcg_bare(uint64_t n, uint64_t seed)
{
    uint64_t x = seed, sum = 0;
    for (uint64_t i = 0; i < n; i++) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        sum ^= x;
    }
    return sum;
}

/* Four numbers at once, each four steps on. */
uint64_t remedy(uint64_t n, uint64_t seed)
{
    const uint64_t a = 6364136223846793005u, c = 1442695040888963407u;
    uint64_t a4 = a * a * a * a, c4 = c * (1 + a) * (1 + a * a);
    uint64_t x0 = seed * a + c, x1 = x0 * a + c, x2 = x1 * a + c, x3 = x2 * a + c,
             sum = 0, i = 0;
    for (; i + 3 < n; i += 4) {
        sum ^= x0 ^ x1 ^ x2 ^ x3;
        x0 = x0 * a4 + c4;
        x1 = x1 * a4 + c4;
        x2 = x2 * a4 + c4;
        x3 = x3 * a4 + c4;
    }
    for (; i < n; i++) {
        sum ^= x0;
        x0 = x0 * a + c;
    }
    return sum;
}
