/* gather_int with structs, float, and size_t subscripts, in two sums. */
#include <stddef.h>

struct place {
    float value, rest[31];
};

#pragma inflight kernel
#pragma inflight set n = 1048576
#pragma inflight buffer index = cycle(1, 4096)
float gather_struct(size_t n, const struct place *restrict place,
                    const size_t index[restrict n])
{
    float s = 0, t = 0;
    for (size_t i = 0; i < n; i++) {
        s += place[index[i]].value;
        t += place[index[i]].rest[2];
    }
    return s - t;
}
