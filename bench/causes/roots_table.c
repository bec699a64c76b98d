/* A nested root whose addends lie in the L1 cache, in float. */
#include <math.h>

#pragma inflight kernel
#pragma inflight set rounds = 1000
#pragma inflight set n = 4096
float roots_table(int rounds, int n, const float c[restrict n])
{
    float x = 0;
    for (int r = 0; r < rounds; r++)
        for (int i = 0; i < n; i++)
            x = sqrtf(x + c[i]);
    return x;
}
