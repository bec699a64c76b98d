/*
 * laplace_sweep: One sweep of five points in the right order: three rows stay near, the rest is
 * bandwidth.
 */
#pragma inflight kernel
#pragma inflight set n = 4500
void laplace_sweep(int n, double out[restrict n][n], const double in[restrict n][n])
{
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < n - 1; j++)
            out[i][j] = in[i - 1][j] + in[i + 1][j] + in[i][j - 1] + in[i][j + 1] - 4.0 * in[i][j];
}
