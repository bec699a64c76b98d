/* 4096 rules written out, 30 bytes of instructions each: more code than any cache of
 * instructions or of what was decoded holds. No rule waits for another one. */
#include <stdint.h>

#define M              0x9e3779b97f4a7c15u
#define RULE(x, k, to) to += (x ^ (k)*M) < ((k) + 1) * (M * M);
#define RULES4(k)                                                                        \
    RULE(x0, k, a)                                                                       \
    RULE(x1, (k) + 1, b) RULE(x2, (k) + 2, c) RULE(x3, (k) + 3, d)
#define RULES16(k)                                                                       \
    RULES4(k)                                                                            \
    RULES4((k) + 4) RULES4((k) + 8) RULES4((k) + 12)
#define RULES64(k)                                                                       \
    RULES16(k)                                                                           \
    RULES16((k) + 16) RULES16((k) + 32) RULES16((k) + 48)
#define RULES256(k)                                                                      \
    RULES64(k)                                                                           \
    RULES64((k) + 64) RULES64((k) + 128) RULES64((k) + 192)
#define RULES1024(k)                                                                     \
    RULES256(k)                                                                          \
    RULES256((k) + 256) RULES256((k) + 512) RULES256((k) + 768)

#pragma inflight kernel
#pragma inflight set n = 8000
#pragma inflight set seed = 12345
uint64_t rules_long(uint64_t n, uint64_t seed)
{
    uint64_t a = 0, b = 0, c = 0, d = 0;
    for (uint64_t i = 0; i < n; i++) {
        uint64_t x0 = seed + i * M, x1 = x0 * 3, x2 = x0 * 5, x3 = x0 * 7;
        RULES1024(1)
        RULES1024(1025)
        RULES1024(2049)
        RULES1024(3073)
    }
    return a + 3 * b + 5 * c + 7 * d;
}

/* The same rules as a loop, their constants in tables. */
uint64_t remedy(uint64_t n, uint64_t seed)
{
    uint64_t flip[4096], least[4096], sum[4] = {0};
    for (uint64_t k = 0; k < 4096; k++) {
        flip[k] = (k + 1) * M;
        least[k] = (k + 2) * (M * M);
    }
    for (uint64_t i = 0; i < n; i++) {
        uint64_t x[4] = {1, 3, 5, 7};
        for (uint64_t j = 0; j < 4; j++)
            x[j] *= seed + i * M;
        for (uint64_t k = 0; k < 4096; k += 4)
            for (uint64_t j = 0; j < 4; j++)
                sum[j] += (x[j] ^ flip[k + j]) < least[k + j];
    }
    return sum[0] + 3 * sum[1] + 5 * sum[2] + 7 * sum[3];
}
