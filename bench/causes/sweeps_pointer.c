/* sweeps_flat with pointers that walk, and float. */
#include <stddef.h>

#pragma inflight kernel
#pragma inflight set n = 12582912
#pragma inflight set factor = 3.0
#pragma inflight buffer a length n
#pragma inflight buffer b length n
#pragma inflight buffer c length n
void sweeps_pointer(size_t n, float factor, float *restrict a, float *restrict b,
                    const float *restrict c)
{
    const float *p = c;
    for (size_t i = 0; i < n; i++)
        a[i] = b[i] + factor * *p++;
    p = c;
    for (size_t i = 0; i < n; i++)
        b[i] = a[i] - *p++;
}
