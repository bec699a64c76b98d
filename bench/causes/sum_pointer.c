/* sum_cached with a pointer that walks, and float. */
#include <stddef.h>

#pragma inflight kernel
#pragma inflight set rounds = 4000
#pragma inflight set n = 4096
#pragma inflight buffer a length n
#pragma inflight buffer a = uniform(-0.001, 0.002)
float sum_pointer(size_t rounds, size_t n, const float *a)
{
    float sum = 0;
    for (size_t r = 0; r < rounds; r++) {
        const float *p = a;
        for (size_t i = 0; i < n; i++)
            sum += *p++;
    }
    return sum;
}
