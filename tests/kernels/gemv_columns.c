/*
 * gemv_columns: y += A^T x, one element of y after the other.
 */
#pragma inflight kernel
#pragma inflight set n = 5000
#pragma inflight set m = 4000
void gemv_columns(int n, int m, double y[restrict m], const double A[restrict n][m], const double x[restrict n])
{
    for (int j = 0; j < m; j++)
        for (int i = 0; i < n; i++)
            y[j] += A[i][j] * x[i];
}
