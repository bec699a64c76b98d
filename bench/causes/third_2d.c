/* third_flat by rows, float and size_t subscripts. The weight changes from round to
 * round, as in second_2d. */
#include <stddef.h>

#pragma inflight kernel
#pragma inflight set rounds = 60
void third_2d(size_t rounds, float a[restrict 1024][1024],
              const float b[restrict 1024][1024])
{
    float weight = 0.25f;
    for (size_t r = 0; r < rounds; r++) {
        for (size_t i = 0; i < 1024; i++)
            for (size_t j = 0; j < 1024; j++)
                a[i][j] = a[i][j] * weight + b[i][j];
        weight = 0.75f - weight;
    }
}
