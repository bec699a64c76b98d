/*
 * gather_computed_key: The subscript is made from a key by multiplication and shifting, as hashing
 * does.
 */
#include <stdint.h>

#pragma inflight kernel
#pragma inflight set n = 4000000
#pragma inflight set m = 16777216
#pragma inflight buffer key = index(1000000000)
#pragma inflight buffer slot length m
void gather_computed_key(long n, long m, double *restrict out, const double *restrict slot,
                         const uint32_t *restrict key)
{
    for (long i = 0; i < n; i++) {
        double x = slot[((uint64_t)(uint32_t)(key[i] * 2654435761u) * (uint64_t)m) >> 32];

        out[i] = ((x * 0.3 - 0.5) * x + 0.7) / (x * x + 1.0) + 1.0 / (x + 2.0);
    }
}
