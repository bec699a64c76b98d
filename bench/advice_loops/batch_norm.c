/* After reports about the normalization layers of neural networks: the same root and
 * division for each element of a column. Known remedy: one factor for each column,
 * before the loop (another rounding). */
#include <math.h>

#pragma inflight kernel
#pragma inflight set rows = 16000
#pragma inflight set c = 512
void batch_norm(int rows, int c, float out[restrict rows][c],
                const float in[restrict rows][c], const float mean[restrict c],
                const float var[restrict c])
{
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < c; j++)
            out[i][j] = (in[i][j] - mean[j]) / sqrtf(var[j] + 1e-5f);
}

void hand(int rows, int c, float out[restrict rows][c], const float in[restrict rows][c],
          const float mean[restrict c], const float var[restrict c])
{
    float factor[c > 0 ? c : 1];
    for (int j = 0; j < c; j++)
        factor[j] = 1 / sqrtf(var[j] + 1e-5f);
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < c; j++)
            out[i][j] = (in[i][j] - mean[j]) * factor[j];
}
