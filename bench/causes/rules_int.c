/* 4096 rules written out, 30 bytes of instructions each: more code than any cache of
 * instructions or of what was decoded holds. No rule waits for another one. */
#include <stdint.h>

#define M              0x9e3779b9u
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
uint32_t rules_int(uint32_t n, uint32_t seed)
{
    uint32_t a = 0, b = 0, c = 0, d = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t x0 = seed + i * M, x1 = x0 * 3, x2 = x0 * 5, x3 = x0 * 7;
        RULES1024(1)
        RULES1024(1025)
        RULES1024(2049)
        RULES1024(3073)
    }
    return a + 3 * b + 5 * c + 7 * d;
}
