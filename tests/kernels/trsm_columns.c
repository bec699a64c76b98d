/*
 * trsm_columns: Many right sides, one after the other, each a column of X.
 */
#pragma inflight kernel
#pragma inflight set n = 512
#pragma inflight set m = 512
void trsm_columns(int n, int m, const double L[restrict n][n], const double B[restrict n][m],
                  double X[restrict n][m])
{
    for (int r = 0; r < m; r++)
        for (int i = 0; i < n; i++) {
            double rest = B[i][r];
            for (int k = 0; k < i; k++)
                rest -= L[i][k] * X[k][r];
            X[i][r] = rest / (L[i][i] + n);
        }
}
