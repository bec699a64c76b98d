/* second_flat by rows, float and size_t subscripts. */
#include <stddef.h>

#pragma inflight kernel
#pragma inflight set rounds = 1000
void second_2d(size_t rounds, float a[restrict 48][1024],
               const float b[restrict 48][1024])
{
    for (size_t r = 0; r < rounds; r++)
        for (size_t i = 0; i < 48; i++)
            for (size_t j = 0; j < 1024; j++)
                a[i][j] = a[i][j] * 0.5f + b[i][j];
}
