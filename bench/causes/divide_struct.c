/* divide_flat with structs, which no vector takes as they lie, and size_t subscripts. */
#include <stddef.h>

struct vector {
    double x, y, z, length;
};

#pragma inflight kernel
#pragma inflight set rounds = 10000
#pragma inflight set n = 512
#pragma inflight buffer out = zero
void divide_struct(size_t rounds, size_t n, double out[restrict n],
                   const struct vector v[restrict n])
{
    for (size_t r = 0; r < rounds; r++)
        for (size_t i = 0; i < n; i++)
            out[i] = v[i].x / v[i].length + v[i].y / v[i].length + v[i].z / v[i].length;
}
