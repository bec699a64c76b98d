/* second_flat by rows, float and size_t subscripts. The weight changes from round to
 * round: else compilers do all rounds of a row before the next row. */
#include <stddef.h>

#pragma inflight kernel
#pragma inflight set rounds = 1000
void second_2d(size_t rounds, float a[restrict 48][1024],
               const float b[restrict 48][1024])
{
    float weight = 0.25f;
    for (size_t r = 0; r < rounds; r++) {
        for (size_t i = 0; i < 48; i++)
            for (size_t j = 0; j < 1024; j++)
                a[i][j] = a[i][j] * weight + b[i][j];
        weight = 0.75f - weight;
    }
}
