/*
 * lu_outer: Factors in place without pivots, by updates of the whole rest; the update goes down the
 * columns. The matrix is first copied and made diagonally heavy.
 */
#pragma inflight kernel
#pragma inflight set n = 520
void lu_outer(int n, const double A[restrict n][n], double LU[restrict n][n])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            LU[i][j] = A[i][j] + (i == j ? 2.0 * n : 0.0);
    for (int k = 0; k < n; k++) {
        for (int i = k + 1; i < n; i++)
            LU[i][k] /= LU[k][k];
        for (int j = k + 1; j < n; j++)
            for (int i = k + 1; i < n; i++)
                LU[i][j] -= LU[i][k] * LU[k][j];
    }
}
