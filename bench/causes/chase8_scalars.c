/* chase8_array with eight scalars, and subscripts of size_t. */
#include <stddef.h>

#pragma inflight kernel
#pragma inflight set steps = 65536
#pragma inflight set n = 16777216
#pragma inflight buffer next = cycle(16, 65536)
size_t chase8_scalars(size_t steps, size_t n, const size_t next[restrict n])
{
    size_t sum = 0, m = n / 16;
    for (size_t half = 0; half < 2; half++) {
        size_t a = 8 * half * m, b = a + m, c = b + m, d = c + m;
        size_t e = d + m, f = e + m, g = f + m, h = g + m;
        for (size_t i = 0; i < steps; i++) {
            a = next[a];
            b = next[b];
            c = next[c];
            d = next[d];
            e = next[e];
            f = next[f];
            g = next[g];
            h = next[h];
        }
        sum += a + b + c + d + e + f + g + h;
    }
    return sum;
}
