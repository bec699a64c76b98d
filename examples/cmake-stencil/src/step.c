#include "step.h"

/* As many people write it first: x outside, y inside, against the order in memory. */
#pragma inflight kernel
void step(long n, double next[n][n], const double now[n][n])
{
    for (long x = 1; x < n - 1; x++)
        for (long y = 1; y < n - 1; y++)
            next[y][x] = now[y][x] + CONDUCTIVITY * (now[y - 1][x] + now[y + 1][x] + now[y][x - 1] +
                                                     now[y][x + 1] - 4 * now[y][x]);
}
