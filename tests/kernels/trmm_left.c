/*
 * trmm_left: B = A B with A unit lower triangular, in place: rows from the last one up, so that those
 * still needed are old.
 */
#pragma inflight kernel
#pragma inflight set n = 640
#pragma inflight set m = 640
void trmm_left(int n, int m, const double A[restrict n][n], double B[restrict n][m])
{
    for (int i = n - 1; i >= 0; i--)
        for (int j = 0; j < m; j++) {
            double sum = 0.01 * B[i][j];
            for (int k = 0; k < i; k++)
                sum += 1e-4 * A[i][k] * B[k][j];
            B[i][j] = sum;
        }
}
