/* After questions about a matrix times a vector that stays far below the peak: one sum
 * for each row. Known remedy: four rows side by side: sums that do not wait for each
 * other, in the same order. */
#pragma inflight kernel
#pragma inflight set n = 6000
void matvec_rows(int n, float y[restrict n], const float a[restrict n][n],
                 const float x[restrict n])
{
    for (int i = 0; i < n; i++) {
        float sum = 0;
        for (int j = 0; j < n; j++)
            sum += a[i][j] * x[j];
        y[i] = sum;
    }
}

void hand(int n, float y[restrict n], const float a[restrict n][n],
          const float x[restrict n])
{
    int i = 0;
    for (; i + 3 < n; i += 4) {
        float s0 = 0, s1 = 0, s2 = 0, s3 = 0;
        for (int j = 0; j < n; j++) {
            s0 += a[i][j] * x[j];
            s1 += a[i + 1][j] * x[j];
            s2 += a[i + 2][j] * x[j];
            s3 += a[i + 3][j] * x[j];
        }
        y[i] = s0;
        y[i + 1] = s1;
        y[i + 2] = s2;
        y[i + 3] = s3;
    }
    for (; i < n; i++) {
        float sum = 0;
        for (int j = 0; j < n; j++)
            sum += a[i][j] * x[j];
        y[i] = sum;
    }
}
