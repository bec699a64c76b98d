/* reorder_flat with structs, float and size_t subscripts. */
#include <stddef.h>

#define WHOLE(a, x, y) a = (a ^ x) + y;
#define WHOLE3(a)                                                                        \
    WHOLE(a, 0x1234567, 0x7654321)                                                       \
    WHOLE(a, 0x2345671, 0x6543217) WHOLE(a, 0x3456712, 0x5432176)
#define REAL(e)  e = e * 0.96875f + 0.25f;
#define REAL4(e) REAL(e) REAL(e) REAL(e) REAL(e)

struct place {
    float value, rest[31];
};

#pragma inflight kernel
#pragma inflight set n = 1048576
#pragma inflight set x = 0.5
#pragma inflight buffer index = cycle(1, 4096)
float reorder_struct(size_t n, float x, const struct place place[restrict n],
                     const size_t index[restrict n])
{
    float sum = 0, p = x, q = 2 * x, r = 3 * x, s = 4 * x, t = 5 * x, u = 6 * x;
    unsigned a = 1, b = 2, c = 3, d = 4;
    for (size_t i = 0; i < n; i++) {
        sum += place[index[i]].value;
        WHOLE3(a)
        REAL4(p)
        WHOLE3(b) REAL4(q) REAL4(r) WHOLE3(c) REAL4(s) WHOLE3(d) REAL4(t) REAL4(u)
    }
    return sum + ((p + q) + (r + s)) + (t + u) + (float)(a ^ b ^ c ^ d);
}
