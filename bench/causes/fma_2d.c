/* fma_flat by rows, float and size_t subscripts. */
#include <stddef.h>

#define POLY(x, a, b, c, d, e, f, g, h)                                                  \
    (((((((a * x + b) * x + c) * x + d) * x + e) * x + f) * x + g) * x + h)

#pragma inflight kernel
#pragma inflight buffer y = zero
#pragma inflight set rounds = 10000
#pragma inflight set s = 0.3
#pragma inflight set t = 0.5
#pragma inflight set u = 0.7
#pragma inflight set v = 0.9
void fma_2d(size_t rounds, float s, float t, float u, float v, float y[restrict 4][256],
            const float x[restrict 4][256])
{
    for (size_t r = 0; r < rounds; r++)
        for (size_t i = 0; i < 4; i++)
            for (size_t j = 0; j < 256; j++)
                y[i][j] += (POLY(x[i][j], s, t, u, v, s, t, u, v) +
                            POLY(x[i][j], t, u, v, s, t, u, v, s)) +
                           (POLY(x[i][j], u, v, s, t, u, v, s, t) +
                            POLY(x[i][j], v, s, t, u, v, s, t, u));
}
