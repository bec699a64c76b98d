/*
 * gemm_textbook: C = beta C + alpha A B in the order of the formula.
 */
#pragma inflight kernel
#pragma inflight set n = 640
#pragma inflight set m = 640
#pragma inflight set l = 640
void gemm_textbook(int n, int m, int l, double alpha, double beta, double C[restrict n][m],
                   const double A[restrict n][l], const double B[restrict l][m])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            C[i][j] *= beta;
            for (int k = 0; k < l; k++)
                C[i][j] += alpha * A[i][k] * B[k][j];
        }
}
