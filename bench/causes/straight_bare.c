/* 4096 steps written out, 26 bytes of instructions each: 100 KiB of code, more than any
 * cache of instructions or of what was decoded holds, for work that waits for nothing
 * else: eight chains of additions and exclusive ors, each with constants of its own. */
#include <stdint.h>

#define M          0x9e3779b97f4a7c15u
#define STEP(x, k) x = (x + (k)*M) ^ ((k) + 1) * (M * M);
#define INLINE     static inline __attribute__((always_inline)) uint64_t

INLINE steps8(uint64_t x, uint64_t k)
{
    STEP(x, k)
    STEP(x, k + 8)
    STEP(x, k + 16)
    STEP(x, k + 24)
    STEP(x, k + 32)
    STEP(x, k + 40)
    STEP(x, k + 48)
    STEP(x, k + 56)
    return x;
}

INLINE steps64(uint64_t x, uint64_t k)
{
    x = steps8(steps8(steps8(steps8(x, k), k + 64), k + 128), k + 192);
    return steps8(steps8(steps8(steps8(x, k + 256), k + 320), k + 384), k + 448);
}

INLINE steps256(uint64_t x, uint64_t k)
{
    return steps64(steps64(steps64(steps64(x, k), k + 512), k + 1024), k + 1536);
}

#define ALL(k)                                                                           \
    a = steps256(a, k);                                                                  \
    b = steps256(b, (k) + 1);                                                            \
    c = steps256(c, (k) + 2);                                                            \
    d = steps256(d, (k) + 3);                                                            \
    e = steps256(e, (k) + 4);                                                            \
    f = steps256(f, (k) + 5);                                                            \
    g = steps256(g, (k) + 6);                                                            \
    h = steps256(h, (k) + 7);

#pragma inflight kernel
#pragma inflight set n = 8000
#pragma inflight set seed = 12345
uint64_t straight_bare(uint64_t n, uint64_t seed)
{
    uint64_t a = seed, b = a + 1, c = a + 2, d = a + 3, e = a + 4, f = a + 5, g = a + 6,
             h = a + 7;
    for (uint64_t i = 0; i < n; i++) {
        ALL(0)
        ALL(2048)
    }
    return (a ^ b ^ c ^ d) + (e ^ f ^ g ^ h);
}

/* The same steps as a loop, the constants in tables. */
uint64_t remedy(uint64_t n, uint64_t seed)
{
    uint64_t add[4096], flip[4096], x[8], sum = 0, rest = 0;
    for (uint64_t k = 0; k < 4096; k++) {
        add[k] = k * M;
        flip[k] = (k + 1) * (M * M);
    }
    for (uint64_t j = 0; j < 8; j++)
        x[j] = seed + j;
    for (uint64_t i = 0; i < n; i++)
        for (uint64_t k = 0; k < 4096; k += 8)
            for (uint64_t j = 0; j < 8; j++)
                x[j] = (x[j] + add[k + j]) ^ flip[k + j];
    for (uint64_t j = 0; j < 4; j++) {
        sum ^= x[j];
        rest ^= x[4 + j];
    }
    return sum + rest;
}
