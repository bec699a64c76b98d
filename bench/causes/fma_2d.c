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
    for (size_t r = 0; r < rounds; r++) {
        float by = 1.0f / (float)(r + 1);
        for (size_t i = 0; i < 4; i++)
            for (size_t j = 0; j < 256; j++) {
                float z = by * x[i][j];
                y[i][j] +=
                    (POLY(z, s, t, u, v, s, t, u, v) + POLY(z, t, u, v, s, t, u, v, s)) +
                    (POLY(z, u, v, s, t, u, v, s, t) + POLY(z, v, s, t, u, v, s, t, u));
            }
    }
}
