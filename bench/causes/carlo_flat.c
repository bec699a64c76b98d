/* Random look-ups at computed places, in blocks of 512 KiB, which miss; what each trip
 * does besides, some 60 instructions, half of them integers, waits for none of them. It
 * is done soon, but cannot retire before the look-up. */
#include <stdint.h>

#define WALK(p)  p = p * 0.96875 + x;
#define WALKS(p) WALK(p) WALK(p) WALK(p) WALK(p)
#define MIX(a)   a = (a + (a << 3)) ^ i;
#define MIXES(a) MIX(a) MIX(a)

#pragma inflight kernel
#pragma inflight set n = 1048576
#pragma inflight set x = 0.25
double carlo_flat(uint32_t n, double x, const double table[restrict 16 * (uint64_t)n])
{
    double sum = 0, p = x, q = 2 * x, r = 3 * x, s = 4 * x, t = 5 * x, u = 6 * x;
    uint64_t a = 1, b = 2, c = 3, d = 4;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t place = (i * 2654435761u) & 4095;
        place = ((place ^ (place >> 5)) * 2246822519u) & 4095;
        place = (i & ~4095u) + (place ^ (place >> 7));
        sum += table[16 * (uint64_t)(place < n ? place : i)];
        WALKS(p)
        MIXES(a) WALKS(q) MIXES(b) WALKS(r) MIXES(c) WALKS(s) MIXES(d) WALKS(t) WALKS(u)
    }
    return sum + ((p + q) + (r + s)) + (t + u) + (double)(a ^ b ^ c ^ d);
}
