/* After tuned linear algebra: four rows at a time, from memory. Nothing to gain: four
 * rows side by side in vectors: each number of the matrix is read once, at the speed of
 * memory. */
#pragma inflight kernel
#pragma inflight set rows = 4000
#pragma inflight set cols = 6000
#pragma inflight buffer y = zero
void matvec_jammed(int rows, int cols, float y[restrict cols],
                   const float a[restrict rows][cols], const float x[restrict rows])
{
    for (int i = 0; i + 3 < rows; i += 4)
        for (int j = 0; j < cols; j++)
            y[j] += a[i][j] * x[i] + a[i + 1][j] * x[i + 1] + a[i + 2][j] * x[i + 2] +
                    a[i + 3][j] * x[i + 3];
}
