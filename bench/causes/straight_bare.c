/* 4096 steps written out, 26 bytes of instructions each: 100 KiB of code, more than any
 * cache of instructions or of what was decoded holds, for work that waits for nothing
 * else: eight chains of additions and exclusive ors, each with a constant of its own. */
#include <stdint.h>

#define M          0x9e3779b97f4a7c15u
#define STEP(x, k) (((x) + (k)*M) ^ ((k) + 1) * (M * M))
#define S4(x, k)   STEP(STEP(STEP(STEP(x, k), (k) + 8), (k) + 16), (k) + 24)
#define S16(x, k)  S4(S4(S4(S4(x, k), (k) + 32), (k) + 64), (k) + 96)
#define S64(x, k)  S16(S16(S16(S16(x, k), (k) + 128), (k) + 256), (k) + 384)
#define ALL(k)                                                                           \
    a = S64(a, k);                                                                       \
    b = S64(b, (k) + 1);                                                                 \
    c = S64(c, (k) + 2);                                                                 \
    d = S64(d, (k) + 3);                                                                 \
    e = S64(e, (k) + 4);                                                                 \
    f = S64(f, (k) + 5);                                                                 \
    g = S64(g, (k) + 6);                                                                 \
    h = S64(h, (k) + 7);

#pragma inflight kernel
#pragma inflight set n = 4000
#pragma inflight set seed = 12345
uint64_t straight_bare(uint64_t n, uint64_t seed)
{
    uint64_t a = seed, b = a + 1, c = a + 2, d = a + 3, e = a + 4, f = a + 5, g = a + 6,
             h = a + 7;
    for (uint64_t i = 0; i < n; i++) {
        ALL(0) ALL(512) ALL(1024) ALL(1536) ALL(2048) ALL(2560) ALL(3072) ALL(3584)
    }
    return (a ^ b ^ c ^ d) + (e ^ f ^ g ^ h);
}

/* The same steps as a loop, which makes the constants. */
#define NEXT(x) ((x) + add) ^ flip, add += M, flip += M * M
uint64_t remedy(uint64_t n, uint64_t seed)
{
    uint64_t a = seed, b = a + 1, c = a + 2, d = a + 3, e = a + 4, f = a + 5, g = a + 6,
             h = a + 7;
    for (uint64_t i = 0; i < n; i++) {
        uint64_t add = 0, flip = M * M;
        for (int k = 0; k < 4096; k += 8) {
            a = NEXT(a);
            b = NEXT(b);
            c = NEXT(c);
            d = NEXT(d);
            e = NEXT(e);
            f = NEXT(f);
            g = NEXT(g);
            h = NEXT(h);
        }
    }
    return (a ^ b ^ c ^ d) + (e ^ f ^ g ^ h);
}
