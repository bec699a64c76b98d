/* After libraries and articles on division by the same integer again and again. Known
 * remedy: times a 64-bit reciprocal, computed once; every quotient is exact. */
#include <stdint.h>

#pragma inflight kernel
#pragma inflight set n = 16000000
#pragma inflight set scale = 37
#pragma inflight buffer in = uniform(0, 1000000000)
void divide_by_scale(int n, uint32_t scale, uint32_t *restrict out,
                     const uint32_t *restrict in)
{
    for (int i = 0; i < n; i++)
        out[i] = in[i] / scale;
}

void hand(int n, uint32_t scale, uint32_t *restrict out, const uint32_t *restrict in)
{
    if (scale <= 1) {
        for (int i = 0; i < n; i++)
            out[i] = in[i] / scale;
        return;
    }
    uint64_t factor = UINT64_MAX / scale + 1;
    for (int i = 0; i < n; i++)
        out[i] = (uint32_t)(((unsigned __int128)factor * in[i]) >> 64);
}
