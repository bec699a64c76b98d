/*
 * tridiagonal_batch: Many systems of three diagonals; each is a column, solved to its end before the
 * next.
 */
#pragma inflight kernel
#pragma inflight set n = 700
#pragma inflight set systems = 3000
void tridiagonal_batch(int n, int systems, const double b[restrict n][systems], double c[restrict n][systems],
                       double x[restrict n][systems])
{
    for (int s = 0; s < systems; s++) {
        c[0][s] = 1.0 / (4.0 + b[0][s]);
        for (int i = 1; i < n; i++) {
            c[i][s] = 1.0 / (4.0 + b[i][s] - c[i - 1][s]);
            x[i][s] = (b[i][s] + x[i - 1][s]) * c[i][s];
        }
        for (int i = n - 2; i >= 0; i--)
            x[i][s] += c[i][s] * x[i + 1][s];
    }
}
