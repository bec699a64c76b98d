/*
 * gemm_tn: C += A^T B: both operands are walked down their columns.
 */
#pragma inflight kernel
#pragma inflight set n = 640
#pragma inflight set m = 640
#pragma inflight set l = 640
void gemm_tn(int n, int m, int l, double C[restrict n][m], const double A[restrict l][n],
             const double B[restrict l][m])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            for (int k = 0; k < l; k++)
                C[i][j] += A[k][i] * B[k][j];
}
