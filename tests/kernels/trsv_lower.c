/*
 * trsv_lower: One right side, row by row.
 */
#pragma inflight kernel
#pragma inflight set n = 5000
void trsv_lower(int n, const double L[restrict n][n], const double b[restrict n], double x[restrict n])
{
    for (int i = 0; i < n; i++) {
        double rest = b[i];
        for (int j = 0; j < i; j++)
            rest -= L[i][j] * x[j];
        x[i] = rest / (n + L[i][i]);
    }
}
