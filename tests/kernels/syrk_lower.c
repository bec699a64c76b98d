/*
 * syrk_lower: C += A^T A, lower triangle only: columns against columns.
 */
#pragma inflight kernel
#pragma inflight set n = 600
#pragma inflight set m = 600
void syrk_lower(int n, int m, double C[restrict n][n], const double A[restrict m][n])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++)
            for (int k = 0; k < m; k++)
                C[i][j] += A[k][i] * A[k][j];
}
