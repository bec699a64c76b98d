/* scheduler_flat with structs, float and size_t subscripts. */
#include <stddef.h>

#define STEP(v)   v = v * 0.875f + 0.125f;
#define STEPS8(v) STEP(v) STEP(v) STEP(v) STEP(v) STEP(v) STEP(v) STEP(v) STEP(v)

struct place {
    float value, rest[31];
};

#pragma inflight kernel
#pragma inflight set n = 1048576
#pragma inflight buffer index = cycle(1, 4096)
float scheduler_struct(size_t n, const struct place place[restrict n],
                       const size_t index[restrict n])
{
    float sum = 0;
    for (size_t i = 0; i < n; i++) {
        float v = place[index[i]].value;
        STEPS8(v)
        STEPS8(v)
        STEPS8(v)
        STEPS8(v)
        sum += v;
    }
    return sum;
}
