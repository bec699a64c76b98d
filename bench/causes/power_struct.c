/* power_flat with structs, double and size_t subscripts. */
#include <stddef.h>

struct term {
    double x;
    long e;
};

#pragma inflight kernel
#pragma inflight set rounds = 10
#pragma inflight set n = 524288
#pragma inflight buffer term.e = uniform(0, 3)
#pragma inflight buffer out = zero
void power_struct(size_t rounds, size_t n, double out[restrict n],
                  const struct term term[restrict n])
{
    for (size_t r = 0; r < rounds; r++)
        for (size_t i = 0; i < n; i++) {
            double p = 1;
            for (long k = 0; k < term[i].e; k++)
                p *= term[i].x;
            out[i] = p;
        }
}
