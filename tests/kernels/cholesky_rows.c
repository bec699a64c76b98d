/*
 * cholesky_rows: L L^T = A + 2n I, row by row with dot products.
 */
#include <math.h>

#pragma inflight kernel
#pragma inflight set n = 800
#pragma inflight buffer A = uniform(0, 1)
void cholesky_rows(int n, const double A[restrict n][n], double L[restrict n][n])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < i; j++) {
            double sum = A[i][j];
            for (int k = 0; k < j; k++)
                sum -= L[i][k] * L[j][k];
            L[i][j] = sum / L[j][j];
        }
        double sum = A[i][i] + 2.0 * n;
        for (int k = 0; k < i; k++)
            sum -= L[i][k] * L[i][k];
        L[i][i] = sqrt(sum);
    }
}
