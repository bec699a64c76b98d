/* After questions about a matrix times a vector that stays far below the peak: one sum
 * for each row. Known remedy: eight rows side by side: sums that do not wait for each
 * other, in the same order. */
#pragma inflight kernel
#pragma inflight set rounds = 200
#pragma inflight set n = 480
void matvec_rows(int rounds, int n, double y[restrict n], const double a[restrict n][n],
                 const double x[restrict n])
{
    for (int r = 0; r < rounds; r++)
        for (int i = 0; i < n; i++) {
            double sum = 0;
            for (int j = 0; j < n; j++)
                sum += a[i][j] * x[j];
            y[i] = 0.5 * y[i] + sum;
        }
}

void hand(int rounds, int n, double y[restrict n], const double a[restrict n][n],
          const double x[restrict n])
{
    for (int r = 0; r < rounds; r++) {
        int i = 0;
        for (; i + 7 < n; i += 8) {
            double s0 = 0, s1 = 0, s2 = 0, s3 = 0, s4 = 0, s5 = 0, s6 = 0, s7 = 0;
            for (int j = 0; j < n; j++) {
                s0 += a[i][j] * x[j];
                s1 += a[i + 1][j] * x[j];
                s2 += a[i + 2][j] * x[j];
                s3 += a[i + 3][j] * x[j];
                s4 += a[i + 4][j] * x[j];
                s5 += a[i + 5][j] * x[j];
                s6 += a[i + 6][j] * x[j];
                s7 += a[i + 7][j] * x[j];
            }
            y[i] = 0.5 * y[i] + s0;
            y[i + 1] = 0.5 * y[i + 1] + s1;
            y[i + 2] = 0.5 * y[i + 2] + s2;
            y[i + 3] = 0.5 * y[i + 3] + s3;
            y[i + 4] = 0.5 * y[i + 4] + s4;
            y[i + 5] = 0.5 * y[i + 5] + s5;
            y[i + 6] = 0.5 * y[i + 6] + s6;
            y[i + 7] = 0.5 * y[i + 7] + s7;
        }
        for (; i < n; i++) {
            double sum = 0;
            for (int j = 0; j < n; j++)
                sum += a[i][j] * x[j];
            y[i] = 0.5 * y[i] + sum;
        }
    }
}
