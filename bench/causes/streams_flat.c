/* streams_2d with one subscript, double, and size_t. */
#include <stddef.h>

#pragma inflight kernel
#pragma inflight set n = 262144
#pragma inflight buffer y = zero
void streams_flat(size_t n, double y[restrict n], const double a[restrict 64 * n + 512])
{
    for (size_t i = 0; i < n; i++) {
        double sum = 0;
        for (size_t r = 0; r < 64; r++)
            sum += a[(n + 8) * r + i];
        y[i] = sum;
    }
}
