/* Warms one corner of a plate and prints what arrived in the middle: the same number whichever code was built. */
#include <stdio.h>
#include <stdlib.h>

#include "src/step.h"

enum { N = 256, STEPS = 400 };

int main(void)
{
    double(*now)[N] = calloc(N, sizeof(*now)), (*next)[N] = calloc(N, sizeof(*next));
    double sum = 0;

    if (!now || !next)
        return 1;
    now[N / 2][N / 2] = next[N / 2][N / 2] = 1000;
    for (int i = 0; i < STEPS; i++) {
        double(*last)[N] = now;
        step(N, next, (const double(*)[N])now);
        now = next;
        next = last;
    }
    for (int y = 0; y < N; y++)
        for (int x = 0; x < N; x++)
            sum += now[y][x];
    printf("heat in the middle %.6f, in all %.6f\n", now[N / 2][N / 2], sum);
    free(now);
    free(next);
    return 0;
}
