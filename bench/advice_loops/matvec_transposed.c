/* After products with a transposed matrix in the reference linear algebra library: one
 * row after the other is added to the result. Known remedy: eight rows side by side:
 * the result is loaded and stored an eighth as often. */
#pragma inflight kernel
#pragma inflight set rows = 16
#pragma inflight set cols = 1500000
#pragma inflight buffer y = zero
void matvec_transposed(int rows, int cols, float y[restrict cols],
                       const float a[restrict rows][cols], const float x[restrict rows])
{
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++)
            y[j] += a[i][j] * x[i];
}

void hand(int rows, int cols, float y[restrict cols], const float a[restrict rows][cols],
          const float x[restrict rows])
{
    int i = 0;
    for (; i + 7 < rows; i += 8)
        for (int j = 0; j < cols; j++) {
            float s = y[j] + a[i][j] * x[i];
            s += a[i + 1][j] * x[i + 1];
            s += a[i + 2][j] * x[i + 2];
            s += a[i + 3][j] * x[i + 3];
            s += a[i + 4][j] * x[i + 4];
            s += a[i + 5][j] * x[i + 5];
            s += a[i + 6][j] * x[i + 6];
            s += a[i + 7][j] * x[i + 7];
            y[j] = s;
        }
    for (; i < rows; i++)
        for (int j = 0; j < cols; j++)
            y[j] += a[i][j] * x[i];
}
