/*
 * gather_computed_key: The subscript is made from a key by multiplication and shifting, as hashing
 * does.
 */
#include <stdint.h>

enum { BITS = 24 };

#pragma inflight kernel
#pragma inflight set n = 4000000
#pragma inflight buffer key = index(1000000000)
#pragma inflight buffer slot length 16777216
void gather_computed_key(long n, double *restrict out, const double *restrict slot, const uint32_t *restrict key)
{
    for (long i = 0; i < n; i++) {
        double x = slot[(uint32_t)(key[i] * 2654435761u) >> (32 - BITS)];

        out[i] = ((x * 0.3 - 0.5) * x + 0.7) / (x * x + 1.0) + 1.0 / (x + 2.0);
    }
}
