/*
 * syr2k_upper: C += A B^T + B A^T, upper triangle; rows against rows, without any reuse in the
 * innermost loop.
 */
#pragma inflight kernel
#pragma inflight set n = 560
#pragma inflight set m = 560
void syr2k_upper(int n, int m, double alpha, double C[restrict n][n], const double A[restrict n][m],
                 const double B[restrict n][m])
{
    for (int i = 0; i < n; i++)
        for (int j = i; j < n; j++)
            for (int k = 0; k < m; k++)
                C[i][j] += alpha * (A[i][k] * B[j][k] + B[i][k] * A[j][k]);
}
