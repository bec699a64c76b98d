/*
 * ger_update: A += x y^T in the right order: one pass over the matrix.
 */
#pragma inflight kernel
#pragma inflight set n = 4500
#pragma inflight set m = 4500
void ger_update(int n, int m, double A[restrict n][m], const double x[restrict n], const double y[restrict m])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            A[i][j] += x[i] * y[j];
}
