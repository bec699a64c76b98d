/* gather_int with four tables of structs, float, and size_t subscripts. */
#include <stddef.h>

struct place {
    float value, rest[31];
};

#pragma inflight kernel
#pragma inflight set n = 524288
#pragma inflight buffer index = cycle(1, 4096)
float gather_struct(size_t n, const struct place a[restrict n],
                    const struct place b[restrict n], const struct place c[restrict n],
                    const struct place d[restrict n], const size_t index[restrict n])
{
    float sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += (a[index[i]].value + b[index[i]].value) -
               (c[index[i]].value + d[index[i]].value);
    return sum;
}
